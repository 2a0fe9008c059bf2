/* See scan_options.h. */
#include "scan_options.h"

#include <getopt.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "client.h"
#include "commands.h"

/* Values of options without a letter: beyond any character. */
enum {
	OPT_SOCKET = 256,
	OPT_POLICY,
	OPT_FORMAT,
	OPT_FAIL_ON,
	OPT_ALLOW_EMPTY,
	OPT_NO_PROGRESS,
	OPT_COLOR,
	OPT_TENSORS,
	OPT_DIGESTS,
	OPT_CALLS,
	OPT_INCLUDE,
	OPT_EXCLUDE,
	OPT_IGNORE_FILE,
	OPT_BASE,
	OPT_BASELINE,
	OPT_EXCEPTIONS,
	OPT_WRITE_BASELINE,
	OPT_SAVE_POLICY,
	OPT_PACK,
	OPT_NAME,
	OPT_DB,
	OPT_OUTDATED,
	OPT_VERIFY
};

/* The colon: tell an option without its value from an unknown one. */
#define SHORT_OPTIONS ":j:qvhV"

static const struct option long_options[] = {
	{ "socket", optional_argument, NULL, OPT_SOCKET },
	{ "policy", required_argument, NULL, OPT_POLICY },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "fail-on", required_argument, NULL, OPT_FAIL_ON },
	{ "allow-empty", no_argument, NULL, OPT_ALLOW_EMPTY },
	{ "no-progress", no_argument, NULL, OPT_NO_PROGRESS },
	{ "color", required_argument, NULL, OPT_COLOR },
	{ "tensors", no_argument, NULL, OPT_TENSORS },
	{ "tensor-digests", no_argument, NULL, OPT_DIGESTS },
	{ "calls", no_argument, NULL, OPT_CALLS },
	{ "include", required_argument, NULL, OPT_INCLUDE },
	{ "exclude", required_argument, NULL, OPT_EXCLUDE },
	{ "ignore-file", required_argument, NULL, OPT_IGNORE_FILE },
	{ "base", required_argument, NULL, OPT_BASE },
	{ "baseline", required_argument, NULL, OPT_BASELINE },
	{ "exceptions", required_argument, NULL, OPT_EXCEPTIONS },
	{ "write-baseline", required_argument, NULL, OPT_WRITE_BASELINE },
	{ "save-policy", required_argument, NULL, OPT_SAVE_POLICY },
	{ "pack", required_argument, NULL, OPT_PACK },
	{ "name", required_argument, NULL, OPT_NAME },
	{ "db", required_argument, NULL, OPT_DB },
	{ "outdated", no_argument, NULL, OPT_OUTDATED },
	{ "verify", no_argument, NULL, OPT_VERIFY },
	{ "jobs", required_argument, NULL, 'j' },
	{ "workers", required_argument, NULL, 'j' }, /* as the daemon calls it */
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	USAGE_LONG_OPTIONS,
};

size_t jobs_default(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

	return n < JOBS_MAX ? (size_t)n : JOBS_MAX;
}

static bool parse_fail_on(const char *text, enum fail_on *ret)
{
	static const char *const names[] = {
		[FAIL_ON_REVIEW] = "review", [FAIL_ON_REJECT] = "reject", [FAIL_ON_NEVER] = "never"
	};
	size_t i = word_index(text, names, sizeof(names) / sizeof(names[0]));

	*ret = (enum fail_on)i;
	return i < sizeof(names) / sizeof(names[0]);
}

bool format_parse(const char *text, enum print_format *ret)
{
	*ret = strcmp(text, "json") == 0 ? PRINT_JSON : PRINT_TEXT;
	return *ret == PRINT_JSON || strcmp(text, "text") == 0;
}

bool jobs_parse(const char *text, size_t *ret)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	*ret = n;
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && n >= 1 && n <= JOBS_MAX;
}

/* The word behind --socket is its path unless it names something that is there and no socket, which is to be judged: then, and
 * where an option or nothing follows, the daemon's own socket is meant. */
const char *socket_option(char **argv)
{
	const char *next = argv[optind];
	struct stat st;

	if (optarg != NULL)
		return optarg;
	if (next == NULL || next[0] == '-' || (next[0] != '\0' && stat(next, &st) == 0 && !S_ISSOCK(st.st_mode)))
		return CLIENT_SOCKET_DEFAULT;
	optind++;
	return next;
}

