/* Options of a command, as a table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Each takes a value, or is a switch; it may come anywhere before the command's other words. */
struct option_row {
	const char *name;   /* with its dashes */
	const char **value; /* NULL: a switch */
	bool *on;
};

/* Says what is wrong.  Return: where the other words begin, or -1. */
int options_read(int argc, char **argv, const struct option_row *rows, size_t n);

/* A number from 1 to @max; says what is wrong. */
bool option_number(const char *name, const char *text, unsigned max, unsigned *ret);
