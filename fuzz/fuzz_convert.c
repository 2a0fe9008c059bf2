/* Any bytes as a file whose tensors are wanted: there is no output, or one that a scan takes without fault and that holds what its
 * writer promised; and the same bytes give the same. */
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "fuzz.h"
#include "memory_rows.h"

#define OUTPUT_MAX ((size_t)1 << 20)

struct output {
	struct memory_file source;
	size_t n; /* as far as was written */
	uint8_t at[OUTPUT_MAX];
};

static int64_t read_source(void *ctx, uint64_t offset, void *buf, size_t n)
{
	struct output *out = ctx;

	return memory_read(&out->source, offset, buf, n);
}

static bool write_output(void *ctx, uint64_t offset, const void *at, size_t n)
{
	struct output *out = ctx;

	FUZZ_REQUIRE(offset <= OUTPUT_MAX && n <= OUTPUT_MAX - offset);
	memcpy(out->at + offset, at, n);
	out->n = offset + n > out->n ? (size_t)offset + n : out->n;
	return true;
}

/* A report, and the rows in it. */
static struct facts *convert(struct output *out, bool leave, struct memory_rows *ret)
{
	const struct job job = { .task = JOB_CONVERT,
		.size = out->source.n,
		.kind = SOURCE_IMMUTABLE,
		.rows = true,
		.digests = true,
		.output_max = OUTPUT_MAX,
		.leave = leave,
		.hint = WLK_FORMAT_PYTORCH,
		.limits = LIMITS_DEFAULT };
	const struct wlk_input in = {
		.read = read_source, .write_output = write_output, .ctx = out, .seed = { .k0 = 7, .k1 = 11 }
	};
	const struct manifest_sink sink = memory_rows_sink(ret);
	struct facts_expect expect = { .size = job.size };
	static struct report report;
	struct memory_report raw = { 0 };
	struct facts *f = facts_new();

	*ret = (struct memory_rows){ 0 };
	FUZZ_REQUIRE(f != NULL);
	out->n = 0;
	memset(out->at, 0xa5, sizeof(out->at));
	report_init(&report, memory_write, NULL, &raw);
	wlk_scan(&in, &job, &report);
	facts_want_rows(f, &sink);
	FUZZ_REQUIRE(facts_feed(f, raw.at, raw.n));
	facts_finish(f, WLK_CAUSE_NONE, &expect);
	FUZZ_REQUIRE(f->final.cause != WLK_CAUSE_WORKER_PROTOCOL);
	free(raw.at);
	return f;
}

static void check_promise(const struct memory_row *made, const struct memory_row *found)
{
	const struct manifest_row *a = &made->row, *b = &found->row;

	FUZZ_REQUIRE(bytes_equal(a->name, b->name) && bytes_equal(a->dtype, b->dtype) && a->rank == b->rank);
	FUZZ_REQUIRE(memcmp(a->shape, b->shape, a->rank * sizeof(a->shape[0])) == 0);
	FUZZ_REQUIRE(found->n_digests == 1 && made->n_digests <= 1);
	FUZZ_REQUIRE(made->n_digests == 0 || memcmp(made->sha256, found->sha256, 32) == 0);
}

/* Its form has no fault.  What the source named and numbered oddly the second scan refuses, and then there is no output. */
static void check_output(const struct output *out, const struct memory_rows *made)
{
	struct memory_rows found;
	const struct job job = memory_job(out->n);
	struct facts *f = memory_scan_rows(out->at, out->n, &job, &found);
	size_t n = 0;

	FUZZ_REQUIRE(f->final.complete && f->final.format == WLK_FORMAT_SAFETENSORS);
	for (size_t i = 0; i < f->n_findings; i++)
		FUZZ_REQUIRE(finding_info(f->findings[i].code)->class != CLASS_MALFORMED);
	for (size_t i = 0; i < made->n; i++) {
		if (made->list[i].row.kind != MANIFEST_TENSOR)
			continue;
		FUZZ_REQUIRE(n < found.n);
		check_promise(&made->list[i], &found.list[n++]);
	}
	FUZZ_REQUIRE(n == found.n && n > 0);
	memory_rows_free(&found);
	facts_free(f);
}

static bool try(struct output *out, bool leave)
{
	struct memory_rows rows;
	struct facts *f = convert(out, leave, &rows);
	const struct fact *made = memory_fact(f, WLK_FACT_CONVERTED),
			  *refused = memory_fact(f, WLK_FACT_CONVERT_REFUSED);
	bool converted = made != NULL;

	FUZZ_REQUIRE(made == NULL || refused == NULL);
	if (converted) {
		FUZZ_REQUIRE(f->final.complete && made->value.number == out->n);
		check_output(out, &rows);
	} else if (refused != NULL) {
		FUZZ_REQUIRE(refused->value.number > CONVERT_NONE && refused->value.number < CONVERT_N_REASONS);
	}
	memory_rows_free(&rows);
	facts_free(f);
	return converted;
}

int fuzz_one(const uint8_t *data, size_t n)
{
	struct output *out = malloc(sizeof(*out)), *again = malloc(sizeof(*again));
	uint8_t *copy = malloc(n > 0 ? n : 1); /* exactly this size, so that one byte too many is seen */

	FUZZ_REQUIRE(out != NULL && again != NULL && copy != NULL);
	if (n > 0)
		memcpy(copy, data, n);
	out->source = again->source = (struct memory_file){ .at = copy, .n = n };
	if (try(out, false)) {
		FUZZ_REQUIRE(try(again, true)); /* nothing was to be left: the same */
		FUZZ_REQUIRE(again->n == out->n && memcmp(again->at, out->at, out->n) == 0);
	} else {
		(void)try(out, true);
	}
	free(copy);
	free(again);
	free(out);
	return 0;
}
