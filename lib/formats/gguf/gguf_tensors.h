/* The table of tensors of a GGUF file: name, shape, type and offset of each, and where they lie. */
#pragma once

#include "gguf_metadata.h"

#define GGUF_TENSORS_MAX 65535u
#define GGUF_TENSOR_BYTES_MIN 24u /* of an entry */
#define GGUF_TENSOR_NAME_MAX 63u
#define GGUF_DIMS_MAX 4u

struct gguf_tensors {
	bool quantised; /* any of them is of a type with blocks */
	/* Each lies inside the part, at a place that can be told: what is left over belongs to none. */
	bool layout_known;
};

/**
 * gguf_tensors_read() - the table, from in->pos
 * Fills l->extents: header, tensors and the padding between and behind them, up to the end of the part.
 * Memory: 67 bytes of name and 64 of extents a tensor, 16 while names are compared.  Linear time.
 * Return: WLK_DONE, also with findings; WLK_BROKEN when the table cannot be read to its end; WLK_INCOMPLETE.
 */
enum wlk_status gguf_tensors_read(struct layout *l, struct gguf_in *in, uint64_t n_tensors,
    const struct gguf_metadata *metadata, struct gguf_tensors *ret);
