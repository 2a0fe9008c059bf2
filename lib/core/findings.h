/* The findings: one table per format, included into one.  The enum, the text of verdicts, `weighlock rules`,
 * GET /v1/rules, docs/rules.md and the JSON codes all grow from it.
 *
 * Codes are permanent: add, never rename, reuse or remove.  lib/core/codes.txt holds every code that
 * ever shipped, and a test compares.
 *
 * X(name, code, class, severity, title, why, fix, clause)
 *   title:  what is wrong, lower case, no full stop; together with the numbers it is the verdict's message, so it
 *           must make sense alone.  Never holds bytes from a file.
 *   why:    why anybody should care, one sentence.
 *   fix:    what the uploader can do about it, one sentence.
 *   clause: where the rule is written. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define WLK_FINDINGS(X)              \
	WLK_FINDINGS_COMMON(X)       \
	WLK_FINDINGS_POLYGLOT(X)     \
	WLK_FINDINGS_SAFETENSORS(X)  \
	WLK_FINDINGS_DEATHTENSORS(X) \
	WLK_FINDINGS_FLAX(X)         \
	WLK_FINDINGS_GGUF(X)         \
	WLK_FINDINGS_PICKLE(X)       \
	WLK_FINDINGS_ZIP(X)          \
	WLK_FINDINGS_TOKENIZER(X)    \
	WLK_FINDINGS_TORCH(X)        \
	WLK_FINDINGS_LIGHTGBM(X)     \
	WLK_FINDINGS_MXNET(X)        \
	WLK_FINDINGS_NUMPY(X)        \
	WLK_FINDINGS_ONNX(X)         \
	WLK_FINDINGS_HDF5(X)         \
	WLK_FINDINGS_KERAS(X)        \
	WLK_FINDINGS_TENSORFLOW(X)   \
	WLK_FINDINGS_TFLITE(X)       \
	WLK_FINDINGS_RDS(X)          \
	WLK_FINDINGS_ARROW(X)        \
	WLK_FINDINGS_PARQUET(X)      \
	WLK_FINDINGS_EXECUTORCH(X)   \
	WLK_FINDINGS_ORT(X)          \
	WLK_FINDINGS_CONFIG(X)       \
	WLK_FINDINGS_COREML(X)       \
	WLK_FINDINGS_PADDLE(X)       \
	WLK_FINDINGS_TEMPLATE(X)     \
	WLK_FINDINGS_WRAPPER(X)      \
	WLK_FINDINGS_XGBOOST(X)      \
	WLK_FINDINGS_ARCHIVES(X)     \
	WLK_FINDINGS_JSON_MODELS(X)  \
	WLK_FINDINGS_IDENTIFY(X)     \
	WLK_FINDINGS_INDEX(X)        \
	WLK_FINDINGS_XML(X)

#include "findings/arrow.h"
#include "findings/archives.h"
#include "findings/common.h"
#include "findings/config.h"
#include "findings/coreml.h"
#include "findings/deathtensors.h"
#include "findings/executorch.h"
#include "findings/flax.h"
#include "findings/gguf.h"
#include "findings/hdf5.h"
#include "findings/identify.h"
#include "findings/index.h"
#include "findings/json_models.h"
#include "findings/keras.h"
#include "findings/lightgbm.h"
#include "findings/mxnet.h"
#include "findings/numpy.h"
#include "findings/onnx.h"
#include "findings/ort.h"
#include "findings/paddle.h"
#include "findings/parquet.h"
#include "findings/pickle.h"
#include "findings/polyglot.h"
#include "findings/rds.h"
#include "findings/safetensors.h"
#include "findings/template.h"
#include "findings/tensorflow.h"
#include "findings/tflite.h"
#include "findings/tokenizer.h"
#include "findings/torch.h"
#include "findings/wrapper.h"
#include "findings/xgboost.h"
#include "findings/xml.h"
#include "findings/zip.h"

/* Grows with every change of findings, tables or readers. */
#define WLK_RULES_VERSION 7

enum finding_class {
	CLASS_MALICIOUS,   /* does something when loaded */
	CLASS_MALFORMED,   /* breaks its format */
	CLASS_AMBIGUOUS,   /* two readers would see two things */
	CLASS_CODE,        /* carries code that somebody may run */
	CLASS_UNSUPPORTED, /* not (fully) understood by this build */
	CLASS_QUALITY,     /* well formed, probably not meant */
	CLASS_INCOMPLETE,  /* a budget ended the examination */
	N_FINDING_CLASSES
};

enum finding_severity {
	SEVERITY_INFO,
	SEVERITY_LOW,
	SEVERITY_MEDIUM,
	SEVERITY_HIGH,
	SEVERITY_CRITICAL,
	N_FINDING_SEVERITIES
};

enum wlk_finding {
#define X(name, code, class, severity, title, why, fix, clause) WLK_F_##name,
	WLK_FINDINGS(X)
#undef X
	    WLK_N_FINDINGS
};

struct finding_info {
	const char *code;
	enum finding_class class;
	enum finding_severity severity;
	const char *title, *why, *fix, *clause;
};

/* Any value below WLK_N_FINDINGS; out of range is a bug.  Static storage. */
const struct finding_info *finding_info(enum wlk_finding f);
/* The rules version (WLK_RULES_VERSION) it came with. */
unsigned finding_since(enum wlk_finding f);
/* Look a code up; false when nobody ever shipped it. */
bool finding_by_code(const char *code, enum wlk_finding *ret);

const char *finding_class_text(enum finding_class c);
const char *finding_severity_text(enum finding_severity s);
