/* A JSON text as a run of values, for readers that look at objects wherever they are nested: names given twice are found,
 * nesting costs an entry of a stack, nothing is kept of what went by. */
#pragma once

#include "format.h"
#include "json_text.h"
#include "scoped_names.h"

enum json_kind { JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_NUMBER, JSON_WORD /* true, false, null */ };

struct json_value {
	enum json_kind kind;
	unsigned depth;              /* objects and arrays that are open around it */
	const struct json_text *key; /* its name; NULL in an array and of the outermost */
	struct json_text text;       /* JSON_STRING */
	struct json_number number;   /* JSON_NUMBER */
	uint8_t word;                /* JSON_WORD: its first letter */
	size_t at;                   /* its first byte in the text */
};

struct json_walker {
	void *ctx;
	/* A value, before what is in it.  False: no more is wanted (json_walk() returns true). */
	bool (*value)(void *ctx, const struct json_value *v);
	/* An object or array with so many open around it has ended. */
	void (*close)(void *ctx, unsigned depth);
	/* A name that its object has already. */
	void (*twice)(void *ctx, const struct json_text *key, size_t at);
};

enum json_walk_end {
	JSON_WALK_WHOLE, /* one value, and blanks behind it */
	JSON_WALK_ENOUGH,
	JSON_WALK_SYNTAX, /* no UTF-8, no JSON, or more than one value: ret_at says where */
	JSON_WALK_DEPTH,
	JSON_WALK_MEMORY,
};

/**
 * json_walk() - all of @text, once
 * @l: its arena and seed are used; memory for names (32 bytes and a bucket for each that is open at a time) is allowed.
 * @ret_at: where it went wrong; may be NULL.
 */
enum json_walk_end json_walk(struct layout *l, struct bytes text, const struct json_walker *w, size_t *ret_at);

/* Does the text spell this word, however it is written?  At most JSON_WORD_MAX bytes. */
static inline bool json_is(const struct json_text *t, const char *word)
{
	uint8_t buf[JSON_WORD_MAX];

	return t != NULL && bytes_equal(json_word(t, buf), bytes_of_text(word));
}
