/* The parts of the reader of XGBoost's models.  Follows formats/others (row XGBoost) and XGBoost's doc/model.schema.
 *
 *   xgboost.c        what the file is, and how it ends
 *   xgboost_json.c   JSON, as events
 *   xgboost_ubj.c    universal binary JSON (draft 12, as XGBoost reads it), as the same events
 *   xgboost_model.c  what is in it: names, types, numbers
 *   xgboost_tree.c   whether the arrays of a tree are a tree
 *   xgboost_codes.c  whether the codes of columns of words are codes
 *
 * Both encodings say one document; what it may hold is told once, in a table.  Nothing in it runs; what a file can do is to
 * crash its reader, which follows children and features by index without a look. */
#pragma once

#include "format.h"
#include "json_file.h"
#include "number_text.h"
#include "scoped_names.h"
#include "weights.h"

#define XGBOOST_DEPTH_MAX 32u                   /* objects and arrays in each other (formats/others) */
#define XGBOOST_BYTES_MAX (UINT64_C(256) << 20) /* of the file, which is kept */
#define XGBOOST_WORD_MAX 32u                    /* longest name that means something, with room */

/* What a value has to be. */
enum xgboost_want {
	WANT_ANY,
	WANT_TEXT,
	WANT_INTEGER,
	WANT_TEXTS,    /* lists of ... */
	WANT_INTEGERS, /* truth values too */
	WANT_FLOATS,
	WANT_OBJECT,
	WANT_OBJECTS,
};

/* Objects that the schema knows. */
enum xgboost_place {
	PLACE_ANY,       /* whatever is in it */
	PLACE_TEXTS,     /* any names, for texts */
	PLACE_OBJECTIVE, /* its name, and whatever it was trained with */
	PLACE_ROOT,
	PLACE_LEARNER,
	PLACE_BOOSTER,
	PLACE_MODEL,
	PLACE_TREE,
	PLACE_PARAMETERS, /* of the learner, of the trees, of one tree: numbers as text */
	PLACE_CATEGORIES, /* what columns of words were encoded as (since 3.1) */
	PLACE_ENCODING,   /* of one column */
};

/* Lists that are looked at as a whole. */
enum xgboost_list {
	LIST_NONE,
	LIST_LEFT,
	LIST_RIGHT,
	LIST_PARENTS,
	LIST_FEATURES,
	LIST_CONDITIONS,
	LIST_DEFAULT_LEFT,
	LIST_SPLIT_TYPE,
	LIST_BASE_WEIGHTS,
	LIST_LOSS,
	LIST_HESSIAN,
	LIST_CATEGORIES,
	LIST_CATEGORY_NODES,
	LIST_CATEGORY_SEGMENTS,
	LIST_CATEGORY_SIZES,
	LIST_LEAF_WEIGHTS,
	LIST_TREE_LISTS, /* how many there are of a tree */
	LIST_GROUPS = LIST_TREE_LISTS,
	LIST_LINEAR,
	LIST_DROP,
	LIST_ROUNDS,        /* where the trees of each begin, and all end */
	LIST_CODES,         /* of a column: its categories ... */
	LIST_CODE_OFFSETS,  /* ... where each begins that is text */
	LIST_CODE_SEGMENTS, /* where the categories of each column begin, and all end */
	LIST_CODE_ORDER,    /* the categories of each column, sorted */
	N_XGBOOST_LISTS
};

/* Numbers that are written as text. */
enum xgboost_number {
	NUMBER_FEATURES,
	NUMBER_CLASSES,
	NUMBER_TARGETS,
	NUMBER_TREES,
	NUMBER_NODES,
	NUMBER_LEAF_VECTOR,
	NUMBER_PARALLEL,
	NUMBER_DELETED,
	NUMBER_TREE_FEATURES,
	N_XGBOOST_NUMBERS
};

/* What a booster says it is. */
enum xgboost_booster { BOOSTER_NONE, BOOSTER_TREES, BOOSTER_DART, BOOSTER_LINEAR, BOOSTER_OTHER };

struct xgboost_frame {
	bool array;
	uint8_t place; /* of an object */
	uint8_t want;  /* of the items of an array; of the value of the key that came last */
	uint8_t next;  /* place of an object that comes as that value, or as an item */
	uint8_t list;
	uint8_t owner; /* place of the object around it */
	uint32_t names_base;
};

