/* See child.h. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "channel.h"
#include "role.h"

#define RELAY_MAX 64            /* entries, and reads of lines, at a time: more than what a pipe of lines holds */
#define ENTRIES_BYTES (1 << 20) /* of the pipe for entries, of which each takes a page */

int child_program(void)
{
	int fd = open("/proc/self/exe", O_PATH | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* ---- the child, between fork and exec ---- */

/* What the service manager told the monitor is the monitor's. */
static void clean_environment(void)
{
	static const char *const ours[] = { "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID",
		"LISTEN_FDS", "LISTEN_FDNAMES" };

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		unsetenv(ours[i]);
}

/* To their places, whatever places they have now, and nothing behind them. */
static bool arrange(int *self, int *log, int fds[ROLE_FDS_END])
{
	*self = fcntl(*self, F_DUPFD_CLOEXEC, ROLE_FDS_END);
	*log = fcntl(*log, F_DUPFD_CLOEXEC, ROLE_FDS_END);
	for (int i = ROLE_CONTROL_FD; i < ROLE_FDS_END; i++) {
		if (fds[i] < 0)
			continue;
		fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, ROLE_FDS_END);
		if (fds[i] < 0)
			return false;
	}
	for (int i = ROLE_CONTROL_FD; i < ROLE_FDS_END; i++) {
		if (fds[i] < 0)
			close(i);
		else if (dup2(fds[i], i) < 0)
			return false;
	}
	(void)close_range(ROLE_FDS_END, ~0U, CLOSE_RANGE_CLOEXEC); /* whoever started us may have left some open */
	return *self >= 0 && *log >= 0 && dup2(*log, STDERR_FILENO) == STDERR_FILENO;
}

static _Noreturn void execute(const struct child_start *s, int log, int fds[ROLE_FDS_END])
{
	static char name[] = "weighlockd";
	char word[16] = "";
	char *const argv[] = { name, word, NULL };
	int self = s->self;

	strncpy(word, s->role, sizeof(word) - 1);
	clean_environment();
	if (arrange(&self, &log, fds))
		syscall(SYS_execveat, self, "", argv, environ, AT_EMPTY_PATH);
	log_errno(errno, "%s cannot be executed", s->role);
	_exit(127);
}

/* ---- the monitor ---- */

struct ends {
	int control, words, log, entries; /* the child's; -1: none */
};

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int make_pipe(int *ours, int *theirs, int flags)
{
	int pair[2];

	if (pipe2(pair, O_CLOEXEC | O_NONBLOCK | flags) < 0)
		return -errno;
	*ours = pair[0];
	*theirs = pair[1];
	return 0;
}

/* With our end shut the kernel lets it send nothing, and so no descriptor either. */
static int make_control(struct child *c, struct ends *e)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return -errno;
	c->control = pair[0];
	e->control = pair[1];
	return shutdown(c->control, SHUT_RD) < 0 ? -errno : 0;
}

static int make_ends(struct child *c, const struct child_start *s, struct ends *e)
{
	int r = make_control(c, e);

	if (r == 0)
		r = make_pipe(&c->words, &e->words, 0);
	if (r == 0)
		r = make_pipe(&c->log, &e->log, 0);
	if (r == 0 && s->journal)
		r = make_pipe(&c->entries, &e->entries, O_DIRECT); /* an entry is a packet */
	if (r == 0 && s->journal)
		(void)fcntl(c->entries, F_SETPIPE_SZ, ENTRIES_BYTES); /* refused to who has many: then it is 64 KiB */
	return r;
}

static void close_all(struct child *c)
{
	close_one(&c->control);
	close_one(&c->words);
	close_one(&c->log);
	close_one(&c->entries);
}

