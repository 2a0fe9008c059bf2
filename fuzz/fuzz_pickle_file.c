/* Any bytes as a pickle file through the whole engine: see engine.h.  The machine alone has a target of its own. */
#include "engine.h"

int fuzz_one(const uint8_t *data, size_t n)
{
	return engine_fuzz(data, n, WLK_FORMAT_PICKLE);
}
