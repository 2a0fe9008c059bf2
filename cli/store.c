/* weighlock store: the daemon's verdict store, looked at and tidied up.  Works on the file, which SQLite's locks make
 * safe beside a running daemon; who may do it is who may open it. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "cli.h"
#include "commands.h"
#include "hex.h"
#include "print.h"
#include "sandbox.h"
#include "scan_options.h"
#include "store.h"
#include "stored.h"
#include "verdict.h"

#define STORE_DEFAULT "/var/lib/weighlock/" STORE_FILE
#define SHORT_OPTIONS ":hV"
#define DAYS_MAX UINT64_C(36500)

enum { OPT_STORE = 256, OPT_FORMAT, OPT_CHECK, OPT_NAME, OPT_POLICY, OPT_ROWS, OPT_BYTES, OPT_DAYS, OPT_STATE_DIR };

struct options {
	const char *action, *store, *name, *policy, *sha256;
	char in_state_dir[PATH_MAX]; /* the path of the store, where the daemon's folder was given */
	enum print_format format;
	bool check;
	struct store_bounds bounds;
	bool has_days;
	uint64_t days;
};

static const struct option long_options[] = {
	{ "store", required_argument, NULL, OPT_STORE },
	{ "state-dir", required_argument, NULL,
	    OPT_STATE_DIR }, /* this one and those of the daemon, as it calls them */
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "check", no_argument, NULL, OPT_CHECK },
	{ "name", required_argument, NULL, OPT_NAME },
	{ "policy", required_argument, NULL, OPT_POLICY },
	{ "max-rows", required_argument, NULL, OPT_ROWS },
	{ "max-bytes", required_argument, NULL, OPT_BYTES },
	{ "store-rows", required_argument, NULL, OPT_ROWS },
	{ "store-bytes", required_argument, NULL, OPT_BYTES },
	{ "unused-days", required_argument, NULL, OPT_DAYS },
	USAGE_LONG_OPTIONS,
};

/* ---- opening and failing ---- */

/* Says why not.  Return: NULL. */
static struct store *open_store(const struct options *o, enum store_mode mode)
{
	char error[STORE_ERROR_MAX];
	struct store *s;

	if (store_open(o->store, mode, NULL, &s, error) == 0)
		return s;
	say("%s", error);
	return NULL;
}

static int failed(const struct options *o, int r)
{
	const char *why = r == -EUCLEAN   ? "the file is damaged"
			  : r == -EBADMSG ? "what is kept about these bytes was not written by the daemon"
					  : strerror(-r);

	say("%s: %s", o->store, why);
	return CLI_INCOMPLETE;
}

/* ---- stats ---- */

static const char *day_text(int64_t day, char buf[16])
{
	time_t t = (time_t)(day * STORE_DAY_S);
	struct tm tm;

	if (day < 0 || !gmtime_r(&t, &tm) || strftime(buf, 16, "%Y-%m-%d", &tm) == 0)
		(void)snprintf(buf, 16, "-");
	return buf;
}

static json_t *day_json(int64_t day)
{
	char buf[16];

	return day < 0 ? json_null() : json_string(day_text(day, buf));
}

static int stats_json(const struct options *o, const struct store_stats *s, uint64_t n_bad)
{
	json_t *all = json_pack("{s:I, s:I, s:I, s:I, s:o, s:o}", "reports", (json_int_t)s->rows, "report_bytes",
	    (json_int_t)s->bytes, "file_bytes", (json_int_t)s->file_bytes, "free_bytes", (json_int_t)s->free_bytes,
	    "oldest_use", day_json(s->oldest_day), "newest_use", day_json(s->newest_day));

	if (o->check)
		json_object_set_new(all, "unsound", json_integer((json_int_t)n_bad));
	return output_json(all);
}

static void stats_text(const struct options *o, const struct store_stats *s, uint64_t n_bad)
{
	char text[TEXT_GROUPED_MAX], size[TEXT_SIZE_MAX], day[16];

	printf("reports     %s, %s\n", text_grouped(s->rows, text), text_size(s->bytes, size));
	printf("file        %s", text_size(s->file_bytes, size));
	printf(", %s of it free\n", text_size(s->free_bytes, size));
	printf("oldest use  %s\n", day_text(s->oldest_day, day));
	printf("newest use  %s\n", day_text(s->newest_day, day));
	if (o->check)
		printf("unsound     %s\n", text_grouped(n_bad, text));
}

