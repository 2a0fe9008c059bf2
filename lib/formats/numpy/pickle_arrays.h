/* NumPy's arrays inside pickles: follows a pickle's events and finds where elements stand in the file and of which type
 * they are.  _reconstruct() + BUILD (protocols 3 and 4) and _frombuffer() (protocol 5); protocols 0 to 2 spell bytes as
 * text, where elements do not stand as such: pickle_arrays_check() reads them.  Follows formats/pickle, section 7. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "extents.h"
#include "format.h"
#include "judge.h"
#include "numpy_descr.h"
#include "pickle.h"
#include "stream.h"

struct pickle_arrays;

/* @l: for limits, findings and memory, borrowed. @origin, @member: of findings, as pickle_judge_options has them.
 * NULL when the arena is spent. */
struct pickle_arrays *pickle_arrays_new(struct layout *l, uint64_t origin, struct bytes member);

/* The product of a tuple of dimensions; false when one is negative, too large or no number. */
bool pickle_arrays_count(const struct pickle *p, pickle_value shape, uint64_t *ret);

/* For readers whose arrays stand elsewhere (joblib).  The type that a pickled dtype is, records included; NULL when it is
 * none, or when its state contradicts its name: of such, nobody can say what NumPy makes.  From now on
 * its state may not change. */
const struct numpy_type *pickle_arrays_dtype(const struct pickle_arrays *a, const struct pickle *p, pickle_value v);
bool pickle_arrays_is_array(const struct pickle_arrays *a, const struct pickle *p, pickle_value v);
/* The event's target is an array of this type (pickle_arrays_dtype() knows it) whose elements are the n bytes of the run
 * from @begin on.  False when there are too many, or the arena is spent: as pickle_arrays_status() says. */
bool pickle_arrays_add(struct pickle_arrays *a, struct pickle *p, const struct pickle_event *e, pickle_value dtype,
    uint64_t begin, uint64_t n);

/* The events up to the next STOP are those of a pickle inside the one that is followed. */
void pickle_arrays_nest(struct pickle_arrays *a);

/* Is it a type or an array, by its tag? */
bool pickle_arrays_knows(const struct pickle *p, pickle_value v);
/* The type of an array whose elements stand in the run, as such or as text, all of them as that type and in this machine's
 * order; false: they do not, or nobody can say. */
bool pickle_arrays_elements(
    const struct pickle_arrays *a, const struct pickle *p, pickle_value v, enum wlk_dtype *ret_dtype);

/* So many arrays were made. */
uint64_t pickle_arrays_number(const struct pickle_arrays *a);
/* Was an array or a type given a state that NumPy does not write? */
bool pickle_arrays_contradicted(const struct pickle_arrays *a);

/* Before the walk: pickle_arrays_extents() lists what a loader makes of the arrays, for who converts, and says what it leaves. */
void pickle_arrays_list(struct pickle_arrays *a);
/* Then: the dimensions of an array that pickle_arrays_add() took. */
void pickle_arrays_shape(
    struct pickle_arrays *a, const struct pickle *p, pickle_value array, pickle_value shape, bool column_major);

/* A pickle_bound_fn, @ctx: struct pickle_arrays.  pickle_arrays_check() looks at the numbers. */
void pickle_arrays_bound(void *ctx, struct pickle *p, pickle_value array, const struct pickle_bounds *b);

/* A pickle_event_fn, @ctx: struct pickle_arrays.  Takes the upper half of the tags of objects for itself. */
void pickle_arrays_event(void *ctx, struct pickle *p, const struct pickle_event *e);

/**
 * pickle_arrays_extents() - the arrays as tensors, and everything else up to @end as metadata
 * @x: empty; receives extents in the run's coordinates, without hole or overlap, and the arrays' names: the key under
 * which a dictionary holds them, else array-N.
 * Return: false when the arena is spent or there are more arrays than the policy's limit: see pickle_arrays_status().
 */
bool pickle_arrays_extents(struct pickle_arrays *a, struct extents *x, uint64_t begin, uint64_t end);

/**
 * pickle_arrays_check() - examine elements that no extent shows, once the run @s was walked, before pickle_arrays_extents()
 * @all: those that stand in the run as such too, for readers that make no extents of them.
 * Return: WLK_INCOMPLETE when source or memory failed.
 */
enum wlk_status pickle_arrays_check(struct pickle_arrays *a, const struct stream *s, bool all);

/* WLK_DONE; WLK_BROKEN when there were too many (the finding is made); WLK_INCOMPLETE when memory was spent. */
enum wlk_status pickle_arrays_status(const struct pickle_arrays *a);
