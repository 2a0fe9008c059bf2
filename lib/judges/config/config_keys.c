/* See config_keys.h.  Keys are asked by length and first letter: others cost a load and a compare. */
#include "config_keys.h"

#include "config_names.h"

#define NAME_MAX 40u

static const struct {
	const char *name;
	uint8_t how, n;
} keys[CONFIG_N_KEYS] = {
#define X(id, word, as) [KEY_##id] = { word, (uint8_t)(as), sizeof(word) - 1 },
	CONFIG_KEYS_NOTED(X) CONFIG_KEYS_ACTED(X)
#undef X
};

void config_key_index_init(struct config_key_index *x)
{
	*x = (struct config_key_index){ .lengths = { 0 } };
	for (unsigned i = 1; i < CONFIG_N_KEYS; i++)
		if (keys[i].n > 0)
			x->lengths[keys[i].name[0] & 63] |= UINT64_C(1) << keys[i].n;
}

enum config_key config_key_of(const struct config_key_index *x, struct bytes name)
{
	if (name.n == 0 || name.n > NAME_MAX || (x->lengths[name.at[0] & 63] >> name.n & 1) == 0)
		return KEY_NONE;
	for (unsigned i = 1; i < CONFIG_N_KEYS; i++)
		if (keys[i].n == name.n && keys[i].name[0] == (char)name.at[0] &&
		    memcmp(keys[i].name, name.at, name.n) == 0)
			return (enum config_key)i;
	return KEY_NONE;
}

unsigned config_key_how(enum config_key key)
{
	return keys[key].how;
}

bool config_key_is_prose(struct bytes name)
{
	static const char *const begins[] = { "prompt", "example", "system", "note", "comment", "message", "ss_",
		"modelspec.", "sd_merge_" /* metadata of trainers of adapters */ };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (config_begins(name, begins[i]))
			return true;
	return config_holds(name, "docstring") || config_holds(name, "template") || config_holds(name, "system") ||
	       config_ends(name, "readme") || config_holds(name, "prompt");
}

bool config_key_names_library(struct bytes name)
{
	return config_holds(name, "lib") || config_holds(name, "dll") || config_holds(name, "plugin") ||
	       config_holds(name, "custom_op");
}
