/* JSON as a file: see json_file.h.  One pass over tokens; nesting costs an entry of a stack, a name 32 bytes. */
#include "json_file.h"

#include "checked.h"
#include "config_json.h"
#include "json_comments.h"
#include "json_header.h"
#include "json_text.h"
#include "scoped_names.h"
#include "stream.h"
#include "text_rules.h"

#define JSON_BYTES_MAX ((uint64_t)64 << 20) /* formats/others, section 2: configurations */
#define NAME_BYTES 32u                      /* of memory for each, besides its bucket */

_Static_assert(JSON_MODELS_MAX *JSON_MODEL_KEYS <= 64, "struct file's seen");

/* Keys of the objects that are open, as they stand there: few of them are compared sooner than hashed.  One with an escape, or one too
 * many or too long, and all go to the table: `near` is given up. */
#define NEAR_MAX 128u
#define NEAR_BYTES 64u

struct near {
	uint32_t n;
	bool over;
	uint32_t tags[NEAR_MAX]; /* other tags: other keys */
	struct bytes keys[NEAR_MAX];
};

struct file {
	struct json_header h;
	struct scoped_names names;
	struct near near;
	uint32_t base[JSON_DEPTH_MAX]; /* of an object's names in the table; of an array UINT32_MAX */
	unsigned depth;
	uint64_t seen; /* which keys of which json_models[] its outermost object has */
	struct config *config;
	bool nonfinite;       /* it has been told */
	uint64_t telling[64]; /* init_telling() */
	bool broken;          /* a key is given twice: what the file says is not one thing */
	bool relaxed;         /* it has comments, or commas too many */
	size_t relaxed_at;
};

#define IS_ARRAY UINT32_MAX

/* -- keys -- */

static bool is_key(const struct json_text *t, const char *word)
{
	uint8_t buf[JSON_WORD_MAX];

	return bytes_equal(json_word(t, buf), bytes_of_text(word));
}

static struct scoped_name name_of(struct file *f, const struct json_text *key)
{
	uint8_t *decoded;
	struct bytes rest = key->raw;
	struct scoped_name ret = { 0, 0 };

	if (!key->escaped)
		return scoped_name_of(&f->names, key->raw, 0);
	decoded = arena_resize_raw(f->h.l->arena, NULL, key->raw.n, 1); /* decoding makes nothing longer */
	if (decoded == NULL) {
		f->names.failed = true;
		return ret;
	}
	ret = scoped_name_of(&f->names, bytes_of(decoded, json_decode(&rest, decoded, key->raw.n)), 0);
	arena_release(f->h.l->arena, decoded);
	return ret;
}

static bool begins_number(uint8_t c)
{
	return c == '-' || (c >= '0' && c <= '9');
}

static uint64_t bit_of(size_t model, size_t key)
{
	return UINT64_C(1) << (model * JSON_MODEL_KEYS + key);
}

/* By the first letter of keys (its low six bits): the lengths of those that tell something. */
static void init_telling(struct file *f)
{
	for (size_t i = 0; i < json_n_models; i++)
		for (size_t k = 0; k < JSON_MODEL_KEYS && json_models[i]->keys[k] != NULL; k++)
			f->telling[json_models[i]->keys[k][0] & 63] |= UINT64_C(1)
								       << (strlen(json_models[i]->keys[k]) & 63);
}

/* @c: what the value begins with.  The word of a vocabulary has a number. */
static void note_telling(struct file *f, const struct json_text *key, uint8_t c)
{
	if (!key->escaped && (key->raw.n == 0 || (f->telling[key->raw.at[0] & 63] >> (key->raw.n & 63) & 1) == 0))
		return;
	for (size_t i = 0; i < json_n_models; i++)
		for (size_t k = 0; k < JSON_MODEL_KEYS && json_models[i]->keys[k] != NULL; k++)
			if ((!begins_number(c) || json_models[i]->number) && is_key(key, json_models[i]->keys[k]))
				f->seen |= bit_of(i, k);
}

static uint32_t tag_of(struct bytes key)
{
	return key.n < 4 ? (uint32_t)key.n << 24 | (key.n > 0 ? key.at[0] : 0)
			 : (uint32_t)key.n << 24 ^ load_u32le(key.at) ^ load_u32le(key.at + key.n - 4) << 7;
}

static bool is_near(const struct near *t, uint32_t base, struct bytes key, uint32_t tag)
{
	for (uint32_t i = base; i < t->n; i++)
		if (t->tags[i] == tag && bytes_equal(t->keys[i], key))
			return true;
	return false;
}

