/* The schema of an Arrow file: its fields in depth-first order, all that it says as one hash, and the metadata in which
 * extension types are named.  See arrow_impl.h. */
#include "arrow_impl.h"

#include "checked.h"

#include <string.h>

/* -- the hash: two schemas are the same when it is.  Keyed by the scan's seed, so no file can aim at a collision -- */

static void mix(struct arrow *a, const void *at, size_t n)
{
	uint8_t buf[8 + 64];

	store_u64le(buf, a->schema_hash);
	memcpy(buf + 8, at, n);
	a->schema_hash = siphash13(buf, 8 + n, &a->l->seed);
}

static void mix_number(struct arrow *a, uint64_t number)
{
	uint8_t raw[8];

	store_u64le(raw, number);
	mix(a, raw, sizeof(raw));
}

/* All bytes of a string or vector, and how many elements. */
static bool mix_vector(struct arrow *a, const struct fb_table *t, unsigned field, unsigned bytes)
{
	uint8_t piece[64];
	uint64_t n = (uint64_t)t->count[field] * bytes;

	mix_number(a, n);
	if (!fb_visit(&a->fb, n, t->at))
		return false;
	for (uint64_t at = 0; at < n; at += sizeof(piece)) {
		size_t some = (size_t)min_u64(sizeof(piece), n - at);

		if (!fb_read(&a->fb, t->value[field] + at, piece, some))
			return false;
		mix(a, piece, some);
	}
	return true;
}

/* Numbers, strings and vectors; what a table refers to is mixed when it is read. */
static bool mix_table(struct arrow *a, const struct fb_table *t)
{
	mix_number(a, t->present);
	for (unsigned i = 0; t->schema->fields[i] != '\0'; i++) {
		char letter = t->schema->fields[i];

		if (letter == 's' || letter == 'b') {
			if (!mix_vector(a, t, i, 1))
				return false;
		} else if (letter == 'i' || letter == 'l') {
			if (!mix_vector(a, t, i, letter == 'i' ? 4 : 8))
				return false;
		} else {
			mix_number(a, letter == 'V' ? t->count[i] : letter == 'r' || letter == 'U' ? 0 : t->value[i]);
		}
	}
	return true;
}

/* -- metadata -- */

#define EXTENSION_KEY "ARROW:extension:name"
#define PY_EXTENSION "arrow.py_extension_type"

static bool read_text(
    struct arrow *a, const struct fb_table *t, unsigned field, uint8_t *buf, size_t room, struct bytes *ret)
{
	size_t n = t->count[field] < room ? t->count[field] : room;

	*ret = bytes_of(buf, n);
	return n == 0 || fb_read(&a->fb, t->value[field], buf, n);
}

static bool read_key_value(struct arrow *a, uint64_t at)
{
	uint8_t key_at[sizeof(EXTENSION_KEY)], value_at[256];
	struct bytes key, value;
	struct fb_table t;

	if (!fb_open(&a->fb, at, &arrow_key_value, &t) || !mix_table(a, &t) ||
	    !read_text(a, &t, KEY_VALUE_KEY, key_at, sizeof(key_at), &key) ||
	    !read_text(a, &t, KEY_VALUE_VALUE, value_at, sizeof(value_at), &value))
		return false;
	if (!bytes_equal(key, bytes_of_text(EXTENSION_KEY)))
		return true;
	layout_finding(a->l,
	    &(struct finding){ .code = bytes_equal(value, bytes_of_text(PY_EXTENSION)) ? WLK_F_ARROW_PY_EXTENSION
										       : WLK_F_ARROW_EXTENSION_TYPE,
		.has_offset = true,
		.offset = arrow_offset(a, at),
		.subject = value });
	return true;
}

bool arrow_read_metadata(struct arrow *a, const struct fb_table *t, unsigned field)
{
	uint64_t at;

	for (uint32_t i = 0; i < t->count[field]; i++)
		if (!fb_element(&a->fb, t, field, i, &at) || !read_key_value(a, at))
			return false;
	return true;
}

/* -- types -- */

enum { INT_BITS };
enum { DECIMAL_PRECISION, DECIMAL_SCALE, DECIMAL_BITS };
enum { TIME_UNIT, TIME_BITS };
enum { UNION_MODE };

