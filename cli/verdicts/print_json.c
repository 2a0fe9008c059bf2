/* A verdict for machines: one line, which a terminal can show as well. */
#include "print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "json_line.h"
#include "tensors_json.h"

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
	char *line = json_line(verdict, flags);

	if (line != NULL && !line_is_plain(line)) {
		free(line);
		line = json_line(verdict, flags | JSON_ENSURE_ASCII);
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

#define BLOCK_BYTES ((size_t)64 << 10)

/* The lines end as "}\n"; what comes before that is @ret_n bytes. */
static bool ends_as_object(const char *text, size_t *ret_n)
{
	size_t n = strlen(text);

	if (n < 3 || strcmp(text + n - 2, "}\n") != 0)
		return false;
	*ret_n = n - 2;
	return true;
}

/* The rows' own text is plain (tensors_json.h). */
int print_json_rows(const char *text, const struct tensor_rows *rows, bool listed, FILE *f)
{
	struct tensors_json *json = tensors_json_new(rows, listed);
	_cleanup_(freep) char *block = malloc(BLOCK_BYTES);
	ssize_t got = json != NULL && block != NULL ? 1 : -ENOMEM;
	size_t n = 0;

	if (got > 0 && !ends_as_object(text, &n))
		got = -EINVAL;
	if (got > 0)
		fprintf(f, "%.*s,", (int)n, text);
	while (got > 0 && (got = tensors_json_read(json, block, BLOCK_BYTES)) > 0)
		fwrite(block, 1, (size_t)got, f);
	if (got == 0)
		fputs("}\n", f);
	tensors_json_free(json);
	return (int)got;
}
