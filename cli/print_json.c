/* A verdict for machines: one line, which a terminal can show as well. */
#include "print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"

/* One line, and nothing in it that a terminal would act on: no C0, no C1. */
static bool line_is_plain(const char *line)
{
	for (const unsigned char *c = (const unsigned char *)line; *c != '\0'; c++) {
		if (*c < 0x20 || (c[0] == 0xc2 && c[1] < 0xa0))
			return false;
	}
	return true;
}

/* In plain ASCII where the shorter spelling would not be plain. */
static char *line_make(const json_t *verdict)
{
	size_t flags = JSON_COMPACT | JSON_REAL_PRECISION(15);
	char *line = json_dumps(verdict, flags);

	if (line != NULL && !line_is_plain(line)) {
		free(line);
		line = json_dumps(verdict, flags | JSON_ENSURE_ASCII);
	}
	return line;
}

char *print_json(const json_t *verdict, const char *line)
{
	_cleanup_(freep) char *made = NULL;
	char *text = NULL;

	if (line == NULL || !line_is_plain(line))
		line = made = line_make(verdict);
	if (line == NULL || asprintf(&text, "%s\n", line) < 0)
		return NULL;
	return text;
}
