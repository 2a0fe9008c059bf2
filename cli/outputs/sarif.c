/* SARIF 2.1.0, as GitHub and others take it in.  Results are written as they come; rules and artifacts, which the format
 * keeps apart, follow them, so that memory does not grow with the number of results.  Clauses are those of the OASIS
 * standard.
 *
 * Only findings that the policy does not accept become results: a system that shows alerts should show none for a README.
 * Those a rule set aside come as suppressed results (3.27.23). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "cli.h"
#include "finding_references.h"
#include "findings.h"
#include "fingerprint.h"
#include "json_line.h"
#include "output.h"
#include "verdict.h"

#define RESULTS_MAX 25000u  /* of a run: what GitHub takes */
#define NOTES_MAX 1000u     /* files that could not be judged, told one by one */
#define CODE_FLOW_STEPS 20u /* of a finding */
#define ROOT "SRCROOT"

struct sarif {
	size_t n_results, n_omitted, n_notes, n_notes_omitted;
	size_t rule_at[WLK_N_FINDINGS]; /* 1 + index in rules */
	json_t *rules, *artifacts, *notes;
	bool failed; /* to make some JSON */
};

/* ---- JSON that remembers a failure ---- */

static void put(struct sarif *s, json_t *object, const char *key, json_t *value)
{
	s->failed = json_object_set_new(object, key, value) < 0 || s->failed;
}

static void append(struct sarif *s, json_t *array, json_t *value)
{
	s->failed = json_array_append_new(array, value) < 0 || s->failed;
}

/* In ASCII: then no reader is fooled by what it shows. */
static int write_json(struct output *o, json_t *json)
{
	_cleanup_(freep) char *text = json_line(json, JSON_COMPACT | JSON_ENSURE_ASCII);

	json_decref(json);
	if (text == NULL)
		return -ENOMEM;
	fputs(text, o->f);
	return 0;
}

/* { "text": ... } */
static json_t *text_json(const char *text)
{
	return json_pack("{s:s}", "text", text);
}

/* 3.11.5 and 3.11.6: braces are placeholders and brackets links, unless they are written so. */
static json_t *message_json(const char *text)
{
	_cleanup_(freep) char *escaped = malloc(2 * strlen(text) + 1);
	char *to = escaped;

	if (escaped == NULL)
		return NULL;
	for (; *text != '\0'; text++) {
		if (*text == '[' || *text == ']')
			*to++ = '\\';
		else if (*text == '{' || *text == '}')
			*to++ = *text;
		*to++ = *text;
	}
	*to = '\0';
	return text_json(escaped);
}

/* ---- names ---- */

static bool is_unreserved(unsigned char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || strchr("-._~/", c) != NULL;
}

/* RFC 3986, section 2.1: a path of any bytes. */
static char *uri_of(const char *path)
{
	static const char digits[] = "0123456789ABCDEF";
	char *uri = malloc(3 * strlen(path) + sizeof("file://"));
	char *to = uri;

	if (uri == NULL)
		return NULL;
	if (path[0] == '/')
		to = stpcpy(to, "file://");
	for (; *path != '\0'; path++) {
		unsigned char c = (unsigned char)*path;

		if (is_unreserved(c)) {
			*to++ = *path;
			continue;
		}
		*to++ = '%';
		*to++ = digits[c >> 4];
		*to++ = digits[c & 15];
	}
	*to = '\0';
	return uri;
}

/* 3.4: below the root of what was checked out, where it is. */
static json_t *location_of(const char *uri, size_t index)
{
	bool absolute = strncmp(uri, "file:", 5) == 0;
	json_t *at = json_pack("{s:s, s:I}", "uri", uri, "index", (json_int_t)index);

	if (!absolute && json_object_set_new(at, "uriBaseId", json_string(ROOT)) < 0) {
		json_decref(at);
		return NULL;
	}
	return at;
}

/* ---- rules ---- */

/* Of an alert where it is shown: above 9 critical, 7 high, 4 medium. */
static const char *const security_severity[N_FINDING_SEVERITIES] = {
	[SEVERITY_INFO] = "0.1",
	[SEVERITY_LOW] = "2.0",
	[SEVERITY_MEDIUM] = "5.5",
	[SEVERITY_HIGH] = "8.0",
	[SEVERITY_CRITICAL] = "9.5",
};

