/* See ignore.h.  A pattern is a list of segments, and one without a slash but its last begins with a `**` of its own: so one
 * routine matches segments, and one the bytes in them, each going back to its last star only. */
#include "ignore.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"

/* ---- a segment ---- */

static bool class_holds(const char *name, size_t n, unsigned char c)
{
	static const struct {
		const char *name;
		int (*holds)(int);
	} classes[] = { { "alnum", isalnum }, { "alpha", isalpha }, { "blank", isblank }, { "cntrl", iscntrl },
		{ "digit", isdigit }, { "graph", isgraph }, { "lower", islower }, { "print", isprint },
		{ "punct", ispunct }, { "space", isspace }, { "upper", isupper }, { "xdigit", isxdigit } };

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strlen(classes[i].name) == n && memcmp(classes[i].name, name, n) == 0)
			return classes[i].holds(c) != 0;
	return false;
}

/* One item of a list in brackets: a character, a range or a class.  Return: behind it; NULL: the list does not end. */
static const char *bracket_item(const char *p, unsigned char c, bool *holds)
{
	const char *end = p[0] == '[' && p[1] == ':' ? strchr(p + 2, ']') : NULL;
	unsigned char low, high;

	if (end != NULL && end > p + 2 && end[-1] == ':') {
		*holds = *holds || class_holds(p + 2, (size_t)(end - 1 - (p + 2)), c);
		return end + 1;
	}
	p += p[0] == '\\';
	if (p[0] == '\0')
		return NULL;
	low = high = (unsigned char)*p++;
	if (p[0] == '-' && p[1] != ']' && p[1] != '\0') {
		p += p[1] == '\\' ? 2 : 1;
		if (p[0] == '\0')
			return NULL;
		high = (unsigned char)*p++;
	}
	*holds = *holds || (c >= low && c <= high);
	return p;
}

/* @p: behind a [.  Return: behind its ]; NULL: it does not match, or has no end. */
static const char *bracket_match(const char *p, unsigned char c)
{
	bool negated = *p == '!' || *p == '^', holds = false, first = true;

	for (p += negated; p != NULL && *p != '\0' && (first || *p != ']'); first = false)
		p = bracket_item(p, c, &holds);
	return p != NULL && *p == ']' && holds != negated ? p + 1 : NULL;
}

/* One element that is no star.  Return: behind it; NULL: it does not match. */
static const char *element_match(const char *p, char c)
{
	if (c == '\0' || *p == '\0')
		return NULL;
	if (*p == '[')
		return bracket_match(p + 1, (unsigned char)c);
	if (*p == '?')
		return p + 1;
	p += *p == '\\';
	return *p == c ? p + 1 : NULL;
}

/* @text: n bytes. */
static bool segment_match(const char *p, const char *text, size_t n)
{
	const char *star = NULL, *retry = text, *end = text + n;

	for (;;) {
		const char *next = text < end ? element_match(p, *text) : NULL;

		if (*p == '*') {
			star = ++p;
			retry = text;
		} else if (*p == '\0' && text == end) {
			return true;
		} else if (next != NULL) {
			p = next;
			text++;
		} else if (star != NULL && retry < end) {
			p = star;
			text = ++retry;
		} else {
			return false;
		}
	}
}

/* ---- a path ---- */

static const char *segment_next(const char *segment)
{
	return segment + strlen(segment) + 1;
}

/* `a/``**` is what is in a, and not a. */
static bool rule_match(const struct ignore_rule *rule, const char *path)
{
	const char *p = rule->segments, *star = NULL, *retry = path;
	size_t left = rule->n_segments, star_left = 0;

	for (;;) {
		size_t n = strcspn(path, "/");

		if (left > 1 && strcmp(p, "**") == 0) {
			star = p = segment_next(p);
			star_left = --left;
			retry = path;
		} else if (left == 0 && *path == '\0') {
			return true;
		} else if (left > 0 && *path != '\0' && (strcmp(p, "**") == 0 || segment_match(p, path, n))) {
			if (strcmp(p, "**") == 0)
				return true;
			p = segment_next(p);
			left--;
			path += n + (path[n] == '/');
		} else if (star != NULL && strchr(retry, '/') != NULL) {
			path = retry = strchr(retry, '/') + 1;
			p = star;
			left = star_left;
		} else {
			return false;
		}
	}
}

struct ignore_rule *ignore_find(const struct ignore_file *f, const char *path, bool folder)
{
	for (size_t i = f->n_rules; i-- > 0;) {
		struct ignore_rule *rule = &f->rules[i];

		if ((folder || !rule->folders) && rule_match(rule, path))
			return rule->negated ? NULL : rule;
	}
	return NULL;
}

