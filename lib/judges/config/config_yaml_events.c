/* See config_yaml_events.h.  libyaml 0.2.5 resolves %TAG, !<...> and %70 itself, so tags are compared as they mean.  It looks
 * ahead 1,024 characters at most, so that depth is stopped by its events. */
#include "config_yaml_events.h"

#include "checked.h"
#include "config_yaml_impl.h"

#define ANCHORS_MAX 65536u
#define ANCHOR_TEXT_MAX 512u
#define MEMORY_PER_BYTE 4u /* libyaml's buffers and the scalar at hand, in each of which the longest text may stand */
#define MEMORY_BASE ((size_t)1 << 20)
#define EXPANDED_MAX UINT64_C(1000000)
#define EXPANDED_TIMES 100u

/* Where an event is: libyaml counts characters. */
static uint64_t offset_of(struct yaml *y, const yaml_mark_t *mark)
{
	if (mark->index < y->at_chars)
		return y->at;
	while (y->at_chars < mark->index && y->at < y->text.n) {
		y->at++;
		while (y->at < y->text.n && (y->text.at[y->at] & 0xc0) == 0x80)
			y->at++;
		y->at_chars++;
	}
	return y->at;
}

/* -- anchors -- */

static uint32_t add_anchor(struct yaml *y, struct bytes name, bool scalar, struct bytes text)
{
	struct anchor *a = y->anchors;
	uint32_t room = y->n_anchors;

	if (name.n == 0)
		return NODE_NONE;
	if (y->n_anchors == ANCHORS_MAX) {
		y->c->full = true;
		return NODE_NONE;
	}
	if ((room & (room - 1)) == 0) { /* doubled */
		a = arena_resize_raw(y->c->l->arena, a, room != 0 ? 2 * (size_t)room : 1, sizeof(*a));
		if (a == NULL) {
			y->c->failed = true;
			return NODE_NONE;
		}
		y->anchors = a;
	}
	a[y->n_anchors] = (struct anchor){ .size = 1, .scalar = scalar, .open = !scalar, .nodes = { NODE_NONE, 0 } };
	a[y->n_anchors].cut = scalar && text.n > ANCHOR_TEXT_MAX;
	if (scalar && text.n <= ANCHOR_TEXT_MAX) {
		uint8_t *copy = arena_alloc(y->c->l->arena, text.n + 1, 1);

		if (copy == NULL) {
			y->c->failed = true;
			return NODE_NONE;
		}
		bytes_copy(copy, text);
		a[y->n_anchors].text = bytes_of(copy, text.n);
	}
	scoped_names_add(&y->anchor_names, scoped_name_of(&y->anchor_names, name, 0), SCOPED_KEY, y->n_anchors);
	return y->n_anchors++;
}

static void grow(struct yaml *y, uint64_t size)
{
	if (y->depth > 0 && !add_u64(y->levels[y->depth - 1].size, size, &y->levels[y->depth - 1].size))
		y->levels[y->depth - 1].size = UINT64_MAX;
}

static void tell_expansion(struct yaml *y, uint64_t at)
{
	if (!y->told_expansion)
		yaml_tell(y, WLK_F_CONFIG_YAML_EXPANSION, bytes_of(NULL, 0), at);
	y->told_expansion = true;
}

static const struct anchor *find_anchor(struct yaml *y, struct bytes name)
{
	const struct scoped_entry *e =
	    scoped_names_find(&y->anchor_names, scoped_name_of(&y->anchor_names, name, 0), 1u << SCOPED_KEY, 0);

	return e != NULL ? &y->anchors[e->at] : NULL;
}

/* -- keys -- */

static void note_twice(struct yaml *y, struct bytes key, uint64_t at)
{
	struct twice *t = &y->twice[config_key_of(&y->c->keys, key) != KEY_NONE];

	if (t->found)
		return;
	t->found = true;
	t->at = at;
	t->n = key.n < sizeof(t->buf) ? key.n : sizeof(t->buf);
	bytes_copy(t->buf, bytes_of(key.at, t->n));
}

static void take_key(struct yaml *y, struct bytes key, uint64_t at)
{
	struct level *v = &y->levels[y->depth - 1];
	struct scoped_name name = scoped_name_of(&y->keys, key, 0);

	if (!bytes_equal(key, bytes_of_text("<<"))) {
		if (scoped_names_find(&y->keys, name, 1u << SCOPED_KEY, v->base) != NULL)
			note_twice(y, key, at);
		scoped_names_add(&y->keys, name, SCOPED_KEY, at);
	}
	v->name.n = key.n < NAME_BYTES ? key.n : NAME_BYTES;
	v->name.at = v->buf;
	bytes_copy(v->buf, bytes_of(key.at, v->name.n));
	v->key = false;
}

