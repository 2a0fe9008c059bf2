/* Quantised tensors: a scheme, and the scale and zero point of the whole tensor or of each channel.  Follows
 * formats/pytorch, section 4, rule 11. */
#include <math.h>

#include "pytorch_objects_impl.h"

struct quantizer {
	const struct torch_made *made;
	struct torch_objects *o;
	struct pickle *p;
	pickle_value params; /* (scheme, scale, zero point) or (scheme, scales, zero points, axis) */
	const struct torch_type *type;
};

static bool is_scheme(const struct quantizer *q, const char *name)
{
	return torch_is_global(q->p, torch_argument(q->p, q->params, 0), "torch", name);
}

/* Of 32 bits, and of their difference to the zero point: a float takes the product. */
#define SCALE_MAX 3.9e28

/* Finite and positive, and what it makes of an element is finite too.  A float whose value is not known was written by no
 * writer of tensors. */
static bool scale_fits(const struct quantizer *q)
{
	pickle_value v = torch_argument(q->p, q->params, 1);
	double scale;

	return v != PICKLE_NO_VALUE && pickle_float(q->p, v, &scale) && isfinite(scale) && scale > 0 &&
	       scale <= SCALE_MAX;
}

/* Of signed elements, or of unsigned ones. */
static bool zero_point_fits(const struct quantizer *q)
{
	pickle_value v = torch_argument(q->p, q->params, 2);
	int64_t n;

	if (v == PICKLE_NO_VALUE || !pickle_int(q->p, v, &n))
		return false;
	switch (q->type->dtype) {
	case WLK_DTYPE_I8: return n >= INT8_MIN && n <= INT8_MAX;
	case WLK_DTYPE_U8: return n >= 0 && n <= UINT8_MAX;
	default: return n >= INT32_MIN && n <= INT32_MAX;
	}
}

/* Zero points that are floats: no honest one is further from its elements, and the product with a scale stays finite. */
#define FLOAT_ZERO_MAX 4294967296.0

/* What a scale, or a zero point, may be. */
static bool range_of(
    const struct quantizer *q, bool scale, const struct torch_type *type, struct torch_index_check *ret)
{
	ret->floats = type->dtype == WLK_DTYPE_F32 || type->dtype == WLK_DTYPE_F64;
	ret->bytes = type->bytes;
	ret->numbers = true;
	if (scale || ret->floats) {
		ret->least = scale ? 0 : -FLOAT_ZERO_MAX;
		ret->most = scale ? SCALE_MAX : FLOAT_ZERO_MAX;
		return ret->floats;
	}
	switch (q->type->dtype) {
	case WLK_DTYPE_I8: ret->least = INT8_MIN, ret->most = INT8_MAX; break;
	case WLK_DTYPE_U8: ret->least = 0, ret->most = UINT8_MAX; break;
	default: ret->least = INT32_MIN, ret->most = INT32_MAX; break;
	}
	return type->dtype == WLK_DTYPE_I32 || type->dtype == WLK_DTYPE_I64;
}

/* One number for each channel, and in one run: PyTorch copies them all, a repeated one as often as there are channels. */
static bool is_of_channels(const struct quantizer *q, uint64_t i, uint64_t channels)
{
	const struct torch_object *made = torch_object_of(q->o, q->p, torch_argument(q->p, q->params, i));
	struct torch_index_check check = { .offset = q->made->offset, .count = channels };
	const struct torch_type *type;
	struct torch_view view;

	if (made == NULL || made->kind != TORCH_TENSOR || !torch_tensor_view(q->o, q->p, made, &view, &type) ||
	    view.n != 1 || view.size[0] != channels || !torch_view_contiguous(&view) ||
	    !range_of(q, i == 1, type, &check))
		return false;
	check.storage = made->storage;
	check.begin = view.offset;
	if (channels > 0)
		torch_add_check(q->o, check);
	return true;
}

/* Scales and zero points are tensors, as long as the axis is: torch 1.13 reads them to the axis' end without looking.  What
 * they hold is looked at later. */
static bool channels_fit(const struct quantizer *q)
{
	pickle_value axis = torch_argument(q->p, q->params, 3);
	uint64_t size[TORCH_DIMENSIONS_MAX];
	unsigned dimensions;
	int64_t n;

	return torch_read_sizes(q->o, q->p, torch_argument(q->p, q->made->args, 2), size, &dimensions) &&
	       axis != PICKLE_NO_VALUE && pickle_int(q->p, axis, &n) && n >= 0 && (uint64_t)n < dimensions &&
	       is_of_channels(q, 1, size[n]) && is_of_channels(q, 2, size[n]);
}

static bool fits(const struct quantizer *q)
{
	if (is_scheme(q, "per_tensor_affine") || is_scheme(q, "per_tensor_symmetric"))
		return scale_fits(q) && zero_point_fits(q);
	if (is_scheme(q, "per_channel_affine") || is_scheme(q, "per_channel_affine_float_qparams") ||
	    is_scheme(q, "per_channel_symmetric"))
		return channels_fit(q);
	return false;
}

void torch_check_quantizer(const struct torch_made *c, pickle_value params, const struct torch_type *type)
{
	const struct quantizer q = { .made = c, .o = c->o, .p = c->p, .params = params, .type = type };

	if (type != NULL && !fits(&q))
		torch_objects_at(c->o, WLK_F_TORCH_QUANT_PARAMS, c->offset);
}
