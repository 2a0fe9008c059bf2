/* P1, ZIP: can an archive be read from the end of the file?  As strict as its real readers are lax: what Python opens is
 * a match, whatever APPNOTE says. */
#include "probes.h"

#include "checked.h"

/* The names are those of APPNOTE 6.3, sections 4.3.12, 4.3.14 to 4.3.16. */
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

static const char *evidence_of(struct view *v, const uint8_t end[ZIP_END_BYTES], uint64_t at)
{
	if (zip_directory_leads(v, at, load_u32le(end + 12), load_u32le(end + 16)))
		return "the end record leads to a directory";
	if (zip64_leads(v, at))
		return "the end record leads to a directory by ZIP64";
	return zip_is_empty(end, v->src->size - at - ZIP_END_BYTES) ? "an archive without entries" : NULL;
}

/* Every end record within reach of a reader counts.  Its disk numbers, its counts of entries and the length
 * of its comment do not: Python's zipfile and zipimport look at none of them [tried with 3.11].  Chance: 2^16
 * places, 64 bits to agree. */
void find_zip(struct view *v)
{
	struct bytes rest = tail_of(v, POLYGLOT_ZIP_TAIL);
	size_t i;

	while (rest.n >= ZIP_END_BYTES && v->src->err == SOURCE_OK &&
	       (i = bytes_find(bytes_of(rest.at, rest.n - (ZIP_END_BYTES - 4)), ZIP_END_SIGNATURE, 4)) <
		   rest.n - (ZIP_END_BYTES - 4)) {
		uint64_t at = v->src->size - rest.n + i;
		const char *evidence = inside_archive(v->pg, at) ? NULL : evidence_of(v, rest.at + i, at);

		if (evidence != NULL)
			found(v, WLK_F_POLYGLOT_ZIP, at, "ZIP", evidence);
		rest = bytes_of(rest.at + i + 1, rest.n - i - 1);
	}
}
