/* What an audit log says of people, beside it: the chain has the salted hash of a text, and the text itself lies in a file of
 * its day, from where it can be taken away without the chain noticing.  Who has a text shows by the hash that it is the one that
 * was written; who has none cannot find it by trying, for the salt is gone with it.
 *
 * A line is {"seq":N,"text":{"salt":"...", ...}} and a newline, N being the number of the log's line, and the hash that of the
 * bytes of the text's object.  One that was erased is {"seq":N}, with spaces up to the length that it had: so erasing needs no lock
 * beside the one who appends, and moves nothing.  What is missing is erased, too: the chain promises that a text is the
 * one that was written, never that it is still there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "chain.h"

#define AUDIT_TEXTS_PREFIX "texts-" /* and YYYY-MM-DD.jsonl */
#define AUDIT_TEXTS_NAME_BYTES 64u
#define AUDIT_SALT_BYTES 16u

/* Is it an object that may stand as a text: printable ASCII, a salt first, at most AUDIT_RECORD_MAX bytes? */
bool audit_text_is_sound(struct bytes text);
void audit_text_hash(struct bytes text, uint8_t hash[32]);

enum audit_text_state {
	AUDIT_TEXT_NONE, /* no line of ours: torn, or somebody else's */
	AUDIT_TEXT_ERASED,
	AUDIT_TEXT_THERE,
};

/* @line: newline included.  @ret: a view of the text, with AUDIT_TEXT_THERE. */
enum audit_text_state audit_text_read(struct bytes line, uint64_t *seq, struct bytes *ret);
/* The line that @line becomes, of the same length. */
void audit_text_blank(char *line, size_t n, uint64_t seq);

/* ---- the one who writes them ---- */

struct audit_texts;

/**
 * audit_texts_open() - before the jail: files that are too old go
 * @dir: descriptor of the folder; borrowed
 * @from: the first line that nobody has promised yet (audit_file_own()): a text of it, or of one behind it, goes
 * @days: for how many days a text is kept, that of its writing included; at least 1
 * @now: Unix seconds
 * Return: 0 or negative errno.
 */
int audit_texts_open(int dir, unsigned days, uint64_t from, int64_t now, struct audit_texts **ret);
/* When a day has ended, the files go that are too old by then.  Return: 0 or negative errno. */
int audit_texts_tend(struct audit_texts *t, int64_t now);
/* All of it, or nothing, into the file of the day that audit_texts_tend() knows of.  @text: sound.
 * Return: 0 or negative errno. */
int audit_texts_append(struct audit_texts *t, uint64_t seq, struct bytes text);
/* What was appended lasts.  Return: 0 or negative errno. */
int audit_texts_settle(struct audit_texts *t);
void audit_texts_close(struct audit_texts *t); /* NULL is fine */
