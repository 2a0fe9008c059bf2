/* Implements pickle_arrays.h.  An object's tag is its place in the list of things, plus one. */
#include "checked.h"
#include "decimal.h"
#include "pickle_arrays_impl.h"
#include "pickle_paths.h"

#define NAME_BYTES_MAX 256    /* of a key: longer ones are cut, for a file may hold millions */
#define NUMPY_ARGUMENTS_MAX 8 /* of a function that takes a type */
#define MASKED_STATE 7
#define FILL_VALUES 3           /* the one that is kept, and what it is made of */
#define STATE_DIMENSIONS_MAX 32 /* NumPy 1 copies more than that from the end of a list of 32, and believes them */

struct pickle_arrays *pickle_arrays_new(struct layout *l, uint64_t origin, struct bytes member)
{
	struct pickle_arrays *a = arena_alloc(l->arena, 1, sizeof(*a));

	if (a != NULL)
		*a =
		    (struct pickle_arrays){ .l = l, .origin = origin, .member = member, .n_around = PICKLE_NOT_NESTED };
	return a;
}

enum wlk_status pickle_arrays_status(const struct pickle_arrays *a)
{
	return a->status;
}

/* -- things -- */

static bool no_memory(struct pickle_arrays *a)
{
	a->status = WLK_INCOMPLETE;
	return false;
}

static bool too_many(struct pickle_arrays *a, const struct pickle_event *e)
{
	if (a->status == WLK_DONE) {
		report_value(a->l->report, WLK_F_LIMIT_TENSORS, a->origin + e->offset, (uint64_t)a->n_arrays + 1,
		    a->l->lim->tensors);
		a->status = WLK_BROKEN;
	}
	return false;
}

static struct thing *add_thing(struct pickle_arrays *a, enum thing_kind kind)
{
	if (a->n == a->room) {
		uint32_t room = a->room == 0 ? 64 : a->room + a->room / 2;
		struct thing *things = arena_resize(a->l->arena, a->things, room, sizeof(*things));

		if (things == NULL) {
			(void)no_memory(a);
			return NULL;
		}
		a->things = things;
		a->room = room;
	}
	a->things[a->n] =
	    (struct thing){ .kind = kind, .fields = PICKLE_NO_VALUE, .at = { .holder = PICKLE_NO_VALUE } };
	return &a->things[a->n++];
}

struct thing *pickle_thing_of(const struct pickle_arrays *a, const struct pickle *p, pickle_value v)
{
	uint32_t tag;

	if (v == PICKLE_NO_VALUE || pickle_kind(p, v) != PICKLE_OBJECT)
		return NULL;
	tag = pickle_tag(p, v);
	return (tag & THING_TAG) != 0 && (tag & ~THING_TAG) <= a->n ? &a->things[(tag & ~THING_TAG) - 1] : NULL;
}

const struct numpy_type *pickle_arrays_dtype(const struct pickle_arrays *a, const struct pickle *p, pickle_value v)
{
	struct thing *t = pickle_thing_of(a, p, v);

	if (t == NULL || t->kind != THING_DTYPE)
		return NULL;
	t->used = true;
	return t->settled && !t->subarray ? &t->type : NULL;
}

bool pickle_arrays_is_array(const struct pickle_arrays *a, const struct pickle *p, pickle_value v)
{
	const struct thing *t = pickle_thing_of(a, p, v);

	return t != NULL && t->kind == THING_ARRAY;
}

void pickle_arrays_contradict(struct pickle_arrays *a, const struct pickle_event *e, const char *subject)
{
	a->contradicts = true;
	report_finding(a->l->report, &(struct finding){ .code = WLK_F_PICKLE_ARRAY_STATE,
					 .has_offset = true,
					 .offset = a->origin + e->offset,
					 .subject = bytes_of_text(subject),
					 .member = a->member });
}

uint64_t pickle_arrays_number(const struct pickle_arrays *a)
{
	return a->n_arrays;
}

