/* Numbers of arrays that are places in something else: columns of a sparse matrix, codes of categories.  The judge sees where
 * they have to lie; the reader of the arrays, which sees the numbers, is told (pickle_judge_options, bound). */
#pragma once

#include "arguments.h"

/* Can these be told, and do the arrays' lengths fit each other?  Of a MultiIndex' dictionary; of the state that a Categorical is
 * given; of that of a sparse matrix, for which it also tells them.  True for anything else. */
bool bounds_multi_index_fit(const struct pickle_context *c, pickle_value dict);
bool bounds_categorical_fit(const struct pickle_context *c);
bool bounds_sparse_fit(const struct pickle_context *c);
/* After a call or BUILD that fits. */
void bounds_call_note(const struct pickle_context *c);
