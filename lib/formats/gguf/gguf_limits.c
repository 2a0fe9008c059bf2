/* Limits of the metadata's numbers: see gguf_limits.h. */
#include "gguf_limits.h"

#include "checked.h"

#define VALUES_MAX 4096u /* of an array; of a longer one the length is known and no more */
#define WORD_MAX 32u
#define VIRTUAL_MAX 2u

struct value_of {
	const struct gguf_limits_kept *kept; /* NULL: the file has none */
	const int64_t *values;               /* NULL: not read yet, or unknown */
	bool read;
};

struct check {
	struct gguf_limits *g;
	struct layout *l;
	struct value_of *of; /* by the table's number of the key */
	int64_t virtual_value[VIRTUAL_MAX];
	bool known; /* the architecture */
	bool failed;
};

/* -- while keys go by -- */

void gguf_limits_key(struct gguf_kv *kv, struct bytes key)
{
	const uint8_t *dot = memchr(key.at, '.', key.n);
	size_t before;

	kv->limit = limits_gguf_find(key, false);
	kv->limit_prefix = 0;
	if (kv->limit < limits_gguf_n_keys || dot == NULL)
		return;
	before = (size_t)(dot - key.at);
	kv->limit = limits_gguf_find(bytes_of(dot + 1, key.n - before - 1), true);
	kv->limit_prefix = siphash13(key.at, before, &kv->l->seed) | 1;
}

bool gguf_limits_keep(struct gguf_limits *g, const struct gguf_kv *kv, uint64_t n)
{
	if (kv->limit >= limits_gguf_n_keys)
		return true;
	if (g->n == g->room) {
		size_t room = g->room > 0 ? 2 * g->room : 64;
		struct gguf_limits_kept *list = arena_resize_raw(kv->l->arena, g->list, room, sizeof(*list));

		if (list == NULL)
			return false;
		g->list = list;
		g->room = room;
	}
	g->list[g->n++] = (struct gguf_limits_kept){ .at = kv->value_at,
		.n = n,
		.prefix = kv->limit_prefix,
		.key = (uint16_t)kv->limit,
		.type = (uint8_t)kv->type,
		.is_array = kv->is_array };
	return true;
}

void gguf_limits_architecture(struct gguf_limits *g, struct bytes name)
{
	if (name.n > sizeof(g->architecture_at))
		return; /* longer than any that is known */
	memcpy(g->architecture_at, name.at, name.n);
	g->architecture = bytes_of(g->architecture_at, name.n);
}

/* -- values -- */