bool pickle_arrays_contradicted(const struct pickle_arrays *a)
{
	return a->contradicts;
}

bool pickle_arrays_knows(const struct pickle *p, pickle_value v)
{
	return v != PICKLE_NO_VALUE && pickle_kind(p, v) == PICKLE_OBJECT && (pickle_tag(p, v) & THING_TAG) != 0;
}

bool pickle_arrays_elements(
    const struct pickle_arrays *a, const struct pickle *p, pickle_value v, enum wlk_dtype *ret_dtype)
{
	const struct thing *t = pickle_thing_of(a, p, v);

	if (t == NULL || t->kind != THING_ARRAY || (t->n == 0 && t->form == ELEMENTS_PLAIN) || t->type.big_endian)
		return false;
	*ret_dtype = t->type.dtype;
	return true;
}

/* -- what calls make -- */

pickle_value pickle_arrays_arg(const struct pickle *p, const struct pickle_event *e, uint64_t i)
{
	return e->args != PICKLE_NO_VALUE && i < pickle_count(p, e->args) ? pickle_item(p, e->args, i)
									  : PICKLE_NO_VALUE;
}

static pickle_value arg(const struct pickle *p, const struct pickle_event *e, uint64_t i)
{
	return pickle_arrays_arg(p, e, i);
}

/* A flag, as a number in files of Python 2. */
static bool is_flag(const struct pickle *p, pickle_value v, bool wanted)
{
	int64_t n;
	bool flag;

	return v != PICKLE_NO_VALUE &&
	       (pickle_bool(p, v, &flag) ? flag == wanted : pickle_int(p, v, &n) && n == wanted);
}

/* numpy.dtype("f4", False, True), numpy.dtypes.Float32DType(). */
static void take_dtype(struct pickle_arrays *a, struct pickle *p, const struct pickle_event *e, struct bytes class)
{
	pickle_value first = arg(p, e, 0);
	struct numpy_type type = { 0 };
	struct thing *t;
	struct bytes text;
	enum numpy_error error = first != PICKLE_NO_VALUE && pickle_text(p, first, &text)
				     ? numpy_type_of_text(text, &type)
				     : numpy_type_of_name(class, &type);

	t = add_thing(a, THING_DTYPE);
	if (t == NULL)
		return;
	t->type = type;
	t->unknown = error != NUMPY_OK;
	t->own = is_flag(p, arg(p, e, 1), false) && is_flag(p, arg(p, e, 2), true);
	pickle_set_tag(p, e->result, THING_TAG | a->n);
}

bool pickle_arrays_count(const struct pickle *p, pickle_value shape, uint64_t *ret)
{
	uint64_t count = 1, n = pickle_count(p, shape);
	int64_t dimension;

	for (uint64_t i = 0; i < n; i++) {
		pickle_value v = pickle_item(p, shape, i);

		if (v == PICKLE_NO_VALUE || !pickle_int(p, v, &dimension) || dimension < 0 ||
		    !mul_u64(count, (uint64_t)dimension, &count))
			return false;
	}
	*ret = count;
	return true;
}

void pickle_arrays_report(struct pickle_arrays *a, enum wlk_finding code, uint64_t offset, struct bytes subject,
    struct value found, struct value allowed)
{
	report_finding(a->l->report, &(struct finding){ .code = code,
					 .has_offset = true,
					 .offset = a->origin + offset,
					 .subject = subject,
					 .member = a->member,
					 .found = found,
					 .allowed = allowed });
}

/* A name of a type that NumPy knows and its writer never uses. */
static void report_unknown(struct pickle_arrays *a, const struct pickle_event *e)
{
	pickle_arrays_report(a, WLK_F_PICKLE_ARGUMENTS, e->offset, bytes_of_text("numpy.dtype"), (struct value){ 0 },
	    (struct value){ 0 });
}

