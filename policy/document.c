/* Implements document.h on libyaml's events: the events are checked as they come, so nothing that is refused
 * is ever built. */
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "document.h"
#include "policy_impl.h"

#define SHOWN_MAX 100 /* bytes of a found value in a message */

struct builder {
	yaml_parser_t parser;
	struct bytes input;
	struct arena *arena;
	const char *origin;
	char *error;
	struct node *root;
	struct node *open[DOCUMENT_DEPTH_MAX];  /* maps and lists being read */
	struct node **tail[DOCUMENT_DEPTH_MAX]; /* where their next child goes */
	size_t depth;
	const char *key; /* read, waiting for its value */
	unsigned key_line;
	size_t n_nodes;
	bool done;
};

bool document_error(
    char *error, const char *origin, unsigned line, const char *what, const char *found, const char *allowed)
{
	char shown[SHOWN_MAX], where[SHOWN_MAX * 2];
	int n;

	n = snprintf(
	    error, POLICY_ERROR_MAX, "%s:%u: %s", text_escape(bytes_of_text(origin), where, sizeof(where)), line, what);
	if (found != NULL && n > 0 && n < POLICY_ERROR_MAX)
		n += snprintf(error + n, (size_t)(POLICY_ERROR_MAX - n), "; found '%s'",
		    text_escape(bytes_of_text(found), shown, sizeof(shown)));
	if (allowed != NULL && n > 0 && n < POLICY_ERROR_MAX)
		(void)snprintf(error + n, (size_t)(POLICY_ERROR_MAX - n), "; allowed: %s", allowed);
	return false;
}

static bool fail(struct builder *b, unsigned line, const char *what, const char *found, const char *allowed)
{
	return document_error(b->error, b->origin, line, what, found, allowed);
}

static unsigned line_of(const yaml_event_t *e)
{
	return (unsigned)e->start_mark.line + 1;
}

/* A scalar's text, refused when a person could not see all of it. */
static const char *take_text(struct builder *b, const yaml_event_t *e)
{
	struct bytes text = bytes_of(e->data.scalar.value, e->data.scalar.length);
	char *copy;

	if (text.n > DOCUMENT_TEXT_MAX) {
		(void)fail(b, line_of(e), "a value is too long", NULL, "1024 bytes");
		return NULL;
	}
	if (!text_is_plain(text)) {
		(void)fail(
		    b, line_of(e), "a value holds control or invisible characters", NULL, "printable text on one line");
		return NULL;
	}
	copy = arena_alloc(b->arena, text.n + 1, 1);
	if (copy == NULL) {
		(void)fail(b, line_of(e), "out of memory", NULL, NULL);
		return NULL;
	}
	if (text.n > 0)
		memcpy(copy, text.at, text.n);
	return copy;
}

static struct node *add_node(struct builder *b, const yaml_event_t *e, enum node_kind kind)
{
	struct node *node;

	if (b->n_nodes == DOCUMENT_NODES_MAX) {
		(void)fail(b, line_of(e), "too many values", NULL, "65536");
		return NULL;
	}
	node = arena_alloc(b->arena, 1, sizeof(*node));
	if (node == NULL) {
		(void)fail(b, line_of(e), "out of memory", NULL, NULL);
		return NULL;
	}
	b->n_nodes++;
	*node = (struct node){ .kind = kind, .line = line_of(e), .key = b->key, .key_line = b->key_line };
	b->key = NULL;
	if (b->depth == 0) {
		b->root = node;
	} else {
		*b->tail[b->depth - 1] = node;
		b->tail[b->depth - 1] = &node->next;
	}
	return node;
}

static bool open_node(struct builder *b, const yaml_event_t *e, enum node_kind kind)
{
	struct node *node;

	if (b->depth == DOCUMENT_DEPTH_MAX)
		return fail(b, line_of(e), "values nested too deep", NULL, "8 levels");
	node = add_node(b, e, kind);
	if (node == NULL)
		return false;
	b->open[b->depth] = node;
	b->tail[b->depth] = &node->child;
	b->depth++;
	return true;
}

static bool in_map(const struct builder *b)
{
	return b->depth > 0 && b->open[b->depth - 1]->kind == NODE_MAP;
}

static bool take_key(struct builder *b, const yaml_event_t *e, const char *key)
{
	const struct node *sibling = b->open[b->depth - 1]->child;
	size_t n = 0;

	for (; sibling != NULL; sibling = sibling->next, n++)
		if (strcmp(sibling->key, key) == 0)
			return fail(b, line_of(e), "a key appears twice", key, "each key once");
	if (n == DOCUMENT_KEYS_MAX)
		return fail(b, line_of(e), "too many keys in one map", NULL, "64");
	b->key = key;
	b->key_line = line_of(e);
	return true;
}

