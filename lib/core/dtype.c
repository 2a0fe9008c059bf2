/* Element types of tensors: the table of dtype.h, laid out for look-up. */
#include <assert.h>

#include "dtype.h"

static const struct dtype_info dtypes[WLK_N_DTYPES] = {
#define X(name, printed, bits, kind) [WLK_DTYPE_##name] = { printed, bits, DTYPE_##kind },
	WLK_DTYPES(X)
#undef X
};

const struct dtype_info *dtype_info(enum wlk_dtype dtype)
{
	assert(dtype < WLK_N_DTYPES);
	return &dtypes[dtype];
}

bool dtype_find(struct bytes name, enum wlk_dtype *ret)
{
	for (int i = 0; i < WLK_N_DTYPES; i++) {
		if (!bytes_equal(name, bytes_of_text(dtypes[i].name)))
			continue;
		*ret = (enum wlk_dtype)i;
		return true;
	}
	return false;
}

/* In the order of safetensors' enum Dtype, backwards: serialize() sorts by it. */
static const enum wlk_dtype type_order[] = { WLK_DTYPE_U64, WLK_DTYPE_I64, WLK_DTYPE_F64, WLK_DTYPE_C64, WLK_DTYPE_F32,
	WLK_DTYPE_U32, WLK_DTYPE_I32, WLK_DTYPE_BF16, WLK_DTYPE_F16, WLK_DTYPE_U16, WLK_DTYPE_I16,
	WLK_DTYPE_F8_E5M2FNUZ, WLK_DTYPE_F8_E4M3FNUZ, WLK_DTYPE_F8_E8M0, WLK_DTYPE_F8_E4M3, WLK_DTYPE_F8_E5M2,
	WLK_DTYPE_I8, WLK_DTYPE_U8, WLK_DTYPE_F6_E3M2, WLK_DTYPE_F6_E2M3, WLK_DTYPE_F4, WLK_DTYPE_BOOL };

bool dtype_order(enum wlk_dtype dtype, unsigned *ret)
{
	for (unsigned i = 0; i < sizeof(type_order) / sizeof(type_order[0]); i++) {
		*ret = i;
		if (type_order[i] == dtype)
			return true;
	}
	return false;
}