static void report_size(struct pickle_arrays *a, const struct pickle_event *e, uint64_t found, uint64_t wanted)
{
	pickle_arrays_report(
	    a, WLK_F_PICKLE_ARRAY_SIZE, e->offset, (struct bytes){ 0 }, value_number(found), value_number(wanted));
}

/* The type that elements are made of here, and that may not change any more; NULL: nobody can say what they are, which is
 * a finding now or was one before.  A type whose elements are arrays NumPy turns into dimensions, and stores no array of. */
static const struct thing *elements_type(
    struct pickle_arrays *a, const struct pickle *p, const struct pickle_event *e, pickle_value v)
{
	struct thing *t = pickle_thing_of(a, p, v);

	if (t == NULL || t->kind != THING_DTYPE)
		return NULL; /* the judge has said so */
	t->used = true;
	if (t->subarray)
		pickle_arrays_contradict(a, e, "numpy.dtype");
	else if (t->unknown && !t->built)
		report_unknown(a, e);
	return t->unknown || t->subarray || (t->built && !t->settled) ? NULL : t;
}

/* As many objects as the shape has: NumPy takes the memory for all of them before it looks.  One that another array holds
 * already goes below it, and nobody knows how deep that is: arrays are freed each inside the one that holds it. */
static void check_objects(struct pickle_arrays *a, const struct pickle *p, const struct pickle_event *e,
    pickle_value shape, pickle_value list)
{
	uint64_t count = 0, n = pickle_kind(p, list) == PICKLE_LIST ? pickle_count(p, list) : UINT64_MAX;

	if (pickle_is_held(p, e->target))
		pickle_arrays_report(a, WLK_F_PICKLE_LIMIT_DEPTH, e->offset, bytes_of_text("numpy.ndarray"),
		    (struct value){ 0 }, (struct value){ 0 });
	if (n == UINT64_MAX)
		return; /* no list is the judge's to refuse; of one that memory did not suffice for nothing is known */
	if (!pickle_arrays_count(p, shape, &count) || count != n)
		report_size(a, e, n, count);
}

/* Elements of this shape and type stand in this payload: remember where, and see that they fill it. */
static void take_elements(struct pickle_arrays *a, const struct pickle *p, const struct pickle_event *e,
    struct thing *array, pickle_value shape, pickle_value dtype, pickle_value payload, bool column_major)
{
	const struct thing *of = elements_type(a, p, e, dtype);
	const struct numpy_type *type = of != NULL ? &of->type : NULL;
	uint64_t begin, n, count, bytes;

	if (type == NULL || payload == PICKLE_NO_VALUE || shape == PICKLE_NO_VALUE ||
	    pickle_kind(p, shape) != PICKLE_TUPLE)
		return;
	if (type->object) {
		check_objects(a, p, e, shape, payload);
		if (of->made != NULL && pickle_kind(p, payload) == PICKLE_LIST)
			pickle_records_made(a, of, p, e, payload);
		return;
	}
	if (!pickle_arrays_count(p, shape, &count) || !mul_u64(count, type->bytes, &bytes))
		bytes = UINT64_MAX;
	array->record = of->record;
	pickle_views_shape(a, array, p, shape, column_major);
	if (!pickle_payload(p, payload, &begin, &n)) {
		array->type = *type;
		pickle_elements_take(a, array, p, e, payload, bytes);
		return;
	}
	if (bytes != n) {
		report_size(a, e, n, bytes);
		return;
	}
	array->type = *type;
	array->begin = begin;
	array->n = type->dtype != WLK_DTYPE_NONE ? n : 0;
	array->bytes = n;
}

/* @object: what it is in the pickle. */
static struct thing *add_array_as(
    struct pickle_arrays *a, struct pickle *p, const struct pickle_event *e, pickle_value object)
{
	struct thing *t;

