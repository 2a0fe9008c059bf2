/* PyTorch's type names: see pytorch_types.h. */
#include "pytorch_types.h"

/* X(class without "Storage", dtype to examine, bytes, integer).  Quantised elements are integers whose scale lives
 * elsewhere; packed ones are counted by the byte. */
#define STORAGE_CLASSES(X)               \
	X("Float", F32, 4, false)        \
	X("Half", F16, 2, false)         \
	X("BFloat16", BF16, 2, false)    \
	X("Double", F64, 8, false)       \
	X("Long", I64, 8, true)          \
	X("Int", I32, 4, true)           \
	X("Short", I16, 2, true)         \
	X("Char", I8, 1, true)           \
	X("Byte", U8, 1, true)           \
	X("Bool", BOOL, 1, false)        \
	X("ComplexFloat", C64, 8, false) \
	X("ComplexDouble", C128, 16, false)
#define RAW_CLASSES(X)            \
	X("QInt8", I8, 1, false)  \
	X("QUInt8", U8, 1, false) \
	X("QInt32", I32, 4, false)

/* PACKED(class, elements in a byte): the storage counts bytes, the tensors over it elements. */
#define PACKED_CLASSES(PACKED) PACKED("QUInt4x2", 2) PACKED("QUInt2x4", 4)
#define PACKED_DTYPES(PACKED) PACKED("quint4x2", 2) PACKED("quint2x4", 4)

/* X(name in torch, dtype to examine, bytes, integer).  complex32 is a pair of halves, each examined on its own. */
#define DTYPES(X)                                   \
	X("float32", F32, 4, false)                 \
	X("float", F32, 4, false)                   \
	X("float16", F16, 2, false)                 \
	X("half", F16, 2, false)                    \
	X("bfloat16", BF16, 2, false)               \
	X("float64", F64, 8, false)                 \
	X("double", F64, 8, false)                  \
	X("int64", I64, 8, true)                    \
	X("long", I64, 8, true)                     \
	X("int32", I32, 4, true)                    \
	X("int", I32, 4, true)                      \
	X("int16", I16, 2, true)                    \
	X("short", I16, 2, true)                    \
	X("int8", I8, 1, true)                      \
	X("uint8", U8, 1, true)                     \
	X("uint16", U16, 2, true)                   \
	X("uint32", U32, 4, true)                   \
	X("uint64", U64, 8, true)                   \
	X("bool", BOOL, 1, false)                   \
	X("complex64", C64, 8, false)               \
	X("cfloat", C64, 8, false)                  \
	X("complex128", C128, 16, false)            \
	X("cdouble", C128, 16, false)               \
	X("float8_e5m2", F8_E5M2, 1, false)         \
	X("float8_e4m3fn", F8_E4M3, 1, false)       \
	X("float8_e5m2fnuz", F8_E5M2FNUZ, 1, false) \
	X("float8_e4m3fnuz", F8_E4M3FNUZ, 1, false) \
	X("float8_e8m0fnu", F8_E8M0, 1, false)
#define RAW_DTYPES(X)                       \
	X("complex32", F16, 4, false)       \
	X("chalf", F16, 4, false)           \
	X("float4_e2m1fn_x2", U8, 1, false) \
	X("qint8", I8, 1, false)            \
	X("quint8", U8, 1, false)           \
	X("qint32", I32, 4, false)          \
	X("bits8", U8, 1, false)            \
	X("bits16", U16, 2, false)          \
	X("bits1x8", U8, 1, false)          \
	X("bits2x4", U8, 1, false)          \
	X("bits4x2", U8, 1, false)          \
	X("uint1", U8, 1, false)            \
	X("uint2", U8, 1, false)            \
	X("uint3", U8, 1, false)            \
	X("uint4", U8, 1, false)            \
	X("uint5", U8, 1, false)            \
	X("uint6", U8, 1, false)            \
	X("uint7", U8, 1, false)            \
	X("int1", U8, 1, false)             \
	X("int2", U8, 1, false)             \
	X("int3", U8, 1, false)             \
	X("int4", U8, 1, false)             \
	X("int5", U8, 1, false)             \
	X("int6", U8, 1, false)             \
	X("int7", U8, 1, false)

struct named_type {
	const char *name;
	struct torch_type type;
};

