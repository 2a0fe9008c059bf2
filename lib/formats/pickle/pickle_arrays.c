/* Implements pickle_arrays.h.  An object's tag is its place in the list of things, plus one. */
#include "pickle_arrays.h"

#include "checked.h"
#include "decimal.h"
#include "numpy_descr.h"

#define NAME_BYTES_MAX 256 /* of a key: longer ones are cut, for a file may hold millions */
#define NOT_NESTED UINT32_MAX

enum thing_kind { THING_DTYPE, THING_ARRAY };

struct thing {
	enum thing_kind kind;
	struct numpy_type type; /* of a dtype; of an array, its elements' */
	bool settled, unknown;  /* of a dtype: its state says what its name says, and nothing else; its name is none */
	pickle_value fields;    /* of a dtype: the dictionary of its fields, and how many pairs it had */
	uint64_t n_fields;
	uint64_t begin, n; /* of an array: its elements in the run; n == 0: they do not stand there */
	uint32_t name_at, name_n;
};

struct pickle_arrays {
	struct layout *l;
	uint64_t origin;
	struct bytes member;
	struct thing *things;
	uint32_t n, room, n_arrays;
	uint32_t n_ended;  /* things of pickles that ended: their handles mean nothing any more */
	uint32_t n_around; /* things of the pickle around the one that is walked; NOT_NESTED: there is none */
	uint8_t *names;
	size_t names_n, names_room;
	enum wlk_status status;
};

struct pickle_arrays *pickle_arrays_new(struct layout *l, uint64_t origin, struct bytes member)
{
	struct pickle_arrays *a = arena_alloc(l->arena, 1, sizeof(*a));

	if (a != NULL)
		*a = (struct pickle_arrays){ .l = l, .origin = origin, .member = member, .n_around = NOT_NESTED };
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
	a->things[a->n] = (struct thing){ .kind = kind, .fields = PICKLE_NO_VALUE };
	return &a->things[a->n++];
}

static struct thing *thing_of(const struct pickle_arrays *a, const struct pickle *p, pickle_value v)
{
	uint32_t tag;

	if (v == PICKLE_NO_VALUE || pickle_kind(p, v) != PICKLE_OBJECT)
		return NULL;
	tag = pickle_tag(p, v);
	return tag > 0 && tag <= a->n ? &a->things[tag - 1] : NULL;
}

static const struct numpy_type *type_of(const struct pickle_arrays *a, const struct pickle *p, pickle_value v)
{
	const struct thing *t = thing_of(a, p, v);

	return t != NULL && t->kind == THING_DTYPE && !t->unknown ? &t->type : NULL;
}

const struct numpy_type *pickle_arrays_dtype(const struct pickle_arrays *a, const struct pickle *p, pickle_value v)
{
	const struct thing *t = thing_of(a, p, v);

	return t != NULL && t->kind == THING_DTYPE && t->settled ? &t->type : NULL;
}

bool pickle_arrays_is_array(const struct pickle_arrays *a, const struct pickle *p, pickle_value v)
{
	const struct thing *t = thing_of(a, p, v);

	return t != NULL && t->kind == THING_ARRAY;
}

/* -- what calls make -- */

