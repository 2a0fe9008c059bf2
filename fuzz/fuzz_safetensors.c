/* Any bytes as a .safetensors file, through the whole engine: the report decodes, points inside the file, is the same
 * for the same bytes, and a complete scan carries the digest of exactly these bytes. */
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "facts.h"
#include "fuzz.h"
#include "memory_scan.h"
#include "scan.h"

static struct memory_report scan(const struct memory_file *file, enum source_kind kind)
{
	struct wlk_input in = { .read = memory_read, .ctx = (void *)(uintptr_t)file, .seed = { .k0 = 7, .k1 = 11 } };
	struct job job = { .size = file->n, .kind = kind, .hint = WLK_FORMAT_SAFETENSORS, .limits = LIMITS_DEFAULT };
	static struct report report;
	struct memory_report out = { 0 };

	report_init(&report, memory_write, NULL, &out);
	wlk_scan(&in, &job, &report);
	return out;
}

static void check_offsets(const struct facts *f, uint64_t size)
{
	for (size_t i = 0; i < f->n_findings; i++) {
		const struct finding *finding = &f->findings[i];

		if (!finding->has_offset)
			continue;
		FUZZ_REQUIRE(finding->offset <= size);
		FUZZ_REQUIRE(!finding->has_length || finding->length <= size - finding->offset);
	}
	for (size_t i = 0; i < f->n_rows; i++)
		FUZZ_REQUIRE(f->rows[i].first_offset < size);
}

static void check_digest(const struct facts *f, const struct memory_file *file)
{
	uint8_t digest[32];

	if (!f->final.complete)
		return;
	FUZZ_REQUIRE(f->final.has_digest);
	FUZZ_REQUIRE(EVP_Digest(file->at, file->n, digest, NULL, EVP_sha256(), NULL) == 1);
	FUZZ_REQUIRE(memcmp(digest, f->final.sha256, sizeof(digest)) == 0);
}

static void check_report(const struct memory_report *out, const struct memory_file *file)
{
	struct facts_expect expect = { .size = file->n };
	struct facts *f = facts_new();

	FUZZ_REQUIRE(f != NULL);
	FUZZ_REQUIRE(facts_feed(f, out->at, out->n));
	facts_finish(f, WLK_CAUSE_NONE, &expect);
	FUZZ_REQUIRE(f->final.cause != WLK_CAUSE_WORKER_PROTOCOL);
	check_offsets(f, file->n);
	check_digest(f, file);
	facts_free(f);
}

int fuzz_one(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n > 0 ? n : 1); /* exactly this size, so that one byte too many is seen */
	struct memory_file file = { .at = copy, .n = n };
	struct memory_report first, second;

	FUZZ_REQUIRE(copy != NULL);
	if (n > 0)
		memcpy(copy, data, n);
	first = scan(&file, SOURCE_IMMUTABLE);
	second = scan(&file, SOURCE_MUTABLE);
	check_report(&first, &file);
	FUZZ_REQUIRE(first.n == second.n && memcmp(first.at, second.at, first.n) == 0);
	free(first.at);
	free(second.at);
	free(copy);
	return 0;
}
