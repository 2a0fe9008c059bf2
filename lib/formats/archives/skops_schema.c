/* The walk over skops' tree: see skops_schema.h.  The loaders (`__loader__`) are those of skops.io, protocols 0 to 2. */
#include "skops_schema.h"

#include "json_walk.h"
#include "skops_types.h"

/* What a loader does with the class that its node names. */
enum loader_act {
	ACT_MAKE,     /* makes an object of it, from what is in the node */
	ACT_CALL,     /* calls it with what is in the node: only plain data may be made so */
	ACT_NAME,     /* hands the class on */
	ACT_FUNCTION, /* hands a function on */
	ACT_PARTIAL,  /* a function with arguments to be called later */
	ACT_OPERATOR, /* calls operator.ANY: CVE-2025-54412 */
	ACT_METHOD,   /* any attribute of an object: CVE-2025-54413 */
	ACT_UNKNOWN,
};

static const struct {
	const char *name;
	enum loader_act act;
	enum skops_wants wants; /* of the member it names, if it names one */
} loaders[] = {
	{ "JsonNode", ACT_MAKE, 0 },
	{ "DictNode", ACT_MAKE, 0 },
	{ "DefaultDictNode", ACT_MAKE, 0 },
	{ "_DictWithDeprecatedKeysNode", ACT_MAKE, 0 },
	{ "ListNode", ACT_MAKE, 0 },
	{ "SetNode", ACT_MAKE, 0 },
	{ "TupleNode", ACT_MAKE, 0 },
	{ "SliceNode", ACT_MAKE, 0 },
	{ "BytesNode", ACT_MAKE, SKOPS_WANTS_BYTES },
	{ "BytearrayNode", ACT_MAKE, SKOPS_WANTS_BYTES },
	{ "NdArrayNode", ACT_MAKE, SKOPS_WANTS_ARRAY },
	{ "MaskedArrayNode", ACT_MAKE, 0 },
	{ "DTypeNode", ACT_MAKE, SKOPS_WANTS_ARRAY },
	{ "RandomStateNode", ACT_MAKE, 0 },
	{ "RandomGeneratorNode", ACT_MAKE, 0 },
	{ "SparseMatrixNode", ACT_MAKE, SKOPS_WANTS_ARRAYS },
	{ "ObjectNode", ACT_MAKE, 0 },
	{ "TreeNode", ACT_MAKE, 0 },
	{ "LossNode", ACT_MAKE, 0 },
	{ "ConstructorFromReduceNode", ACT_CALL, 0 },
	{ "TypeNode", ACT_NAME, 0 },
	{ "FunctionNode", ACT_FUNCTION, 0 },
	{ "PartialNode", ACT_PARTIAL, 0 },
	{ "OperatorFuncNode", ACT_OPERATOR, 0 },
	{ "MethodNode", ACT_METHOD, 0 },
};

/* A string of a node, decoded; longer ones are cut and are nobody's name. */
struct word {
	uint8_t at[SKOPS_NAME_MAX + 1];
	size_t n;
};

/* An object or array that is open, with what its members said so far. */
struct node {
	size_t at;
	bool is_array, odd; /* odd: a name that is no string */
	struct json_text module, name, loader, file, module_path, function;
	bool has_module, has_name, has_loader, has_file, has_module_path, has_function;
};

struct schema {
	struct layout *inner; /* of the text, for findings */
	const struct zip *z;
	uint8_t *wants;
	bool broken, protocol;
	unsigned nodes;
	struct node stack[JSON_DEPTH_MAX];
};

static struct word decode(const struct json_text *t)
{
	struct bytes raw = t->raw;
	struct word w;

	w.n = json_decode(&raw, w.at, sizeof(w.at));
	return w;
}

static struct bytes bytes_of_word(const struct word *w)
{
	return bytes_of(w->at, w->n);
}

static void tell(struct schema *s, enum wlk_finding code, const struct node *o, struct bytes subject)
{
	layout_finding(
	    s->inner, &(struct finding){ .code = code, .has_offset = true, .offset = o->at, .subject = subject });
}

static void spoil(struct schema *s, const struct node *o)
{
	tell(s, WLK_F_SKOPS_SCHEMA, o, bytes_of(NULL, 0));
	s->broken = true;
}

/* -- what a node names -- */

static void tell_standing(struct schema *s, const struct node *o, const struct word *module, const struct word *name,
    enum skops_standing standing, enum wlk_finding unlisted)
{
	uint8_t both[2 * SKOPS_NAME_MAX + 3];

	if (standing == SKOPS_TRUSTED)
		return;
	memcpy(both, module->at, module->n);
	both[module->n] = '.';
	memcpy(both + module->n + 1, name->at, name->n);
	tell(s, standing == SKOPS_DANGEROUS ? WLK_F_SKOPS_TYPE_DANGEROUS : unlisted, o,
	    bytes_of(both, module->n + 1 + name->n));
}

/* Being called is more than being made: the constructor runs. */
static enum skops_standing called_standing(struct bytes module, struct bytes name)
{
	enum skops_standing standing = skops_type_standing(module, name);

	return standing == SKOPS_TRUSTED && module.n > 7 && memcmp(module.at, "sklearn", 7) == 0 ? SKOPS_UNLISTED
												 : standing;
}

static void judge_function(
    struct schema *s, const struct node *o, const struct json_text *module, const struct json_text *name)
{
	struct word m = decode(module), n = decode(name);

	tell_standing(
	    s, o, &m, &n, skops_function_standing(bytes_of_word(&m), bytes_of_word(&n)), WLK_F_SKOPS_FUNCTION);
}

