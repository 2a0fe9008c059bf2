/* Two sides laid beside each other: which tensors of the same name differ, and which has no other. */
#pragma once

#include "diff_side.h"

struct diff_counts {
	uint64_t identical, changed, removed, added; /* removed: only in a; added: only in b */
	uint64_t unknown; /* of those in both: a name or digest that is not known whole, or a name that occurs twice */
};

/* How two tensors of one name differ: DIFF_MATCHED and more. */
unsigned diff_tensors(const struct side_tensor *a, const struct side_tensor *b);

/**
 * diff_match() - mark every tensor of both sides
 * Afterwards the items are in the order of the inputs again.  Time: n log n.
 * Return: 0 or negative errno.
 */
int diff_match(struct side *a, struct side *b, struct diff_counts *ret);

/* ---- diff_print.c ---- */

struct diff_result {
	const struct side *a, *b;
	struct diff_counts counts;
	bool same, complete; /* same: nothing differs, as far as is known */
};

/* Both to standard output, tensor by tensor.  Return: 0 or negative errno of reading again. */
int diff_print_text(const struct diff_result *d);
int diff_print_json(const struct diff_result *d);
