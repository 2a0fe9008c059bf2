/* weighlock audit: is the audit log of a daemon whole, and where does it stand?  Reads files and nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "audit_file.h"
#include "audit_heads.h"
#include "audit_people.h"
#include "chain.h"
#include "cleanup.h"
#include "cli.h"
#include "commands.h"
#include "hex.h"
#include "key_files.h"

#define SHORT_OPTIONS ":hV"

enum { OPT_HEAD = 256, OPT_KEY };

static const struct option long_options[] = {
	{ "head", required_argument, NULL, OPT_HEAD },
	{ "key", required_argument, NULL, OPT_KEY },
	USAGE_LONG_OPTIONS,
};

/* Lines of any length, in bounded memory. */
struct lines {
	FILE *f;
	const char *name;
	uint64_t number;
	char at[AUDIT_LINE_MAX + 1];
};

/* The next one, newline included where there is one.  What is longer than any line of ours is cut.
 * Return: bytes; 0 at the end; -1: it cannot be read. */
static ssize_t next_line(struct lines *l)
{
	size_t n = 0;
	int c = 0;

	while (n < sizeof(l->at) && c != '\n' && (c = getc(l->f)) != EOF)
		l->at[n++] = (char)c;
	if (ferror(l->f))
		return -1;
	l->number += n > 0;
	return (ssize_t)n;
}

static int unreadable(const char *name)
{
	say("%s: %s", name, strerror(errno));
	return CLI_INCOMPLETE;
}

static int broken(const struct lines *l, const char *error)
{
	say("%s:%" PRIu64 ": %s", l->name, l->number, error);
	return CLI_FAILED;
}

static int check_lines(struct lines *l, struct audit_check *c, bool is_last, struct audit_promises *p)
{
	char error[AUDIT_ERROR_MAX];
	uint64_t before;
	ssize_t n;

	while ((n = next_line(l)) > 0) {
		if (l->at[n - 1] != '\n' && (size_t)n < sizeof(l->at) && is_last) {
			say("%s:%" PRIu64 ": the last line has no end: it is being written, or was torn by a crash",
			    l->name, l->number);
			return CLI_INCOMPLETE;
		}
		before = c->lines;
		if (!audit_check_line(c, bytes_of(l->at, (size_t)n), error))
			return broken(l, error);
		if (c->lines > before && !audit_promises_add(p, &c->last))
			return CLI_INCOMPLETE;
	}
	if (n == 0 && l->number == 0)
		return broken(l, "an empty file: found nothing, expected a line of kind begin");
	return n < 0 ? unreadable(l->name) : CLI_OK;
}

static int check_file(const char *name, struct audit_check *c, bool is_last, struct audit_promises *p)
{
	_cleanup_(freep) struct lines *l = malloc(sizeof(*l));
	int status;

	if (l == NULL) {
		say("out of memory");
		return CLI_INCOMPLETE;
	}
	l->name = name;
	l->number = 0;
	l->f = fopen(name, "re");
	if (!l->f)
		return unreadable(name);
	audit_check_file(c);
	status = check_lines(l, c, is_last, p);
	(void)fclose(l->f);
	return status;
}

/* ---- heads ---- */

static int missing(const char *name, const char *found)
{
	say("%s: found %s, expected the head of the audit log beside it; lines at its end may be missing", name, found);
	return CLI_FAILED;
}

/* The head that the daemon keeps beside the file that is being written: from before that file is read, for it goes on.
 * @required: nobody has given another. */
static int read_own_head(const char *log, bool required, struct audit_heads *h)
{
	const char *slash = strrchr(log, '/');
	_cleanup_(freep) char *name = NULL;
	struct audit_wanted w = { .has_next = true, .own = true };
	struct audit_chain c;

	if (strcmp(slash ? slash + 1 : log, AUDIT_FILE) != 0)
		return CLI_OK;
	if (asprintf(&name, "%.*s" AUDIT_HEAD, slash ? (int)(slash + 1 - log) : 0, log) < 0) {
		name = NULL;
		say("out of memory");
		return CLI_INCOMPLETE;
	}
	switch (audit_head_read(AT_FDCWD, name, &c)) {
	case AUDIT_HEAD_NONE: return required ? missing(name, "none") : CLI_OK;
	case AUDIT_HEAD_BAD: return errno != 0 && errno != ELOOP ? unreadable(name) : missing(name, "something else");
	case AUDIT_HEAD_GOOD: break;
	}
	memcpy(w.head, c.head, sizeof(w.head));
	w.next = c.next;
	return audit_heads_add(h, &w) ? CLI_OK : CLI_INCOMPLETE;
}

static void say_heads(const struct audit_check *c)
{
	size_t before = 0;

	for (size_t i = 0; i < c->n_wanted; i++)
		before += audit_check_is_before(c, &c->wanted[i]);
	if (before > 0)
		printf("%zu of %zu heads are of lines before line %" PRIu64 "\n", before, c->n_wanted, c->first);
	if (c->n_wanted == 0)
		printf("no head was given: whether lines at the end are missing cannot be known\n");
}

/* ---- the answer ---- */

