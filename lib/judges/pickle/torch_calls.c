/* The table: see torch_calls.h. */
#include "torch_calls.h"

#define VIEW TORCH_ROLE_STORAGE, TORCH_ROLE_OFFSET, TORCH_ROLE_SIZE, TORCH_ROLE_STRIDE
#define END TORCH_ROLE_GRAD, TORCH_ROLE_HOOKS

static const struct torch_call calls[] = {
	{ "torch._utils", "_rebuild_tensor", TORCH_REBUILD_TENSOR, 4, 4, { VIEW } },
	{ "torch._utils", "_rebuild_tensor_v2", TORCH_REBUILD_TENSOR_V2, 6, 7, { VIEW, END, TORCH_ROLE_METADATA } },
	{ "torch._utils", "_rebuild_tensor_v3", TORCH_REBUILD_TENSOR_V3, 7, 8,
	    { VIEW, END, TORCH_ROLE_DTYPE, TORCH_ROLE_METADATA } },
	{ "torch._utils", "_rebuild_qtensor", TORCH_REBUILD_QTENSOR, 7, 7, { VIEW, TORCH_ROLE_QUANTIZER, END } },
	{ "torch._utils", "_rebuild_parameter", TORCH_REBUILD_PARAMETER, 3, 3, { TORCH_ROLE_TENSOR, END } },
	{ "torch._utils", "_rebuild_parameter_with_state", TORCH_REBUILD_PARAMETER_WITH_STATE, 4, 4,
	    { TORCH_ROLE_TENSOR, END, TORCH_ROLE_STATE } },
	{ "torch._utils", "_rebuild_sparse_tensor", TORCH_REBUILD_SPARSE, 2, 2,
	    { TORCH_ROLE_LAYOUT, TORCH_ROLE_PARTS } },
	{ "torch._utils", "_rebuild_sparse_csr_tensor", TORCH_REBUILD_SPARSE, 2, 2,
	    { TORCH_ROLE_LAYOUT, TORCH_ROLE_PARTS } },
	{ "torch._utils", "_rebuild_meta_tensor_no_storage", TORCH_REBUILD_META, 4, 4,
	    { TORCH_ROLE_DTYPE, TORCH_ROLE_SIZE, TORCH_ROLE_STRIDE, TORCH_ROLE_GRAD } },
	{ "torch._utils", "_rebuild_wrapper_subclass", TORCH_REBUILD_WRAPPER, 8, 8,
	    { TORCH_ROLE_CLASS, TORCH_ROLE_DTYPE, TORCH_ROLE_SIZE, TORCH_ROLE_STRIDE, TORCH_ROLE_OFFSET, TORCH_ROLE_ANY,
		TORCH_ROLE_ANY, TORCH_ROLE_GRAD } },
	{ "torch._utils", "_rebuild_device_tensor_from_numpy", TORCH_REBUILD_FROM_NUMPY, 4, 4,
	    { TORCH_ROLE_ARRAY, TORCH_ROLE_DTYPE, TORCH_ROLE_DEVICE, TORCH_ROLE_GRAD } },
	{ "torch._utils", "_rebuild_device_tensor_from_cpu_tensor", TORCH_REBUILD_FROM_CPU_TENSOR, 4, 4,
	    { TORCH_ROLE_TENSOR, TORCH_ROLE_DTYPE, TORCH_ROLE_DEVICE, TORCH_ROLE_GRAD } },
	{ "torch._tensor", "_rebuild_from_type_v2", TORCH_REBUILD_FROM_TYPE, 4, 4,
	    { TORCH_ROLE_FUNCTION, TORCH_ROLE_CLASS, TORCH_ROLE_ARGUMENTS, TORCH_ROLE_STATE } },
};

const struct torch_call *torch_call_of(struct bytes module, struct bytes name)
{
	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (bytes_equal(name, bytes_of_text(calls[i].name)) &&
		    bytes_equal(module, bytes_of_text(calls[i].module)))
			return &calls[i];
	return NULL;
}

int torch_call_place(const struct torch_call *c, enum torch_role role)
{
	for (int i = 0; i < c->most; i++)
		if (c->roles[i] == role)
			return i;
	return -1;
}
