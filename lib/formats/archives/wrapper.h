/* Compressed files: gzip, zlib, bzip2, xz, lzma, LZ4 and Zstandard as they are, and the oldest form of joblib's.  The file is judged
 * by what is inside, decoded through a window in the pass; the coding around it is read strictly: one stream, its
 * checksum right, nothing behind it.  Follows formats/others, section 2.
 *
 * What a compressed pickle is called: joblib, whose load() opens it whatever the codec, and who writes such files. */
#pragma once

#include "format.h"

extern const struct wlk_format format_gzip, format_zlib, format_bzip2, format_xz, format_lzma, format_lz4, format_zstd;
/* joblib before 0.10: "ZF", a length in hexadecimal, and zlib's coding. */
extern const struct wlk_format format_joblib;
