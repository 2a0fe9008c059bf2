/* Bodies in the spool when buffers are short: who is woken, and who is not any more; and their digests.  The threads are ours:
 * a queue for the writer and one for those who hash, whose tasks run when a test says so. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "pool.h"
#include "source.h"
#include "spool.h"

/* ---- the writer ---- */

struct pool {
	struct task *first, **end;
};

/* What lies in memory has a queue of its own; of the others the first is the emptiest. */
static struct pool hasher = { .end = &hasher.first }, writer = { .end = &writer.first };

int pool_new(struct event_base *base, size_t n_threads, struct pool **ret)
{
	static unsigned n;

	(void)base;
	ck_assert_uint_eq(n_threads, 1);
	*ret = n++ == 0 ? &hasher : &writer;
	return 0;
}

size_t pool_depth(const struct pool *p)
{
	(void)p;
	return 0;
}

void pool_post(struct pool *p, struct task *t)
{
	t->next = NULL;
	*p->end = t;
	p->end = &t->next;
}

static void run_first(struct pool *p)
{
	struct task *t = p->first;

	ck_assert_ptr_nonnull(t);
	p->first = t->next;
	if (!p->first)
		p->end = &p->first;
	t->run(t);
	t->done(t);
}

static void work(unsigned n)
{
	while (n-- > 0)
		run_first(&writer);
}

void files_close(struct files *f, int fd)
{
	(void)f;
	if (fd >= 0)
		close(fd);
}

/* ---- bodies ---- */

#define N_OTHERS (SPOOL_BUFFERS - 1)

enum rest { NONE, LAST_BYTE, MORE_AND_MORE };

struct body {
	struct spool *spool; /* NULL: given away, as to a scan: */
	struct spool *given;
	unsigned woken;
	enum rest rest; /* is here, and is written at the next chance */
};

static struct body bodies[N_OTHERS + 1];
static char block[SPOOL_BUFFER];

static void write_byte(struct body *b)
{
	ck_assert(spool_room(b->spool) > 0);
	spool_write(b->spool, block, 1);
}

static void on_wake(void *ctx)
{
	struct body *b = ctx;

	b->woken++;
	ck_assert_msg(b->spool != NULL, "woken although its body is somebody else's");
	if (spool_fd(b->spool) >= 0) {
		b->given = b->spool;
		b->spool = NULL;
		return;
	}
	if (b->rest == NONE || spool_room(b->spool) == 0)
		return;
	spool_write(b->spool, block, 1);
	if (b->rest == LAST_BYTE)
		spool_finish(b->spool);
	else
		(void)spool_room(b->spool); /* and waits for the next */
}

static void start(void)
{
	const struct config c = { .spool_bytes = UINT64_C(1) << 30, .spool_bytes_per_tenant = UINT64_C(1) << 30 };
	const struct payer p = payer_of(1, "uid:1");
	struct spool_store *st;
	int dir = open("/tmp", O_RDONLY | O_DIRECTORY);

	ck_assert_int_ge(dir, 0);
	ck_assert_int_eq(spool_store_new(NULL, &c, tenants_new(&c), dir, NULL, &st), 0);
	for (size_t i = 0; i <= N_OTHERS; i++)
		ck_assert_int_eq(spool_new(st, &p, SPOOL_UNKNOWN, on_wake, &bodies[i], &bodies[i].spool), 0);
	work(N_OTHERS + 1);
}

START_TEST(test_a_body_that_ended_while_it_waited_is_not_woken_again)
{
	struct body *b = &bodies[N_OTHERS];

	start();
	for (size_t i = 0; i <= N_OTHERS; i++) {
		write_byte(&bodies[i]);
		bodies[i].rest = i < N_OTHERS ? MORE_AND_MORE : NONE;
	}
	for (size_t i = 0; i <= N_OTHERS; i++)
		ck_assert_uint_eq(spool_room(bodies[i].spool), 0); /* all wait, ours last */
	work(N_OTHERS);
	b->rest = LAST_BYTE;
	work(1); /* its buffer comes back, it takes it again, and that was the last of it */
	work(N_OTHERS);
	ck_assert_ptr_nonnull(b->spool);
	work(1);
	ck_assert_ptr_nonnull(b->spool);
	work(1); /* its digest */
	ck_assert_ptr_null(b->spool);
	for (size_t i = 0; i < N_OTHERS; i++)
		bodies[i].rest = NONE;
	work(N_OTHERS);
}
END_TEST

START_TEST(test_who_waits_for_a_buffer_is_woken)
{
	struct body *b = &bodies[N_OTHERS];
	unsigned before;

	start();
	for (size_t i = 0; i < N_OTHERS; i++) {
		write_byte(&bodies[i]);
	}
	write_byte(b);
	ck_assert_uint_eq(spool_room(b->spool), 0);
	before = b->woken;
	work(1);
	ck_assert_uint_eq(b->woken, before + 1);
	ck_assert(spool_room(b->spool) > 0);
}
END_TEST

/* ---- digests ---- */

static unsigned woken;

static void count_wake(void *ctx)
{
	(void)ctx;
	woken++;
}

