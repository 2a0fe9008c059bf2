/* The table of signatures: see identify_signs.h.  Follows formats/others, sections 1, 2 and 4; polyglots, section 4, for
 * what few bytes are worth: a signature of less than four needs a structure behind it. */
#include "identify_signs.h"

#include "checked.h"

static bool has_at(struct bytes b, size_t at, const char *magic, size_t n)
{
	return b.n >= n && at <= b.n - n && memcmp(b.at + at, magic, n) == 0;
}

/* -- programs -- */

/* Class, byte order and version exist (System V ABI, "ELF Identification"). */
static bool also_elf(struct bytes b, uint64_t size)
{
	(void)size;
	return b.n >= 16 && (b.at[4] == 1 || b.at[4] == 2) && (b.at[5] == 1 || b.at[5] == 2) && b.at[6] == 1;
}

/* The DOS header leads to the signature of what Windows runs, if that is near enough to be seen. */
#define PE_POINTER 60u

static bool also_pe(struct bytes b, uint64_t size)
{
	uint32_t at;

	(void)size;
	if (b.n < PE_POINTER + 4)
		return false;
	at = load_u32le(b.at + PE_POINTER);
	return has_at(b, at, "PE\0\0", 4) || has_at(b, at, "NE", 2) || has_at(b, at, "LE", 2) || has_at(b, at, "LX", 2);
}

#define MACHO_COMMANDS_MAX 0xffffu
#define MACHO_ARCHITECTURES_MAX 30u /* Java began with 45 */

static bool also_macho_be(struct bytes b, uint64_t size)
{
	(void)size;
	return b.n >= 20 && load_u32be(b.at + 16) - 1 < MACHO_COMMANDS_MAX;
}

static bool also_macho_le(struct bytes b, uint64_t size)
{
	(void)size;
	return b.n >= 20 && load_u32le(b.at + 16) - 1 < MACHO_COMMANDS_MAX;
}

static bool also_macho_fat(struct bytes b, uint64_t size)
{
	(void)size;
	return b.n >= 8 && load_u32be(b.at + 4) - 1 < MACHO_ARCHITECTURES_MAX;
}

static bool also_java(struct bytes b, uint64_t size)
{
	(void)size;
	return b.n >= 10 && b.at[6] == 0 && b.at[7] >= 45;
}

/* PEP 552: a number of the version with CR LF behind it, then flags. */
static bool also_pyc(struct bytes b, uint64_t size)
{
	uint32_t version = b.n >= 16 ? load_u32le(b.at) & 0xffff : 0;

	(void)size;
	return version >= 3000 && version < 4000 && load_u32le(b.at + 4) <= 3;
}

/* -- models -- */

/* One of the lines that the library asks for, in whatever order they stand. */
static bool also_lightgbm(struct bytes b, uint64_t size)
{
	static const char *const lines[] = {
		"num_class=", "label_index=", "max_feature_idx=", "feature_names=", "feature_infos="
	};

	(void)size;
	for (size_t at = 5; at < b.n; at++)
		for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
			if ((b.at[at - 1] == '\n' || b.at[at - 1] == '\r') && has_at(b, at, lines[i], strlen(lines[i])))
				return true;
	return false;
}

/* -- archives -- */

static bool also_arj(struct bytes b, uint64_t size)
{
	uint32_t n = b.n >= 10 ? b.at[2] | (uint32_t)b.at[3] << 8 : 0;

	return n >= 30 && n <= 2600 && n < size && b.at[4] >= 30 && b.at[4] <= n;
}

static bool also_lha(struct bytes b, uint64_t size)
{
	(void)size;
	return b.n >= 21 && b.at[6] == '-' && b.at[20] <= 3; /* the header's level */
}

static bool also_compress(struct bytes b, uint64_t size)
{
	(void)size;
	return b.n >= 4 && (b.at[2] & 0x60) == 0 && (b.at[2] & 0x1f) >= 9 && (b.at[2] & 0x1f) <= 16;
}

/* -- models -- */

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool also_executorch(struct bytes b, uint64_t size)
{
	(void)size;
	return b.n >= 8 && is_digit(b.at[6]) && is_digit(b.at[7]);
}

/* A length prefix of protobuf: bytes it takes, 0 when it takes more than five. */
static size_t varint_bytes(struct bytes b, size_t at)
{
	for (size_t i = 0; i < 5 && at + i < b.n; i++)
		if ((b.at[at + i] & 0x80) == 0)
			return i + 1;
	return 0;
}

