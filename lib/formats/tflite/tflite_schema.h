/* The tables of a TensorFlow Lite model, version 3 with the additions a to c of its schema: see flatbuffers.h for the
 * letters.  Fields are numbered in the order of the schema. */
#pragma once

#include "flatbuffers.h"

extern const struct fb_schema tflite_model, tflite_operator_code, tflite_subgraph, tflite_tensor, tflite_variant,
    tflite_quantization, tflite_sparsity, tflite_dimension, tflite_operator, tflite_buffer, tflite_metadata,
    tflite_tensor_map, tflite_signature;

enum {
	MODEL_VERSION,
	MODEL_CODES,
	MODEL_SUBGRAPHS,
	MODEL_DESCRIPTION,
	MODEL_BUFFERS,
	MODEL_METADATA_BUFFERS,
	MODEL_METADATA,
	MODEL_SIGNATURES
};
enum { CODE_OLD, CODE_CUSTOM, CODE_VERSION, CODE_BUILTIN };
enum { SUBGRAPH_TENSORS, SUBGRAPH_INPUTS, SUBGRAPH_OUTPUTS, SUBGRAPH_OPERATORS, SUBGRAPH_NAME };
enum {
	TENSOR_SHAPE,
	TENSOR_TYPE,
	TENSOR_BUFFER,
	TENSOR_NAME,
	TENSOR_QUANTIZATION,
	TENSOR_VARIABLE,
	TENSOR_SPARSITY,
	TENSOR_SIGNATURE,
	TENSOR_HAS_RANK,
	TENSOR_VARIANTS
};
enum { QUANT_MIN, QUANT_MAX, QUANT_SCALE, QUANT_ZERO_POINT, QUANT_DETAILS_TYPE, QUANT_DETAILS, QUANT_DIMENSION };
enum { SPARSITY_ORDER, SPARSITY_BLOCK_MAP, SPARSITY_DIMENSIONS };
enum {
	DIMENSION_FORMAT,
	DIMENSION_SIZE,
	DIMENSION_SEGMENTS_TYPE,
	DIMENSION_SEGMENTS,
	DIMENSION_INDICES_TYPE,
	DIMENSION_INDICES
};
enum {
	OPERATOR_CODE,
	OPERATOR_INPUTS,
	OPERATOR_OUTPUTS,
	OPERATOR_OPTIONS_TYPE,
	OPERATOR_OPTIONS,
	OPERATOR_CUSTOM,
	OPERATOR_CUSTOM_FORMAT,
	OPERATOR_MUTATING,
	OPERATOR_INTERMEDIATES,
	OPERATOR_LARGE_OFFSET,
	OPERATOR_LARGE_SIZE,
	OPERATOR_OPTIONS_2_TYPE,
	OPERATOR_OPTIONS_2
};
enum { BUFFER_DATA, BUFFER_OFFSET, BUFFER_SIZE };
enum { METADATA_NAME, METADATA_BUFFER };
enum { MAP_NAME, MAP_TENSOR };
enum { SIGNATURE_INPUTS, SIGNATURE_OUTPUTS, SIGNATURE_KEY, SIGNATURE_TAG, SIGNATURE_SUBGRAPH };

/* The members of a union, by its type; NULL: none of this number. */
const struct fb_schema *tflite_options(uint64_t type);
const struct fb_schema *tflite_options_2(uint64_t type);
const struct fb_schema *tflite_index_vector(uint64_t type);
const struct fb_schema *tflite_quantization_details(uint64_t type);
