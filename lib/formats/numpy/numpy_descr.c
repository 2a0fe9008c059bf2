/* NumPy's shapes and records: see numpy_descr.h. */
#include "numpy_descr.h"

#include "checked.h"

/* -- shapes -- */

static void add_dimension(struct numpy_shape *s, const struct literal *l)
{
	uint64_t dim = l->number;

	if (l->kind != LITERAL_INT || l->negative) {
		s->invalid = true;
		return;
	}
	if (s->n < NUMPY_DIMENSIONS_MAX)
		s->dims[s->n++] = dim;
	else
		s->too_many = true;
	/* A zero anywhere must not hide an overflow before or behind it. */
	if (dim != 0 && (!mul_u64(s->nonzero, dim, &s->nonzero) || s->nonzero > INT64_MAX))
		s->overflow = true;
}

static void count_elements(struct numpy_shape *s)
{
	s->count = s->nonzero;
	for (unsigned i = 0; i < s->n; i++)
		if (s->dims[i] == 0)
			s->count = 0;
}

/* The dimensions behind "(", and the ")".  One of them needs a comma: (3) is a number to Python. */
static bool read_dimensions(struct literal *l, struct numpy_shape *s)
{
	bool comma = false;
	size_t n = 0;

	while (!(l->kind == LITERAL_MARK && l->mark == ')')) {
		if (n > 0 && !comma)
			return false;
		if (l->kind != LITERAL_INT && !(l->kind == LITERAL_WORD && l->mark != 'N'))
			return false;
		add_dimension(s, l);
		n++;
		literal_next(l);
		comma = literal_take(l, ',');
	}
	literal_next(l);
	return n != 1 || comma;
}

bool numpy_shape_read(struct literal *l, bool allow_int, struct numpy_shape *ret)
{
	bool valid;

	*ret = (struct numpy_shape){ .nonzero = 1 };
	if (allow_int && l->kind == LITERAL_INT) {
		add_dimension(ret, l);
		literal_next(l);
		valid = true;
	} else {
		valid = literal_take(l, '(') && read_dimensions(l, ret);
	}
	count_elements(ret);
	return valid;
}

/* -- records -- */

/* The list of fields being read. */
struct record_reader {
	struct literal *l;
	struct numpy_record *record;
	size_t capacity;
	uint32_t n_places;
	unsigned depth;
};

static enum numpy_error add_field(struct record_reader *r, const struct numpy_field *f)
{
	struct numpy_record *record = r->record;

	if (record->n_fields == NUMPY_FIELDS_MAX)
		return NUMPY_TOO_LARGE;
	if (record->n_fields == r->capacity) {
		size_t capacity = r->capacity == 0 ? 16 : r->capacity * 2; /* at most NUMPY_FIELDS_MAX */
		void *fields = arena_resize(r->l->arena, record->fields, capacity, sizeof(*record->fields));

		if (fields == NULL)
			return NUMPY_MEMORY;
		record->fields = fields;
		r->capacity = capacity;
	}
	record->fields[record->n_fields++] = *f;
	return NUMPY_OK;
}

static enum numpy_error add_new_field(
    struct record_reader *r, struct bytes name, const struct numpy_type *type, uint64_t offset)
{
	return add_field(r,
	    &(struct numpy_field){ .name = name, .place = r->n_places++, .offset = offset, .type = *type, .count = 1 });
}

static enum numpy_error read_descr(
    struct record_reader *r, struct bytes name, uint64_t offset, struct numpy_type *ret, bool *ret_plain);

/* A type string, a name, or a list of type strings with commas. */
static enum numpy_error read_type(struct literal *l, struct numpy_type *ret)
{
	enum numpy_error err = numpy_type_of_text(l->string, ret);

	if (err == NUMPY_UNKNOWN && numpy_type_of_name(l->string, ret) == NUMPY_OK) {
		ret->notes |= NUMPY_NONCANONICAL;
		err = NUMPY_OK;
	}
	literal_next(l);
	return err;
}