/* The name of what comes now: a value of a map, or an entry of a list. */
static struct config_text name_here(struct yaml *y)
{
	struct level *v = y->depth > 0 ? &y->levels[y->depth - 1] : NULL;

	if (v == NULL || !v->map)
		return config_no_key;
	if (v->key) /* a map or list in the place of a key: walked, under no name of ours */
		return (struct config_text){ bytes_of_text("?"), true };
	return (struct config_text){ v->name, false };
}

static void value_done(struct yaml *y)
{
	if (y->depth > 0 && y->levels[y->depth - 1].map)
		y->levels[y->depth - 1].key = true;
}

/* -- scalars -- */

static bool is_number(struct bytes t)
{
	bool digit = false;

	for (size_t i = 0; i < t.n; i++) {
		uint8_t b = t.at[i];

		digit = digit || (b >= '0' && b <= '9');
		if (!(b >= '0' && b <= '9') && memchr("+-._eExX", b, 8) == NULL)
			return false;
	}
	return digit;
}

/* As YAML 1.1 has it (PyYAML): y and n are texts. */
static enum config_type type_of(struct bytes t, bool plain)
{
	if (!plain)
		return CONFIG_TEXT;
	if (t.n > 0 && (t.n > sizeof("false") - 1 || memchr("~nNyYtToOfF", t.at[0], 11) == NULL))
		return is_number(t) ? CONFIG_NUMBER : CONFIG_TEXT;
	if (t.n == 0 || config_is_word_of(t, "~ null Null NULL"))
		return CONFIG_NULL;
	if (config_is_word_of(t, "yes Yes YES true True TRUE on On ON"))
		return CONFIG_TRUE;
	if (config_is_word_of(t, "no No NO false False FALSE off Off OFF"))
		return CONFIG_FALSE;
	return is_number(t) ? CONFIG_NUMBER : CONFIG_TEXT;
}

static uint64_t count_breaks(struct bytes t)
{
	uint64_t n = 0;

	for (size_t i = 0; i + 1 < t.n; i++)
		n += (t.at[i] == 0xc2 && t.at[i + 1] == 0x85) ||
		     (t.at[i] == 0xe2 && t.at[i + 1] == 0x80 && i + 2 < t.n &&
			 (t.at[i + 2] == 0xa8 || t.at[i + 2] == 0xa9));
	return n;
}

/* Keras' architectures are searched for as text (keras_yaml.c): a key that stands otherwise hides there. */
static void check_hidden(struct yaml *y, struct bytes text, const yaml_event_t *e)
{
	uint64_t at, end;

	if (!bytes_equal(text, bytes_of_text("class_name")))
		return;
	at = offset_of(y, &e->start_mark);
	end = offset_of(y, &e->end_mark);
	if (!config_holds(bytes_of(y->text.at + at, (size_t)(end - at)), "class_name"))
		yaml_tell(y, WLK_F_CONFIG_TARGET_UNLISTED, text, at);
}

static void take_text(struct yaml *y, struct bytes text, bool plain, uint64_t at)
{
	struct level *v = y->depth > 0 ? &y->levels[y->depth - 1] : NULL;

	grow(y, 1);
	if (v != NULL && v->map && v->key) {
		take_key(y, text, at);
		return;
	}
	config_value(y->c, type_of(text, plain), name_here(y), (struct config_text){ text, false }, at);
	value_done(y);
}

static void take_scalar(struct yaml *y, const yaml_event_t *e)
{
	struct bytes text = bytes_of(e->data.scalar.value, e->data.scalar.length), tag = text_of(e->data.scalar.tag);
	uint64_t at = offset_of(y, &e->start_mark);
	bool quoted = e->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
		      e->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;

	yaml_tell_tag(y, tag, at);
	yaml_check_reference(y, tag, text, at);
	if (config_ends(tag, "include") && config_path_fault(text) != 0)
		yaml_tell(y, config_path_fault(text), text, at);
	check_hidden(y, text, e);
	yaml_check_argument(y, tag, text, at);
	if ((!quoted && tag.n == 0) || bytes_equal(tag, bytes_of_text("!tuple")))
		yaml_keep_tuple(y, text, tag.n > 0, at);
	yaml_keep_referred(y, tag, text, at);
	if (quoted && y->breaks > 0) {
		uint64_t end = offset_of(y, &e->end_mark);

		y->quoted_breaks += count_breaks(bytes_of(y->text.at + at, (size_t)(end - at)));
	}
	(void)add_anchor(y, text_of(e->data.scalar.anchor), true, text);
	take_text(y, text, e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && tag.n == 0, at);
}

