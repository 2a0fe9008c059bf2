/* What the writer of an output promised, against what another worker found in it. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "convert.h"
#include "tensor_rows.h"

struct promises {
	uint64_t tensors;
	json_t *aliases;    /* name: the name it is kept under */
	json_t *left;       /* [{name, why}], CONVERT_LEFT_MAX at most */
	json_t *unchecked;  /* names of tensors for which no digest was promised */
	const char *broken; /* static text: what differs; NULL: nothing */
};

/* What is to be listed is bounded, else it is broken.  @made: what the writer sent (convert.h).  @found: rows and digests of the output.  Return: 0 or negative errno; free what
 * it left with promises_done() in any case. */
int promises_compare(const struct tensor_rows *made, const struct tensor_rows *found, struct promises *ret);
void promises_done(struct promises *p);

const char *convert_reason_text(uint64_t why);
