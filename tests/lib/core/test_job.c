/* The job: what comes out is what went in, and nothing else decodes. */
#include "harness.h"

#include <string.h>

#include "job.h"
#include "set_document.h"

static struct job example(void)
{
	struct job job = { .size = 123456789,
		.kind = SOURCE_MUTABLE,
		.hint = WLK_FORMAT_SAFETENSORS,
		.family = CONFIG_PEFT,
		.arriving = true,
		.task = JOB_SET,
		.rows = true,
		.digests = true,
		.stats = true,
		.calls = true,
		.limits = LIMITS_DEFAULT };

	job.limits.tensors = 1000;
	job.limits.memory = 1;
	return job;
}

static bool same(const struct job *a, const struct job *b)
{
	return a->size == b->size && a->kind == b->kind && a->arriving == b->arriving && a->task == b->task &&
	       a->rows == b->rows && a->digests == b->digests && a->stats == b->stats && a->calls == b->calls &&
	       a->hint == b->hint &&
	       a->family == b->family
#define X(field, name, value, unit, reason) &&a->limits.field == b->limits.field
				WLK_LIMITS(X)
#undef X
	    ;
}

START_TEST(test_job_survives_the_journey)
{
	uint8_t buf[JOB_BYTES_MAX];
	struct job sent = example(), got;

	ck_assert(job_decode(buf, job_encode(&sent, buf), &got));
	ck_assert(same(&sent, &got));
}
END_TEST

START_TEST(test_only_the_exact_length_decodes)
{
	uint8_t buf[JOB_BYTES_MAX] = { 0 };
	struct job sent = example(), got;
	size_t n = job_encode(&sent, buf);

	ck_assert_uint_lt(n, JOB_BYTES_MAX);
	for (size_t i = 0; i < JOB_BYTES_MAX; i++)
		ck_assert(job_decode(buf, i, &got) == (i == n));
}
END_TEST

/* Set one byte; does it still decode?  After a refusal nothing was stored. */
static bool decodes_with(size_t at, uint8_t value)
{
	uint8_t buf[JOB_BYTES_MAX];
	struct job sent = example(), got = { .size = 7 };
	size_t n = job_encode(&sent, buf);
	bool ok;

	buf[at] = value;
	ok = job_decode(buf, n, &got);
	ck_assert(ok || got.size == 7);
	return ok;
}

START_TEST(test_versions_and_enums_are_in_range)
{
	ck_assert(decodes_with(0, 10));
	ck_assert(!decodes_with(0, 9) && !decodes_with(0, 11));
	ck_assert(decodes_with(9, SOURCE_IMMUTABLE) && decodes_with(9, SOURCE_MUTABLE));
	ck_assert(!decodes_with(9, SOURCE_MUTABLE + 1));
	ck_assert(decodes_with(10, WLK_N_FORMATS - 1));
	ck_assert(!decodes_with(10, WLK_N_FORMATS) && !decodes_with(10, 0xff));
	ck_assert(decodes_with(11, 0) && decodes_with(11, 1) && !decodes_with(11, 2));
	ck_assert(decodes_with(12, JOB_FILE) && decodes_with(12, JOB_SET) && !decodes_with(12, JOB_N_KINDS));
	ck_assert(decodes_with(13, 1) && !decodes_with(13, 2));
	ck_assert(decodes_with(14, 0) && decodes_with(14, 1) && decodes_with(14, 3) && !decodes_with(14, 4));
	ck_assert(decodes_with(16, 1) && !decodes_with(16, 2));
	ck_assert(decodes_with(17, 0) && decodes_with(17, 1) && !decodes_with(17, 2));
	ck_assert(decodes_with(32, CONFIG_N_FAMILIES - 1) && !decodes_with(32, CONFIG_N_FAMILIES));
	ck_assert(decodes_with(19, JOB_PART_MEMBER) && !decodes_with(19, JOB_N_PARTS));
}
END_TEST

