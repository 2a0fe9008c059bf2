/* Families of formats: see mismatch.h. */
#include "mismatch.h"

/* Content that each family's loaders open, whatever their files are called. */
#define CODINGS                                                                                             \
	WLK_FORMAT_GZIP, WLK_FORMAT_BZIP2, WLK_FORMAT_XZ, WLK_FORMAT_LZMA, WLK_FORMAT_ZLIB, WLK_FORMAT_LZ4, \
	    WLK_FORMAT_ZSTD
#define PICKLES WLK_FORMAT_PICKLE, WLK_FORMAT_JOBLIB
#define TORCH \
	WLK_FORMAT_PYTORCH, WLK_FORMAT_PYTORCH_LEGACY, WLK_FORMAT_TORCHSCRIPT, WLK_FORMAT_PYTORCH_TAR, WLK_FORMAT_PT2
#define TEXTS                                                                                        \
	WLK_FORMAT_TEXT, WLK_FORMAT_MARKDOWN, WLK_FORMAT_JSON, WLK_FORMAT_YAML, WLK_FORMAT_TEMPLATE, \
	    WLK_FORMAT_TOKENIZER_CONFIG, WLK_FORMAT_SAFETENSORS_INDEX, WLK_FORMAT_SHARD_INDEX
#define ZIPS                                                                                              \
	WLK_FORMAT_ZIP, WLK_FORMAT_NPZ, WLK_FORMAT_KERAS_ZIP, WLK_FORMAT_PYTORCH, WLK_FORMAT_TORCHSCRIPT, \
	    WLK_FORMAT_SKOPS, WLK_FORMAT_MAR, WLK_FORMAT_PT2, WLK_FORMAT_DDUF, WLK_FORMAT_MEDIAPIPE
#define ROW_MAX 24

