/* A verdict for people, most important first: the word, the file, the reasons; what it is; what was found,
 * where, and what would have been right; the weights.  Every text out of the verdict goes through put(),
 * which lets nothing through that acts on a terminal: a verdict may come from a daemon, and names come from
 * whoever made the file. */
#include "print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "cli.h"
#include "findings.h"
#include "verdict.h"
#include "verdict_json.h"

#define FINDINGS_SHOWN 20 /* unless verbose: more do not help at a glance */
#define ROWS_SHOWN 10

#define INDENT "        "
#define DEEPER INDENT "          "

enum paint { PAINT_GOOD, PAINT_DOUBT, PAINT_BAD, PAINT_ERROR, PAINT_DIM, N_PAINTS };

static const char *const paints[N_PAINTS] = {
	[PAINT_GOOD] = "\x1b[32m",
	[PAINT_DOUBT] = "\x1b[33m",
	[PAINT_BAD] = "\x1b[1;31m",
	[PAINT_ERROR] = "\x1b[35m",
	[PAINT_DIM] = "\x1b[2m",
};

struct page {
	FILE *f;
	const struct print_style *style;
};

static void put(const struct page *p, const char *text)
{
	_cleanup_(freep) char *safe = text_safe(text);

	fputs(safe != NULL ? safe : "?", p->f);
}

static void put_painted(const struct page *p, enum paint paint, const char *text)
{
	if (p->style->color)
		fputs(paints[paint], p->f);
	put(p, text);
	if (p->style->color)
		fputs("\x1b[0m", p->f);
}

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

static void put_grouped(const struct page *p, uint64_t n)
{
	char buf[TEXT_GROUPED_MAX];

	fputs(text_grouped(n, buf), p->f);
}

/* Text quoted, numbers grouped, null as a word. */
static void put_value(const struct page *p, const json_t *value)
{
	if (json_is_integer(value)) {
		if (json_integer_value(value) < 0)
			fprintf(p->f, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		else
			put_grouped(p, (uint64_t)json_integer_value(value));
	} else if (json_is_string(value)) {
		fputc('"', p->f);
		put(p, json_string_value(value));
		fputc('"', p->f);
	} else {
		fputs("nothing", p->f);
	}
}

/* ---- the head: verdict, name, reasons ---- */

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
			put_painted(p, words[i].paint, words[i].word);
			return;
		}
	}
	put_painted(p, PAINT_ERROR, "ERROR   ");
}

static void put_reasons(const struct page *p, const json_t *verdict)
{
	const json_t *reasons = json_object_get(verdict, "reasons");
	const json_t *reason;
	size_t i;

	json_array_foreach (reasons, i, reason) {
		fputs(i == 0 ? "  " : ", ", p->f);
		put(p, json_string_value(reason) != NULL ? json_string_value(reason) : "?");
	}
}

/* "  input-unreadable: the link leads to nothing; trying again may help" */
static void put_cause(const struct page *p, const json_t *verdict)
{
	const json_t *scan = json_object_get(verdict, "scan");
	const char *cause = text_of(scan, "error");
	const char *detail = text_of(scan, "detail");
	const char *retry = text_of(scan, "retry");

	if (cause == NULL && json_is_false(json_object_get(verdict, "complete")))
		cause = "not fully examined";
	if (cause == NULL)
		return;
	fputs("  ", p->f);
	put(p, cause);
	if (detail != NULL) {
		fputs(": ", p->f);
		put(p, detail);
	}
	if (retry != NULL && strcmp(retry, "later") == 0)
		fputs("; trying again may help", p->f);
}

/* Then the cause says more than its class. */
static bool is_error(const json_t *verdict)
{
	const char *value = text_of(verdict, "verdict");

	return value != NULL && strcmp(value, "error") == 0;
}

static void put_head(const struct page *p, const json_t *verdict)
{
	bool set = verdict_is_set(verdict);
	const char *name = text_of(set ? verdict : json_object_get(verdict, "file"), "name");

	put_word(p, text_of(verdict, "verdict"));
	put(p, name != NULL ? name : "(no name)");
	if (set)
		fputs(", as a set", p->f);
	if (!is_error(verdict))
		put_reasons(p, verdict);
	put_cause(p, verdict);
	fputc('\n', p->f);
}