/* The map that @up levels around what is read now is the value of `<<` of. */
static bool is_merged(const struct yaml *y, unsigned up)
{
	const struct level *v = y->depth > up ? &y->levels[y->depth - 1 - up] : NULL;

	return v != NULL && v->map && !v->key && bytes_equal(v->name, bytes_of_text("<<"));
}

/* Its entries are those of the map around it: `<<: *a`, `<<: [*a, *b]`, `<<: {a: b}`. */
static void merge(struct yaml *y, uint64_t has, struct config_copy nodes, uint64_t at)
{
	unsigned up = 0;

	if (!is_merged(y, 0)) {
		if (y->depth < 2 || y->levels[y->depth - 1].map || !is_merged(y, 1))
			return;
		up = 1;
	}
	config_merge(y->c, up, has);
	if (!config_blend(y->c, up, nodes))
		tell_expansion(y, at);
}

static void take_alias(struct yaml *y, const yaml_event_t *e)
{
	const struct anchor *a = find_anchor(y, text_of(e->data.alias.anchor));
	uint64_t at = offset_of(y, &e->start_mark);

	if (a == NULL || a->open) {
		if (a != NULL)
			tell_expansion(y, at);
		take_text(y, bytes_of(NULL, 0), true, at);
		return;
	}
	if (a->scalar) {
		if (a->cut && (config_key_how(config_key_of(&y->c->keys, name_here(y).b)) & (T | ANY)) != 0)
			yaml_tell(y, WLK_F_CONFIG_TARGET_UNLISTED, text_of(e->data.alias.anchor), at);
		take_text(y, a->text, false, at);
		return;
	}
	merge(y, a->has, a->nodes, at);
	grow(y, a->size);
	if (y->depth > 0 && y->levels[y->depth - 1].map && y->levels[y->depth - 1].key) {
		take_key(y, bytes_of_text("?"), at);
		return;
	}
	if (!config_again(
		y->c, a->nodes, name_here(y), at)) /* what it means under this key, it does not where it stands */
		tell_expansion(y, at);
	value_done(y);
}

/* -- maps and lists -- */

static void open_level(struct yaml *y, bool map, struct bytes tag, struct bytes anchor, uint64_t at)
{
	struct level *v = &y->levels[y->depth];

	yaml_tell_tag(y, tag, at);
	if (y->depth == DEPTH_MAX) {
		yaml_tell(y, WLK_F_CONFIG_YAML_DEPTH, bytes_of(NULL, 0), at);
		y->stop = true;
		return;
	}
	config_open(y->c, map ? CONFIG_MAP : CONFIG_LIST, name_here(y), at);
	v->is_key = y->depth > 0 && y->levels[y->depth - 1].map && y->levels[y->depth - 1].key;
	v->map = v->key = map;
	v->called = yaml_tag_calls(tag) || (y->depth > 0 && y->levels[y->depth - 1].called);
	v->base = y->keys.n;
	v->size = 1;
	v->node = NODE_NONE;
	v->anchor = add_anchor(y, anchor, false, bytes_of(NULL, 0));
	if (v->anchor != NODE_NONE || is_merged(y, 0) || (y->depth > 1 && is_merged(y, 1)))
		v->node = config_keep(y->c);
	v->name = bytes_of(v->buf, 0);
	y->depth++;
}

static void close_level(struct yaml *y, uint64_t at)
{
	struct level *v = &y->levels[--y->depth];
	uint64_t has = v->map ? config_bits(y->c) : 0;
	struct config_copy nodes = { v->node, y->c->n };

	config_close(y->c);
	merge(y, has, v->map ? nodes : (struct config_copy){ NODE_NONE, 0 }, at);
	scoped_names_cut(&y->keys, v->base);
	if (v->anchor != NODE_NONE) {
		y->anchors[v->anchor].size = v->size;
		y->anchors[v->anchor].has = has;
		y->anchors[v->anchor].nodes = nodes;
		y->anchors[v->anchor].open = false;
	}
	grow(y, v->size);
	if (v->size > EXPANDED_MAX && v->size / EXPANDED_TIMES > y->events)
		tell_expansion(y, at);
	if (v->is_key)
		take_key(y, bytes_of_text("?"), at);
	else
		value_done(y);
}

