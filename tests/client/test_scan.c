/* Whole questions, against a daemon that is the other end of a socket pair, on a clock that the test moves. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness.h"
#include "scan_impl.h"

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SIZE 12

static int64_t now;
static int theirs = -1; /* the daemon's end of the connection at hand */
static unsigned n_dialed;
static int refuse_with; /* errno */

static int64_t test_now(void)
{
	return now;
}

static int test_dial(const struct weighlock_scan *s)
{
	int pair[2];

	(void)s;
	if (refuse_with != 0)
		return -refuse_with;
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
	if (theirs >= 0)
		close(theirs);
	theirs = pair[1];
	n_dialed++;
	return pair[0];
}

static struct weighlock_scan *scan_new(void)
{
	struct weighlock_scan *s = weighlock_scan_new("/nowhere");

	s->dial = test_dial;
	s->now_ms = test_now;
	now = 1000000;
	n_dialed = 0;
	return s;
}

static int file_of(size_t size)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	ck_assert(fd >= 0 && ftruncate(fd, (off_t)size) == 0);
	return fd;
}

static struct weighlock_scan *scan_of_file(void)
{
	struct weighlock_scan *s = scan_new();

	ck_assert_int_eq(weighlock_scan_pass_fd(s, file_of(SIZE)), 0);
	ck_assert_int_eq(weighlock_scan_set_name(s, "folder/m"), 0);
	return s;
}

/* What has arrived; descriptors are counted and closed. */
static char request[1 << 16];
static size_t n_fds;

static void take_request(void)
{
	size_t n = 0;
	ssize_t got;

	n_fds = 0;
	do {
		union {
			char buf[CMSG_SPACE(253 * sizeof(int))];
			struct cmsghdr align;
		} control;
		struct iovec iov = { .iov_base = request + n, .iov_len = sizeof(request) - 1 - n };
		struct msghdr m = { .msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = control.buf,
			.msg_controllen = sizeof(control.buf) };
		struct cmsghdr *c;

		got = recvmsg(theirs, &m, MSG_CMSG_CLOEXEC);
		c = got > 0 ? CMSG_FIRSTHDR(&m) : NULL;
		for (size_t i = 0; c != NULL && CMSG_LEN((i + 1) * sizeof(int)) <= c->cmsg_len; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			close(fd);
			n_fds++;
		}
		n += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	request[n] = '\0';
}

static void answer(const char *text)
{
	take_request();
	ck_assert(send(theirs, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text));
}

static const char *plain(unsigned status, const char *headers, const char *body)
{
	static char text[4096];

	snprintf(text, sizeof(text), "HTTP/1.1 %u X\r\nContent-Type: application/%s\r\n%sContent-Length: %zu\r\n\r\n%s",
	    status, status == 200 ? "json" : "problem+json", headers, strlen(body), body);
	return text;
}

static const char *busy(unsigned status, const char *retry_after)
{
	return plain(status, retry_after, "{\"type\":\"urn:weighlock:problem:busy\",\"retry\":\"later\"}");
}

static const char *accepted(void)
{
	return plain(200, "Weighlock-Verdict: accept\r\n",
	    "{\"schema\":\"weighlock.verdict/1\",\"verdict\":\"accept\",\"complete\":true,"
	    "\"file\":{\"name\":\"m\",\"size\":12,\"sha256\":\"" DIGEST "\"}}");
}

static void end(struct weighlock_scan *s)
{
	weighlock_scan_free(s);
	if (theirs >= 0)
		close(theirs);
	theirs = -1;
	refuse_with = 0;
}

START_TEST(test_a_file_is_passed_and_accepted)
{
	struct weighlock_scan *s = scan_of_file();

	ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_PENDING);
	answer(accepted());
	ck_assert_ptr_nonnull(strstr(request, "POST /v1/scan?name=folder/m HTTP/1.1\r\n"));
	ck_assert_uint_eq(n_fds, 1);
	ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_VERDICT);
	ck_assert(weighlock_scan_accepted(s));
	end(s);
}
END_TEST

