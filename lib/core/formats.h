/* The names of formats, as the verdict prints them.  Readers live in lib/formats; what only needs the name (the
 * front, the policy) needs no reader.  X(id, name, revision, model, extension list)
 *   revision: raised when the reader, or a check it uses, can change its facts.
 *   model:    1 when a file of this format can be or hold a model; 0 for side files and pointers. */
#pragma once

#include <stdbool.h>

/* Names that promise a model of a format without a reader: nothing under them is a side file.  Who adds the reader takes
 * its names out of here. */
#define WLK_OTHER_EXTENSIONS                                                                                 \
	"gguf ggml bin model weights params onnx ort pb pbtxt tflite h5 hdf5 keras msgpack mlmodel pte ptd " \
	"engine plan trt rknn qnn mnn param cntk caffemodel prototxt pdmodel pdiparams nemo mar skops cbm "  \
	"bst ubj lgb pmml rds rda rdata t7 net llamafile arrow feather parquet distcp vec ftz"

#define WLK_FORMATS(X)                                                       \
	X(UNKNOWN, "unknown", 1, 0, "")                                      \
	X(SAFETENSORS, "safetensors", 1, 1, "safetensors")                   \
	X(LFS_POINTER, "lfs-pointer", 1, 0, "")                              \
	X(PICKLE, "pickle", 1, 1, "pkl pickle p dill pdparams pdopt")        \
	X(PYTORCH, "pytorch", 1, 1, "pt pth ckpt th torch ptl")              \
	X(PYTORCH_LEGACY, "pytorch-legacy", 1, 1, "")                        \
	X(TORCHSCRIPT, "torchscript", 1, 1, "")                              \
	X(PYTORCH_TAR, "pytorch-tar", 1, 1, "")                              \
	X(NPY, "npy", 1, 1, "npy")                                           \
	X(NPZ, "npz", 1, 1, "npz")                                           \
	X(JOBLIB, "joblib", 1, 1, "joblib")                                  \
	X(ZIP, "zip", 1, 1, "zip")                                           \
	X(TAR, "tar", 1, 1, "tar")                                           \
	X(GZIP, "gzip", 1, 1, "gz tgz")                                      \
	X(BZIP2, "bzip2", 1, 1, "bz2")                                       \
	X(XZ, "xz", 1, 1, "xz")                                              \
	X(LZMA, "lzma", 1, 1, "lzma")                                        \
	X(ZLIB, "zlib", 1, 1, "z")                                           \
	X(LZ4, "lz4", 1, 1, "lz4")                                           \
	X(ZSTD, "zstd", 1, 1, "zst")                                         \
	X(SEVEN_ZIP, "7z", 1, 1, "7z")                                       \
	X(RAR, "rar", 1, 1, "rar")                                           \
	X(TEXT, "text", 1, 0, "txt md")                                      \
	X(CODE, "code", 1, 0, "py ipynb sh bash bat cmd ps1 js lua rb pl r") \
	X(OTHER, "other", 1, 1, WLK_OTHER_EXTENSIONS)

enum wlk_format_id {
#define X(id, name, revision, model, extensions) WLK_FORMAT_##id,
	WLK_FORMATS(X)
#undef X
	    WLK_N_FORMATS
};

struct format_info {
	const char *name; /* stable, lower case; NULL is never returned */
	unsigned revision;
	bool model;
	const char *extensions; /* separated by spaces, without dots */
};

/* Any value below WLK_N_FORMATS; out of range is a bug. */
const struct format_info *format_info(enum wlk_format_id id);

/* Is it a format that a verdict can name?  Not the absence of one, nor the names that promise one without a reader. */
static inline bool format_is_listed(enum wlk_format_id id)
{
	return id != WLK_FORMAT_UNKNOWN && id != WLK_FORMAT_OTHER;
}

/* The family a file's name suggests: all the worker ever learns of the name.  WLK_FORMAT_UNKNOWN for no opinion.
 * @name: as the caller gave it; may be NULL. */
enum wlk_format_id format_hint(const char *name);
