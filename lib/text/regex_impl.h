/* The parts of the judge of regular expressions: see regex_cost.h. */
#pragma once

#include "regex_cost.h"

/* -- characters: regex_set.c -- */

/* ASCII one by one, the rest by its general category. */
enum regex_category { CAT_LU = 128, CAT_LL, CAT_LT, CAT_LM, CAT_LO, CAT_M, CAT_N, CAT_P, CAT_S, CAT_Z, CAT_C, CAT_END };
#define REGEX_SET_WORDS 3

/* What surely belongs to it, and what may: the complement needs both. */
struct regex_set {
	uint64_t may[REGEX_SET_WORDS], must[REGEX_SET_WORDS];
};

struct regex_set regex_set_all(void);
struct regex_set regex_set_unknown(void);
struct regex_set regex_set_of(uint32_t from, uint32_t to);
/* d w s h, and the same in capitals; what is no such letter is unknown. */
struct regex_set regex_set_escape(uint8_t letter);
/* The name of a property: L, Lu, Han, ... */
struct regex_set regex_set_property(struct bytes name);
struct regex_set regex_set_not(struct regex_set s);
struct regex_set regex_set_or(struct regex_set a, struct regex_set b);
struct regex_set regex_set_and(struct regex_set a, struct regex_set b);
struct regex_set regex_set_folded(struct regex_set s);
bool regex_set_meets(const struct regex_set *a, const struct regex_set *b);

/* -- the expression: regex_parse.c -- */

enum regex_kind {
	RE_EMPTY,
	RE_SET,
	RE_SEQUENCE,
	RE_ALTERNATIVES,
	RE_REPEAT,
	RE_ATOMIC,
	RE_LOOK, /* ahead or behind: takes no character */
};

#define RE_UNBOUNDED UINT32_MAX
#define RE_NONE 0u /* node 0 is none */

struct regex_node {
	uint8_t kind;
	bool possessive;
	uint32_t min, max;
	uint32_t first, last, next; /* children; the next child of its parent */
	struct regex_set set;
};

#define REGEX_NODES_MAX (REGEX_BYTES_MAX * 4 + 8)
#define REGEX_POSITIONS_MAX 192u
#define REGEX_ROW (REGEX_POSITIONS_MAX / 64)

struct regex_positions {
	uint64_t bits[REGEX_ROW];
};

/* The automaton of a loop. */
struct regex_loop {
	unsigned n, built;
	bool twice; /* a way that is there twice */
	bool full;
	struct regex_set sets[REGEX_POSITIONS_MAX];
	struct regex_positions follow[REGEX_POSITIONS_MAX], precede[REGEX_POSITIONS_MAX], meets[REGEX_POSITIONS_MAX];
	struct regex_positions ahead[REGEX_POSITIONS_MAX], back[REGEX_POSITIONS_MAX]; /* pairs that were reached */
	uint16_t queue[REGEX_POSITIONS_MAX * REGEX_POSITIONS_MAX];
};

struct regex {
	const uint8_t *p, *end;
	enum regex_dialect dialect;
	bool fold, dot_all;
	unsigned depth;
	enum regex_cost err;
	uint64_t steps; /* that all expressions have taken */
	uint32_t n;
	struct regex_node nodes[REGEX_NODES_MAX];
	struct regex_loop loop;
};

/* Return: the root; x->err when it is not understood. */
uint32_t regex_parse(struct regex *x, struct bytes text, enum regex_dialect dialect);
/* One class, behind its opening bracket: regex_class.c. */
struct regex_set regex_class(struct regex *x);
/* A character, which is there; U+FFFD for what is no UTF-8. */
uint32_t regex_char(struct regex *x);
/* Behind the backslash: one character (true), or what regex_escape_set() is to read (nothing is taken). */
bool regex_escape_char(struct regex *x, uint32_t *ret);
/* Behind the backslash: a class of characters. */
struct regex_set regex_escape_set(struct regex *x);

static inline bool regex_fail(struct regex *x, enum regex_cost why)
{
	if (x->err == REGEX_FINE)
		x->err = why;
	x->p = x->end;
	return false;
}

/* -- the loop: regex_loop.c -- */

/* Is there a text that it can go through in exponentially many ways? */
bool regex_loop_multiplies(struct regex *x, uint32_t body);
