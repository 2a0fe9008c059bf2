/* The end of an archive: the end record, its zip64 relatives, and where they say the directory is (formats/zip, section
 * 3).  Readers search for the end record backwards, each its own way; a sound archive has it in its last 22 bytes, where
 * all of them find it.  The search here only says what is wrong with the others. */
#include <string.h>

#include "zip_impl.h"

#define COMMENT_MAX 0xffffu
#define TAIL_BYTES (ZIP_END_BYTES + COMMENT_MAX)

/* Offset of the last n bytes, or of all of them. */
static uint64_t tail_at(const struct part *p, uint64_t n)
{
	return p->size > n ? p->size - n : 0;
}

/* A record of n bytes at offset, when the part has so many there and they begin with the signature.  Return: false when
 * the source or the arena refused; *ret is NULL without a record. */
static bool record_at(const struct zip *z, uint64_t offset, size_t n, uint32_t signature, const uint8_t **ret)
{
	const uint8_t *at;

	*ret = NULL;
	if (offset > z->part.size || n > z->part.size - offset)
		return true;
	at = part_pin(&z->part, offset, n);
	if (at == NULL)
		return false;
	if (load_u32le(at) == signature)
		*ret = at;
	return true;
}

/* The last signature in the tail with a whole record behind it: Python's and miniz' choice. */
static bool search_end(const struct zip *z, uint64_t *ret_at, const uint8_t **ret)
{
	uint64_t from = tail_at(&z->part, TAIL_BYTES);
	size_t n = (size_t)(z->part.size - from);
	const uint8_t *tail = part_pin(&z->part, from, n);

	if (tail == NULL)
		return false;
	for (size_t i = n - ZIP_END_BYTES + 1; i > 0; i--) {
		if (load_u32le(tail + i - 1) != ZIP_END_SIGNATURE)
			continue;
		*ret_at = from + (i - 1);
		*ret = tail + i - 1;
		break;
	}
	return true;
}

/* The three records of a sound archive at once: pins are few. */
static bool pin_records(const struct zip *z)
{
	uint64_t from = tail_at(&z->part, ZIP_END_RECORDS_BYTES);

	return part_pin(&z->part, from, (size_t)(z->part.size - from)) != NULL;
}

/* Rule 1. */
static enum wlk_status find_end(struct zip *z, uint64_t *ret_at, const uint8_t **ret)
{
	uint64_t size = z->part.size;

	*ret = NULL;
	*ret_at = size;
	if (size >= ZIP_END_BYTES) {
		*ret_at = size - ZIP_END_BYTES;
		if (!pin_records(z) || !record_at(z, *ret_at, ZIP_END_BYTES, ZIP_END_SIGNATURE, ret))
			return zip_stop(z);
		if (*ret != NULL && load_u16le(*ret + 20) == 0)
			return WLK_DONE;
		*ret = NULL;
		if (!search_end(z, ret_at, ret))
			return zip_stop(z);
	}
	if (*ret != NULL)
		return WLK_DONE;
	zip_report_numbers(z, WLK_F_ZIP_EOCD_MISSING, NULL, size, size, ZIP_END_BYTES);
	return WLK_BROKEN;
}

static void check_comment(struct zip *z, struct zip_end *e, uint64_t n)
{
	uint64_t at = e->at + ZIP_END_BYTES, left = z->part.size - at;

	e->after = at + min_u64(n, left);
	if (n > left)
		zip_report_numbers(z, WLK_F_ZIP_EOCD_MISSING, NULL, e->at, n, left);
	if (n == 0)
		return;
	zip_report_numbers(z, WLK_F_ZIP_COMMENT_PRESENT, NULL, e->at, n, 0);
	if (z->o.profile == ZIP_TORCH || z->o.profile == ZIP_NPZ)
		zip_report_numbers(z, WLK_F_ZIP_COMMENT_FORBIDDEN, NULL, e->at, n, 0);
}

/* What the end record itself says. */
struct told {
	uint16_t disk, directory_disk, entries_here, entries;
	uint32_t size, offset;
};

static struct told read_told(const uint8_t *end)
{
	return (struct told){ .disk = load_u16le(end + 4),
		.directory_disk = load_u16le(end + 6),
		.entries_here = load_u16le(end + 8),
		.entries = load_u16le(end + 10),
		.size = load_u32le(end + 12),
		.offset = load_u32le(end + 16) };
}

