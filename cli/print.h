/* Verdicts as lines.  One printer each for people and machines, both from the verdict's JSON, so that it
 * makes no difference who judged. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum print_format { PRINT_TEXT, PRINT_JSON };

struct print_style {
	enum print_format format;
	bool color;
	bool quiet;   /* only what is not accepted */
	bool verbose; /* why and what to do; the jail; times */
};

/* Both: malloc()ed text, ended by a newline; NULL without memory.  @line: the daemon's own words, or NULL. */
char *print_text(const struct print_style *style, const json_t *verdict);
char *print_json(const json_t *verdict, const char *line);

/* What a scan came to.  Anything that is not one of the four verdicts counts as an error. */
struct tally {
	size_t n_accept, n_review, n_reject, n_error;
	size_t n_models; /* of a format whose files can be models */
	uint64_t bytes;
};

void tally_add(struct tally *t, const json_t *verdict);
size_t tally_total(const struct tally *t);
/* The last line for people. */
void print_summary(const struct tally *t, int64_t elapsed_ms);
