/* Scans of descriptors: a worker and a digester, which are the test, and whatever becomes of either.  Nobody's process is
 * forgotten: a scan keeps its slot until both have ended. */
#include "job_parts.h"

#include "jobs_impl.h"

START_TEST(test_of_a_descriptor_the_digest_is_its_digesters_and_the_answer_waits_for_it)
{
	static const struct {
		uint64_t size;
		bool sealed;
	} files[] = { { 8, false }, { 1 << 20, false }, { (1 << 20) + 1, false }, { 8, true }, { 9 << 20, true } };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		unsigned before = told.n;
		int digester;

		part_digesters.n = 0;
		end_well(begin_file(files[i].size, files[i].sealed), files[i].size);
		ck_assert_uint_eq(told.n, before);
		digester = part_asked_for_digest();
		ck_assert_int_ge(digester, 0);
		part_say_digested(digester, true, 0);
		turn();
		ck_assert_uint_eq(told.n, before + 1);
		ck_assert(told.has_verdict && told.cause == WLK_CAUSE_NONE && told.final.has_digest);
		ck_assert_int_eq(told.digest_by, DIGEST_BY_DIGESTER);
		ck_assert_mem_eq(told.final.sha256, part_digest, 32);
		ck_assert_uint_eq(jobs_active(part_jobs), 0);
	}
}
END_TEST

START_TEST(test_a_digest_that_cannot_be_taken_ends_its_scan)
{
	static const struct {
		int error;
		enum wlk_cause cause;
	} rows[] = { { -EFBIG, WLK_CAUSE_INPUT_CHANGED }, { -ENODATA, WLK_CAUSE_INPUT_TRUNCATED },
		{ -EIO, WLK_CAUSE_INPUT_UNREADABLE } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct given job;
		unsigned before = told.n;

		part_digesters.n = 0;
		job = begin_file(2 << 20, false);
		part_say_digested(part_asked_for_digest(), true, rows[i].error);
		turn();
		ck_assert(is_told_to_kill(zygote, job.id));
		close(job.output);
		say_exited(zygote, job.id, SIGKILL, 0);
		turn();
		ck_assert_uint_eq(told.n, before + 1);
		ck_assert_int_eq(told.value, VERDICT_ERROR);
		ck_assert_int_eq(told.cause, rows[i].cause);
		ck_assert(!told.final.has_digest);

		/* Its worker may have ended before, and well. */
		part_digesters.n = 0;
		end_well(begin_file(2 << 20, false), 2 << 20);
		part_say_digested(part_asked_for_digest(), true, rows[i].error);
		turn();
		ck_assert_uint_eq(told.n, before + 2);
		ck_assert(told.cause == rows[i].cause && !told.final.has_digest);
	}
}
END_TEST

START_TEST(test_a_digester_that_dies_takes_its_scan_along)
{
	struct given job = begin_file(2 << 20, false);

	ck_assert_int_ge(part_asked_for_digest(), 0);
	close(part_digesters.at[0]);
	say_exited(zygote, part_digesters.ids[0], SIGKILL, 0);
	turn();
	while (!is_told_to_kill(zygote, job.id)) /* it may be told to kill the digester first */
		turn();
	close(job.output);
	say_exited(zygote, job.id, SIGKILL, 0);
	turn();
	ck_assert_uint_eq(told.n, 1);
	ck_assert(told.cause == WLK_CAUSE_INTERNAL && !told.final.has_digest);
	ck_assert_uint_eq(jobs_active(part_jobs), 0);
}
END_TEST

START_TEST(test_the_digest_goes_on_though_the_worker_died)
{
	struct given job = begin_file(2 << 20, false);

	close(job.output);
	say_exited(zygote, job.id, SIGSEGV, 0);
	turn();
	ck_assert_uint_eq(told.n, 0);
	part_say_digested(part_asked_for_digest(), true, 0);
	turn();
	ck_assert_uint_eq(told.n, 1);
	ck_assert(told.cause == WLK_CAUSE_WORKER_CRASHED && told.final.has_digest);
	ck_assert_mem_eq(told.final.sha256, part_digest, 32);
}
END_TEST

/* Storage that fails in time must not hide that its file can crash workers. */
START_TEST(test_a_crash_is_punished_whatever_becomes_of_the_digest)
{
	struct given job = begin_file(2 << 20, false);

	close(job.output);
	say_exited(zygote, job.id, SIGSEGV, 0);
	turn();
	part_say_digested(part_asked_for_digest(), true, -EIO);
	turn();
	ck_assert_uint_eq(told.n, 1);
	ck_assert(told.cause == WLK_CAUSE_WORKER_CRASHED && !told.final.has_digest);
	ck_assert_uint_eq(part_env.tally.zygotes_retired, 1);
}
END_TEST

