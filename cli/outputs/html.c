/* One page about a scan, which needs nothing else: no server, no network, no file beside it.
 *
 * A line for each file and set is there without a script: verdict, name, format, size, why.  What else is known stands behind it
 * as JSON that nobody reads until the line is opened; the page's script (html/page.js) then shows it, as text nodes and drawings
 * that it makes itself.  The policy of the page allows that script and its style by their hashes and nothing else.
 *
 * The totals stand in front, so what comes before the end waits in a temporary file.  A page that browsers can open has an end, too:
 * beyond it details, and then lines, are left out, of accepted files first, and the page says so. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "cli.h"
#include "finding_references.h"
#include "findings.h"
#include "html_page.h"
#include "html_text.h"
#include "json_line.h"
#include "output.h"
#include "print_findings.h"
#include "sentence.h"
#include "tensors_json.h"
#include "verdict.h"

#define DETAILS_MAX ((uint64_t)64 << 20)     /* bytes of JSON; half of it for what is accepted */
#define LINES_MAX 50000u                     /* likewise */
#define TENSORS_MAX 2000u                    /* of a file */
#define TENSOR_BYTES_MAX ((uint64_t)1 << 20) /* they may have long names */
#define SENTENCES_MAX 8u                     /* of a file, without a script */
#define NAME_MAX_SHOWN 400u                  /* characters */
#define SENTENCE_MAX_SHOWN 300u

struct html {
	FILE *lines;
	size_t n, n_closed, n_unlisted; /* lines; of these without details; left out */
	uint64_t details;               /* bytes */
	bool raised[WLK_N_FINDINGS];
	json_t *policy; /* of the first verdict */
};

/* ---- what stands there without a script ---- */

static const char *name_of(const json_t *verdict)
{
	const char *name = verdict_member(verdict_is_set(verdict) ? verdict : json_object_get(verdict, "file"), "name");

	return name[0] != '\0' ? name : "standard input";
}

static const char *kind_of(const json_t *verdict)
{
	const char *format = verdict_member(verdict, "format");

	return verdict_is_set(verdict) ? "set" : format[0] != '\0' ? format : "unknown";
}

static void put_sentence(FILE *f, const json_t *finding)
{
	bool says;
	_cleanup_(freep) char *sentence = sentence_make(finding, &says);

	html_put(f, sentence != NULL ? sentence : "?", SENTENCE_MAX_SHOWN);
}

static uint64_t count_of(const json_t *weights, const char *member)
{
	uint64_t n = 0;

	(void)json_to_number(json_object_get(weights, member), &n);
	return n;
}

/* Of what is accepted: how much there is. */
static void put_weights(FILE *f, const json_t *weights)
{
	uint64_t tensors = count_of(weights, "tensors");
	bool finite = count_of(weights, "elements") > 0 &&
		      (count_of(weights, "nan") | count_of(weights, "pos_inf") | count_of(weights, "neg_inf") |
			  count_of(weights, "bool_invalid")) == 0;
	char text[TEXT_GROUPED_MAX];

	if (tensors > 0)
		fprintf(f, "%s tensor%s%s", text_grouped(tensors, text), tensors == 1 ? "" : "s",
		    finite ? ", all finite" : "");
}

static bool is_as_bad(const json_t *a, const json_t *b)
{
	return strcmp(verdict_member(a, "action"), verdict_member(b, "action")) == 0;
}

/* Why, in a line. */
static void put_reason(FILE *f, const json_t *verdict)
{
	size_t n = 0;
	const json_t *worst = worst_finding(verdict, &n), *findings = json_object_get(verdict, "findings"), *other;
	_cleanup_(freep) char *reason = NULL;
	size_t i;

	if (verdict_value_of(verdict) == VERDICT_ERROR ||
	    (worst == NULL && verdict_value_of(verdict) != VERDICT_ACCEPT)) {
		reason = reason_sentence(verdict);
		html_put(f, reason != NULL ? reason : "?", SENTENCE_MAX_SHOWN);
	} else if (worst != NULL) {
		json_array_foreach (findings, i, other)
			if (finding_is_implied(findings, worst) && is_as_bad(other, worst) &&
			    !finding_is_implied(findings, other))
				worst = other;
		put_sentence(f, worst);
	} else {
		put_weights(f, json_object_get(verdict, "weights"));
	}
}

static void put_size(FILE *f, const json_t *verdict)
{
	uint64_t size;
	char text[TEXT_SIZE_MAX];

	if (json_to_number(json_object_get(json_object_get(verdict, "file"), "size"), &size))
		fputs(text_size(size, text), f);
	else if (json_object_get(verdict, "members") != NULL)
		fprintf(f, "%zu files", json_array_size(json_object_get(verdict, "members")));
}

