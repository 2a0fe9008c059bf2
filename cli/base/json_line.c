/* See json_line.h. */
#include "json_line.h"

#include <stdbool.h>
#include <stdlib.h>

#include "verdict.h"

static bool starved;

static void *watched_malloc(size_t n)
{
	void *at = malloc(n);

	starved = starved || at == NULL;
	return at;
}

void json_watch(void)
{
	starved = false;
	json_set_alloc_funcs(watched_malloc, free);
}

char *json_line(const json_t *json, size_t flags)
{
	char *text = starved ? NULL : json_text(json, flags);

	if (!starved)
		return text;
	free(text);
	return NULL;
}
