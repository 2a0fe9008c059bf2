/* Counting verdicts; the exit status is made of these numbers (see scan.c). */
#include "print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "formats.h"
#include "verdict.h"

static bool format_is_model(const char *name)
{
	for (int i = 0; name != NULL && i < WLK_N_FORMATS; i++) {
		const struct format_info *info = format_info((enum wlk_format_id)i);

		if (strcmp(info->name, name) == 0)
			return info->model;
	}
	return false;
}

static size_t *tally_slot(struct tally *t, const char *value)
{
	if (value != NULL && strcmp(value, verdict_text(VERDICT_ACCEPT)) == 0)
		return &t->n_accept;
	if (value != NULL && strcmp(value, verdict_text(VERDICT_REVIEW)) == 0)
		return &t->n_review;
	if (value != NULL && strcmp(value, verdict_text(VERDICT_REJECT)) == 0)
		return &t->n_reject;
	return &t->n_error;
}

void tally_add(struct tally *t, const json_t *verdict)
{
	const json_t *bytes = json_object_get(json_object_get(verdict, "scan"), "bytes");

	++*tally_slot(t, json_string_value(json_object_get(verdict, "verdict")));
	if (format_is_model(json_string_value(json_object_get(verdict, "format"))))
		t->n_models++;
	if (json_is_integer(bytes) && json_integer_value(bytes) > 0)
		t->bytes += (uint64_t)json_integer_value(bytes);
}

size_t tally_total(const struct tally *t)
{
	return t->n_accept + t->n_review + t->n_reject + t->n_error;
}

void print_summary(const struct tally *t, int64_t elapsed_ms)
{
	size_t total = tally_total(t);
	char size[TEXT_SIZE_MAX];

	printf("%zu file%s: %zu accepted, %zu under review, %zu rejected, %zu not judged; %s in %.1f s\n", total,
	    total == 1 ? "" : "s", t->n_accept, t->n_review, t->n_reject, t->n_error, text_size(t->bytes, size),
	    (double)elapsed_ms / 1000);
}
