/* The way from a question to an answer in steps that never wait.  Every way to stop early is a WEIGHLOCK_FAILED; only
 * wlc_judge() knows another end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "scan_impl.h"

#define RETRY_MS 20     /* until a full backlog, a source that has nothing, or a crowd of descriptors is tried again */
#define FDS_MAX 253u    /* SCM_MAX_FD: descriptors in a message */
#define STEP_BLOCKS 16u /* messages a step sends or takes at most: others want their turn, too */
#define TOTAL_MS ((int64_t)3600 * 1000)
#define SILENCE_STREAM_MS ((int64_t)60 * 1000)
#define SILENCE_PLAIN_MS ((int64_t)120 * 1000)
#define SCAN_BYTES_PER_MS 20000u /* the pace the daemon gives a scan */

int64_t scan_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- the end ---- */

static void hang_up(struct weighlock_scan *s)
{
	if (s->fd >= 0)
		(void)close(s->fd);
	s->fd = -1;
	s->phase = PHASE_OVER;
}

static void fail(struct weighlock_scan *s, int error, const char *detail)
{
	wlc_fail(&s->result, error, detail);
	hang_up(s);
}

/* A daemon that is busy says when to come again.  What was taken from a source cannot be sent twice. */
static bool may_ask_again(const struct weighlock_scan *s)
{
	return s->result.outcome == WEIGHLOCK_PROBLEM && s->result.retry == WEIGHLOCK_RETRY_LATER &&
	       (s->reply.status == 429 || s->reply.status == 503) && s->sent == 0 && !s->source_over &&
	       (int64_t)s->result.retry_after_s * 1000 <= s->patience_ms - s->waited_ms;
}

static void wait_for_room(struct weighlock_scan *s)
{
	int64_t wait_ms = (int64_t)s->result.retry_after_s * 1000;

	s->waited_ms += wait_ms;
	s->wake_ms = s->now_ms() + wait_ms;
	s->result = (struct wlc_result){ .detail = "" };
	s->phase = PHASE_WAIT;
}

static void answered(struct weighlock_scan *s)
{
	const struct wlc_expect e = { .set = scan_is_set(s) ? &s->set : NULL,
		.streamed = scan_streams(s),
		.sent_whole = s->sent_whole,
		.size = scan_passes(s) ? s->length : s->sent,
		.sha256 = s->sha256 };

	if (s->reply.is_stream)
		wlc_judge(&s->reply, s->reply.body_n == 0 ? s->last : NULL, s->last_n, &e, &s->result);
	else
		wlc_judge(&s->reply, s->reply.body, s->reply.body_n, &e, &s->result);
	hang_up(s);
	if (may_ask_again(s))
		wait_for_room(s);
}

/* ---- taking ---- */

/* A line of a stream, which the daemon may send whether or not one was asked for.  Behind the one that is not about
 * progress nothing may come. */
static bool on_line(void *ctx, const char *at, size_t n)
{
	struct weighlock_scan *s = ctx;
	struct wlc_members m;

	if (!scan_streams(s) || s->last != NULL || !wlc_members_read(at, n, &m))
		return false;
	if (scan_is_set(s) && wlc_text_is(m.schema, "weighlock.verdict/1"))
		return scan_set_line(s, &m, at, n);
	if (m.event.at != NULL && m.verdict.at == NULL && m.type.at == NULL) {
		s->line_refused = s->line != NULL && s->line(s->line_ctx, at, n) != 0;
		return !s->line_refused;
	}
	s->last = malloc(n + 1);
	if (s->last == NULL)
		return false;
	memcpy(s->last, at, n);
	s->last[n] = '\0';
	s->last_n = n;
	return true;
}

static void taken(struct weighlock_scan *s, const char *at, size_t n)
{
	switch (wlc_reply_feed(&s->reply, at, n)) {
	case WLC_REPLY_WHOLE: answered(s); break;
	case WLC_REPLY_BROKEN:
		if (s->line_refused)
			fail(s, ECANCELED, "given up by the caller");
		else
			fail(s, s->reply.error, s->reply.why);
		break;
	default: break;
	}
}

/* Return: something came. */
static bool receive(struct weighlock_scan *s)
{
	char buf[16384];
	ssize_t n = recv(s->fd, buf, sizeof(buf), MSG_DONTWAIT);

	if (n > 0)
		taken(s, buf, (size_t)n);
	else if (n == 0 || errno == ECONNRESET)
		fail(s, ECONNRESET, "the connection ended before the answer did");
	else if (errno != EAGAIN && errno != EINTR)
		fail(s, errno, "the answer could not be read");
	return n > 0;
}

/* ---- sending ---- */

static size_t n_to_pass(const struct weighlock_scan *s)
{
	return scan_is_set(s) ? s->set.n : scan_passes(s);
}

