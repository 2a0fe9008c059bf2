/* See report_page.h. */
#include "report_page.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cleanup.h"
#include "cli.h"
#include "findings.h"
#include "hex.h"
#include "outputs.h"
#include "verdict.h"

struct report_page {
	struct outputs *outputs;
	struct tally tally;
};

struct report_page *report_page_new(void)
{
	static const struct print_style style = { .format = PRINT_TEXT };
	static const struct output_spec spec = { .format = OUTPUT_HTML };
	struct report_page *p = calloc(1, sizeof(*p));

	if (p == NULL)
		say("out of memory");
	else if (outputs_open(&spec, 1, &style, (struct output_failing){ true, true }, &p->outputs) != CLI_OK) {
		report_page_free(p);
		p = NULL;
	}
	return p;
}

void report_page_free(struct report_page *p)
{
	if (p != NULL)
		outputs_free(p->outputs);
	free(p);
}

/* Rows hold codes only.  What is worth no more than an info has not decided. */
static json_t *findings_json(const char *codes, const char *verdict)
{
	_cleanup_(freep) char *copy = strdup(codes);
	json_t *list = copy != NULL ? json_array() : NULL;
	char *rest = copy;
	enum wlk_finding id;

	for (char *code = copy; list != NULL && code != NULL && (code = strsep(&rest, " ")) != NULL;) {
		const struct finding_info *info = finding_by_code(code, &id) ? finding_info(id) : NULL;

		if (code[0] != '\0')
			(void)json_array_append_new(
			    list, json_pack("{s:s, s:s, s:s, s:s, s:s}", "code", code, "class",
				      info != NULL ? finding_class_text(info->class) : "", "severity",
				      info != NULL ? finding_severity_text(info->severity) : "", "action",
				      info != NULL && info->severity == SEVERITY_INFO ? "accept" : verdict, "message",
				      info != NULL ? info->title : code));
	}
	return list;
}

static json_t *row_json(const struct scans_file *f, const char *path, bool set)
{
	int value = f->verdict.value;
	const char *verdict =
	    verdict_text(value >= 0 && value <= VERDICT_REJECT ? (enum verdict_value)value : VERDICT_ERROR);
	const char *format = f->verdict.format[0] != '\0' ? f->verdict.format : NULL;
	char sha256[SHA256_HEX + 1] = "", at[32] = "";
	time_t judged = (time_t)f->verdict.at;
	struct tm tm;

	if (f->has_report)
		hex_write(f->sha256, 32, sha256);
	if (gmtime_r(&judged, &tm) != NULL)
		(void)strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (set)
		return json_pack("{s:s, s:s, s:s, s:n, s:o, s:{s:s}}", "schema", "weighlock.set/1", "verdict", verdict,
		    "name", path, "sha256", "findings", findings_json(f->verdict.codes, verdict), "scan", "time", at);
	return json_pack("{s:s, s:s, s:{s:s, s:o, s:s?}, s:s?, s:o, s:{s:s, s:o}}", "schema", "weighlock.verdict/1",
	    "verdict", verdict, "file", "name", path, "size", json_from_number(f->stat.size), "sha256",
	    f->has_report ? sha256 : NULL, "format", format, "findings", findings_json(f->verdict.codes, verdict),
	    "scan", "time", at, "bytes", json_from_number(f->stat.size));
}

bool report_page_put(struct report_page *p, const struct scans_file *f, const char *path, bool set)
{
	json_t *row = row_json(f, path, set);
	_cleanup_(freep) char *line = row != NULL ? json_text(row, JSON_COMPACT) : NULL;

	if (line != NULL)
		tally_add(&p->tally, row);
	json_decref(row);
	return line != NULL && outputs_put(p->outputs, &(struct shown){ .line = line }) == 0;
}

bool report_page_end(struct report_page *p)
{
	const struct outcome outcome = {
		.tally = &p->tally, .started_at = (int64_t)time(NULL), .elapsed_ms = -1, .whole = true
	};

	return outputs_finish(p->outputs, &outcome);
}
