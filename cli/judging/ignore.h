/* Files that the caller wants left out, in the words of gitignore(5) as of Git 2.39.  The file is named on the command line and
 * never looked for: what lies in a scanned tree exempts nothing of it.  Paths are those below a given folder.
 *
 * Two differences, both to the safe side: the text of a pattern is never a / in brackets, and \/ matches nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define IGNORE_FILE_MAX ((size_t)1 << 20) /* bytes */
#define IGNORE_RULES_MAX 4096

struct ignore_rule {
	const char *text;     /* the line as it is written */
	const char *segments; /* between its slashes, each ended by NUL */
	size_t n_segments;
	bool negated, folders; /* !pattern; pattern/ */
	unsigned line;
	size_t n_hits; /* entries that it left out; a folder counts once */
};

struct ignore_file {
	const char *path; /* borrowed */
	char *text;       /* owned: what all rules point into */
	char *lines;      /* owned */
	struct ignore_rule *rules;
	size_t n_rules;
};

/* Return: 0 or negative errno; -EFBIG: beyond IGNORE_FILE_MAX or IGNORE_RULES_MAX.  @path: borrowed. */
int ignore_load(const char *path, struct ignore_file **ret);
void ignore_free(struct ignore_file *f);

/* The rule by which an entry is left out, whose parent folders are not; NULL: it is not. */
struct ignore_rule *ignore_find(const struct ignore_file *f, const char *path, bool folder);