START_TEST(test_no_beginning_of_an_answer_is_a_verdict)
{
	size_t whole = strlen(accepted());

	for (size_t n = 0; n < whole; n++) {
		struct weighlock_scan *s = scan_of_file();

		ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_PENDING);
		take_request();
		ck_assert(n == 0 || send(theirs, accepted(), n, 0) == (ssize_t)n);
		ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_PENDING);
		shutdown(theirs, SHUT_WR);
		ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_FAILED);
		ck_assert_int_eq(weighlock_scan_errno(s), ECONNRESET);
		close(s->pass_fd);
		end(s);
	}
}
END_TEST

START_TEST(test_without_patience_a_refusal_is_the_outcome)
{
	struct weighlock_scan *s = scan_of_file();
	unsigned after;

	weighlock_scan_step(s);
	answer(busy(503, "Retry-After: 7\r\n"));
	ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_PROBLEM);
	ck_assert(weighlock_scan_retry(s, &after) == WEIGHLOCK_RETRY_LATER && after == 7);
	end(s);
}
END_TEST

/* Step to just before the wait is over, then over. */
static void sits_out(struct weighlock_scan *s, int64_t ms)
{
	unsigned before = n_dialed;

	ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_PENDING);
	ck_assert_int_eq(weighlock_scan_fd(s), -1);
	ck_assert_int_eq(weighlock_scan_timeout_ms(s), ms);
	now += ms - 1;
	ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_PENDING);
	ck_assert_uint_eq(n_dialed, before);
	now += 1;
	ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_PENDING);
	ck_assert_uint_eq(n_dialed, before + 1);
}

START_TEST(test_a_busy_daemon_is_asked_again_when_it_says)
{
	struct weighlock_scan *s = scan_of_file();

	ck_assert_int_eq(weighlock_scan_set_patience(s, 70000), 0);
	weighlock_scan_step(s);
	answer(busy(503, "Retry-After: 60\r\n"));
	sits_out(s, 60000);
	answer(busy(429, ""));
	sits_out(s, 1000);
	answer(accepted());
	ck_assert_uint_eq(n_fds, 1); /* it is sent anew */
	ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_VERDICT);
	ck_assert(weighlock_scan_accepted(s));
	end(s);
}
END_TEST

START_TEST(test_patience_has_an_end)
{
	static const struct {
		const char *header;
		enum weighlock_outcome outcome;
	} cases[] = { { "Retry-After: 10\r\n", WEIGHLOCK_PENDING }, { "Retry-After: 11\r\n", WEIGHLOCK_PROBLEM },
		{ "Retry-After: 3600\r\n", WEIGHLOCK_PROBLEM } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weighlock_scan *s = scan_of_file();

		weighlock_scan_set_patience(s, 15000);
		weighlock_scan_step(s);
		answer(busy(503, "Retry-After: 5\r\n"));
		sits_out(s, 5000);
		answer(busy(503, cases[i].header));
		ck_assert_int_eq(weighlock_scan_step(s), cases[i].outcome);
		end(s);
	}
}
END_TEST

START_TEST(test_only_a_refusal_for_now_is_waited_for)
{
	static const struct {
		unsigned status;
		const char *body;
	} cases[] = { { 503, "{\"type\":\"urn:weighlock:problem:busy\",\"retry\":\"never\"}" },
		{ 500, "{\"type\":\"urn:weighlock:problem:internal\",\"retry\":\"later\"}" },
		{ 507, "{\"type\":\"urn:weighlock:problem:no-space\",\"retry\":\"later\"}" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weighlock_scan *s = scan_of_file();

		weighlock_scan_set_patience(s, 15000);
		weighlock_scan_step(s);
		answer(plain(cases[i].status, "Retry-After: 1\r\n", cases[i].body));
		ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_PROBLEM);
		end(s);
	}
}
END_TEST

