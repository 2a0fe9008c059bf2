/* Any bytes as an archive that is a model - skops, TorchServe, NeMo - through the whole engine: see engine.h.  What is in them
 * decides, so seeds of each lead to each reader. */
#include "engine.h"

int fuzz_one(const uint8_t *data, size_t n)
{
	return engine_fuzz(data, n, WLK_FORMAT_SKOPS);
}
