/* JUnit XML, as CI systems read it in: a test case for each file, which fails with its findings, or has an error when it
 * could not be judged.  The counts stand in front of the cases, so the cases wait in a temporary file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "output.h"
#include "verdict_json.h"

struct junit {
	FILE *cases;
	size_t n, n_failures, n_errors;
};

/* XML 1.0, 2.2: what may not stand in a document at all becomes U+FFFD. The texts are UTF-8, as jansson has them. */
static size_t forbidden(const unsigned char *c)
{
	if (c[0] < 0x20 && c[0] != '\t' && c[0] != '\n' && c[0] != '\r')
		return 1;
	return c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe ? 3 : 0;
}

static void put_text(FILE *f, const char *text)
{
	static const char special[] = "&<>\"'\t\n\r";

	for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
		size_t skip = forbidden(c);

		if (skip > 0)
			fputs("&#xFFFD;", f);
		else if (strchr(special, *c) != NULL)
			fprintf(f, "&#%u;", *c);
		else
			fputc(*c, f);
		c += skip > 0 ? skip : 1;
	}
}

static void put_attribute(FILE *f, const char *name, const char *text)
{
	fprintf(f, " %s=\"", name);
	put_text(f, text);
	fputc('"', f);
}

/* ---- a case ---- */

static void put_findings(FILE *f, const json_t *verdict)
{
	const json_t *finding;
	size_t i;

	json_array_foreach (json_object_get(verdict, "findings"), i, finding) {
		_cleanup_(freep) char *sentence = finding_sentence(finding);

		if (strcmp(verdict_member(finding, "action"), "accept") == 0 || sentence == NULL)
			continue;
		put_text(f, sentence);
		fputc('\n', f);
	}
}

/* The message is what lists of failures show. */
static int put_problem(FILE *f, const char *element, const char *type, const json_t *verdict)
{
	_cleanup_(freep) char *sentence = reason_sentence(verdict);

	if (sentence == NULL)
		return -ENOMEM;
	fprintf(f, "<%s", element);
	put_attribute(f, "type", type);
	put_attribute(f, "message", sentence);
	fputc('>', f);
	put_findings(f, verdict);
	fprintf(f, "</%s>", element);
	return 0;
}

static int put_outcome(struct output *o, const json_t *verdict)
{
	struct junit *j = o->state;
	enum verdict_value value = verdict_effective_of(verdict);

	if (value == VERDICT_ERROR) {
		j->n_errors++;
		return put_problem(j->cases, "error", "error", verdict);
	}
	if ((value == VERDICT_REJECT && o->failing.reject) || (value == VERDICT_REVIEW && o->failing.review)) {
		j->n_failures++;
		return put_problem(j->cases, "failure", verdict_text(value), verdict);
	}
	return 0;
}

static const char *class_of(const json_t *verdict)
{
	const char *format = verdict_member(verdict, "format");

	if (verdict_is_set(verdict))
		return "set";
	return format[0] != '\0' ? format : "unknown";
}

/* In the verdict's own spelling, which shows bytes that are no text. */
static const char *name_of(const json_t *verdict)
{
	const char *name = verdict_member(verdict_is_set(verdict) ? verdict : json_object_get(verdict, "file"), "name");

	return name[0] != '\0' ? name : "stdin";
}

static int junit_put(struct output *o, const struct shown *s, const json_t *verdict)
{
	struct junit *j = o->state;
	double ms = json_number_value(json_object_get(json_object_get(verdict, "scan"), "duration_ms"));
	int r;

	(void)s;
	j->n++;
	fputs("  <testcase", j->cases);
	put_attribute(j->cases, "name", name_of(verdict));
	put_attribute(j->cases, "classname", class_of(verdict));
	fprintf(j->cases, " time=\"%.3f\">", ms / 1000);
	r = put_outcome(o, verdict);
	fputs("</testcase>\n", j->cases);
	return ferror(j->cases) ? -EIO : r;
}

/* ---- the document ---- */

static int junit_begin(struct output *o)
{
	struct junit *j = o->state;

	j->cases = tmpfile();
	return j->cases != NULL ? 0 : -errno;
}

static void put_suite(FILE *f, const struct junit *j, const struct outcome *outcome, const char *element)
{
	fprintf(f, "<%s name=\"weighlock\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\" time=\"%.3f\"",
	    element, j->n, j->n_failures, j->n_errors, (double)outcome->elapsed_ms / 1000);
}

/* Ends early: no list of cases that passed must look like all there were. */
static void put_unfinished(struct junit *j)
{
	j->n++;
	j->n_errors++;
	fputs("  <testcase name=\"the scan\" classname=\"weighlock\" time=\"0\"><error type=\"incomplete\" "
	      "message=\"the scan ended early\"></error></testcase>\n",
	    j->cases);
}

static int junit_end(struct output *o, const struct outcome *outcome)
{
	struct junit *j = o->state;
	char begun[TIME_TEXT_MAX];
	int r;

	if (!outcome->whole)
		put_unfinished(j);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", o->f);
	put_suite(o->f, j, outcome, "testsuites");
	fputs(">\n", o->f);
	put_suite(o->f, j, outcome, "testsuite");
	put_attribute(o->f, "timestamp", time_text(outcome->started_at, begun));
	fputs(">\n", o->f);
	r = output_copy(j->cases, o->f);
	fputs("</testsuite>\n</testsuites>\n", o->f);
	return r;
}

static void junit_free(struct output *o)
{
	struct junit *j = o->state;

	if (j->cases != NULL)
		(void)fclose(j->cases);
}

const struct writer writer_junit = { .name = "junit",
	.state_size = sizeof(struct junit),
	.all = true,
	.begin = junit_begin,
	.put = junit_put,
	.end = junit_end,
	.free = junit_free };