/* A line may break behind the folders. */
static void put_name(FILE *f, const char *name)
{
	const char *slash = strrchr(name, '/');
	_cleanup_(freep) char *folders = slash != NULL ? strndup(name, (size_t)(slash - name) + 1) : NULL;

	if (folders != NULL) {
		fputs("<span class=\"dir\">", f);
		html_put(f, folders, NAME_MAX_SHOWN);
		fputs("</span><wbr>", f);
		name = slash + 1;
	}
	html_put(f, name, NAME_MAX_SHOWN);
}

static void put_summary(FILE *f, const json_t *verdict)
{
	fprintf(f, "<summary><b class=\"v\">%s</b> <bdi class=\"name\">", verdict_text(verdict_value_of(verdict)));
	put_name(f, name_of(verdict));
	fputs("</bdi> <span class=\"kind\">", f);
	html_put(f, kind_of(verdict), NAME_MAX_SHOWN);
	fputs("</span> <span class=\"size\">", f);
	put_size(f, verdict);
	fputs("</span> <span class=\"why\">", f);
	put_reason(f, verdict);
	fputs("</span></summary>\n", f);
}

static void put_plain_finding(FILE *f, const json_t *finding)
{
	enum wlk_finding code;

	fputs("<li>", f);
	put_sentence(f, finding);
	fputs(" (", f);
	html_put(f, verdict_member(finding, "code"), NAME_MAX_SHOWN);
	fputs(")", f);
	if (finding_by_code(verdict_member(finding, "code"), &code) && finding_info(code)->fix[0] != '\0') {
		fputs("<br>", f);
		html_put(f, finding_info(code)->fix, SENTENCE_MAX_SHOWN);
	}
	fputs("</li>\n", f);
}

static void put_plain(FILE *f, const json_t *verdict)
{
	const json_t *finding;
	const char *sha256 =
	    verdict_member(verdict_is_set(verdict) ? verdict : json_object_get(verdict, "file"), "sha256");
	size_t i, n = 0, shown = 0;

	(void)worst_finding(verdict, &n);
	fputs("<div class=\"plain\">", f);
	if (n > 0)
		fputs("<ul>\n", f);
	json_array_foreach (json_object_get(verdict, "findings"), i, finding)
		if (strcmp(verdict_member(finding, "action"), "accept") != 0 && shown++ < SENTENCES_MAX)
			put_plain_finding(f, finding);
	if (n > SENTENCES_MAX)
		fprintf(f, "<li>and %zu more</li>\n", n - SENTENCES_MAX);
	if (n > 0)
		fputs("</ul>\n", f);
	fputs("<p>SHA-256 ", f);
	html_put(f, sha256[0] != '\0' ? sha256 : "not known", NAME_MAX_SHOWN);
	fputs("</p></div>\n", f);
}

/* ---- what the script reads ---- */

static uint64_t put_text(FILE *f, const char *text)
{
	fputs(text, f);
	return strlen(text);
}

/* The findings' sentences, in their order, which only we can make. */
static int put_sentences(FILE *f, const json_t *verdict, uint64_t *n)
{
	json_auto_t *list = json_array();
	_cleanup_(freep) char *text = NULL;
	const json_t *finding;
	size_t i;

	json_array_foreach (json_object_get(verdict, "findings"), i, finding) {
		bool says;
		_cleanup_(freep) char *sentence = sentence_make(finding, &says);

		if (json_array_append_new(list, json_string(sentence != NULL ? sentence : "")) < 0)
			return -ENOMEM;
	}
	text = json_line(list, JSON_COMPACT | JSON_ENSURE_ASCII);
	if (text == NULL)
		return -ENOMEM;
	*n += put_text(f, ",\"says\":") + html_put_json(f, text);
	return 0;
}

static int put_tensors(FILE *f, const struct shown *s, uint64_t *n)
{
	struct tensor_rows_reader *reader = tensor_rows_reader_new(s->drawn);
	_cleanup_(freep) char *text = malloc(TENSORS_JSON_ITEM_MAX);
	struct tensor_rows_item item;
	uint64_t begun = *n;
	int r = reader != NULL && text != NULL ? 1 : -ENOMEM;

	*n += put_text(f, ",\"tensors\":[");
	for (unsigned i = 0; r > 0 && i < TENSORS_MAX && *n - begun < TENSOR_BYTES_MAX; i++) {
		r = tensor_rows_next(reader, &item);
		if (r <= 0)
			break;
		(void)tensors_json_item(&item, text);
		*n += put_text(f, i > 0 ? "," : "") + html_put_json(f, text);
	}
	tensor_rows_reader_free(reader);
	fprintf(f, "],\"rows\":%" PRIu64 ",\"listed\":%s", tensor_rows_count(s->drawn), s->listed ? "true" : "false");
	return r < 0 ? r : 0;
}

