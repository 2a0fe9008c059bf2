/* The central directory: every header in it, whatever the end record counts (formats/zip, section 3, rule 6, and
 * section 4).  Python walks the directory's bytes, miniz its count; a header only one of them sees is a hiding place, so
 * all of them become entries. */
#include "zip_impl.h"

/* What an entry costs beside its header: the entry and the member, three extents, name tables; the list of extents
 * doubles. */
#define MEMORY_PER_DIRECTORY_BYTE 12u

/* A central header as it stands there. */
struct central {
	uint64_t at;
	uint16_t made_by, needed, flags, method, disk, internal;
	uint32_t crc, coded, size, external, local;
	struct bytes name, extra, comment;
};

static bool read_central(struct cursor *c, struct central *h)
{
	uint16_t name_n, extra_n, comment_n;
	uint32_t signature, time;

	h->at = c->pos;
	if (!cur_u32le(c, &signature) || signature != ZIP_CENTRAL_SIGNATURE)
		return false;
	return cur_u16le(c, &h->made_by) && cur_u16le(c, &h->needed) && cur_u16le(c, &h->flags) &&
	       cur_u16le(c, &h->method) && cur_u32le(c, &time) && cur_u32le(c, &h->crc) && cur_u32le(c, &h->coded) &&
	       cur_u32le(c, &h->size) && cur_u16le(c, &name_n) && cur_u16le(c, &extra_n) && cur_u16le(c, &comment_n) &&
	       cur_u16le(c, &h->disk) && cur_u16le(c, &h->internal) && cur_u32le(c, &h->external) &&
	       cur_u32le(c, &h->local) && cur_bytes(c, name_n, &h->name) && cur_bytes(c, extra_n, &h->extra) &&
	       cur_bytes(c, comment_n, &h->comment);
}

/* -- zip64 -- */

/* One 64-bit field, present when the header's own field is the sentinel. */
static bool take64(struct cursor *c, bool wanted, uint64_t *value, struct zip_entry *e, uint8_t field)
{
	if (!wanted)
		return true;
	e->zip64 |= field;
	return cur_u64le(c, value);
}

/* Rules 11 and 13: exactly the fields that are needed, in their order. */
static void read_zip64(struct zip *z, struct zip_entry *e, const struct central *h, const struct zip_extra *extra)
{
	struct cursor c = cur_over(extra->zip64, 0);
	uint64_t size = e->size, coded = e->coded, local = e->local;
	uint32_t disk = h->disk;
	bool whole = take64(&c, h->size == ZIP_SENTINEL32, &size, e, ZIP64_SIZE) &&
		     take64(&c, h->coded == ZIP_SENTINEL32, &coded, e, ZIP64_CODED) &&
		     take64(&c, h->local == ZIP_SENTINEL32, &local, e, ZIP64_LOCAL);

	if (whole && h->disk == ZIP_SENTINEL16)
		whole = cur_u32le(&c, &disk);
	if (!whole || cur_left(&c) > 0 || (extra->has_zip64 && extra->zip64.n == 0))
		zip_report_numbers(z, WLK_F_ZIP_ZIP64_EXTRA, e, h->at, extra->zip64.n, 0);
	if (disk != 0)
		zip_report_numbers(z, WLK_F_ZIP_MULTIDISK, e, h->at + 34, disk, 0);
	if (!whole) /* as a reader does that takes the sentinels for numbers */
		return;
	e->size = size;
	e->coded = coded;
	e->local = local;
}

/* -- rules of one header -- */

/* Rule 3.  Hints of the deflater stay where the data was stored in the end: Info-ZIP writes that. */
static void check_flags(struct zip *z, struct zip_entry *e, const struct central *h)
{
	unsigned odd = h->flags & ~ZIP_FLAGS_KNOWN;

	if (h->flags & ZIP_FLAGS_ENCRYPTED) {
		e->encrypted = true;
		zip_report_numbers(z, WLK_F_ZIP_ENCRYPTED, e, h->at + 8, h->flags, 0);
	}
	if (h->flags & ZIP_FLAG_PATCHED)
		zip_report_numbers(z, WLK_F_ZIP_PATCHED, e, h->at + 8, h->flags, 0);
	if (odd != 0)
		zip_report_numbers(z, WLK_F_ZIP_FLAGS_RESERVED, e, h->at + 8, h->flags, h->flags & ~odd);
}

