/* Operators against the table of limits (lib/judges/limits/tflite.tsv): what kernels divide by, index with, or take for granted.
 * A tensor's shape is what kernels go by, so it is judged of every tensor; values only of constants.  See tflite.h. */
#include "tflite.h"

#include <string.h>

#include "checked.h"
#include "limits_tflite.h"

#define INPUTS_KEPT 5u /* more than any row asks for */
#define VALUES_MAX 1024u
#define BYTES_MAX 4096u

enum {
	TYPE_F32 = 0,
	TYPE_I32 = 2,
	TYPE_U8 = 3,
	TYPE_I64 = 4,
	TYPE_I16 = 7,
	TYPE_I8 = 9,
	TYPE_F64 = 10,
	TYPE_RESOURCE = 13,
	TYPE_VARIANT = 14
};

struct tflite_operand {
	uint32_t tensor; /* UINT32_MAX: not given */
	bool read, known;
	uint32_t rank;
	size_t n;
	int64_t dims[MANIFEST_RANK_MAX];
	int64_t values[VALUES_MAX];
};

struct tflite_limits {
	struct tflite_operand inputs[INPUTS_KEPT];
	struct fb_table options;
	bool has_options;
	int64_t attribute[2][VALUES_MAX]; /* a term has two at most */
	unsigned n_attributes;
	struct tflite *t;
};

bool tflite_limits_begin(struct tflite *t)
{
	t->limits = arena_alloc(t->l->arena, 1, sizeof(*t->limits));
	if (t->limits == NULL)
		return fb_fail(&t->fb, FB_FAILED, "", 0);
	t->limits->t = t;
	return true;
}

/* -- what the file knows of an input -- */

static bool read_dims(struct tflite_limits *s, struct tflite_operand *o, const struct tflite_seen *tensor)
{
	uint32_t raw;

	o->rank = tensor->rank > 0 ? tensor->rank : LIMITS_RANK_UNKNOWN; /* none, or any */
	for (uint32_t i = 0; i < tensor->rank; i++) {
		if (!fb_u32(&s->t->fb, tensor->shape_at + 4 * (uint64_t)i, &raw))
			return false;
		o->dims[i] = (int32_t)raw;
		if (tensor->n_signature == tensor->rank) {
			if (!fb_u32(&s->t->fb, tensor->signature_at + 4 * (uint64_t)i, &raw))
				return false;
			if ((int32_t)raw < 0)
				o->dims[i] = -1;
		}
	}
	return true;
}

static unsigned width_of(unsigned type)
{
	switch (type) {
	case TYPE_F32:
	case TYPE_I32: return 4;
	case TYPE_I64:
	case TYPE_F64: return 8;
	case TYPE_I16: return 2;
	case TYPE_I8:
	case TYPE_U8: return 1;
	default: return 0;
	}
}

/* Away from zero, so that what is not 0 does not become it. */
static int64_t from_real(double d)
{
	if (!(d > -9e18 && d < 9e18))
		return d < 0 ? INT64_MIN : INT64_MAX;
	if (d > 0 && (double)(int64_t)d < d)
		return (int64_t)d + 1;
	return d < 0 && (double)(int64_t)d > d ? (int64_t)d - 1 : (int64_t)d;
}

static int64_t number_of(unsigned type, const uint8_t *at)
{
	float f;
	double d;

	switch (type) {
	case TYPE_F32: memcpy(&f, at, sizeof(f)); return from_real((double)f);
	case TYPE_F64: memcpy(&d, at, sizeof(d)); return from_real(d);
	case TYPE_I32: return (int32_t)load_u32le(at);
	case TYPE_I64: return (int64_t)load_u64le(at);
	case TYPE_I16: return (int16_t)load_u16le(at);
	case TYPE_I8: return (int8_t)*at;
	default: return *at;
	}
}

static bool read_values(struct tflite_limits *s, struct tflite_operand *o, const struct tflite_seen *tensor)
{
	const struct tflite_buffer *b = &s->t->buffers[tensor->buffer];
	unsigned width = width_of(tensor->type);
	uint8_t bytes[BYTES_MAX];
	uint64_t n;

	if (!tensor->constant || width == 0 || b->end - b->begin > BYTES_MAX)
		return true;
	n = (b->end - b->begin) / width;
	if (n > VALUES_MAX || !fb_read(&s->t->fb, b->begin, bytes, (size_t)n * width))
		return n > VALUES_MAX;
	for (size_t i = 0; i < n; i++)
		o->values[i] = number_of(tensor->type, bytes + i * width);
	o->n = (size_t)n;
	o->known = true;
	return true;
}