/* The number of members is no reference: 65,535 of them need no zip64 for Python. */
static bool refers_to_zip64(const struct told *t)
{
	return t->disk == ZIP_SENTINEL16 || t->directory_disk == ZIP_SENTINEL16 || t->size == ZIP_SENTINEL32 ||
	       t->offset == ZIP_SENTINEL32;
}

/* Rule 3, for either record. */
static void check_disks_and_counts(
    struct zip *z, uint64_t at, uint64_t disk, uint64_t directory_disk, uint64_t here, uint64_t entries)
{
	if (disk != 0 || directory_disk != 0)
		zip_report_numbers(z, WLK_F_ZIP_MULTIDISK, NULL, at, disk != 0 ? disk : directory_disk, 0);
	if (here != entries)
		zip_report_numbers(z, WLK_F_ZIP_EOCD_COUNT, NULL, at, here, entries);
}

static void check_agrees(struct zip *z, uint64_t at, uint64_t told, uint64_t sentinel, uint64_t zip64)
{
	if (told != sentinel && told != zip64)
		zip_report_numbers(z, WLK_F_ZIP_ZIP64_MISMATCH, NULL, at, told, zip64);
}

/* Rule 4: what the end record says must be what the zip64 record says, or a reference to it. */
static void read_record64(struct zip *z, struct zip_end *e, const struct told *t, const uint8_t *record, uint64_t at)
{
	uint64_t here = load_u64le(record + 24);
	uint32_t disk = load_u32le(record + 16), directory_disk = load_u32le(record + 20);

	e->entries = load_u64le(record + 32);
	e->size = load_u64le(record + 40);
	e->offset = load_u64le(record + 48);
	check_disks_and_counts(z, at, disk, directory_disk, here, e->entries);
	if (load_u64le(record + 4) != ZIP_END64_BYTES - 12)
		zip_report_numbers(
		    z, WLK_F_ZIP_ZIP64_LOCATOR, NULL, at + 4, load_u64le(record + 4), ZIP_END64_BYTES - 12);
	check_agrees(z, e->at + 4, t->disk, ZIP_SENTINEL16, disk);
	check_agrees(z, e->at + 6, t->directory_disk, ZIP_SENTINEL16, directory_disk);
	check_agrees(z, e->at + 8, t->entries_here, ZIP_SENTINEL16, here);
	check_agrees(z, e->at + 10, t->entries, ZIP_SENTINEL16, e->entries);
	check_agrees(z, e->at + 12, t->size, ZIP_SENTINEL32, e->size);
	check_agrees(z, e->at + 16, t->offset, ZIP_SENTINEL32, e->offset);
}

/* The record has to lie directly in front of the locator, and the locator has to say so; readers follow the one or the
 * other. */
static bool find_record64(
    struct zip *z, struct zip_end *e, const uint8_t *locator, const uint8_t **ret, uint64_t *ret_at)
{
	uint64_t locator_at = e->at - ZIP_LOCATOR_BYTES, told = load_u64le(locator + 8);

	*ret = NULL;
	if (sub_u64(locator_at, ZIP_END64_BYTES, ret_at) &&
	    !record_at(z, *ret_at, ZIP_END64_BYTES, ZIP_END64_SIGNATURE, ret))
		return false;
	if (*ret != NULL) {
		e->records = *ret_at;
		if (told != *ret_at)
			zip_report_numbers(z, WLK_F_ZIP_ZIP64_LOCATOR, NULL, locator_at + 8, told, *ret_at);
		return true;
	}
	*ret_at = told;
	if (!record_at(z, told, ZIP_END64_BYTES, ZIP_END64_SIGNATURE, ret))
		return false;
	zip_report_numbers(z, *ret != NULL ? WLK_F_ZIP_ZIP64_LOCATOR : WLK_F_ZIP_ZIP64_MISSING, NULL, locator_at + 8,
	    told, locator_at);
	return true;
}

