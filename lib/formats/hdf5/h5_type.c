/* Data types and spaces of an HDF5 file: section 4.4 of formats/keras-hdf5. */
#include "checked.h"
#include "h5.h"

/* -- spaces -- */

bool h5_read_space(struct h5 *h, struct cursor *c, struct h5_space *ret)
{
	uint8_t version, rank, flags, kind = 1;

	*ret = (struct h5_space){ .present = true };
	if (!cur_u8(c, &version) || !cur_u8(c, &rank) || !cur_u8(c, &flags) || (version != 1 && version != 2) ||
	    rank > H5_RANK_MAX || (version == 2 && !cur_u8(c, &kind)) || kind > 2 || (version == 1 && !cur_skip(c, 5)))
		return h5_break(h, WLK_F_H5_STRUCTURE, c->pos, "data space");
	ret->rank = rank;
	ret->null = kind == 2;
	if (kind != 1 && rank > 0)
		return h5_break(h, WLK_F_H5_STRUCTURE, c->pos, "data space");
	for (unsigned i = 0; i < rank; i++) {
		if (!cur_u64le(c, &ret->dims[i]))
			return h5_break(h, WLK_F_H5_STRUCTURE, c->pos, "data space");
	}
	for (unsigned i = 0; i < rank; i++) {
		ret->most[i] = ret->dims[i];
		if ((flags & 1) != 0 && (!cur_u64le(c, &ret->most[i]) || ret->most[i] < ret->dims[i]))
			return h5_break(h, WLK_F_H5_STRUCTURE, c->pos, "data space");
	}
	return true;
}

/* A product overflows whatever dimension is zero: some reader multiplies in another order. */
bool h5_space_elements(const struct h5_space *s, uint64_t *ret)
{
	uint64_t product = 1;
	bool empty = s->null;

	for (unsigned i = 0; i < s->rank; i++) {
		empty = empty || s->dims[i] == 0;
		if (!mul_u64(product, s->dims[i] > 0 ? s->dims[i] : 1, &product))
			return false;
	}
	*ret = empty ? 0 : product;
	return true;
}

/* -- types -- */

struct fixed_type {
	uint16_t bit_offset, precision;
};

static uint8_t dtype_of_fixed(const struct h5_type *t, uint32_t flags)
{
	bool is_signed = (flags & 8) != 0;

	switch (t->bytes) {
	case 1: return is_signed ? WLK_DTYPE_I8 : WLK_DTYPE_U8;
	case 2: return is_signed ? WLK_DTYPE_I16 : WLK_DTYPE_U16;
	case 4: return is_signed ? WLK_DTYPE_I32 : WLK_DTYPE_U32;
	case 8: return is_signed ? WLK_DTYPE_I64 : WLK_DTYPE_U64;
	default: return WLK_DTYPE_NONE;
	}
}

static bool read_fixed(struct cursor *c, struct h5_type *t, uint32_t flags)
{
	uint16_t offset, precision;

	if (!cur_u16le(c, &offset) || !cur_u16le(c, &precision))
		return false;
	t->big_endian = (flags & 1) != 0;
	if (offset == 0 && precision == 8 * t->bytes)
		t->dtype = dtype_of_fixed(t, flags);
	return precision > 0 && (uint64_t)offset + precision <= 8 * (uint64_t)t->bytes; /* bits that it has */
}

/* By their exact layout: sign at the top, exponent below it, a normalised mantissa. */
static const struct float_layout {
	uint32_t bytes, bias;
	uint8_t sign, exponent_at, exponent_bits, mantissa_bits, dtype;
} float_layouts[] = {
	{ 2, 15, 15, 10, 5, 10, WLK_DTYPE_F16 },
	{ 2, 127, 15, 7, 8, 7, WLK_DTYPE_BF16 },
	{ 4, 127, 31, 23, 8, 23, WLK_DTYPE_F32 },
	{ 8, 1023, 63, 52, 11, 52, WLK_DTYPE_F64 },
};

static bool read_float(struct cursor *c, struct h5_type *t, uint32_t flags)
{
	uint16_t offset, precision;
	uint8_t exponent_at, exponent_bits, mantissa_at, mantissa_bits, sign = (uint8_t)(flags >> 8);
	uint32_t bias;

	if (!cur_u16le(c, &offset) || !cur_u16le(c, &precision) || !cur_u8(c, &exponent_at) ||
	    !cur_u8(c, &exponent_bits) || !cur_u8(c, &mantissa_at) || !cur_u8(c, &mantissa_bits) ||
	    !cur_u32le(c, &bias))
		return false;
	t->big_endian = (flags & 1) != 0;
	for (size_t i = 0; i < sizeof(float_layouts) / sizeof(float_layouts[0]); i++) {
		const struct float_layout *f = &float_layouts[i];

		if (f->bytes == t->bytes && f->bias == bias && f->sign == sign && f->exponent_at == exponent_at &&
		    f->exponent_bits == exponent_bits && mantissa_at == 0 && f->mantissa_bits == mantissa_bits &&
		    offset == 0 && precision == 8 * t->bytes && (flags & 0x40) == 0 && (flags >> 4 & 3) == 2)
			t->dtype = f->dtype;
	}
	return true;
}

