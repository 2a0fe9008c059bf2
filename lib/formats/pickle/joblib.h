/* joblib's arrays: a pickle in which the elements of NumPy arrays stand as they are between the opcodes.  Where an
 * object of joblib.numpy_pickle.NumpyArrayWrapper gets its state, joblib.load() reads padding and elements from the
 * file and goes on with the opcode behind them.  Follows formats/others, section 1, and joblib 1.2, numpy_pickle.py.
 *
 * pickle.load() knows nothing of that and goes on with the elements, so the bytes are read in both ways. */
#pragma once

#include "judge.h"
#include "pickle_arrays.h"
#include "stream.h"

struct joblib;

/* @arrays: where the arrays are put. @origin, @member: of findings.  NULL when the arena is spent. */
struct joblib *joblib_new(struct layout *l, struct pickle_arrays *arrays, uint64_t origin, struct bytes member);
/* Whose machine will walk; before the first event. */
void joblib_follow(struct joblib *jl, struct pickle_judge *judge);

/* A pickle_event_fn, @ctx: struct joblib.  Hands every event on to the arrays. */
void joblib_event(void *ctx, struct pickle *p, const struct pickle_event *e);

/* A pickle_bound_fn, likewise. */
void joblib_bound(void *ctx, struct pickle *p, pickle_value array, const struct pickle_bounds *b);

/**
 * joblib_judge_other_reading() - what does a reader do that takes the elements for opcodes?
 * After the walk.  A finding when it would import or call anything.
 * Return: WLK_DONE also with a finding; WLK_INCOMPLETE when source or memory failed (the cause is recorded).
 */
enum wlk_status joblib_judge_other_reading(struct joblib *jl, const struct stream *s, struct arena *a);

/* At least one array stands in it. */
bool joblib_seen(const struct joblib *jl);
/* WLK_BROKEN when it could not be told where the elements of an array end: what follows is not understood. */
enum wlk_status joblib_status(const struct joblib *jl);
