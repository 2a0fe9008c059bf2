/* LightGBM's models as text.  Follows formats/others (row LightGBM) and LightGBM's src/boosting/gbdt_model_text.cpp and
 * src/io/tree.cpp.
 *
 *   lightgbm.c       sections and lines, parameters
 *   lightgbm_tree.c  numbers, and whether the lists of a tree are a tree
 *
 * Nothing in it runs; the library follows children and features by index without a look.  Read line by line; what the
 * objective and the parameters mean is not worked out, so the file is never accepted for it (`format-partly-checked`). */
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
	N_LGBM_LISTS
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
	uint64_t features; /* the greatest index */
	struct lightgbm_tree tree;
	uint8_t *adopted; /* of nodes and leaves: those that have a parent */
	size_t adopted_room;
};

/* A line's list of the tree that is open.  Return: false: it is none that is known, or given twice (reported). */
bool lightgbm_tree_line(struct lightgbm *b, struct bytes key, struct bytes value);
/* The tree is whole. */
void lightgbm_tree_check(struct lightgbm *b);
void lightgbm_fail(struct lightgbm *b, enum wlk_finding code, const uint8_t *at);

extern const struct wlk_format format_lightgbm;
