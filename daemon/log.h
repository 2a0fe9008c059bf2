/* Lines for the operator on standard error: one write(2) a line, so that processes sharing it never mix, and nothing
 * a client chose reaches it unescaped.  When nobody takes them (a stopped terminal, a full pipe) lines are lost and
 * counted, for the event loop must not wait for a log. */
#pragma once

#include <stddef.h>

#define LOG_LINE_MAX 1024 /* bytes; longer lines are cut */

/* The process's name in front of each line; static text.  "weighlockd" until set. */
void log_set_name(const char *name);

void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

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
