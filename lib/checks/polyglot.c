/* Is the file also something else?  See polyglot.h.  One function per rule, one line per rule in the table at
 * the end; the P numbers are those of formats/polyglots, section 6.  Each rule is as strict as its real
 * readers are lax: what Python opens is a match, whatever the specification of the guest says. */
#include "polyglot.h"

#include <string.h>

#include "checked.h"

/* What a rule may look at. */
struct view {
	const struct polyglot *pg;
	struct source *src;
	struct bytes head, tail;
	uint64_t tail_at; /* file offset of the tail */
};

/* Copy n bytes of the file from wherever they are kept, else read them again.  False when they are not all
 * inside the file or cannot be had: then src->err is set and ends the judgement. */
static bool look(struct view *v, uint64_t at, uint8_t *buf, size_t n)
{
	if (at > v->src->size || n > v->src->size - at)
		return false;
	if (n <= v->head.n && at <= v->head.n - n) {
		memcpy(buf, v->head.at + at, n);
		return true;
	}
	if (at >= v->tail_at) {
		memcpy(buf, v->tail.at + (at - v->tail_at), n);
		return true;
	}
	return source_reread(v->src, at, buf, n);
}

/* P18.  The length prefix of a safetensors file spells the signature of something that runs or unpacks.
 * Signatures with a fourth byte above 5 need a header beyond the format's limit.  Not here: two-byte prefixes
 * that lead nowhere and are common lengths of honest headers (pickle's PROTO: 640, 896, 1152, 1408; zlib:
 * 376, 8312, 40056). */
static bool find_magic(struct view *v, uint64_t *ret_at)
{
	static const struct {
		uint8_t bytes[4];
		size_t n;
	} magics[] = {
		{ { 'P', 'K', 3, 4 }, 4 }, { { '#', '!' }, 2 }, { { 'M', 'Z' }, 2 },
		{ { 0x1f, 0x8b, 8 }, 3 }, /* gzip */
	};

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		if (v->head.n >= magics[i].n && memcmp(v->head.at, magics[i].bytes, magics[i].n) == 0) {
			*ret_at = 0;
			return true;
		}
	}
	return false;
}

/* P1: ZIP.  The names are those of APPNOTE 6.3, sections 4.3.12, 4.3.14 to 4.3.16. */
#define ZIP_END_BYTES 22
#define ZIP_END_SIGNATURE "PK\5\6"
#define ZIP64_END_BYTES 56
#define ZIP64_LOCATOR_BYTES 20

static bool zip_signature_at(struct view *v, uint64_t at, const char signature[4])
{
	uint8_t buf[4];

	return look(v, at, buf, sizeof(buf)) && memcmp(buf, signature, sizeof(buf)) == 0;
}

/* Does a central directory begin where an end record at `end` says?  Readers either count back from the
 * record, so that the archive may have anything in front of it, or believe the offset. */
static bool zip_directory_leads(struct view *v, uint64_t end, uint64_t size, uint64_t offset)
{
	uint64_t relative;

	return (sub_u64(end, size, &relative) && zip_signature_at(v, relative, "PK\1\2")) ||
	       zip_signature_at(v, offset, "PK\1\2");
}

/* The ZIP64 end record at `at`: is it one, and does it lead to a directory or say that there is none? */
static bool zip64_end_leads(struct view *v, uint64_t at)
{
	uint8_t end[ZIP64_END_BYTES];
	uint64_t size;

	if (!look(v, at, end, sizeof(end)) || memcmp(end, "PK\6\6", 4) != 0)
		return false;
	size = load_u64le(end + 40);
	return size == 0 || zip_directory_leads(v, at, size, load_u64le(end + 48));
}

/* A locator directly in front of the end record points to the ZIP64 record; Python ignores the pointer and
 * expects the record directly in front of the locator. */
static bool zip64_leads(struct view *v, uint64_t end_at)
{
	uint8_t locator[ZIP64_LOCATOR_BYTES];
	uint64_t locator_at, before;

	if (!sub_u64(end_at, sizeof(locator), &locator_at) || !look(v, locator_at, locator, sizeof(locator)) ||
	    memcmp(locator, "PK\6\7", 4) != 0)
		return false;
	return zip64_end_leads(v, load_u64le(locator + 8)) ||
	       (sub_u64(locator_at, ZIP64_END_BYTES, &before) && zip64_end_leads(v, before));
}

