/* Time for the measuring programs: of the wall, and of the processor where nothing is waited for (a busy machine
 * disturbs that less). */
#pragma once

#include <time.h>

static inline double clock_seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline double seconds_now(void)
{
	return clock_seconds(CLOCK_MONOTONIC);
}

static inline double cpu_seconds_now(void)
{
	return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}
