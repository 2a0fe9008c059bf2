/* Sets, with a zygote that is the test: files under way, lines, the job that judges them together, and the end. */
#include "front_parts.h"

#include "set.h"

static struct set *set;
static int zygote;
static unsigned n_news;

static void on_news(void *ctx)
{
	(void)ctx;
	n_news++;
}

static void begin(size_t n_files, bool lines)
{
	const struct set_request r = { .scan = { .policy = part_settings.default_policy,
					   .name = "s",
					   .request_id = "1",
					   .tenant = "uid:1",
					   .by_descriptor = true,
					   .peer_uid = getuid() },
		.size_max = 1 << 20,
		.lines = lines };
	struct set_request request = r;
	json_t *names = json_array();
	struct fds fds = { .at = calloc(n_files, sizeof(int)), .n = n_files, .room = n_files };

	make_jobs();
	zygote = make_zygote(jobs_parts(part_jobs)->zygotes, 1);
	request.scan.policy = part_settings.default_policy;
	ck_assert_int_eq(set_admit(part_jobs, &request, on_news, NULL, &set), QUEUE_OK);
	for (size_t i = 0; i < n_files; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%zu", i);
		json_array_append_new(names, json_string(name));
		fds.at[i] = memfd_create("x", MFD_CLOEXEC);
		ck_assert_int_eq(ftruncate(fds.at[i], 8), 0);
	}
	files_received(&part_env.files, getuid(), n_files);
	set_start(set, names, &fds);
}

/* The next job, when it comes: descriptors are looked at, and a document is sealed, by threads.  Return: its id. */
static uint64_t await_job(int *ret_output)
{
	uint8_t appendix[CHANNEL_APPENDIX_MAX];
	int fds[CHANNEL_FDS_MAX];
	struct channel_message m;

	do {
		while (channel_recv_with(zygote, &m, appendix, fds) != 1)
			event_base_loop(part_env.base, EVLOOP_ONCE);
	} while (part_is_digester(&m, fds));
	ck_assert_uint_eq(m.type, CHANNEL_JOB);
	close(fds[0]);
	*ret_output = fds[1];
	for (int d; (d = part_asked_for_digest()) >= 0;) {
		part_say_digested(d, true, 0);
		turn();
	}
	return m.id;
}

static bool is_told_to_kill(void)
{
	int fds[CHANNEL_FDS_MAX];
	struct channel_message m;

	return channel_recv(zygote, &m, fds) == 1 && m.type == CHANNEL_CANCEL;
}

/* Its worker crashes.  Zygotes are retired for that, at most one a second: this one goes on. */
static void crash_next(void)
{
	int output;
	uint64_t id = await_job(&output);

	close(output);
	say_exited(zygote, id, SIGXCPU, 0);
	turn();
}

START_TEST(test_each_file_is_a_line_and_the_set_comes_last)
{
	struct set_result r;
	struct listing *line;
	unsigned n = 0;

	begin(3, true);
	for (int i = 0; i < 3; i++) {
		ck_assert(!set_over(set, &r));
		crash_next();
		for (; (line = set_take_line(set)) != NULL; n++)
			listing_free(line);
		turn();
	}
	ck_assert_uint_eq(n, 3);
	ck_assert_uint_eq(set_held(set), 0);
	crash_next(); /* that is the one that judges them together */
	ck_assert(set_over(set, &r));
	ck_assert(r.verdict && r.value == VERDICT_ERROR);
	ck_assert_uint_gt(n_news, 0);
	listing_free(r.verdict);
	set_forget(set, false);
	turn();
	ck_assert_uint_eq(jobs_active(part_jobs), 0);
	ck_assert_uint_eq(queue_counts(jobs_parts(part_jobs)->queue).tenants, 0);
}
END_TEST

START_TEST(test_files_wait_while_their_lines_are_not_taken)
{
	int output;

	begin(16, true);
	for (unsigned i = 0; i < part_settings.config.workers + SET_AHEAD; i++)
		crash_next();
	for (int i = 0; i < 20; i++)
		turn();
	ck_assert_uint_eq(queue_counts(jobs_parts(part_jobs)->queue).running, 0);
	listing_free(set_take_line(set));
	(void)await_job(&output); /* and one more goes */
}
END_TEST

START_TEST(test_a_set_whose_asker_left_kills_its_workers_and_is_gone)
{
	int outputs[2];
	uint64_t ids[2];

	begin(4, false);
	ids[0] = await_job(&outputs[0]);
	ids[1] = await_job(&outputs[1]);
	set_forget(set, false);
	ck_assert(is_told_to_kill() && is_told_to_kill());
	for (int i = 0; i < 2; i++) {
		close(outputs[i]);
		say_exited(zygote, ids[i], 9, 0);
	}
	turn();
	while (files_held(&part_env.files) > 0)
		event_base_loop(part_env.base, EVLOOP_ONCE);
	ck_assert_uint_eq(jobs_active(part_jobs), 0);
	ck_assert_uint_eq(queue_counts(jobs_parts(part_jobs)->queue).tenants, 0);
}
END_TEST

START_TEST(test_one_that_is_to_be_finished_goes_on)
{
	int output;

	begin(1, true);
	(void)await_job(&output);
	set_forget(set, true);
	turn();
	ck_assert(!is_told_to_kill());
	ck_assert_uint_gt(jobs_active(part_jobs), 0);
}
END_TEST

HARNESS("set", test_each_file_is_a_line_and_the_set_comes_last, test_files_wait_while_their_lines_are_not_taken,
    test_a_set_whose_asker_left_kills_its_workers_and_is_gone, test_one_that_is_to_be_finished_goes_on)
