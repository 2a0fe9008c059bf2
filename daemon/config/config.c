/* From arguments and a YAML file to struct config.  The order is defaults, file, options; whatever fails leaves an
 * empty struct and one line of text, so that nothing half-read is ever used. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config_impl.h"
#include "document.h"
#include "nearest.h"
#include "policy.h"

#define CONFIG_ARENA_BYTES ((size_t)16 << 20) /* the tree of a file of CONFIG_FILE_MAX */
#define WORKER_NAME "weighlock-worker"

_Static_assert(CONFIG_ERROR_MAX == POLICY_ERROR_MAX, "document.h writes into our buffer");

/* ---- messages ---- */

__attribute__((format(printf, 3, 4))) static int config_fail(int r, char *error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(error, CONFIG_ERROR_MAX, format, args);
	va_end(args);
	return r;
}

static int no_memory(char *error)
{
	return config_fail(-ENOMEM, error, "out of memory");
}

/* ---- defaults and end ---- */

static int config_defaults(struct config *c)
{
	*c = (struct config){ 0 };
	for (size_t i = 0; i < config_n_keys; i++) {
		const struct key *k = &config_keys[i];
		int r = k->fallback != NULL ? key_set(k, c, k->fallback) : 0;

		assert(r != -EINVAL);
		if (r < 0)
			return r;
	}
	return 0;
}

void config_done(struct config *c)
{
	free(c->config);
	free(c->socket);
	free(c->clamd_socket);
	free(c->allow_uids.list);
	free(c->allow_gids.list);
	free(c->tenant_uids.list);
	free(c->reviewer_uids.list);
	free(c->claim_uids.list);
	free(c->spool_dir);
	free(c->state_dir);
	free(c->signing_key);
	free(c->pseudonym_key);
	free(c->default_policy);
	free(c->shadow_policy);
	free(c->worker);
	free(c->journal);
	for (size_t i = 0; i < c->n_policies; i++) {
		free(c->policies[i].name);
		free(c->policies[i].file);
	}
	free(c->policies);
	for (size_t i = 0; i < c->n_tenants; i++)
		free(c->tenants[i].name);
	free(c->tenants);
	*c = (struct config){ 0 };
}

const char *config_policy_file(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->n_policies; i++) {
		if (strcmp(c->policies[i].name, name) == 0)
			return c->policies[i].file;
	}
	return NULL;
}

bool config_ids_have(const struct config_ids *ids, uint32_t id)
{
	for (size_t i = 0; i < ids->n; i++) {
		if (ids->list[i] == id)
			return true;
	}
	return false;
}

/* ---- the file ---- */

struct file {
	const char *origin;
	struct config *config;
	char *error;
};

static int file_fail(
    const struct file *f, unsigned line, const char *key, const char *what, const char *found, const char *allowed)
{
	char text[128];

	(void)snprintf(text, sizeof(text), "%s: %s", key, what);
	(void)document_error(f->error, f->origin, line, text, found, allowed);
	return -EINVAL;
}

static int file_set(const struct file *f, const struct key *k, const struct node *value)
{
	char allowed[KEY_ALLOWED_MAX];
	int r;

	if (value->kind != NODE_SCALAR)
		return file_fail(f, value->line, k->name, "not a single value", NULL, key_allowed(k, allowed));
	r = key_set(k, f->config, value->text);
	if (r == -EINVAL)
		return file_fail(
		    f, value->line, k->name, "a value that does not fit", value->text, key_allowed(k, allowed));
	return r < 0 ? no_memory(f->error) : 0;
}

static int file_set_list(const struct file *f, const struct key *k, const struct node *value)
{
	if (value->kind != NODE_LIST)
		return file_fail(f, value->line, k->name, "not a list", NULL, "[item, item] or a line \"- item\" each");
	for (const struct node *item = value->child; item != NULL; item = item->next) {
		int r = file_set(f, k, item);

		if (r < 0)
			return r;
	}
	return 0;
}

static int file_add_policy(const struct file *f, const struct key *k, const struct node *entry)
{
	char allowed[KEY_ALLOWED_MAX];
	int r;

	if (entry->kind != NODE_SCALAR)
		return file_fail(f, entry->line, k->name, "not a file name", NULL, key_allowed(k, allowed));
	r = config_add_policy(f->config, entry->key, entry->text);
	if (r == -EEXIST)
		return file_fail(f, entry->key_line, k->name, "the name is built in", entry->key, "a name of its own");
	if (r == -EINVAL)
		return file_fail(
		    f, entry->key_line, k->name, "an entry that does not fit", entry->key, key_allowed(k, allowed));
	return r < 0 ? no_memory(f->error) : 0;
}

