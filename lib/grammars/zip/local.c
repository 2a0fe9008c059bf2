/* Local headers and data descriptors: what stands at each member says the same as the directory (formats/zip, section 4).
 * They are small, many and far apart: they are read in file order through guarded blocks, not pinned.  Where the two
 * headers differ the central one counts, as for Python and miniz; where the data begins only the local one knows. */
#include <string.h>

#include "zip_impl.h"

#define DESCRIPTOR_BYTES 16u
#define DESCRIPTOR64_BYTES 24u
#define TEXT_MAX (2u * 0xffffu) /* name and extra field */

/* A local header as it stands there. */
struct local {
	uint16_t needed, flags, method, name_n, extra_n;
	uint32_t crc, coded, size;
	struct zip_extra extra;
};

struct reader {
	struct zip *z;
	const struct zip_end *end;
	uint8_t *text;   /* TEXT_MAX bytes: name and extra field of the header at hand */
	uint64_t budget; /* bytes of names and extra fields still to be read: in all no more than the part has, which
			  * only headers that overlap exceed */
};

static struct local parse_local(const uint8_t *at)
{
	return (struct local){ .needed = load_u16le(at + 4),
		.flags = load_u16le(at + 6),
		.method = load_u16le(at + 8),
		.crc = load_u32le(at + 14),
		.coded = load_u32le(at + 18),
		.size = load_u32le(at + 22),
		.name_n = load_u16le(at + 26),
		.extra_n = load_u16le(at + 28) };
}

/* -- the zip64 extra field -- */

static bool agrees64(struct cursor *c, bool there, uint64_t real, bool may_be_zero)
{
	uint64_t told;

	return !there || (cur_u64le(c, &told) && (told == real || (may_be_zero && told == 0)));
}

/* Does it hold exactly these fields, and do they say what the directory says? */
static bool zip64_agrees(const struct reader *r, const struct zip_entry *e, const struct local *l, unsigned fields)
{
	struct cursor c = cur_over(l->extra.zip64, 0);
	bool open = l->flags & ZIP_FLAG_DESCRIPTOR;

	return agrees64(&c, fields & ZIP64_SIZE, e->size, open) && agrees64(&c, fields & ZIP64_CODED, e->coded, open) &&
	       agrees64(&c, fields & ZIP64_LOCAL, e->local - r->z->shift, false) && cur_left(&c) == 0;
}

/* Python puts both sizes into it, needed or not; miniz what the central header has, the offset included (rule 12). */
static unsigned check_zip64(struct reader *r, const struct zip_entry *e, const struct local *l)
{
	if (!l->extra.has_zip64) {
		if (e->zip64 & (ZIP64_SIZE | ZIP64_CODED) && !(l->flags & ZIP_FLAG_DESCRIPTOR)) /* unzip refuses it */
			zip_report_at(r->z, WLK_F_ZIP_ZIP64_EXTRA, e, e->local);
		return 0;
	}
	if (zip64_agrees(r, e, l, ZIP64_SIZE | ZIP64_CODED))
		return ZIP64_SIZE | ZIP64_CODED;
	if (e->zip64 != 0 && zip64_agrees(r, e, l, e->zip64))
		return e->zip64;
	zip_report_numbers(r->z, l->extra.zip64.n == 16 ? WLK_F_ZIP_SIZE_MISMATCH : WLK_F_ZIP_ZIP64_EXTRA, e, e->local,
	    l->extra.zip64.n, 16);
	return 0;
}

/* -- rules 5 and 6: CRC and sizes -- */

/* With a descriptor each of them may be left open; Info-ZIP leaves those open that it did not know yet. */
static bool size_agrees(const struct local *l, uint32_t told, uint64_t real, bool in_zip64)
{
	return told == real || (told == ZIP_SENTINEL32 && in_zip64) || (told == 0 && l->flags & ZIP_FLAG_DESCRIPTOR);
}

