/* NumPy arrays: see npy.h.  The header says everything; the data is one tensor, a tensor for each field of a record,
 * or - for arrays of Python objects - a pickle. */
#include "npy.h"

#include "checked.h"
#include "judge.h"
#include "member.h"
#include "npy_rows.h"
#include "numpy_records.h"
#include "pickle_arrays.h"

struct npy_reader {
	struct layout *l;
	const struct stream *s;
	struct bytes key;
	struct npy_place place;
	struct npy_header h;
	unsigned version;
	uint64_t header_at, data_at;
};

/* -- the first bytes -- */

static bool is_array(struct bytes head)
{
	return head.n >= NPY_MAGIC_BYTES && memcmp(head.at, NPY_MAGIC, NPY_MAGIC_BYTES) == 0;
}

/* Rules 1 and 2: magic, version, length.  False when there is no header to read. */
static bool read_prefix(struct npy_reader *r, struct bytes head, uint64_t *ret_length)
{
	if (!is_array(head)) {
		npy_finding(&r->place, WLK_F_NPY_BAD_MAGIC, 0);
		return false;
	}
	if (head.n < NPY_PREFIX_MAX) {
		npy_finding_value(&r->place, WLK_F_NPY_TRUNCATED, 0, head.n, NPY_PREFIX_MAX);
		return false;
	}
	r->version = head.at[6];
	if (r->version < 1 || r->version > 3 || head.at[7] != 0) {
		npy_finding_value(&r->place, WLK_F_NPY_VERSION, 6, (uint64_t)r->version << 8 | head.at[7], 0x300);
		return false;
	}
	r->header_at = r->version == 1 ? 10 : 12;
	*ret_length = r->version == 1 ? load_u16le(head.at + 8) : load_u32le(head.at + 8);
	if (*ret_length > NPY_HEADER_MAX) {
		npy_finding_value(&r->place, WLK_F_NPY_HEADER_TOO_LARGE, 8, *ret_length, NPY_HEADER_MAX);
		return false;
	}
	if (*ret_length > NPY_HEADER_USUAL)
		npy_finding_value(&r->place, WLK_F_NPY_HEADER_LARGE, 8, *ret_length, NPY_HEADER_USUAL);
	return true;
}

static enum wlk_status read_header(struct npy_reader *r)
{
	uint64_t length;
	struct bytes head;

	if (!stream_head(r->s, r->l->arena, NPY_PREFIX_MAX, &head))
		return layout_stop(r->l);
	if (!read_prefix(r, head, &length))
		return WLK_BROKEN;
	r->data_at = r->header_at + length; /* at most 12 + 65,535 */
	if (!stream_head(r->s, r->l->arena, (size_t)r->data_at, &head))
		return layout_stop(r->l);
	if (head.n < r->data_at) {
		npy_finding_value(&r->place, WLK_F_NPY_TRUNCATED, 8, length, head.n - r->header_at);
		return WLK_BROKEN;
	}
	if (r->data_at % 16 != 0)
		npy_finding(&r->place, WLK_F_NPY_HEADER_MISALIGNED, r->data_at);
	if (npy_header_read(&r->place, bytes_of(head.at + r->header_at, (size_t)length), r->header_at, r->version,
		r->l->arena, &r->h))
		return WLK_DONE;
	return r->l->arena->exhausted ? layout_stop(r->l) : WLK_BROKEN;
}

/* -- the data -- */

static struct extent *add_extent(struct npy_reader *r, enum extent_kind kind, uint64_t begin, uint64_t end)
{
	struct extent *e = extents_add(r->l->extents);

	if (e != NULL) {
		e->begin = begin;
		e->end = end;
		e->kind = (uint8_t)kind;
		e->name_n =
		    (uint32_t)min_u64(r->key.n, REPORT_STRING_MAX); /* the only name: extents.names is the key */
	}
	return e;
}

/* Rule 10: NumPy unpickles the data when it is told to; what the pickle does is judged as in its own file. */
static enum wlk_status read_objects(struct npy_reader *r)
{
	struct pickle_arrays *arrays = pickle_arrays_new(r->l, r->place.origin, r->place.member);
	const struct pickle_judge_options options = { .profile = PICKLE_PLAIN,
		.only = "with allow_pickle=True",
		.extra = r->l->pickle_names,
		.origin = r->place.origin,
		.member = r->place.member,
		.report = r->l->report,
		.seed = r->l->seed,
		.size = r->s->size,
		.opcodes_max = r->l->lim->opcodes,
		.event = pickle_arrays_event,
		.bound = pickle_arrays_bound,
		.ctx = arrays };
	struct pickle_judge *j;
	enum wlk_status status;

	npy_finding(&r->place, WLK_F_NPY_OBJECT_PICKLE, r->data_at);
	r->l->report->manifest_partial = true;
	layout_raise_memory(r->l, PICKLE_MEMORY_BASE);
	j = pickle_judge_new(r->l->arena, &options);
	if (arrays == NULL || j == NULL || add_extent(r, EXTENT_METADATA, r->data_at, r->s->size) == NULL)
		return layout_stop(r->l);
	status = pickle_judge_stream(j, r->s, r->data_at, r->l->arena);
	return status != WLK_INCOMPLETE && pickle_arrays_check(arrays, r->s, true) != WLK_DONE ? WLK_INCOMPLETE
											       : status;
}

