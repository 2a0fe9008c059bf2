/* What rendering a template costs: the budgets, what operators and filters are charged, and how what grows with each turn of a
 * loop is followed.  docs/formats/templates.md, "Cost", says what is counted how.
 *
 * A unit of work is about a nanosecond of CPython 3.11 with Jinja 3.1; a unit of size a character.  What honest messages bring
 * is counted small (a conversation of 200 messages of 10 KB as OUTSIDE_SIZE): the budgets are smaller than five seconds and a
 * GiB in the same measure. */
#pragma once

#include "cells.h"

struct check;
struct arguments;

enum {
	OUTSIDE_SIZE = 256,    /* all that the renderer gives under one name */
	OUTSIDE_LARGE = 51200, /* and again, of a hundred messages of 500 letters: what is made of all of it at once */
	PART_LARGE = 256,
	MESSAGES = 12,      /* and again, of so many messages, each as long: a fifteenth of fifty of 60,000 letters */
	MESSAGE_PARTS = 16, /* of one of them that is no text */
	HUGE_COUNT = 16384, /* and again, of one message of so many letters, or items: what is long at once */
	HUGE_ITEMS = 256,   /* where it is no text */
	LONG_LOOP = 2 * HUGE_ITEMS, /* a loop of more turns goes over letters, or as many */
	HUGE_PARTS = 1,             /* of what is long further inside */
	HUGE_LEVELS = 4,
	COPIED = 8,        /* there, characters for each unit of work */
	OUTSIDE_COUNT = 8, /* its items */
	SEARCH_RATE = 32,  /* work for each letter, for a word of less than 100 that nearly is there everywhere */
	PART_SIZE = 32,    /* of one of them, however deep */
	PART_COUNT = 1,    /* and its items */
	ITEM_SIZE = 16,    /* of an item in a container, beside what it holds */
	NUMBER_SIZE = 20,  /* the digits of most */
	DATE_SIZE = 32,    /* the longest name of a month, with its time zone */
	ARGUMENT_RATE = 4, /* work for each unit of what a function is given */
	DIRECTIVE = 256,   /* work for each letter of a format of dates */
	ATTRIBUTE = 2048,  /* work of a lookup that finds nothing */
	OBJECT = 2048, /* work of a macro that is defined, of an object that a function makes: each is kept, perhaps */
	EACH = 8192,   /* work of an item that a filter asks or calls something for */
	LETTERS = 4,   /* for each so many letters of a text, the same */
	WRITTEN = 64,  /* for each letter that stays, when there are as many times as many */
	STEP = 256,    /* work of an expression */
	LETTER = 8,    /* work of a test that asks each letter */
	NAMED = 512,   /* work of an `if` for each name, when Jinja compiles it: what each branch sets is kept apart */
	STACK = 128,   /* calls in each other, before the renderer's stack ends it */
	LEVELS = 6,    /* of what the renderer gives: of a schema */
	RECURSION = 2, /* calls of a macro that goes down into what the renderer gives */
	PARTS_MAX = 3, /* calls that go down, none excluding another: honest ones go into as many different parts */
	DESCENTS_MAX = 256,     /* turns of the loops around a call that goes down */
	RECURSIVE_TURNS = 1024, /* of a loop over what the template made, in a macro that calls itself */
	MANY_TIMES = 64,        /* what the renderer gives: honest templates count no further for each part of it, */
	DEGREES_MAX = 4,        /* nor this power of how many messages there are, */
	UNSEEN = 4096,          /* and those that do are counted so many times */
	DIGITS_MAX = 4300,      /* Python takes no more from a text (Integer string conversion length limitation) */
	LARGE_NUMBERS_MAX = 16, /* of 2^40 and more, that are written down: honest templates have none */
	LITERAL_DIGITS = 64,    /* of a number that is written down */
	ROUND_MAX = 64,         /* digits: powers of ten are computed */
	WIDTH_MAX = 9999,       /* of the fields in a format, together */
};

