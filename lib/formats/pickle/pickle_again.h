/* Several pickles behind each other, read by one Unpickler on which load() is called again and again: its memo goes on, in
 * CPython's reader as in that of Python.  What a later pickle fetches by its number is then a value of an earlier one, and a
 * name among them another name. */
#pragma once

#include "judge.h"
#include "format.h"
#include "stream.h"

/* What that reader calls in another way, and what it imports where the reading before did not: a finding, whether it is denied or not known.  Honest files
 * that were written one by one give it such names where protocol 4 fetches one from the memo: nobody can say what they
 * mean to it.  Return: WLK_INCOMPLETE when source or memory failed. */
enum wlk_status pickle_judge_again(
    struct layout *l, const struct pickle_judge *first, const struct stream *s, uint64_t origin, struct arena *a);