/* Rule 14.  Unix file types, in the high half of the external attributes; those of DOS and Windows in the low one. */
#define UNIX_TYPE(mode) ((mode)&0170000u)
#define UNIX_DIRECTORY 0040000u
#define UNIX_REGULAR 0100000u
#define UNIX_SYMLINK 0120000u
#define DOS_DIRECTORY 0x10u
/* Read only, hidden, system, archive, normal, compressed, not indexed; and 7-Zip's mark that the high half is a mode. */
#define DOS_HARMLESS (0x01u | 0x02u | 0x04u | 0x20u | 0x80u | 0x800u | 0x2000u | 0x8000u)
#define INTERNAL_TEXT 1u

/* Who made it: FAT, Unix, NTFS by its number and by WinZip's, VFAT, macOS. */
static bool is_known_system(uint16_t made_by)
{
	unsigned system = made_by >> 8;

	return system == 0 || system == 3 || system == 10 || system == 11 || system == 14 || system == 19;
}

/* What the name calls a folder is one to everybody.  What it does not, the attributes may: miniz reads nothing of a member with
 * the directory bit, whoever made it, and leaves its reader the memory as it was; PyTorch takes that for weights and
 * pickles. */
static bool kinds_agree(const struct zip_entry *e, unsigned type, uint32_t external)
{
	return e->directory || (type != UNIX_DIRECTORY && (external & DOS_DIRECTORY) == 0);
}

/* Bits that no writer sets. */
static void check_unknown_attributes(struct zip *z, const struct zip_entry *e, const struct central *h)
{
	bool weights = z->o.profile == ZIP_TORCH || z->o.profile == ZIP_NPZ;
	enum wlk_finding code = weights ? WLK_F_ZIP_ATTRIBUTES : WLK_F_ZIP_ATTRIBUTES_UNKNOWN;

	if ((h->external & 0xffffu & ~(DOS_HARMLESS | DOS_DIRECTORY)) != 0)
		zip_report(z, code, e, h->at + 38, value_number(h->external & 0xffffu), zip_no_value);
	if ((h->internal & ~INTERNAL_TEXT) != 0)
		zip_report(z, code, e, h->at + 36, value_number(h->internal), zip_no_value);
	if (!is_known_system(h->made_by))
		zip_report(z, code, e, h->at + 4, value_number(h->made_by), zip_no_value);
}

static void check_attributes(struct zip *z, const struct zip_entry *e, const struct central *h)
{
	unsigned type = UNIX_TYPE(h->external >> 16);

	check_unknown_attributes(z, e, h);
	if (type == UNIX_SYMLINK)
		zip_report_numbers(z, WLK_F_ZIP_SYMLINK, e, h->at + 38, type, UNIX_REGULAR);
	else if (type != 0 && type != UNIX_REGULAR && type != UNIX_DIRECTORY)
		zip_report_numbers(z, WLK_F_ZIP_SPECIAL_FILE, e, h->at + 38, type, UNIX_REGULAR);
	else if (!kinds_agree(e, type, h->external))
		zip_report(z, WLK_F_ZIP_ATTRIBUTES, e, h->at + 38, value_number(h->external), zip_no_value);
}

/* Rules 7 and 17, and section 7's totals of one member. */
static void check_sizes(struct zip *z, const struct zip_entry *e, const struct central *h)
{
	bool weights = z->o.profile == ZIP_TORCH || z->o.profile == ZIP_NPZ;

	if (e->method == ZIP_METHOD_STORED && e->coded != e->size)
		zip_report_numbers(z, WLK_F_ZIP_STORED_SIZE, e, h->at, e->coded, e->size);
	if (!e->directory)
		return;
	if (e->size != 0) /* Python deflates even nothing */
		zip_report_numbers(z, WLK_F_ZIP_DIRECTORY_ENTRY, e, h->at, e->size, 0);
	else if (weights)
		zip_report_at(z, WLK_F_ZIP_DIRECTORY_PRESENT, e, h->at);
}

static void check_comment(struct zip *z, const struct zip_entry *e, const struct central *h)
{
	if (h->comment.n == 0)
		return;
	zip_report_numbers(z, WLK_F_ZIP_COMMENT_PRESENT, e, h->at, h->comment.n, 0);
	if (z->o.profile == ZIP_TORCH || z->o.profile == ZIP_NPZ)
		zip_report_numbers(z, WLK_F_ZIP_COMMENT_FORBIDDEN, e, h->at, h->comment.n, 0);
}

static struct zip_entry entry_of(const struct central *h)
{
	return (struct zip_entry){ .name = h->name.n > 0 ? h->name : bytes_of("", 0), /* for those who add to .at */
		.central = h->at,
		.local = h->local,
		.coded = h->coded,
		.size = h->size,
		.crc = h->crc,
		.method = h->method,
		.flags = h->flags,
		.directory = h->name.n > 0 && h->name.at[h->name.n - 1] == '/' };
}

