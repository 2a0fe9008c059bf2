/* Between the files of the ZIP reader; nobody else's. */
#pragma once

#include "checked.h"
#include "cursor.h"
#include "zip.h"

/* APPNOTE 6.3.10, section 4.3. */
#define ZIP_LOCAL_BYTES 30u
#define ZIP_CENTRAL_BYTES 46u
#define ZIP_END_BYTES 22u
#define ZIP_END64_BYTES 56u
#define ZIP_LOCATOR_BYTES 20u
#define ZIP_END_RECORDS_BYTES (ZIP_END64_BYTES + ZIP_LOCATOR_BYTES + ZIP_END_BYTES)

#define ZIP_LOCAL_SIGNATURE UINT32_C(0x04034b50)
#define ZIP_CENTRAL_SIGNATURE UINT32_C(0x02014b50)
#define ZIP_END_SIGNATURE UINT32_C(0x06054b50)
#define ZIP_END64_SIGNATURE UINT32_C(0x06064b50)
#define ZIP_LOCATOR_SIGNATURE UINT32_C(0x07064b50)
#define ZIP_DESCRIPTOR_SIGNATURE UINT32_C(0x08074b50)

/* "See the zip64 extra field." */
#define ZIP_SENTINEL16 UINT16_C(0xffff)
#define ZIP_SENTINEL32 UINT32_C(0xffffffff)

#define ZIP_FLAG_ENCRYPTED 0x0001u
#define ZIP_FLAG_DEFLATE_HINTS 0x0006u
#define ZIP_FLAG_DESCRIPTOR 0x0008u
#define ZIP_FLAG_PATCHED 0x0020u
#define ZIP_FLAG_STRONG 0x0040u
#define ZIP_FLAG_UTF8 0x0800u
#define ZIP_FLAG_MASKED 0x2000u
#define ZIP_FLAGS_ENCRYPTED (ZIP_FLAG_ENCRYPTED | ZIP_FLAG_STRONG | ZIP_FLAG_MASKED)
#define ZIP_FLAGS_KNOWN \
	(ZIP_FLAGS_ENCRYPTED | ZIP_FLAG_DEFLATE_HINTS | ZIP_FLAG_DESCRIPTOR | ZIP_FLAG_PATCHED | ZIP_FLAG_UTF8)

/* Above it a version needed stands for methods and encryption nobody here reads (formats/zip, section 4, rule 16). */
#define ZIP_VERSION_MAX 45u

/* formats/zip, section 5 and 7. */
#define ZIP_NAME_MAX 1024u
#define ZIP_ENTRIES_MAX UINT64_C(65536)
#define ZIP_ENTRIES_MAX_TORCH UINT64_C(1000000)
#define ZIP_DIRECTORY_MAX (UINT64_C(64) << 20)
#define ZIP_TOTAL_RATIO_MAX 100u

/* Fields of a zip64 extra field, in their order. */
#define ZIP64_SIZE 1u
#define ZIP64_CODED 2u
#define ZIP64_LOCAL 4u
#define ZIP64_DISK 8u

/* -- findings -- */

static const struct value zip_no_value = { .kind = VALUE_NONE };

/* A finding of the archive (e NULL) or of one entry; @offset: in the part.  Clears z->sound when its class is one that
 * lets readers disagree. */
void zip_report(struct zip *z, enum wlk_finding code, const struct zip_entry *e, uint64_t offset, struct value found,
    struct value allowed);
void zip_report_at(struct zip *z, enum wlk_finding code, const struct zip_entry *e, uint64_t offset);
void zip_report_numbers(
    struct zip *z, enum wlk_finding code, const struct zip_entry *e, uint64_t offset, uint64_t found, uint64_t allowed);
/* The path of an entry for findings: its name, behind that of the archive it is in.  Into buf when they have to be
 * joined. */
struct bytes zip_path(const struct zip *z, const struct zip_entry *e, uint8_t buf[REPORT_STRING_MAX]);
/* The same, in memory that stays.  Return: false when the arena is spent. */
bool zip_keep_path(const struct zip *z, const struct zip_entry *e, struct bytes *ret);

/* An extent is called as its entry; x->list may move. */
void zip_name_extent(const struct zip *z, const struct zip_entry *e, struct extent *x);

/* The source or the arena refused.  Return: WLK_INCOMPLETE. */
enum wlk_status zip_stop(const struct zip *z);

/* -- end.c -- */

struct zip_end {
	uint64_t at;                    /* offset of the end record */
	uint64_t records;               /* where the directory has to end: the zip64 record, or the end record */
	uint64_t after;                 /* behind the end record and its comment */
	uint64_t entries, size, offset; /* of the directory, as told */
	uint64_t directory;             /* offset of the directory, as found */
};

/* WLK_BROKEN: no end record, or no directory where one is told to be. */
enum wlk_status zip_end_read(struct zip *z, struct zip_end *ret);

/* -- extra.c -- */

struct zip_extra {
	bool has_zip64;
	struct bytes zip64; /* the data of the one zip64 field */
	uint16_t seen;      /* a bit for each known field that there was */
	bool odd_padding;
};

/* Walk the fields; reports malformed and forbidden ones at `at`. */
void zip_extra_read(struct zip *z, const struct zip_entry *e, struct bytes extra, uint64_t at, struct zip_extra *ret);

/* -- directory.c -- */

enum wlk_status zip_directory_read(struct zip *z, const struct zip_end *end);

/* -- local.c -- */

/* Every local header and data descriptor; the extents and members they stand for. */
enum wlk_status zip_locals_read(struct zip *z, const struct zip_end *end);

/* -- names.c -- */

enum wlk_status zip_names_check(struct zip *z);
