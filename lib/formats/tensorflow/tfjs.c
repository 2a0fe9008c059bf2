/* TensorFlow.js models, model.json: see tfjs.h.  `weightsManifest` is a list of groups: files, and weights that lie one
 * behind the other in the run of bytes that the files are together. */
#include "tfjs.h"

#include "checked.h"
#include "decimal.h"
#include "json_walk.h"
#include "keras_config.h"
#include "text_rules.h"
#include "tf_ops.h"

#define TYPE_MAX 16u
#define SALT_WEIGHT 1u
#define SALT_PATH 2u

/* What the third level of weightsManifest is a list of. */
enum list { LIST_OTHER, LIST_PATHS, LIST_WEIGHTS };

struct tfjs {
	struct layout *l;
	struct scoped_names names; /* of weights and files */
	bool in_manifest, in_shape, in_quantization, broken;
	enum list list;
	/* The group that is open. */
	uint64_t groups, group_bytes;
	bool group_unknown; /* a weight whose length only its bytes tell */
	struct json_text *paths;
	size_t n_paths, room;
	/* The weight that is open. */
	uint64_t elements;
	unsigned element_bytes;
	bool has_name, has_shape, has_type, is_text, is_quantized;
	uint64_t rows;
	bool failed, stopped;
};

static void tell(struct tfjs *t, enum wlk_finding code, uint64_t at, struct bytes subject)
{
	layout_finding(t->l, &(struct finding){ .code = code, .has_offset = true, .offset = at, .subject = subject });
	t->broken = true;
}

static struct bytes shown(const struct json_text *text, uint8_t *buf, size_t n)
{
	struct bytes raw = text->raw;

	return bytes_of(buf, json_decode(&raw, buf, n));
}

/* -- names -- */

static void note_name(struct tfjs *t, const struct json_value *v, uint64_t salt)
{
	struct scoped_name name = { json_text_hash(&v->text, &t->names.keys[0]) ^ salt,
		json_text_hash(&v->text, &t->names.keys[1]) };
	uint8_t buf[KERAS_WORD_MAX];

	if (scoped_names_find(&t->names, name, 1u << SCOPED_KEY, 0) != NULL)
		tell(t, WLK_F_TFJS_NAME_DUPLICATE, v->at, shown(&v->text, buf, sizeof(buf)));
	scoped_names_add(&t->names, name, SCOPED_KEY, v->at);
}

/* -- files -- */

static bool is_sound_path(const struct json_text *text)
{
	struct text_faults faults = text_inspect(text);
	uint8_t buf[MANIFEST_PATH_MAX];
	struct bytes path = shown(text, buf, sizeof(buf));

	if (faults.length == 0 || faults.length > sizeof(buf) || faults.climbs || faults.control || faults.direction)
		return false;
	for (size_t i = 0; i < path.n; i++)
		if (memchr("\\:%?#", path.at[i], 5) != NULL) /* browsers take it for an address, and decode it */
			return false;
	return path.at[0] != '/';
}

static void take_path(struct tfjs *t, const struct json_value *v)
{
	uint8_t buf[KERAS_WORD_MAX];

	note_name(t, v, SALT_PATH);
	if (!is_sound_path(&v->text)) {
		tell(t, WLK_F_TFJS_PATH, v->at, shown(&v->text, buf, sizeof(buf)));
		return;
	}
	if (t->n_paths == t->room) {
		size_t room = t->room > 0 ? t->room * 2 : 64;
		struct json_text *paths = arena_resize_raw(t->l->arena, t->paths, room, sizeof(*paths));

		t->failed = t->failed || paths == NULL;
		if (paths == NULL)
			return;
		t->paths = paths;
		t->room = room;
	}
	t->paths[t->n_paths++] = v->text;
}