static const char *level_of_severity(enum finding_severity severity)
{
	if (severity >= SEVERITY_HIGH)
		return "error";
	return severity == SEVERITY_MEDIUM ? "warning" : "note";
}

/* 3.49.7: "pickle-global-dangerous" is PickleGlobalDangerous. */
static void pascal_case(const char *code, char *to)
{
	bool up = true;

	for (; *code != '\0'; code++) {
		if (*code != '-')
			*to++ = up && *code >= 'a' && *code <= 'z' ? (char)(*code - 'a' + 'A') : *code;
		up = *code == '-';
	}
	*to = '\0';
}

/* 3.49.12: where one advisory alone is what the rule answers, it is the page to read; else what is said of the rule in our own. */
static char *help_uri(const char *code, const char *references)
{
	bool cve = strncmp(references, "CVE-", 4) == 0;
	char *uri;

	if (references[0] == '\0' || strchr(references, ' ') != NULL)
		return asprintf(&uri, WLK_PROJECT_URI "/docs/rules.md#%s", code) < 0 ? NULL : uri;
	if (asprintf(&uri, "https://%s%s", cve ? "nvd.nist.gov/vuln/detail/" : "github.com/advisories/", references) <
	    0)
		return NULL;
	return uri;
}

/* The numbers for programs in properties (3.8), for people in the help. */
static void put_references(struct sarif *s, json_t *rule, enum wlk_finding code)
{
	const char *references = finding_references(code);
	_cleanup_(freep) char *uri = help_uri(finding_info(code)->code, references);

	put(s, rule, "helpUri", uri != NULL ? json_string(uri) : NULL);
	if (references[0] != '\0')
		put(s, json_object_get(rule, "properties"), "references", rule_references_json(code));
}

/* What to do, where the rule is written, what it answers. */
static char *help_of(enum wlk_finding code)
{
	const struct finding_info *info = finding_info(code);
	const char *references = finding_references(code);
	char *help;

	if (asprintf(&help, "%s (See %s.)%s%s%s", info->fix, info->clause, references[0] != '\0' ? " Answers " : "",
		references, references[0] != '\0' ? "." : "") < 0)
		return NULL;
	return help;
}

/* What it is, why anybody should care, what to do: the same words as of `weighlock rules`. */
static json_t *rule_json(enum wlk_finding code)
{
	const struct finding_info *info = finding_info(code);
	_cleanup_(freep) char *name = malloc(strlen(info->code) + 1);
	_cleanup_(freep) char *help = help_of(code);

	if (name == NULL || help == NULL)
		return NULL;
	pascal_case(info->code, name);
	return json_pack("{s:s, s:s, s:{s:s}, s:{s:s}, s:{s:s}, s:{s:s}, s:{s:[s,s,s], s:s, s:s}}", "id", info->code,
	    "name", name, "shortDescription", "text", info->title, "fullDescription", "text", info->why, "help", "text",
	    help, "defaultConfiguration", "level", level_of_severity(info->severity), "properties", "tags", "security",
	    "machine-learning", finding_class_text(info->class), "precision", "very-high", "security-severity",
	    security_severity[info->severity]);
}

/* A daemon may know codes that we do not: a rule of its name has to do. */
static json_t *unknown_rule_json(const char *code, const char *message)
{
	return json_pack("{s:s, s:{s:s}}", "id", code, "shortDescription", "text", message);
}

static size_t rule_unknown(struct sarif *s, const json_t *finding)
{
	const char *code = verdict_member(finding, "code");
	const json_t *rule;
	size_t i;

	json_array_foreach (s->rules, i, rule)
		if (strcmp(verdict_member(rule, "id"), code) == 0)
			return i;
	append(s, s->rules, unknown_rule_json(code, verdict_member(finding, "message")));
	return i;
}

/* Its place in the list of rules, where only those that occurred are. */
static size_t rule_of(struct sarif *s, const json_t *finding)
{
	enum wlk_finding code;

	if (!finding_by_code(verdict_member(finding, "code"), &code))
		return rule_unknown(s, finding);
	if (s->rule_at[code] == 0) {
		json_t *rule = rule_json(code);

		put_references(s, rule, code);
		append(s, s->rules, rule);
		s->rule_at[code] = json_array_size(s->rules);
	}
	return s->rule_at[code] - 1;
}