/* ---- the file ---- */

/* Blanks at the end do not count, unless the last one is quoted. */
static void trim(char *line)
{
	size_t n = strlen(line), quotes = 0;

	if (n > 0 && line[n - 1] == '\r')
		line[--n] = '\0';
	while (n > 0 && line[n - 1] == ' ')
		n--;
	while (quotes < n && line[n - 1 - quotes] == '\\')
		quotes++;
	line[n + (line[n] == ' ' && quotes % 2 == 1)] = '\0';
}

/* Between slashes, in place: "a//b" has an empty one, which nothing matches. */
static void split(struct ignore_rule *rule, char *p)
{
	rule->segments = p;
	rule->n_segments = 1;
	for (; *p != '\0'; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		rule->n_segments++;
	}
}

/* @p: three bytes before the line's text are free. */
static void rule_read(struct ignore_rule *rule, char *p)
{
	size_t n;

	if (*p == '!') {
		rule->negated = true;
		p++;
	}
	n = strlen(p);
	if (n > 0 && p[n - 1] == '/') {
		rule->folders = true;
		p[--n] = '\0';
	}
	if (strchr(p, '/') == NULL)
		p = memcpy(p - 3, "**/", 3); /* of any depth */
	else if (*p == '/')
		p++;
	split(rule, p);
}

static int add_line(struct ignore_file *f, char *work, const char *line, unsigned number)
{
	struct ignore_rule *rule = &f->rules[f->n_rules];

	if (line[0] == '\0' || line[0] == '#' || strcmp(line, "/") == 0 || strcmp(line, "!") == 0)
		return 0;
	if (f->n_rules == IGNORE_RULES_MAX)
		return -EFBIG;
	*rule = (struct ignore_rule){ .text = line, .line = number };
	rule_read(rule, memcpy(work, line, strlen(line) + 1));
	f->n_rules++;
	return 0;
}

/* f->text keeps the lines, f->lines what they are taken apart in: each needs three bytes more than its text, for a `**`. */
static int read_rules(struct ignore_file *f)
{
	char *rest = f->text, *work = f->lines;
	unsigned number = 0;
	int r = 0;

	if (strncmp(rest, "\xEF\xBB\xBF", 3) == 0)
		rest += 3;
	for (char *line; r == 0 && (line = strsep(&rest, "\n")) != NULL;) {
		trim(line);
		work += 3;
		r = add_line(f, work, line, ++number);
		work += strlen(line) + 1;
	}
	return r;
}

static int read_all(int fd, char *at, size_t *ret_n)
{
	size_t n = 0;
	ssize_t got;

	while (n <= IGNORE_FILE_MAX && (got = read(fd, at + n, IGNORE_FILE_MAX + 1 - n)) != 0) {
		if (got < 0 && errno != EINTR)
			return -errno;
		n += got > 0 ? (size_t)got : 0;
	}
	*ret_n = n;
	return n > IGNORE_FILE_MAX ? -EFBIG : 0;
}

static int load(struct ignore_file *f, int fd)
{
	size_t n = 0, n_lines = 1;
	int r;

	f->text = malloc(IGNORE_FILE_MAX + 2);
	f->rules = calloc(IGNORE_RULES_MAX, sizeof(f->rules[0]));
	if (f->text == NULL || f->rules == NULL)
		return -ENOMEM;
	r = read_all(fd, f->text, &n);
	if (r < 0)
		return r;
	f->text[n] = '\0';
	if (memchr(f->text, '\0', n) != NULL)
		return -EILSEQ;
	for (size_t i = 0; i < n; i++)
		n_lines += f->text[i] == '\n';
	f->lines = malloc(n + 4 * n_lines + 1);
	return f->lines != NULL ? read_rules(f) : -ENOMEM;
}

int ignore_load(const char *path, struct ignore_file **ret)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct ignore_file *f = fd >= 0 ? calloc(1, sizeof(*f)) : NULL;
	int r;

	if (f == NULL)
		return fd < 0 ? -errno : -ENOMEM;
	f->path = path;
	r = load(f, fd);
	if (r < 0) {
		ignore_free(f);
		return r;
	}
	*ret = f;
	return 0;
}

void ignore_free(struct ignore_file *f)
{
	if (f == NULL)
		return;
	free(f->text);
	free(f->lines);
	free(f->rules);
	free(f);
}
