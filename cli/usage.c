/* The help texts, and finding the one somebody meant. */
#include "cli.h"

#include <string.h>

static const char usage_main[] =
    "weighlock " WLK_VERSION " - validate untrusted machine-learning model files\n"
    "\n"
    "  weighlock scan [OPTION...] PATH...      judge files and folders\n"
    "  weighlock rules [CODE]                  list what can be found, or explain one finding\n"
    "  weighlock formats                       list the formats that are read\n"
    "  weighlock policy check FILE             is this policy file sound?\n"
    "  weighlock policy show [NAME|FILE]       print the policy that applies\n"
    "  weighlock doctor                        show what the sandbox can do here\n"
    "  weighlock help [COMMAND]                this text, or a command's\n"
    "  weighlock --version\n"
    "\n"
    "Exit status of scan: 0 all accepted, 1 rejected or under review, 2 not fully examined,\n"
    "3 no model file, 4 usage.  Manual: weighlock(1).\n";

static const char usage_scan[] =
    "usage: weighlock scan [OPTION...] PATH...\n"
    "\n"
    "Judge model files.  PATH is a file, a folder (walked in byte order) or - for standard input.\n"
    "Each file is read by a fresh jailed process.\n"
    "\n"
    "  --socket PATH         have the daemon on this socket judge; default: judge here\n"
    "  --policy NAME|FILE    default, ci, reference, strict, or a policy file (see weighlock.policy(5))\n"
    "  --format text|json    text for people; json: one verdict a line, in the order of the inputs\n"
    "  --fail-on review|reject|never\n"
    "                        which verdicts make the exit status 1; default: review and reject\n"
    "  --allow-empty         exit 0 instead of 3 when there is no model file\n"
    "  -j, --jobs N          files judged at a time; default: one for each CPU\n"
    "  -q, --quiet           print only what is not accepted\n"
    "  -v, --verbose         explain each finding; show the jail and the time taken\n"
    "  --color auto|always|never\n"
    "  --no-progress         no progress line on the terminal\n"
    "  -h, --help\n"
    "\n"
    "Exit status:\n"
    "  0  every file was judged and accepted\n"
    "  1  a file was rejected or is under review (see --fail-on)\n"
    "  2  a file could not be fully examined, or the daemon is unreachable, whatever --fail-on says\n"
    "  3  no model file among the inputs\n"
    "  4  usage or configuration error\n"
    "1 wins over 2, and 2 over 3.\n"
    "\n"
    "Examples:\n"
    "  weighlock scan model.safetensors\n"
    "  weighlock scan --policy ci --format json . > verdicts.jsonl\n"
    "  curl -s https://example.org/model.safetensors | weighlock scan -\n";

static const char usage_rules[] =
    "usage: weighlock rules [--format text|json] [CODE]\n"
    "\n"
    "List every finding with its class and severity, or explain one: why it matters and what to do.\n"
    "\n"
    "Example: weighlock rules weights-nan\n";

static const char usage_formats[] =
    "usage: weighlock formats [--format text|json]\n"
    "\n"
    "List the formats that are recognised, and whether a file of each can be a model.\n";

static const char usage_policy[] =
    "usage: weighlock policy check FILE\n"
    "       weighlock policy show [NAME|FILE]\n"
    "\n"
    "check: exit 0 if FILE is a sound policy, 4 with its line and reason if not; warn of rules that do nothing.\n"
    "show:  print the policy that applies, with every limit; default: the built-in 'default'.\n"
    "\n"
    "Example: weighlock policy show strict\n";

static const char usage_doctor[] =
    "usage: weighlock doctor\n"
    "\n"
    "Start the sandbox and tell, layer by layer, what this machine allows; judge two built-in samples.\n"
    "Exit status: 0 all mandatory layers active and both samples judged right, 2 otherwise.\n";

static const char usage_help[] = "usage: weighlock help [COMMAND]\n";

static const struct {
	const char *command;
	const char *text;
} usages[] = {
	{ "scan", usage_scan },
	{ "rules", usage_rules },
	{ "formats", usage_formats },
	{ "policy", usage_policy },
	{ "doctor", usage_doctor },
	{ "help", usage_help },
};

#define N_USAGES (sizeof(usages) / sizeof(usages[0]))

const char *usage_text(const char *command)
{
	if (command == NULL)
		return usage_main;
	for (size_t i = 0; i < N_USAGES; i++) {
		if (strcmp(command, usages[i].command) == 0)
			return usages[i].text;
	}
	return NULL;
}

int usage_print(const char *command)
{
	fputs(usage_text(command), stdout);
	if (command != NULL && strcmp(command, "policy") == 0)
		printf("\n%s", policy_builtin_help);
	return output_finish(CLI_OK);
}

#define NEAREST_LEN_MAX 15u /* longer than any command; what is longer is near none */
#define NEAREST_DISTANCE_MAX 2u

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Levenshtein's distance, one row at a time.  Both at most NEAREST_LEN_MAX bytes. */
static size_t distance(const char *a, const char *b)
{
	size_t row[NEAREST_LEN_MAX + 1];
	size_t n_b = strlen(b);

	for (size_t j = 0; j <= n_b; j++)
		row[j] = j;
	for (size_t i = 0; a[i] != '\0'; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < n_b; j++) {
			size_t substituted = diagonal + (a[i] != b[j]);

			diagonal = row[j + 1];
			row[j + 1] = least(substituted, least(row[j], row[j + 1]) + 1);
		}
	}
	return row[n_b];
}

const char *usage_nearest(const char *typed)
{
	const char *nearest = NULL;
	size_t best = NEAREST_DISTANCE_MAX + 1;

	if (strlen(typed) > NEAREST_LEN_MAX)
		return NULL;
	for (size_t i = 0; i < N_USAGES; i++) {
		size_t d = distance(typed, usages[i].command);

		if (d < best) {
			best = d;
			nearest = usages[i].command;
		}
	}
	return nearest;
}

/* What getopt_long(3) leaves in optopt: 0 for a long option it does not know; the letter of a short one it does not
 * know; the value of a known one that was given too little or too much. */
int usage_bad_option(const char *command, int answer, int optopt_seen, const char *shorts, const char *argument)
{
	bool printable = optopt_seen > ' ' && optopt_seen < 0x7f;

	if (answer == ':')
		return usage_error(command, "%s needs a value", argument);
	if (optopt_seen == 0)
		return usage_error(command, "unknown or ambiguous option '%s'", argument);
	if (printable && strchr(shorts, optopt_seen) == NULL)
		return usage_error(command, "unknown option '-%c'", optopt_seen);
	return usage_error(command, "%s: this option takes no value", argument);
}