static ssize_t twelve_bytes(void *ctx, void *buf, size_t n)
{
	(void)n;
	memset(buf, 0, SIZE);
	(*(unsigned *)ctx)++;
	return SIZE;
}

START_TEST(test_what_was_taken_from_a_source_is_not_sent_twice)
{
	for (int invited = 0; invited <= 1; invited++) {
		struct weighlock_scan *s = scan_new();
		unsigned n_read = 0;

		weighlock_scan_upload(s, twelve_bytes, &n_read, SIZE);
		weighlock_scan_set_patience(s, 15000);
		weighlock_scan_step(s);
		if (invited) {
			answer("HTTP/1.1 100 Continue\r\n\r\n");
			weighlock_scan_step(s);
			ck_assert_uint_eq(n_read, 1);
		}
		answer(busy(503, "Retry-After: 1\r\n"));
		ck_assert_int_eq(weighlock_scan_step(s), invited ? WEIGHLOCK_PROBLEM : WEIGHLOCK_PENDING);
		end(s);
	}
}
END_TEST

START_TEST(test_the_whole_has_an_end_while_waiting)
{
	struct weighlock_scan *s = scan_of_file();

	weighlock_scan_set_timeouts(s, 1000, 5000);
	weighlock_scan_set_patience(s, 15000);
	weighlock_scan_step(s);
	answer(busy(503, "Retry-After: 9\r\n"));
	ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_PENDING);
	now += 4999; /* silence is not counted meanwhile */
	ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_PENDING);
	now += 1;
	ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_FAILED);
	ck_assert_int_eq(weighlock_scan_errno(s), ETIMEDOUT);
	end(s);
}
END_TEST

START_TEST(test_silence_has_an_end)
{
	struct weighlock_scan *s = scan_of_file();

	weighlock_scan_set_timeouts(s, 1000, 0);
	weighlock_scan_step(s);
	now += 999;
	ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_PENDING);
	now += 1;
	ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_FAILED);
	ck_assert_int_eq(weighlock_scan_errno(s), ETIMEDOUT);
	end(s);
}
END_TEST

START_TEST(test_a_full_backlog_is_tried_again_and_nobody_there_is_the_end)
{
	struct weighlock_scan *s = scan_of_file();

	refuse_with = EAGAIN;
	ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_PENDING);
	ck_assert(weighlock_scan_fd(s) == -1 && weighlock_scan_timeout_ms(s) == 20);
	refuse_with = ECONNREFUSED;
	ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_FAILED);
	ck_assert_int_eq(weighlock_scan_errno(s), ECONNREFUSED);
	end(s);
}
END_TEST

/* ---- sets ---- */

#define MEMBER(name, size)                                                                                        \
	"{\"schema\":\"weighlock.verdict/1\",\"verdict\":\"accept\",\"complete\":true,\"file\":{\"name\":\"" name \
	"\",\"size\":" #size ",\"sha256\":\"" DIGEST "\"}}\n"
#define SET(verdict, complete, members)                                                                               \
	"{\"schema\":\"weighlock.set/1\",\"verdict\":\"" verdict "\",\"complete\":" complete ",\"members\":[" members \
	"]}\n"
#define REVIEWED "{\"schema\":\"weighlock.verdict/1\",\"verdict\":\"review\",\"file\":{\"name\":\"a\",\"size\":12}}\n"
#define TWO "{\"name\":\"a\"},{\"name\":\"b\"}"

static unsigned told[2];

static int on_member(void *ctx, size_t member, enum weighlock_verdict verdict, const char *json, size_t n)
{
	(void)ctx;
	ck_assert(member < 2 && n > 0 && json[0] == '{');
	(void)verdict;
	told[member]++;
	return 0;
}

/* Of two files, a and b\ (which is shown as b\\, and that in JSON). */
static struct weighlock_scan *scan_of_set(void)
{
	struct weighlock_scan *s = scan_new();