static uint64_t number_or(const struct fb_table *t, unsigned field, uint64_t absent)
{
	return fb_has(t, field) ? t->value[field] : absent;
}

static bool is_width(uint64_t bits, uint64_t least, uint64_t most)
{
	return bits >= least && bits <= most && (bits & (bits - 1)) == 0;
}

/* What a value weighs, where that is fixed.  False: no such type. */
static bool set_width(struct arrow_column *c, const struct fb_table *t)
{
	static const uint8_t floats[] = { 16, 32, 64 }, dates[] = { 32, 64 }, intervals[] = { 32, 64, 128 };
	uint64_t first = t->value[0];

	switch (c->type) {
	case ARROW_INT: c->bits = first; return is_width(first, 8, 64);
	case ARROW_FLOAT: c->bits = first < sizeof(floats) ? floats[first] : 0; return c->bits > 0;
	case ARROW_BOOL: c->bits = 1; return true;
	case ARROW_DECIMAL: c->bits = number_or(t, DECIMAL_BITS, 128); return is_width(c->bits, 32, 256);
	case ARROW_DATE:
		first = number_or(t, 0, 1); /* milliseconds */
		c->bits = first < sizeof(dates) ? dates[first] : 0;
		return c->bits > 0;
	case ARROW_TIME: c->bits = number_or(t, TIME_BITS, 32); return is_width(c->bits, 32, 64);
	case ARROW_TIMESTAMP:
	case ARROW_DURATION: c->bits = 64; return first <= 3;
	case ARROW_INTERVAL: c->bits = first < sizeof(intervals) ? intervals[first] : 0; return c->bits > 0;
	case ARROW_FIXED_BINARY: return first <= INT32_MAX && mul_u64(first, 8, &c->bits);
	case ARROW_FIXED_LIST: c->list_size = (uint32_t)first; return first <= INT32_MAX;
	case ARROW_UNION: c->dense = first == 1; return first <= 1;
	default: return true;
	}
}

/* Children that a type has to have; UINT32_MAX: as many as it likes. */
static uint32_t children_of(enum arrow_type type)
{
	switch (type) {
	case ARROW_STRUCT:
	case ARROW_UNION: return UINT32_MAX;
	case ARROW_LIST:
	case ARROW_LARGE_LIST:
	case ARROW_FIXED_LIST:
	case ARROW_MAP:
	case ARROW_LIST_VIEW:
	case ARROW_LARGE_LIST_VIEW: return 1;
	case ARROW_RUN_END: return 2;
	default: return 0;
	}
}

static bool read_type(struct arrow *a, const struct fb_table *field, struct arrow_column *c)
{
	const struct fb_schema *table = arrow_type_table(field->value[FIELD_TYPE]);
	struct fb_table t;

	c->type = (uint8_t)field->value[FIELD_TYPE];
	if (table == NULL || !fb_has(field, FIELD_TYPE_TABLE)) {
		arrow_value(a, WLK_F_ARROW_UNSUPPORTED, field->at, "type", field->value[FIELD_TYPE], ARROW_N_TYPES - 1);
		return true;
	}
	if (!fb_open(&a->fb, field->value[FIELD_TYPE_TABLE], table, &t) || !mix_table(a, &t))
		return false;
	if (!set_width(c, &t))
		arrow_value(a, WLK_F_ARROW_UNSUPPORTED, t.at, table->name, t.value[0], 0);
	if (children_of(c->type) != UINT32_MAX && children_of(c->type) != c->n_children)
		arrow_value(a, WLK_F_ARROW_STRUCTURE, field->at, table->name, c->n_children, children_of(c->type));
	return true;
}

