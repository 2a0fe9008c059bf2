/* PaddlePaddle's newer programs, which are JSON: {"base_code": {"magic": "pir", ...}, "program": {"regions": [...]}}.  Every
 * operator, type and attribute is an object that names itself under "#", as "dialect.name", dialects by number.  The names of
 * operators are looked up wherever such a name stands; what operators are given is not understood. */
#include "json_header.h"
#include "json_walk.h"
#include "paddle.h"
#include "paddle_ops.h"

#include <string.h>

#define PIR_NAME_MAX 128u

struct pir {
	struct json_header h;
	bool magic, program, bad;
	bool in_base; /* in base_code */
};

static struct bytes behind_dot(struct bytes name)
{
	const uint8_t *dot = name.n > 0 ? memchr(name.at, '.', name.n) : NULL;

	return dot != NULL ? bytes_of(dot + 1, name.n - (size_t)(dot + 1 - name.at)) : name;
}

/* Operators of other dialects than builtin, pd_op and cf are of a library, or of a machine of many. */
static bool is_foreign(struct bytes name)
{
	static const char *const own[] = { "0.", "1.", "2.", "builtin.", "pd_op.", "cf." };

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (bytes_begin_with(name, own[i]))
			return false;
	return memchr(name.at, '.', name.n) != NULL;
}

/* Names of types and attributes stand among those of operators: what no table has is not told for each of them. */
static void judge_name(struct pir *p, const struct json_text *value)
{
	uint8_t text[PIR_NAME_MAX];
	struct bytes rest = value->raw, name = bytes_of(text, json_decode(&rest, text, sizeof(text)));
	enum paddle_op_kind kind = name.n > 0 ? paddle_op_kind(behind_dot(name)) : PADDLE_OP_UNKNOWN_;
	enum wlk_finding code;

	if (kind == PADDLE_OP_UNKNOWN_ && name.n > 0 && !is_foreign(name))
		return;
	if (paddle_op_finding(kind, &code))
		header_fault(&p->h, code, header_text_at(&p->h, value), value, value_nothing, value_nothing);
}

static bool on_value(void *ctx, const struct json_value *v)
{
	struct pir *p = ctx;

	if (v->depth == 1) {
		p->bad =
		    p->bad || v->kind != JSON_OBJECT || !(json_is(v->key, "base_code") || json_is(v->key, "program"));
		p->in_base = json_is(v->key, "base_code");
		p->program = p->program || json_is(v->key, "program");
	}
	if (v->kind != JSON_STRING || v->key == NULL)
		return true;
	if (json_is(v->key, "#"))
		judge_name(p, &v->text);
	if (v->depth == 2 && p->in_base && json_is(v->key, "magic"))
		p->magic = json_is(&v->text, "pir");
	return true;
}

static void on_close(void *ctx, unsigned depth)
{
	(void)ctx, (void)depth;
}

/* json_file.c has told. */
static void on_twice(void *ctx, const struct json_text *key, size_t at)
{
	(void)ctx, (void)key, (void)at;
}

static enum wlk_status check(struct layout *l, struct bytes text)
{
	struct pir p = { .h = { .j = { .base = text.at, .p = text.at, .end = text.at + text.n }, .l = l } };
	const struct json_walker w = { .ctx = &p, .value = on_value, .close = on_close, .twice = on_twice };
	enum json_walk_end end = json_walk(l, text, &w, NULL);

	if (end == JSON_WALK_MEMORY)
		return layout_stop(l);
	if (end != JSON_WALK_WHOLE || !p.magic || !p.program || p.bad)
		layout_at(l, WLK_F_PADDLE_PIR, 0);
	layout_at(l, WLK_F_FORMAT_PARTLY_CHECKED, 0);
	return WLK_BROKEN;
}

const struct json_model json_model_paddle_pir = {
	.id = WLK_FORMAT_PADDLE_PIR, .keys = { "base_code", "program" }, .check = check
};
