/* weighlock report: what a database of scans (scan --db) remembers, counted; no file is looked at. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cleanup.h"
#include "cli.h"
#include "commands.h"
#include "hex.h"
#include "report_page.h"
#include "scans.h"
#include "verdict.h"

#define SHORT_OPTIONS ":hV"
#define FOLDERS_SHOWN 20u
#define VALUES 4u

enum { OPT_FORMAT = 256, OPT_SINCE };

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV, REPORT_HTML, N_REPORT_FORMATS };

static const char *const format_names[N_REPORT_FORMATS] = { "text", "json", "csv", "html" };

/* As people read them: the worst last. */
static const enum verdict_value values[VALUES] = { VERDICT_ACCEPT, VERDICT_REVIEW, VERDICT_REJECT, VERDICT_ERROR };

struct summary {
	enum report_format format;
	struct report_page *page; /* of REPORT_HTML */
	const char *path;
	const char *since_text; /* NULL: of any time */
	int64_t since;
	bool failed, sets; /* without memory; in the second half */
	json_t *root, *files, *by_set, *formats, *codes, *folders, *changes;
};

/* ---- counting ---- */

static void add_one(struct summary *r, json_t *object, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(object, key));

	r->failed = json_object_set_new(object, key, json_integer(n + 1)) < 0 || r->failed;
}

/* In the object of that name in @object, made if need be. */
static void add_under(struct summary *r, json_t *object, const char *name, const char *key)
{
	json_t *inner = json_object_get(object, name);

	if (inner == NULL) {
		inner = json_object();
		r->failed = json_object_set_new(object, name, inner) < 0 || r->failed;
	}
	add_one(r, inner, key);
}

static const char *value_text_of(int value)
{
	return value >= 0 && value <= VERDICT_REJECT ? verdict_text((enum verdict_value)value) : "";
}

static void add_codes(struct summary *r, const char *codes)
{
	_cleanup_(freep) char *copy = strdup(codes);
	char *rest = copy;

	r->failed = r->failed || copy == NULL;
	for (char *code = copy; code != NULL && (code = strsep(&rest, " ")) != NULL;) {
		if (code[0] != '\0')
			add_one(r, r->codes, code);
	}
}

static char *date_of(int64_t at, char ret[32])
{
	time_t t = (time_t)at;
	struct tm tm;

	if (gmtime_r(&t, &tm) == NULL || strftime(ret, 32, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		ret[0] = '\0';
	return ret;
}

static void add_change(struct summary *r, const struct scans_file *f, const char *path)
{
	char date[32];
	json_t *change = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "path", path, "kind", r->sets ? "set" : "file",
	    "verdict", value_text_of(f->verdict.value), "was", value_text_of(f->was), "codes", f->verdict.codes,
	    "changed", date_of(f->changed_at, date));

	r->failed = json_array_append_new(r->changes, change) < 0 || r->failed;
}

/* Bytes as text that acts on no terminal. */
static char *path_of(const struct scans_file *f)
{
	_cleanup_(freep) char *raw = strndup((const char *)f->path.at, f->path.n);

	return raw != NULL ? text_safe(raw) : NULL;
}

static bool count_row(void *ctx, const struct scans_file *f)
{
	struct summary *r = ctx;
	const char *value = value_text_of(f->verdict.value);
	_cleanup_(freep) char *path = path_of(f);
	char *slash = path != NULL ? strrchr(path, '/') : NULL;

	if (path == NULL) {
		r->failed = true;
		return false;
	}
	if (r->since_text != NULL && f->changed_at >= r->since)
		add_change(r, f, path);
	add_one(r, r->sets ? r->by_set : r->files, value);
	add_codes(r, f->verdict.codes);
	if (r->sets)
		return !r->failed;
	add_under(r, r->formats, f->verdict.format[0] != '\0' ? f->verdict.format : "unknown", value);
	if (slash != NULL)
		*slash = '\0';
	add_under(r, r->folders, path[0] != '\0' ? path : "/", value);
	return !r->failed;
}

/* ---- as a table, a row a file ---- */

static void print_cell(const char *text, bool last)
{
	putchar('"');
	for (; *text != '\0'; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	fputs(last ? "\"\n" : "\",", stdout);
}

static bool print_row(void *ctx, const struct scans_file *f)
{
	struct summary *r = ctx;
	_cleanup_(freep) char *path = path_of(f);
	char sha256[65] = "", judged[32], changed[32];

	r->failed = path == NULL;
	if (path == NULL || (r->since_text != NULL && f->changed_at < r->since))
		return path != NULL;
	if (f->has_report)
		hex_write(f->sha256, 32, sha256);
	print_cell(path, false);
	print_cell(r->sets ? "set" : "file", false);
	print_cell(value_text_of(f->verdict.value), false);
	print_cell(value_text_of(f->was), false);
	print_cell(f->verdict.format, false);
	print_cell(f->verdict.codes, false);
	print_cell(sha256, false);
	printf("%" PRIu64 ",", f->stat.size);
	print_cell(date_of(f->verdict.at, judged), false);
	print_cell(date_of(f->changed_at, changed), true);
	return true;
}

/* ---- as a page ---- */

static bool page_row(void *ctx, const struct scans_file *f)
{
	struct summary *r = ctx;
	_cleanup_(freep) char *path = path_of(f);

	if (r->since_text != NULL && f->changed_at < r->since)
		return true;
	r->failed = path == NULL || !report_page_put(r->page, f, path, r->sets);
	return !r->failed;
}

/* ---- as text ---- */

static uint64_t count_of(const json_t *counts, enum verdict_value value)
{
	return (uint64_t)json_integer_value(json_object_get(counts, verdict_text(value)));
}

static uint64_t not_accepted(const json_t *counts)
{
	uint64_t n = 0;

	for (unsigned i = 1; i < VALUES; i++)
		n += count_of(counts, values[i]);
	return n;
}

static void print_counts(const json_t *counts, const char *what)
{
	char text[TEXT_GROUPED_MAX];

	for (unsigned i = 0; i < VALUES; i++)
		printf("%12s", text_grouped(count_of(counts, values[i]), text));
	printf("  %s\n", what);
}

static void print_heads(const char *what)
{
	printf("\n%12s%12s%12s%12s  %s\n", "accept", "review", "reject", "error", what);
}

/* Those with the most that was not accepted first; equals in the order of their names. */
static int compare_rows(const void *a, const void *b, void *ctx)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	uint64_t n = not_accepted(json_object_get(ctx, x)), m = not_accepted(json_object_get(ctx, y));

	return n != m ? (n < m) - (n > m) : strcmp(x, y);
}

static int compare_codes(const void *a, const void *b, void *ctx)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	json_int_t n = json_integer_value(json_object_get(ctx, x)), m = json_integer_value(json_object_get(ctx, y));

	return n != m ? (n < m) - (n > m) : strcmp(x, y);
}