/* ---- what it is ---- */

static void put_file(const struct page *p, const json_t *verdict)
{
	const json_t *file = json_object_get(verdict, "file");
	const char *format = text_of(verdict, "format");
	const char *sha256 = text_of(file, "sha256");
	char buf[TEXT_SIZE_MAX];
	uint64_t size;

	if (!number_of(file, "size", &size) || (sha256 == NULL && format == NULL))
		return;
	fputs(INDENT, p->f);
	put(p, format != NULL ? format : "unknown format");
	fprintf(p->f, ", %s", text_size(size, buf));
	if (size >= 1000) {
		fputs(" (", p->f);
		put_grouped(p, size);
		fputs(" bytes)", p->f);
	}
	fputs(", sha256 ", p->f);
	put(p, sha256 != NULL ? sha256 : "not known");
	fputc('\n', p->f);
}

/* ---- findings ---- */

static void put_where(const struct page *p, const json_t *finding)
{
	const char *member = text_of(finding, "member");
	uint64_t offset;

	if (member != NULL) {
		fputs(" in ", p->f);
		put(p, member);
	}
	if (number_of(finding, "offset", &offset) || number_of(finding, "member_offset", &offset)) {
		fputs(" at byte ", p->f);
		put_grouped(p, offset);
		if (offset > 9)
			fprintf(p->f, " (0x%" PRIx64 ")", offset);
		if (json_object_get(finding, "member_offset") != NULL)
			fputs(" of what the member holds", p->f);
	}
}

static void put_separator(const struct page *p, bool *any)
{
	fputs(*any ? ", " : DEEPER, p->f);
	*any = true;
}

/* found 40, allowed 0, about "w", 3 times - whatever of it is known. */
static void put_particulars(const struct page *p, const json_t *finding)
{
	static const char *const members[] = { "found", "allowed", "subject" };
	static const char *const labels[] = { "found ", "allowed ", "about " };
	bool any = false;
	uint64_t count;

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const json_t *value = json_object_get(finding, members[i]);

		if (value == NULL || json_is_null(value))
			continue;
		put_separator(p, &any);
		fputs(labels[i], p->f);
		put_value(p, value);
	}
	if (number_of(finding, "count", &count) && count > 1) {
		put_separator(p, &any);
		put_grouped(p, count);
		fputs(" times", p->f);
	}
	if (any)
		fputc('\n', p->f);
}

static void put_line(const struct page *p, const char *label, const char *text)
{
	fprintf(p->f, DEEPER "%s", label);
	put(p, text);
	fputc('\n', p->f);
}

static void put_explanation(const struct page *p, const char *code)
{
	enum wlk_finding f;

	if (code == NULL || !finding_by_code(code, &f))
		return;
	put_line(p, "why:    ", finding_info(f)->why);
	put_line(p, "fix:    ", finding_info(f)->fix);
	put_line(p, "clause: ", finding_info(f)->clause);
}

static enum paint paint_of(const char *action)
{
	if (action != NULL && strcmp(action, "accept") == 0)
		return PAINT_DIM;
	return action != NULL && strcmp(action, "review") == 0 ? PAINT_DOUBT : PAINT_BAD;
}

/* What is wrong, less the numbers of the message: they are shown better beside it.  A code this build does
 * not know (the daemon may be newer) is told in the message's words. */
static const char *title_of(const json_t *finding, const char *code)
{
	enum wlk_finding f;

	if (code != NULL && finding_by_code(code, &f))
		return finding_info(f)->title;
	return text_of(finding, "message");
}

static void put_finding(const struct page *p, const json_t *finding)
{
	const char *severity = text_of(finding, "severity");
	const char *code = text_of(finding, "code");
	const char *title = title_of(finding, code);
	char padded[16];

	(void)snprintf(padded, sizeof(padded), "%-10.10s", severity != NULL ? severity : "?");
	fputs(INDENT, p->f);
	put_painted(p, paint_of(text_of(finding, "action")), padded);
	put(p, code != NULL ? code : "?");
	put_where(p, finding);
	fputs(": ", p->f);
	put(p, title != NULL ? title : "?");
	fputc('\n', p->f);
	put_particulars(p, finding);
	if (p->style->verbose)
		put_explanation(p, code);
}

