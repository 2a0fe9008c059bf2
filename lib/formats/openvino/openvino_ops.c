/* OpenVINO's operation sets 1 to 17 and element types, by name: see openvino.h.  Names follow the tables of OpenVINO's
 * opsets (2026). */
#include "openvino.h"
#include "xml_file.h"

#define OPSET_MAX 17u

/* In lower case, sorted. */
/* clang-format off */
static const char *const operations[] = {
	"abs", "acos", "acosh", "adaptiveavgpool", "adaptivemaxpool", "add", "asin", "asinh", "assign", "atan", "atanh",
	"avgpool", "batchnorminference", "batchtospace", "bgrtonv12", "binaryconvolution", "bitwiseand", "bitwiseleftshift",
	"bitwisenot", "bitwiseor", "bitwiserightshift", "bitwisexor", "broadcast", "bucketize", "ceiling", "clamp",
	"col2im", "concat", "const", "constant", "convert", "convertlike", "convertpromotetypes", "convolution",
	"convolutionbackpropdata", "cos", "cosh", "ctcgreedydecoder", "ctcgreedydecoderseqlen", "ctcloss", "cumsum",
	"deformableconvolution", "deformablepsroipooling", "depthtospace", "detectionoutput", "dft", "divide", "einsum",
	"elu", "embeddingbagoffsets", "embeddingbagoffsetssum", "embeddingbagpacked", "embeddingbagpackedsum",
	"embeddingsegmentssum", "equal", "erf", "erfinv", "exp", "experimentaldetectrondetectionoutput",
	"experimentaldetectrongenerateproposalssingleimage", "experimentaldetectronpriorgridgenerator",
	"experimentaldetectronroifeatureextractor", "experimentaldetectrontopkrois", "extractimagepatches", "eye",
	"fakeconvert", "fakequantize", "floor", "floormod", "gather", "gatherelements", "gathernd", "gathertree", "gelu",
	"generateproposals", "greater", "greaterequal", "gridsample", "grn", "groupconvolution",
	"groupconvolutionbackpropdata", "groupnormalization", "grucell", "grusequence", "hardsigmoid", "hsigmoid", "hswish",
	"i420tobgr", "i420torgb", "identity", "idft", "if", "interpolate", "inverse", "irdft", "isfinite", "isinf", "isnan",
	"istft", "less", "lessequal", "log", "logicaland", "logicalnot", "logicalor", "logicalxor", "logsoftmax", "loop",
	"lrn", "lstmcell", "lstmsequence", "matmul", "matrixnms", "maximum", "maxpool", "minimum", "mish", "mod", "moe",
	"multiclassnms", "multinomial", "multiply", "mvn", "negative", "nmsrotated", "nonmaxsuppression", "nonzero",
	"normalizel2", "notequal", "nv12tobgr", "nv12torgb", "onehot", "pad", "parameter", "power", "prelu", "priorbox",
	"priorboxclustered", "proposal", "psroipooling", "randomuniform", "range", "rdft", "readvalue", "reducel1",
	"reducel2", "reducelogicaland", "reducelogicalor", "reducemax", "reducemean", "reducemin", "reduceprod",
	"reducesum", "regionyolo", "relu", "reorgyolo", "reshape", "result", "reverse", "reversesequence", "rgbtonv12",
	"rnncell", "rnnsequence", "roialign", "roialignrotated", "roipooling", "roll", "round", "scaleddotproductattention",
	"scatterelementsupdate", "scatterndupdate", "scatterupdate", "searchsorted", "segmentmax", "select", "selu",
	"shapeof", "shufflechannels", "sigmoid", "sign", "sin", "sinh", "slice", "slicescatter", "softmax", "softplus",
	"softsign", "spacetobatch", "spacetodepth", "sparsefillemptyrows", "split", "sqrt", "squareddifference", "squeeze",
	"stft", "stridedslice", "stringtensorpack", "stringtensorunpack", "subtract", "swish", "tan", "tanh",
	"tensoriterator", "tile", "topk", "transpose", "unique", "unsqueeze", "variadicsplit", "xor",
};
/* clang-format on */
#define N_OPERATIONS (sizeof(operations) / sizeof(operations[0]))
#define OPERATION_MAX 64u /* bytes of the longest, with room */

