/* Looking up in the table of ONNX's operators: see limits_onnx.h. */
#include "limits_onnx.h"

#include <string.h>

static int compare(const struct limits_onnx_op *op, struct bytes name, bool ml)
{
	size_t n = strlen(op->name);
	int order = memcmp(op->name, name.at, n < name.n ? n : name.n);

	if (order == 0)
		order = (n > name.n) - (n < name.n);
	return order != 0 ? order : (int)op->ml - (int)ml;
}

size_t limits_onnx_find(struct bytes name, bool ml)
{
	size_t low = 0, high = limits_onnx_n_ops;

	if (name.n == 0)
		return limits_onnx_n_ops;
	while (low < high) { /* the first that is not before it */
		size_t middle = low + (high - low) / 2;

		if (compare(&limits_onnx_ops[middle], name, ml) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < limits_onnx_n_ops && compare(&limits_onnx_ops[low], name, ml) == 0 ? low : limits_onnx_n_ops;
}

const struct limits_onnx_op *limits_onnx_version(size_t first, uint64_t version)
{
	const struct limits_onnx_op *op = &limits_onnx_ops[first], *found = NULL;

	for (size_t i = first; i < limits_onnx_n_ops; i++) {
		if (strcmp(limits_onnx_ops[i].name, op->name) != 0 || limits_onnx_ops[i].ml != op->ml ||
		    limits_onnx_ops[i].since > version)
			break;
		found = &limits_onnx_ops[i];
	}
	return found;
}
