/* weighlock policy try: what another policy would make of files that were judged before, from their verdicts alone.  Nothing
 * is scanned: facts stay, opinions change.  Where the policy would ask for other facts (limits, names that pickles may import) a
 * verdict does not say what it would make of them, and is counted as not tried; so are sets, whose verdicts follow from those of
 * their members. */
#include "cli.h"

#include <getopt.h>
#include <jansson.h>
#include <string.h>
#include <time.h>

#include "backend.h"
#include "cleanup.h"
#include "commands.h"
#include "policy_try.h"
#include "scan_options.h"
#include "verdict_json.h"
#include "verdict_lines.h"

#define SHORT_OPTIONS ":hV"

enum { OPT_FORMAT = 256, OPT_AGAINST, OPT_PACK };

static int options_parse(int argc, char **argv, struct trial *ret)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, OPT_FORMAT },
		{ "against", required_argument, NULL, OPT_AGAINST },
		{ "pack", required_argument, NULL, OPT_PACK },
		USAGE_LONG_OPTIONS,
	};
	int option;

	*ret = (struct trial){ 0 };
	opterr = 0;
	while ((option = getopt_long(argc, argv, SHORT_OPTIONS, options, NULL)) != -1) {
		if (option == OPT_AGAINST)
			ret->verdicts = optarg;
		else if (option == OPT_PACK && ret->n_packs < TRIAL_PACKS_MAX)
			ret->packs[ret->n_packs++] = optarg;
		else if (option == OPT_PACK)
			return usage_error("policy", "--pack: at most %u", TRIAL_PACKS_MAX);
		else if (option != OPT_FORMAT)
			return usage_option("policy", option, options, SHORT_OPTIONS, argv[optind - 1]);
		else if (!format_parse(optarg, &ret->format))
			return usage_error("policy", "--format: found '%s', allowed text or json", optarg);
	}
	if (argc - optind != 1 || ret->verdicts == NULL)
		return usage_error("policy", "expected: policy try NAME|FILE --against VERDICTS");
	ret->policy_name = argv[optind];
	return -1;
}

/* Findings that decide, for a line of text. */
static void put_codes(const json_t *verdict)
{
	const char *last = "";
	const json_t *finding;
	size_t i;

	json_array_foreach (json_object_get(verdict, "findings"), i, finding) {
		const char *code = json_string_value(json_object_get(finding, "code"));
		const char *action = json_string_value(json_object_get(finding, "action"));

		if (code == NULL || action == NULL || strcmp(action, "accept") == 0 || strcmp(code, last) == 0)
			continue;
		printf("%s%s", last[0] != '\0' ? ", " : "  ", code);
		last = code;
	}
}

static void tell(const struct trial *t, const char *name, enum verdict_value old, const struct verdict *new)
{
	const char *from = verdict_text(old), *to = verdict_text(new->value);
	_cleanup_(freep) char *safe = text_safe(name != NULL ? name : "(no name)");

	if (t->format == PRINT_JSON) {
		(void)output_json(json_pack("{s:s?, s:s, s:s, s:O}", "name", name, "old", from, "new", to, "findings",
		    json_object_get(new->json, "findings")));
		return;
	}
	printf("%s  %s -> %s", safe != NULL ? safe : "?", from, to);
	put_codes(new->json);
	putchar('\n');
}

void trial_take(struct trial *t, const char *name, enum verdict_value from, const struct verdict *new)
{
	t->n[from][new->value]++;
	if (from == new->value)
		return;
	t->n_changed++;
	tell(t, name, from, new);
}

static int judge(struct trial *t, const json_t *old, const struct recorded *r)
{
	const struct verdict_context context = { .name = r->name,
		.path = r->name != NULL ? rule_path(r->name) : NULL,
		.source = VERDICT_FILE,
		.started_at = (int64_t)time(NULL) };
	enum untried why = recorded_untried(r, t->policy);
	struct verdict new;
	int status = why == UNTRIED_NOT ? verdict_make(t->policy, &r->facts, &context, &new) : 0;

	t->n_untried[why]++;
	if (status < 0 || why != UNTRIED_NOT)
		return status;
	trial_take(
	    t, json_string_value(json_object_get(json_object_get(old, "file"), "name")), verdict_value_of(old), &new);
	json_decref(new.json);
	return 0;
}

