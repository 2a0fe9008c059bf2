/* Is it one of TensorFlow's?  There is no signature: the outermost fields must be those of one of the messages, and the
 * first node must be one (formats/savedmodel, section 1).  Lenient otherwise, so that a broken model is told what is wrong. */
#include "stream.h"
#include "tf_graph.h"

static const struct pb_field node_fields[] = { { .number = 1, .kind = PB_STRING, .repeated = true },
	{ .number = 2, .kind = PB_STRING, .repeated = true } };
static const struct pb_message node = { "node", node_fields, 2, NULL };
static const struct pb_field graph_fields[] = {
	{ .number = 1, .kind = PB_MESSAGE, .repeated = true, .message = &node }
};
static const struct pb_message graph = { "graph", graph_fields, 1, NULL };
static const struct pb_field meta_fields[] = {
	{ .number = 2, .kind = PB_MESSAGE, .repeated = true, .message = &graph }
};
static const struct pb_message meta = { "meta", meta_fields, 1, NULL };
static const struct pb_field model_fields[] = { { .number = 1, .kind = PB_INT64, .repeated = true },
	{ .number = 2, .kind = PB_MESSAGE, .repeated = true, .message = &meta } };
static const struct pb_message model = { "model", model_fields, 2, NULL };

#define FIELDS_MAX 4096u /* that are looked at until a node has come */
#define NUMBER_MAX 8u    /* fields of all of these messages */

struct sight {
	bool name, op, schema;
	uint32_t fields;
};

static bool is_seen(const struct sight *s)
{
	return s->name && s->op;
}

static bool sight_number(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t value)
{
	struct sight *s = ctx;

	(void)at;
	(void)value;
	s->schema = s->schema || f->number == 1;
	return ++s->fields <= FIELDS_MAX;
}

static bool sight_data(void *ctx, const struct pb_place *at, const struct pb_field *f, struct bytes bytes, uint64_t n)
{
	struct sight *s = ctx;

	(void)at;
	(void)n;
	if (f->number == 1)
		s->name = bytes.n > 0;
	else
		s->op = bytes.n > 0 && (bytes.at[0] < '0' || bytes.at[0] > '9');
	return !is_seen(s) && ++s->fields <= FIELDS_MAX;
}

static bool sight_error(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	struct sight *s = ctx;

	(void)found;
	if (e == PB_WIRETYPE || e == PB_UTF8 || e == PB_CONTROL || ++s->fields > FIELDS_MAX)
		return false;
	return e == PB_UNKNOWN ? number <= NUMBER_MAX || at->message != &node : !pb_error_is_fatal(e);
}

/* *ret_schema: it has a version as models have. */
static bool looks_like(
    struct layout *l, const struct stream *s, struct pb_walker *w, const struct pb_message *root, bool *ret_schema)
{
	struct sight sight = { 0 };
	const struct pb_handler handler = {
		.ctx = &sight, .number = sight_number, .data = sight_data, .error = sight_error
	};

	pb_begin(w, root, s->size, &handler);
	if (stream_preview(s, l->arena, (struct feeder){ pb_feed, w }, NULL) == STREAM_FAILED)
		return false;
	*ret_schema = sight.schema;
	return is_seen(&sight);
}

/* Modules of TensorFlow Hub have no version.  Read as a model, a meta graph's library would have to be a graph. */
static enum wlk_format_id identify(struct layout *l, const struct stream *s, struct pb_walker *w)
{
	bool schema, other, is_model = looks_like(l, s, w, &model, &schema);

	if (is_model && schema)
		return WLK_FORMAT_SAVEDMODEL;
	if (looks_like(l, s, w, &meta, &other))
		return WLK_FORMAT_TF_METAGRAPH;
	if (looks_like(l, s, w, &graph, &other))
		return WLK_FORMAT_TF_GRAPH;
	return is_model ? WLK_FORMAT_SAVEDMODEL : WLK_FORMAT_UNKNOWN;
}

enum wlk_format_id tf_identify(struct layout *l, const struct stream *s)
{
	enum wlk_format_id id = WLK_FORMAT_UNKNOWN;
	struct pb_walker *w;

	if (s->size == STREAM_SIZE_UNKNOWN || s->size < 8 || s->size > TF_SIZE_MAX)
		return id;
	w = arena_resize_raw(l->arena, NULL, 1, sizeof(*w));
	if (w == NULL)
		return id;
	id = identify(l, s, w);
	arena_release(l->arena, w);
	return id;
}
