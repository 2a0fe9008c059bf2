/* Any bytes as a configuration - JSON or YAML, under a library's name or none - through the whole engine: see engine.h.  The first
 * byte is that name: bit 0 says YAML, the others the family. */
#include "engine.h"

int fuzz_one(const uint8_t *data, size_t n)
{
	if (n == 0)
		return 0;
	engine_family = (enum config_family)((data[0] >> 1) % CONFIG_N_FAMILIES);
	return engine_fuzz(data + 1, n - 1, (data[0] & 1) != 0 ? WLK_FORMAT_YAML : WLK_FORMAT_JSON);
}
