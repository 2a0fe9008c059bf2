/* The graph of a program, as JSON (torch/_export/serde/schema.py).  What the loader evaluates, looks up or imports is known by its
 * key wherever it stands: what nodes call, expressions of sizes, guards, and trees of arguments.  Everything else is names and
 * numbers.  Whether the nodes fit each other is for the loader to find.  Follows formats/pt2, rules 3 and 5 to 7. */
#include "pt2_impl.h"

#include "config_rules.h"

struct program {
	struct layout *l, *inner;
	bool in_guards;     /* in the list of guards, which lies at this depth: */
	unsigned guards_at; /* (a text in it has no key) */
	bool graph, broken;
	bool spent; /* the arena is */
};

static void tell(struct program *p, enum wlk_finding code, size_t at, struct bytes text)
{
	layout_finding(p->inner,
	    &(struct finding){ .code = code,
		.has_offset = true,
		.offset = at,
		.subject = bytes_of(text.at, text.n < REPORT_STRING_MAX ? text.n : REPORT_STRING_MAX),
		.found = value_text(bytes_of(text.at, text.n < REPORT_STRING_MAX ? text.n : REPORT_STRING_MAX)) });
}

/* Its characters, in the arena; .at is NULL when that is spent. */
static struct bytes decode(struct program *p, const struct json_text *t)
{
	uint8_t *to = arena_alloc(p->l->arena, t->raw.n + 1, 1);
	struct bytes raw = t->raw;

	if (to == NULL)
		return bytes_of(NULL, 0);
	return bytes_of(to, json_decode(&raw, to, t->raw.n + 1));
}

/* -- trees of arguments: JSON in the text -- */

static const char *const types[] = { "builtins.tuple", "builtins.list", "builtins.dict", "collections.OrderedDict" };

static bool is_plain_type(const struct json_text *t)
{
	static const char returns[] = "torch.return_types.";

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!t->escaped && bytes_equal(t->raw, bytes_of_text(types[i])))
			return true;
	return !t->escaped && t->raw.n > sizeof(returns) - 1 && memcmp(t->raw.at, returns, sizeof(returns) - 1) == 0;
}

/* Keys: no object, however its bracket is written. */
static bool is_plain_context(struct bytes raw)
{
	for (size_t i = 0; i < raw.n; i++)
		if (raw.at[i] == '{' || (i > 0 && raw.at[i] == 'u' && raw.at[i - 1] == '\\'))
			return false;
	return true;
}

static bool is_null(const struct json_value *v)
{
	return v->kind == JSON_WORD && v->word == 'n';
}

/* A type is listed; what belongs to it are keys and no objects, for which Python's enumerations stand. */
static bool take_tree_value(void *ctx, const struct json_value *v)
{
	struct program *p = ctx;

	if (json_is(v->key, "type"))
		p->broken |= !is_null(v) && (v->kind != JSON_STRING || !is_plain_type(&v->text));
	else if (json_is(v->key, "context"))
		p->broken |= !is_null(v) && (v->kind != JSON_STRING || !is_plain_context(v->text.raw));
	else
		p->broken |= v->key != NULL && !(json_is(v->key, "children_spec") && v->kind == JSON_ARRAY);
	return true;
}

static void take_tree_close(void *ctx, unsigned depth)
{
	(void)ctx;
	(void)depth;
}

static void take_tree_twice(void *ctx, const struct json_text *key, size_t at)
{
	struct program *p = ctx;

	(void)key;
	(void)at;
	p->broken = true;
}

static void judge_tree(struct program *p, struct bytes text, size_t at)
{
	struct program tree = { .l = p->l };
	const struct json_walker walker = {
		.ctx = &tree, .value = take_tree_value, .close = take_tree_close, .twice = take_tree_twice
	};

	if (json_walk(p->l, text, &walker, NULL) != JSON_WALK_WHOLE || tree.broken)
		tell(p, WLK_F_PT2_TREE, at, text);
}

