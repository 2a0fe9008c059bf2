/* Values of a JSON text: see json_walk.h. */
#include "json_walk.h"

#define NAME_BYTES 32u /* of memory for each, besides its bucket */
#define IS_ARRAY UINT32_MAX

struct walk {
	struct json j;
	const struct json_walker *w;
	struct scoped_names names;
	uint32_t base[JSON_DEPTH_MAX]; /* of an object's names in the table */
	unsigned depth;
	bool enough;
};

static bool in_object(const struct walk *k)
{
	return k->depth > 0 && k->base[k->depth - 1] != IS_ARRAY;
}

static void note_name(struct walk *k, const struct json_text *key)
{
	uint32_t base = k->base[k->depth - 1];
	struct scoped_name name = { json_text_hash(key, &k->names.keys[0]), json_text_hash(key, &k->names.keys[1]) };
	size_t at = (size_t)(key->raw.at - k->j.base);

	if (scoped_names_find(&k->names, name, 1u << SCOPED_KEY, base) != NULL)
		k->w->twice(k->w->ctx, key, at);
	scoped_names_add(&k->names, name, SCOPED_KEY, at);
}

static bool read_scalar(struct walk *k, struct json_value *v)
{
	uint8_t first = json_peek(&k->j);

	v->at = json_at(&k->j);
	if (first == '"') {
		v->kind = JSON_STRING;
		return json_read_string(&k->j, &v->text);
	}
	v->kind = JSON_WORD;
	v->word = first;
	if (first == 't' || first == 'f' || first == 'n')
		return json_literal(&k->j, first == 't' ? "true" : first == 'f' ? "false" : "null");
	v->kind = JSON_NUMBER;
	return json_number(&k->j, &v->number);
}

static bool open_value(struct walk *k, struct json_value *v)
{
	if (k->depth == JSON_DEPTH_MAX)
		return json_fail(&k->j, JSON_DEPTH, k->j.p);
	v->at = json_at(&k->j);
	k->j.p++;
	k->base[k->depth++] = v->kind == JSON_ARRAY ? IS_ARRAY : k->names.n;
	return true;
}

static void close_value(struct walk *k)
{
	uint32_t base = k->base[--k->depth];

	if (base != IS_ARRAY)
		scoped_names_cut(&k->names, base);
	k->w->close(k->w->ctx, k->depth);
}

/* What closes behind a value that is complete, or the comma. */
static bool after_value(struct walk *k)
{
	bool more = false;

	while (k->depth > 0 && !more) {
		if (!json_more(&k->j, in_object(k) ? '}' : ']', &more))
			return false;
		if (!more)
			close_value(k);
	}
	return true;
}

/* A value, with its name; what is opened is read by the next calls. */
static bool read_value(struct walk *k)
{
	struct json_value v = { .depth = k->depth };
	struct json_text key;
	uint8_t first;

	if (in_object(k)) {
		if (!json_key(&k->j, &key))
			return false;
		note_name(k, &key);
		v.key = &key;
	}
	first = json_peek(&k->j);
	v.kind = first == '[' ? JSON_ARRAY : JSON_OBJECT;
	if (first != '{' && first != '[' ? !read_scalar(k, &v) : !open_value(k, &v))
		return false;
	k->enough = !k->w->value(k->w->ctx, &v);
	if (k->enough || v.kind > JSON_ARRAY)
		return k->enough || after_value(k);
	if (json_any(&k->j, v.kind == JSON_ARRAY ? ']' : '}'))
		return true;
	close_value(k);
	return after_value(k);
}

static bool read_all(struct walk *k)
{
	do {
		if (!read_value(k) || k->names.failed)
			return false;
	} while (k->depth > 0 && !k->enough);
	json_space(&k->j);
	return k->enough || k->j.p == k->j.end || json_fail(&k->j, JSON_SYNTAX, k->j.p);
}

enum json_walk_end json_walk(struct layout *l, struct bytes text, const struct json_walker *w, size_t *ret_at)
{
	struct walk k = { .j = { .base = text.at, .p = text.at, .end = text.at + text.n }, .w = w };
	size_t good = utf8_check(text);
	bool whole;

	if (ret_at != NULL)
		*ret_at = good;
	if (good != text.n)
		return JSON_WALK_SYNTAX;
	/* No name takes fewer than five bytes of text, its value included; tables grow by doubling. */
	layout_raise_memory(l, (uint64_t)text.n / 5 * 4 * (NAME_BYTES + 8));
	scoped_names_init(&k.names, l->arena, &l->seed);
	whole = read_all(&k);
	arena_release(l->arena, k.names.list);
	arena_release(l->arena, k.names.buckets);
	if (ret_at != NULL)
		*ret_at = k.j.err_at;
	if (k.names.failed)
		return JSON_WALK_MEMORY;
	if (whole)
		return k.enough ? JSON_WALK_ENOUGH : JSON_WALK_WHOLE;
	return k.j.err == JSON_DEPTH ? JSON_WALK_DEPTH : JSON_WALK_SYNTAX;
}
