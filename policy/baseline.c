/* Baselines: findings that somebody has looked at and sets aside for a time.  They become rules of the policy, so whatever
 * keeps a rule from letting too much through keeps a baseline from it, too: occurrences that nobody listed, files that were
 * not examined whole, the day it ends. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"

#define WARN_DAYS 14

static const struct key top_keys[] = {
	{ "version", reader_version, 0 },
	{ "findings", reader_findings, 0 },
};

static bool read_top(struct reader *r, const struct node *root)
{
	if (!reader_kind(r, root, NODE_MAP, "not a baseline"))
		return false;
	if (node_member(root, "version") == NULL)
		return reader_fail(r, root, "no version", NULL, "version: 1");
	if (node_member(root, "findings") == NULL)
		return reader_fail(r, root, "no findings", NULL, "findings: a list, which may be empty");
	return reader_map(r, root, top_keys, sizeof(top_keys) / sizeof(top_keys[0]), NULL);
}

/* A verdict names its policy, and this one is not the one that others know by that name. */
static bool rename_policy(struct policy *p, const char *origin)
{
	char name[256];

	(void)snprintf(name, sizeof(name), "%.64s.baseline", p->name);
	p->name = policy_text(p, name);
	p->baseline_origin = policy_text(p, origin);
	return p->name != NULL && p->baseline_origin != NULL;
}

static int add(struct policy *p, const uint8_t *at, size_t n, const char *origin, char *error)
{
	struct reader r = { .p = p, .origin = origin, .error = error };
	const struct node *root;

	if (n > POLICY_FILE_MAX) {
		(void)document_error(error, origin, 1, "the file is too large", NULL, "1 MiB");
		return -EINVAL;
	}
	root = document_parse(&p->arena, at, n, origin, error);
	if (root == NULL || !read_top(&r, root))
		return p->arena.exhausted ? -ENOMEM : -EINVAL;
	if (rename_policy(p, origin) && policy_seal(p))
		return 0;
	(void)document_error(error, origin, 1, "out of memory", NULL, NULL);
	return -ENOMEM;
}

int policy_add_baseline(struct policy *p, const char *path, char *error)
{
	uint8_t *buf = malloc(POLICY_FILE_MAX + 1);
	size_t n = 0;
	int r;

	error[0] = '\0';
	r = policy_read_file(path, "baseline", buf, POLICY_FILE_MAX + 1, &n, error);
	if (r == 0)
		r = add(p, buf, n, path, error);
	free(buf);
	return r;
}

bool policy_takes_baseline(const struct policy *p, const char *code)
{
	enum wlk_finding known;

	return finding_by_code(code, &known) && finding_info(known)->class != CLASS_INCOMPLETE &&
	       (int)finding_info(known)->severity <= p->baseline_severity;
}

static void warn(FILE *out, const struct policy *p, const struct rule *r, int64_t today)
{
	int64_t left = r->last_day - today;

	if (!r->of_baseline || left > WARN_DAYS)
		return;
	fprintf(out, "%s:%u: %s ", p->baseline_origin, r->line, r->code);
	if (left < 0)
		fprintf(out, "has expired on %s and is set aside no longer", r->expires);
	else
		fprintf(out, "expires on %s, in %lld day%s", r->expires, (long long)left, left == 1 ? "" : "s");
	fprintf(out, "; owner: %s\n", r->owner);
}

char *policy_baseline_warnings(const struct policy *p, int64_t now)
{
	int64_t today = day_of_time(now);
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (out == NULL)
		return NULL;
	for (size_t i = 0; i < p->n_rules; i++)
		warn(out, p, &p->rules[i], today);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}