static int fd_to_pass(const struct weighlock_scan *s, size_t i)
{
	return scan_is_set(s) ? s->members[i].fd : s->pass_fd;
}

/* The daemon takes nothing that it could write to: what is open for writing and not sealed goes as another descriptor of the same
 * file, open for reading.  Return: it, to be closed; @fd itself where there is none to be had, which the daemon may refuse. */
static int for_reading(int fd)
{
	const int wanted = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK;
	int flags = fcntl(fd, F_GETFL), seals, again;
	char path[32];

	if (flags < 0 || (flags & O_ACCMODE) != O_RDWR)
		return fd;
	seals = fcntl(fd, F_GET_SEALS);
	if (seals >= 0 && (seals & wanted) == wanted)
		return fd;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return again >= 0 ? again : fd;
}

/* The descriptors that go with the next bytes.  All must be there when the head is: those that do not fit go before, with a
 * byte of the head each time. */
static size_t fds_next(const struct weighlock_scan *s, int fds[FDS_MAX])
{
	size_t n = 0;

	for (size_t i = s->n_passed; i < n_to_pass(s) && n < FDS_MAX; i++)
		fds[n++] = for_reading(fd_to_pass(s, i));
	return n;
}

static void close_others(const struct weighlock_scan *s, const int *fds, size_t n)
{
	int error = errno;

	for (size_t i = 0; i < n; i++)
		if (fds[i] != fd_to_pass(s, s->n_passed + i))
			(void)close(fds[i]);
	errno = error;
}

static ssize_t send_some(struct weighlock_scan *s)
{
	union {
		char buf[CMSG_SPACE(FDS_MAX * sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { .iov_base = s->out + s->out_at, .iov_len = s->out_n - s->out_at };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	int fds[FDS_MAX];
	size_t n_fds = fds_next(s, fds);
	struct cmsghdr *c;
	ssize_t n;

	if (n_fds > 0) {
		m.msg_control = control.buf;
		m.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
	}
	if (s->n_passed + n_fds < n_to_pass(s))
		iov.iov_len = 1;
	n = sendmsg(s->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
	close_others(s, fds, n_fds);
	s->n_passed += n > 0 ? n_fds : 0;
	return n;
}

/* The daemon has hung up on us; what it said before is worth reading. */
static void stop_sending(struct weighlock_scan *s)
{
	s->out_at = s->out_n = 0;
	s->phase = PHASE_ANSWER;
}

static void message_sent(struct weighlock_scan *s)
{
	if (s->phase == PHASE_HEAD) {
		s->sent_whole = !scan_has_body(s);
		s->phase = scan_has_body(s) ? PHASE_INVITED : PHASE_ANSWER;
	} else if (s->source_over) {
		s->sent_whole = true;
		s->phase = PHASE_ANSWER;
	}
}

/* Return: something went. */
static bool transmit(struct weighlock_scan *s)
{
	ssize_t n = s->out_n > s->out_at ? send_some(s) : 0;

	s->crowded = n < 0 && errno == ETOOMANYREFS;
	if (n < 0 && (errno == EPIPE || errno == ECONNRESET))
		stop_sending(s);
	else if (n < 0 && errno != EAGAIN && errno != EINTR && !s->crowded)
		fail(s, errno, "the request could not be sent");
	if (n < 0)
		return false;
	s->out_at += (size_t)n;
	if (s->out_at == s->out_n)
		message_sent(s);
	return true;
}

static void fill(struct weighlock_scan *s)
{
	int r = scan_fill(s);

	s->starved = r == -EAGAIN;
	if (r == -EIO)
		fail(s, EIO, "the file is not as long as was said, or cannot be read");
	else if (r < 0 && r != -EAGAIN)
		fail(s, -r, "the file could not be read");
}

/* Return: something went. */
static bool send_body(struct weighlock_scan *s)
{
	if (s->out_at == s->out_n && !s->source_over)
		fill(s);
	return s->phase == PHASE_BODY && !s->starved && transmit(s);
}

/* ---- the start ---- */

static int64_t silence_default(const struct weighlock_scan *s)
{
	uint64_t length = s->length != WEIGHLOCK_LENGTH_UNKNOWN ? s->length : s->sent;

	return scan_streams(s) ? SILENCE_STREAM_MS : SILENCE_PLAIN_MS + (int64_t)(length / SCAN_BYTES_PER_MS);
}

/* What is passed must be what the daemon takes, so that its size is known here, too. */
static int look_at(int fd, uint64_t *ret_size)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return errno;
	*ret_size = (uint64_t)st.st_size;
	return S_ISREG(st.st_mode) ? 0 : EINVAL;
}

static int look_at_files(struct weighlock_scan *s)
{
	int r = 0;

	if (!scan_passes(s))
		return s->source != NULL || s->upload_fd >= 0 ? 0 : EINVAL;
	for (size_t i = 0; i < s->set.n && r == 0; i++)
		r = look_at(s->members[i].fd, &s->members[i].size);
	return scan_is_set(s) ? r : look_at(s->pass_fd, &s->length);
}

/* From the beginning; nothing of the file has been taken. */
static void ask(struct weighlock_scan *s)
{
	s->moved_ms = s->now_ms();
	s->phase = PHASE_CONNECT;
	s->n_passed = 0;
	s->sent_whole = s->crowded = false;
	wlc_reply_done(&s->reply);
	wlc_reply_init(&s->reply, scan_is_set(s) ? WEIGHLOCK_SET_ANSWER_MAX : WEIGHLOCK_ANSWER_MAX);
	s->reply.line = on_line;
	s->reply.ctx = s;
	s->reply.may_continue = scan_has_body(s);
}

static void start(struct weighlock_scan *s)
{
	int r = look_at_files(s);

	ask(s);
	s->give_up_ms = s->moved_ms + (s->total_ms > 0 ? s->total_ms : TOTAL_MS);
	if (r > 0)
		fail(s, r, "there is no file to ask about");
}

int scan_dial(const struct weighlock_scan *s)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r;

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&s->address, sizeof(s->address)) == 0)
		return fd;
	r = -errno;
	(void)close(fd);
	return r;
}