static void check_crc_and_sizes(struct reader *r, const struct zip_entry *e, const struct local *l)
{
	unsigned zip64 = check_zip64(r, e, l);
	bool open = l->flags & ZIP_FLAG_DESCRIPTOR;

	if (l->crc != e->crc && !(open && l->crc == 0))
		zip_report_numbers(r->z, open ? WLK_F_ZIP_DD_MISMATCH : WLK_F_ZIP_CRC_FIELD_MISMATCH, e, e->local + 14,
		    l->crc, e->crc);
	if (!size_agrees(l, l->coded, e->coded, zip64 & ZIP64_CODED))
		zip_report_numbers(
		    r->z, open ? WLK_F_ZIP_DD_MISMATCH : WLK_F_ZIP_SIZE_MISMATCH, e, e->local + 18, l->coded, e->coded);
	if (!size_agrees(l, l->size, e->size, zip64 & ZIP64_SIZE))
		zip_report_numbers(
		    r->z, open ? WLK_F_ZIP_DD_MISMATCH : WLK_F_ZIP_SIZE_MISMATCH, e, e->local + 22, l->size, e->size);
}

/* Is there a descriptor at `at`, with a signature and these widths, that says what the directory says? */
static bool read_descriptor(const struct reader *r, const struct zip_entry *e, uint64_t at, bool wide, bool *ret_agrees)
{
	size_t n = wide ? DESCRIPTOR64_BYTES : DESCRIPTOR_BYTES;
	uint8_t d[DESCRIPTOR64_BYTES];

	*ret_agrees = false;
	if (n > r->z->part.size - at)
		return true;
	if (!part_read_guarded(&r->z->part, at, d, n))
		return false;
	if (load_u32le(d) != ZIP_DESCRIPTOR_SIGNATURE || load_u32le(d + 4) != e->crc)
		return true;
	*ret_agrees = wide ? load_u64le(d + 8) == e->coded && load_u64le(d + 16) == e->size
			   : load_u32le(d + 8) == e->coded && load_u32le(d + 12) == e->size;
	return true;
}

/* A descriptor is wide when either header has a zip64 extra field.  One of the other width is covered too, so that the
 * finding says what is wrong.  @ret_n: its bytes. */
static bool check_descriptor(
    struct reader *r, const struct zip_entry *e, const struct local *l, uint64_t at, uint64_t *ret_n)
{
	bool wide = e->zip64 != 0 || l->extra.has_zip64, agrees;

	*ret_n = 0;
	if (!((e->flags | l->flags) & ZIP_FLAG_DESCRIPTOR))
		return true;
	if (!read_descriptor(r, e, at, wide, &agrees))
		return false;
	if (!agrees) {
		zip_report_at(r->z, WLK_F_ZIP_DD_MISMATCH, e, at);
		wide = !wide;
		if (!read_descriptor(r, e, at, wide, &agrees))
			return false;
	}
	if (agrees)
		*ret_n = wide ? DESCRIPTOR64_BYTES : DESCRIPTOR_BYTES;
	return true;
}

/* -- rules 2, 3, 4, 16: what else both headers say -- */

static void check_flags(struct zip *z, struct zip_entry *e, const struct local *l)
{
	unsigned only_here = l->flags & ~(unsigned)e->flags;

	if (l->flags != e->flags)
		zip_report_numbers(z, WLK_F_ZIP_FLAGS_MISMATCH, e, e->local + 6, l->flags, e->flags);
	if (only_here & ZIP_FLAGS_ENCRYPTED)
		zip_report_numbers(z, WLK_F_ZIP_ENCRYPTED, e, e->local + 6, l->flags, 0);
	if (only_here & ZIP_FLAG_PATCHED)
		zip_report_numbers(z, WLK_F_ZIP_PATCHED, e, e->local + 6, l->flags, 0);
}

static void check_fields(struct zip *z, struct zip_entry *e, const struct local *l)
{
	check_flags(z, e, l);
	if (l->method != e->method)
		zip_report_numbers(z, WLK_F_ZIP_METHOD_MISMATCH, e, e->local + 8, l->method, e->method);
	if (l->needed > ZIP_VERSION_MAX)
		zip_report_numbers(z, WLK_F_ZIP_VERSION, e, e->local + 4, l->needed, ZIP_VERSION_MAX);
}

/* Name and extra field.  Headers that share their bytes are only read until as many as the part has were read: more
 * cannot be without an overlap, which extents_cover() reports. */