/* ---- results ---- */

static const char *level_of_action(const char *action)
{
	if (strcmp(action, "reject") == 0)
		return "error";
	return strcmp(action, "review") == 0 ? "warning" : "note";
}

/* 3.30: bytes of a binary file; a line as well, because GitHub shows nothing without one. */
static json_t *region_json(struct sarif *s, const json_t *finding)
{
	const json_t *offset = json_object_get(finding, "offset"), *length = json_object_get(finding, "length");
	json_t *region = json_pack("{s:i}", "startLine", 1);

	if (json_is_integer(offset)) {
		put(s, region, "byteOffset", json_integer(json_integer_value(offset)));
		if (json_is_integer(length))
			put(s, region, "byteLength", json_integer(json_integer_value(length)));
	}
	return region;
}

/* 3.27.17, as GitHub wants it: the same alert for the same finding in a file that was changed, but one for each of several
 * alike. */
static json_t *fingerprints_json(const json_t *finding, size_t nth)
{
	char hex[FINGERPRINT_HEX + 1], hash[16 + 32];

	if (!finding_fingerprint(finding, hex))
		return NULL;
	(void)snprintf(hash, sizeof(hash), "%.16s:%zu", hex, nth);
	return json_pack("{s:s, s:s}", "primaryLocationLineHash", hash, "weighlockFinding/v1", hex);
}

/* Findings before it that have the same fingerprint, and itself. */
static size_t nth_alike(const json_t *findings, size_t at)
{
	const json_t *finding = json_array_get(findings, at);
	size_t n = 1;

	for (size_t i = 0; i < at; i++)
		n += findings_alike(json_array_get(findings, i), finding);
	return n;
}

static const char *justification_of(const json_t *finding)
{
	return json_is_true(json_object_get(finding, "excepted")) ? "excepted by people: see the verdict's exceptions"
								  : verdict_member(finding, "reason");
}

static json_t *suppressions_json(const json_t *finding)
{
	return json_pack(
	    "[{s:s, s:s, s:s}]", "kind", "external", "status", "accepted", "justification", justification_of(finding));
}

struct where {
	const char *uri;
	size_t artifact;
	const json_t *calls; /* of the file; NULL: nobody asked for them */
	const json_t *list;  /* that the finding is in */
	bool suppressed;
};

static bool same_member(const json_t *a, const json_t *b, const char *member)
{
	const json_t *of_a = json_object_get(a, member), *of_b = json_object_get(b, member);

	return of_a == of_b || (of_a != NULL && of_b != NULL && json_equal(of_a, of_b));
}

/* 3.38: a step. */
static json_t *step_json(struct sarif *s, const struct where *w, const json_t *call)
{
	return json_pack("{s:{s:{s:o, s:o}, s:o}}", "location", "physicalLocation", "artifactLocation",
	    location_of(w->uri, w->artifact), "region", region_json(s, call), "message",
	    message_json(verdict_member(call, "text")));
}

/* 3.36: the calls up to the one that the finding is about, the latest CODE_FLOW_STEPS of them, in the order in which a loader makes
 * them. NULL: it is about none. */
static json_t *code_flow_json(struct sarif *s, const struct where *w, const json_t *finding)
{
	size_t at = 0, n = json_array_size(w->calls);
	json_t *steps;

	for (; at < n; at++) {
		const json_t *call = json_array_get(w->calls, at);

		if (same_member(call, finding, "offset") && same_member(call, finding, "member_offset") &&
		    same_member(call, finding, "member"))
			break;
	}
	if (at == n)
		return NULL;
	steps = json_array();
	for (size_t i = at < CODE_FLOW_STEPS ? 0 : at - CODE_FLOW_STEPS + 1; i <= at; i++)
		append(s, steps, step_json(s, w, json_array_get(w->calls, i)));
	return json_pack("[{s:[{s:o}]}]", "threadFlows", "locations", steps);
}

