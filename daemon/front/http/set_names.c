/* See set_names.h. */
#include "set_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "http.h"

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Parts with one slash between them, so that a file has one name and a folder's files have it in common. */
static bool is_below(const char *name)
{
	for (size_t n;; name += n + 1) {
		n = strcspn(name, "/");
		if (n == 0 || (n == 1 && name[0] == '.') || (n == 2 && name[0] == '.' && name[1] == '.'))
			return false;
		if (name[n] == '\0')
			return true;
	}
}

/* Return: NULL, or what is wrong. */
static const char *names_trouble(const json_t *names)
{
	size_t n = json_array_size(names);
	const char **sorted = calloc(n, sizeof(*sorted));
	const char *trouble = sorted ? NULL : "out of memory";

	for (size_t i = 0; i < n && trouble == NULL; i++) {
		const json_t *name = json_array_get(names, i);

		if (json_is_string(name) && http_is_name(bytes_of_text(json_string_value(name))))
			sorted[i] = json_string_value(name);
		else
			trouble = "members: a name that is not 1 to 1024 bytes of text without control characters";
		if (trouble == NULL && !is_below(sorted[i]))
			trouble = "members: a name that does not lead down from a folder";
	}
	if (trouble == NULL)
		qsort(sorted, n, sizeof(*sorted), compare_texts);
	for (size_t i = 1; i < n && trouble == NULL; i++) {
		if (strcmp(sorted[i - 1], sorted[i]) == 0)
			trouble = "members: a name comes twice";
	}
	free(sorted);
	return trouble;
}

static const char *body_trouble(const json_t *body, size_t n_files)
{
	const json_t *names = json_object_get(body, "members");

	if (!json_is_array(names) || json_object_size(body) != 1)
		return "the body is not of the form {\"members\":[\"...\"]}";
	if (json_array_size(names) != n_files)
		return "members: not as many names as descriptors";
	return names_trouble(names);
}

json_t *set_names_parse(const char *text, size_t n, size_t n_files, const char **ret_detail)
{
	json_t *body = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
	json_t *names = NULL;

	*ret_detail = body ? body_trouble(body, n_files) : "the body is not JSON";
	if (!*ret_detail)
		names = json_incref(json_object_get(body, "members"));
	json_decref(body);
	return names;
}
