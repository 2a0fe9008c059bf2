/* NumPy's type strings: see numpy_descr.h. */
#include "numpy_descr.h"

#include "checked.h"

struct kind_size {
	char kind;
	uint8_t bytes;
	enum wlk_dtype dtype;
	unsigned notes;
};

static const struct kind_size kind_sizes[] = {
	{ 'b', 1, WLK_DTYPE_BOOL, 0 },
	{ 'i', 1, WLK_DTYPE_I8, 0 },
	{ 'i', 2, WLK_DTYPE_I16, 0 },
	{ 'i', 4, WLK_DTYPE_I32, 0 },
	{ 'i', 8, WLK_DTYPE_I64, 0 },
	{ 'u', 1, WLK_DTYPE_U8, 0 },
	{ 'u', 2, WLK_DTYPE_U16, 0 },
	{ 'u', 4, WLK_DTYPE_U32, 0 },
	{ 'u', 8, WLK_DTYPE_U64, 0 },
	{ 'f', 2, WLK_DTYPE_F16, 0 },
	{ 'f', 4, WLK_DTYPE_F32, 0 },
	{ 'f', 8, WLK_DTYPE_F64, 0 },
	{ 'f', 12, WLK_DTYPE_LD12, NUMPY_LONG_DOUBLE },
	{ 'f', 16, WLK_DTYPE_LD16, NUMPY_LONG_DOUBLE },
	{ 'c', 8, WLK_DTYPE_C64, 0 },
	{ 'c', 16, WLK_DTYPE_C128, 0 },
	{ 'c', 24, WLK_DTYPE_CLD24, NUMPY_LONG_DOUBLE },
	{ 'c', 32, WLK_DTYPE_CLD32, NUMPY_LONG_DOUBLE },
	{ 'M', 8, WLK_DTYPE_I64, 0 },
	{ 'm', 8, WLK_DTYPE_I64, 0 },
};

/* Names that NumPy takes where its writer puts a type string. */
static const struct {
	const char *name, *text;
} type_names[] = {
	{ "bool", "|b1" },
	{ "bool_", "|b1" },
	{ "int8", "|i1" },
	{ "int16", "<i2" },
	{ "int32", "<i4" },
	{ "int64", "<i8" },
	{ "uint8", "|u1" },
	{ "uint16", "<u2" },
	{ "uint32", "<u4" },
	{ "uint64", "<u8" },
	{ "float16", "<f2" },
	{ "float32", "<f4" },
	{ "float64", "<f8" },
	{ "complex64", "<c8" },
	{ "complex128", "<c16" },
	{ "BoolDType", "|b1" },
	{ "Int8DType", "|i1" },
	{ "Int16DType", "<i2" },
	{ "Int32DType", "<i4" },
	{ "Int64DType", "<i8" },
	{ "UInt8DType", "|u1" },
	{ "UInt16DType", "<u2" },
	{ "UInt32DType", "<u4" },
	{ "UInt64DType", "<u8" },
	{ "Float16DType", "<f2" },
	{ "Float32DType", "<f4" },
	{ "Float64DType", "<f8" },
	{ "Complex64DType", "<c8" },
	{ "Complex128DType", "<c16" },
	{ "ObjectDType", "|O" },
};

enum numpy_error numpy_type_of_name(struct bytes name, struct numpy_type *ret)
{
	for (size_t i = 0; i < sizeof(type_names) / sizeof(type_names[0]); i++)
		if (bytes_equal(name, bytes_of_text(type_names[i].name)))
			return numpy_type_of_text(bytes_of_text(type_names[i].text), ret);
	return NUMPY_UNKNOWN;
}

/* The digits at @at, up to where they end.  False without one, or when the number does not fit. */
static bool read_size(struct bytes text, size_t *at, uint64_t *ret)
{
	size_t begin = *at;

	*ret = 0;
	for (; *at < text.n && text.at[*at] >= '0' && text.at[*at] <= '9'; (*at)++)
		if (!mul_u64(*ret, 10, ret) || !add_u64(*ret, (uint64_t)(text.at[*at] - '0'), ret))
			return false;
	return *at > begin;
}

