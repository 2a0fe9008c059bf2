/* Any bytes as an HDF5 file through the whole engine: see engine.h.  Checksums fit whatever they are in a fuzzing build. */
#include "engine.h"

int fuzz_one(const uint8_t *data, size_t n)
{
	return engine_fuzz(data, n, WLK_FORMAT_KERAS_HDF5);
}
