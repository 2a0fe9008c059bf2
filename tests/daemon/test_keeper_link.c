/* Questions to a keeper that is the test: what goes out, whose answer is whose, and what is lost when it ends. */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness.h"
#include "keeper_link.h"

static struct event_base *base;
static struct keeper_link *keeper;
static int channel; /* the keeper's end */

static struct told {
	unsigned n;
	enum keeper_status status;
	char answer[64];
} told[4];

static void on_answer(void *ctx, enum keeper_status status, struct bytes answer)
{
	struct told *t = ctx;

	t->n++;
	t->status = status;
	bytes_copy((uint8_t *)t->answer, answer);
}

static void turn(void)
{
	for (int i = 0; i < 5; i++)
		event_base_loop(base, EVLOOP_NONBLOCK);
}

static void connect_keeper(void)
{
	int ends[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	channel = ends[1];
	keeper_link_connect(keeper, ends[0]);
}

static void begin(void)
{
	base = event_base_new();
	ck_assert_int_eq(keeper_link_new(base, &keeper), 0);
}

static struct keeper_call *ask(unsigned i, const char *text)
{
	return keeper_ask(keeper, KEEPER_AUDIT, bytes_of_text(text), on_answer, &told[i]);
}

/* The next question, as the keeper has it.  Return: its id; 0: there is none. */
static uint64_t take_question(const char *text)
{
	static struct keeper_reader in;
	struct keeper_frame f;
	size_t room;
	uint8_t *at = keeper_reader_room(&in, &room);
	ssize_t n = recv(channel, at, room, MSG_DONTWAIT);

	keeper_reader_add(&in, n > 0 ? (size_t)n : 0);
	if (keeper_reader_next(&in, &f) != KEEPER_FRAME)
		return 0;
	ck_assert(bytes_equal(f.payload, bytes_of_text(text)));
	return f.id;
}

static void answer(uint64_t id, enum keeper_status status, const char *text)
{
	const struct keeper_frame f = {
		.kind = KEEPER_AUDIT, .status = (uint16_t)status, .id = id, .payload = bytes_of_text(text)
	};
	uint8_t head[KEEPER_HEAD];

	keeper_frame_head(&f, head);
	ck_assert_int_eq(send(channel, head, sizeof(head), 0), sizeof(head));
	ck_assert_int_eq(send(channel, text, strlen(text), 0), (ssize_t)strlen(text));
	turn();
}

START_TEST(test_each_has_its_own_answer)
{
	uint64_t first;

	begin();
	connect_keeper();
	ck_assert(ask(0, "one") && ask(1, "two"));
	first = take_question("one");
	answer(first, KEEPER_OK, "yes");
	ck_assert(told[0].n == 1 && told[0].status == KEEPER_OK && strcmp(told[0].answer, "yes") == 0);
	ck_assert_uint_eq(told[1].n, 0);
	answer(take_question("two"), KEEPER_REFUSED, "");
	ck_assert(told[1].n == 1 && told[1].status == KEEPER_REFUSED);
	ck_assert_uint_eq(keeper_link_pending(keeper), 0);
}
END_TEST

START_TEST(test_an_answer_to_no_question_ends_the_channel)
{
	begin();
	connect_keeper();
	ck_assert_ptr_nonnull(ask(0, "one"));
	answer(take_question("one") + 1, KEEPER_OK, "yes");
	ck_assert(!keeper_link_is_up(keeper));
	ck_assert(told[0].n == 1 && told[0].status == KEEPER_LOST);
}
END_TEST

START_TEST(test_a_status_that_no_keeper_has_ends_the_channel)
{
	begin();
	connect_keeper();
	ck_assert_ptr_nonnull(ask(0, "one"));
	answer(take_question("one"), KEEPER_LATE, "");
	ck_assert(!keeper_link_is_up(keeper) && told[0].status == KEEPER_LOST);
}
END_TEST

START_TEST(test_what_was_sent_is_lost_with_its_keeper)
{
	begin();
	connect_keeper();
	ck_assert_ptr_nonnull(ask(0, "one"));
	close(channel);
	turn();
	ck_assert(told[0].n == 1 && told[0].status == KEEPER_LOST);
	ck_assert(!keeper_link_is_up(keeper));
}
END_TEST

START_TEST(test_what_was_not_sent_waits_for_the_next_keeper)
{
	begin();
	ck_assert_ptr_nonnull(ask(0, "one"));
	turn();
	ck_assert(told[0].n == 0 && keeper_link_pending(keeper) == 1);
	connect_keeper();
	answer(take_question("one"), KEEPER_OK, "yes");
	ck_assert(told[0].n == 1 && told[0].status == KEEPER_OK);
}
END_TEST

START_TEST(test_who_has_left_is_not_called)
{
	struct keeper_call *c;

	begin();
	connect_keeper();
	c = ask(0, "one");
	ck_assert(c && ask(1, "two"));
	keeper_forget(c);
	ck_assert_uint_eq(keeper_link_pending(keeper), 1);
	answer(take_question("one"), KEEPER_OK, "yes");
	answer(take_question("two"), KEEPER_OK, "yes");
	ck_assert(told[0].n == 0 && told[1].n == 1);
}
END_TEST

/* Who may only ask the store must not keep verdicts from being recorded. */
START_TEST(test_the_stores_questions_get_half_of_the_places)
{
	unsigned n = 0;

	begin();
	while (n <= KEEPER_CALLS_MAX && keeper_ask(keeper, KEEPER_STORE_GET, bytes_of_text("x"), on_answer, &told[0]))
		n++;
	ck_assert_uint_eq(n, KEEPER_CALLS_MAX / 2);
	ck_assert_ptr_nonnull(keeper_ask(keeper, KEEPER_EXCEPT, bytes_of_text("x"), on_answer, &told[0]));
	n++; /* nor people from taking back what they let pass */
	while (n <= KEEPER_CALLS_MAX && ask(1, "x"))
		n++;
	ck_assert_uint_eq(n, KEEPER_CALLS_MAX);
}
END_TEST

START_TEST(test_without_a_keeper_nothing_is_asked)
{
	ck_assert_ptr_null(keeper_ask(NULL, KEEPER_AUDIT, bytes_of_text("x"), on_answer, &told[0]));
	ck_assert(!keeper_link_is_up(NULL) && keeper_link_pending(NULL) == 0);
}
END_TEST

HARNESS("keeper_link", test_each_has_its_own_answer, test_an_answer_to_no_question_ends_the_channel,
    test_a_status_that_no_keeper_has_ends_the_channel, test_what_was_sent_is_lost_with_its_keeper,
    test_what_was_not_sent_waits_for_the_next_keeper, test_who_has_left_is_not_called,
    test_the_stores_questions_get_half_of_the_places, test_without_a_keeper_nothing_is_asked)
