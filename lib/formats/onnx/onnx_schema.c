/* The tables of onnx_schema.h.  Field numbers and kinds are those of onnx.proto; the text fields that may hold prose
 * (doc_string, metadata) are TEXT, names are STRING. */
#include "onnx_schema.h"

#define FIELD(no, kind_, ...)                                   \
	{                                                       \
		.number = (no), .kind = PB_##kind_, __VA_ARGS__ \
	}
#define ONE(no, kind) FIELD(no, kind)
#define MANY(no, kind) FIELD(no, kind, .repeated = true)
#define IN_PLACE(no, kind) FIELD(no, kind, .repeated = true, .in_place = true)
#define EITHER(no, kind) FIELD(no, kind, .oneof = 1)
#define MSG(no, name) FIELD(no, MESSAGE, .message = &onnx_##name)
#define MSGS(no, name) FIELD(no, MESSAGE, .repeated = true, .message = &onnx_##name)
#define EITHER_MSG(no, name) FIELD(no, MESSAGE, .oneof = 1, .message = &onnx_##name)

#define MESSAGE_(name, reserved_, ...)                                  \
	static const struct pb_field name##_fields[] = { __VA_ARGS__ }; \
	const struct pb_message onnx_##name = { #name, name##_fields,   \
		sizeof(name##_fields) / sizeof(name##_fields[0]), reserved_ };
#define MESSAGE(name, ...) MESSAGE_(name, NULL, __VA_ARGS__)
#define MESSAGE_WITH_RESERVED(name, ...) MESSAGE_(name, name##_reserved, __VA_ARGS__)

/* W8. */
static const uint32_t graph_reserved[] = { 3, 4, 6, 7, 8, 9, 0 };
static const uint32_t attribute_reserved[] = { 12, 16, 17, 18, 19, 0 };
static const uint32_t function_reserved[] = { 2, 3, 0 };
static const uint32_t opaque_type_reserved[] = { 3, 0 };

/* clang-format off: a table */
MESSAGE(model, ONE(1, INT64), ONE(2, STRING), ONE(3, STRING), ONE(4, STRING), ONE(5, INT64), ONE(6, TEXT),
    MSG(7, graph), MSGS(8, opset), MSGS(14, entry), MSGS(20, training), MSGS(25, function), MSGS(26, device))
MESSAGE_WITH_RESERVED(graph, MSGS(1, node), ONE(2, STRING), MSGS(5, tensor), ONE(10, TEXT), MSGS(11, value_info),
    MSGS(12, value_info), MSGS(13, value_info), MSGS(14, annotation), MSGS(15, sparse), MSGS(16, entry))
MESSAGE(node, MANY(1, STRING), MANY(2, STRING), ONE(3, STRING), ONE(4, STRING), MSGS(5, attribute), ONE(6, TEXT),
    ONE(7, STRING), ONE(8, STRING), MSGS(9, entry), MSGS(10, node_device))
MESSAGE_WITH_RESERVED(attribute, ONE(1, STRING), ONE(2, FIXED32), ONE(3, INT64), ONE(4, BYTES), MSG(5, tensor),
    MSG(6, graph), IN_PLACE(7, FIXED32), MANY(8, INT64), MANY(9, BYTES), MSGS(10, tensor), MSGS(11, graph),
    ONE(13, TEXT), MSG(14, type), MSGS(15, type), ONE(20, ENUM), ONE(21, STRING), MSG(22, sparse), MSGS(23, sparse))
MESSAGE(tensor, MANY(1, INT64), ONE(2, INT32), MSG(3, segment), IN_PLACE(4, FIXED32), MANY(5, INT32), MANY(6, BYTES),
    MANY(7, INT64), ONE(8, STRING), ONE(9, BLOB), IN_PLACE(10, FIXED64), MANY(11, INT64), ONE(12, TEXT),
    MSGS(13, entry), ONE(14, ENUM), MSGS(16, entry))
MESSAGE(sparse, MSG(1, tensor), MSG(2, tensor), MANY(3, INT64))
MESSAGE(value_info, ONE(1, STRING), MSG(2, type), ONE(3, TEXT), MSGS(4, entry))
MESSAGE(type, EITHER_MSG(1, tensor_type), EITHER_MSG(4, sequence_type), EITHER_MSG(5, map_type), ONE(6, STRING),
    EITHER_MSG(7, opaque_type), EITHER_MSG(8, tensor_type), EITHER_MSG(9, sequence_type))
MESSAGE(tensor_type, ONE(1, INT32), MSG(2, shape))
MESSAGE(sequence_type, MSG(1, type))
MESSAGE(map_type, ONE(1, INT32), MSG(2, type))
MESSAGE_WITH_RESERVED(opaque_type, ONE(1, STRING), ONE(2, STRING))
MESSAGE(shape, MSGS(1, dim))
MESSAGE(dim, EITHER(1, INT64), EITHER(2, STRING), ONE(3, STRING))
MESSAGE_WITH_RESERVED(function, ONE(1, STRING), MANY(4, STRING), MANY(5, STRING), MANY(6, STRING), MSGS(7, node),
    ONE(8, TEXT), MSGS(9, opset), ONE(10, STRING), MSGS(11, attribute), MSGS(12, value_info), ONE(13, STRING),
    MSGS(14, entry))
MESSAGE(opset, ONE(1, STRING), ONE(2, INT64))
MESSAGE(entry, ONE(1, STRING), ONE(2, TEXT))
MESSAGE(annotation, ONE(1, STRING), MSGS(2, entry))
MESSAGE(training, MSG(1, graph), MSG(2, graph), MSGS(3, entry), MSGS(4, entry))
MESSAGE(device, ONE(1, STRING), ONE(2, INT32), MANY(3, STRING))
MESSAGE(node_device, ONE(1, STRING), MSGS(2, sharding), ONE(3, INT32))
MESSAGE(sharding, ONE(1, STRING), MANY(2, INT64), MSGS(3, device_group), MSGS(4, sharded_dim))
MESSAGE(device_group, ONE(1, INT64), MANY(2, INT64))
MESSAGE(sharded_dim, ONE(1, INT64), MSGS(2, simple_dim))
MESSAGE(simple_dim, EITHER(1, INT64), EITHER(2, STRING), ONE(3, INT64))
MESSAGE(segment, ONE(1, INT64), ONE(2, INT64))
/* clang-format on */
