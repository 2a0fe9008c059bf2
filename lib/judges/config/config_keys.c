/* See config_keys.h.  Keys are asked by length and two letters: others cost a load and a compare. */
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

static inline unsigned bucket_of(const uint8_t *name, size_t n)
{
	return (unsigned)(name[0] + name[n - 1] * 5u + n * 23u) % CONFIG_KEY_BUCKETS;
}

void config_key_index_init(struct config_key_index *x)
{
	memset(x->first, 0, sizeof(x->first));
	for (unsigned i = 1; i < CONFIG_N_KEYS; i++)
		if (keys[i].n > 0) {
			uint16_t *first = &x->first[bucket_of((const uint8_t *)keys[i].name, keys[i].n)];

			x->next[i] = *first;
			*first = (uint16_t)i;
		}
}

enum config_key config_key_of(const struct config_key_index *x, struct bytes name)
{
	if (name.n == 0 || name.n > NAME_MAX)
		return KEY_NONE;
	for (unsigned i = x->first[bucket_of(name.at, name.n)]; i != KEY_NONE; i = x->next[i])
		if (keys[i].n == name.n && memcmp(keys[i].name, name.at, name.n) == 0)
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
	for (size_t i = 0; i < name.n; i++) {
		struct bytes rest = bytes_of(name.at + i, name.n - i);

		switch (rest.at[0]) { /* most letters begin none of these */
		case 'd':
			if (config_begins(rest, "docstring"))
				return true;
			break;
		case 't':
			if (config_begins(rest, "template"))
				return true;
			break;
		case 's':
			if (config_begins(rest, "system"))
				return true;
			break;
		case 'p':
			if (config_begins(rest, "prompt"))
				return true;
			break;
		default: break;
		}
	}
	return config_ends(name, "readme");
}

bool config_key_names_library(struct bytes name)
{
	for (size_t i = 0; i < name.n; i++) {
		struct bytes rest = bytes_of(name.at + i, name.n - i);

		switch (rest.at[0]) {
		case 'l':
			if (config_begins(rest, "lib"))
				return true;
			break;
		case 'd':
			if (config_begins(rest, "dll"))
				return true;
			break;
		case 'p':
			if (config_begins(rest, "plugin"))
				return true;
			break;
		case 'b':
			if (config_begins(rest, "base_path") || config_begins(rest, "backend_path"))
				return true;
			break;
		case 'e':
			if (config_begins(rest, "extension"))
				return true;
			break;
		case 'c':
			if (config_begins(rest, "custom_op"))
				return true;
			break;
		default: break;
		}
	}
	return false;
}
