/* ONNX models: see onnx.h for how the reader is cut.  Here: what the file is, the wire's errors, the model's own fields,
 * and which message goes to whom. */
#include "config_inner.h"
#include "onnx.h"

#include "checked.h"

/* -- findings -- */

/* After these nobody knows what a reader makes of the model, and no policy turns it into accept. */
static bool breaks(enum wlk_finding code)
{
	const struct finding_info *info = finding_info(code);

	if (info->class == CLASS_UNSUPPORTED)
		return true;
	return info->severity >= SEVERITY_HIGH && (info->class == CLASS_MALFORMED || info->class == CLASS_AMBIGUOUS);
}

static void tell(struct onnx *o, const struct finding *f)
{
	o->broken = o->broken || breaks(f->code);
	layout_finding(o->l, f);
}

void onnx_value(
    struct onnx *o, enum wlk_finding code, uint64_t at, struct bytes subject, uint64_t found, uint64_t allowed)
{
	tell(o, &(struct finding){ .code = code,
		    .has_offset = true,
		    .offset = at,
		    .subject = subject,
		    .found = value_number(found),
		    .allowed = value_number(allowed) });
}

void onnx_at(struct onnx *o, enum wlk_finding code, uint64_t at, struct bytes subject)
{
	tell(o, &(struct finding){ .code = code, .has_offset = true, .offset = at, .subject = subject });
}

bool onnx_stop(struct onnx *o)
{
	o->stopped = true;
	layout_stop(o->l);
	return false;
}

struct scoped_name onnx_id_of(const struct onnx *o, struct bytes text)
{
	return text.n > 0 ? scoped_name_of(&o->names, text, 0) : (struct scoped_name){ 0 };
}

/* Longer texts than the walker gathers are above ONNX_NAME_BYTES_MAX, which is told. */
void onnx_word_set(const struct onnx *o, struct onnx_word *w, struct bytes text, uint64_t n)
{
	w->id = onnx_id_of(o, text);
	w->n = (uint8_t)min_u64(text.n, ONNX_WORD_MAX);
	w->bytes = (uint32_t)min_u64(n, UINT32_MAX);
	bytes_copy(w->at, bytes_of(text.at, w->n));
}

struct onnx_level *onnx_enclosing(struct onnx *o, const struct pb_message *m)
{
	for (unsigned i = o->depth + 1; i-- > 0;) {
		if (o->levels[i].message == m)
			return &o->levels[i];
	}
	return NULL;
}

/* -- the wire: W1 to W14 -- */

static const enum wlk_finding wire_codes[PB_N_ERRORS] = {
	[PB_VARINT] = WLK_F_ONNX_VARINT,
	[PB_TAG] = WLK_F_ONNX_TAG,
	[PB_GROUP] = WLK_F_ONNX_GROUP,
	[PB_TRUNCATED] = WLK_F_ONNX_TRUNCATED,
	[PB_DEPTH] = WLK_F_ONNX_DEPTH,
	[PB_OVERLONG] = WLK_F_ONNX_VARINT_OVERLONG,
	[PB_OVERLONG_VALUE] = WLK_F_ONNX_VALUE_OVERLONG,
	[PB_WIRETYPE] = WLK_F_ONNX_WIRETYPE,
	[PB_UNKNOWN] = WLK_F_ONNX_UNKNOWN_FIELD,
	[PB_RESERVED] = WLK_F_ONNX_RESERVED_FIELD,
	[PB_DUPLICATE] = WLK_F_ONNX_DUPLICATE_FIELD,
	[PB_ONEOF] = WLK_F_ONNX_ONEOF_MULTIPLE,
	[PB_UTF8] = WLK_F_ONNX_UTF8,
	[PB_CONTROL] = WLK_F_ONNX_STRING_CONTROL,
	[PB_RANGE] = WLK_F_ONNX_INT_RANGE,
	[PB_PACKED] = WLK_F_ONNX_PACKED,
};

#define UNKNOWN_BYTES_MAX 64u
#define UNKNOWN_FIELDS_MAX 16u