	memset(told, 0, sizeof(told));
	ck_assert_int_eq(weighlock_scan_add_member(s, file_of(SIZE), "a"), 0);
	ck_assert_int_eq(weighlock_scan_add_member(s, file_of(3), "b\\"), 0);
	ck_assert_int_eq(weighlock_scan_set_members(s, on_member, NULL), 0);
	return s;
}

static const char *stream(const char *lines)
{
	static char text[4096];
	size_t half = strlen(lines) / 2; /* a chunk ends anywhere */

	snprintf(text, sizeof(text),
	    "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
	    "%zx\r\n%.*s\r\n%zx\r\n%s\r\n0\r\n\r\n",
	    half, (int)half, lines, strlen(lines) - half, lines + half);
	return text;
}

static enum weighlock_outcome set_ends(struct weighlock_scan *s, const char *lines)
{
	enum weighlock_outcome outcome;

	ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_PENDING);
	answer(stream(lines));
	outcome = weighlock_scan_step(s);
	ck_assert_uint_eq(n_fds, 2);
	ck_assert_ptr_nonnull(strstr(request, "\r\n\r\n{\"members\":[\"a\",\"b\\\\\"]}"));
	return outcome;
}

START_TEST(test_a_set_is_accepted_with_each_of_its_files)
{
	struct weighlock_scan *s = scan_of_set();

	ck_assert_int_eq(
	    set_ends(s, "{\"event\":\"queued\"}\n" MEMBER("b\\\\\\\\", 3) MEMBER("a", 12) SET("accept", "true", TWO)),
	    WEIGHLOCK_VERDICT);
	ck_assert(weighlock_scan_accepted(s) && told[0] == 1 && told[1] == 1);
	ck_assert_ptr_nonnull(strstr(request, "Weighlock-Source: fd; n=2\r\n"));
	end(s);
}
END_TEST

START_TEST(test_an_accept_of_a_set_with_one_thing_changed_is_none)
{
	static const char *const cases[] = {
		REVIEWED MEMBER("b\\\\\\\\", 3) SET("accept", "true", TWO), /* better than one of its files */
		MEMBER("a", 12) SET("reject", "true", TWO),                 /* one is missing, whatever the verdict */
		MEMBER("a", 12) SET("accept", "true", TWO),                 /* one is missing */
		MEMBER("a", 12) MEMBER("a", 12) SET("accept", "true", TWO), /* or comes twice */
		MEMBER("a", 12) MEMBER("b", 3) SET("accept", "true", TWO),  /* another name */
		MEMBER("a", 13) MEMBER("b\\\\\\\\", 3) SET("accept", "true", TWO),                   /* another size */
		MEMBER("a", 12) MEMBER("b\\\\\\\\", 3) SET("accept", "false", TWO),                  /* not complete */
		MEMBER("a", 12) MEMBER("b\\\\\\\\", 3) SET("accept", "true", "{\"members\":[1,2]}"), /* of one */
		MEMBER("a", 12) MEMBER("b\\\\\\\\", 3) SET("accept", "true", ""),                    /* of none */
		MEMBER("a", 12) MEMBER("b\\\\\\\\", 3) SET("accept", "true", TWO ",3"),              /* of three */
		MEMBER("a", 12) MEMBER("b\\\\\\\\", 3),                                              /* no set */
		SET("accept", "true", TWO) MEMBER("a", 12) MEMBER("b\\\\\\\\", 3),                   /* too early */
		MEMBER("a", 12) MEMBER("b\\\\\\\\", 3)
		    SET("accept", "true", TWO) "{\"event\":\"x\"}\n",                  /* not the last */
		MEMBER("a", 12) MEMBER("b\\\\\\\\", 3) SET("accept", "true", TWO) "x", /* half a line */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weighlock_scan *s = scan_of_set();

		ck_assert_msg(set_ends(s, cases[i]) == WEIGHLOCK_FAILED, "%s", cases[i]);
		end(s);
	}
}
END_TEST

