/* LightGBM's models as text.  Follows formats/others (row LightGBM) and LightGBM's src/boosting/gbdt_model_text.cpp and
 * src/io/tree.cpp.
 *
 *   lightgbm.c         sections and lines
 *   lightgbm_header.c  what stands around the trees
 *   lightgbm_tree.c    numbers, and whether the lists of a tree are a tree
 *
 * Nothing in it runs; the library follows children, features and categories by index without a look, and reads behind the end of
 * lists that are too short.  What it would refuse or read otherwise fails; what is not known is held (`format-partly-checked`). */
#pragma once

#include "format.h"
#include "number_text.h"
#include "weights.h"

#define LIGHTGBM_BYTES_MAX (UINT64_C(256) << 20) /* of the file, which is kept */
#define LIGHTGBM_LINE_MAX (UINT64_C(16) << 20)   /* a list of a million numbers */

/* Lists of a tree that are looked at. */
enum lightgbm_list {
	LGBM_FEATURE,
	LGBM_GAIN,
	LGBM_THRESHOLD,
	LGBM_DECISION,
	LGBM_LEFT,
	LGBM_RIGHT,
	LGBM_LEAF_VALUE,
	LGBM_LEAF_WEIGHT,
	LGBM_LEAF_COUNT,
	LGBM_INTERNAL_VALUE,
	LGBM_INTERNAL_WEIGHT,
	LGBM_INTERNAL_COUNT,
	LGBM_CAT_BOUNDARIES,
	LGBM_CAT_THRESHOLD,
	LGBM_NUM_LEAVES,
	LGBM_NUM_CAT,
	LGBM_SHRINKAGE,
	LGBM_LINEAR,
	N_LGBM_LISTS
};

/* Lines of the header. */
enum lightgbm_key {
	LGBM_KEY_VERSION,
	LGBM_KEY_CLASSES,
	LGBM_KEY_PER_ITERATION,
	LGBM_KEY_LABEL,
	LGBM_KEY_FEATURES,
	LGBM_KEY_OBJECTIVE,
	LGBM_KEY_AVERAGE,
	LGBM_KEY_NAMES,
	LGBM_KEY_MONOTONE,
	LGBM_KEY_INFOS,
	LGBM_KEY_SIZES,
	N_LGBM_KEYS
};

struct lightgbm_tree {
	uint64_t at;
	bool given[N_LGBM_LISTS];
	struct bytes lists[N_LGBM_LISTS]; /* as they stand there */
};

struct lightgbm {
	struct layout *l;
	struct bytes file;
	bool stopped, broken;
	bool unsure; /* told: something is not known */
	struct bytes header[N_LGBM_KEYS];
	uint64_t features; /* the greatest index */
	struct lightgbm_tree tree;
	uint8_t *adopted; /* of nodes and leaves: those that have a parent */
	size_t adopted_room;
};

/* A line's list of the tree that is open. */
void lightgbm_tree_line(struct lightgbm *b, struct bytes key, struct bytes value);
/* The tree is whole. */
void lightgbm_tree_check(struct lightgbm *b);
/* The next word between blanks. */
bool lightgbm_word(struct bytes *rest, struct bytes *ret);

void lightgbm_header_line(struct lightgbm *b, struct bytes line);
bool lightgbm_header_number(struct lightgbm *b, enum lightgbm_key key, uint32_t *ret);
/* The header is whole, and so are the trees. */
void lightgbm_header_check(struct lightgbm *b, uint64_t n_trees);
void lightgbm_parameter(struct lightgbm *b, struct bytes line);
/* @json: behind pandas_categorical: */
void lightgbm_categories(struct lightgbm *b, struct bytes json);

void lightgbm_fail(struct lightgbm *b, enum wlk_finding code, const uint8_t *at);
/* Held, as nobody here knows what it means. */
void lightgbm_doubt(struct lightgbm *b, const uint8_t *at);

extern const struct wlk_format format_lightgbm;
