/* The table of tensors: see gguf_tensors.h.  Rules by number are those of docs/formats/gguf.md.
 *
 * While the table is read its length, and so where the data begins, is not known: extents are relative to the data
 * first and moved when it is. */
#include "gguf_tensors.h"

#include "checked.h"
#include "ggml.h"
#include "names.h"

struct tensor {
	struct bytes name; /* in the reader's names */
	uint32_t name_at;  /* there */
	uint64_t dims_at, type_at, offset_at;
	uint32_t n_dims;
	uint64_t ne[GGUF_DIMS_MAX];
	const struct ggml_type *type; /* NULL: unknown or removed */
	uint64_t begin, bytes;        /* relative to the data */
};

struct reader {
	struct layout *l;
	struct gguf_in *in;
	const struct gguf_metadata *metadata;
	struct gguf_tensors *out;
	uint64_t next; /* where the next tensor has to begin, relative to the data */
	bool next_known;
	uint64_t end; /* of the last one, before its padding */
	/* Names one after the other; a u32 before each: where it stands in the file; behind each, for the manifest, the
	 * rank in a byte, and its shape. */
	uint8_t *names;
	size_t names_n, names_room;
};

#define NAME_PLACE_BYTES 4u /* metadata ends below 2^30 */
#define SHAPE_BYTES (1 + GGUF_DIMS_MAX * sizeof(uint64_t))

static void fault(const struct reader *r, const struct tensor *t, enum wlk_finding code, uint64_t at,
    struct value found, struct value allowed)
{
	layout_finding(r->l, &(struct finding){ .code = code,
				 .has_offset = true,
				 .offset = at,
				 .subject = t->name,
				 .found = found,
				 .allowed = allowed });
}

static const struct value nothing = { .kind = VALUE_NONE };

static bool round_up(uint64_t n, uint32_t align, uint64_t *ret)
{
	uint64_t sum;

	if (!add_u64(n, align - 1, &sum))
		return false;
	*ret = sum - sum % align;
	return true;
}

/* -- names -- */

static bool reserve_name(struct reader *r)
{
	size_t room = r->names_room > 0 ? r->names_room * 2 : 4096;
	uint8_t *names;

	if (r->names_room - r->names_n >= NAME_PLACE_BYTES + GGUF_TENSOR_NAME_MAX + SHAPE_BYTES)
		return true;
	names = arena_resize_raw(r->l->arena, r->names, room, 1);
	if (names == NULL)
		return false;
	r->names = names;
	r->names_room = room;
	return true;
}

static bool has_control(struct bytes name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.at[i] < 0x20 || name.at[i] == 0x7f ||
		    (name.at[i] == 0xc2 && i + 1 < name.n && name.at[i + 1] < 0xa0))
			return true;
	return false;
}

/* Rule 45.  No leading zero: two names would be one layer. */
static bool is_direction(struct bytes name)
{
	static const char prefix[] = "direction.";
	size_t i = sizeof(prefix) - 1;
	uint32_t n = 0;

	if (name.n <= i || name.n > i + 5 || memcmp(name.at, prefix, i) != 0 || name.at[i] == '0')
		return false;
	for (; i < name.n; i++) {
		if (name.at[i] < '0' || name.at[i] > '9')
			return false;
		n = n * 10 + (uint32_t)(name.at[i] - '0'); /* at most 99,999 */
	}
	return n <= 65535;
}

/* Rules 17, 22 and 45. */
static void check_name(const struct reader *r, const struct tensor *t, uint64_t at)
{
	if (t->name.n == 0 || has_control(t->name))
		fault(r, t, WLK_F_GGUF_TENSOR_NAME_CHARSET, at, nothing, nothing);
	if (utf8_check(t->name) < t->name.n)
		fault(r, t, WLK_F_GGUF_STRING_UTF8, at, nothing, nothing);
	if (r->metadata->control_vector && !is_direction(t->name))
		fault(r, t, WLK_F_GGUF_CONTROL_VECTOR_INDEX, at, nothing, nothing);
}

/* Rule 20. */
static enum wlk_status read_name(struct reader *r, struct tensor *t)
{
	uint64_t at = r->in->pos, n;
	const uint8_t *bytes;

