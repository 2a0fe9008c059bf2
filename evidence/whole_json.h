/* JSON as text, or nothing.  jansson's own (2.14) leaves out a key when memory runs out as that is written, and goes on. */
#pragma once

#include <jansson.h>
#include <stdlib.h>

/* malloc()ed; NULL without memory. */
static inline char *whole_json(const json_t *json, size_t flags)
{
	size_t n = json != NULL ? json_dumpb(json, NULL, 0, flags) : 0;
	char *text = n > 0 ? calloc(1, n + 1) : NULL;

	if (text == NULL || json_dumpb(json, text, n, flags) == n)
		return text;
	free(text);
	return NULL;
}
