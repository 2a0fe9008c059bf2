/* Any bytes as a program of PaddlePaddle and as its parameters through the whole engine: see engine.h.  What is neither is read
 * as both. */
#include "engine.h"

int fuzz_one(const uint8_t *data, size_t n)
{
	return engine_fuzz(data, n, WLK_FORMAT_PADDLE) + engine_fuzz(data, n, WLK_FORMAT_PADDLE_PARAMS);
}
