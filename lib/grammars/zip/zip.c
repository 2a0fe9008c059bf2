/* ZIP archives: see zip.h.  The order of reading, the proof that the archive's records tile it, totals, and what only the
 * pass could know. */
#include <string.h>

#include "zip_impl.h"

/* -- findings -- */

/* Two readers see two things, or nobody knows what the bytes are. */
static bool splits_readers(enum wlk_finding code)
{
	const struct finding_info *info = finding_info(code);

	return info->severity >= SEVERITY_MEDIUM &&
	       (info->class == CLASS_AMBIGUOUS || info->class == CLASS_MALFORMED || info->class == CLASS_INCOMPLETE);
}

static size_t join_path(struct bytes outer, struct bytes name, uint8_t *buf, size_t n)
{
	size_t outer_n = (size_t)min_u64(outer.n, n - 1), name_n = (size_t)min_u64(name.n, n - 1 - outer_n);

	memcpy(buf, outer.at, outer_n);
	buf[outer_n] = '!';
	if (name_n > 0)
		memcpy(buf + outer_n + 1, name.at, name_n);
	return outer_n + 1 + name_n;
}

struct bytes zip_path(const struct zip *z, const struct zip_entry *e, uint8_t buf[REPORT_STRING_MAX])
{
	if (e == NULL)
		return z->part.member;
	if (z->part.member.n == 0)
		return e->name;
	return bytes_of(buf, join_path(z->part.member, e->name, buf, REPORT_STRING_MAX));
}

bool zip_keep_path(const struct zip *z, const struct zip_entry *e, struct bytes *ret)
{
	uint8_t buf[REPORT_STRING_MAX];
	struct bytes path = zip_path(z, e, buf);
	uint8_t *kept;

	*ret = path;
	if (z->part.member.n == 0)
		return true;
	kept = arena_alloc(z->o.arena, path.n, 1);
	if (kept == NULL)
		return false;
	bytes_copy(kept, path);
	*ret = bytes_of(kept, path.n);
	return true;
}

/* A directory can raise millions: those nobody will read are only counted. */
static void send(const struct zip *z, enum wlk_finding code, const struct zip_entry *e, uint64_t offset,
    struct value found, struct value allowed)
{
	uint8_t path[REPORT_STRING_MAX];

	if (!report_wants(z->o.report, code)) {
		report_count(z->o.report, code);
		return;
	}
	report_finding(z->o.report, &(struct finding){ .code = code,
					/* of a copy: the archive's, and not the member's that the path names */
					.has_offset = z->part.copy == NULL || e == NULL,
					.offset = part_offset(&z->part, min_u64(offset, z->part.size)),
					.member = zip_path(z, e, path),
					.found = found,
					.allowed = allowed });
}

void zip_report(struct zip *z, enum wlk_finding code, const struct zip_entry *e, uint64_t offset, struct value found,
    struct value allowed)
{
	if (splits_readers(code))
		z->sound = false;
	send(z, code, e, offset, found, allowed);
}

void zip_report_at(struct zip *z, enum wlk_finding code, const struct zip_entry *e, uint64_t offset)
{
	zip_report(z, code, e, offset, zip_no_value, zip_no_value);
}

void zip_report_numbers(
    struct zip *z, enum wlk_finding code, const struct zip_entry *e, uint64_t offset, uint64_t found, uint64_t allowed)
{
	zip_report(z, code, e, offset, value_number(found), value_number(allowed));
}

enum wlk_status zip_stop(const struct zip *z)
{
	const struct source *src = z->part.src;

	if (src->err != SOURCE_OK && src->err != SOURCE_MEMORY)
		return report_stop(z->o.report, source_cause(src->err), src->size, src->size);
	return report_stop(z->o.report, WLK_CAUSE_LIMIT_MEMORY, z->o.arena->used, z->o.arena->budget);
}

/* -- coverage -- */

