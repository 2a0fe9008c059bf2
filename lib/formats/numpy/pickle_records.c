/* Fields of pickled records: which bytes of one are numbers that can be wrong.  A field that is a record, or an array of
 * its own, is taken apart too; what cannot be wrong, and padding, is left out.  Follows formats/pickle, section 7. */
#include <float.h>

#include "checked.h"
#include "pickle_arrays_impl.h"
#include "weights.h"

#define RUNS_MAX 1024u /* of one record */
#define NAME_WORK 4u   /* a name compared */
#define NUMBER_WORK 16u

struct builder {
	struct pickle_arrays *a;
	struct record_tensor tensors[RUNS_MAX];
	struct record_field fields[RUNS_MAX];
	size_t n;
	bool many;
};

/* outer.inner */
static bool join(struct builder *b, struct bytes outer, struct bytes inner, struct bytes *ret)
{
	size_t dot = inner.n > 0 && outer.n > 0 ? 1 : 0, n = outer.n + dot + inner.n; /* short ones: read_names() */
	uint8_t *name = arena_alloc(b->a->l->arena, n > 0 ? n : 1, 1);

	if (name == NULL) {
		b->a->status = WLK_INCOMPLETE;
		return false;
	}
	bytes_copy(name, outer);
	if (dot != 0)
		name[outer.n] = '.';
	bytes_copy(name + outer.n + dot, inner);
	*ret = bytes_of(name, n < NUMPY_FIELD_NAME_MAX ? n : NUMPY_FIELD_NAME_MAX);
	return true;
}

/* In order of their offsets. */
static void add_run(
    struct builder *b, const struct record_tensor *tensor, struct bytes name, uint64_t offset, uint64_t bytes)
{
	size_t i = b->n;

	if (b->n == RUNS_MAX) {
		b->many = true;
		return;
	}
	b->tensors[b->n] = *tensor;
	b->tensors[b->n].name = name;
	for (; i > 0 && b->fields[i - 1].offset > offset; i--)
		b->fields[i] = b->fields[i - 1];
	b->fields[i] = (struct record_field){ .offset = offset, .bytes = bytes, .tensor = (uint32_t)b->n };
	b->n++;
}

/* One value of this type, or `times` of them, at an offset. */
static bool add_value(struct builder *b, const struct thing *t, struct bytes name, uint64_t offset, uint64_t times)
{
	const struct record_tensor plain = { .dtype = t->type.dtype, .big_endian = t->type.big_endian };
	const struct record_type *inner = t->record;
	struct bytes joined;

	if (inner == NULL) {
		if (nonfinite_kernel(t->type.dtype) != NULL && times > 0 && t->type.bytes > 0)
			add_run(b, &plain, name, offset, times * t->type.bytes); /* inside a record */
		return true;
	}
	for (uint64_t k = 0; k < times && !b->many; k++)
		for (size_t i = 0; i < inner->n_fields; i++) {
			const struct record_field *f = &inner->fields[i];
			const struct record_tensor *tensor = &inner->tensors[f->tensor];

			if (!join(b, name, tensor->name, &joined))
				return false;
			add_run(b, tensor, joined, offset + k * inner->bytes + f->offset, f->bytes);
		}
	return true;
}

/* The same bytes under two types that can be wrong are gathered for one of them only. */
static bool overlaps(const struct builder *b)
{
	for (size_t i = 1; i < b->n; i++)
		if (b->fields[i].offset < b->fields[i - 1].offset + b->fields[i - 1].bytes)
			return true;
	return false;
}

