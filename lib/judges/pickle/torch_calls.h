/* PyTorch's calls that make tensors, as its own writers make them: torch/_utils.py and torch/_tensor.py, releases 1.13 to
 * 2.15.  One table for the judge of names and for the reader of checkpoints, so that no argument is one thing to one of
 * them and nothing to the other.  A call that is not as it stands here is written by nobody. */
#pragma once

#include <stdint.h>

#include "bytes.h"

/* What an argument is. */
enum torch_role {
	TORCH_ROLE_NONE, /* beyond the last */
	TORCH_ROLE_STORAGE,
	TORCH_ROLE_OFFSET,
	TORCH_ROLE_SIZE,
	TORCH_ROLE_STRIDE,
	TORCH_ROLE_GRAD,     /* requires_grad: a bool */
	TORCH_ROLE_HOOKS,    /* an OrderedDict that stays empty */
	TORCH_ROLE_METADATA, /* a dictionary of conj and neg */
	TORCH_ROLE_DTYPE,
	TORCH_ROLE_QUANTIZER,
	TORCH_ROLE_TENSOR,
	TORCH_ROLE_ARRAY, /* NumPy's */
	TORCH_ROLE_LAYOUT,
	TORCH_ROLE_PARTS,  /* tensors that a sparse one is made of */
	TORCH_ROLE_DEVICE, /* the name of one that has memory */
	TORCH_ROLE_ANY,    /* never looked at */
	TORCH_ROLE_FUNCTION,
	TORCH_ROLE_CLASS,
	TORCH_ROLE_ARGUMENTS,
	TORCH_ROLE_STATE, /* attributes that are set on the result, as BUILD would */
};

#define TORCH_ROLES_MAX 8u

enum torch_function {
	TORCH_REBUILD_TENSOR,
	TORCH_REBUILD_TENSOR_V2,
	TORCH_REBUILD_TENSOR_V3,
	TORCH_REBUILD_QTENSOR,
	TORCH_REBUILD_PARAMETER,
	TORCH_REBUILD_PARAMETER_WITH_STATE,
	TORCH_REBUILD_SPARSE,
	TORCH_REBUILD_META,
	TORCH_REBUILD_WRAPPER,
	TORCH_REBUILD_FROM_NUMPY,
	TORCH_REBUILD_FROM_CPU_TENSOR,
	TORCH_REBUILD_FROM_TYPE,
};

struct torch_call {
	const char *module, *name;
	enum torch_function function;
	uint8_t least, most; /* arguments */
	uint8_t roles[TORCH_ROLES_MAX];
};

/* NULL: the name makes no tensor, or nobody knows how.  @module, @name: as Python 3 has them. */
const struct torch_call *torch_call_of(struct bytes module, struct bytes name);

/* The place of the argument with this role; -1: it has none. */
int torch_call_place(const struct torch_call *c, enum torch_role role);
