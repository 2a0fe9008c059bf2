/* The names that files of a sharded model have, taken apart.  Follows formats/safetensors-index, sections 1, 3 and 9. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"

/* `model.safetensors.index.fp16.json`: stem `model`, family `safetensors`, variant `fp16` (or empty). */
struct index_name {
	struct bytes stem, family, variant; /* views of the name */
};

/* Only the last component of @name counts.  Return: false: not named like an index. */
bool index_name_parse(struct bytes name, struct index_name *ret);

/* `model-00001-of-00002.safetensors`: stem `model`, number 1, total 2.  Some writers put `_` before the number, some have
 * totals of six digits. */
struct shard_number {
	struct bytes stem; /* what stands before the number; a view of the name */
	struct bytes rest; /* what stands behind the total */
	uint32_t number, total;
	bool plain; /* five digits each behind a dash */
};

/* Return: false: no such numbers in the name. */
bool shard_number_parse(struct bytes name, struct shard_number *ret);

/* What stands behind the last dot; empty without one. */
struct bytes name_extension(struct bytes name);
/* Equal but for the case of ASCII letters. */
bool name_equal_folded(struct bytes a, struct bytes b);
static inline uint8_t name_fold(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? (uint8_t)(c + ('a' - 'A')) : c;
}
