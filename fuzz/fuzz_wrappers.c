/* Any bytes as a file without a name, through the whole engine: see engine.h.  Seeds are compressed files, joblib dumps,
 * tar archives and side files. */
#include "engine.h"

int fuzz_one(const uint8_t *data, size_t n)
{
	return engine_fuzz(data, n, WLK_FORMAT_UNKNOWN);
}
