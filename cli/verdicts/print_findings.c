/* See print_findings.h.  Findings of one code share their reason and their way out, so they stand together: their sentences, then
 * what to do. */
#include "print_findings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "cli.h"
#include "finding_says.h"
#include "sentence.h"
#include "verdict.h"
#include "verdict_json.h"

#define CODES_SHOWN 5    /* unless verbose: more do not help at a glance */
#define FINDINGS_SHOWN 3 /* of each code */
#define PACKS_NAMED 4

#define INDENT "        "
#define DEEPER INDENT "  "

static bool is_code(const json_t *finding, const char *code)
{
	return strcmp(verdict_member(finding, "code"), code) == 0;
}

static bool decides(const json_t *finding)
{
	return strcmp(verdict_member(finding, "action"), "accept") != 0;
}

static bool alike(const json_t *a, const json_t *b, const char *member)
{
	return strcmp(verdict_member(a, member), verdict_member(b, member)) == 0;
}

/* What is called was imported, too: once is enough. */
bool finding_is_implied(const json_t *findings, const json_t *finding)
{
	const json_t *other;
	size_t i;

	if (!is_code(finding, finding_info(WLK_F_PICKLE_GLOBAL_DANGEROUS)->code))
		return false;
	json_array_foreach (findings, i, other)
		if (is_code(other, finding_info(WLK_F_PICKLE_CALL_DANGEROUS)->code) &&
		    alike(other, finding, "subject") && alike(other, finding, "member"))
			return true;
	return false;
}

static bool is_shown(const struct page *p, const json_t *findings, const json_t *finding)
{
	return p->style->verbose || (decides(finding) && !finding_is_implied(findings, finding));
}

/* ---- one finding ---- */

static void put_value_of(FILE *f, const json_t *finding, const char *member, const char **separator)
{
	const json_t *value = json_object_get(finding, member);

	if (value == NULL || json_is_null(value))
		return;
	fprintf(f, "%s%s ", *separator, member);
	if (!sentence_value(f, value))
		fputs("nothing", f);
	*separator = ", ";
}

void print_place(FILE *f, const struct page *p, const json_t *object, const char *separator)
{
	bool decoded = json_object_get(object, "member_offset") != NULL;
	uint64_t offset;

	if (json_to_number(json_object_get(object, decoded ? "member_offset" : "offset"), &offset)) {
		char grouped[TEXT_GROUPED_MAX];

		fprintf(f, "%sbyte %s", separator, text_grouped(offset, grouped));
		if (p->style->verbose && offset > 9)
			fprintf(f, ", 0x%" PRIx64, offset);
		separator = decoded ? " of what is " : ", ";
	}
	if (verdict_member(object, "member")[0] != '\0') {
		fprintf(f, "%sin ", separator);
		(void)sentence_value(f, json_object_get(object, "member"));
	}
}

/* " (found 3, allowed 4; byte 26, in data.pkl)"; values only where the sentence has not told them, or all is wanted. */
static void put_particulars(FILE *f, const struct page *p, const json_t *finding, bool says)
{
	const char *separator = " (";
	long before = ftell(f);

	if (!says || p->style->verbose) {
		put_value_of(f, finding, "found", &separator);
		put_value_of(f, finding, "allowed", &separator);
	}
	print_place(f, p, finding, strcmp(separator, ", ") == 0 ? "; " : separator);
	if (ftell(f) > before)
		fputc(')', f);
}

/* Return: does the sentence say what would happen? */
static bool put_finding(const struct page *p, const json_t *finding)
{
	bool says = false;
	_cleanup_(freep) char *sentence = sentence_make(finding, &says);
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (f == NULL)
		return false;
	fputs(sentence != NULL ? sentence : "?", f);
	put_particulars(f, p, finding, says);
	if (fclose(f) == 0)
		page_paragraph(p, INDENT, "", text);
	free(text);
	return says;
}

/* ---- those of one code ---- */

/* Where one code's findings begin, and what there is of them. */
struct group {
	const json_t *findings, *first;
	size_t n;       /* listed and shown */
	uint64_t total; /* there are, listed or not */
};

static bool is_in(const struct group *g, const struct page *p, const json_t *finding)
{
	return alike(finding, g->first, "code") && alike(finding, g->first, "action") &&
	       is_shown(p, g->findings, finding);
}

static void group_count(struct group *g, const struct page *p)
{
	const json_t *one;
	size_t i;

	json_array_foreach (g->findings, i, one) {
		uint64_t count;

		if (!is_in(g, p, one))
			continue;
		g->n++;
		g->total = g->total > g->n ? g->total : g->n;
		if (json_to_number(json_object_get(one, "count"), &count) && count > g->total)
			g->total = count;
	}
}

/* Return: as put_finding(), of the last one. */
static bool put_each(const struct group *g, const struct page *p)
{
	size_t i, n = 0, most = p->style->verbose ? g->n : FINDINGS_SHOWN;
	char grouped[TEXT_GROUPED_MAX];
	const json_t *one;
	bool says = false;

	json_array_foreach (g->findings, i, one) {
		if (n == most)
			break;
		if (!is_in(g, p, one))
			continue;
		says = put_finding(p, one);
		n++;
	}
	if (g->total > n)
		fprintf(p->f, INDENT "... and %s more like %s%s\n", text_grouped(g->total - n, grouped),
		    n == 1 ? "this" : "these", p->style->verbose ? "" : " (--verbose lists them)");
	return says;
}

