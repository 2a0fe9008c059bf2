/* String literals of Jinja, decoded as Python's unicode-escape does it, and the search for Python internals in them:
 * literals that are joined or stand in a row are searched as one, so no word can be hidden by cutting it. */
#pragma once

#include <stdbool.h>

#include "bytes.h"

struct literal {
	const uint8_t *p, *end;
};

struct literal_char {
	uint32_t c;
	bool spelled; /* by number or name */
	bool unknown; /* a name that is not looked up here, or no escape Python takes */
};

static inline struct literal literal_of(struct bytes raw)
{
	return (struct literal){ .p = raw.at, .end = raw.n > 0 ? raw.at + raw.n : raw.at };
}

/* The next decoded character; false at the end. */
bool template_literal_next(struct literal *l, struct literal_char *ret);

/* The decoded text, cut to n bytes of ASCII; anything else becomes '?'.  Return: bytes; *ret_whole when it is all. */
size_t template_literal_decode(struct bytes raw, char *buf, size_t n, bool *ret_whole);

/* The end of what was joined so far, lower case; wide forms count as what they look like. */
#define DUNDER_WINDOW 64u
struct dunder_search {
	char tail[DUNDER_WINDOW];
	size_t n;
};

static inline void template_dunder_reset(struct dunder_search *s)
{
	s->n = 0;
}

/* One more character.  Return: true when it completes a word of Python's internals between double underscores, read
 * forwards or backwards. */
bool template_dunder_feed(struct dunder_search *s, uint32_t c);
/* The plain letters that capitals or small letters make of one that is several; NULL: of one. */
const char *template_letters_of(uint32_t c);
/* The underscores' and letters' plain form of a character that Python's identifiers take for one of them. */
uint32_t template_dunder_fold(uint32_t c);