static const char **keys_of(json_t *object, int (*compare)(const void *, const void *, void *))
{
	size_t n = 0;
	const char **keys = calloc(json_object_size(object) + 1, sizeof(*keys)), *key;
	json_t *value;

	if (keys == NULL)
		return NULL;
	json_object_foreach (object, key, value)
		keys[n++] = key;
	qsort_r(keys, n, sizeof(*keys), compare, object);
	return keys;
}

static void print_groups(struct summary *r, json_t *groups, const char *what, size_t max)
{
	_cleanup_(freep) const char **keys = keys_of(groups, compare_rows);
	size_t n = json_object_size(groups);

	r->failed = r->failed || keys == NULL;
	if (n == 0 || keys == NULL)
		return;
	print_heads(what);
	for (size_t i = 0; i < n && i < max; i++)
		print_counts(json_object_get(groups, keys[i]), keys[i]);
	if (n > max)
		printf("%48s  and %zu more\n", "", n - max);
}

static void print_codes(struct summary *r)
{
	_cleanup_(freep) const char **keys = keys_of(r->codes, compare_codes);
	char text[TEXT_GROUPED_MAX];

	r->failed = r->failed || keys == NULL;
	if (keys == NULL || keys[0] == NULL)
		return;
	printf("\n%12s  finding\n", "files");
	for (size_t i = 0; keys[i] != NULL; i++)
		printf("%12s  %s\n",
		    text_grouped((uint64_t)json_integer_value(json_object_get(r->codes, keys[i])), text), keys[i]);
}

static void print_changes(const struct summary *r)
{
	size_t i;
	json_t *c;

	if (r->since_text == NULL)
		return;
	printf("\n%zu changed since %s\n", json_array_size(r->changes), r->since_text);
	json_array_foreach (r->changes, i, c) {
		const char *was = json_string_value(json_object_get(c, "was")),
			   *codes = json_string_value(json_object_get(c, "codes"));

		printf("  %s: %s%s%s%s%s\n", json_string_value(json_object_get(c, "path")), was,
		    was[0] != '\0' ? " -> " : "new: ", json_string_value(json_object_get(c, "verdict")),
		    codes[0] != '\0' ? ": " : "", codes);
	}
}

