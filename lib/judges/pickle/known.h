/* What is known of the names a pickle imports: the tables of names.tsv, and what the operator adds.
 * Follows formats/pickle, section 4, and formats/pytorch, section 3 and Decision 3. */
#pragma once

#include <stdbool.h>

#include "bytes.h"
#include "pickle_names.h"

/* What a pickle does with an imported name; bits. */
enum pickle_use {
	PICKLE_USE_REF = 1u << 0,     /* hands it to something else */
	PICKLE_USE_CALL = 1u << 1,    /* REDUCE, OBJ, INST */
	PICKLE_USE_NEW = 1u << 2,     /* NEWOBJ, NEWOBJ_EX */
	PICKLE_USE_BUILD = 1u << 3,   /* BUILD on what a call of it returned */
	PICKLE_USE_APPEND = 1u << 4,  /* APPEND, APPENDS on what a call of it returned */
	PICKLE_USE_SETITEM = 1u << 5, /* SETITEM, SETITEMS likewise */
	PICKLE_USE_ADD = 1u << 6,     /* ADDITEMS likewise */
	PICKLE_USE_ITEMS = PICKLE_USE_APPEND | PICKLE_USE_SETITEM | PICKLE_USE_ADD,
};

enum pickle_tier {
	PICKLE_TIER_WEIGHTS, /* torch's restricted unpickler takes it */
	PICKLE_TIER_DATA,    /* inert data types */
	PICKLE_TIER_EXTRA,   /* the operator's policy allows it */
	PICKLE_TIER_CONTEXT, /* depends on the arguments; never accepted */
	PICKLE_TIER_REVIEW,  /* known, not vouched for */
	PICKLE_TIER_UNKNOWN,
	PICKLE_TIER_INVALID, /* cannot be imported: an empty module or name */
	PICKLE_TIER_DENIED,
};

/* Rules for arguments, one function each in arguments.c.  X(id, function) */
#define PICKLE_RULES(X)                              \
	X(NONE, rule_none)                           \
	X(INERT, rule_inert)                         \
	X(CONTENT, rule_content)                     \
	X(ONE_INT, rule_one_int)                     \
	X(ONE_TEXT, rule_one_text)                   \
	X(TEXTS, rule_texts)                         \
	X(BYTES, rule_bytes)                         \
	X(ENCODE, rule_encode)                       \
	X(TEXT, rule_text)                           \
	X(NUMBER, rule_number)                       \
	X(RATIO, rule_ratio)                         \
	X(RANGE, rule_range)                         \
	X(FACTORY, rule_factory)                     \
	X(MOMENT, rule_moment)                       \
	X(UUID, rule_uuid)                           \
	X(RECONSTRUCTOR, rule_reconstructor)         \
	X(ATTRIBUTE, rule_attribute)                 \
	X(DTYPE, rule_dtype)                         \
	X(NDARRAY, rule_ndarray)                     \
	X(SCALAR, rule_scalar)                       \
	X(FROMBUFFER, rule_frombuffer)               \
	X(ARRAY_WRAPPER, rule_array_wrapper)         \
	X(TENSOR, rule_tensor)                       \
	X(REBUILD, rule_rebuild)                     \
	X(REBUILD_FROM_TYPE, rule_rebuild_from_type) \
	X(OBJECT, rule_object)                       \
	X(GRANTED_CALL, rule_granted_call)           \
	X(MEMBER, rule_member)

enum pickle_rule {
#define X(id, function) PICKLE_RULE_##id,
	PICKLE_RULES(X)
#undef X
	    PICKLE_N_RULES
};

/* How a name stands. */
struct pickle_standing {
	enum pickle_tier tier;
	/* Permitted.  Of unknown names all, for it is the name that is held against the file; of denied ones REF alone when
	 * only calling it acts. */
	unsigned uses;
	enum pickle_rule rule;
	const char *does; /* DENIED: what it does, in words; else NULL */
	bool root;        /* DENIED: by a word at the root that is an ordinary word elsewhere */
};

/* Components a dotted path may have; nothing importable comes near. */
#define PICKLE_PATH_COMPONENTS_MAX 32

/**
 * pickle_name_standing() - what is known of module.name, as written
 * Denied wins over everything but the names that are known for review, then a dunder anywhere, then a dotted name on a
 * module whose names are known one by one: attributes reach whatever the module imported.  The caller asks again for the name it maps to in Python 3.
 * @extra: may be NULL.
 */
struct pickle_standing pickle_name_standing(struct bytes module, struct bytes name, const struct pickle_names *extra);
