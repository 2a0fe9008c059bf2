/* Scans with a zygote that is the test: what they ask of it, and what they come to, whatever it does. */
#include "job_parts.h"

static void start(struct scan *s)
{
	int fd = memfd_create("x", MFD_CLOEXEC);

	ck_assert_int_eq(ftruncate(fd, 8), 0);
	files_received(&part_env.files, getuid(), 1);
	scan_start_own(s, fd, 8); /* which is no digester's */
}

static void report_with(int output, bool digest)
{
	const struct report_final end = {
		.size = 8, .has_digest = digest, .format = WLK_FORMAT_GGUF, .complete = true, .bytes = 8
	};
	struct report r;

	report_init(&r, write_to, NULL, &output);
	ck_assert(report_end(&r, &end));
}

static void report_whole(int output)
{
	report_with(output, true);
}

static void begin(void)
{
	make_jobs();
	zygote = make_zygote(jobs_parts(part_jobs)->zygotes, 1);
	scan = admit();
	start(scan);
}

START_TEST(test_a_whole_report_and_a_good_end_are_a_verdict)
{
	struct given job;

	begin();
	job = take_job(zygote);
	report_whole(job.output);
	close(job.output);
	turn();
	ck_assert_uint_eq(told.n, 0); /* its end is still to come */
	say_exited(zygote, job.id, 0, 0);
	turn();
	ck_assert_uint_eq(told.n, 1);
	ck_assert(told.has_verdict && told.cause == WLK_CAUSE_NONE);
	ck_assert_uint_eq(jobs_active(part_jobs), 0);
	ck_assert_uint_ge(part_rested, 1);
	ck_assert_uint_eq(part_env.tally.exits[TALLY_EXIT_DONE], 1);
}
END_TEST

START_TEST(test_no_report_is_an_error_and_a_strike)
{
	struct given job;

	begin();
	job = take_job(zygote);
	say_exited(zygote, job.id, 0, 0);
	turn();
	ck_assert_uint_eq(told.n, 0); /* more of the report may be in the pipe */
	close(job.output);
	turn();
	ck_assert(told.n == 1 && told.has_verdict && told.value == VERDICT_ERROR);
	ck_assert_int_eq(told.cause, WLK_CAUSE_WORKER_PROTOCOL);
	ck_assert_uint_eq(part_env.tally.exits[TALLY_EXIT_PROTOCOL], 1);
	ck_assert_uint_eq(part_env.tally.zygotes_retired, 1);
}
END_TEST

START_TEST(test_a_worker_whose_asker_left_is_killed_and_told_to_nobody)
{
	struct given job;

	begin();
	job = take_job(zygote);
	scan_forget(scan, false);
	ck_assert(is_told_to_kill(zygote, job.id));
	ck_assert_uint_eq(jobs_active(part_jobs), 1);
	close(job.output);
	say_exited(zygote, job.id, 9, 0);
	turn();
	ck_assert_uint_eq(told.n, 0);
	ck_assert_uint_eq(jobs_active(part_jobs), 0);
	ck_assert_uint_eq(part_env.tally.exits[TALLY_EXIT_CANCELLED], 1);
}
END_TEST

START_TEST(test_who_is_to_finish_is_not_killed)
{
	struct given job;

	begin();
	job = take_job(zygote);
	scan_forget(scan, true);
	ck_assert(!is_told_to_kill(zygote, job.id));
	report_whole(job.output);
	close(job.output);
	say_exited(zygote, job.id, 0, 0);
	turn();
	ck_assert_uint_eq(told.n, 0);
	ck_assert_uint_eq(part_env.tally.exits[TALLY_EXIT_DONE], 1);
}
END_TEST

START_TEST(test_nonsense_in_a_report_kills_its_worker)
{
	struct given job;

	begin();
	job = take_job(zygote);
	ck_assert_int_eq(write(job.output, "nonsense nonsense", 17), 17);
	turn();
	ck_assert(is_told_to_kill(zygote, job.id));
	close(job.output);
	say_exited(zygote, job.id, 9, 0);
	turn();
	ck_assert(told.n == 1 && told.value == VERDICT_ERROR);
	ck_assert_int_eq(told.cause, WLK_CAUSE_WORKER_PROTOCOL);
}
END_TEST

