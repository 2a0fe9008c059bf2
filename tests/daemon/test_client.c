/* The base of all clients, with a protocol of three words: a line is answered with itself, "later" when the test says so,
 * and "bye" ends.  What is asked: that requests which came together are answered in one turn and in order, that answers are
 * bounded, and that a client ends once, by client_settle(). */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client.h"
#include "clock.h"
#include "front_parts.h"

struct toy {
	struct client io;
	char line[256];
	size_t n;
	bool held; /* a "later" waits for toy_answer() */
	bool bye, unread;
	unsigned works;
};

static struct clients all;
static unsigned n_dropped, n_places, n_idle;
static struct toy *last; /* who came last */

static void toy_begin(struct client *c)
{
	last = (struct toy *)c;
}

static void toy_refuse(struct client *c, enum client_refusal why)
{
	struct toy *t = (struct toy *)c;

	client_put(c, why == CLIENT_STRANGER ? "stranger\n" : "no\n", why == CLIENT_STRANGER ? 9 : 3);
	t->bye = t->unread = true;
}

static void toy_read(struct client *c)
{
	struct toy *t = (struct toy *)c;
	ssize_t n = client_receive(c, t->line + t->n, sizeof(t->line) - t->n);

	if (n > 0)
		t->n += (size_t)n;
	else if (!client_is_transient(n))
		client_end(c);
}

static void toy_line(struct toy *t, size_t n)
{
	if (n == 6 && memcmp(t->line, "later\n", 6) == 0)
		t->held = true;
	else if (n == 4 && memcmp(t->line, "bye\n", 4) == 0)
		t->bye = true;
	else
		client_put(&t->io, t->line, n);
	client_asked(&t->io);
	t->n -= n;
	memmove(t->line, t->line + n, t->n);
	client_renew(&t->io);
}

static bool toy_work(struct client *c)
{
	struct toy *t = (struct toy *)c;
	const char *end = memchr(t->line, '\n', t->n);

	t->works++;
	if (evbuffer_get_length(c->out) > 0)
		return true;
	if (t->bye) {
		client_finish(c, t->unread);
		return false;
	}
	if (t->held || !end)
		return false;
	toy_line(t, (size_t)(end - t->line) + 1);
	return true;
}

static bool toy_wants_to_read(const struct client *c)
{
	return !((const struct toy *)c)->held;
}

static bool toy_has_more(const struct client *c)
{
	(void)c;
	return false;
}

static bool toy_is_idle(const struct client *c)
{
	return !((const struct toy *)c)->held;
}

static enum client_wait toy_awaits(const struct client *c)
{
	const struct toy *t = (const struct toy *)c;

	return evbuffer_get_length(c->out) > 0 ? CLIENT_WAIT_REPLY : t->held ? CLIENT_WAIT_NOTHING : CLIENT_WAIT_IDLE;
}

static void toy_late(struct client *c, enum client_wait w)
{
	(void)w;
	client_end(c);
}

static void toy_drain(struct client *c)
{
	((struct toy *)c)->bye = true;
}

static size_t toy_held(const struct client *c)
{
	(void)c;
	return 0;
}

static void toy_drop(struct client *c)
{
	if (((const struct toy *)c)->held)
		client_left(c);
	n_dropped++;
}

static const struct client_kind toy = { .size = sizeof(struct toy),
	.begin = toy_begin,
	.refuse = toy_refuse,
	.read = toy_read,
	.work = toy_work,
	.wants_to_read = toy_wants_to_read,
	.has_more = toy_has_more,
	.is_idle = toy_is_idle,
	.awaits = toy_awaits,
	.late = toy_late,
	.drain = toy_drain,
	.held = toy_held,
	.drop = toy_drop };

static void on_place(void *ctx, bool idle)
{
	(void)ctx;
	n_places += !idle;
	n_idle += idle;
}

static void begin(void)
{
	make_jobs();
	all = (struct clients){ .env = &part_env, .jobs = part_jobs, .place = on_place };
}