/* One whose storage does not answer is a worker that does not end: the scan holds its slot until both have. */
START_TEST(test_who_leaves_has_worker_and_digester_killed_and_both_are_waited_for)
{
	struct given job = begin_file(2 << 20, false);

	ck_assert_int_ge(part_asked_for_digest(), 0);
	scan_forget(scan, false);
	ck_assert(is_told_to_kill(zygote, job.id) && is_told_to_kill(zygote, part_digesters.ids[0]));
	close(job.output);
	say_exited(zygote, job.id, SIGKILL, 0);
	turn();
	ck_assert_uint_eq(queue_counts(jobs_parts(part_jobs)->queue).running, 1);
	say_exited(zygote, part_digesters.ids[0], SIGKILL, 0);
	turn();
	ck_assert_uint_eq(queue_counts(jobs_parts(part_jobs)->queue).running, 0);
	ck_assert_uint_eq(jobs_active(part_jobs), 0);
	ck_assert_uint_eq(told.n, 0);
}
END_TEST

START_TEST(test_where_no_digester_is_free_another_is_asked_for)
{
	struct channel_message m;
	int fds[CHANNEL_FDS_MAX], fd = memfd_create("x", MFD_CLOEXEC);

	(void)begin_file(8, false);
	files_received(&part_env.files, getuid(), 1);
	scan_start_fd(admit(), fd, 0, false);
	ck_assert(channel_recv(zygote, &m, fds) == 1 && m.type == CHANNEL_DIGESTER);
	say_exited(zygote, m.id, 0, -EAGAIN); /* it could not be made: soon */
	close(fds[0]);
	turn();
	while (channel_recv(zygote, &m, fds) != 1)
		event_base_loop(part_env.base, EVLOOP_ONCE);
	ck_assert(part_is_digester(&m, fds));
	turn();
	(void)take_job(zygote);
	ck_assert_uint_eq(queue_counts(jobs_parts(part_jobs)->queue).running, 2);
}
END_TEST

/* ---- whoever has a process has a slot ---- */

static struct given begin_member(uint64_t size)
{
	int fd = memfd_create("x", MFD_CLOEXEC);

	make_jobs();
	zygote = make_zygote(jobs_parts(part_jobs)->zygotes, 1);
	scan = admit_as(JOB_PART_MEMBER);
	ck_assert_int_eq(ftruncate(fd, (off_t)size), 0);
	files_received(&part_env.files, getuid(), 1);
	scan_start_fd(scan, fd, size, false);
	return take_job(zygote);
}

/* Its worker does not know what it is. */
static void put_off(struct given job, uint64_t size)
{
	const struct report_final end = { .size = size };
	struct report r;

	report_init(&r, write_to, NULL, &job.output);
	report_fact_flag(&r, WLK_FACT_PUT_OFF, true);
	ck_assert(report_end(&r, &end));
	close(job.output);
	say_exited(zygote, job.id, 0, 0);
	turn();
}

static unsigned running(void)
{
	return (unsigned)queue_counts(jobs_parts(part_jobs)->queue).running;
}

/* As if its time were over. */
static void time_passes(void)
{
	event_active(scan->timer, EV_TIMEOUT, 0);
	turn();
}

static void end_digester(size_t i)
{
	say_exited(zygote, part_digesters.ids[i], SIGKILL, 0);
	turn();
}

START_TEST(test_a_member_is_put_off_when_its_digester_has_ended)
{
	struct given job = begin_member(2 << 20);

	ck_assert_int_ge(part_asked_for_digest(), 0);
	put_off(job, 2 << 20);
	ck_assert(is_told_to_kill(zygote, part_digesters.ids[0]));
	ck_assert(told.n == 0 && running() == 1);
	end_digester(0);
	ck_assert(told.n == 1 && told.put_off);
	ck_assert_uint_eq(running(), 0);
	ck_assert_uint_eq(jobs_active(part_jobs), 0);
}
END_TEST

START_TEST(test_a_member_whose_digester_does_not_end_is_an_error_and_keeps_its_slot)
{
	struct scan *again = NULL;

	put_off(begin_member(2 << 20), 2 << 20);
	time_passes();
	time_passes();
	ck_assert(told.n == 1 && !told.put_off && told.value == VERDICT_ERROR);
	ck_assert_int_eq(told.cause, WLK_CAUSE_WORKER_TIMEOUT);
	ck_assert_uint_eq(queue_counts(jobs_parts(part_jobs)->queue).slots, 1);
	ck_assert_uint_eq(part_env.tally.slots_lost, 1);
	ck_assert_int_eq(admit_like(JOB_PART_MEMBER_AGAIN, true, &again), QUEUE_TENANT_FULL);
	end_digester(0);
	ck_assert_uint_eq(queue_counts(jobs_parts(part_jobs)->queue).slots, 2);
}
END_TEST