static void put_more(const struct page *p, size_t n, const char *what)
{
	fprintf(p->f, INDENT "... and %zu more %s (--verbose shows all)\n", n, what);
}

static void put_findings(const struct page *p, const json_t *verdict)
{
	const json_t *findings = json_object_get(verdict, "findings");
	size_t n = json_array_size(findings);
	size_t shown = !p->style->verbose && n > FINDINGS_SHOWN ? FINDINGS_SHOWN : n;

	for (size_t i = 0; i < shown; i++)
		put_finding(p, json_array_get(findings, i));
	if (shown < n)
		put_more(p, n - shown, "findings");
}

static void put_suppressed(const struct page *p, const json_t *verdict)
{
	const json_t *suppressed = json_object_get(verdict, "suppressed");
	const json_t *one;
	size_t i;

	if (json_array_size(suppressed) > 0 && !p->style->verbose)
		fprintf(
		    p->f, INDENT "%zu set aside by the policy (--verbose shows why)\n", json_array_size(suppressed));
	if (!p->style->verbose)
		return;
	json_array_foreach (suppressed, i, one) {
		const char *code = text_of(one, "code");
		const char *reason = text_of(one, "reason");

		fputs(INDENT "set aside ", p->f);
		put(p, code != NULL ? code : "?");
		fputs(": ", p->f);
		put(p, reason != NULL ? reason : "no reason given");
		fputc('\n', p->f);
	}
}

/* ---- calls, where they were asked for ---- */

static void put_call(const struct page *p, const json_t *call)
{
	const char *standing = text_of(call, "standing"), *text = text_of(call, "text");
	char padded[16];

	(void)snprintf(padded, sizeof(padded), "%-10.10s", standing != NULL ? standing : "?");
	fputs(DEEPER, p->f);
	put_painted(p,
	    standing == NULL || strcmp(standing, "dangerous") == 0 ? PAINT_BAD
	    : strcmp(standing, "allowed") == 0                     ? PAINT_DIM
								   : PAINT_DOUBT,
	    padded);
	put(p, text != NULL ? text : "?");
	put_where(p, call);
	fputc('\n', p->f);
}

static bool is_allowed(const json_t *call)
{
	const char *standing = text_of(call, "standing");

	return standing != NULL && strcmp(standing, "allowed") == 0;
}

static void put_calls(const struct page *p, const json_t *verdict)
{
	const json_t *calls = json_object_get(verdict, "calls"), *call;
	size_t i, n_allowed = 0;

	if (!json_is_array(calls))
		return;
	fputs(json_array_size(calls) > 0 ? INDENT "loading it would call, in this order:\n"
					 : INDENT "no call was seen that loading it would make\n",
	    p->f);
	json_array_foreach (calls, i, call) {
		if (is_allowed(call) && !p->style->verbose)
			n_allowed++;
		else
			put_call(p, call);
	}
	n_allowed += count_of(json_object_get(verdict, "facts"), "calls_omitted");
	if (n_allowed > 0)
		fprintf(p->f, DEEPER "and %zu more%s\n", n_allowed,
		    p->style->verbose ? "" : " that are allowed, or beyond what is listed");
}

/* ---- weights ---- */

static void put_bad_counts(const struct page *p, const json_t *counts)
{
	uint64_t bools = count_of(counts, "bool_invalid");

	put_grouped(p, count_of(counts, "nan"));
	fputs(" NaN, ", p->f);
	put_grouped(p, count_of(counts, "pos_inf"));
	fputs(" +Inf, ", p->f);
	put_grouped(p, count_of(counts, "neg_inf"));
	fputs(" -Inf", p->f);
	if (bools > 0) {
		fputs(", ", p->f);
		put_grouped(p, bools);
		fputs(" invalid booleans", p->f);
	}
}