/* The packs that verdicts propose (`by the pack NAME`), each once. */
static size_t packs_of(const struct group *g, const struct page *p, const char *packs[PACKS_NAMED], size_t *ret_names)
{
	static const char proposal[] = "by the pack ";
	size_t i, n = 0, at;
	const json_t *one;

	*ret_names = 0;
	json_array_foreach (g->findings, i, one) {
		const char *pack = verdict_member(one, "allowed");

		if (!is_in(g, p, one) || strncmp(pack, proposal, strlen(proposal)) != 0)
			continue;
		++*ret_names;
		pack += strlen(proposal);
		at = word_index(pack, packs, n);
		if (at == n && n < PACKS_NAMED)
			packs[n++] = pack;
	}
	return n;
}

/* "scan with --pack sklearn --pack scipy, which vouch for 7 of these 9 names" */
static void put_packs(const struct group *g, const struct page *p)
{
	const char *packs[PACKS_NAMED];
	size_t n_names, n = is_code(g->first, finding_info(WLK_F_PICKLE_GLOBAL_UNKNOWN)->code)
				? packs_of(g, p, packs, &n_names)
				: 0;
	char *text = NULL;
	size_t size = 0;
	FILE *f = n > 0 ? open_memstream(&text, &size) : NULL;

	if (f == NULL)
		return;
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s--pack %s", i == 0 ? "scan with " : " ", packs[i]);
	fprintf(f, ", which vouch%s for ", n == 1 ? "es" : "");
	if (n_names == g->total)
		fputs(g->total == 1 ? "this name" : "all of these names", f);
	else
		fprintf(f, "%zu of these %" PRIu64 " names", n_names, g->total);
	if (fclose(f) == 0)
		page_paragraph(p, DEEPER, "pack: ", text);
	free(text);
}

static void put_rule(const struct page *p, const json_t *finding)
{
	const char *observed = verdict_member(finding, "observed");
	_cleanup_(freep) char *text = NULL;

	if (asprintf(&text, "%s, %s%s%s", verdict_member(finding, "code"), verdict_member(finding, "severity"),
		observed[0] != '\0' ? "; observed only, unpinned: " : "", observed) < 0)
		text = NULL;
	page_paragraph(p, DEEPER, "rule: ", text != NULL ? text : "?");
}

/* Then its sentence says what would happen (tables.py). */
static bool acts(enum finding_class class)
{
	return class == CLASS_MALICIOUS || class == CLASS_CODE;
}

static void put_group(const struct page *p, const json_t *findings, const json_t *first)
{
	struct group g = { .findings = findings, .first = first };
	enum wlk_finding code;
	bool says;

	group_count(&g, p);
	says = put_each(&g, p);
	if (finding_by_code(verdict_member(first, "code"), &code)) {
		if (!says || !acts(finding_info(code)->class) || p->style->verbose)
			page_paragraph(p, DEEPER, "why:  ", finding_info(code)->why);
		put_packs(&g, p);
		if (decides(first))
			page_paragraph(p, DEEPER, "fix:  ", finding_info(code)->fix);
		if (p->style->verbose)
			page_paragraph(p, DEEPER, "see:  ", finding_info(code)->clause);
	}
	put_rule(p, first);
}

/* ---- all of them ---- */

static bool is_first(const json_t *findings, size_t at)
{
	const json_t *finding = json_array_get(findings, at);

	for (size_t i = 0; i < at; i++)
		if (alike(json_array_get(findings, i), finding, "code") &&
		    alike(json_array_get(findings, i), finding, "action"))
			return false;
	return true;
}

/* "8 harmless imports, 2 remarks" */
static void put_folded(const struct page *p, const json_t *findings)
{
	uint64_t n_named[WLK_N_FINDINGS] = { 0 }, n_others = 0, n_all = 0;
	const char *separator = INDENT;
	enum wlk_finding code;
	const json_t *one;
	size_t i;

	json_array_foreach (findings, i, one) {
		if (decides(one))
			continue;
		if (finding_by_code(verdict_member(one, "code"), &code) && finding_noun(code)[0] != '\0')
			n_named[code]++;
		else
			n_others++;
	}
	for (unsigned c = 0; c <= WLK_N_FINDINGS; c++) {
		uint64_t n = c < WLK_N_FINDINGS ? n_named[c] : n_others;

		if (n == 0)
			continue;
		fprintf(p->f, "%s%" PRIu64 " %s%s", separator, n,
		    c < WLK_N_FINDINGS ? finding_noun((enum wlk_finding)c) : "remark", n == 1 ? "" : "s");
		separator = ", ";
		n_all += n;
	}
	if (n_all > 0)
		fprintf(p->f, " (--verbose lists %s)\n", n_all == 1 ? "it" : "them");
}

void print_findings(const struct page *p, const json_t *findings)
{
	size_t i, n = 0, n_left = 0;
	const json_t *one;

	json_array_foreach (findings, i, one) {
		if (!is_first(findings, i) || !is_shown(p, findings, one))
			continue;
		if (p->style->verbose || n < CODES_SHOWN)
			put_group(p, findings, one);
		else
			n_left++;
		n++;
	}
	if (n_left > 0)
		fprintf(p->f, INDENT "... and findings of %zu more rule%s (--verbose lists them)\n", n_left,
		    n_left == 1 ? "" : "s");
	if (!p->style->verbose)
		put_folded(p, findings);
}
