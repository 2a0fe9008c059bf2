/* Any bytes as a configuration in lines - settings, gin, requirements, Modelfile, Triton - through the whole engine: see engine.h.
 * The last byte says which of them its name would say. */
#include "engine.h"

#include "config_family.h"

int fuzz_one(const uint8_t *data, size_t n)
{
	static const char *const names[] = { "x.toml", "x.ini", "config.cfg", "x.gin", "requirements.txt", "Modelfile",
		"config.pbtxt", "" };

	if (n == 0)
		return 0;
	return engine_fuzz_family(data, n - 1, WLK_FORMAT_UNKNOWN, config_family_hint(names[data[n - 1] % 8]));
}
