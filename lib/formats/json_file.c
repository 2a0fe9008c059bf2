/* JSON as a file: see json_file.h.  One pass over tokens; nesting costs an entry of a stack, a name 32 bytes. */
#include "json_file.h"

#include "checked.h"
#include "config_json.h"
#include "coreml.h"
#include "json_header.h"
#include "json_models.h"
#include "json_text.h"
#include "keras_config.h"
#include "mxnet.h"
#include "paddle.h"
#include "scoped_names.h"
#include "side_file.h"
#include "stream.h"
#include "tokenizer_json.h"

#define JSON_BYTES_MAX ((uint64_t)64 << 20) /* formats/others, section 2: configurations */
#define NAME_BYTES 32u                      /* of memory for each, besides its bucket */

/* What keys of the outermost object say the file is. */
enum key_seen {
	SEEN_NODES = 1u << 0,
	SEEN_ARG_NODES = 1u << 1,
	SEEN_CLASS_NAME = 1u << 2,
	SEEN_KERAS = 1u << 3,
	SEEN_WEIGHTS_MANIFEST = 1u << 4,
	SEEN_LEARNER = 1u << 5,
	SEEN_CONFIG = 1u << 6,
	SEEN_ZARR = 1u << 7,
	SEEN_ITEMS = 1u << 8,
	SEEN_BASE_CODE = 1u << 9,
	SEEN_PROGRAM = 1u << 10,
	SEEN_MODEL = 1u << 11, /* of a tokenizer, maybe */
};

static const struct {
	const char *key;
	enum key_seen bit;
} telling[] = {
	{ "nodes", SEEN_NODES },
	{ "arg_nodes", SEEN_ARG_NODES },
	{ "class_name", SEEN_CLASS_NAME },
	{ "keras_version", SEEN_KERAS },
	{ "weightsManifest", SEEN_WEIGHTS_MANIFEST },
	{ "learner", SEEN_LEARNER },
	{ "config", SEEN_CONFIG },
	{ "zarr_format", SEEN_ZARR },
	{ "itemInfoEntries", SEEN_ITEMS },
	{ "base_code", SEEN_BASE_CODE },
	{ "program", SEEN_PROGRAM },
	{ "model", SEEN_MODEL },
	{ "added_tokens", SEEN_MODEL },
};

