/* The body that names a set's files.  The first byte of the input says how many there are.  What is accepted is what its
 * contract says: that many names, each as a name may be, none twice; what is refused says why. */
#include <string.h>

#include "fuzz.h"
#include "http.h"
#include "set_names.h"

static void require_names(const json_t *names)
{
	for (size_t i = 0; i < json_array_size(names); i++) {
		const char *name = json_string_value(json_array_get(names, i));

		FUZZ_REQUIRE(name != NULL && http_is_name(bytes_of_text(name)));
		for (size_t j = 0; j < i; j++)
			FUZZ_REQUIRE(strcmp(name, json_string_value(json_array_get(names, j))) != 0);
	}
}

int fuzz_one(const uint8_t *data, size_t n)
{
	size_t n_files = n > 0 ? 1 + data[0] % 8 : 1, text_n = n > 0 ? n - 1 : 0;
	const char *detail = NULL;
	char *text;
	json_t *names;

	if (text_n > SET_NAMES_BYTES_MAX) /* refused before */
		return 0;
	text = malloc(text_n > 0 ? text_n : 1);
	FUZZ_REQUIRE(text != NULL);
	if (text_n > 0)
		memcpy(text, data + 1, text_n);
	names = set_names_parse(text, text_n, n_files, &detail);
	free(text);
	FUZZ_REQUIRE((names == NULL) == (detail != NULL));
	if (names != NULL) {
		FUZZ_REQUIRE(json_array_size(names) == n_files);
		require_names(names);
	}
	json_decref(names);
	return 0;
}