void zip_name_extent(const struct zip *z, const struct zip_entry *e, struct extent *x)
{
	struct bytes names = z->o.extents->names;

	/* Somebody else's names: then the extent has none. */
	if (e->name.n == 0 || names.n == 0 || e->name.at < names.at || e->name.at >= names.at + names.n)
		return;
	x->name_at = (uint32_t)(e->name.at - names.at); /* a directory is at most ZIP_DIRECTORY_MAX */
	x->name_n = (uint32_t)e->name.n;
}

static bool add_range(struct zip *z, enum extent_kind kind, uint64_t begin, uint64_t end)
{
	struct extent *x = begin < end ? extents_add(z->o.extents) : NULL;

	if (x == NULL)
		return begin >= end;
	x->begin = begin;
	x->end = end;
	x->kind = (uint8_t)kind;
	return true;
}

/* The first byte of the first record. */
static uint64_t first_record(const struct zip *z, const struct zip_end *end)
{
	uint64_t first = min_u64(end->directory, end->records);

	for (size_t i = 0; i < z->n; i++)
		if (z->entries[i].data != 0)
			first = min_u64(first, z->entries[i].local);
	return first;
}

static uint64_t coverage_faults(const struct report *r)
{
	return r->per_code[WLK_F_ZIP_OVERLAP] + r->per_code[WLK_F_ZIP_GAP] + r->per_code[WLK_F_ZIP_DATA_BOUNDS] +
	       r->per_code[WLK_F_ZIP_TRAILING_BYTES];
}

static enum wlk_status prove_coverage(struct zip *z)
{
	uint64_t before = coverage_faults(z->o.report);
	const struct coverage_codes codes = { .overlap = WLK_F_ZIP_OVERLAP,
		.hole = WLK_F_ZIP_GAP,
		.out_of_bounds = WLK_F_ZIP_DATA_BOUNDS,
		.trailing = WLK_F_ZIP_TRAILING_BYTES,
		.gaps_unknown = z->ranges_unknown };

	if (extents_cover(z->o.extents, z->o.begin, z->part.size, &codes, z->o.report) != WLK_DONE)
		return zip_stop(z);
	z->tiled = coverage_faults(z->o.report) == before && !z->ranges_unknown;
	z->sound = z->sound && z->tiled;
	return WLK_DONE;
}

/* Section 6.  Bytes in front of the first record have a name of their own. */
static enum wlk_status cover(struct zip *z, const struct zip_end *end)
{
	uint64_t first = first_record(z, end);

	if (first > z->o.begin && z->shift == 0 && !z->ranges_unknown)
		zip_report_numbers(z, WLK_F_ZIP_PREFIX_BYTES, NULL, 0, first, 0);
	if (!add_range(z, EXTENT_METADATA, z->o.begin, first) ||
	    !add_range(z, EXTENT_HEADER, end->directory, end->directory + end->size) || /* inside the part */
	    !add_range(z, EXTENT_HEADER, end->records, end->after))
		return zip_stop(z);
	return prove_coverage(z);
}

/* -- section 7: totals -- */

/* Is out more than ratio times in? */
static bool expands_beyond(uint64_t out, uint64_t in, uint64_t ratio)
{
	uint64_t most;

	return out > STREAM_RATIO_FREE && mul_u64(in, ratio, &most) && out > most;
}

static void check_expansion(struct zip *z, const struct zip_entry *e)
{
	if (expands_beyond(e->size, e->coded, STREAM_RATIO_MAX))
		zip_report_numbers(z, z->o.profile == ZIP_NPZ ? WLK_F_ZIP_RATIO_ARRAY : WLK_F_ZIP_RATIO, e,
		    e->central + 24, e->size, e->coded);
}