/* What follows the size of a time: nothing, or its unit: [ns], [25s].  (Divisors such as [s/10] are never written.) */
static bool is_unit(struct bytes text)
{
	static const char *const units[] = { "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as" };
	uint64_t multiplier = 1;
	size_t at = 1;

	if (text.n < 3 || text.at[0] != '[' || text.at[text.n - 1] != ']')
		return false;
	if (text.at[1] >= '0' && text.at[1] <= '9' && !read_size(text, &at, &multiplier))
		return false;
	if (multiplier == 0 || multiplier > INT32_MAX)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (bytes_equal(bytes_of(text.at + at, text.n - 1 - at), bytes_of_text(units[i])))
			return true;
	return false;
}

static bool is_end(struct bytes text, size_t at, char kind)
{
	return at == text.n || ((kind == 'M' || kind == 'm') && is_unit(bytes_of(text.at + at, text.n - at)));
}

static bool find_kind_size(struct numpy_type *t, uint64_t size)
{
	for (size_t i = 0; i < sizeof(kind_sizes) / sizeof(kind_sizes[0]); i++) {
		if (kind_sizes[i].kind == t->kind && kind_sizes[i].bytes == size) {
			t->dtype = kind_sizes[i].dtype;
			t->notes |= kind_sizes[i].notes;
			t->bytes = size;
			return true;
		}
	}
	return false;
}

/* S, U and V: as many bytes or UCS-4 characters as the size says. */
static enum numpy_error size_of_text(struct numpy_type *t, uint64_t size)
{
	if (t->kind == 'U' && !mul_u64(size, 4, &size))
		return NUMPY_TOO_LARGE;
	if (size > NUMPY_ITEM_BYTES_MAX)
		return NUMPY_TOO_LARGE;
	t->bytes = size;
	t->dtype = t->kind == 'U' ? WLK_DTYPE_UCS4 : WLK_DTYPE_NONE;
	t->notes |= t->kind == 'V' ? NUMPY_VOID : 0;
	return NUMPY_OK;
}

/* One-byte kinds have no order and wider ones need one. */
static void note_order(struct numpy_type *t, char order)
{
	bool wide = t->kind == 'U' || (strchr("iufcMm", t->kind) != NULL && t->bytes > 1);

	if (t->kind == 'O')
		return;
	if (order == '\0' || order == '=')
		t->notes |= wide ? NUMPY_NATIVE : order == '\0' ? 0 : NUMPY_NONCANONICAL;
	else if (order == '|')
		t->notes |= wide ? NUMPY_NONCANONICAL : 0;
	else if (!wide)
		t->notes |= NUMPY_ENDIAN_I1;
	t->big_endian = wide && order == '>';
}

enum numpy_error numpy_type_of_text(struct bytes text, struct numpy_type *ret)
{
	enum numpy_error err = NUMPY_OK;
	char order = '\0';
	uint64_t size = 0;
	size_t at = 0;

	*ret = (struct numpy_type){ .dtype = WLK_DTYPE_NONE };
	if (at < text.n && strchr("<>|=", text.at[at]) != NULL && text.at[at] != '\0')
		order = (char)text.at[at++];
	if (at == text.n || strchr("biufcSUVMmO", text.at[at]) == NULL || text.at[at] == '\0')
		return NUMPY_UNKNOWN;
	ret->kind = (char)text.at[at++];
	if (ret->kind == 'O') { /* old writers put the size of a pointer behind it */
		ret->object = true;
		ret->bytes = 8;
		return at == text.n || (text.n - at == 1 && (text.at[at] == '4' || text.at[at] == '8')) ? NUMPY_OK
													: NUMPY_UNKNOWN;
	}
	if (text.n - at > 1 && text.at[at] == '0')
		ret->notes |= NUMPY_NONCANONICAL; /* <f04 */
	if (!read_size(text, &at, &size))
		return at < text.n && text.at[at] >= '0' && text.at[at] <= '9' ? NUMPY_TOO_LARGE : NUMPY_UNKNOWN;
	if (!is_end(text, at, ret->kind))
		return NUMPY_UNKNOWN;
	if (ret->kind == 'S' || ret->kind == 'U' || ret->kind == 'V')
		err = size_of_text(ret, size);
	else if (!find_kind_size(ret, size))
		return NUMPY_UNKNOWN;
	note_order(ret, order);
	return err;
}
