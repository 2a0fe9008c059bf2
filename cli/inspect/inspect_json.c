/* See inspect.h.  Texts are escaped as everywhere in verdicts; bytes are hexadecimal digits. */
#include "inspect.h"

#include "cleanup.h"
#include "escape.h"
#include "hex.h"
#include "json_line.h"
#include "part.h"
#include "verdict.h"

#define SHOWN_MAX 1024

static const char *const range_kinds[VIEW_N_RANGE_KINDS] = {
	[VIEW_RANGE_HEADER] = "header",
	[VIEW_RANGE_TENSOR] = "tensor",
	[VIEW_RANGE_PADDING] = "padding",
	[VIEW_RANGE_MEMBER] = "member",
	[VIEW_RANGE_METADATA] = "metadata",
	[VIEW_RANGE_UNEXPLAINED] = "unexplained",
	[VIEW_RANGE_UNLISTED] = "unlisted",
};

/* Without memory jansson sets nothing: the document then lacks a member, and its maker looks for that once. */
struct making {
	bool failed;
};

static void put(struct making *m, json_t *object, const char *key, json_t *value)
{
	m->failed |= json_object_set_new(object, key, value) < 0;
}

static json_t *shown(struct bytes b, bool escaped_itself)
{
	char text[4 * SHOWN_MAX + 1];

	return json_string(escaped_itself ? text_show(b, text, sizeof(text)) : text_escape(b, text, sizeof(text)));
}

static void put_place(struct making *m, json_t *o, const struct view_record *v)
{
	put(m, o, offset_is_decoded(v->offset) ? "member_offset" : "offset", json_from_number(offset_bare(v->offset)));
	if (v->member.n > 0)
		put(m, o, "member", shown(v->member, false));
}

static json_t *range_json(struct making *m, const struct view_record *v)
{
	json_t *o = json_object();

	put(m, o, "kind", json_string(range_kinds[v->a]));
	if (v->b != WLK_DTYPE_NONE)
		put(m, o, "dtype", json_string(dtype_info((enum wlk_dtype)v->b)->name));
	put(m, o, "offset", json_from_number(v->offset));
	put(m, o, "length", json_from_number(v->length));
	put(m, o, "extents", json_from_number(v->number));
	return o;
}

static json_t *member_json(struct making *m, const struct view_record *v)
{
	json_t *o = json_object();

	put(m, o, "path", shown(v->member, false));
	if (!offset_is_decoded(v->offset))
		put(m, o, "offset", json_from_number(v->offset));
	put(m, o, "length", json_from_number(v->length));
	put(m, o, "size", v->number == UINT64_MAX ? json_null() : json_from_number(v->number));
	put(m, o, "coding", shown(v->text, false));
	put(m, o, "format",
	    v->a == WLK_FORMAT_UNKNOWN ? json_null() : json_string(format_info((enum wlk_format_id)v->a)->name));
	put(m, o, "understood", json_boolean(v->b));
	return o;
}

static json_t *bytes_json(struct making *m, const struct view_record *v)
{
	json_t *o = json_object();
	char digits[2 * REPORT_STRING_MAX + 1];

	put_place(m, o, v);
	hex_write(v->text.at, v->text.n, digits);
	put(m, o, "hex", json_string(digits));
	return o;
}

static json_t *opcode_json(struct making *m, const struct view_record *v)
{
	json_t *o = json_object();

	put_place(m, o, v);
	put(m, o, "text", shown(v->text, true));
	put(m, o, "calls", json_boolean(v->a));
	return o;
}

static json_t *list_json(struct making *m, const struct facts *f, enum view_kind kind,
    json_t *(*item)(struct making *m, const struct view_record *v))
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->n_views; i++)
		if (f->views[i].kind == kind)
			m->failed |= json_array_append_new(list, item(m, &f->views[i])) < 0;
	return list;
}

static void put_views(struct making *m, json_t *o, const struct facts *f)
{
	put(m, o, "members", list_json(m, f, VIEW_MEMBER, member_json));
	put(m, o, "map", list_json(m, f, VIEW_RANGE, range_json));
	put(m, o, "bytes", list_json(m, f, VIEW_BYTES, bytes_json));
	put(m, o, "opcodes", list_json(m, f, VIEW_OPCODE, opcode_json));
}

json_t *inspect_json(json_t *verdict, const struct facts *f)
{
	struct making m = { .failed = false };
	json_t *o = json_object();

	put(&m, o, "schema", json_string("weighlock.inspect/1"));
	put(&m, o, "verdict", json_incref(verdict));
	put_views(&m, o, f);
	if (!m.failed)
		return o;
	json_decref(o);
	return NULL;
}

json_t *inspect_views(const struct facts *f, bool calls)
{
	struct making m = { .failed = false };
	json_t *o = json_object(), *made = NULL;
	_cleanup_(freep) char *text = NULL;

	put_views(&m, o, f);
	if (!calls) /* they hold what would be called */
		(void)json_object_del(o, "opcodes");
	text = m.failed ? NULL : json_line(o, JSON_COMPACT | JSON_ENSURE_ASCII);
	if (text != NULL)
		made = json_string(text);
	json_decref(o);
	return made;
}
