/* Data sets of an HDF5 file: where their elements are.  Section 4.5 of formats/keras-hdf5, rules H4 to H8; those
 * in chunks: h5_chunks.c. */
#include <string.h>

#include "checked.h"
#include "h5.h"
#include "weights.h"

/* -- messages -- */

static bool take_dims(struct h5 *h, struct cursor *c, struct h5_storage *s, unsigned width)
{
	for (unsigned i = 0; i < s->rank; i++) {
		struct bytes dim;

		if (!cur_bytes(c, width, &dim) || h5_width(dim.at, width) == 0 || h5_width(dim.at, width) > UINT32_MAX)
			return h5_break(h, WLK_F_H5_LAYOUT, c->pos, "chunks");
		s->dims[i] = h5_width(dim.at, width);
	}
	return true;
}

static bool take_rank(struct h5 *h, struct cursor *c, struct h5_storage *s)
{
	uint8_t rank;

	if (!cur_u8(c, &rank) || rank < 2 || rank > H5_RANK_MAX + 1)
		return h5_break(h, WLK_F_H5_LAYOUT, c->pos, "chunks");
	s->rank = rank;
	return true;
}

/* Chunks of the first generation: a B-tree finds them. */
static bool take_chunked(struct h5 *h, struct cursor *c, struct h5_storage *s)
{
	s->index = H5_INDEX_TREE;
	if (!take_rank(h, c, s))
		return false;
	if (!cur_u64le(c, &s->address))
		return h5_break(h, WLK_F_H5_LAYOUT, c->pos, "chunks");
	return take_dims(h, c, s, 4);
}

enum { CHUNKED_SINGLE = 1, CHUNKED_IMPLICIT, CHUNKED_FIXED_ARRAY, CHUNKED_EXTENSIBLE_ARRAY, CHUNKED_TREE2 };

/* Chunks of the second: by how the data set can grow. */
static bool take_index(struct h5 *h, struct cursor *c, struct h5_storage *s)
{
	/* The index' header says again what its parameters do here. */
	static const struct {
		enum h5_index index;
		unsigned parameters; /* bytes */
	} indexes[] = { [CHUNKED_SINGLE] = { H5_INDEX_SINGLE, 0 },
		[CHUNKED_IMPLICIT] = { H5_INDEX_IMPLICIT, 0 },
		[CHUNKED_FIXED_ARRAY] = { H5_INDEX_FIXED_ARRAY, 1 },
		[CHUNKED_EXTENSIBLE_ARRAY] = { H5_INDEX_EXTENSIBLE_ARRAY, 5 },
		[CHUNKED_TREE2] = { H5_INDEX_TREE2, 6 } };
	uint8_t flags, width, kind;
	bool sound = cur_u8(c, &flags) && take_rank(h, c, s) && cur_u8(c, &width) && width >= 1 && width <= 8;

	if (!sound || !take_dims(h, c, s, width) || !cur_u8(c, &kind))
		return h5_break(h, WLK_F_H5_LAYOUT, c->pos, "chunks");
	if (kind < CHUNKED_SINGLE || kind > CHUNKED_TREE2) {
		h5_unsupported(h, c->pos, "chunk index");
		return s->unknown = true;
	}
	s->index = indexes[kind].index;
	if ((kind == CHUNKED_SINGLE && (flags & 2) != 0 && (!cur_u64le(c, &s->coded) || !cur_skip(c, 4))) ||
	    !cur_skip(c, indexes[kind].parameters) || !cur_u64le(c, &s->address))
		return h5_break(h, WLK_F_H5_LAYOUT, c->pos, "chunks");
	return true;
}

static bool is_zero(struct bytes b)
{
	for (size_t i = 0; i < b.n; i++) {
		if (b.at[i] != 0)
			return false;
	}
	return true;
}

/* Is it a value at all, or one that nobody may read (H5D__read(): "dataset doesn't exist")?  The library asks only of values that
 * are written at the latest when they are set. */
static bool fill_is_none(unsigned version, struct bytes head, uint32_t n)
{
	unsigned when = version < 3 ? head.at[1] : head.at[0] >> 2 & 3;
	bool none = version < 3 ? n > INT32_MAX : (head.at[0] & 0x10) != 0;

	return none && when != 1;
}