/* The first of a row are the names it is about, up to UNKNOWN; behind it what they hold, beside themselves. */
static const enum wlk_format_id families[][ROW_MAX] = {
	/* torch.save() and pickle.dump() under each other's names; compressed by joblib and by pandas */
	{ WLK_FORMAT_PICKLE, WLK_FORMAT_JOBLIB, WLK_FORMAT_UNKNOWN, PICKLES, TORCH, CODINGS, WLK_FORMAT_NPY },
	{ WLK_FORMAT_PYTORCH, WLK_FORMAT_UNKNOWN, TORCH, PICKLES, WLK_FORMAT_ZIP, WLK_FORMAT_TAR, WLK_FORMAT_GZIP },
	/* a shard of one tensor is a checkpoint */
	{ WLK_FORMAT_DCP, WLK_FORMAT_UNKNOWN, TORCH, PICKLES },
	/* Keras wrote HDF5 under its own name before it had ZIP archives */
	{ WLK_FORMAT_KERAS_ZIP, WLK_FORMAT_KERAS_HDF5, WLK_FORMAT_UNKNOWN, WLK_FORMAT_KERAS_ZIP, WLK_FORMAT_KERAS_HDF5,
	    WLK_FORMAT_ZIP },
	/* np.load() goes by the content, and opens pickles too: npy-is-pickle says so */
	{ WLK_FORMAT_NPY, WLK_FORMAT_NPZ, WLK_FORMAT_UNKNOWN, WLK_FORMAT_NPY, WLK_FORMAT_NPZ, WLK_FORMAT_ZIP, PICKLES },
	{ WLK_FORMAT_ZIP, WLK_FORMAT_SKOPS, WLK_FORMAT_MAR, WLK_FORMAT_UNKNOWN, ZIPS, WLK_FORMAT_TAR, WLK_FORMAT_GZIP },
	/* torch.save() as `checkpoint.pth.tar` is an old habit */
	{ WLK_FORMAT_TAR, WLK_FORMAT_NEMO, WLK_FORMAT_UNKNOWN, WLK_FORMAT_TAR, WLK_FORMAT_NEMO, TORCH,
	    WLK_FORMAT_GZIP },
	/* a pickle in a wrapper is a joblib file, whose loader opens it with and without */
	{ CODINGS, WLK_FORMAT_UNKNOWN, CODINGS, PICKLES, WLK_FORMAT_NEMO, WLK_FORMAT_MAR },
	{ WLK_FORMAT_ZARR, WLK_FORMAT_UNKNOWN, TEXTS },
	{ WLK_FORMAT_RDS, WLK_FORMAT_UNKNOWN, WLK_FORMAT_GZIP, WLK_FORMAT_BZIP2, WLK_FORMAT_XZ },
	{ WLK_FORMAT_JSON, WLK_FORMAT_UNKNOWN, TEXTS, WLK_FORMAT_XGBOOST, WLK_FORMAT_MXNET, WLK_FORMAT_TFJS,
	    WLK_FORMAT_KERAS_JSON, WLK_FORMAT_ZARR, WLK_FORMAT_COREML_MANIFEST, WLK_FORMAT_PADDLE_PIR },
	{ TEXTS, WLK_FORMAT_UNKNOWN, TEXTS, WLK_FORMAT_LIGHTGBM, WLK_FORMAT_NCNN },
	{ WLK_FORMAT_CODE, WLK_FORMAT_UNKNOWN, TEXTS },
	{ WLK_FORMAT_XGBOOST, WLK_FORMAT_LIGHTGBM, WLK_FORMAT_UNKNOWN, WLK_FORMAT_XGBOOST, WLK_FORMAT_LIGHTGBM, TEXTS },
	{ WLK_FORMAT_FEATHER, WLK_FORMAT_ARROW, WLK_FORMAT_ARROW_STREAM, WLK_FORMAT_UNKNOWN, WLK_FORMAT_FEATHER,
	    WLK_FORMAT_ARROW, WLK_FORMAT_ARROW_STREAM },
	{ WLK_FORMAT_MATLAB, WLK_FORMAT_UNKNOWN, WLK_FORMAT_KERAS_HDF5 },
	{ WLK_FORMAT_XML, WLK_FORMAT_PMML, WLK_FORMAT_SVG, WLK_FORMAT_HTML, WLK_FORMAT_UNKNOWN, WLK_FORMAT_XML,
	    WLK_FORMAT_PMML, WLK_FORMAT_SVG, WLK_FORMAT_HTML, WLK_FORMAT_OPENVINO, WLK_FORMAT_TEXT },
	{ WLK_FORMAT_MNN, WLK_FORMAT_CNTK, WLK_FORMAT_UNKNOWN, WLK_FORMAT_MNN, WLK_FORMAT_CNTK },
};
#define N_FAMILIES (sizeof(families) / sizeof(families[0]))

/* Rows are filled up with UNKNOWN, which is no content to be held. */
static bool row_has(const enum wlk_format_id *row, size_t from, size_t to, enum wlk_format_id id)
{
	for (size_t i = from; i < to; i++)
		if (row[i] == id)
			return true;
	return false;
}

static size_t names_of(const enum wlk_format_id *row)
{
	size_t n = 0;

	while (row[n] != WLK_FORMAT_UNKNOWN)
		n++;
	return n;
}

/* Pictures show under each other's names, and so do sound and film. */
static bool same_sort(enum wlk_format_id a, enum wlk_format_id b)
{
	enum format_sort sort = format_info(a)->sort;

	return sort == format_info(b)->sort && (sort == FORMAT_SORT_IMAGE || sort == FORMAT_SORT_MEDIA);
}

/* A file that is not known, or of which is said that it is none. */
static bool says_nothing(enum wlk_format_id id)
{
	return !format_is_listed(id) || id == WLK_FORMAT_LFS_POINTER;
}

/* Archives that no loader of models opens, known by more than two bytes: a person does, or a program that was told to. */
static bool is_closed_archive(enum wlk_format_id id)
{
	static const enum wlk_format_id closed[] = { WLK_FORMAT_SEVEN_ZIP, WLK_FORMAT_RAR, WLK_FORMAT_CAB,
		WLK_FORMAT_ACE, WLK_FORMAT_XAR, WLK_FORMAT_RPM, WLK_FORMAT_AR, WLK_FORMAT_LZIP, WLK_FORMAT_LZOP,
		WLK_FORMAT_SQUASHFS };

	return row_has(closed, 0, sizeof(closed) / sizeof(closed[0]), id);
}

