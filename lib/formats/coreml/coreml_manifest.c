/* The manifest of a Core ML package: which of its files is the model, and which are its weights.
 * {"fileFormatVersion": "1.0.0", "itemInfoEntries": {ID: {"author", "description", "name", "path"}, ...},
 *  "rootModelIdentifier": ID} */
#include "coreml.h"
#include "json_header.h"
#include "json_walk.h"

#define ITEMS_MAX 65536u

/* Names of the outermost object, and of an item. */
static const char *const parts[] = { "fileFormatVersion", "itemInfoEntries", "rootModelIdentifier" };
static const char *const item_parts[] = { "author", "description", "name", "path" };

struct manifest {
	struct json_header h;
	struct json_text root; /* an identifier */
	unsigned seen, item_seen;
	bool bad, stopped;
	struct json_text *ids; /* of the items */
	uint32_t n_ids, room;
};

static bool fault(struct manifest *m, const struct json_text *subject, uint64_t at, const char *found)
{
	static const struct json_text nobody = { .raw = { .n = 0 } };

	header_fault(
	    &m->h, WLK_F_COREML_MANIFEST, at, subject != NULL ? subject : &nobody, value_words(found), value_nothing);
	m->bad = true;
	return true;
}

/* The root may be given before or behind the items, so they are kept. */
static bool keep_id(struct manifest *m, const struct json_text *id)
{
	if (m->n_ids == m->room) {
		uint32_t room = m->room > 0 ? m->room * 2 : 64;
		struct json_text *ids =
		    room <= ITEMS_MAX ? arena_resize_raw(m->h.l->arena, m->ids, room, sizeof(*ids)) : NULL;

		m->stopped = ids == NULL;
		if (ids == NULL)
			return false;
		m->ids = ids;
		m->room = room;
	}
	m->ids[m->n_ids++] = *id;
	return true;
}

static void take_path(struct manifest *m, const struct json_text *path)
{
	uint8_t text[REPORT_STRING_MAX];
	struct bytes rest = path->raw;
	size_t n = json_decode(&rest, text, sizeof(text));

	if (rest.n > 0)
		fault(m, path, header_text_at(&m->h, path), "a long path");
	else
		coreml_check_path(m->h.l, bytes_of(text, n), header_text_at(&m->h, path));
}

static unsigned find(const struct json_text *key, const char *const *words, unsigned n)
{
	unsigned i = 0;

	while (i < n && !json_is(key, words[i]))
		i++;
	return i;
}

static bool take_part(struct manifest *m, const struct json_value *v)
{
	unsigned i = find(v->key, parts, 3);

	if (i == 3 || v->kind != (i == 1 ? JSON_OBJECT : JSON_STRING))
		return fault(m, v->key, v->at, i == 3 ? "an unknown key" : "another kind of value");
	m->seen |= 1u << i;
	if (i == 0 && !json_is(&v->text, "1.0.0"))
		return fault(m, v->key, v->at, "another version");
	if (i == 2)
		m->root = v->text;
	return true;
}

static bool take_item_part(struct manifest *m, const struct json_value *v)
{
	unsigned i = find(v->key, item_parts, 4);

	if (i == 4 || v->kind != JSON_STRING)
		return fault(m, v->key, v->at, i == 4 ? "an unknown key" : "another kind of value");
	m->item_seen |= 1u << i;
	if (i == 3)
		take_path(m, &v->text);
	return true;
}

static bool on_value(void *ctx, const struct json_value *v)
{
	struct manifest *m = ctx;

	switch (v->depth) {
	case 0: return true; /* it has names, so it is an object */
	case 1: return take_part(m, v);
	case 2:
		m->item_seen = 0;
		return v->key != NULL && v->kind == JSON_OBJECT ? keep_id(m, v->key)
								: fault(m, v->key, v->at, "no object");
	case 3: return take_item_part(m, v);
	default: return fault(m, v->key, v->at, "nested");
	}
}

static void on_close(void *ctx, unsigned depth)
{
	struct manifest *m = ctx;

	if (depth == 2 && m->item_seen != 0xf)
		fault(m, m->n_ids > 0 ? &m->ids[m->n_ids - 1] : NULL, 0, "a key is missing");
}

/* json_file.c has told. */
static void on_twice(void *ctx, const struct json_text *key, size_t at)
{
	(void)ctx, (void)key, (void)at;
}

/* The model is one of the items. */
static void check_root(struct manifest *m)
{
	uint32_t i = 0;

	while (i < m->n_ids && !json_text_equal(&m->ids[i], &m->root))
		i++;
	if (i == m->n_ids)
		fault(m, &m->root, header_text_at(&m->h, &m->root), "no such item");
}

static enum wlk_status check(struct layout *l, struct bytes text)
{
	struct manifest m = { .h = { .j = { .base = text.at, .p = text.at, .end = text.at + text.n }, .l = l } };
	const struct json_walker w = { .ctx = &m, .value = on_value, .close = on_close, .twice = on_twice };
	enum json_walk_end end = json_walk(l, text, &w, NULL);

	if (end == JSON_WALK_MEMORY || m.stopped)
		return layout_stop(l);
	if (m.seen != 7)
		fault(&m, NULL, 0, "a key is missing");
	else
		check_root(&m);
	return end == JSON_WALK_WHOLE && !m.bad ? WLK_DONE : WLK_BROKEN;
}

const struct json_model json_model_coreml_manifest = {
	.id = WLK_FORMAT_COREML_MANIFEST, .keys = { "itemInfoEntries" }, .check = check
};
