/* See verdict_lines.h. */
#include "verdict_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

struct verdict_lines {
	const char *path;
	FILE *f;
	char *line;
	size_t room;
	size_t number;
};

struct verdict_lines *verdict_lines_open(const char *path)
{
	struct verdict_lines *v = calloc(1, sizeof(*v));

	if (v == NULL) {
		say("out of memory");
		return NULL;
	}
	v->path = path;
	v->f = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	if (v->f != NULL)
		return v;
	say("%s: %s", path, strerror(errno));
	free(v);
	return NULL;
}

void verdict_lines_close(struct verdict_lines *v)
{
	if (v == NULL)
		return;
	if (v->f != stdin)
		(void)fclose(v->f);
	free(v->line);
	free(v);
}

static bool is_verdict(const json_t *json)
{
	const char *schema = json_string_value(json_object_get(json, "schema"));

	return schema != NULL && (strcmp(schema, "weighlock.verdict/1") == 0 || strcmp(schema, "weighlock.set/1") == 0);
}

static int bad_line(const struct verdict_lines *v, const char *why)
{
	say("%s:%zu: %s", v->path, v->number, why);
	return -1;
}

static int parse_line(const struct verdict_lines *v, size_t n, json_t **ret)
{
	json_error_t error;
	json_t *json;

	if (n > VERDICT_LINE_MAX)
		return bad_line(v, "a line too long for a verdict");
	json = json_loadb(v->line, n, JSON_REJECT_DUPLICATES, &error);
	if (json == NULL)
		return bad_line(v, error.text);
	if (!is_verdict(json)) {
		json_decref(json);
		return bad_line(v, "no verdict (weighlock.verdict/1 or weighlock.set/1)");
	}
	*ret = json;
	return 1;
}

int verdict_lines_next(struct verdict_lines *v, json_t **ret)
{
	ssize_t n;

	do {
		errno = 0;
		n = getline(&v->line, &v->room, v->f);
		v->number++;
	} while (n == 1 && v->line[0] == '\n');
	if (n > 0)
		return parse_line(v, (size_t)n, ret);
	return ferror(v->f) || errno == ENOMEM ? bad_line(v, strerror(errno != 0 ? errno : EIO)) : 0;
}