static bool find_input(struct tflite_limits *s, unsigned i, struct limits_operand *ret)
{
	struct tflite_operand *o = i < INPUTS_KEPT ? &s->inputs[i] : NULL;
	const struct tflite_seen *tensor;

	if (o == NULL || o->tensor >= s->t->n_seen)
		return false;
	tensor = &s->t->seen[o->tensor];
	if (!o->read && (!read_dims(s, o, tensor) || !read_values(s, o, tensor)))
		return false;
	o->read = true;
	ret->rank = o->rank;
	ret->dims = o->dims;
	ret->n = o->n;
	ret->values = o->values;
	ret->values_known = o->known;
	ret->is_integer = tensor->type != TYPE_F32 && tensor->type != TYPE_F64;
	return true;
}

#define OF_FLOATS 1 /* the fallback of a list in the table */

static int64_t real_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return from_real((double)f);
}

/* A number that is not there has the schema's default, and so have all of options that are not there. */
static bool find_attribute(struct tflite_limits *s, const struct limits_name *name, struct limits_operand *ret)
{
	int64_t *values = s->attribute[s->n_attributes++ % 2];
	unsigned field = (unsigned)(-1 - name->input);
	uint64_t raw;

	ret->values = values;
	ret->n = 1;
	ret->values_known = ret->is_integer = true;
	values[0] = name->fallback;
	if (name->input == INT16_MIN || (s->has_options && field >= strlen(s->options.schema->fields)))
		return false;
	if (!s->has_options || !fb_has(&s->options, field))
		return !s->has_options || s->options.schema->fields[field] == '4';
	values[0] = fb_i32(&s->options, field);
	if (s->options.schema->fields[field] == '4')
		return true;
	ret->n = s->options.count[field];
	for (uint32_t i = 0; i < ret->n && ret->n <= VALUES_MAX; i++) {
		if (!fb_number(&s->t->fb, &s->options, field, i, 4, &raw))
			return false;
		values[i] = name->fallback == OF_FLOATS ? real_of((uint32_t)raw) : (int32_t)(uint32_t)raw;
	}
	return ret->n <= VALUES_MAX;
}

static bool find(void *ctx, const struct limits_name *name, struct limits_operand *ret)
{
	struct tflite_limits *s = ctx;

	return name->input >= 0 ? find_input(s, (unsigned)name->input, ret) : find_attribute(s, name, ret);
}

/* -- findings -- */

static void tell(
    struct tflite *t, const struct limits_tflite_op *op, uint64_t at, const char *rule, bool mild, int64_t found)
{
	t->broken = t->broken || !mild;
	layout_finding(t->l, &(struct finding){ .code = mild ? WLK_F_TFLITE_RUNTIME_RANGE : WLK_F_TFLITE_RUNTIME_LIMIT,
				 .has_offset = true,
				 .offset = at,
				 .subject = bytes_of_text(op->name),
				 .found = value_number((uint64_t)found),
				 .allowed = value_text(bytes_of_text(rule)) });
}

/* Was it there before this operator?  What the file brings, what the caller gives, what an earlier one wrote. */
static bool has_source(const struct tflite_seen *s)
{
	return s->constant || s->written || s->variable || s->empty || s->type == TYPE_RESOURCE ||
	       s->type == TYPE_VARIANT;
}

static bool check_input(struct tflite *t, const struct limits_tflite_op *op, uint64_t at, uint32_t i, uint32_t tensor)
{
	uint64_t bit = i < 64 ? UINT64_C(1) << i : 0;

	if (tensor == UINT32_MAX) {
		if ((op->optional & bit) == 0)
			tell(t, op, at, "an input is left out", false, i);
		return true;
	}
	if (tensor >= t->n_seen)
		return true; /* told */
	if (!has_source(&t->seen[tensor]))
		tell(t, op, at, "an input is read before it is written", false, i);
	if ((op->variable & bit) != 0 && !t->seen[tensor].variable)
		tell(t, op, at, "a state is a variable", false, i);
	return true;
}

/* Numbers without a scale: kernels multiply by what memory holds. */
static bool is_bare(const struct tflite *t, uint32_t tensor)
{
	const struct tflite_seen *s = tensor < t->n_seen ? &t->seen[tensor] : NULL;

	return s != NULL && !s->scaled && (s->type == TYPE_I8 || s->type == TYPE_U8 || s->type == TYPE_I16);
}

