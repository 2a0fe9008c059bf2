/* Layers, edges and the ranges of weights: see openvino.h.  Follows formats/openvino, sections 2 and 3. */
#include "checked.h"
#include "openvino_impl.h"
#include "template.h"

/* -- layers and edges -- */

/* The graph that the tag is in. */
static uint64_t graph_of(const struct openvino *o, const struct xml_tag *tag)
{
	unsigned depth = tag->depth;

	while (depth > 0 && o->kind[depth - 1] != OV_GRAPH)
		depth--;
	return depth > 0 ? o->graph[depth - 1] : 0;
}

static struct scoped_entry *find_layer(struct openvino *o, const struct xml_tag *tag, struct bytes id)
{
	struct scoped_name name = scoped_name_of(&o->names, id, graph_of(o, tag));

	return scoped_names_find(&o->names, name, 1u << SCOPED_KEY, 0);
}

static struct bytes value_of(const struct xml_tag *tag, const char *name)
{
	const struct xml_attribute *a = xml_find(tag, name);

	return a != NULL ? a->value : bytes_of(NULL, 0);
}

static void add_id(struct openvino *o, const struct xml_tag *tag)
{
	struct bytes id = value_of(tag, "id");
	uint64_t number;

	if (!xml_number(id, &number) || find_layer(o, tag, id) != NULL)
		openvino_broken(o, tag->offset, id);
	else
		scoped_names_add(&o->names, scoped_name_of(&o->names, id, graph_of(o, tag)), SCOPED_KEY, tag->offset);
}

static void keep_name(struct openvino *o, struct bytes name)
{
	o->name_bytes = name.n;
	o->name_n = name.n < OV_NAME_MAX ? name.n : OV_NAME_MAX;
	bytes_copy(o->name, bytes_of(name.at, o->name_n));
}

static void check_known(struct openvino *o, const struct xml_tag *tag)
{
	static const char *const known[] = { "id", "name", "precision", "type", "version" };

	for (unsigned i = 0; i < tag->n_attributes; i++)
		if (!xml_listed(known, sizeof(known) / sizeof(known[0]), tag->attributes[i].name))
			openvino_unknown(o, tag->attributes[i].offset, tag->attributes[i].name);
}

void openvino_open_layer(struct openvino *o, const struct xml_tag *tag)
{
	struct bytes type = value_of(tag, "type"), version = value_of(tag, "version");

	o->layer[tag->depth] = (struct ov_layer){ .constant = xml_is(type, "const") || xml_is(type, "constant") };
	keep_name(o, value_of(tag, "name"));
	check_known(o, tag);
	add_id(o, tag);
	if (xml_find(tag, "name") == NULL || type.n == 0 || (version.n == 0 && !o->old))
		openvino_broken(o, tag->offset, tag->name);
	else if (!o->old && (!openvino_is_opset(version) || !openvino_is_operation(type)))
		layout_finding(o->l, &(struct finding){ .code = WLK_F_OPENVINO_EXTENSION_OP,
					 .has_offset = true,
					 .offset = tag->offset,
					 .subject = type,
					 .found = value_text(version) });
}

void openvino_close_layer(struct openvino *o, unsigned depth, uint64_t offset)
{
	if (o->layer[depth].constant && !o->layer[depth].ranged)
		openvino_broken(o, offset, bytes_of_text("offset"));
}

void openvino_open_edge(struct openvino *o, const struct xml_tag *tag)
{
	static const char *const ports[] = { "from-port", "to-port" }, *const layers[] = { "from-layer", "to-layer" };
	uint64_t number;

	for (size_t i = 0; i < 2; i++) {
		if (!xml_number(value_of(tag, ports[i]), &number))
			openvino_broken(o, tag->offset, bytes_of_text(ports[i]));
		if (find_layer(o, tag, value_of(tag, layers[i])) == NULL)
			openvino_broken(o, tag->offset, value_of(tag, layers[i]));
	}
}

/* -- constants -- */

/* "64, 3,7,7"; empty: a scalar. */
static bool read_shape(struct bytes text, struct manifest_row *row)
{
	row->rank = 0;
	if (xml_is_blank(text))
		return true;
	for (size_t from = 0, to; from <= text.n; from = to + 1) {
		to = from;
		while (to < text.n && text.at[to] != ',')
			to++;
		while (from < to && text.at[from] == ' ')
			from++;
		if (row->rank == MANIFEST_RANK_MAX ||
		    !xml_number(bytes_of(text.at + from, to - from), &row->shape[row->rank]))
			return false;
		row->rank++;
	}
	return true;
}

/* Elements of less than a byte are packed, those of three and six bits in groups of three bytes. */
static bool bytes_needed(const struct manifest_row *row, unsigned bits, uint64_t *ret)
{
	uint64_t n = 1, unit = bits % 3 == 0 ? 24 : 8;

	for (unsigned i = 0; i < row->rank; i++)
		if (!mul_u64(n, row->shape[i], &n))
			return false;
	if (!mul_u64(n, bits, &n) || !add_u64(n, unit - 1, &n))
		return false;
	*ret = n / unit * (unit / 8);
	return true;
}

