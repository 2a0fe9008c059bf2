/* Names a pickle may import beyond the built-in tables, as a policy lists them and a job carries them: lines of
 * "module.name", or of "module.name GRANT", sorted by the name, each name once, each ended by a line feed.  No wildcards:
 * one name too many runs a program. */
#pragma once

#include <stdbool.h>

#include "bytes.h"

/* Room for the largest packs together; the bound keeps a job within what its channel carries. */
#define PICKLE_NAMES_BYTES_MAX 98304u
#define PICKLE_NAME_MAX 256u /* bytes of one line */

struct pickle_names {
	struct bytes lines; /* borrowed */
	bool *asked;        /* set when a name is looked for, in the list or not; NULL: nobody wants to know */
};

/* What is granted.  A pickler writes an instance as an object without arguments and its state; whoever is given more may
 * be asked for memory, or for what its arguments name.  X(id, word) */
#define PICKLE_GRANTS(X)                                                                                             \
	X(VALUE, "value")   /* to be handed on: a function that is kept, never called */                             \
	X(OBJECT, "object") /* and made without arguments, then given a state */                                     \
	X(ITEMS, "items")   /* and given items by key before that: a class that is a dict as well */                 \
	X(CALL,                                                                                                      \
	    "call") /* an object; and made with plain arguments: scalars, texts, arrays, classes that are granted */ \
	X(MEMBER, "member") /* an Enum: to be handed on, and asked for one of its members */

enum pickle_grant {
	PICKLE_GRANT_NONE,
	PICKLE_GRANT_ANY, /* a line without a word: any use, which the operator vouches for */
#define X(id, word) PICKLE_GRANT_##id,
	PICKLE_GRANTS(X)
#undef X
};

/* One line without its end: identifiers joined by dots, two or more; then perhaps a blank and a grant. */
bool pickle_name_valid(struct bytes line);
/* All of it: bounded, sorted, no name twice. */
bool pickle_names_valid(struct bytes lines);

/* What is granted to this name?  A name with a dot in it (an attribute of an attribute) is never in a list. */
enum pickle_grant pickle_names_grant(const struct pickle_names *names, struct bytes module, struct bytes name);