static bool survives(struct job sent)
{
	uint8_t buf[JOB_BYTES_MAX];
	struct job got = { 0 };

	sent.limits = example().limits;
	return job_decode(buf, job_encode(&sent, buf), &got) && got.part == sent.part &&
	       got.document_size == sent.document_size && got.member == sent.member;
}

START_TEST(test_a_document_comes_with_a_member_that_was_put_off_and_within_its_bounds)
{
	const enum job_part again = JOB_PART_MEMBER_AGAIN;

	ck_assert(survives((struct job){ .part = again }));
	ck_assert(survives((struct job){ .part = again, .document_size = 1 }));
	ck_assert(
	    survives((struct job){ .part = again, .document_size = SET_BYTES_MAX, .member = SET_MEMBERS_MAX - 1 }));
	ck_assert(!survives((struct job){ .part = again, .document_size = SET_BYTES_MAX + 1 }));
	ck_assert(!survives((struct job){ .part = again, .document_size = 1, .member = SET_MEMBERS_MAX }));
	ck_assert(!survives((struct job){ .part = again, .member = 1 }));
	ck_assert(!survives((struct job){ .part = JOB_PART_MEMBER, .document_size = 1 }));
	ck_assert(!survives((struct job){ .part = JOB_PART_ALONE, .document_size = 1 }));
}
END_TEST

START_TEST(test_digests_and_statistics_come_with_rows_only)
{
	uint8_t buf[JOB_BYTES_MAX];
	struct job sent = example(), got;

	for (unsigned i = 0; i < 8; i++) {
		sent.rows = (i & 1) != 0;
		sent.digests = (i & 2) != 0;
		sent.stats = (i & 4) != 0;
		ck_assert(
		    job_decode(buf, job_encode(&sent, buf), &got) == (sent.rows || (!sent.digests && !sent.stats)));
	}
}
END_TEST

START_TEST(test_the_digest_is_left_to_others_of_what_cannot_change_or_is_seen_as_it_is_hashed)
{
	uint8_t buf[JOB_BYTES_MAX];
	struct job sent = example(), got;
	size_t n;

	for (int input = 0; input <= JOB_N_INPUTS; input++)
		for (unsigned i = 0; i < 8; i++) {
			bool left = (i & 1) != 0, immutable = (i & 2) != 0, arriving = (i & 4) != 0;
			bool sound[] = { !left || immutable, left && arriving && immutable,
				left && arriving && !immutable, false };

			sent.input = (enum job_input)input;
			sent.undigested = left;
			sent.kind = immutable ? SOURCE_IMMUTABLE : SOURCE_MUTABLE;
			sent.arriving = arriving;
			ck_assert_int_eq(job_decode(buf, job_encode(&sent, buf), &got), sound[input]);
			if (sound[input])
				ck_assert(got.input == sent.input && got.undigested == left);
		}
	sent = example();
	n = job_encode(&sent, buf);
	buf[15] = 2;
	ck_assert(!job_decode(buf, n, &got));
}
END_TEST

START_TEST(test_size_stays_in_reach_of_pread)
{
	ck_assert(decodes_with(8, 0x7f));
	ck_assert(!decodes_with(8, 0x80));
}
END_TEST

START_TEST(test_no_limit_can_be_raised)
{
	uint8_t buf[JOB_BYTES_MAX];
	const struct limits max = LIMITS_DEFAULT;
	struct job sent, got;

	sent = (struct job){ .limits = max };
	ck_assert(job_decode(buf, job_encode(&sent, buf), &got));
#define X(field, name, value, unit, reason)   \
	sent = (struct job){ .limits = max }; \
	sent.limits.field++;                  \
	ck_assert_msg(!job_decode(buf, job_encode(&sent, buf), &got), "%s", name);
	WLK_LIMITS(X)
#undef X
}
END_TEST

