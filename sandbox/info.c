/* What the layers are called, and who this build is. */
#include "build_id.h"
#include "sandbox.h"

#include <assert.h>

const struct sandbox_layer_info *sandbox_layer_info(enum sandbox_layer layer)
{
	static const struct sandbox_layer_info infos[] = {
#define X(id, name, mandatory, remedy) [SANDBOX_##id] = { name, mandatory, remedy },
		SANDBOX_LAYERS(X)
#undef X
	};

	assert(layer < SANDBOX_N_LAYERS);
	return &infos[layer];
}

uint64_t sandbox_build_id(void)
{
	return BUILD_ID;
}
