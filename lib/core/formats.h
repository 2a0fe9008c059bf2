/* The names of formats, as the verdict prints them.  Readers live in lib/formats; what only needs the name (the
 * front, the policy) needs no reader.  X(id, name, revision, model, extension list)
 *   revision: raised when the reader, or a check it uses, can change its facts.
 *   model:    1 when a file of this format can be or hold a model; 0 for side files and pointers. */
#pragma once

#include <stdbool.h>

#include "formats_named.h"

/* Names that promise a model of a format without a reader: nothing under them is a side file.  Who adds the reader takes
 * its names out of here. */
#define WLK_OTHER_EXTENSIONS                                                \
	"bin model weights params pb qnn param caffemodel prototxt distcp " \
	"vec"

#define WLK_FORMATS(X)                                                                          \
	X(UNKNOWN, "unknown", 1, 0, "")                                                         \
	X(SAFETENSORS, "safetensors", 1, 1, "safetensors")                                      \
	X(DEATHTENSORS, "deathtensors", 1, 1, "dt")                                             \
	X(LFS_POINTER, "lfs-pointer", 1, 0, "")                                                 \
	X(PICKLE, "pickle", 1, 1, "pkl pickle p dill pdparams pdopt")                           \
	X(PYTORCH, "pytorch", 1, 1, "pt pth ckpt th torch ptl")                                 \
	X(PYTORCH_LEGACY, "pytorch-legacy", 1, 1, "")                                           \
	X(TORCHSCRIPT, "torchscript", 1, 1, "")                                                 \
	X(PYTORCH_TAR, "pytorch-tar", 1, 1, "")                                                 \
	X(NPY, "npy", 1, 1, "npy")                                                              \
	X(NPZ, "npz", 1, 1, "npz")                                                              \
	X(JOBLIB, "joblib", 1, 1, "joblib")                                                     \
	X(GGUF, "gguf", 1, 1, "gguf ggml")                                                      \
	X(KERAS_HDF5, "keras-hdf5", 1, 1, "h5 hdf5")                                            \
	X(KERAS_ZIP, "keras-zip", 1, 1, "keras")                                                \
	X(ONNX, "onnx", 1, 1, "onnx")                                                           \
	X(TFLITE, "tflite", 1, 1, "tflite")                                                     \
	X(SAVEDMODEL, "savedmodel", 1, 1, "")                                                   \
	X(TF_GRAPH, "tf-graph", 1, 1, "")                                                       \
	X(TF_METAGRAPH, "tf-metagraph", 1, 1, "meta")                                           \
	X(TF_CHECKPOINT, "tf-checkpoint", 1, 1, "")                                             \
	X(TF_CHECKPOINT_STATE, "tf-checkpoint-state", 1, 0, "")                                 \
	X(TF_TEXT, "tf-text", 1, 1, "pbtxt")                                                    \
	X(KERAS_METADATA, "keras-metadata", 1, 0, "")                                           \
	X(TF_FINGERPRINT, "tf-fingerprint", 1, 0, "")                                           \
	X(FLAX_MSGPACK, "flax-msgpack", 1, 1, "msgpack flax jax")                               \
	X(SKOPS, "skops", 1, 1, "skops")                                                        \
	X(MAR, "torchserve", 1, 1, "mar")                                                       \
	X(NEMO, "nemo", 1, 1, "nemo")                                                           \
	X(TFJS, "tensorflow-js", 1, 1, "")                                                      \
	X(KERAS_JSON, "keras-json", 1, 1, "")                                                   \
	X(ZARR, "zarr", 1, 1, "zarray zgroup zattrs zmetadata")                                 \
	X(LIGHTGBM, "lightgbm", 1, 1, "lgb")                                                    \
	X(MXNET, "mxnet", 1, 1, "")                                                             \
	X(RDS, "rds", 1, 1, "rds rda rdata")                                                    \
	X(EXECUTORCH, "executorch", 1, 1, "pte ptd")                                            \
	X(ORT, "onnxruntime", 1, 1, "ort")                                                      \
	X(ARROW, "arrow", 1, 1, "arrow")                                                        \
	X(ARROW_STREAM, "arrow-stream", 1, 1, "arrows")                                         \
	X(PARQUET, "parquet", 1, 1, "parquet")                                                  \
	X(OPENVINO, "openvino", 1, 1, "")                                                       \
	X(PMML, "pmml", 1, 1, "pmml")                                                           \
	X(SVG, "svg", 1, 0, "svg")                                                              \
	X(XML, "xml", 1, 0, "xml")                                                              \
	X(ONNX_TENSOR, "onnx-tensor", 1, 1, "")                                                 \
	X(COREML, "coreml", 1, 1, "mlmodel")                                                    \
	X(COREML_WEIGHTS, "coreml-weights", 1, 1, "")                                           \
	X(COREML_MANIFEST, "coreml-manifest", 1, 0, "")                                         \
	X(PADDLE, "paddle", 1, 1, "pdmodel")                                                    \
	X(PADDLE_PARAMS, "paddle-params", 1, 1, "pdiparams")                                    \
	X(PADDLE_PIR, "paddle-pir", 1, 1, "")                                                   \
	X(XGBOOST, "xgboost", 1, 1, "bst ubj")                                                  \
	X(ZIP, "zip", 1, 1, "zip")                                                              \
	X(TAR, "tar", 1, 1, "tar")                                                              \
	X(GZIP, "gzip", 1, 1, "gz tgz")                                                         \
	X(BZIP2, "bzip2", 1, 1, "bz2")                                                          \
	X(XZ, "xz", 1, 1, "xz")                                                                 \
	X(LZMA, "lzma", 1, 1, "lzma")                                                           \
	X(ZLIB, "zlib", 1, 1, "z")                                                              \
	X(LZ4, "lz4", 1, 1, "lz4")                                                              \
	X(ZSTD, "zstd", 1, 1, "zst")                                                            \
	X(SEVEN_ZIP, "7z", 1, 1, "7z")                                                          \
	X(RAR, "rar", 1, 1, "rar")                                                              \
	X(TEXT, "text", 1, 0, "txt csv tsv jsonl ndjson log toml ini cfg")                      \
	X(CODE, "code", 1, 0, "py ipynb sh bash bat cmd ps1 js lua rb pl r php hta vbs jl reg") \
	X(OTHER, "other", 1, 1, WLK_OTHER_EXTENSIONS)                                           \
	X(SAFETENSORS_INDEX, "safetensors-index", 1, 0, "safetensors.index.json")               \
	X(SHARD_INDEX, "shard-index", 1, 0, "bin.index.json h5.index.json msgpack.index.json")  \
	X(SET, "set", 1, 0, "")                                                                 \
	X(TEMPLATE, "template", 1, 0, "jinja jinja2 j2")                                        \
	X(TOKENIZER_CONFIG, "tokenizer-config", 1, 0, "")                                       \
	X(JSON, "json", 1, 0, "json")                                                           \
	X(YAML, "yaml", 1, 0, "yaml yml")                                                       \
	X(MARKDOWN, "markdown", 1, 0, "md markdown rst")                                        \
	X(TOKENIZER_MODEL, "sentencepiece", 1, 0, "spm")                                        \
	X(EXTERNAL_WEIGHTS, "external-weights", 1, 1, "")