#define X(name, dtype, bytes, integer) { name, { WLK_DTYPE_##dtype, bytes, integer, false, 1 } },
#define RAW(name, dtype, bytes, integer) { name, { WLK_DTYPE_##dtype, bytes, integer, true, 1 } },
#define PACKED(name, elements) { name, { WLK_DTYPE_U8, 1, false, true, elements } },
static const struct named_type storage_classes[] = { STORAGE_CLASSES(X) RAW_CLASSES(RAW) PACKED_CLASSES(PACKED) };
static const struct named_type dtypes[] = { DTYPES(X) RAW_DTYPES(RAW) PACKED_DTYPES(PACKED) };
#undef PACKED
#undef RAW
#undef X

/* A byte, until a tensor says what the bytes are. */
static const struct torch_type untyped = { WLK_DTYPE_U8, 1, false, true, 1 };

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool is_text(struct bytes b, const char *text)
{
	return bytes_equal(b, bytes_of_text(text));
}

static const struct torch_type *find_type(const struct named_type *list, size_t n, struct bytes name)
{
	for (size_t i = 0; i < n; i++)
		if (is_text(name, list[i].name))
			return &list[i].type;
	return NULL;
}

/* Drop this ending; false, and nothing dropped, when the name ends otherwise. */
static bool drop_ending(struct bytes *name, const char *ending)
{
	size_t n = strlen(ending);

	if (name->n < n || memcmp(name->at + name->n - n, ending, n) != 0)
		return false;
	name->n -= n;
	return true;
}

static bool is_torch_or_cuda(struct bytes module)
{
	return is_text(module, "torch") || is_text(module, "torch.cuda");
}

/* torch.storage.UntypedStorage, the _UntypedStorage of 1.13, and torch.UntypedStorage that old readers know.
 * A TypedStorage of its own is written by nobody: its class says nothing about its elements either. */
static bool is_untyped_class(struct bytes module, struct bytes name)
{
	if (is_text(module, "torch.storage"))
		return is_text(name, "UntypedStorage") || is_text(name, "_UntypedStorage") ||
		       is_text(name, "TypedStorage") || is_text(name, "_TypedStorage");
	return is_torch_or_cuda(module) && (is_text(name, "UntypedStorage") || is_text(name, "TypedStorage"));
}

const struct torch_type *torch_storage_type(struct bytes module, struct bytes name, bool *ret_untyped)
{
	*ret_untyped = is_untyped_class(module, name);
	if (*ret_untyped)
		return &untyped;
	if (!is_torch_or_cuda(module) || !drop_ending(&name, "Storage"))
		return NULL;
	return find_type(storage_classes, COUNT(storage_classes), name);
}

const struct torch_type *torch_dtype(struct bytes name)
{
	return find_type(dtypes, COUNT(dtypes), name);
}

bool torch_is_tensor_class(struct bytes module, struct bytes name)
{
	if (is_text(module, "torch.nn.parameter"))
		return is_text(name, "Parameter") || is_text(name, "Buffer");
	if (!is_torch_or_cuda(module) || !drop_ending(&name, "Tensor"))
		return false;
	return name.n == 0 || find_type(storage_classes, COUNT(storage_classes), name) != NULL;
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

bool torch_is_decimal(struct bytes text)
{
	for (size_t i = 0; i < text.n; i++)
		if (!is_digit(text.at[i]))
			return false;
	return text.n == 1 || (text.n > 1 && text.at[0] != '0');
}

/* c10/core/DeviceType.h, and the names vendors give to its private slot.  Not `meta`, which has no memory: what is loaded to it
 * has none of the numbers in the file, and PyTorch saves its tensors without a storage. */
static const char *const devices[] = { "cpu", "cuda", "mps", "xpu", "xla", "hpu", "mtia", "npu", "ipu", "hip", "mkldnn",
	"opengl", "opencl", "ideep", "fpga", "maia", "ort", "ve", "vulkan", "metal", "lazy", "privateuseone", "mlu",
	"musa", "sdaa", "gcu" };

#define DEVICE_NUMBER_MAX 5 /* digits */

bool torch_location_known(struct bytes location)
{
	const uint8_t *colon = location.n > 0 ? memchr(location.at, ':', location.n) : NULL;
	struct bytes kind = location, number = { 0 };

	if (colon != NULL) {
		kind.n = (size_t)(colon - location.at);
		number = bytes_of(colon + 1, location.n - kind.n - 1);
		if (!torch_is_decimal(number) || number.n > DEVICE_NUMBER_MAX)
			return false;
	}
	for (size_t i = 0; i < COUNT(devices); i++)
		if (is_text(kind, devices[i]))
			return true;
	return false;
}
