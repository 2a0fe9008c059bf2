/* See page.h. */
#include "page.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "cli.h"

#define COLUMNS_MIN 40 /* narrower than that, lines would hold a word each */

static const char *const paints[N_PAINTS] = {
	[PAINT_GOOD] = "\x1b[32m",
	[PAINT_DOUBT] = "\x1b[33m",
	[PAINT_BAD] = "\x1b[1;31m",
	[PAINT_ERROR] = "\x1b[35m",
};

void page_put(const struct page *p, enum paint paint, const char *text)
{
	_cleanup_(freep) char *safe = text_safe(text);
	bool painted = p->style->color && paint != PAINT_NONE;

	if (painted)
		fputs(paints[paint], p->f);
	fputs(safe != NULL ? safe : "?", p->f);
	if (painted)
		fputs("\x1b[0m", p->f);
}

/* Of the first n bytes; what is wide or combines is counted like everything else. */
static size_t columns_of(const char *text, size_t n)
{
	size_t columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	return columns;
}

size_t page_columns(const char *text)
{
	return columns_of(text, strlen(text));
}

/* "byte 12" is one. */
static size_t word_length(const char *text)
{
	size_t n = strcspn(text, " ");

	if (n >= 4 && memcmp(text + n - 4, "byte", 4) == 0 && text[n] == ' ')
		n += 1 + strcspn(text + n + 1, " ");
	return n;
}

/* Words, of a text that is safe.  Lines break at blanks only: what is longer than a line sticks out, and can be copied. */
static void put_words(const struct page *p, const char *text, size_t hang, size_t width)
{
	size_t column = hang;

	for (bool first = true; *text != '\0'; first = false) {
		size_t n = word_length(text), columns = columns_of(text, n);

		if (!first && width > 0 && column + 1 + columns > width) {
			fprintf(p->f, "\n%*s", (int)hang, "");
			column = hang;
		} else if (!first) {
			fputc(' ', p->f);
			column++;
		}
		fprintf(p->f, "%.*s", (int)n, text);
		column += columns;
		text += n + (text[n] == ' ');
	}
}

void page_paragraph(const struct page *p, const char *indent, const char *label, const char *text)
{
	_cleanup_(freep) char *safe = text_safe(text);
	size_t width = p->style->width;

	if (width > 0 && width < COLUMNS_MIN)
		width = COLUMNS_MIN;
	fprintf(p->f, "%s%s", indent, label);
	put_words(p, safe != NULL ? safe : "?", strlen(indent) + strlen(label), width);
	fputc('\n', p->f);
}
