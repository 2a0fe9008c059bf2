/* Graphs, nodes and attributes of an ONNX model: rules 11, 14 to 16 and 22 of formats/onnx, and section 6. */
#include <string.h>

#include "checked.h"
#include "onnx.h"
#include "onnx_operators.h"

#define KIND(k) (1u << SCOPED_##k)
#define DEFINED (KIND(OUTPUT) | KIND(INPUT) | KIND(INITIALIZER))

/* -- graphs: rule 16 -- */

bool onnx_graph_begin(struct onnx *o, struct onnx_level *v)
{
	if (o->n_graphs == ONNX_GRAPH_DEPTH_MAX) {
		onnx_value(o, WLK_F_ONNX_GRAPH_DEPTH, v->at, (struct bytes){ 0 }, ONNX_GRAPH_DEPTH_MAX + 1,
		    ONNX_GRAPH_DEPTH_MAX);
		return false;
	}
	o->n_graphs++;
	v->graph = (struct onnx_graph){ .base = o->names.n };
	return true;
}

/* Where the names of the scope around @v begin; *ret_outermost: there is none. */
static uint32_t outer_base(struct onnx *o, const struct onnx_level *v, bool *ret_outermost)
{
	*ret_outermost = true;
	for (const struct onnx_level *i = v - 1; i > o->levels; i--) {
		*ret_outermost = i->message != &onnx_graph && i->message != &onnx_function;
		if (i->message == &onnx_graph)
			return i->graph.base;
		if (i->message == &onnx_function)
			return i->function.base;
	}
	return 0;
}

/* A value is used at @at, in the scope that begins at @base. */
static void use_name(struct onnx *o, struct scoped_name name, uint32_t base, uint64_t at)
{
	if (scoped_names_find(&o->names, name, DEFINED, 0) == NULL &&
	    scoped_names_find(&o->names, name, KIND(PENDING) | KIND(SETTLED), base) == NULL)
		scoped_names_add(&o->names, name, SCOPED_PENDING, at);
}

/* Is it defined here after all?  Inputs and initializers come behind the nodes. */
static bool is_open(const struct scoped_names *t, const struct scoped_entry *e, uint32_t base)
{
	return e->kind == SCOPED_PENDING &&
	       scoped_names_find(t, e->name, KIND(INPUT) | KIND(INITIALIZER), base) == NULL;
}

bool onnx_scope_end(struct onnx *o, uint32_t base, uint32_t outer, bool outermost)
{
	/* Graphs for training speak of the names of the model's graph. */
	bool told = outermost && onnx_enclosing(o, &onnx_training) == NULL;
	struct scoped_names *t = &o->names;
	uint32_t lifted = 0;

	for (uint32_t i = base; i < t->n; i++) {
		if (!is_open(t, &t->list[i], base))
			continue;
		if (told)
			onnx_at(o, WLK_F_ONNX_SSA, t->list[i].at, (struct bytes){ 0 });
		t->list[i].kind = SCOPED_LIFTED;
		lifted++;
	}
	if (!outermost)
		return scoped_names_lift(t, base, lifted, outer) || onnx_stop(o);
	scoped_names_cut(t, base);
	return !t->failed || onnx_stop(o);
}

bool onnx_graph_end(struct onnx *o, struct onnx_level *v)
{
	bool outermost;
	uint32_t outer = outer_base(o, v, &outermost);

	o->n_graphs--;
	if (v - 2 >= o->levels && v[-1].message == &onnx_attribute && v[-2].message == &onnx_node) {
		v[-2].node->body_input = v->graph.second_input;
		v[-2].node->body_output = v->graph.first_output;
	}
	return onnx_scope_end(o, v->graph.base, outer, outermost);
}

/* Rule 11. */
void onnx_initializer(struct onnx *o, struct onnx_level *graph, const struct onnx_word *name, uint64_t at)
{
	if (name->bytes == 0) {
		onnx_at(o, WLK_F_ONNX_INITIALIZER_NAME, at, (struct bytes){ 0 });
		return;
	}
	if (++o->n_initializers == ONNX_INITIALIZERS_MAX + 1)
		onnx_value(o, WLK_F_ONNX_LIMIT, at, onnx_word_bytes(name), o->n_initializers, ONNX_INITIALIZERS_MAX);
	if (scoped_names_find(&o->names, name->id, KIND(INITIALIZER), graph->graph.base) != NULL) {
		onnx_at(o, WLK_F_ONNX_NAME_DUPLICATE, at, onnx_word_bytes(name));
		return; /* a name stands once in the table for each thing it is: looking it up stays cheap */
	}
	if (scoped_names_find(&o->names, name->id, KIND(OUTPUT), graph->graph.base) != NULL)
		onnx_at(o, WLK_F_ONNX_SSA, at, onnx_word_bytes(name));
	scoped_names_add(&o->names, name->id, SCOPED_INITIALIZER, at);
}

