/* The tables of tf_schema.h.  Field numbers are those of TensorFlow's .proto files; maps are repeated entries of key and
 * value; what stands there without a table of its own is opaque (decision 1). */
#include "tf_schema.h"

#define FIELD(no, kind_, ...)                                   \
	{                                                       \
		.number = (no), .kind = PB_##kind_, __VA_ARGS__ \
	}
#define ONE(no, kind) FIELD(no, kind)
#define MANY(no, kind) FIELD(no, kind, .repeated = true)
#define IN_PLACE(no, kind) FIELD(no, kind, .repeated = true, .in_place = true)
#define EITHER(no, kind) FIELD(no, kind, .oneof = 1)
#define MSG(no, name) FIELD(no, MESSAGE, .message = &tf_##name)
#define MSGS(no, name) FIELD(no, MESSAGE, .repeated = true, .message = &tf_##name)
#define EITHER_MSG(no, name) FIELD(no, MESSAGE, .oneof = 1, .message = &tf_##name)
#define MESSAGE_(name, reserved_, ...)                                                                                \
	static const struct pb_field name##_fields[] = { __VA_ARGS__ };                                               \
	const struct pb_message tf_##name = { #name, name##_fields, sizeof(name##_fields) / sizeof(name##_fields[0]), \
		reserved_ };
#define MESSAGE(name, ...) MESSAGE_(name, NULL, __VA_ARGS__)

static const uint32_t function_reserved[] = { 2, 0 };

/* clang-format off: a table */
MESSAGE(saved_model, ONE(1, INT64), MSGS(2, meta_graph))
MESSAGE(meta_graph, MSG(1, meta_info), MSG(2, graph), MSG(3, saver), MSGS(4, map_entry), MSGS(5, map_entry),
    MSGS(6, asset), MSG(7, object_graph))
MESSAGE(meta_info, ONE(1, STRING), MSG(2, op_list), ONE(3, OPAQUE), MANY(4, STRING), ONE(5, STRING), ONE(6, STRING),
    ONE(7, BOOL), MSGS(8, text_entry))
MESSAGE(
    saver, ONE(1, STRING), ONE(2, STRING), ONE(3, STRING), ONE(4, INT32), ONE(5, BOOL), ONE(6, FIXED32), ONE(7, ENUM))
MESSAGE(map_entry, ONE(1, STRING), ONE(2, OPAQUE))
MESSAGE(op_list, MSGS(1, signature))
MESSAGE(text_entry, ONE(1, STRING), ONE(2, STRING))
MESSAGE(asset, MSG(1, tensor_info), ONE(2, STRING))
MESSAGE(tensor_info, ONE(1, STRING), ONE(2, ENUM), ONE(3, OPAQUE), ONE(4, OPAQUE), ONE(5, OPAQUE))
MESSAGE(object_graph, MSGS(1, object), MANY(2, OPAQUE))
MESSAGE(child, ONE(1, INT32), ONE(2, TEXT))
MESSAGE(slot, ONE(1, INT32), ONE(2, TEXT), ONE(3, INT32))
MESSAGE(object_asset, ONE(1, INT32))
MESSAGE(object, MSGS(1, child), MSGS(3, slot), EITHER_MSG(4, user_object), EITHER_MSG(5, object_asset),
    EITHER(6, OPAQUE), EITHER(7, OPAQUE), EITHER(8, OPAQUE), EITHER(9, OPAQUE), EITHER(10, OPAQUE), MANY(11, OPAQUE),
    EITHER(12, OPAQUE), ONE(13, STRING), ONE(14, OPAQUE), MSGS(15, child))
MESSAGE(user_object, ONE(1, STRING), ONE(2, OPAQUE), ONE(3, TEXT))
MESSAGE(graph, MSGS(1, node), MSG(2, library), ONE(3, INT32), ONE(4, OPAQUE), ONE(5, OPAQUE))
MESSAGE(node, ONE(1, STRING), ONE(2, STRING), MANY(3, STRING), ONE(4, STRING), MSGS(5, attr_entry), ONE(6, OPAQUE),
    ONE(7, OPAQUE))
MESSAGE(attr_entry, ONE(1, STRING), MSG(2, attr))
MESSAGE(attr, EITHER_MSG(1, list), EITHER(2, BYTES), EITHER(3, INT64), EITHER(4, FIXED32), EITHER(5, BOOL),
    EITHER(6, ENUM), EITHER_MSG(7, shape), EITHER_MSG(8, tensor), EITHER(9, STRING), EITHER_MSG(10, func))
MESSAGE(list, MANY(2, BYTES), MANY(3, INT64), IN_PLACE(4, FIXED32), MANY(5, BOOL), MANY(6, ENUM), MSGS(7, shape),
    MSGS(8, tensor), MSGS(9, func))
MESSAGE(func, ONE(1, STRING), MSGS(2, attr_entry))
MESSAGE(library, MSGS(1, function), MSGS(2, gradient), MANY(3, OPAQUE))
MESSAGE_(function, function_reserved, MSG(1, signature), MSGS(3, node), MSGS(4, text_entry), MSGS(5, attr_entry),
    MSGS(6, text_entry), MANY(7, OPAQUE), MANY(8, OPAQUE))
MESSAGE(gradient, ONE(1, STRING), ONE(2, STRING))
MESSAGE(signature, ONE(1, STRING), MSGS(2, argument), MSGS(3, argument), MSGS(4, op_attr), ONE(5, TEXT), ONE(6, TEXT),
    ONE(8, OPAQUE), ONE(16, BOOL), ONE(17, BOOL), ONE(18, BOOL), ONE(19, BOOL), MANY(20, STRING), ONE(21, BOOL))
MESSAGE(argument, ONE(1, STRING), ONE(2, TEXT), ONE(3, ENUM), ONE(4, STRING), ONE(5, STRING), ONE(6, STRING),
    MANY(7, OPAQUE), ONE(16, BOOL), ONE(17, OPAQUE))
MESSAGE(
    op_attr, ONE(1, STRING), ONE(2, STRING), ONE(3, OPAQUE), ONE(4, TEXT), ONE(5, BOOL), ONE(6, INT64), ONE(7, OPAQUE))
MESSAGE(tensor, ONE(1, ENUM), MSG(2, shape), ONE(3, INT32), ONE(4, BLOB), IN_PLACE(5, FIXED32), IN_PLACE(6, FIXED64),
    MANY(7, INT32), MANY(8, BYTES), IN_PLACE(9, FIXED32), MANY(10, INT64), MANY(11, BOOL), IN_PLACE(12, FIXED64),
    MANY(13, INT32), MANY(14, OPAQUE), MANY(15, OPAQUE), MANY(16, UINT32), MANY(17, INT64), ONE(18, BLOB))
MESSAGE(shape, MSGS(2, dim), ONE(3, BOOL))
MESSAGE(dim, ONE(1, INT64), ONE(2, STRING))
/* clang-format on */
