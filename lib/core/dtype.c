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