static void keep(struct builder *b, struct thing *t)
{
	struct arena *arena = b->a->l->arena;
	struct record_type *type = arena_alloc(arena, 1, sizeof(*type));
	struct record_tensor *tensors = arena_alloc(arena, b->n, sizeof(*tensors));
	struct record_field *fields = arena_alloc(arena, b->n, sizeof(*fields));

	if (type == NULL || tensors == NULL || fields == NULL) {
		b->a->status = WLK_INCOMPLETE;
		return;
	}
	for (size_t i = 0; i < b->n; i++) {
		tensors[i] = b->tensors[i];
		fields[i] = b->fields[i];
		tensors[fields[i].tensor].per_record =
		    fields[i].bytes / (dtype_info(tensors[fields[i].tensor].dtype)->bits / 8);
	}
	*type = (struct record_type){ .bytes = t->type.bytes,
		.tensors = tensors,
		.n_tensors = b->n,
		.fields = fields,
		.n_fields = b->n,
		.settings = true };
	t->record = type;
}

static void settle(struct builder *b, struct thing *t, const struct pickle_event *e)
{
	if (b->many)
		pickle_arrays_report(b->a, WLK_F_PICKLE_ARGUMENTS, e->offset, bytes_of_text("numpy.dtype"),
		    value_number(RUNS_MAX + 1), value_number(RUNS_MAX));
	else if (overlaps(b))
		pickle_arrays_report(b->a, WLK_F_PICKLE_ARRAY_TYPES, e->offset, bytes_of_text("numpy.dtype"),
		    (struct value){ 0 }, (struct value){ 0 });
	else if (b->n > 0)
		keep(b, t);
}

/* (type, offset[, title]): the state's judge has seen that it is so. */
static bool add_field(struct builder *b, const struct pickle *p, struct bytes name, pickle_value field)
{
	const struct thing *t = pickle_thing_of(b->a, p, pickle_item(p, field, 0));
	struct bytes kept;
	int64_t offset;

	return t == NULL || !pickle_int(p, pickle_item(p, field, 1), &offset) ||
	       (join(b, name, (struct bytes){ 0 }, &kept) && add_value(b, t, kept, (uint64_t)offset, 1));
}

/* One for all types: it is large. */
static struct builder *begin(struct pickle_arrays *a)
{
	if (a->builder == NULL)
		a->builder = arena_alloc(a->l->arena, 1, sizeof(*a->builder));
	if (a->builder == NULL) {
		a->status = WLK_INCOMPLETE;
		return NULL;
	}
	a->builder->a = a;
	a->builder->n = 0;
	a->builder->many = false;
	return a->builder;
}

/* -- numbers that are made of objects -- */

/* The type of a field that is one number; NONE: it is an object; OPAQUE: numbers of another kind. */
static enum wlk_dtype number_of(const struct builder *b, const struct pickle *p, pickle_value field)
{
	const struct thing *t = pickle_thing_of(b->a, p, pickle_item(p, field, 0));

	if (t == NULL || t->record != NULL || t->made != NULL)
		return WLK_DTYPE_U8;
	return nonfinite_kernel(t->type.dtype) != NULL ? t->type.dtype : WLK_DTYPE_NONE;
}

static void keep_made(
    struct builder *b, struct thing *t, const struct pickle *p, pickle_value names, pickle_value fields)
{
	uint64_t n = pickle_count(p, names);
	uint8_t *made = arena_alloc(b->a->l->arena, (size_t)n, 1); /* as many as a dictionary keeps */
	char key[NUMPY_FIELD_NAME_MAX + 1];

	if (made == NULL) {
		b->a->status = WLK_INCOMPLETE;
		return;
	}
	for (uint64_t i = 0; i < n; i++) {
		pickle_value field;
		struct bytes text;

		made[i] = WLK_DTYPE_U8;
		if (!pickle_text(p, pickle_item(p, names, i), &text) || text.n > NUMPY_FIELD_NAME_MAX)
			continue;
		bytes_copy((uint8_t *)key, text);
		key[text.n] = '\0';
		if (pickle_lookup(p, fields, key, &field))
			made[i] = (uint8_t)number_of(b, p, field);
	}
	t->made = made;
	t->n_made = (uint32_t)n;
}

#define HALF_MAX 65504.0
#define FLOAT_MAX 3.4028234663852886e38

