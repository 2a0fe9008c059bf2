/* A verdict for people.  Accepted: a line.  Otherwise what decides comes first, each finding as a sentence with its place, then
 * the way out; what decides nothing is only counted.  Every text out of the verdict goes through page.c, which lets nothing
 * through that acts on a terminal: a verdict may come from a daemon, and names come from whoever made the file. */
#include "print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "cli.h"
#include "finding_says.h"
#include "page.h"
#include "print_findings.h"
#include "sentence.h"
#include "verdict.h"
#include "verdict_json.h"

#define ROWS_SHOWN 10 /* unless verbose */

#define INDENT "        "
#define DEEPER INDENT "  "

/* ---- reading the JSON ---- */

static const char *text_of(const json_t *object, const char *member)
{
	return json_string_value(json_object_get(object, member));
}

static bool number_of(const json_t *object, const char *member, uint64_t *ret)
{
	return json_to_number(json_object_get(object, member), ret);
}

static uint64_t count_of(const json_t *object, const char *member)
{
	uint64_t n = 0;

	(void)number_of(object, member, &n);
	return n;
}

static void put_grouped(FILE *f, uint64_t n, const char *what)
{
	char buf[TEXT_GROUPED_MAX];

	fprintf(f, "%s %s%s", text_grouped(n, buf), what, n == 1 ? "" : "s");
}

/* ---- the head: the verdict, the name, what it is ---- */

static const struct {
	const char *value;
	const char *word; /* all as wide, so that names line up */
	enum paint paint;
} words[] = {
	{ "accept", "ACCEPT  ", PAINT_GOOD },
	{ "review", "REVIEW  ", PAINT_DOUBT },
	{ "reject", "REJECT  ", PAINT_BAD },
};

static void put_word(const struct page *p, const char *value)
{
	for (size_t i = 0; value != NULL && i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(value, words[i].value) == 0) {
			page_put(p, words[i].paint, words[i].word);
			return;
		}
	}
	page_put(p, PAINT_ERROR, "ERROR   ");
}

static bool is_accepted(const json_t *verdict)
{
	return verdict_value_of(verdict) == VERDICT_ACCEPT;
}

/* "input-unreadable: the link leads to nothing; trying again may help".  Of what is rejected for a reason, nobody asks. */
static void put_cause(FILE *f, const json_t *verdict, const char *separator)
{
	const json_t *scan = json_object_get(verdict, "scan");
	const char *cause = text_of(scan, "error");
	const char *detail = text_of(scan, "detail");
	const char *retry = text_of(scan, "retry");

	if (cause == NULL && json_is_false(json_object_get(verdict, "complete")) &&
	    verdict_value_of(verdict) != VERDICT_REJECT)
		cause = "not read to its end";
	if (cause == NULL)
		return;
	fprintf(f, "%s%s", separator, cause);
	if (detail != NULL)
		fprintf(f, ": %s", detail);
	if (retry != NULL && strcmp(retry, "later") == 0)
		fputs("; trying again may help", f);
}

static void put_bad_count(FILE *f, uint64_t n, const char *what)
{
	char buf[TEXT_GROUPED_MAX];

	if (n > 0)
		fprintf(f, ", %s %s", text_grouped(n, buf), what);
}

static void put_bad_counts(FILE *f, const json_t *counts)
{
	put_bad_count(f, count_of(counts, "nan"), "NaN");
	put_bad_count(f, count_of(counts, "pos_inf"), "+Inf");
	put_bad_count(f, count_of(counts, "neg_inf"), "-Inf");
	put_bad_count(f, count_of(counts, "bool_invalid"), "invalid booleans");
}

static bool all_finite(const json_t *weights)
{
	return (count_of(weights, "nan") | count_of(weights, "pos_inf") | count_of(weights, "neg_inf") |
		   count_of(weights, "bool_invalid")) == 0;
}

/* ", 291 tensors, all finite"; nothing of what has none. */
static void put_weights_short(FILE *f, const json_t *weights)
{
	if (count_of(weights, "tensors") == 0)
		return;
	fputs(", ", f);
	put_grouped(f, count_of(weights, "tensors"), "tensor");
	if (!all_finite(weights))
		put_bad_counts(f, weights);
	else if (count_of(weights, "elements") > 0)
		fputs(", all finite", f);
}

