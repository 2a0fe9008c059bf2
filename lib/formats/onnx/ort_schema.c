/* The tables of ort_schema.h. */
#include "ort_schema.h"

/* clang-format off: a table */
static const struct ort_table dimension_value = { { "DimensionValue", "18s" }, { 0 } };
static const struct ort_table dimension = { { "Dimension", "rs" }, { &dimension_value } };
static const struct ort_table shape = { { "Shape", "V" }, { &dimension } };
static const struct ort_table type_info = { { "TypeInfo", "suU" }, { 0 } };
static const struct ort_table types[] = { { { "TensorTypeAndShape", "4r" }, { [1] = &shape } },
	{ { "SequenceType", "r" }, { &type_info } }, { { "MapType", "4r" }, { [1] = &type_info } } };
static const struct ort_table value_info = { { "ValueInfo", "ssr" }, { [2] = &type_info } };
const struct ort_table ort_opset = { { "OperatorSetId", "s8" }, { 0 } };
static const struct ort_table entry = { { "StringStringEntry", "ss" }, { 0 } };
const struct ort_table ort_tensor = { { "Tensor", "ssl4dV8" }, { 0 } };
static const struct ort_table sparse = { { "SparseTensor", "rrl" }, { &ort_tensor, &ort_tensor } };
/* Texts of attributes are bytes: their NUL is what lies between objects. */
const struct ort_table ort_attribute = { { "Attribute", "ss448brrilVVV" },
	{ [6] = &ort_tensor, [7] = &ort_graph, [11] = &ort_tensor, [12] = &ort_graph } };
const struct ort_table ort_node = { { "Node", "sss44s4sVVViV" }, { [10] = &ort_attribute } };
const struct ort_table ort_edges = { { "NodeEdge", "4zz" }, { 0 } };
static const struct ort_table indices = { { "NodesToOptimizeIndices", "i441144" }, { 0 } };
static const struct ort_table kernel_hash = { { "NodeIndexAndKernelDefHash", "48" }, { 0 } };
static const struct ort_table record = { { "RuntimeOptimizationRecord", "srVV" },
	{ [1] = &indices, [2] = &kernel_hash } };
static const struct ort_table records = { { "RuntimeOptimizationRecordContainerEntry", "sV" }, { [1] = &record } };
static const struct ort_table optimizations = { { "RuntimeOptimizations", "V" }, { &records } };
const struct ort_table ort_graph = { { "Graph", "VVV4VVVVr" },
	{ &ort_tensor, &value_info, &ort_node, [4] = &ort_edges, [7] = &sparse, [8] = &optimizations } };
const struct ort_table ort_model = { { "Model", "8Vsss8srsV" }, { [1] = &ort_opset, [7] = &ort_graph, [9] = &entry } };
static const struct ort_table state;
static const struct ort_table kernels = { { "KernelCreateInfos", "il" }, { 0 } };
static const struct ort_table sub_state = { { "SubGraphSessionState", "sr" }, { [1] = &state } };
static const struct ort_table state = { { "SessionState", "rV" }, { &kernels, &sub_state } };
static const struct ort_table argument = { { "ArgTypeAndIndex", "14" }, { 0 } };
static const struct ort_table arguments = { { "KernelTypeStrArgsEntry", "sV" }, { [1] = &argument } };
static const struct ort_table operator_types = { { "OpIdKernelTypeStrArgsEntry", "sV" }, { [1] = &arguments } };
static const struct ort_table resolver = { { "KernelTypeStrResolver", "V" }, { &operator_types } };
const struct ort_table ort_session = { { "InferenceSession", "srrr" }, { [1] = &ort_model, &state, &resolver } };
/* clang-format on */

const struct ort_table *ort_type(uint64_t type)
{
	return type >= 1 && type <= sizeof(types) / sizeof(types[0]) ? &types[type - 1] : NULL;
}
