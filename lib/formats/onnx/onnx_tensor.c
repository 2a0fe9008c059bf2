/* Tensors of an ONNX model: rules 3 to 10 of formats/onnx, and where their weights are.  What is raw, or a packed run of
 * floats, is examined in the pass where it stands; what is written as varints is examined here. */
#include "convert.h"
#include "checked.h"
#include "onnx_types.h"

#define POOL_MAX (UINT32_C(256) << 20)

/* -- names -- */

static bool keep_name(struct onnx *o, struct onnx_tensor *t, struct bytes name)
{
	size_t n = min_u64(name.n, REPORT_STRING_MAX);

	if (o->pool_room - o->pool_n < n) {
		size_t room = o->pool_room > 0 ? o->pool_room * 2 : 65536;
		uint8_t *pool = room <= POOL_MAX ? arena_resize_raw(o->l->arena, o->pool, room, 1) : NULL;

		if (pool == NULL)
			return onnx_stop(o);
		o->pool = pool;
		o->pool_room = room;
	}
	bytes_copy(o->pool + o->pool_n, bytes_of(name.at, n));
	t->name_at = o->pool_n;
	t->name_n = (uint32_t)n;
	o->pool_n += n;
	return true;
}

static struct bytes name_of(const struct onnx *o, const struct onnx_tensor *t)
{
	return bytes_of(o->pool + t->name_at, t->name_n);
}

/* -- where weights are -- */

bool onnx_cover(struct onnx *o, uint64_t end)
{
	struct extent *e = end > o->covered ? extents_add(o->l->extents) : NULL;

	if (end > o->covered && e == NULL)
		return onnx_stop(o);
	if (e != NULL)
		*e = (struct extent){ .begin = o->covered, .end = end, .kind = EXTENT_METADATA };
	o->covered = end;
	return true;
}

static struct extent *add_run(struct onnx *o, uint64_t at, uint64_t n, enum wlk_dtype dtype)
{
	struct extent *e = onnx_cover(o, at) ? extents_add(o->l->extents) : NULL;

	if (e == NULL) {
		o->stopped = o->stopped || !onnx_stop(o);
		return NULL;
	}
	*e = (struct extent){ .begin = at, .end = at + n, .kind = EXTENT_TENSOR, .dtype = (uint8_t)dtype };
	o->covered = e->end;
	return e;
}

/* Values of the tensor that is open, where they stand. */
static bool add_values(struct onnx *o, struct onnx_tensor *t, uint64_t at, uint64_t n, enum wlk_dtype dtype)
{
	struct extent *e = n > 0 ? add_run(o, at, n, dtype) : NULL;

	if (e != NULL && t->n_runs++ > 0)
		e->flags |= EXTENT_PIECE;
	return e != NULL || n == 0;
}

/* A tensor of which no values stand as bytes counts all the same. */
static bool count_coded(struct onnx *o, const struct onnx_tensor *t, const struct onnx_type *type)
{
	struct extent *e;

	if (t->n_runs > 0 || t->external.n > 0 || type->bits == 0)
		return true;
	e = add_run(o, o->offset, 0, (enum wlk_dtype)type->dtype);
	if (e != NULL)
		e->flags |= EXTENT_CODED;
	return e != NULL;
}

/* -- values one by one -- */

/* The type of tensor data that has none: floats of an attribute. */
static void examine(struct onnx *o, struct weights *w, enum wlk_dtype dtype, uint64_t value, uint64_t at)
{
	uint8_t element[8];

	if (!dtype_is_float(dtype))
		return;
	store_u64le(element, value);
	if (w->dtype != dtype)
		weights_begin(w, dtype, false);
	if (w->kernel != NULL)
		weights_examine(w, element, dtype_info(dtype)->bits / 8, o->l->extents->origin + at);
	o->l->report->totals.elements++;
}

static void report_weights(struct onnx *o, const struct weights *w, struct bytes name)
{
	const struct weights_place place = {
		.name = weights_name_wanted(w, o->l->report) ? name : (struct bytes){ 0 },
		.member = o->l->extents->member,
		.first_offset = w->first_offset,
	};

	if (w->found)
		weights_report(w, o->l->report, &place);
}

