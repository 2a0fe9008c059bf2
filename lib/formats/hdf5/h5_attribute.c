/* Attributes of an HDF5 file: section 4.3 of formats/keras-hdf5.  What Keras keeps in them is JSON; everything else is
 * only measured. */
#include <string.h>

#include "checked.h"
#include "h5.h"
#include "json_text.h"
#include "keras_config.h"

struct attribute {
	struct bytes name;
	struct h5_type type;
	struct h5_space space;
	uint64_t elements, bytes;
	struct cursor data;
	bool shared; /* its type or space is elsewhere: named, and not understood */
};

/* A part of the message, padded to eight bytes in version 1. */
static bool carve(struct cursor *c, uint64_t n, bool padded, struct cursor *ret)
{
	return cur_carve(c, n, ret) && (!padded || cur_skip(c, (8 - n % 8) % 8));
}

static bool read_frame(struct h5 *h, struct cursor *c, struct attribute *a, struct cursor *type, struct cursor *space)
{
	uint8_t version, flags;
	uint16_t name_n, type_n, space_n;
	struct cursor name;

	if (!cur_u8(c, &version) || version < 1 || version > 3 || !cur_u8(c, &flags) || !cur_u16le(c, &name_n) ||
	    !cur_u16le(c, &type_n) || !cur_u16le(c, &space_n) || (version == 3 && !cur_skip(c, 1)))
		return h5_break(h, WLK_F_H5_STRUCTURE, c->pos, "attribute");
	if (!carve(c, name_n, version == 1, &name) || !carve(c, type_n, version == 1, type) ||
	    !carve(c, space_n, version == 1, space) || name_n < 2 || !cur_bytes(&name, name_n, &a->name))
		return h5_break(h, WLK_F_H5_STRUCTURE, c->pos, "attribute");
	if (memchr(a->name.at, 0, a->name.n) != a->name.at + a->name.n - 1)
		return h5_break(h, WLK_F_H5_NAME, c->pos, "attribute");
	a->name.n--;
	if (utf8_check(a->name) < a->name.n)
		h5_finding(h, WLK_F_H5_NAME, c->pos, a->name);
	if (version > 1 && flags != 0) {
		h5_finding(h, WLK_F_H5_SHARED_MESSAGE, c->pos, a->name);
		h->unsupported = true;
		a->shared = true;
	}
	return true;
}

static bool measure(struct h5 *h, struct cursor *c, struct attribute *a)
{
	if (!h5_space_elements(&a->space, &a->elements) || !mul_u64(a->elements, a->type.bytes, &a->bytes))
		return h5_break(h, WLK_F_H5_SIZE_OVERFLOW, c->pos, "attribute");
	if (!cur_carve(c, a->bytes, &a->data))
		return h5_break(h, WLK_F_H5_SIZE_MISMATCH, c->pos, "attribute");
	return true;
}

/* -- strings of variable length: u32 length, u64 collection, u32 object -- */

#define REFERENCE_BYTES 16u

static bool read_reference(struct cursor *c, uint32_t *n, uint64_t *collection, uint32_t *index)
{
	return cur_u32le(c, n) && cur_u64le(c, collection) && cur_u32le(c, index);
}

/* Where a string lies: HDF5 copies all of the object to where it made room for the length.  Other sequences have to be long
 * enough.  *ret: NULL: it is empty, and nowhere. */
static bool read_place(struct h5 *h, const struct h5_type *t, struct cursor *c, uint32_t *n, struct h5_string **ret)
{
	uint64_t collection;
	uint32_t index;

	*ret = NULL;
	if (!read_reference(c, n, &collection, &index))
		return h5_break(h, WLK_F_H5_STRUCTURE, c->pos, "attribute");
	if (*n == 0 && (collection == 0 || collection == H5_UNDEFINED))
		return true;
	*ret = h5_find_global(h, collection, index);
	if (*ret == NULL)
		return false;
	if (t->vlen_string ? *n != (*ret)->n : *n > (*ret)->n)
		return h5_break(h, WLK_F_H5_HEAP, collection, "string");
	return (*ret)->used = true;
}

static bool check_references(struct h5 *h, const struct attribute *a)
{
	struct cursor c = a->data;

	for (uint64_t i = 0; i < a->elements; i++) {
		struct h5_string *s;
		uint32_t n;

		if (!read_place(h, &a->type, &c, &n, &s))
			return false;
	}
	return true;
}

/* -- configurations -- */

/* What Keras itself reads as JSON. */
static bool is_keras_config(struct bytes name)
{
	static const char *const names[] = { "model_config", "training_config", "keras_metadata" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (bytes_equal(name, bytes_of_text(names[i])))
			return true;
	}
	return false;
}