enum { CONV_2D = 3, DEPTHWISE_CONV_2D = 4, FULLY_CONNECTED = 9, TRANSPOSE_CONV = 67 };

static bool is_scaled_op(uint32_t code)
{
	return code == CONV_2D || code == DEPTHWISE_CONV_2D || code == FULLY_CONNECTED || code == TRANSPOSE_CONV;
}

static bool tensor_of(struct tflite *t, const struct fb_table *o, unsigned field, uint32_t i, uint32_t *ret)
{
	uint64_t raw;

	if (!fb_number(&t->fb, o, field, i, 4, &raw))
		return false;
	*ret = (uint32_t)raw;
	return true;
}

/* All inputs; the first of them are kept for the terms. */
static bool check_inputs(struct tflite *t, uint32_t code, const struct limits_tflite_op *op, const struct fb_table *o)
{
	struct tflite_limits *s = t->limits;
	uint32_t tensor;

	for (unsigned i = 0; i < INPUTS_KEPT; i++)
		s->inputs[i].tensor = UINT32_MAX;
	for (uint32_t i = 0; i < o->count[OPERATOR_INPUTS]; i++) {
		if (!tensor_of(t, o, OPERATOR_INPUTS, i, &tensor) || !check_input(t, op, o->at, i, tensor))
			return false;
		if (i < INPUTS_KEPT) {
			s->inputs[i].tensor = tensor;
			s->inputs[i].read = s->inputs[i].known = false;
		}
		if (is_scaled_op(code) && i < (code == TRANSPOSE_CONV ? 3 : 2) && i >= (code == TRANSPOSE_CONV) &&
		    is_bare(t, tensor))
			tell(t, op, o->at, "integers have a scale", false, i);
	}
	return true;
}

/* Some kernels write while they still read. */
static bool check_alias(struct tflite *t, const struct limits_tflite_op *op, const struct fb_table *o, bool builtin)
{
	uint32_t in, out;

	for (uint32_t i = 0; i < o->count[OPERATOR_OUTPUTS]; i++) {
		if (!tensor_of(t, o, OPERATOR_OUTPUTS, i, &out))
			return false;
		if (out < t->n_seen)
			t->seen[out].written = true;
		for (uint32_t k = 0; builtin && k < o->count[OPERATOR_INPUTS] && k < 64 && i < 64; k++) {
			if (!tensor_of(t, o, OPERATOR_INPUTS, k, &in))
				return false;
			if (in == out && in < t->n_seen)
				tell(t, op, o->at, "an input is no output", false, k);
		}
	}
	return true;
}

/* The table that the kernel takes them for. */
static bool open_options(struct tflite *t, const struct limits_tflite_op *op, const struct fb_table *o)
{
	const struct fb_schema *schema = tflite_options(o->value[OPERATOR_OPTIONS_TYPE]);
	struct tflite_limits *s = t->limits;

	s->has_options = fb_has(o, OPERATOR_OPTIONS) && schema != NULL && op->options != NULL;
	if (!s->has_options)
		return true;
	if (strcmp(schema->name, op->options) != 0) {
		tell(t, op, o->at, "options are the operator's", false, (int64_t)o->value[OPERATOR_OPTIONS_TYPE]);
		s->has_options = false;
		return true;
	}
	return fb_open(&t->fb, o->value[OPERATOR_OPTIONS], schema, &s->options);
}

static void check_terms(struct tflite *t, const struct limits_tflite_op *op, const struct fb_table *o)
{
	const struct limits_env env = {
		.find = find, .ctx = t->limits, .in = o->count[OPERATOR_INPUTS], .out = o->count[OPERATOR_OUTPUTS]
	};
	int64_t found;

	for (unsigned i = 0; i < op->rule.n_terms; i++)
		if (limits_judge(&op->rule.terms[i], &env, &found) == LIMITS_FAILS && !t->fb.failed)
			tell(t, op, o->at, op->rule.terms[i].text, op->rule.terms[i].mild, found);
}

bool tflite_limits_check(struct tflite *t, uint32_t code, const struct fb_table *o)
{
	static const struct limits_tflite_op nothing = { .name = "" };
	const struct limits_tflite_op *op = code < limits_tflite_n_ops ? &limits_tflite_ops[code] : &nothing;

	/* Of what is broken nobody knows what names what. */
	if (op->name == NULL || op == &nothing || t->broken)
		return check_alias(t, &nothing, o, false);
	if (!check_inputs(t, code, op, o) || !open_options(t, op, o))
		return false;
	check_terms(t, op, o);
	return !t->fb.failed && check_alias(t, op, o, true);
}
