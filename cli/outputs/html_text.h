/* Texts in a page.  Whatever they hold, they are characters of a text node, or of a JSON value: the page is ASCII, and no < in it
 * is anybody's but ours. */
#pragma once

#include <stdint.h>
#include <stdio.h>

/* As a text node, @columns characters at most and "..." behind a cut; escaped for people as text_safe() does. */
void html_put(FILE *f, const char *text, size_t columns);

/* JSON, which must be UTF-8, within a <script>.  Return: bytes written. */
uint64_t html_put_json(FILE *f, const char *json);
