/* What browsers and interpreters act on, in bytes that go by piece by piece: tags of scripts and pages in any case (rule P19
 * of formats/polyglots), and a first line that names an interpreter. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCRIPT_WORD_MAX 7u

/* Begins as zeros. */
struct script_words {
	bool markup;     /* `<?php` and white space, `<script` or `<html` and what ends them, was seen */
	uint8_t head[6]; /* the first bytes ... */
	uint8_t carry[2 * SCRIPT_WORD_MAX]; /* ... and the last: words lie across pieces */
	uint8_t head_n, carry_n;
};

void script_words_feed(struct script_words *w, const uint8_t *at, size_t n);

/* `#!` at the front, or behind the mark of UTF-8, which editors hide. */
bool script_words_begins(const struct script_words *w);