	if (a->n_arrays >= a->l->lim->tensors) {
		(void)too_many(a, e);
		return NULL;
	}
	t = add_thing(a, THING_ARRAY);
	if (t == NULL)
		return NULL;
	a->n_arrays++;
	pickle_set_tag(p, object, THING_TAG | a->n);
	return t;
}

static struct thing *add_array(struct pickle_arrays *a, struct pickle *p, const struct pickle_event *e)
{
	return add_array_as(a, p, e, e->result);
}

bool pickle_arrays_add(struct pickle_arrays *a, struct pickle *p, const struct pickle_event *e, pickle_value dtype,
    uint64_t begin, uint64_t n)
{
	const struct thing elements = *pickle_thing_of(a, p, dtype); /* the list it is in may move */
	struct thing *t = add_array_as(a, p, e, e->target);

	if (t == NULL)
		return false;
	t->type = elements.type;
	t->record = elements.record;
	t->bytes = n;
	t->built = true; /* joblib's wrapper becomes the array */
	t->begin = begin;
	t->n = elements.type.dtype != WLK_DTYPE_NONE ? n : 0;
	return true;
}

static bool is_text(const struct pickle *p, pickle_value v, const char *text)
{
	struct bytes found;

	return v != PICKLE_NO_VALUE && pickle_text(p, v, &found) && bytes_equal(found, bytes_of_text(text));
}

/* _frombuffer(buffer, dtype, shape, order) */
static void take_frombuffer(struct pickle_arrays *a, struct pickle *p, const struct pickle_event *e)
{
	struct thing *t = add_array(a, p, e);

	if (t == NULL)
		return;
	t->built = true;
	take_elements(a, p, e, t, arg(p, e, 2), arg(p, e, 1), arg(p, e, 0), is_text(p, arg(p, e, 3), "F"));
}

static bool text_is(struct bytes b, const char *text)
{
	return bytes_equal(b, bytes_of_text(text));
}

/* What is done with a type elsewhere (numpy.core.multiarray.scalar) goes by what it is now. */
static void use_all(struct pickle_arrays *a, const struct pickle *p, const struct pickle_event *e)
{
	for (uint64_t i = 0; i < NUMPY_ARGUMENTS_MAX; i++) {
		struct thing *t = pickle_thing_of(a, p, arg(p, e, i));

		if (t != NULL)
			t->used = true;
	}
}

static void take_call(struct pickle_arrays *a, struct pickle *p, const struct pickle_event *e)
{
	struct bytes module, name;

	if (pickle_kind(p, e->target) != PICKLE_GLOBAL || e->result == PICKLE_NO_VALUE ||
	    !pickle_global_mapped(p, e->target, &module, &name) || !bytes_begin_with(module, "numpy"))
		return;
	if (text_is(module, "numpy.dtypes") || (text_is(module, "numpy") && text_is(name, "dtype")))
		take_dtype(a, p, e, name);
	else if (text_is(name, "_reconstruct") || text_is(name, "_mareconstruct"))
		(void)add_array(a, p, e);
	else if (text_is(name, "_frombuffer"))
		take_frombuffer(a, p, e);
	else
		use_all(a, p, e);
	if (text_is(name, "scalar"))
		pickle_elements_scalar(a, p, e);
}

/* -- what states add -- */

static void take_stop(struct pickle_arrays *a, const struct pickle *p, const struct pickle_event *e)
{
	bool nested = a->n_around != PICKLE_NOT_NESTED;

	for (uint32_t i = nested ? a->n_around : a->n_ended; i < a->n; i++) {
		struct thing *t = &a->things[i];

		pickle_dtype_stop(a, t, p, e);
	}
	if (!nested)
		a->n_ended = a->n;
	a->n_around = PICKLE_NOT_NESTED;
}

void pickle_arrays_nest(struct pickle_arrays *a)
{
	a->n_around = a->n;
}

static bool has_dimensions_above(const struct pickle *p, pickle_value shape, uint64_t most)
{
	return shape != PICKLE_NO_VALUE && pickle_kind(p, shape) == PICKLE_TUPLE && pickle_count(p, shape) > most;
}

