/* Core ML models: one protobuf message, gone through once.  Its wire format is read strictly, its numbers are examined where they
 * stand, and what it names outside of itself (classes of the program that loads it, files) is told.  Whether its layers fit each
 * other is not judged: Core ML compiles a model before it runs it, and refuses one whose layers do not. */
#include "coreml.h"

#include <string.h>

#include "checked.h"
#include "coreml_schema.h"
#include "identify_signs.h"
#include "message_sight.h"
#include "paths.h"
#include "runs.h"
#include "scoped_names.h"
#include "stream.h"
#include "weights.h"
#include "wire_errors.h"

#define OWNER_MAX 96u

/* A message that is open. */
struct level {
	const struct pb_message *message;
	uint64_t at;
	uint32_t field; /* by which it was entered */
	uint64_t type;  /* of a MIL value: DataType */
	bool told;      /* of a custom layer or model */
};

struct coreml {
	struct layout *l;
	struct pb_walker *walker;
	struct runs runs;
	struct level levels[PB_DEPTH_MAX + 1];
	struct level *top;
	struct scoped_names keys; /* of maps */
	struct weights scalars;   /* numbers on their own, of the owner that is open */
	uint8_t name[OWNER_MAX];  /* whose numbers these are: a layer, an operator's output, a kind of model */
	size_t name_n;
	uint32_t n_messages;
	bool stopped;
	bool unsure; /* not all of it was seen */
};

static bool stop(struct coreml *c)
{
	if (!c->stopped)
		layout_stop(c->l);
	c->stopped = true;
	return false;
}

static void tell(struct coreml *c, enum wlk_finding code, uint64_t at, struct bytes subject, const char *found)
{
	layout_finding(c->l,
	    &(struct finding){ .code = code,
		.has_offset = true,
		.offset = at,
		.subject = subject,
		.found = found != NULL ? value_text(bytes_of_text(found)) : (struct value){ .kind = VALUE_NONE } });
}

static bool on_error(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	static const struct wire_codes codes = { WLK_F_COREML_STRUCTURE, WLK_F_COREML_AMBIGUOUS,
		WLK_F_COREML_UNKNOWN_FIELD };
	const char *rule, *message = at->message != NULL ? at->message->name : "";
	enum wlk_finding code = wire_error(&codes, e, &rule);
	struct coreml *c = ctx;

	(void)number, (void)found;
	c->unsure = true;
	tell(c, code, at->offset, bytes_of_text(message), rule);
	return true;
}

/* -- numbers -- */

static struct bytes name_of(const struct coreml *c)
{
	return bytes_of(c->name, c->name_n);
}

/* Those of the owner so far. */
static void report_scalars(struct coreml *c)
{
	if (weights_found(&c->scalars))
		weights_report(&c->scalars, c->l->report,
		    &(struct weights_place){
			.name = name_of(c), .member = c->l->extents->member, .first_offset = c->scalars.first_offset });
	c->scalars = (struct weights){ 0 };
}

static void set_owner(struct coreml *c, struct bytes name)
{
	report_scalars(c);
	c->name_n = (size_t)min_u64(name.n, OWNER_MAX);
	bytes_copy(c->name, bytes_of(name.at, c->name_n));
}

static void examine(struct coreml *c, enum wlk_dtype dtype, uint64_t bits, uint64_t at)
{
	uint8_t element[8];

	store_u64le(element, bits);
	if (c->scalars.dtype != dtype) {
		report_scalars(c);
		weights_begin(&c->scalars, dtype, false);
	}
	weights_examine(&c->scalars, element, dtype_info(dtype)->bits / 8, c->l->extents->origin + at);
	c->l->report->totals.elements++;
}

/* Coefficients that stand alone.  Others may be infinite or none in honest models: bounds, values that are replaced, what a
 * mask is filled with. */
static bool is_coefficient(const struct pb_message *m)
{
	return m == &coreml_evaluation_info || m == &coreml_sparse_node || m == &coreml_gaussian ||
	       m == &coreml_connected_item || m == &coreml_support_vector_regressor;
}

