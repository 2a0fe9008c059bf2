/* See journal.h. */
#include "journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "bytes.h"
#include "log.h"

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

/* "DEVICE:INODE" of the stream that was made standard error for us; somebody may have redirected it since. */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	uint64_t dev, ino;
	struct stat st;

	return stream != NULL && sscanf(stream, "%" SCNu64 ":%" SCNu64, &dev, &ino) == 2 &&
	       fstat(STDERR_FILENO, &st) == 0 && st.st_dev == dev && st.st_ino == ino;
}

static int journal_connect(const char *path, struct journal *ret)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, error;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
		error = errno;
		close(fd);
		return -error;
	}
	ret->fd = fd;
	return 0;
}

int journal_open(const char *how, struct journal *ret)
{
	ret->fd = -1;
	if (strcmp(how, "off") == 0)
		return 0;
	if (strcmp(how, "auto") != 0)
		return journal_connect(how, ret);
	if (stderr_is_journal())
		(void)journal_connect(JOURNAL_SOCKET, ret); /* without it lines are as good as before */
	return 0;
}

void journal_close(struct journal *j)
{
	if (j->fd >= 0)
		close(j->fd);
	j->fd = -1;
}

/* ---- entries ---- */

/* Fields with a meaning of journald's own are not a child's to set. */
static bool may_set(const char *name, size_t n)
{
	static const char *const ours[] = { "MESSAGE", "MESSAGE_ID", "PRIORITY", "SYSLOG_IDENTIFIER" };
	static const char prefix[] = "WEIGHLOCK_";

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		if (n == strlen(ours[i]) && memcmp(name, ours[i], n) == 0)
			return true;
	}
	return n > sizeof(prefix) - 1 && memcmp(name, prefix, sizeof(prefix) - 1) == 0;
}

struct field {
	const char *name, *value;
	size_t name_n, value_n;
};

/* NAME, line feed, u64 length, value, line feed: the form log.c writes, and no other.  Return: false: malformed. */
static bool next_field(const char **at, size_t *n, struct field *ret)
{
	const char *end = memchr(*at, '\n', *n);
	size_t left;
	uint64_t length;

	if (end == NULL)
		return false;
	left = *n - (size_t)(end + 1 - *at);
	if (left < 8)
		return false;
	length = load_u64le((const uint8_t *)end + 1);
	left -= 8;
	if (length >= left || end[9 + length] != '\n')
		return false;
	*ret = (struct field){ *at, end + 9, (size_t)(end - *at), (size_t)length };
	*n = left - (size_t)length - 1;
	*at = end + 9 + length + 1;
	return may_set(ret->name, ret->name_n);
}

/* Return: false: malformed. */
static bool find_message(const char *at, size_t n, struct field *ret)
{
	struct field f;

	*ret = (struct field){ 0 };
	while (n > 0) {
		if (!next_field(&at, &n, &f))
			return false;
		if (f.name_n == strlen("MESSAGE"))
			*ret = f;
	}
	return true;
}

static void drop(void)
{
	static bool said;

	if (!said)
		log_line("an entry for the journal that is none was dropped");
	said = true;
}

/* As a line: text, whatever has become of who sent it. */
static void print(const struct field *message)
{
	char text[LOG_LINE_MAX];
	size_t n = message->value_n < sizeof(text) ? message->value_n : sizeof(text) - 1;

	bytes_copy(text, bytes_of(message->value, n));
	log_make_text(text, n);
	log_line("%.*s", (int)n, text);
}

void journal_pass(const struct journal *j, const char *entry, size_t n)
{
	struct field message;

	if (!find_message(entry, n, &message))
		drop();
	else if (j->fd < 0 || send(j->fd, entry, n, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)n)
		print(&message);
}
