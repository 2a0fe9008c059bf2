/* The messages of PaddlePaddle's programs (framework.proto of 3.0), as tables for the protobuf walker. */
#pragma once

#include "protobuf.h"

extern const struct pb_message paddle_program, paddle_block, paddle_var, paddle_var_attr, paddle_var_type,
    paddle_tensor_desc, paddle_lod_tensor, paddle_reader, paddle_tuple, paddle_op, paddle_op_var, paddle_attr,
    paddle_scalar, paddle_complex, paddle_number, paddle_op_versions, paddle_op_version, paddle_compatible,
    paddle_compatible_pair, paddle_compatible_info;

/* AttrType. */
enum paddle_attr_type {
	PADDLE_ATTR_BLOCK = 8,
	PADDLE_ATTR_BLOCKS = 10,
	PADDLE_N_ATTRS = 18,
};

/* Fields that a message must have, as a bit each (1 << number); 0: none. */
uint32_t paddle_required(const struct pb_message *m);
/* The field of an attribute that holds values of this type, below PADDLE_N_ATTRS. */
uint32_t paddle_attr_field(uint64_t type);