/* -- the graph -- */

static void judge_operator(struct program *p, struct bytes text, size_t at)
{
	enum pt2_text what = pt2_operator(text);

	if (what == PT2_ACTS)
		config_check_target(p->inner, text, at);
	if (what != PT2_HARMLESS)
		tell(p, WLK_F_PT2_OPERATOR, at, text);
}

static void judge_expression(struct program *p, struct bytes text, size_t at)
{
	switch (pt2_expression(text)) {
	case PT2_HARMLESS: break;
	case PT2_UNLISTED: tell(p, WLK_F_PT2_EXPRESSION_UNLISTED, at, text); break;
	case PT2_ACTS: tell(p, WLK_F_PT2_EXPRESSION, at, text); break;
	}
}

static void judge_text(struct program *p, const struct json_value *v)
{
	bool called = json_is(v->key, "target") || json_is(v->key, "as_operator");
	bool expression = json_is(v->key, "expr_str") || (v->key == NULL && p->in_guards);
	bool tree = json_is(v->key, "in_spec") || json_is(v->key, "out_spec");
	struct bytes text;

	if (!called && !expression && !tree)
		return;
	text = decode(p, &v->text);
	if (text.at == NULL)
		p->spent = true;
	else if (called)
		judge_operator(p, text, v->at);
	else if (expression)
		judge_expression(p, text, v->at);
	else
		judge_tree(p, text, v->at);
}

static bool take_value(void *ctx, const struct json_value *v)
{
	struct program *p = ctx;

	p->graph |= v->depth == 1 && json_is(v->key, "graph_module") && v->kind == JSON_OBJECT;
	if (!p->in_guards && json_is(v->key, "guards_code")) {
		p->in_guards = true;
		p->guards_at = v->depth;
		p->broken |= v->kind != JSON_ARRAY;
	}
	if (v->kind == JSON_STRING)
		judge_text(p, v);
	return true;
}

static void take_close(void *ctx, unsigned depth)
{
	struct program *p = ctx;

	if (p->in_guards && depth == p->guards_at)
		p->in_guards = false;
}

static void take_twice(void *ctx, const struct json_text *key, size_t at)
{
	struct program *p = ctx;

	tell(p, WLK_F_PT2_STRUCTURE, at, key->raw);
	p->broken = true;
}

enum wlk_status pt2_walk(
    struct layout *l, const struct zip_entry *e, uint64_t limit, const struct json_walker *walker, struct layout *inner)
{
	enum json_walk_end end;
	enum wlk_status status;
	struct bytes text;
	size_t at;

	status = zip_read_text(l, e, limit, WLK_F_PT2_STRUCTURE, inner, &text);
	if (status != WLK_DONE || text.at == NULL)
		return status;
	layout_raise_memory(l, 2 * text.n); /* texts that are looked into */
	end = json_walk(l, text, walker, &at);
	if (end == JSON_WALK_MEMORY)
		return layout_stop(l);
	if (end != JSON_WALK_WHOLE)
		layout_at(inner, WLK_F_PT2_STRUCTURE, at);
	e->member->understood = end == JSON_WALK_WHOLE && text.n == e->size;
	return WLK_DONE;
}

enum wlk_status pt2_program_judge(struct layout *l, const struct zip_entry *e)
{
	struct layout inner;
	struct program p = { .l = l, .inner = &inner };
	const struct json_walker walker = { .ctx = &p, .value = take_value, .close = take_close, .twice = take_twice };
	enum wlk_status status = pt2_walk(l, e, PT2_PROGRAM_MAX, &walker, &inner);

	if (status != WLK_DONE || !e->member->understood)
		return status;
	if (p.spent)
		return layout_stop(l);
	if (!p.graph || p.broken)
		zip_report_entry(l, e, WLK_F_PT2_STRUCTURE);
	e->member->understood = p.graph && !p.broken;
	return WLK_DONE;
}
