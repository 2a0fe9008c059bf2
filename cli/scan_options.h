/* The command line of `weighlock scan`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cli.h"
#include "print.h"

#define JOBS_MAX 256 /* each costs a process and a few descriptors */

enum fail_on { FAIL_ON_REVIEW, FAIL_ON_REJECT, FAIL_ON_NEVER };

struct scan_options {
	const char *socket; /* NULL: judge here */
	const char *policy; /* NULL: default */
	enum fail_on fail_on;
	enum color_when color;
	struct print_style style;
	bool allow_empty, no_progress;
	size_t n_jobs;
	char *const *paths;
	size_t n_paths;
};

/* Return: -1 to go on with *ret filled, else the exit status (help was asked for, or a usage error was told).
 */
int scan_options_parse(int argc, char **argv, struct scan_options *ret);
