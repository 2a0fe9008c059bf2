/* What wlk_scan() makes of files that are no tensors, of limits, and of sources that fail. */
#include <openssl/evp.h>
#include <stdio.h>

#include "harness.h"
#include "memory_scan.h"
#include "safetensors_file.h"

#define HEADER "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}"

static struct facts *scan_hint(const void *at, size_t n, enum wlk_format_id hint)
{
	struct job job = memory_job(n);

	job.hint = hint;
	return memory_scan_job(at, n, &job);
}

START_TEST(test_content_decides_before_the_hint)
{
	struct st_file file = st_file(HEADER, 4);
	struct facts *f = scan_hint(file.at, file.n, WLK_FORMAT_UNKNOWN);

	ck_assert_int_eq(f->final.format, WLK_FORMAT_SAFETENSORS);
	ck_assert(f->final.complete && memory_worst(f) < 0);
	facts_free(f);
	free(file.at);
}
END_TEST

START_TEST(test_length_beyond_the_file_is_no_safetensors_without_the_hint)
{
	struct st_file file = st_file(HEADER, 0);
	struct facts *f = scan_hint(file.at, file.n, WLK_FORMAT_UNKNOWN);

	ck_assert_int_eq(f->final.format, WLK_FORMAT_SAFETENSORS);
	facts_free(f);
	f = scan_hint(file.at, file.n - 1, WLK_FORMAT_UNKNOWN);
	ck_assert_int_eq(f->final.format, WLK_FORMAT_UNKNOWN);
	facts_free(f);
	free(file.at);
}
END_TEST

START_TEST(test_hint_explains_what_nothing_recognises)
{
	struct facts *f = scan_hint("hello world", 11, WLK_FORMAT_SAFETENSORS);

	ck_assert_int_eq(f->final.format, WLK_FORMAT_SAFETENSORS);
	ck_assert_uint_eq(f->per_code[WLK_F_ST_HEADER_TOO_LARGE], 1);
	facts_free(f);
	f = scan_hint("hello world", 11, WLK_FORMAT_UNKNOWN);
	ck_assert_int_eq(f->final.format, WLK_FORMAT_TEXT); /* claims to be nothing else, and is accounted for */
	ck_assert(f->final.complete);
	facts_free(f);
	f = scan_hint("hello\1world", 11, WLK_FORMAT_UNKNOWN);
	ck_assert_int_eq(f->final.format, WLK_FORMAT_UNKNOWN);
	ck_assert_uint_eq(f->per_code[WLK_F_FORMAT_UNKNOWN], 1);
	ck_assert(!f->final.complete && f->final.has_digest); /* nobody knows what its bytes are */
	facts_free(f);
	f = scan_hint("", 0, WLK_FORMAT_OTHER);
	ck_assert_uint_eq(f->per_code[WLK_F_FORMAT_UNKNOWN], 1);
	facts_free(f);
	f = scan_hint("", 0, WLK_FORMAT_UNKNOWN);
	ck_assert_int_eq(f->final.format, WLK_FORMAT_TEXT); /* .gitkeep: there is nothing to know */
	ck_assert(f->final.complete);
	facts_free(f);
}
END_TEST

START_TEST(test_lfs_pointer_is_told_with_its_object)
{
	const char *pointer = "version https://git-lfs.github.com/spec/v1\n"
			      "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
			      "size 12345\n";
	struct facts *f = memory_scan(pointer, strlen(pointer));

	ck_assert_int_eq(f->final.format, WLK_FORMAT_LFS_POINTER);
	ck_assert_uint_eq(f->per_code[WLK_F_LFS_POINTER], 1);
	ck_assert_uint_eq(memory_fact(f, WLK_FACT_LFS_SIZE)->value.number, 12345);
	ck_assert_uint_eq(memory_fact(f, WLK_FACT_LFS_OID)->value.text.n, 64);
	ck_assert(f->final.complete);
	facts_free(f);
}
END_TEST

static const char *guess(void *ctx, const uint8_t *head, size_t n)
{
	(void)ctx;
	return n == 3 && memcmp(head, "a\1c", 3) == 0 ? "text/x-guess" : NULL;
}

START_TEST(test_media_type_is_asked_for_unknown_files)
{
	struct memory_file file = { .at = (const uint8_t *)"a\1c", .n = 3 };
	struct wlk_input in = { .read = memory_read, .ctx = &file, .media_type = guess };
	struct job job = memory_job(3);
	struct memory_report raw = { 0 };
	static struct report report;
	struct facts *f = facts_new();

	job.hint = WLK_FORMAT_UNKNOWN;
	report_init(&report, memory_write, NULL, &raw);
	ck_assert_int_eq(wlk_scan(&in, &job, &report), WLK_BROKEN);
	ck_assert(facts_feed(f, raw.at, raw.n));
	facts_finish(f, WLK_CAUSE_NONE, &(struct facts_expect){ .size = 3 });
	ck_assert(bytes_equal(f->final.media_type, bytes_of_text("text/x-guess")));
	facts_free(f);
	free(raw.at);
}
END_TEST

START_TEST(test_size_limit_in_a_pair)
{
	struct st_file file = st_file(HEADER, 4);
	struct job job = memory_job(file.n);
	struct facts *f;

	job.limits.file_size = file.n;
	f = memory_scan_job(file.at, file.n, &job);
	ck_assert(f->final.complete);
	facts_free(f);
	job.limits.file_size = file.n - 1;
	f = memory_scan_job(file.at, file.n, &job);
	ck_assert(!f->final.complete && !f->final.has_digest);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_LIMIT_SIZE);
	ck_assert_uint_eq(f->per_code[WLK_F_LIMIT_SIZE], 1);
	facts_free(f);
	free(file.at);
}
END_TEST

