/* The tables of ONNX Runtime's own format (ORTM), and which of them refer to which: see flatbuffers.h for the letters. */
#pragma once

#include "flatbuffers.h"

#define ORT_FIELDS_MAX 13u

struct ort_table {
	struct fb_schema schema;
	const struct ort_table
	    *inner[ORT_FIELDS_MAX]; /* of tables; of vectors: NULL: of strings; of unions: see below */
};

extern const struct ort_table ort_session, ort_model, ort_graph, ort_node, ort_edges, ort_tensor, ort_opset,
    ort_attribute;

/* The member of TypeInfoValue; NULL: none of this number. */
const struct ort_table *ort_type(uint64_t type);

enum { GRAPH_MAX_NODE = 3 };
enum { NODE_NAME, NODE_DOC, NODE_DOMAIN, NODE_SINCE, NODE_INDEX, NODE_OP };
enum { EDGES_NODE, EDGES_IN, EDGES_OUT };
enum { TENSOR_NAME, TENSOR_DOC, TENSOR_DIMS, TENSOR_TYPE, TENSOR_RAW, TENSOR_STRINGS, TENSOR_EXTERNAL };
