/* What a regular expression may cost.  Oniguruma (the library tokenizers) and Python's re backtrack: where a text can be
 * divided among the rounds of a loop in more than one way, the ways multiply, and a line of text takes years.  Expressions are
 * parsed and never run.  Follows formats/configs, section 4.3.
 *
 * A loop over more than one item is made the automaton of its positions (Glushkov).  It costs exponentially when two different
 * walks over the same characters lead from a place back to it, which is asked of pairs of positions; a way between two positions
 * that is there twice, as in (a+)+, is the same.  What is not understood is taken for any character, which can only find more. */
#pragma once

#include "arena.h"
#include "bytes.h"

#define REGEX_BYTES_MAX 8192u
#define REGEX_DEPTH_MAX 64u
#define REGEX_COUNT_MAX 1000u
#define REGEX_PRODUCT_MAX 10000u

enum regex_dialect { REGEX_ONIGURUMA, REGEX_PYTHON };

enum regex_cost {
	REGEX_FINE,
	REGEX_BACKTRACKS,
	REGEX_REFERENCE, /* back references, recursion, conditionals */
	REGEX_COUNT,     /* above REGEX_COUNT_MAX, or nested ones above REGEX_PRODUCT_MAX */
	REGEX_LONG,
	REGEX_DEEP,
	REGEX_UNREAD, /* does not parse */
};

/* Room for one expression at a time, about 2.4 MiB; and what all of a file's may cost together. */
struct regex;

/* Return: NULL when the arena is spent. */
struct regex *regex_new(struct arena *a);
/* @text: decoded, UTF-8. */
enum regex_cost regex_judge(struct regex *x, struct bytes text, enum regex_dialect dialect);
/* For people: what was found, a few words. */
const char *regex_cost_words(enum regex_cost c);
