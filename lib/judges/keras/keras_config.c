/* The walk over a Keras configuration: every object, whatever it is nested in.  See keras_config.h. */
#include "keras_config.h"

#include <stddef.h>
#include <string.h>

#include "checked.h"
#include "json_text.h"
#include "scoped_names.h"
#include "text_rules.h"

#define TEXT_LOOKED_AT 512u /* bytes of a string that the rules need */

struct config {
	struct layout *l;
	struct json j;
	uint64_t at;
	struct scoped_names keys;
	struct keras_object stack[KERAS_DEPTH_MAX];
	unsigned depth; /* open objects and arrays */
	bool nonfinite;
};

static uint64_t offset_of(const struct config *c)
{
	return c->at + json_at(&c->j);
}

static struct keras_object *top(struct config *c)
{
	return &c->stack[c->depth - 1];
}

static void word_set(struct keras_word *w, const struct json_text *t)
{
	struct bytes raw = t->raw;

	w->n = (uint8_t)json_decode(&raw, w->at, sizeof(w->at));
	w->cut = raw.n > 0;
	w->set = true;
}

/* -- members -- */

static bool is_vocabulary(const struct keras_word *key)
{
	return keras_word_is(key, "vocabulary") || keras_word_is(key, "idf_weights") || keras_word_is(key, "merges");
}

/* A SentencePiece model as text; what is not is taken for the path of one. */
static bool is_base64(struct bytes text, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

	for (size_t i = 0; i < text.n; i++) {
		if (memchr(digits, text.at[i], sizeof(digits) - 1) == NULL)
			return false;
	}
	return n % 4 == 0;
}

/* K6, for names of any length: in runs that overlap by a byte. */
static void judge_name(struct config *c, struct bytes raw, uint64_t at)
{
	uint8_t run[TEXT_LOOKED_AT];
	size_t kept = 0;
	bool first = true, sound = true;
	struct bytes shown = raw;

	while (sound && raw.n > 0) {
		size_t n = kept + json_decode(&raw, run + kept, sizeof(run) - kept);

		sound = keras_is_sound_name(bytes_of(run, n), first);
		run[0] = n > 0 ? run[n - 1] : 0;
		kept = 1;
		first = false;
	}
	if (!sound)
		layout_finding(c->l, &(struct finding){ .code = WLK_F_KERAS_NAME_TRAVERSAL,
					 .has_offset = true,
					 .offset = at,
					 .subject = bytes_of(shown.at, min_u64(shown.n, KERAS_WORD_MAX)) });
}

/* function_type, output_shape_type, mask_type: what the member without "_type" is (old Lambda). */
static bool is_type_of_code(const struct keras_word *key, const struct keras_word *value)
{
	return key->n > 5 && memcmp(key->at + key->n - 5, "_type", 5) == 0 && keras_word_is(value, "lambda");
}

/* Keras 2 looks a name up in the module that stands beside it, should it have been imported; without one, or with that of the
 * program itself, among what the program gives it. */
static bool is_other_module(const struct keras_word *key, const struct keras_word *value)
{
	return key->n >= 6 && memcmp(key->at + key->n - 6, "module", 6) == 0 && !keras_word_is(value, "__main__");
}

/* [A-Za-z_][A-Za-z_0-9]*: attributes of others are reached by dots. */
static bool is_plain_name(const struct keras_word *w)
{
	for (uint8_t i = 0; i < w->n; i++) {
		uint8_t c = w->at[i], low = c | 0x20;

		if (c != '_' && !(low >= 'a' && low <= 'z') && (i == 0 || c < '0' || c > '9'))
			return false;
	}
	return w->set && !w->cut && w->n > 0;
}

/* Of an old Lambda's configuration, and of the object that a new one names its function by. */
static enum keras_function kind_of_named(const struct keras_object *config)
{
	bool own = config->function == KERAS_FUNCTION_NAMED && is_plain_name(&config->function_text) &&
		   !config->other_module && !config->odd_module;

	return own ? KERAS_FUNCTION_OWN : config->function;
}

static bool is_own_function(const struct keras_object *f)
{
	return keras_word_is(&f->class_name, "function") && keras_word_is(&f->module, "builtins") &&
	       is_plain_name(&f->config_text);
}