/* Names that promise a model, of this format or of whichever. */
static bool promises_model(enum wlk_format_id hint)
{
	static const enum wlk_format_id others[] = { TEXTS, ZIPS, CODINGS, WLK_FORMAT_TAR, WLK_FORMAT_CODE,
		WLK_FORMAT_SEVEN_ZIP, WLK_FORMAT_RAR, WLK_FORMAT_XML, WLK_FORMAT_SVG };
	static const enum wlk_format_id archives[] = { WLK_FORMAT_KERAS_ZIP, WLK_FORMAT_NPZ, WLK_FORMAT_PYTORCH,
		WLK_FORMAT_SKOPS, WLK_FORMAT_MAR, WLK_FORMAT_PT2, WLK_FORMAT_DDUF, WLK_FORMAT_MEDIAPIPE };
	enum format_sort sort = format_info(hint)->sort;

	if (hint == WLK_FORMAT_OTHER || row_has(archives, 0, sizeof(archives) / sizeof(archives[0]), hint))
		return true;
	return (sort == FORMAT_SORT_READ || sort == FORMAT_SORT_MODEL) &&
	       !row_has(others, 0, sizeof(others) / sizeof(others[0]), hint);
}

/* Names that promise a model and do not say of which format. */
static bool may_be_model(enum wlk_format_id content)
{
	enum format_sort sort = format_info(content)->sort;

	return !is_closed_archive(content) && (sort == FORMAT_SORT_READ || sort == FORMAT_SORT_MODEL ||
						  sort == FORMAT_SORT_ARCHIVE || sort == FORMAT_SORT_DATA);
}

bool mismatch_agree(enum wlk_format_id hint, enum wlk_format_id content)
{
	if (hint == WLK_FORMAT_OTHER)
		return may_be_model(content);
	if (says_nothing(hint) || says_nothing(content) || hint == content || same_sort(hint, content))
		return true;
	for (size_t i = 0; i < N_FAMILIES; i++) {
		size_t n = names_of(families[i]);

		if (row_has(families[i], 0, n, hint) && row_has(families[i], n + 1, ROW_MAX, content))
			return true;
	}
	return false;
}

/* -- what it would do -- */

static bool any_code_found(const struct facts *f)
{
	for (unsigned i = 0; i < WLK_N_FINDINGS; i++) {
		enum finding_class class = finding_info((enum wlk_finding)i)->class;

		if (f->per_code[i] > 0 && (class == CLASS_CODE || class == CLASS_MALICIOUS))
			return true;
	}
	return false;
}

/* Broken pickles were spread so: what a scanner does not open, in the clothes of what it would. */
static bool is_disguised(enum wlk_format_id hint, enum wlk_format_id content)
{
	return is_closed_archive(content) && promises_model(hint);
}

/* Its loader runs it: always for these, of anything else when there is something in it to run. */
static bool acts(const struct facts *f)
{
	switch (f->final.format) {
	case WLK_FORMAT_PICKLE:
	case WLK_FORMAT_JOBLIB:
	case WLK_FORMAT_PYTORCH:
	case WLK_FORMAT_PYTORCH_LEGACY:
	case WLK_FORMAT_PYTORCH_TAR:
	case WLK_FORMAT_TORCHSCRIPT: return true;
	default: return format_info(f->final.format)->sort == FORMAT_SORT_PROGRAM || any_code_found(f);
	}
}

bool mismatch_find(const struct facts *f, const char *name, struct finding *ret)
{
	enum wlk_format_id hint = format_hint(name), content = f->final.format;

	if (!f->has_final || f->per_code[WLK_F_FORMAT_EXTENSION_MISMATCH] > 0 || mismatch_agree(hint, content))
		return false;
	*ret = (struct finding){
		.code = acts(f) || is_disguised(hint, content) ? WLK_F_FORMAT_EXTENSION_MISMATCH
							       : WLK_F_FORMAT_NAME_DIFFERS,
		.found = value_text(bytes_of_text(format_info(content)->name)),
		.allowed = value_text(bytes_of_text(format_info(hint)->name)),
	};
	return true;
}
