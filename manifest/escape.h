/* Bytes from a file as text that cannot act on a terminal, reorder a line or hide. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bytes.h"

/**
 * text_escape() - bytes from a file as text nobody is fooled by
 * Valid printable UTF-8 stays; controls (C0, DEL, C1), line and paragraph separators, bidirectional and invisible
 * characters, noncharacters and invalid bytes become \xNN a byte; backslash becomes two.  Cut at whole units to
 * fit buf; "..." ends a cut text.
 * Return: buf, NUL-terminated.
 */
char *text_escape(struct bytes b, char *buf, size_t n);

/* The same of a text that has escapes of its own (call_text.h): its backslashes stay as they are. */
char *text_show(struct bytes b, char *buf, size_t n);

/* Would text_escape() show this as it is (a backslash counts as shown)? */
bool text_is_plain(struct bytes b);