	if (!gguf_take_u64(r->in, &n))
		return gguf_short(r->l, r->in);
	if (n > GGUF_TENSOR_NAME_MAX) {
		layout_value(r->l, WLK_F_GGUF_TENSOR_NAME_LENGTH, at, n, GGUF_TENSOR_NAME_MAX);
		return WLK_BROKEN;
	}
	at = r->in->pos;
	bytes = gguf_take(r->in, (size_t)n);
	if (bytes == NULL)
		return gguf_short(r->l, r->in);
	if (!reserve_name(r))
		return layout_stop(r->l);
	store_u32le(r->names + r->names_n, (uint32_t)at);
	t->name_at = (uint32_t)(r->names_n + NAME_PLACE_BYTES); /* at most 65,535 times 67 */
	memcpy(r->names + t->name_at, bytes, (size_t)n);
	t->name = bytes_of(r->names + t->name_at, (size_t)n);
	r->names_n = t->name_at + (size_t)n;
	check_name(r, t, at);
	return WLK_DONE;
}

/* Of the tensor's extents, which are those of kind TENSOR, the i-th. */
struct name_list {
	struct layout *l;
	struct bytes names;
	const uint32_t *extents;
};

static struct bytes name_of(const struct name_list *list, uint32_t i)
{
	const struct extent *e = &list->l->extents->list[list->extents[i]];

	return bytes_of(list->names.at + e->name_at, e->name_n);
}

static struct json_text name_text(void *ctx, uint32_t i)
{
	return (struct json_text){ .raw = name_of(ctx, i) };
}

/* Rule 21. */
static void name_twice(void *ctx, uint32_t i, uint32_t earlier)
{
	const struct name_list *list = ctx;
	struct bytes name = name_of(list, i);

	(void)earlier;
	layout_finding(list->l, &(struct finding){ .code = WLK_F_GGUF_TENSOR_NAME_DUPLICATE,
				    .has_offset = true,
				    .offset = load_u32le(name.at - NAME_PLACE_BYTES),
				    .subject = name });
}

static bool check_names(struct reader *r, size_t n)
{
	struct extents *x = r->l->extents;
	uint32_t *of_tensor = arena_resize_raw(r->l->arena, NULL, n, sizeof(*of_tensor));
	struct name_list list = { r->l, bytes_of(r->names, r->names_n), of_tensor };
	struct names names = { .ctx = &list, .at = name_text, .twice = name_twice, .seed = r->l->seed };
	bool fits;
	size_t k = 0;

	if (of_tensor == NULL)
		return false;
	for (size_t i = 0; i < x->n; i++)
		if (x->list[i].kind == EXTENT_TENSOR)
			of_tensor[k++] = (uint32_t)i;
	fits = names_check(&names, k, r->l->arena);
	arena_release(r->l->arena, of_tensor);
	return fits;
}

/* -- shape and type -- */

/* Rules 23, 24, 31 and 32. */
static enum wlk_status read_shape(struct reader *r, struct tensor *t)
{
	t->dims_at = r->in->pos;
	if (!gguf_take_u32(r->in, &t->n_dims))
		return gguf_short(r->l, r->in);
	if (t->n_dims == 0 || t->n_dims > GGUF_DIMS_MAX)
		fault(r, t, WLK_F_GGUF_TENSOR_DIMS, t->dims_at, value_number(t->n_dims), value_number(GGUF_DIMS_MAX));
	if (t->n_dims > GGUF_DIMS_MAX) {
		fault(r, t, WLK_F_GGUF_TENSOR_DIMS_LIMIT, t->dims_at, value_number(t->n_dims),
		    value_number(GGUF_DIMS_MAX));
		return WLK_BROKEN;
	}
	for (uint32_t i = 0; i < t->n_dims; i++) {
		uint64_t at = r->in->pos;

		if (!gguf_take_u64(r->in, &t->ne[i]))
			return gguf_short(r->l, r->in);
		if (t->ne[i] > INT64_MAX)
			fault(r, t, WLK_F_GGUF_TENSOR_SHAPE_NEGATIVE, at, nothing, nothing);
		else if (t->ne[i] == 0)
			fault(r, t, WLK_F_GGUF_TENSOR_EMPTY, at, value_number(0), nothing);
	}
	return WLK_DONE;
}

