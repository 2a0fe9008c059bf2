/* How a name stands that a configuration has a loader call or import: by the tables of pickles, and by what the loader's own
 * library vouches for.  Follows formats/configs, section 1.1. */
#pragma once

#include "format.h"

enum config_standing {
	CONFIG_NAME_NONE, /* null, nothing, ???: no name */
	CONFIG_NAME_FINE,
	CONFIG_NAME_UNLISTED,
	CONFIG_NAME_DENIED,
};

/**
 * config_name_standing() - the first answer of section 1.1
 * @vouched: words separated by blanks, or NULL: `=a.b` this name; `a.b.` classes below it; `a.b.*` functions too; `!a.` neither.
 * @extra: the operator's names; may be NULL.
 */
enum config_standing config_name_standing(struct bytes name, const char *vouched, const struct pickle_names *extra);

/* Is it denied wherever it may be divided, whatever else it holds? */
bool config_name_is_denied(struct bytes name);
/* Is it denied by a row of its own, and not for what a word at its root means elsewhere? */
bool config_name_is_denied_itself(struct bytes name);

/* Identifiers with dots (or one colon) between them. */
bool config_is_name(struct bytes name);
/* Words of files and hosts, not of Python. */
bool config_ends_as_file(struct bytes name);
/* In place, so that the lengths of texts that stand in the program are known where it is made. */
static inline bool config_begins(struct bytes b, const char *text)
{
	size_t n = strlen(text);

	return b.n >= n && memcmp(b.at, text, n) == 0;
}

static inline bool config_ends(struct bytes b, const char *text)
{
	size_t n = strlen(text);

	return b.n >= n && memcmp(b.at + b.n - n, text, n) == 0;
}

bool config_holds(struct bytes b, const char *text);
/* Is it one of the words of a list that blanks separate? */
bool config_is_word_of(struct bytes b, const char *words);
/* By the last part: a class, as they are spelled; a function that loads, runs or writes. */
bool config_names_class(struct bytes name);
bool config_names_acting(struct bytes name);
