/* journald, to which only the monitor speaks: entries come from its children as datagrams of journald's native protocol, are
 * looked at as a stranger's, and go on without waiting.  (sd_journal_sendv(3) waits when journald does not take them, and
 * knows no other socket.) */
#pragma once

#include <stddef.h>

struct journal {
	int fd; /* -1: there is none */
};

/**
 * journal_open()
 * @how: "off"; "auto": if standard error is a stream of journald's (systemd.exec(5), $JOURNAL_STREAM); or the path of a
 *       socket that speaks journald's native protocol, at most 107 bytes
 * The socket is kept; journald may be restarted.
 * Return: 0, also where there is no journal; negative errno of a socket that was named.
 */
int journal_open(const char *how, struct journal *ret);
void journal_close(struct journal *j);

/* An entry; where journald does not take it now, its message as a line.  One that is malformed, or has a field that is not
 * a child's to set, is dropped, and the log says so once. */
void journal_pass(const struct journal *j, const char *entry, size_t n);
