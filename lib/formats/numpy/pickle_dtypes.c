/* The states of pickled dtypes.  NumPy believes them: how long an element is, where its fields lie, whether it holds
 * pointers; what it is told wrongly it reads and writes outside of the array.  So a state is taken when it is one that
 * NumPy's own dtype.__reduce__() returns for the type that the call named, and nothing else: seen with 1.24 and 2.4,
 * numpy/core/src/multiarray/descriptor.c, arraydescr_reduce() and arraydescr_setstate(). */
#include "checked.h"
#include "pickle_arrays_impl.h"

enum {
	STATE_VERSION,
	STATE_ORDER,
	STATE_BASE,
	STATE_NAMES,
	STATE_FIELDS,
	STATE_BYTES,
	STATE_ALIGNMENT,
	STATE_FLAGS,
	STATE_METADATA
};

/* Which memory is cleared before pointers are written to it, and whose count is kept, NumPy takes from here: of what holds
 * objects these are, to the bit, what it writes. */
#define FLAGS_OF_OBJECTS 0x3f
#define FLAGS_OF_RECORDS_OF_OBJECTS 0x1b /* all but that the element is the pointer */
#define FLAG_ALIGNED 0x80
#define FLAG_NEEDS_PYTHON 0x10 /* of every record */
#define FLAGS_OF_DATA 0x98 /* needs initialising, needs the interpreter, aligned: say nothing of what elements are */
#define FLAGS_MASK 0xff    /* older releases write them with a sign */
#define ALIGNMENT_MAX 64
#define RECORD_WORK_MAX (UINT64_C(1) << 26) /* names compared: a thousand records of 256 fields each */

static pickle_value arg(const struct pickle *p, const struct pickle_event *e, uint64_t i)
{
	return pickle_arrays_arg(p, e, i);
}

static bool arg_int(const struct pickle *p, const struct pickle_event *e, uint64_t i, int64_t *ret)
{
	pickle_value v = arg(p, e, i);

	return v != PICKLE_NO_VALUE && pickle_int(p, v, ret);
}

static bool is_kind(const struct pickle *p, pickle_value v, enum pickle_kind kind)
{
	return v != PICKLE_NO_VALUE && pickle_kind(p, v) == kind;
}

/* A dtype that may be part of another one, which it is from now on. */
static struct thing *use_part(const struct pickle_arrays *a, const struct pickle *p, pickle_value v)
{
	struct thing *t = v != PICKLE_NO_VALUE ? pickle_thing_of(a, p, v) : NULL;

	if (t == NULL || t->kind != THING_DTYPE || !t->settled)
		return NULL;
	t->used = true;
	return t;
}

/* -- byte order -- */

static bool is_wide(const struct numpy_type *t)
{
	return t->kind == 'U' || (t->bytes > 1 && strchr("iufcMm", t->kind) != NULL);
}

/* "<" or ">" for what has an order, and not another one than the name said; "|" for the rest.  NumPy takes bytes as well,
 * and "|" over ">f4" for the machine's own order: nobody writes either. */
static bool order_fits(struct thing *t, const struct pickle *p, const struct pickle_event *e)
{
	pickle_value order = arg(p, e, STATE_ORDER);
	struct bytes text;
	bool big;

	if (order == PICKLE_NO_VALUE || !pickle_text(p, order, &text) || text.n != 1 ||
	    (t->type.notes & NUMPY_NONCANONICAL) != 0)
		return false;
	if (!is_wide(&t->type))
		return text.at[0] == '|';
	big = text.at[0] == '>';
	if ((!big && text.at[0] != '<') || ((t->type.notes & NUMPY_NATIVE) == 0 && big != t->type.big_endian))
		return false;
	t->type.big_endian = big;
	return true;
}

/* -- records -- */

struct field {
	uint64_t begin, end;
};

/* (type, offset[, title]) within a record of n bytes?  NumPy does not look, and reads where it says. */
static const struct numpy_type *read_field(
    const struct pickle_arrays *a, const struct pickle *p, pickle_value field, uint64_t n, struct field *ret)
{
	const struct thing *t;
	int64_t offset;

	if (!is_kind(p, field, PICKLE_TUPLE) || pickle_count(p, field) < 2 || pickle_count(p, field) > 3 ||
	    pickle_item(p, field, 1) == PICKLE_NO_VALUE)
		return NULL;
	t = use_part(a, p, pickle_item(p, field, 0));
	if (t == NULL || !pickle_int(p, pickle_item(p, field, 1), &offset) || offset < 0 || t->type.bytes > n ||
	    (uint64_t)offset > n - t->type.bytes)
		return NULL;
	*ret = (struct field){ (uint64_t)offset, (uint64_t)offset + t->type.bytes };
	return &t->type;
}