struct file {
	struct json_header h;
	struct scoped_names names;
	uint32_t base[JSON_DEPTH_MAX]; /* of an object's names in the table; of an array UINT32_MAX */
	unsigned depth;
	unsigned seen;
	struct config *config;
	bool broken; /* a key is given twice: what the file says is not one thing */
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

/* @c: what the value begins with.  The word of a vocabulary has a number, and of what tells, only a version of zarr's is one. */
static void note_telling(struct file *f, const struct json_text *key, uint8_t c)
{
	for (size_t i = 0; i < sizeof(telling) / sizeof(telling[0]); i++)
		if ((!begins_number(c) || telling[i].bit == SEEN_ZARR) && is_key(key, telling[i].key))
			f->seen |= telling[i].bit;
}

static void note_key(struct file *f, const struct json_text *key)
{
	uint32_t base = f->base[f->depth - 1];
	struct scoped_name name = name_of(f, key);
	uint64_t at = header_text_at(&f->h, key);

	if (scoped_names_find(&f->names, name, 1u << SCOPED_KEY, base) != NULL) {
		header_fault(&f->h, WLK_F_JSON_DUPLICATE_KEY, at, key, value_nothing, value_nothing);
		f->broken = true;
	}
	scoped_names_add(&f->names, name, SCOPED_KEY, at);
}

/* -- values -- */

static enum config_type type_of(uint8_t first)
{
	return first == 't' ? CONFIG_TRUE : first == 'f' ? CONFIG_FALSE : first == 'n' ? CONFIG_NULL : CONFIG_NUMBER;
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
	} else if (!json_number(j, &number)) {
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
	f->base[f->depth++] = array ? IS_ARRAY : f->names.n;
	return true;
}

static void close_value(struct file *f)
{
	uint32_t base = f->base[--f->depth];

	config_close(f->config);
	if (base != IS_ARRAY)
		scoped_names_cut(&f->names, base);
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

/* What is a model, or part of one, for some runtime: all of these names are there.  It is judged if there is a reader, and else
 * named, and held. */
static const struct {
	unsigned seen;
	enum wlk_format_id id;
} models[] = {
	{ SEEN_LEARNER, WLK_FORMAT_XGBOOST },
	{ SEEN_NODES | SEEN_ARG_NODES, WLK_FORMAT_MXNET },
	{ SEEN_WEIGHTS_MANIFEST, WLK_FORMAT_TFJS },
	{ SEEN_CLASS_NAME | SEEN_KERAS, WLK_FORMAT_KERAS_JSON },
	{ SEEN_CLASS_NAME | SEEN_CONFIG, WLK_FORMAT_KERAS_JSON }, /* Keras 3 says no version */
	{ SEEN_ZARR, WLK_FORMAT_ZARR },
	{ SEEN_ITEMS, WLK_FORMAT_COREML_MANIFEST },
	{ SEEN_BASE_CODE | SEEN_PROGRAM, WLK_FORMAT_PADDLE_PIR },
};

static enum wlk_status name_model(struct layout *l, enum wlk_format_id id)
{
	layout_finding(l, &(struct finding){ .code = WLK_F_FORMAT_IDENTIFIED_ONLY,
			      .has_offset = true,
			      .found = value_text(bytes_of_text(format_info(id)->name)) });
	return WLK_BROKEN;
}

/* Those with a reader; the others are named. */
static enum wlk_status judge_model(struct layout *l, enum wlk_format_id id, struct bytes text)
{
	switch (id) {
	case WLK_FORMAT_TFJS: return tfjs_check(l, text);
	case WLK_FORMAT_KERAS_JSON: return keras_config_check(l, text, 0);
	case WLK_FORMAT_ZARR: return zarr_check(l, text);
	case WLK_FORMAT_COREML_MANIFEST: return coreml_manifest_check(l, text);
	case WLK_FORMAT_PADDLE_PIR: return paddle_pir_check(l, text);
	case WLK_FORMAT_MXNET: return mxnet_symbol_check(l, text);
	default: return name_model(l, id);
	}
}

/* As each of the models it could be: names of another are no way around a reader.  The first gives the file its name.
 * *ret_any: it is one. */
static enum wlk_status judge_models(struct file *f, bool *ret_any)
{
	const struct json *j = &f->h.j;
	struct layout *l = f->h.l;
	enum wlk_status worst = WLK_DONE;
	enum wlk_format_id first = WLK_FORMAT_UNKNOWN, last = WLK_FORMAT_UNKNOWN;

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		enum wlk_status status;

		if ((f->seen & models[i].seen) != models[i].seen || models[i].id == last)
			continue;
		last = models[i].id;
		first = first == WLK_FORMAT_UNKNOWN ? last : first;
		status = judge_model(l, last, bytes_of(j->base, (size_t)(j->end - j->base)));
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
	if ((f->seen & SEEN_MODEL) != 0) {
		status = tokenizer_json_check(l, bytes_of(f->h.j.base, (size_t)(f->h.j.end - f->h.j.base)));
		if (status != WLK_DONE)
			return status;
	}
	status = judge_models(f, &model);
	if (status != WLK_INCOMPLETE) {
		enum wlk_status config = config_end(f->config);

		status = config > status ? config : status;
	}
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

/* @seen: what the file's name says it is.  @templates: which of them nobody else judges. */
static enum wlk_status check(struct layout *l, struct bytes text, unsigned seen, enum config_templates templates)
{
	struct file f = { .h = { .j = { .base = text.at, .p = text.at, .end = text.at + text.n }, .l = l },
		.seen = seen };
	size_t bad = utf8_check(text);

	if (bad != text.n) {
		layout_at(l, WLK_F_JSON_SYNTAX, bad);
		return WLK_BROKEN;
	}
	/* No name takes fewer than five bytes of text, its value included; tables grow by doubling. */
	layout_raise_memory(l, (uint64_t)text.n / 5 * 4 * (NAME_BYTES + 8));
	scoped_names_init(&f.names, l->arena, &l->seed);
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

static enum wlk_status read_file(struct layout *l, struct bytes text, unsigned seen)
{
	struct extent *e = extents_add(l->extents);

	if (e == NULL)
		return layout_stop(l);
	e->end = l->part.size;
	e->kind = EXTENT_METADATA;
	return check(
	    l, text, seen, CONFIG_TEMPLATES_ALL); /* also of a file that is too large for format_tokenizer_config */
}

enum wlk_status json_file_layout(struct layout *l, bool zarr)
{
	struct bytes text;

	if (l->part.size > JSON_BYTES_MAX || l->part.size == 0) {
		layout_at(l, l->part.size == 0 ? WLK_F_JSON_SYNTAX : WLK_F_FORMAT_PARTLY_CHECKED, 0);
		return WLK_BROKEN;
	}
	return pin_whole(l, &text) != NULL ? read_file(l, text, zarr ? SEEN_ZARR : 0) : layout_stop(l);
}

static enum wlk_status layout(struct layout *l)
{
	return json_file_layout(l, false);
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
	while (head != NULL && i < n && json_is_space(head[i]))
		i++;
	if (head == NULL || i == n || (head[i] != '{' && head[i] != '[') || side_file_begins_section(bytes_of(head, n)))
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