void onnx_float(struct onnx *o, struct weights *w, uint32_t bits, uint64_t at)
{
	examine(o, w, WLK_DTYPE_F32, bits, at);
}

void onnx_floats_end(struct onnx *o, const struct weights *w, struct bytes name)
{
	report_weights(o, w, name);
}

bool onnx_floats_in_place(struct onnx *o, uint64_t at, uint64_t n, struct bytes name)
{
	struct onnx_tensor t = { 0 };
	struct extent *e = n > 0 && keep_name(o, &t, name) ? add_run(o, at, n, WLK_DTYPE_F32) : NULL;

	if (e == NULL)
		return n == 0;
	e->flags |= EXTENT_PIECE;
	e->name_at = (uint32_t)t.name_at;
	e->name_n = t.name_n;
	return true;
}

/* -- fields -- */

void onnx_tensor_begin(struct onnx *o, struct onnx_level *v)
{
	v->tensor = &o->tensor;
	onnx_limits_tensor_begin(o);
	o->tensor = (struct onnx_tensor){ .at = v->at, .elements = 1, .first_extent = o->l->extents->n };
}

static void take_dim(struct onnx_tensor *t, uint64_t value)
{
	if (t->rank == ONNX_DIMS_MAX || value > ONNX_DIM_MAX) {
		t->bad_dims = true;
		return;
	}
	t->shape[t->rank++] = value;
}

static void mark_data(struct onnx_tensor *t, enum onnx_data data, uint64_t count, uint64_t at)
{
	if (t->present == 0)
		t->data_at = at;
	t->present |= 1u << data;
	t->counts[data] += count; /* of values that take a byte each at least: below the file's size */
	t->early = t->early || !t->has_type;
}

static enum onnx_data data_of_field(uint32_t field)
{
	switch (field) {
	case 4: return ONNX_DATA_FLOAT;
	case 5: return ONNX_DATA_INT32;
	case 6: return ONNX_DATA_STRING;
	case 7: return ONNX_DATA_INT64;
	case 10: return ONNX_DATA_DOUBLE;
	case 11: return ONNX_DATA_UINT64;
	default: return ONNX_DATA_RAW;
	}
}

/* The sparse tensor whose indices these are; NULL: of none. */
static struct onnx_sparse *indexed_by(struct onnx *o)
{
	struct onnx_level *v = onnx_level(o);

	return v[-1].message == &onnx_sparse && v->field->number == 2 ? v[-1].sparse : NULL;
}

static void take_value(struct onnx *o, struct onnx_tensor *t, enum onnx_data data, uint64_t value, uint64_t at)
{
	const struct onnx_type *type = onnx_type_of(t->has_type && t->dtype < ONNX_DTYPES ? t->dtype : 0);
	int64_t number = (int64_t)value;

	mark_data(t, data, 1, at);
	t->last_value = value;
	if (data == ONNX_DATA_INT64 && indexed_by(o) != NULL)
		onnx_sparse_index(indexed_by(o), t, value);
	if (data == ONNX_DATA_FLOAT)
		examine(o, &t->weights, WLK_DTYPE_F32, value, at);
	else if (data == ONNX_DATA_DOUBLE)
		examine(o, &t->weights, WLK_DTYPE_F64, value, at);
	if (data != type->field || (data != ONNX_DATA_INT32 && data != ONNX_DATA_UINT64))
		return;
	if (number < type->low || number > type->high)
		t->range_bad = true;
	else if (data == ONNX_DATA_INT32 && type->bits >= 8)
		examine(o, &t->weights, type->dtype, value, at);
}

bool onnx_tensor_number(struct onnx *o, struct onnx_tensor *t, uint32_t field, uint64_t value, uint64_t at)
{
	if ((field == 5 || field == 7) && !onnx_limits_datum(o, value))
		return false;
	if (field == 1)
		take_dim(t, value);
	else if (field == 2)
		t->dtype = value, t->has_type = true;
	else if (field == 14)
		t->location = value;
	else
		take_value(o, t, data_of_field(field), value, at);
	return true;
}