static json_t *result_json(struct sarif *s, const struct where *w, size_t at)
{
	const json_t *finding = json_array_get(w->list, at);
	_cleanup_(freep) char *sentence = finding_sentence(finding);
	size_t rule = rule_of(s, finding);
	json_t *result = json_object(), *flow;

	put(s, result, "ruleId", json_string(verdict_member(finding, "code")));
	put(s, result, "ruleIndex", json_integer((json_int_t)rule));
	put(s, result, "kind", json_string("fail"));
	put(s, result, "level", json_string(level_of_action(verdict_member(finding, "action"))));
	put(s, result, "message", sentence != NULL ? message_json(sentence) : NULL);
	put(s, result, "locations",
	    json_pack("[{s:{s:o, s:o}}]", "physicalLocation", "artifactLocation", location_of(w->uri, w->artifact),
		"region", region_json(s, finding)));
	put(s, result, "partialFingerprints", fingerprints_json(finding, nth_alike(w->list, at)));
	flow = code_flow_json(s, w, finding);
	if (flow != NULL)
		put(s, result, "codeFlows", flow);
	if (w->suppressed || json_is_true(json_object_get(finding, "excepted")))
		put(s, result, "suppressions", suppressions_json(finding));
	return result;
}

static int put_result(struct output *o, const struct where *w, size_t at)
{
	struct sarif *s = o->state;

	if (s->n_results == RESULTS_MAX) {
		s->n_omitted++;
		return 0;
	}
	fputs(s->n_results++ > 0 ? ",\n" : "\n", o->f);
	return write_json(o, result_json(s, w, at));
}

/* 3.24: only of files that results are about. */
static size_t artifact_add(struct sarif *s, const char *uri, const json_t *verdict)
{
	const json_t *file = json_object_get(verdict, "file"), *size = json_object_get(file, "size");
	const char *sha256 = verdict_member(file, "sha256");
	size_t index = json_array_size(s->artifacts);
	json_t *location = location_of(uri, index), *artifact = json_pack("{s:o}", "location", location);

	if (location != NULL)
		(void)json_object_del(location, "index"); /* 3.4.5: of others than these */
	if (json_is_integer(size))
		put(s, artifact, "length", json_integer(json_integer_value(size)));
	if (sha256[0] != '\0')
		put(s, artifact, "hashes", json_pack("{s:s}", "sha-256", sha256));
	append(s, s->artifacts, artifact);
	return index;
}

static bool is_told(const struct where *w, size_t at)
{
	return w->suppressed || strcmp(verdict_member(json_array_get(w->list, at), "action"), "accept") != 0;
}

static int put_results(struct output *o, struct where *w, const json_t *verdict, const char *list)
{
	struct sarif *s = o->state;
	int r = 0;

	w->list = json_object_get(verdict, list);
	for (size_t i = 0; r == 0 && i < json_array_size(w->list); i++) {
		if (!is_told(w, i))
			continue;
		if (w->artifact == SIZE_MAX && s->n_results < RESULTS_MAX)
			w->artifact = artifact_add(s, w->uri, verdict);
		r = put_result(o, w, i);
	}
	return r;
}

/* ---- what could not be judged (3.58) ---- */

static void note(struct sarif *s, const char *level, const char *text, const char *uri)
{
	json_t *one = json_pack("{s:s, s:o}", "level", level, "message", message_json(text));

	if (uri != NULL) {
		json_t *location = location_of(uri, 0);

		(void)json_object_del(location, "index");
		put(s, one, "locations", json_pack("[{s:{s:o}}]", "physicalLocation", "artifactLocation", location));
	}
	append(s, s->notes, one);
}

static void note_unjudged(struct sarif *s, const json_t *verdict, const char *uri)
{
	const json_t *scan = json_object_get(verdict, "scan");
	const char *cause = verdict_member(scan, "error"), *detail = verdict_member(scan, "detail");
	_cleanup_(freep) char *text = NULL;

	if (s->n_notes++ >= NOTES_MAX) {
		s->n_notes_omitted++;
		return;
	}
	if (asprintf(&text, "Not fully examined: %s%s%s", cause[0] != '\0' ? cause : "parts of it are not understood",
		detail[0] != '\0' ? ": " : "", detail) < 0)
		s->failed = true;
	else
		note(s, cause[0] != '\0' ? "error" : "warning", text, uri);
}