/* W7: a newer schema adds a few small fields; more is something else. */
static enum wlk_finding unknown_code(struct onnx *o, uint64_t bytes)
{
	return ++o->n_unknown > UNKNOWN_FIELDS_MAX || bytes > UNKNOWN_BYTES_MAX ? WLK_F_ONNX_UNKNOWN_PAYLOAD
										: WLK_F_ONNX_UNKNOWN_FIELD;
}

static bool is_field_of_model(uint32_t number)
{
	for (size_t i = 0; i < onnx_model.n_fields; i++) {
		if (onnx_model.fields[i].number == number)
			return true;
	}
	return false;
}

static bool on_error(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	struct onnx *o = ctx;
	enum wlk_finding code = e == PB_UNKNOWN ? unknown_code(o, found) : wire_codes[e];

	/* Rule 1: what follows a model that is there, and is no field of it. */
	if (pb_error_is_fatal(e) && at->depth == 0 && o->has_graph && o->model.n_imported > 0 &&
	    !(e == PB_TRUNCATED && is_field_of_model(number)))
		code = WLK_F_ONNX_TRAILING_BYTES;
	tell(o, &(struct finding){ .code = code,
		    .has_offset = true,
		    .offset = at->offset,
		    .subject = bytes_of_text(at->message != NULL ? at->message->name : ""),
		    .found = value_number(e == PB_TRUNCATED ? found : number) });
	return true;
}

/* -- metadata and documentation: rule 19 -- */

/* What loaders make of metadata beside the model: formats/configs, section 2.4.  Of long texts the beginning. */
static void check_configuration(struct onnx *o, struct bytes key, const struct onnx_entry_text *e)
{
	struct bytes text = bytes_of(e->value.at, e->value.n);

	config_check_evaluated(o->l, text, key, e->value_at);
	if (e->value.bytes == text.n && !config_check_inner(o->l, text, key, e->value_at))
		o->stopped = true;
}

static void check_metadata(struct onnx *o, struct onnx_level *owner, const struct onnx_entry_text *e)
{
	struct bytes key = onnx_word_bytes(&e->key);
	struct scoped_name name = scoped_name_of(&o->names, bytes_of(&e->key.id, sizeof(e->key.id)), ~owner->at);
	uint64_t bytes = owner->metadata_bytes;

	if (scoped_names_find(&o->names, name, 1u << SCOPED_KEY, 0) != NULL)
		onnx_at(o, WLK_F_ONNX_METADATA_DUPLICATE, e->at, key);
	else
		scoped_names_add(&o->names, name, SCOPED_KEY, e->at);
	if (!add_u64(bytes, e->key.bytes, &bytes) || !add_u64(bytes, e->value.bytes, &bytes))
		bytes = UINT64_MAX;
	owner->metadata_bytes = bytes;
	if (++owner->n_metadata == ONNX_METADATA_MAX + 1)
		onnx_value(o, WLK_F_ONNX_METADATA_SIZE, e->at, key, owner->n_metadata, ONNX_METADATA_MAX);
	else if (bytes > ONNX_METADATA_BYTES_MAX && bytes - e->value.bytes <= ONNX_METADATA_BYTES_MAX)
		onnx_value(o, WLK_F_ONNX_METADATA_SIZE, e->at, key, bytes, ONNX_METADATA_BYTES_MAX);
	if (owner->message == &onnx_model && onnx_word_is(&e->key, "ort_config"))
		onnx_at(o, WLK_F_ONNX_ORT_CONFIG, e->at, key);
	if (owner->message == &onnx_model)
		check_configuration(o, key, e);
}

/* External data, quantisation and training use the same message for other things. */
static bool end_entry(struct onnx *o, struct onnx_level *v)
{
	struct onnx_level *owner = v - 1;
	uint32_t field = v->field->number;

	if (owner->message == &onnx_tensor && field == 13)
		onnx_external_entry(o, owner->tensor, v->entry);
	else if (owner->message != &onnx_annotation && owner->message != &onnx_training)
		check_metadata(o, owner, v->entry);
	return !o->names.failed || onnx_stop(o);
}

