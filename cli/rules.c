/* weighlock rules and weighlock formats: the tables this build was made with. */
#include "cli.h"

#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "finding_references.h"
#include "findings.h"
#include "formats.h"
#include "print.h"
#include "scan_options.h"
#include "verdict.h"

#define SHORT_OPTIONS ":hV"

enum { OPT_FORMAT = 256, OPT_SINCE }; /* options without a letter: beyond any character */

struct table_options {
	bool json;
	const char *code;    /* NULL: everything */
	unsigned long since; /* rules: only those that came after this version */
};

static const struct option formats_options[] = {
	{ "format", required_argument, NULL, OPT_FORMAT },
	USAGE_LONG_OPTIONS,
};

static const struct option rules_options[] = {
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "since", required_argument, NULL, OPT_SINCE },
	USAGE_LONG_OPTIONS,
};

/* Return: -1 to go on, else the exit status. */
static int take_option(int option, char **argv, const struct option *options, struct table_options *o)
{
	enum print_format format;
	char *end;

	switch (option) {
	case OPT_FORMAT:
		if (!format_parse(optarg, &format))
			return usage_error(argv[0], "--format: found '%s', allowed text or json", optarg);
		o->json = format == PRINT_JSON;
		return -1;
	case OPT_SINCE:
		o->since = strtoul(optarg, &end, 10);
		if (optarg[0] < '0' || optarg[0] > '9' || *end != '\0' || o->since > WLK_RULES_VERSION)
			return usage_error(argv[0], "--since: found '%s', allowed 0 to %d", optarg, WLK_RULES_VERSION);
		return -1;
	default: return usage_option(argv[0], option, options, SHORT_OPTIONS, argv[optind - 1]);
	}
}

/* Options, and at most @n_max operands.  Return: -1 to go on, else the exit status. */
static int table_options_parse(
    int argc, char **argv, const struct option *options, int n_max, struct table_options *ret)
{
	int option, status = -1;

	*ret = (struct table_options){ 0 };
	opterr = 0;
	while (status < 0 && (option = getopt_long(argc, argv, SHORT_OPTIONS, options, NULL)) != -1)
		status = take_option(option, argv, options, ret);
	if (status >= 0)
		return status;
	if (argc - optind > n_max)
		return usage_error(argv[0], "too many arguments: '%s'", argv[optind + n_max]);
	ret->code = argc > optind ? argv[optind] : NULL;
	return -1;
}

/* ---- rules ---- */

static int rules_list(unsigned long since)
{
	for (int i = 0; i < WLK_N_FINDINGS; i++) {
		const struct finding_info *info = finding_info((enum wlk_finding)i);

		if (finding_since((enum wlk_finding)i) <= since)
			continue;
		printf("%-9s %-11s %-38s %s\n", finding_severity_text(info->severity), finding_class_text(info->class),
		    info->code, info->title);
	}
	return output_finish(CLI_OK);
}

static int rules_explain(enum wlk_finding code)
{
	const struct finding_info *info = finding_info(code);

	printf("%s: %s\n\n", info->code, info->title);
	printf("class     %s\n", finding_class_text(info->class));
	printf("severity  %s\n", finding_severity_text(info->severity));
	printf("why       %s\n", info->why);
	printf("fix       %s\n", info->fix);
	printf("clause    %s\n", info->clause);
	if (finding_references(code)[0] != '\0')
		printf("answers   %s\n", finding_references(code));
	printf("since     rules version %u\n", finding_since(code));
	return output_finish(CLI_OK);
}

static bool is_wanted(const json_t *rule, const struct table_options *o)
{
	const char *code = json_string_value(json_object_get(rule, "code"));

	if (o->code != NULL)
		return code != NULL && strcmp(code, o->code) == 0;
	return json_integer_value(json_object_get(rule, "since")) > (json_int_t)o->since;
}

/* The catalogue, less what is not wanted; of one code its object alone. */
static json_t *rules_wanted(const struct table_options *o)
{
	json_t *all = rules_json(), *list = json_object_get(all, "rules"), *one = NULL;

	for (size_t i = json_array_size(list); i-- > 0;)
		if (!is_wanted(json_array_get(list, i), o) && json_array_remove(list, i) < 0)
			break;
	if (o->code == NULL)
		return all;
	one = json_incref(json_array_get(list, 0));
	json_decref(all);
	return one;
}

static int unknown_code(const char *typed)
{
	char question[NEAREST_QUESTION_MAX];
	struct nearest n;

	nearest_init(&n, typed);
	for (unsigned i = 0; i < WLK_N_FINDINGS; i++)
		nearest_try(&n, finding_info((enum wlk_finding)i)->code);
	return usage_error("rules", "no finding has the code '%s'%s", typed,
	    n.best != NULL ? nearest_question(&n, "", question) : "; 'weighlock rules' lists all");
}

int cmd_rules(int argc, char **argv)
{
	struct table_options o;
	enum wlk_finding f = 0;
	int status = table_options_parse(argc, argv, rules_options, 1, &o);

	if (status >= 0)
		return status;
	if (o.code != NULL && !finding_by_code(o.code, &f))
		return unknown_code(o.code);
	if (o.json)
		return output_json(rules_wanted(&o));
	return o.code != NULL ? rules_explain(f) : rules_list(o.since);
}

/* ---- formats ---- */

static int formats_list(void)
{
	printf("%-18s %-8s %-6s %-11s %s\n", "format", "revision", "model", "level", "extensions");
	for (int i = 0; i < WLK_N_FORMATS; i++) {
		const struct format_info *info = format_info((enum wlk_format_id)i);

		if (format_is_listed((enum wlk_format_id)i))
			printf("%-18s %-8u %-6s %-11s %s\n", info->name, info->revision, info->model ? "yes" : "no",
			    format_level((enum wlk_format_id)i), info->extensions[0] != '\0' ? info->extensions : "-");
	}
	return output_finish(CLI_OK);
}

int cmd_formats(int argc, char **argv)
{
	struct table_options o;
	int status = table_options_parse(argc, argv, formats_options, 0, &o);

	if (status >= 0)
		return status;
	return o.json ? output_json(formats_json()) : formats_list();
}