static void print_report(struct summary *r)
{
	printf("%12s%12s%12s%12s\n", "accept", "review", "reject", "error");
	print_counts(r->files, "files");
	if (json_object_size(r->by_set) > 0)
		print_counts(r->by_set, "sets");
	print_groups(r, r->formats, "format", SIZE_MAX);
	print_codes(r);
	print_groups(r, r->folders, "folder", FOLDERS_SHOWN);
	print_changes(r);
}

/* ---- the command ---- */

static bool summary_new(struct summary *r)
{
	r->root = json_pack("{s:s, s:{}, s:{}, s:{}, s:{}, s:{}, s:[]}", "schema", "weighlock.report/1", "files",
	    "sets", "formats", "codes", "folders", "changes");
	r->files = json_object_get(r->root, "files");
	r->by_set = json_object_get(r->root, "sets");
	r->formats = json_object_get(r->root, "formats");
	r->codes = json_object_get(r->root, "codes");
	r->folders = json_object_get(r->root, "folders");
	r->changes = json_object_get(r->root, "changes");
	return r->root != NULL;
}

static int go_through(struct summary *r, struct scans *s, bool (*each)(void *ctx, const struct scans_file *f))
{
	int e = scans_each(s, (struct bytes){ 0 }, each, r);

	r->sets = true;
	return e < 0 ? e : r->failed ? -ENOMEM : scans_each_set(s, each, r);
}

static int summarize(struct summary *r, struct scans *s)
{
	_cleanup_(freep) char *text = NULL;
	int e;

	if (r->format == REPORT_CSV)
		puts("path,kind,verdict,was,format,codes,sha256,size,judged,changed");
	if (r->format == REPORT_HTML && (r->page = report_page_new()) == NULL)
		return CLI_INCOMPLETE;
	e = go_through(r, s, r->page != NULL ? page_row : r->format == REPORT_CSV ? print_row : count_row);
	if (e == 0 && r->format == REPORT_TEXT)
		print_report(r);
	if (e == 0 && r->format == REPORT_JSON) {
		text = json_text(r->root, JSON_SORT_KEYS);
		r->failed = text == NULL;
		if (text != NULL)
			puts(text);
	}
	if (e < 0 || r->failed) {
		say("%s: %s", r->path, e == -EUCLEAN ? "damaged" : strerrordesc_np(e < 0 ? -e : ENOMEM));
		return CLI_INCOMPLETE;
	}
	return output_finish(r->page == NULL || report_page_end(r->page) ? CLI_OK : CLI_INCOMPLETE);
}

/* A day, or a second of one, as verdicts have them. */
static bool date_parse(const char *text, int64_t *ret)
{
	struct tm tm = { 0 };
	const char *rest = strptime(text, "%Y-%m-%d", &tm);

	if (rest != NULL && rest[0] == 'T')
		rest = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm);
	*ret = rest != NULL ? (int64_t)timegm(&tm) : 0;
	return rest != NULL && rest[0] == '\0';
}

static int parse(int argc, char **argv, struct summary *r)
{
	static const struct option long_options[] = { { "format", required_argument, NULL, OPT_FORMAT },
		{ "since", required_argument, NULL, OPT_SINCE }, USAGE_LONG_OPTIONS };
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, SHORT_OPTIONS, long_options, NULL)) != -1) {
		if (option != OPT_FORMAT && option != OPT_SINCE)
			return usage_option("report", option, long_options, SHORT_OPTIONS, argv[optind - 1]);
		if (option == OPT_FORMAT) {
			r->format = (enum report_format)word_index(optarg, format_names, N_REPORT_FORMATS);
			if (r->format >= N_REPORT_FORMATS)
				return usage_error(
				    "report", "--format: found '%s', allowed text, json, csv or html", optarg);
		} else if (!date_parse(optarg, &r->since)) {
			return usage_error(
			    "report", "--since: found '%s', allowed YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ", optarg);
		} else {
			r->since_text = optarg;
		}
	}
	if (argc - optind != 1)
		return usage_error("report", "one database is needed: the file of scan --db");
	r->path = argv[optind];
	return -1;
}

int cmd_report(int argc, char **argv)
{
	char error[STORE_ERROR_MAX] = "out of memory";
	struct scans *s = NULL;
	struct summary r = { 0 };
	int status = parse(argc, argv, &r);

	if (status >= 0)
		return status;
	if (!summary_new(&r) || scans_open(r.path, STORE_LOOK, &s, error) < 0) {
		say("%s", error);
		status = CLI_INCOMPLETE;
	} else {
		status = summarize(&r, s);
	}
	scans_close(s);
	report_page_free(r.page);
	json_decref(r.root);
	return status;
}
