/* See config_inner.h. */
#include "config_inner.h"

#include "config_impl.h"
#include "config_json.h"
#include "config_lines.h"
#include "json_walk.h"

struct inner {
	struct config *c;
	struct config_text name; /* of the text itself */
	uint64_t at;
	bool hides; /* a text in it is a text of this kind again, or may be */
};

/* Keys under which something is called, in a text that is not looked at as what it is: a literal of Python's, JSON with NaN, YAML,
 * too long or too deep, or a text in a text. */
static bool hides_call(struct bytes text)
{
	static const char *const keys[] = { "_target_", "_component_", "_instantiator", "py/object", "py/reduce",
		"py/function", "!!python/" };

	for (size_t i = 0; text.n > 0 && i < sizeof(keys) / sizeof(keys[0]); i++) {
		const uint8_t *end = text.at + text.n, *p = text.at;
		size_t n = strlen(keys[i]);

		while ((p = memmem(p, (size_t)(end - p), keys[i], n)) != NULL) {
			if ((p == text.at || !config_is_word_byte(p[-1])) &&
			    (p + n == end || !config_is_word_byte(p[n])))
				return true;
			p += n;
		}
	}
	return false;
}

static void tell_hidden(struct layout *l, struct bytes key, uint64_t at)
{
	layout_finding(l, &(struct finding){
			      .code = WLK_F_CONFIG_TARGET_UNLISTED, .has_offset = true, .offset = at, .subject = key });
}

bool config_inner_begins(struct bytes head)
{
	size_t i = 0;

	while (i < head.n && json_is_space(head.at[i]))
		i++;
	return i < head.n && (head.at[i] == '{' || head.at[i] == '[');
}

static enum config_type type_of(const struct json_value *v)
{
	switch (v->kind) {
	case JSON_OBJECT: return CONFIG_MAP;
	case JSON_ARRAY: return CONFIG_LIST;
	case JSON_STRING: return CONFIG_TEXT;
	case JSON_NUMBER: return CONFIG_NUMBER;
	default: return v->word == 't' ? CONFIG_TRUE : v->word == 'f' ? CONFIG_FALSE : CONFIG_NULL;
	}
}

static bool take_value(void *ctx, const struct json_value *v)
{
	struct inner *in = ctx;
	enum config_type type = type_of(v);

	if (v->depth == 0 && (type == CONFIG_MAP || type == CONFIG_LIST))
		config_open(in->c, type, in->name, in->at);
	else if (type == CONFIG_MAP || type == CONFIG_LIST)
		config_json_open(in->c, type, v->key, in->at + v->at);
	else if (type == CONFIG_TEXT) {
		in->hides = in->hides || hides_call(v->text.raw);
		config_json_text(in->c, v->key, &v->text, in->at + v->at);
	} else
		config_json_word(in->c, type, v->key,
		    bytes_of_text(type == CONFIG_NUMBER && !(v->number.fits && v->number.value == 0) ? "1" : "0"),
		    in->at + v->at);
	return true;
}

static void take_close(void *ctx, unsigned depth)
{
	struct inner *in = ctx;

	(void)depth;
	config_close(in->c);
}

static void take_twice(void *ctx, const struct json_text *key, size_t at)
{
	(void)ctx;
	(void)key;
	(void)at;
}

static enum json_walk_end feed(struct inner *in, struct bytes text)
{
	const struct json_walker w = { .ctx = in, .value = take_value, .close = take_close, .twice = take_twice };

	return json_walk(in->c->l, text, &w, NULL);
}

bool config_json_feed(struct config *c, struct bytes text, struct config_text name, uint64_t at)
{
	struct inner in = { .c = c, .name = name, .at = at };

	return feed(&in, text) != JSON_WALK_MEMORY;
}

void config_check_unread(struct layout *l, struct bytes text, struct bytes key, uint64_t at)
{
	if (!config_key_is_prose(key) && hides_call(text))
		tell_hidden(l, key, at);
}

static bool check_inner(struct layout *l, struct bytes text, struct bytes key, uint64_t at, bool of_text)
{
	struct inner in = { .name = { key, false }, .at = at };
	enum json_walk_end end;

	if (text.n > CONFIG_INNER_BYTES_MAX || !config_inner_begins(text)) {
		config_check_unread(l, text, key, at);
		return true;
	}
	in.c = config_begin(l);
	if (in.c != NULL)
		in.c->is_inner = of_text;
	if (in.c != NULL)
		config_open(in.c, CONFIG_MAP, config_no_key, at);
	end = in.c != NULL ? feed(&in, text) : JSON_WALK_MEMORY;
	if (end == JSON_WALK_MEMORY) {
		(void)layout_stop(l);
		return false;
	}
	if (in.hides && !config_key_is_prose(key))
		tell_hidden(l, key, at);
	else if (end != JSON_WALK_WHOLE)
		config_check_unread(l, text, key, at);
	return config_end(in.c) != WLK_INCOMPLETE;
}

bool config_check_inner(struct layout *l, struct bytes text, struct bytes key, uint64_t at)
{
	return check_inner(l, text, key, at, false);
}

bool config_check_inner_text(struct layout *l, struct bytes text, struct bytes key, uint64_t at)
{
	return check_inner(l, text, key, at, true);
}

void config_check_evaluated(struct layout *l, struct bytes text, struct bytes key, uint64_t at)
{
	enum wlk_finding code = 0;

	if (config_is_word_of(key, "names stride imgsz kpt_shape class_names args batch"))
		code = config_literal_fault(text);
	if (code != 0)
		layout_finding(
		    l, &(struct finding){
			   .code = code, .has_offset = true, .offset = at, .subject = key, .found = value_text(text) });
}
