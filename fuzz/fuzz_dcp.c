/* Any bytes as a shard of a distributed checkpoint through the whole engine: see engine.h. */
#include "engine.h"

int fuzz_one(const uint8_t *data, size_t n)
{
	return engine_fuzz(data, n, WLK_FORMAT_DCP);
}
