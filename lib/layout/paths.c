/* Names of files: see paths.h. */
#include "paths.h"

#include <string.h>

static bool contains(struct bytes b, const char *text)
{
	return b.n > 0 && memmem(b.at, b.n, text, strlen(text)) != NULL;
}

bool path_leaves_folder(struct bytes b)
{
	if (b.n > 0 && (b.at[0] == '/' || b.at[0] == '~' || b.at[0] == '#' || contains(b, "\\") || contains(b, ":") ||
			   contains(b, "%2e") || contains(b, "%2E") || memchr(b.at, 0, b.n) != NULL))
		return true;
	for (size_t begin = 0, i = 0; i <= b.n; i++) {
		if (i < b.n && b.at[i] != '/')
			continue;
		if (i - begin == 2 && b.at[begin] == '.' && b.at[begin + 1] == '.')
			return true;
		begin = i + 1;
	}
	return false;
}
