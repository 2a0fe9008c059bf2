/* The table of formats, in the order in which they are tried. */
#include "format.h"
#include "named.h"
#include "npy.h"
#include "npz.h"
#include "pickle_file.h"
#include "pytorch_legacy.h"
#include "pytorch_tar.h"
#include "pytorch_zip.h"
#include "safetensors.h"
#include "side_file.h"
#include "tar.h"
#include "wrapper.h"
#include "zip_archive.h"

const struct wlk_format *const wlk_formats[] = {
	&format_safetensors,
	&format_pytorch,
	&format_npz,
	&format_npy,
	&format_zip,            /* behind the formats that are ZIP archives too */
	&format_pytorch_legacy, /* before the pickles it begins with */
	&format_pytorch_tar,
	&format_pickle,
	&format_gzip,
	&format_bzip2,
	&format_xz,
	&format_lz4,
	&format_tar,
	&format_7z,
	&format_rar,
	&format_zstd,
	&format_joblib,
	&format_lzma,
	&format_zlib, /* two bytes: behind all that have more to be known by */
	&format_code,
	&format_text,
};
const size_t wlk_n_formats = sizeof(wlk_formats) / sizeof(wlk_formats[0]);
