/* PyTorch's names for what a tensor is made of: storage classes, dtypes, quantisation schemes, layouts, locations.
 * Follows formats/pytorch, sections 3 and 4. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "dtype.h"

struct torch_type {
	enum wlk_dtype dtype; /* NONE: bytes with nothing to check */
	uint8_t bytes;        /* of one element */
	bool integer;         /* may index: what sparse tensors need */
	bool raw;             /* its elements are not what `dtype` says, which is only what they are examined as */
	uint8_t packed;       /* elements in one byte of a storage, which counts bytes; 1: none are packed */
};

/**
 * torch_storage_type() - what a storage class holds
 * @module, @name: of the class, such as torch, FloatStorage.
 * @ret_untyped: the class does not say; numel counts bytes.
 * Return: NULL when there is no such class; static storage.
 */
const struct torch_type *torch_storage_type(struct bytes module, struct bytes name, bool *ret_untyped);

/* A dtype such as torch.float8_e5m2, by its name within torch; NULL: none of that name. */
const struct torch_type *torch_dtype(struct bytes name);

/* A tensor class of old writers (torch.FloatTensor, torch.cuda.FloatTensor), torch.Tensor, Parameter or Buffer: what
 * the restricted loader may build. */
bool torch_is_tensor_class(struct bytes module, struct bytes name);

/* A device a storage was on: a known kind, maybe with a number. */
bool torch_location_known(struct bytes location);

/* Plain decimal digits without a leading zero, as every writer makes storage keys. */
bool torch_is_decimal(struct bytes text);
