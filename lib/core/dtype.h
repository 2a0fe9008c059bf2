/* Element types of tensors, common to all formats.  A format maps its own names to these; the report carries
 * the number, the verdict prints the name.  X(name, printed, bits, kind). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"

/* Kinds: how a non-finite element looks (formats/safetensors.md, section 2). */
enum dtype_kind {
	DTYPE_OPAQUE,      /* nothing to check: integers, sub-byte floats without NaN */
	DTYPE_IEEE,        /* exponent all ones: mantissa 0 is infinite, else NaN */
	DTYPE_E4M3,        /* 0x7F and 0xFF are NaN; no infinities */
	DTYPE_FNUZ,        /* 0x80 is NaN; no infinities, no negative zero */
	DTYPE_E8M0,        /* 0xFF is NaN; no infinities */
	DTYPE_COMPLEX,     /* two IEEE parts, each counted on its own */
	DTYPE_BOOLEAN,     /* bytes other than 0 and 1 are invalid */
	DTYPE_X87,         /* 80 bits with an explicit integer bit, padded; what is no number at all counts as NaN */
	DTYPE_X87_COMPLEX, /* two of those */
	DTYPE_UCS4,        /* characters: above U+10FFFF they are invalid */
	DTYPE_BLOCK,       /* a block of elements: what can be wrong are the scales they share */
};

/* Those that safetensors has, by the names it has for them. */
#define WLK_DTYPES_SAFETENSORS(X)                                 \
	X(NONE, "none", 8, OPAQUE) /* bytes that are no tensor */ \
	X(BOOL, "BOOL", 8, BOOLEAN)                               \
	X(F4, "F4", 4, OPAQUE)                                    \
	X(F6_E2M3, "F6_E2M3", 6, OPAQUE)                          \
	X(F6_E3M2, "F6_E3M2", 6, OPAQUE)                          \
	X(U8, "U8", 8, OPAQUE)                                    \
	X(I8, "I8", 8, OPAQUE)                                    \
	X(F8_E5M2, "F8_E5M2", 8, IEEE)                            \
	X(F8_E4M3, "F8_E4M3", 8, E4M3)                            \
	X(F8_E8M0, "F8_E8M0", 8, E8M0)                            \
	X(F8_E4M3FNUZ, "F8_E4M3FNUZ", 8, FNUZ)                    \
	X(F8_E5M2FNUZ, "F8_E5M2FNUZ", 8, FNUZ)                    \
	X(I16, "I16", 16, OPAQUE)                                 \
	X(U16, "U16", 16, OPAQUE)                                 \
	X(F16, "F16", 16, IEEE)                                   \
	X(BF16, "BF16", 16, IEEE)                                 \
	X(I32, "I32", 32, OPAQUE)                                 \
	X(U32, "U32", 32, OPAQUE)                                 \
	X(F32, "F32", 32, IEEE)                                   \
	X(I64, "I64", 64, OPAQUE)                                 \
	X(U64, "U64", 64, OPAQUE)                                 \
	X(F64, "F64", 64, IEEE)                                   \
	X(C64, "C64", 64, COMPLEX)

/* Those that GGUF has: blocks of elements that share scales, by the names its tools print.  Bits are those of a block;
 * lib/engine/ggml.c knows where the scales are (formats/gguf, section 5). */
#define WLK_DTYPES_GGML(X)                   \
	X(Q4_0, "Q4_0", 8 * 18, BLOCK)       \
	X(Q4_1, "Q4_1", 8 * 20, BLOCK)       \
	X(Q5_0, "Q5_0", 8 * 22, BLOCK)       \
	X(Q5_1, "Q5_1", 8 * 24, BLOCK)       \
	X(Q8_0, "Q8_0", 8 * 34, BLOCK)       \
	X(Q8_1, "Q8_1", 8 * 36, BLOCK)       \
	X(Q2_K, "Q2_K", 8 * 84, BLOCK)       \
	X(Q3_K, "Q3_K", 8 * 110, BLOCK)      \
	X(Q4_K, "Q4_K", 8 * 144, BLOCK)      \
	X(Q5_K, "Q5_K", 8 * 176, BLOCK)      \
	X(Q6_K, "Q6_K", 8 * 210, BLOCK)      \
	X(Q8_K, "Q8_K", 8 * 292, BLOCK)      \
	X(IQ2_XXS, "IQ2_XXS", 8 * 66, BLOCK) \
	X(IQ2_XS, "IQ2_XS", 8 * 74, BLOCK)   \
	X(IQ3_XXS, "IQ3_XXS", 8 * 98, BLOCK) \
	X(IQ1_S, "IQ1_S", 8 * 50, BLOCK)     \
	X(IQ4_NL, "IQ4_NL", 8 * 18, BLOCK)   \
	X(IQ3_S, "IQ3_S", 8 * 110, BLOCK)    \
	X(IQ2_S, "IQ2_S", 8 * 82, BLOCK)     \
	X(IQ4_XS, "IQ4_XS", 8 * 136, BLOCK)  \
	X(IQ1_M, "IQ1_M", 8 * 56, BLOCK)     \
	X(TQ1_0, "TQ1_0", 8 * 54, BLOCK)     \
	X(TQ2_0, "TQ2_0", 8 * 66, BLOCK)     \
	X(MXFP4, "MXFP4", 8 * 17, BLOCK)     \
	X(NVFP4, "NVFP4", 8 * 36, BLOCK)     \
	X(Q1_0, "Q1_0", 8 * 18, BLOCK)       \
	X(Q2_0, "Q2_0", 8 * 18, BLOCK)

/* Further ones, which other formats have.  Numbers stand in reports: add at the end. */
#define WLK_DTYPES(X)                                                      \
	WLK_DTYPES_SAFETENSORS(X)                                          \
	X(C32, "C32", 32, COMPLEX)                                         \
	X(C128, "C128", 128, COMPLEX)                                      \
	X(LD12, "LD12", 96, X87) /* NumPy's long double: 12 or 16 bytes */ \
	X(LD16, "LD16", 128, X87)                                          \
	X(CLD24, "CLD24", 192, X87_COMPLEX)                                \
	X(CLD32, "CLD32", 256, X87_COMPLEX)                                \
	X(UCS4, "UCS4", 32, UCS4) /* text */                               \
	WLK_DTYPES_GGML(X)                                                 \
	X(U4, "U4", 4, OPAQUE)                                             \
	X(I4, "I4", 4, OPAQUE)                                             \
	X(U2, "U2", 2, OPAQUE)                                             \
	X(I2, "I2", 2, OPAQUE)

enum wlk_dtype {
#define X(name, printed, bits, kind) WLK_DTYPE_##name,
	WLK_DTYPES(X)
#undef X
	    WLK_N_DTYPES
};

struct dtype_info {
	const char *name;
	uint16_t bits;
	enum dtype_kind kind;
};

/* Any value below WLK_N_DTYPES; out of range is a bug.  Static storage. */
const struct dtype_info *dtype_info(enum wlk_dtype dtype);

/* The type that verdicts print so.  Return: false: there is none of this name. */
bool dtype_find(struct bytes name, enum wlk_dtype *ret);

/* The place of a type in the order in which safetensors' reference writes tensors, from 0; false: it does not have it. */
bool dtype_order(enum wlk_dtype dtype, unsigned *ret);

/* True when elements of this type count as "floating-point elements examined" in the verdict. */
static inline bool dtype_is_float(enum wlk_dtype dtype)
{
	enum dtype_kind kind = dtype_info(dtype)->kind;

	return kind != DTYPE_OPAQUE && kind != DTYPE_BOOLEAN && kind != DTYPE_UCS4;
}