/* One more field of the structure: its size and what is to be said of it. */
static enum numpy_error add_to_structure(struct numpy_type *structure, const struct numpy_type *field)
{
	if (!add_u64(structure->bytes, field->bytes, &structure->bytes) || structure->bytes > NUMPY_ITEM_BYTES_MAX)
		return NUMPY_TOO_LARGE;
	structure->object |= field->object;
	structure->notes |= field->notes;
	return NUMPY_OK;
}

/* 'f4,i2': one field each, named f0, f1 ... by NumPy.  No writer makes it, so its names do not matter. */
static enum numpy_error read_comma_list(
    struct record_reader *r, struct bytes name, uint64_t offset, struct numpy_type *ret)
{
	struct bytes rest = r->l->string;

	*ret = (struct numpy_type){ .kind = '{', .notes = NUMPY_NONCANONICAL };
	while (rest.n > 0) {
		const uint8_t *comma = memchr(rest.at, ',', rest.n);
		size_t n = comma != NULL ? (size_t)(comma - rest.at) : rest.n;
		struct numpy_type type;
		enum numpy_error err = numpy_type_of_text(bytes_of(rest.at, n), &type);
		uint64_t at;

		if (err != NUMPY_OK)
			return err;
		if (!add_u64(offset, ret->bytes, &at))
			return NUMPY_TOO_LARGE;
		err = add_to_structure(ret, &type);
		if (err != NUMPY_OK)
			return err;
		err = add_new_field(r, name, &type, at);
		if (err != NUMPY_OK)
			return err;
		rest = comma != NULL ? bytes_of(comma + 1, rest.n - n - 1) : bytes_of(NULL, 0);
	}
	literal_next(r->l);
	return NUMPY_OK;
}

/* Repeat the fields from @first on count times: a sub-array of records. */
static enum numpy_error repeat_fields(struct record_reader *r, size_t first, uint64_t item_bytes, uint64_t count)
{
	size_t n = r->record->n_fields - first;

	if (n == 0) /* of nothing; however often */
		return NUMPY_OK;
	for (uint64_t i = 1; i < count; i++) {
		for (size_t k = 0; k < n; k++) {
			struct numpy_field f = r->record->fields[first + k];
			uint64_t shift;
			enum numpy_error err;

			if (!mul_u64(i, item_bytes, &shift) || !add_u64(f.offset, shift, &f.offset))
				return NUMPY_TOO_LARGE;
			err = add_field(r, &f);
			if (err != NUMPY_OK)
				return err;
		}
	}
	if (count == 0)
		r->record->n_fields = first;
	return NUMPY_OK;
}

static enum numpy_error apply_shape(
    struct record_reader *r, const struct numpy_shape *shape, size_t first, bool plain, struct numpy_type *type)
{
	uint64_t item_bytes = type->bytes;

	if (shape->invalid || shape->too_many)
		return NUMPY_SYNTAX;
	/* A zero does not excuse the other dimensions, nor do items of no bytes. */
	if (shape->overflow || shape->nonzero > NUMPY_ITEM_BYTES_MAX ||
	    !mul_u64(item_bytes, shape->nonzero, &type->bytes) || type->bytes > NUMPY_ITEM_BYTES_MAX)
		return NUMPY_TOO_LARGE;
	if (shape->count == 0)
		type->bytes = 0;
	if (!plain)
		return repeat_fields(r, first, item_bytes, shape->count);
	for (size_t i = first; i < r->record->n_fields; i++)
		if (!mul_u64(r->record->fields[i].count, shape->count, &r->record->fields[i].count))
			return NUMPY_TOO_LARGE;
	return NUMPY_OK;
}

/* -- fields -- */

/* What a list of fields is called: names and titles, which share a space. */
struct field_names {
	struct bytes *at;
	size_t n;
};