START_TEST(test_a_scan_that_loses_its_zygote_begins_anew_once)
{
	int second;

	begin();
	close(take_job(zygote).output);
	close(zygote);
	turn();
	ck_assert_uint_eq(told.n, 0);
	second = make_zygote(jobs_parts(part_jobs)->zygotes, 2);
	close(take_job(second).output);
	close(second);
	turn();
	ck_assert(told.n == 1 && told.value == VERDICT_ERROR);
	ck_assert_int_eq(told.cause, WLK_CAUSE_INTERNAL);
	ck_assert_uint_eq(part_env.tally.exits[TALLY_EXIT_ZYGOTE], 2);
}
END_TEST

START_TEST(test_a_worker_that_could_not_be_made_is_tried_again)
{
	struct given job;

	begin();
	job = take_job(zygote);
	close(job.output);
	say_exited(zygote, job.id, 0, -EAGAIN);
	turn();
	ck_assert_uint_eq(told.n, 0);
	jobs_pump(part_jobs);
	ck_assert_uint_gt(take_job(zygote).id, job.id);
}
END_TEST

START_TEST(test_no_more_than_its_slots_run)
{
	struct scan *others[2];

	begin();
	for (int i = 0; i < 2; i++) {
		others[i] = admit();
		start(others[i]);
	}
	(void)take_job(zygote);
	(void)take_job(zygote);
	ck_assert(!is_told_to_kill(zygote, 0));
	ck_assert(scan_running(others[0]) && !scan_running(others[1]));
	ck_assert_uint_eq(scan_position(others[1]), 1);
}
END_TEST

/* ---- workers that follow a body (early.c) ---- */

static struct spool *spool;
static char block[SPOOL_BUFFER];

static void on_spool(void *ctx)
{
	(void)ctx;
	if (scan)
		scan_follow(scan, spool);
}

/* So much of it is in its file. */
static void arrive(uint64_t bytes)
{
	struct spool_growth g = { 0 };

	while (spool_size(spool) < bytes) {
		if (spool_room(spool) > 0)
			spool_write(spool, block, sizeof(block));
		else
			event_base_loop(part_env.base, EVLOOP_ONCE);
	}
	while (g.written < bytes) {
		event_base_loop(part_env.base, EVLOOP_ONCE);
		ck_assert(spool_growing(spool, &g));
	}
}

static void begin_body(uint64_t length)
{
	const struct payer p = payer_of(getuid(), "uid:1");

	make_jobs();
	zygote = make_zygote(jobs_parts(part_jobs)->zygotes, 1);
	scan = admit();
	ck_assert_int_eq(spool_new(jobs_parts(part_jobs)->spools, &p, length, on_spool, NULL, &spool), 0);
	while (!spool_ready(spool))
		event_base_loop(part_env.base, EVLOOP_ONCE);
}

static void end_body(void)
{
	spool_finish(spool);
	while (spool_fd(spool) < 0)
		event_base_loop(part_env.base, EVLOOP_ONCE);
	scan_start_spool(scan, spool);
	scan = NULL;
}

START_TEST(test_a_small_body_is_not_followed)
{
	begin_body(JOBS_EARLY_MIN - SPOOL_BUFFER);
	arrive(4 * SPOOL_BUFFER);
	ck_assert_uint_eq(part_env.tally.early_started, 0);
}
END_TEST

START_TEST(test_a_large_body_is_followed)
{
	begin_body(JOBS_EARLY_MIN);
	arrive(4 * SPOOL_BUFFER);
	ck_assert_uint_eq(part_env.tally.early_started, 1);
}
END_TEST

START_TEST(test_what_an_early_worker_says_too_soon_counts_for_nothing)
{
	struct given early, late;

	begin_body(JOBS_EARLY_MIN);
	arrive(4 * SPOOL_BUFFER);
	early = take_job(zygote);
	close(early.output);
	say_exited(zygote, early.id, 0, 0);
	turn();
	arrive(8 * SPOOL_BUFFER);
	ck_assert(!is_told_to_kill(zygote, early.id)); /* nor is there a second early one */
	ck_assert_uint_eq(told.n, 0);
	arrive(JOBS_EARLY_MIN);
	end_body();
	turn();
	late = take_job(zygote);
	ck_assert_uint_gt(late.id, early.id);
}
END_TEST

