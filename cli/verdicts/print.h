/* Verdicts as lines.  One printer each for people and machines, both from the verdict's JSON, so that it
 * makes no difference who judged. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tensor_rows.h"

enum print_format { PRINT_TEXT, PRINT_JSON };

struct print_style {
	enum print_format format;
	bool color;
	bool quiet;   /* only what is not accepted, and the totals */
	bool verbose; /* every finding, with its reason; digest, weights; the jail; times */
	size_t width; /* columns; 0: lines are as long as they are */
};

/* Both: malloc()ed text, ended by a newline; NULL without memory.  @line: the daemon's own words, or NULL. */
char *print_text(const struct print_style *style, const json_t *verdict);
char *print_json(const json_t *verdict, const char *line);

/**
 * print_json_rows() - @text (of print_json()) to @f, with the tensors as its last members
 * print_text_rows() - a table of them, below what print_text() made
 * Row by row, and never as a whole.  @listed: these are all there are.  Return: 0 or negative errno.
 */
int print_json_rows(const char *text, const struct tensor_rows *rows, bool listed, FILE *f);
int print_text_rows(const struct print_style *style, const struct tensor_rows *rows, bool listed, FILE *f);

/* Verdicts by value.  Anything that is not one of the four counts as an error. */
struct counts {
	size_t n_accept, n_review, n_reject, n_error;
};

/* What a scan came to. */
struct tally {
	struct counts files, sets;
	size_t n_models; /* of a format whose files can be models */
	uint64_t bytes;
	size_t n_known;       /* files that were judged before, and are the same */
	const char *left_out; /* lines about entries of folders that nobody wanted looked at; borrowed; NULL: none */
};

void tally_add(struct tally *t, const json_t *verdict);
/* One that was judged before.  @format: of a file; NULL: it is a set. */
void tally_add_known(struct tally *t, const char *value, const char *format);
size_t tally_total(const struct counts *c);
/* The last lines for people. */
void print_summary(const struct tally *t, int64_t elapsed_ms, FILE *f);