/* At most 8,192 of them in at most 65,535 bytes of header: lengths differ or few bytes are compared. */
static bool has_name(const struct field_names *names, struct bytes name)
{
	for (size_t i = 0; i < names->n; i++)
		if (bytes_equal(names->at[i], name))
			return true;
	return false;
}

static enum numpy_error add_name(struct record_reader *r, struct field_names *names, struct bytes name)
{
	if (has_name(names, name))
		return NUMPY_DUPLICATE;
	if (names->n % 64 == 0) {
		void *grown = arena_resize(r->l->arena, names->at, names->n + 64, sizeof(*names->at));

		if (grown == NULL)
			return NUMPY_MEMORY;
		names->at = grown;
	}
	names->at[names->n++] = name;
	return NUMPY_OK;
}

struct field_name {
	struct bytes name, title;
	bool titled;
};

/* name = str | (title, name) */
static bool read_field_name(struct literal *l, struct field_name *ret)
{
	*ret = (struct field_name){ .titled = literal_take(l, '(') };
	if (l->kind != LITERAL_STRING)
		return false;
	ret->name = l->string;
	literal_next(l);
	if (!ret->titled)
		return true;
	ret->title = ret->name;
	if (!literal_take(l, ',') || l->kind != LITERAL_STRING)
		return false;
	ret->name = l->string;
	literal_next(l);
	literal_take(l, ',');
	return literal_take(l, ')');
}

/* outer.name, cut.  NULL when the arena is spent. */
static bool join_names(struct arena *a, struct bytes outer, struct bytes name, struct bytes *ret)
{
	size_t before = outer.n > 0 ? outer.n + 1 : 0; /* at most NUMPY_FIELD_NAME_MAX + 1 */
	size_t n = before + name.n;                    /* of a header in memory */
	uint8_t *joined;

	*ret = name;
	if (before == 0 && n <= NUMPY_FIELD_NAME_MAX)
		return true;
	joined = arena_alloc(a, n, 1);
	if (joined == NULL)
		return false;
	bytes_copy(joined, outer);
	if (before > 0)
		joined[outer.n] = '.';
	bytes_copy(joined + before, name);
	*ret = bytes_of(joined, n < NUMPY_FIELD_NAME_MAX ? n : NUMPY_FIELD_NAME_MAX);
	return true;
}

/* The type behind the name, and its shape. */
static enum numpy_error read_field_type(
    struct record_reader *r, struct bytes name, uint64_t offset, struct numpy_type *ret)
{
	size_t first = r->record->n_fields;
	struct numpy_shape shape;
	enum numpy_error err;
	bool plain;

	err = read_descr(r, name, offset, ret, &plain);
	if (err != NUMPY_OK)
		return err;
	if (!literal_take(r->l, ',') || (r->l->kind == LITERAL_MARK && r->l->mark == ')'))
		return NUMPY_OK;
	if (!numpy_shape_read(r->l, true, &shape))
		return NUMPY_SYNTAX;
	literal_take(r->l, ',');
	return apply_shape(r, &shape, first, plain, ret);
}

/* NumPy's reader takes nameless raw bytes for padding; anything else without a name it would not write. */
static enum numpy_error keep_names(
    struct record_reader *r, struct field_names *names, const struct field_name *name, struct numpy_type *type)
{
	enum numpy_error err;

	if (name->name.n == 0 && type->kind == 'V')
		return NUMPY_OK;
	if (name->name.n == 0)
		type->notes |= NUMPY_NONCANONICAL;
	err = add_name(r, names, name->name);
	if (err == NUMPY_OK && name->titled)
		err = add_name(r, names, name->title);
	return err;
}

/* (name, descr [, shape]) */
static enum numpy_error read_field(
    struct record_reader *r, struct bytes outer, uint64_t offset, struct field_names *names, struct numpy_type *ret)
{
	struct field_name name;
	struct bytes joined;
	enum numpy_error err;

