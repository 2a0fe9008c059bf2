/* Any bytes as a Core ML model, its weights or its manifest through the whole engine: see engine.h.  Models and weights are
 * known by their first bytes; whatever is neither is read as a model. */
#include "engine.h"

int fuzz_one(const uint8_t *data, size_t n)
{
	return engine_fuzz(data, n, WLK_FORMAT_COREML);
}
