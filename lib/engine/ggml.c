/* ggml's types: see ggml.h.  The table is the text: a new type is a line here and one in dtype.h.  From each line grow
 * the entry and the kernel of the type, with its stride and the place of its scales as constants, so that a block costs
 * one load.  Compiled with -O3.
 *
 * As in nonfinite_kernels.c no branch depends on the data and no early exit ends a loop. */
#include "ggml.h"

#include <string.h>

#include "bytes.h"

/* X(id, type, elements of a block, kind of its scales, offset of the first, made at runtime only)
 *   HALF, HALVES: one 16-bit float; two side by side          SINGLE: a 32-bit float
 *   NIBBLES: a 16-bit float in the top nibbles of four words  E8M0, UE4M3: a byte; a byte for each 16 elements */
#define GGML_BLOCKS(X)                    \
	X(2, Q4_0, 32, HALF, 0, 0)        \
	X(3, Q4_1, 32, HALVES, 0, 0)      \
	X(6, Q5_0, 32, HALF, 0, 0)        \
	X(7, Q5_1, 32, HALVES, 0, 0)      \
	X(8, Q8_0, 32, HALF, 0, 0)        \
	X(9, Q8_1, 32, HALVES, 0, 1)      \
	X(10, Q2_K, 256, HALVES, 80, 0)   \
	X(11, Q3_K, 256, HALF, 108, 0)    \
	X(12, Q4_K, 256, HALVES, 0, 0)    \
	X(13, Q5_K, 256, HALVES, 0, 0)    \
	X(14, Q6_K, 256, HALF, 208, 0)    \
	X(15, Q8_K, 256, SINGLE, 0, 1)    \
	X(16, IQ2_XXS, 256, HALF, 0, 0)   \
	X(17, IQ2_XS, 256, HALF, 0, 0)    \
	X(18, IQ3_XXS, 256, HALF, 0, 0)   \
	X(19, IQ1_S, 256, HALF, 0, 0)     \
	X(20, IQ4_NL, 32, HALF, 0, 0)     \
	X(21, IQ3_S, 256, HALF, 0, 0)     \
	X(22, IQ2_S, 256, HALF, 0, 0)     \
	X(23, IQ4_XS, 256, HALF, 0, 0)    \
	X(29, IQ1_M, 256, NIBBLES, 48, 0) \
	X(34, TQ1_0, 256, HALF, 52, 0)    \
	X(35, TQ2_0, 256, HALF, 64, 0)    \
	X(39, MXFP4, 32, E8M0, 0, 0)      \
	X(40, NVFP4, 64, UE4M3, 0, 0)     \
	X(41, Q1_0, 128, HALF, 0, 0)      \
	X(42, Q2_0, 64, HALF, 0, 0)

/* X(id, type): elements that stand alone. */
#define GGML_ELEMENTS(X) \
	X(0, F32)        \
	X(1, F16)        \
	X(24, I8)        \
	X(25, I16)       \
	X(26, I32)       \
	X(27, I64)       \
	X(28, F64)       \
	X(30, BF16)

#define GGML_IDS 43u /* those that are no gap in the table were removed: 4, 5, 31 to 33, 36 to 38 */

/* Bytes of a block or element, from the one place that says so. */
enum {
#define X(name, printed, bits, kind) BYTES_##name = (bits) / 8,
	WLK_DTYPES(X)
#undef X
};

static inline uint16_t load_u16(const uint8_t *at)
{
	uint16_t x;

	memcpy(&x, at, sizeof(x));
	return x;
}

static inline uint32_t load_u32(const uint8_t *at)
{
	uint32_t x;

	memcpy(&x, at, sizeof(x));
	return x;
}

/* -- one scale: a question for the top bits of a sum, and exact counts -- */

/* Adding the lowest bit of the exponent to an exponent of all ones, and to no other, carries into the sign's place. */
#define HALF_EXPONENT 0x7c00u
#define HALVES_CARRY(x) (((x)&0x7c007c00u) + 0x04000400u)
#define HALVES_TOP 0x80008000u

static inline void count_half(struct nonfinite_counts *c, unsigned x)
{
	c->nan += (x & 0x7fffu) > HALF_EXPONENT;
	c->pos_inf += x == HALF_EXPONENT;
	c->neg_inf += x == (HALF_EXPONENT | 0x8000u);
}

/* iq1_m keeps its scale in the top nibbles of the four words of its small scales. */
static inline unsigned nibbles_to_half(const uint8_t *at)
{
	unsigned s0 = load_u16(at), s1 = load_u16(at + 2), s2 = load_u16(at + 4), s3 = load_u16(at + 6);

	return s0 >> 12 | (s1 >> 8 & 0x00f0u) | (s2 >> 4 & 0x0f00u) | (s3 & 0xf000u);
}

/* For each kind: the numbers of a block, the terms that are or-ed over all blocks and where a bad one shows in them, and
 * exact counts.  `at` is where the scales are. */
#define SCALES_HALF 1
#define TERM_HALF(at) HALVES_CARRY((uint32_t)load_u16(at))
#define TOP_HALF 0x8000u
#define COUNT_HALF(c, at) count_half(c, load_u16(at))

#define SCALES_HALVES 2
#define TERM_HALVES(at) HALVES_CARRY(load_u32(at))
#define TOP_HALVES HALVES_TOP
#define COUNT_HALVES(c, at) (count_half(c, load_u16(at)), count_half(c, load_u16((at) + 2)))