/* The job of example() with these names behind it. */
static bool decodes_with_names(const char *names, uint32_t said, struct job *ret)
{
	static uint8_t buf[JOB_BYTES_MAX + 64];
	struct job sent = example();
	size_t n;

	sent.pickle_names.lines = bytes_of(names, said);
	n = job_encode(&sent, buf);
	memcpy(buf + n, names, strlen(names));
	return job_decode(buf, n + strlen(names), ret);
}

START_TEST(test_names_follow_the_job)
{
	struct job got;

	ck_assert(decodes_with_names("a.b\nc.d\n", 8, &got));
	ck_assert(bytes_equal(got.pickle_names.lines, bytes_of_text("a.b\nc.d\n")));
	ck_assert(decodes_with_names("", 0, &got));
	ck_assert_uint_eq(got.pickle_names.lines.n, 0);
}
END_TEST

START_TEST(test_names_are_as_long_as_said_and_valid)
{
	struct job got;

	ck_assert(!decodes_with_names("a.b\nc.d\n", 7, &got));
	ck_assert(!decodes_with_names("a.b\nc.d\n", 9, &got));
	ck_assert(!decodes_with_names("c.d\na.b\n", 8, &got));
	ck_assert(!decodes_with_names("a.b\nc.d", 7, &got));
}
END_TEST

START_TEST(test_an_output_has_a_quota_and_only_a_conversion_has_one)
{
	struct job job = { .task = JOB_CONVERT, .rows = true, .digests = true, .output_max = 1 }, changed, got;
	uint8_t buf[JOB_BYTES_MAX];

	ck_assert(survives(job));
	job.output_max = INT64_MAX;
	job.leave = true;
	ck_assert(survives(job));
	changed = job;
	changed.output_max = (uint64_t)INT64_MAX + 1;
	ck_assert(!survives(changed));
	changed.output_max = 0;
	ck_assert(!survives(changed));
	changed = job;
	changed.limits = example().limits;
	changed.cast = WLK_DTYPE_F16;
	ck_assert(job_decode(buf, job_encode(&changed, buf), &got) && got.cast == WLK_DTYPE_F16 && got.leave);
	changed.cast = WLK_N_DTYPES;
	ck_assert(!job_decode(buf, job_encode(&changed, buf), &got));
	changed = job;
	changed.digests = false; /* without digests nobody could compare */
	ck_assert(!survives(changed));
	changed = job;
	changed.part = JOB_PART_MEMBER_AGAIN; /* its third descriptor would be a document */
	ck_assert(!survives(changed));
	changed.part = JOB_PART_MEMBER; /* judged as one of several that are converted together */
	ck_assert(survives(changed));
	changed = job;
	changed.arriving = true; /* as an upload does */
	ck_assert(!survives(changed));
	changed.input = JOB_INPUT_COPY;
	changed.undigested = true;
	ck_assert(survives(changed));
	changed.input = JOB_INPUT_FLOW;
	changed.kind = SOURCE_MUTABLE;
	ck_assert(survives(changed));
	changed = job;
	changed.task = JOB_FILE;
	ck_assert(!survives(changed));
	changed.output_max = 0;
	ck_assert(!survives(changed));
	changed.leave = false;
	ck_assert(survives(changed));
}
END_TEST

HARNESS("job", test_job_survives_the_journey, test_only_the_exact_length_decodes, test_versions_and_enums_are_in_range,
    test_a_document_comes_with_a_member_that_was_put_off_and_within_its_bounds,
    test_an_output_has_a_quota_and_only_a_conversion_has_one, test_digests_and_statistics_come_with_rows_only,
    test_the_digest_is_left_to_others_of_what_cannot_change_or_is_seen_as_it_is_hashed,
    test_size_stays_in_reach_of_pread, test_no_limit_can_be_raised, test_names_follow_the_job,
    test_names_are_as_long_as_said_and_valid)