static bool take_scalar(struct builder *b, const yaml_event_t *e)
{
	const char *text = take_text(b, e);
	struct node *node;

	if (text == NULL)
		return false;
	if (in_map(b) && b->key == NULL)
		return take_key(b, e, text);
	node = add_node(b, e, NODE_SCALAR);
	if (node == NULL)
		return false;
	node->text = text;
	return true;
}

/* Anchors make one text mean another's copy; tags make a text mean a type: neither is needed here. */
static bool check_plain_event(struct builder *b, const yaml_event_t *e)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	switch (e->type) {
	case YAML_ALIAS_EVENT:
		return fail(b, line_of(e), "an alias", (const char *)e->data.alias.anchor, "plain values");
	case YAML_SCALAR_EVENT:
		anchor = e->data.scalar.anchor;
		tag = e->data.scalar.tag;
		break;
	case YAML_SEQUENCE_START_EVENT:
		anchor = e->data.sequence_start.anchor;
		tag = e->data.sequence_start.tag;
		break;
	case YAML_MAPPING_START_EVENT:
		anchor = e->data.mapping_start.anchor;
		tag = e->data.mapping_start.tag;
		break;
	case YAML_DOCUMENT_START_EVENT:
		if (e->data.document_start.tag_directives.start != e->data.document_start.tag_directives.end)
			return fail(b, line_of(e), "a %TAG directive", NULL, "plain values");
		break;
	default: break;
	}
	if (anchor != NULL)
		return fail(b, line_of(e), "an anchor", (const char *)anchor, "plain values");
	if (tag != NULL)
		return fail(b, line_of(e), "a tag", (const char *)tag, "plain values");
	return true;
}

static bool is_value(const yaml_event_t *e)
{
	return e->type == YAML_SCALAR_EVENT || e->type == YAML_SEQUENCE_START_EVENT ||
	       e->type == YAML_MAPPING_START_EVENT;
}

static bool take_event(struct builder *b, const yaml_event_t *e)
{
	if (!check_plain_event(b, e))
		return false;
	if (is_value(e) && e->type != YAML_SCALAR_EVENT && in_map(b) && b->key == NULL)
		return fail(b, line_of(e), "a key that is not text", NULL, "key: value");
	switch (e->type) {
	case YAML_STREAM_START_EVENT:
	case YAML_DOCUMENT_END_EVENT: return true;
	case YAML_STREAM_END_EVENT: b->done = true; return true;
	case YAML_DOCUMENT_START_EVENT:
		return b->root == NULL || fail(b, line_of(e), "a second document", NULL, "one document in a file");
	case YAML_SCALAR_EVENT: return take_scalar(b, e);
	case YAML_SEQUENCE_START_EVENT: return open_node(b, e, NODE_LIST);
	case YAML_MAPPING_START_EVENT: return open_node(b, e, NODE_MAP);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		b->depth--; /* libyaml balances its events */
		return true;
	default: return fail(b, line_of(e), "not understood", NULL, "maps, lists and text");
	}
}

/* Bytes that are no text end libyaml before it has a mark; it then knows the offset only. */
static unsigned line_of_problem(const struct builder *b)
{
	unsigned line = 1;

	if (b->parser.error != YAML_READER_ERROR)
		return (unsigned)b->parser.problem_mark.line + 1;
	for (size_t i = 0; i < b->input.n && i < b->parser.problem_offset; i++)
		line += b->input.at[i] == '\n';
	return line;
}

static bool syntax_error(struct builder *b)
{
	char what[160];

	(void)snprintf(
	    what, sizeof(what), "not YAML: %s", b->parser.problem != NULL ? b->parser.problem : "the reader gave up");
	return fail(b, line_of_problem(b), what, NULL, NULL);
}

static bool read_events(struct builder *b)
{
	while (!b->done) {
		yaml_event_t event;
		bool good;

		if (!yaml_parser_parse(&b->parser, &event))
			return syntax_error(b);
		good = take_event(b, &event);
		yaml_event_delete(&event);
		if (!good)
			return false;
	}
	return b->root != NULL || fail(b, 1, "the file is empty", NULL, "a map that begins with version: 1");
}

const struct node *document_parse(struct arena *arena, const uint8_t *at, size_t n, const char *origin, char *error)
{
	struct builder b = { .input = bytes_of(at, n), .arena = arena, .origin = origin, .error = error };
	bool good;

	if (!yaml_parser_initialize(&b.parser)) {
		(void)fail(&b, 1, "out of memory", NULL, NULL);
		return NULL;
	}
	yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING); /* or a byte order mark chooses UTF-16 */
	yaml_parser_set_input_string(&b.parser, at, n);
	good = read_events(&b);
	yaml_parser_delete(&b.parser);
	return good ? b.root : NULL;
}
