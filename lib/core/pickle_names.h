/* Names a pickle may import beyond the built-in tables, as a policy lists them and a job carries them: lines of
 * "module.name", sorted bytewise, each once, each ended by a line feed.  No wildcards: one name too many runs a program. */
#pragma once

#include <stdbool.h>

#include "bytes.h"

/* Room for the largest packs together; the bound keeps a job within what its channel carries. */
#define PICKLE_NAMES_BYTES_MAX 49152u
#define PICKLE_NAME_MAX 256u /* bytes of one line */

struct pickle_names {
	struct bytes lines; /* borrowed */
};

/* One line without its end: identifiers joined by dots, two or more. */
bool pickle_name_valid(struct bytes line);
/* All of it: bounded, sorted, no line twice. */
bool pickle_names_valid(struct bytes lines);

/* Does the list hold this name?  A name with a dot in it (an attribute of an attribute) is never held. */
bool pickle_names_hold(const struct pickle_names *names, struct bytes module, struct bytes name);