/* (1, shape, dtype, order, elements), of masked arrays (…, mask, fill value); old releases leave the version out.  A second state frees the elements that others
 * may still see. */
static void build_array(struct pickle_arrays *a, struct thing *t, const struct pickle *p, const struct pickle_event *e)
{
	uint64_t n = pickle_kind(p, e->args) == PICKLE_TUPLE ? pickle_count(p, e->args) : 0, first = n > 4 ? 1 : 0;

	if (t->built || (n != 4 && n != 5 && n != 7) || has_dimensions_above(p, arg(p, e, first), STATE_DIMENSIONS_MAX))
		pickle_arrays_contradict(a, e, "numpy.ndarray");
	else
		take_elements(a, p, e, t, arg(p, e, first), arg(p, e, first + 1), arg(p, e, first + 3),
		    is_flag(p, arg(p, e, first + 2), true));
	t->built = true;
}

/* A record of one object may be as long as its state says, and a list of a few of them fills memory; a masked array's fill
 * value is one of them too. */
static void cost_objects(struct pickle_arrays *a, struct pickle *p, const struct pickle_event *e)
{
	uint64_t n = pickle_kind(p, e->args) == PICKLE_TUPLE ? pickle_count(p, e->args) : 0, first = n > 4 ? 1 : 0;
	const struct thing *of = pickle_thing_of(a, p, arg(p, e, first + 1));
	pickle_value shape = arg(p, e, first), list = arg(p, e, first + 3);
	uint64_t count = 0, bytes;

	if (of == NULL || of->kind != THING_DTYPE || shape == PICKLE_NO_VALUE || pickle_kind(p, shape) != PICKLE_TUPLE)
		return;
	if (of->type.object && !pickle_arrays_count(p, shape, &count))
		count = UINT64_MAX;
	if (list != PICKLE_NO_VALUE && pickle_kind(p, list) == PICKLE_LIST)
		count = min_u64(count, pickle_count(p, list)); /* a shape of more is a finding of its own */
	if (n == MASKED_STATE && !add_u64(count, FILL_VALUES, &count))
		count = UINT64_MAX;
	pickle_cost_elements(p, mul_u64(count, of->type.bytes, &bytes) ? bytes : UINT64_MAX);
}

static void take_build(struct pickle_arrays *a, struct pickle *p, const struct pickle_event *e)
{
	struct thing *t = pickle_thing_of(a, p, e->target);

	if (e->args == PICKLE_NO_VALUE)
		return;
	if (t == NULL) {
		pickle_paths_hold(a, p, e->target, PICKLE_NO_VALUE, e->args);
		return;
	}
	if (t->kind == THING_DTYPE) {
		pickle_dtype_build(a, t, p, e);
	} else {
		cost_objects(a, p, e);
		build_array(a, t, p, e);
	}
}

/* -- names -- */

static bool add_name(struct pickle_arrays *a, struct thing *t, struct bytes name)
{
	if (a->names_room - a->names_n < name.n) {
		size_t room = (a->names_n + name.n) * 2 + 1024;
		uint8_t *names = arena_resize(a->l->arena, a->names, room, 1);

		if (names == NULL || room > UINT32_MAX)
			return no_memory(a);
		a->names = names;
		a->names_room = room;
	}
	if (name.n > 0) /* without a name there may be no buffer yet */
		bytes_copy(a->names + a->names_n, name);
	t->name_at = (uint32_t)a->names_n;
	t->name_n = (uint32_t)name.n;
	a->names_n += name.n;
	return true;
}

bool pickle_arrays_rename(struct pickle_arrays *a, struct thing *t, struct bytes name)
{
	return add_name(a, t, name);
}

void pickle_arrays_list(struct pickle_arrays *a)
{
	a->lists = layout_wants_views(a->l);
}