bool onnx_tensor_data(
    struct onnx *o, struct onnx_tensor *t, uint32_t field, struct bytes bytes, uint64_t n, uint64_t at)
{
	switch (field) {
	case 4: mark_data(t, ONNX_DATA_FLOAT, n / 4, at); return add_values(o, t, at, n, WLK_DTYPE_F32);
	case 6: mark_data(t, ONNX_DATA_STRING, 1, at); return true;
	case 8: onnx_word_set(o, &t->name, bytes, n); return keep_name(o, t, bytes);
	case 9:
		mark_data(t, ONNX_DATA_RAW, n, at);
		t->scalar = bytes.n == 8 ? load_u64le(bytes.at) : 0;
		return add_values(o, t, at, n, WLK_DTYPE_U8);
	case 10: mark_data(t, ONNX_DATA_DOUBLE, n / 8, at); return add_values(o, t, at, n, WLK_DTYPE_F64);
	default: return true;
	}
}

/* -- the whole tensor -- */

/* Rule 3, decision 4: a product that overflows does so whatever dimension is zero. */
static void multiply_dims(struct onnx_tensor *t)
{
	uint64_t product = 1;
	bool empty = false;

	for (unsigned i = 0; i < t->rank; i++) {
		empty = empty || t->shape[i] == 0;
		if (!mul_u64(product, t->shape[i] > 0 ? t->shape[i] : 1, &product))
			t->overflow = true;
	}
	t->overflow = t->overflow || product > INT64_MAX; /* which is what loaders count with */
	t->elements = empty ? 0 : product;
}

static uint64_t div_up(uint64_t n, uint64_t by)
{
	return n / by + (n % by != 0);
}

/* Bytes of raw data.  False: more than 64 bits can say. */
static bool raw_bytes(const struct onnx_tensor *t, const struct onnx_type *type, uint64_t *ret)
{
	if (type->bits >= 8)
		return mul_u64(t->elements, type->bits / 8, ret);
	*ret = div_up(t->elements, 8u / type->bits);
	return true;
}

/* Rule 9: the bits of the last byte that belong to no element. */
static uint8_t unused_bits(const struct onnx_tensor *t, const struct onnx_type *type)
{
	unsigned per_byte = type->bits > 0 && type->bits < 8 ? 8u / type->bits : 1, used;

	used = (unsigned)(t->elements % per_byte) * type->bits;
	return used > 0 ? (uint8_t)(0xffu << used) : 0;
}

static void add_tail(struct onnx *o, uint64_t at, uint8_t mask)
{
	if (o->n_tails == o->tails_room) {
		uint32_t room = o->tails_room > 0 ? o->tails_room * 2 : 256;
		struct onnx_tail *tails = arena_resize_raw(o->l->arena, o->tails, room, sizeof(*tails));

		if (tails == NULL) {
			onnx_stop(o);
			return;
		}
		o->tails = tails;
		o->tails_room = room;
	}
	o->tails[o->n_tails++] = (struct onnx_tail){ at, mask };
}

bool onnx_check_tails(struct onnx *o)
{
	for (uint32_t i = 0; i < o->n_tails; i++) {
		uint8_t byte;

		if (!part_read_guarded(&o->l->part, o->tails[i].at, &byte, 1))
			return false;
		if ((byte & o->tails[i].mask) != 0)
			onnx_value(o, WLK_F_ONNX_SUBBYTE_PADDING, o->tails[i].at, (struct bytes){ 0 }, byte, 0);
	}
	return true;
}

/* Rules 5 and 7 to 9 of typed data.  Return, as of the next two: the values are what type and shape say. */
static bool check_typed(struct onnx *o, const struct onnx_tensor *t, const struct onnx_type *type)
{
	unsigned per_value = type->bits > 0 && type->bits < 8 ? 8u / type->bits : 1;
	uint64_t want = div_up(t->elements, per_value), count = t->counts[type->field];
	struct bytes name = onnx_word_bytes(&t->name);
	bool counted = t->present == 1u << type->field && mul_u64(want, type->parts, &want) && count == want;

	if (!counted)
		onnx_value(o, WLK_F_ONNX_DATA_COUNT, t->data_at, name, count, want);
	if (t->range_bad)
		onnx_at(o, WLK_F_ONNX_DATA_RANGE, t->data_at, name);
	if ((t->last_value & unused_bits(t, type)) != 0)
		onnx_value(o, WLK_F_ONNX_SUBBYTE_PADDING, t->data_at, name, t->last_value, 0);
	return counted;
}

