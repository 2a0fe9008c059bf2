/* TensorFlow Lite models: see tflite.h.  Here: the model table, and what every byte of the file is. */
#include "tflite.h"

#include <string.h>

#include "checked.h"
#include "claims.h"
#include "zip.h"

/* -- findings -- */

/* After these nobody knows what a reader makes of the model. */
static bool breaks(enum wlk_finding code)
{
	const struct finding_info *info = finding_info(code);

	return info->class == CLASS_UNSUPPORTED ||
	       (info->severity >= SEVERITY_HIGH && (info->class == CLASS_MALFORMED || info->class == CLASS_AMBIGUOUS));
}

void tflite_tell(struct tflite *t, enum wlk_finding code, uint64_t at, struct bytes subject)
{
	t->broken = t->broken || breaks(code);
	layout_finding(t->l, &(struct finding){ .code = code, .has_offset = true, .offset = at, .subject = subject });
}

void tflite_value(struct tflite *t, enum wlk_finding code, uint64_t at, uint64_t found, uint64_t allowed)
{
	t->broken = t->broken || breaks(code);
	layout_value(t->l, code, at, found, allowed);
}

static void on_fault(void *ctx, enum fb_error e, const char *schema, uint64_t at)
{
	static const enum wlk_finding codes[] = { [FB_OFFSET] = WLK_F_TFLITE_OFFSET,
		[FB_VTABLE] = WLK_F_TFLITE_VTABLE,
		[FB_STRING] = WLK_F_TFLITE_STRING,
		[FB_UNKNOWN] = WLK_F_TFLITE_UNSUPPORTED,
		[FB_LIMIT] = WLK_F_TFLITE_LIMIT };
	struct tflite *t = ctx;

	if (e == FB_FAILED)
		layout_stop(t->l);
	else
		tflite_tell(t, codes[e], at, bytes_of_text(schema));
}

bool tflite_text(
    struct tflite *t, const struct fb_table *table, unsigned field, uint8_t *buf, size_t room, struct bytes *ret)
{
	size_t n = table->count[field] < room ? table->count[field] : room;

	*ret = bytes_of(buf, n);
	return n == 0 || fb_read(&t->fb, table->value[field], buf, n);
}

bool tflite_check_indices(struct tflite *t, const struct fb_table *table, unsigned field, uint32_t n, int32_t least)
{
	uint64_t raw;

	if (!fb_visit(&t->fb, table->count[field], table->at))
		return false;
	for (uint32_t i = 0; i < table->count[field]; i++) {
		if (!fb_number(&t->fb, table, field, i, 4, &raw))
			return false;
		if ((int32_t)raw < least || ((int32_t)raw >= 0 && raw >= n))
			tflite_value(t, WLK_F_TFLITE_INDEX, table->value[field] + 4 * (uint64_t)i, raw, n);
	}
	return true;
}

/* -- the model -- */

/* What the caller gives. */
static bool see_inputs(struct tflite *t, const struct fb_table *subgraph)
{
	uint64_t index;

	for (uint32_t i = 0; i < subgraph->count[SUBGRAPH_INPUTS]; i++) {
		if (!fb_number(&t->fb, subgraph, SUBGRAPH_INPUTS, i, 4, &index))
			return false;
		if (index < t->n_seen)
			t->seen[index].written = true;
	}
	return true;
}

static bool read_subgraph(struct tflite *t, uint64_t at)
{
	struct fb_table s;

	if (!fb_open(&t->fb, at, &tflite_subgraph, &s))
		return false;
	t->n_tensors[t->subgraph] = s.count[SUBGRAPH_TENSORS];
	return tflite_read_tensors(t, &s) && see_inputs(t, &s) &&
	       tflite_check_indices(t, &s, SUBGRAPH_INPUTS, s.count[SUBGRAPH_TENSORS], 0) &&
	       tflite_check_indices(t, &s, SUBGRAPH_OUTPUTS, s.count[SUBGRAPH_TENSORS], 0) &&
	       tflite_read_operators(t, &s);
}

