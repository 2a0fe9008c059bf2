/* Tags of scripts and first lines: see script_words.h. */
#include "script_words.h"

#include <string.h>
#include <strings.h>

/* What ends a tag, or a name in one. */
static bool is_end(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '>' || c == '/';
}

static bool is_word(const uint8_t *at, size_t n)
{
	static const char *const words[] = { "<?php", "<script", "<html" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i]);

		if (n > length && strncasecmp((const char *)at, words[i], length) == 0 && is_end(at[length]))
			return true;
	}
	return false;
}

static bool has_word(const uint8_t *at, size_t n)
{
	for (const uint8_t *p = at, *end = at + n; p < end; p++) {
		p = memchr(p, '<', (size_t)(end - p));
		if (p == NULL)
			return false;
		if (is_word(p, (size_t)(end - p)))
			return true;
	}
	return false;
}

/* The last bytes so far: one fewer than a word and its end have. */
static void keep_last(struct script_words *w, const uint8_t *at, size_t n)
{
	uint8_t last[SCRIPT_WORD_MAX];
	size_t fresh = n < SCRIPT_WORD_MAX ? n : SCRIPT_WORD_MAX;
	size_t old = w->carry_n < SCRIPT_WORD_MAX - fresh ? w->carry_n : SCRIPT_WORD_MAX - fresh;

	memcpy(last, w->carry + (w->carry_n - old), old);
	memcpy(last + old, at + (n - fresh), fresh);
	memcpy(w->carry, last, old + fresh);
	w->carry_n = (uint8_t)(old + fresh);
}

void script_words_feed(struct script_words *w, const uint8_t *at, size_t n)
{
	size_t head = sizeof(w->head) - w->head_n, joined = n < SCRIPT_WORD_MAX ? n : SCRIPT_WORD_MAX;

	head = n < head ? n : head;
	memcpy(w->head + w->head_n, at, head);
	w->head_n = (uint8_t)(w->head_n + head);
	if (w->markup)
		return;
	memcpy(w->carry + w->carry_n, at, joined);
	w->markup = has_word(w->carry, w->carry_n + joined) || has_word(at, n);
	keep_last(w, at, n);
}

bool script_words_begins(const struct script_words *w)
{
	size_t mark = w->head_n >= 3 && memcmp(w->head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	/* #![...] is an attribute of Rust's, which tells it from a first line in the same way (Rust Reference, input format). */
	return w->head_n >= mark + 2 && memcmp(w->head + mark, "#!", 2) == 0 &&
	       (w->head_n == mark + 2 || w->head[mark + 2] != '[');
}