START_TEST(test_a_worker_that_could_not_be_made_is_tried_again_when_its_digester_has_ended)
{
	struct given job = begin_file(2 << 20, false);

	ck_assert_int_ge(part_asked_for_digest(), 0);
	close(job.output);
	say_exited(zygote, job.id, 0, -EAGAIN);
	turn();
	ck_assert(is_told_to_kill(zygote, part_digesters.ids[0]));
	ck_assert_uint_eq(running(), 1);
	end_digester(0);
	ck_assert(told.n == 0 && running() == 0);
	jobs_pump(part_jobs);
	expect_digester();
	ck_assert_uint_gt(take_job(zygote).id, job.id);
	ck_assert_uint_eq(part_env.tally.exits[TALLY_EXIT_DONE], 0);
}
END_TEST

START_TEST(test_a_worker_without_a_digest_ends_before_it_is_tried_again)
{
	int fd = memfd_create("x", MFD_CLOEXEC);
	struct given job;

	make_jobs();
	zygote = make_zygote(jobs_parts(part_jobs)->zygotes, 1);
	scan = admit();
	ck_assert_int_eq(ftruncate(fd, 2 << 20), 0);
	files_received(&part_env.files, getuid(), 1);
	close(part_digesters.at[0]); /* it dies now, and nobody has heard it */
	scan_start_fd(scan, fd, 2 << 20, false);
	job = take_job(zygote);
	ck_assert(is_told_to_kill(zygote, part_digesters.ids[0]) && is_told_to_kill(zygote, job.id));
	end_digester(0);
	ck_assert_uint_eq(running(), 1);
	close(job.output);
	say_exited(zygote, job.id, SIGKILL, 0);
	turn();
	ck_assert(told.n == 0 && running() == 0);
	ck_assert_uint_eq(part_env.tally.exits[TALLY_EXIT_KILLED] + part_env.tally.exits[TALLY_EXIT_DEADLINE], 0);
	jobs_pump(part_jobs);
	expect_digester();
	ck_assert_uint_gt(take_job(zygote).id, job.id);
}
END_TEST

/* ---- no digester to be had ---- */

START_TEST(test_one_that_dies_before_it_is_ready_is_asked_for_again)
{
	struct channel_message m;
	int fds[CHANNEL_FDS_MAX], fd = memfd_create("x", MFD_CLOEXEC);

	(void)begin_file(8, false);
	files_received(&part_env.files, getuid(), 1);
	scan = admit();
	scan_start_fd(scan, fd, 0, false);
	ck_assert(channel_recv(zygote, &m, fds) == 1 && m.type == CHANNEL_DIGESTER);
	close(fds[0]); /* its end is heard on its channel first */
	turn();
	ck_assert(is_told_to_kill(zygote, m.id));
	say_exited(zygote, m.id, SIGSYS, 0);
	turn();
	time_passes();
	expect_digester();
	(void)take_job(zygote);
}
END_TEST

START_TEST(test_who_gets_no_digester_is_refused_in_time_and_others_go_on)
{
	struct channel_message m;
	int fds[CHANNEL_FDS_MAX], fd = memfd_create("x", MFD_CLOEXEC), own = memfd_create("y", MFD_CLOEXEC);
	struct scan *other;

	(void)begin_file(8, false); /* it has the only one */
	files_received(&part_env.files, getuid(), 1);
	scan = admit();
	scan_start_fd(scan, fd, 0, false);
	for (unsigned i = 0; i <= JOBS_STARTS_MAX; i++) {
		ck_assert_uint_eq(told.n, 0);
		ck_assert(channel_recv(zygote, &m, fds) == 1 && m.type == CHANNEL_DIGESTER);
		say_exited(zygote, m.id, 0, -EAGAIN);
		turn();
		close(fds[0]);
		ck_assert_uint_eq(running(), 1);
		if (i == 0) {
			files_received(&part_env.files, getuid(), 1);
			other = admit();
			scan_start_own(other, own, 0);
			ck_assert(scan_running(other)); /* which needs none */
			close(take_job(zygote).output);
			scan_forget(other, false);
			(void)channel_recv(zygote, &m, fds);
			say_exited(zygote, m.id, SIGKILL, 0);
			turn();
		}
		time_passes();
	}
	ck_assert(told.n == 1 && !told.has_verdict && told.trouble == TROUBLE_BUSY);
	ck_assert_uint_eq(jobs_active(part_jobs), 1);
}
END_TEST