/* Return: the other end. */
static int come_in(void)
{
	int ends[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
	client_new(&all, &toy, NULL, ends[0]);
	return ends[1];
}

static void say(int fd, const char *text)
{
	ck_assert_int_eq(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
	turn();
}

static const char *hear(int fd)
{
	static char buf[1024];
	ssize_t n = recv(fd, buf, sizeof(buf) - 1, MSG_DONTWAIT);

	buf[n > 0 ? n : 0] = '\0';
	return buf;
}

static bool has_end(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
}

START_TEST(test_requests_that_came_together_are_answered_in_order)
{
	int fd;

	begin();
	fd = come_in();
	say(fd, "one\ntwo\nlater\nfour\nfi");
	ck_assert_str_eq(hear(fd), "one\ntwo\n");
	last->held = false;
	client_put(&last->io, "three\n", 6);
	client_settle(&last->io);
	ck_assert_str_eq(hear(fd), "three\nfour\n");
	say(fd, "ve\n");
	ck_assert_str_eq(hear(fd), "five\n");
	ck_assert_uint_eq(n_dropped, 0);
}
END_TEST

/* A recursion would need a stack for each. */
START_TEST(test_a_great_many_at_once_are_turns_of_a_loop)
{
	char lines[201];
	int fd;

	begin();
	fd = come_in();
	for (size_t i = 0; i < 200; i += 2)
		memcpy(lines + i, "x\n", 2);
	lines[200] = '\0';
	say(fd, lines);
	ck_assert_str_eq(hear(fd), lines);
	ck_assert_uint_ge(last->works, 100);
}
END_TEST

START_TEST(test_one_that_leaves_ends_once_and_gives_its_place_back)
{
	int fd;

	begin();
	fd = come_in();
	say(fd, "later\n"); /* nothing is read: its disappearance is seen all the same */
	ck_assert_uint_eq(all.n, 1);
	close(fd);
	turn();
	ck_assert_uint_eq(all.n, 0);
	ck_assert_ptr_null(all.first);
	ck_assert(n_dropped == 1 && n_places == 1);
}
END_TEST

START_TEST(test_one_that_only_ends_its_sending_has_its_answer)
{
	int fd;

	begin();
	fd = come_in();
	say(fd, "later\n");
	shutdown(fd, SHUT_WR);
	turn();
	ck_assert_uint_eq(all.n, 1);
	last->held = false;
	client_put(&last->io, "three\n", 6);
	client_settle(&last->io);
	ck_assert_str_eq(hear(fd), "three\n");
}
END_TEST

START_TEST(test_bye_ends_it_when_all_is_written)
{
	int fd;

	begin();
	fd = come_in();
	say(fd, "one\nbye\n");
	ck_assert_str_eq(hear(fd), "one\n");
	ck_assert(has_end(fd));
	ck_assert_uint_eq(all.n, 0);
}
END_TEST

START_TEST(test_who_still_sends_is_listened_to_before_the_end)
{
	int fd;

	begin();
	fd = come_in();
	last->unread = true;
	say(fd, "bye\n");
	ck_assert(has_end(fd));
	ck_assert_uint_eq(all.n, 1);
	say(fd, "and more, which nobody wants\n");
	ck_assert_uint_eq(all.n, 1);
	close(fd);
	turn();
	ck_assert_uint_eq(all.n, 0);
}
END_TEST

START_TEST(test_no_more_of_one_user_than_may_be)
{
	int first, second;

	begin();
	part_settings.config.max_connections_per_uid = 1;
	first = come_in();
	second = come_in();
	turn();
	ck_assert_str_eq(hear(second), "no\n");
	ck_assert(all.n_refused == 1 && part_env.tally.refused_peers == 1);
	say(first, "one\n");
	ck_assert_str_eq(hear(first), "one\n");
	close(second);
	turn();
	ck_assert(all.n == 1 && all.n_refused == 0);
}
END_TEST

/* The C library's, which may be stopped: what is forgotten with time is not forgotten on a machine that is slow. */
static bool stopped;

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	static struct timespec last;

	if (!stopped && syscall(SYS_clock_gettime, clock, &last) < 0)
		return -1;
	*ret = last;
	return 0;
}

START_TEST(test_who_connects_and_asks_for_nothing_is_not_let_in_any_more)
{
	begin();
	(void)clock_now_ms();
	stopped = true;
	part_settings.config.max_connections_per_uid = 1;
	for (unsigned i = 0; i < 200; i++) {
		int fd = come_in();

		say(fd, "one\n");
		ck_assert_str_eq(hear(fd), "one\n");
		close(fd);
		turn();
	}
	ck_assert_uint_eq(part_env.tally.refused_peers, 0);
	for (unsigned i = 0; i < ADMISSION_KNOCKS_MIN; i++) {
		close(come_in());
		turn();
	}
	ck_assert_uint_eq(n_dropped, 200 + ADMISSION_KNOCKS_MIN);
	for (unsigned i = 0; i < 8; i++)
		ck_assert(has_end(come_in())); /* without a word, and without a client */
	ck_assert(all.n == 0 && n_dropped == 200 + ADMISSION_KNOCKS_MIN);
	ck_assert_uint_eq(part_env.tally.refused_peers, 8);
	ck_assert_uint_eq(all.refusals[CLIENT_SILENT].unsaid, 7); /* and one line */
}
END_TEST

/* Of 16 places one is for users who have none. */
START_TEST(test_who_has_many_pays_for_the_last_places_with_one_that_is_idle)
{
	int idle, busy, late;

	begin();
	part_settings.config.max_connections = 16;
	part_settings.config.max_connections_per_uid = 16;
	idle = come_in();
	for (unsigned i = 0; i < 14; i++)
		say(come_in(), "later\n");
	busy = come_in();
	ck_assert(has_end(idle) && !has_end(busy));
	say(busy, "later\n");
	late = come_in();
	turn();
	ck_assert_str_eq(hear(late), "no\n");
	ck_assert_uint_eq(all.n, 16); /* which it has only to be told */
}
END_TEST

START_TEST(test_a_stranger_is_told_so)
{
	int fd;

	begin();
	part_settings.own_uid = getuid() + 1;
	if (getuid() == 0)
		return; /* root is nowhere a stranger */
	fd = come_in();
	turn();
	ck_assert_str_eq(hear(fd), "stranger\n");
}
END_TEST

START_TEST(test_room_is_made_by_who_is_idle_and_came_first)
{
	int busy, first, sends, later;

	begin();
	busy = come_in();
	say(busy, "later\n");
	first = come_in();
	sends = come_in();
	later = come_in();
	turn();
	ck_assert_int_eq(send(sends, "x", 1, 0), 1); /* on its way, and not read yet */
	ck_assert(clients_make_room(&all));
	ck_assert(has_end(first) && !has_end(later) && !has_end(busy));
	ck_assert(clients_make_room(&all));
	ck_assert(has_end(later) && !has_end(sends));
	ck_assert(!clients_make_room(&all));
	ck_assert_uint_eq(all.n, 2);
}
END_TEST

START_TEST(test_a_drain_ends_all_who_have_been_answered)
{
	int idle, busy;

	begin();
	idle = come_in();
	busy = come_in();
	say(busy, "later\n");
	clients_drain(&all);
	ck_assert(has_end(idle));
	ck_assert(has_end(busy));
	ck_assert_uint_eq(all.n, 0);
}
END_TEST

/* The kernel takes some 200 KiB, and nobody reads. */
START_TEST(test_answers_that_nobody_takes_are_counted_and_bounded)
{
	static char much[CLIENT_UNSENT_EACH_MAX];
	int fd;

	begin();
	fd = come_in();
	say(fd, "later\n");
	ck_assert(client_may_answer(&last->io, sizeof(much)));
	client_put(&last->io, much, sizeof(much));
	client_settle(&last->io);
	ck_assert(all.unsent > 0 && all.unsent < sizeof(much));
	ck_assert(!client_may_answer(&last->io, sizeof(much)));
	ck_assert(client_may_answer(&last->io, sizeof(much) - all.unsent));
	close(fd);
	turn();
	ck_assert(all.n == 0 && all.unsent == 0);
}
END_TEST

START_TEST(test_who_leaves_what_he_asked_for_has_asked_for_nothing)
{
	unsigned n = 0;
	int fd;

	begin();
	while (n < 1000) {
		fd = come_in();
		if (has_end(fd))
			break;
		say(fd, "later\n");
		n++;
		close(fd);
		turn();
	}
	ck_assert_uint_ge(n, part_settings.config.max_connections_per_uid);
	ck_assert_uint_lt(n, 1000);
	close(fd);
}
END_TEST

START_TEST(test_who_has_his_answer_may_come_again_and_again)
{
	begin();
	for (unsigned i = 0; i < 1000; i++) {
		int fd = come_in();

		say(fd, "one\n");
		ck_assert_str_eq(hear(fd), "one\n");
		close(fd);
		turn();
	}
}
END_TEST

HARNESS("client", test_requests_that_came_together_are_answered_in_order, test_a_great_many_at_once_are_turns_of_a_loop,
    test_one_that_leaves_ends_once_and_gives_its_place_back, test_one_that_only_ends_its_sending_has_its_answer,
    test_bye_ends_it_when_all_is_written, test_who_still_sends_is_listened_to_before_the_end,
    test_no_more_of_one_user_than_may_be, test_who_connects_and_asks_for_nothing_is_not_let_in_any_more,
    test_who_has_many_pays_for_the_last_places_with_one_that_is_idle, test_a_stranger_is_told_so,
    test_room_is_made_by_who_is_idle_and_came_first, test_a_drain_ends_all_who_have_been_answered,
    test_answers_that_nobody_takes_are_counted_and_bounded, test_who_leaves_what_he_asked_for_has_asked_for_nothing,
    test_who_has_his_answer_may_come_again_and_again)