static bool read_subgraphs(struct tflite *t, const struct fb_table *model)
{
	uint64_t at;

	t->n_subgraphs = model->count[MODEL_SUBGRAPHS];
	t->n_tensors = arena_alloc(t->l->arena, t->n_subgraphs, sizeof(*t->n_tensors));
	if (t->n_tensors == NULL)
		return fb_fail(&t->fb, FB_FAILED, "", 0);
	if (t->n_subgraphs == 0)
		tflite_value(t, WLK_F_TFLITE_INDEX, model->at, 0, 0);
	for (t->subgraph = 0; t->subgraph < t->n_subgraphs; t->subgraph++) {
		if (!fb_element(&t->fb, model, MODEL_SUBGRAPHS, t->subgraph, &at) || !read_subgraph(t, at))
			return false;
	}
	return true;
}

#define FILES_KEY "TFLITE_METADATA"

static bool read_metadata(struct tflite *t, const struct fb_table *model)
{
	for (uint32_t i = 0; i < model->count[MODEL_METADATA]; i++) {
		uint8_t buf[sizeof(FILES_KEY)];
		struct bytes name;
		struct fb_table m;
		uint64_t at;

		if (!fb_element(&t->fb, model, MODEL_METADATA, i, &at) || !fb_open(&t->fb, at, &tflite_metadata, &m) ||
		    !tflite_text(t, &m, METADATA_NAME, buf, sizeof(buf), &name))
			return false;
		if (m.value[METADATA_BUFFER] >= t->n_buffers)
			tflite_value(t, WLK_F_TFLITE_INDEX, at, m.value[METADATA_BUFFER], t->n_buffers);
		else if (bytes_equal(name, bytes_of_text(FILES_KEY)))
			t->files = t->buffers[m.value[METADATA_BUFFER]].end > 0;
		if (m.value[METADATA_BUFFER] < t->n_buffers)
			t->buffers[m.value[METADATA_BUFFER]].used = true;
	}
	return tflite_check_indices(t, model, MODEL_METADATA_BUFFERS, t->n_buffers, 0);
}

static bool read_maps(struct tflite *t, const struct fb_table *signature, unsigned field, uint32_t n_tensors)
{
	for (uint32_t i = 0; i < signature->count[field]; i++) {
		struct fb_table m;
		uint64_t at;

		if (!fb_element(&t->fb, signature, field, i, &at) || !fb_open(&t->fb, at, &tflite_tensor_map, &m))
			return false;
		if (m.value[MAP_TENSOR] >= n_tensors)
			tflite_value(t, WLK_F_TFLITE_INDEX, at, m.value[MAP_TENSOR], n_tensors);
	}
	return true;
}

static bool read_signatures(struct tflite *t, const struct fb_table *model)
{
	for (uint32_t i = 0; i < model->count[MODEL_SIGNATURES]; i++) {
		uint32_t n_tensors = 0;
		struct fb_table s;
		uint64_t at;

		if (!fb_element(&t->fb, model, MODEL_SIGNATURES, i, &at) || !fb_open(&t->fb, at, &tflite_signature, &s))
			return false;
		if (s.value[SIGNATURE_SUBGRAPH] < t->n_subgraphs)
			n_tensors = t->n_tensors[s.value[SIGNATURE_SUBGRAPH]];
		else
			tflite_value(t, WLK_F_TFLITE_INDEX, at, s.value[SIGNATURE_SUBGRAPH], t->n_subgraphs);
		if (!read_maps(t, &s, SIGNATURE_INPUTS, n_tensors) || !read_maps(t, &s, SIGNATURE_OUTPUTS, n_tensors))
			return false;
	}
	return true;
}

static bool read_model(struct tflite *t)
{
	struct fb_table model;
	uint64_t root;

	if (!fb_init(&t->fb) || !fb_root(&t->fb, &root) || !fb_open(&t->fb, root, &tflite_model, &model))
		return false;
	if (model.value[MODEL_VERSION] != 3)
		tflite_value(t, WLK_F_TFLITE_VERSION, root, model.value[MODEL_VERSION], 3);
	return tflite_read_buffers(t, &model) && tflite_read_codes(t, &model) && read_subgraphs(t, &model) &&
	       read_metadata(t, &model) && tflite_check_unused(t, &model) && read_signatures(t, &model) &&
	       tflite_check_calls(t);
}

