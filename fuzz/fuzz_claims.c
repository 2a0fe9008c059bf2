/* What others say of a file, and the file: any bytes as both.  The first two bytes of the input say how long the document is,
 * and the third which member of it the file is.  The report decodes, points inside the file, is the same whatever the key of
 * the hash tables, and a complete scan has the digest of exactly these bytes. */
#include "engine.h"
#include "set_document.h"

#define PREFIX 3u

struct inputs {
	struct memory_file file, document;
};

static int64_t read_file(void *ctx, uint64_t offset, void *buf, size_t n)
{
	struct inputs *in = ctx;

	return memory_read(&in->file, offset, buf, n);
}

static int64_t read_document(void *ctx, uint64_t offset, void *buf, size_t n)
{
	struct inputs *in = ctx;

	return memory_read(&in->document, offset, buf, n);
}

static struct memory_report weigh(const struct inputs *inputs, uint32_t member, uint64_t seed)
{
	struct wlk_input in = { .read = read_file,
		.read_document = read_document,
		.ctx = (void *)(uintptr_t)inputs,
		.seed = { .k0 = seed, .k1 = 11 } };
	struct job job = { .part = JOB_PART_MEMBER_AGAIN,
		.size = inputs->file.n,
		.document_size = inputs->document.n,
		.member = member,
		.kind = SOURCE_MUTABLE,
		.rows = true,
		.limits = LIMITS_DEFAULT };
	static struct report report;
	struct memory_report out = { 0 };

	report_init(&report, memory_write, NULL, &out);
	wlk_scan(&in, &job, &report);
	return out;
}

static bool check_row(void *ctx, const struct manifest_row *row, struct bytes encoded)
{
	const struct memory_file *file = ctx;

	(void)encoded;
	FUZZ_REQUIRE(row->kind != MANIFEST_TENSOR || row->member.n > 0 || row->end <= file->n);
	return true;
}

static void check(const struct memory_report *out, const struct memory_file *file)
{
	const struct manifest_sink sink = { .ctx = (void *)(uintptr_t)file, .row = check_row };
	struct facts_expect expect = { .size = file->n };
	struct facts *f = facts_new();

	FUZZ_REQUIRE(f != NULL);
	facts_want_rows(f, &sink);
	FUZZ_REQUIRE(facts_feed(f, out->at, out->n));
	facts_finish(f, WLK_CAUSE_NONE, &expect);
	FUZZ_REQUIRE(f->final.cause != WLK_CAUSE_WORKER_PROTOCOL && !facts_put_off(f));
	engine_check_offsets(f, file->n);
	engine_check_digest(f, file);
	facts_free(f);
}

/* Exactly so long, so that one byte too many is seen. */
static struct memory_file copy_of(const uint8_t *data, size_t n)
{
	uint8_t *at = malloc(n > 0 ? n : 1);

	FUZZ_REQUIRE(at != NULL);
	if (n > 0)
		memcpy(at, data, n);
	return (struct memory_file){ .at = at, .n = n };
}

int fuzz_one(const uint8_t *data, size_t n)
{
	size_t document_n = n > PREFIX ? load_u16le(data) : 0, rest = n > PREFIX ? n - PREFIX : 0;
	struct memory_report first, second;
	struct inputs in;

	if (rest == 0)
		return 0;
	document_n = document_n < rest ? document_n : rest;
	in.document = copy_of(data + PREFIX, document_n);
	in.file = copy_of(data + PREFIX + document_n, rest - document_n);
	first = weigh(&in, document_n > 0 ? data[2] : 0, 7);
	second = weigh(&in, document_n > 0 ? data[2] : 0, 8);
	FUZZ_REQUIRE(first.n == second.n && memcmp(first.at, second.at, first.n) == 0);
	check(&first, &in.file);
	free(first.at);
	free(second.at);
	free((void *)(uintptr_t)in.document.at);
	free((void *)(uintptr_t)in.file.at);
	return 0;
}
