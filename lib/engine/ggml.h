/* The element types of ggml, as GGUF files number them, and the kernels that look at the scales of blocks.  Follows
 * formats/gguf, section 5: elements of a quantised type are small integers that cannot be NaN; what can is the scale
 * that a whole block is multiplied with. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dtype.h"
#include "nonfinite.h"

struct ggml_type {
	enum wlk_dtype dtype; /* NONE: the type was removed from the format */
	uint16_t block;       /* elements that share scales; 1: each stands alone; 0: removed */
	uint16_t bytes;       /* of a block */
	bool runtime_only;    /* made while computing: no file should hold it */
};

/* Return: static storage; NULL for an id that ggml does not define. */
const struct ggml_type *ggml_type(uint32_t id);

/* The kernel of a dtype of kind DTYPE_BLOCK, whose elements are blocks; NULL for any other. */
const struct nonfinite_kernel *ggml_kernel(enum wlk_dtype dtype);

/* Doubles that are finite and that a loader which narrows them to 32 bits takes for infinite.  Whole elements; adds to
 * *count.  Return: bytes before the first of them, or n. */
size_t ggml_beyond_f32(const uint8_t *at, size_t n, uint64_t *count);
