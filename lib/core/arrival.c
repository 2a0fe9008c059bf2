/* See arrival.h. */
#include "arrival.h"

#include "checked.h"

bool arrival_wait(struct arrival *a, uint64_t offset, size_t n)
{
	uint64_t end = a->size;

	(void)add_u64(offset, n, &end);
	end = min_u64(end, a->size);
	while (a->mark < end) {
		uint64_t mark;

		if (!a->next(a->ctx, &mark) || mark < a->mark || mark > a->size)
			return false;
		a->mark = mark;
	}
	return true;
}
