/* The element types of ONNX.  Follows formats/onnx, "Tensor data types". */
#pragma once

#include "onnx.h"

struct onnx_type {
	uint8_t bits;      /* of an element; 0: STRING, or no type */
	uint8_t dtype;     /* enum wlk_dtype */
	uint8_t field;     /* enum onnx_data: where its values are when they are not raw */
	uint8_t parts;     /* values of that field an element takes (complex: 2) */
	int64_t low, high; /* what a value of int32_data or uint64_data may be */
};

/* @id: below ONNX_DTYPES. */
const struct onnx_type *onnx_type_of(uint64_t id);
