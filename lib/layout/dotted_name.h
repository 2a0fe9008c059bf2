/* A name made of keys and numbers from the inside out, joined by dots, as a state dict names its tensors. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "decimal.h"

#define DOTTED_NAME_MAX 1024u /* bytes; what a report shows of a name */

struct dotted_name {
	uint8_t at[DOTTED_NAME_MAX];
	size_t begin; /* written from the end */
};

static inline void dotted_begin(struct dotted_name *d)
{
	d->begin = DOTTED_NAME_MAX;
}

static inline struct bytes dotted_text(const struct dotted_name *d)
{
	return bytes_of(d->at + d->begin, DOTTED_NAME_MAX - d->begin);
}

/* False: it is too long. */
static inline bool dotted_prepend(struct dotted_name *d, struct bytes segment)
{
	if (segment.n >= d->begin)
		return false;
	if (d->begin != DOTTED_NAME_MAX)
		d->at[--d->begin] = '.';
	d->begin -= segment.n;
	bytes_copy(d->at + d->begin, segment);
	return true;
}

static inline bool dotted_prepend_number(struct dotted_name *d, int64_t number)
{
	char text[1 + DECIMAL_MAX] = "-";
	size_t n = decimal_text(number < 0 ? 0 - (uint64_t)number : (uint64_t)number, text + 1);

	return dotted_prepend(d, number < 0 ? bytes_of(text, n + 1) : bytes_of(text + 1, n));
}
