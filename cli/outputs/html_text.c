/* See html_text.h.  HTML: "Restrictions on the contents of raw text and escapable raw text elements" and "Restrictions for
 * contents of script elements": what has no < cannot end its element. */
#include "html_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "cli.h"
#include "unicode.h"

void html_put(FILE *f, const char *text, size_t columns)
{
	_cleanup_(freep) char *safe = text_safe(text);
	const uint8_t *at = (const uint8_t *)(safe != NULL ? safe : "?");

	for (; *at != '\0' && columns > 0; columns--) {
		uint32_t c = utf8_next(&at);

		if (c < 0x80 && strchr("&<>\"'`=", (int)c) == NULL)
			fputc((int)c, f);
		else
			fprintf(f, "&#%" PRIu32 ";", c);
	}
	if (*at != '\0')
		fputs("...", f);
}

/* RFC 8259, section 7. */
static uint64_t put_unit(FILE *f, uint32_t unit)
{
	fprintf(f, "\\u%04" PRIx32, unit);
	return 6;
}

static uint64_t put_character(FILE *f, uint32_t c)
{
	if (c >= 0x10000)
		return put_unit(f, 0xD800 + ((c - 0x10000) >> 10)) + put_unit(f, 0xDC00 + (c & 0x3FF));
	if (c >= 0x7F || c == '<' || c == '>' || c == '&')
		return put_unit(f, c);
	fputc((int)c, f);
	return 1;
}

uint64_t html_put_json(FILE *f, const char *json)
{
	uint64_t n = 0;

	for (const uint8_t *at = (const uint8_t *)json; *at != '\0';)
		n += put_character(f, utf8_next(&at));
	return n;
}
