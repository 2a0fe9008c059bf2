/* What the members of a checkpoint's archive are, by their names below the archive's folder.  Follows formats/pytorch,
 * section 2. */
#pragma once

#include <stdbool.h>

#include "bytes.h"

enum torch_member {
	TORCH_MEMBER_UNKNOWN,
	TORCH_MEMBER_DATA_PKL,
	TORCH_MEMBER_STORAGE, /* data/N */
	TORCH_MEMBER_VERSION,
	TORCH_MEMBER_INNER_VERSION, /* .data/version */
	TORCH_MEMBER_FORMAT_VERSION,
	TORCH_MEMBER_ALIGNMENT,
	TORCH_MEMBER_BYTEORDER,
	TORCH_MEMBER_SERIALIZATION_ID,
	TORCH_MEMBER_CODE,    /* TorchScript, exported programs: what runs */
	TORCH_MEMBER_SCRIPT,  /* what only such archives have beside it */
	TORCH_MEMBER_PACKAGE, /* torch.package */
};

enum torch_member torch_member_of(struct bytes name);

/* Does a member of this kind make the archive more than weights? */
static inline bool torch_member_is_code(enum torch_member member)
{
	return member == TORCH_MEMBER_CODE || member == TORCH_MEMBER_SCRIPT || member == TORCH_MEMBER_PACKAGE;
}

/* Split ROOT/NAME at the first slash; false: the name has no root. */
bool torch_member_split(struct bytes path, struct bytes *ret_root, struct bytes *ret_name);
