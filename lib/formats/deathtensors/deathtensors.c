/* deathtensors, version 1: a prefix of 24 bytes, H bytes of JSON, zeros up to a multiple of 8, the blob that the tensors
 * tile, and perhaps a footer of 32 bytes, the SHA-256 of all between prefix and footer.  Sections are those of
 * docs/formats/deathtensors.md.  The JSON is read by deathtensors_header.c; what its entries own is proven by
 * extents_cover(); the footer's digest is taken in the one pass, beside that of the file. */
#include "deathtensors.h"

#include "checked.h"
#include "cursor.h"
#include "deathtensors_header.h"
#include "json_header.h"
#include "hex.h"

static const uint8_t magic[] = { 'D', 'T', 'L', 'E', 'G', 'I', 'O', 'N' };

#define PREFIX 24u
#define VERSION 1u
#define HEADER_MIN 2u /* {} */
#define FOOTER 32u
#define ALIGN DEATHTENSORS_ALIGN

#define FLAG_ZSTD 1u
#define FLAG_FOOTER 2u
#define FLAG_ENCRYPTED 4u
#define FLAGS_RESERVED (FLAG_ZSTD | FLAG_ENCRYPTED)
#define FLAGS_KNOWN (FLAGS_RESERVED | FLAG_FOOTER)

/* Where everything is, in the file: prefix, header, padding, blob [blob_at, blob_end), footer if there is one. */
struct geometry {
	uint32_t version, flags;
	uint64_t header_bytes, header_end, blob_at, blob_end;
};

/* What layout() leaves for finish(). */
struct state {
	uint64_t blob_at, blob_end;
	bool footer;
	bool not_understood; /* the header says something that nobody knows, or two things */
};

static bool probe(const struct probe *p)
{
	return p->n >= sizeof(magic) && memcmp(p->head, magic, sizeof(magic)) == 0;
}

/* -- the prefix -- */

/* As much of it as there is. */
static bool check_magic(struct layout *l, struct bytes head)
{
	for (size_t i = 0; i < sizeof(magic) && i < head.n; i++) {
		if (head.at[i] == magic[i])
			continue;
		layout_value(l, WLK_F_DT_BAD_MAGIC, i, head.at[i], magic[i]);
		return false;
	}
	if (head.n < PREFIX)
		layout_value(l, WLK_F_DT_TRUNCATED, 0, head.n, PREFIX);
	return head.n == PREFIX;
}

static bool check_flags(struct layout *l, uint32_t flags)
{
	if (flags & FLAGS_RESERVED)
		layout_value(l, WLK_F_DT_FLAG_RESERVED, 12, flags, flags & ~FLAGS_RESERVED);
	if (flags & ~FLAGS_KNOWN)
		layout_value(l, WLK_F_DT_FLAG_UNKNOWN, 12, flags, flags & FLAGS_KNOWN);
	return (flags & ~FLAG_FOOTER) == 0;
}

static bool check_header_size(struct layout *l, uint64_t n)
{
	uint64_t limit = min_u64(DEATHTENSORS_HEADER_MAX, l->lim->header_bytes), left = l->src->size - PREFIX;

	if (n >= HEADER_MIN && n <= limit && n <= left)
		return true;
	layout_value(l, WLK_F_DT_HEADER_SIZE, 16, n, n < HEADER_MIN ? HEADER_MIN : min_u64(limit, left));
	return false;
}

static uint64_t padding_of(uint64_t header_end)
{
	return (ALIGN - header_end % ALIGN) % ALIGN;
}

/* Padding and footer fit behind the header, which fits itself. */
static bool place_parts(struct layout *l, struct geometry *g)
{
	uint64_t size = l->src->size, footer = g->flags & FLAG_FOOTER ? FOOTER : 0;

	g->header_end = PREFIX + g->header_bytes;
	g->blob_at = g->header_end + padding_of(g->header_end); /* at most 100,000,032 */
	if (sub_u64(size, footer, &g->blob_end) && g->blob_at <= g->blob_end)
		return true;
	layout_value(l, WLK_F_DT_TRUNCATED, g->header_end, size, g->blob_at + footer);
	return false;
}

static enum wlk_status read_prefix(struct layout *l, struct geometry *g)
{
	size_t n = (size_t)min_u64(PREFIX, l->src->size);
	const uint8_t *at = source_pin(l->src, 0, n);
	struct cursor c;
	bool sound;