/* What elements that nobody wrote read as. */
bool h5_fill_message(struct h5 *h, struct cursor *c, struct h5_messages *ret, bool old)
{
	struct bytes value = { 0 }, head;
	uint8_t version = 0;
	uint32_t n = 0;
	bool defined = true, sound = old || cur_u8(c, &version);

	if (!old && version < 3) {
		sound = sound && cur_bytes(c, 3, &head);
		defined = sound && (version == 1 || head.at[2] != 0);
	} else if (!old) {
		sound = sound && cur_bytes(c, 1, &head);
		sound = sound && (head.at[0] & 0xc0) == 0;
		defined = sound && (head.at[0] & 0x20) != 0;
	}
	if (!defined)
		n = UINT32_MAX;
	else
		sound = sound && cur_u32le(c, &n) && ((int32_t)n < 0 || cur_bytes(c, n, &value)); /* -1: none */
	ret->filled = ret->filled || !is_zero(value);
	ret->fill_bytes[old] = (uint32_t)value.n;
	if (!old && sound)
		ret->fill_none = fill_is_none(version, head, n);
	return (sound && version <= 3 && (old || version > 0)) || h5_break(h, WLK_F_H5_STRUCTURE, c->pos, "fill value");
}

bool h5_storage_message(struct h5 *h, struct cursor *c, struct h5_storage *ret)
{
	uint8_t version, class;
	uint16_t n;

	*ret = (struct h5_storage){ .present = true, .class = H5_VIRTUAL };
	if (!cur_u8(c, &version) || !cur_u8(c, &class))
		return h5_break(h, WLK_F_H5_LAYOUT, c->pos, "layout");
	if (version < 3 || version > 4) {
		h5_unsupported(h, c->pos, "layout of another version");
		return ret->unknown = true;
	}
	ret->class = (enum h5_layout_class) class;
	switch (class) {
	case H5_COMPACT:
		ret->compact_at = c->pos + 2;
		if (!cur_u16le(c, &n) || !cur_bytes(c, n, &ret->compact))
			return h5_break(h, WLK_F_H5_LAYOUT, c->pos, "layout");
		return true;
	case H5_CONTIGUOUS:
		if (!cur_u64le(c, &ret->address) || !cur_u64le(c, &ret->bytes))
			return h5_break(h, WLK_F_H5_LAYOUT, c->pos, "layout");
		return true;
	case H5_CHUNKED: return version == 3 ? take_chunked(h, c, ret) : take_index(h, c, ret);
	case H5_VIRTUAL:
		h5_finding(h, WLK_F_H5_VIRTUAL_DATASET, c->pos, h5_path(h));
		h->unsupported = true;
		return true;
	default: return h5_break(h, WLK_F_H5_LAYOUT, c->pos, "layout");
	}
}

#define FILTER_PLUGINS 256u /* ids from here on are found in shared libraries */

bool h5_filter_message(struct h5 *h, struct cursor *c, struct h5_messages *ret)
{
	uint8_t version, n;
	uint16_t id, name_n, flags, n_values;

	if (!cur_u8(c, &version) || (version != 1 && version != 2) || !cur_u8(c, &n) || n == 0 || n > 32 ||
	    (version == 1 && !cur_skip(c, 6)))
		return h5_break(h, WLK_F_H5_STRUCTURE, c->pos, "filters");
	ret->filtered = true;
	for (unsigned i = 0; i < n; i++) {
		bool named;

		if (!cur_u16le(c, &id))
			return h5_break(h, WLK_F_H5_STRUCTURE, c->pos, "filters");
		named = version == 1 || id >= FILTER_PLUGINS;
		name_n = 0;
		if ((named && !cur_u16le(c, &name_n)) || !cur_u16le(c, &flags) || !cur_u16le(c, &n_values) ||
		    !cur_skip(c, name_n) || !cur_skip(c, 4 * (uint64_t)n_values) ||
		    (version == 1 && n_values % 2 != 0 && !cur_skip(c, 4)))
			return h5_break(h, WLK_F_H5_STRUCTURE, c->pos, "filters");
		ret->plugin = ret->plugin || id >= FILTER_PLUGINS;
	}
	return true;
}

