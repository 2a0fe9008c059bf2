/* Paragraphs for people: wrapped to the terminal where there is one, painted where it is wanted, and safe. */
#pragma once

#include <stdio.h>

#include "print.h"

enum paint { PAINT_NONE, PAINT_GOOD, PAINT_DOUBT, PAINT_BAD, PAINT_ERROR, N_PAINTS };

struct page {
	FILE *f;
	const struct print_style *style;
};

/* A text out of a verdict; nothing of it acts on a terminal. */
void page_put(const struct page *p, enum paint paint, const char *text);

/**
 * page_paragraph() - @text, its lines behind @indent, all but the first deeper by the width of @label
 * @label: what stands before the text in its first line.
 */
void page_paragraph(const struct page *p, const char *indent, const char *label, const char *text);

/* Columns that a text takes, about. */
size_t page_columns(const char *text);
