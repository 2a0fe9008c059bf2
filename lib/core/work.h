/* Work for one scan, with a budget: about nanoseconds, charged by whoever does more than the file's bytes alone explain
 * (reads before the pass, arguments that are walked at every call, storages that are decoded at every use).  One number
 * bounds them all, so that what is harmless alone is not a hundred times in one file.  Never a clock: the same bytes end
 * the same way on every machine.  Lives in the arena, which everybody has. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define WORK_BASE (UINT64_C(2) << 30) /* 2 s; the deadline of the smallest file is 30 s */
#define WORK_PER_BYTE 64u             /* of the file; the deadline allows 50 */

struct scan_work {
	uint64_t done, most; /* most 0: no budget */
};

/* For a file of so many bytes. */
static inline void work_allow(struct scan_work *w, uint64_t size)
{
	w->most = size > (UINT64_MAX - WORK_BASE) / WORK_PER_BYTE ? UINT64_MAX : WORK_BASE + size * WORK_PER_BYTE;
}

static inline bool work_is_spent(const struct scan_work *w)
{
	return w->most > 0 && w->done > w->most;
}

/* Return: false when the budget is spent: stop, for the scan will not be complete. */
static inline bool work_charge(struct scan_work *w, uint64_t n)
{
	w->done = n > UINT64_MAX - w->done ? UINT64_MAX : w->done + n;
	return !work_is_spent(w);
}
