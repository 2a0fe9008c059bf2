/* The words of templates: tags, filters, methods, and the names that lead out of one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "bytes.h"
#include "cost.h"

/* Is it a special name of Python (without its underscores) that leads from a value to code?  Lower case. */
bool template_word_is_special(const char *word, size_t n);

/* What a filter or a method makes of a value. */
enum effect {
	EFFECT_UNKNOWN,   /* no such word */
	EFFECT_NUMBER,    /* a number, or nothing */
	EFFECT_READS,     /* a number: the one in the text */
	EFFECT_LENGTH,    /* a number no larger than what is counted */
	EFFECT_SAME,      /* the same text in other letters; with arguments, a part of it */
	EFFECT_PARTS,     /* a container with the same parts */
	EFFECT_PACKS,     /* a container of containers of them */
	EFFECT_PAIRS,     /* the same, of a mapping */
	EFFECT_ONE,       /* one of the parts */
	EFFECT_ELSE,      /* the value, or the argument */
	EFFECT_GETS,      /* one of the parts, or the argument */
	EFFECT_ARGUMENTS, /* one of the arguments */
	EFFECT_SPLITS,    /* a container of pieces */
	EFFECT_REVERSES,  /* a container with the same parts, or a text backwards */
	EFFECT_SUMS,      /* the parts added up */
	EFFECT_COMPOSES,  /* a text put together from others */
	EFFECT_SHORTENS,  /* the same, or the value itself */
	EFFECT_JOINS,     /* the same, from many */
	EFFECT_SHOWS,     /* the same, with quotes and escapes */
	EFFECT_REPLACES,  /* the same, piece by piece */
	EFFECT_FORMATS,   /* the same, by a format */
	EFFECT_FILLS,     /* nothing; the container gets the arguments */
	EFFECT_FILLS_KEY, /* the same, under keys */
	EFFECT_PARSES,    /* data from a text */
};

struct effect_word {
	const char *word;
	enum effect effect;
	struct cost cost;
};

struct filter_word {
	struct effect_word does;
	signed char attribute; /* position of the argument that names an attribute; -1: none, or `attribute=` only */
	bool looks_up;         /* takes an attribute's name */
};

/* NULL: not a filter of Jinja 2. */
const struct filter_word *template_word_filter(struct bytes name);
/* NULL: not a method that a template may call. */
const struct effect_word *template_word_method(struct bytes name);
bool template_word_is_method(struct bytes name);
/* It changes what it is called of: a list, a mapping. */
bool template_word_changes(struct bytes name);
/* Of mappings, before any of their items. */
bool template_word_is_of_mappings(struct bytes name);
bool template_word_is_list(struct bytes name);
bool template_word_is_of_messages(struct bytes name);
/* A member of a message that is no text somebody wrote. */
bool template_word_is_short(struct bytes name);
bool template_word_is_function(struct bytes name);
/* May a text or a number have such an attribute? */
bool template_word_is_attribute(struct bytes name);

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

/* Words that cannot be names where a value is expected. */
bool template_word_is_operator(struct bytes name);
/* In place, so that the length of a word that is written down is known when this is compiled. */
static inline bool template_word_is(struct bytes name, const char *word)
{
	size_t n = strlen(word);

	return name.n == n && memcmp(name.at, word, n) == 0;
}
