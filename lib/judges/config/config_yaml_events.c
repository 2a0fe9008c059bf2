/* See config_yaml_events.h.  libyaml 0.2.5 resolves %TAG, !<...> and %70 itself, so tags are compared as they mean.  It looks
 * ahead 1,024 characters at most, so that depth is stopped by its events. */
#include "config_yaml_events.h"

#include <yaml.h>

#include "checked.h"
#include "config_impl.h"
#include "scoped_names.h"

#define DEPTH_MAX 64u
#define ANCHORS_MAX 65536u
#define ANCHOR_TEXT_MAX 512u
#define TUPLES_MAX 256u    /* kept until it is known whose file it is */
#define MEMORY_PER_BYTE 4u /* libyaml's buffers and the scalar at hand, in each of which the longest text may stand */
#define MEMORY_BASE ((size_t)1 << 20)
#define EXPANDED_MAX UINT64_C(1000000)
#define EXPANDED_TIMES 100u

struct anchor {
	uint64_t size; /* 1 and what is in it, with aliases followed */
	uint64_t has;  /* keys of a map: config_bits() */
	struct config_copy nodes;
	struct bytes text;
	bool scalar, open, cut; /* the text is longer than what is kept */
};

#define NAME_BYTES 256u

struct level {
	bool map, key; /* a key comes next */
	bool is_key;   /* all of it is a key */
	uint32_t base; /* of its keys in the table */
	uint64_t size;
	uint32_t anchor;   /* NODE_NONE */
	uint32_t node;     /* of a map or list that may stand elsewhere, too; NODE_NONE */
	struct bytes name; /* of the entry that is read; in buf */
	uint8_t buf[NAME_BYTES];
};

/* A key that is given twice: the first such. */
struct twice {
	bool found;
	uint64_t at;
	uint8_t buf[NAME_BYTES];
	size_t n;
};

struct yaml {
	struct config *c;
	struct bytes text;
	size_t at; /* in bytes, of what mark_chars counts in characters */
	size_t at_chars;
	struct level levels[DEPTH_MAX + 1];
	unsigned depth;
	struct anchor *anchors;
	struct scoped_names anchor_names, keys;
	uint32_t n_anchors;
	uint64_t events;
	unsigned documents;
	bool told_expansion, stop;
	bool referred;                  /* there is a !ref */
	uint64_t breaks, quoted_breaks; /* that only YAML 1.1 knows: all, and those in quotes */
	struct twice twice[2];          /* of other keys, of those that loaders act on */
	struct tuple {
		struct bytes text;
		uint64_t at;
		bool by_reference; /* a list only where there is a !ref */
	} tuples[TUPLES_MAX];
	unsigned n_tuples;
};

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

static struct bytes text_of(const yaml_char_t *at)
{
	return at != NULL ? bytes_of(at, strlen((const char *)at)) : bytes_of(NULL, 0);
}

static void tell(struct yaml *y, enum wlk_finding code, struct bytes found, uint64_t at)
{
	uint8_t path[CONFIG_PATH_MAX];
	struct level *v = y->depth > 0 ? &y->levels[y->depth - 1] : NULL;

	config_found(
	    y->c, code, found, bytes_of(path, config_here(y->c, v != NULL ? v->name : bytes_of(NULL, 0), path)), at);
}

/* -- tags -- */

#define CORE "tag:yaml.org,2002:"

static void tell_python(struct yaml *y, struct bytes tag, uint64_t at)
{
	struct bytes rest = bytes_of(tag.at + strlen(CORE "python/"), tag.n - strlen(CORE "python/")), name = rest;
	const uint8_t *colon = memchr(rest.at, ':', rest.n);
	enum wlk_finding code = WLK_F_YAML_PYTHON_TAG;

	if (config_is_word_of(rest, "none bool str unicode int long float complex list tuple dict bytes"))
		code = WLK_F_CONFIG_YAML_PYTHON_VALUE;
	if (colon != NULL)
		name = bytes_of(colon + 1, rest.n - (size_t)(colon + 1 - rest.at));
	if (colon != NULL && (config_begins(rest, "name:") || config_begins(rest, "module:")) && name.n > 0 &&
	    config_name_standing(name, NULL, NULL) != CONFIG_NAME_DENIED)
		code = WLK_F_CONFIG_YAML_OBJECT;
	if (config_begins(rest, "object/apply:") &&
	    config_is_word_of(name,
		"pathlib.PosixPath pathlib.Path pathlib.WindowsPath pathlib.PurePosixPath "
		"pathlib.PureWindowsPath pathlib.PurePath collections.OrderedDict argparse.Namespace"))
		code = WLK_F_CONFIG_YAML_OBJECT;
	tell(y, code, tag, at);
}