static void take_event(struct yaml *y, const yaml_event_t *e)
{
	uint64_t at;

	y->events++;
	switch (e->type) {
	case YAML_DOCUMENT_START_EVENT:
		y->documents++;
		scoped_names_cut(&y->anchor_names, 0);
		break;
	case YAML_SCALAR_EVENT: take_scalar(y, e); break;
	case YAML_ALIAS_EVENT: take_alias(y, e); break;
	case YAML_SEQUENCE_START_EVENT:
		at = offset_of(y, &e->start_mark);
		open_level(y, false, text_of(e->data.sequence_start.tag), text_of(e->data.sequence_start.anchor), at);
		break;
	case YAML_MAPPING_START_EVENT:
		at = offset_of(y, &e->start_mark);
		open_level(y, true, text_of(e->data.mapping_start.tag), text_of(e->data.mapping_start.anchor), at);
		break;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT: close_level(y, offset_of(y, &e->start_mark)); break;
	default: break;
	}
}

/* -- the text -- */

/* Names may hash to nothing without memory. */
static bool is_failed(const struct yaml *y)
{
	return y->c->failed || y->keys.failed || y->anchor_names.failed;
}

static bool read_events(struct yaml *y, yaml_parser_t *parser)
{
	yaml_event_t event;
	bool end = false;

	while (!end && !y->stop && !is_failed(y)) {
		if (yaml_parser_parse(parser, &event) == 0)
			return false;
		end = event.type == YAML_STREAM_END_EVENT;
		take_event(y, &event);
		yaml_event_delete(&event);
	}
	return true;
}

/* What only all of it tells: whether it is of a family, and how often something came. */
static void conclude(struct yaml *y)
{
	bool family;

	yaml_read_tuples(y);
	yaml_check_referrals(y);
	family = config_has_family(y->c);
	for (size_t i = 0; i < 2; i++) {
		struct twice *t = &y->twice[i];

		if (t->found)
			config_found(y->c,
			    i > 0 || family ? WLK_F_CONFIG_YAML_DUPLICATE_KEY : WLK_F_CONFIG_YAML_DUPLICATE_KEY_LOCAL,
			    bytes_of(NULL, 0), bytes_of(t->buf, t->n), t->at);
	}
	if (family && (y->documents > 1 || y->breaks > y->quoted_breaks))
		config_found(y->c, WLK_F_CONFIG_YAML_AMBIGUOUS, bytes_of(NULL, 0), bytes_of(NULL, 0), 0);
}

/* A tag that calls, behind what libyaml refuses: other parsers may take it (ruamel.yaml, SpeechBrain's). */
static bool may_call(struct bytes rest)
{
	static const char *const tags[] = { "!new:", "!apply", "!name:", "!module:", "!include:", "!tuple", "!!",
		"!<" };

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (config_holds(rest, tags[i]))
			return true;
	return false;
}

static bool open_memory(struct layout *l, struct bytes text)
{
	uint64_t needed = (uint64_t)text.n * MEMORY_PER_BYTE + MEMORY_BASE;

	layout_raise_memory(l, needed);
	return arena_charge(l->arena, (size_t)needed);
}

static struct yaml *yaml_new(struct config *c, struct bytes text)
{
	struct yaml *y = arena_resize_raw(c->l->arena, NULL, 1, sizeof(*y));

	if (y == NULL)
		return NULL;
	memset(y, 0, sizeof(*y));
	y->c = c;
	y->text = text;
	y->breaks = count_breaks(text);
	scoped_names_init(&y->keys, c->l->arena, &c->l->seed);
	scoped_names_init(&y->anchor_names, c->l->arena, &c->l->seed);
	return y;
}

enum wlk_status config_yaml_read(struct config *c, struct bytes text, bool *ret_whole)
{
	yaml_parser_t parser;
	struct yaml *y = open_memory(c->l, text) ? yaml_new(c, text) : NULL;
	bool ok, memory;

	*ret_whole = false;
	if (y == NULL || yaml_parser_initialize(&parser) == 0)
		return layout_stop(c->l);
	yaml_parser_set_input_string(&parser, text.at, text.n);
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	layout_raise_memory(c->l, (uint64_t)text.n * 8); /* keys that are open at a time, and anchors */
	ok = read_events(y, &parser);
	memory = parser.error == YAML_MEMORY_ERROR || is_failed(y);
	while (y->depth > 0)
		close_level(y, text.n);
	if (!memory) {
		*ret_whole = ok && !y->stop;
		conclude(y);
		if (!ok)
			config_found(c,
			    config_has_family(c) || may_call(text) ? WLK_F_CONFIG_YAML_SYNTAX
								   : WLK_F_CONFIG_YAML_SYNTAX_LOCAL,
			    bytes_of(NULL, 0), bytes_of(NULL, 0), y->at);
	}
	yaml_parser_delete(&parser);
	arena_release(c->l->arena, y->anchors);
	return memory && !c->full ? layout_stop(c->l) : WLK_DONE;
}
