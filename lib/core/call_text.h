/* What loading a file calls, with all that is handed over, as a line that reads like Python.  Only for who asks for calls
 * (job.h): it is made of the file's bytes, and a payload does not belong into everybody's logs.
 *
 * What is written is UTF-8 without controls; whoever shows it still escapes it (manifest/escape.h), for the one who wrote it
 * may be a stranger.  Bounded in bytes; where something is left out stands a "…". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

#define CALL_TEXT_MAX 6144u   /* bytes of a line: 4 KiB of source with its newlines escaped, and what is around it */
#define CALL_STRING_MAX 4096u /* bytes of a string that are shown */

struct call_text {
	size_t n;
	size_t callee_n; /* of them: what is called, set by call_text_callee() */
	bool cut;        /* something was left out */
	bool full;       /* and nothing more is taken */
	uint8_t at[CALL_TEXT_MAX];
};

void call_text_begin(struct call_text *t);
/* What stands there so far is what is called. */
void call_text_callee(struct call_text *t);
/* Our own words: printable ASCII. */
void call_text_put(struct call_text *t, const char *words);
/* A name of the file's, as it is but for what cannot be shown. */
void call_text_name(struct call_text *t, struct bytes name);
/* A byte of a source in a language that is ASCII, as it stands there; any other is escaped. */
void call_text_source(struct call_text *t, uint8_t byte);
/* In quotes.  @head: its beginning, of n bytes in all; more than CALL_STRING_MAX, or than there are, are cut.
 * @text: it is one, else bytes, which get their b. */
void call_text_string(struct call_text *t, struct bytes head, uint64_t n, bool text);
void call_text_integer(struct call_text *t, int64_t v);
void call_text_float(struct call_text *t, double v);
/* Something is left out here. */
void call_text_cut(struct call_text *t);