enum wlk_format_id {
#define X(id, name, revision, model, extensions) WLK_FORMAT_##id,
	WLK_FORMATS(X)
#undef X
#define X(id, name, sort, extensions) WLK_FORMAT_##id,
	    WLK_FORMATS_NAMED(X) /* behind those that are read: format_is_named() */
#undef X
	WLK_N_FORMATS
};

struct format_info {
	const char *name; /* stable, lower case; NULL is never returned */
	unsigned revision;
	bool model;
	const char *extensions; /* separated by spaces, without dots */
	enum format_sort sort;
};

/* Any value below WLK_N_FORMATS; out of range is a bug. */
const struct format_info *format_info(enum wlk_format_id id);
/* Look a name up; false when no format has it.  @name may be NULL. */
bool format_by_name(const char *name, enum wlk_format_id *ret);

/* Is it a format that a verdict can name?  Not the absence of one, nor the names that promise one without a reader,
 * nor sets, which have verdicts of their own. */
static inline bool format_is_listed(enum wlk_format_id id)
{
	return id != WLK_FORMAT_UNKNOWN && id != WLK_FORMAT_OTHER && id != WLK_FORMAT_SET && id != WLK_FORMAT_NAMED;
}

/* Is it one that is recognised and not read? */
static inline bool format_is_named(enum wlk_format_id id)
{
	return id >= WLK_FORMAT_NAMED;
}

/* How far a file of this format is looked into: "validated" when every byte of it is understood before it is accepted,
 * "scanned" when what is dangerous in it is looked for and it is never accepted, "identified" when it is only named. */
const char *format_level(enum wlk_format_id id);

/* The family a file's name suggests: all the worker ever learns of the name.  WLK_FORMAT_UNKNOWN for no opinion.
 * @name: as the caller gave it; may be NULL. */
enum wlk_format_id format_hint(const char *name);
