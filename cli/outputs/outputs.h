/* What the verdicts of a scan are written as, and where to: lines for whoever watches, documents for the systems that CI
 * jobs talk to.  One scan may have several outputs.  A document in a file appears whole or not at all: it is written beside
 * its name, and renamed when the scan is over. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "print.h"
#include "proposals.h"
#include "tensor_rows.h"

#define OUTPUTS_MAX 8

enum output_format {
	OUTPUT_TEXT,
	OUTPUT_JSON,
	OUTPUT_SARIF,
	OUTPUT_JUNIT,
	OUTPUT_GITHUB,
	OUTPUT_HTML,
	OUTPUT_CYCLONEDX,
	OUTPUT_BASELINE,
	OUTPUT_POLICY,
	N_OUTPUT_FORMATS
};

/* Which verdicts are failures; those that are none are told all the same. */
struct output_failing {
	bool review, reject;
};

struct output_spec {
	enum output_format format;
	const char *path;             /* NULL: standard output; borrowed */
	const struct proposal *about; /* of OUTPUT_BASELINE and OUTPUT_POLICY; borrowed until outputs_free() */
};

/* FORMAT or FORMAT=FILE; FILE may be -.  Return: false: neither. */
bool output_spec_parse(const char *text, struct output_spec *ret);

struct outputs;

/**
 * outputs_open() - @n of them, at most OUTPUTS_MAX, no two on standard output
 * @style: borrowed until outputs_free(); its format counts for nothing.
 * Return: 0; else the exit status to end with, told.
 */
int outputs_open(const struct output_spec *specs, size_t n, const struct print_style *style,
    struct output_failing failing, struct outputs **ret);
/* Those that were not finished leave nothing behind. */
void outputs_free(struct outputs *o);

/* Is it what one of them is written to? */
bool outputs_own(const struct outputs *o, const struct stat *st);

/* Does any of them want to hear of this verdict? */
bool outputs_want(const struct outputs *o, const json_t *verdict);

/* One verdict, in the order of the inputs. */
struct shown {
	const char *name;               /* of the input, in its own bytes; NULL: it has none */
	const char *line;               /* print_json() */
	const struct tensor_rows *rows; /* NULL: none asked for */
	bool listed;
	const struct tensor_rows *drawn; /* the same, for pages; NULL: nobody knows them */
	const char *views;               /* inspect_views(), for pages; NULL: nobody knows them */
};

/* Return: 0 or negative errno; what cannot be written is told. */
int outputs_put(struct outputs *o, const struct shown *s);

/* How the scan ended. */
struct outcome {
	const struct tally *tally;
	int64_t started_at; /* Unix seconds */
	int64_t elapsed_ms; /* < 0: nothing was scanned */
	int status;         /* what the command is going to exit with */
	bool whole;         /* every input was looked at; false: it ended early */
};

/* Ends the documents and gives them their names.  Return: false: not all could be written, which is told. */
bool outputs_finish(struct outputs *o, const struct outcome *outcome);