	if (at == NULL)
		return layout_stop(l);
	if (!check_magic(l, bytes_of(at, n)))
		return WLK_BROKEN;
	c = cur_over(bytes_of(at, n), 0);
	if (!cur_skip(&c, sizeof(magic)) || !cur_u32le(&c, &g->version) || !cur_u32le(&c, &g->flags) ||
	    !cur_u64le(&c, &g->header_bytes))
		return WLK_BROKEN;
	sound = g->version == VERSION;
	if (!sound)
		layout_value(l, WLK_F_DT_VERSION, 8, g->version, VERSION);
	sound &= check_flags(l, g->flags);
	sound &= check_header_size(l, g->header_bytes);
	return sound && place_parts(l, g) ? WLK_DONE : WLK_BROKEN;
}

/* -- header and padding -- */

/* All up to the blob stays in memory, and what might be eight more bytes of padding. */
static enum wlk_status pin_header(struct layout *l, const struct geometry *g, struct bytes *ret)
{
	size_t n = (size_t)(g->blob_at + min_u64(ALIGN, g->blob_end - g->blob_at));
	const uint8_t *at;

	arena_raise_budget(l->arena, layout_memory(l->lim, g->header_bytes));
	source_raise_pin_budget(l->src, n);
	at = source_pin(l->src, 0, n);
	if (at == NULL)
		return layout_stop(l);
	*ret = bytes_of(at, n);
	return WLK_DONE;
}

/* The first byte of [from, to) that is not zero, or `to`. */
static uint64_t zeros_end(struct bytes pinned, uint64_t from, uint64_t to)
{
	while (from < to && pinned.at[from] == 0)
		from++;
	return from;
}

static void check_padding(struct layout *l, const struct geometry *g, struct bytes pinned)
{
	uint64_t at = zeros_end(pinned, g->header_end, g->blob_at);

	if (at < g->blob_at)
		layout_value(l, WLK_F_DT_PADDING_NONZERO, at, pinned.at[at], 0);
}

/* The furthest end of a tensor; blob_at without any. */
static uint64_t tensors_end(const struct layout *l, const struct geometry *g)
{
	uint64_t end = g->blob_at;

	for (size_t i = 0; i < l->extents->n; i++)
		if (l->extents->list[i].end > end)
			end = l->extents->list[i].end;
	return end;
}

/* "Padding (0..8 bytes)": behind a header that needs none, is there a whole unit of it?  Then the blob begins behind it,
 * for only so does the file add up (sheet, ambiguity 1). */
static void check_ambiguous_padding(struct layout *l, struct geometry *g, struct bytes pinned)
{
	uint64_t end;

	if (g->blob_at != g->header_end || pinned.n - g->blob_at < ALIGN)
		return;
	if (!add_u64(tensors_end(l, g), ALIGN, &end) || end != g->blob_end)
		return;
	if (zeros_end(pinned, g->blob_at, pinned.n) < pinned.n)
		return;
	layout_value(l, WLK_F_DT_PADDING_AMBIGUOUS, g->blob_at, ALIGN, 0);
	g->blob_at += ALIGN;
	layout_tensors_moved(l);
	for (size_t i = 0; i < l->extents->n; i++) { /* all end ALIGN bytes before the blob does */
		l->extents->list[i].begin += ALIGN;
		l->extents->list[i].end += ALIGN;
	}
}

/* -- the blob -- */

static enum wlk_status cover(struct layout *l, const struct geometry *g, const struct deathtensors_header *h)
{
	const struct coverage_codes codes = { .overlap = WLK_F_DT_TENSOR_OVERLAP,
		.hole = WLK_F_DT_TENSOR_GAP,
		.out_of_bounds = WLK_F_DT_OFFSETS,
		.trailing = WLK_F_DT_TRAILING_BYTES,
		.gaps_unknown = h->ranges_unknown,
		.align = ALIGN };
	enum wlk_status status = extents_cover(l->extents, g->blob_at, g->blob_end, &codes, l->report);

	if (status == WLK_INCOMPLETE)
		return layout_stop(l);
	return h->ranges_unknown ? WLK_BROKEN : status;
}

static enum wlk_status read_header(struct layout *l, struct geometry *g, struct bytes pinned, struct state *s)
{
	struct bytes json = bytes_of(pinned.at + PREFIX, (size_t)g->header_bytes);
	struct deathtensors_header h;
	enum wlk_status status;

	check_padding(l, g, pinned);
	l->extents->names = pinned;
	l->extents->name = header_tensor_name;
	status = deathtensors_header_read(l, json, PREFIX, g->version, g->blob_at, &h);
	s->not_understood = h.not_understood;
	report_fact_number(l->report, WLK_FACT_HEADER_BYTES, g->header_bytes);
	report_fact_number(l->report, WLK_FACT_METADATA_KEYS, h.metadata_keys);
	if (status != WLK_DONE)
		return status;
	if (!h.ranges_unknown)
		check_ambiguous_padding(l, g, pinned);
	return cover(l, g, &h);
}

static enum wlk_status layout(struct layout *l)
{
	struct geometry g = { 0 };
	struct state *s;
	struct bytes pinned = { 0 };
	enum wlk_status status = read_prefix(l, &g);