/* -- inputs and outputs of the graph: rule 22 -- */

/* A value that comes from outside; it may be an initializer, too, which is its default. */
static void define_input(struct onnx *o, struct scoped_name id, uint32_t base, struct bytes shown, uint64_t at)
{
	if (scoped_names_find(&o->names, id, KIND(OUTPUT) | KIND(INPUT), base) != NULL)
		onnx_at(o, WLK_F_ONNX_SSA, at, shown);
	else
		scoped_names_add(&o->names, id, SCOPED_INPUT, at);
}

void onnx_function_input(struct onnx *o, const struct onnx_function *f, struct bytes name, uint64_t at)
{
	define_input(
	    o, onnx_id_of(o, name), f->base, bytes_of(name.at, name.n < ONNX_WORD_MAX ? name.n : ONNX_WORD_MAX), at);
}

/* Of the model's own graph; what else says of types is inferred. */
static bool is_interface(const struct onnx_level *info)
{
	return info[-1].message == &onnx_graph && info[-2].message == &onnx_model && info->field->number != 13;
}

/* A type of tensors says what they are of (onnx.checker; onnxruntime does not open the model). */
void onnx_tensor_type_end(struct onnx *o, const struct onnx_level *v)
{
	const struct onnx_level *info = onnx_enclosing(o, &onnx_value_info);

	if (!v->has_element && info != NULL && is_interface(info))
		onnx_at(o, WLK_F_ONNX_VALUE_INFO, v->at, onnx_word_bytes(&info->value.name));
}

bool onnx_value_info_end(struct onnx *o, struct onnx_level *v)
{
	struct onnx_level *graph = v - 1;
	uint32_t field = v->field->number;
	bool typed = onnx_level(o)->value.has_type;

	if (graph->message != &onnx_graph || field == 13)
		return true;
	if (!typed && graph[-1].message == &onnx_model) /* those of a graph in it are inferred */
		onnx_at(o, WLK_F_ONNX_VALUE_INFO, v->at, onnx_word_bytes(&v->value.name));
	if (!onnx_limits_declare_end(o, v->value.name.id))
		return false;
	if (field == 11 && graph->graph.n_inputs++ == 1)
		graph->graph.second_input = v->value.name.id;
	if (field == 12 && graph->graph.n_outputs++ == 0)
		graph->graph.first_output = v->value.name.id;
	if (field == 11)
		define_input(o, v->value.name.id, graph->graph.base, onnx_word_bytes(&v->value.name), v->at);
	return !o->names.failed || onnx_stop(o);
}

/* -- nodes: rule 15 -- */

bool onnx_node_begin(struct onnx *o, struct onnx_level *v)
{
	v->node = &o->nodes[o->n_graphs]; /* one is open in each graph at most, and one in a function */
	*v->node = (struct onnx_node){ .at = v->at, .embed = true, .first = o->names.n };
	onnx_limits_node_begin(o, v->node);
	if (++o->n_nodes == ONNX_NODES_MAX + 1) {
		onnx_value(o, WLK_F_ONNX_LIMIT, v->at, (struct bytes){ 0 }, o->n_nodes, ONNX_NODES_MAX);
		return false;
	}
	return true;
}

/* The scope that a node is in. */
static uint32_t base_around(const struct onnx_level *v)
{
	return v[-1].message == &onnx_graph ? v[-1].graph.base : v[-1].function.base;
}

/* A value is given once, and when its node ends: what the node, or a graph in it, uses of that name is another, or a
 * mistake.  A name that is there already is not added, so that looking names up stays cheap. */
