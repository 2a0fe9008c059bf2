/* One output: what a format's writer works with.  Writers are values; adding a format is a file and a line in
 * outputs.c. */
#pragma once

#include "outputs.h"
#include "target.h"
#include "verdict_json.h"

struct output {
	const struct writer *writer;
	struct target target;
	FILE *f; /* target.f */
	const struct print_style *style;
	struct output_failing failing;
	const struct proposal *about; /* of what proposes something; else NULL */
	void *state;                  /* the writer's own, writer.state_size bytes of zeroes at first */
};

struct writer {
	const char *name; /* NULL: not of --format */
	size_t state_size;
	bool all; /* hears of accepted files, too, when --quiet says that people do not */
	/* All may be NULL.  What cannot be written shows in ferror(f); other errors are negative errno. */
	int (*begin)(struct output *o);
	int (*put)(struct output *o, const struct shown *s, const json_t *verdict);
	int (*end)(struct output *o, const struct outcome *outcome);
	void (*free)(struct output *o);
};

extern const struct writer writer_text, writer_json, writer_sarif, writer_junit, writer_github, writer_html,
    writer_cyclonedx, writer_baseline, writer_policy;

/* ---- what writers share ---- */

/* The file's name as a path below the working directory, where it is below; in static words where it has no name.
 * malloc()ed, NULL without memory.  @name: may be NULL. */
char *relative_name(const char *name);
/* "pickle-global-dangerous: message (about posix.system)": text from files in it is escaped as verdicts escape it, and has
 * to be escaped again as the output's format wants it.  malloc()ed, NULL without memory. */
char *finding_sentence(const json_t *finding);
/* The finding that decided: the first of those with the worst action; NULL: none has another than accept.
 * @ret_n: how many have one. */
const json_t *worst_finding(const json_t *verdict, size_t *ret_n);
/* Why it is not accepted: the sentence of the finding that decided and how many more there are, or what kept the file from
 * being examined.  malloc()ed, NULL without memory. */
char *reason_sentence(const json_t *verdict);
/* All of a temporary file, from its beginning.  Return: 0 or negative errno. */
int output_copy(FILE *from, FILE *to);
/* RFC 3339, UTC.  Return: @buf. */
#define TIME_TEXT_MAX 64
const char *time_text(int64_t unix_s, char buf[TIME_TEXT_MAX]);