/* -- what a data set says of itself -- */

/* Bytes of all elements.  False after a finding that makes the rest meaningless. */
static bool measure(struct h5 *h, const struct h5_messages *m, uint64_t *ret)
{
	uint64_t elements, at = h->objects[h->current].address;

	if (!m->space.present || !m->has_type || m->type.bytes == 0)
		return h5_break(h, WLK_F_H5_STRUCTURE, at, "data set");
	if (!h5_space_elements(&m->space, &elements) || !mul_u64(elements, m->type.bytes, ret)) {
		h5_finding(h, WLK_F_H5_SIZE_OVERFLOW, at, h5_path(h));
		h->broken = true;
		return false;
	}
	return true;
}

/* Text is read as text; numbers are examined; anything else is not. */
static void check_type(struct h5 *h, const struct h5_messages *m)
{
	uint64_t at = h->objects[h->current].address;

	if (m->type.dtype != WLK_DTYPE_NONE || m->type.class == H5_STRING)
		return;
	h5_finding(h, m->type.class == H5_REFERENCE ? WLK_F_H5_REFERENCE : WLK_F_H5_DATATYPE, at, h5_path(h));
	h->unsupported = true;
}

/* Rule H7. */
static void check_filters(struct h5 *h, const struct h5_messages *m)
{
	uint64_t at = h->objects[h->current].address;

	if (!m->filtered)
		return;
	h->unsupported = true;
	if (m->plugin)
		h5_finding(h, WLK_F_H5_FILTER_PLUGIN, at, h5_path(h));
	else if (h->keras)
		h5_finding(h, WLK_F_H5_FILTER, at, h5_path(h));
	else
		h5_unsupported(h, at, "filter");
}

void h5_report_bomb(struct h5 *h, uint64_t declared, uint64_t stored)
{
	layout_finding(h->l, &(struct finding){ .code = WLK_F_H5_SHAPE_BOMB,
				 .has_offset = true,
				 .offset = h->objects[h->current].address,
				 .subject = h5_path(h),
				 .found = value_number(declared),
				 .allowed = value_number(stored) });
}

bool h5_list_tensor(
    struct h5 *h, const struct h5_messages *m, uint64_t begin, uint64_t end, const struct tensor_pieces *pieces)
{
	struct manifest_row row = { .kind = MANIFEST_TENSOR,
		.name = h5_path(h),
		.name_bytes = h5_path(h).n,
		.dtype = bytes_of_text(dtype_info((enum wlk_dtype)m->type.dtype)->name),
		.begin = begin,
		.end = end,
		.rank = m->space.rank,
		.index = h->n_tensors,
		.pieces = pieces };

	if (!layout_wants_tensors(h->l) || m->type.dtype == WLK_DTYPE_NONE)
		return true;
	memcpy(row.shape, m->space.dims, m->space.rank * sizeof(row.shape[0]));
	if (layout_tensor(h->l, &row))
		return true;
	h->stopped = true;
	return false;
}

/* -- storage -- */

bool h5_claim_elements(struct h5 *h, const struct h5_messages *m, uint64_t address, uint64_t n, uint8_t flags)
{
	if (m->type.dtype == WLK_DTYPE_NONE)
		return h5_claim(h, address, n);
	return h5_claim_tensor(h, address, n, &m->type, flags);
}

/* To who converts, a data set without elements is one, and one whose elements stand nowhere is lost. */
static bool tell_unstored(struct h5 *h, const struct h5_messages *m, uint64_t bytes)
{
	const struct report_taker *taker = h->l->report->taker;

	if (m->fill_none && bytes > 0)
		return h5_break(h, WLK_F_H5_STRUCTURE, h->objects[h->current].address, "fill value");
	if (taker == NULL)
		return true;
	if (bytes == 0)
		return m->type.dtype == WLK_DTYPE_NONE ||
		       (h5_claim_tensor(h, h->objects[h->current].address, 0, &m->type, EXTENT_CODED) &&
			   h5_list_tensor(h, m, 0, 0, NULL));
	taker->leave(taker->ctx, h5_path(h), CONVERT_PIECES, true);
	return true;
}

