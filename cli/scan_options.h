/* The command line of `weighlock scan`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cli.h"
#include "outputs.h"
#include "print.h"
#include "window.h"

#define SCAN_GLOBS_MAX 256 /* of each kind */
#define SCAN_PACKS_MAX 64

enum fail_on { FAIL_ON_REVIEW, FAIL_ON_REJECT, FAIL_ON_NEVER };

struct scan_options {
	const char *socket; /* NULL: judge here */
	const char *policy; /* NULL: default */
	enum fail_on fail_on;
	enum color_when color;
	struct output_spec outputs[OUTPUTS_MAX];
	size_t n_outputs;
	const char *include[SCAN_GLOBS_MAX], *exclude[SCAN_GLOBS_MAX];
	size_t n_include, n_exclude;
	const char *ignore_file;                  /* NULL: none */
	const char *base;                         /* a commit: only what was changed since; NULL: everything */
	const char *baseline;                     /* a file; NULL: none */
	const char *exceptions;                   /* a file of what people let pass; NULL: none */
	const char *write_baseline, *save_policy; /* files; NULL: none */
	const char *packs[SCAN_PACKS_MAX];
	size_t n_packs;
	const char *name; /* of standard input; NULL: - */
	struct print_style style;
	bool allow_empty, no_progress;
	const char *db; /* a file that remembers; NULL: none */
	bool outdated, verify;
	bool tensors, digests; /* digests implies tensors */
	bool calls;
	size_t n_jobs;
	char *const *paths;
	size_t n_paths;
};

/* Return: -1 to go on with *ret filled, else the exit status (help was asked for, or a usage error was told).
 */
int scan_options_parse(int argc, char **argv, struct scan_options *ret);

/* The path of --socket[=PATH], whose argument is optional; may take the next word of @argv, the arguments of getopt_long(). */
const char *socket_option(char **argv);

/* Values that other subcommands take as well. */
bool format_parse(const char *text, enum print_format *ret); /* text or json */
bool jobs_parse(const char *text, size_t *ret);              /* 1 to JOBS_MAX */
size_t jobs_default(void);                                   /* one for each CPU */