bool openvino_is_operation(struct bytes type)
{
	uint8_t folded[OPERATION_MAX];

	if (type.n > sizeof(folded))
		return false;
	for (size_t i = 0; i < type.n; i++)
		folded[i] = xml_fold(type.at[i]);
	return xml_listed(operations, N_OPERATIONS, bytes_of(folded, type.n));
}

bool openvino_is_opset(struct bytes version)
{
	uint64_t n;

	return version.n > 5 && memcmp(version.at, "opset", 5) == 0 &&
	       xml_number(bytes_of(version.at + 5, version.n - 5), &n) && n >= 1 && n <= OPSET_MAX;
}

static const struct {
	const char *name;
	unsigned bits;
	enum wlk_dtype dtype; /* of what is packed otherwise than any of ours, and of texts: bytes */
} types[] = {
	{ "boolean", 8, WLK_DTYPE_BOOL },
	{ "bf16", 16, WLK_DTYPE_BF16 },
	{ "f16", 16, WLK_DTYPE_F16 },
	{ "f32", 32, WLK_DTYPE_F32 },
	{ "f64", 64, WLK_DTYPE_F64 },
	{ "f4e2m1", 4, WLK_DTYPE_F4 },
	{ "f8e4m3", 8, WLK_DTYPE_F8_E4M3 },
	{ "f8e5m2", 8, WLK_DTYPE_F8_E5M2 },
	{ "f8e8m0", 8, WLK_DTYPE_F8_E8M0 },
	{ "nf4", 4, WLK_DTYPE_U4 },
	{ "i4", 4, WLK_DTYPE_I4 },
	{ "i8", 8, WLK_DTYPE_I8 },
	{ "i16", 16, WLK_DTYPE_I16 },
	{ "i32", 32, WLK_DTYPE_I32 },
	{ "i64", 64, WLK_DTYPE_I64 },
	{ "u1", 1, WLK_DTYPE_U8 },
	{ "u2", 2, WLK_DTYPE_U2 },
	{ "u3", 3, WLK_DTYPE_U8 },
	{ "u4", 4, WLK_DTYPE_U4 },
	{ "u6", 6, WLK_DTYPE_U8 },
	{ "u8", 8, WLK_DTYPE_U8 },
	{ "u16", 16, WLK_DTYPE_U16 },
	{ "u32", 32, WLK_DTYPE_U32 },
	{ "u64", 64, WLK_DTYPE_U64 },
	{ "string", 0, WLK_DTYPE_U8 },
};

bool openvino_type_bits(struct bytes type, unsigned *ret)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!bytes_equal(type, bytes_of_text(types[i].name)))
			continue;
		*ret = types[i].bits;
		return true;
	}
	return false;
}

/* Older versions' names for them. */
static const struct {
	const char *name;
	enum wlk_dtype dtype;
} precisions[] = {
	{ "FP32", WLK_DTYPE_F32 },
	{ "FP16", WLK_DTYPE_F16 },
	{ "FP64", WLK_DTYPE_F64 },
	{ "BF16", WLK_DTYPE_BF16 },
	{ "I64", WLK_DTYPE_I64 },
	{ "U64", WLK_DTYPE_U64 },
	{ "I32", WLK_DTYPE_I32 },
	{ "U32", WLK_DTYPE_U32 },
	{ "I16", WLK_DTYPE_I16 },
	{ "U16", WLK_DTYPE_U16 },
	{ "I8", WLK_DTYPE_I8 },
	{ "U8", WLK_DTYPE_U8 },
	{ "BOOL", WLK_DTYPE_BOOL },
	{ "I4", WLK_DTYPE_I4 },
	{ "U4", WLK_DTYPE_U4 },
	{ "BIN", WLK_DTYPE_U8 },
};

enum wlk_dtype openvino_dtype(struct bytes type)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (bytes_equal(type, bytes_of_text(types[i].name)))
			return types[i].dtype;
	for (size_t i = 0; i < sizeof(precisions) / sizeof(precisions[0]); i++)
		if (bytes_equal(type, bytes_of_text(precisions[i].name)))
			return precisions[i].dtype;
	return WLK_DTYPE_NONE;
}