static int try_one(struct trial *t, const json_t *verdict)
{
	struct recorded recorded;
	int r;

	if (verdict_is_set(verdict)) {
		t->n_sets++;
		return 0;
	}
	r = recorded_open(verdict, &recorded);
	if (r == 0)
		r = judge(t, verdict, &recorded);
	recorded_close(&recorded);
	if (r < 0)
		say("a verdict cannot be judged: %s", strerror(-r));
	return r;
}

static size_t count_untried(const struct trial *t)
{
	size_t n = t->n_sets;

	for (size_t i = UNTRIED_NOT + 1; i < N_TRIAL_REASONS; i++)
		n += t->n_untried[i];
	return n;
}

static void print_totals(const struct trial *t)
{
	static const enum verdict_value order[TRIAL_VALUES] = { VERDICT_ACCEPT, VERDICT_REVIEW, VERDICT_REJECT,
		VERDICT_ERROR };
	size_t same = 0;

	for (size_t i = 0; i < TRIAL_VALUES; i++)
		same += t->n[i][i];
	printf("%zu the same, %zu changed", same, t->n_changed);
	if (count_untried(t) > 0)
		printf(", %zu not tried", count_untried(t));
	for (size_t from = 0; from < TRIAL_VALUES; from++)
		for (size_t to = 0; to < TRIAL_VALUES; to++)
			if (order[from] != order[to] && t->n[order[from]][order[to]] > 0)
				printf("; %zu %s -> %s", t->n[order[from]][order[to]], verdict_text(order[from]),
				    verdict_text(order[to]));
	putchar('\n');
}

static const char *const untried_text[N_TRIAL_REASONS] = {
	[UNTRIED_LIMITS] = "judged under other limits; scan them again",
	[UNTRIED_NAMES] = "that import what one of the policies allows by name and the other does not; scan them again",
	[UNTRIED_UNKNOWN_CODES] = "with codes that this build does not know",
	[TRIAL_NO_REPORT] = "without a report: they could not be judged, or it was too long",
	[TRIAL_STALE] = "with reports of other rules; scan them again with --outdated",
	[TRIAL_OTHER_REPORT] =
	    "that need another report, for limits, names they import or what their folder says; scan them again",
};

static int finish(const struct trial *t)
{
	if (t->format == PRINT_TEXT)
		print_totals(t);
	if (t->n_sets > 0)
		say("not tried: %zu about sets; theirs follow from those of their files", t->n_sets);
	for (size_t i = UNTRIED_NOT + 1; i < N_TRIAL_REASONS; i++)
		if (t->n_untried[i] > 0)
			say("not tried: %zu %s", t->n_untried[i], untried_text[i]);
	return output_finish(t->n_changed > 0 ? CLI_FAILED : count_untried(t) > t->n_sets ? CLI_INCOMPLETE : CLI_OK);
}

/* Return: 0 at the end; negative: told. */
static int try_lines(struct trial *t)
{
	struct verdict_lines *lines = verdict_lines_open(t->verdicts);
	int r = lines != NULL ? 1 : -1;
	json_t *verdict;

	while (r > 0 && (r = verdict_lines_next(lines, &verdict)) > 0) {
		r = try_one(t, verdict) == 0 ? 1 : -1;
		json_decref(verdict);
	}
	verdict_lines_close(lines);
	return r;
}

int policy_try(int argc, char **argv)
{
	struct trial t;
	int status = options_parse(argc, argv, &t);

	if (status >= 0)
		return status;
	if (policy_find(t.policy_name, &t.policy) != 0)
		return CLI_USAGE;
	status = policy_add_packs(t.policy, "policy", t.packs, t.n_packs);
	if (status == CLI_OK)
		status = (trial_is_db(t.verdicts) ? trial_db(&t) : try_lines(&t)) == 0 ? finish(&t) : CLI_INCOMPLETE;
	policy_free(t.policy);
	return status;
}
