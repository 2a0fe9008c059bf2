/* OpenVINO's models: see openvino.h.  Follows formats/others (OpenVINO IR) and formats/openvino. */
#include "openvino.h"

#include "checked.h"
#include "identify_signs.h"
#include "member.h"
#include "openvino_impl.h"

/* -- which element is what: formats/openvino, section 2 -- */

static const struct {
	enum ov_kind parent;
	const char *name;
	enum ov_kind kind;
} elements[] = {
	{ OV_GRAPH, "layers", OV_LAYERS },
	{ OV_GRAPH, "edges", OV_EDGES },
	{ OV_GRAPH, "rt_info", OV_FREE },
	{ OV_GRAPH, "meta_data", OV_FREE },
	{ OV_GRAPH, "quantization_parameters", OV_FREE },
	{ OV_GRAPH, "framework_meta", OV_FREE },
	{ OV_GRAPH, "pre-process", OV_PREPROCESS },
	{ OV_PREPROCESS, "channel", OV_CHANNEL },
	{ OV_CHANNEL, "mean", OV_BLOB },
	{ OV_CHANNEL, "scale", OV_LEAF },
	{ OV_LAYERS, "layer", OV_LAYER },
	{ OV_LAYER, "data", OV_DATA },
	{ OV_LAYER, "input", OV_PORTS },
	{ OV_LAYER, "output", OV_PORTS },
	{ OV_LAYER, "rt_info", OV_FREE },
	{ OV_LAYER, "blobs", OV_BLOBS },
	{ OV_BLOBS, "custom", OV_BLOB },
	{ OV_BLOBS, "weights", OV_BLOB },
	{ OV_BLOBS, "biases", OV_BLOB },
	{ OV_LAYER, "body", OV_GRAPH },
	{ OV_LAYER, "then_body", OV_GRAPH },
	{ OV_LAYER, "else_body", OV_GRAPH },
	{ OV_LAYER, "port_map", OV_PORT_MAP },
	{ OV_LAYER, "then_port_map", OV_PORT_MAP },
	{ OV_LAYER, "else_port_map", OV_PORT_MAP },
	{ OV_LAYER, "back_edges", OV_BACK_EDGES },
	{ OV_PORT_MAP, "input", OV_LEAF },
	{ OV_PORT_MAP, "output", OV_LEAF },
	{ OV_BACK_EDGES, "edge", OV_LEAF },
	{ OV_PORTS, "port", OV_PORT },
	{ OV_PORT, "dim", OV_DIM },
	{ OV_PORT, "rt_info", OV_FREE },
	{ OV_EDGES, "edge", OV_EDGE },
};

static enum ov_kind kind_of(const struct openvino *o, const struct xml_tag *tag)
{
	enum ov_kind parent = tag->depth > 0 ? (enum ov_kind)o->kind[tag->depth - 1] : OV_NONE;

	if (parent == OV_NONE)
		return OV_GRAPH;
	if (parent == OV_FREE)
		return OV_FREE;
	for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
		if (elements[i].parent == parent && bytes_equal(tag->name, bytes_of_text(elements[i].name)))
			return elements[i].kind;
	return OV_NONE;
}

/* -- findings -- */

void openvino_at(struct openvino *o, enum wlk_finding code, uint64_t offset, struct bytes subject)
{
	layout_finding(
	    o->l, &(struct finding){ .code = code, .has_offset = true, .offset = offset, .subject = subject });
}

void openvino_broken(struct openvino *o, uint64_t offset, struct bytes subject)
{
	openvino_at(o, WLK_F_OPENVINO_STRUCTURE, offset, subject);
	o->reader.unknown = true;
}

void openvino_unknown(struct openvino *o, uint64_t offset, struct bytes subject)
{
	openvino_at(o, WLK_F_OPENVINO_UNKNOWN, offset, subject);
	o->reader.unknown = true;
}

/* -- libraries: formats/others -- */

/* Letters and digits go on with the name, slashes with the path. */
static bool ends_path(uint8_t c)
{
	uint8_t low = xml_fold(c);

	return !(low >= 'a' && low <= 'z') && !(c >= '0' && c <= '9') && c != '_' && c != '-' && c != '/' && c != '\\';
}

/* Behind the dot: an ending that loaders of libraries know, maybe with a version behind it (.so.6). */
static bool is_library_ending(struct bytes rest)
{
	static const char *const endings[] = { "so", "dll", "dylib", "pyd" };

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t n = strlen(endings[i]);

		if (!xml_begins(rest, endings[i]))
			continue;
		while (rest.n > n && (rest.at[n] == '.' || (rest.at[n] >= '0' && rest.at[n] <= '9')))
			n++;
		if (rest.n == n || ends_path(rest.at[n]))
			return true;
	}
	return false;
}

static bool names_library(struct bytes value)
{
	for (size_t i = 0; i < value.n; i++)
		if (value.at[i] == '.' && i > 0 && is_library_ending(bytes_of(value.at + i + 1, value.n - i - 1)))
			return true;
	return false;
}