static void judge_type(struct schema *s, const struct node *o, enum loader_act act)
{
	struct word m = decode(&o->module), n = decode(&o->name);
	struct bytes module = bytes_of_word(&m), name = bytes_of_word(&n);

	tell_standing(s, o, &m, &n, act == ACT_CALL ? called_standing(module, name) : skops_type_standing(module, name),
	    WLK_F_SKOPS_TYPE_UNLISTED);
}

static void judge_loaded(struct schema *s, const struct node *o, enum loader_act act, const struct word *loader)
{
	switch (act) {
	case ACT_OPERATOR:
	case ACT_METHOD: tell(s, WLK_F_SKOPS_CALL_NODE, o, bytes_of_word(loader)); break;
	case ACT_PARTIAL: tell(s, WLK_F_SKOPS_PARTIAL, o, bytes_of_word(loader)); break;
	case ACT_FUNCTION: judge_function(s, o, &o->module, &o->name); break;
	case ACT_UNKNOWN:
		tell(s, WLK_F_SKOPS_LOADER_UNKNOWN, o, bytes_of_word(loader));
		judge_type(s, o, act);
		break;
	default: judge_type(s, o, act); break;
	}
}

/* -- the member it names -- */

static void note_file(struct schema *s, const struct node *o, enum skops_wants wants)
{
	struct word name = decode(&o->file);
	const struct zip_entry *e = name.n <= SKOPS_NAME_MAX ? zip_find(s->z, bytes_of_word(&name)) : NULL;

	if (e == NULL)
		tell(s, WLK_F_SKOPS_FILE_MISSING, o, bytes_of_word(&name));
	else
		s->wants[e - s->z->entries] |= (uint8_t)(wants != 0 ? wants : SKOPS_WANTS_BYTES);
}

/* -- a node -- */

static void judge_node(struct schema *s, const struct node *o)
{
	enum loader_act act = ACT_UNKNOWN;
	enum skops_wants wants = 0;
	struct word loader = { .n = 0 };

	if (o->has_module_path && o->has_function)
		judge_function(s, o, &o->module_path, &o->function); /* as protocol 0 names it, in the content */
	if (!o->has_module && !o->has_name && !o->has_loader && !o->odd)
		return;
	if (o->odd || !o->has_module || !o->has_name) {
		spoil(s, o);
		return;
	}
	s->nodes++;
	if (o->has_loader)
		loader = decode(&o->loader);
	for (size_t i = 0; i < sizeof(loaders) / sizeof(loaders[0]); i++)
		if (bytes_equal(bytes_of_word(&loader), bytes_of_text(loaders[i].name))) {
			act = loaders[i].act;
			wants = loaders[i].wants;
		}
	judge_loaded(s, o, act, &loader);
	if (o->has_file)
		note_file(s, o, wants);
}

/* -- the walk -- */

static bool take_name(struct node *o, const struct json_value *v)
{
	const struct {
		const char *key;
		struct json_text *text;
		bool *has;
		bool only; /* no other type has a place there */
	} names[] = {
		{ "__module__", &o->module, &o->has_module, true },
		{ "__class__", &o->name, &o->has_name, true },
		{ "__loader__", &o->loader, &o->has_loader, true },
		{ "file", &o->file, &o->has_file, false },
		{ "module_path", &o->module_path, &o->has_module_path, false },
		{ "function", &o->function, &o->has_function, false },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!json_is(v->key, names[i].key))
			continue;
		if (v->kind == JSON_STRING) {
			*names[i].text = v->text;
			*names[i].has = true;
		}
		return v->kind == JSON_STRING || !names[i].only;
	}
	return true;
}

static bool take_value(void *ctx, const struct json_value *v)
{
	struct schema *s = ctx;

	if (v->key != NULL && !take_name(&s->stack[v->depth - 1], v))
		s->stack[v->depth - 1].odd = true;
	if (v->depth == 1 && json_is(v->key, "protocol"))
		s->protocol = v->kind == JSON_NUMBER && v->number.plain;
	if (v->kind <= JSON_ARRAY)
		s->stack[v->depth] = (struct node){ .at = v->at, .is_array = v->kind == JSON_ARRAY };
	return true;
}

static void take_close(void *ctx, unsigned depth)
{
	struct schema *s = ctx;
	const struct node *o = &s->stack[depth];

	if (!o->is_array)
		judge_node(s, o);
	if (depth == 0 && (o->is_array || !o->has_loader || !s->protocol))
		spoil(s, o);
}

static void take_twice(void *ctx, const struct json_text *key, size_t at)
{
	struct schema *s = ctx;
	struct word name = decode(key);

	layout_finding(s->inner,
	    &(struct finding){
		.code = WLK_F_SKOPS_DUPLICATE_KEY, .has_offset = true, .offset = at, .subject = bytes_of_word(&name) });
	s->broken = true;
}

enum wlk_status skops_schema_check(
    struct layout *l, struct layout *inner, const struct zip *z, struct bytes text, uint8_t *wants)
{
	struct schema *s = arena_alloc(l->arena, 1, sizeof(*s));
	const struct json_walker walker = { .ctx = s, .value = take_value, .close = take_close, .twice = take_twice };
	enum json_walk_end end;
	size_t at;

	if (s == NULL)
		return layout_stop(l);
	s->inner = inner;
	s->z = z;
	s->wants = wants;
	end = json_walk(l, text, &walker, &at);
	if (end == JSON_WALK_MEMORY)
		return layout_stop(l);
	if (end != JSON_WALK_WHOLE || s->nodes == 0)
		layout_at(inner, WLK_F_SKOPS_SCHEMA, end != JSON_WALK_WHOLE ? at : 0);
	return end == JSON_WALK_WHOLE && s->nodes > 0 && !s->broken ? WLK_DONE : WLK_BROKEN;
}
