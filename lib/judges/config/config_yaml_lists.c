/* Texts that HyperPyYAML takes for lists: hyperpyyaml/core.py.  They are read again as YAML, for their tags alone. */
#include "config_yaml_impl.h"

#define TUPLE_MAX 65536u
#define LIST_EVENTS_MAX 4096u

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
		yaml_tell_tag(y, text_of(tag_of(&event)), at);
		yaml_event_delete(&event);
	}
	if (!end)
		yaml_tell(y, WLK_F_CONFIG_YAML_SYNTAX, list, at);
	yaml_parser_delete(&parser);
}

/* Of a file that is nobody's: what would it be for a file of HyperPyYAML that includes it? */
static void note_list(struct yaml *y, struct bytes list)
{
	yaml_parser_t parser;
	yaml_event_t event;
	bool end = false;

	if (yaml_parser_initialize(&parser) == 0) {
		y->c->failed = true;
		return;
	}
	yaml_parser_set_input_string(&parser, list.at, list.n);
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	for (unsigned n = 0; !end && n < LIST_EVENTS_MAX && yaml_parser_parse(&parser, &event) != 0; n++) {
		struct bytes tag = text_of(tag_of(&event));

		end = event.type == YAML_STREAM_END_EVENT;
		if (config_holds(tag, "python/"))
			y->c->if_included = "python";
		else if (tag.n > 1 && y->c->if_included == NULL)
			y->c->if_included = "yaml";
		yaml_event_delete(&event);
	}
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
void yaml_keep_tuple(struct yaml *y, struct bytes text, bool tagged, uint64_t at)
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
void yaml_keep_referred(struct yaml *y, struct bytes tag, struct bytes text, uint64_t at)
{
	bool refers = bytes_equal(tag, bytes_of_text("!ref"));

	y->referred = y->referred || refers;
	if (refers && text.n > 0 && text.at[0] == '(' && config_holds(text, "><")) /* put together from pieces */
		yaml_tell(y, WLK_F_CONFIG_YAML_TAG, text, at);
	if (holds_tag(text))
		keep_list(y, text, true, at);
}

void yaml_read_tuples(struct yaml *y)
{
	bool ours = config_in(y->c, CONFIG_HYPERPYYAML);

	for (unsigned i = 0; i < y->n_tuples; i++)
		if (y->referred || !y->tuples[i].by_reference)
			ours ? read_list(y, y->tuples[i].text, y->tuples[i].at) : note_list(y, y->tuples[i].text);
}

/* !ref <a.b> is getattr(a, "b"). */
void yaml_check_reference(struct yaml *y, struct bytes tag, struct bytes text, uint64_t at)
{
	if (bytes_equal(tag, bytes_of_text("!ref")) && config_holds(text, ".__"))
		yaml_tell(y, WLK_F_CONFIG_TARGET, text, at);
}
