/* Quantised tensors: a scheme, and the scale and zero point of the whole tensor or of each channel.  Follows
 * formats/pytorch, section 4, rule 11. */
#include <math.h>

#include "pytorch_objects_impl.h"

struct quantizer {
	struct torch_objects *o;
	struct pickle *p;
	pickle_value params; /* (scheme, scale, zero point) or (scheme, scales, zero points, axis) */
	const struct torch_type *type;
};

static bool is_scheme(const struct quantizer *q, const char *name)
{
	return torch_is_global(q->p, torch_argument(q->p, q->params, 0), "torch", name);
}

/* Finite and positive.  A float whose value is not known was written by no writer of tensors. */
static bool scale_fits(const struct quantizer *q)
{
	pickle_value v = torch_argument(q->p, q->params, 1);
	double scale;

	return v != PICKLE_NO_VALUE && pickle_float(q->p, v, &scale) && isfinite(scale) && scale > 0;
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

static bool is_tensor(const struct quantizer *q, uint64_t i)
{
	const struct torch_object *made = torch_object_of(q->o, q->p, torch_argument(q->p, q->params, i));

	return made != NULL && made->kind == TORCH_TENSOR;
}

/* Scales and zero points are tensors; the scales' non-finite elements are counted like those of any other. */
static bool channels_fit(const struct quantizer *q)
{
	pickle_value axis = torch_argument(q->p, q->params, 3);
	int64_t n;

	return is_tensor(q, 1) && is_tensor(q, 2) && axis != PICKLE_NO_VALUE && pickle_int(q->p, axis, &n) && n >= 0 &&
	       n < TORCH_DIMENSIONS_MAX;
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

void torch_check_quantizer(
    struct torch_objects *o, struct pickle *p, pickle_value params, const struct torch_type *type, uint64_t offset)
{
	const struct quantizer q = { .o = o, .p = p, .params = params, .type = type };

	if (type != NULL && !fits(&q))
		torch_objects_at(o, WLK_F_TORCH_QUANT_PARAMS, offset);
}