static bool check_text(struct reader *r, struct zip_entry *e, struct local *l)
{
	uint64_t at = e->local + ZIP_LOCAL_BYTES; /* inside the part, as are both fields */
	size_t n = (size_t)l->name_n + l->extra_n;

	if (!sub_u64(r->budget, n, &r->budget))
		return true;
	if (!part_read_guarded(&r->z->part, at, r->text, n))
		return false;
	if (!bytes_equal(bytes_of(r->text, l->name_n), e->name))
		zip_report(r->z, WLK_F_ZIP_NAME_MISMATCH, e, at, value_text(bytes_of(r->text, l->name_n)),
		    value_text(e->name));
	zip_extra_read(r->z, e, bytes_of(r->text + l->name_n, l->extra_n), at + l->name_n, &l->extra);
	e->odd_padding |= l->extra.odd_padding;
	return true;
}

/* -- extents -- */

static bool add_extent(struct zip *z, const struct zip_entry *e, enum extent_kind kind, uint64_t begin, uint64_t end)
{
	struct extent *x = extents_add(z->o.extents);

	if (x == NULL)
		return false;
	x->begin = begin;
	x->end = end;
	x->kind = (uint8_t)kind;
	zip_name_extent(z, e, x);
	return true;
}

static void describe_stream(const struct zip *z, const struct zip_entry *e, struct bytes path, struct stream *s)
{
	bool stored = e->method == ZIP_METHOD_STORED;

	s->part = part_range(&z->part, e->data, e->coded);
	s->part.member = path;
	s->codec = stored ? CODEC_STORED : CODEC_DEFLATE;
	s->size = stored ? e->coded : e->size; /* all of what is there, whatever it claims to be */
	s->size_limit = z->o.lim->unpacked_bytes;
	s->any_ratio = z->o.profile == ZIP_NPZ;
}

/* Data of a method that nobody here reads belongs to its entry nevertheless. */
static bool add_data(struct zip *z, struct zip_entry *e)
{
	uint64_t end = e->data + e->coded; /* inside the part */
	struct bytes path;
	struct member *m;

	if (e->method != ZIP_METHOD_STORED && e->method != ZIP_METHOD_DEFLATE)
		return add_extent(z, e, EXTENT_METADATA, e->data, end);
	m = member_add(z->o.extents, e->data, end);
	if (m == NULL || !zip_keep_path(z, e, &path))
		return false;
	zip_name_extent(z, e, &z->o.extents->list[z->o.extents->n - 1]);
	describe_stream(z, e, path, &m->stream);
	m->check_crc = true;
	m->understood = m->stream.size == 0; /* nothing to understand */
	e->member = m;
	e->readable = true;
	return true;
}

/* -- one entry -- */

static bool is_within(const struct zip *z, uint64_t at, uint64_t n)
{
	return at <= z->part.size && n <= z->part.size - at;
}

static bool out_of_bounds(struct zip *z, const struct zip_entry *e, enum wlk_finding code, uint64_t at, uint64_t limit)
{
	z->ranges_unknown = true;
	zip_report_numbers(z, code, e, e->central + 42, at, limit);
	return true;
}

/* Rule 1.  @ret: NULL without a local header. */
static bool find_local(struct reader *r, struct zip_entry *e, uint8_t buf[ZIP_LOCAL_BYTES], const uint8_t **ret)
{
	struct zip *z = r->z;

	*ret = NULL;
	if (!add_u64(e->local, z->shift, &e->local) || !is_within(z, e->local, ZIP_LOCAL_BYTES))
		return out_of_bounds(z, e, WLK_F_ZIP_LFH_MISSING, e->local, r->end->directory);
	if (!part_read_guarded(&z->part, e->local, buf, ZIP_LOCAL_BYTES))
		return false;
	if (load_u32le(buf) != ZIP_LOCAL_SIGNATURE)
		return out_of_bounds(z, e, WLK_F_ZIP_LFH_MISSING, e->local, r->end->directory);
	if (e->local >= r->end->directory)
		zip_report_numbers(z, WLK_F_ZIP_LFH_MISSING, e, e->central + 42, e->local, r->end->directory);
	*ret = buf;
	return true;
}

