/* See audit_people.h. */
#include "audit_people.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit_texts.h"
#include "cleanup.h"
#include "cli.h"
#include "pseudonym.h"

#define SHORT_OPTIONS ":hV"

static int unreadable(const char *name)
{
	say("%s: %s", name, strerror(errno));
	return CLI_INCOMPLETE;
}

/* ---- lines, each with its place ---- */

struct texts {
	FILE *f;
	const char *name;
	uint64_t number;
	off_t at; /* of the line in the file */
	size_t n;
	char line[AUDIT_LINE_MAX + 1];
};

/* What is longer than any line of ours comes in pieces, which are none either. */
static bool next_line(struct texts *t)
{
	int c = 0;

	t->at += (off_t)t->n;
	t->n = 0;
	while (t->n < sizeof(t->line) && c != '\n' && (c = getc(t->f)) != EOF)
		t->line[t->n++] = (char)c;
	t->number += t->n > 0;
	return t->n > 0;
}

/* Call @each for every line.  Return: CLI_OK; its first other answer; what else is wrong is said. */
static int each_line(const char *name, int (*each)(void *ctx, const struct texts *t), void *ctx)
{
	_cleanup_(freep) struct texts *t = calloc(1, sizeof(*t));
	int status = CLI_OK;

	if (t == NULL) {
		say("out of memory");
		return CLI_INCOMPLETE;
	}
	t->name = name;
	t->f = fopen(name, "re");
	if (t->f == NULL)
		return unreadable(name);
	while (status == CLI_OK && next_line(t))
		status = each(ctx, t);
	if (status == CLI_OK && ferror(t->f))
		status = unreadable(name);
	(void)fclose(t->f);
	return status;
}

/* ---- verify ---- */

bool audit_people_is_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, AUDIT_TEXTS_PREFIX, sizeof(AUDIT_TEXTS_PREFIX) - 1) == 0;
}

bool audit_promises_add(struct audit_promises *p, const struct audit_link *line)
{
	if (!line->has_text)
		return true;
	if (p->n == p->room) {
		size_t room = p->room > 0 ? 2 * p->room : 256;
		struct audit_promise *at = reallocarray(p->at, room, sizeof(*at));

		if (at == NULL) {
			say("out of memory");
			return false;
		}
		p->at = at;
		p->room = room;
	}
	p->at[p->n] = (struct audit_promise){ .seq = line->seq };
	memcpy(p->at[p->n++].hash, line->text, sizeof(line->text));
	return true;
}

static int by_seq(const void *key, const void *element)
{
	const uint64_t *seq = key;
	const struct audit_promise *p = element;

	return *seq < p->seq ? -1 : *seq > p->seq;
}

static int wrong(const struct texts *t, const char *found, const char *expected)
{
	say("%s:%" PRIu64 ": text: found %s, expected %s", t->name, t->number, found, expected);
	return CLI_FAILED;
}

struct checking {
	struct audit_promises *promises;
	const struct audit_check *check;
};

/* Of lines that were not given nothing can be said; the daemon writes while we read, too. */
static int check_text(void *ctx, const struct texts *t)
{
	struct checking *c = ctx;
	struct audit_promise *p;
	struct bytes text;
	uint8_t hash[32];
	uint64_t seq;

	switch (audit_text_read(bytes_of(t->line, t->n), &seq, &text)) {
	case AUDIT_TEXT_NONE:
		if (t->n == 0 || t->line[t->n - 1] != '\n')
			return CLI_OK; /* it is being written, or was torn by a crash: the next start cuts it */
		return wrong(t, "what is no text of an audit log", "one");
	case AUDIT_TEXT_ERASED: return CLI_OK;
	case AUDIT_TEXT_THERE: break;
	}
	if (seq < c->check->first || seq >= c->check->chain.next)
		return CLI_OK;
	p = c->promises->n > 0 ? bsearch(&seq, c->promises->at, c->promises->n, sizeof(*p), by_seq) : NULL;
	if (p == NULL)
		return wrong(t, "one of a line that has none", "a line with its hash");
	audit_text_hash(text, hash);
	if (memcmp(hash, p->hash, sizeof(hash)) != 0)
		return wrong(t, "another than its line has the hash of", "the one that was written, or none");
	p->seen = true;
	return CLI_OK;
}

int audit_promises_check(struct audit_promises *p, const struct audit_check *c, const char *file)
{
	return each_line(file, check_text, &(struct checking){ p, c });
}

void audit_promises_say(const struct audit_promises *p, bool looked)
{
	size_t seen = 0;

	for (size_t i = 0; i < p->n; i++)
		seen += p->at[i].seen;
	if (p->n > 0 && !looked)
		printf("%zu lines have a text beside the log, in a file that was not given\n", p->n);
	else if (looked)
		printf("%zu of %zu texts are there, as they were written; %zu are gone, or in files not given\n", seen,
		    p->n, p->n - seen);
}

/* ---- erase ---- */

struct erasing {
	const char *tenant, *name;
	int fd;
	uint64_t erased, unread;
};