static int file_set_limit(const struct file *f, struct config_tenant *t, const struct node *value)
{
	char allowed[KEY_ALLOWED_MAX];

	for (size_t i = 0; i < config_n_tenant_keys; i++) {
		const struct key *k = &config_tenant_keys[i];

		if (strcmp(k->name, value->key) != 0)
			continue;
		if (value->kind == NODE_SCALAR && key_set_tenant(k, t, value->text) == 0)
			return 0;
		return file_fail(f, value->line, k->name, "a value that does not fit",
		    value->kind == NODE_SCALAR ? value->text : NULL, key_allowed(k, allowed));
	}
	return file_fail(f, value->key_line, "tenants", "unknown key", value->key,
	    "workers, queue_max, spool_bytes, files_per_minute and bytes_per_minute");
}

static int file_add_tenant(const struct file *f, const struct key *k, const struct node *entry)
{
	char allowed[KEY_ALLOWED_MAX];
	struct config_tenant *t;
	int r;

	if (entry->kind != NODE_MAP)
		return file_fail(f, entry->line, k->name, "not a map", NULL, key_allowed(k, allowed));
	r = config_add_tenant(f->config, entry->key, &t);
	if (r == -EINVAL)
		return file_fail(f, entry->key_line, k->name, "a name that no tenant has, or one too many", entry->key,
		    "1 to 64 of A-Z a-z 0-9 . _ -, or uid:N");
	if (r < 0)
		return no_memory(f->error);
	for (const struct node *value = entry->child; value != NULL && r == 0; value = value->next)
		r = file_set_limit(f, t, value);
	return r;
}

static int file_set_map(const struct file *f, const struct key *k, const struct node *value,
    int (*add)(const struct file *f, const struct key *k, const struct node *entry))
{
	char allowed[KEY_ALLOWED_MAX];

	if (value->kind != NODE_MAP)
		return file_fail(f, value->line, k->name, "not a map", NULL, key_allowed(k, allowed));
	for (const struct node *entry = value->child; entry != NULL; entry = entry->next) {
		int r = add(f, k, entry);

		if (r < 0)
			return r;
	}
	return 0;
}

static const struct key *key_by_name(const char *name)
{
	for (size_t i = 0; i < config_n_keys; i++) {
		if (strcmp(config_keys[i].name, name) == 0)
			return &config_keys[i];
	}
	return NULL;
}

static int file_take(const struct file *f, const struct node *value)
{
	const struct key *k = key_by_name(value->key);

	if (k == NULL)
		return file_fail(
		    f, value->key_line, "configuration", "unknown key", value->key, "the keys of weighlockd(8)");
	if (k->type == KEY_POLICIES)
		return file_set_map(f, k, value, file_add_policy);
	if (k->type == KEY_TENANTS)
		return file_set_map(f, k, value, file_add_tenant);
	return key_is_list(k) ? file_set_list(f, k, value) : file_set(f, k, value);
}