START_TEST(test_nonsense_of_an_early_worker_is_no_answer_though_its_end_comes_late)
{
	struct given early, late;

	begin_body(JOBS_EARLY_MIN);
	arrive(4 * SPOOL_BUFFER);
	early = take_job(zygote);
	ck_assert_int_eq(write(early.output, "nonsense nonsense", 17), 17);
	turn();
	ck_assert(is_told_to_kill(zygote, early.id));
	arrive(JOBS_EARLY_MIN);
	end_body();
	close(early.output);
	say_exited(zygote, early.id, 9, 0);
	turn();
	ck_assert_uint_eq(told.n, 0);
	late = take_job(make_zygote(jobs_parts(part_jobs)->zygotes, 2));
	ck_assert_uint_gt(late.id, early.id);
}
END_TEST

/* ---- whose digest ---- */

/* A body of eight bytes in memory, whose worker has ended after such a report.  The digest is taken meanwhile, but nobody has
 * been told of it. */
static void judge_body(bool digest)
{
	const struct payer p = payer_of(getuid(), "uid:1");
	struct given job;

	make_jobs();
	zygote = make_zygote(jobs_parts(part_jobs)->zygotes, 1);
	ck_assert_int_eq(spool_new(jobs_parts(part_jobs)->spools, &p, 8, on_spool, NULL, &spool), 0);
	spool_write(spool, "12345678", 8);
	spool_finish(spool);
	ck_assert(spool_fd(spool) >= 0 && spool_digest(spool) == NULL);
	scan_start_spool(admit(), spool);
	job = take_job(zygote);
	report_with(job.output, digest);
	close(job.output);
	say_exited(zygote, job.id, 0, 0);
	while (told.n == 0)
		event_base_loop(part_env.base, EVLOOP_ONCE);
	turn();
	ck_assert_uint_eq(told.n, 1);
	ck_assert_uint_eq(jobs_active(part_jobs), 0);
}

static void expect_that_of_the_body(void)
{
	struct sha256 state;
	uint8_t expected[32];

	sha256_begin(&state);
	sha256_feed(&state, (const uint8_t *)"12345678", 8);
	sha256_end(&state, expected);
	ck_assert(told.final.has_digest && told.digest_by == DIGEST_BY_FRONT);
	ck_assert_mem_eq(told.final.sha256, expected, 32);
}

START_TEST(test_the_answer_about_a_body_waits_for_its_digest)
{
	judge_body(false);
	ck_assert(told.has_verdict && told.value == VERDICT_ACCEPT);
	expect_that_of_the_body();
}
END_TEST

START_TEST(test_a_worker_that_names_the_digest_of_a_body_is_punished)
{
	judge_body(true);
	ck_assert(told.has_verdict && told.value == VERDICT_ERROR);
	ck_assert_int_eq(told.cause, WLK_CAUSE_WORKER_PROTOCOL);
	expect_that_of_the_body();
	ck_assert_uint_eq(part_env.tally.exits[TALLY_EXIT_PROTOCOL], 1);
	ck_assert_uint_eq(part_env.tally.zygotes_retired, 1);
}
END_TEST

HARNESS("jobs", test_a_whole_report_and_a_good_end_are_a_verdict, test_no_report_is_an_error_and_a_strike,
    test_a_worker_whose_asker_left_is_killed_and_told_to_nobody, test_who_is_to_finish_is_not_killed,
    test_nonsense_in_a_report_kills_its_worker, test_a_scan_that_loses_its_zygote_begins_anew_once,
    test_a_worker_that_could_not_be_made_is_tried_again, test_no_more_than_its_slots_run,
    test_a_small_body_is_not_followed, test_a_large_body_is_followed,
    test_what_an_early_worker_says_too_soon_counts_for_nothing,
    test_nonsense_of_an_early_worker_is_no_answer_though_its_end_comes_late,
    test_the_answer_about_a_body_waits_for_its_digest, test_a_worker_that_names_the_digest_of_a_body_is_punished)