/* Sums that wrap are as bad as sums that are too large. */
static void check_totals(struct zip *z)
{
	uint64_t coded = 0, size = 0;
	bool coded_fits = true, size_fits = true;

	for (size_t i = 0; i < z->n; i++) {
		const struct zip_entry *e = &z->entries[i];

		check_expansion(z, e);
		coded_fits = coded_fits && add_u64(coded, e->coded, &coded);
		size_fits = size_fits && add_u64(size, e->size, &size);
	}
	if (!coded_fits || coded > z->part.size)
		zip_report_numbers(z, WLK_F_ZIP_SIZE_SUM, NULL, 0, coded, z->part.size);
	if (!size_fits || size > z->o.lim->unpacked_bytes)
		zip_report_numbers(z, WLK_F_ZIP_OUTPUT, NULL, 0, size, z->o.lim->unpacked_bytes);
	else if (z->o.profile != ZIP_NPZ && expands_beyond(size, coded, ZIP_TOTAL_RATIO_MAX))
		zip_report_numbers(z, WLK_F_ZIP_RATIO, NULL, 0, size, coded);
}

/* -- reading -- */

static bool all_crcs_zero(const struct zip *z)
{
	for (size_t i = 0; i < z->n; i++)
		if (z->entries[i].crc != 0)
			return false;
	return true;
}

enum wlk_status zip_read(struct zip *z, const struct part *p, const struct zip_options *o)
{
	struct zip_end end;
	enum wlk_status status;

	*z = (struct zip){ .part = *p, .o = *o, .sound = true };
	status = zip_end_read(z, &end);
	if (status == WLK_DONE)
		status = zip_directory_read(z, &end);
	if (status == WLK_DONE)
		status = zip_names_check(z);
	if (status == WLK_DONE)
		status = zip_locals_read(z, &end);
	if (status != WLK_DONE)
		return status;
	z->crc_absent = all_crcs_zero(z);
	if (z->n == 0)
		zip_report_at(z, WLK_F_ZIP_EMPTY, NULL, end.at);
	check_totals(z);
	return cover(z, &end);
}

/* -- after the pass -- */

static void finish_coding(const struct zip *z, const struct zip_entry *e)
{
	const struct member *m = e->member;

	switch (m->end) {
	case STREAM_BROKEN:
	case STREAM_TRUNCATED:
	case STREAM_TRAILING:
	case STREAM_MULTIPLE:
	case STREAM_CHECKSUM:
		send(z, WLK_F_ZIP_INFLATE_ERROR, e, e->data, value_number(m->state.coded), value_number(e->coded));
		break;
	case STREAM_LONG:
		send(z, WLK_F_ZIP_INFLATE_SIZE, e, e->data, value_number(m->state.decoded), value_number(e->size));
		break;
	case STREAM_WHOLE:
		if (m->state.decoded != e->size && e->method == ZIP_METHOD_DEFLATE)
			send(z, WLK_F_ZIP_INFLATE_SIZE, e, e->data, value_number(m->state.decoded),
			    value_number(e->size));
		break;
	case STREAM_BOMB: /* check_totals() has said so */
	case STREAM_ENOUGH:
	case STREAM_FAILED: break;
	}
}

/* Note C.  Of an archive whose CRC fields are all 0 PyTorch's own writer may be the author: said once. */
static void finish_crcs(const struct zip *z)
{
	bool excused = z->crc_absent && z->o.profile == ZIP_TORCH, absent = false;

	for (size_t i = 0; i < z->n; i++) {
		const struct zip_entry *e = &z->entries[i];
		const struct member *m = e->member;

		if (m == NULL || !m->passed || m->end != STREAM_WHOLE || e->encrypted || m->crc == e->crc)
			continue;
		if (excused)
			absent = true;
		else
			send(z, WLK_F_ZIP_CRC, e, e->data, value_number(m->crc), value_number(e->crc));
	}
	if (absent)
		send(z, WLK_F_ZIP_CRC_ABSENT, NULL, 0, zip_no_value, zip_no_value);
}

enum wlk_status zip_finish(const struct zip *z)
{
	bool readable = true;

	for (size_t i = 0; i < z->n; i++) {
		const struct zip_entry *e = &z->entries[i];

		readable = readable && e->readable;
		if (e->member != NULL && e->member->passed && !e->encrypted)
			finish_coding(z, e);
	}
	finish_crcs(z);
	return z->sound && readable ? WLK_DONE : WLK_BROKEN;
}