static int say_good(const struct audit_check *c, const struct audit_promises *p, bool looked)
{
	char head[SHA256_HEX + 1], n[TEXT_GROUPED_MAX];

	hex_write(c->chain.head, 32, head);
	printf("%s lines, %" PRIu64 " to %" PRIu64 "\nhead  %s\n", text_grouped(c->lines, n), c->first,
	    c->chain.next - 1, head);
	if (c->first > 0)
		printf("what came before line %" PRIu64 " was not looked at\n", c->first);
	say_heads(c);
	audit_promises_say(p, looked);
	return output_finish(CLI_OK);
}

/* The log's files, and those of texts beside it. */
struct given {
	char **logs, **texts;
	int n_logs, n_texts;
};

static int check_logs(const struct given *g, struct audit_check *c, struct audit_promises *p)
{
	char error[AUDIT_ERROR_MAX];

	for (int i = 0; i < g->n_logs; i++) {
		int status = check_file(g->logs[i], c, i == g->n_logs - 1, p);

		if (status != CLI_OK)
			return status;
	}
	if (audit_check_end(c, error))
		return CLI_OK;
	say("%s: %s", g->logs[g->n_logs - 1], error);
	return CLI_FAILED;
}

static int verify(const struct given *g, struct audit_check *c)
{
	struct audit_promises p = { 0 };
	int status = check_logs(g, c, &p);

	for (int i = 0; i < g->n_texts && status == CLI_OK; i++)
		status = audit_promises_check(&p, c, g->texts[i]);
	if (status == CLI_OK)
		status = say_good(c, &p, g->n_texts > 0);
	free(p.at);
	return status;
}

/* ---- the command line ---- */

struct verify_options {
	char **heads; /* hash or file; as many as arguments at most */
	size_t n_heads;
	const char *key;
};

static int read_head_option(struct audit_heads *h, const char *text, const struct dsse_key *k)
{
	struct audit_wanted w = { 0 };

	if (sha256_of_hex(text, w.head))
		return audit_heads_add(h, &w) ? CLI_OK : CLI_INCOMPLETE;
	if (access(text, F_OK) < 0 && errno == ENOENT)
		return usage_error("audit", "--head: found '%s', allowed 64 hexadecimal digits or a file", text);
	return audit_heads_read(h, text, k);
}

static int read_heads(const struct verify_options *o, const char *last, struct audit_heads *h)
{
	struct dsse_key *k = o->key ? key_read_public(o->key) : NULL;
	int status = o->key && k == NULL ? CLI_USAGE : CLI_OK;

	for (size_t i = 0; i < o->n_heads && status == CLI_OK; i++)
		status = read_head_option(h, o->heads[i], k);
	dsse_key_free(k);
	return status == CLI_OK ? read_own_head(last, o->n_heads == 0, h) : status;
}

static int verify_with(const struct verify_options *o, const struct given *g)
{
	struct audit_heads h = { 0 };
	struct audit_check c = { 0 };
	int status = read_heads(o, g->logs[g->n_logs - 1], &h);

	if (status == CLI_OK) {
		audit_check_want(&c, h.at, h.n);
		status = verify(g, &c);
	}
	audit_heads_done(&h);
	return status;
}

/* @room: for as many as there are; files of texts are known by their names, and may stand anywhere. */
static struct given sort_files(char **files, int n, char **room)
{
	struct given g = { .logs = room };

	for (int i = 0; i < n; i++) {
		if (!audit_people_is_name(files[i]))
			g.logs[g.n_logs++] = files[i];
	}
	g.texts = room + g.n_logs;
	for (int i = 0; i < n; i++) {
		if (audit_people_is_name(files[i]))
			g.texts[g.n_texts++] = files[i];
	}
	return g;
}

static int audit_verify(int argc, char **argv)
{
	_cleanup_(freep) char **heads = calloc(2 * (size_t)argc, sizeof(*heads));
	struct verify_options o = { .heads = heads };
	struct given g;
	int option;

	if (heads == NULL) {
		say("out of memory");
		return CLI_INCOMPLETE;
	}
	opterr = 0;
	while ((option = getopt_long(argc, argv, SHORT_OPTIONS, long_options, NULL)) != -1) {
		if (option == OPT_HEAD)
			o.heads[o.n_heads++] = optarg;
		else if (option == OPT_KEY)
			o.key = optarg;
		else
			return usage_option("audit", option, long_options, SHORT_OPTIONS, argv[optind - 1]);
	}
	g = sort_files(argv + optind, argc - optind, heads + argc);
	if (g.n_logs == 0)
		return usage_error("audit", "the log's files are needed, oldest first");
	return verify_with(&o, &g);
}

int cmd_audit(int argc, char **argv)
{
	const char *action = argc > 1 ? argv[1] : "";

	static const char *const actions[] = { "verify", "head", "erase", "pseudonym", NULL };
	char question[NEAREST_QUESTION_MAX];
	int status = usage_plain_option("audit", action);

	if (status >= 0)
		return status;
	if (strcmp(action, "verify") == 0)
		return audit_verify(argc - 1, argv + 1);
	if (strcmp(action, "head") == 0)
		return audit_head_command(argc - 1, argv + 1);
	if (strcmp(action, "erase") == 0)
		return audit_erase_command(argc - 1, argv + 1);
	if (strcmp(action, "pseudonym") == 0)
		return audit_pseudonym_command(argc - 1, argv + 1);
	return usage_error("audit", action[0] ? "unknown action '%s'%s" : "verify, head, erase or pseudonym is needed",
	    action, nearest_of(action, actions, question));
}