static bool overlaps(const struct field *list, size_t n, const struct field *f)
{
	for (size_t i = 0; i < n; i++)
		if (f->begin < list[i].end && list[i].begin < f->end)
			return true;
	return false;
}

/* Every name is a field; where one holds objects, no other lies over it: it would set pointers. */
static bool read_names(const struct pickle_arrays *a, const struct pickle *p, pickle_value names, pickle_value fields,
    uint64_t bytes, bool *ret_object)
{
	uint64_t n = pickle_count(p, names);
	struct field list[PICKLE_ITEMS_KEPT];
	bool overlap = false;
	char key[NUMPY_FIELD_NAME_MAX + 1];

	for (uint64_t i = 0; i < n; i++) {
		pickle_value name = pickle_item(p, names, i), field;
		const struct numpy_type *type = NULL;
		struct bytes text;

		if (name == PICKLE_NO_VALUE || !pickle_text(p, name, &text) || text.n > NUMPY_FIELD_NAME_MAX ||
		    (text.n > 0 && memchr(text.at, '\0', text.n) != NULL))
			return false;
		bytes_copy((uint8_t *)key, text);
		key[text.n] = '\0';
		if (pickle_lookup(p, fields, key, &field))
			type = read_field(a, p, field, bytes, &list[i]);
		if (type == NULL)
			return false;
		overlap |= overlaps(list, (size_t)i, &list[i]);
		*ret_object |= type->object;
	}
	return !(overlap && *ret_object);
}

/* Names and titles, and nothing else: a title's field is that of a name. */
static bool record_fits(
    struct pickle_arrays *a, const struct pickle *p, const struct pickle_event *e, uint64_t bytes, bool *ret_object)
{
	pickle_value names = arg(p, e, STATE_NAMES), fields = arg(p, e, STATE_FIELDS), key, field;
	uint64_t n;
	struct field at;

	if (!is_kind(p, names, PICKLE_TUPLE) || !is_kind(p, fields, PICKLE_DICT))
		return false;
	n = pickle_count(p, fields);
	if (n > PICKLE_ITEMS_KEPT || n < pickle_count(p, names) || n / 2 > pickle_count(p, names))
		return false;
	a->work += n * n; /* at most PICKLE_ITEMS_KEPT squared, of a few bytes each */
	if (a->work > RECORD_WORK_MAX)
		return false;
	for (uint64_t i = 0; i < n; i++) {
		const struct numpy_type *type =
		    pickle_pair(p, fields, i, &key, &field) ? read_field(a, p, field, bytes, &at) : NULL;

		if (type == NULL)
			return false;
		*ret_object |= type->object;
	}
	return read_names(a, p, names, fields, bytes, ret_object);
}

/* A field that is an array of its own, (type, shape): of as many bytes as its void type says. */
static bool base_fits(struct pickle_arrays *a, struct thing *t, const struct pickle *p, const struct pickle_event *e)
{
	pickle_value base = arg(p, e, STATE_BASE), shape;
	const struct thing *element;
	uint64_t count, bytes;

	if (!is_kind(p, base, PICKLE_TUPLE) || pickle_count(p, base) != 2)
		return false;
	element = use_part(a, p, pickle_item(p, base, 0));
	shape = pickle_item(p, base, 1);
	if (element == NULL || !is_kind(p, shape, PICKLE_TUPLE) || !pickle_arrays_count(p, shape, &count) ||
	    !mul_u64(count, element->type.bytes, &bytes) || t->type.kind != 'V' || bytes != t->type.bytes)
		return false;
	t->type.object |= element->type.object;
	t->pointers = element->type.kind == 'O';
	t->subarray = true;
	if (!element->type.object)
		pickle_records_repeat(a, t, element, e, count);
	return true;
}

/* -- the rest -- */

