/* Globs of policy rules.  Two wildcards and no brackets: tensor names are full of brackets. */
#include "glob.h"

#include <stdint.h>
#include <string.h>

bool glob_is_pattern(const char *glob)
{
	return strpbrk(glob, "*?\\") != NULL;
}

/* Bytes of the character at the start of b: a UTF-8 sequence as far as it goes on, else one byte. */
static size_t character_length(struct bytes b)
{
	uint8_t lead = b.at[0];
	size_t n = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF8 ? 4 : 1;

	if (n > b.n)
		return 1;
	for (size_t i = 1; i < n; i++)
		if ((b.at[i] & 0xC0) != 0x80)
			return 1;
	return n;
}

/* One element of the glob other than a star against the text: how much of each it takes. */
static bool step(const char *glob, struct bytes text, size_t *ret_glob, size_t *ret_text)
{
	const char *literal = glob[0] == '\\' && glob[1] != '\0' ? glob + 1 : glob;

	if (text.n == 0 || glob[0] == '\0')
		return false;
	*ret_glob = (size_t)(literal - glob) + 1;
	*ret_text = 1;
	if (glob[0] == '?') {
		*ret_text = character_length(text);
		return true;
	}
	return (uint8_t)literal[0] == text.at[0];
}

bool glob_match(const char *glob, struct bytes text)
{
	const char *star = NULL;          /* behind the last star seen */
	struct bytes retry = { NULL, 0 }; /* where that star would end if it took one byte more */
	size_t g, t;

	/* Only the last star ever needs another try: an earlier one that took more could not match more. */
	for (;;) {
		if (*glob == '*') {
			star = ++glob;
			retry = text;
		} else if (*glob == '\0' && text.n == 0) {
			return true;
		} else if (step(glob, text, &g, &t)) {
			glob += g;
			text = bytes_of(text.at + t, text.n - t);
		} else if (star != NULL && retry.n > 0) {
			retry = bytes_of(retry.at + 1, retry.n - 1);
			text = retry;
			glob = star;
		} else {
			return false;
		}
	}
}