static pickle_value arg(const struct pickle *p, const struct pickle_event *e, uint64_t i)
{
	return e->args != PICKLE_NO_VALUE && i < pickle_count(p, e->args) ? pickle_item(p, e->args, i)
									  : PICKLE_NO_VALUE;
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
	pickle_set_tag(p, e->result, a->n);
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

static void report_size(struct pickle_arrays *a, const struct pickle_event *e, uint64_t found, uint64_t wanted)
{
	report_finding(a->l->report, &(struct finding){ .code = WLK_F_PICKLE_ARRAY_SIZE,
					 .has_offset = true,
					 .offset = a->origin + e->offset,
					 .member = a->member,
					 .found = value_number(found),
					 .allowed = value_number(wanted) });
}

/* Elements of this shape and type stand in this payload: remember where, and see that they fill it. */
static void take_elements(struct pickle_arrays *a, const struct pickle *p, const struct pickle_event *e,
    struct thing *array, pickle_value shape, pickle_value dtype, pickle_value payload)
{
	const struct numpy_type *type = type_of(a, p, dtype);
	uint64_t begin, n, count, bytes;

	if (type == NULL || type->object || payload == PICKLE_NO_VALUE || shape == PICKLE_NO_VALUE ||
	    pickle_kind(p, shape) != PICKLE_TUPLE || !pickle_payload(p, payload, &begin, &n))
		return;
	if (!pickle_arrays_count(p, shape, &count) || !mul_u64(count, type->bytes, &bytes))
		bytes = UINT64_MAX;
	if (bytes != n) {
		report_size(a, e, n, bytes);
		return;
	}
	array->type = *type;
	array->begin = begin;
	array->n = type->dtype != WLK_DTYPE_NONE ? n : 0;
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
	pickle_set_tag(p, object, a->n);
	return t;
}

static struct thing *add_array(struct pickle_arrays *a, struct pickle *p, const struct pickle_event *e)
{
	return add_array_as(a, p, e, e->result);
}

bool pickle_arrays_add(struct pickle_arrays *a, struct pickle *p, const struct pickle_event *e,
    const struct numpy_type *type, uint64_t begin, uint64_t n)
{
	struct numpy_type elements = *type; /* the list it is in may move */
	struct thing *t = add_array_as(a, p, e, e->target);

	if (t == NULL)
		return false;
	t->type = elements;
	t->begin = begin;
	t->n = elements.dtype != WLK_DTYPE_NONE ? n : 0;
	return true;
}

/* _frombuffer(buffer, dtype, shape, order) */
static void take_frombuffer(struct pickle_arrays *a, struct pickle *p, const struct pickle_event *e)
{
	struct thing *t = add_array(a, p, e);

	if (t != NULL)
		take_elements(a, p, e, t, arg(p, e, 2), arg(p, e, 1), arg(p, e, 0));
}

static bool starts_with(struct bytes b, const char *text)
{
	size_t n = strlen(text);

	return b.n >= n && memcmp(b.at, text, n) == 0;
}

static bool text_is(struct bytes b, const char *text)
{
	return bytes_equal(b, bytes_of_text(text));
}

static void take_call(struct pickle_arrays *a, struct pickle *p, const struct pickle_event *e)
{
	struct bytes module, name;

	if (pickle_kind(p, e->target) != PICKLE_GLOBAL || e->result == PICKLE_NO_VALUE ||
	    !pickle_global_mapped(p, e->target, &module, &name) || !starts_with(module, "numpy"))
		return;
	if (text_is(module, "numpy.dtypes") || (text_is(module, "numpy") && text_is(name, "dtype")))
		take_dtype(a, p, e, name);
	else if (text_is(name, "_reconstruct"))
		(void)add_array(a, p, e);
	else if (text_is(name, "_frombuffer"))
		take_frombuffer(a, p, e);
}

/* -- what states add -- */

/* A dtype's state. */
enum { STATE_VERSION, STATE_ORDER, STATE_BASE, STATE_NAMES, STATE_FIELDS, STATE_BYTES, STATE_ALIGNMENT, STATE_FLAGS };
#define FLAG_HAS_OBJECT 1 /* NumPy's NPY_ITEM_HASOBJECT */

static bool arg_int(const struct pickle *p, const struct pickle_event *e, uint64_t i, int64_t *ret)
{
	pickle_value v = arg(p, e, i);

	return v != PICKLE_NO_VALUE && pickle_int(p, v, ret);
}

static bool arg_is_none(const struct pickle *p, const struct pickle_event *e, uint64_t i)
{
	pickle_value v = arg(p, e, i);

	return v != PICKLE_NO_VALUE && pickle_kind(p, v) == PICKLE_NONE;
}

/* (type, offset[, title]) within a record of n bytes?  NumPy does not look, and reads where it says. */
static const struct numpy_type *type_of_field(
    const struct pickle_arrays *a, const struct pickle *p, pickle_value field, uint64_t n)
{
	const struct numpy_type *type;
	pickle_value at;
	int64_t offset;

	if (pickle_kind(p, field) != PICKLE_TUPLE || pickle_count(p, field) < 2 ||
	    pickle_item(p, field, 0) == PICKLE_NO_VALUE)
		return NULL;
	type = pickle_arrays_dtype(a, p, pickle_item(p, field, 0));
	at = pickle_item(p, field, 1);
	return type != NULL && at != PICKLE_NO_VALUE && pickle_int(p, at, &offset) && offset >= 0 && type->bytes <= n &&
		       (uint64_t)offset <= n - type->bytes
		   ? type
		   : NULL;
}

/* Of a record of n bytes: is a field an object?  False also in *ret_known when that cannot be told. */
static bool fields_hold_object(
    const struct pickle_arrays *a, const struct pickle *p, const struct pickle_event *e, uint64_t n, bool *ret_known)
{
	pickle_value names = arg(p, e, STATE_NAMES), fields = arg(p, e, STATE_FIELDS), key, field;
	bool object = false;

	*ret_known = pickle_kind(p, names) == PICKLE_TUPLE && pickle_kind(p, fields) == PICKLE_DICT &&
		     pickle_count(p, fields) >= pickle_count(p, names) &&
		     pickle_count(p, fields) / 2 <= pickle_count(p, names); /* titles are keys too */
	for (uint64_t i = 0; *ret_known && i < pickle_count(p, fields); i++) {
		const struct numpy_type *type = NULL;

		if (pickle_pair(p, fields, i, &key, &field))
			type = type_of_field(a, p, field, n);
		*ret_known = type != NULL;
		object |= type != NULL && type->object;
	}
	return object;
}

/* A field that is an array of its own, (type, shape): of as many bytes as its void type says? */
static bool base_fits(
    const struct pickle_arrays *a, const struct pickle *p, const struct pickle_event *e, struct numpy_type *type)
{
	pickle_value base = arg(p, e, STATE_BASE), shape;
	const struct numpy_type *element;
	uint64_t count, bytes;

	if (pickle_kind(p, base) != PICKLE_TUPLE || pickle_count(p, base) != 2)
		return false;
	shape = pickle_item(p, base, 1);
	element = pickle_arrays_dtype(a, p, pickle_item(p, base, 0));
	if (element == NULL || shape == PICKLE_NO_VALUE || pickle_kind(p, shape) != PICKLE_TUPLE ||
	    !pickle_arrays_count(p, shape, &count) || !mul_u64(count, element->bytes, &bytes))
		return false;
	type->object |= element->object;
	return type->kind == 'V' && bytes == type->bytes;
}

/* NumPy believes the state: of text and void types how long they are, of all whether they hold objects, which decides
 * whether elements are bytes or a pickle.  So it has to agree with the type string. */
static bool is_settled(
    const struct pickle_arrays *a, struct thing *t, const struct pickle *p, const struct pickle_event *e)
{
	int64_t version, bytes, flags;
	bool known = true, flexible = !t->unknown && strchr("SUV", t->type.kind) != NULL;

	if (t->unknown || !arg_int(p, e, STATE_VERSION, &version) || version < 3 || version > 4 ||
	    pickle_count(p, e->args) != (uint64_t)version + 5 || !arg_int(p, e, STATE_BYTES, &bytes) ||
	    !arg_int(p, e, STATE_FLAGS, &flags))
		return false;
	if (!arg_is_none(p, e, STATE_BASE) && !base_fits(a, p, e, &t->type))
		return false;
	if (!arg_is_none(p, e, STATE_NAMES))
		t->type.object |= fields_hold_object(a, p, e, t->type.bytes, &known);
	return known && (!flexible || (bytes >= 0 && (uint64_t)bytes == t->type.bytes)) &&
	       ((flags & FLAG_HAS_OBJECT) != 0) == t->type.object;
}

static void report_dtype(struct pickle_arrays *a, const struct pickle_event *e)
{
	report_finding(a->l->report, &(struct finding){ .code = WLK_F_PICKLE_ARGUMENTS,
					 .has_offset = true,
					 .offset = a->origin + e->offset,
					 .subject = bytes_of_text("numpy.dtype"),
					 .member = a->member });
}

/* NumPy keeps the dictionary of fields that the pickle made: what is put into it later changes the type. */
static void keep_fields(struct thing *t, const struct pickle *p, const struct pickle_event *e)
{
	t->fields = arg(p, e, STATE_FIELDS);
	if (t->fields != PICKLE_NO_VALUE && pickle_kind(p, t->fields) == PICKLE_DICT)
		t->n_fields = pickle_count(p, t->fields);
	else
		t->fields = PICKLE_NO_VALUE;
}

static void take_stop(struct pickle_arrays *a, const struct pickle *p, const struct pickle_event *e)
{
	bool nested = a->n_around != NOT_NESTED;

	for (uint32_t i = nested ? a->n_around : a->n_ended; i < a->n; i++) {
		struct thing *t = &a->things[i];

		if (t->fields != PICKLE_NO_VALUE && pickle_count(p, t->fields) != t->n_fields)
			report_dtype(a, e);
		t->fields = PICKLE_NO_VALUE;
	}
	if (!nested)
		a->n_ended = a->n;
	a->n_around = NOT_NESTED;
}

void pickle_arrays_nest(struct pickle_arrays *a)
{
	a->n_around = a->n;
}

/* (3, ">", None, None, None, -1, -1, 0): of a plain type, only the order is not in the type string already. */
static void build_dtype(struct pickle_arrays *a, struct thing *t, const struct pickle *p, const struct pickle_event *e)
{
	pickle_value order = arg(p, e, STATE_ORDER);
	struct bytes text;

	t->settled = is_settled(a, t, p, e);
	if (!t->settled)
		report_dtype(a, e);
	keep_fields(t, p, e);
	if (order != PICKLE_NO_VALUE && pickle_text(p, order, &text) && text.n == 1 && text.at[0] != '|')
		t->type.big_endian = text.at[0] == '>';
}

/* (1, shape, dtype, order, elements); old releases leave the version out. */
static void build_array(struct pickle_arrays *a, struct thing *t, const struct pickle *p, const struct pickle_event *e)
{
	uint64_t first = pickle_count(p, e->args) == 5 ? 1 : 0;

	take_elements(a, p, e, t, arg(p, e, first), arg(p, e, first + 1), arg(p, e, first + 3));
}

static void take_build(struct pickle_arrays *a, struct pickle *p, const struct pickle_event *e)
{
	struct thing *t = thing_of(a, p, e->target);

	if (t == NULL || e->args == PICKLE_NO_VALUE || pickle_kind(p, e->args) != PICKLE_TUPLE)
		return;
	if (t->kind == THING_DTYPE)
		build_dtype(a, t, p, e);
	else
		build_array(a, t, p, e);
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

/* A dictionary holds it under this key. */
static void take_item(struct pickle_arrays *a, struct pickle *p, const struct pickle_event *e)
{
	struct thing *t = thing_of(a, p, e->args);
	struct bytes key;

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
	case PICKLE_ACT_CALL: take_call(a, p, e); break;
	case PICKLE_ACT_BUILD: take_build(a, p, e); break;
	case PICKLE_ACT_MUTATE: take_item(a, p, e); break;
	case PICKLE_ACT_STOP: take_stop(a, p, e); break;
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
		if (t.n == 0) {
			a->l->report->manifest_partial = true; /* it is there, and nobody can say where */
			continue;
		}
		if (t.name_n == 0 && !add_name(a, &t, bytes_of(text, n)))
			return false;
		a->things[kept++] = t;
	}
	a->n = kept;
	return true;
}

static bool is_before(const struct thing *a, const struct thing *b)
{
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

static bool add_tensor(struct pickle_arrays *a, struct extents *x, const struct thing *t)
{
	struct extent *e = add_extent(a, x, t->begin, t->begin + t->n, EXTENT_TENSOR);

	if (e == NULL)
		return false;
	e->dtype = (uint8_t)t->type.dtype;
	e->flags = t->type.big_endian ? EXTENT_BIG_ENDIAN : 0;
	e->name_at = t->name_at;
	e->name_n = t->name_n;
	return true;
}

bool pickle_arrays_extents(struct pickle_arrays *a, struct extents *x, uint64_t begin, uint64_t end)
{
	uint64_t at = begin;

	if (a->status != WLK_DONE || !keep_arrays(a))
		return false;
	sort_arrays(a->things, a->n);
	for (uint32_t i = 0; i < a->n; i++) {
		const struct thing *t = &a->things[i];

		if (t->begin < at) { /* the same elements as those of another array: counted once */
			a->l->report->manifest_partial = true;
			continue;
		}
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
