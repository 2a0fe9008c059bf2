/* Operators by name: see onnx_operators.h. */
#include "onnx_operators.h"

static bool is(struct bytes word, const char *text)
{
	return bytes_equal(word, bytes_of_text(text));
}

bool onnx_domain_is_standard(struct bytes domain)
{
	static const char *const names[] = { "", "ai.onnx", "ai.onnx.ml", "ai.onnx.training", "ai.onnx.preview",
		"ai.onnx.preview.training" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (is(domain, names[i]))
			return true;
	}
	return false;
}

/* Decision 6. */
bool onnx_domain_is_known(struct bytes domain)
{
	return onnx_domain_is_standard(domain) || is(domain, "com.microsoft");
}

bool onnx_operator_code(struct bytes domain, struct bytes op, bool embed, enum wlk_finding *ret)
{
	bool microsoft = is(domain, "com.microsoft"), contrib = is(domain, "ai.onnx.contrib");

	if ((microsoft && bytes_begin_with(op, "PythonOp")) ||
	    (contrib && (is(op, "PyOp") || bytes_begin_with(op, "PyCustomOp"))))
		*ret = WLK_F_ONNX_OP_PYTHON;
	else if (microsoft && is(op, "EPContext"))
		*ret = embed ? WLK_F_ONNX_OP_NATIVE_BLOB : WLK_F_ONNX_OP_FILE_PATH;
	else if ((microsoft && bytes_begin_with(op, "TensorRT")) || is(domain, "trt.plugins"))
		*ret = WLK_F_ONNX_OP_NATIVE_BLOB;
	else if (is(domain, "org.pytorch.aten") && is(op, "ATen"))
		*ret = WLK_F_ONNX_OP_ATEN;
	else
		return false;
	return true;
}
