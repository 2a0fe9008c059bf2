/* Arithmetic on numbers that came from a file.  Such numbers meet + - * << only here, so that a wrap is a
 * branch somebody wrote and not a surprise.  Each helper stores its result and returns true, or returns false
 * and leaves *ret alone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool add_u64(uint64_t a, uint64_t b, uint64_t *ret)
{
	uint64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return false;
	*ret = sum;
	return true;
}

static inline bool sub_u64(uint64_t a, uint64_t b, uint64_t *ret)
{
	if (b > a)
		return false;
	*ret = a - b;
	return true;
}

static inline bool mul_u64(uint64_t a, uint64_t b, uint64_t *ret)
{
	uint64_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return false;
	*ret = product;
	return true;
}

static inline bool mul_size(size_t a, size_t b, size_t *ret)
{
	size_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return false;
	*ret = product;
	return true;
}

static inline bool add_size(size_t a, size_t b, size_t *ret)
{
	size_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return false;
	*ret = sum;
	return true;
}

/* Where memory begins: a file's uint64_t becomes a size_t, or does not fit. */
static inline bool size_from_u64(uint64_t n, size_t *ret)
{
	if (n > SIZE_MAX)
		return false;
	*ret = (size_t)n;
	return true;
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}