void pickle_arrays_shape(
    struct pickle_arrays *a, const struct pickle *p, pickle_value array, pickle_value shape, bool column_major)
{
	struct thing *t = pickle_thing_of(a, p, array);

	if (t != NULL && t->kind == THING_ARRAY)
		pickle_views_shape(a, t, p, shape, column_major);
}

/* A dictionary holds it under this key. */
static void take_item(struct pickle_arrays *a, struct pickle *p, const struct pickle_event *e)
{
	struct thing *t = pickle_thing_of(a, p, e->args);
	struct bytes key;

	if (e->key != PICKLE_NO_VALUE)
		pickle_paths_hold(a, p, e->target, e->key, e->args);
	if (t == NULL || t->kind != THING_ARRAY || t->name_n > 0 || e->key == PICKLE_NO_VALUE ||
	    !pickle_text(p, e->key, &key))
		return;
	if (key.n > NAME_BYTES_MAX)
		key.n = NAME_BYTES_MAX;
	(void)add_name(a, t, key);
}

void pickle_arrays_event(void *ctx, struct pickle *p, const struct pickle_event *e)
{
	struct pickle_arrays *a = ctx;

	switch (e->act) {
	case PICKLE_ACT_CALL:
	case PICKLE_ACT_NEW: take_call(a, p, e); break;
	case PICKLE_ACT_BUILD: take_build(a, p, e); break;
	case PICKLE_ACT_MUTATE: take_item(a, p, e); break;
	case PICKLE_ACT_STOP:
		pickle_paths_name(a, p, e->target);
		take_stop(a, p, e);
		break;
	default: break;
	}
}

/* -- extents -- */

#define ARRAY_PREFIX "array-"

/* Keep arrays whose elements stand in the file, under a name each. */
static bool keep_arrays(struct pickle_arrays *a)
{
	uint32_t kept = 0, number = 0;
	size_t n;
	char text[sizeof(ARRAY_PREFIX) + DECIMAL_MAX] = ARRAY_PREFIX;

	for (uint32_t i = 0; i < a->n; i++) {
		struct thing t = a->things[i];

		if (t.kind != THING_ARRAY)
			continue;
		n = sizeof(ARRAY_PREFIX) - 1 + decimal_text(number++, text + sizeof(ARRAY_PREFIX) - 1);
		if (t.name_n == 0 && (t.n > 0 || a->lists) && !add_name(a, &t, bytes_of(text, n)))
			return false;
		if (t.n == 0 && !(a->lists && pickle_views_leave(a, &t))) {
			a->l->report->manifest_partial = true; /* it is there, and nobody can say where */
			continue;
		}
		a->things[kept++] = t;
	}
	a->n = kept;
	return true;
}

/* Those without elements, which stand nowhere, first. */
static bool is_before(const struct thing *a, const struct thing *b)
{
	if ((a->n == 0) != (b->n == 0))
		return a->n == 0;
	return a->begin != b->begin ? a->begin < b->begin
				    : dtype_is_float(a->type.dtype) > dtype_is_float(b->type.dtype);
}

static void sift(struct thing *list, uint32_t root, uint32_t n)
{
	struct thing moved = list[root];

	for (uint32_t child; (child = 2 * root + 1) < n; root = child) {
		if (child + 1 < n && is_before(&list[child], &list[child + 1]))
			child++;
		if (!is_before(&moved, &list[child]))
			break;
		list[root] = list[child];
	}
	list[root] = moved;
}

/* In file order; heap sort, for qsort() may ask the system how much memory there is. */
static void sort_arrays(struct thing *list, uint32_t n)
{
	for (uint32_t i = n / 2; i > 0; i--)
		sift(list, i - 1, n);
	for (uint32_t i = n; i > 1; i--) {
		struct thing last = list[i - 1];

		list[i - 1] = list[0];
		list[0] = last;
		sift(list, 0, i - 1);
	}
}