/* The kind and size of any type; its properties stay unread where nobody needs them. */
static bool read_head(struct cursor *c, struct h5_type *t, uint32_t *ret_flags)
{
	uint8_t first, flags[3];

	*t = (struct h5_type){ 0 };
	if (!cur_u8(c, &first) || !cur_u8(c, &flags[0]) || !cur_u8(c, &flags[1]) || !cur_u8(c, &flags[2]) ||
	    !cur_u32le(c, &t->bytes))
		return false;
	*ret_flags = (uint32_t)flags[0] | (uint32_t)flags[1] << 8 | (uint32_t)flags[2] << 16;
	t->class = (enum h5_class)(first & 15);
	return t->class < H5_N_CLASSES && first >> 4 >= 1 && first >> 4 <= 5;
}

/* The values of an enumeration follow their names, which are padded to eight bytes before version 3. */
static bool read_values(struct cursor *c, unsigned n, uint32_t bytes, bool padded, struct bytes *ret)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t length = 0;
		uint8_t byte;

		do {
			if (!cur_u8(c, &byte))
				return false;
			length++;
		} while (byte != 0);
		if (padded && !cur_skip(c, (8 - length % 8) % 8))
			return false;
	}
	return cur_bytes(c, n * (size_t)bytes, ret); /* 2^16 of 2^32 */
}

/* 0 and 1 in a byte are how h5py writes booleans; other enumerations are their base type. */
static bool read_enum(struct cursor *c, struct h5_type *t, uint32_t flags, bool padded)
{
	struct h5_type base;
	struct bytes values;
	uint32_t base_flags;

	if ((flags & 0xffff) == 0) /* a value of none of its names */
		return false;
	if (!read_head(c, &base, &base_flags) || base.class != H5_FIXED || !read_fixed(c, &base, base_flags) ||
	    base.bytes != t->bytes || !read_values(c, flags & 0xffff, base.bytes, padded, &values))
		return false;
	t->dtype = base.dtype;
	t->big_endian = base.big_endian;
	if (base.dtype != WLK_DTYPE_NONE && values.n == 2 && base.bytes == 1 && (values.at[0] ^ values.at[1]) == 1 &&
	    (values.at[0] | values.at[1]) == 1)
		t->dtype = WLK_DTYPE_BOOL;
	return true;
}

/* Padding, characters, and nothing else. */
static bool is_sound_text(uint32_t flags)
{
	return (flags & 15) <= 2 && flags >> 4 <= 1;
}

/* A character, or a byte that stands for one. */
static bool read_character(struct cursor *c, struct h5_type *t, uint32_t flags)
{
	return t->bytes == 1 && (t->class == H5_STRING ||
				    (t->class == H5_FIXED && read_fixed(c, t, flags) && t->dtype != WLK_DTYPE_NONE));
}

/* What a sequence is of.  HDF5 makes room for so many of these as the reference says, and believes their size: a string is of
 * single bytes. */
static bool read_sequence(struct cursor *c, struct h5_type *t, uint32_t flags)
{
	struct h5_type base;
	uint32_t base_flags;

	t->vlen_string = (flags & 15) == 1;
	if ((flags & 15) > 1 || !read_head(c, &base, &base_flags) || base.bytes == 0)
		return false;
	return !t->vlen_string || (is_sound_text(flags >> 4) && read_character(c, &base, base_flags));
}

bool h5_read_type(struct h5 *h, struct cursor *c, struct h5_type *ret)
{
	const uint64_t at = c->pos;
	uint32_t flags;
	bool sound = read_head(c, ret, &flags) && ret->bytes > 0;

	if (sound && ret->class == H5_FIXED)
		sound = read_fixed(c, ret, flags);
	else if (sound && ret->class == H5_FLOAT)
		sound = read_float(c, ret, flags);
	else if (sound && ret->class == H5_ENUM)
		sound = read_enum(c, ret, flags, c->base[at - c->origin] >> 4 < 3);
	else if (sound && ret->class == H5_STRING)
		sound = is_sound_text(flags);
	else if (sound && ret->class == H5_VLEN)
		sound = read_sequence(c, ret, flags);
	return sound || h5_break(h, WLK_F_H5_STRUCTURE, c->pos, "data type");
}
