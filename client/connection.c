/* The way from a question to an answer in steps that never wait.  Every way to stop early is a WEIGHLOCK_FAILED; only
 * wlc_judge() knows another end. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "members.h"
#include "scan_impl.h"

#define RETRY_MS 20     /* until a full backlog, or a source that has nothing, is tried again */
#define STEP_BLOCKS 16u /* messages a step sends or takes at most: others want their turn, too */
#define TOTAL_MS ((int64_t)3600 * 1000)
#define SILENCE_STREAM_MS ((int64_t)60 * 1000)
#define SILENCE_PLAIN_MS ((int64_t)120 * 1000)
#define SCAN_BYTES_PER_MS 20000u /* the pace the daemon gives a scan */

static int64_t now_ms(void)
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

static void answered(struct weighlock_scan *s)
{
	const struct wlc_expect e = { .streamed = s->line != NULL,
		.sent_whole = s->sent_whole,
		.size = scan_passes(s) ? s->length : s->sent,
		.sha256 = s->sha256 };

	if (s->reply.is_stream)
		wlc_judge(&s->reply, s->reply.body_n == 0 ? s->last : NULL, s->last_n, &e, &s->result);
	else
		wlc_judge(&s->reply, s->reply.body, s->reply.body_n, &e, &s->result);
	hang_up(s);
}

/* ---- taking ---- */

/* A line of a stream, which the daemon may send whether or not one was asked for.  Behind the one that is not about
 * progress nothing may come. */
static bool on_line(void *ctx, const char *at, size_t n)
{
	struct weighlock_scan *s = ctx;
	struct wlc_members m;

	if (s->line == NULL || s->last != NULL || !wlc_members_read(at, n, &m))
		return false;
	if (m.event.at != NULL && m.verdict.at == NULL && m.type.at == NULL) {
		s->line_refused = s->line(s->line_ctx, at, n) != 0;
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
			fail(s, EPROTO, s->reply.why);
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

static ssize_t send_some(struct weighlock_scan *s)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { .iov_base = s->out + s->out_at, .iov_len = s->out_n - s->out_at };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (scan_passes(s) && !s->fd_passed) {
		m.msg_control = control.buf;
		m.msg_controllen = sizeof(control.buf);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &s->pass_fd, sizeof(int));
	}
	return sendmsg(s->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
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

	if (n < 0 && (errno == EPIPE || errno == ECONNRESET))
		stop_sending(s);
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		fail(s, errno, "the request could not be sent");
	if (n < 0)
		return false;
	s->fd_passed = s->fd_passed || n > 0;
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

	return s->line != NULL ? SILENCE_STREAM_MS : SILENCE_PLAIN_MS + (int64_t)(length / SCAN_BYTES_PER_MS);
}

/* What is passed must be what the daemon takes, so that its size is known here, too. */
static int look_at_file(struct weighlock_scan *s)
{
	struct stat st;

	if (!scan_passes(s))
		return s->source != NULL || s->upload_fd >= 0 ? 0 : EINVAL;
	if (fstat(s->pass_fd, &st) < 0)
		return errno;
	s->length = (uint64_t)st.st_size;
	return S_ISREG(st.st_mode) ? 0 : EINVAL;
}

static void start(struct weighlock_scan *s)
{
	int r = look_at_file(s);

	s->moved_ms = now_ms();
	s->give_up_ms = s->moved_ms + (s->total_ms > 0 ? s->total_ms : TOTAL_MS);
	s->phase = PHASE_CONNECT;
	wlc_reply_init(&s->reply, WEIGHLOCK_ANSWER_MAX);
	s->reply.line = on_line;
	s->reply.ctx = s;
	s->reply.may_continue = scan_has_body(s);
	if (r > 0)
		fail(s, r, "there is no file to ask about");
}

static void open_socket(struct weighlock_scan *s)
{
	s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0)
		fail(s, errno, "no socket can be had");
}

static void try_connect(struct weighlock_scan *s)
{
	if (s->fd < 0)
		open_socket(s);
	if (s->phase != PHASE_CONNECT)
		return;
	if (connect(s->fd, (const struct sockaddr *)&s->address, sizeof(s->address)) < 0) {
		if (errno != EAGAIN && errno != EINTR)
			fail(s, errno, "the daemon is unreachable");
		return;
	}
	s->phase = PHASE_HEAD;
	s->out_at = 0;
	s->out_n = scan_head(s, s->out);
	if (s->out_n == 0)
		fail(s, EINVAL, "the request is too long");
}

/* ---- steps ---- */

/* Return: something moved, so there may be more to do. */
static bool advance(struct weighlock_scan *s)
{
	bool moved = false;

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

	return silent < s->give_up_ms ? silent : s->give_up_ms;
}

enum weighlock_outcome weighlock_scan_step(struct weighlock_scan *s)
{
	if (s->phase == PHASE_NEW)
		start(s);
	for (unsigned i = 0; i < STEP_BLOCKS && s->phase != PHASE_OVER && advance(s); i++)
		s->moved_ms = now_ms();
	if (s->phase != PHASE_OVER && now_ms() >= deadline(s))
		fail(s, ETIMEDOUT, "the daemon does not answer in time");
	return s->result.outcome;
}

int weighlock_scan_fd(const struct weighlock_scan *s)
{
	return s->phase == PHASE_CONNECT ? -1 : s->fd;
}

short weighlock_scan_events(const struct weighlock_scan *s)
{
	bool sending = s->phase == PHASE_HEAD || (s->phase == PHASE_BODY && !s->starved);

	return (short)(POLLIN | (sending ? POLLOUT : 0));
}

int weighlock_scan_timeout_ms(const struct weighlock_scan *s)
{
	int64_t left;

	if (s->phase == PHASE_NEW || s->phase == PHASE_OVER)
		return 0;
	left = deadline(s) - now_ms();
	if ((s->phase == PHASE_CONNECT || (s->phase == PHASE_BODY && s->starved)) && left > RETRY_MS)
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