/* Values of metadata are bounded together (check_metadata). */
static void check_length(
    struct onnx *o, const struct onnx_level *v, const struct pb_field *f, struct bytes bytes, uint64_t n, uint64_t at)
{
	struct bytes shown = bytes_of(bytes.at, bytes.n < ONNX_WORD_MAX ? bytes.n : ONNX_WORD_MAX);

	if (f->kind == PB_TEXT && v->message != &onnx_entry && n > ONNX_DOC_MAX)
		onnx_value(o, WLK_F_ONNX_METADATA_SIZE, at, shown, n, ONNX_DOC_MAX);
	else if (f->kind == PB_STRING && n > ONNX_NAME_BYTES_MAX)
		onnx_value(o, WLK_F_ONNX_LIMIT, at, shown, n, ONNX_NAME_BYTES_MAX);
}

/* -- which message is whose -- */

static bool begin_level(struct onnx *o, struct onnx_level *v)
{
	if (v->message == &onnx_graph)
		return onnx_graph_begin(o, v);
	if (v->message == &onnx_node)
		return onnx_node_begin(o, v);
	if (v->message == &onnx_tensor) {
		onnx_tensor_begin(o, v);
	} else if (v->message == &onnx_sparse) {
		o->sparse = (struct onnx_sparse){ .at = v->at, .elements = 1 };
		v->sparse = &o->sparse;
	} else if (v->message == &onnx_entry) {
		o->entry = (struct onnx_entry_text){ .at = v->at };
		v->entry = &o->entry;
	} else if (v->message == &onnx_opset) {
		o->opset = (struct onnx_domain){ .at = v->at };
		v->opset = &o->opset;
	} else if (v->message == &onnx_attribute) {
		v->attribute = (struct onnx_attribute){ .at = v->at };
		onnx_limits_attribute_begin(o);
	} else if (v->message == &onnx_value_info) {
		v->value = (struct onnx_value_info){ .at = v->at };
		onnx_limits_declare_begin(o);
	} else if (v->message == &onnx_function) {
		v->function = (struct onnx_function){ .at = v->at, .base = o->names.n };
		o->function_unit.n_imported = o->function_unit.n_used = 0;
		o->unit = &o->function_unit;
	} else if (v->message == &onnx_segment) {
		onnx_at(o, WLK_F_ONNX_SEGMENT, v->at, (struct bytes){ 0 });
	} else if (v->message == &onnx_training) {
		onnx_at(o, WLK_F_ONNX_TRAINING_INFO, v->at, (struct bytes){ 0 });
	}
	return true;
}

static bool end_opset(struct onnx *o, struct onnx_level *v)
{
	bool of_function = onnx_enclosing(o, &onnx_function) != NULL;

	onnx_unit_import(o, of_function ? &o->function_unit : &o->model, v->opset);
	return true;
}

static bool end_level(struct onnx *o, struct onnx_level *v)
{
	if (v->message == &onnx_graph)
		return onnx_graph_end(o, v);
	if (v->message == &onnx_node)
		return onnx_node_end(o, v);
	if (v->message == &onnx_attribute)
		return onnx_attribute_end(o, v);
	if (v->message == &onnx_tensor)
		return onnx_tensor_end(o, v);
	if (v->message == &onnx_sparse)
		return onnx_sparse_end(o, v);
	if (v->message == &onnx_entry)
		return end_entry(o, v);
	if (v->message == &onnx_opset)
		return end_opset(o, v);
	if (v->message == &onnx_tensor_type)
		onnx_tensor_type_end(o, v);
	if (v->message == &onnx_value_info)
		return onnx_value_info_end(o, v);
	if (v->message == &onnx_function)
		return onnx_function_end(o, v);
	return true;
}

static struct onnx_level *level_at(struct onnx *o, const struct pb_place *at)
{
	return &o->levels[at->depth + o->outer];
}

