/* P15 and P19: text that a browser or an interpreter makes something of. */
#include "probes.h"

#include <strings.h>

#include "checked.h"

/* -- P15: HTML, as browsers tell it (mimesniff.spec.whatwg.org, 7.1): white space, one of these, and what ends a tag.
 * Chance: at least 24 bits at the first byte of hosts that begin otherwise. -- */

#define HTML_WITHIN 512

static const char *const tags[] = { "<!doctype html", "<html", "<head", "<script", "<iframe", "<h1", "<div", "<font",
	"<table", "<a", "<style", "<title", "<b", "<body", "<br", "<p" };

static bool is_white(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

static bool begins_tag(struct bytes b, const char *tag)
{
	size_t n = strlen(tag);

	return b.n > n && strncasecmp((const char *)b.at, tag, n) == 0 && (b.at[n] == ' ' || b.at[n] == '>');
}

void find_html(struct view *v)
{
	size_t i = 0;
	struct bytes rest;

	while (i < v->head.n && i < HTML_WITHIN && is_white(v->head.at[i]))
		i++;
	rest = bytes_of(v->head.at + i, v->head.n - i);
	for (size_t t = 0; t < sizeof(tags) / sizeof(tags[0]); t++) {
		if (begins_tag(rest, tags[t])) {
			found(v, WLK_F_POLYGLOT_HTML, i, "HTML", "a tag that browsers go by");
			return;
		}
	}
	if (begins_with(rest, "<!--", 4))
		found(v, WLK_F_POLYGLOT_HTML, i, "HTML", "a comment that browsers go by");
}

/* -- P19: the same in the strings of a safetensors header.  Never more than a note: people keep templates there, and
 * somebody has to rename the file, or say `php FILE`. -- */

#define PREFIX 8

static const char *const words[] = { "<?php", "<script", "<html", "<!doctype html", "#!/" };

static bool is_word(struct bytes b, const char *word)
{
	size_t n = strlen(word);

	return b.n >= n && strncasecmp((const char *)b.at, word, n) == 0;
}

static const char *word_at(struct bytes b)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (is_word(b, words[i]))
			return words[i];
	return NULL;
}

/* The first of either character from here on, or b.n. */
static size_t next_candidate(struct bytes b)
{
	const uint8_t *tag = memchr(b.at, '<', b.n);
	size_t n = tag != NULL ? (size_t)(tag - b.at) : b.n;
	const uint8_t *script = memchr(b.at, '#', n);

	return script != NULL ? (size_t)(script - b.at) : n;
}

void find_markup(struct view *v)
{
	uint64_t n;
	struct bytes rest;

	if (v->head.n <= PREFIX)
		return;
	n = load_u64le(v->head.at);
	rest = bytes_of(v->head.at + PREFIX, (size_t)min_u64(n, v->head.n - PREFIX));
	while (rest.n > 0) {
		size_t at = next_candidate(rest);
		const char *word;

		rest = bytes_of(rest.at + at, rest.n - at);
		word = word_at(rest);
		if (word != NULL) {
			found(
			    v, WLK_F_MARKUP_IN_METADATA, (uint64_t)(rest.at - v->head.at), word, "text in the header");
			return;
		}
		if (rest.n > 0)
			rest = bytes_of(rest.at + 1, rest.n - 1);
	}
}
