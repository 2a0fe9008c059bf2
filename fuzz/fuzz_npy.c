/* Any bytes as an array or an archive of arrays through the whole engine: see engine.h.  What is in them decides, so
 * seeds of both lead to both readers. */
#include "engine.h"

int fuzz_one(const uint8_t *data, size_t n)
{
	return engine_fuzz(data, n, WLK_FORMAT_NPY);
}