#define SINGLE_EXPONENT 0x7f800000u
#define SCALES_SINGLE 1
#define TERM_SINGLE(at) ((load_u32(at) & SINGLE_EXPONENT) + 0x00800000u)
#define TOP_SINGLE 0x80000000u
#define COUNT_SINGLE(c, at) count_single(c, load_u32(at))

static inline void count_single(struct nonfinite_counts *c, uint32_t x)
{
	c->nan += (x & 0x7fffffffu) > SINGLE_EXPONENT;
	c->pos_inf += x == SINGLE_EXPONENT;
	c->neg_inf += x == (SINGLE_EXPONENT | 0x80000000u);
}

#define SCALES_NIBBLES 1
#define TERM_NIBBLES(at) HALVES_CARRY(nibbles_to_half(at))
#define TOP_NIBBLES 0x8000u
#define COUNT_NIBBLES(c, at) count_half(c, nibbles_to_half(at))

/* 0xFF is NaN; there is no infinity. */
#define SCALES_E8M0 1
#define TERM_E8M0(at) ((uint32_t) * (at) + 1)
#define TOP_E8M0 0x100u
#define COUNT_E8M0(c, at) ((c)->nan += *(at) == 0xff)

/* Four bytes.  0x7F is no number in true E4M3, and a scale has no sign. */
#define UE4M3_CARRY(x) ((((x)&0x7f7f7f7fu) + 0x01010101u) | (x))
#define UE4M3_TOP 0x80808080u
#define SCALES_UE4M3 4
#define TERM_UE4M3(at) UE4M3_CARRY(load_u32(at))
#define TOP_UE4M3 UE4M3_TOP
#define COUNT_UE4M3(c, at) ((c)->invalid += (unsigned)__builtin_popcount(UE4M3_CARRY(load_u32(at)) & UE4M3_TOP))

/* Where the first bad scale of a block begins, behind the first scale: only kinds of several need to look. */
static inline size_t first_of_halves(const uint8_t *at)
{
	return HALVES_CARRY((uint32_t)load_u16(at)) & 0x8000u ? 0 : 2;
}

static inline size_t first_of_bytes(const uint8_t *at)
{
	uint32_t bad = UE4M3_CARRY(load_u32(at)) & UE4M3_TOP;

	return bad != 0 ? (size_t)__builtin_ctz(bad) / 8 : 0;
}

#define FIRST_HALF(at) 0
#define FIRST_HALVES(at) first_of_halves(at)
#define FIRST_SINGLE(at) 0
#define FIRST_NIBBLES(at) 0
#define FIRST_E8M0(at) 0
#define FIRST_UE4M3(at) first_of_bytes(at)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "scales are loaded as the file stores them");

/* -- the kernels -- */

#define X(id, name, elements, kind, offset, runtime)                                           \
	static bool any_##name(const uint8_t *at, size_t n)                                    \
	{                                                                                      \
		uint32_t m = 0;                                                                \
                                                                                               \
		for (size_t i = 0; i < n; i += BYTES_##name)                                   \
			m |= TERM_##kind(at + i + (offset));                                   \
		return (m & TOP_##kind) != 0;                                                  \
	}                                                                                      \
                                                                                               \
	static void count_##name(const uint8_t *at, size_t n, struct nonfinite_counts *counts) \
	{                                                                                      \
		struct nonfinite_counts c = *counts;                                           \
                                                                                               \
		for (size_t i = 0; i < n; i += BYTES_##name)                                   \
			COUNT_##kind(&c, at + i + (offset));                                   \
		*counts = c;                                                                   \
	}                                                                                      \
                                                                                               \
	static size_t where_##name(const uint8_t *element)                                     \
	{                                                                                      \
		(void)element;                                                                 \
		return (offset) + FIRST_##kind(element + (offset));                            \
	}
GGML_BLOCKS(X)
#undef X

const struct nonfinite_kernel *ggml_kernel(enum wlk_dtype dtype)
{
	static const struct nonfinite_kernel kernels[WLK_N_DTYPES] = {
#define X(id, name, elements, kind, offset, runtime) \
	[WLK_DTYPE_##name] = { .any = any_##name,    \
		.count = count_##name,               \
		.element_bytes = BYTES_##name,       \
		.scales = SCALES_##kind,             \
		.where = where_##name },
		GGML_BLOCKS(X)
#undef X
	};

	return kernels[dtype].any != NULL ? &kernels[dtype] : NULL;
}

const struct ggml_type *ggml_type(uint32_t id)
{
	static const struct ggml_type types[GGML_IDS] = {
#define X(id, name, elements, kind, offset, runtime) [id] = { WLK_DTYPE_##name, elements, BYTES_##name, runtime },
		GGML_BLOCKS(X)
#undef X
#define X(id, name) [id] = { WLK_DTYPE_##name, 1, BYTES_##name, false },
		    GGML_ELEMENTS(X)
#undef X
	};

	return id < GGML_IDS ? &types[id] : NULL;
}

/* From half a unit above the largest 32-bit float on, rounding to the nearest gives infinity. */
#define F64_EXPONENT UINT64_C(0x7ff0000000000000)
#define F64_BEYOND UINT64_C(0x47effffff0000000)

size_t ggml_beyond_f32(const uint8_t *at, size_t n, uint64_t *count)
{
	size_t first = n;

	for (size_t i = 0; i < n; i += 8) {
		uint64_t x = load_u64le(at + i) & INT64_MAX;

		if (x < F64_BEYOND || x >= F64_EXPONENT)
			continue;
		first = first < i ? first : i;
		++*count;
	}
	return first;
}
