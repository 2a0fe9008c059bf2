/* Lines for the operator on standard error: one write(2) a line, so that processes sharing it never mix, and nothing
 * a client chose reaches it unescaped.  When nobody takes them (a stopped terminal, a full pipe) lines are lost and
 * counted, for the event loop must not wait for a log. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define LOG_LINE_MAX 1024 /* bytes; longer lines are cut */

/* The process's name in front of each line; static text.  "weighlockd" until set. */
void log_set_name(const char *name);

void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- the journal ---- */

#define LOG_ENTRY_MAX 8192 /* bytes of an entry; fields that do not fit are left out */

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

/**
 * log_journal_open() - send entries to journald as well-formed entries instead of lines
 * @how: "off"; "auto": if standard error is a stream of journald's (systemd.exec(5), $JOURNAL_STREAM); or the path of a
 *       socket that speaks journald's native protocol, at most 107 bytes
 * Makes a socket, so call it before the jail.  The socket is kept, journald may be restarted.
 * Return: 0, also where there is no journal; negative errno of a socket that was named.
 */
int log_journal_open(const char *how);

/* A line that carries fields.  Without a journal, or when it does not take the entry now, the line alone. */
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
