/* The index of a checkpoint: a header, and for each tensor its type, its shape and which bytes of which file it is.  All that
 * can be known without those files is checked here: the bytes of each file belong to one tensor each, without a gap. */
#include "tf_checkpoint.h"

#include <string.h>

#include "checked.h"
#include "decimal.h"
#include "dtype.h"
#include "ranges.h"
#include "stream.h"
#include "tf_graph.h"
#include "tf_table.h"

#define SHARDS_MAX 1024u
#define ALIGN_MAX 63u /* bytes between tensors that a writer may leave */
#define OBJECT_GRAPH "_CHECKPOINTABLE_OBJECT_GRAPH"
#define PLACE_MAX 40u /* bytes of ".data-00000-of-00001", with the largest numbers */

#define FIELD(no, kind_, ...)                                   \
	{                                                       \
		.number = (no), .kind = PB_##kind_, __VA_ARGS__ \
	}
#define MESSAGE(name, ...)                                              \
	static const struct pb_field name##_fields[] = { __VA_ARGS__ }; \
	static const struct pb_message name = { #name, name##_fields,   \
		sizeof(name##_fields) / sizeof(name##_fields[0]), NULL };

/* clang-format off: a table */
MESSAGE(bundle_header, FIELD(1, INT32), FIELD(2, ENUM), FIELD(3, OPAQUE))
MESSAGE(slice_extent, FIELD(1, INT64), FIELD(2, INT64))
MESSAGE(slice, FIELD(1, MESSAGE, .repeated = true, .message = &slice_extent))
MESSAGE(bundle_entry, FIELD(1, ENUM), FIELD(2, MESSAGE, .message = &tf_shape), FIELD(3, INT32), FIELD(4, INT64),
    FIELD(5, INT64), FIELD(6, FIXED32), FIELD(7, MESSAGE, .repeated = true, .message = &slice))
/* clang-format on */

struct entry {
	uint64_t dtype, shard, offset, size, elements;
	uint64_t shape[TF_RANK_MAX];
	unsigned rank;
	uint64_t dim; /* that is open */
	bool bad_shape, bad_slices;
	uint64_t n_slices;
	unsigned slice_rank;    /* extents of the slice that is open */
	uint64_t start, length; /* of the extent that is open */
	bool has_length;
};

struct bundle {
	struct layout *l;
	struct pb_walker *walker;
	bool has_header, broken, stopped;
	uint64_t shards, endianness;
	uint64_t slices, slice_entries; /* that entries promise, and that there are */
	struct ranges ranges;
	uint32_t n_rows;
	uint64_t at;       /* of the value that is read */
	struct bytes name; /* of its key */
	struct entry entry;
};

static void tell(struct bundle *b, enum wlk_finding code, uint64_t found, uint64_t allowed)
{
	b->broken = b->broken || tf_breaks(code);
	layout_finding(b->l, &(struct finding){ .code = code,
				 .has_offset = true,
				 .offset = b->at,
				 .subject = b->name,
				 .found = value_number(found),
				 .allowed = value_number(allowed) });
}

/* -- messages -- */

static void take_dim(struct entry *e, uint64_t size)
{
	e->bad_shape = e->bad_shape || e->rank == TF_RANK_MAX || size > INT64_MAX ||
		       !mul_u64(e->elements, size, &e->elements) || e->elements > INT64_MAX / 16;
	if (!e->bad_shape)
		e->shape[e->rank++] = size;
}

static void take_length(struct entry *e, uint64_t length)
{
	e->length = length;
	e->has_length = true;
}

static bool on_number(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t value)
{
	struct bundle *b = ctx;
	struct entry *e = &b->entry;

	if (at->message == &bundle_header)
		*(f->number == 1 ? &b->shards : &b->endianness) = value;
	else if (at->message == &bundle_entry && f->number != 6)
		*(f->number == 1     ? &e->dtype
		    : f->number == 3 ? &e->shard
		    : f->number == 4 ? &e->offset
				     : &e->size) = value;
	else if (at->message == &tf_dim)
		e->dim = value;
	else if (at->message == &tf_shape)
		e->bad_shape = e->bad_shape || value != 0; /* of unknown rank */
	else if (at->message == &slice_extent && f->number == 1)
		e->start = value;
	else if (at->message == &slice_extent)
		take_length(e, value);
	return true;
}

static bool on_begin(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t n)
{
	struct bundle *b = ctx;

	(void)at;
	(void)n;
	if (f->message == &tf_dim)
		b->entry.dim = 0; /* which is not written */
	if (f->message == &slice)
		b->entry.slice_rank = 0;
	if (f->message == &slice_extent) {
		b->entry.start = b->entry.length = 0;
		b->entry.has_length = false;
	}
	return true;
}

/* A part of one dimension: all of it, or from a place so many. */
static void check_extent(struct entry *e)
{
	uint64_t size = e->slice_rank < e->rank ? e->shape[e->slice_rank] : 0;

	if (e->slice_rank++ >= e->rank || e->start > size ||
	    (e->has_length ? e->length > size - e->start : e->start != 0))
		e->bad_slices = true;
}

static bool on_end(void *ctx, const struct pb_place *at, const struct pb_field *f)
{
	struct entry *e = &((struct bundle *)ctx)->entry;

	(void)at;
	if (f->message == &tf_dim)
		take_dim(e, e->dim);
	if (f->message == &slice_extent)
		check_extent(e);
	if (f->message == &slice) {
		e->n_slices++;
		e->bad_slices = e->bad_slices || e->slice_rank != e->rank;
	}
	return true;
}

static bool on_error(void *ctx, enum pb_error error, const struct pb_place *at, uint32_t number, uint64_t found)
{
	struct bundle *b = ctx;

	(void)found;
	tell(b,
	    error == PB_UNKNOWN             ? WLK_F_TF_UNKNOWN_FIELD
	    : at->message == &bundle_header ? WLK_F_TFCKPT_HEADER
					    : WLK_F_TFCKPT_ENTRY,
	    number, 0);
	return true;
}

static bool read_message(struct bundle *b, const struct pb_message *root, struct bytes value)
{
	const struct pb_handler handler = {
		.ctx = b, .begin = on_begin, .end = on_end, .number = on_number, .error = on_error
	};

	pb_begin(b->walker, root, value.n, &handler);
	if (value.n > 0)
		pb_feed(b->walker, value.at, value.n, 0);
	return pb_finish(b->walker);
}

/* -- entries -- */

static void take_header(struct bundle *b, struct bytes value)
{
	b->has_header = true;
	if (!read_message(b, &bundle_header, value))
		return;
	if (b->shards < 1 || b->shards > SHARDS_MAX)
		tell(b, WLK_F_TFCKPT_SHARDS, b->shards, SHARDS_MAX);
	if (b->endianness != 0)
		tell(b, WLK_F_TFCKPT_ENDIANNESS, b->endianness, 0);
}

/* Strings: the length of each, a CRC of the lengths, and their bytes. */
static bool size_is_sound(const struct entry *e, const struct tf_type *type)
{
	uint64_t least;

	if (type->bits > 0)
		return mul_u64(e->elements, type->bits / 8, &least) && e->size == least;
	return add_u64(e->elements, 4, &least) && e->size >= least;
}

#define SHARD_DIGITS 5

static size_t put_text(char *to, size_t at, const char *text)
{
	memcpy(to + at, text, strlen(text));
	return at + strlen(text);
}

/* As "%05u" writes it. */
static size_t put_number(char *to, size_t at, uint64_t number)
{
	char digits[DECIMAL_MAX];
	size_t n = decimal_text(number, digits);

	for (size_t zeroes = n; zeroes < SHARD_DIGITS; zeroes++)
		to[at++] = '0';
	memcpy(to + at, digits, n);
	return at + n;
}

static bool list_row(struct bundle *b, const struct entry *e, const struct tf_type *type, uint64_t end)
{
	char place[PLACE_MAX];
	size_t n = put_number(place, put_text(place, 0, ".data-"), e->shard);
	struct manifest_row row = { .kind = MANIFEST_MAPPING,
		.name = b->name,
		.name_bytes = b->name.n,
		/* of texts, with their lengths and sums: bytes */
		.dtype = bytes_of_text(dtype_info(type->bits > 0 ? type->dtype : WLK_DTYPE_U8)->name),
		.file = bytes_of(place, put_number(place, put_text(place, n, "-of-"), b->shards)),
		.index = b->n_rows++,
		.begin = e->offset,
		.end = end,
		.rank = e->rank };

	memcpy(row.shape, e->shape, sizeof(row.shape[0]) * e->rank);
	return !layout_wants_tensors(b->l) || layout_tensor(b->l, &row);
}

/* What a tensor in slices is made of has entries of its own. */
static void check_slices(struct bundle *b, const struct entry *e)
{
	if (e->bad_slices || e->size != 0 || e->offset != 0)
		tell(b, WLK_F_TFCKPT_SLICES, e->n_slices, e->rank);
	b->slices += e->n_slices;
}

/* Return: false: memory is spent. */
static bool place_entry(struct bundle *b, const struct entry *e, const struct tf_type *type)
{
	uint64_t end;

	if (e->shard >= b->shards || e->offset > INT64_MAX || e->size > INT64_MAX ||
	    !add_u64(e->offset, e->size, &end) || end > INT64_MAX) {
		tell(b, WLK_F_TFCKPT_BOUNDS, e->shard, b->shards);
		return true;
	}
	if (!size_is_sound(e, type)) {
		tell(b, WLK_F_TFCKPT_SIZE, e->size, e->elements);
		return true;
	}
	return e->size == 0 ||
	       (ranges_add(&b->ranges, (struct range){ e->offset, end, (uint32_t)e->shard, b->n_rows }) &&
		   list_row(b, e, type, end));
}

static bool take_entry(struct bundle *b, struct bytes value)
{
	struct entry *e = &b->entry;
	const struct tf_type *type;

	*e = (struct entry){ .elements = 1 };
	if (!read_message(b, &bundle_entry, value))
		return true;
	type = tf_type_of(e->dtype);
	b->slice_entries += b->name.n > 0 && b->name.at[0] == 0;
	if (bytes_equal(b->name, bytes_of_text(OBJECT_GRAPH)) && (e->dtype != TF_TYPE_STRING || e->rank > 0))
		tell(b, WLK_F_TFCKPT_OBJECT_GRAPH, e->dtype, TF_TYPE_STRING);
	if (type == NULL)
		tell(b, WLK_F_TF_UNSUPPORTED, e->dtype, 0);
	else if (e->dtype == TF_TYPE_RESOURCE || e->dtype == TF_TYPE_VARIANT)
		tell(b, WLK_F_TF_VARIANT, e->dtype, 0);
	else if (e->bad_shape)
		tell(b, WLK_F_TFCKPT_SIZE, e->size, 0);
	else if (e->n_slices > 0)
		check_slices(b, e);
	else
		return place_entry(b, e, type);
	return true;
}

static bool on_entry(void *ctx, struct bytes key, struct bytes value, uint64_t at)
{
	struct bundle *b = ctx;

	b->at = at;
	b->name = key;
	if (key.n > 0)
		return take_entry(b, value);
	take_header(b, value);
	return true;
}

/* -- the whole -- */

/* The bytes of one file, up to the last tensor in it. */
static void check_shard(struct bundle *b, const struct range *list, size_t n)
{
	uint64_t end = 0;

	for (size_t i = 0; i < n; i++) {
		if (list[i].begin < end)
			tell(b, WLK_F_TFCKPT_OVERLAP, list[i].begin, end);
		else if (list[i].begin - end > ALIGN_MAX)
			tell(b, WLK_F_TFCKPT_HOLE, list[i].begin, end);
		end = list[i].end > end ? list[i].end : end;
	}
}

static void check_all(struct bundle *b)
{
	b->name = (struct bytes){ 0 };
	b->at = 0;
	if (!b->has_header)
		tell(b, WLK_F_TFCKPT_HEADER, 0, 1);
	if (b->slices != b->slice_entries)
		tell(b, WLK_F_TFCKPT_SLICES, b->slice_entries, b->slices);
	ranges_sort(&b->ranges);
	for (size_t i = 0, n; i < b->ranges.n; i += n) {
		n = ranges_of_file(&b->ranges, i);
		check_shard(b, &b->ranges.list[i], n);
	}
	tell(b, b->l->of_set ? WLK_F_WEIGHTS_IN_SET : WLK_F_TF_DATA_UNCHECKED, b->shards, 0);
	layout_at(b->l, WLK_F_TF_CHECKPOINT_CONTROL, 0);
}

static enum wlk_status read_file(struct layout *l, struct bundle *b)
{
	static const struct coverage_codes codes = { .overlap = WLK_F_TFCKPT_BLOCK,
		.hole = WLK_F_TFCKPT_HOLE,
		.out_of_bounds = WLK_F_TFCKPT_BLOCK,
		.trailing = WLK_F_TFCKPT_HOLE };
	size_t n = (size_t)l->part.size;
	const uint8_t *at = part_pin(&l->part, 0, n);
	enum wlk_status status;

	if (at == NULL)
		return layout_stop(l);
	status = tf_table_read(l, bytes_of(at, n), on_entry, b);
	if (status != WLK_DONE)
		return status;
	check_all(b);
	status = extents_cover(l->extents, 0, n, &codes, l->report);
	return status == WLK_DONE && (b->broken || l->extents->gaps) ? WLK_BROKEN : status;
}

static enum wlk_status layout(struct layout *l)
{
	struct bundle *b;

	if (l->part.size > TF_TABLE_BYTES_MAX) {
		layout_value(l, WLK_F_TFCKPT_LIMIT, 0, l->part.size, TF_TABLE_BYTES_MAX);
		return WLK_BROKEN;
	}
	layout_raise_memory(l, l->part.size * 2);
	source_raise_pin_budget(l->src, l->part.size);
	b = arena_alloc(l->arena, 1, sizeof(*b));
	if (b == NULL || (b->walker = arena_alloc(l->arena, 1, sizeof(*b->walker))) == NULL)
		return layout_stop(l);
	b->l = l;
	b->ranges.arena = l->arena;
	return read_file(l, b);
}

/* -- what is it? -- */

/* The end of a table; or the beginning of one whose first key is empty and has a header, whatever its end became. */
struct ends {
	uint8_t head[16], tail[TF_TABLE_MAGIC_BYTES];
	uint64_t size;
};

static uint64_t note_ends(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct ends *e = ctx;
	uint64_t tail = e->size - sizeof(e->tail);

	for (size_t i = 0; i < n; i++) {
		if (offset + i < sizeof(e->head))
			e->head[offset + i] = at[i];
		if (offset + i >= tail)
			e->tail[offset + i - tail] = at[i];
	}
	return offset + n < tail ? tail : offset + n;
}

static bool no_probe(const struct probe *p)
{
	(void)p;
	return false;
}

/* LevelDB's tables have many uses, and TensorFlow reads as an index only one whose first key is empty and has a header
 * (BundleReader).  A block that is not pressed begins with the length of what its first key shares: none. */
static bool has_named_key(const uint8_t *head)
{
	return head[0] == 0 && head[1] != 0;
}

#define LENGTH_BYTES 4u /* a value of 256 MiB */

static uint64_t read_length(const uint8_t **p)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < LENGTH_BYTES; i++) {
		uint8_t c = *(*p)++;

		n |= (uint64_t)(c & 0x7f) << (7 * i);
		if (c < 0x80)
			break;
	}
	return n;
}

