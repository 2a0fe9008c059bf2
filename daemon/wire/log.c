/* See log.h. */
#include "log.h"
#include "hex.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOG_NAME "weighlockd"

static size_t clamp(int n, size_t room)
{
	if (n < 0)
		return 0;
	return (size_t)n < room ? (size_t)n : room - 1;
}

static unsigned long lost, lost_told;

unsigned long log_lost(void)
{
	return lost;
}

bool log_has_room(void)
{
	struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && p.revents == POLLOUT;
}

/* A line is shorter than PIPE_BUF: where poll(2) says that there is room, it fits. */
static bool write_line(const char *line, size_t n)
{
	return log_has_room() && write(STDERR_FILENO, line, n) == (ssize_t)n;
}

static void tell_lost(void)
{
	char line[96];
	size_t n = clamp(
	    snprintf(line, sizeof(line), "%s: %lu log lines were lost\n", LOG_NAME, lost - lost_told), sizeof(line));

	if (write_line(line, n))
		lost_told = lost;
}

void log_make_text(char *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (((unsigned char)at[i] < 0x20 && at[i] != '\n' && at[i] != '\t') || at[i] == 0x7f)
			at[i] = '?';
	}
}

void log_write(const char *line, size_t n)
{
	if (lost > lost_told)
		tell_lost();
	if (lost > lost_told || !write_line(line, n))
		lost++;
}

static void __attribute__((format(printf, 1, 0))) put(const char *format, va_list args, const char *tail)
{
	char line[LOG_LINE_MAX];
	size_t at = clamp(snprintf(line, sizeof(line), "%s: ", LOG_NAME), sizeof(line));

	at += clamp(vsnprintf(line + at, sizeof(line) - at, format, args), sizeof(line) - at);
	if (tail != NULL)
		at += clamp(snprintf(line + at, sizeof(line) - at, ": %s", tail), sizeof(line) - at);
	line[at] = '\n'; /* at most over the NUL of a full buffer */
	log_write(line, at + 1);
}

void log_line(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put(format, args, NULL);
	va_end(args);
}

void log_errno(int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put(format, args, strerror(error));
	va_end(args);
}

/* ---- the journal ---- */

static int entries = -1;

void log_entries_to(int fd)
{
	entries = fd;
}

struct entry_text {
	char at[LOG_ENTRY_MAX];
	size_t n;
};

/* With its length before it (systemd.io/JOURNAL_NATIVE_PROTOCOL), no value can end its field and begin another. */
static void add_field(struct entry_text *t, const char *name, const char *value)
{
	size_t name_n = strlen(name), n = value ? strlen(value) : 0, room = sizeof(t->at) - t->n;
	uint8_t length[8];

	if (value == NULL || name_n >= room || room - name_n < sizeof(length) + 2 ||
	    n > room - name_n - sizeof(length) - 2)
		return;
	for (size_t i = 0; i < sizeof(length); i++)
		length[i] = (uint8_t)((uint64_t)n >> (8 * i));
	memcpy(t->at + t->n, name, name_n);
	t->at[t->n + name_n] = '\n';
	memcpy(t->at + t->n + name_n + 1, length, sizeof(length));
	memcpy(t->at + t->n + name_n + 1 + sizeof(length), value, n);
	t->n += name_n + 1 + sizeof(length) + n;
	t->at[t->n++] = '\n';
}

static bool send_entry(const struct log_entry *e, const char *message)
{
	const char priority[2] = { (char)('0' + e->priority % 8), '\0' };
	struct entry_text t = { .n = 0 };

	add_field(&t, "MESSAGE", message);
	add_field(&t, "MESSAGE_ID", e->message_id);
	add_field(&t, "PRIORITY", priority);
	add_field(&t, "SYSLOG_IDENTIFIER", LOG_NAME);
	for (size_t i = 0; i < e->n; i++)
		add_field(&t, e->fields[i].name, e->fields[i].value);
	return write(entries, t.at, t.n) == (ssize_t)t.n;
}

void log_entry(const struct log_entry *e, const char *format, ...)
{
	char message[LOG_LINE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	if (entries < 0 || !send_entry(e, message))
		log_line("%s", message);
}

const char *log_escape(const char *text, char *buf, size_t n)
{
	size_t at = 0;

	if (text == NULL)
		text = "-";
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c > 0x20 && c < 0x7f && c != '"' && c != '\\') {
			if (n - at < 2)
				break;
			buf[at++] = (char)c;
			continue;
		}
		if (n - at < 5)
			break;
		buf[at++] = '\\';
		buf[at++] = 'x';
		hex_write(&c, 1, buf + at);
		at += 2;
	}
	buf[at] = '\0';
	return buf;
}
