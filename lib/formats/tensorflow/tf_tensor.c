/* Constants of graphs: rules 6, 7 and 14. */
#include "tf_graph.h"

#include "checked.h"

#define POOL_MAX (UINT32_C(256) << 20)
#define BOMB_BYTES (UINT64_C(1) << 30) /* of memory ... */
#define BOMB_COST (UINT64_C(1) << 20)  /* ... from so many bytes of the file */

enum {
	DT_STRING = TF_TYPE_STRING,
	DT_BFLOAT16 = TF_TYPE_BFLOAT16,
	DT_RESOURCE = TF_TYPE_RESOURCE,
	DT_VARIANT = TF_TYPE_VARIANT
};

/* By number (section 2). */
static const struct tf_type types[] = { { 0 }, { WLK_DTYPE_F32, 32, 5, 1 }, { WLK_DTYPE_F64, 64, 6, 1 },
	{ WLK_DTYPE_I32, 32, 7, 1 }, { WLK_DTYPE_U8, 8, 7, 1 }, { WLK_DTYPE_I16, 16, 7, 1 }, { WLK_DTYPE_I8, 8, 7, 1 },
	{ WLK_DTYPE_U8, 0, 8, 1 }, { WLK_DTYPE_C64, 64, 9, 2 }, { WLK_DTYPE_I64, 64, 10, 1 },
	{ WLK_DTYPE_BOOL, 8, 11, 1 }, { WLK_DTYPE_I8, 8, 7, 1 }, { WLK_DTYPE_U8, 8, 7, 1 }, { WLK_DTYPE_I32, 32, 7, 1 },
	{ WLK_DTYPE_BF16, 16, 13, 1 }, { WLK_DTYPE_I16, 16, 7, 1 }, { WLK_DTYPE_U16, 16, 7, 1 },
	{ WLK_DTYPE_U16, 16, 7, 1 }, { WLK_DTYPE_C128, 128, 12, 2 }, { WLK_DTYPE_F16, 16, 13, 1 },
	{ WLK_DTYPE_U8, 0, 14, 1 }, { WLK_DTYPE_U8, 0, 15, 1 }, { WLK_DTYPE_U32, 32, 16, 1 },
	{ WLK_DTYPE_U64, 64, 17, 1 }, { WLK_DTYPE_F8_E5M2, 8, 18, 1 }, { WLK_DTYPE_F8_E4M3, 8, 18, 1 } };
#define N_TYPES (sizeof(types) / sizeof(types[0]))

const struct tf_type *tf_type_of(uint64_t number)
{
	return number > 0 && number < N_TYPES ? &types[number] : NULL;
}

static struct bytes name_of(const struct tf *t)
{
	return tf_word_bytes(&t->node.name);
}

/* -- what bytes are; in graphs within strings only values are looked at -- */

static struct extent *add(struct tf *t, uint64_t begin, uint64_t end, enum extent_kind kind)
{
	struct extent *e = extents_add(t->l->extents);

	if (e == NULL)
		tf_stop(t);
	else
		*e = (struct extent){ .begin = begin, .end = end, .kind = (uint8_t)kind };
	return e;
}

bool tf_cover(struct tf *t, uint64_t end)
{
	if (end > t->covered && add(t, t->covered, end, EXTENT_METADATA) == NULL)
		return false;
	t->covered = end > t->covered ? end : t->covered;
	return true;
}

/* A run of values: their type is known when the tensor ends. */
static bool add_run(struct tf *t, uint64_t at, uint64_t n)
{
	struct extent *e;

	if (t->nesting > 0 || n == 0)
		return true;
	if (!tf_cover(t, at))
		return false;
	e = add(t, at, at + n, EXTENT_TENSOR);
	t->covered = at + n;
	return e != NULL;
}

bool tf_keep_name(struct tf *t, struct bytes name, uint32_t *ret_at, uint32_t *ret_n)
{
	if (t->pool_room - t->pool_n < name.n) {
		size_t room = t->pool_room > 0 ? t->pool_room * 2 : 65536;
		uint8_t *pool = room <= POOL_MAX ? arena_resize_raw(t->l->arena, t->pool, room, 1) : NULL;

		if (pool == NULL)
			return tf_stop(t);
		t->pool = pool;
		t->pool_room = room;
	}
	bytes_copy(t->pool + t->pool_n, name);
	*ret_at = (uint32_t)t->pool_n;
	*ret_n = (uint32_t)name.n;
	t->pool_n += name.n;
	return true;
}

/* -- fields -- */

void tf_tensor_begin(struct tf *t, uint64_t at)
{
	t->tensor = (struct tf_tensor){ .at = at, .elements = 1, .first_extent = t->l->extents->n };
}

void tf_tensor_dim(struct tf *t, uint64_t size)
{
	struct tf_tensor *s = &t->tensor;

	if (s->rank == TF_RANK_MAX || size > INT64_MAX || !mul_u64(s->elements, size, &s->elements) ||
	    s->elements > INT64_MAX / 16) {
		s->bad_dims = true;
		s->elements = 0;
	} else {
		s->shape[s->rank++] = size;
	}
}

