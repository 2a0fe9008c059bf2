/* Tokens of a Python literal: strings, integers, True, False, None and brackets, as ast.literal_eval() takes them.
 * NumPy writes its headers in a small corner of that language and reads all of it; so does this, and it remembers which
 * forms no writer makes.  Follows the Python Language Reference, section 2, and formats/npy, section 3. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "bytes.h"

enum literal_kind {
	LITERAL_END,
	LITERAL_MARK,   /* one of { } [ ] ( ) , : */
	LITERAL_STRING, /* str; adjacent ones are joined, as Python does */
	LITERAL_INT,
	LITERAL_WORD, /* True, False, None */
	LITERAL_ERROR,
};

/* Forms that load and that no writer makes; bits of literal.lax. */
enum literal_lax {
	LITERAL_LAX_SPACE = 1u << 0, /* tabs and line ends inside brackets */
	LITERAL_LAX_COMMENT = 1u << 1,
	LITERAL_LAX_STRING = 1u << 2, /* escapes, prefixes, triple quotes, adjacent strings */
	LITERAL_LAX_NUMBER = 1u << 3, /* hexadecimal, underscores, signs */
	LITERAL_LAX_LONG = 1u << 4,   /* Python 2's 3L: NumPy strips it from headers of version 1 and 2 */
};

/* The token that literal_next() found; the text is borrowed. */
struct literal {
	struct bytes text;
	size_t at;           /* behind the token */
	size_t begin;        /* of the token */
	unsigned lax;        /* seen so far */
	struct arena *arena; /* for strings that have to be decoded */
	enum literal_kind kind;
	char mark;           /* LITERAL_MARK: the character; LITERAL_WORD: 'T', 'F' or 'N' */
	struct bytes string; /* LITERAL_STRING: a view of the text, or decoded */
	uint64_t number;     /* LITERAL_INT: magnitude, saturated at UINT64_MAX */
	bool negative;       /* LITERAL_INT: a minus sign before a number other than 0 */
	uint8_t *decoded;    /* private: where decoded strings stand */
	size_t decoded_n;
};

/* @arena: spent memory reads as LITERAL_ERROR (arena->exhausted tells). */
void literal_init(struct literal *l, struct bytes text, struct arena *arena);
/* Find the next token.  Return: l->kind. */
enum literal_kind literal_next(struct literal *l);
/* Is the current token this mark?  If so go on to the next one. */
bool literal_take(struct literal *l, char mark);
