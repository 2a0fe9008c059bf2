/* The names of formats, and the family a file's name suggests. */
#include <assert.h>
#include <string.h>
#include <strings.h>

#include "formats.h"

static const struct format_info formats[WLK_N_FORMATS] = {
#define X(id, name, revision, model, extensions) [WLK_FORMAT_##id] = { name, revision, model, extensions },
	WLK_FORMATS(X)
#undef X
};

const struct format_info *format_info(enum wlk_format_id id)
{
	assert(id < WLK_N_FORMATS);
	return &formats[id];
}

/* Is ext one of the words of the list? */
static bool list_has(const char *list, const char *ext)
{
	size_t n = strlen(ext);

	for (const char *word = list; *word != '\0';) {
		size_t word_n = strcspn(word, " ");

		if (word_n == n && strncasecmp(word, ext, n) == 0)
			return true;
		word += word_n;
		word += strspn(word, " ");
	}
	return false;
}

enum wlk_format_id format_hint(const char *name)
{
	/* No need to look for the last slash: no extension holds one. */
	const char *dot = name != NULL ? strrchr(name, '.') : NULL;

	if (dot == NULL || dot[1] == '\0')
		return WLK_FORMAT_UNKNOWN;
	for (unsigned i = 0; i < WLK_N_FORMATS; i++) {
		if (list_has(formats[i].extensions, dot + 1))
			return (enum wlk_format_id)i;
	}
	return WLK_FORMAT_UNKNOWN;
}
