/* Any bytes as a TensorFlow graph through the whole engine: see engine.h.  What is in them decides which message it is. */
#include "engine.h"

int fuzz_one(const uint8_t *data, size_t n)
{
	return engine_fuzz(data, n, WLK_FORMAT_TF_METAGRAPH);
}
