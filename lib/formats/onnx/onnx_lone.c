/* A tensor of ONNX on its own: what conformance tests keep beside a model as its inputs and outputs (input_0.pb).  The file is
 * one TensorProto, judged as the tensors of a model are.  It is no model, and told so. */
#include "onnx.h"
#include "message_sight.h"
#include "stream.h"

/* What the tensor is in. */
static const struct pb_message nothing = { "file", NULL, 0, NULL };

static enum wlk_status layout(struct layout *l)
{
	enum wlk_status status;
	struct onnx *o = onnx_open(l, &status);

	if (o == NULL)
		return status;
	o->outer = o->depth = 1;
	o->levels[0] = (struct onnx_level){ .message = &nothing };
	o->levels[1] = (struct onnx_level){ .message = &onnx_tensor };
	onnx_tensor_begin(o, &o->levels[1]);
	layout_at(l, WLK_F_ONNX_TENSOR_ONLY, 0);
	if (!onnx_walk(o, &onnx_tensor))
		return o->stopped ? WLK_INCOMPLETE : WLK_BROKEN;
	o->offset = l->part.size;
	if (!onnx_tensor_end(o, &o->levels[1]))
		return o->stopped ? WLK_INCOMPLETE : layout_stop(l);
	return onnx_cover_all(o);
}

static enum wlk_status finish(struct layout *l)
{
	const struct onnx *o = l->state;

	return o == NULL || o->broken ? WLK_BROKEN : WLK_DONE;
}

/* -- is it one? -- */

struct sight {
	uint64_t dtype;
	unsigned rank;
	bool data, empty;
};

static bool sight_number(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t value)
{
	struct sight *s = ctx;

	if (at->depth > 0)
		return true;
	if (f->number == 2)
		s->dtype = value;
	else if (f->number == 1 && s->rank++ < ONNX_DIMS_MAX)
		s->empty = s->empty || value == 0;
	else if (f->number != 1)
		s->data = s->data || f->number != 14;
	return s->rank <= ONNX_DIMS_MAX; /* small numbers, which are dimensions, go on for ever */
}

static bool sight_data(void *ctx, const struct pb_place *at, const struct pb_field *f, struct bytes bytes, uint64_t n)
{
	struct sight *s = ctx;

	(void)bytes, (void)n;
	s->data = s->data || at->depth > 0 || (f->number != 8 && f->number != 12);
	return true;
}

static bool sight_error(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	(void)ctx, (void)e, (void)at, (void)number, (void)found;
	return false;
}

/* There is no signature and little that could be one: all of it must be a tensor's fields, with a type and values. */
static bool last_resort(struct layout *l, const struct stream *s)
{
	struct sight sight = { 0 };
	const struct pb_handler handler = {
		.ctx = &sight, .number = sight_number, .data = sight_data, .error = sight_error
	};

	return message_sight(l, s, &onnx_tensor, &handler, 4, ONNX_SIZE_MAX) && sight.dtype > 0 &&
	       sight.dtype < ONNX_DTYPES && (sight.data || sight.empty);
}

static bool no_probe(const struct probe *p)
{
	(void)p;
	return false;
}

const struct wlk_format format_onnx_tensor = { .id = WLK_FORMAT_ONNX_TENSOR,
	.probe = no_probe,
	.layout = layout,
	.finish = finish,
	.nested = NESTED_RANDOM,
	.last_resort = last_resort };