/* Return: -1 to go on, or CLI_USAGE. */
static int take_format(struct scan_options *o)
{
	if (o->n_outputs == OUTPUTS_MAX)
		return usage_error("scan", "--format: at most %d times", OUTPUTS_MAX);
	if (!output_spec_parse(optarg, &o->outputs[o->n_outputs]))
		return usage_error("scan",
		    "--format: found '%s', allowed text, json, sarif, junit, github, html or cyclonedx, and =FILE "
		    "behind it",
		    optarg);
	o->n_outputs++;
	return -1;
}

/* Return: -1 to go on, or CLI_USAGE. */
static int take_value(int option, struct scan_options *o)
{
	if (option == OPT_FORMAT)
		return take_format(o);
	if (option == OPT_FAIL_ON && !parse_fail_on(optarg, &o->fail_on))
		return usage_error("scan", "--fail-on: found '%s', allowed review, reject or never", optarg);
	if (option == OPT_COLOR && !color_parse(optarg, &o->color))
		return usage_error("scan", "--color: found '%s', allowed auto, always or never", optarg);
	if (option == 'j' && !jobs_parse(optarg, &o->n_jobs))
		return usage_error("scan", "--jobs: found '%s', allowed 1 to %d", optarg, JOBS_MAX);
	return -1;
}

/* Return: -1 to go on, or CLI_USAGE. */
static int take_glob(int option, const char **globs, size_t *n)
{
	const char *name = option == OPT_INCLUDE ? "--include" : "--exclude";

	if (optarg[0] == '\0')
		return usage_error("scan", "%s: a pattern is needed", name);
	if (*n == SCAN_GLOBS_MAX)
		return usage_error("scan", "%s: at most %d times", name, SCAN_GLOBS_MAX);
	globs[(*n)++] = optarg;
	return -1;
}

static int take_pack(struct scan_options *o)
{
	if (o->n_packs == SCAN_PACKS_MAX)
		return usage_error("scan", "--pack: at most %d times", SCAN_PACKS_MAX);
	o->packs[o->n_packs++] = optarg;
	return -1;
}

static int take_option(int option, char **argv, struct scan_options *o)
{
	switch (option) {
	case OPT_SOCKET: o->socket = socket_option(argv); return -1;
	case OPT_PACK: return take_pack(o);
	case OPT_POLICY: o->policy = optarg; return -1;
	case OPT_IGNORE_FILE: o->ignore_file = optarg; return -1;
	case OPT_BASE: o->base = optarg; return -1;
	case OPT_BASELINE: o->baseline = optarg; return -1;
	case OPT_EXCEPTIONS: o->exceptions = optarg; return -1;
	case OPT_WRITE_BASELINE: o->write_baseline = optarg; return -1;
	case OPT_SAVE_POLICY: o->save_policy = optarg; return -1;
	case OPT_NAME: o->name = optarg; return -1;
	case OPT_DB: o->db = optarg; return -1;
	case OPT_OUTDATED: o->outdated = true; return -1;
	case OPT_VERIFY: o->verify = true; return -1;
	case OPT_INCLUDE: return take_glob(option, o->include, &o->n_include);
	case OPT_EXCLUDE: return take_glob(option, o->exclude, &o->n_exclude);
	case OPT_ALLOW_EMPTY: o->allow_empty = true; return -1;
	case OPT_TENSORS: o->tensors = true; return -1;
	case OPT_DIGESTS: o->tensors = o->digests = true; return -1;
	case OPT_CALLS: o->calls = true; return -1;
	case OPT_NO_PROGRESS: o->no_progress = true; return -1;
	case 'q': o->style.quiet = true; return -1;
	case 'v': o->style.verbose = true; return -1;
	case 'h':
	case 'V':
	case '?':
	case ':': return usage_option("scan", option, long_options, SHORT_OPTIONS, argv[optind - 1]);
	default: return take_value(option, o);
	}
}

static size_t stdout_outputs(const struct scan_options *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n_outputs; i++)
		n += o->outputs[i].path == NULL;
	return n;
}

static bool is_builtin(const char *policy)
{
	const char *const *name = policy_builtin_names;

	while (*name != NULL && strcmp(*name, policy) != 0)
		name++;
	return *name != NULL;
}