/* The empty archive: no entry and no size, and a comment that fits. */
static bool zip_is_empty(const uint8_t end[ZIP_END_BYTES], uint64_t bytes_behind)
{
	static const uint8_t zeros[12];

	return memcmp(end + 4, zeros, sizeof(zeros)) == 0 && load_u16le(end + 20) <= bytes_behind;
}

/* Every end record within reach of a reader counts.  Its disk numbers, its counts of entries and the length
 * of its comment do not: Python's zipfile and zipimport look at none of them [tried with 3.11].  Chance: 2^16
 * places, 64 bits to agree. */
static bool find_zip(struct view *v, uint64_t *ret_at)
{
	struct bytes rest = v->tail;
	const uint8_t *end;

	while (rest.n >= ZIP_END_BYTES &&
	       (end = memmem(rest.at, rest.n - (ZIP_END_BYTES - 4), ZIP_END_SIGNATURE, 4)) != NULL) {
		uint64_t at = v->tail_at + (uint64_t)(end - v->tail.at);

		if (zip_directory_leads(v, at, load_u32le(end + 12), load_u32le(end + 16)) || zip64_leads(v, at) ||
		    zip_is_empty(end, v->src->size - at - ZIP_END_BYTES)) {
			*ret_at = at;
			return true;
		}
		if (v->src->err != SOURCE_OK)
			return false;
		rest = bytes_of(end + 1, rest.n - (size_t)(end + 1 - rest.at));
	}
	return false;
}

/* P2: PDF. */
#define PDF_MARKER "%PDF-"
#define PDF_MARKER_BYTES 5
#define PDF_MARKER_WITHIN 1024 /* readers accept the marker at any offset below */
#define PDF_TRAILER_WITHIN ((size_t)2 * 1024)

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* Step back over at least one space, then at least one digit.  *n: the bytes in front. */
static bool step_back_number(const uint8_t *at, size_t *n)
{
	size_t end = *n, digits_end;

	while (end > 0 && (at[end - 1] == ' ' || (at[end - 1] >= '\t' && at[end - 1] <= '\r') || at[end - 1] == 0))
		end--;
	digits_end = end;
	while (end > 0 && is_digit(at[end - 1]))
		end--;
	if (digits_end == *n || end == digits_end)
		return false;
	*n = end;
	return true;
}

/* "<int> <int> obj" */
static bool has_pdf_object(struct bytes b)
{
	for (size_t i = 0; i + 3 <= b.n; i++) {
		size_t before = i;

		if (memcmp(b.at + i, "obj", 3) == 0 && step_back_number(b.at, &before) &&
		    step_back_number(b.at, &before))
			return true;
	}
	return false;
}

static bool has_pdf_structure(struct bytes b)
{
	return (b.n > 0 && memmem(b.at, b.n, "startxref", 9) != NULL) || has_pdf_object(b);
}

/* The marker with a version, and not behind a word and a space: no running text. */
static bool begins_pdf(struct bytes head, size_t at)
{
	const uint8_t *version = head.at + at + PDF_MARKER_BYTES;

	if (head.n - at < PDF_MARKER_BYTES + 3 || !is_digit(version[0]) || version[1] != '.' || !is_digit(version[2]))
		return false;
	return at < 2 || head.at[at - 1] != ' ' || head.at[at - 2] <= ' ' || head.at[at - 2] == '"';
}

static struct bytes bytes_first(struct bytes b, size_t n)
{
	return bytes_of(b.at, n < b.n ? n : b.n);
}

static struct bytes bytes_last(struct bytes b, size_t n)
{
	return n < b.n ? bytes_of(b.at + (b.n - n), n) : b;
}

/* The first marker with the structure of a PDF anywhere behind it (the head holds the 64 KiB the rule asks
 * for) or at the end of the file.  A marker alone matches too, for readers repair what they can, unless it is
 * a mention: people write about PDF in metadata.  Chance: 1,024 places and 40 bits, with an object or 13 bits
 * of version. */
