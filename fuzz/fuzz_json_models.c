/* Any bytes as a model that is JSON - TensorFlow.js, Keras' architectures, zarr's arrays - through the whole engine: see engine.h.
 * What is in the text decides which. */
#include "engine.h"

int fuzz_one(const uint8_t *data, size_t n)
{
	return engine_fuzz(data, n, WLK_FORMAT_ZARR);
}