static bool read_range(struct openvino *o, const struct xml_tag *tag, uint64_t *begin, uint64_t *end)
{
	uint64_t size;

	if (!xml_number(value_of(tag, "offset"), begin) || !xml_number(value_of(tag, "size"), &size)) {
		openvino_broken(o, tag->offset, bytes_of_text("offset"));
		return false;
	}
	if (!add_u64(*begin, size, end) || *end > INT64_MAX) {
		layout_value(o->l, WLK_F_XML_BOUNDS, tag->offset, *begin, INT64_MAX);
		o->reader.unknown = true;
		return false;
	}
	return true;
}

/* Its row.  The file has the name of the model, which is known to the judge of the set: the ending stands for it. */
static void add_weights(struct openvino *o, struct manifest_row *row)
{
	row->kind = MANIFEST_MAPPING;
	row->file = bytes_of_text(".bin");
	row->name = bytes_of(o->name, o->name_n);
	row->name_bytes = o->name_bytes;
	row->index = o->n_rows++;
	row->dtype = bytes_of_text(dtype_info(openvino_dtype(row->dtype))->name);
	o->stopped =
	    o->stopped || !layout_tensor(o->l, row) ||
	    (row->begin < row->end && !ranges_add(&o->weights, (struct range){ .begin = row->begin, .end = row->end }));
}

static void check_size(struct openvino *o, const struct xml_tag *tag, const struct manifest_row *row)
{
	unsigned bits;
	uint64_t needed;

	if (!openvino_type_bits(row->dtype, &bits)) {
		openvino_unknown(o, tag->offset, row->dtype);
		return;
	}
	if (bits == 0) /* texts */
		return;
	if (!bytes_needed(row, bits, &needed) || needed != row->end - row->begin) {
		layout_value(o->l, WLK_F_OPENVINO_TENSOR_SIZE, tag->offset, row->end - row->begin,
		    bytes_needed(row, bits, &needed) ? needed : UINT64_MAX);
		o->reader.unknown = true;
	}
}

void openvino_open_data(struct openvino *o, const struct xml_tag *tag)
{
	struct ov_layer *layer = &o->layer[tag->depth - 1];
	struct manifest_row row = { .dtype = value_of(tag, "element_type") };

	if (layer->data)
		openvino_broken(o, tag->offset, tag->name);
	layer->data = true;
	if (!layer->constant || (xml_find(tag, "offset") == NULL && xml_find(tag, "size") == NULL))
		return;
	layer->ranged = true;
	if (!read_range(o, tag, &row.begin, &row.end))
		return;
	if (xml_find(tag, "shape") == NULL || !read_shape(value_of(tag, "shape"), &row)) {
		openvino_broken(o, tag->offset, bytes_of_text("shape"));
		return;
	}
	check_size(o, tag, &row);
	add_weights(o, &row);
}

/* Older writers: a range of bytes, without a shape. */
void openvino_open_blob(struct openvino *o, const struct xml_tag *tag)
{
	struct manifest_row row = { .dtype = value_of(tag, "precision") };

	for (unsigned depth = tag->depth; depth > 0; depth--)
		if (o->kind[depth - 1] == OV_LAYER)
			o->layer[depth - 1].ranged = true;
	if (read_range(o, tag, &row.begin, &row.end))
		add_weights(o, &row);
}

/* -- notes -- */

static void found(void *ctx, const struct finding *f)
{
	layout_finding(ctx, f);
}

/* Chat templates travel in the notes of tokenizers, and are rendered. */
void openvino_open_free(struct openvino *o, const struct xml_tag *tag)
{
	const struct xml_attribute *value = xml_find(tag, "value");
	struct template_options options = { .family = TEMPLATE_PLAIN,
		.subject = tag->name,
		.decoded = true,
		.seed = o->l->seed,
		.arena = o->l->arena,
		.finding = found,
		.ctx = o->l };

	if (value == NULL || !xml_holds(tag->name, "chat_template"))
		return;
	options.origin = value->offset;
	switch (template_check(value->value, &options)) {
	case WLK_DONE: break;
	case WLK_BROKEN: o->reader.unknown = true; break;
	case WLK_INCOMPLETE: o->stopped = true; break;
	}
}

/* -- the weights against each other -- */

/* Equal ranges are one tensor of several layers: OpenVINO writes the same bytes once.  What the file holds that is given
 * with the model, the set says. */
void openvino_check_weights(struct openvino *o)
{
	uint64_t end = 0;

	ranges_sort(&o->weights);
	for (size_t i = 0; i < o->weights.n; i++) {
		const struct range *at = &o->weights.list[i];

		if (i > 0 && at[-1].begin == at->begin && at[-1].end == at->end)
			continue;
		if (at->begin < end) {
			layout_finding(o->l, &(struct finding){ .code = WLK_F_OPENVINO_OVERLAP,
						 .found = value_number(at->begin),
						 .allowed = value_number(end) });
		}
		end = at->end > end ? at->end : end;
	}
	if (o->n_rows > 0)
		layout_at(o->l, o->l->of_set ? WLK_F_WEIGHTS_IN_SET : WLK_F_OPENVINO_WEIGHTS_UNCHECKED, 0);
}