/* ---- the order to end ---- */

static void fill_channel(void)
{
	const struct channel_message ping = { .type = CHANNEL_PING };

	while (channel_send(front_channel, &ping, NULL, 0) == 0)
		;
}

/* Return: whether this one is to be killed. */
static bool is_told_at_last(uint64_t id)
{
	struct channel_message m;
	int fds[CHANNEL_FDS_MAX];

	for (int i = 0; i < 10000; i++) {
		if (channel_recv(zygote, &m, fds) != 1)
			turn();
		else if (m.type == CHANNEL_CANCEL && m.id == id)
			return true;
	}
	return false;
}

START_TEST(test_an_order_that_does_not_fit_into_the_channel_is_given_later)
{
	struct given job = begin_file(2 << 20, false);

	fill_channel();
	scan_forget(scan, false);
	ck_assert(is_told_at_last(job.id) && is_told_at_last(part_digesters.ids[0]));
}
END_TEST

START_TEST(test_nobody_is_lost_who_was_not_told_to_end)
{
	end_well(begin_file(2 << 20, false), 2 << 20);
	fill_channel();
	for (int i = 0; i < 4; i++)
		time_passes();
	ck_assert_uint_eq(part_env.tally.slots_lost, 0);
	ck_assert(is_told_at_last(part_digesters.ids[0]));
	time_passes();
	ck_assert_uint_eq(part_env.tally.slots_lost, 1);
}
END_TEST

/* ---- between a digest and the next ---- */

START_TEST(test_one_that_has_said_its_digest_gets_no_job_before_it_is_ready)
{
	int fd = memfd_create("x", MFD_CLOEXEC), channel;
	struct given job = begin_file(2 << 20, false);

	channel = part_asked_for_digest();
	part_say(channel, &(struct digester_word){ .done = true });
	turn();
	end_well(job, 2 << 20);
	ck_assert(told.n == 1 && told.has_verdict && told.final.has_digest);
	files_received(&part_env.files, getuid(), 1);
	scan = admit();
	scan_start_fd(scan, fd, 0, false);
	expect_digester(); /* another one */
	(void)take_job(zygote);
	ck_assert_int_ge(part_asked_for_digest(), 0);
	ck_assert_uint_eq(part_digesters.n, 2);
	part_say_digested(channel, false, 0);
	turn();
	files_received(&part_env.files, getuid(), 1);
	scan_start_fd(admit(), memfd_create("z", MFD_CLOEXEC), 0, false);
	(void)take_job(zygote);
	ck_assert_int_eq(part_asked_for_digest(), channel); /* now it is */
}
END_TEST

START_TEST(test_one_that_says_nothing_and_closes_its_channel_is_killed_and_waited_for)
{
	struct given job = begin_file(2 << 20, false);

	ck_assert_int_ge(part_asked_for_digest(), 0);
	close(part_digesters.at[0]);
	turn();
	ck_assert(is_told_to_kill(zygote, part_digesters.ids[0]));
	end_well(job, 2 << 20);
	ck_assert(told.n == 0 && running() == 1);
	end_digester(0);
	ck_assert(told.n == 1 && told.cause == WLK_CAUSE_INTERNAL && !told.final.has_digest);
	ck_assert_uint_eq(running(), 0);
}
END_TEST

START_TEST(test_one_that_hangs_is_killed_at_the_deadline_and_costs_its_slot_while_it_does_not_end)
{
	for (int ends = 0; ends < 2; ends++) {
		unsigned before = told.n;

		part_digesters.n = 0;
		end_well(begin_file(2 << 20, false), 2 << 20);
		ck_assert_uint_eq(told.n, before);
		time_passes();
		ck_assert(is_told_to_kill(zygote, part_digesters.ids[0]));
		ck_assert_uint_eq(told.n, before);
		if (ends)
			end_digester(0);
		else
			time_passes();
		ck_assert_uint_eq(told.n, before + 1);
		ck_assert(told.value == VERDICT_ERROR && told.cause == WLK_CAUSE_WORKER_TIMEOUT);
		ck_assert(!told.final.has_digest);
		ck_assert_uint_eq(queue_counts(jobs_parts(part_jobs)->queue).slots, ends ? 2 : 1);
		if (!ends)
			end_digester(0);
		ck_assert_uint_eq(queue_counts(jobs_parts(part_jobs)->queue).slots, 2);
		ck_assert_uint_eq(jobs_active(part_jobs), 0);
	}
}
END_TEST