/* Where objects begin stays true: in the table the keys have the same numbers. */
static void leave_near(struct file *f)
{
	f->near.over = true;
	for (uint32_t i = 0; i < f->near.n; i++)
		scoped_names_add(&f->names, scoped_name_of(&f->names, f->near.keys[i], 0), SCOPED_KEY, 0);
}

/* Return: whether the object has the key already.  It is remembered. */
static bool take_key(struct file *f, const struct json_text *key)
{
	uint32_t base = f->base[f->depth - 1], tag = tag_of(key->raw);
	struct scoped_name name;
	bool known;

	if (!f->near.over && !key->escaped && f->near.n < NEAR_MAX && key->raw.n <= NEAR_BYTES) {
		known = is_near(&f->near, base, key->raw, tag);
		f->near.tags[f->near.n] = tag;
		f->near.keys[f->near.n++] = key->raw;
		return known;
	}
	if (!f->near.over)
		leave_near(f);
	name = name_of(f, key);
	known = scoped_names_find(&f->names, name, 1u << SCOPED_KEY, base) != NULL;
	scoped_names_add(&f->names, name, SCOPED_KEY, 0);
	return known;
}

static void note_key(struct file *f, const struct json_text *key)
{
	if (!take_key(f, key))
		return;
	header_fault(&f->h, WLK_F_JSON_DUPLICATE_KEY, header_text_at(&f->h, key), key, value_nothing, value_nothing);
	f->broken = true;
}

/* -- values -- */

static enum config_type type_of(uint8_t first)
{
	return first == 't' ? CONFIG_TRUE : first == 'f' ? CONFIG_FALSE : first == 'n' ? CONFIG_NULL : CONFIG_NUMBER;
}

/* NaN, Infinity and -Infinity are no JSON (RFC 8259, section 6), but Python's json module writes them and reads them, and nobody
 * reads them as anything else.  Loaders that refuse them have readers of their own here: tokenizer.json, indexes, models. */
static bool read_nonfinite(struct file *f, uint8_t first)
{
	struct json *j = &f->h.j;
	bool negative = first == '-' && j->end - j->p > 1 && j->p[1] == 'I';
	uint64_t at = header_here(&f->h);

	if ((first != 'N' && first != 'I' && !negative) || f->h.l->family == CONFIG_GENAI) /* nlohmann's */
		return false;
	if (!json_literal(j, first == 'N' ? "NaN" : negative ? "-Infinity" : "Infinity"))
		return false;
	if (!f->nonfinite)
		layout_at(f->h.l, WLK_F_JSON_NONFINITE, at);
	f->nonfinite = true;
	return true;
}

/* A value that holds no others. */
static bool read_simple(struct file *f, const struct json_text *key)
{
	struct json *j = &f->h.j;
	struct json_text value;
	struct json_number number;
	uint8_t first = json_peek(j);
	const uint8_t *from = j->p;
	uint64_t at = header_here(&f->h);

	if (first == '"') {
		if (!json_read_string(j, &value))
			return false;
		config_json_text(f->config, key, &value, at + 1);
		return true;
	}
	if (first == 't' || first == 'f' || first == 'n') {
		if (!json_literal(j, first == 't' ? "true" : first == 'f' ? "false" : "null"))
			return false;
	} else if (!read_nonfinite(f, first) && (j->err != JSON_OK || !json_number(j, &number))) {
		return false;
	}
	config_json_word(f->config, type_of(first), key, bytes_of(from, (size_t)(j->p - from)), at);
	return true;
}

static bool open_value(struct file *f, const struct json_text *key, bool array)
{
	if (f->depth == JSON_DEPTH_MAX)
		return json_fail(&f->h.j, JSON_DEPTH, f->h.j.p);
	config_json_open(f->config, array ? CONFIG_LIST : CONFIG_MAP, key, header_here(&f->h));
	f->h.j.p++;
	f->base[f->depth++] = array ? IS_ARRAY : f->near.over ? f->names.n : f->near.n;
	return true;
}

static void close_value(struct file *f)
{
	uint32_t base = f->base[--f->depth];

	config_close(f->config);
	if (base != IS_ARRAY && f->near.over)
		scoped_names_cut(&f->names, base);
	else if (base != IS_ARRAY)
		f->near.n = base;
}

/* Up to the end of a value that was complete: what closes with it, or the comma behind it. */
static bool after_value(struct file *f)
{
	bool more = false;

	while (f->depth > 0 && !more) {
		if (!json_more(&f->h.j, f->base[f->depth - 1] == IS_ARRAY ? ']' : '}', &more))
			return false;
		if (!more)
			close_value(f);
	}
	return true;
}

