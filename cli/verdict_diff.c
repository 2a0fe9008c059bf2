/* weighlock verdict-diff: what changed between two runs - of another build, other rules, another policy, or over other files.
 * Files are matched by name; findings by what they are about, not by where, so that a tensor that moved is no news. */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <string.h>

#include "cleanup.h"
#include "commands.h"
#include "fingerprint.h"
#include "print.h"
#include "scan_options.h"
#include "verdict_json.h"
#include "verdict_lines.h"

#define SHORT_OPTIONS ":qhV"

enum { OPT_FORMAT = 256 };

struct options {
	enum print_format format;
	bool quiet;
	const char *old, *new;
};

/* Verdicts of a run, by key: of each what is compared, in the order they came. */
struct compared {
	size_t n_changed, n_added, n_removed, n_same;
	bool failed; /* out of memory */
};

/* ---- what is kept of a verdict ---- */

static const char *name_of(const json_t *verdict)
{
	return verdict_member(verdict_is_set(verdict) ? verdict : json_object_get(verdict, "file"), "name");
}

static const char *sha256_of(const json_t *verdict)
{
	return verdict_member(verdict_is_set(verdict) ? verdict : json_object_get(verdict, "file"), "sha256");
}

/* "reject pickle-global-dangerous about posix.system in data.pkl" */
static char *finding_text(const json_t *finding)
{
	const char *subject = verdict_member(finding, "subject"), *member = verdict_member(finding, "member");
	char *text;

	if (asprintf(&text, "%s %s%s%s%s%s", verdict_member(finding, "action"), verdict_member(finding, "code"),
		subject[0] != '\0' ? " about " : "", subject, member[0] != '\0' ? " in " : "", member) < 0)
		return NULL;
	return text;
}

/* A set: each text once. */
static json_t *findings_of(const json_t *verdict)
{
	json_t *set = json_object();
	const json_t *finding;
	size_t i;

	json_array_foreach (json_object_get(verdict, "findings"), i, finding) {
		_cleanup_(freep) char *text = finding_text(finding);

		if (text == NULL || json_object_set_new(set, text, json_true()) < 0) {
			json_decref(set);
			return NULL;
		}
	}
	return set;
}

static json_t *entry_of(const json_t *verdict)
{
	return json_pack("{s:s, s:b, s:s, s:s, s:o}", "name", name_of(verdict), "set", verdict_is_set(verdict),
	    "verdict", verdict_text(verdict_value_of(verdict)), "sha256", sha256_of(verdict), "findings",
	    findings_of(verdict));
}

/* The n-th of a name is compared with the n-th: a run may look at a file twice. */
static bool add_entry(json_t *run, json_t *entry)
{
	_cleanup_(freep) char *key = NULL;

	for (size_t n = 0;; n++) {
		free(key);
		if (asprintf(&key, "%c%zu %s", json_is_true(json_object_get(entry, "set")) ? 's' : 'f', n,
			verdict_member(entry, "name")) < 0) {
			key = NULL;
			return false;
		}
		if (json_object_get(run, key) == NULL)
			return json_object_set(run, key, entry) == 0;
	}
}

/* Return: NULL, told why. */
static json_t *run_read(const char *path)
{
	struct verdict_lines *lines = verdict_lines_open(path);
	json_t *run = json_object(), *verdict;
	int r = lines != NULL ? 1 : -1;

	while (r > 0 && (r = verdict_lines_next(lines, &verdict)) > 0) {
		json_t *entry = entry_of(verdict);

		if (entry == NULL || !add_entry(run, entry)) {
			say("out of memory");
			r = -1;
		}
		json_decref(entry);
		json_decref(verdict);
	}
	verdict_lines_close(lines);
	if (r == 0)
		return run;
	json_decref(run);
	return NULL;
}

/* ---- comparing ---- */

/* Texts of @a that are not in @b. */
static json_t *less(const json_t *a, const json_t *b)
{
	json_t *list = json_array(), *unused;
	const char *text;

	json_object_foreach ((json_t *)(uintptr_t)json_object_get(a, "findings"), text, unused)
		if (json_object_get(json_object_get(b, "findings"), text) == NULL)
			(void)json_array_append_new(list, json_string(text));
	return list;
}

static json_t *side_json(const json_t *entry)
{
	const char *sha256 = verdict_member(entry, "sha256");

	return entry == NULL ? json_null()
			     : json_pack("{s:s, s:o}", "verdict", verdict_member(entry, "verdict"), "sha256",
				   sha256[0] != '\0' ? json_string(sha256) : json_null());
}

static bool is_same(const json_t *old, const json_t *new)
{
	return old != NULL &&
	       new != NULL &&strcmp(verdict_member(old, "verdict"), verdict_member(new, "verdict")) == 0 &&
	       json_equal(json_object_get(old, "findings"), json_object_get(new, "findings"));
}