static struct keras_word *word_of(struct keras_object *o)
{
	static const struct {
		const char *key;
		size_t at;
	} words[] = {
		{ "class_name", offsetof(struct keras_object, class_name) },
		{ "module", offsetof(struct keras_object, module) },
		{ "registered_name", offsetof(struct keras_object, registered_name) },
		{ "spec_name", offsetof(struct keras_object, spec_name) },
		{ "config", offsetof(struct keras_object, config_text) },
		{ "function", offsetof(struct keras_object, function_text) },
		{ "op", offsetof(struct keras_object, op) },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (keras_word_is(&o->key, words[i].key))
			return (struct keras_word *)(void *)((uint8_t *)o + words[i].at);
	}
	return NULL;
}

static void take_string(struct config *c, const struct json_text *t, uint64_t at)
{
	struct keras_object *o = top(c);
	struct keras_word *word = o->is_array ? NULL : word_of(o), value;
	uint8_t decoded[TEXT_LOOKED_AT];
	struct bytes raw = t->raw, text;

	text = bytes_of(decoded, json_decode(&raw, decoded, sizeof(decoded)));
	keras_judge_text(c->l, text, t->raw.n, at);
	if (c->l->report->wants_calls && (text_hides_code(text, t->raw.n) || keras_is_raw_code(text)))
		keras_show_code(c->l, t, !keras_is_raw_code(text), at);
	if (o->is_array)
		return;
	word_set(&value, t);
	if (word != NULL)
		*word = value;
	if (keras_word_is(&o->key, "function"))
		o->function = KERAS_FUNCTION_NAMED;
	else if (keras_word_is(&o->key, "name"))
		judge_name(c, t->raw, at);
	else if (keras_word_is(&o->key, "node_def"))
		keras_find_node(text, &o->node);
	else if (is_vocabulary(&o->key) || (keras_word_is(&o->key, "proto") && !is_base64(text, t->raw.n)))
		o->vocabulary_path = true;
	o->lambda_type = o->lambda_type || is_type_of_code(&o->key, &value);
	o->other_module = o->other_module || is_other_module(&o->key, &value);
}

/* A class or a module that is no name: null is none. */
static void take_other(struct keras_object *o, bool is_null)
{
	if (o->is_array || is_null)
		return;
	o->odd_class = o->odd_class || keras_word_is(&o->key, "class_name");
	o->odd_module = o->odd_module || keras_word_is(&o->key, "module");
}

/* What an object or array that has ended means to the one it is in. */
static void hand_over(struct keras_object *o, const struct keras_object *done)
{
	if (o->is_array)
		return;
	take_other(o, false);
	if (keras_word_is(&o->key, "config")) {
		o->config_function = done->lambda_type ? KERAS_FUNCTION_CODE : kind_of_named(done);
		o->config_function_text = done->function_text;
		o->config_node = done->node;
		o->config_vocabulary_path = done->vocabulary_path;
	} else if (keras_word_is(&o->key, "node_def")) {
		o->node = done->node.set ? done->node : done->op;
	} else if (keras_word_is(&o->key, "function")) {
		if (done->is_array || keras_word_is(&done->class_name, "__lambda__"))
			o->function = KERAS_FUNCTION_CODE; /* [code, defaults, closure] of old */
		else if (keras_word_is(&done->class_name, "function") &&
			 keras_is_operation(&done->module, &done->config_text))
			o->function = KERAS_FUNCTION_OPERATION;
		else
			o->function = is_own_function(done) ? KERAS_FUNCTION_OWN : KERAS_FUNCTION_NAMED;
	}
}

/* -- the walk -- */

static bool open_value(struct config *c, bool is_array)
{
	if (c->depth == KERAS_DEPTH_MAX)
		return json_fail(&c->j, JSON_DEPTH, c->j.p);
	c->depth++;
	*top(c) = (struct keras_object){ .at = offset_of(c), .is_array = is_array, .names_base = c->keys.n };
	c->j.p++;
	return true;
}

static void close_value(struct config *c)
{
	const struct keras_object done = *top(c);

	if (!done.is_array) {
		keras_judge_object(c->l, &done);
		scoped_names_cut(&c->keys, done.names_base);
	}
	c->depth--;
	if (c->depth > 0)
		hand_over(top(c), &done);
}

