/* Floats of one size as those of another, as PyTorch converts them: through a 32-bit one, rounded to the nearest, and of two to
 * the even.  What is too large becomes infinite, and is found as that in the output. */
#include <string.h>

#include "export_impl.h"

#define BLOCK_ELEMENTS 4096u

static uint32_t bits_of(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static float float_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

bool exports_casts_to(enum wlk_dtype dtype)
{
	return dtype == WLK_DTYPE_F64 || dtype == WLK_DTYPE_F32 || dtype == WLK_DTYPE_F16 || dtype == WLK_DTYPE_BF16;
}

/* A half's exponent is moved up; below its smallest normal number that of a float begins, which is taken off again. */
static float from_half(uint16_t half)
{
	uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13, sign = (uint32_t)(half & 0x8000) << 16;

	if (magnitude >= UINT32_C(0x0f800000)) /* infinite, or no number */
		return float_of(magnitude + UINT32_C(0x70000000) + sign);
	if (magnitude >= UINT32_C(0x00800000))
		return float_of(magnitude + UINT32_C(0x38000000) + sign);
	return float_of(bits_of(float_of(magnitude + UINT32_C(0x38800000)) - float_of(UINT32_C(0x38800000))) | sign);
}

static uint16_t to_half(float f)
{
	uint32_t x = bits_of(f), sign = x >> 16 & 0x8000, magnitude = x & UINT32_C(0x7fffffff);

	if (magnitude > UINT32_C(0x7f800000))
		return (uint16_t)(sign | 0x7e00);
	if (magnitude >= UINT32_C(0x477ff000)) /* 65520, half way to what would be next */
		return (uint16_t)(sign | 0x7c00);
	if (magnitude < UINT32_C(0x38800000)) /* a sum with 0.5 is rounded where the last bit of a half is */
		return (uint16_t)(sign | (bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f)));
	magnitude += UINT32_C(0xfff) + (magnitude >> 13 & 1) - UINT32_C(0x38000000);
	return (uint16_t)(sign | magnitude >> 13);
}

static uint16_t to_brain(float f)
{
	uint32_t x = bits_of(f);

	if ((x & UINT32_C(0x7fffffff)) > UINT32_C(0x7f800000))
		return (uint16_t)(x >> 16 | 0x40);
	return (uint16_t)((x + UINT32_C(0x7fff) + (x >> 16 & 1)) >> 16);
}

static float load(const uint8_t *at, enum wlk_dtype dtype)
{
	double d;

	switch (dtype) {
	case WLK_DTYPE_F64: memcpy(&d, at, sizeof(d)); return (float)d;
	case WLK_DTYPE_F16: return from_half(load_u16le(at));
	case WLK_DTYPE_BF16: return float_of((uint32_t)load_u16le(at) << 16);
	default: return float_of(load_u32le(at));
	}
}

static void store(uint8_t *at, float f, enum wlk_dtype dtype)
{
	double d = (double)f;
	uint16_t half;

	switch (dtype) {
	case WLK_DTYPE_F64: memcpy(at, &d, sizeof(d)); break;
	case WLK_DTYPE_F32: store_u32le(at, bits_of(f)); break;
	default: half = dtype == WLK_DTYPE_F16 ? to_half(f) : to_brain(f); memcpy(at, &half, sizeof(half));
	}
}

void export_cast(struct exports *ex, const struct export_tensor *t, uint64_t index, const uint8_t *at, size_t n)
{
	uint64_t from = dtype_info((enum wlk_dtype)t->source)->bits / 8u, to = export_element(t);
	uint8_t block[BLOCK_ELEMENTS * 8];

	for (uint64_t left = n / from; left > 0 && !exports_refused(ex);) {
		uint64_t some = left < BLOCK_ELEMENTS ? left : BLOCK_ELEMENTS;

		for (uint64_t i = 0; i < some; i++)
			store(block + i * to, load(at + i * from, (enum wlk_dtype)t->source), (enum wlk_dtype)t->dtype);
		(void)export_write(ex, ex->header_bytes + t->at + index * to, block, (size_t)(some * to));
		at += some * from;
		index += some;
		left -= some;
	}
}
