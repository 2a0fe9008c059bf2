/* Implements pickle_names.h: binary search in sorted lines, straight in the text that was received. */
#include "pickle_names.h"

static bool is_letter(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool identifier_valid(struct bytes id)
{
	if (id.n == 0 || !is_letter(id.at[0]))
		return false;
	for (size_t i = 1; i < id.n; i++)
		if (!is_letter(id.at[i]) && !is_digit(id.at[i]))
			return false;
	return true;
}

/* The component that begins at *at; *at moves behind the dot that ends it, or to the end. */
static struct bytes next_component(struct bytes dotted, size_t *at)
{
	size_t begin = *at, end = begin;

	while (end < dotted.n && dotted.at[end] != '.')
		end++;
	*at = end < dotted.n ? end + 1 : end;
	return bytes_of(dotted.at + begin, end - begin);
}

/* The name of a line, and in *ret what it is granted: NONE for a word that means nothing. */
static struct bytes name_of(struct bytes line, enum pickle_grant *ret)
{
	const uint8_t *blank = line.n > 0 ? memchr(line.at, ' ', line.n) : NULL;
	struct bytes word;

	*ret = PICKLE_GRANT_ANY;
	if (blank == NULL)
		return line;
	word = bytes_of(blank + 1, (size_t)(line.at + line.n - (blank + 1)));
	*ret = PICKLE_GRANT_NONE;
#define X(id, text)                                 \
	if (bytes_equal(word, bytes_of_text(text))) \
		*ret = PICKLE_GRANT_##id;
	PICKLE_GRANTS(X)
#undef X
	return bytes_of(line.at, (size_t)(blank - line.at));
}

bool pickle_name_valid(struct bytes line)
{
	size_t at = 0, components = 0;
	enum pickle_grant grant;

	line = name_of(line, &grant);
	if (grant == PICKLE_GRANT_NONE || line.n == 0 || line.n > PICKLE_NAME_MAX || line.at[line.n - 1] == '.')
		return false;
	while (at < line.n) {
		if (!identifier_valid(next_component(line, &at)))
			return false;
		components++;
	}
	return components >= 2;
}

static int compare(struct bytes a, struct bytes b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int order = n == 0 ? 0 : memcmp(a.at, b.at, n);

	return order != 0 ? order : (a.n > b.n) - (a.n < b.n);
}

/* The line that begins at `at`, without its end. */
static struct bytes line_at(struct bytes lines, size_t at)
{
	const uint8_t *end = memchr(lines.at + at, '\n', lines.n - at);

	return bytes_of(lines.at + at, end != NULL ? (size_t)(end - (lines.at + at)) : lines.n - at);
}

bool pickle_names_valid(struct bytes lines)
{
	struct bytes last = { 0 }, name;
	enum pickle_grant grant;

	if (lines.n > PICKLE_NAMES_BYTES_MAX || (lines.n > 0 && lines.at[lines.n - 1] != '\n'))
		return false;
	for (size_t at = 0; at < lines.n;) {
		struct bytes line = line_at(lines, at);

		name = name_of(line, &grant);
		if (!pickle_name_valid(line) || (last.n > 0 && compare(last, name) >= 0))
			return false;
		last = name;
		at += line.n + 1;
	}
	return true;
}

static enum pickle_grant grant_in(struct bytes lines, struct bytes wanted)
{
	size_t low = 0, high = lines.n; /* both at the beginning of a line, or at the end */

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		enum pickle_grant grant;
		struct bytes line;
		int order;

		while (middle > low && lines.at[middle - 1] != '\n')
			middle--;
		line = line_at(lines, middle);
		order = compare(wanted, name_of(line, &grant));
		if (order == 0)
			return grant;
		if (order < 0)
			high = middle;
		else
			low = middle + line.n + 1;
	}
	return PICKLE_GRANT_NONE;
}

enum pickle_grant pickle_names_grant(const struct pickle_names *names, struct bytes module, struct bytes name)
{
	uint8_t text[PICKLE_NAME_MAX];

	if (names->asked != NULL)
		*names->asked = true;
	if (!identifier_valid(name) || module.n == 0 || module.n > PICKLE_NAME_MAX - 2 ||
	    name.n > PICKLE_NAME_MAX - 1 - module.n)
		return PICKLE_GRANT_NONE;
	memcpy(text, module.at, module.n);
	text[module.n] = '.';
	memcpy(text + module.n + 1, name.at, name.n);
	return grant_in(names->lines, bytes_of(text, module.n + 1 + name.n));
}
