/* A finding as a sentence for people, made from its table's words (finding_says.h) and its own values.  Values come from whoever
 * made the file: a single harmless word stands as it is, everything else in quotes, so that nobody can put words of his own into
 * ours. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * sentence_make() - what the finding says, its subject in front, no full stop
 * @ret_says: it says what would happen; else it is only the title, and its reason has to be told.
 * Return: malloc()ed, not yet safe for a terminal; NULL without memory.
 */
char *sentence_make(const json_t *finding, bool *ret_says);

/* One of its values as sentences have them: a word, a number with its commas, or in quotes and cut; false and nothing where it has
 * none. */
bool sentence_value(FILE *f, const json_t *value);
