/* Where the arrays of a pickle are in what loading would return, for who converts it: keys, attributes and places in lists on the
 * way from the result to each of them, joined by dots.  An object adds nothing to a path: its attributes stand for themselves. */
#pragma once

#include "pickle_arrays_impl.h"

/* Something is held by a value that keeps no items of its own: an object's state (key PICKLE_NO_VALUE), an item of it. */
void pickle_paths_hold(
    struct pickle_arrays *a, const struct pickle *p, pickle_value holder, pickle_value key, pickle_value held);

/* The pickle ended with that result: a name for each array that is found in it, and what is no array is left. */
void pickle_paths_name(struct pickle_arrays *a, const struct pickle *p, pickle_value result);