static bool is(const json_t *text, const char *key, const char *wanted)
{
	const char *found = json_string_value(json_object_get(text, key));

	return wanted == NULL || (found != NULL && strcmp(found, wanted) == 0);
}

static bool is_meant(const struct erasing *e, struct bytes text)
{
	json_t *o = json_loadb((const char *)text.at, text.n, 0, NULL);
	bool meant = is(o, "tenant", e->tenant) && is(o, "name", e->name);

	json_decref(o);
	return meant;
}

/* In its place: whoever appends to the file does not notice. */
static int erase_text(void *ctx, const struct texts *t)
{
	char blank[AUDIT_LINE_MAX + 1];
	struct erasing *e = ctx;
	struct bytes text;
	uint64_t seq;

	switch (audit_text_read(bytes_of(t->line, t->n), &seq, &text)) {
	case AUDIT_TEXT_NONE: e->unread++; return CLI_OK;
	case AUDIT_TEXT_ERASED: return CLI_OK;
	case AUDIT_TEXT_THERE: break;
	}
	if (!is_meant(e, text))
		return CLI_OK;
	audit_text_blank(blank, t->n, seq);
	if (pwrite(e->fd, blank, t->n, t->at) != (ssize_t)t->n)
		return unreadable(t->name);
	e->erased++;
	return CLI_OK;
}

static int erase_in(struct erasing *e, const char *name)
{
	_cleanup_(closep) int fd = open(name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
	int status;

	if (!audit_people_is_name(name)) {
		say("%s: found another name, expected " AUDIT_TEXTS_PREFIX "YYYY-MM-DD.jsonl", name);
		return CLI_USAGE;
	}
	if (fd < 0)
		return unreadable(name);
	e->fd = fd;
	status = each_line(name, erase_text, e);
	return status == CLI_OK && fdatasync(fd) < 0 ? unreadable(name) : status;
}

static int erase_all(struct erasing *e, char **files, int n)
{
	int status = CLI_OK;

	for (int i = 0; i < n && status == CLI_OK; i++)
		status = erase_in(e, files[i]);
	if (status == CLI_OK)
		printf("%" PRIu64 " texts erased\n", e->erased);
	if (e->unread > 0) {
		say("%" PRIu64 " lines are no texts of an audit log, and stay", e->unread);
		status = status == CLI_OK ? CLI_INCOMPLETE : status;
	}
	return output_finish(status);
}

int audit_erase_command(int argc, char **argv)
{
	enum { OPT_TENANT = 256, OPT_NAME };
	static const struct option longs[] = {
		{ "tenant", required_argument, NULL, OPT_TENANT },
		{ "name", required_argument, NULL, OPT_NAME },
		USAGE_LONG_OPTIONS,
	};
	struct erasing e = { .fd = -1 };
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, SHORT_OPTIONS, longs, NULL)) != -1) {
		if (option == OPT_TENANT)
			e.tenant = optarg;
		else if (option == OPT_NAME)
			e.name = optarg;
		else
			return usage_option("audit", option, longs, SHORT_OPTIONS, argv[optind - 1]);
	}
	if (e.tenant == NULL && e.name == NULL)
		return usage_error("audit", "--tenant or --name is needed: whose texts");
	if (optind == argc)
		return usage_error("audit", "files of texts are needed");
	return erase_all(&e, argv + optind, argc - optind);
}

/* ---- pseudonym ---- */

static int read_key(const char *path, uint8_t key[PSEUDONYM_KEY_BYTES])
{
	int r = path != NULL ? pseudonym_key_read(path, key) : -ENOENT;

	if (path == NULL)
		return usage_error("audit", "--key is needed: the daemon's pseudonym_key");
	if (r == 0)
		return CLI_OK;
	say("%s: %s", path,
	    r == -EPERM    ? "it must be a file that others may not read"
	    : r == -EINVAL ? "it must have 16 to 4096 bytes"
			   : strerror(-r));
	return CLI_USAGE;
}

int audit_pseudonym_command(int argc, char **argv)
{
	enum { OPT_KEY = 256 };
	static const struct option longs[] = {
		{ "key", required_argument, NULL, OPT_KEY },
		USAGE_LONG_OPTIONS,
	};
	uint8_t key[PSEUDONYM_KEY_BYTES];
	char buf[PSEUDONYM_BYTES];
	const char *path = NULL;
	int option, status;

	opterr = 0;
	while ((option = getopt_long(argc, argv, SHORT_OPTIONS, longs, NULL)) != -1) {
		if (option != OPT_KEY)
			return usage_option("audit", option, longs, SHORT_OPTIONS, argv[optind - 1]);
		path = optarg;
	}
	if (optind == argc)
		return usage_error("audit", "a name is needed");
	status = read_key(path, key);
	for (int i = optind; i < argc && status == CLI_OK; i++)
		printf("%s\n", pseudonym_of(key, argv[i], buf));
	explicit_bzero(key, sizeof(key));
	return status == CLI_OK ? output_finish(status) : status;
}