static bool find_pdf(struct view *v, uint64_t *ret_at)
{
	struct bytes near = bytes_first(v->head, PDF_MARKER_WITHIN - 1 + PDF_MARKER_BYTES);
	bool looked_behind = false;

	for (size_t at = 0; at < near.n; at++) {
		const uint8_t *marker = memmem(near.at + at, near.n - at, PDF_MARKER, PDF_MARKER_BYTES);

		if (!marker)
			return false;
		at = (size_t)(marker - near.at);
		*ret_at = at;
		if (begins_pdf(v->head, at))
			return true;
		/* What stands behind the first marker holds for all. */
		if (!looked_behind && (has_pdf_structure(bytes_of(marker, v->head.n - at)) ||
					  has_pdf_structure(bytes_last(v->tail, PDF_TRAILER_WITHIN))))
			return true;
		looked_behind = true;
	}
	return false;
}

/* P3: tar.  A header block at offset 0 (POSIX ustar; older and GNU archives have no or another magic). */
#define TAR_BLOCK 512

/* What Python's int(text, 8) overlooks: white space, a sign, the prefix 0o, separators. */
static bool tar_overlooks(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f) || c == '+' || c == '_' || c == 'o' ||
	       c == 'O';
}

/* A number as tar readers read it: octal digits up to a NUL or the end of the field, none meaning 0; or, when
 * the first byte is 0x80, big endian in the rest of the field. */
static bool tar_number(const uint8_t *field, size_t n, uint64_t *ret)
{
	uint64_t value = 0;
	bool binary = field[0] == 0x80;

	for (size_t i = binary; i < n && (binary || field[i] != 0); i++) {
		uint64_t base = binary ? 256 : 8, digit = binary ? field[i] : (uint64_t)field[i] - '0';

		if (!binary && tar_overlooks(field[i]))
			continue;
		if (digit >= base || !mul_u64(value, base, &value) || !add_u64(value, digit, &value))
			return false;
	}
	*ret = value;
	return true;
}

/* The sum of the block with the checksum's own field taken for spaces.  Some tars once added signed bytes,
 * and Python still accepts that. */
static bool tar_checksum_is_right(const uint8_t block[TAR_BLOCK])
{
	uint64_t stored, sum = 0, signed_sum;
	uint64_t high = 0; /* bytes that are 256 less when signed */

	for (size_t i = 0; i < TAR_BLOCK; i++) {
		uint8_t c = i >= 148 && i < 156 ? ' ' : block[i];

		sum += c;
		high += c >= 0x80;
	}
	if (!tar_number(block + 148, 8, &stored))
		return false;
	return stored == sum || (sub_u64(sum, high * 256, &signed_sum) && stored == signed_sum);
}

static bool find_tar(struct view *v, uint64_t *ret_at)
{
	uint64_t size;

	if (v->head.n < TAR_BLOCK || !tar_checksum_is_right(v->head.at))
		return false;
	if (memcmp(v->head.at + 257, "ustar", 5) != 0 && !tar_number(v->head.at + 124, 12, &size))
		return false;
	*ret_at = 0;
	return true;
}

/* P4: HDF5.  The signature at 0, 512, 1024, 2048, ... and a superblock version that exists.  The sizes behind
 * it are not asked to be right: 64 bits at a fixed place are no chance, and the first reader to be lenient
 * decides. */
#define HDF5_PROBE 9
#define HDF5_FIRST ((uint64_t)512)

static bool is_hdf5(const uint8_t at[HDF5_PROBE])
{
	return memcmp(at, "\x89HDF\r\n\x1a\n", 8) == 0 && at[8] <= 3;
}

static bool find_hdf5(struct view *v, uint64_t *ret_at)
{
	for (size_t at = 0; at + HDF5_PROBE <= v->head.n; at = at ? at * 2 : HDF5_FIRST) {
		if (is_hdf5(v->head.at + at)) {
			*ret_at = at;
			return true;
		}
	}
	for (size_t i = 0; i < v->pg->n_probes; i++) {
		if (is_hdf5(v->pg->probes[i]->at)) {
			*ret_at = v->pg->probes[i]->begin;
			return true;
		}
	}
	return false;
}

/* Section 4.1: TFRecord.  u64 length, u32 masked CRC-32C of the length. */
static uint32_t crc32c(const uint8_t *at, size_t n)
{
	uint32_t crc = UINT32_MAX;

	/* By bits: it is eight bytes a file. */
	for (size_t i = 0; i < n; i++) {
		crc ^= at[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0x82f63b78) : 0);
	}
	return ~crc;
}

