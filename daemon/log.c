/* See log.h. */
#include "log.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *log_name = "weighlockd";

void log_set_name(const char *name)
{
	log_name = name;
}

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

/* A line is shorter than PIPE_BUF: where poll(2) says that there is room, it fits. */
static bool write_line(const char *line, size_t n)
{
	struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && p.revents == POLLOUT && write(STDERR_FILENO, line, n) == (ssize_t)n;
}

static void tell_lost(void)
{
	char line[96];
	size_t n = clamp(
	    snprintf(line, sizeof(line), "%s: %lu log lines were lost\n", log_name, lost - lost_told), sizeof(line));

	if (write_line(line, n))
		lost_told = lost;
}

static void __attribute__((format(printf, 1, 0))) put(const char *format, va_list args, const char *tail)
{
	char line[LOG_LINE_MAX];
	size_t at = clamp(snprintf(line, sizeof(line), "%s: ", log_name), sizeof(line));

	at += clamp(vsnprintf(line + at, sizeof(line) - at, format, args), sizeof(line) - at);
	if (tail)
		at += clamp(snprintf(line + at, sizeof(line) - at, ": %s", tail), sizeof(line) - at);
	line[at] = '\n'; /* at most over the NUL of a full buffer */
	if (lost > lost_told)
		tell_lost();
	if (lost > lost_told || !write_line(line, at + 1))
		lost++;
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

const char *log_escape(const char *text, char *buf, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	size_t at = 0;

	if (!text)
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
		buf[at++] = hex[c >> 4];
		buf[at++] = hex[c & 15];
	}
	buf[at] = '\0';
	return buf;
}
