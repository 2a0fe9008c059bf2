/* Which classes and functions a tree of skops may name. */
#pragma once

#include <stdbool.h>

#include "bytes.h"

#define SKOPS_NAME_MAX 256u /* bytes of a module or a class; what is longer is nobody's */

enum skops_standing {
	SKOPS_TRUSTED,  /* makes data, or computes */
	SKOPS_UNLISTED, /* nobody vouches for it: skops asks its user */
	SKOPS_DANGEROUS
};

/* An object of this class is made, or the class itself is handed on. */
enum skops_standing skops_type_standing(struct bytes module, struct bytes name);
/* A function is handed on: skops trusts the elementwise functions of NumPy and SciPy. */
enum skops_standing skops_function_standing(struct bytes module, struct bytes name);
