/* A case to send to whoever can say more (`weighlock case`): what `weighlock inspect` knows, without what may be weights, and
 * without where the file lay. */
#include <string.h>

#include "inspect.h"
#include "verdict.h"

/* Of these pieces of the map it is known that they hold no weights. */
static bool is_told(const json_t *range)
{
	const char *kind = json_string_value(json_object_get(range, "kind"));

	return kind != NULL &&
	       (strcmp(kind, "header") == 0 || strcmp(kind, "padding") == 0 || strcmp(kind, "metadata") == 0);
}

/* The end of what is told from @at on. */
static uint64_t told_until(const json_t *map, uint64_t at)
{
	const json_t *range;
	uint64_t begin, length;
	size_t i;

	json_array_foreach (map, i, range)
		if (is_told(range) && json_to_number(json_object_get(range, "offset"), &begin) &&
		    json_to_number(json_object_get(range, "length"), &length) && at >= begin && at - begin < length)
			at = begin + length; /* the map is in the order of the file */
	return at;
}

/* Bytes around a finding, as far as they are told; of a packed member nobody knows which they are.  Return: false: none. */
static bool cut(const json_t *map, json_t *bytes)
{
	const char *hex = json_string_value(json_object_get(bytes, "hex"));
	uint64_t at, told;

	if (hex == NULL || !json_to_number(json_object_get(bytes, "offset"), &at))
		return false;
	told = told_until(map, at) - at;
	if (told > 0 && told < strlen(hex) / 2)
		return json_object_set_new(bytes, "hex", json_stringn(hex, 2 * (size_t)told)) == 0;
	return told > 0;
}

static bool without_folder(json_t *file)
{
	const char *name = json_string_value(json_object_get(file, "name"));
	const char *slash = name != NULL ? strrchr(name, '/') : NULL;

	return slash == NULL || json_object_set_new(file, "name", json_string(slash + 1)) == 0;
}

json_t *inspect_case(const json_t *inspected)
{
	json_t *o = json_deep_copy(inspected), *bytes = json_object_get(o, "bytes");

	for (size_t i = json_array_size(bytes); i-- > 0;)
		if (!cut(json_object_get(o, "map"), json_array_get(bytes, i)))
			(void)json_array_remove(bytes, i);
	if (o != NULL && json_object_set_new(o, "schema", json_string("weighlock.case/1")) == 0 &&
	    without_folder(json_object_get(json_object_get(o, "verdict"), "file")))
		return o;
	json_decref(o);
	return NULL;
}
