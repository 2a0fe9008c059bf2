/* How many items the arrays of a pickle have, and what stands for so many: an index of three numbers may stand for a
 * billion, and a call that goes through it makes them all.  The column `size` of calls.tsv says which calls do. */
#pragma once

#include "arguments.h"

#define PICKLE_DIMENSIONS 3u

/* Of an array, once it has its state; 0: it is none, has more, or nobody can say. */
unsigned pickle_dimensions(const struct pickle_context *c, pickle_value v, uint64_t ret[PICKLE_DIMENSIONS]);
/* Of an array of one dimension, and of what calls.tsv and the states of classes say: exactly so many.  False: not known. */
bool pickle_length(const struct pickle_context *c, pickle_value v, uint64_t *ret);

/* The column `size`. */
enum call_size {
	CALL_SIZE_NONE,  /* it keeps what it is given, and goes through nothing */
	CALL_SIZE_ITEMS, /* it goes through the items of all it is given */
	CALL_SIZE_FIRST, /* likewise; its first argument is its length */
	CALL_SIZE_INDEX, /* likewise; of the dictionary that an index is made of */
	CALL_SIZE_STATE, /* likewise; its state is an array and a type */
};
/* After the call or BUILD: its cost, and the length of what it made.  False when memory is spent. */
bool argument_sizes_note(const struct pickle_context *c, enum call_size size);
/* After BUILD of an instance of a pack's class. */
bool argument_attributes_note(const struct pickle_context *c);