static int64_t from_unsigned(uint64_t n)
{
	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

/* Away from zero, so that what is not 0 does not become it. */
static int64_t from_real(double d)
{
	if (!(d > -9e18 && d < 9e18)) /* not a number either: it has a finding of its own */
		return d < 0 ? INT64_MIN : INT64_MAX;
	if (d > 0 && (double)(int64_t)d < d)
		return (int64_t)d + 1;
	return d < 0 && (double)(int64_t)d > d ? (int64_t)d - 1 : (int64_t)d;
}

static int64_t number_of(enum gguf_value_type type, const uint8_t *at)
{
	uint64_t wide = 0;
	float f;
	double d;

	memcpy(&wide, at, gguf_value_bytes(type));
	switch (type) {
	case GGUF_I8: return (int8_t)wide;
	case GGUF_I16: return (int16_t)wide;
	case GGUF_I32: return (int32_t)wide;
	case GGUF_I64: return (int64_t)wide;
	case GGUF_F32: memcpy(&f, at, sizeof(f)); return from_real((double)f);
	case GGUF_F64: memcpy(&d, at, sizeof(d)); return from_real(d);
	default: return from_unsigned(wide);
	}
}

/* Which of the words it is; -1: none. */
static int64_t word_of(const char *words, struct bytes text)
{
	int64_t i = 0;

	for (const char *at = words, *end; *at != '\0'; at = end + (*end == ','), i++) {
		end = at + strcspn(at, ",");
		if (bytes_equal(bytes_of(at, (size_t)(end - at)), text))
			return i;
	}
	return -1;
}

static bool read_text(struct check *c, const struct gguf_limits_kept *k, int64_t *ret)
{
	uint8_t text[WORD_MAX];
	const char *words = limits_gguf_keys[k->key].words;

	*ret = -1;
	if (k->n > sizeof(text) || words == NULL)
		return true;
	if (!part_read_guarded(&c->l->part, k->at, text, (size_t)k->n))
		return false;
	*ret = word_of(words, bytes_of(text, (size_t)k->n));
	return true;
}

static bool read_values(struct check *c, const struct gguf_limits_kept *k, int64_t *ret)
{
	size_t width = gguf_value_bytes((enum gguf_value_type)k->type), n = k->is_array ? (size_t)k->n : 1;
	uint8_t bytes[64 * sizeof(uint64_t)];

	for (size_t i = 0, piece; i < n; i += piece) {
		piece = (size_t)min_u64(n - i, 64);
		if (!part_read_guarded(&c->l->part, k->at + i * width, bytes, piece * width))
			return false;
		for (size_t e = 0; e < piece; e++)
			ret[i + e] = number_of((enum gguf_value_type)k->type, bytes + e * width);
	}
	return true;
}

static bool is_readable(const struct gguf_limits_kept *k)
{
	return k->is_array ? k->type != GGUF_STRING && k->n <= VALUES_MAX : true;
}

/* Once for each key. */
static void load(struct check *c, struct value_of *v)
{
	size_t n = v->kept->is_array ? (size_t)v->kept->n : 1;
	int64_t *values = arena_alloc(c->l->arena, n > 0 ? n : 1, sizeof(*values));

	v->read = true;
	if (values == NULL ||
	    !(v->kept->type == GGUF_STRING ? read_text(c, v->kept, values) : read_values(c, v->kept, values)))
		c->failed = true;
	else
		v->values = values;
}

static bool find_key(struct check *c, size_t key, struct limits_operand *ret)
{
	struct value_of *v = &c->of[key];

	if (v->kept == NULL)
		return false;
	if (!v->read && is_readable(v->kept))
		load(c, v);
	ret->is_list = v->kept->is_array;
	ret->n = v->kept->is_array ? (size_t)v->kept->n : 1;
	ret->values = v->values;
	ret->values_known = v->values != NULL;
	ret->is_integer = v->kept->type != GGUF_F32 && v->kept->type != GGUF_F64;
	return true;
}

static size_t key_of(const char *name)
{
	return limits_gguf_find(bytes_of_text(name), true);
}

static bool largest_of(struct check *c, const char *name, int64_t *ret)
{
	struct limits_operand o = { 0 };

	if (!find_key(c, key_of(name), &o) || !o.values_known || o.n == 0)
		return false;
	*ret = o.values[0];
	for (size_t i = 1; i < o.n; i++)
		*ret = o.values[i] > *ret ? o.values[i] : *ret;
	return true;
}

/* Heads differ in hybrids: the longest is that of the layer with the fewest. */
static bool fewest_heads(struct check *c, int64_t *ret)
{
	struct limits_operand o = { 0 };

	*ret = INT64_MAX;
	if (!find_key(c, key_of("attention.head_count"), &o) || !o.values_known)
		return false;
	for (size_t i = 0; i < o.n; i++)
		if (o.values[i] > 0 && o.values[i] < *ret)
			*ret = o.values[i];
	return *ret < INT64_MAX;
}

static bool head_length(struct check *c, int64_t *ret)
{
	int64_t heads, width, other;
	bool known = largest_of(c, "attention.key_length", ret);

	if (fewest_heads(c, &heads) && largest_of(c, "embedding_length", &width)) {
		*ret = !known || width / heads > *ret ? width / heads : *ret;
		known = true;
	}
	if (known && largest_of(c, "attention.key_length_swa", &other))
		*ret = other > *ret ? other : *ret;
	return known;
}

static bool layers_less(struct check *c, int64_t *ret)
{
	int64_t more = 0;

	if (!largest_of(c, "block_count", ret))
		return false;
	return !largest_of(c, "nextn_predict_layers", &more) || !__builtin_sub_overflow(*ret, more, ret);
}

static bool resampler(struct check *c, int64_t *ret)
{
	struct limits_operand o = { 0 };

	*ret = -1; /* not said: not this one */
	if (find_key(c, limits_gguf_find(bytes_of_text("clip.projector_type"), false), &o) && o.values_known &&
	    o.n == 1)
		*ret = o.values[0];
	return true;
}

static bool find_virtual(struct check *c, size_t which, int64_t *ret)
{
	switch (which) {
	case LIMITS_GGUF_TOKENS: *ret = from_unsigned(c->g->tokens); return c->g->tokens_known;
	case LIMITS_GGUF_HEAD_LENGTH: return head_length(c, ret);
	case LIMITS_GGUF_LAYERS_LESS: return layers_less(c, ret);
	default: return resampler(c, ret);
	}
}

static bool find(void *ctx, const struct limits_name *name, struct limits_operand *ret)
{
	struct check *c = ctx;
	size_t key = (size_t)name->input, slot = key % VIRTUAL_MAX;

	if (key < limits_gguf_n_keys)
		return find_key(c, key, ret);
	if (!find_virtual(c, key - limits_gguf_n_keys, &c->virtual_value[slot]))
		return false;
	ret->values = &c->virtual_value[slot];
	ret->n = 1;
	ret->values_known = ret->is_integer = true;
	return true;
}

/* -- the rules -- */

static void tell(const struct check *c, const struct limits_gguf_rule *rule, const struct limits_term *t, int64_t found)
{
	const char *name = limits_gguf_keys[rule->key].name;

	layout_finding(c->l, &(struct finding){ .code = t->mild ? WLK_F_GGUF_RUNTIME_RANGE : WLK_F_GGUF_RUNTIME_LIMIT,
				 .has_offset = true,
				 .offset = c->of[rule->key].kept->at,
				 .subject = bytes_of_text(name + (name[0] == '*' ? 2 : 0)),
				 .found = value_number((uint64_t)found),
				 .allowed = value_text(bytes_of_text(t->text)) });
}

static void judge(struct check *c, const struct limits_gguf_rule *rule)
{
	const struct limits_env env = { .find = find, .ctx = c };
	int64_t found;

	for (unsigned i = 0; i < rule->rule.n_terms; i++)
		if (limits_judge(&rule->rule.terms[i], &env, &found) == LIMITS_FAILS && !c->failed)
			tell(c, rule, &rule->rule.terms[i], found);
}

static bool applies(const struct check *c, const struct limits_gguf_rule *rule)
{
	if (c->of[rule->key].kept == NULL)
		return false;
	if (rule->architectures != NULL && !rule->but)
		return limits_gguf_names(rule->architectures, c->g->architecture);
	if (c->of[rule->key].kept->prefix != 0 && !c->known)
		return false;
	return rule->architectures == NULL || !limits_gguf_names(rule->architectures, c->g->architecture);
}

/* Keys of this architecture, and those of everybody. */
static void choose(struct check *c)
{
	const struct gguf_limits *g = c->g;
	bool model = !g->adapter && g->architecture.n > 0;
	uint64_t prefix = model ? siphash13(g->architecture.at, g->architecture.n, &c->l->seed) | 1 : 0;

	for (size_t i = 0; i < g->n; i++)
		if (g->list[i].prefix == 0 || (model && g->list[i].prefix == prefix))
			c->of[g->list[i].key].kept = &g->list[i];
}

enum wlk_status gguf_limits_check(struct gguf_limits *g, struct layout *l)
{
	struct check c = { .g = g, .l = l };

	if (g->n == 0)
		return WLK_DONE;
	/* What limits_gguf_find() returns for a key that the table lacks has a place, which stays empty. */
	c.of = arena_alloc(l->arena, limits_gguf_n_keys + 1, sizeof(*c.of));
	if (c.of == NULL)
		return layout_stop(l);
	c.known = limits_gguf_names(limits_gguf_known, g->architecture);
	choose(&c);
	for (size_t i = 0; i < limits_gguf_n_rules; i++)
		if (applies(&c, &limits_gguf_rules[i]))
			judge(&c, &limits_gguf_rules[i]);
	return c.failed ? layout_stop(l) : WLK_DONE;
}