static int sarif_put(struct output *o, const struct shown *shown, const json_t *verdict)
{
	struct sarif *s = o->state;
	_cleanup_(freep) char *name = relative_name(shown->name);
	_cleanup_(freep) char *uri = name != NULL ? uri_of(name) : NULL;
	struct where w = { .uri = uri, .artifact = SIZE_MAX, .calls = json_object_get(verdict, "calls") };
	int r;

	if (uri == NULL)
		return -ENOMEM;
	r = put_results(o, &w, verdict, "findings");
	w.suppressed = true;
	if (r == 0)
		r = put_results(o, &w, verdict, "suppressed");
	if (json_is_false(json_object_get(verdict, "complete")))
		note_unjudged(s, verdict, uri);
	return s->failed ? -ENOMEM : r;
}

/* ---- beginning and end ---- */

static int sarif_begin(struct output *o)
{
	struct sarif *s = o->state;

	s->rules = json_array();
	s->artifacts = json_array();
	s->notes = json_array();
	fputs("{\"$schema\":\"https://json.schemastore.org/"
	      "sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\"results\":[",
	    o->f);
	return s->rules != NULL && s->artifacts != NULL && s->notes != NULL ? 0 : -ENOMEM;
}

/* 3.18. */
static json_t *tool_json(struct sarif *s)
{
	return json_pack("{s:{s:s, s:s, s:s, s:O}}", "driver", "name", "weighlock", "semanticVersion", WLK_VERSION,
	    "informationUri", WLK_PROJECT_URI, "rules", s->rules);
}

static void note_omitted(struct sarif *s, size_t n, const char *what)
{
	_cleanup_(freep) char *text = NULL;

	if (n == 0)
		return;
	if (asprintf(&text, "%zu more %s are not listed: the document would be too large.", n, what) < 0)
		s->failed = true;
	else
		note(s, "warning", text, NULL);
}

/* 3.20.14: false when not all was examined, so that an empty list of results is not taken for a clean bill. */
static json_t *invocation_json(struct sarif *s, const struct outcome *outcome)
{
	const struct counts *files = &outcome->tally->files, *sets = &outcome->tally->sets;
	char begun[TIME_TEXT_MAX], ended[TIME_TEXT_MAX];
	bool good = outcome->whole && files->n_error == 0 && sets->n_error == 0;

	note_omitted(s, s->n_omitted, "results");
	note_omitted(s, s->n_notes_omitted, "files that were not fully examined");
	return json_pack("[{s:b, s:i, s:s, s:s, s:O}]", "executionSuccessful", good, "exitCode", outcome->status,
	    "startTimeUtc", time_text(outcome->started_at, begun), "endTimeUtc",
	    time_text(outcome->started_at + outcome->elapsed_ms / 1000, ended), "toolExecutionNotifications", s->notes);
}

static int sarif_end(struct output *o, const struct outcome *outcome)
{
	struct sarif *s = o->state;
	json_t *rest[] = { s->artifacts, invocation_json(s, outcome), tool_json(s) };
	static const char *const names[] = { "\n],\"artifacts\":", ",\n\"invocations\":", ",\n\"tool\":" };
	int r = 0;

	json_incref(s->artifacts);
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++) {
		fputs(names[i], o->f);
		r = write_json(o, rest[i]) < 0 ? -ENOMEM : r;
	}
	fputs(",\n\"automationDetails\":{\"id\":\"weighlock/\"},\"originalUriBaseIds\":{\"" ROOT
	      "\":{\"description\":{\"text\":\"The folder the command ran in.\"}}},"
	      "\"columnKind\":\"utf16CodeUnits\"}]}\n",
	    o->f);
	return s->failed ? -ENOMEM : r;
}

static void sarif_free(struct output *o)
{
	struct sarif *s = o->state;

	json_decref(s->rules);
	json_decref(s->artifacts);
	json_decref(s->notes);
}

const struct writer writer_sarif = { .name = "sarif",
	.state_size = sizeof(struct sarif),
	.all = true,
	.begin = sarif_begin,
	.put = sarif_put,
	.end = sarif_end,
	.free = sarif_free };
