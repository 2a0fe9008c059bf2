/* The messages of ONNX, as tables for the protobuf walker.  Follows formats/onnx, section 3 (onnx.proto of 1.23). */
#pragma once

#include "protobuf.h"

#define ONNX_MESSAGES(X) \
	X(model)         \
	X(graph)         \
	X(node)          \
	X(attribute)     \
	X(tensor)        \
	X(sparse)        \
	X(value_info)    \
	X(type)          \
	X(tensor_type)   \
	X(sequence_type) \
	X(map_type)      \
	X(opaque_type)   \
	X(shape)         \
	X(dim)           \
	X(function)      \
	X(opset)         \
	X(entry)         \
	X(annotation)    \
	X(training)      \
	X(device)        \
	X(node_device)   \
	X(sharding)      \
	X(device_group)  \
	X(sharded_dim)   \
	X(simple_dim)    \
	X(segment)

#define X(name) extern const struct pb_message onnx_##name;
ONNX_MESSAGES(X)
#undef X

/* AttributeProto.type. */
enum onnx_attribute_type {
	ONNX_ATTR_UNDEFINED,
	ONNX_ATTR_FLOAT,
	ONNX_ATTR_INT,
	ONNX_ATTR_STRING,
	ONNX_ATTR_TENSOR,
	ONNX_ATTR_GRAPH,
	ONNX_ATTR_FLOATS,
	ONNX_ATTR_INTS,
	ONNX_ATTR_STRINGS,
	ONNX_ATTR_TENSORS,
	ONNX_ATTR_GRAPHS,
	ONNX_ATTR_SPARSE_TENSOR,
	ONNX_ATTR_SPARSE_TENSORS,
	ONNX_ATTR_TYPE_PROTO,
	ONNX_ATTR_TYPE_PROTOS,
	ONNX_N_ATTRS
};

/* TensorProto.data_type: see onnx_types.h for what each of them weighs. */
#define ONNX_DTYPES 27u /* 0 is UNDEFINED */