static void mark_payload(struct onnx_level *v, const struct pb_field *f)
{
	if (v->message == &onnx_attribute)
		v->attribute.fields |= 1u << pb_field_index(v->message, f);
}

static bool on_begin(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t n)
{
	struct onnx *o = ctx;
	struct onnx_level *v = level_at(o, at) + 1;

	(void)n;
	mark_payload(v - 1, f);
	if (++o->n_messages > ONNX_MESSAGES_MAX) {
		onnx_value(o, WLK_F_ONNX_LIMIT, at->offset, (struct bytes){ 0 }, o->n_messages, ONNX_MESSAGES_MAX);
		return false;
	}
	if (at->depth == 0 && f->number == 7)
		o->has_graph = true;
	if (at->depth > 0 && v[-1].message == &onnx_type && v[-2].message == &onnx_value_info)
		v[-2].value.has_type = true;
	o->depth = at->depth + 1 + o->outer;
	v->field = f;
	v->message = f->message;
	v->at = at->offset;
	v->n_metadata = 0;
	v->has_element = false;
	v->metadata_bytes = 0;
	return begin_level(o, v);
}

static bool on_end(void *ctx, const struct pb_place *at, const struct pb_field *f)
{
	struct onnx *o = ctx;
	bool ret;

	(void)f;
	o->offset = at->offset;
	ret = end_level(o, level_at(o, at));
	o->depth--;
	return ret;
}

/* -- fields -- */

static void model_number(struct onnx *o, uint32_t field, uint64_t value, uint64_t at)
{
	if (field != 1)
		return;
	o->ir_version = value;
	o->has_ir = true;
	if (value > 14)
		onnx_value(o, WLK_F_ONNX_IR_FUTURE, at, (struct bytes){ 0 }, value, 14);
	else if (value < 3)
		onnx_value(o, WLK_F_ONNX_IR_OLD, at, (struct bytes){ 0 }, value, 3);
}

static void attribute_number(struct onnx *o, struct onnx_attribute *a, uint32_t field, uint64_t value, uint64_t at)
{
	if (field == 2 || field == 7)
		onnx_float(o, &a->weights, (uint32_t)value, at), a->n_floats += field == 7;
	else if (field == 3)
		a->number = value;
	else if (field == 20)
		a->type = value, a->has_type = true;
	if (field == 20 && value >= ONNX_N_ATTRS)
		onnx_value(o, WLK_F_ONNX_ENUM, at, onnx_word_bytes(&a->name), value, ONNX_N_ATTRS - 1);
}

static bool on_number(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t value)
{
	struct onnx *o = ctx;
	struct onnx_level *v = level_at(o, at);

	mark_payload(v, f);
	if (v->message == &onnx_tensor)
		return onnx_tensor_number(o, v->tensor, f->number, value, at->offset);
	if (v->message == &onnx_model)
		model_number(o, f->number, value, at->offset);
	else if (v->message == &onnx_attribute && f->number == 8)
		return onnx_limits_int(o, value);
	else if (v->message == &onnx_attribute)
		attribute_number(o, &v->attribute, f->number, value, at->offset);
	else if (v->message == &onnx_opset)
		v->opset->version = value;
	else if (v->message == &onnx_sparse)
		onnx_sparse_dim(v->sparse, value);
	if (v->message == &onnx_tensor_type && f->number == 1)
		v->has_element = value != 0;
	if ((v->message == &onnx_tensor_type || v->message == &onnx_map_type) && value >= ONNX_DTYPES)
		onnx_value(o, WLK_F_ONNX_VALUE_INFO, at->offset, (struct bytes){ 0 }, value, ONNX_DTYPES - 1);
	else if (v->message == &onnx_dim && f->number == 1 && value == UINT64_MAX) /* -1: decision 7 */
		onnx_at(o, WLK_F_ONNX_VALUE_INFO_DIM, at->offset, (struct bytes){ 0 });
	else if (v->message == &onnx_dim && f->number == 1 && value > INT64_MAX)
		onnx_value(o, WLK_F_ONNX_VALUE_INFO, at->offset, (struct bytes){ 0 }, value, INT64_MAX);
	if (v->message == &onnx_dim)
		onnx_limits_declare(o, value);
	return true;
}