static void put_file_facts(FILE *f, const json_t *verdict)
{
	const json_t *file = json_object_get(verdict, "file");
	const char *format = text_of(verdict, "format");
	char buf[TEXT_SIZE_MAX];
	uint64_t size;

	if (!number_of(file, "size", &size) || (text_of(file, "sha256") == NULL && format == NULL))
		return;
	fprintf(f, "%s, %s", format != NULL ? format : "unknown format", text_size(size, buf));
	put_weights_short(f, json_object_get(verdict, "weights"));
}

/* Of what asks for a person's look, it matters whether all of it was seen. */
static bool is_read_whole(const json_t *verdict)
{
	return verdict_value_of(verdict) == VERDICT_REVIEW && !verdict_is_set(verdict) &&
	       json_is_true(json_object_get(verdict, "complete"));
}

/* ", but accept by exceptions of ann and bob": gates go by it. */
static void put_effective(FILE *f, const json_t *verdict)
{
	const char *separator = " by exceptions of ";
	const json_t *one;
	size_t i;

	if (verdict_effective_of(verdict) == verdict_value_of(verdict))
		return;
	fprintf(f, ", but %s", verdict_text(verdict_effective_of(verdict)));
	json_array_foreach (json_object_get(verdict, "exceptions"), i, one) {
		fprintf(f, "%s%s", separator, verdict_member(one, "by"));
		separator = ", ";
	}
}

/* What it is, in a line's rest. */
static char *facts_text(const json_t *verdict)
{
	size_t set_aside = json_array_size(json_object_get(verdict, "suppressed"));
	uint64_t observed = count_of(json_object_get(verdict, "policy"), "observed");
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (f == NULL)
		return NULL;
	if (verdict_is_set(verdict))
		put_grouped(f, json_array_size(json_object_get(verdict, "members")), "file");
	else
		put_file_facts(f, verdict);
	if (set_aside > 0) {
		fputs(", ", f);
		put_grouped(f, set_aside, "finding");
		fputs(" set aside by the policy", f);
	}
	put_effective(f, verdict);
	if (observed > 0) {
		fputs(", ", f);
		put_grouped(f, observed, "finding");
		fputs(" of newer rules observed only", f);
	}
	if (is_read_whole(verdict))
		fputs(", read to its end", f);
	put_cause(f, verdict, ftell(f) > 0 ? "; " : "");
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

/* A name is never broken; what follows it gets a line of its own where both do not fit, unless one line is all there is. */
static void put_head(const struct page *p, const json_t *verdict)
{
	bool set = verdict_is_set(verdict);
	const char *name = text_of(set ? verdict : json_object_get(verdict, "file"), "name");
	_cleanup_(freep) char *facts = facts_text(verdict);
	size_t columns;

	name = name != NULL ? name : "(no name)";
	put_word(p, text_of(verdict, "verdict"));
	page_put(p, PAINT_NONE, name);
	page_put(p, PAINT_NONE, set ? ", as a set" : "");
	columns = strlen(INDENT) + page_columns(name) + strlen(set ? ", as a set" : "") + 2;
	if (facts == NULL || facts[0] == '\0') {
		fputc('\n', p->f);
	} else if (is_accepted(verdict) || p->style->width == 0 || columns + page_columns(facts) <= p->style->width) {
		page_put(p, PAINT_NONE, "  ");
		page_put(p, PAINT_NONE, facts);
		fputc('\n', p->f);
	} else {
		fputc('\n', p->f);
		page_paragraph(p, INDENT, "", facts);
	}
}

/* ---- what else there is to tell, on request ---- */

static void put_labelled(const struct page *p, const char *label, const char *text)
{
	page_paragraph(p, INDENT, label, text != NULL ? text : "not known");
}

static void put_suppressed(const struct page *p, const json_t *verdict)
{
	const json_t *one;
	size_t i;

	json_array_foreach (json_object_get(verdict, "suppressed"), i, one) {
		_cleanup_(freep) char *text = NULL;

		if (asprintf(&text, "%s: %s", verdict_member(one, "code"), verdict_member(one, "reason")) < 0)
			text = NULL;
		put_labelled(p, "set aside: ", text);
	}
}

static void put_row(const struct page *p, const json_t *row)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	uint64_t first;

	if (f == NULL)
		return;
	(void)sentence_value(f, json_object_get(row, "tensor"));
	fprintf(f, ", %s", verdict_member(row, "dtype"));
	put_bad_counts(f, row);
	if (number_of(row, "first_offset", &first)) {
		fputs(", first at byte ", f);
		(void)sentence_value(f, json_object_get(row, "first_offset"));
	} else if (number_of(row, "member_offset", &first)) {
		fputs(", first at byte ", f);
		(void)sentence_value(f, json_object_get(row, "member_offset"));
		fputs(" of what the member holds", f);
	}
	if (fclose(f) == 0)
		page_paragraph(p, DEEPER, "", text);
	free(text);
}

