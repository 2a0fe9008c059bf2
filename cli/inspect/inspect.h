/* Everything that is known of one file, on one page.  The document is docs/inspect.schema.json; the text is made of it, so that
 * nothing of the file reaches a terminal that the document would not show. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "facts.h"
#include "print.h"

/* @verdict: borrowed.  NULL without memory. */
json_t *inspect_json(json_t *verdict, const struct facts *f);

/* The document without the verdict, and without opcodes unless @calls, as text in a JSON string: it waits among others.  NULL
 * without memory. */
json_t *inspect_views(const struct facts *f, bool calls);

/* The same without weights, names of folders, and whatever may be a weight.  NULL without memory. */
json_t *inspect_case(const json_t *inspected);

/* Return: 0, or a negative errno. */
int inspect_text(const struct print_style *style, const json_t *inspected, FILE *f);

/* ---- inspect_hex.c ---- */

/* The lines of bytes around a finding, the bytes that it is about marked; nothing when they are not known.
 * @around: the list "bytes" of the document. */
void inspect_hex(const struct print_style *style, const json_t *finding, const json_t *around, FILE *f);
