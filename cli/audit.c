/* weighlock audit verify: is the audit log of a daemon whole?  Reads files and nothing else. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "cleanup.h"
#include "cli.h"
#include "commands.h"
#include "hex.h"

#define SHORT_OPTIONS ":h"

enum { OPT_HEAD = 256 };

static const struct option long_options[] = {
	{ "head", required_argument, NULL, OPT_HEAD },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
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

static int check_lines(struct lines *l, struct audit_check *c, bool is_last)
{
	char error[AUDIT_ERROR_MAX];
	ssize_t n;

	while ((n = next_line(l)) > 0) {
		if (l->at[n - 1] != '\n' && (size_t)n < sizeof(l->at) && is_last) {
			say("%s:%" PRIu64 ": the last line has no end: it is being written, or was torn by a crash",
			    l->name, l->number);
			return CLI_INCOMPLETE;
		}
		if (!audit_check_line(c, bytes_of(l->at, (size_t)n), error))
			return broken(l, error);
	}
	if (n == 0 && l->number == 0)
		return broken(l, "an empty file: found nothing, expected a line of kind begin");
	return n < 0 ? unreadable(l->name) : CLI_OK;
}

static int check_file(const char *name, struct audit_check *c, bool is_last)
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
	status = check_lines(l, c, is_last);
	(void)fclose(l->f);
	return status;
}

static int say_good(const struct audit_check *c)
{
	char head[SHA256_HEX + 1], n[TEXT_GROUPED_MAX];

	hex_write(c->chain.head, 32, head);
	printf("%s lines, %" PRIu64 " to %" PRIu64 "\nhead  %s\n", text_grouped(c->lines, n), c->first,
	    c->chain.next - 1, head);
	if (c->first > 0)
		printf("what came before line %" PRIu64 " was not looked at\n", c->first);
	return output_finish(CLI_OK);
}

static int verify(char **files, int n, struct audit_check *c)
{
	char error[AUDIT_ERROR_MAX];

	for (int i = 0; i < n; i++) {
		int status = check_file(files[i], c, i == n - 1);

		if (status != CLI_OK)
			return status;
	}
	if (!audit_check_end(c, error)) {
		say("%s: %s", files[n - 1], error);
		return CLI_FAILED;
	}
	return say_good(c);
}

static int audit_verify(int argc, char **argv)
{
	struct audit_check c = { 0 };
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, SHORT_OPTIONS, long_options, NULL)) != -1) {
		if (option == 'h')
			return usage_print("audit");
		if (option != OPT_HEAD)
			return usage_bad_option("audit", option, optopt, SHORT_OPTIONS, argv[optind - 1]);
		c.wants_head = sha256_of_hex(optarg, c.wanted);
		if (!c.wants_head)
			return usage_error("audit", "--head: found '%s', allowed 64 hexadecimal digits", optarg);
	}
	if (optind == argc)
		return usage_error("audit", "the log's files are needed, oldest first");
	return verify(argv + optind, argc - optind, &c);
}

int cmd_audit(int argc, char **argv)
{
	const char *action = argc > 1 ? argv[1] : "";

	if (strcmp(action, "--help") == 0 || strcmp(action, "-h") == 0)
		return usage_print("audit");
	if (strcmp(action, "verify") == 0)
		return audit_verify(argc - 1, argv + 1);
	return usage_error("audit", action[0] ? "unknown action '%s'" : "verify is needed", action);
}