/* Section 3: attributes of any object whose name ends so. */
static bool is_config_name(struct bytes name)
{
	return bytes_end_with(name, "config") || is_keras_config(name);
}

/* A brace and a key: Python's dictionaries, say, begin otherwise. */
static bool is_like_json(struct bytes text)
{
	struct json j = { .base = text.at, .p = text.at, .end = text.at + text.n };

	return json_peek(&j) == '{' && json_expect(&j, '{') && json_peek(&j) == '"';
}

/* Other programs call theirs a config too: what does not begin like JSON is theirs.  Configurations that share bytes are
 * judged again and again: together they are no longer than the file. */
static bool judge_config(struct h5 *h, struct bytes name, struct bytes text, uint64_t at)
{
	enum wlk_status status;

	if (!is_keras_config(name) && !is_like_json(text))
		return true;
	h->config_bytes += text.n;
	if (h->config_bytes > h->l->part.size)
		return h5_break(h, WLK_F_H5_LIMIT, at, "configurations");
	status = keras_config_check(h->l, text, at);
	if (status == WLK_INCOMPLETE)
		h->stopped = true;
	h->unsupported = h->unsupported || status == WLK_BROKEN;
	return status != WLK_INCOMPLETE;
}

/* What one text is, if it is any of these. */
static bool judge_text(struct h5 *h, const struct attribute *a, struct bytes text, uint64_t at)
{
	return h5_check_pickled(h, text, at) && (!is_config_name(a->name) || judge_config(h, a->name, text, at));
}

static bool read_vlen_text(struct h5 *h, const struct attribute *a)
{
	struct cursor c = a->data;
	struct h5_string *s;
	uint8_t *text;
	uint64_t at;
	uint32_t n;
	bool read;

	if (!read_place(h, &a->type, &c, &n, &s))
		return false;
	at = s != NULL ? s->at : 0;
	text = h5_read(h, at, s != NULL ? n : 0, "string");
	if (text == NULL)
		return false;
	read = judge_text(h, a, bytes_of(text, n), at);
	h5_release(h, text);
	return read;
}

static bool read_fixed_text(struct h5 *h, const struct attribute *a)
{
	struct cursor c = a->data;
	struct bytes text;

	if (!cur_bytes(&c, a->bytes, &text))
		return h5_break(h, WLK_F_H5_STRUCTURE, c.pos, "attribute");
	while (text.n > 0 && text.at[text.n - 1] == 0) /* padded with NUL */
		text.n--;
	return judge_text(h, a, text, a->data.pos);
}

/* -- which are Keras' -- */

static void note_keras(struct h5 *h, struct bytes name)
{
	static const char *const marks[] = { "keras_version", "model_config", "layer_names", "training_config" };

	for (size_t i = 0; h->current == 0 && i < sizeof(marks) / sizeof(marks[0]); i++)
		h->keras = h->keras || bytes_equal(name, bytes_of_text(marks[i]));
}

static bool is_text(const struct attribute *a)
{
	return a->elements == 1 &&
	       (a->type.class == H5_STRING || (a->type.vlen_string && a->type.bytes == REFERENCE_BYTES));
}

/* Text, or numbers by their exact layout: what other types are made of nobody has read. */
static bool is_understood(const struct h5_type *t)
{
	return t->class == H5_STRING || t->dtype != WLK_DTYPE_NONE;
}

static bool judge(struct h5 *h, const struct attribute *a)
{
	note_keras(h, a->name);
	if (is_text(a))
		return a->type.class == H5_STRING ? read_fixed_text(h, a) : read_vlen_text(h, a);
	if (is_keras_config(a->name))
		h5_unsupported(h, a->data.pos, "a configuration that is no text");
	if (a->type.class == H5_VLEN) {
		if (a->type.bytes != REFERENCE_BYTES)
			return h5_break(h, WLK_F_H5_STRUCTURE, a->data.pos, "attribute");
		if (!a->type.vlen_string)
			h5_unsupported(h, a->data.pos, "attribute of variable length");
		return check_references(h, a);
	}
	if (a->type.class == H5_REFERENCE) {
		h5_finding(h, WLK_F_H5_REFERENCE, a->data.pos, a->name);
		h->unsupported = true;
	} else if (!is_understood(&a->type)) {
		h5_unsupported(h, a->data.pos, "attribute of another type");
	}
	return true;
}

bool h5_attribute_message(struct h5 *h, struct cursor *c, struct bytes *ret_name)
{
	struct attribute a = { 0 };
	struct cursor type, space;

	if (!read_frame(h, c, &a, &type, &space))
		return false;
	*ret_name = a.name;
	if (a.shared)
		return true;
	if (!h5_read_type(h, &type, &a.type) || !h5_read_space(h, &space, &a.space) || !measure(h, c, &a))
		return false;
	return judge(h, &a);
}