/* Only of text, void types and records does NumPy take the sizes that stand here. */
static bool sizes_fit(const struct thing *t, const struct pickle *p, const struct pickle_event *e)
{
	int64_t bytes, alignment;

	if (!arg_int(p, e, STATE_BYTES, &bytes) || !arg_int(p, e, STATE_ALIGNMENT, &alignment))
		return false;
	if (strchr("SUV", t->type.kind) == NULL)
		return true;
	return bytes >= 0 && (uint64_t)bytes == t->type.bytes && alignment >= 1 && alignment <= ALIGNMENT_MAX &&
	       (alignment & (alignment - 1)) == 0;
}

/* A sub-array has those of its element. */
static int64_t flags_of_objects(const struct thing *t)
{
	return t->type.kind == 'O' || t->pointers ? FLAGS_OF_OBJECTS : FLAGS_OF_RECORDS_OF_OBJECTS;
}

/* Flags decide whether elements come as bytes or as a list of objects. */
static bool flags_fit(const struct thing *t, const struct pickle *p, const struct pickle_event *e)
{
	int64_t flags;

	if (!arg_int(p, e, STATE_FLAGS, &flags) || flags < INT8_MIN || flags > FLAGS_MASK)
		return false;
	flags &= FLAGS_MASK;
	if (t->type.object)
		return (flags & ~FLAG_ALIGNED) == flags_of_objects(t);
	/* Without it NumPy lets Python's lock go, and compares fields with Python all the same. */
	return (flags & ~FLAGS_OF_DATA) == 0 &&
	       ((flags & FLAG_NEEDS_PYTHON) != 0 || !is_kind(p, arg(p, e, STATE_FIELDS), PICKLE_DICT));
}

/* Version 4: a dictionary, of times in a pair with the unit, which the judge has read.  NumPy keeps whatever stands there. */
static bool metadata_fits(const struct thing *t, const struct pickle *p, const struct pickle_event *e)
{
	pickle_value metadata = arg(p, e, STATE_METADATA);

	return metadata == PICKLE_NO_VALUE || t->type.kind == 'M' || t->type.kind == 'm' ||
	       is_kind(p, metadata, PICKLE_DICT) || is_kind(p, metadata, PICKLE_NONE);
}

static bool is_settled(struct pickle_arrays *a, struct thing *t, const struct pickle *p, const struct pickle_event *e)
{
	bool base = !is_kind(p, arg(p, e, STATE_BASE), PICKLE_NONE);
	bool record =
	    !is_kind(p, arg(p, e, STATE_NAMES), PICKLE_NONE) || !is_kind(p, arg(p, e, STATE_FIELDS), PICKLE_NONE);
	int64_t version;

	if (t->unknown || t->built || t->used || !t->own || !is_kind(p, e->args, PICKLE_TUPLE) ||
	    !arg_int(p, e, STATE_VERSION, &version) || version < 3 || version > 4 ||
	    pickle_count(p, e->args) != (uint64_t)version + 5 || (base && record))
		return false;
	if (base && !base_fits(a, t, p, e))
		return false;
	if (record && (t->type.kind != 'V' || !record_fits(a, p, e, t->type.bytes, &t->type.object)))
		return false;
	if (record)
		pickle_records_settle(a, t, p, e, arg(p, e, STATE_NAMES), arg(p, e, STATE_FIELDS));
	return order_fits(t, p, e) && sizes_fit(t, p, e) && flags_fit(t, p, e) && metadata_fits(t, p, e);
}

/* NumPy keeps the dictionary of fields that the pickle made: what is put into it later changes the type. */
static void keep_fields(struct thing *t, const struct pickle *p, const struct pickle_event *e)
{
	t->fields = arg(p, e, STATE_FIELDS);
	if (is_kind(p, t->fields, PICKLE_DICT))
		t->n_fields = pickle_count(p, t->fields);
	else
		t->fields = PICKLE_NO_VALUE;
}

void pickle_dtype_build(struct pickle_arrays *a, struct thing *t, const struct pickle *p, const struct pickle_event *e)
{
	t->settled = is_settled(a, t, p, e);
	t->built = true;
	if (!t->settled)
		pickle_arrays_contradict(a, e, "numpy.dtype");
	keep_fields(t, p, e);
}

void pickle_dtype_stop(struct pickle_arrays *a, struct thing *t, const struct pickle *p, const struct pickle_event *e)
{
	if (t->fields != PICKLE_NO_VALUE && pickle_count(p, t->fields) != t->n_fields)
		pickle_arrays_contradict(a, e, "numpy.dtype");
	t->fields = PICKLE_NO_VALUE;
}
