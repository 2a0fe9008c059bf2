/* See config_family.h. */
#include "config_family.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define NAME_MAX_BYTES 128u /* longer base names are none of these */

static const char *const names_of[CONFIG_N_FAMILIES] = {
#define X(id, names) [CONFIG_##id] = names,
	CONFIG_FAMILIES(X)
#undef X
};

/* At most two stars a pattern, and short names: trying each place is cheap. */
static bool fits(const char *pattern, size_t n, const char *name)
{
	while (n > 0 && *pattern != '*') {
		if (*name == '\0' || *name != *pattern)
			return false;
		pattern++, name++, n--;
	}
	if (n == 0)
		return *name == '\0';
	for (pattern++, n--;; name++) {
		if (fits(pattern, n, name))
			return true;
		if (*name == '\0')
			return false;
	}
}

static bool list_fits(const char *list, const char *name)
{
	for (size_t n; *list != '\0'; list += n, list += strspn(list, " ")) {
		n = strcspn(list, " ");
		if (fits(list, n, name))
			return true;
	}
	return false;
}

enum config_family config_family_hint(const char *name)
{
	const char *slash = name != NULL ? strrchr(name, '/') : NULL, *base = slash != NULL ? slash + 1 : name;
	char lower[NAME_MAX_BYTES];
	size_t n = base != NULL ? strnlen(base, NAME_MAX_BYTES) : 0;

	if (n == 0 || n == NAME_MAX_BYTES)
		return CONFIG_NONE;
	for (size_t i = 0; i <= n; i++)
		lower[i] = (char)(base[i] >= 'A' && base[i] <= 'Z' ? base[i] | 0x20 : base[i]);
	for (unsigned i = 1; i < CONFIG_N_FAMILIES; i++)
		if (list_fits(names_of[i], lower))
			return (enum config_family)i;
	return CONFIG_NONE;
}
