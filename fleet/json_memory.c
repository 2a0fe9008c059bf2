/* See json_memory.h. */
#include "json_memory.h"

#include <stdlib.h>
#include <unistd.h>

#include <jansson.h>

#include "say.h"

static void *(*memory)(size_t n);

static void *get_or_end(size_t n)
{
	void *at = memory(n);

	if (at != NULL)
		return at;
	fleet_say("no memory");
	_exit(JSON_MEMORY_STATUS);
}

void json_memory_or_end(void *(*get)(size_t n))
{
	memory = get;
	json_set_alloc_funcs(get_or_end, free);
}
