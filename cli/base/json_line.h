/* JSON as text, or nothing.  A member that could not be added for want of memory is missed by nobody who ignores what
 * jansson returns, and a document without it looks whole; so the command's JSON comes from memory that is watched, and once
 * there was none, none of it is printed any more. */
#pragma once

#include <jansson.h>

/* From now on; before the first use of jansson. */
void json_watch(void);

/* As verdict.h's json_text(), unless memory has run out since json_watch(): NULL. */
char *json_line(const json_t *json, size_t flags);
