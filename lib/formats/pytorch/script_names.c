/* Implements script_names.h. */
#include "script_names.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "script_names_table.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define HOLDS(table, name) (bsearch(name, table, COUNT(table), sizeof((table)[0]), compare) != NULL)

static int compare(const void *name, const void *row)
{
	const char *const *text = row;

	return strcmp(name, *text);
}

enum script_operator script_operator_of(const char *name)
{
	if (HOLDS(names_aten, name))
		return OPERATOR_KNOWN;
	if (HOLDS(names_acts, name))
		return OPERATOR_ACTS;
	return HOLDS(names_other, name) ? OPERATOR_OTHER : OPERATOR_NONE;
}

bool script_is_prim(const char *name)
{
	return HOLDS(names_prim, name);
}

bool script_is_callable(const char *name)
{
	return HOLDS(names_call, name) || HOLDS(names_key, name) ||
	       (name[0] == '_' && name[1] != '\0' && strspn(name + 1, "0123456789") == strlen(name + 1));
}

bool script_is_word(const char *name)
{
	return HOLDS(names_word, name);
}

bool script_namespace_acts(const char *name)
{
	static const char *const names[] = { "video", "rpc", "torchaudio" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}