static bool is_foreign(struct bytes tag)
{
	static const char *const begins[] = { "!ruby/", "tag:ruby.yaml.org,2002:", "!java", "tag:yaml.org,2002:java",
		"tag:yaml.org,2002:com.", "tag:yaml.org,2002:org.", "tag:yaml.org,2002:net.", "tag:yaml.org,2002:sun.",
		"tag:yaml.org,2002:ruby/", "tag:yaml.org,2002:php/", "tag:yaml.org,2002:perl/", "!com.", "!org.",
		"!net.", "!sun.", "!php/", "!perl/", "!System.", "!clr:", "System.", "clr:" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (config_begins(tag, begins[i]))
			return true;
	return false;
}

/* HyperPyYAML's: core.py. */
static bool tell_hyper(struct yaml *y, struct bytes tag, uint64_t at)
{
	static const char *const calls[] = { "!new:", "!apply:", "!applyref:", "!name:" };
	uint8_t path[CONFIG_PATH_MAX];
	struct level *v = y->depth > 0 ? &y->levels[y->depth - 1] : NULL;
	struct bytes where = bytes_of(path, config_here(y->c, v != NULL ? v->name : bytes_of(NULL, 0), path));

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (config_begins(tag, calls[i])) {
			size_t n = strlen(calls[i]);

			config_is(y->c, CONFIG_HYPERPYYAML);
			config_call(y->c, bytes_of(tag.at + n, tag.n - n), where, at);
			return true;
		}
	if (config_begins(tag, "!module:"))
		config_import(y->c, bytes_of(tag.at + 8, tag.n - 8), where, at);
	else if (config_begins(tag, "!include:"))
		config_include(y->c, bytes_of(tag.at + 9, tag.n - 9), NULL, where, at);
	else
		return bytes_equal(tag, bytes_of_text("!ref")) || bytes_equal(tag, bytes_of_text("!copy")) ||
		       bytes_equal(tag, bytes_of_text("!PLACEHOLDER")) || bytes_equal(tag, bytes_of_text("!tuple"));
	config_is(y->c, CONFIG_HYPERPYYAML);
	return true;
}

static void tell_tag(struct yaml *y, struct bytes tag, uint64_t at)
{
	static const char core[] = "str int float bool null map seq set omap pairs binary timestamp merge value";

	if (tag.n <= 1 || tell_hyper(y, tag, at))
		return;
	if (config_begins(tag, CORE "python/") || config_begins(tag, "!python/")) {
		if (tag.at[0] == '!')
			tell(y, WLK_F_CONFIG_YAML_TAG, tag, at);
		else
			tell_python(y, tag, at);
	} else if (is_foreign(tag) || (config_begins(tag, CORE "java"))) {
		tell(y, WLK_F_CONFIG_YAML_FOREIGN, tag, at);
	} else if (config_begins(tag, CORE) &&
		   config_is_word_of(bytes_of(tag.at + strlen(CORE), tag.n - strlen(CORE)), core)) {
		return;
	} else if (config_begins(tag, "tag:unity3d.com,")) {
		tell(y, WLK_F_CONFIG_YAML_TAG_LOCAL, tag, at);
	} else {
		struct bytes rest = bytes_of(tag.at + 1, tag.n - 1);
		bool names = config_holds(rest, ":") || config_holds(rest, ".") || config_has_family(y->c);

		tell(y, names ? WLK_F_CONFIG_YAML_TAG : WLK_F_CONFIG_YAML_TAG_LOCAL, tag, at);
	}
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
		tell(y, WLK_F_CONFIG_YAML_EXPANSION, bytes_of(NULL, 0), at);
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

#define TUPLE_MAX 65536u

static const yaml_char_t *tag_of(const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_SCALAR_EVENT: return e->data.scalar.tag;
	case YAML_SEQUENCE_START_EVENT: return e->data.sequence_start.tag;
	case YAML_MAPPING_START_EVENT: return e->data.mapping_start.tag;
	default: return NULL;
	}
}

/* @list: what stood between the first and the last character, in brackets. */
static void read_list(struct yaml *y, struct bytes list, uint64_t at)
{
	yaml_parser_t parser;
	yaml_event_t event;
	unsigned depth = 0;
	bool end = false;

	if (yaml_parser_initialize(&parser) == 0) {
		y->c->failed = true;
		return;
	}
	yaml_parser_set_input_string(&parser, list.at, list.n);
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	while (!end && depth <= DEPTH_MAX && yaml_parser_parse(&parser, &event) != 0) {
		end = event.type == YAML_STREAM_END_EVENT;
		depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
		depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
		tell_tag(y, text_of(tag_of(&event)), at);
		yaml_event_delete(&event);
	}
	if (!end)
		tell(y, WLK_F_CONFIG_YAML_SYNTAX, list, at);
	yaml_parser_delete(&parser);
}

/* What stands between brackets. */
static void keep_list(struct yaml *y, struct bytes text, bool by_reference, uint64_t at)
{
	bool fits = text.n <= TUPLE_MAX && y->n_tuples < TUPLES_MAX;
	uint8_t *list = fits ? arena_alloc(y->c->l->arena, text.n + 2, 1) : NULL;

	if (list == NULL) {
		y->c->full = y->c->full || !fits;
		y->c->failed = y->c->failed || fits;
		return;
	}
	list[0] = '[';
	bytes_copy(list + 1, text);
	list[text.n + 1] = ']';
	y->tuples[y->n_tuples++] = (struct tuple){ bytes_of(list, text.n + 2), at, by_reference };
}

/* HyperPyYAML makes a list of (a, b), by a loader that takes all tags, and of whatever has the tag `!tuple`: core.py,
 * _make_tuple, which looks at no bracket.  Whether the file is HyperPyYAML's a later tag may tell: conclude(). */
static void keep_tuple(struct yaml *y, struct bytes text, bool tagged, uint64_t at)
{
	if (tagged)
		config_is(y->c, CONFIG_HYPERPYYAML);
	if (text.n < 3 || memchr(text.at, '!', text.n) == NULL ||
	    (!tagged && (text.at[0] != '(' || text.at[text.n - 1] != ')')))
		return;
	keep_list(y, bytes_of(text.at + 1, text.n - 2), false, at);
}

static bool is_letter(uint8_t b)
{
	return (b | 0x20) >= 'a' && (b | 0x20) <= 'z';
}

/* A tag in a text: it is one where a list begins or goes on. */
static bool holds_tag(struct bytes text)
{
	for (size_t i = 0; i + 1 < text.n; i++)
		if (text.at[i] == '!' &&
		    (text.at[i + 1] == '!' || text.at[i + 1] == '<' || is_letter(text.at[i + 1])) &&
		    (i == 0 || memchr(" \t\n[({,!", text.at[i - 1], 8) != NULL))
			return true;
	return false;
}

/* `!ref (<a>)` puts what another text holds into brackets, in quotes or not: core.py, recursive_resolve(). */
static void keep_referred(struct yaml *y, struct bytes tag, struct bytes text, uint64_t at)
{
	bool refers = bytes_equal(tag, bytes_of_text("!ref"));

	y->referred = y->referred || refers;
	if (refers && text.n > 0 && text.at[0] == '(' && config_holds(text, "><")) /* put together from pieces */
		tell(y, WLK_F_CONFIG_YAML_TAG, text, at);
	if (holds_tag(text))
		keep_list(y, text, true, at);
}

static void read_tuples(struct yaml *y)
{
	for (unsigned i = 0; i < y->n_tuples && config_in(y->c, CONFIG_HYPERPYYAML); i++)
		if (y->referred || !y->tuples[i].by_reference)
			read_list(y, y->tuples[i].text, y->tuples[i].at);
}

/* !ref <a.b> is getattr(a, "b"). */
static void check_reference(struct yaml *y, struct bytes tag, struct bytes text, uint64_t at)
{
	if (bytes_equal(tag, bytes_of_text("!ref")) && config_holds(text, ".__"))
		tell(y, WLK_F_CONFIG_TARGET, text, at);
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
		tell(y, WLK_F_CONFIG_TARGET_UNLISTED, text, at);
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

	tell_tag(y, tag, at);
	check_reference(y, tag, text, at);
	check_hidden(y, text, e);
	if ((!quoted && tag.n == 0) || bytes_equal(tag, bytes_of_text("!tuple")))
		keep_tuple(y, text, tag.n > 0, at);
	keep_referred(y, tag, text, at);
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
			tell(y, WLK_F_CONFIG_TARGET_UNLISTED, text_of(e->data.alias.anchor), at);
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

	tell_tag(y, tag, at);
	if (y->depth == DEPTH_MAX) {
		tell(y, WLK_F_CONFIG_YAML_DEPTH, bytes_of(NULL, 0), at);
		y->stop = true;
		return;
	}
	config_open(y->c, map ? CONFIG_MAP : CONFIG_LIST, name_here(y), at);
	v->is_key = y->depth > 0 && y->levels[y->depth - 1].map && y->levels[y->depth - 1].key;
	v->map = v->key = map;
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

	read_tuples(y);
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