static struct extent *add_extent(
    struct pickle_arrays *a, struct extents *x, uint64_t begin, uint64_t end, enum extent_kind kind)
{
	struct extent *e = extents_add(x);

	if (e == NULL) {
		(void)no_memory(a);
		return NULL;
	}
	e->begin = begin;
	e->end = end;
	e->kind = (uint8_t)kind;
	e->index = (uint32_t)(x->n - 1);
	return e;
}

/* The arrays behind it in the list that have the same elements. */
static uint32_t count_same(const struct pickle_arrays *a, uint32_t first)
{
	uint32_t n = 1;

	while (first + n < a->n && a->things[first].n > 0 && a->things[first + n].begin == a->things[first].begin)
		n++;
	return n;
}

static bool add_tensor(struct pickle_arrays *a, struct extents *x, const struct thing *t)
{
	struct extent *e = add_extent(a, x, t->begin, t->begin + t->n, EXTENT_TENSOR);
	uint32_t first = (uint32_t)(t - a->things);

	if (e == NULL)
		return false;
	e->dtype = (uint8_t)t->type.dtype;
	e->flags = t->type.big_endian ? EXTENT_BIG_ENDIAN : 0;
	e->name_at = t->name_at;
	e->name_n = t->name_n;
	if (!a->lists)
		return true;
	x->names = bytes_of(a->names, a->names_n);
	return pickle_views_list(a, x, e, first, count_same(a, first)) || no_memory(a);
}

/* Of no elements: at the beginning of the run, where it owns nothing. */
static bool add_empty(struct pickle_arrays *a, struct extents *x, const struct thing *t, uint64_t begin)
{
	struct extent *e = add_extent(a, x, begin, begin, EXTENT_TENSOR);

	if (e == NULL)
		return false;
	e->dtype = (uint8_t)t->type.dtype;
	e->name_at = t->name_at;
	e->name_n = t->name_n;
	x->names = bytes_of(a->names, a->names_n);
	return pickle_views_list(a, x, e, (uint32_t)(t - a->things), 1) || no_memory(a);
}

/* Is nothing of these elements left to examine when they have been examined as the other's? */
static bool is_examined_as(const struct thing *t, const struct thing *seen)
{
	bool plain = dtype_info(t->type.dtype)->kind == DTYPE_OPAQUE;

	return t->begin == seen->begin && t->n == seen->n &&
	       (plain || (t->type.dtype == seen->type.dtype && t->type.big_endian == seen->type.big_endian));
}

static void report_types(struct pickle_arrays *a, const struct thing *t)
{
	report_finding(a->l->report, &(struct finding){ .code = WLK_F_PICKLE_ARRAY_TYPES,
					 .has_offset = true,
					 .offset = a->origin + t->begin,
					 .subject = bytes_of(a->names + t->name_at, t->name_n),
					 .member = a->member });
}

bool pickle_arrays_extents(struct pickle_arrays *a, struct extents *x, uint64_t begin, uint64_t end)
{
	const struct thing *seen = NULL; /* whose elements end at `at` */
	uint64_t at = begin;

	if (a->status != WLK_DONE || !keep_arrays(a))
		return false;
	sort_arrays(a->things, a->n);
	for (uint32_t i = 0; i < a->n; i++) {
		const struct thing *t = &a->things[i];

		if (t->n == 0) {
			if (!add_empty(a, x, t, begin))
				return false;
			continue;
		}
		if (t->begin < at) { /* the same elements as those of another array: counted once */
			a->l->report->manifest_partial = true;
			if (!is_examined_as(t, seen))
				report_types(a, t);
			continue;
		}
		seen = t;
		if (t->begin > at && !add_extent(a, x, at, t->begin, EXTENT_METADATA))
			return false;
		if (!add_tensor(a, x, t))
			return false;
		at = t->begin + t->n;
	}
	if (at < end && !add_extent(a, x, at, end, EXTENT_METADATA))
		return false;
	x->names = bytes_of(a->names, a->names_n);
	return true;
}