START_TEST(test_what_was_said_of_a_file_holds_without_the_set)
{
	struct weighlock_scan *s = scan_of_set();

	ck_assert_int_eq(set_ends(s, MEMBER("a", 12) "{\"type\":\"urn:weighlock:problem:busy\",\"retry\":\"later\"}\n"),
	    WEIGHLOCK_PROBLEM);
	ck_assert(told[0] == 1 && told[1] == 0);
	ck_assert_str_eq(weighlock_scan_problem(s), "urn:weighlock:problem:busy");
	end(s);
}
END_TEST

START_TEST(test_a_busy_daemon_is_asked_about_the_set_again)
{
	struct weighlock_scan *s = scan_of_set();

	weighlock_scan_set_patience(s, 15000);
	ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_PENDING);
	answer(busy(503, "Retry-After: 2\r\n"));
	sits_out(s, 2000);
	answer(stream(MEMBER("a", 12) MEMBER("b\\\\\\\\", 3) SET("reject", "true", TWO)));
	ck_assert_uint_eq(n_fds, 2);
	ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_VERDICT);
	ck_assert_int_eq(weighlock_scan_verdict(s), WEIGHLOCK_REJECT);
	end(s);
}
END_TEST

/* A message carries 253 descriptors. */
START_TEST(test_all_descriptors_are_there_when_the_head_is)
{
	static const size_t counts[] = { 253, 254, 507, WEIGHLOCK_MEMBERS_MAX };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct weighlock_scan *s = scan_new();
		int fd = file_of(1);
		size_t n = 0;
		char name[24];

		for (size_t j = 0; j < counts[i]; j++) {
			snprintf(name, sizeof(name), "%zu", j);
			ck_assert_int_eq(weighlock_scan_add_member(s, fd, name), 0);
		}
		ck_assert(counts[i] < WEIGHLOCK_MEMBERS_MAX || weighlock_scan_add_member(s, fd, "more") == -E2BIG);
		while (strchr(request, '}') == NULL) {
			ck_assert_int_eq(weighlock_scan_step(s), WEIGHLOCK_PENDING);
			take_request();
			n += n_fds;
			ck_assert(n == counts[i] || strstr(request, "\r\n\r\n") == NULL);
		}
		ck_assert_uint_eq(n, counts[i]);
		request[0] = '\0';
		close(fd);
		end(s);
	}
}
END_TEST

START_TEST(test_a_set_is_not_asked_about_with_a_file)
{
	struct weighlock_scan *s = scan_of_set();

	ck_assert_int_eq(weighlock_scan_pass_fd(s, 0), -EINVAL);
	ck_assert_int_eq(weighlock_scan_upload_fd(s, 0, 1), -EINVAL);
	ck_assert_int_eq(weighlock_scan_add_member(s, 0, ""), -EINVAL);
	ck_assert_int_eq(weighlock_scan_add_member(s, 0, "a\nb"), -EINVAL);
	ck_assert_int_eq(weighlock_scan_add_member(s, -1, "c"), -EINVAL);
	end(s);
	s = scan_of_file();
	ck_assert_int_eq(weighlock_scan_add_member(s, 0, "a"), -EINVAL);
	end(s);
}
END_TEST

HARNESS("client scan", test_a_file_is_passed_and_accepted, test_no_beginning_of_an_answer_is_a_verdict,
    test_without_patience_a_refusal_is_the_outcome, test_a_busy_daemon_is_asked_again_when_it_says,
    test_patience_has_an_end, test_only_a_refusal_for_now_is_waited_for,
    test_what_was_taken_from_a_source_is_not_sent_twice, test_the_whole_has_an_end_while_waiting,
    test_silence_has_an_end, test_a_full_backlog_is_tried_again_and_nobody_there_is_the_end,
    test_a_set_is_accepted_with_each_of_its_files, test_an_accept_of_a_set_with_one_thing_changed_is_none,
    test_what_was_said_of_a_file_holds_without_the_set, test_a_busy_daemon_is_asked_about_the_set_again,
    test_all_descriptors_are_there_when_the_head_is, test_a_set_is_not_asked_about_with_a_file)