static bool find_tfrecord(struct view *v, uint64_t *ret_at)
{
	uint32_t crc;

	if (v->head.n < 12)
		return false;
	crc = crc32c(v->head.at, 8);
	*ret_at = 0;
	return load_u32le(v->head.at + 8) == (crc >> 15 | crc << 17) + UINT32_C(0xa282ead8);
}

/* Everything the file may also be.  @only_in: the one host in which the rule means anything; UNKNOWN: any. */
static const struct rule {
	enum wlk_finding code;
	enum wlk_format_id only_in;
	bool (*find)(struct view *v, uint64_t *ret_at);
} rules[] = {
	{ WLK_F_POLYGLOT_MAGIC, WLK_FORMAT_SAFETENSORS, find_magic },
	{ WLK_F_POLYGLOT_ZIP, WLK_FORMAT_UNKNOWN, find_zip },
	{ WLK_F_POLYGLOT_PDF, WLK_FORMAT_UNKNOWN, find_pdf },
	{ WLK_F_POLYGLOT_TAR, WLK_FORMAT_UNKNOWN, find_tar },
	{ WLK_F_POLYGLOT_HDF5, WLK_FORMAT_UNKNOWN, find_hdf5 },
	{ WLK_F_POLYGLOT_TFRECORD, WLK_FORMAT_UNKNOWN, find_tfrecord },
};

/* An archive is not also an archive: what its own reader checks is not looked for again. */
static bool is_itself(enum wlk_finding code, enum wlk_format_id host)
{
	switch (host) {
	case WLK_FORMAT_PYTORCH:
	case WLK_FORMAT_TORCHSCRIPT:
	case WLK_FORMAT_NPZ:
	case WLK_FORMAT_ZIP: return code == WLK_F_POLYGLOT_ZIP;
	case WLK_FORMAT_TAR:
	case WLK_FORMAT_PYTORCH_TAR: return code == WLK_F_POLYGLOT_TAR;
	default: return false;
	}
}

/* Probes the head holds need no capture of their own. */
static bool plan_probes(struct polyglot *pg, struct pass *p)
{
	uint64_t at = HDF5_FIRST;

	while (at + HDF5_PROBE <= POLYGLOT_HEAD)
		at *= 2;
	for (; at < p->src->size && HDF5_PROBE <= p->src->size - at && pg->n_probes < POLYGLOT_PROBES_MAX; at *= 2) {
		const struct capture *c = pass_capture(p, at, HDF5_PROBE);

		if (!c)
			return false;
		pg->probes[pg->n_probes++] = c;
	}
	return true;
}

enum wlk_status polyglot_plan(struct polyglot *pg, struct pass *p)
{
	uint64_t size = p->src->size;
	uint64_t tail_at = size > POLYGLOT_TAIL ? size - POLYGLOT_TAIL : 0;

	*pg = (struct polyglot){ 0 };
	pg->head = pass_capture(p, 0, POLYGLOT_HEAD);
	pg->tail = pass_capture(p, tail_at, POLYGLOT_TAIL);
	if (!pg->head || !pg->tail || !plan_probes(pg, p))
		return report_stop(p->report, WLK_CAUSE_LIMIT_MEMORY, 0, 0);
	return WLK_DONE;
}

static struct bytes captured(const struct capture *c)
{
	return bytes_of(c->at, (size_t)(c->end - c->begin));
}

enum wlk_status polyglot_judge(const struct polyglot *pg, struct source *src, enum wlk_format_id host, struct report *r)
{
	struct view v = {
		.pg = pg,
		.src = src,
		.head = captured(pg->head),
		.tail = captured(pg->tail),
		.tail_at = pg->tail->begin,
	};

	if (!format_info(host)->model)
		return WLK_DONE;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		uint64_t at;

		if ((rules[i].only_in != WLK_FORMAT_UNKNOWN && rules[i].only_in != host) ||
		    is_itself(rules[i].code, host))
			continue;
		if (rules[i].find(&v, &at))
			report_at(r, rules[i].code, at);
		if (src->err != SOURCE_OK)
			return report_stop(r, source_cause(src->err), 0, 0);
	}
	return WLK_DONE;
}
