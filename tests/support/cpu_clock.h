/* Processor time of a test, which a busy machine disturbs less than the time of day. */
#pragma once

#include <time.h>

static inline double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