/* What a field of this type makes of it is a number too?  "nan" is one as well, to NumPy, and 1e300 is infinite as a half. */
static bool stays_finite(const struct pickle *p, enum wlk_dtype dtype, pickle_value v)
{
	enum pickle_kind kind = v != PICKLE_NO_VALUE ? pickle_kind(p, v) : PICKLE_UNKNOWN;
	double most = dtype == WLK_DTYPE_F16 ? HALF_MAX : dtype == WLK_DTYPE_F64 ? DBL_MAX : FLOAT_MAX, x;
	int64_t n;

	if (dtype == WLK_DTYPE_NONE || kind == PICKLE_BOOL)
		return true;
	if (dtype == WLK_DTYPE_BOOL || !dtype_is_float(dtype))
		return dtype != WLK_DTYPE_U8 && (kind == PICKLE_INT || kind == PICKLE_STR);
	if (kind == PICKLE_INT && pickle_int(p, v, &n))
		return n >= -(int64_t)HALF_MAX && n <= (int64_t)HALF_MAX;
	return kind == PICKLE_FLOAT && pickle_float(p, v, &x) && x >= -most && x <= most;
}

static bool all_stay_finite(const struct thing *of, const struct pickle *p, pickle_value row)
{
	if (row == PICKLE_NO_VALUE || pickle_kind(p, row) != PICKLE_TUPLE || pickle_count(p, row) != of->n_made)
		return false;
	for (uint32_t i = 0; i < of->n_made; i++)
		if (!stays_finite(p, (enum wlk_dtype)of->made[i], pickle_item(p, row, i)))
			return false;
	return true;
}

void pickle_records_made(struct pickle_arrays *a, const struct thing *of, const struct pickle *p,
    const struct pickle_event *e, pickle_value list)
{
	uint64_t n = pickle_count(p, list);

	if (!pickle_records_work(a, min_u64(n, PICKLE_ITEMS_KEPT) * of->n_made * NUMBER_WORK))
		return;
	for (uint64_t i = 0; i < n; i++)
		if (!all_stay_finite(of, p, pickle_item(p, list, i))) {
			pickle_arrays_report(a, WLK_F_PICKLE_ARGUMENTS, e->offset, bytes_of_text("numpy.ndarray"),
			    (struct value){ 0 }, (struct value){ 0 });
			return;
		}
}

/* -- what states say -- */

bool pickle_records_work(struct pickle_arrays *a, uint64_t n)
{
	if (work_charge(&a->l->arena->work, n))
		return true;
	a->status = WLK_INCOMPLETE;
	return false;
}

void pickle_records_settle(struct pickle_arrays *a, struct thing *t, const struct pickle *p,
    const struct pickle_event *e, pickle_value names, pickle_value fields)
{
	struct builder *b = begin(a);
	char key[NUMPY_FIELD_NAME_MAX + 1];

	if (!pickle_records_work(a, pickle_count(p, names) * pickle_count(p, fields) * NAME_WORK))
		return;
	for (uint64_t i = 0; b != NULL && i < pickle_count(p, names); i++) {
		pickle_value field;
		struct bytes text;

		if (!pickle_text(p, pickle_item(p, names, i), &text) || text.n > NUMPY_FIELD_NAME_MAX)
			continue;
		bytes_copy((uint8_t *)key, text);
		key[text.n] = '\0';
		if (pickle_lookup(p, fields, key, &field) && !add_field(b, p, text, field))
			return;
	}
	if (b != NULL && !t->type.object)
		settle(b, t, e);
	else if (b != NULL && b->n > 0)
		keep_made(b, t, p, names, fields);
}

void pickle_records_repeat(
    struct pickle_arrays *a, struct thing *t, const struct thing *element, const struct pickle_event *e, uint64_t times)
{
	struct builder *b = begin(a);

	if (b != NULL && add_value(b, element, (struct bytes){ 0 }, 0, times))
		settle(b, t, e);
}
