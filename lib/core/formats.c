/* The names of formats, and the family a file's name suggests. */
#include <assert.h>
#include <string.h>
#include <strings.h>

#include "bytes.h"
#include "config_family.h"
#include "formats.h"
#include "shard_names.h"

static const struct format_info formats[WLK_N_FORMATS] = {
#define X(id, name, revision, model, extensions, level) \
	[WLK_FORMAT_##id] = { name, revision, model, extensions, FORMAT_SORT_READ, level },
	WLK_FORMATS(X)
#undef X
#define MODEL_OR_HOLDS_ONE(sort) \
	((sort) == FORMAT_SORT_MODEL || (sort) == FORMAT_SORT_ARCHIVE || (sort) == FORMAT_SORT_DATA)
#define X(id, name, sort, extensions, level) \
	[WLK_FORMAT_##id] = { name, 1, MODEL_OR_HOLDS_ONE(FORMAT_SORT_##sort), extensions, FORMAT_SORT_##sort, level },
	    WLK_FORMATS_NAMED(X)
#undef X
};

const struct format_info *format_info(enum wlk_format_id id)
{
	assert(id < WLK_N_FORMATS);
	return &formats[id];
}

static const uint32_t numbers[WLK_N_FORMATS] = {
#define X(id, number) [WLK_FORMAT_##id] = (number),
	WLK_FORMAT_NUMBERS(X)
#undef X
};

uint32_t format_number(enum wlk_format_id id)
{
	assert(id < WLK_N_FORMATS);
	return numbers[id];
}

bool format_by_number(uint32_t number, enum wlk_format_id *ret)
{
	for (unsigned i = 0; i < WLK_N_FORMATS; i++) {
		if (numbers[i] == number) {
			*ret = (enum wlk_format_id)i;
			return true;
		}
	}
	return false;
}

bool format_by_name(const char *name, enum wlk_format_id *ret)
{
	for (unsigned i = 0; name != NULL && i < WLK_N_FORMATS; i++) {
		if (strcmp(formats[i].name, name) == 0) {
			*ret = (enum wlk_format_id)i;
			return true;
		}
	}
	return false;
}

const char *format_level(enum wlk_format_id id)
{
	return format_info(id)->level;
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

/* An index has the family of its shards in its name, and sometimes a variant behind that. */
static bool index_hint(const char *name, enum wlk_format_id *ret)
{
	struct index_name index;

	if (!index_name_parse(bytes_of_text(name), &index))
		return false;
	if (name_equal_folded(index.family, bytes_of_text("safetensors")))
		*ret = WLK_FORMAT_SAFETENSORS_INDEX;
	else if (name_equal_folded(index.family, bytes_of_text("bin")) ||
		 name_equal_folded(index.family, bytes_of_text("h5")) ||
		 name_equal_folded(index.family, bytes_of_text("msgpack")))
		*ret = WLK_FORMAT_SHARD_INDEX;
	else
		return false;
	return true;
}

enum wlk_format_id format_hint(const char *name)
{
	enum wlk_format_id index;
	/* A configuration that has a name and no extension. */
	enum config_family family = config_family_hint(name);
	/* No need to look for the last slash: no extension holds one. */
	const char *dot = name != NULL ? strrchr(name, '.') : NULL;

	if (family == CONFIG_MLFLOW)
		return WLK_FORMAT_YAML;
	if (family == CONFIG_TRITON) /* no message of TensorFlow's, though of the same grammar */
		return WLK_FORMAT_TEXT;
	if (dot == NULL || dot[1] == '\0')
		return WLK_FORMAT_UNKNOWN;
	if (index_hint(name, &index))
		return index;
	for (unsigned i = 0; i < WLK_N_FORMATS; i++) {
		if (list_has(formats[i].extensions, dot + 1))
			return (enum wlk_format_id)i;
	}
	return WLK_FORMAT_UNKNOWN;
}