/* A body in a store that keeps so much of one in memory. */
static struct spool *begin(uint64_t memory_each, uint64_t length)
{
	const struct config c = { .spool_bytes = UINT64_C(1) << 30,
		.spool_bytes_per_tenant = UINT64_C(1) << 30,
		.memfd_max = memory_each,
		.memfd_bytes = UINT64_C(1) << 30 };
	const struct payer p = payer_of(1, "uid:1");
	static struct spool_store *st; /* one a process, and never freed */
	struct spool *s;
	int dir = open("/tmp", O_RDONLY | O_DIRECTORY);

	ck_assert_int_eq(spool_store_new(NULL, &c, tenants_new(&c), dir, NULL, &st), 0);
	ck_assert_int_eq(spool_new(st, &p, length, count_wake, NULL, &s), 0);
	return s;
}

static void expect_digest(const struct spool *s, const void *at, size_t n)
{
	struct sha256 state;
	uint8_t expected[32];

	sha256_begin(&state);
	sha256_feed(&state, at, n);
	sha256_end(&state, expected);
	ck_assert_ptr_nonnull(spool_digest(s));
	ck_assert_mem_eq(spool_digest(s), expected, 32);
}

START_TEST(test_a_body_in_memory_can_be_read_before_its_digest_is_there)
{
	struct spool *s = begin(1000, 6);

	spool_write(s, "abc", 3);
	spool_write(s, "def", 3);
	spool_finish(s);
	ck_assert(spool_fd(s) >= 0 && spool_digest(s) == NULL);
	ck_assert_uint_eq(woken, 0);
	run_first(&hasher);
	ck_assert_uint_eq(woken, 1);
	expect_digest(s, "abcdef", 6);
	spool_free(s);
}
END_TEST

START_TEST(test_a_body_that_is_let_go_before_its_digest_is_there_wakes_nobody)
{
	struct spool *s = begin(1000, 3);

	spool_write(s, "abc", 3);
	spool_finish(s);
	spool_free(s);
	run_first(&hasher);
	ck_assert_uint_eq(woken, 0);
}
END_TEST

START_TEST(test_a_file_is_finished_when_all_of_it_is_written_and_hashed)
{
	struct spool *s = begin(0, SPOOL_BUFFER + 1);

	work(1); /* opens it */
	memset(block, 'x', sizeof(block));
	spool_write(s, block, sizeof(block));
	spool_write(s, "y", 1);
	spool_finish(s);
	work(2);
	ck_assert(spool_fd(s) < 0 && spool_digest(s) == NULL);
	work(1); /* the end is a task of its own */
	ck_assert(spool_fd(s) >= 0 && spool_digest(s) != NULL);
	spool_free(s);
}
END_TEST

START_TEST(test_the_digest_of_a_file_is_that_of_all_its_bytes_in_their_order)
{
	static char all[2 * SPOOL_BUFFER];
	struct spool *s = begin(0, sizeof(all));

	memset(all, 'a', SPOOL_BUFFER);
	memset(all + SPOOL_BUFFER, 'b', SPOOL_BUFFER);
	work(1);
	spool_write(s, all, SPOOL_BUFFER);
	spool_write(s, all + SPOOL_BUFFER, SPOOL_BUFFER);
	spool_finish(s);
	work(3);
	ck_assert(spool_fd(s) >= 0);
	expect_digest(s, all, sizeof(all));
	spool_free(s);
}
END_TEST

START_TEST(test_a_body_that_has_all_its_buffers_is_woken_when_most_are_back)
{
	struct spool *s = begin(0, 100 * SPOOL_BUFFER);
	const unsigned left = SPOOL_BUFFERS_EACH / 4;

	work(1);
	for (unsigned i = 0; i < SPOOL_BUFFERS_EACH; i++) {
		ck_assert(spool_room(s) > 0);
		spool_write(s, block, sizeof(block));
	}
	ck_assert_uint_eq(spool_room(s), 0);
	woken = 0;
	work(SPOOL_BUFFERS_EACH - left - 1);
	ck_assert(woken == 0 && spool_room(s) == 0);
	work(1);
	ck_assert(woken == 1 && spool_room(s) > 0);
	work(left);
	spool_free(s);
}
END_TEST

START_TEST(test_a_body_that_outgrows_memory_is_hashed_from_its_beginning)
{
	struct spool *s = begin(4, SPOOL_UNKNOWN);

	spool_write(s, "abcdef", 6);
	work(1); /* into a file */
	spool_write(s, "ghi", 3);
	spool_finish(s);
	work(2);
	ck_assert(spool_fd(s) >= 0);
	expect_digest(s, "abcdefghi", 9);
	spool_free(s);
}
END_TEST

HARNESS("spool", test_a_body_that_ended_while_it_waited_is_not_woken_again, test_who_waits_for_a_buffer_is_woken,
    test_a_body_in_memory_can_be_read_before_its_digest_is_there,
    test_a_body_that_is_let_go_before_its_digest_is_there_wakes_nobody,
    test_a_file_is_finished_when_all_of_it_is_written_and_hashed,
    test_the_digest_of_a_file_is_that_of_all_its_bytes_in_their_order,
    test_a_body_that_has_all_its_buffers_is_woken_when_most_are_back,
    test_a_body_that_outgrows_memory_is_hashed_from_its_beginning)
