/* Comments and closing commas: see json_comments.h. */
#include "json_comments.h"

#include <string.h>

#include "json_text.h"

/* Behind a string that begins at i. */
static size_t skip_string(struct bytes t, size_t i)
{
	for (i++; i < t.n && t.at[i] != '"'; i++)
		if (t.at[i] == '\\')
			i++;
	return i + 1;
}

/* Behind a comment that begins at i; i when none does.  One that does not end is none. */
static size_t skip_comment(struct bytes t, size_t i)
{
	const uint8_t *end;

	if (t.n - i < 2 || t.at[i] != '/')
		return i;
	if (t.at[i + 1] == '/') {
		while (i < t.n && t.at[i] != '\n' && t.at[i] != '\r') /* either ends a line for who reads comments */
			i++;
		return i;
	}
	end = t.at[i + 1] == '*' ? memmem(t.at + i + 2, t.n - i - 2, "*/", 2) : NULL;
	return end != NULL ? (size_t)(end - t.at) + 2 : i;
}

static void blank(uint8_t *copy, size_t from, size_t to)
{
	for (size_t i = from; copy != NULL && i < to; i++)
		copy[i] = copy[i] == '\n' ? '\n' : ' ';
}

static bool is_item_end(uint8_t c)
{
	return c != 0 && c != ',' && c != '[' && c != '{' && c != ':';
}

/* Once over the text; what is found is blanked in @copy if there is one.  Return: where the first is, or t.n. */
static size_t strip(struct bytes t, uint8_t *copy)
{
	size_t first = t.n, comma = t.n, i = 0;
	uint8_t last = 0; /* what is no blank */

	while (i < t.n && (copy != NULL || first == t.n)) {
		size_t behind = skip_comment(t, i);
		uint8_t c = t.at[i];

		if (behind > i) {
			first = first < i ? first : i;
			blank(copy, i, behind);
			i = behind;
			continue;
		}
		if ((c == '}' || c == ']') && comma < t.n) {
			first = first < comma ? first : comma;
			blank(copy, comma, comma + 1);
		}
		if (!json_is_space(c)) {
			comma = c == ',' && is_item_end(last) ? i : t.n;
			last = c;
		}
		i = c == '"' ? skip_string(t, i) : i + 1;
	}
	return first;
}

bool json_without_comments(struct bytes text, struct arena *a, struct bytes *ret, size_t *ret_at)
{
	uint8_t *copy;

	*ret = text;
	if (strip(text, NULL) == text.n)
		return false;
	copy = arena_resize_raw(a, NULL, text.n, 1);
	*ret = bytes_of(copy, text.n);
	if (copy == NULL)
		return true;
	memcpy(copy, text.at, text.n);
	*ret_at = strip(text, copy);
	return true;
}