static void try_connect(struct weighlock_scan *s)
{
	int r = s->dial(s);

	if (r < 0) {
		if (r != -EAGAIN && r != -EINTR)
			fail(s, -r, "the daemon is unreachable");
		return;
	}
	s->fd = r;
	s->phase = PHASE_HEAD;
	r = scan_begin(s);
	if (r < 0)
		fail(s, -r, r == -ENOMEM ? "out of memory" : "the request is too long");
}

/* ---- steps ---- */

/* Return: something moved, so there may be more to do. */
static bool advance(struct weighlock_scan *s)
{
	bool moved = false;

	if (s->phase == PHASE_WAIT && s->now_ms() >= s->wake_ms)
		ask(s);
	if (s->phase == PHASE_CONNECT) {
		try_connect(s);
		moved = s->phase == PHASE_HEAD;
	}
	if (s->phase == PHASE_INVITED && s->reply.continued)
		s->phase = PHASE_BODY;
	if (s->phase == PHASE_HEAD)
		moved |= transmit(s);
	else if (s->phase == PHASE_BODY)
		moved |= send_body(s);
	if (s->phase > PHASE_CONNECT && s->phase < PHASE_OVER)
		moved |= receive(s);
	return moved;
}

static int64_t deadline(const struct weighlock_scan *s)
{
	int64_t silent = s->moved_ms + (s->silence_ms > 0 ? s->silence_ms : silence_default(s));

	if (s->phase == PHASE_WAIT)
		return s->give_up_ms;
	return silent < s->give_up_ms ? silent : s->give_up_ms;
}

enum weighlock_outcome weighlock_scan_step(struct weighlock_scan *s)
{
	if (s->phase == PHASE_NEW)
		start(s);
	for (unsigned i = 0; i < STEP_BLOCKS && s->phase != PHASE_OVER && advance(s); i++)
		s->moved_ms = s->now_ms();
	if (s->phase != PHASE_OVER && s->now_ms() >= deadline(s))
		fail(s, ETIMEDOUT, "the daemon does not answer in time");
	return s->result.outcome;
}

int weighlock_scan_fd(const struct weighlock_scan *s)
{
	return s->fd;
}

short weighlock_scan_events(const struct weighlock_scan *s)
{
	bool sending = (s->phase == PHASE_HEAD && !s->crowded) || (s->phase == PHASE_BODY && !s->starved);

	return (short)(POLLIN | (sending ? POLLOUT : 0));
}

int weighlock_scan_timeout_ms(const struct weighlock_scan *s)
{
	bool soon = s->phase == PHASE_CONNECT || (s->phase == PHASE_BODY && s->starved) || s->crowded;
	int64_t now, left;

	if (s->phase == PHASE_NEW || s->phase == PHASE_OVER)
		return 0;
	now = s->now_ms();
	left = deadline(s) - now;
	if (s->phase == PHASE_WAIT && left > s->wake_ms - now)
		left = s->wake_ms - now;
	if (soon && left > RETRY_MS)
		left = RETRY_MS;
	return left < 0 ? 0 : left < INT32_MAX ? (int)left : INT32_MAX;
}

enum weighlock_outcome weighlock_scan_run(struct weighlock_scan *s)
{
	enum weighlock_outcome outcome;

	while ((outcome = weighlock_scan_step(s)) == WEIGHLOCK_PENDING) {
		struct pollfd p = { .fd = weighlock_scan_fd(s), .events = weighlock_scan_events(s) };

		(void)poll(&p, 1, weighlock_scan_timeout_ms(s));
	}
	return outcome;
}
