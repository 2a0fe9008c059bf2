/* The operators that the standard and ONNX Runtime have, by domain: an operator of another name needs a kernel that somebody
 * has to load, whatever its domain is called (formats/onnx, section 6 and decision 6).  Standard: every version up to ONNX
 * 1.23; a newer one's are told as custom, which a person sees.  In order, for they are searched by halves. */
#include "onnx_operators.h"

static const char *const standard[] = { "Abs", "Acos", "Acosh", "Add", "AffineGrid", "And", "ArgMax", "ArgMin", "Asin",
	"Asinh", "Atan", "Atanh", "Attention", "AveragePool", "BatchNormalization", "Bernoulli", "BitCast", "BitShift",
	"BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor", "BlackmanWindow", "Cast", "CastLike",
	"CausalConvWithState", "Ceil", "Celu", "CenterCropPad", "Clip", "Col2Im", "Compress", "Concat",
	"ConcatFromSequence", "Constant", "ConstantOfShape", "Conv", "ConvInteger", "ConvTranspose", "Cos", "Cosh",
	"CumProd", "CumSum", "DFT", "DeformConv", "DepthToSpace", "DequantizeLinear", "Det", "Div", "Dropout",
	"DynamicQuantizeLinear", "Einsum", "Elu", "Equal", "Erf", "Exp", "Expand", "EyeLike", "Flatten", "Floor", "GRU",
	"Gather", "GatherElements", "GatherND", "Gelu", "Gemm", "GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool",
	"Greater", "GreaterOrEqual", "GridSample", "GroupNormalization", "HammingWindow", "HannWindow", "HardSigmoid",
	"HardSwish", "Hardmax", "Identity", "If", "ImageDecoder", "InstanceNormalization", "IsInf", "IsNaN", "LRN",
	"LSTM", "LayerNormalization", "LeakyRelu", "Less", "LessOrEqual", "LinearAttention", "Log", "LogSoftmax",
	"Loop", "LpNormalization", "LpPool", "MatMul", "MatMulInteger", "Max", "MaxPool", "MaxRoiPool", "MaxUnpool",
	"Mean", "MeanVarianceNormalization", "MelWeightMatrix", "Min", "Mish", "Mod", "Mul", "Multinomial", "Neg",
	"NegativeLogLikelihoodLoss", "NonMaxSuppression", "NonZero", "Not", "OneHot", "Optional", "OptionalGetElement",
	"OptionalHasElement", "Or", "PRelu", "Pad", "Pow", "QLinearConv", "QLinearMatMul", "QuantizeLinear",
	"RMSNormalization", "RNN", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Range",
	"Reciprocal", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
	"ReduceProd", "ReduceSum", "ReduceSumSquare", "RegexFullMatch", "Relu", "Reshape", "Resize", "ReverseSequence",
	"RoiAlign", "RotaryEmbedding", "Round", "STFT", "Scan", "Scatter", "ScatterElements", "ScatterND", "Selu",
	"SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceErase", "SequenceInsert", "SequenceLength",
	"SequenceMap", "Shape", "Shrink", "Sigmoid", "Sign", "Sin", "Sinh", "Size", "Slice", "Softmax",
	"SoftmaxCrossEntropyLoss", "Softplus", "Softsign", "SpaceToDepth", "Split", "SplitToSequence", "Sqrt",
	"Squeeze", "StringConcat", "StringNormalizer", "StringSplit", "Sub", "Sum", "SwiGLU", "Swish", "Tan", "Tanh",
	"TensorScatter", "TfIdfVectorizer", "ThresholdedRelu", "Tile", "TopK", "Transpose", "Trilu", "Unique",
	"Unsqueeze", "Upsample", "Where", "Xor" };

/* Experimental once, or made by ONNX Runtime itself; in the standard's own domain. */
static const char *const runtime[] = { "Affine", "ConstantFill", "Crop", "DynamicSlice", "GivenTensorFill",
	"ImageScaler", "ParametricSoftplus", "Scale", "ScaledTanh", "SimplifiedLayerNormalization" };

static const char *const learning[] = { "ArrayFeatureExtractor", "Binarizer", "CastMap", "CategoryMapper",
	"DictVectorizer", "FeatureVectorizer", "Imputer", "LabelEncoder", "LinearClassifier", "LinearRegressor",
	"Normalizer", "OneHotEncoder", "SVMClassifier", "SVMRegressor", "Scaler", "TreeEnsemble",
	"TreeEnsembleClassifier", "TreeEnsembleRegressor", "ZipMap" };

static const char *const preview[] = { "FlexAttention" };

static const char *const training[] = { "Adagrad", "Adam", "Gradient", "GraphCall", "Momentum" };