static bool read_zip64(struct zip *z, struct zip_end *e, const struct told *t)
{
	const uint8_t *locator = NULL, *record;
	uint64_t at;

	if (sub_u64(e->at, ZIP_LOCATOR_BYTES, &at) &&
	    !record_at(z, at, ZIP_LOCATOR_BYTES, ZIP_LOCATOR_SIGNATURE, &locator))
		return false;
	if (locator == NULL) {
		if (refers_to_zip64(t))
			zip_report_at(z, WLK_F_ZIP_ZIP64_MISSING, NULL, e->at);
		else
			check_disks_and_counts(z, e->at, t->disk, t->directory_disk, t->entries_here, t->entries);
		return true;
	}
	e->records = at;
	if (load_u32le(locator + 4) != 0 || load_u32le(locator + 16) != 1)
		zip_report_numbers(z, WLK_F_ZIP_MULTIDISK, NULL, at, load_u32le(locator + 16), 1);
	if (!find_record64(z, e, locator, &record, &at))
		return false;
	if (record != NULL)
		read_record64(z, e, t, record, at);
	return true;
}

static bool directory_begins(const struct zip *z, uint64_t at, bool *ret)
{
	const uint8_t *header;

	if (!record_at(z, at, 4, ZIP_CENTRAL_SIGNATURE, &header))
		return false;
	*ret = header != NULL;
	return true;
}

/* Rule 5.  Python and unzip count back from the end and move every offset by the difference; others believe the
 * offset. */
static enum wlk_status place_directory(struct zip *z, struct zip_end *e)
{
	uint64_t counted = 0, told_end;
	bool at_counted = false, at_told = false;
	bool fits = sub_u64(e->records, e->size, &counted);

	e->directory = counted;
	if (fits && counted == e->offset)
		return WLK_DONE;
	if ((fits && e->size > 0 && !directory_begins(z, counted, &at_counted)) ||
	    !directory_begins(z, e->offset, &at_told))
		return zip_stop(z);
	if (at_counted && counted > e->offset) {
		z->shift = counted - e->offset;
		zip_report_numbers(z, WLK_F_ZIP_PREFIX_BYTES, NULL, e->at, e->offset, counted);
		return WLK_DONE;
	}
	zip_report_numbers(z, WLK_F_ZIP_CD_BOUNDS, NULL, e->at, e->offset, counted);
	if (at_counted)
		return WLK_DONE;
	e->directory = e->offset;
	if (!at_told || !add_u64(e->offset, e->size, &told_end) || told_end > z->part.size)
		return WLK_BROKEN;
	return WLK_DONE;
}

/* Is there one more end record between these bytes? */
static bool has_signature(const struct zip *z, uint64_t from, uint64_t to, uint32_t signature, uint64_t *ret_at)
{
	const uint8_t *at;

	if (from > to || to - from < 4)
		return false;
	at = part_pin(&z->part, from, (size_t)(to - from));
	for (uint64_t i = 0; at != NULL && i <= to - from - 4; i++) {
		if (load_u32le(at + i) != signature)
			continue;
		*ret_at = from + i;
		return true;
	}
	return false;
}

/* Rule 2, where member data cannot be: between the directory and its end records, and behind those. */
static bool check_ambiguity(struct zip *z, const struct zip_end *e, uint64_t directory_end)
{
	uint64_t tail = tail_at(&z->part, TAIL_BYTES), at = 0;
	uint64_t from = directory_end > tail ? directory_end : tail;

	if (has_signature(z, from, e->records, ZIP_END_SIGNATURE, &at) ||
	    has_signature(z, e->at + 4, z->part.size, ZIP_END_SIGNATURE, &at))
		zip_report_numbers(z, WLK_F_ZIP_EOCD_AMBIGUOUS, NULL, at, at, e->at);
	if (e->records == e->at && has_signature(z, from, e->records, ZIP_END64_SIGNATURE, &at))
		zip_report_at(z, WLK_F_ZIP_ZIP64_MISSING, NULL, at);
	return z->part.src->err == SOURCE_OK;
}

enum wlk_status zip_end_read(struct zip *z, struct zip_end *ret)
{
	const uint8_t *end;
	struct told t;
	enum wlk_status status;

	*ret = (struct zip_end){ 0 };
	status = find_end(z, &ret->at, &end);
	if (status != WLK_DONE)
		return status;
	t = read_told(end);
	ret->records = ret->at;
	ret->entries = t.entries;
	ret->size = t.size;
	ret->offset = t.offset;
	check_comment(z, ret, load_u16le(end + 20));
	if (!read_zip64(z, ret, &t))
		return zip_stop(z);
	status = place_directory(z, ret);
	if (status == WLK_INCOMPLETE || !check_ambiguity(z, ret, status == WLK_DONE ? ret->directory + ret->size : 0))
		return zip_stop(z);
	return status;
}
