/* Zygotes that have served long: a successor is asked for once, and takes over when it is there. */
#include "front_parts.h"

#include "control.h"

static unsigned asked;
static uint64_t asked_number;
static struct zygotes *zygotes;

static void on_tell(void *ctx, uint32_t type, uint64_t id, int status)
{
	(void)ctx;
	if (type != CONTROL_WANT_ZYGOTE)
		return;
	ck_assert_int_eq(status, 0); /* nobody is to be killed */
	asked++;
	asked_number = id;
}

static void on_room(void *ctx)
{
	(void)ctx;
}

static void on_ended(void *ctx, struct zygote_job *job, int status, int error)
{
	(void)ctx;
	(void)status;
	(void)error;
	zygote_detach(job);
}

static void on_lost(void *ctx, struct zygote_job *job)
{
	(void)ctx;
	zygote_detach(job);
}

static int begin(void)
{
	const struct zygotes_owner owner = { .tell = on_tell, .room = on_room, .ended = on_ended, .lost = on_lost };
	int channel;

	make_env();
	ck_assert_int_eq(zygotes_new(&part_env, &owner, &zygotes), 0);
	channel = make_zygote(zygotes, 1);
	asked = 0;
	return channel;
}

static void give(struct zygote_job *job, int channel)
{
	struct channel_message m = { .type = CHANNEL_JOB };
	int fds[CHANNEL_FDS_MAX];

	ck_assert_int_eq(zygote_give(zygotes_current(zygotes), job, &m, NULL, NULL, 0), 0);
	ck_assert_int_eq(channel_recv(channel, &m, fds), 1);
}

static void give_and_end(unsigned n, int channel)
{
	while (n-- > 0) {
		struct zygote_job job;

		give(&job, channel);
		zygote_detach(&job);
	}
}

static bool is_closed(int channel)
{
	struct channel_message m;
	int fds[CHANNEL_FDS_MAX];

	return channel_recv(channel, &m, fds) == 0;
}

START_TEST(test_one_is_worn_by_jobs_and_by_age)
{
	ck_assert(!zygotes_are_worn(ZYGOTES_JOBS_MAX - 1, ZYGOTES_AGE_MS - 1));
	ck_assert(zygotes_are_worn(ZYGOTES_JOBS_MAX, 0));
	ck_assert(zygotes_are_worn(1, ZYGOTES_AGE_MS));
	ck_assert(!zygotes_are_worn(0, 100 * (uint64_t)ZYGOTES_AGE_MS)); /* nobody has seen anything of it */
}
END_TEST

START_TEST(test_a_successor_is_asked_for_once_and_meanwhile_there_is_no_pause)
{
	int channel = begin();

	give_and_end(ZYGOTES_JOBS_MAX - 1, channel);
	ck_assert_uint_eq(asked, 0);
	give_and_end(100, channel);
	ck_assert_uint_eq(asked, 1);
	ck_assert_uint_eq(asked_number, 1);
	ck_assert_uint_eq(zygote_number(zygotes_current(zygotes)), 1);
}
END_TEST

START_TEST(test_the_successor_takes_over_and_the_old_one_ends_with_its_last_job)
{
	int first = begin(), second;
	struct zygote_job job, late;

	give(&job, first);
	give_and_end(ZYGOTES_JOBS_MAX - 1, first);
	second = make_zygote(zygotes, 2);
	ck_assert_uint_eq(zygote_number(zygotes_current(zygotes)), 2);
	ck_assert_uint_eq(part_env.tally.zygotes_retired, 0); /* nothing was wrong with it */
	give(&late, second);
	ck_assert(!is_closed(first));
	zygote_detach(&job);
	ck_assert(is_closed(first) && !is_closed(second));
	give_and_end(ZYGOTES_JOBS_MAX - 2, second);
	ck_assert_uint_eq(asked, 1);
	give_and_end(1, second); /* and so on */
	ck_assert_uint_eq(asked, 2);
}
END_TEST

START_TEST(test_an_old_one_without_jobs_ends_at_once)
{
	int first = begin();

	give_and_end(ZYGOTES_JOBS_MAX, first);
	make_zygote(zygotes, 2);
	ck_assert(is_closed(first));
}
END_TEST

HARNESS("zygotes", test_one_is_worn_by_jobs_and_by_age,
    test_a_successor_is_asked_for_once_and_meanwhile_there_is_no_pause,
    test_the_successor_takes_over_and_the_old_one_ends_with_its_last_job, test_an_old_one_without_jobs_ends_at_once)