static bool has_part(struct bytes name, const char *part)
{
	return memmem(name.at, name.n, part, strlen(part)) != NULL;
}

/* Rule 53: an adapter's matrices of experts are as many as the model has, and one is none; llama.cpp takes the number from the
 * model and writes behind them (issue 29128). */
static void check_experts(const struct reader *r, const struct tensor *t)
{
	uint64_t experts = t->n_dims > 2 ? t->ne[2] : 1;

	if (r->metadata->limits.adapter && has_part(t->name, "_exps.") && has_part(t->name, ".lora_") && experts <= 1)
		fault(r, t, WLK_F_GGUF_RUNTIME_LIMIT, t->dims_at, value_number(experts),
		    value_text(bytes_of_text("experts>1")));
}

/* Rules 26, 27 and 38. */
static enum wlk_status read_type(struct reader *r, struct tensor *t)
{
	uint32_t id;
	const struct ggml_type *type;

	t->type_at = r->in->pos;
	if (!gguf_take_u32(r->in, &id))
		return gguf_short(r->l, r->in);
	type = ggml_type(id);
	if (type == NULL)
		fault(r, t, WLK_F_GGUF_TYPE_UNKNOWN, t->type_at, value_number(id), nothing);
	else if (type->block == 0)
		fault(r, t, WLK_F_GGUF_TYPE_REMOVED, t->type_at, value_number(id), nothing);
	else
		t->type = type;
	if (t->type != NULL && type->runtime_only)
		fault(r, t, WLK_F_GGUF_TYPE_RUNTIME_ONLY, t->type_at, value_number(id), nothing);
	return WLK_DONE;
}

/* Rules 25 and 29: the product of the dimensions that are not zero, for readers multiply in other orders.  No more than
 * 63 bits, for the reference multiplies signed. */
static bool count_elements(const struct tensor *t, uint64_t *ret, bool *ret_empty)
{
	uint64_t n = 1;

	*ret_empty = false;
	for (uint32_t i = 0; i < t->n_dims; i++) {
		*ret_empty |= t->ne[i] == 0;
		if (t->ne[i] > 0 && !mul_u64(n, t->ne[i], &n))
			return false;
	}
	*ret = n;
	return n <= INT64_MAX;
}

static bool is_negative(const struct tensor *t)
{
	for (uint32_t i = 0; i < t->n_dims; i++)
		if (t->ne[i] > INT64_MAX)
			return true;
	return false;
}

/* Section 6, steps 1 to 4.  Return: t->bytes is known. */
static bool count_bytes(const struct reader *r, struct tensor *t)
{
	uint64_t row = t->n_dims > 0 ? t->ne[0] : 1, n, bytes;
	bool empty;

	if (is_negative(t))
		return false; /* a finding already */
	if (!count_elements(t, &n, &empty) ||
	    (t->type != NULL && (!mul_u64(n / t->type->block, t->type->bytes, &bytes) || bytes > INT64_MAX))) {
		fault(r, t, WLK_F_GGUF_TENSOR_SIZE_OVERFLOW, t->dims_at, nothing, nothing);
		return false;
	}
	if (t->type == NULL)
		return false;
	if (row % t->type->block != 0) { /* rule 28 */
		fault(r, t, WLK_F_GGUF_TENSOR_ROW_BLOCK, t->dims_at, value_number(row), value_number(t->type->block));
		return false;
	}
	t->bytes = empty ? 0 : bytes;
	return true;
}

/* -- where it lies -- */

/* The first two extents are not tensors. */
enum { EXTENT_OF_HEADER, EXTENT_BEHIND_HEADER, EXTENTS_BEFORE_TENSORS };

static struct extent *add_extent(struct reader *r, enum extent_kind kind, uint64_t begin, uint64_t end)
{
	struct extent *e = extents_add(r->l->extents);

	if (e != NULL) {
		e->kind = (uint8_t)kind;
		e->begin = begin;
		e->end = end;
	}
	return e;
}

