/* Thrift's compact protocol: see thrift.h. */
#include "thrift.h"

#include "checked.h"

/* What is being read: a structure, or the elements of a list or map. */
struct frame {
	const struct thrift_struct *table; /* of a structure; NULL: passed over */
	const struct thrift_field *field;  /* of a list: the field it is the value of; NULL: passed over */
	const struct thrift_struct *in;    /* likewise: whose field */
	uint64_t left;                     /* elements */
	uint64_t seen;                     /* of a structure: bit i: field i */
	int16_t last;                      /* likewise: the field before */
	uint8_t types[2];                  /* of elements; of a map: keys and values in turn */
	bool is_struct;
};

struct walk {
	struct thrift *t;
	struct frame stack[THRIFT_DEPTH_MAX];
	unsigned depth;
};

static bool wrong(struct thrift *t, const char *what)
{
	if (t->fault == NULL)
		t->fault = what;
	return false;
}

static bool read_varint(struct thrift *t, unsigned bits, uint64_t *ret)
{
	uint64_t number = 0;
	uint8_t byte = 0x80;

	for (unsigned shift = 0; (byte & 0x80) != 0; shift += 7) {
		if (shift >= 70 || !cur_u8(&t->cursor, &byte))
			return wrong(t, "number");
		if (shift == 63 && byte > 1)
			return wrong(t, "number");
		number |= (uint64_t)(byte & 0x7f) << shift;
	}
	*ret = number;
	return bits == 64 || number >> bits == 0 || wrong(t, "number");
}

static bool read_zigzag(struct thrift *t, unsigned bits, int64_t *ret)
{
	uint64_t raw;

	if (!read_varint(t, bits, &raw))
		return false;
	*ret = (int64_t)(raw >> 1 ^ (0 - (raw & 1)));
	return true;
}

/* -- frames -- */

static struct frame *push(struct walk *w)
{
	if (w->depth == THRIFT_DEPTH_MAX) {
		wrong(w->t, "depth");
		return NULL;
	}
	w->stack[w->depth] = (struct frame){ 0 };
	return &w->stack[w->depth++];
}

static bool open_struct(struct walk *w, const struct thrift_struct *table)
{
	struct frame *f = push(w);

	if (f == NULL)
		return false;
	f->is_struct = true;
	f->table = table;
	if (table != NULL)
		w->t->open(w->t->ctx, table, w->t->cursor.pos);
	return true;
}

static bool is_bool(unsigned type)
{
	return type == THRIFT_TRUE || type == THRIFT_FALSE;
}

static bool same_type(unsigned a, unsigned b)
{
	return a == b || (is_bool(a) && is_bool(b));
}

static bool open_list(struct walk *w, const struct thrift_field *field, const struct thrift_struct *in)
{
	struct frame *f = push(w);
	uint64_t n;
	uint8_t head;

	if (f == NULL)
		return false;
	if (!cur_u8(&w->t->cursor, &head))
		return wrong(w->t, "list");
	n = head >> 4;
	if (n == 15 && !read_varint(w->t, 32, &n))
		return false;
	if (n > cur_left(&w->t->cursor)) /* each takes a byte at least */
		return wrong(w->t, "list");
	f->types[0] = f->types[1] = head & 0xf;
	f->left = n;
	if (field == NULL)
		return true;
	f->field = field;
	f->in = in;
	return n == 0 || same_type(f->types[0], field->elements) || wrong(w->t, "elements");
}

/* No table has a map: they are passed over. */
static bool open_map(struct walk *w)
{
	struct frame *f = push(w);
	uint64_t n;
	uint8_t types;

	if (f == NULL || !read_varint(w->t, 32, &n))
		return false;
	if (n == 0)
		return true;
	if (n > cur_left(&w->t->cursor) / 2 || !cur_u8(&w->t->cursor, &types))
		return wrong(w->t, "map");
	f->types[0] = types & 0xf; /* in turn: that of the last is that of values */
	f->types[1] = types >> 4;
	f->left = 2 * n;
	return true;
}

/* -- values -- */

static void tell_number(
    struct walk *w, const struct thrift_field *field, const struct thrift_struct *in, int64_t number)
{
	struct thrift_value v = { .in = in, .number = number, .at = w->t->cursor.pos };

	if (field == NULL)
		return;
	v.id = field->id;
	w->t->value(w->t->ctx, &v);
}

static bool read_number(struct walk *w, unsigned bits, const struct thrift_field *field, const struct thrift_struct *in)
{
	int64_t number;

	if (!read_zigzag(w->t, bits, &number))
		return false;
	tell_number(w, field, in, number);
	return true;
}

