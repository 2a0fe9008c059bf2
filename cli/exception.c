/* weighlock exception: the list of exceptions that people have made (exceptions.h): a line more for each act, none taken away. */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "cli.h"
#include "commands.h"
#include "exceptions.h"
#include "print.h"
#include "scan_options.h"

#define SHORT_OPTIONS ":hV"
#define DAY_S 86400

enum { OPT_EXCEPTIONS = 256, OPT_CODE, OPT_TENANT, OPT_REASON, OPT_OWNER, OPT_EXPIRES, OPT_ALL, OPT_FORMAT };

struct options {
	const char *action, *file, *operand; /* operand: a digest, a number, or NULL */
	struct exception x;
	bool all;
	enum print_format format;
};

static const struct option long_options[] = {
	{ "exceptions", required_argument, NULL, OPT_EXCEPTIONS },
	{ "code", required_argument, NULL, OPT_CODE },
	{ "tenant", required_argument, NULL, OPT_TENANT },
	{ "reason", required_argument, NULL, OPT_REASON },
	{ "owner", required_argument, NULL, OPT_OWNER },
	{ "expires", required_argument, NULL, OPT_EXPIRES },
	{ "all", no_argument, NULL, OPT_ALL },
	{ "format", required_argument, NULL, OPT_FORMAT },
	USAGE_LONG_OPTIONS,
};

/* Return: -1 to go on, or the exit status. */
static int take_option(struct options *o, int option, const char *argument)
{
	switch (option) {
	case OPT_EXCEPTIONS: o->file = optarg; return -1;
	case OPT_CODE:
		if (o->x.n_codes == EXCEPTION_CODES_MAX)
			return usage_error("exception", "--code: at most %u", EXCEPTION_CODES_MAX);
		o->x.codes[o->x.n_codes++] = optarg;
		return -1;
	case OPT_TENANT: o->x.tenant = optarg; return -1;
	case OPT_REASON: o->x.reason = optarg; return -1;
	case OPT_OWNER: o->x.owner = optarg; return -1;
	case OPT_EXPIRES: o->x.expires = optarg; return -1;
	case OPT_ALL: o->all = true; return -1;
	case OPT_FORMAT:
		return format_parse(optarg, &o->format)
			   ? -1
			   : usage_error("exception", "--format: found '%s', allowed text or json", optarg);
	default: return usage_option("exception", option, long_options, SHORT_OPTIONS, argument);
	}
}

static int options_parse(int argc, char **argv, struct options *o)
{
	int option, status = -1;

	opterr = 0;
	while (status < 0 && (option = getopt_long(argc, argv, SHORT_OPTIONS, long_options, NULL)) != -1)
		status = take_option(o, option, argv[optind - 1]);
	if (status >= 0)
		return status;
	if (argc - optind > 1)
		return usage_error("exception", "one operand is too many: '%s'", argv[optind + 1]);
	o->operand = argv[optind];
	return o->file != NULL ? -1
			       : usage_error("exception", "--exceptions: the file that they are kept in is needed");
}

/* ---- a line more ---- */

static int make_line(void *ctx, const struct exceptions *e, char **ret, char *error)
{
	const struct options *o = ctx;
	const struct passwd *who = getpwuid(getuid());
	const struct exception_act act = {
		.uid = getuid(), .name = who != NULL ? who->pw_name : "?", .now = (int64_t)time(NULL)
	};
	char *end;
	unsigned long long seq;

	if (strcmp(o->action, "add") == 0)
		return exceptions_add_line(e, &o->x, &act, ret, error);
	errno = 0;
	seq = strtoull(o->operand, &end, 10);
	if (*end != '\0' || o->operand[0] < '0' || o->operand[0] > '9' || errno != 0) {
		(void)snprintf(error, POLICY_ERROR_MAX, "not the number of an exception: '%.100s'", o->operand);
		return -EINVAL;
	}
	return exceptions_revoke_line(e, seq, o->x.reason, &act, ret, error);
}

static int act(struct options *o)
{
	char error[POLICY_ERROR_MAX];
	int r = exceptions_append(o->file, make_line, o, error);

	if (r < 0)
		say("%s", error);
	return r == 0 ? CLI_OK : r == -EINVAL ? CLI_USAGE : CLI_INCOMPLETE;
}

/* ---- what there is ---- */

static void print_one(const struct exception *x, bool live)
{
	_cleanup_(freep) char *by = text_safe(x->by), *owner = text_safe(x->owner), *reason = text_safe(x->reason);

	printf("%llu  %s", (unsigned long long)x->seq, x->sha256);
	for (size_t i = 0; i < x->n_codes; i++) {
		_cleanup_(freep) char *code = text_safe(x->codes[i]);

		printf("%s%s", i == 0 ? "  " : ", ", code != NULL ? code : "?");
	}
	printf("\n    %s %s; by %s, owner %s: %s\n",
	    x->revoked ? "revoked, was until"
	    : live     ? "until"
		       : "expired on",
	    x->expires, by != NULL ? by : "?", owner != NULL ? owner : "?", reason != NULL ? reason : "?");
}

static int list(const struct options *o)
{
	int64_t today = (int64_t)time(NULL) / DAY_S;
	char error[POLICY_ERROR_MAX];
	struct exceptions *e;
	int status = CLI_OK;

	if (exceptions_load(o->file, &e, error) < 0) {
		say("%s", error);
		return CLI_USAGE;
	}
	for (size_t i = 0; i < exceptions_count(e) && status == CLI_OK; i++) {
		const struct exception *x = exceptions_at(e, i);
		bool live = exception_is_live(x, today);

		if ((!live && !o->all) || (o->operand != NULL && strcmp(o->operand, x->sha256) != 0))
			continue;
		if (o->format == PRINT_JSON)
			status = output_json(exception_json(x, today));
		else
			print_one(x, live);
	}
	exceptions_free(e);
	return status == CLI_OK ? output_finish(CLI_OK) : status;
}

int cmd_exception(int argc, char **argv)
{
	static const char *const actions[] = { "add", "list", "revoke", NULL };
	struct options o = { .action = argc > 1 ? argv[1] : "" };
	size_t action = 0;
	int status;

	if (o.action[0] == '-') {
		status = usage_plain_option("exception", o.action);
		if (status >= 0)
			return status;
	}
	while (actions[action] != NULL && strcmp(actions[action], o.action) != 0)
		action++;
	if (actions[action] == NULL)
		return usage_error("exception", "expected: exception add, list or revoke");
	status = options_parse(argc - 1, argv + 1, &o);
	if (status >= 0)
		return status;
	if (strcmp(o.action, "list") == 0)
		return list(&o);
	if (o.operand == NULL)
		return usage_error("exception", strcmp(o.action, "add") == 0 ? "the file's SHA-256 is needed"
									     : "the number of an exception is needed");
	o.x.sha256 = o.operand;
	return act(&o);
}
