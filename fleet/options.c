/* See options.h. */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

static const struct option_row *find(const struct option_row *rows, size_t n, const char *word, size_t word_n)
{
	for (size_t i = 0; i < n; i++) {
		if (strlen(rows[i].name) == word_n && strncmp(rows[i].name, word, word_n) == 0)
			return &rows[i];
	}
	return NULL;
}

/* One option.  Return: how many words it took, or -1. */
static int take(char **argv, int left, const struct option_row *rows, size_t n)
{
	const size_t word_n = strcspn(argv[0], "=");
	const struct option_row *row = find(rows, n, argv[0], word_n);
	const bool has_value = argv[0][word_n] == '=';

	if (row == NULL || (row->value == NULL && has_value)) {
		fleet_say("unknown option '%s'", argv[0]);
		return -1;
	}
	if (row->value == NULL) {
		*row->on = true;
		return 1;
	}
	if (!has_value && left < 2) {
		fleet_say("option '%s' needs a value", argv[0]);
		return -1;
	}
	*row->value = has_value ? argv[0] + word_n + 1 : argv[1];
	return has_value ? 1 : 2;
}

int options_read(int argc, char **argv, const struct option_row *rows, size_t n)
{
	int i = 0;

	while (i < argc && strncmp(argv[i], "--", 2) == 0) {
		int r;

		if (argv[i][2] == '\0')
			return i + 1;
		r = take(argv + i, argc - i, rows, n);
		if (r < 0)
			return -1;
		i += r;
	}
	return i;
}

bool option_number(const char *name, const char *text, unsigned max, unsigned *ret)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno == 0 && end != text && *end == '\0' && text[0] != '-' && value >= 1 && value <= max) {
		*ret = (unsigned)value;
		return true;
	}
	fleet_say("%s is a number from 1 to %u", name, max);
	return false;
}