/* Rule 33.  What overlaps, and what is left between, is found when the extents are laid side by side. */
static void check_offset(const struct reader *r, const struct tensor *t)
{
	if (r->next_known && t->begin != r->next)
		fault(r, t, WLK_F_GGUF_TENSOR_OFFSET, t->offset_at, value_number(t->begin), value_number(r->next));
	if (t->begin % r->metadata->alignment != 0)
		fault(r, t, WLK_F_GGUF_TENSOR_MISALIGNED, t->offset_at, value_number(t->begin),
		    value_number(r->metadata->alignment));
}

/* The padding behind the tensor before: up to the alignment, unless this one begins earlier. */
static bool add_padding(struct reader *r, uint64_t begin)
{
	uint64_t end = begin >= r->end ? min_u64(begin, r->next) : r->next;

	return !r->next_known || end <= r->end || add_extent(r, EXTENT_ZERO, r->end, end) != NULL;
}

/* Section 6, steps 5 and 6: both ends in 63 bits, or it is nowhere. */
static bool place(struct reader *r, const struct tensor *t, struct extent *e)
{
	uint64_t end, next;

	r->next_known =
	    add_u64(t->begin, t->bytes, &end) && round_up(end, r->metadata->alignment, &next) && next <= INT64_MAX;
	if (!r->next_known) {
		e->flags |= EXTENT_DEAD;
		return false;
	}
	e->begin = t->begin;
	e->end = r->end = end;
	r->next = next;
	return true;
}

static void keep_shape(struct reader *r, const struct tensor *t)
{
	if (!layout_wants_tensors(r->l))
		return;
	r->names[r->names_n++] = (uint8_t)t->n_dims;
	memcpy(r->names + r->names_n, t->ne, t->n_dims * sizeof(t->ne[0]));
	r->names_n += t->n_dims * sizeof(t->ne[0]);
}

static enum wlk_status add_tensor(struct reader *r, const struct tensor *t, bool sized, uint32_t index)
{
	struct extent *e;

	check_offset(r, t);
	keep_shape(r, t);
	if (!add_padding(r, t->begin))
		return layout_stop(r->l);
	e = add_extent(r, EXTENT_TENSOR, 0, 0);
	if (e == NULL)
		return layout_stop(r->l);
	e->index = index;
	e->name_at = t->name_at;
	e->name_n = (uint32_t)t->name.n;
	e->dtype = (uint8_t)(t->type != NULL ? t->type->dtype : WLK_DTYPE_NONE);
	e->flags = e->dtype == WLK_DTYPE_F64 ? EXTENT_NARROWED : 0;
	r->out->quantised |= t->type != NULL && t->type->block > 1;
	if (!sized) {
		e->flags |= EXTENT_DEAD;
		r->next_known = r->out->layout_known = false;
	} else if (!place(r, t, e)) {
		r->out->layout_known = false;
		fault(r, t, WLK_F_GGUF_TENSOR_SIZE_OVERFLOW, t->offset_at, nothing, nothing); /* rule 34 */
	}
	return WLK_DONE;
}

static enum wlk_status read_tensor(struct reader *r, uint32_t index)
{
	struct tensor t = { 0 };
	enum wlk_status status = read_name(r, &t);

	if (status == WLK_DONE)
		status = read_shape(r, &t);
	if (status == WLK_DONE)
		status = read_type(r, &t);
	if (status != WLK_DONE)
		return status;
	check_experts(r, &t);
	t.offset_at = r->in->pos;
	if (!gguf_take_u64(r->in, &t.begin))
		return gguf_short(r->l, r->in);
	return add_tensor(r, &t, count_bytes(r, &t), index);
}

/* -- when the table was read -- */

/* Extents, so far relative to the data, to where they are. */
static void move_extents(struct reader *r, uint64_t data_at)
{
	struct extents *x = r->l->extents;

	for (size_t i = EXTENTS_BEFORE_TENSORS; i < x->n; i++) {
		struct extent *e = &x->list[i];

		if (e->flags & EXTENT_DEAD)
			continue;
		if (!add_u64(e->begin, data_at, &e->begin) || !add_u64(e->end, data_at, &e->end))
			e->flags |= EXTENT_DEAD; /* never: both fit 63 bits, and the data begins below 2^31 */
		r->out->layout_known &= e->end <= r->l->part.size;
	}
}

