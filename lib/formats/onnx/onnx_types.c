/* The table of onnx_types.h. */
#include "onnx_types.h"

#define T(bits, dtype, field, parts, low, high)                              \
	{                                                                    \
		bits, WLK_DTYPE_##dtype, ONNX_DATA_##field, parts, low, high \
	}

static const struct onnx_type types[ONNX_DTYPES] = {
	[1] = T(32, F32, FLOAT, 1, 0, 0),
	[2] = T(8, U8, INT32, 1, 0, 255),
	[3] = T(8, I8, INT32, 1, -128, 127),
	[4] = T(16, U16, INT32, 1, 0, 65535),
	[5] = T(16, I16, INT32, 1, -32768, 32767),
	[6] = T(32, I32, INT32, 1, INT32_MIN, INT32_MAX),
	[7] = T(64, I64, INT64, 1, INT64_MIN, INT64_MAX),
	[8] = T(0, NONE, STRING, 1, 0, 0),
	[9] = T(8, BOOL, INT32, 1, 0, 1),
	[10] = T(16, F16, INT32, 1, 0, 65535),
	[11] = T(64, F64, DOUBLE, 1, 0, 0),
	[12] = T(32, U32, UINT64, 1, 0, UINT32_MAX),
	[13] = T(64, U64, UINT64, 1, INT64_MIN, INT64_MAX),
	[14] = T(64, C64, FLOAT, 2, 0, 0),
	[15] = T(128, C128, DOUBLE, 2, 0, 0),
	[16] = T(16, BF16, INT32, 1, 0, 65535),
	[17] = T(8, F8_E4M3, INT32, 1, 0, 255),
	[18] = T(8, F8_E4M3FNUZ, INT32, 1, 0, 255),
	[19] = T(8, F8_E5M2, INT32, 1, 0, 255),
	[20] = T(8, F8_E5M2FNUZ, INT32, 1, 0, 255),
	[21] = T(4, U4, INT32, 1, -128, 255),
	[22] = T(4, I4, INT32, 1, -128, 255),
	[23] = T(4, F4, INT32, 1, -128, 255),
	[24] = T(8, F8_E8M0, INT32, 1, 0, 255),
	[25] = T(2, U2, INT32, 1, -128, 255),
	[26] = T(2, I2, INT32, 1, -128, 255),
};

const struct onnx_type *onnx_type_of(uint64_t id)
{
	return &types[id];
}