/* What is proposed is what this policy says here of every file. */
static int check_proposals(const struct scan_options *o)
{
	if (o->write_baseline == NULL && o->save_policy == NULL)
		return -1;
	if (o->socket != NULL || o->db != NULL || o->baseline != NULL)
		return usage_error("scan", "--write-baseline and --save-policy: not with --socket, --db or --baseline");
	if ((o->write_baseline != NULL && o->write_baseline[0] == '\0') ||
	    (o->save_policy != NULL && o->save_policy[0] == '\0'))
		return usage_error("scan", "--write-baseline and --save-policy: a file is needed");
	if (o->save_policy != NULL && o->policy != NULL && !is_builtin(o->policy))
		return usage_error("scan", "--save-policy: begins as a built-in policy, so --policy names one");
	return -1;
}

/* What no option alone can know. */
static int check_together(const struct scan_options *o)
{
	size_t n_stdin = 0;

	if (o->n_paths == 0)
		return usage_error("scan", "nothing to scan: give a file, a folder, or - for standard input");
	for (size_t i = 0; i < o->n_paths; i++) {
		if (o->paths[i][0] == '\0')
			return usage_error("scan", "an empty path; in a script, is a variable not set?");
		n_stdin += strcmp(o->paths[i], "-") == 0;
	}
	if (stdout_outputs(o) > 1)
		return usage_error("scan", "--format: only one can go to standard output; add =FILE to the others");
	if (n_stdin > 1)
		return usage_error("scan", "standard input (-) can be read once only");
	if (o->name != NULL && (n_stdin == 0 || o->name[0] == '\0'))
		return usage_error(
		    "scan", "--name: of standard input (-), which is not among the inputs, or an empty one");
	if (o->style.quiet && o->style.verbose)
		return usage_error("scan", "--quiet and --verbose exclude each other");
	if (o->socket != NULL && (o->socket[0] == '\0' || strlen(o->socket) > CLIENT_SOCKET_PATH_MAX))
		return usage_error("scan", "--socket: a path of 1 to %d bytes is needed", CLIENT_SOCKET_PATH_MAX);
	if (o->socket != NULL && o->tensors)
		return usage_error("scan", "--tensors: not with --socket; ask the daemon by HTTP (see weighlockd(8))");
	if (o->n_packs > 0 && o->socket != NULL)
		return usage_error("scan", "--pack: not with --socket; the daemon judges by its own policies");
	if (o->socket != NULL && o->calls)
		return usage_error("scan", "--calls: not with --socket; ask the daemon by HTTP (see weighlockd(8))");
	if (o->baseline != NULL && o->socket != NULL)
		return usage_error("scan", "--baseline: not with --socket; the daemon judges by its own policies");
	if (o->exceptions != NULL && (o->socket != NULL || o->db != NULL))
		return usage_error("scan", "--exceptions: not with --socket, whose daemon has its own, nor with --db");
	if (o->db != NULL && (o->socket != NULL || o->baseline != NULL || o->tensors || o->calls || n_stdin > 0))
		return usage_error("scan", "--db: not with --socket, --baseline, --tensors, --calls or standard input");
	if (o->db == NULL && (o->outdated || o->verify))
		return usage_error("scan", "--outdated and --verify: only with --db");
	if (o->db != NULL && o->db[0] == '\0')
		return usage_error("scan", "--db: a file is needed");
	if (o->base != NULL && (o->base[0] == '\0' || o->db != NULL))
		return usage_error("scan", "--base: a commit is needed, and no --db");
	if (check_proposals(o) >= 0)
		return CLI_USAGE;
	if (o->policy != NULL && o->policy[0] == '\0')
		return usage_error("scan", "--policy: a name or a file is needed");
	if (o->socket != NULL && o->policy != NULL && !policy_is_name(o->policy))
		return usage_error("scan", "--policy: with --socket it is the name of one of the daemon's policies, "
					   "not a file");
	return -1;
}

int scan_options_parse(int argc, char **argv, struct scan_options *ret)
{
	int option, status = -1;

	*ret = (struct scan_options){ .n_jobs = jobs_default() };
	opterr = 0;
	while (status < 0 && (option = getopt_long(argc, argv, SHORT_OPTIONS, long_options, NULL)) != -1)
		status = take_option(option, argv, ret);
	if (status >= 0)
		return status;
	/* Who asks for a document in a file wants to see something all the same. */
	if (stdout_outputs(ret) == 0 && ret->n_outputs < OUTPUTS_MAX)
		ret->outputs[ret->n_outputs++] = (struct output_spec){ .format = OUTPUT_TEXT };
	ret->paths = argv + optind;
	ret->n_paths = (size_t)(argc - optind);
	return check_together(ret);
}