static bool check_raw(struct onnx *o, const struct onnx_tensor *t, const struct onnx_type *type, uint64_t want)
{
	struct bytes name = onnx_word_bytes(&t->name);
	uint64_t n = t->counts[ONNX_DATA_RAW];

	if (type->bits == 0) {
		onnx_at(o, WLK_F_ONNX_DATA_COUNT, t->data_at, name);
		return false;
	}
	if (n != want) {
		onnx_value(o, WLK_F_ONNX_RAW_SIZE, t->data_at, name, n, want);
		return false;
	}
	if (n > 0 && unused_bits(t, type) != 0)
		add_tail(o, t->data_at + n - 1, unused_bits(t, type));
	return true;
}

/* Rules 5, 12 and 13. */
static bool check_data(struct onnx *o, struct onnx_tensor *t, const struct onnx_type *type, uint64_t want)
{
	struct bytes name = onnx_word_bytes(&t->name);

	if (t->location == 1 || t->external.n > 0) {
		if (t->location != 1 || t->present != 0)
			onnx_at(o, WLK_F_ONNX_EXTERNAL_SHADOW, t->at, name);
		onnx_external_end(o, t, type->bits > 0 ? want : UINT64_MAX);
		return t->present == 0;
	}
	if (t->early && (t->present & (1u << ONNX_DATA_INT32 | 1u << ONNX_DATA_UINT64)) != 0)
		onnx_at(o, WLK_F_ONNX_FIELD_ORDER, t->data_at, name);
	if (__builtin_popcount(t->present) > 1 || (t->present == 0 && t->elements > 0)) {
		onnx_value(o, WLK_F_ONNX_DATA_FIELDS, t->at, name, (uint64_t)__builtin_popcount(t->present), 1);
		return false;
	}
	if (t->present == 1u << ONNX_DATA_RAW)
		return check_raw(o, t, type, want);
	return t->present == 0 || check_typed(o, t, type);
}

/* The only run of a tensor's values: rows are of bytes.  NULL: values are varints, or stand in several runs. */
static struct extent *only_run(const struct onnx *o, const struct onnx_tensor *t)
{
	const struct extents *x = o->l->extents;

	for (size_t i = t->first_extent; i < x->n && t->n_runs == 1; i++) {
		if (x->list[i].kind == EXTENT_TENSOR)
			return &x->list[i];
	}
	return NULL;
}

/* To who converts the initializers are tensors, and constants of nodes are the graph's business. */
static const struct tensor_view *views_of(struct onnx *o, const struct onnx_level *v, const struct onnx_tensor *t)
{
	const struct report_taker *taker = o->l->report->taker;

	if (taker == NULL || v[-1].message == &onnx_graph)
		return NULL;
	if (v[-1].message == &onnx_sparse)
		taker->leave(taker->ctx, name_of(o, t), CONVERT_KIND, true);
	return &tensor_view_none;
}

static bool list_tensor(
    struct onnx *o, const struct onnx_level *v, const struct onnx_tensor *t, const struct onnx_type *type)
{
	struct extent *e = only_run(o, t);
	struct manifest_row row = { .kind = MANIFEST_TENSOR,
		.name = name_of(o, t),
		.name_bytes = t->name.bytes,
		.dtype = bytes_of_text(dtype_info((enum wlk_dtype)type->dtype)->name),
		.rank = t->rank,
		.views = views_of(o, v, t) };

	if (e == NULL || !layout_wants_tensors(o->l))
		return true;
	e->index = (uint32_t)o->n_rows++;
	row.index = e->index;
	row.begin = e->begin;
	row.end = e->end;
	for (unsigned i = 0; i < t->rank; i++)
		row.shape[i] = t->shape[i];
	if (layout_tensor(o->l, &row))
		return true;
	o->stopped = true;
	return false;
}

/* Now that type and name are known.  What is no sound tensor has no type: it was reported, and what its bytes are is not
 * known. */
static void name_runs(struct onnx *o, const struct onnx_level *v, const struct onnx_type *type, bool sound)
{
	const struct onnx_tensor *t = v->tensor;
	struct extents *x = o->l->extents;

	for (size_t i = t->first_extent; i < x->n; i++) {
		struct extent *e = &x->list[i];

		if (e->kind != EXTENT_TENSOR)
			continue;
		e->name_at = (uint32_t)t->name_at;
		e->name_n = t->name_n;
		if (!sound || type->bits == 0)
			e->dtype = WLK_DTYPE_NONE;
		else if ((t->present & 1u << ONNX_DATA_RAW) != 0 || type->parts == 2)
			e->dtype = type->dtype;
	}
}