	if (status == WLK_DONE)
		status = pin_header(l, &g, &pinned);
	if (status != WLK_DONE)
		return status;
	s = arena_alloc(l->arena, 1, sizeof(*s));
	if (s == NULL)
		return layout_stop(l);
	s->footer = g.flags & FLAG_FOOTER;
	if (s->footer && !source_hash_range(l->src, PREFIX, g.blob_end))
		return layout_stop(l);
	status = read_header(l, &g, pinned, s);
	s->blob_at = g.blob_at;
	s->blob_end = g.blob_end;
	l->state = s;
	return status;
}

/* -- after the pass -- */

static void report_checksum(struct layout *l, uint64_t at, const uint8_t found[FOOTER], const uint8_t right[FOOTER])
{
	char found_hex[2 * FOOTER + 1], right_hex[2 * FOOTER + 1];

	hex_write(found, FOOTER, found_hex);
	hex_write(right, FOOTER, right_hex);
	layout_finding(l, &(struct finding){ .code = WLK_F_DT_CHECKSUM,
			      .has_offset = true,
			      .offset = at,
			      .found = value_text(bytes_of_text(found_hex)),
			      .allowed = value_text(bytes_of_text(right_hex)) });
}

static enum wlk_status check_footer(struct layout *l, const struct state *s)
{
	uint8_t found[FOOTER], right[FOOTER];

	if (!source_reread(l->src, s->blob_end, found, FOOTER) || !source_range_digest(l->src, right))
		return layout_stop(l);
	if (memcmp(found, right, FOOTER) != 0)
		report_checksum(l, s->blob_end, found, right);
	else
		layout_at(l, WLK_F_DT_NO_AUTHENTICITY, s->blob_end);
	return WLK_DONE;
}

/* What extents_cover() left to us: [from, to), shorter than ALIGN. */
static enum wlk_status check_gap(struct layout *l, uint64_t from, uint64_t to)
{
	static const uint8_t zeros[ALIGN];
	uint8_t gap[ALIGN];
	size_t n = (size_t)(to - from);
	bool zero;

	if (!source_reread(l->src, from, gap, n))
		return layout_stop(l);
	zero = memcmp(gap, zeros, n) == 0;
	layout_finding(l, &(struct finding){ .code = zero ? WLK_F_DT_TENSOR_GAP_ALIGNED : WLK_F_DT_TENSOR_GAP,
			      .has_offset = true,
			      .offset = from,
			      .has_length = true,
			      .length = n,
			      .found = value_number(to),
			      .allowed = value_number(from) });
	return zero ? WLK_DONE : WLK_BROKEN;
}

/* The extents are sorted and disjoint but for what was reported already; dead ones come last. */
static enum wlk_status check_gaps(struct layout *l, const struct state *s)
{
	enum wlk_status status = WLK_DONE;
	uint64_t covered = s->blob_at;

	for (size_t i = 0; i < l->extents->n && status != WLK_INCOMPLETE; i++) {
		const struct extent *e = &l->extents->list[i];
		enum wlk_status gap = WLK_DONE;

		if (e->flags & EXTENT_DEAD || e->begin == e->end)
			continue;
		if (extents_is_padding(covered, e->begin, s->blob_at, ALIGN))
			gap = check_gap(l, covered, e->begin);
		status = gap > status ? gap : status;
		covered = e->end > covered ? e->end : covered;
	}
	return status;
}

static enum wlk_status finish(struct layout *l)
{
	const struct state *s = l->state;
	enum wlk_status gaps;

	if (s == NULL)
		return WLK_BROKEN;
	gaps = check_gaps(l, s); /* in order of the file, so that each block is read again once */
	if (gaps == WLK_INCOMPLETE || (s->footer && check_footer(l, s) != WLK_DONE))
		return WLK_INCOMPLETE;
	return s->not_understood ? WLK_BROKEN : gaps;
}

/* Whoever loads it by its name looks for the prefix: what comes of that is part of the answer. */
static void misnamed(struct layout *l, enum wlk_format_id content)
{
	struct geometry g;

	layout_finding(l, &(struct finding){ .code = WLK_F_FORMAT_EXTENSION_MISMATCH,
			      .found = value_text(bytes_of_text(format_info(content)->name)),
			      .allowed = value_text(bytes_of_text(format_info(WLK_FORMAT_DEATHTENSORS)->name)) });
	(void)read_prefix(l, &g);
}

const struct wlk_format format_deathtensors = {
	.id = WLK_FORMAT_DEATHTENSORS,
	.converts = CONVERTS_ROWS,
	.probe = probe,
	.layout = layout,
	.finish = finish,
	.misnamed = misnamed,
};