static int put_details(struct html *h, const struct shown *s, const json_t *verdict)
{
	FILE *f = h->lines;
	_cleanup_(freep) char *text = json_line(verdict, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
	uint64_t n = 0;
	int r;

	if (text == NULL)
		return -ENOMEM;
	fputs("<script type=\"application/json\">{\"verdict\":", f);
	n = html_put_json(f, text);
	r = put_sentences(f, verdict, &n);
	if (r == 0 && s->views != NULL)
		n += put_text(f, ",\"views\":") + html_put_json(f, s->views);
	if (r == 0 && s->drawn != NULL)
		r = put_tensors(f, s, &n);
	fputs("}</script>\n", f);
	h->details += n;
	return r;
}

/* ---- a line ---- */

static void note_first(struct html *h, const json_t *verdict)
{
	const json_t *finding;
	enum wlk_finding code;
	size_t i;

	json_array_foreach (json_object_get(verdict, "findings"), i, finding)
		if (finding_by_code(verdict_member(finding, "code"), &code))
			h->raised[code] = true;
	if (h->policy == NULL)
		h->policy = json_incref(json_object_get(verdict, "policy"));
}

static int html_put_verdict(struct output *o, const struct shown *s, const json_t *verdict)
{
	struct html *h = o->state;
	enum verdict_value value = verdict_value_of(verdict);
	unsigned share = value == VERDICT_ACCEPT ? 2 : 1;
	uint64_t size = 0;
	int r = 0;

	if (h->n >= LINES_MAX / share) {
		h->n_unlisted++;
		return 0;
	}
	h->n++;
	note_first(h, verdict);
	(void)json_to_number(json_object_get(json_object_get(verdict, "file"), "size"), &size);
	fprintf(h->lines, "<details class=\"entry %s\" data-verdict=\"%s\" data-size=\"%" PRIu64 "\">",
	    verdict_text(value), verdict_text(value), size);
	put_summary(h->lines, verdict);
	put_plain(h->lines, verdict);
	if (h->details < DETAILS_MAX / share)
		r = put_details(h, s, verdict);
	else
		h->n_closed++;
	fputs("</details>\n", h->lines);
	return ferror(h->lines) ? -EIO : r;
}

/* ---- the page ---- */

static int html_begin(struct output *o)
{
	struct html *h = o->state;

	h->lines = tmpfile();
	return h->lines != NULL ? 0 : -errno;
}

static void put_lines(FILE *f, const char *const *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fputs(lines[i], f);
}

/* W3C, CSP 3: 'none' for all, but for what these hashes are of. */
static void put_head(FILE *f, const struct tally *t)
{
	size_t n = tally_total(&t->files);

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '" PAGE_JS_HASH
	      "'; style-src '" PAGE_CSS_HASH "'; base-uri 'none'; form-action 'none'\">\n"
	      "<meta name=\"referrer\" content=\"no-referrer\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n",
	    f);
	fprintf(f, "<title>weighlock: %zu file%s, %zu rejected, %zu under review</title>\n<style>", n,
	    n == 1 ? "" : "s", t->files.n_reject, t->files.n_review);
	put_lines(f, page_css, sizeof(page_css) / sizeof(page_css[0]));
	fputs("</style>\n</head>\n", f);
}

static void put_count(FILE *f, const char *verdict, const char *word, size_t n)
{
	char text[TEXT_GROUPED_MAX];

	fprintf(f, "<li class=\"%s%s\" data-verdict=\"%s\"><b class=\"n\">%s</b> <span class=\"v\">%s</span></li>\n",
	    verdict, n == 0 ? " none" : "", verdict, text_grouped(n, text), word);
}

static void put_policy(FILE *f, const char *name)
{
	if (name[0] == '\0')
		return;
	fputs("Policy <bdi>", f);
	html_put(f, name, NAME_MAX_SHOWN);
	fputs("</bdi>; ", f);
}

