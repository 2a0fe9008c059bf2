/* P11, protobuf: see protobuf_walk.h.  As lax as the readers are: unknown fields, wrong wire types and groups are skipped.
 *
 * Chance: the last of many hops has to end with the last byte (the bits of the file's size, or more), fields 7 and 8 have
 * to appear with wire type 2 (8 bits each a hop), and the graph has to be a message, whose own last hop ends with it (7
 * bits and more).  A header of JSON survives two or three hops: it never comes to a second condition.  A SavedModel has
 * three such messages in each other. */
#include "probes.h"

#include "checked.h"

enum wire_type { WIRE_VARINT, WIRE_64, WIRE_LENGTH, WIRE_GROUP, WIRE_GROUP_END, WIRE_32 };

#define FIELD_GRAPH 7u /* onnx.proto, ModelProto */
#define FIELD_OPSET 8u
#define FIELD_META_GRAPH 2u /* saved_model.proto; meta_graph.proto, MetaGraphDef; graph.proto, GraphDef */
#define FIELD_GRAPH_DEF 2u
#define FIELD_NODE 1u
#define TAG_MAX UINT32_MAX
#define LENGTH_MAX INT32_MAX /* no reader takes more */

void protobuf_walk_begin(struct protobuf_walk *w, uint64_t size, bool saved)
{
	*w = (struct protobuf_walk){ .size = size, .end = size, .saved = saved };
}

static void die(struct protobuf_walk *w)
{
	w->state = PROTOBUF_DEAD;
	w->next = UINT64_MAX;
}

/* n bytes of the message at work that nobody looks at. */
static void skip(struct protobuf_walk *w, uint64_t n)
{
	w->state = PROTOBUF_TAG;
	if (n > w->end - w->next)
		die(w);
	else
		w->next += n;
}

static void open_level(struct protobuf_walk *w, uint32_t group, uint64_t end)
{
	if (w->depth == PROTOBUF_DEPTH_MAX) {
		die(w);
		return;
	}
	w->open[w->depth++] = (struct protobuf_open){ .end = w->end, .group = group };
	w->end = end;
}

static void close_group(struct protobuf_walk *w)
{
	if (w->depth == 0 || w->open[w->depth - 1].group != w->field)
		die(w);
	else
		w->depth--;
}

/* Messages that end here; inside a group nothing may end. */
static void close_messages(struct protobuf_walk *w)
{
	while (w->state == PROTOBUF_TAG && w->depth > 0 && w->next == w->end) {
		const struct protobuf_open *o = &w->open[w->depth - 1];

		if (o->group != 0) {
			die(w);
			return;
		}
		w->end = o->end;
		w->depth--;
	}
}

static void take_tag(struct protobuf_walk *w, uint64_t tag)
{
	w->field = (uint32_t)(tag >> 3);
	w->state = PROTOBUF_TAG;
	if (tag > TAG_MAX || w->field == 0) {
		die(w);
		return;
	}
	switch ((enum wire_type)(tag & 7)) {
	case WIRE_VARINT: w->state = PROTOBUF_VALUE; break;
	case WIRE_64: skip(w, 8); break;
	case WIRE_LENGTH: w->state = PROTOBUF_LENGTH; break;
	case WIRE_GROUP: open_level(w, w->field, w->end); break;
	case WIRE_GROUP_END: close_group(w); break;
	case WIRE_32: skip(w, 4); break;
	default: die(w);
	}
}

/* Is this field one that leads to the nodes?  Notes that it is there. */
static bool leads_on(struct protobuf_walk *w)
{
	if (!w->saved) {
		w->graph |= w->depth == 0 && w->field == FIELD_GRAPH;
		w->second |= w->depth == 0 && w->field == FIELD_OPSET;
		return w->depth == 0 && w->field == FIELD_GRAPH;
	}
	for (unsigned i = 0; i < w->depth; i++)
		if (w->open[i].group != 0)
			return false;
	w->graph |= w->depth == 1 && w->field == FIELD_GRAPH_DEF;
	w->second |= w->depth == 2 && w->field == FIELD_NODE;
	return (w->depth == 0 && w->field == FIELD_META_GRAPH) || (w->depth == 1 && w->field == FIELD_GRAPH_DEF);
}

static void take_length(struct protobuf_walk *w, uint64_t n)
{
	bool on = leads_on(w);

	if (n > LENGTH_MAX || n > w->end - w->next) {
		die(w);
	} else if (on) {
		w->state = PROTOBUF_TAG;
		open_level(w, 0, w->next + n);
	} else {
		skip(w, n);
	}
}

/* A varint is whole. */
static void take(struct protobuf_walk *w, uint64_t value)
{
	w->value = 0;
	w->shift = 0;
	switch (w->state) {
	case PROTOBUF_TAG: take_tag(w, value); break;
	case PROTOBUF_LENGTH: take_length(w, value); break;
	default: w->state = PROTOBUF_TAG;
	}
	if (w->next == w->end && (w->state == PROTOBUF_VALUE || w->state == PROTOBUF_LENGTH))
		die(w);
	close_messages(w);
}

/* All that is ever looked at are varints: at most ten bytes each, and inside the message at work. */
static void take_byte(struct protobuf_walk *w, uint8_t byte)
{
	w->next++;
	w->value |= (uint64_t)(byte & 0x7f) << w->shift;
	w->shift += 7;
	if (byte < 0x80)
		take(w, w->value);
	else if (w->shift == 70 || w->next == w->end)
		die(w);
}

void protobuf_walk_feed(struct protobuf_walk *w, const uint8_t *at, size_t n, uint64_t offset)
{
	while (w->next < offset + n)
		take_byte(w, at[w->next - offset]);
}

bool protobuf_walk_is_model(const struct protobuf_walk *w)
{
	return w->state == PROTOBUF_TAG && w->shift == 0 && w->next == w->size && w->depth == 0 && w->graph &&
	       w->second;
}

void find_protobuf(struct view *v)
{
	if (protobuf_walk_is_model(&v->pg->walk->protobuf))
		found(v, WLK_F_POLYGLOT_PROTOBUF, 0, "ONNX", "the whole file is a message with a graph");
}

void find_saved_model(struct view *v)
{
	if (protobuf_walk_is_model(&v->pg->walk->saved_model))
		found(v, WLK_F_POLYGLOT_PROTOBUF, 0, "SavedModel",
		    "the whole file is a message with a graph of TensorFlow's");
}