static void put_row(const struct page *p, const json_t *row)
{
	const char *tensor = text_of(row, "tensor");
	const char *dtype = text_of(row, "dtype");
	uint64_t first;

	fputs(DEEPER, p->f);
	put(p, dtype != NULL ? dtype : "?");
	fputs(" \"", p->f);
	put(p, tensor != NULL ? tensor : "?");
	fputs("\": ", p->f);
	put_bad_counts(p, row);
	if (number_of(row, "first_offset", &first) || number_of(row, "member_offset", &first)) {
		fputs(", first at byte ", p->f);
		put_grouped(p, first);
		fputs(json_object_get(row, "member_offset") != NULL ? " of what the member holds" : "", p->f);
	}
	fputc('\n', p->f);
}

static void put_rows(const struct page *p, const json_t *weights)
{
	const json_t *rows = json_object_get(weights, "nonfinite");
	size_t n = json_array_size(rows);
	size_t shown = !p->style->verbose && n > ROWS_SHOWN ? ROWS_SHOWN : n;

	for (size_t i = 0; i < shown; i++)
		put_row(p, json_array_get(rows, i));
	if (shown < n)
		put_more(p, n - shown, "tensors");
	if (count_of(weights, "nonfinite_omitted") > 0) {
		fputs(DEEPER "and ", p->f);
		put_grouped(p, count_of(weights, "nonfinite_omitted"));
		fputs(" tensors that are only counted\n", p->f);
	}
}

static bool all_finite(const json_t *weights)
{
	return (count_of(weights, "nan") | count_of(weights, "pos_inf") | count_of(weights, "neg_inf") |
		   count_of(weights, "bool_invalid")) == 0;
}

static void put_weights(const struct page *p, const json_t *verdict)
{
	const json_t *weights = json_object_get(verdict, "weights");
	uint64_t elements = count_of(weights, "elements");

	if (!json_is_object(weights))
		return;
	fputs(INDENT "weights: ", p->f);
	put_grouped(p, count_of(weights, "tensors"));
	fputs(count_of(weights, "tensors") == 1 ? " tensor, " : " tensors, ", p->f);
	put_grouped(p, elements);
	fputs(" floating-point elements", p->f);
	if (!all_finite(weights)) {
		fputs(", ", p->f);
		put_bad_counts(p, weights);
	} else if (elements > 0) {
		fputs(", all finite", p->f);
	}
	fputc('\n', p->f);
	put_rows(p, weights);
}

/* ---- how it was judged ---- */

static void put_scan(const struct page *p, const json_t *verdict)
{
	const json_t *scan = json_object_get(verdict, "scan");
	const json_t *policy = json_object_get(verdict, "policy");
	const json_t *layer;
	size_t i;

	fputs(INDENT "policy: ", p->f);
	put(p, text_of(policy, "name") != NULL ? text_of(policy, "name") : "?");
	fprintf(p->f, "; %.1f ms; ", json_number_value(json_object_get(scan, "duration_ms")));
	put(p, text_of(scan, "engine") != NULL ? text_of(scan, "engine") : "?");
	fputc('\n', p->f);
	json_array_foreach (json_object_get(scan, "layers"), i, layer) {
		fputs(i == 0 ? INDENT "jail:   " : " ", p->f);
		put(p, json_string_value(layer) != NULL ? json_string_value(layer) : "?");
	}
	if (i > 0)
		fputc('\n', p->f);
}

static void put_set(const struct page *p, const json_t *verdict)
{
	const char *sha256 = text_of(verdict, "sha256");
	size_t n = json_array_size(json_object_get(verdict, "members"));

	fputs(INDENT, p->f);
	put_grouped(p, n);
	fprintf(p->f, " file%s, sha256 ", n == 1 ? "" : "s");
	put(p, sha256 != NULL ? sha256 : "not known");
	fputc('\n', p->f);
}

static void put_verdict(const struct page *p, const json_t *verdict)
{
	put_head(p, verdict);
	if (verdict_is_set(verdict))
		put_set(p, verdict);
	else
		put_file(p, verdict);
	put_findings(p, verdict);
	put_suppressed(p, verdict);
	put_calls(p, verdict);
	put_weights(p, verdict);
	if (p->style->verbose)
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
	put_verdict(&p, verdict);
	failed = ferror(p.f);
	if (fclose(p.f) == 0 && !failed)
		return text;
	free(text);
	return NULL;
}