/* ---- one that was taken over ---- */

/* Free in the middle of a job it would get another, and the first would be left with one that is gone. */
START_TEST(test_one_that_is_ready_in_the_middle_of_a_job_is_killed_and_gets_no_other)
{
	struct given job = begin_file(2 << 20, false);
	int channel = part_asked_for_digest();

	part_say(channel, &(struct digester_word){ .ready = true });
	turn();
	ck_assert(is_told_to_kill(zygote, part_digesters.ids[0]));
	end_well(job, 2 << 20);
	files_received(&part_env.files, getuid(), 1);
	scan_start_fd(admit(), memfd_create("z", MFD_CLOEXEC), 0, false);
	expect_digester(); /* another one */
	end_digester(0);
	ck_assert(told.n == 1 && told.cause == WLK_CAUSE_INTERNAL && !told.final.has_digest);
}
END_TEST

enum memory { NONE, SEALED, OPEN, PIPE };

static int memory_of(enum memory kind)
{
	int pair[2], fd;

	if (kind == NONE)
		return -1;
	if (kind == PIPE) {
		ck_assert_int_eq(pipe(pair), 0);
		close(pair[1]);
		return pair[0];
	}
	fd = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	ck_assert(kind == OPEN || fcntl(fd, F_ADD_SEALS, DIGESTER_SEALS) == 0);
	return fd;
}

static void say_raw(int channel, const struct digester_word *word, enum memory kind, size_t n)
{
	struct channel_message m = { .type = CHANNEL_READY, .payload_n = (uint32_t)n };
	int fd = memory_of(kind);

	memcpy(m.payload, word, sizeof(*word));
	ck_assert_int_eq(channel_send(channel, &m, &fd, fd >= 0 ? 1 : 0), 0);
	if (fd >= 0)
		close(fd);
}

START_TEST(test_a_word_that_none_would_say_ends_its_digester)
{
	static const struct {
		struct digester_word word;
		enum memory memory;
		size_t cut;
	} rows[] = { { { .done = 1, .ready = 1 }, NONE, 0 }, { { .done = 1 }, SEALED, 0 },
		{ { .done = 1, .ready = 1 }, OPEN, 0 }, { { .done = 1, .ready = 1 }, PIPE, 0 },
		{ { .done = 2, .ready = 1 }, SEALED, 0 }, { { .done = 1, .ready = 255 }, SEALED, 0 },
		{ { .done = 1, .ready = 1, .error = 1 }, SEALED, 0 }, { { 0 }, NONE, 0 },
		{ { .done = 1, .ready = 1 }, SEALED, 1 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		part_digesters.n = 0;
		(void)begin_file(2 << 20, false);
		say_raw(part_asked_for_digest(), &rows[i].word, rows[i].memory, sizeof(rows[i].word) - rows[i].cut);
		turn();
		ck_assert_msg(is_told_to_kill(zygote, part_digesters.ids[0]), "row %zu", i);
	}
}
END_TEST

HARNESS("digesters", test_of_a_descriptor_the_digest_is_its_digesters_and_the_answer_waits_for_it,
    test_a_digest_that_cannot_be_taken_ends_its_scan, test_a_digester_that_dies_takes_its_scan_along,
    test_the_digest_goes_on_though_the_worker_died, test_a_crash_is_punished_whatever_becomes_of_the_digest,
    test_who_leaves_has_worker_and_digester_killed_and_both_are_waited_for,
    test_where_no_digester_is_free_another_is_asked_for, test_a_member_is_put_off_when_its_digester_has_ended,
    test_a_member_whose_digester_does_not_end_is_an_error_and_keeps_its_slot,
    test_a_worker_that_could_not_be_made_is_tried_again_when_its_digester_has_ended,
    test_a_worker_without_a_digest_ends_before_it_is_tried_again,
    test_one_that_dies_before_it_is_ready_is_asked_for_again,
    test_who_gets_no_digester_is_refused_in_time_and_others_go_on,
    test_an_order_that_does_not_fit_into_the_channel_is_given_later, test_nobody_is_lost_who_was_not_told_to_end,
    test_one_that_has_said_its_digest_gets_no_job_before_it_is_ready,
    test_one_that_says_nothing_and_closes_its_channel_is_killed_and_waited_for,
    test_one_that_hangs_is_killed_at_the_deadline_and_costs_its_slot_while_it_does_not_end,
    test_one_that_is_ready_in_the_middle_of_a_job_is_killed_and_gets_no_other,
    test_a_word_that_none_would_say_ends_its_digester)