static enum wlk_dtype type_of_bytes(uint64_t type)
{
	switch (type) {
	case COREML_FLOAT16: return WLK_DTYPE_F16;
	case COREML_BFLOAT16: return WLK_DTYPE_BF16;
	case COREML_FLOAT8_E4M3: return WLK_DTYPE_F8_E4M3;
	case COREML_FLOAT8_E5M2: return WLK_DTYPE_F8_E5M2;
	default: return WLK_DTYPE_U8;
	}
}

/* The MIL value these bytes are of is two messages further out. */
static enum wlk_dtype type_of_blob(const struct coreml *c, uint32_t field)
{
	const struct level *v = c->top;

	if (v->message == &coreml_weights)
		return field == 2 ? WLK_DTYPE_F16 : WLK_DTYPE_U8;
	return v->message == &coreml_repeated_bytes ? type_of_bytes(v[-3].type) : WLK_DTYPE_U8;
}

/* Whole elements only: what is left over is a size nobody can mean. */
static bool add_blob(struct coreml *c, enum wlk_dtype dtype, uint64_t at, uint64_t n)
{
	if (n % (dtype_info(dtype)->bits / 8) != 0) {
		tell(c, WLK_F_COREML_STRUCTURE, at, name_of(c), "half a number");
		dtype = WLK_DTYPE_U8;
	}
	return runs_add(&c->runs, at, n, dtype, name_of(c)) || stop(c);
}

/* -- messages -- */

static bool is_map(const struct pb_message *m)
{
	return memcmp(m->name, "map_", 4) == 0;
}

static bool on_begin(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t n)
{
	struct coreml *c = ctx;
	const struct level *outer = &c->levels[at->depth];

	(void)n;
	c->top = &c->levels[at->depth + 1];
	*c->top = (struct level){ .message = f->message, .at = at->offset, .field = f->number };
	if (outer->message == &coreml_model && f->oneof > 0)
		set_owner(c, bytes_of_text(f->message->name));
	if (++c->n_messages <= COREML_MESSAGES_MAX)
		return true;
	c->unsure = true;
	tell(c, WLK_F_FORMAT_PARTLY_CHECKED, at->offset, (struct bytes){ 0 }, "too many messages");
	return false;
}

/* Every model says of what version and kind it is. */
static void check_model(struct coreml *c, const struct level *v, uint64_t at)
{
	if (v->type == 0)
		tell(c, WLK_F_COREML_STRUCTURE, at, bytes_of_text("specificationVersion"), NULL);
	if (!v->told)
		tell(c, WLK_F_COREML_STRUCTURE, at, bytes_of_text("model"), "no kind");
}

static bool on_end(void *ctx, const struct pb_place *at, const struct pb_field *f)
{
	struct coreml *c = ctx;
	struct level *v = &c->levels[at->depth];

	(void)f;
	if ((v->message == &coreml_custom || v->message == &coreml_custom_model) && !v->told)
		tell(c, WLK_F_COREML_CUSTOM, v->at, (struct bytes){ 0 }, NULL);
	else if (v->message == &coreml_model)
		check_model(c, v, v->at);
	c->top = v - 1;
	if (v->message == &coreml_layer)
		report_scalars(c);
	if (c->top->message == &coreml_model)
		c->top->told = c->top->told || (f->oneof > 0);
	return true;
}

/* A map's key must come once: the last one wins, or the first. */
static bool take_key(struct coreml *c, struct bytes key, uint64_t at)
{
	const struct level *v = c->top;
	uint64_t salt = v[-1].at * 512 + v->field; /* whose, and which of its maps */
	struct scoped_name id = scoped_name_of(&c->keys, key, salt);

	if (scoped_names_find(&c->keys, id, 1u << SCOPED_KEY, 0) != NULL)
		tell(c, WLK_F_COREML_AMBIGUOUS, at, key, "a key given twice");
	else
		scoped_names_add(&c->keys, id, SCOPED_KEY, at);
	return !c->keys.failed || stop(c);
}

/* -- fields -- */