/* A line each. */
static void put_left_out(const char *lines, FILE *f)
{
	char line[512];

	while (lines != NULL && lines[0] != '\0') {
		size_t n = strcspn(lines, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)n, lines);
		fputs("<p class=\"note\">", f);
		html_put(f, line, NAME_MAX_SHOWN);
		fputs("</p>\n", f);
		lines += n + (lines[n] != '\0');
	}
}

static void put_totals(struct html *h, FILE *f, const struct outcome *outcome)
{
	const struct tally *t = outcome->tally;
	const struct counts *c = &t->files;
	char size[TEXT_SIZE_MAX], begun[TIME_TEXT_MAX], n[TEXT_GROUPED_MAX];

	fputs("<ul id=\"totals\">\n", f);
	put_count(f, "reject", "rejected", c->n_reject + t->sets.n_reject);
	put_count(f, "error", "not judged", c->n_error + t->sets.n_error);
	put_count(f, "review", "to review", c->n_review + t->sets.n_review);
	put_count(f, "accept", "accepted", c->n_accept + t->sets.n_accept);
	fprintf(f, "</ul>\n<p id=\"about\">%s file%s", text_grouped(tally_total(c), n), tally_total(c) == 1 ? "" : "s");
	if (tally_total(&t->sets) > 0)
		fprintf(f, ", %s set%s of files", text_grouped(tally_total(&t->sets), n),
		    tally_total(&t->sets) == 1 ? "" : "s");
	fprintf(f, ", %s", text_size(t->bytes, size));
	if (outcome->elapsed_ms >= 0)
		fprintf(f, " in %.1f s", (double)outcome->elapsed_ms / 1000);
	fprintf(f, ", %s. ", time_text(outcome->started_at, begun));
	put_policy(f, verdict_member(h->policy, "name"));
	fputs("weighlock " WLK_VERSION ".</p>\n", f);
	if (t->n_known > 0)
		fprintf(f,
		    "<p class=\"note\">%zu were judged before and are the same: they are not on this page.</p>\n",
		    t->n_known);
	put_left_out(t->left_out, f);
	if (!outcome->whole)
		fputs("<p class=\"note\" role=\"alert\">The scan ended early: not every file was looked at.</p>\n", f);
}

static void put_cuts(const struct html *h, FILE *f)
{
	if (h->n_closed > 0)
		fprintf(f, "<p class=\"note\">The page would be too large with all details: %zu lines have none.</p>\n",
		    h->n_closed);
	if (h->n_unlisted > 0)
		fprintf(f, "<p class=\"note\">%zu more are counted above and have no line.</p>\n", h->n_unlisted);
}

/* What the codes mean, each once. */
static int put_rules(const struct html *h, FILE *f)
{
	json_auto_t *rules = json_object();
	_cleanup_(freep) char *text = NULL;
	bool good = true;

	for (unsigned i = 0; i < WLK_N_FINDINGS; i++) {
		const struct finding_info *info = finding_info((enum wlk_finding)i);

		if (h->raised[i])
			good = json_object_set_new(rules, info->code,
				   json_pack("{s:s, s:s, s:s, s:s, s:s}", "title", info->title, "why", info->why, "fix",
				       info->fix, "clause", info->clause, "references",
				       finding_references((enum wlk_finding)i))) == 0 &&
			       good;
	}
	text = good ? json_line(rules, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
	if (text == NULL)
		return -ENOMEM;
	fputs("<script type=\"application/json\" id=\"rules\">", f);
	(void)html_put_json(f, text);
	fputs("</script>\n", f);
	return 0;
}

static int html_end(struct output *o, const struct outcome *outcome)
{
	struct html *h = o->state;
	FILE *f = o->f;
	int r;

	put_head(f, outcome->tally);
	fputs("<body>\n<header>\n<h1>weighlock</h1>\n", f);
	put_totals(h, f, outcome);
	put_cuts(h, f);
	fputs("</header>\n<main>\n<div id=\"tools\"></div>\n<div id=\"entries\">\n", f);
	r = output_copy(h->lines, f);
	fputs("</div>\n</main>\n", f);
	if (r == 0)
		r = put_rules(h, f);
	fputs("<script>", f);
	put_lines(f, page_js, sizeof(page_js) / sizeof(page_js[0]));
	fputs("</script>\n</body>\n</html>\n", f);
	return r;
}

static void html_free(struct output *o)
{
	struct html *h = o->state;

	if (h->lines != NULL)
		(void)fclose(h->lines);
	json_decref(h->policy);
}

const struct writer writer_html = { .name = "html",
	.state_size = sizeof(struct html),
	.all = true,
	.begin = html_begin,
	.put = html_put_verdict,
	.end = html_end,
	.free = html_free };
