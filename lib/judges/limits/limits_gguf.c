/* Looking up in the table of GGUF metadata: see limits_gguf.h. */
#include "limits_gguf.h"

#include <string.h>

static bool is_word_at(const char *text, const char *at, struct bytes name)
{
	return at > text && at[-1] == ' ' && at[name.n] == ' ';
}

bool limits_gguf_names(const char *known, struct bytes name)
{
	const char *at = known;
	size_t left = strlen(known);

	if (name.n == 0 || memchr(name.at, ' ', name.n) != NULL)
		return false;
	while ((at = memmem(at, left, name.at, name.n)) != NULL) {
		if (is_word_at(known, at, name))
			return true;
		at++;
		left = strlen(at);
	}
	return false;
}

static int compare(struct bytes key, const char *name)
{
	size_t n = strlen(name);
	int order = memcmp(key.at, name, key.n < n ? key.n : n);

	return order != 0 ? order : (key.n > n) - (key.n < n);
}

#define OF_MODEL_BYTES 2u /* "*." */

size_t limits_gguf_find(struct bytes key, bool of_model)
{
	size_t low = of_model ? 0 : limits_gguf_n_of_model,
	       high = of_model ? limits_gguf_n_of_model : limits_gguf_n_keys;

	if (key.n == 0)
		return limits_gguf_n_keys;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(key, limits_gguf_keys[middle].name + (of_model ? OF_MODEL_BYTES : 0));

		if (order == 0)
			return middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return limits_gguf_n_keys;
}
