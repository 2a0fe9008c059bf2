/* Are these the arguments that a program writes for this name?  Harmless types are harmless with the arguments they are
 * saved with: list(range(2**31)) is a bomb, defaultdict(f) calls f, numpy.dtype(x) asks x.  One rule per row of
 * names.tsv: those of Python's and PyTorch's names in arguments.c, NumPy's and the packs' in files of their own; follows formats/pickle, section 4, and the columns "use" and "arg_policy" of its tables. */
#pragma once

#include <stdbool.h>

#include "judge.h"
#include "known.h"
#include "object_map.h"

/* An act and its surroundings. */
struct pickle_context {
	struct pickle *machine;
	const struct pickle_event *event; /* CALL, NEW or BUILD */
	enum pickle_profile profile;
	const struct pickle_names *extra;
	struct object_map *classes; /* what copyreg._reconstructor() was asked to make */
	struct object_map *dtypes;  /* enum dtype_fact of each NumPy dtype */
	struct object_map *states;  /* what BUILD gave an array of NumPy's */
	struct object_map *lengths; /* of what stands for items: lengths.h */
	pickle_bound_fn bound;      /* as pickle_judge_options has it */
	void *bound_ctx;
};

/* What is known of a dtype; bits.  Elements of objects are pointers: bytes in their place would be pointers of the file's
 * choice, so a dtype may change neither after it was used nor twice. */
enum dtype_fact {
	DTYPE_OF_OBJECTS = 1u << 0, /* itself, or a field or base of it */
	DTYPE_BUILT = 1u << 1,      /* was given a state */
	DTYPE_USED = 1u << 2,       /* is an array's */
	DTYPE_OF_TIME = 1u << 3,    /* has a unit, which is in its state */
};
#define DTYPE_FIELDS_SHIFT 8 /* above the bits: fields, those of fields included; 0: none */
#define DTYPE_FIELDS_MAX (UINT64_C(1) << 40)

/* What is known of an imported value, as written and as Python 3 maps it: the worse of both.  For values of other kinds:
 * PICKLE_TIER_UNKNOWN. */
struct pickle_standing pickle_global_standing(
    const struct pickle *p, pickle_value global, const struct pickle_names *extra);

/* An array of NumPy's, or what becomes one. */
bool pickle_is_array(const struct pickle_context *c, pickle_value v);

/* Numbers, single or in an array, and no object among them. */
bool pickle_is_numbers(const struct pickle_context *c, pickle_value v);

/* Did a call of module.name (as mapped) return this object? */
bool pickle_made_by(const struct pickle *p, pickle_value object, const char *module, const char *name);

/* Is this what getattr() returned for a member of an Enum that the policy knows as one?  Members are written in capitals,
 * and what an Enum inherits is not. */
bool pickle_is_member(const struct pickle_context *c, pickle_value object);
/* The same for getattr()'s arguments. */
bool pickle_names_member(const struct pickle_context *c, pickle_value owner, struct bytes attribute);

/* The class of an object by what was called to make it; PICKLE_NO_VALUE when nobody can tell. */
pickle_value pickle_class_of(const struct pickle_context *c, pickle_value object);

bool pickle_arguments_fit(const struct pickle_context *c, enum pickle_rule rule);

/* Remember what rules ask later: the class an instance was made of, and what becomes of dtypes.  After every call, and
 * every BUILD, of a name with this rule.  False when memory is spent. */
bool pickle_arguments_note(const struct pickle_context *c, enum pickle_rule rule);

/* What calls.tsv says of this call, or of this state for what such a call made. */
enum call_answer { CALL_UNLISTED, CALL_FITS, CALL_MISFITS };
enum call_answer argument_call(const struct pickle_context *c);
/* After such a call: what it costs, how long its result is, where the numbers of arrays have to lie. */
bool argument_call_note(const struct pickle_context *c);