static int stats(const struct options *o)
{
	struct store *s = open_store(o, STORE_LOOK);
	struct store_stats all;
	uint64_t n_bad = 0;
	int r, status = CLI_OK;

	if (s == NULL)
		return CLI_INCOMPLETE;
	r = store_stats(s, &all);
	if (r == 0 && o->check)
		r = store_check(s, &n_bad);
	store_close(s);
	if (r < 0)
		return failed(o, r);
	if (o->format == PRINT_JSON)
		status = stats_json(o, &all, n_bad);
	else
		stats_text(o, &all, n_bad);
	return output_finish(n_bad > 0 ? CLI_FAILED : status);
}

/* ---- get ---- */

static int verdict_status(enum verdict_value v)
{
	switch (v) {
	case VERDICT_ACCEPT: return CLI_OK;
	case VERDICT_REVIEW:
	case VERDICT_REJECT: return CLI_FAILED;
	default: return CLI_INCOMPLETE;
	}
}

static int print_verdict(const struct options *o, const struct verdict *v)
{
	const struct print_style style = { .format = o->format,
		.color = color_wanted(COLOR_AUTO, stdout),
		.verbose = true,
		.width = width_wanted(stdout) };
	_cleanup_(freep) char *text = o->format == PRINT_JSON ? print_json(v->json, NULL) : print_text(&style, v->json);

	return output_text(text, verdict_status(v->value));
}

static int judge(const struct options *o, const struct policy *policy, const struct store_row *row)
{
	const char *names[SANDBOX_N_LAYERS];
	const struct verdict_context c = {
		.name = o->name, .layer_names = names, .n_layers = SANDBOX_N_LAYERS, .started_at = (int64_t)time(NULL)
	};
	struct verdict v;
	int r, status;

	for (unsigned i = 0; i < SANDBOX_N_LAYERS; i++)
		names[i] = sandbox_layer_info((enum sandbox_layer)i)->name;
	r = stored_verdict(policy, row, &c, &v);
	if (r == -ESTALE)
		return r;
	if (r < 0) {
		say("%s: what is kept about these bytes is no sound report", o->store);
		return CLI_INCOMPLETE;
	}
	status = print_verdict(o, &v);
	json_decref(v.json);
	return status;
}

static void count_one(void *ctx, const struct store_row *row)
{
	(void)ctx;
	(void)row;
}

/* Not under this question; perhaps under another one. */
static int say_none(const struct options *o, struct store *s, const uint8_t sha256[32])
{
	int n = store_find(s, sha256, count_one, NULL);

	if (n < 0)
		return failed(o, n);
	if (n > 0)
		say("no report about %s is kept for these rules, this policy and name; %d for others", o->sha256, n);
	else
		say("no report about %s is kept", o->sha256);
	return CLI_NO_MODEL;
}

/* As the daemon would answer the caller: what is kept for all, and then what is kept for him.
 * Return: an exit status; -ESTALE: there is none; other negative errno. */
static int get_row(const struct options *o, const struct policy *policy, struct store *s, const uint8_t sha256[32])
{
	struct store_row row;
	int r = 0, status = -ESTALE;

	for (unsigned i = 0; r >= 0 && status == -ESTALE && i < STORED_KEYS; i++) {
		uint8_t key[STORE_KEY_BYTES];

		stored_key_of(i, geteuid(), policy, o->name, sha256, key);
		r = store_get(s, key, (int64_t)time(NULL), &row);
		if (r == 1)
			status = judge(o, policy, &row);
	}
	return r < 0 ? r : status;
}

static int look_up(const struct options *o, const struct policy *policy, struct store *s)
{
	uint8_t sha256[32];
	int r;

	if (!hex_read(bytes_of_text(o->sha256), sha256, 32))
		return usage_error("store", "'%s' is not 64 hexadecimal digits", o->sha256);
	r = get_row(o, policy, s, sha256);
	return r >= 0 ? r : r == -ESTALE ? say_none(o, s, sha256) : failed(o, r);
}

static int get(const struct options *o)
{
	struct policy *policy = NULL;
	int status = policy_find(o->policy, &policy);
	struct store *s = status == 0 ? open_store(o, STORE_LOOK) : NULL;

	if (status == 0)
		status = s ? look_up(o, policy, s) : CLI_INCOMPLETE;
	store_close(s);
	policy_free(policy);
	return status;
}

/* ---- gc and clear ---- */

static int say_removed(const struct options *o, struct store *s, int64_t n)
{
	struct store_stats left;
	char a[TEXT_GROUPED_MAX], b[TEXT_GROUPED_MAX];
	int r = n < 0 ? (int)n : store_stats(s, &left);

	store_close(s);
	if (r < 0)
		return failed(o, r);
	printf("%s reports removed, %s kept\n", text_grouped((uint64_t)n, a), text_grouped(left.rows, b));
	return output_finish(CLI_OK);
}