static void put_weights(const struct page *p, const json_t *verdict)
{
	const json_t *weights = json_object_get(verdict, "weights");
	const json_t *rows = json_object_get(weights, "nonfinite");
	char buf[TEXT_GROUPED_MAX];

	if (!json_is_object(weights))
		return;
	fputs(INDENT "weights: ", p->f);
	put_grouped(p->f, count_of(weights, "tensors"), "tensor");
	fprintf(p->f, ", %s floating-point elements", text_grouped(count_of(weights, "elements"), buf));
	put_bad_counts(p->f, weights);
	fputs(all_finite(weights) && count_of(weights, "elements") > 0 ? ", all finite\n" : "\n", p->f);
	for (size_t i = 0; i < json_array_size(rows); i++)
		put_row(p, json_array_get(rows, i));
	if (count_of(weights, "nonfinite_omitted") > 0)
		fprintf(p->f, DEEPER "and %s tensors that are only counted\n",
		    text_grouped(count_of(weights, "nonfinite_omitted"), buf));
}

static void put_scan(const struct page *p, const json_t *verdict)
{
	const json_t *scan = json_object_get(verdict, "scan");
	const json_t *policy = json_object_get(verdict, "policy");
	const json_t *layer;
	char *text = NULL;
	size_t i, n = 0;
	FILE *f = open_memstream(&text, &n);

	if (f == NULL)
		return;
	fputs(verdict_member(policy, "name"), f);
	if (count_of(policy, "pin_rules") > 0)
		fprintf(f, ", pinned to rules version %" PRIu64 "%s", count_of(policy, "pin_rules"),
		    json_is_true(json_object_get(policy, "pin_malicious")) ? ", malicious ones too" : "");
	fprintf(f, "; %.1f ms; %s", json_number_value(json_object_get(scan, "duration_ms")),
	    verdict_member(scan, "engine"));
	json_array_foreach (json_object_get(scan, "layers"), i, layer)
		fprintf(f, "%s%s", i == 0 ? "; jail: " : " ",
		    json_string_value(layer) != NULL ? json_string_value(layer) : "?");
	if (fclose(f) == 0)
		put_labelled(p, "policy:  ", text);
	free(text);
}

static void put_details(const struct page *p, const json_t *verdict)
{
	const json_t *size = json_object_get(json_object_get(verdict, "file"), "size");
	bool set = verdict_is_set(verdict);

	put_labelled(p, "sha256:  ", text_of(set ? verdict : json_object_get(verdict, "file"), "sha256"));
	if (json_is_integer(size) && json_integer_value(size) >= 1000) {
		fputs(INDENT "size:    ", p->f);
		put_grouped(p->f, (uint64_t)json_integer_value(size), "byte");
		fputc('\n', p->f);
	}
	put_weights(p, verdict);
	put_suppressed(p, verdict);
	put_scan(p, verdict);
}

char *print_text(const struct print_style *style, const json_t *verdict)
{
	char *text = NULL;
	size_t n;
	struct page p = { .f = open_memstream(&text, &n), .style = style };
	bool failed;

	if (p.f == NULL)
		return NULL;
	put_head(&p, verdict);
	if (style->verbose || !is_accepted(verdict))
		print_findings(&p, json_object_get(verdict, "findings"));
	print_calls(&p, verdict);
	if (style->verbose)
		put_details(&p, verdict);
	failed = ferror(p.f);
	if (fclose(p.f) == 0 && !failed)
		return text;
	free(text);
	return NULL;
}