/* A checkpoint of TensorFlow 0.x and 1.x: the value of its empty key is SavedTensorSlices (saved_tensor_slice.proto), all of which is
 * its first field, where a header has none.  BundleReader takes it for one of no shards. */
static bool is_old_checkpoint(const uint8_t *head)
{
	const uint8_t *p = head + 2;
	uint64_t value, meta;
	const uint8_t *begin;

	if (head[0] != 0 || head[1] != 0)
		return false;
	value = read_length(&p);
	begin = p;
	if (*p++ != 0x0a)
		return false;
	meta = read_length(&p);
	return meta > 0 && value == (uint64_t)(p - begin) + meta;
}

static bool is_checkpoint(struct layout *l, const struct stream *s)
{
	static const uint8_t first[] = { 0, 0 }; /* shares nothing, and is empty */
	struct ends e = { .size = s->size };

	if (s->size == STREAM_SIZE_UNKNOWN || s->size < TF_TABLE_FOOTER)
		return false;
	if (stream_preview(s, l->arena, (struct feeder){ note_ends, &e }, NULL) == STREAM_FAILED)
		return false;
	if (memcmp(e.tail, tf_table_magic, sizeof(e.tail)) == 0)
		return !has_named_key(e.head) && !is_old_checkpoint(e.head);
	/* A value of 2 to 12 bytes that begins with the number of shards; and the lower half of the magic is left. */
	return memcmp(e.head, first, sizeof(first)) == 0 && e.head[2] >= 2 && e.head[2] <= 12 && e.head[3] == 8 &&
	       e.head[4] > 0 && memcmp(e.tail, tf_table_magic, 4) == 0;
}

const struct wlk_format format_tf_checkpoint = { .id = WLK_FORMAT_TF_CHECKPOINT,
	.probe = no_probe,
	.layout = layout,
	.nested = NESTED_RANDOM,
	.last_resort = is_checkpoint };
