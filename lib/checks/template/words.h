/* The words of templates: tags, filters, methods, and the names that lead out of one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bytes.h"

/* Is it a special name of Python (without its underscores) that leads from a value to code?  Lower case. */
bool template_word_is_special(const char *word, size_t n);

/* What the value of an expression can hold when a filter or a method made it. */
enum effect {
	EFFECT_KEEPS,    /* what went in, or parts of it */
	EFFECT_NUMBER,   /* a number */
	EFFECT_TEXT,     /* what an object looks like: letters to pick from */
	EFFECT_COMPOSES, /* a text put together from others */
	EFFECT_UNKNOWN,  /* no such word */
};

struct filter_word {
	const char *word;
	enum effect effect;
	signed char attribute; /* position of the argument that names an attribute; -1: none, or `attribute=` only */
	bool looks_up;         /* takes an attribute's name */
};

/* NULL: not a filter of Jinja 2. */
const struct filter_word *template_word_filter(struct bytes name);
enum effect template_word_method(struct bytes name);
bool template_filter_compares(struct bytes name);
bool template_method_cuts(struct bytes name);
bool template_method_joins(struct bytes name);
bool template_method_gives_back(struct bytes name);

enum tag {
	TAG_NONE,
	TAG_FOR,
	TAG_IF,
	TAG_ELIF,
	TAG_ELSE,
	TAG_SET,
	TAG_MACRO,
	TAG_CALL,
	TAG_FILTER,
	TAG_WITH,
	TAG_GENERATION,
	TAG_DO,
	TAG_BREAK,
	TAG_CONTINUE,
	TAG_LOAD,
	TAG_END, /* plus the tag it ends: TAG_END + TAG_FOR */
};

unsigned template_word_tag(struct bytes name);

/* How a name that is not the template's own is to be taken. */
enum danger {
	DANGER_NONE,
	DANGER_INTROSPECTION, /* as a name or an attribute */
	DANGER_LADDER,        /* as a name */
	DANGER_LADDER_OWN,    /* as a name, unless the template defined it */
	DANGER_LADDER_VALUE,  /* as a name, unless it is called */
	DANGER_CODE,          /* as a name or an attribute */
	DANGER_CODE_CALLED,   /* as a name or an attribute that is called; a name that the template defined is not */
};

enum danger template_word_danger(struct bytes name);

/* Operators spelled as words. */
bool template_word_is_operator(struct bytes name);
bool template_word_is(struct bytes name, const char *word);
