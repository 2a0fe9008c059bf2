/* weighlock rules and weighlock formats: the tables this build was made with. */
#include "cli.h"

#include <getopt.h>
#include <jansson.h>
#include <string.h>

#include "findings.h"
#include "formats.h"
#include "verdict.h"

#define SHORT_OPTIONS ":h"

enum { OPT_FORMAT = 256 }; /* an option without a letter: beyond any character */

struct table_options {
	bool json;
	const char *code; /* NULL: everything */
};

/* --format, --help and at most @n_max operands.  Return: -1 to go on, else the exit status. */
static int table_options_parse(int argc, char **argv, int n_max, struct table_options *ret)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, OPT_FORMAT },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	*ret = (struct table_options){ 0 };
	opterr = 0;
	while ((option = getopt_long(argc, argv, SHORT_OPTIONS, options, NULL)) != -1) {
		if (option == 'h')
			return usage_print(argv[0]);
		if (option != OPT_FORMAT)
			return usage_bad_option(argv[0], option, optopt, SHORT_OPTIONS, argv[optind - 1]);
		ret->json = strcmp(optarg, "json") == 0;
		if (!ret->json && strcmp(optarg, "text") != 0)
			return usage_error(argv[0], "--format: found '%s', allowed text or json", optarg);
	}
	if (argc - optind > n_max)
		return usage_error(argv[0], "too many arguments: '%s'", argv[optind + n_max]);
	ret->code = argc > optind ? argv[optind] : NULL;
	return -1;
}

/* ---- rules ---- */

static int rules_list(void)
{
	for (int i = 0; i < WLK_N_FINDINGS; i++) {
		const struct finding_info *info = finding_info((enum wlk_finding)i);

		printf("%-9s %-11s %-38s %s\n", finding_severity_text(info->severity), finding_class_text(info->class),
		    info->code, info->title);
	}
	return output_finish(CLI_OK);
}

static int rules_explain(const struct finding_info *info)
{
	printf("%s: %s\n\n", info->code, info->title);
	printf("class     %s\n", finding_class_text(info->class));
	printf("severity  %s\n", finding_severity_text(info->severity));
	printf("why       %s\n", info->why);
	printf("fix       %s\n", info->fix);
	printf("clause    %s\n", info->clause);
	return output_finish(CLI_OK);
}

/* The object of one code out of the whole table. */
static json_t *rule_json(const char *code)
{
	json_t *all = rules_json();
	const json_t *list = json_is_array(all) ? all : json_object_get(all, "rules");
	json_t *found = NULL, *rule;
	size_t i;

	json_array_foreach (list, i, rule) {
		const char *own = json_string_value(json_object_get(rule, "code"));

		if (own != NULL && strcmp(own, code) == 0)
			found = json_incref(rule);
	}
	json_decref(all);
	return found;
}

int cmd_rules(int argc, char **argv)
{
	struct table_options o;
	enum wlk_finding f = 0;
	int status = table_options_parse(argc, argv, 1, &o);

	if (status >= 0)
		return status;
	if (o.code != NULL && !finding_by_code(o.code, &f))
		return usage_error("rules", "no finding has the code '%s'; 'weighlock rules' lists all", o.code);
	if (o.json)
		return output_json(o.code != NULL ? rule_json(o.code) : rules_json());
	return o.code != NULL ? rules_explain(finding_info(f)) : rules_list();
}

/* ---- formats ---- */

static int formats_list(void)
{
	printf("%-14s %-8s %-6s %s\n", "format", "revision", "model", "extensions");
	for (int i = 0; i < WLK_N_FORMATS; i++) {
		const struct format_info *info = format_info((enum wlk_format_id)i);

		if (format_is_listed((enum wlk_format_id)i))
			printf("%-14s %-8u %-6s %s\n", info->name, info->revision, info->model ? "yes" : "no",
			    info->extensions[0] != '\0' ? info->extensions : "-");
	}
	return output_finish(CLI_OK);
}

int cmd_formats(int argc, char **argv)
{
	struct table_options o;
	int status = table_options_parse(argc, argv, 0, &o);

	if (status >= 0)
		return status;
	return o.json ? output_json(formats_json()) : formats_list();
}