/* Rule 7. */
static bool check_size(const struct npy_reader *r)
{
	uint64_t left = r->s->size - r->data_at;

	if (left < r->h.data_bytes)
		npy_finding_value(&r->place, WLK_F_NPY_TRUNCATED, r->data_at, left, r->h.data_bytes);
	else if (left > r->h.data_bytes)
		npy_finding_value(
		    &r->place, WLK_F_NPY_TRAILING_BYTES, r->data_at + r->h.data_bytes, left, r->h.data_bytes);
	return left == r->h.data_bytes;
}

static enum wlk_status read_elements(struct npy_reader *r)
{
	const struct numpy_type *type = &r->h.record.type;
	struct extent *e = add_extent(r, EXTENT_TENSOR, r->data_at, r->data_at + r->h.data_bytes);

	if (e == NULL)
		return layout_stop(r->l);
	/* Bytes that say nothing of themselves are bytes. */
	e->dtype = (uint8_t)(type->dtype != WLK_DTYPE_NONE ? type->dtype : WLK_DTYPE_U8);
	e->flags = type->big_endian ? EXTENT_BIG_ENDIAN : 0;
	if (r->h.record.n_fields > 0 && type->bytes > 0 &&
	    !numpy_records_attach(r->l->extents, e, &r->h.record, r->key))
		return layout_stop(r->l);
	return npy_list(r->l, &r->h, e, r->key) ? WLK_DONE : WLK_INCOMPLETE;
}

static enum wlk_status read_array(struct npy_reader *r)
{
	enum wlk_status status = read_header(r);

	if (status != WLK_DONE)
		return status;
	if (add_extent(r, EXTENT_HEADER, 0, r->data_at) == NULL)
		return layout_stop(r->l);
	if (r->h.record.type.object)
		return read_objects(r);
	return check_size(r) ? read_elements(r) : WLK_BROKEN;
}

enum wlk_status npy_read(struct layout *l, const struct stream *s, struct bytes key)
{
	static const struct coverage_codes codes = { .overlap = WLK_F_NPY_TRUNCATED,
		.hole = WLK_F_NPY_TRAILING_BYTES,
		.out_of_bounds = WLK_F_NPY_TRUNCATED,
		.trailing = WLK_F_NPY_TRAILING_BYTES };
	struct npy_reader r = { .l = l,
		.s = s,
		.key = key,
		.place = { .report = l->report, .member = s->part.member, .origin = stream_origin(s) } };
	enum wlk_status status;

	l->extents->names = key;
	status = read_array(&r);
	return status == WLK_DONE ? extents_cover(l->extents, 0, s->size, &codes, l->report) : status;
}

/* -- as a format -- */

/* The tensor's name: the key under which NumPy finds it in an archive; `data` elsewhere. */
static struct bytes key_of(struct bytes path)
{
	size_t begin = path.n;

	while (begin > 0 && path.at[begin - 1] != '!')
		begin--;
	path = bytes_of(path.at + begin, path.n - begin);
	if (path.n > 4 && memcmp(path.at + path.n - 4, ".npy", 4) == 0)
		return bytes_of(path.at, path.n - 4);
	return bytes_of_text("data");
}

static bool probe(const struct probe *p)
{
	return is_array(bytes_of(p->head, p->n));
}

static enum wlk_status layout(struct layout *l)
{
	const struct stream s = {
		.part = l->part, .codec = CODEC_STORED, .size = l->part.size, .size_limit = l->part.size
	};

	return npy_read(l, &s, key_of(l->part.member));
}

static uint64_t pass_over(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	(void)ctx;
	(void)at;
	return offset + n;
}

/* Of a coding that does not say how long its content is. */
static enum wlk_status learn_size(struct layout *l, struct stream *s)
{
	struct stream_state state;
	enum stream_end end = stream_preview(s, l->arena, (struct feeder){ pass_over, NULL }, &state);

	if (end == STREAM_FAILED)
		return layout_stop(l);
	s->size = state.decoded;
	return stream_end_is_usable(end) ? WLK_DONE : WLK_BROKEN;
}

static enum wlk_status judge(struct layout *l, struct member *m)
{
	enum wlk_status status = WLK_DONE;

	if (m->stream.size == STREAM_SIZE_UNKNOWN)
		status = learn_size(l, &m->stream);
	return status == WLK_DONE ? npy_read(l, &m->stream, key_of(m->stream.part.member)) : status;
}

/* -- rule 14 -- */

/* numpy.load decides by content: what is neither array nor archive is unpickled. */
void npy_misnamed(struct layout *l, enum wlk_format_id content)
{
	bool data_only = l->report->per_code[WLK_F_PICKLE_DATA_ONLY] > 0;

	if (content == WLK_FORMAT_PICKLE || content == WLK_FORMAT_JOBLIB)
		layout_at(l, data_only ? WLK_F_NPY_IS_PICKLE : WLK_F_NPY_IS_PICKLE_IMPORTING, 0);
}

const struct wlk_format format_npy = {
	.id = WLK_FORMAT_NPY,
	.converts = CONVERTS_ROWS,
	.probe = probe,
	.layout = layout,
	.misnamed = npy_misnamed,
	.nested = NESTED_STREAM,
	.judge = judge,
};