static bool read_key(struct config *c)
{
	struct keras_object *o = top(c);
	uint64_t at = offset_of(c);
	struct json_text key;
	struct scoped_name name;

	if (!json_key(&c->j, &key))
		return false;
	word_set(&o->key, &key);
	name.a = json_text_hash(&key, &c->keys.keys[0]);
	name.b = json_text_hash(&key, &c->keys.keys[1]);
	if (scoped_names_find(&c->keys, name, 1u << SCOPED_KEY, o->names_base) != NULL)
		layout_at(c->l, WLK_F_KERAS_JSON_DUPLICATE, at);
	scoped_names_add(&c->keys, name, SCOPED_KEY, at);
	return true;
}

/* Python writes and reads these; JSON has no such word. */
static bool is_nonfinite(const struct json *j)
{
	size_t n = (size_t)(j->end - j->p);

	return (n >= 3 && memcmp(j->p, "NaN", 3) == 0) || (n >= 8 && memcmp(j->p, "Infinity", 8) == 0) ||
	       (n >= 9 && memcmp(j->p, "-Infinity", 9) == 0);
}

static bool read_scalar(struct config *c, uint8_t first)
{
	struct json_text text;
	struct json_number number;
	uint64_t at = offset_of(c);

	if (first == '"') {
		if (!json_read_string(&c->j, &text))
			return false;
		if (c->depth > 0)
			take_string(c, &text, at);
		return true;
	}
	if (c->depth > 0)
		take_other(top(c), first == 'n');
	if (first == 't' || first == 'f' || first == 'n')
		return json_literal(&c->j, first == 't' ? "true" : first == 'f' ? "false" : "null");
	if (is_nonfinite(&c->j)) {
		layout_at(c->l, WLK_F_KERAS_JSON_NONFINITE, at);
		c->nonfinite = true;
		return false;
	}
	return json_number(&c->j, &number);
}

/* A value has ended: so may those around it.  False at the end of all, and after an error. */
static bool next_value(struct config *c)
{
	while (c->depth > 0) {
		bool more = false;

		if (!json_more(&c->j, top(c)->is_array ? ']' : '}', &more))
			return false;
		if (more)
			return top(c)->is_array || read_key(c);
		close_value(c);
	}
	return false;
}

/* One value, and whatever it begins.  Return: go on with the next? */
static bool read_value(struct config *c)
{
	uint8_t first = json_peek(&c->j);
	bool is_array = first == '[';

	if (first != '{' && first != '[')
		return read_scalar(c, first) && next_value(c);
	if (!open_value(c, is_array))
		return false;
	if (json_any(&c->j, is_array ? ']' : '}'))
		return is_array || read_key(c);
	close_value(c);
	return next_value(c);
}

/* json_peek() gives 0 for a zero byte too. */
static bool is_at_end(struct json *j)
{
	json_space(j);
	return j->p == j->end;
}

static enum wlk_status end(struct config *c)
{
	uint64_t at = c->at + c->j.err_at;

	if (c->keys.failed)
		return layout_stop(c->l);
	if (c->j.err == JSON_DEPTH)
		layout_value(c->l, WLK_F_KERAS_JSON_DEPTH, at, KERAS_DEPTH_MAX + 1, KERAS_DEPTH_MAX);
	else if (c->j.err != JSON_OK || (!c->nonfinite && !is_at_end(&c->j)))
		layout_at(c->l, WLK_F_KERAS_JSON_SYNTAX, c->j.err != JSON_OK ? at : offset_of(c));
	else
		return c->nonfinite ? WLK_BROKEN : WLK_DONE;
	return WLK_BROKEN;
}

enum wlk_status keras_config_check(struct layout *l, struct bytes text, uint64_t at)
{
	struct config *c = arena_resize(l->arena, NULL, 1, sizeof(*c));
	enum wlk_status status;
	size_t good = utf8_check(text);

	if (c == NULL)
		return layout_stop(l);
	if (text.n > KERAS_CONFIG_MAX || good < text.n) {
		layout_value(l, good < text.n ? WLK_F_KERAS_JSON_SYNTAX : WLK_F_KERAS_JSON_SIZE, at + good, text.n,
		    KERAS_CONFIG_MAX);
		arena_release(l->arena, c);
		return WLK_BROKEN;
	}
	c->l = l;
	c->at = at;
	c->j = (struct json){ .base = text.at, .p = text.at, .end = text.at + text.n };
	scoped_names_init(&c->keys, l->arena, &l->seed);
	while (read_value(c))
		continue;
	status = end(c);
	arena_release(l->arena, c->keys.list);
	arena_release(l->arena, c->keys.buckets);
	arena_release(l->arena, c);
	return status;
}
