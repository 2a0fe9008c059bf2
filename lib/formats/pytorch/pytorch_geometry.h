/* Where a tensor's elements lie in its storage: offset, sizes and strides, checked in 64 bits.  Follows formats/pytorch,
 * section 4, rules 4 to 6. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TORCH_DIMENSIONS_MAX 64u

/* In elements. */
struct torch_view {
	uint64_t offset;
	unsigned n; /* dimensions */
	uint64_t size[TORCH_DIMENSIONS_MAX], stride[TORCH_DIMENSIONS_MAX];
};

/* Elements of the view; false when the product wraps. */
bool torch_view_elements(const struct torch_view *v, uint64_t *ret);

/**
 * torch_view_end() - what the storage must hold at least
 * @ret: elements, up to and including the last one of the view; 0 for a view without elements, wherever it lies.
 * Return: false when it wraps: no storage holds it.
 */
bool torch_view_end(const struct torch_view *v, uint64_t *ret);

/* A view this large of a storage this small takes all memory once somebody copies it. */
bool torch_view_explodes(const struct torch_view *v, uint64_t numel);

/* Are its elements one run, row by row? */
bool torch_view_contiguous(const struct torch_view *v);