/* Those of its contrib operators that are documented; what its optimizers and its training make is not exchanged. */
static const char *const microsoft[] = { "Attention", "AttnLSTM", "BeamSearch", "BiasAdd", "BiasDropout", "BiasGelu",
	"BiasSoftmax", "BiasSplitGelu", "BifurcationDetector", "BitmaskBiasDropout", "BitmaskDropout", "CDist",
	"CausalConvWithState", "ComplexMul", "ComplexMulConj", "ConvTransposeWithDynamicPads", "CropAndResize",
	"DecoderAttention", "DecoderMaskedMultiHeadAttention", "DecoderMaskedSelfAttention", "DequantizeBFP",
	"DequantizeLinear", "DequantizeWithOrder", "DynamicQuantizeLSTM", "DynamicQuantizeMatMul", "DynamicTimeWarping",
	"EPContext", "EmbedLayerNormalization", "EngramGate", "ExpandDims", "FastGelu", "FusedConv", "FusedGemm",
	"FusedMatMul", "FusedMatMulActivation", "GatedAdd", "GatedDeltaNet", "GatedRMSNorm",
	"GatedRelativePositionBias", "GatherBlockQuantized", "GatherND", "Gelu", "GemmFastGelu", "GemmFloat8",
	"GemmaRotaryEmbedding", "GreedySearch", "GridSample", "GroupNorm", "GroupQueryAttention", "Inverse", "Irfft",
	"IsAllFinite", "LinearAttention", "LinearAttentionGate", "LongformerAttention", "MRotaryEmbedding",
	"MatMulBlockQuantizedFp4Weight", "MatMulBlockQuantizedFp8Weight", "MatMulBnb4", "MatMulFpQ4", "MatMulInteger16",
	"MatMulIntegerToFloat", "MatMulNBits", "MatMulNBitsMlp", "MatMulNBitsQkv", "MaxpoolWithMask", "MoE",
	"MulInteger", "MultiHeadAttention", "MurmurHash3", "NGramHashMapping", "NGramRepeatBlock", "NhwcConv",
	"NhwcFusedConv", "NhwcMaxPool", "PackedAttention", "PackedMultiHeadAttention", "Pad", "PagedAttention",
	"QAttention", "QEmbedLayerNormalization", "QGemm", "QLinearAdd", "QLinearAveragePool", "QLinearConcat",
	"QLinearConv", "QLinearGlobalAveragePool", "QLinearLeakyRelu", "QLinearMul", "QLinearReduceMean",
	"QLinearSigmoid", "QLinearSoftmax", "QLinearWhere", "QMoE", "QOrderedAttention", "QOrderedGelu",
	"QOrderedLayerNormalization", "QOrderedLongformerAttention", "QOrderedMatMul", "QuantizeBFP", "QuantizeLinear",
	"QuantizeWithOrder", "QuickGelu", "Range", "ReduceSumInteger", "RelativePositionBias", "RemovePadding",
	"RestorePadding", "Rfft", "RotaryEmbedding", "SampleOp", "Sampling", "SkipGroupNorm", "SkipLayerNormalization",
	"SkipSimplifiedLayerNormalization", "SparseAttention", "SparseToDenseMatMul", "Tokenizer", "TorchEmbedding",
	"TransposeMatMul", "Trilu", "UnfoldTensor", "Unique", "VarlenCausalConvWithState", "VarlenNGramHashMapping",
	"WhisperBeamSearch", "WordConvEmbedding" };

static int order(struct bytes word, const char *text)
{
	size_t n = strlen(text);
	int by = memcmp(word.at, text, word.n < n ? word.n : n);

	return by != 0 ? by : (word.n > n) - (word.n < n);
}

static bool has(const char *const *list, size_t n, struct bytes word)
{
	while (n > 0) {
		size_t half = n / 2;
		int by = order(word, list[half]);

		if (by == 0)
			return true;
		if (by > 0) {
			list += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return false;
}

#define HAS(list, word) has(list, sizeof(list) / sizeof((list)[0]), word)

static bool is(struct bytes domain, const char *text)
{
	return bytes_equal(domain, bytes_of_text(text));
}

bool onnx_operator_is_known(struct bytes domain, struct bytes op)
{
	enum wlk_finding code;

	if (domain.n == 0 || is(domain, "ai.onnx"))
		return HAS(standard, op) || HAS(runtime, op);
	if (is(domain, "ai.onnx.ml"))
		return HAS(learning, op);
	if (is(domain, "ai.onnx.preview"))
		return HAS(preview, op);
	if (is(domain, "ai.onnx.training") || is(domain, "ai.onnx.preview.training"))
		return HAS(training, op);
	/* What has a finding of its own is known for what it is. */
	return is(domain, "com.microsoft") && (HAS(microsoft, op) || onnx_operator_code(domain, op, false, &code));
}