/* A value, with its name when it is in an object.  What is opened is read by the next calls. */
static bool read_value(struct file *f)
{
	struct json *j = &f->h.j;
	struct json_text key;
	bool in_object = f->depth > 0 && f->base[f->depth - 1] != IS_ARRAY;
	uint8_t c;

	if (in_object) {
		if (!json_key(j, &key))
			return false;
		note_key(f, &key);
	}
	c = json_peek(j);
	if (in_object && f->depth == 1)
		note_telling(f, &key, c);
	if (c != '{' && c != '[')
		return read_simple(f, in_object ? &key : NULL) && after_value(f);
	if (!open_value(f, in_object ? &key : NULL, c == '['))
		return false;
	if (json_any(j, c == '[' ? ']' : '}'))
		return true;
	close_value(f);
	return after_value(f);
}

static bool read_all(struct file *f)
{
	struct json *j = &f->h.j;

	do {
		if (!read_value(f) || f->names.failed)
			return false;
	} while (f->depth > 0);
	json_space(j);
	return j->p == j->end || json_fail(j, JSON_SYNTAX, j->p);
}

/* -- the file -- */

static enum wlk_status name_model(struct layout *l, enum wlk_format_id id)
{
	layout_finding(l, &(struct finding){ .code = WLK_F_FORMAT_IDENTIFIED_ONLY,
			      .has_offset = true,
			      .found = value_text(bytes_of_text(format_info(id)->name)) });
	return WLK_BROKEN;
}

static bool is_model(const struct file *f, size_t model)
{
	for (size_t k = 0; k < JSON_MODEL_KEYS && json_models[model]->keys[k] != NULL; k++)
		if ((f->seen & bit_of(model, k)) == 0)
			return false;
	return true;
}

/* As each of the models it could be: names of another are no way around a reader.  The first with a name gives it to the file.
 * *ret_any: there is one. */
static enum wlk_status judge_models(struct file *f, bool *ret_any)
{
	struct layout *l = f->h.l;
	struct bytes text = bytes_of(f->h.j.base, (size_t)(f->h.j.end - f->h.j.base));
	enum wlk_format_id first = WLK_FORMAT_UNKNOWN;
	enum wlk_status worst = WLK_DONE;

	for (size_t i = 0; i < json_n_models; i++) {
		const struct json_model *m = json_models[i];
		enum wlk_status status;

		if (!is_model(f, i) || (i > 0 && m->check == json_models[i - 1]->check && is_model(f, i - 1)))
			continue;
		first = first == WLK_FORMAT_UNKNOWN ? m->id : first;
		status = m->check != NULL ? m->check(l, text) : name_model(l, m->id);
		worst = status > worst ? status : worst;
	}
	l->id = first != WLK_FORMAT_UNKNOWN ? first : l->id;
	*ret_any = first != WLK_FORMAT_UNKNOWN;
	return worst;
}

static enum wlk_status conclude(struct file *f, bool whole)
{
	struct layout *l = f->h.l;
	enum wlk_status status;
	bool model;

	if (f->names.failed)
		return layout_stop(l);
	if (!whole) {
		layout_at(l, f->h.j.err == JSON_DEPTH ? WLK_F_JSON_DEPTH : WLK_F_JSON_SYNTAX, f->h.j.err_at);
		return WLK_BROKEN;
	}
	status = judge_models(f, &model);
	if (status != WLK_INCOMPLETE) {
		enum wlk_status config = config_end(f->config);

		status = config > status ? config : status;
	}
	if (f->relaxed) /* no loader of models takes it */
		layout_at(l, model ? WLK_F_JSON_SYNTAX : WLK_F_JSON_COMMENTS, f->relaxed_at);
	f->broken |= f->relaxed && model;
	if (!model && !f->broken)
		layout_at(l, WLK_F_FORMAT_SIDE_FILE, 0);
	return status == WLK_DONE && f->broken ? WLK_BROKEN : status;
}

static const uint8_t *pin_whole(struct layout *l, struct bytes *ret)
{
	size_t n = (size_t)l->part.size;

	layout_raise_memory(l, l->part.size);
	source_raise_pin_budget(l->src, l->part.size);
	*ret = bytes_of(part_pin(&l->part, 0, n), n);
	return ret->at;
}

/* What nobody reads but programs that people write such files for.  False: no memory. */
static bool take_comments(struct file *f, struct bytes text, size_t mark)
{
	struct bytes rest;

	layout_raise_memory(f->h.l, text.n);
	f->relaxed = json_without_comments(text, f->h.l->arena, &rest, &f->relaxed_at);
	f->h.j = (struct json){ .base = rest.at, .p = rest.at + (rest.at != NULL ? mark : 0), .end = rest.at + rest.n };
	return rest.at != NULL;
}

