/* Counting verdicts; the exit status is made of these numbers (see scan.c). */
#include "print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "formats.h"
#include "verdict.h"
#include "verdict_json.h"

static bool format_is_model(const char *name)
{
	enum wlk_format_id id;

	return format_by_name(name, &id) && format_info(id)->model;
}

static size_t *count_of(struct counts *c, const char *value)
{
	if (value != NULL && strcmp(value, verdict_text(VERDICT_ACCEPT)) == 0)
		return &c->n_accept;
	if (value != NULL && strcmp(value, verdict_text(VERDICT_REVIEW)) == 0)
		return &c->n_review;
	if (value != NULL && strcmp(value, verdict_text(VERDICT_REJECT)) == 0)
		return &c->n_reject;
	return &c->n_error;
}

void tally_add(struct tally *t, const json_t *verdict)
{
	const json_t *bytes = json_object_get(json_object_get(verdict, "scan"), "bytes");
	bool set = verdict_is_set(verdict);

	++*count_of(set ? &t->sets : &t->files, verdict_text(verdict_effective_of(verdict)));
	if (format_is_model(json_string_value(json_object_get(verdict, "format"))))
		t->n_models++;
	if (json_is_integer(bytes) && json_integer_value(bytes) > 0)
		t->bytes += (uint64_t)json_integer_value(bytes);
}

void tally_add_known(struct tally *t, const char *value, const char *format)
{
	++*count_of(format == NULL ? &t->sets : &t->files, value);
	if (format == NULL)
		return;
	t->n_known++;
	if (format_is_model(format))
		t->n_models++;
}

size_t tally_total(const struct counts *c)
{
	return c->n_accept + c->n_review + c->n_reject + c->n_error;
}

static void print_counts(FILE *f, const struct counts *c, const char *what)
{
	size_t total = tally_total(c);

	fprintf(f, "%zu %s%s: %zu accepted, %zu under review, %zu rejected, %zu not judged", total, what,
	    total == 1 ? "" : "s", c->n_accept, c->n_review, c->n_reject, c->n_error);
}

void print_summary(const struct tally *t, int64_t elapsed_ms, FILE *f)
{
	char size[TEXT_SIZE_MAX];

	print_counts(f, &t->files, "file");
	fprintf(f, "; %s in %.1f s\n", text_size(t->bytes, size), (double)elapsed_ms / 1000);
	if (t->n_known > 0)
		fprintf(f, "%zu judged before and the same (see weighlock report)\n", t->n_known);
	if (t->left_out != NULL)
		fputs(t->left_out, f);
	if (tally_total(&t->sets) == 0)
		return;
	print_counts(f, &t->sets, "set");
	fputc('\n', f);
}
