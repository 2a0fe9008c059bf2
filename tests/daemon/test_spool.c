/* Bodies in the spool when buffers are short: who is woken, and who is not any more.  The writer is ours: a queue whose
 * tasks run when a test says so. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "pool.h"
#include "spool.h"

/* ---- the writer ---- */

static struct task *first_task, **tasks_end = &first_task;

int pool_new(struct event_base *base, size_t n_threads, struct pool **ret)
{
	(void)base;
	(void)n_threads;
	*ret = NULL;
	return 0;
}

void pool_post(struct pool *p, struct task *t)
{
	(void)p;
	t->next = NULL;
	*tasks_end = t;
	tasks_end = &t->next;
}

static void work(unsigned n)
{
	while (n-- > 0) {
		struct task *t = first_task;

		ck_assert_ptr_nonnull(t);
		first_task = t->next;
		if (!first_task)
			tasks_end = &first_task;
		t->run(t);
		t->done(t);
	}
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
	ck_assert_ptr_null(b->spool);
	for (size_t i = 0; i < N_OTHERS; i++)
		bodies[i].rest = NONE;
	work(N_OTHERS);
}
END_TEST

START_TEST(test_who_waits_for_a_buffer_is_woken)
{
	struct body *b = &bodies[N_OTHERS];
	unsigned woken;

	start();
	for (size_t i = 0; i < N_OTHERS; i++) {
		write_byte(&bodies[i]);
	}
	write_byte(b);
	ck_assert_uint_eq(spool_room(b->spool), 0);
	woken = b->woken;
	work(1);
	ck_assert_uint_eq(b->woken, woken + 1);
	ck_assert(spool_room(b->spool) > 0);
}
END_TEST

HARNESS("spool", test_a_body_that_ended_while_it_waited_is_not_woken_again, test_who_waits_for_a_buffer_is_woken)