/* Model: specificationVersion, then the description, whose first input begins with its name: onnx has a printable name in
 * place of the description, and a SavedModel tells of operators in place of the name. */
static bool also_coreml(struct bytes b, uint64_t size)
{
	size_t n = b.n >= 8 && b.at[1] >= 1 && b.at[1] <= 20 && b.at[2] == 0x12 ? varint_bytes(b, 3) : 0;
	size_t at = 3 + n, inner = n > 0 && has_at(b, at, "\x0a", 1) ? varint_bytes(b, at + 1) : 0;

	(void)size;
	return inner > 0 && has_at(b, at + 1 + inner, "\x0a", 1);
}

/* Behind a header of 64 bytes the first entry's sentinel. */
static bool also_coreml_weights(struct bytes b, uint64_t size)
{
	(void)size;
	return has_at(b, 64, "\xef\xbe\xad\xde", 4);
}

/* A block of the program that is the outermost: index 0, parent -1. */
static bool also_paddle_program(struct bytes b, uint64_t size)
{
	size_t n = varint_bytes(b, 1);

	(void)size;
	return n > 0 && has_at(b, 1 + n, "\x08\0\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13);
}

/* Version 0, no levels, version 0; a description of a few bytes that begins with its element type. */
static bool also_paddle_params(struct bytes b, uint64_t size)
{
	uint32_t n = b.n >= 24 ? load_u32le(b.at + 16) : 0;

	return n >= 2 && n <= 64 && n < size && b.at[20] == 0x08 && b.at[21] < 32;
}

static bool also_fasttext(struct bytes b, uint64_t size)
{
	(void)size;
	return b.n >= 8 && load_u32le(b.at + 4) <= 64; /* its version */
}

/* Universal binary JSON: an object whose first key follows with a typed length. */
static bool also_ubj(struct bytes b, uint64_t size)
{
	(void)size;
	return has_at(b, 10, "learner", 7) || has_at(b, 3, "learner", 7) || has_at(b, 3, "Config", 6);
}

static bool also_rds(struct bytes b, uint64_t size)
{
	(void)size;
	return b.n >= 14 && b.at[2] == 0 && b.at[3] == 0 && b.at[4] == 0 && (b.at[5] == 2 || b.at[5] == 3);
}

static bool also_rds_native(struct bytes b, uint64_t size)
{
	(void)size;
	return b.n >= 14 && (load_u32le(b.at + 2) == 2 || load_u32le(b.at + 2) == 3);
}

/* -- data sets -- */

/* The length of a message of metadata: small, and a multiple of eight. */
static bool also_arrow_stream(struct bytes b, uint64_t size)
{
	uint32_t n = b.n >= 16 ? load_u32le(b.at + 4) : 0;

	return n >= 16 && n % 8 == 0 && n < size && n < 1u << 24 && load_u32le(b.at + 8) < n;
}

/* A stripe, not a word. */
static bool also_orc(struct bytes b, uint64_t size)
{
	(void)size;
	return b.n >= 16 && (b.at[3] < ' ' || b.at[3] >= 0x7f);
}

/* -- pictures, sound, film -- */

static bool also_bmp(struct bytes b, uint64_t size)
{
	return b.n >= 26 && (load_u32le(b.at + 2) == size || size == UINT64_MAX) && load_u32le(b.at + 14) >= 12 &&
	       load_u32le(b.at + 14) <= 124;
}

static bool also_ico(struct bytes b, uint64_t size)
{
	uint32_t images = b.n >= 22 ? b.at[4] | (uint32_t)b.at[5] << 8 : 0;

	return images >= 1 && images <= 64 && b.at[9] == 0 && load_u32le(b.at + 18) < size &&
	       load_u32le(b.at + 18) >= 6 + 16 * images;
}

static bool also_riff_webp(struct bytes b, uint64_t size)
{
	(void)size;
	return has_at(b, 8, "WEBP", 4);
}

static bool also_riff_wave(struct bytes b, uint64_t size)
{
	(void)size;
	return has_at(b, 8, "WAVE", 4);
}

static bool also_riff_avi(struct bytes b, uint64_t size)
{
	(void)size;
	return has_at(b, 8, "AVI ", 4);
}

/* ISO base media: still pictures by their brand, everything else is film or sound. */
static bool also_heif(struct bytes b, uint64_t size)
{
	static const char *const brands[] = { "avif", "avis", "heic", "heix", "mif1", "msf1" };

	(void)size;
	for (size_t i = 0; i < sizeof(brands) / sizeof(brands[0]); i++)
		if (has_at(b, 8, brands[i], 4))
			return true;
	return false;
}

/* Version 2 to 4, and a length of four times seven bits. */
static bool also_id3(struct bytes b, uint64_t size)
{
	(void)size;
	return b.n >= 10 && b.at[3] >= 2 && b.at[3] <= 4 && ((b.at[6] | b.at[7] | b.at[8] | b.at[9]) & 0x80) == 0;
}

/* MPEG audio, layer III: a bit rate and a sampling rate that exist. */
static bool also_mp3(struct bytes b, uint64_t size)
{
	(void)size;
	return b.n >= 4 && (b.at[2] >> 4) != 15 && (b.at[2] >> 4) != 0 && (b.at[2] & 0x0c) != 0x0c;
}

static bool also_sfnt(struct bytes b, uint64_t size)
{
	uint32_t tables = b.n >= 28 ? (uint32_t)b.at[4] << 8 | b.at[5] : 0;

	(void)size;
	return tables >= 4 && tables <= 64 && b.at[12] >= 'A' && b.at[12] <= 'z' && b.at[13] >= '/' && b.at[13] <= 'z';
}

static bool also_jpeg(struct bytes b, uint64_t size)
{
	(void)size;
	return b.n >= 4 && b.at[3] >= 0xc0 && b.at[3] != 0xff;
}

/* -- markup -- */

static uint8_t lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

/* In any case of letters, and ended by what ends a tag. */
static bool tag_at(struct bytes b, size_t at, const char *tag)
{
	size_t n = strlen(tag);

	if (b.n <= n || at >= b.n - n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (lower(b.at[at + i]) != (uint8_t)tag[i])
			return false;
	return b.at[at + n] == '>' || b.at[at + n] == '/' || b.at[at + n] <= ' ';
}

/* The > of <?...> and <!...>: of a document type with declarations of its own the one behind them. */
static const uint8_t *end_of_declaration(struct bytes b, size_t at)
{
	const uint8_t *end = memchr(b.at + at, '>', b.n - at), *subset = memchr(b.at + at, '[', b.n - at);

	if (end == NULL || subset == NULL || subset > end)
		return end;
	end = memchr(subset, ']', b.n - (size_t)(subset - b.at));
	return end != NULL ? memchr(end, '>', b.n - (size_t)(end - b.at)) : NULL;
}

/* Behind a byte order mark, blanks, comments, the declaration and the document type: the first element. */
static size_t first_element(struct bytes b)
{
	size_t at = has_at(b, 0, "\xef\xbb\xbf", 3) ? 3 : 0;

	for (;;) {
		const uint8_t *end;
		bool comment;

		while (at < b.n && (b.at[at] == ' ' || (b.at[at] >= '\t' && b.at[at] <= '\r')))
			at++;
		if (!has_at(b, at, "<?", 2) && !has_at(b, at, "<!", 2))
			return at;
		comment = has_at(b, at, "<!--", 4);
		end = comment ? memmem(b.at + at, b.n - at, "-->", 3) : end_of_declaration(b, at);
		if (end == NULL)
			return b.n;
		at = (size_t)(end - b.at) + (comment ? 3 : 1);
	}
}

static bool is_markup(struct bytes b)
{
	size_t at = has_at(b, 0, "\xef\xbb\xbf", 3) ? 3 : 0;

	while (at < b.n && (b.at[at] == ' ' || (b.at[at] >= '\t' && b.at[at] <= '\r')))
		at++;
	return at < b.n && b.at[at] == '<';
}

static bool also_openvino(struct bytes b, uint64_t size)
{
	size_t at = is_markup(b) ? first_element(b) : b.n;

	(void)size;
	return tag_at(b, at, "<net") && memmem(b.at + at, b.n - at, "version=", 8) != NULL;
}

static bool also_pmml(struct bytes b, uint64_t size)
{
	(void)size;
	return is_markup(b) && tag_at(b, first_element(b), "<pmml");
}

static bool also_svg(struct bytes b, uint64_t size)
{
	(void)size;
	return is_markup(b) && tag_at(b, first_element(b), "<svg");
}

/* Whole documents and programs only: text with a picture or a heading in front is text. */
static bool also_html(struct bytes b, uint64_t size)
{
	static const char *const tags[] = { "<html", "<head", "<body", "<script", "<iframe", "<!doctype", "<title",
		"<style" };
	size_t first = 0;

	(void)size;
	if (!is_markup(b))
		return false;
	while (b.at[first] != '<')
		first++;
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (tag_at(b, first, tags[i]) || tag_at(b, first_element(b), tags[i]))
			return true;
	return false;
}

static bool also_xml(struct bytes b, uint64_t size)
{
	(void)size;
	return b.n > 6 && (b.at[5] <= ' ');
}

/* FileDescriptorSet (descriptor.proto): a list of files, each of which begins with its name, NAME.proto. */
static bool also_descriptors(struct bytes b, uint64_t size)
{
	static const char end[] = ".proto";
	size_t at = 1, n;

	(void)size;
	while (at < b.n && at < 6 && (b.at[at] & 0x80) != 0)
		at++;
	at++; /* behind the length of the first file */
	if (at + 2 > b.n || b.at[at] != 0x0a)
		return false;
	n = b.at[at + 1];
	at += 2;
	return n > sizeof(end) - 1 && n < 0x80 && n <= b.n - at &&
	       memcmp(b.at + at + n - (sizeof(end) - 1), end, sizeof(end) - 1) == 0;
}

/* -- the table -- */

#define S(id, at, magic, also)                                      \
	{                                                           \
		WLK_FORMAT_##id, at, sizeof(magic) - 1, magic, also \
	}
/* clang-format off */
static const struct sign signs[] = {
	/* 1: four bytes or more at the beginning */
	S(LLAMAFILE, 0, "MZqFpD", NULL), S(LLAMAFILE, 0, "jartsr='\n", NULL), S(LLAMAFILE, 0, "APEDBG='\n", NULL),
	S(ELF, 0, "\x7f" "ELF", also_elf),
	S(MACHO, 0, "\xfe\xed\xfa\xce", also_macho_be), S(MACHO, 0, "\xfe\xed\xfa\xcf", also_macho_be),
	S(MACHO, 0, "\xce\xfa\xed\xfe", also_macho_le), S(MACHO, 0, "\xcf\xfa\xed\xfe", also_macho_le),
	S(MACHO, 0, "\xca\xfe\xba\xbe", also_macho_fat), S(MACHO, 0, "\xca\xfe\xba\xbf", also_macho_fat),
	S(JAVA_CLASS, 0, "\xca\xfe\xba\xbe", also_java),
	S(WASM, 0, "\0asm\x01\0\0\0", NULL),
	S(DEX, 0, "dex\n0", NULL),
	S(LUA_BYTECODE, 0, "\x1bLua", NULL),
	S(LLVM_BITCODE, 0, "BC\xc0\xde", NULL),
	S(SEVEN_ZIP, 0, "7z\xbc\xaf\x27\x1c", NULL),
	S(RAR, 0, "Rar!\x1a\x07", NULL),
	S(CAB, 0, "MSCF\0\0\0\0", NULL),
	S(AR, 0, "!<arch>\n", NULL), S(AR, 0, "!<thin>\n", NULL),
	S(CPIO, 0, "070701", NULL), S(CPIO, 0, "070702", NULL), S(CPIO, 0, "070707", NULL),
	S(RPM, 0, "\xed\xab\xee\xdb", NULL),
	S(XAR, 0, "xar!", NULL),
	S(LZIP, 0, "LZIP\x01", NULL),
	S(LZOP, 0, "\x89LZO\0\r\n\x1a\n", NULL),
	S(SNAPPY, 0, "\xff\x06\0\0sNaPpY", NULL),
	S(SQUASHFS, 0, "hsqs", NULL), S(SQUASHFS, 0, "sqsh", NULL),
	S(DISK_IMAGE, 0, "conectix", NULL), S(DISK_IMAGE, 0, "vhdxfile", NULL), S(DISK_IMAGE, 0, "KDMV", NULL),
	S(DISK_IMAGE, 0, "QFI\xfb", NULL),
	S(TENSORRT, 0, "ptrt", NULL),
	S(RKNN, 0, "RKNN", NULL),
	S(NCNN, 0, "7767517\n", NULL), S(NCNN, 0, "\xdd\x85\x76\0", NULL),
	S(CNTK, 0, "B\0C\0N\0\0\0", NULL),
	S(MXNET, 0, "\x12\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0", NULL),
	S(CATBOOST, 0, "CBM1", NULL),
	S(LIGHTGBM, 0, "tree\n", also_lightgbm), S(LIGHTGBM, 0, "tree\r", also_lightgbm),
	S(XGBOOST, 0, "binf", NULL), S(XGBOOST, 0, "{\"learner\"", NULL), S(XGBOOST, 0, "{L\0\0\0\0\0\0\0", also_ubj),
	S(XGBOOST, 0, "{i", also_ubj),
	S(FASTTEXT, 0, "\xba\x16\x4f\x2f", also_fasttext),
	S(TORCH7, 0, "\x04\0\0\0\x01\0\0\0\x03\0\0\0V 1", NULL), S(TORCH7, 0, "\x03\0\0\0\x01\0\0\0", NULL),
	S(TORCH7, 0, "4\n1\n3\nV 1\n", NULL),
	S(RDS, 0, "RDX2\n", NULL), S(RDS, 0, "RDX3\n", NULL), S(RDS, 0, "RDA2\n", NULL), S(RDS, 0, "RDA3\n", NULL),
	S(RDS, 0, "RDB2\n", NULL), S(RDS, 0, "RDB3\n", NULL), S(RDS, 0, "A\n2\n", NULL), S(RDS, 0, "A\n3\n", NULL),
	S(OCDBT, 0, "\x0c\xdb\x3a\x2a", NULL),
	S(ARROW, 0, "ARROW1\0\0", NULL),
	S(FEATHER, 0, "FEA1", NULL),
	S(ARROW_STREAM, 0, "\xff\xff\xff\xff", also_arrow_stream),
	S(PARQUET, 0, "PAR1", NULL), S(PARQUET, 0, "PARE", NULL),
	S(AVRO, 0, "Obj\x01", NULL),
	S(MATLAB, 0, "MATLAB 5.0 MAT-file", NULL),
	S(NETCDF, 0, "CDF\x01", NULL), S(NETCDF, 0, "CDF\x02", NULL), S(NETCDF, 0, "CDF\x05", NULL),
	S(SQLITE, 0, "SQLite format 3\0", NULL),
	S(PNG, 0, "\x89PNG\r\n\x1a\n", NULL),
	S(GIF, 0, "GIF87a", NULL), S(GIF, 0, "GIF89a", NULL),
	S(WEBP, 0, "RIFF", also_riff_webp), S(WAV, 0, "RIFF", also_riff_wave), S(AVI, 0, "RIFF", also_riff_avi),
	S(TIFF, 0, "II*\0", NULL), S(TIFF, 0, "MM\0*", NULL), S(TIFF, 0, "II+\0", NULL),
	S(PSD, 0, "8BPS\0\x01", NULL),
	S(JPEG_XL, 0, "\0\0\0\x0cJXL \r\n\x87\n", NULL),
	S(FLAC, 0, "fLaC", NULL),
	S(OGG, 0, "OggS", NULL),
	S(MIDI, 0, "MThd\0\0\0\x06", NULL),
	S(MATROSKA, 0, "\x1a\x45\xdf\xa3", NULL),
	S(FONT, 0, "wOFF", NULL), S(FONT, 0, "wOF2", NULL), S(FONT, 0, "OTTO\0", NULL), S(FONT, 0, "\0\x01\0\0", also_sfnt),
	S(PDF, 0, "%PDF-", NULL),
	S(POSTSCRIPT, 0, "%!PS", NULL),
	S(RTF, 0, "{\\rtf", NULL),
	S(OLE2, 0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", NULL),
	S(COREML_WEIGHTS, 4, "\x02\0\0\0\0\0\0\0", also_coreml_weights),
	S(PADDLE_PARAMS, 0, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", also_paddle_params),
	/* 2: at 4, and behind */
	S(EXECUTORCH, 4, "ET", also_executorch), S(EXECUTORCH, 4, "FT01", NULL),
	S(ORT, 4, "ORTM", NULL),
	S(HEIF, 4, "ftyp", also_heif), S(MP4, 4, "ftyp", NULL),
	S(ACE, 7, "**ACE**", NULL),
	S(LHA, 2, "-lh", also_lha), S(LHA, 2, "-lz", also_lha),
	/* fewer bytes, with a structure behind them */
	S(PE, 0, "MZ", also_pe),
	S(PYTHON_BYTECODE, 2, "\r\n", also_pyc),
	S(ARJ, 0, "\x60\xea", also_arj),
	S(COMPRESS, 0, "\x1f\x9d", also_compress),
	S(ORC, 0, "ORC", also_orc),
	S(RDS, 0, "X\n", also_rds), S(RDS, 0, "B\n", also_rds_native),
	S(JPEG, 0, "\xff\xd8\xff", also_jpeg),
	S(BMP, 0, "BM", also_bmp),
	S(ICO, 0, "\0\0\x01\0", also_ico),
	S(MP3, 0, "ID3", also_id3), S(MP3, 0, "\xff\xfb", also_mp3),
	/* 7: protobuf that begins like nothing else */
	S(PROTOBUF_DESCRIPTORS, 0, "\x0a", also_descriptors),
	S(PADDLE, 0, "\x0a", also_paddle_program),
	S(COREML, 0, "\x08", also_coreml),
	/* 8: markup */
	S(OPENVINO, 0, "", also_openvino), S(PMML, 0, "", also_pmml), S(SVG, 0, "", also_svg), S(HTML, 0, "", also_html),
	S(XML, 0, "<?xml", also_xml),
};

/* What formats with a reader begin with: their probes decide, and this says by what. */
static const struct sign read_signs[] = {
	S(DEATHTENSORS, 0, "DTLEGION", NULL),
	S(GGUF, 0, "GGUF", NULL), S(GGUF, 0, "lmgg", NULL), S(GGUF, 0, "fmgg", NULL), S(GGUF, 0, "tjgg", NULL),
	S(GGUF, 0, "algg", NULL),
	S(NPY, 0, "\x93NUMPY", NULL),
	S(KERAS_HDF5, 0, "\x89HDF\r\n\x1a\n", NULL),
	S(PYTORCH, 0, "PK\3\4", NULL), S(TORCHSCRIPT, 0, "PK\3\4", NULL), S(NPZ, 0, "PK\3\4", NULL),
	S(KERAS_ZIP, 0, "PK\3\4", NULL), S(ZIP, 0, "PK\3\4", NULL), S(ZIP, 0, "PK\5\6", NULL),
	S(GZIP, 0, "\x1f\x8b\x08", NULL), S(BZIP2, 0, "BZh", NULL), S(XZ, 0, "\xfd" "7zXZ\0", NULL),
	S(LZMA, 0, "\x5d\0\0", NULL), S(LZ4, 0, "\x04\x22\x4d\x18", NULL), S(ZSTD, 0, "\x28\xb5\x2f\xfd", NULL),
	S(ZLIB, 0, "\x78", NULL), S(TAR, 257, "ustar", NULL), S(PYTORCH_TAR, 257, "ustar", NULL),
	S(JOBLIB, 0, "\x1f\x8b\x08", NULL), S(JOBLIB, 0, "BZh", NULL), S(JOBLIB, 0, "\xfd" "7zXZ\0", NULL),
	S(JOBLIB, 0, "\x5d\0\0", NULL), S(JOBLIB, 0, "\x04\x22\x4d\x18", NULL), S(JOBLIB, 0, "\x28\xb5\x2f\xfd", NULL),
	S(JOBLIB, 0, "ZF0x", NULL), S(JOBLIB, 0, "\x80", NULL), S(PICKLE, 0, "\x80", NULL), S(PYTORCH_LEGACY, 0, "\x80", NULL),
	S(LFS_POINTER, 0, "version https://git-lfs.github.com/spec/v1", NULL),
};
/* clang-format on */
#undef S

static bool matches(const struct sign *s, struct bytes head, uint64_t size)
{
	return has_at(head, s->at, s->magic, s->n) && (s->also == NULL || s->also(head, size));
}

const struct sign *identify_sign(struct bytes head, uint64_t size)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (matches(&signs[i], head, size))
			return &signs[i];
	return NULL;
}

bool identify_sign_is(enum wlk_format_id id, struct bytes head, uint64_t size)
{
	const struct sign *s = identify_sign(head, size);

	return s != NULL && s->id == id;
}

const struct sign *identify_reason(enum wlk_format_id id, struct bytes head, uint64_t size)
{
	const struct sign *s = identify_sign(head, size);

	if (s != NULL && s->id == id)
		return s;
	for (size_t i = 0; i < sizeof(read_signs) / sizeof(read_signs[0]); i++)
		if (read_signs[i].id == id && matches(&read_signs[i], head, size))
			return &read_signs[i];
	return NULL;
}