static bool read_entry(struct reader *r, struct zip_entry *e)
{
	uint8_t buf[ZIP_LOCAL_BYTES];
	const uint8_t *header;
	struct zip *z = r->z;
	struct local l;
	uint64_t data, end, descriptor;

	if (!find_local(r, e, buf, &header))
		return false;
	if (header == NULL)
		return true;
	l = parse_local(header);
	data = e->local + ZIP_LOCAL_BYTES; /* inside the part */
	if (!is_within(z, data, (uint64_t)l.name_n + l.extra_n))
		return out_of_bounds(z, e, WLK_F_ZIP_DATA_BOUNDS, data, z->part.size);
	data += (uint64_t)l.name_n + l.extra_n;
	check_fields(z, e, &l);
	if (!check_text(r, e, &l))
		return false;
	check_crc_and_sizes(r, e, &l);
	if (!is_within(z, data, e->coded))
		return out_of_bounds(z, e, WLK_F_ZIP_DATA_BOUNDS, e->coded, z->part.size - data);
	e->data = data;
	end = data + e->coded;
	return check_descriptor(r, e, &l, end, &descriptor) && add_extent(z, e, EXTENT_HEADER, e->local, data) &&
	       add_data(z, e) && (descriptor == 0 || add_extent(z, e, EXTENT_HEADER, end, end + descriptor));
}

/* -- all of them, in file order -- */

static bool in_file_order(const struct zip *z)
{
	for (size_t i = 1; i < z->n; i++)
		if (z->entries[i - 1].local > z->entries[i].local)
			return false;
	return true;
}

/* Heap sort: in place, and no order is worse than another. */
static void sift_down(const struct zip *z, uint32_t *order, size_t at, size_t n)
{
	uint32_t moving = order[at];

	for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
		if (child + 1 < n && z->entries[order[child + 1]].local > z->entries[order[child]].local)
			child++;
		if (z->entries[order[child]].local <= z->entries[moving].local)
			break;
		order[at] = order[child];
		at = child;
	}
	order[at] = moving;
}

static void sort_by_local(const struct zip *z, uint32_t *order)
{
	for (size_t i = 0; i < z->n; i++)
		order[i] = (uint32_t)i; /* at most ZIP_ENTRIES_MAX_TORCH */
	for (size_t i = z->n / 2; i > 0; i--)
		sift_down(z, order, i - 1, z->n);
	for (size_t n = z->n; n > 1; n--) {
		uint32_t last = order[n - 1];

		order[n - 1] = order[0];
		order[0] = last;
		sift_down(z, order, 0, n - 1);
	}
}

#define HEADER_ROOM 512u        /* a local header, with a name and extra fields as they are */
#define HEAD_ROOM 4096u         /* of what a member holds: what it is told by */
#define SMALL ((uint64_t)65536) /* a member that is read whole, whatever it is */
#define PICKLE_MAX ((uint64_t)64 << 20)

/* They are all over the archive: what is not there is asked for at a time (source_want()), with what is read of members. */
static void want_all(struct zip *z)
{
	for (size_t i = 0; i < z->n; i++) {
		const struct zip_entry *e = &z->entries[i];
		bool pickle = e->name.n > 4 && memcmp(e->name.at + e->name.n - 4, ".pkl", 4) == 0;
		uint64_t whole = e->coded <= (pickle ? PICKLE_MAX : SMALL) ? e->coded + DESCRIPTOR64_BYTES : HEAD_ROOM;

		part_want(&z->part, e->local, HEADER_ROOM + e->name.n + whole);
		if (e->flags & ZIP_FLAG_DESCRIPTOR)
			part_want(&z->part, min_u64(e->local, z->part.size - 1) + min_u64(e->coded, z->part.size),
			    HEADER_ROOM);
	}
}

enum wlk_status zip_locals_read(struct zip *z, const struct zip_end *end)
{
	struct reader r = { .z = z, .end = end, .budget = z->part.size };
	uint32_t *order = NULL;
	bool ok = true;

	want_all(z);
	r.text = arena_resize_raw(z->o.arena, NULL, TEXT_MAX, 1);
	if (r.text == NULL)
		return zip_stop(z);
	if (!in_file_order(z)) {
		order = arena_resize_raw(z->o.arena, NULL, z->n, sizeof(*order));
		if (order == NULL)
			return zip_stop(z);
		sort_by_local(z, order);
	}
	for (size_t i = 0; ok && i < z->n; i++)
		ok = read_entry(&r, &z->entries[order != NULL ? order[i] : i]);
	arena_release(z->o.arena, order);
	arena_release(z->o.arena, r.text);
	return ok ? WLK_DONE : zip_stop(z);
}