static void announce_output(struct onnx *o, struct onnx_level *v, struct bytes bytes, uint64_t at)
{
	struct scoped_name name = onnx_id_of(o, bytes);

	if (v->node->n_outputs++ == 0)
		v->node->output = name;
	if (scoped_names_find(&o->names, name, DEFINED | KIND(COMING), base_around(v)) != NULL)
		onnx_at(o, WLK_F_ONNX_SSA, at, bytes_of(bytes.at, bytes.n < ONNX_WORD_MAX ? bytes.n : ONNX_WORD_MAX));
	else
		scoped_names_add(&o->names, name, SCOPED_COMING, at);
}

/* Before it is used. */
static void define_output(struct onnx *o, struct scoped_entry *e, uint32_t base)
{
	struct scoped_entry *pending = scoped_names_find(&o->names, e->name, KIND(PENDING), base);

	if (pending != NULL) {
		pending->kind = SCOPED_SETTLED;
		onnx_at(o, WLK_F_ONNX_SSA, e->at, (struct bytes){ 0 });
	}
	e->kind = SCOPED_OUTPUT;
}

static void define_outputs(struct onnx *o, const struct onnx_level *v)
{
	for (uint32_t i = v->node->first; i < o->names.n; i++) {
		if (o->names.list[i].kind == SCOPED_COMING)
			define_output(o, &o->names.list[i], base_around(v));
	}
}

static void take_input(struct onnx *o, const struct onnx_level *v, struct bytes bytes, uint64_t at)
{
	struct scoped_name name = onnx_id_of(o, bytes);

	if (v->node->n_inputs < ONNX_INPUTS_KEPT)
		v->node->inputs[v->node->n_inputs] = name;
	if (v->node->n_inputs++ == 0)
		v->node->input = name;
	if (bytes.n > 0) /* an optional one that is left out */
		use_name(o, name, base_around(v), at);
}

bool onnx_node_text(struct onnx *o, struct onnx_level *v, uint32_t field, struct bytes bytes, uint64_t n, uint64_t at)
{
	struct onnx_node *node = v->node;

	if (field == 1)
		take_input(o, v, bytes, at);
	else if (field == 2 && n > 0)
		announce_output(o, v, bytes, at);
	else if (field == 4)
		onnx_word_set(o, &node->op, bytes, n);
	else if (field == 7)
		onnx_word_set(o, &node->domain, bytes, n);
	else if (field == 8)
		node->overload = onnx_id_of(o, bytes);
	return !o->names.failed || onnx_stop(o);
}

/* -- operators that touch more than tensors: section 6 -- */

static bool is_context(const struct onnx_node *n)
{
	return onnx_word_is(&n->domain, "com.microsoft") && onnx_word_is(&n->op, "EPContext");
}

static bool operator_code(const struct onnx_node *n, enum wlk_finding *ret)
{
	return onnx_operator_code(onnx_word_bytes(&n->domain), onnx_word_bytes(&n->op), n->embed, ret);
}

/* How often a loop runs may stand in the model. */
static void note_trips(struct onnx *o, const struct onnx_node *n)
{
	if (n->domain.n > 0 && !onnx_word_is(&n->domain, "ai.onnx"))
		return;
	if (onnx_word_is(&n->op, "Loop") && n->n_inputs > 0)
		onnx_trips_loop(o, n->input, n->at);
	else if (onnx_word_is(&n->op, "Constant") && n->huge && n->n_outputs > 0)
		onnx_trips_value(o, n->output);
}

bool onnx_node_end(struct onnx *o, struct onnx_level *v)
{
	struct onnx_node *n = v->node;
	enum wlk_finding code;

	if (n->op.n == 0)
		onnx_at(o, WLK_F_ONNX_OP_TYPE, n->at, (struct bytes){ 0 });
	if (operator_code(n, &code))
		onnx_at(o, code, n->at, onnx_word_bytes(&n->op));
	if (n->names_a_model && is_context(n))
		onnx_at(o, WLK_F_ONNX_OP_FILE_PATH, n->at, bytes_of_text("onnx_model_filename"));
	note_trips(o, n);
	onnx_marker_end(o, v->node);
	if (!onnx_limits_node_end(o, n))
		return false;
	define_outputs(o, v);
	onnx_unit_use(o, o->unit, &n->domain, n->at);
	return onnx_function_call(o, &n->domain, &n->op, onnx_function_id(o, &n->domain, &n->op, n->overload), n->at) &&
	       (!o->names.failed || onnx_stop(o));
}