/* @seen: what the file's name says it is.  @templates: which of them nobody else judges. */
static enum wlk_status check(struct layout *l, struct bytes text, uint64_t seen, enum config_templates templates)
{
	size_t bad = utf8_check(text), mark = text_byte_order_mark(text);
	struct file f = { .h = { .j = { .base = text.at, .p = text.at, .end = text.at + text.n }, .l = l },
		.seen = seen };

	/* Whom a configuration is for reads it with Python's json module, which refuses the mark; so do readers of models. */
	if (mark > 0 && l->family == CONFIG_NONE && seen == 0) {
		layout_at(l, WLK_F_JSON_BYTE_ORDER_MARK, 0);
		f.h.j.p += mark;
	}
	if (bad != text.n) {
		layout_at(l, WLK_F_JSON_SYNTAX, bad);
		return WLK_BROKEN;
	}
	if (l->family == CONFIG_NONE && seen == 0 && !take_comments(&f, text, mark))
		return layout_stop(l);
	/* No name takes fewer than five bytes of text, its value included; tables grow by doubling. */
	layout_raise_memory(l, (uint64_t)text.n / 5 * 4 * (NAME_BYTES + 8));
	scoped_names_init(&f.names, l->arena, &l->seed);
	init_telling(&f);
	f.config = config_begin(l);
	if (f.config == NULL)
		return layout_stop(l);
	config_take_templates(f.config, templates);
	return conclude(&f, read_all(&f));
}

enum wlk_status json_file_check(struct layout *l, struct bytes text)
{
	return check(l, text, 0, CONFIG_TEMPLATES_INNER);
}

static enum wlk_status read_file(struct layout *l, struct bytes text, uint64_t seen)
{
	struct extent *e = extents_add(l->extents);

	if (e == NULL)
		return layout_stop(l);
	e->end = l->part.size;
	e->kind = EXTENT_METADATA;
	return check(
	    l, text, seen, CONFIG_TEMPLATES_ALL); /* also of a file that is too large for format_tokenizer_config */
}

/* As if its outermost object had the keys of @as. */
static uint64_t seen_as(const struct json_model *as)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < json_n_models; i++)
		for (size_t k = 0; json_models[i] == as && k < JSON_MODEL_KEYS; k++)
			seen |= bit_of(i, k);
	return seen;
}

enum wlk_status json_file_layout(struct layout *l, const struct json_model *as)
{
	struct bytes text;

	if (l->part.size > JSON_BYTES_MAX || l->part.size == 0) {
		layout_at(l, l->part.size == 0 ? WLK_F_JSON_SYNTAX : WLK_F_FORMAT_PARTLY_CHECKED, 0);
		return WLK_BROKEN;
	}
	return pin_whole(l, &text) != NULL ? read_file(l, text, seen_as(as)) : layout_stop(l);
}

static enum wlk_status layout(struct layout *l)
{
	return json_file_layout(l, NULL);
}

/* Text that begins with a bracket, unless its name says that it is prose or a list of lines. */
static bool last_resort(struct layout *l, const struct stream *s)
{
	size_t n = (size_t)min_u64(s->part.size, PROBE_BYTES), i = 0;
	const uint8_t *head;

	if (s->part.depth > 0 || s->codec != CODEC_STORED || l->hint == WLK_FORMAT_TEXT ||
	    l->hint == WLK_FORMAT_MARKDOWN || n == 0)
		return false;
	head = part_pin(&s->part, 0, n);
	i = head != NULL ? text_byte_order_mark(bytes_of(head, n)) : 0;
	while (head != NULL && i < n && json_is_space(head[i]))
		i++;
	if (head == NULL || i == n || (head[i] != '{' && head[i] != '[') || text_begins_section(bytes_of(head, n)))
		return false;
	if (head[i] == '{' && i + 1 < n && (head[i + 1] == '{' || head[i + 1] == '%' || head[i + 1] == '#'))
		return false; /* a template */
	if (text_begins_foreign_brace(bytes_of(head + i, n - i)))
		return false;
	for (; i < n; i++)
		if (head[i] < ' ' && !json_is_space(head[i]))
			return false;
	return true;
}

static bool no_probe(const struct probe *p)
{
	(void)p;
	return false;
}

const struct wlk_format format_json = {
	.id = WLK_FORMAT_JSON, .probe = no_probe, .layout = layout, .last_resort = last_resort, .side_file = true
};