/* A row for each file of the group: its shape is the bytes of the whole run. */
static void list_group(struct tfjs *t)
{
	static const char prefix[] = "weightsManifest ";
	char name[sizeof(prefix) - 1 + DECIMAL_MAX];
	uint8_t path[MANIFEST_PATH_MAX];
	size_t n = sizeof(prefix) - 1;

	memcpy(name, prefix, n);
	n += decimal_text(t->groups - 1, name + n);
	for (size_t i = 0; i < t->n_paths && !t->stopped; i++) {
		struct manifest_row row = { .kind = MANIFEST_MAPPING,
			.name = bytes_of(name, n),
			.name_bytes = n,
			.file = shown(&t->paths[i], path, sizeof(path)),
			.index = t->rows++ };

		if (!t->group_unknown) {
			row.rank = 1;
			row.shape[0] = t->group_bytes;
		}
		t->stopped = !layout_tensor(t->l, &row);
	}
}

/* -- weights -- */

/* Bytes of an element; 0: no such type.  @stored: of a quantized weight, whose own type is what it decodes to. */
static unsigned bytes_of_type(const struct json_text *type, bool stored)
{
	if (stored)
		return json_is(type, "uint8") ? 1 : json_is(type, "float16") || json_is(type, "uint16") ? 2 : 0;
	if (json_is(type, "float32") || json_is(type, "int32"))
		return 4;
	return json_is(type, "complex64") ? 8 : json_is(type, "bool") ? 1 : 0;
}

/* Either may come first; what is stored is how long it is. */
static void take_type(struct tfjs *t, const struct json_value *v, bool stored)
{
	unsigned n = bytes_of_type(&v->text, stored);
	uint8_t buf[KERAS_WORD_MAX];

	if (!stored && json_is(&v->text, "string"))
		t->is_text = true;
	else if (n == 0)
		tell(t, WLK_F_TFJS_DTYPE, v->at, shown(&v->text, buf, sizeof(buf)));
	if (stored || !t->is_quantized)
		t->element_bytes = n;
	t->is_quantized = t->is_quantized || stored;
	t->has_type = t->has_type || !stored;
}

static void take_dimension(struct tfjs *t, const struct json_value *v)
{
	if (v->kind != JSON_NUMBER || !v->number.plain || !v->number.fits ||
	    !mul_u64(t->elements, v->number.value, &t->elements))
		tell(t, WLK_F_TFJS_MANIFEST, v->at, bytes_of(NULL, 0));
}

static void end_weight(struct tfjs *t, uint64_t at)
{
	uint64_t n;

	if (!t->has_name || !t->has_shape || !t->has_type)
		tell(t, WLK_F_TFJS_MANIFEST, at, bytes_of(NULL, 0));
	else if (t->is_text)
		t->group_unknown = true;
	else if (!mul_u64(t->elements, t->element_bytes, &n) || !add_u64(t->group_bytes, n, &t->group_bytes))
		tell(t, WLK_F_TFJS_MANIFEST, at, bytes_of(NULL, 0));
}

/* -- the walk -- */

static void want(struct tfjs *t, const struct json_value *v, enum json_kind kind)
{
	if (v->kind != kind)
		tell(t, WLK_F_TFJS_MANIFEST, v->at, bytes_of(NULL, 0));
}

static void take_member_of_group(struct tfjs *t, const struct json_value *v)
{
	t->list = json_is(v->key, "paths") ? LIST_PATHS : json_is(v->key, "weights") ? LIST_WEIGHTS : LIST_OTHER;
	if (t->list != LIST_OTHER)
		want(t, v, JSON_ARRAY);
}

static void take_member_of_weight(struct tfjs *t, const struct json_value *v)
{
	t->in_shape = json_is(v->key, "shape");
	t->in_quantization = json_is(v->key, "quantization") && v->kind == JSON_OBJECT;
	if (json_is(v->key, "quantization") && (v->kind != JSON_WORD || v->word != 'n'))
		want(t, v, JSON_OBJECT);
	if (t->in_shape) {
		want(t, v, JSON_ARRAY);
		t->has_shape = true;
	} else if (json_is(v->key, "name")) {
		want(t, v, JSON_STRING);
		t->has_name = true;
		if (v->kind == JSON_STRING)
			note_name(t, v, SALT_WEIGHT);
	} else if (json_is(v->key, "dtype")) {
		want(t, v, JSON_STRING);
		if (v->kind == JSON_STRING)
			take_type(t, v, false);
	}
}