/* A half comes as the number its bits are. */
static void take_half(struct tf *t, uint64_t value, uint64_t at)
{
	struct tf_tensor *s = &t->tensor;
	uint8_t element[2];

	store_u16le(element, (uint16_t)value);
	if (s->weights.kernel == NULL)
		weights_begin(&s->weights, s->dtype == DT_BFLOAT16 ? WLK_DTYPE_BF16 : WLK_DTYPE_F16, false);
	if (s->weights.kernel != NULL)
		weights_examine(&s->weights, element, sizeof(element), t->l->extents->origin + at);
	t->l->report->totals.elements++;
}

bool tf_tensor_number(struct tf *t, uint32_t field, uint64_t value, uint64_t at)
{
	struct tf_tensor *s = &t->tensor;

	if (field == 1) {
		s->dtype = value;
	} else if (field != 3) {
		s->fields |= 1u << field;
		s->values++;
		if (!tf_limits_datum(t, value))
			return false;
		if (field == 13)
			take_half(t, value, at);
		/* Numbers outside of packed runs, which no writer makes: a run of one. */
		if (field == 5 || field == 9)
			return add_run(t, at, 4);
		if (field == 6 || field == 12)
			return add_run(t, at, 8);
	}
	return true;
}

bool tf_tensor_data(struct tf *t, uint32_t field, struct bytes bytes, uint64_t n, uint64_t at)
{
	struct tf_tensor *s = &t->tensor;

	s->fields |= 1u << field;
	if (field == 4 || field == 18) {
		s->has_content = field == 4;
		s->content = field == 4 ? n : s->content;
		t->node.n_contents += 2; /* whatever they are, they are not one string */
		s->values += field == 18 ? n : 0;
		tf_limits_run(t, at, n);
		return tf_may_be_graph(t, at, n) && add_run(t, at, n);
	}
	if (field == 8) {
		s->values++;
		s->last = n;
		tf_saver_string(t, bytes);
		return tf_may_be_graph(t, at, n);
	}
	s->values += field == 5 || field == 9 ? n / 4 : n / 8;
	tf_limits_run(t, at, n);
	return add_run(t, at, n);
}

/* -- the whole -- */

/* Rule 6: all of the content; or none, some (the last one is repeated) or all values, in their field alone. */
static bool size_is_sound(const struct tf_tensor *s, const struct tf_type *type)
{
	uint64_t bytes, values;

	if (s->has_content) {
		if (type->bits == 0) /* strings have an encoding of their own */
			return s->dtype == DT_STRING && s->values == 0;
		return s->values == 0 && mul_u64(s->elements, type->bits / 8, &bytes) && bytes == s->content;
	}
	return (s->fields & ~(1u << type->field)) == 0 && mul_u64(s->elements, type->parts, &values) &&
	       s->values <= values;
}

/* One constant, or all of them together. */
static bool is_bomb(struct tf *t, const struct tf_type *type, uint64_t end)
{
	const struct tf_tensor *s = &t->tensor;
	uint64_t bytes;

	/* A string is repeated as a whole. */
	if (!mul_u64(
		s->elements, type->bits > 0 ? type->bits / 8 : 8 + (s->elements > s->values ? s->last : 0), &bytes) ||
	    !add_u64(t->memory, bytes, &t->memory))
		return true;
	return (bytes > BOMB_BYTES && end - s->at < BOMB_COST) ||
	       (t->memory > BOMB_BYTES && t->memory / (BOMB_BYTES / BOMB_COST) > t->l->part.size);
}

static bool name_runs(struct tf *t, const struct tf_type *type)
{
	struct extents *x = t->l->extents;
	bool first = true;

	for (size_t i = t->tensor.first_extent; i < x->n && t->nesting == 0; i++) {
		if (x->list[i].kind != EXTENT_TENSOR)
			continue;
		x->list[i].dtype = type != NULL ? type->dtype : WLK_DTYPE_NONE;
		x->list[i].flags = first ? 0 : EXTENT_PIECE;
		first = false;
		if (!tf_keep_name(t, name_of(t), &x->list[i].name_at, &x->list[i].name_n))
			return false;
	}
	return true;
}

bool tf_tensor_end(struct tf *t, uint64_t end)
{
	struct tf_tensor *s = &t->tensor;
	const struct tf_type *type = tf_type_of(s->dtype);

	if (type == NULL) {
		tf_value(t, WLK_F_TF_UNSUPPORTED, s->at, name_of(t), s->dtype, N_TYPES - 1);
	} else if (s->dtype == DT_RESOURCE || s->dtype == DT_VARIANT || (s->fields & (1u << 14 | 1u << 15)) != 0) {
		tf_tell(t, WLK_F_TF_VARIANT, s->at, name_of(t));
		type = NULL;
	} else if (s->bad_dims || !size_is_sound(s, type)) {
		tf_value(
		    t, WLK_F_TF_TENSOR_SIZE, s->at, name_of(t), s->has_content ? s->content : s->values, s->elements);
		type = NULL;
	} else if (is_bomb(t, type, end)) {
		tf_value(t, WLK_F_TF_TENSOR_BOMB, s->at, name_of(t), s->elements, BOMB_BYTES);
	}
	if (s->weights.found)
		weights_report(&s->weights, t->l->report,
		    &(struct weights_place){
			.name = name_of(t), .member = t->l->extents->member, .first_offset = s->weights.first_offset });
	return tf_limits_tensor_end(t, type != NULL) && name_runs(t, type);
}
