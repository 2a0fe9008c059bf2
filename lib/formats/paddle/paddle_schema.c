/* The tables of paddle_schema.h.  Field numbers are those of PaddlePaddle's framework.proto, 1.x to 3.x: operators' versions
 * stood in field 3 of a program for some releases. */
#include "paddle_schema.h"

#define FIELD(no, kind_, ...)                                   \
	{                                                       \
		.number = (no), .kind = PB_##kind_, __VA_ARGS__ \
	}
#define ONE(no, kind) FIELD(no, kind)
#define MANY(no, kind) FIELD(no, kind, .repeated = true)
#define IN_PLACE(no, kind) FIELD(no, kind, .repeated = true, .in_place = true)
#define MSG(no, name) FIELD(no, MESSAGE, .message = &paddle_##name)
#define MSGS(no, name) FIELD(no, MESSAGE, .repeated = true, .message = &paddle_##name)
#define MESSAGE_(name, reserved_, ...)                                  \
	static const struct pb_field name##_fields[] = { __VA_ARGS__ }; \
	const struct pb_message paddle_##name = { #name, name##_fields, \
		sizeof(name##_fields) / sizeof(name##_fields[0]), reserved_ };
#define MESSAGE(name, ...) MESSAGE_(name, NULL, __VA_ARGS__)

static const uint32_t program_reserved[] = { 2, 0 };

/* clang-format off: a table */
MESSAGE_(program, program_reserved, MSGS(1, block), MSG(3, compatible), MSG(4, number), MSG(5, op_versions))
MESSAGE(number, ONE(1, INT64))
MESSAGE(compatible, MSGS(1, compatible_pair), ONE(2, STRING))
MESSAGE(compatible_pair, ONE(1, STRING), MSG(2, compatible_info))
MESSAGE(compatible_info, ONE(1, STRING), ONE(2, ENUM))
MESSAGE(op_versions, MSGS(1, op_version))
MESSAGE(op_version, ONE(1, STRING), MSG(2, number))
MESSAGE(block, ONE(1, INT32), ONE(2, INT32), MSGS(3, var), MSGS(4, op), ONE(5, INT32))
MESSAGE(
    var, ONE(1, STRING), MSG(2, var_type), ONE(3, BOOL), ONE(4, BOOL), ONE(5, BOOL), ONE(6, BOOL), MSGS(7, var_attr))
MESSAGE(var_attr, ONE(1, STRING), ONE(2, ENUM), ONE(3, INT32), ONE(4, TEXT), MANY(5, INT32))
MESSAGE(var_type, ONE(1, ENUM), MSG(2, tensor_desc), MSG(3, lod_tensor), MSG(4, lod_tensor), MSG(5, reader),
    MSG(7, tuple), MSG(8, tensor_desc), MSG(9, tensor_desc), MSG(10, tensor_desc), MSG(11, tensor_desc),
    MSG(12, tensor_desc))
MESSAGE(tensor_desc, ONE(1, ENUM), MANY(2, INT64))
MESSAGE(lod_tensor, MSG(1, tensor_desc), ONE(2, INT32))
MESSAGE(reader, MSGS(1, lod_tensor))
MESSAGE(tuple, MANY(1, ENUM))
MESSAGE(op, MSGS(1, op_var), MSGS(2, op_var), ONE(3, STRING), MSGS(4, attr), ONE(5, BOOL))
MESSAGE(op_var, ONE(1, STRING), MANY(2, STRING))
MESSAGE(attr, ONE(1, STRING), ONE(2, ENUM), ONE(3, INT32), ONE(4, FIXED32), ONE(5, TEXT), MANY(6, INT32),
    IN_PLACE(7, FIXED32), MANY(8, TEXT), ONE(10, BOOL), MANY(11, BOOL), ONE(12, INT32), ONE(13, INT64), MANY(14, INT32),
    MANY(15, INT64), IN_PLACE(16, FIXED64), ONE(17, STRING), MANY(18, STRING), ONE(19, FIXED64), MSG(20, scalar),
    MSGS(21, scalar))
MESSAGE(scalar, ONE(1, ENUM), ONE(2, BOOL), ONE(3, INT64), ONE(4, FIXED64), MSG(5, complex))
MESSAGE(complex, ONE(1, FIXED64), ONE(2, FIXED64))
/* clang-format on */

uint32_t paddle_required(const struct pb_message *m)
{
	static const struct {
		const struct pb_message *message;
		uint32_t fields;
	} required[] = {
		{ &paddle_block, 1u << 1 | 1u << 2 },
		{ &paddle_var, 1u << 1 | 1u << 2 },
		{ &paddle_var_attr, 1u << 1 | 1u << 2 },
		{ &paddle_var_type, 1u << 1 },
		{ &paddle_tensor_desc, 1u << 1 },
		{ &paddle_lod_tensor, 1u << 1 },
		{ &paddle_op, 1u << 3 },
		{ &paddle_op_var, 1u << 1 },
		{ &paddle_op_version, 1u << 1 | 1u << 2 },
		{ &paddle_attr, 1u << 1 | 1u << 2 },
		{ &paddle_scalar, 1u << 1 },
		{ &paddle_complex, 1u << 1 | 1u << 2 },
	};

	for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++)
		if (required[i].message == m)
			return required[i].fields;
	return 0;
}

uint32_t paddle_attr_field(uint64_t type)
{
	/* INT, FLOAT, STRING, INTS, FLOATS, STRINGS, BOOLEAN, BOOLEANS, BLOCK, LONG, BLOCKS, LONGS, FLOAT64S, VAR, VARS,
	 * FLOAT64, SCALAR, SCALARS */
	static const uint8_t fields[PADDLE_N_ATTRS] = { 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
		21 };

	return fields[type];
}