static void take_version(struct coreml *c, uint64_t version, uint64_t at)
{
	c->top->type = version;
	if (version > COREML_VERSION_MAX)
		layout_value(c->l, WLK_F_COREML_VERSION, at, version, COREML_VERSION_MAX);
}

/* A value's type is a message of its own, in front of it. */
static void take_type(struct coreml *c, uint64_t type)
{
	struct level *v = c->top;

	if (v[-1].message == &coreml_value_type && v[-2].message == &coreml_value)
		v[-2].type = type;
}

static bool on_number(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t value)
{
	struct coreml *c = ctx;
	uint8_t key[8];

	if (c->top->message == &coreml_model && f->number == 1)
		take_version(c, value, at->offset);
	else if (c->top->message == &coreml_tensor_type && f->number == 1)
		take_type(c, value);
	else if (f->kind == PB_FIXED32 && f->repeated)
		examine(c, WLK_DTYPE_F32, value, at->offset);
	else if (f->kind == PB_FIXED64 && (f->repeated || is_coefficient(c->top->message)))
		examine(c, WLK_DTYPE_F64, value, at->offset);
	else if (is_map(c->top->message) && f->number == 1) {
		store_u64le(key, value);
		return take_key(c, bytes_of(key, sizeof(key)), at->offset);
	}
	return true;
}

void coreml_check_path(struct layout *l, struct bytes path, uint64_t at)
{
	static const char within[] = "@model_path/"; /* the package, as programs spell it */
	struct bytes rest = path;

	if (path.n >= sizeof(within) - 1 && memcmp(path.at, within, sizeof(within) - 1) == 0)
		rest = bytes_of(path.at + sizeof(within) - 1, path.n - (sizeof(within) - 1));
	if (rest.n == 0 || path_leaves_folder(rest))
		layout_finding(l,
		    &(struct finding){ .code = WLK_F_COREML_PATH, .has_offset = true, .offset = at, .subject = path });
}

static bool is_custom_operator(struct bytes type)
{
	return type.n >= 6 && memcmp(type.at, "custom", 6) == 0;
}

static void take_text(struct coreml *c, const struct pb_field *f, struct bytes text, uint64_t at)
{
	struct level *v = c->top;

	if ((v->message == &coreml_layer && f->number == 1) ||
	    (v->message == &coreml_named_value_type && v[-1].message == &coreml_operation && f->number == 1)) {
		set_owner(c, text);
	} else if ((v->message == &coreml_custom || v->message == &coreml_custom_model) && f->number == 10) {
		tell(c, WLK_F_COREML_CUSTOM, at, text, NULL);
		v->told = true;
	} else if (v->message == &coreml_operation && f->number == 1 && is_custom_operator(text)) {
		tell(c, WLK_F_COREML_CUSTOM, at, text, NULL);
	} else if ((v->message == &coreml_blob_file_value && f->number == 1) ||
		   (v->message == &coreml_string_parameter && v[-1].message == &coreml_linked_model_file)) {
		coreml_check_path(c->l, text, at);
	}
}

static bool on_data(void *ctx, const struct pb_place *at, const struct pb_field *f, struct bytes bytes, uint64_t n)
{
	struct coreml *c = ctx;

	if (f->kind == PB_FIXED32 || f->kind == PB_FIXED64)
		return runs_add(&c->runs, at->offset, n, f->kind == PB_FIXED32 ? WLK_DTYPE_F32 : WLK_DTYPE_F64,
			   name_of(c)) ||
		       stop(c);
	if (f->kind == PB_BLOB)
		return add_blob(c, type_of_blob(c, f->number), at->offset, n);
	if (n > bytes.n) {
		c->unsure = true;
		tell(c, WLK_F_FORMAT_PARTLY_CHECKED, at->offset, (struct bytes){ 0 }, "a long text");
		return true;
	}
	take_text(c, f, bytes, at->offset);
	return !is_map(c->top->message) || f->number != 1 || take_key(c, bytes, at->offset);
}

/* -- the whole -- */

#define MEMORY_MAX (UINT64_C(256) << 20)