/* -- attributes: rule 14 -- */

/* Which field of AttributeProto holds the value of each type; 0: none. */
static const uint8_t payload_field[ONNX_N_ATTRS] = { 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 22, 23, 14, 15 };

static uint32_t payload_bits(void)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < onnx_attribute.n_fields; i++) {
		for (size_t k = 1; k < ONNX_N_ATTRS; k++)
			bits |= onnx_attribute.fields[i].number == payload_field[k] ? 1u << i : 0;
	}
	return bits;
}

static uint32_t bit_of_type(uint64_t type)
{
	for (size_t i = 0; type < ONNX_N_ATTRS && i < onnx_attribute.n_fields; i++) {
		if (onnx_attribute.fields[i].number == payload_field[type])
			return 1u << i;
	}
	return 0;
}

/* A list may be empty, and a scalar with its default value is left out by writers of proto3; a message may not. */
static bool may_be_absent(uint64_t type)
{
	return type != ONNX_ATTR_TENSOR && type != ONNX_ATTR_GRAPH && type != ONNX_ATTR_SPARSE_TENSOR &&
	       type != ONNX_ATTR_TYPE_PROTO;
}

static bool value_suits(const struct onnx *o, const struct onnx_attribute *a)
{
	uint32_t present = a->fields & payload_bits();

	if (a->is_reference)
		return present == 0;
	if (!a->has_type || a->type == ONNX_ATTR_UNDEFINED) /* writers of IR 1 left it out */
		return o->has_ir && o->ir_version < 2 && present != 0 && (present & (present - 1)) == 0;
	return present == bit_of_type(a->type) || (present == 0 && may_be_absent(a->type));
}

static void check_name(struct onnx *o, struct onnx_node *n, const struct onnx_attribute *a)
{
	struct bytes name = onnx_word_bytes(&a->name);
	uint64_t hash = a->name.id.a > 0 ? a->name.id.a : 1, slot = hash % ONNX_ATTRIBUTE_SLOTS;

	if (n->n_attributes == ONNX_ATTRIBUTES_MAX) {
		onnx_value(o, WLK_F_ONNX_LIMIT, a->at, name, ONNX_ATTRIBUTES_MAX + 1, ONNX_ATTRIBUTES_MAX);
		return;
	}
	while (n->attributes[slot] != 0 && n->attributes[slot] != hash)
		slot = (slot + 1) % ONNX_ATTRIBUTE_SLOTS; /* half of them are free */
	if (n->attributes[slot] == hash)
		onnx_at(o, WLK_F_ONNX_ATTRIBUTE_DUPLICATE, a->at, name);
	n->attributes[slot] = hash;
	n->n_attributes++;
}

/* What EPContext and Constant say in their attributes. */
static void note_value(struct onnx_node *n, const struct onnx_attribute *a)
{
	if (onnx_word_is(&a->name, "embed_mode"))
		n->embed = a->number != 0;
	else if (onnx_word_is(&a->name, "onnx_model_filename"))
		n->names_a_model = true;
	else if (onnx_word_is(&a->name, "value_int"))
		n->huge = n->huge || onnx_is_huge(a->number);
}

bool onnx_attribute_end(struct onnx *o, struct onnx_level *v)
{
	const struct onnx_attribute *a = &v->attribute;
	bool in_function = o->unit == &o->function_unit;

	if (a->name.n == 0 || (a->is_reference && !in_function))
		onnx_at(o, WLK_F_ONNX_ATTRIBUTE_NAME, a->at, onnx_word_bytes(&a->name));

	if (!value_suits(o, a))
		onnx_value(o, WLK_F_ONNX_ATTRIBUTE_TYPE, a->at, onnx_word_bytes(&a->name), a->fields, a->type);
	if (onnx_is_marker(v))
		onnx_marker_keep(o, v[-1].node, &(struct onnx_marker){ .name = a->name, .weights = a->weights });
	else
		onnx_floats_end(o, &a->weights, onnx_word_bytes(&a->name));
	if (v[-1].message == &onnx_function)
		onnx_function_attribute(o, &v[-1].function, a->name.id, a->at);
	if (v[-1].message == &onnx_node) {
		check_name(o, v[-1].node, a);
		note_value(v[-1].node, a);
		return onnx_limits_attribute_end(o, v[-1].node, a);
	}
	return true;
}