	if (!literal_take(r->l, '(') || !read_field_name(r->l, &name) || !literal_take(r->l, ','))
		return NUMPY_SYNTAX;
	if (!join_names(r->l->arena, outer, name.name, &joined))
		return NUMPY_MEMORY;
	err = read_field_type(r, joined, offset, ret);
	if (err == NUMPY_OK)
		err = keep_names(r, names, &name, ret);
	if (err == NUMPY_OK && !literal_take(r->l, ')'))
		return NUMPY_SYNTAX;
	return err;
}

/* [field, ...], behind the bracket. */
static enum numpy_error read_fields(
    struct record_reader *r, struct bytes outer, uint64_t offset, struct numpy_type *ret)
{
	struct field_names names = { 0 };
	bool more = true;

	*ret = (struct numpy_type){ .kind = '{' };
	for (; !(r->l->kind == LITERAL_MARK && r->l->mark == ']'); more = literal_take(r->l, ',')) {
		struct numpy_type type;
		enum numpy_error err;
		uint64_t at;

		if (!more)
			return NUMPY_SYNTAX;
		if (!add_u64(offset, ret->bytes, &at))
			return NUMPY_TOO_LARGE;
		err = read_field(r, outer, at, &names, &type);
		if (err == NUMPY_OK)
			err = add_to_structure(ret, &type);
		if (err != NUMPY_OK)
			return err;
	}
	arena_release(r->l->arena, names.at);
	literal_next(r->l);
	return NUMPY_OK;
}

/* (descr, shape), behind the parenthesis. */
static enum numpy_error read_subarray(
    struct record_reader *r, struct bytes name, uint64_t offset, struct numpy_type *ret, bool *ret_plain)
{
	size_t first = r->record->n_fields;
	struct numpy_shape shape;
	enum numpy_error err = read_descr(r, name, offset, ret, ret_plain);

	if (err != NUMPY_OK)
		return err;
	if (!literal_take(r->l, ',') || !numpy_shape_read(r->l, true, &shape))
		return NUMPY_SYNTAX;
	literal_take(r->l, ',');
	if (!literal_take(r->l, ')'))
		return NUMPY_SYNTAX;
	return apply_shape(r, &shape, first, *ret_plain, ret);
}

/* Every field becomes an entry of the record; so does a plain type, which the caller takes out again when it is all
 * there is.  Nesting is bounded by NUMPY_DEPTH_MAX. */
static enum numpy_error read_descr(
    struct record_reader *r, struct bytes name, uint64_t offset, struct numpy_type *ret, bool *ret_plain)
{
	enum numpy_error err;

	if (r->depth == NUMPY_DEPTH_MAX)
		return NUMPY_TOO_LARGE;
	r->depth++;
	*ret_plain = false;
	if (literal_take(r->l, '[')) {
		err = read_fields(r, name, offset, ret);
	} else if (literal_take(r->l, '(')) {
		err = read_subarray(r, name, offset, ret, ret_plain);
	} else if (r->l->kind != LITERAL_STRING) {
		err = NUMPY_SYNTAX;
	} else if (memchr(r->l->string.at, ',', r->l->string.n) != NULL) {
		err = read_comma_list(r, name, offset, ret);
	} else {
		*ret_plain = true;
		err = read_type(r->l, ret);
		if (err == NUMPY_OK)
			err = add_new_field(r, name, ret, offset);
	}
	r->depth--;
	return err;
}

enum numpy_error numpy_record_read(struct literal *l, struct numpy_record *ret)
{
	struct record_reader r = { .l = l, .record = ret };
	enum numpy_error err;
	bool plain;

	*ret = (struct numpy_record){ 0 };
	if (l->kind == LITERAL_MARK && l->mark == '(')
		return NUMPY_UNKNOWN;
	err = read_descr(&r, bytes_of(NULL, 0), 0, &ret->type, &plain);
	if (plain)
		ret->n_fields = 0;
	return err;
}