#define TOKENS_MAX 32768u  /* a tenth of a millisecond each to compile; published templates have below 3,000 */
#define COUNT_MAX 1000000u /* formats/gguf, section 8: the largest number in range() */
#define WORK_MAX (UINT64_C(1) << 30) /* of the template */
#define TEXT_MAX (UINT64_C(1) << 23) /* of one value */
#define CONSTANT_SIZE ((uint64_t)64 << 10)
#define CONSTANTS_MAX (UINT64_C(1) << 25)  /* of all that is made, once each */
#define OUTPUT_MAX (UINT64_C(1) << 25)     /* of what is written */
#define TEXT_LARGE_MAX (UINT64_C(1) << 27) /* of one value, with OUTSIDE_LARGE; published templates stay below 2^23 */
#define OUTPUT_LARGE_MAX (UINT64_C(3) << 28)
#define WORK_LARGE_MAX (UINT64_C(1) << 36)
#define WORK_HUGE_MAX (UINT64_C(1) << 33)
/* Of many long messages; published templates stay below 2^31, but for those that look from each message to each behind it. */
#define WORK_MANY_MAX (UINT64_C(7) << 29)
#define OUTPUT_MANY_MAX (UINT64_C(35) << 20)
#define MEMORY_MANY_MAX (UINT64_C(50) << 20)
#define MEMORY_MAX (UINT64_C(1) << 24) /* of all names together */
#define NUMBER_LARGE (SIZE_CAP >> 8)   /* of a number that nothing is known of: far from what arithmetic makes */

/* What a filter or a method costs and makes. */
struct cost {
	uint16_t rate;  /* work for each unit of what it is given */
	uint8_t factor; /* by which a text can get longer */
	uint8_t square; /* work for each unit, as often as there are units */
	bool search;    /* work for each unit, as often as the arguments have some */
	bool affix;     /* goes no further than the arguments */
	uint16_t each;  /* work for each item, when that is more */
};

/* All of it, with the room that items take. */
uint64_t cost_weight(struct trait v);
/* The largest number that is to do with it: as a width, a count, a factor. */
uint64_t cost_largest(struct trait v);
/* The same, of containers. */
uint64_t cost_rows(struct trait v);

/* Work that is done here, as often as what surrounds it. */
void template_spend(struct check *c, uint64_t work, const uint8_t *at);
/* Work that is done once, when the template is compiled. */
void template_compile(struct check *c, uint64_t work, const uint8_t *at);
/* More than is bearable, whatever else is done. */
void template_too_much(struct check *c, const uint8_t *at);
/* Made here, by an operator or a filter. */
void template_bound(struct check *c, struct trait v, const uint8_t *at);
/* The same, and that is work. */
void template_made(struct check *c, struct trait v, const uint8_t *at);
/* By an operator whose operands begin where so many names had been read: of literals alone, Jinja writes the result into the
 * program it compiles. */
void template_computed(struct check *c, struct trait v, unsigned names, const uint8_t *at);
/* No number: it may have any length. */
void template_bound_number(struct check *c, struct trait v, const uint8_t *at);
/* Two values are compared, or one looked for in the other. */
void template_compare(struct check *c, struct trait a, struct trait b, bool within, const uint8_t *at);
/* A filter or a method goes over what it is given. */
void template_charge(
    struct check *c, const struct cost *cost, struct trait v, const struct arguments *a, const uint8_t *at);
/* A macro goes down into a part of what it was given. */
void template_descend(struct check *c, const uint8_t *at);
/* How often a loop over it is done. */
uint64_t template_turns(const struct check *c, struct trait v);
/* The power of how many messages there are with which what stands here, in its macro, is done. */
uint8_t template_degree(const struct check *c);
/* By how much more than it is counted: what is of the degree @inside, done in what is of @around. */
uint64_t template_unseen(uint8_t around, uint8_t inside);
/* How often what is read now is done in all, as far as it is seen. */
uint64_t template_times(const struct check *c);

/* At the end of a reading.  @widen: what grew is taken to grow with each turn. */
void template_settle(struct check *c, bool widen);
/* After the last: is it too much? */
void template_total(struct check *c);