static void location_set(struct onnx_location *to, struct bytes bytes, uint64_t n)
{
	to->n = (uint8_t)min_u64(bytes.n, ONNX_LOCATION_MAX);
	to->bytes = n;
	bytes_copy(to->at, bytes_of(bytes.at, to->n));
}

static void entry_text(
    struct onnx *o, struct onnx_entry_text *e, uint32_t field, struct bytes bytes, uint64_t n, uint64_t at)
{
	if (field == 1) {
		onnx_word_set(o, &e->key, bytes, n);
	} else {
		location_set(&e->value, bytes, n);
		e->value_at = at;
	}
}

static void function_text(
    struct onnx *o, struct onnx_function *f, uint32_t field, struct bytes bytes, uint64_t n, uint64_t at)
{
	if (field == 1)
		onnx_word_set(o, &f->name, bytes, n);
	else if (field == 4)
		onnx_function_input(o, f, bytes, at);
	else if (field == 6)
		onnx_function_attribute(o, f, onnx_id_of(o, bytes), at);
	else if (field == 10)
		onnx_word_set(o, &f->domain, bytes, n);
	else if (field == 13)
		f->overload = onnx_id_of(o, bytes);
}

static bool attribute_data(
    struct onnx *o, struct onnx_attribute *a, uint32_t field, struct bytes bytes, uint64_t n, uint64_t at)
{
	if (field == 1)
		onnx_word_set(o, &a->name, bytes, n);
	else if (field == 7)
		return a->n_floats += n / 4, onnx_floats_in_place(o, at, n, onnx_word_bytes(&a->name));
	else if (field == 21)
		a->is_reference = true;
	return true;
}

static bool on_data(void *ctx, const struct pb_place *at, const struct pb_field *f, struct bytes bytes, uint64_t n)
{
	struct onnx *o = ctx;
	struct onnx_level *v = level_at(o, at);

	mark_payload(v, f);
	check_length(o, v, f, bytes, n, at->offset);
	if (v->message == &onnx_tensor)
		return onnx_tensor_data(o, v->tensor, f->number, bytes, n, at->offset);
	if (v->message == &onnx_node)
		return onnx_node_text(o, v, f->number, bytes, n, at->offset);
	if (v->message == &onnx_attribute)
		return attribute_data(o, &v->attribute, f->number, bytes, n, at->offset);
	if (v->message == &onnx_entry)
		entry_text(o, v->entry, f->number, bytes, n, at->offset);
	else if (v->message == &onnx_opset)
		onnx_word_set(o, &v->opset->name, bytes, n);
	else if (v->message == &onnx_value_info && f->number == 1)
		onnx_word_set(o, &v->value.name, bytes, n);
	else if (v->message == &onnx_function)
		function_text(o, &v->function, f->number, bytes, n, at->offset);
	return !o->names.failed || onnx_stop(o);
}

/* -- the whole -- */

/* Rule 2. */
static void check_model(struct onnx *o)
{
	bool opsets = o->model.n_imported > 0 || (o->has_ir && o->ir_version < 3);

	if (!o->has_ir || !o->has_graph || !opsets)
		onnx_at(o, WLK_F_ONNX_REQUIRED_FIELD, 0,
		    bytes_of_text(!o->has_ir      ? "ir_version"
				  : !o->has_graph ? "graph"
						  : "opset_import"));
}

static size_t tensor_name(const struct extents *x, const struct extent *e, uint8_t *buf, size_t n)
{
	if (e->name_n <= n)
		bytes_copy(buf, bytes_of(x->names.at + e->name_at, e->name_n));
	return e->name_n;
}

/* In a set, the set says what became of them. */
static enum wlk_finding unchecked_code(const struct layout *l)
{
	return l->of_set && l->id == WLK_FORMAT_ONNX ? WLK_F_WEIGHTS_IN_SET : WLK_F_ONNX_EXTERNAL_UNCHECKED;
}

