/* Formats that are recognised by their first bytes and not read: what the verdict calls them, and what sort of thing they
 * are.  Follows formats/others, sections 1 and 2.  Who writes a reader takes the row to WLK_FORMATS, and its signature
 * stays (lib/layout/identify.c).
 *
 * X(id, name, sort, extension list) */
#pragma once

/* What somebody may do with such a file.  The order is not significant. */
enum format_sort {
	FORMAT_SORT_READ,     /* not one of these: there is a reader */
	FORMAT_SORT_PROGRAM,  /* a machine, or an interpreter, runs it */
	FORMAT_SORT_ARCHIVE,  /* holds other files */
	FORMAT_SORT_MODEL,    /* a model for some runtime */
	FORMAT_SORT_DATA,     /* tables and arrays: a data set, or what was trained on */
	FORMAT_SORT_IMAGE,    /* a picture */
	FORMAT_SORT_MEDIA,    /* sound and film */
	FORMAT_SORT_DOCUMENT, /* for people to read; may carry scripts */
};

/* clang-format off */
#define WLK_FORMATS_NAMED(X)                                              \
	X(NAMED, "named", DATA, "")                                       \
	X(LLAMAFILE, "llamafile", PROGRAM, "llamafile")                   \
	X(ELF, "elf", PROGRAM, "so elf o ko")                             \
	X(PE, "pe", PROGRAM, "exe dll sys pyd")                           \
	X(MACHO, "mach-o", PROGRAM, "dylib")                              \
	X(JAVA_CLASS, "java-class", PROGRAM, "class")                     \
	X(WASM, "wasm", PROGRAM, "wasm")                                  \
	X(DEX, "dex", PROGRAM, "dex")                                     \
	X(PYTHON_BYTECODE, "python-bytecode", PROGRAM, "pyc pyo")         \
	X(LUA_BYTECODE, "lua-bytecode", PROGRAM, "luac")                  \
	X(LLVM_BITCODE, "llvm-bitcode", PROGRAM, "bc")                    \
	X(CAB, "cab", ARCHIVE, "cab")                                     \
	X(ARJ, "arj", ARCHIVE, "arj")                                     \
	X(AR, "ar", ARCHIVE, "a deb")                                     \
	X(CPIO, "cpio", ARCHIVE, "cpio")                                  \
	X(RPM, "rpm", ARCHIVE, "rpm")                                     \
	X(XAR, "xar", ARCHIVE, "xar")                                     \
	X(ACE, "ace", ARCHIVE, "ace")                                     \
	X(LHA, "lha", ARCHIVE, "lzh lha")                                 \
	X(LZIP, "lzip", ARCHIVE, "lz")                                    \
	X(LZOP, "lzop", ARCHIVE, "lzo")                                   \
	X(COMPRESS, "compress", ARCHIVE, "")                              \
	X(SNAPPY, "snappy", ARCHIVE, "sz")                                \
	X(SQUASHFS, "squashfs", ARCHIVE, "squashfs sqsh")                 \
	X(DISK_IMAGE, "disk-image", ARCHIVE, "iso img vhd vhdx vmdk qcow2 dmg") \
	X(TENSORRT, "tensorrt", MODEL, "engine plan trt")                 \
	X(RKNN, "rknn", MODEL, "rknn")                                    \
	X(NCNN, "ncnn", MODEL, "")                                        \
	X(MNN, "mnn", MODEL, "mnn")                                       \
	X(CNTK, "cntk", MODEL, "cntk")                                    \
	X(TORCH7, "torch7", MODEL, "t7 net")                              \
	X(CATBOOST, "catboost", MODEL, "cbm")                             \
	X(FASTTEXT, "fasttext", MODEL, "ftz")                             \
	X(OCDBT, "ocdbt", MODEL, "ocdbt")                                 \
	X(FEATHER, "feather", DATA, "feather ftr")                        \
	X(ORC, "orc", DATA, "orc")                                        \
	X(AVRO, "avro", DATA, "avro")                                     \
	X(MATLAB, "matlab", DATA, "mat")                                  \
	X(NETCDF, "netcdf", DATA, "")                                     \
	X(SQLITE, "sqlite", DATA, "sqlite sqlite3 db")                    \
	X(PNG, "png", IMAGE, "png")                                       \
	X(JPEG, "jpeg", IMAGE, "jpg jpeg jfif")                           \
	X(GIF, "gif", IMAGE, "gif")                                       \
	X(WEBP, "webp", IMAGE, "webp")                                    \
	X(BMP, "bmp", IMAGE, "bmp")                                       \
	X(TIFF, "tiff", IMAGE, "tif tiff")                                \
	X(ICO, "ico", IMAGE, "ico")                                       \
	X(PSD, "psd", IMAGE, "psd")                                       \
	X(HEIF, "heif", IMAGE, "heic heif avif")                          \
	X(JPEG_XL, "jpeg-xl", IMAGE, "jxl")                               \
	X(WAV, "wav", MEDIA, "wav")                                       \
	X(FLAC, "flac", MEDIA, "flac")                                    \
	X(OGG, "ogg", MEDIA, "ogg oga ogv opus")                          \
	X(MP3, "mp3", MEDIA, "mp3")                                       \
	X(MIDI, "midi", MEDIA, "mid midi")                                \
	X(MP4, "mp4", MEDIA, "mp4 m4a m4v mov")                           \
	X(MATROSKA, "matroska", MEDIA, "mkv webm mka")                    \
	X(AVI, "avi", MEDIA, "avi")                                       \
	X(FONT, "font", DOCUMENT, "ttf otf woff woff2")                   \
	X(PDF, "pdf", DOCUMENT, "pdf")                                    \
	X(POSTSCRIPT, "postscript", DOCUMENT, "ps eps")                   \
	X(RTF, "rtf", DOCUMENT, "rtf")                                    \
	X(OLE2, "ole2", DOCUMENT, "doc xls ppt msi")                      \
	X(HTML, "html", DOCUMENT, "html htm xhtml")
/* clang-format on */