/* -- what every byte is: section 8 -- */

#define TAIL_MAX 16u   /* writers pad the end to 16 */
#define LEFT_MAX 1024u /* tables that nothing refers to: one for each operator, and more than most models have */
#define LEFT_HOLE_MAX 16384u

/* TensorFlow's first converter left tables behind that it had not needed, among them in the models that most others were made
 * from. */
static bool next_left(void *ctx, uint64_t begin, uint64_t end, uint64_t *ret_begin, uint64_t *ret_end)
{
	struct tflite *t = ctx;
	uint8_t b[2] = { 0 };
	uint64_t at = begin + begin % 2;

	if (end - begin > LEFT_HOLE_MAX || t->n_left == LEFT_MAX)
		return false;
	while (at < end && end - at >= sizeof(b) && fb_read(&t->fb, at, b, sizeof(b)) && load_u16le(b) == 0)
		at += sizeof(b);
	if (load_u16le(b) == 0 || !fb_is_left(&t->fb, at, end, ret_end))
		return false;
	t->n_left++;
	*ret_begin = at;
	return true;
}

static enum wlk_status prove(struct tflite *t)
{
	static const struct coverage_codes codes = { .overlap = WLK_F_TFLITE_OVERLAP,
		.hole = WLK_F_TFLITE_HOLE,
		.out_of_bounds = WLK_F_TFLITE_OFFSET,
		.trailing = WLK_F_TFLITE_TRAILING_BYTES };
	/* what was not read may own what is left */
	enum wlk_status status = claims_prove_left(t->l, &codes, t->broken, next_left, t);

	return t->fb.failed && status == WLK_DONE ? WLK_BROKEN : status;
}

static enum wlk_status fill_extents(struct tflite *t)
{
	struct layout *l = t->l;
	uint64_t end = claims_end(&t->claims), files;
	enum wlk_status status = tflite_read_files(t, end, &files);

	if (status != WLK_DONE)
		return status;
	if (!claims_take(l, &t->claims))
		return layout_stop(l);
	if (files > end && files - end < TAIL_MAX && !claims_fill(l, end, files, next_left, t))
		return layout_stop(l);
	l->extents->names = bytes_of(t->names, t->names_n);
	l->extents->nonzero = WLK_F_TFLITE_HOLE;
	return prove(t);
}

/* -- as a format -- */

static bool is_model(const uint8_t *head, size_t n)
{
	return n >= 8 && memcmp(head + 4, "TFL3", 4) == 0;
}

static bool probe(const struct probe *p)
{
	return is_model(p->head, p->n);
}

#define MEMORY_MAX (UINT64_C(160) << 20)

static enum wlk_status layout(struct layout *l)
{
	struct tflite *t = arena_alloc(l->arena, 1, sizeof(*t));
	uint8_t head[8];

	if (t == NULL)
		return layout_stop(l);
	if (l->part.size >= sizeof(head) && !part_read_guarded(&l->part, 0, head, sizeof(head)))
		return layout_stop(l);
	if (l->part.size < sizeof(head) || !is_model(head, sizeof(head))) {
		layout_at(l, WLK_F_TFLITE_MAGIC, 0);
		return WLK_BROKEN;
	}
	l->state = t;
	t->l = l;
	layout_raise_memory(l, min_u64(l->part.size, MEMORY_MAX));
	extents_init(&t->claims, l->arena);
	t->fb = (struct fb){
		.part = l->part, .extents = &t->claims, .arena = l->arena, .seed = l->seed, .ctx = t, .fault = on_fault
	};
	if (!read_model(t))
		return l->report->cause != WLK_CAUSE_NONE ? WLK_INCOMPLETE : WLK_BROKEN;
	return fill_extents(t);
}

static enum wlk_status finish(struct layout *l)
{
	const struct tflite *t = l->state;

	return t != NULL && t->zip != NULL ? zip_finish(t->zip) : WLK_DONE;
}

const struct wlk_format format_tflite = {
	.id = WLK_FORMAT_TFLITE, .probe = probe, .layout = layout, .finish = finish, .nested = NESTED_RANDOM
};
