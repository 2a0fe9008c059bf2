/* Looking up in the table of TensorFlow's operators: see limits_tf.h. */
#include "limits_tf.h"

#include <string.h>

static int compare(const char *has, struct bytes name)
{
	size_t n = strlen(has);
	int order = memcmp(has, name.at, n < name.n ? n : name.n);

	return order != 0 ? order : (n > name.n) - (n < name.n);
}

size_t limits_tf_find(struct bytes name)
{
	size_t low = 0, high = limits_tf_n_ops;

	if (name.n == 0)
		return limits_tf_n_ops;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(limits_tf_ops[middle].name, name);

		if (order == 0)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return limits_tf_n_ops;
}
