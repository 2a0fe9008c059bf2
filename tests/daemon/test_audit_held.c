/* Verdicts that wait to be recorded: what they take is counted, and while it is too much no scan begins. */
#include "job_parts.h"
#include "keeper_link.h"

static struct audit *audit;
static unsigned recorded;
static int channel; /* the keeper's end */

static void on_recorded(void *ctx, bool ok)
{
	(void)ctx;
	recorded += ok;
}

/* A keeper that never reads. */
static struct keeper_link *silent_keeper(void)
{
	struct keeper_link *l;
	int ends[2];

	ck_assert_int_eq(keeper_link_new(part_env.base, &l), 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	keeper_link_connect(l, ends[0]);
	channel = ends[1];
	return l;
}

/* One of about so many bytes.  Return: NULL: refused. */
static struct audit_call *wait_with(size_t n)
{
	char *text = malloc(n);
	json_t *verdict;
	struct audit_call *c;

	memset(text, 'x', n);
	verdict = json_pack("{s:s%}", "findings", text, n);
	free(text);
	(void)audit_verdict(audit, &(struct audit_event){ .kind = "verdict", .verdict = verdict, .tenant = "t" },
	    on_recorded, NULL, &c);
	json_decref(verdict);
	return c;
}

static void begin(void)
{
	make_jobs();
	zygote = make_zygote(jobs_parts(part_jobs)->zygotes, 1);
	audit = &jobs_parts(part_jobs)->audit;
	audit->mode = CONFIG_AUDIT_REQUIRED;
	audit->settings = &part_settings;
	audit->keeper = harness_keep(silent_keeper());
}

START_TEST(test_what_waits_is_counted_until_nobody_waits)
{
	struct audit_call *calls[64];
	size_t n = 0;

	begin();
	while (!audit_is_behind(audit)) {
		ck_assert_uint_lt(n, 64);
		ck_assert_ptr_nonnull(calls[n++] = wait_with(1 << 20));
	}
	ck_assert_uint_ge(n, 16);
	audit_forget(calls[--n]);
	ck_assert(!audit_is_behind(audit));
	while (n > 0)
		audit_forget(calls[--n]);
	ck_assert_uint_eq(audit->held, 0);
}
END_TEST

START_TEST(test_what_is_answered_waits_no_longer)
{
	begin();
	ck_assert_ptr_nonnull(wait_with(1 << 20));
	ck_assert_uint_ge(audit->held, 1 << 20);
	close(channel); /* the keeper has ended */
	turn();
	ck_assert_uint_eq(audit->held, 0);
	ck_assert_uint_eq(recorded, 0);
}
END_TEST

START_TEST(test_where_nobody_waits_nothing_is_counted)
{
	begin();
	audit->mode = CONFIG_AUDIT_ON;
	ck_assert_ptr_null(wait_with(1 << 20));
	ck_assert_uint_eq(audit->held, 0);
}
END_TEST

START_TEST(test_no_scan_begins_while_too_much_waits_and_then_it_does)
{
	int fd = memfd_create("x", MFD_CLOEXEC);
	struct channel_message m;
	int fds[CHANNEL_FDS_MAX];

	begin();
	part_env.proven = part_env.kept = true;
	ck_assert(jobs_are_good(jobs_parts(part_jobs)));
	audit->held = AUDIT_HELD_MAX;
	ck_assert(!jobs_are_good(jobs_parts(part_jobs)));
	ck_assert_int_eq(ftruncate(fd, 8), 0);
	scan = admit();
	scan_start_own(scan, fd, 8);
	turn();
	ck_assert_int_ne(channel_recv(zygote, &m, fds), 1);
	audit->held = 0;
	for (unsigned i = 0; i < 100 && !scan_running(scan); i++) /* it looks again by itself, soon */
		event_base_loop(part_env.base, EVLOOP_ONCE);
	ck_assert(scan_running(scan));
}
END_TEST

HARNESS("audit_held", test_what_waits_is_counted_until_nobody_waits, test_what_is_answered_waits_no_longer,
    test_where_nobody_waits_nothing_is_counted, test_no_scan_begins_while_too_much_waits_and_then_it_does)