/* @old or @new may be NULL, not both. */
static json_t *change_json(const json_t *old, const json_t *new)
{
	const json_t *any = new != NULL ? new : old;

	return json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "change",
	    old == NULL   ? "added"
	    : new == NULL ? "removed"
			  : "changed",
	    "name", verdict_member(any, "name"), "set", json_is_true(json_object_get(any, "set")), "old",
	    side_json(old), "new", side_json(new), "appeared", less(new, old), "disappeared", less(old, new));
}

static void put_list(const json_t *change, const char *member, char mark)
{
	const json_t *text;
	size_t i;

	json_array_foreach (json_object_get(change, member), i, text) {
		_cleanup_(freep) char *safe = text_safe(json_string_value(text));

		printf("    %c %s\n", mark, safe != NULL ? safe : "?");
	}
}

static void print_change(const json_t *change)
{
	const json_t *old = json_object_get(change, "old"), *new = json_object_get(change, "new");
	_cleanup_(freep) char *name = text_safe(verdict_member(change, "name"));
	bool both = json_is_object(old) && json_is_object(new);

	printf("%c %s%s  %s%s%s",
	    both                  ? '~'
	    : json_is_object(new) ? '+'
				  : '-',
	    name != NULL ? name : "?", json_is_true(json_object_get(change, "set")) ? ", as a set" : "",
	    verdict_member(old, "verdict"), both ? " -> " : "", verdict_member(new, "verdict"));
	if (both && strcmp(verdict_member(old, "sha256"), verdict_member(new, "sha256")) != 0)
		printf("  (other bytes)");
	putchar('\n');
	put_list(change, "appeared", '+');
	put_list(change, "disappeared", '-');
}

static void tell(const struct options *o, struct compared *c, const json_t *old, const json_t *new)
{
	json_t *change = change_json(old, new);

	if (change == NULL)
		c->failed = true;
	else if (o->format == PRINT_JSON)
		(void)output_json(json_incref(change));
	else if (!o->quiet)
		print_change(change);
	json_decref(change);
}

static void compare(const struct options *o, json_t *old, json_t *new, struct compared *c)
{
	const char *key;
	json_t *entry;

	json_object_foreach (old, key, entry) {
		const json_t *other = json_object_get(new, key);

		if (is_same(entry, other)) {
			c->n_same++;
			continue;
		}
		++*(other != NULL ? &c->n_changed : &c->n_removed);
		tell(o, c, entry, other);
	}
	json_object_foreach (new, key, entry) {
		if (json_object_get(old, key) != NULL)
			continue;
		c->n_added++;
		tell(o, c, NULL, entry);
	}
}

/* ---- the command ---- */

static int options_parse(int argc, char **argv, struct options *ret)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, OPT_FORMAT },
		{ "quiet", no_argument, NULL, 'q' },
		USAGE_LONG_OPTIONS,
	};
	int option;

	*ret = (struct options){ 0 };
	opterr = 0;
	while ((option = getopt_long(argc, argv, SHORT_OPTIONS, options, NULL)) != -1) {
		if (option == 'q')
			ret->quiet = true;
		else if (option != OPT_FORMAT)
			return usage_option("verdict-diff", option, options, SHORT_OPTIONS, argv[optind - 1]);
		else if (!format_parse(optarg, &ret->format))
			return usage_error("verdict-diff", "--format: found '%s', allowed text or json", optarg);
	}
	if (argc - optind != 2)
		return usage_error("verdict-diff", "two files of verdicts are needed");
	ret->old = argv[optind];
	ret->new = argv[optind + 1];
	if (strcmp(ret->old, "-") == 0 && strcmp(ret->new, "-") == 0)
		return usage_error("verdict-diff", "standard input (-) can be read once only");
	return -1;
}

static int finish(const struct options *o, const struct compared *c)
{
	size_t n = c->n_changed + c->n_added + c->n_removed;

	if (c->failed) {
		say("out of memory");
		return CLI_INCOMPLETE;
	}
	if (o->format == PRINT_TEXT && !o->quiet)
		printf("%zu changed, %zu added, %zu removed, %zu the same\n", c->n_changed, c->n_added, c->n_removed,
		    c->n_same);
	return output_finish(n > 0 ? CLI_FAILED : CLI_OK);
}

int cmd_verdict_diff(int argc, char **argv)
{
	struct compared c = { 0 };
	struct options o;
	int status = options_parse(argc, argv, &o);
	json_t *old, *new;

	if (status >= 0)
		return status;
	old = run_read(o.old);
	new = old != NULL ? run_read(o.new) : NULL;
	if (new != NULL)
		compare(&o, old, new, &c);
	status = new != NULL ? finish(&o, &c) : CLI_INCOMPLETE;
	json_decref(old);
	json_decref(new);
	return status;
}
