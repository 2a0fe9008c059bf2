/* Lines for the operator on standard error, which for all but the monitor is a pipe to the monitor: one write(2) a line, so that processes sharing it never mix, and nothing
 * a client chose reaches it unescaped.  When nobody takes them (a stopped terminal, a full pipe) lines are lost and
 * counted, for the event loop must not wait for a log. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_LINE_MAX 1024 /* bytes; longer lines are cut */

void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Lines of somebody else's, who may have been taken over: no control character is left in them but line feeds and tabs. */
void log_make_text(char *at, size_t n);
/* One of them, with its end.  It is lost where there is no room. */
void log_write(const char *line, size_t n);
/* Would a line be taken now? */
bool log_has_room(void);

/* ---- the journal ---- */

/* Bytes of an entry, in journald's native protocol; fields that do not fit are left out.  PIPE_BUF, so that it goes through
 * a pipe whole or not at all. */
#define LOG_ENTRY_MAX 4096

struct log_field {
	const char *name;  /* A-Z 0-9 _, ours */
	const char *value; /* anything; NULL: the field is left out */
};

/* What log_entry() tells beside the line.  Borrowed. */
struct log_entry {
	const char *message_id; /* 32 hexadecimal digits, permanent */
	unsigned priority;      /* as of syslog(3): 4 warning, 5 notice, 6 informational */
	const struct log_field *fields;
	size_t n;
};

/* Where entries go, as well-formed ones instead of lines: a pipe to the monitor, which alone speaks to journald.  Without
 * this they are lines. */
void log_entries_to(int fd);

/* A line that carries fields.  Without a journal, or when there is no room, the line alone. */
void log_entry(const struct log_entry *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Lines this process has lost so far. */
unsigned long log_lost(void);

/* The same with ": " and the text of a (positive) errno behind. */
void log_errno(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/**
 * log_escape() - text a client chose, as one printable ASCII word without spaces or quotes
 * Everything else becomes \xNN.  Cut to fit buf (n >= 1).  NULL gives "-".
 * Return: buf.
 */
const char *log_escape(const char *text, char *buf, size_t n);
