/* The one clock for deadlines and rates. */
#pragma once

#include <stdint.h>
#include <time.h>

/* Milliseconds of a clock that only moves forward. */
static inline uint64_t clock_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* The same with what is between them, for what is reported. */
static inline double clock_now_ms_exact(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}
