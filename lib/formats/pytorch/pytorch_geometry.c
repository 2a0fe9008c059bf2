/* Views of storages: see pytorch_geometry.h. */
#include "pytorch_geometry.h"

#include "checked.h"

#define EXPANDED_ELEMENTS_MAX (UINT64_C(1) << 40)

static bool is_empty(const struct torch_view *v)
{
	for (unsigned i = 0; i < v->n; i++)
		if (v->size[i] == 0)
			return true;
	return false;
}

bool torch_view_elements(const struct torch_view *v, uint64_t *ret)
{
	uint64_t product = 1;

	if (is_empty(v)) {
		*ret = 0;
		return true;
	}
	for (unsigned i = 0; i < v->n; i++)
		if (!mul_u64(product, v->size[i], &product))
			return false;
	*ret = product;
	return true;
}

bool torch_view_end(const struct torch_view *v, uint64_t *ret)
{
	uint64_t last = v->offset, step;

	if (is_empty(v)) {
		*ret = 0;
		return true;
	}
	for (unsigned i = 0; i < v->n; i++)
		if (!mul_u64(v->size[i] - 1, v->stride[i], &step) || !add_u64(last, step, &last))
			return false;
	return add_u64(last, 1, ret);
}

bool torch_view_explodes(const struct torch_view *v, uint64_t numel)
{
	uint64_t elements;

	return torch_view_elements(v, &elements) && elements > EXPANDED_ELEMENTS_MAX && elements > numel;
}

/* Nothing at all is in one run, whatever the strides: torch counts strides of empty dimensions as if they had one. */
bool torch_view_contiguous(const struct torch_view *v)
{
	uint64_t expected = 1;

	if (is_empty(v))
		return true;
	for (unsigned i = v->n; i-- > 0;) {
		if (v->size[i] != 1 && v->stride[i] != expected)
			return false;
		if (!mul_u64(expected, v->size[i], &expected))
			return false;
	}
	return true;
}