/* 32-bit integers that a tree's arrays hold, kept while the tree is open. */
struct xgboost_integers {
	int32_t *list; /* arena_resize_raw() */
	size_t n, room;
};

struct xgboost_model {
	struct layout *l;
	struct scoped_names names;
	bool stopped, broken, unsure;
	unsigned depth;
	struct xgboost_frame frames[XGBOOST_DEPTH_MAX];
	uint32_t seen; /* places that came; bits */
	/* the list being read */
	struct weights weights;
	uint64_t list_at;
	/* of the tree that is open, and of the model */
	uint64_t lengths[N_XGBOOST_LISTS];
	bool given[N_XGBOOST_LISTS];
	struct xgboost_integers left, right, parents, features, segments, sizes, types;
	struct xgboost_integers nan_nodes, nan_at; /* conditions that are not a number: the node, and where */
	/* of columns of words */
	struct xgboost_integers code_offsets, code_counts, code_segments, code_order;
	uint8_t *adopted; /* of a tree's nodes: those that are a child */
	size_t adopted_room;
	uint32_t numbers[N_XGBOOST_NUMBERS];
	bool known[N_XGBOOST_NUMBERS];
	uint8_t number; /* which one the key names, or N_XGBOOST_NUMBERS */
	uint64_t n_trees, tree_at, n_models;
	uint8_t booster, inner_booster; /* the learner's, and the one in that */
	int64_t round;                  /* the greatest so far */
	int64_t group_max, feature_max;
	bool objective_key, base_score_key; /* what the key names */
	bool base_score;                    /* it came */
	bool objective;                     /* it is known */
	bool of_classes;                    /* it is one of several classes */
};

/* -- xgboost_model.c: events; each returns false when there is no use in going on -- */

bool xgboost_open(struct xgboost_model *m, bool array, uint64_t at);
bool xgboost_close(struct xgboost_model *m, uint64_t at);
/* @text: decoded, all of it. */
bool xgboost_key(struct xgboost_model *m, struct bytes text, uint64_t at);
bool xgboost_text(struct xgboost_model *m, struct bytes text, uint64_t at);
bool xgboost_integer(struct xgboost_model *m, int64_t value, uint64_t at);
bool xgboost_float(struct xgboost_model *m, double value, uint64_t at);
/* true, false, null. */
bool xgboost_word(struct xgboost_model *m, bool truth, uint64_t at);
/* Behind the last: what the whole lacks. */
void xgboost_model_end(struct xgboost_model *m);

/* -- xgboost_tree.c -- */

void xgboost_tree_begin(struct xgboost_model *m, uint64_t at);
void xgboost_tree_end(struct xgboost_model *m);
bool xgboost_tree_integer(struct xgboost_model *m, enum xgboost_list list, int64_t value);
/* A condition that is not a number: of a split by categories nobody reads it.  What is none is told when the tree ends. */
void xgboost_tree_nan(struct xgboost_model *m, uint64_t at);

/* -- xgboost_codes.c: columns of words -- */

bool xgboost_code(struct xgboost_model *m, enum xgboost_list list, int64_t value);
bool xgboost_encoding_end(struct xgboost_model *m, uint64_t at);
bool xgboost_categories_end(struct xgboost_model *m, uint64_t at);

/* Keep one more.  Return: true; also when memory is spent, which stops the model. */
bool xgboost_keep(struct xgboost_model *m, struct xgboost_integers *t, int32_t value);

/* -- xgboost_model.c, for the others -- */

/* An element of a list of numbers. */
void xgboost_examine(struct xgboost_model *m, double value, uint64_t at);
void xgboost_begin_floats(struct xgboost_model *m);
void xgboost_end_floats(struct xgboost_model *m);

/* -- xgboost_json.c, xgboost_ubj.c -- */

/* Return: it is one document, of exactly these bytes; else findings say why not. */
bool xgboost_read_json(struct xgboost_model *m, struct bytes text);
bool xgboost_read_ubj(struct xgboost_model *m, struct bytes file);

/* Findings. */
bool xgboost_fail(struct xgboost_model *m, enum wlk_finding code, uint64_t at);

extern const struct wlk_format format_xgboost;
extern const struct json_model json_model_xgboost;