static bool read_text(struct walk *w, const struct thrift_field *field, const struct thrift_struct *in)
{
	struct thrift_value v = { .in = in };
	uint64_t n;

	if (!read_varint(w->t, 32, &n))
		return false;
	v.at = w->t->cursor.pos;
	if (!cur_bytes(&w->t->cursor, n, &v.text))
		return wrong(w->t, "text");
	if (field != NULL) {
		v.id = field->id;
		w->t->value(w->t->ctx, &v);
	}
	return true;
}

/* @field: whose value it is, or an element of whose list; NULL: passed over. */
static bool read_value(struct walk *w, unsigned type, const struct thrift_field *field, const struct thrift_struct *in)
{
	struct thrift *t = w->t;
	uint8_t byte;

	switch (type) {
	case THRIFT_I8: /* and a bool in a list */
		if (!cur_u8(&t->cursor, &byte))
			return wrong(t, "number");
		tell_number(w, field, in, (int8_t)byte);
		return true;
	case THRIFT_I16: return read_number(w, 16, field, in);
	case THRIFT_I32: return read_number(w, 32, field, in);
	case THRIFT_I64: return read_number(w, 64, field, in);
	case THRIFT_DOUBLE: return cur_skip(&t->cursor, 8) || wrong(t, "number");
	case THRIFT_UUID: return cur_skip(&t->cursor, 16) || wrong(t, "number");
	case THRIFT_BINARY: return read_text(w, field, in);
	case THRIFT_LIST:
	case THRIFT_SET: return open_list(w, field, in);
	case THRIFT_MAP: return open_map(w);
	case THRIFT_STRUCT: return open_struct(w, field != NULL ? field->inner : NULL);
	default: return wrong(t, "type");
	}
}

/* -- structures -- */

static const struct thrift_field *find_field(const struct thrift_struct *table, int id)
{
	for (unsigned i = 0; table != NULL && i < table->n; i++)
		if (table->fields[i].id == id)
			return &table->fields[i];
	return NULL;
}

static bool has_required(const struct frame *f)
{
	for (unsigned i = 0; f->table != NULL && i < f->table->n; i++)
		if (f->table->fields[i].required && (f->seen >> f->table->fields[i].id & 1) == 0)
			return false;
	return true;
}

static bool close_struct(struct walk *w, const struct frame *f)
{
	if (!has_required(f))
		return wrong(w->t, "required field");
	if (f->table != NULL)
		w->t->close(w->t->ctx, f->table, w->t->cursor.pos);
	w->depth--;
	return true;
}

static bool read_id(struct walk *w, struct frame *f, unsigned delta)
{
	int64_t id = (int64_t)f->last + delta;

	if (delta == 0 && !read_zigzag(w->t, 16, &id))
		return false;
	if (id <= 0 || id > INT16_MAX)
		return wrong(w->t, "field");
	f->last = (int16_t)id;
	if (id > 63)
		return true;
	if ((f->seen >> id & 1) != 0)
		return wrong(w->t, "field twice");
	f->seen |= UINT64_C(1) << id;
	return true;
}

static bool read_field(struct walk *w, struct frame *f)
{
	const struct thrift_field *field;
	uint8_t head;

	if (!cur_u8(&w->t->cursor, &head))
		return wrong(w->t, "end");
	if (head == THRIFT_STOP)
		return close_struct(w, f);
	if (!read_id(w, f, head >> 4))
		return false;
	field = find_field(f->table, f->last);
	if (field != NULL && !same_type(head & 0xf, field->type)) {
		if (field->required)
			return wrong(w->t, "type of a field");
		field = NULL; /* somebody's own, by the same number: readers pass it over */
	}
	if (is_bool(head & 0xf)) {
		tell_number(w, field, f->table, (head & 0xf) == THRIFT_TRUE);
		return true;
	}
	return read_value(w, head & 0xf, field, f->table);
}

static bool read_element(struct walk *w, struct frame *f)
{
	unsigned type = f->types[f->left-- & 1];

	return read_value(w, is_bool(type) ? THRIFT_I8 : type, f->field, f->in);
}

bool thrift_read(struct thrift *t, const struct thrift_struct *root)
{
	struct walk w = { .t = t };

	if (!open_struct(&w, root))
		return false;
	while (w.depth > 0) {
		struct frame *f = &w.stack[w.depth - 1];

		if (f->is_struct) {
			if (!read_field(&w, f))
				return false;
		} else if (f->left == 0) {
			w.depth--;
		} else if (!read_element(&w, f)) {
			return false;
		}
	}
	return true;
}
