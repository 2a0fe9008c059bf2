/* Operators: which they are, what they are given, which subgraphs they call.  See tflite.h. */
#include "tflite.h"

#include <string.h>

#include "checked.h"
#include "tf_ops.h"

enum {
	BUILTIN_CUSTOM = 32,
	BUILTIN_DELEGATE = 51,
	BUILTIN_IF = 118,
	BUILTIN_WHILE = 119,
	BUILTIN_PLACEHOLDER = 127,
	BUILTIN_CALL_ONCE = 129,
	BUILTIN_CUSTOM_CALL = 173,
	BUILTIN_LAST = 209
};

#define FLEX "Flex"
#define FLEX_BYTES 4u

/* -- codes -- */

static void tell_operator(struct tflite *t, struct bytes name, uint64_t at)
{
	const struct tf_op *op = tf_op_find(name);

	if (op != NULL && op->when != TF_OP_URLS && op->when != TF_OP_NAMED && op->when != TF_OP_ATTRIBUTE)
		tflite_tell(t, op->code, at, name);
}

/* Custom by their number, and in every runtime: register.cc of TensorFlow Lite adds them to its own operators. */
static bool is_of_runtime(struct bytes name)
{
	static const char *const names[] = { "AudioSpectrogram", "Mfcc", "NumericVerify",
		"TFLite_Detection_PostProcess" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (bytes_equal(name, bytes_of_text(names[i])))
			return true;
	return false;
}

/* The delegate runs whatever TensorFlow registers under the rest of the name. */
static void judge_custom(struct tflite *t, struct bytes name, uint64_t at, bool *ret_flex)
{
	*ret_flex = name.n >= FLEX_BYTES && memcmp(name.at, FLEX, FLEX_BYTES) == 0;
	if (is_of_runtime(name))
		return;
	tflite_tell(t, *ret_flex ? WLK_F_TFLITE_FLEX_OP : WLK_F_TFLITE_CUSTOM_OP, at, name);
	if (*ret_flex)
		tell_operator(t, bytes_of(name.at + FLEX_BYTES, name.n - FLEX_BYTES), at);
}

static bool read_code(struct tflite *t, uint64_t at, bool *ret_flex, bool *ret_caller, uint32_t *ret_builtin)
{
	uint8_t buf[FLEX_BYTES + TF_OP_NAME_MAX + 1];
	struct fb_table c;
	struct bytes name;
	int32_t builtin;

	if (!fb_open(&t->fb, at, &tflite_operator_code, &c) ||
	    !tflite_text(t, &c, CODE_CUSTOM, buf, sizeof(buf), &name))
		return false;
	builtin = fb_i32(&c, CODE_BUILTIN);
	if (builtin < (int8_t)c.value[CODE_OLD])
		builtin = (int8_t)c.value[CODE_OLD];
	*ret_builtin = builtin >= 0 ? (uint32_t)builtin : UINT32_MAX;
	*ret_caller = builtin == BUILTIN_IF || builtin == BUILTIN_WHILE || builtin == BUILTIN_CALL_ONCE;
	if (builtin == BUILTIN_CUSTOM)
		judge_custom(t, name, at, ret_flex);
	else if (builtin == BUILTIN_CUSTOM_CALL)
		tflite_tell(t, WLK_F_TFLITE_CUSTOM_OP, at, bytes_of_text("STABLEHLO_CUSTOM_CALL"));
	else if (builtin < 0 || builtin > BUILTIN_LAST || builtin == BUILTIN_PLACEHOLDER || builtin == BUILTIN_DELEGATE)
		tflite_value(t, WLK_F_TFLITE_UNSUPPORTED, at, (uint64_t)builtin, BUILTIN_LAST);
	return true;
}

bool tflite_read_codes(struct tflite *t, const struct fb_table *model)
{
	uint64_t at;

	t->n_codes = model->count[MODEL_CODES];
	t->flex = arena_alloc(t->l->arena, t->n_codes, sizeof(*t->flex));
	t->caller = arena_alloc(t->l->arena, t->n_codes, sizeof(*t->caller));
	t->builtin = arena_alloc(t->l->arena, t->n_codes, sizeof(*t->builtin));
	if (t->flex == NULL || t->caller == NULL || t->builtin == NULL)
		return fb_fail(&t->fb, FB_FAILED, "", 0);
	for (uint32_t i = 0; i < t->n_codes; i++) {
		if (!fb_element(&t->fb, model, MODEL_CODES, i, &at) ||
		    !read_code(t, at, &t->flex[i], &t->caller[i], &t->builtin[i]))
			return false;
	}
	return tflite_limits_begin(t);
}

/* -- what a Flex operator is given: a FlexBuffer with a serialised NodeDef, whose operator is the one that runs -- */

#define NODE_OP_TAG 0x12u /* NodeDef, field 2 */
#define FILE_URL "file://"

/* Any run of bytes that would be the operator of a NodeDef counts.  Return: false: nothing. */
static const struct tf_op *operator_at(struct bytes b)
{
	if (b.n < 2 || b.at[0] != NODE_OP_TAG || b.at[1] > b.n - 2)
		return NULL;
	return tf_op_find(bytes_of(b.at + 2, b.at[1]));
}

static bool begins_with(struct bytes b, const char *text)
{
	return b.n >= strlen(text) && memcmp(b.at, text, strlen(text)) == 0;
}

#define LOOK_AHEAD (2 + TF_OP_NAME_MAX)

static bool scan_node(struct tflite *t, uint64_t at, uint64_t n)
{
	uint8_t buf[4096 + LOOK_AHEAD];

	if (!fb_visit(&t->fb, n, at))
		return false;
	for (uint64_t pos = 0; pos < n; pos += 4096) {
		size_t some = (size_t)min_u64(sizeof(buf), n - pos);

		if (!fb_read(&t->fb, at + pos, buf, some))
			return false;
		for (size_t i = 0; i < some && i < 4096; i++) {
			struct bytes rest = bytes_of(buf + i, some - i);
			const struct tf_op *op = operator_at(rest);

			if (op != NULL)
				tflite_tell(t, op->code, at + pos + i, bytes_of(rest.at + 2, rest.at[1]));
			else if (begins_with(rest, FILE_URL)) /* a printer or debugger that writes to it */
				tflite_tell(t, WLK_F_TF_OP_FILE_WRITE, at + pos + i, bytes_of_text(FILE_URL));
		}
	}
	return true;
}

static bool read_custom(struct tflite *t, const struct fb_table *o, bool flex)
{
	uint64_t offset = o->value[OPERATOR_LARGE_OFFSET], bytes = o->value[OPERATOR_LARGE_SIZE], end;

	if (flex && !scan_node(t, o->value[OPERATOR_CUSTOM], o->count[OPERATOR_CUSTOM]))
		return false;
	if (offset <= 1 || bytes == 0)
		return true;
	if (!add_u64(offset, bytes, &end) || end > t->l->part.size) {
		tflite_value(t, WLK_F_TFLITE_BUFFER, o->at, offset, t->l->part.size);
		return true;
	}
	return fb_claim(&t->fb, offset, end, NULL, NULL) && (!flex || scan_node(t, offset, bytes));
}

/* -- calls -- */

static bool add_call(struct tflite *t, uint64_t to, uint64_t at)
{
	if (to >= t->n_subgraphs) {
		tflite_value(t, WLK_F_TFLITE_INDEX, at, to, t->n_subgraphs);
		return true;
	}
	if (t->n_calls == t->calls_room) {
		uint32_t room = t->calls_room > 0 ? t->calls_room * 2 : 64;
		struct call_edge *calls = arena_resize_raw(t->l->arena, t->calls, room, sizeof(*calls));

		if (calls == NULL)
			return fb_fail(&t->fb, FB_FAILED, "", 0);
		t->calls = calls;
		t->calls_room = room;
	}
	t->calls[t->n_calls++] = (struct call_edge){ t->subgraph, (uint32_t)to };
	return true;
}

static bool add_calls(struct tflite *t, const struct fb_table *options, unsigned field)
{
	uint64_t to;

	if (!fb_visit(&t->fb, options->count[field], options->at))
		return false;
	for (uint32_t i = 0; i < options->count[field]; i++) {
		if (!fb_number(&t->fb, options, field, i, 4, &to) || !add_call(t, to, options->at))
			return false;
	}
	return true;
}

/* A number that is not there is 0: the first subgraph. */
static bool read_options(struct tflite *t, const struct fb_table *o, unsigned field, const struct fb_schema *schema)
{
	struct fb_table options;

	if (!fb_has(o, field))
		return true;
	if (schema == NULL) {
		tflite_value(t, WLK_F_TFLITE_UNSUPPORTED, o->at, o->value[field - 1], 0);
		return true;
	}
	if (!fb_open(&t->fb, o->value[field], schema, &options))
		return false;
	for (unsigned i = 0; schema->fields[i] != '\0'; i++) {
		if (schema->fields[i] == 'g' && !add_call(t, options.value[i], options.at))
			return false;
		if (schema->fields[i] == 'G' && !add_calls(t, &options, i))
			return false;
	}
	return true;
}

bool tflite_check_calls(struct tflite *t)
{
	uint32_t circles;

	if (!call_graph_circles(t->l->arena, t->n_subgraphs, t->calls, t->n_calls, &circles))
		return fb_fail(&t->fb, FB_FAILED, "", 0);
	if (circles > 0)
		tflite_value(t, WLK_F_TFLITE_SUBGRAPH_CYCLE, 0, circles, 0);
	return true;
}

/* -- operators -- */

static bool read_all_options(struct tflite *t, const struct fb_table *o)
{
	return read_options(t, o, OPERATOR_OPTIONS, tflite_options(o->value[OPERATOR_OPTIONS_TYPE])) &&
	       read_options(t, o, OPERATOR_OPTIONS_2, tflite_options_2(o->value[OPERATOR_OPTIONS_2_TYPE]));
}

static bool read_operator(struct tflite *t, uint64_t at)
{
	uint32_t n = t->n_tensors[t->subgraph], n_calls = t->n_calls;
	struct fb_table o;
	uint32_t builtin = UINT32_MAX;
	bool flex = false, caller = false;

	if (!fb_open(&t->fb, at, &tflite_operator, &o))
		return false;
	if (o.value[OPERATOR_CODE] >= t->n_codes) {
		tflite_value(t, WLK_F_TFLITE_INDEX, at, o.value[OPERATOR_CODE], t->n_codes);
	} else {
		flex = t->flex[o.value[OPERATOR_CODE]];
		caller = t->caller[o.value[OPERATOR_CODE]];
		builtin = t->builtin[o.value[OPERATOR_CODE]];
	}
	if (!read_all_options(t, &o))
		return false;
	/* Without options, or with another operator's, a runtime runs whatever its memory says. */
	if (caller && t->n_calls == n_calls)
		tflite_value(t, WLK_F_TFLITE_INDEX, at, 0, t->n_subgraphs);
	return tflite_check_indices(t, &o, OPERATOR_INPUTS, n, -1) &&
	       tflite_check_indices(t, &o, OPERATOR_OUTPUTS, n, 0) &&
	       tflite_check_indices(t, &o, OPERATOR_INTERMEDIATES, n, 0) && read_custom(t, &o, flex) &&
	       tflite_limits_check(t, builtin, &o);
}

bool tflite_read_operators(struct tflite *t, const struct fb_table *subgraph)
{
	uint64_t at;

	for (uint32_t i = 0; i < subgraph->count[SUBGRAPH_OPERATORS]; i++) {
		if (!fb_element(&t->fb, subgraph, SUBGRAPH_OPERATORS, i, &at) || !read_operator(t, at))
			return false;
	}
	return true;
}
