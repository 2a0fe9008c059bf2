/* The table of GGUF metadata: gguf.tsv says what it holds. */
#pragma once

#include "limits.h"

struct limits_gguf_key {
	const char *name;  /* *.KEY: behind the name of an architecture */
	const char *words; /* joined by commas; NULL */
};

struct limits_gguf_rule {
	uint16_t key;
	bool but;                  /* architectures: all but those */
	const char *architectures; /* each between blanks; NULL: all */
	struct limits_rule rule;
};

/* Behind the last key. */
enum limits_gguf_virtual {
	LIMITS_GGUF_TOKENS,
	LIMITS_GGUF_HEAD_LENGTH,
	LIMITS_GGUF_LAYERS_LESS,
	LIMITS_GGUF_RESAMPLER,
};

extern const struct limits_gguf_key limits_gguf_keys[]; /* in the order of bytes; those of models first */
extern const size_t limits_gguf_n_keys, limits_gguf_n_of_model;
extern const struct limits_gguf_rule limits_gguf_rules[];
extern const size_t limits_gguf_n_rules;
extern const char limits_gguf_known[]; /* architectures, each between blanks */

/* @known: limits_gguf_known, or a rule's.  A name with a blank in it is none. */
bool limits_gguf_names(const char *known, struct bytes name);
/* Return: the number of a key, or limits_gguf_n_keys. @of_model: what stands behind the name of an architecture. */
size_t limits_gguf_find(struct bytes key, bool of_model);