/* Section 6, "End of file": the last padding may be missing. */
static enum wlk_status add_last_padding(struct reader *r, uint64_t data_at)
{
	uint64_t size = r->l->part.size, begin, end;

	if (!r->next_known || !add_u64(data_at, r->end, &begin) || !add_u64(data_at, r->next, &end) || size < begin)
		return WLK_DONE; /* there is a finding, or will be */
	if (size < end)
		layout_value(r->l, WLK_F_GGUF_FINAL_PADDING_MISSING, size, size, end);
	end = min_u64(end, size);
	return begin == end || add_extent(r, EXTENT_ZERO, begin, end) != NULL ? WLK_DONE : layout_stop(r->l);
}

static enum wlk_status finish_extents(struct reader *r, uint64_t n_tensors)
{
	uint64_t size = r->l->part.size, table_end = r->in->pos, data_at;
	struct extents *x = r->l->extents;

	if (!round_up(table_end, r->metadata->alignment, &data_at)) /* below 2^31 */
		return WLK_BROKEN;
	x->names = bytes_of(r->names, r->names_n);
	x->list[EXTENT_OF_HEADER].end = table_end;
	x->list[EXTENT_BEHIND_HEADER].begin = table_end;
	x->list[EXTENT_BEHIND_HEADER].end = min_u64(data_at, size);
	move_extents(r, data_at);
	return n_tensors > 0 ? add_last_padding(r, data_at) : WLK_DONE;
}

/* The fastest dimension comes first, as GGUF has it; to who converts last, as everybody else has it. */
static void set_shape(const struct reader *r, struct manifest_row *row, const uint8_t *shape)
{
	row->rank = shape[0];
	memcpy(row->shape, shape + 1, row->rank * sizeof(row->shape[0]));
	for (unsigned i = 0; layout_wants_views(r->l) && i < row->rank / 2; i++) {
		uint64_t first = row->shape[i];

		row->shape[i] = row->shape[row->rank - 1 - i];
		row->shape[row->rank - 1 - i] = first;
	}
}

/* In the order of the table. */
static bool list_tensors(const struct reader *r)
{
	const struct extents *x = r->l->extents;
	struct manifest_row row = { .kind = MANIFEST_TENSOR };

	for (size_t i = 0; i < x->n && layout_wants_tensors(r->l); i++) {
		const struct extent *e = &x->list[i];

		if (e->kind != EXTENT_TENSOR || (e->flags & EXTENT_DEAD))
			continue;
		row.name = bytes_of(r->names + e->name_at, e->name_n);
		row.name_bytes = e->name_n;
		row.dtype = bytes_of_text(dtype_info(e->dtype)->name);
		row.index = e->index;
		row.begin = e->begin;
		row.end = e->end;
		set_shape(r, &row, r->names + e->name_at + e->name_n);
		if (!layout_tensor(r->l, &row))
			return false;
	}
	return true;
}

enum wlk_status gguf_tensors_read(struct layout *l, struct gguf_in *in, uint64_t n_tensors,
    const struct gguf_metadata *metadata, struct gguf_tensors *ret)
{
	struct reader r = { .l = l, .in = in, .metadata = metadata, .out = ret, .next_known = true };
	enum wlk_status status = WLK_DONE;

	*ret = (struct gguf_tensors){ .layout_known = true };
	l->extents->nonzero = WLK_F_GGUF_PADDING_NONZERO;
	if (add_extent(&r, EXTENT_HEADER, 0, 0) == NULL || add_extent(&r, EXTENT_ZERO, 0, 0) == NULL)
		return layout_stop(l);
	for (uint64_t i = 0; i < n_tensors && status == WLK_DONE; i++)
		status = read_tensor(&r, (uint32_t)i);
	if (status != WLK_DONE)
		return status;
	if (n_tensors > 1 && !check_names(&r, (size_t)n_tensors))
		return layout_stop(l);
	status = finish_extents(&r, n_tensors);
	return status == WLK_DONE && !list_tensors(&r) ? WLK_INCOMPLETE : status;
}
