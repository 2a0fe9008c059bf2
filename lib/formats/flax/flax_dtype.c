/* The names that arrays of a Flax checkpoint have for their types: those of numpy.dtype.name, and of ml_dtypes
 * (formats/flax-msgpack, rules 9 and 16, decision 2). */
#include "flax.h"
#include "numpy_descr.h"

struct named_type {
	const char *name;
	enum wlk_dtype dtype;
	uint8_t bytes;
};

/* Types of less than a byte take one each: NumPy does not pack. */
static const struct named_type known[] = {
	{ "float16", WLK_DTYPE_F16, 2 },
	{ "bfloat16", WLK_DTYPE_BF16, 2 },
	{ "float32", WLK_DTYPE_F32, 4 },
	{ "float64", WLK_DTYPE_F64, 8 },
	{ "float8_e4m3fn", WLK_DTYPE_F8_E4M3, 1 },
	{ "float8_e5m2", WLK_DTYPE_F8_E5M2, 1 },
	{ "float8_e4m3fnuz", WLK_DTYPE_F8_E4M3FNUZ, 1 },
	{ "float8_e5m2fnuz", WLK_DTYPE_F8_E5M2FNUZ, 1 },
	{ "float8_e8m0fnu", WLK_DTYPE_F8_E8M0, 1 },
	{ "complex64", WLK_DTYPE_C64, 8 },
	{ "complex128", WLK_DTYPE_C128, 16 },
	{ "bool", WLK_DTYPE_BOOL, 1 },
	{ "int8", WLK_DTYPE_I8, 1 },
	{ "int16", WLK_DTYPE_I16, 2 },
	{ "int32", WLK_DTYPE_I32, 4 },
	{ "int64", WLK_DTYPE_I64, 8 },
	{ "uint8", WLK_DTYPE_U8, 1 },
	{ "uint16", WLK_DTYPE_U16, 2 },
	{ "uint32", WLK_DTYPE_U32, 4 },
	{ "uint64", WLK_DTYPE_U64, 8 },
	{ "int4", WLK_DTYPE_I4, 1 },
	{ "uint4", WLK_DTYPE_U4, 1 },
	{ "int2", WLK_DTYPE_I2, 1 },
	{ "uint2", WLK_DTYPE_U2, 1 },
	{ "float4_e2m1fn", WLK_DTYPE_F4, 1 },
};

/* Floats of eight bits that nothing else here has. */
static const char *const opaque[] = { "float8_e4m3b11fnuz", "float8_e3m4", "float8_e4m3" };

/* "<f4" and the like. */
static struct flax_dtype by_type_string(struct bytes name)
{
	struct numpy_type t;

	if (numpy_type_of_text(name, &t) != NUMPY_OK || t.object || t.dtype == WLK_DTYPE_NONE ||
	    (t.notes & NUMPY_LONG_DOUBLE) != 0 || t.kind == 'M' || t.kind == 'm' || t.kind == 'U')
		return (struct flax_dtype){ .kind = FLAX_DTYPE_UNKNOWN };
	return (struct flax_dtype){
		.kind = FLAX_DTYPE_ORDER, .dtype = t.dtype, .bytes = (uint8_t)t.bytes, .big_endian = t.big_endian
	};
}

struct flax_dtype flax_dtype_of(struct bytes name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (bytes_equal(name, bytes_of_text(known[i].name)))
			return (struct flax_dtype){
				.kind = FLAX_DTYPE_KNOWN, .dtype = known[i].dtype, .bytes = known[i].bytes
			};
	}
	for (size_t i = 0; i < sizeof(opaque) / sizeof(opaque[0]); i++) {
		if (bytes_equal(name, bytes_of_text(opaque[i])))
			return (struct flax_dtype){ .kind = FLAX_DTYPE_OPAQUE, .dtype = WLK_DTYPE_U8, .bytes = 1 };
	}
	return by_type_string(name);
}
