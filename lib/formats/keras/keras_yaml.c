/* Keras models as YAML: see keras_yaml.h. */
#include "keras_yaml.h"

#include "config_rules.h"

#include <string.h>

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '"' || c == '\'' || c == '\n' || c == '\r';
}

#define COMMENT_MAX 1024 /* bytes; a line of more is none that is looked behind */

/* Behind the comment that begins here; `at` when none does. */
static size_t skip_comment(struct bytes text, size_t at)
{
	const uint8_t *end;

	if (text.at[at] != '#' || !is_blank(text.at[at - 1])) /* a key stands before it */
		return at;
	end = memchr(text.at + at, '\n', text.n - at < COMMENT_MAX ? text.n - at : COMMENT_MAX);
	return end != NULL ? (size_t)(end - text.at) : at;
}

static size_t skip_blanks(struct bytes text, size_t at)
{
	while (at < text.n) {
		size_t next = is_blank(text.at[at]) ? at + 1 : skip_comment(text, at);

		if (next == at)
			break;
		at = next;
	}
	return at;
}

/* Behind the key: blanks, a colon, and the value.  False: it is no key. */
static bool value_behind(struct bytes text, size_t at, struct bytes *ret)
{
	size_t end;

	at = skip_blanks(text, at);
	if (at == text.n || text.at[at] != ':')
		return false;
	at = skip_blanks(text, at + 1);
	end = at;
	while (end < text.n && text.at[end] > ' ' && memchr("\"',}", text.at[end], 4) == NULL)
		end++;
	*ret = bytes_of(text.at + at, end - at);
	return true;
}

static bool is_lambda(struct bytes name)
{
	return bytes_equal(name, bytes_of_text("Lambda")) || bytes_equal(name, bytes_of_text("__lambda__"));
}

bool keras_yaml_check(struct layout *l, struct bytes text)
{
	static const char key[] = "class_name";
	bool found = false;

	for (size_t at = 0; at < text.n;) {
		const uint8_t *here = memmem(text.at + at, text.n - at, key, sizeof(key) - 1);
		struct bytes name = { 0 };

		if (here == NULL)
			break;
		at = (size_t)(here - text.at) + sizeof(key) - 1;
		if (!value_behind(text, at, &name) && !config_is_anchored(text, at - sizeof(key) + 1))
			continue;
		if (!found)
			layout_at(l, WLK_F_KERAS_YAML, (uint64_t)(here - text.at));
		if (is_lambda(name))
			layout_at(l, WLK_F_KERAS_LAMBDA_CODE, (uint64_t)(here - text.at));
		found = true;
	}
	return found;
}