static void take_inside(struct tfjs *t, const struct json_value *v)
{
	switch (v->depth) {
	case 2:
		want(t, v, JSON_OBJECT);
		t->groups++;
		t->group_bytes = 0;
		t->group_unknown = false;
		t->n_paths = 0;
		break;
	case 3: take_member_of_group(t, v); break;
	case 4:
		if (t->list == LIST_PATHS && v->kind == JSON_STRING)
			take_path(t, v);
		else if (t->list != LIST_OTHER)
			want(t, v, t->list == LIST_PATHS ? JSON_STRING : JSON_OBJECT);
		t->elements = 1;
		t->element_bytes = 0;
		t->has_name = t->has_shape = t->has_type = t->is_text = t->is_quantized = false;
		t->in_shape = t->in_quantization = false;
		break;
	case 5:
		if (t->list == LIST_WEIGHTS)
			take_member_of_weight(t, v);
		break;
	case 6:
		if (t->list == LIST_WEIGHTS && t->in_shape)
			take_dimension(t, v);
		else if (t->list == LIST_WEIGHTS && t->in_quantization && json_is(v->key, "dtype"))
			v->kind == JSON_STRING ? take_type(t, v, true) : want(t, v, JSON_STRING);
		break;
	default: break;
	}
}

/* A node of a graph, wherever it is: what it runs. */
static void judge_operation(struct tfjs *t, const struct json_value *v)
{
	uint8_t buf[TF_OP_NAME_MAX + 1];
	struct bytes name = shown(&v->text, buf, sizeof(buf));
	const struct tf_op *op = tf_op_find(name);

	if (op != NULL)
		layout_finding(
		    t->l, &(struct finding){ .code = op->code, .has_offset = true, .offset = v->at, .subject = name });
}

static bool take_value(void *ctx, const struct json_value *v)
{
	struct tfjs *t = ctx;

	if (v->depth == 1) {
		t->in_manifest = json_is(v->key, "weightsManifest");
		if (t->in_manifest)
			want(t, v, JSON_ARRAY);
	} else if (t->in_manifest && v->depth > 1) {
		take_inside(t, v);
	} else if (v->kind == JSON_STRING && json_is(v->key, "op")) {
		judge_operation(t, v);
	}
	return !t->failed && !t->stopped && !t->names.failed;
}

static void take_close(void *ctx, unsigned depth)
{
	struct tfjs *t = ctx;

	if (!t->in_manifest)
		return;
	if (depth == 4 && t->list == LIST_WEIGHTS)
		end_weight(t, 0);
	else if (depth == 2)
		list_group(t);
}

/* The reader of JSON files has said so. */
static void take_twice(void *ctx, const struct json_text *key, size_t at)
{
	struct tfjs *t = ctx;

	(void)key;
	(void)at;
	t->broken = true;
}

/* Layers are Keras'.  Graphs have no classes, and names that are none of its. */
static bool has_layers(struct bytes text)
{
	static const char word[] = "class_name";

	return memmem(text.at, text.n, word, sizeof(word) - 1) != NULL || memmem(text.at, text.n, "\\u", 2) != NULL;
}

static enum wlk_status check(struct layout *l, struct bytes text)
{
	struct tfjs t = { .l = l };
	const struct json_walker walker = { .ctx = &t, .value = take_value, .close = take_close, .twice = take_twice };
	enum wlk_status status = WLK_DONE;
	enum json_walk_end end;

	scoped_names_init(&t.names, l->arena, &l->seed);
	end = json_walk(l, text, &walker, NULL);
	if (t.stopped)
		return WLK_INCOMPLETE;
	if (t.failed || t.names.failed || end == JSON_WALK_MEMORY)
		return layout_stop(l);
	if (has_layers(text))
		status = keras_config_check(l, text, 0);
	if (t.rows > 0 || t.groups > 0)
		layout_at(l, WLK_F_TFJS_WEIGHTS_UNCHECKED, 0);
	return status == WLK_DONE && (t.broken || end != JSON_WALK_WHOLE) ? WLK_BROKEN : status;
}

const struct json_model json_model_tfjs = { .id = WLK_FORMAT_TFJS, .keys = { "weightsManifest" }, .check = check };