static void check_central(struct zip *z, struct zip_entry *e, const struct central *h)
{
	uint64_t extra_at = h->at + ZIP_CENTRAL_BYTES + h->name.n; /* pinned: inside the part */
	struct zip_extra extra;

	zip_extra_read(z, e, h->extra, extra_at, &extra);
	e->odd_padding = extra.odd_padding;
	read_zip64(z, e, h, &extra);
	if (h->needed > ZIP_VERSION_MAX)
		zip_report_numbers(z, WLK_F_ZIP_VERSION, e, h->at + 6, h->needed, ZIP_VERSION_MAX);
	if (h->method != ZIP_METHOD_STORED && h->method != ZIP_METHOD_DEFLATE)
		zip_report(z, WLK_F_ZIP_METHOD_FORBIDDEN, e, h->at + 10, value_number(h->method), zip_no_value);
	check_flags(z, e, h);
	check_attributes(z, e, h);
	check_sizes(z, e, h);
	check_comment(z, e, h);
}

/* -- the whole -- */

static bool within_limits(struct zip *z, const struct zip_end *end)
{
	uint64_t entries = z->o.profile == ZIP_TORCH ? ZIP_ENTRIES_MAX_TORCH : ZIP_ENTRIES_MAX;

	if (end->size > ZIP_DIRECTORY_MAX)
		zip_report_numbers(z, WLK_F_LIMIT_ZIP_DIRECTORY, NULL, end->directory, end->size, ZIP_DIRECTORY_MAX);
	else if (z->n >= entries)
		zip_report_numbers(z, WLK_F_LIMIT_ZIP_ENTRIES, NULL, end->directory, z->n + UINT64_C(1), entries);
	else
		return true;
	return false;
}

/* One pin with the records behind it, as far as they follow at once: pins are few, and an archive may be one of many in
 * another. */
static bool pin_directory(struct zip *z, const struct zip_end *end, struct bytes *ret)
{
	struct arena *a = z->o.arena;
	size_t n = (size_t)end->size; /* at most ZIP_DIRECTORY_MAX */
	uint64_t behind = z->part.size - end->directory - n;
	size_t with = behind <= ZIP_END_RECORDS_BYTES ? n + (size_t)behind : n;
	const uint8_t *at;

	arena_raise_budget(a, (size_t)min_u64(z->o.lim->memory, a->budget + n * MEMORY_PER_DIRECTORY_BYTE));
	source_raise_pin_budget(z->part.src, with);
	at = part_pin(&z->part, end->directory, with);
	*ret = bytes_of(at, n);
	return at != NULL;
}

/* Most directories hold as many headers as they say; none holds more than its bytes allow. */
static struct zip_entry *add_entry(struct zip *z, const struct zip_end *end, size_t *capacity)
{
	struct zip_entry *entries;
	size_t n = *capacity * 2;

	if (z->n < *capacity)
		return &z->entries[z->n++];
	if (n == 0)
		n = (size_t)min_u64(end->entries, end->size / ZIP_CENTRAL_BYTES) + 1;
	entries = arena_resize_raw(z->o.arena, z->entries, n, sizeof(*entries));
	if (entries == NULL)
		return NULL;
	z->entries = entries;
	*capacity = n;
	return &z->entries[z->n++];
}

enum wlk_status zip_directory_read(struct zip *z, const struct zip_end *end)
{
	struct central h;
	struct cursor c;
	struct bytes directory;
	size_t capacity = 0;
	bool whole = true;

	if (!within_limits(z, end))
		return WLK_BROKEN;
	if (!pin_directory(z, end, &directory))
		return zip_stop(z);
	if (z->o.extents->names.n == 0)
		z->o.extents->names = directory;
	c = cur_over(directory, end->directory);
	while (whole && cur_left(&c) > 0) {
		struct zip_entry *e;

		whole = read_central(&c, &h);
		if (!whole)
			break;
		if (!within_limits(z, end))
			return WLK_BROKEN;
		e = add_entry(z, end, &capacity);
		if (e == NULL)
			return zip_stop(z);
		*e = entry_of(&h);
		check_central(z, e, &h);
	}
	if (!whole || z->n != end->entries)
		zip_report_numbers(z, WLK_F_ZIP_CD_COUNT, NULL, end->directory, z->n, end->entries);
	return WLK_DONE;
}
