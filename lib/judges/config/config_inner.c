/* See config_inner.h. */
#include "config_inner.h"

#include "config_impl.h"
#include "config_json.h"
#include "json_walk.h"

struct inner {
	struct config *c;
	struct config_text name; /* of the text itself */
	uint64_t at;
};

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
	else if (type == CONFIG_TEXT)
		config_json_text(in->c, v->key, &v->text, in->at + v->at);
	else
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

bool config_json_feed(struct config *c, struct bytes text, struct config_text name, uint64_t at)
{
	struct inner in = { .c = c, .name = name, .at = at };
	const struct json_walker w = { .ctx = &in, .value = take_value, .close = take_close, .twice = take_twice };

	return json_walk(c->l, text, &w, NULL) != JSON_WALK_MEMORY;
}

bool config_check_inner(struct layout *l, struct bytes text, struct bytes key, uint64_t at)
{
	struct config *c;

	if (text.n > CONFIG_INNER_BYTES_MAX || !config_inner_begins(text))
		return true;
	c = config_begin(l);
	if (c != NULL)
		config_open(c, CONFIG_MAP, config_no_key, at);
	if (c == NULL || !config_json_feed(c, text, (struct config_text){ key, false }, at)) {
		(void)layout_stop(l);
		return false;
	}
	return config_end(c) != WLK_INCOMPLETE;
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
