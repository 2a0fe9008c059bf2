/* Where an output goes: standard output, something that is no regular file (a pipe, a terminal), or a file, which
 * appears under its name only when it is whole. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct target {
	FILE *f;
	const char *path;   /* NULL: standard output; borrowed, for messages */
	char *final, *temp; /* owned; NULL: written in place */
};

/* @path: NULL: standard output.  Return: 0 or negative errno. */
int target_open(struct target *t, const char *path);
/* Return: 0 or negative errno, and the name is as it was before. */
int target_publish(struct target *t);
/* After either, or instead of target_publish(). */
void target_close(struct target *t);