static bool read_contiguous(struct h5 *h, const struct h5_messages *m, uint64_t bytes)
{
	const struct h5_storage *s = &m->storage;

	if (s->address == H5_UNDEFINED) {
		if (m->filled && bytes > 0)
			h5_unsupported(h, h->objects[h->current].address, "fill value");
		if (bytes > H5_UNSTORED_FREE)
			h5_report_bomb(h, bytes, 0);
		return tell_unstored(h, m, bytes);
	}
	if (s->bytes != bytes) {
		layout_finding(
		    h->l, &(struct finding){ .code = s->bytes < bytes ? WLK_F_H5_SHAPE_BOMB : WLK_F_H5_SIZE_MISMATCH,
			      .has_offset = true,
			      .offset = h->objects[h->current].address,
			      .subject = h5_path(h),
			      .found = value_number(s->bytes),
			      .allowed = value_number(bytes) });
		h->unsupported = true;
		return h5_claim(h, s->address, s->bytes);
	}
	if (bytes == 0)
		return tell_unstored(h, m, bytes);
	return h5_claim_elements(h, m, s->address, bytes, 0) &&
	       h5_list_tensor(h, m, s->address, s->address + bytes, NULL);
}

bool h5_read_compact(struct h5 *h, const struct h5_messages *m)
{
	struct weights w = { 0 };
	uint64_t bytes, at = h->l->extents->origin + m->storage.compact_at;
	struct weights_place place = { .member = h->l->extents->member };

	if (!measure(h, m, &bytes))
		return false;
	if (m->storage.compact.n != bytes)
		return h5_break(h, WLK_F_H5_SIZE_MISMATCH, m->storage.compact_at, "compact data");
	if (m->type.dtype == WLK_DTYPE_NONE || bytes == 0)
		return true;
	weights_begin(&w, m->type.dtype, m->type.big_endian);
	if (w.kernel != NULL)
		weights_examine(&w, m->storage.compact.at, (size_t)bytes, at);
	if (dtype_is_float(m->type.dtype))
		h->l->report->totals.elements += bytes / m->type.bytes;
	place.name = weights_name_wanted(&w, h->l->report) ? h5_path(h) : (struct bytes){ 0 };
	place.first_offset = w.first_offset;
	if (weights_found(&w))
		weights_report(&w, h->l->report, &place);
	return true;
}

/* libhdf5 copies as many bytes as the type has, whatever the message holds. */
static bool fill_suits(const struct h5_messages *m, uint32_t bytes)
{
	return bytes == 0 || !m->has_type || bytes == m->type.bytes;
}

bool h5_read_dataset(struct h5 *h, const struct h5_messages *m)
{
	uint64_t bytes;

	if (!measure(h, m, &bytes))
		return false;
	if (!fill_suits(m, m->fill_bytes[0]) || !fill_suits(m, m->fill_bytes[1]))
		return h5_break(h, WLK_F_H5_STRUCTURE, h->objects[h->current].address, "fill value");
	check_type(h, m);
	check_filters(h, m);
	h->n_tensors++;
	if (m->external)
		h->unsupported = true;
	if (m->type.dtype == WLK_DTYPE_NONE && layout_wants_views(h->l))
		h->l->report->taker->leave(h->l->report->taker->ctx, h5_path(h), CONVERT_NO_TENSOR, false);
	if (m->external || m->storage.unknown)
		return true;
	if (!m->storage.present)
		return h->unsupported ||
		       h5_break(h, WLK_F_H5_LAYOUT, h->objects[h->current].address, "a data set that is nowhere");
	switch (m->storage.class) {
	case H5_CONTIGUOUS: return read_contiguous(h, m, bytes);
	case H5_CHUNKED: return h5_read_chunked(h, m, bytes);
	case H5_COMPACT: /* in the header, where it was examined */
		return m->type.dtype == WLK_DTYPE_NONE || bytes == 0 || h5_count_tensor(h, &m->type, false);
	default: return true; /* virtual: reported */
	}
}