static void check_shape(struct onnx *o, const struct onnx_tensor *t)
{
	struct bytes name = onnx_word_bytes(&t->name);

	if (t->bad_dims)
		onnx_value(o, WLK_F_ONNX_DIMS, t->at, name, t->rank, ONNX_DIMS_MAX);
	if (t->overflow)
		onnx_at(o, WLK_F_ONNX_TENSOR_SIZE_OVERFLOW, t->at, name);
	if (!t->has_type || t->dtype == 0 || t->dtype >= ONNX_DTYPES)
		onnx_value(o, WLK_F_ONNX_DTYPE, t->at, name, t->dtype, ONNX_DTYPES - 1);
	if (t->location > 1)
		onnx_value(o, WLK_F_ONNX_ENUM, t->at, name, t->location, 1);
}

/* An INT64 of one element. */
static bool is_huge(const struct onnx_tensor *t)
{
	if (t->dtype != 7 || t->elements != 1)
		return false;
	return onnx_is_huge(t->present == 1u << ONNX_DATA_RAW ? t->scalar : t->last_value);
}

/* Whose tensor it is. */
static void hand_over(struct onnx *o, struct onnx_level *v, const struct onnx_tensor *t)
{
	struct onnx_level *owner = v - 1;

	if (owner->message == &onnx_graph) {
		onnx_initializer(o, owner, &t->name, t->at);
		if (is_huge(t))
			onnx_trips_value(o, t->name.id);
	} else if (owner->message == &onnx_attribute && owner[-1].message == &onnx_node) {
		owner[-1].node->huge = owner[-1].node->huge || is_huge(t);
	} else if (owner->message == &onnx_sparse && v->field->number == 1) {
		owner->sparse->has_values = true;
		owner->sparse->nnz = t->elements;
		owner->sparse->values_rank = t->rank;
		if (owner[-1].message == &onnx_graph)
			onnx_initializer(o, owner - 1, &t->name, t->at);
	} else if (owner->message == &onnx_sparse) {
		onnx_sparse_indices_end(owner->sparse, t);
	}
}

/* An initializer, or the value of a Constant. */
static bool keep_for_limits(struct onnx *o, const struct onnx_level *v, const struct onnx_tensor *t)
{
	uint32_t ignored = 0;

	if (v[-1].message == &onnx_graph)
		return onnx_limits_tensor_end(o, t, t->name.id, &ignored);
	if (v[-1].message == &onnx_attribute && v[-2].message == &onnx_node)
		return onnx_limits_tensor_end(o, t, (struct scoped_name){ 0 }, &v[-2].node->constant);
	return true;
}

bool onnx_tensor_end(struct onnx *o, struct onnx_level *v)
{
	struct onnx_tensor *t = v->tensor;
	bool typed = t->has_type && t->dtype > 0 && t->dtype < ONNX_DTYPES;
	const struct onnx_type *type = onnx_type_of(typed ? t->dtype : 0);
	uint64_t want = 0;
	bool sound;

	multiply_dims(t);
	if (typed && type->bits > 0 && !t->overflow)
		t->overflow = !raw_bytes(t, type, &want) || want > INT64_MAX;
	check_shape(o, t);
	sound = typed && !t->bad_dims && !t->overflow;
	sound = sound && check_data(o, t, type, want);
	if (o->stopped || !count_coded(o, t, type))
		return false;
	name_runs(o, v, type, sound);
	if (onnx_is_list_of_sets(v))
		onnx_marker_keep(o, v[-2].node,
		    &(struct onnx_marker){ .name = t->name,
			.weights = t->weights,
			.first_extent = t->first_extent,
			.end_extent = o->l->extents->n });
	else
		report_weights(o, &t->weights, name_of(o, t));
	hand_over(o, v, t);
	if (!keep_for_limits(o, v, t))
		return false;
	return (!sound || list_tensor(o, v, t, type)) && !o->stopped && (!o->names.failed || onnx_stop(o));
}