static void check_attributes(struct openvino *o, const struct xml_tag *tag)
{
	for (unsigned i = 0; i < tag->n_attributes; i++)
		if (names_library(tag->attributes[i].value))
			openvino_at(
			    o, WLK_F_OPENVINO_LIBRARY_PATH, tag->attributes[i].offset, tag->attributes[i].value);
}

/* -- the root -- */

static void open_root(struct openvino *o, const struct xml_tag *tag)
{
	const struct xml_attribute *version = xml_find(tag, "version");

	if (!bytes_equal(tag->name, bytes_of_text("net")))
		openvino_unknown(o, tag->offset, tag->name);
	if (version != NULL &&
	    (bytes_equal(version->value, bytes_of_text("10")) || bytes_equal(version->value, bytes_of_text("11"))))
		return;
	/* Versions 2 to 7 (Intel's Model Optimizer up to 2019): for review, and no less judged. */
	o->old = version != NULL && version->value.n == 1 && version->value.at[0] >= '2' && version->value.at[0] <= '7';
	layout_finding(o->l, &(struct finding){ .code = WLK_F_OPENVINO_VERSION,
				 .has_offset = true,
				 .offset = tag->offset,
				 .found = version != NULL ? value_text(version->value) : value_number(0),
				 .allowed = value_number(11) });
	o->reader.unknown = true;
}

static void open_graph(struct openvino *o, const struct xml_tag *tag)
{
	o->graph[tag->depth] = ++o->n_graphs;
	if (tag->depth == 0)
		open_root(o, tag);
}

/* -- the walk -- */

static bool open_tag(void *ctx, const struct xml_tag *tag)
{
	struct openvino *o = ctx;
	enum ov_kind kind = kind_of(o, tag);

	o->kind[tag->depth] = (uint8_t)kind;
	o->depth = tag->depth + 1;
	check_attributes(o, tag);
	switch (kind) {
	case OV_NONE:
		openvino_unknown(o, tag->offset, tag->name);
		o->kind[tag->depth] = OV_FREE; /* what is in it is no less unknown */
		break;
	case OV_GRAPH: open_graph(o, tag); break;
	case OV_LAYER: openvino_open_layer(o, tag); break;
	case OV_DATA: openvino_open_data(o, tag); break;
	case OV_BLOB: openvino_open_blob(o, tag); break;
	case OV_EDGE: openvino_open_edge(o, tag); break;
	case OV_FREE: openvino_open_free(o, tag); break;
	default: break;
	}
	return !o->stopped && !o->names.failed;
}

static bool close_tag(void *ctx, unsigned depth, uint64_t offset)
{
	struct openvino *o = ctx;

	if (o->kind[depth] == OV_LAYER)
		openvino_close_layer(o, depth, offset);
	o->depth = depth;
	return true;
}

static bool is_dimension(struct bytes text)
{
	for (size_t i = 0; i < text.n; i++)
		if (strchr("0123456789-?. \t\r\n", text.at[i]) == NULL || text.at[i] == '\0')
			return false;
	return true;
}

/* Text is nowhere but in dimensions, and in what is anybody's. */
static bool take_text(void *ctx, const uint8_t *at, size_t n, uint64_t offset, bool cdata)
{
	struct openvino *o = ctx;
	struct bytes text = bytes_of(at, n);
	uint8_t kind = o->kind[o->depth - 1];

	if (kind == OV_FREE && !cdata)
		return true;
	if (cdata || (kind == OV_DIM ? !is_dimension(text) : !xml_is_blank(text)))
		openvino_broken(o, offset, text);
	return true;
}

/* -- the file -- */

/* A layer takes 60 bytes of the file, an entry of 48 and one of 24, each in a table that doubles as it fills. */
#define MEMORY_PER_BYTE 3u

static enum wlk_status read_model(struct layout *l, struct stream *s)
{
	struct openvino *o = arena_alloc(l->arena, 1, sizeof(*o));
	enum wlk_status status;

	if (o == NULL)
		return layout_stop(l);
	if (s->size <= XML_BYTES_MAX)
		layout_raise_memory(l, s->size * MEMORY_PER_BYTE);
	o->l = l;
	o->reader = (struct xml_reader){ .l = l, .ctx = o, .open = open_tag, .close = close_tag, .text = take_text };
	o->weights.arena = l->arena;
	scoped_names_init(&o->names, l->arena, &l->seed);
	status = xml_read(&o->reader, s);
	if (o->names.failed || o->stopped)
		return layout_stop(l);
	if (status != WLK_INCOMPLETE)
		openvino_check_weights(o);
	return status;
}

static enum wlk_status layout(struct layout *l)
{
	struct stream s = xml_stream(l);

	return read_model(l, &s);
}

static enum wlk_status judge(struct layout *l, struct member *m)
{
	return read_model(l, &m->stream);
}

static bool probe(const struct probe *p)
{
	const struct sign *s = identify_sign(bytes_of(p->head, p->n), p->size);

	return s != NULL && s->id == WLK_FORMAT_OPENVINO;
}

const struct wlk_format format_openvino = {
	.id = WLK_FORMAT_OPENVINO, .probe = probe, .layout = layout, .nested = NESTED_STREAM, .judge = judge
};