enum wlk_status onnx_cover_all(struct onnx *o)
{
	static const struct coverage_codes codes = { .overlap = WLK_F_ONNX_DUPLICATE_FIELD,
		.hole = WLK_F_ONNX_TRAILING_BYTES,
		.out_of_bounds = WLK_F_ONNX_TRUNCATED,
		.trailing = WLK_F_ONNX_TRAILING_BYTES };
	struct layout *l = o->l;

	if (!onnx_check_tails(o) || !onnx_cover(o, l->part.size))
		return o->stopped ? WLK_INCOMPLETE : layout_stop(l);
	if (o->external)
		onnx_at(o, unchecked_code(l), 0, (struct bytes){ 0 });
	l->extents->names = bytes_of(o->pool, o->pool_n);
	l->extents->name = tensor_name;
	return extents_cover(l->extents, 0, l->part.size, &codes, l->report);
}

/* Names, extents and functions: a multiple of the file, which is what bounds their number. */
#define MEMORY_MAX (UINT64_C(256) << 20)

struct onnx *onnx_open(struct layout *l, enum wlk_status *ret_status)
{
	uint64_t memory;
	struct onnx *o;

	*ret_status = WLK_BROKEN;
	if (l->part.size > ONNX_SIZE_MAX) {
		layout_value(l, WLK_F_ONNX_TOO_LARGE, 0, l->part.size, ONNX_SIZE_MAX);
		return NULL;
	}
	layout_raise_memory(l, mul_u64(l->part.size, 24, &memory) ? min_u64(memory, MEMORY_MAX) : MEMORY_MAX);
	o = arena_alloc(l->arena, 1, sizeof(*o));
	if (o != NULL)
		o->walker = arena_alloc(l->arena, 1, sizeof(*o->walker));
	if (o == NULL || o->walker == NULL) {
		*ret_status = layout_stop(l);
		return NULL;
	}
	l->state = o;
	o->l = l;
	o->unit = &o->model;
	scoped_names_init(&o->names, l->arena, &l->seed);
	return o;
}

bool onnx_walk(struct onnx *o, const struct pb_message *root)
{
	const struct pb_handler handler = { o, on_begin, on_end, on_number, on_data, on_error };

	pb_begin(o->walker, root, o->l->part.size, &handler);
	if (!part_preview(&o->l->part, 0, (struct feeder){ pb_feed, o->walker }))
		return onnx_stop(o);
	return pb_finish(o->walker) && !o->stopped;
}

static enum wlk_status layout(struct layout *l)
{
	enum wlk_status status;
	struct onnx *o = onnx_open(l, &status);

	if (o == NULL)
		return status;
	o->levels[0] = (struct onnx_level){ .message = &onnx_model };
	if (!onnx_functions_init(o) || !onnx_limits_begin(o))
		return layout_stop(l);
	if (!onnx_walk(o, &onnx_model))
		return o->stopped ? WLK_INCOMPLETE : WLK_BROKEN;
	check_model(o);
	onnx_trips_finish(o);
	if (!onnx_limits_finish(o) || !onnx_functions_finish(o) || !onnx_sparse_finish(o))
		return o->stopped ? WLK_INCOMPLETE : layout_stop(l);
	return onnx_cover_all(o);
}

/* The structure was read to its end, and its weights were examined; but is it one model? */
static enum wlk_status finish(struct layout *l)
{
	const struct onnx *o = l->state;

	return o == NULL || o->broken ? WLK_BROKEN : WLK_DONE;
}

static bool no_probe(const struct probe *p)
{
	(void)p;
	return false;
}

const struct wlk_format format_onnx = { .id = WLK_FORMAT_ONNX,
	.converts = CONVERTS_ROWS,
	.probe = no_probe,
	.layout = layout,
	.finish = finish,
	.nested = NESTED_RANDOM,
	.last_resort = onnx_last_resort };