static struct coreml *begin(struct layout *l)
{
	struct coreml *c = arena_alloc(l->arena, 1, sizeof(*c));
	uint64_t memory;

	layout_raise_memory(l, mul_u64(l->part.size, 8, &memory) ? min_u64(memory, MEMORY_MAX) : MEMORY_MAX);
	if (c == NULL || (c->walker = arena_alloc(l->arena, 1, sizeof(*c->walker))) == NULL)
		return NULL;
	c->l = c->runs.l = l;
	c->top = c->levels;
	c->levels[0].message = &coreml_model;
	scoped_names_init(&c->keys, l->arena, &l->seed);
	return c;
}

static enum wlk_status layout(struct layout *l)
{
	struct pb_handler handler = { NULL, on_begin, on_end, on_number, on_data, on_error };
	enum wlk_status status;
	struct coreml *c;

	l->id = WLK_FORMAT_COREML;
	if (l->part.size == 0 || l->part.size > COREML_SIZE_MAX) {
		layout_value(l, WLK_F_COREML_STRUCTURE, 0, l->part.size, COREML_SIZE_MAX);
		return WLK_BROKEN;
	}
	c = begin(l);
	if (c == NULL)
		return layout_stop(l);
	handler.ctx = c;
	pb_begin(c->walker, &coreml_model, l->part.size, &handler);
	if (!part_preview(&l->part, 0, (struct feeder){ pb_feed, c->walker }))
		return layout_stop(l);
	if (!pb_finish(c->walker) || c->stopped)
		return c->stopped ? WLK_INCOMPLETE : WLK_BROKEN;
	check_model(c, &c->levels[0], 0);
	report_scalars(c);
	status = runs_finish(&c->runs, WLK_F_COREML_STRUCTURE);
	return c->unsure && status == WLK_DONE ? WLK_BROKEN : status;
}

/* -- what it is -- */

static bool probe(const struct probe *p)
{
	return identify_sign_is(WLK_FORMAT_COREML, bytes_of(p->head, p->n), p->size);
}

struct sight {
	bool version, description, kind;
	unsigned fields;
};

/* A few kinds at most, should there be more than one; small numbers, which are fields, go on for ever. */
#define OUTLINE_FIELDS_MAX 64u

static bool sight_number(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t value)
{
	struct sight *s = ctx;

	(void)at;
	s->version = s->version || f->number == 1;
	return ++s->fields <= OUTLINE_FIELDS_MAX && (f->number != 1 || (value > 0 && value < 1000));
}

static bool sight_data(void *ctx, const struct pb_place *at, const struct pb_field *f, struct bytes bytes, uint64_t n)
{
	struct sight *s = ctx;

	(void)at, (void)bytes, (void)n;
	s->description = s->description || f->number == 2;
	s->kind = s->kind || f->number > 2;
	return ++s->fields <= OUTLINE_FIELDS_MAX;
}

static bool sight_error(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	(void)ctx, (void)at, (void)number, (void)found;
	return e == PB_DUPLICATE || e == PB_ONEOF || e == PB_OVERLONG || e == PB_OVERLONG_VALUE;
}

/* For models that do not begin as the signature says: the outermost fields are those of a model, and it has a kind. */
static bool last_resort(struct layout *l, const struct stream *s)
{
	struct pb_field fields[PB_FIELDS_MAX];
	const struct pb_message outline = { "outline", fields, coreml_model.n_fields, NULL };
	struct sight sight = { 0 };
	const struct pb_handler handler = {
		.ctx = &sight, .number = sight_number, .data = sight_data, .error = sight_error
	};

	for (size_t i = 0; i < coreml_model.n_fields; i++) {
		fields[i] = coreml_model.fields[i];
		if (fields[i].kind == PB_MESSAGE)
			fields[i].kind = PB_BLOB;
	}
	return message_sight(l, s, &outline, &handler, 6, COREML_SIZE_MAX) && sight.version && sight.description &&
	       sight.kind;
}

const struct wlk_format format_coreml = {
	.id = WLK_FORMAT_COREML, .probe = probe, .layout = layout, .nested = NESTED_RANDOM, .last_resort = last_resort
};