static int gc(const struct options *o)
{
	struct store *s = open_store(o, STORE_MAINTAIN);
	int64_t today = (int64_t)time(NULL) / STORE_DAY_S;

	if (s == NULL)
		return CLI_INCOMPLETE;
	return say_removed(o, s, store_gc(s, &o->bounds, o->has_days ? today - (int64_t)o->days : INT64_MIN));
}

static int clear(const struct options *o)
{
	struct store *s = open_store(o, STORE_MAINTAIN);

	return s != NULL ? say_removed(o, s, store_clear(s)) : CLI_INCOMPLETE;
}

/* ---- the command line ---- */

static const struct {
	const char *name;
	int (*run)(const struct options *o);
	unsigned options; /* bit OPT_x - OPT_STORE: those it takes */
	bool wants_sha256;
} actions[] = {
#define OPTION(x) (1u << ((x)-OPT_STORE))
	{ "stats", stats, OPTION(OPT_STORE) | OPTION(OPT_FORMAT) | OPTION(OPT_CHECK), false },
	{ "get", get, OPTION(OPT_STORE) | OPTION(OPT_FORMAT) | OPTION(OPT_NAME) | OPTION(OPT_POLICY), true },
	{ "gc", gc, OPTION(OPT_STORE) | OPTION(OPT_ROWS) | OPTION(OPT_BYTES) | OPTION(OPT_DAYS), false },
	{ "clear", clear, OPTION(OPT_STORE), false },
};

#define N_ACTIONS (sizeof(actions) / sizeof(actions[0]))

static bool parse_number(const char *text, uint64_t max, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *ret <= max;
}

/* Return: false when its value is not one. */
static bool option_set(struct options *o, int option)
{
	switch (option) {
	case OPT_STORE: o->store = optarg; return true;
	case OPT_STATE_DIR:
		o->store = o->in_state_dir;
		return (size_t)snprintf(o->in_state_dir, sizeof(o->in_state_dir), "%s/" STORE_FILE, optarg) <
		       sizeof(o->in_state_dir);
	case OPT_CHECK: o->check = true; return true;
	case OPT_NAME: o->name = optarg; return true;
	case OPT_POLICY: o->policy = optarg; return true;
	case OPT_FORMAT: return format_parse(optarg, &o->format);
	case OPT_ROWS: return parse_number(optarg, UINT64_MAX, &o->bounds.rows);
	case OPT_BYTES: return parse_number(optarg, UINT64_MAX, &o->bounds.bytes);
	case OPT_DAYS: o->has_days = true; return parse_number(optarg, DAYS_MAX, &o->days);
	default: return false;
	}
}

static int options_parse(int argc, char **argv, size_t action, struct options *o)
{
	int option, index = 0;

	opterr = 0;
	while ((option = getopt_long(argc, argv, SHORT_OPTIONS, long_options, &index)) != -1) {
		if (option < OPT_STORE)
			return usage_option("store", option, long_options, SHORT_OPTIONS, argv[optind - 1]);
		if ((actions[action].options & OPTION(option == OPT_STATE_DIR ? OPT_STORE : option)) == 0)
			return usage_error("store", "--%s: %s does not take it", long_options[index].name, argv[0]);
		if (!option_set(o, option))
			return usage_error("store", "--%s: found '%s', allowed %s", long_options[index].name, optarg,
			    option == OPT_FORMAT      ? "text or json"
			    : option == OPT_STATE_DIR ? "a shorter path"
						      : "a number");
	}
	o->sha256 = argv[optind];
	if (argc - optind != actions[action].wants_sha256)
		return usage_error(
		    "store", actions[action].wants_sha256 ? "one SHA-256 is needed" : "too many arguments");
	return -1;
}

int cmd_store(int argc, char **argv)
{
	struct options o = {
		.store = STORE_DEFAULT, .policy = "default", .bounds = { .rows = UINT64_MAX, .bytes = UINT64_MAX }
	};
	const char *action = argc > 1 ? argv[1] : "";
	int plain = usage_plain_option("store", action);
	char question[NEAREST_QUESTION_MAX];
	struct nearest n;

	if (plain >= 0)
		return plain;
	nearest_init(&n, action);
	for (size_t i = 0; i < N_ACTIONS; i++) {
		int status;

		nearest_try(&n, actions[i].name);
		if (strcmp(action, actions[i].name) != 0)
			continue;
		o.action = action;
		status = options_parse(argc - 1, argv + 1, i, &o);
		return status >= 0 ? status : actions[i].run(&o);
	}
	return usage_error("store", action[0] ? "unknown action '%s'%s" : "stats, get, gc or clear is needed", action,
	    nearest_question(&n, "", question));
}