int child_start(struct child *c, const struct child_start *s)
{
	struct ends e = { -1, -1, -1, -1 };
	int r;

	*c = (struct child)CHILD_NONE;
	r = make_ends(c, s, &e);
	if (r == 0) {
		c->pid = fork();
		r = c->pid < 0 ? -errno : 0;
	}
	if (r == 0 && c->pid == 0)
		execute(s, e.log,
		    (int[ROLE_FDS_END]){ [ROLE_CONTROL_FD] = e.control,
			[ROLE_WORDS_FD] = e.words,
			[ROLE_SETTINGS_FD] = s->settings,
			[ROLE_ENTRIES_FD] = e.entries,
			[ROLE_HTTP_FD] = s->http,
			[ROLE_CLAMD_FD] = s->clamd });
	close_one(&e.control);
	close_one(&e.words);
	close_one(&e.log);
	close_one(&e.entries);
	if (r < 0) {
		close_all(c);
		c->pid = 0;
	}
	return r;
}

bool child_tell(const struct child *c, const struct channel_message *m, const int *fd)
{
	return c->control >= 0 && channel_send(c->control, m, fd, fd ? 1 : 0) == 0;
}

/* Words are written whole; half a one is nonsense, and who speaks nonsense is not heard any more. */
size_t child_hear(struct child *c, struct control_word words[CHILD_WORDS_MAX])
{
	ssize_t n = c->words >= 0 ? read(c->words, words, CHILD_WORDS_MAX * sizeof(*words)) : 0;

	if (n > 0 && (size_t)n % sizeof(*words) == 0)
		return (size_t)n / sizeof(*words);
	if (n >= 0 || (errno != EAGAIN && errno != EINTR))
		close_one(&c->words);
	return 0;
}

/* ---- its log ---- */

/* All that are whole, at once: a child that writes many short ones costs no more than one that does not. */
static void write_lines(struct child *c)
{
	const char *end = memrchr(c->line, '\n', c->n);
	size_t whole = end ? (size_t)(end + 1 - c->line) : 0;

	if (end == NULL && c->n == sizeof(c->line) - 1) { /* longer than any of ours */
		c->line[c->n] = '\n';
		whole = c->n + 1;
	}
	if (whole == 0)
		return;
	log_write(c->line, whole);
	c->n = whole < c->n ? c->n - whole : 0;
	memmove(c->line, c->line + whole, c->n);
}

/* Return: whether there may be more. */
static bool relay_lines(struct child *c)
{
	ssize_t n;

	if (c->log < 0 || !log_has_room())
		return false;
	n = read(c->log, c->line + c->n, sizeof(c->line) - 1 - c->n);
	if (n == 0)
		close_one(&c->log);
	if (n <= 0)
		return false;
	log_make_text(c->line + c->n, (size_t)n);
	c->n += (size_t)n;
	write_lines(c);
	return true;
}

static bool relay_entry(struct child *c, const struct journal *journal)
{
	char entry[LOG_ENTRY_MAX];
	ssize_t n = c->entries >= 0 ? read(c->entries, entry, sizeof(entry)) : -1;

	if (n == 0)
		close_one(&c->entries);
	if (n > 0)
		journal_pass(journal, entry, (size_t)n);
	return n > 0;
}

bool child_relay(struct child *c, const struct journal *journal)
{
	int entries = 0, reads = 0;

	while (entries < RELAY_MAX && relay_entry(c, journal))
		entries++;
	while (reads < RELAY_MAX && relay_lines(c))
		reads++;
	return entries + reads > 0;
}

/* ---- the end ---- */

void child_kill(const struct child *c)
{
	if (c->pid > 0)
		kill(c->pid, SIGKILL);
}

void child_forget(struct child *c, const struct journal *journal)
{
	for (size_t i = 0; i < ENTRIES_BYTES / LOG_ENTRY_MAX / RELAY_MAX && child_relay(c, journal); i++)
		;
	if (c->n > 0) {
		c->line[c->n] = '\n';
		log_write(c->line, c->n + 1);
	}
	close_all(c);
	*c = (struct child)CHILD_NONE;
}