static int file_take_all(const struct file *f, const struct node *root)
{
	if (root->kind != NODE_MAP)
		return file_fail(f, root->line, "configuration", "not a map", NULL, "key: value");
	for (const struct node *value = root->child; value != NULL; value = value->next) {
		int r = file_take(f, value);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Nothing but comments and blank lines: the sample file as shipped.  To YAML that is no document at all. */
static bool is_blank(const uint8_t *at, size_t n)
{
	bool comment = false;

	for (size_t i = 0; i < n; i++) {
		if (at[i] == '\n')
			comment = false;
		else if (at[i] == '#')
			comment = true;
		else if (!comment && at[i] != ' ' && at[i] != '\t' && at[i] != '\r')
			return false;
	}
	return true;
}

static int config_read_text(const uint8_t *at, size_t n, const struct file *f)
{
	struct arena arena;
	const struct node *root;
	int r;

	if (is_blank(at, n))
		return 0;
	arena_init(&arena, CONFIG_ARENA_BYTES);
	root = document_parse(&arena, at, n, f->origin, f->error);
	r = root != NULL ? file_take_all(f, root) : -EINVAL;
	arena_done(&arena);
	return r;
}

int config_parse(const uint8_t *at, size_t n, const char *origin, struct config *ret, char error[CONFIG_ERROR_MAX])
{
	const struct file f = { .origin = origin, .config = ret, .error = error };
	int r = config_defaults(ret);

	r = r < 0 ? no_memory(error) : config_read_text(at, n, &f);
	if (r < 0)
		config_done(ret);
	return r;
}

/* At most CONFIG_FILE_MAX + 1 bytes of it, so that "too large" shows. */
static ssize_t read_file(const char *path, uint8_t *buf)
{
	size_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return -errno;
	while (n <= CONFIG_FILE_MAX) {
		ssize_t got = read(fd, buf + n, CONFIG_FILE_MAX + 1 - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			int r = got < 0 ? -errno : 0;

			close(fd);
			return r < 0 ? r : (ssize_t)n;
		}
		n += (size_t)got;
	}
	close(fd);
	return (ssize_t)n;
}

static int config_read_file(const char *path, struct config *c, char *error)
{
	const struct file f = { .origin = path, .config = c, .error = error };
	uint8_t *buf = malloc(CONFIG_FILE_MAX + 1);
	ssize_t n;
	int r;

	if (buf == NULL)
		return no_memory(error);
	n = read_file(path, buf);
	if (n < 0)
		r = config_fail((int)n, error, "%s: %s", path, strerror((int)-n));
	else if ((size_t)n > CONFIG_FILE_MAX)
		r = config_fail(-EINVAL, error, "%s: larger than 1 MiB", path);
	else
		r = config_read_text(buf, (size_t)n, &f);
	free(buf);
	return r;
}

/* ---- options ---- */

/* Values getopt_long() returns: the index of a key, or one of these. */
enum {
	OPT_CONFIG = 256,
	OPT_CHECK_CONFIG,
	OPT_VERSION,
	OPT_HELP,
};

static const struct option own_options[] = {
	{ "config", required_argument, NULL, OPT_CONFIG },
	{ "check-config", no_argument, NULL, OPT_CHECK_CONFIG },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "help", no_argument, NULL, OPT_HELP },
};

#define N_OWN_OPTIONS (sizeof(own_options) / sizeof(own_options[0]))
#define OPTIONS_MAX (sizeof(((struct config *)NULL)->from_option) + N_OWN_OPTIONS + 1)

static void options_make(struct option list[OPTIONS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < config_n_keys; i++) {
		if (config_keys[i].option != NULL)
			list[n++] = (struct option){ config_keys[i].option, required_argument, NULL, (int)i };
	}
	memcpy(list + n, own_options, sizeof(own_options));
	list[n + N_OWN_OPTIONS] = (struct option){ 0 };
}

/* getopt_long() takes unique beginnings for the whole; a later option would break whoever relied on that. */
static bool is_whole(const char *word, const char *name)
{
	size_t n = strlen(name);

	return strncmp(word, "--", 2) == 0 && strncmp(word + 2, name, n) == 0 &&
	       (word[2 + n] == '=' || word[2 + n] == '\0');
}

struct options {
	int argc;
	char *const *argv;
	struct option list[OPTIONS_MAX];
	char *error;
};

static void options_rewind(void)
{
	optind = 0; /* GNU: forget everything */
	opterr = 0; /* the message is ours to print */
}

static int unknown_option(const struct options *o, const char *typed)
{
	char name[64], question[NEAREST_QUESTION_MAX];
	struct nearest n;

	(void)snprintf(
	    name, sizeof(name), "%.*s", (int)strcspn(typed + strspn(typed, "-"), "="), typed + strspn(typed, "-"));
	nearest_init(&n, name);
	for (const struct option *known = o->list; known->name != NULL; known++)
		nearest_try(&n, known->name);
	return config_fail(-EINVAL, o->error, "unknown option '%.200s'%s", typed, nearest_question(&n, "--", question));
}

/* Return: 1 and the option's value; 0 at the end; -EINVAL. */
static int options_next(struct options *o, int *ret)
{
	int at = optind > 0 ? optind : 1, index = -1;
	int v = getopt_long(o->argc, o->argv, "+:hV", o->list, &index);

	if (v == -1) {
		if (optind < o->argc)
			return config_fail(-EINVAL, o->error, "unexpected argument '%.200s'", o->argv[optind]);
		return 0;
	}
	if (v == ':')
		return config_fail(-EINVAL, o->error, "%.200s: needs a value", o->argv[at]);
	if (v != '?' && index < 0 && (v == 'h' || v == 'V'))
		v = v == 'h' ? OPT_HELP : OPT_VERSION;
	else if (v == '?' || index < 0 || !is_whole(o->argv[at], o->list[index].name))
		return unknown_option(o, o->argv[at]);
	*ret = v;
	return 1;
}

static int replace_text(char **text, const char *by)
{
	char *copy = strdup(by);

	if (copy == NULL)
		return -ENOMEM;
	free(*text);
	*text = copy;
	return 0;
}

/* First time through: what is wanted, and which file; every option is known and has its value. */
static int options_survey(struct options *o, struct config *c, enum config_what *what)
{
	int v, r;

	options_rewind();
	while ((r = options_next(o, &v)) > 0) {
		if (v == OPT_CONFIG && replace_text(&c->config, optarg) < 0)
			return no_memory(o->error);
		if (v == OPT_CHECK_CONFIG && *what == CONFIG_RUN)
			*what = CONFIG_CHECK;
		if (v == OPT_VERSION && *what != CONFIG_HELP)
			*what = CONFIG_VERSION;
		if (v == OPT_HELP)
			*what = CONFIG_HELP;
	}
	return r;
}

static int option_set(struct options *o, struct config *c, size_t index)
{
	const struct key *k = &config_keys[index];
	char allowed[KEY_ALLOWED_MAX];
	int r;

	if (key_is_list(k) && !c->from_option[index])
		key_clear_list(k, c);
	c->from_option[index] = 1;
	r = key_set(k, c, optarg);
	if (r == -EINVAL)
		return config_fail(
		    r, o->error, "--%s: found '%.200s'; allowed: %s", k->option, optarg, key_allowed(k, allowed));
	return r < 0 ? no_memory(o->error) : 0;
}

/* Second time through, after the file. */
static int options_apply(struct options *o, struct config *c)
{
	int v, r;

	options_rewind();
	while ((r = options_next(o, &v)) > 0) {
		if (v < OPT_CONFIG)
			r = option_set(o, c, (size_t)v);
		if (r < 0)
			return r;
	}
	return r;
}

/* ---- what can only be known at the end ---- */

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

bool config_policy_is_file(const char *policy)
{
	return strchr(policy, '/') != NULL || ends_with(policy, ".yaml") || ends_with(policy, ".yml");
}

static int check_policy(const struct config *c, const char *key, const char *name, char *error)
{
	if (config_policy_file(c, name) != NULL || config_policy_is_file(name))
		return 0;
	for (const char *const *b = policy_builtin_names; *b != NULL; b++) {
		if (strcmp(*b, name) == 0)
			return 0;
	}
	return config_fail(-EINVAL, error, "%s: '%.200s' is no built-in name, none of policies and no file", key, name);
}

static int check_policies(const struct config *c, char *error)
{
	int r = check_policy(c, "default_policy", c->default_policy, error);

	return r < 0 || c->shadow_policy[0] == '\0' ? r : check_policy(c, "shadow_policy", c->shadow_policy, error);
}

/* Where the worker is when nobody says: beside this program (installed together, or copied together); in the folder
 * the build puts it in, when this is run from a build; where `meson install` puts it, moved or not. */
static char *find_worker(void)
{
	static const char *const beside[] = { "", "../worker/", "../libexec/weighlock/" };
	char self[4096], *path = NULL;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	if (strrchr(self, '/') != NULL)
		strrchr(self, '/')[1] = '\0';
	for (size_t i = 0; n > 0 && i < sizeof(beside) / sizeof(beside[0]); i++) {
		if (asprintf(&path, "%s%s" WORKER_NAME, self, beside[i]) < 0)
			return NULL;
		if (access(path, X_OK) == 0)
			return path;
		free(path);
	}
	return strdup(WLK_LIBEXECDIR "/" WORKER_NAME);
}

static int config_finish(struct config *c, char *error)
{
	if (c->worker[0] == '\0') {
		char *worker = find_worker();

		if (worker == NULL)
			return no_memory(error);
		free(c->worker);
		c->worker = worker;
	}
	return check_policies(c, error);
}

static int config_read_all(struct options *o, struct config *c, enum config_what *what)
{
	int r = config_defaults(c);

	if (r < 0)
		return no_memory(o->error);
	r = options_survey(o, c, what);
	if (r < 0 || *what == CONFIG_VERSION || *what == CONFIG_HELP)
		return r;
	if (c->config != NULL)
		r = config_read_file(c->config, c, o->error);
	if (r == 0)
		r = options_apply(o, c);
	return r < 0 ? r : config_finish(c, o->error);
}

int config_from_args(
    int argc, char *const argv[], struct config *ret, enum config_what *ret_what, char error[CONFIG_ERROR_MAX])
{
	struct options o = { .argc = argc, .argv = argv, .error = error };
	enum config_what what = CONFIG_RUN;
	int r;

	options_make(o.list);
	r = config_read_all(&o, ret, &what);
	if (r < 0) {
		config_done(ret);
		return r;
	}
	*ret_what = what;
	return 0;
}

void config_help(FILE *to)
{
	fputs("Usage: weighlockd [--config FILE] [OPTION VALUE]...\n"
	      "Checks model files for whoever asks on its Unix socket; see weighlockd(8).\n\n"
	      "  --config FILE\n\tread this file first (keys as below, with _ for -)\n"
	      "  --check-config\n\tcheck file, options and policies, and end\n"
	      "  -V, --version, -h, --help\n",
	    to);
	for (size_t i = 0; i < config_n_keys; i++) {
		const struct key *k = &config_keys[i];

		if (k->option == NULL)
			continue;
		fprintf(to, "  --%s VALUE%s\n\t%s", k->option, key_is_list(k) ? "  (may be repeated)" : "", k->help);
		if (k->fallback != NULL && k->fallback[0] != '\0')
			fprintf(to, " [%s]", k->fallback);
		fputc('\n', to);
	}
}
