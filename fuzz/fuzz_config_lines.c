/* Any bytes as a configuration in lines - settings, gin, requirements, Modelfile, Triton, .env, Prompty - through the whole engine: see
 * engine.h.  The last byte says which of them its name would say. */
#include "engine.h"

int fuzz_one(const uint8_t *data, size_t n)
{
	static const char *const names[] = { "x.toml", "x.ini", "config.cfg", "x.gin", "requirements.txt", "Modelfile",
		"config.pbtxt", "settings", ".env", "a.prompty" };

	if (n == 0)
		return 0;
	engine_family = config_family_hint(names[data[n - 1] % 10]);
	return engine_fuzz(data, n - 1, format_hint(names[data[n - 1] % 10]));
}
