/* safetensors: 8 bytes of header length N, N bytes of JSON, and the buffer that the tensors tile.  Follows the
 * "Format" text of the safetensors README; rules by number are those of docs/formats/safetensors.md.  The JSON is
 * read by safetensors_header.c; what its entries own is proven by extents_cover(). */
#include "checked.h"
#include "json_text.h"
#include "safetensors.h"
#include "json_header.h"
#include "safetensors_header.h"

#define PREFIX 8u     /* bytes of N */
#define HEADER_MIN 2u /* {} */

/* No magic: a plausible length, and an object where it has to begin.  Whitespace before it is wrong (rule 5) but
 * loads in the reference, so it is a safetensors file to be judged. */
static bool probe(const struct probe *p)
{
	uint64_t header_bytes;
	size_t at = PREFIX;

	if (p->n <= PREFIX)
		return false;
	header_bytes = load_u64le(p->head);
	if (header_bytes < HEADER_MIN || header_bytes > SAFETENSORS_HEADER_MAX || header_bytes > p->size - PREFIX)
		return false;
	while (at < p->n && json_is_space(p->head[at]))
		at++;
	return at < p->n && p->head[at] == '{';
}

/* Rules 1 to 4. */
static enum wlk_status read_length(struct layout *l, uint64_t *ret)
{
	uint64_t size = l->part.size, limit = min_u64(SAFETENSORS_HEADER_MAX, l->lim->header_bytes);
	const uint8_t *prefix;
	uint64_t n;

	if (size < PREFIX) {
		layout_value(l, WLK_F_ST_FILE_TOO_SHORT, 0, size, PREFIX);
		return WLK_BROKEN;
	}
	prefix = part_pin(&l->part, 0, PREFIX);
	if (prefix == NULL)
		return layout_stop(l);
	n = load_u64le(prefix);
	if (n > limit)
		layout_value(l, WLK_F_ST_HEADER_TOO_LARGE, 0, n, limit);
	else if (n > size - PREFIX)
		layout_value(l, WLK_F_ST_HEADER_PAST_EOF, 0, n, size - PREFIX);
	else if (n < HEADER_MIN)
		layout_value(l, WLK_F_ST_HEADER_TOO_SMALL, 0, n, HEADER_MIN);
	else {
		*ret = n;
		return WLK_DONE;
	}
	return WLK_BROKEN;
}

/* Prefix and header stay in memory: the pass hashes these very bytes, and names are read out of them. */
static enum wlk_status pin_header(struct layout *l, size_t header_bytes, struct bytes *ret)
{
	size_t n = PREFIX + header_bytes; /* at most 8 + 100,000,000 */
	const uint8_t *at;

	arena_raise_budget(l->arena, layout_memory(l->lim, header_bytes));
	source_raise_pin_budget(l->src, n);
	at = part_pin(&l->part, 0, n);
	if (at == NULL)
		return layout_stop(l);
	*ret = bytes_of(at, n);
	return WLK_DONE;
}

static void report_facts(struct layout *l, uint64_t header_bytes, const struct safetensors_header *h)
{
	if (l->part.depth == 0) { /* facts are those of the file */
		report_fact_number(l->report, WLK_FACT_HEADER_BYTES, header_bytes);
		report_fact_number(l->report, WLK_FACT_METADATA_KEYS, h->metadata_keys);
	}
	if (header_bytes > SAFETENSORS_HEADER_LARGE) /* rule 27 */
		layout_value(l, WLK_F_ST_HEADER_LARGE, 0, header_bytes, SAFETENSORS_HEADER_LARGE);
}

/* Rule 22. */
static enum wlk_status cover(struct layout *l, uint64_t data_at, const struct safetensors_header *h)
{
	const struct coverage_codes codes = { .overlap = WLK_F_ST_DATA_OVERLAP,
		.hole = WLK_F_ST_DATA_HOLE,
		.out_of_bounds = WLK_F_ST_OFFSETS_OUT_OF_BOUNDS,
		.trailing = WLK_F_ST_DATA_TRAILING,
		.gaps_unknown = h->ranges_unknown };
	enum wlk_status status = extents_cover(l->extents, data_at, l->part.size, &codes, l->report);

	if (status == WLK_INCOMPLETE)
		return layout_stop(l);
	return h->ranges_unknown ? WLK_BROKEN : status;
}

static enum wlk_status layout(struct layout *l)
{
	struct safetensors_header h;
	enum wlk_status status;
	uint64_t header_bytes = 0;
	struct bytes pinned;

	status = read_length(l, &header_bytes);
	if (status != WLK_DONE)
		return status;
	status = pin_header(l, (size_t)header_bytes, &pinned);
	if (status != WLK_DONE)
		return status;
	l->extents->names = pinned;
	l->extents->name = header_tensor_name;
	status = safetensors_header_read(l, bytes_of(pinned.at + PREFIX, pinned.n - PREFIX), PREFIX, &h);
	report_facts(l, header_bytes, &h);
	return status == WLK_DONE ? cover(l, pinned.n, &h) : status;
}

/* Whoever loads it by its name reads a length in its first bytes: what comes of that is part of the answer. */
static void misnamed(struct layout *l, enum wlk_format_id content)
{
	uint64_t header_bytes;

	layout_finding(l, &(struct finding){ .code = WLK_F_FORMAT_EXTENSION_MISMATCH,
			      .found = value_text(bytes_of_text(format_info(content)->name)),
			      .allowed = value_text(bytes_of_text(format_info(WLK_FORMAT_SAFETENSORS)->name)) });
	(void)read_length(l, &header_bytes);
}

const struct wlk_format format_safetensors = {
	.id = WLK_FORMAT_SAFETENSORS,
	.converts = CONVERTS_ROWS,
	.probe = probe,
	.layout = layout,
	.misnamed = misnamed,
	.nested = NESTED_RANDOM,
};