static bool read_encoding(struct arrow *a, const struct fb_table *field, struct arrow_column *c)
{
	struct fb_table e, index = { .value = { 32 } };

	c->dictionary = fb_has(field, FIELD_DICTIONARY);
	if (!c->dictionary)
		return true;
	if (!fb_open(&a->fb, field->value[FIELD_DICTIONARY], &arrow_encoding, &e) || !mix_table(a, &e))
		return false;
	if (fb_has(&e, ENCODING_INDEX) &&
	    (!fb_open(&a->fb, e.value[ENCODING_INDEX], arrow_type_table(ARROW_INT), &index) || !mix_table(a, &index)))
		return false;
	if (!is_width(index.value[INT_BITS], 8, 64) || e.value[ENCODING_KIND] != 0)
		arrow_value(a, WLK_F_ARROW_UNSUPPORTED, e.at, "dictionary", index.value[INT_BITS], 64);
	c->index_bytes = (uint8_t)(index.value[INT_BITS] / 8);
	c->dictionary_id = e.value[ENCODING_ID];
	return true;
}

/* -- fields -- */

static struct arrow_column *add_column(struct arrow *a)
{
	if (a->n_columns == a->columns_room) {
		uint32_t room = a->columns_room > 0 ? 2 * a->columns_room : 64;
		struct arrow_column *columns = arena_resize_raw(a->l->arena, a->columns, room, sizeof(*columns));

		if (columns == NULL) {
			fb_fail(&a->fb, FB_FAILED, "", 0);
			return NULL;
		}
		a->columns = columns;
		a->columns_room = room;
	}
	a->columns[a->n_columns] = (struct arrow_column){ .span = 1, .parent = a->n_columns };
	return &a->columns[a->n_columns++];
}

/* A table whose fields are being read. */
struct open_fields {
	struct fb_table table;
	unsigned field;
	uint32_t next, column;
};

static bool read_field(struct arrow *a, uint64_t at, const struct open_fields *in, bool top, struct fb_table *ret)
{
	struct arrow_column *c;

	if (!fb_open(&a->fb, at, &arrow_field, ret) || !mix_table(a, ret))
		return false;
	c = add_column(a);
	if (c == NULL)
		return false;
	if (!top)
		c->parent = in->column;
	c->n_children = ret->count[FIELD_CHILDREN];
	return read_type(a, ret, c) && read_encoding(a, ret, c) && arrow_read_metadata(a, ret, FIELD_METADATA);
}

/* Every field below a schema, without recursion: tables that are shared would make a tree of any size, so what is opened
 * is counted (FB_TABLES_MAX). */
static bool read_fields(struct arrow *a, const struct fb_table *schema, struct open_fields *stack)
{
	unsigned depth = 1;

	stack[0] = (struct open_fields){ .table = *schema, .field = SCHEMA_FIELDS };
	while (depth > 0) {
		struct open_fields *top = &stack[depth - 1];
		struct fb_table field;
		uint64_t at;

		if (top->next == top->table.count[top->field]) {
			if (--depth > 0)
				a->columns[top->column].span = a->n_columns - top->column;
			continue;
		}
		if (!fb_element(&a->fb, &top->table, top->field, top->next++, &at) ||
		    !read_field(a, at, top, depth == 1, &field))
			return false;
		if (depth == ARROW_DEPTH_MAX)
			return fb_fail(&a->fb, FB_LIMIT, "depth", at);
		stack[depth++] =
		    (struct open_fields){ .table = field, .field = FIELD_CHILDREN, .column = a->n_columns - 1 };
	}
	return true;
}

bool arrow_read_schema(struct arrow *a, uint64_t at)
{
	struct open_fields *stack = arena_resize_raw(a->l->arena, NULL, ARROW_DEPTH_MAX, sizeof(*stack));
	struct fb_table s;
	bool read;

	if (stack == NULL)
		return fb_fail(&a->fb, FB_FAILED, "", at);
	a->n_columns = 0;
	a->schema_hash = 0;
	arena_release(a->l->arena, a->by_id);
	a->by_id = NULL;
	read = fb_open(&a->fb, at, &arrow_schema, &s) && mix_table(a, &s) && read_fields(a, &s, stack) &&
	       arrow_read_metadata(a, &s, SCHEMA_METADATA);
	arena_release(a->l->arena, stack);
	if (read && s.value[SCHEMA_ENDIANNESS] > 1)
		arrow_value(a, WLK_F_ARROW_UNSUPPORTED, s.at, "endianness", s.value[SCHEMA_ENDIANNESS], 1);
	return read;
}