START_TEST(test_digest_is_of_the_bytes_judged_also_when_they_are_broken)
{
	const char *headers[] = { HEADER, "{\"a\":]", "{}" };

	for (size_t i = 0; i < 3; i++) {
		struct st_file file = st_file(headers[i], 4);
		struct facts *f = memory_scan(file.at, file.n);
		uint8_t digest[32];

		EVP_Digest(file.at, file.n, digest, NULL, EVP_sha256(), NULL);
		ck_assert(f->final.has_digest);
		ck_assert_mem_eq(f->final.sha256, digest, 32);
		facts_free(f);
		free(file.at);
	}
}
END_TEST

/* The file the job describes is longer, or shorter, than what can be read. */
START_TEST(test_wrong_size_is_never_complete)
{
	struct st_file file = st_file(HEADER, 4);
	struct job job = memory_job(file.n);
	struct facts *f;

	f = memory_scan_job(file.at, file.n - 1, &job);
	ck_assert(!f->final.complete);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_INPUT_TRUNCATED);
	facts_free(f);
	job.size--;
	f = memory_scan_job(file.at, file.n, &job);
	ck_assert(!f->final.complete);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_INPUT_CHANGED);
	facts_free(f);
	free(file.at);
}
END_TEST

/* The header was read, the pass was not finished. */
START_TEST(test_tensors_are_counted_although_the_pass_was_interrupted)
{
	struct st_file file = st_file("{\"a\":{\"dtype\":\"U8\",\"shape\":[8192],\"data_offsets\":[0,8192]}}", 8192);
	struct job job = memory_job(file.n);
	struct facts *f = memory_scan_job(file.at, file.n - 1, &job);

	ck_assert_int_eq(f->final.cause, WLK_CAUSE_INPUT_TRUNCATED);
	ck_assert_uint_eq(f->final.totals.tensors, 1);
	facts_free(f);
	free(file.at);
}
END_TEST

static int64_t unreadable(void *ctx, uint64_t offset, void *buf, size_t n)
{
	(void)ctx;
	(void)offset;
	(void)buf;
	(void)n;
	return -5;
}

START_TEST(test_unreadable_file_is_incomplete)
{
	struct wlk_input in = { .read = unreadable };
	struct job job = memory_job(100);
	struct memory_report raw = { 0 };
	static struct report report;

	report_init(&report, memory_write, NULL, &raw);
	ck_assert_int_eq(wlk_scan(&in, &job, &report), WLK_INCOMPLETE);
	ck_assert_int_eq(report.cause, WLK_CAUSE_INPUT_UNREADABLE);
	free(raw.at);
}
END_TEST

/* ---- what is shown is what was judged ---- */

#define NAN_AT ((3u << 19) + 1) /* an element of it */
#define F32_HEADER "{\"a\":{\"dtype\":\"F32\",\"shape\":[786432],\"data_offsets\":[0,3145728]}}"

/* Whoever reads it a second time gets something else there. */
struct turning_file {
	struct memory_file file;
	bool turns;
	unsigned times;
};

static int64_t turning_read(void *ctx, uint64_t offset, void *buf, size_t n)
{
	struct turning_file *f = ctx;
	int64_t got = memory_read(&f->file, offset, buf, n);

	if (offset <= NAN_AT && NAN_AT - offset + 4 <= n && f->times++ > 0 && f->turns)
		memset((uint8_t *)buf + (NAN_AT - offset), 0xee, 4);
	return got;
}

/* Bytes around findings that are shown. */
static size_t shown_of(struct st_file file, bool turns)
{
	struct turning_file f = { .file = { .at = file.at, .n = file.n }, .turns = turns };
	struct wlk_input in = { .read = turning_read, .ctx = &f, .seed = { .k0 = 1, .k1 = 2 } };
	struct job job = memory_job(file.n);
	struct facts_expect expect = { .size = file.n };
	struct memory_report raw = { 0 };
	struct facts *facts = facts_new();
	static struct report report;
	size_t n = 0;

	job.kind = SOURCE_MUTABLE;
	job.calls = job.views = true;
	report_init(&report, memory_write, NULL, &raw);
	ck_assert_int_eq(wlk_scan(&in, &job, &report), WLK_DONE);
	facts_want_calls(facts);
	facts_want_views(facts);
	(void)facts_feed(facts, raw.at, raw.n);
	facts_finish(facts, WLK_CAUSE_NONE, &expect);
	ck_assert_uint_eq(facts->per_code[WLK_F_WEIGHTS_NAN], 1);
	for (size_t i = 0; i < facts->n_views; i++)
		n += facts->views[i].kind == VIEW_BYTES;
	facts_free(facts);
	free(raw.at);
	return n;
}

START_TEST(test_what_is_shown_is_what_was_judged)
{
	struct st_file file = st_file(F32_HEADER, 3145728);

	memset(file.at + NAN_AT, 0xff, 4);
	ck_assert_uint_eq(shown_of(file, false), 1);
	ck_assert_uint_eq(shown_of(file, true), 0);
	free(file.at);
}
END_TEST

HARNESS("scan", test_content_decides_before_the_hint, test_length_beyond_the_file_is_no_safetensors_without_the_hint,
    test_hint_explains_what_nothing_recognises, test_lfs_pointer_is_told_with_its_object,
    test_media_type_is_asked_for_unknown_files, test_size_limit_in_a_pair,
    test_digest_is_of_the_bytes_judged_also_when_they_are_broken, test_wrong_size_is_never_complete,
    test_tensors_are_counted_although_the_pass_was_interrupted, test_unreadable_file_is_incomplete,
    test_what_is_shown_is_what_was_judged)
