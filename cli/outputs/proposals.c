/* See proposals.h.  Both are lists of exceptions, an entry for each code of each file, which the digest names: no file but the
 * one that was seen is excepted.  A baseline can be used as it is.  A policy cannot until somebody has written down why: its
 * reasons are empty, which is an error.  What is rejected is proposed by neither but where a baseline may hold it.
 *
 * Texts from files are written only where they are plain: a digest does without them. */
#include "proposals.h"

#include <errno.h>
#include <string.h>

#include "cleanup.h"
#include "cli.h"
#include "findings.h"
#include "output.h"
#include "policy.h"
#include "verdict.h"

#define DAYS 90
#define DAY_SECONDS 86400
#define ENTRIES_MAX 1024u /* each at most some 600 bytes: a policy file has 1 MiB */
#define NAMES_MAX 256u
#define PLAIN_MAX 255u

struct proposals {
	size_t n, n_omitted;
	size_t n_unsaid; /* that would be held */
	json_t *packs;   /* names, of those that would vouch, as keys */
	json_t *names;   /* that no pack vouches for, as keys */
	json_t *held;    /* lines about what is proposed nowhere */
};

static int begin(struct output *o)
{
	struct proposals *p = o->state;

	p->packs = json_object();
	p->names = json_object();
	p->held = json_array();
	return p->packs != NULL && p->names != NULL && p->held != NULL ? 0 : -ENOMEM;
}

static void end_all(struct output *o)
{
	struct proposals *p = o->state;

	json_decref(p->packs);
	json_decref(p->names);
	json_decref(p->held);
}

/* ---- texts ---- */

static bool is_plain(const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++)
		if (text[i] < ' ' || text[i] > '~' || text[i] == '\\')
			return false;
	return n > 0 && n <= PLAIN_MAX;
}

/* A character of a plain text, in YAML's double quotes. */
static void put_quoted(FILE *f, char c)
{
	if (c == '"')
		fputc('\\', f);
	fputc(c, f);
}

/* Quoted as YAML has it, and for globs: stars are themselves. */
static void put_glob(FILE *f, const char *key, const char *text)
{
	fprintf(f, "    %s: \"", key);
	for (; *text != '\0'; text++) {
		if (*text == '*' || *text == '?')
			fputs("\\\\", f);
		put_quoted(f, *text);
	}
	fputs("\"\n", f);
}

static bool finding_is_incomplete(const char *code)
{
	enum wlk_finding known;

	return finding_by_code(code, &known) && finding_info(known)->class == CLASS_INCOMPLETE;
}

static const char *day_text(int64_t unix_s, char buf[TIME_TEXT_MAX])
{
	(void)time_text(unix_s, buf);
	buf[strlen("YYYY-MM-DD")] = '\0';
	return buf;
}

/* ---- an entry ---- */

struct subject {
	const char *name, *sha256;
};

static struct subject subject_of(const json_t *verdict)
{
	const json_t *file = verdict_is_set(verdict) ? verdict : json_object_get(verdict, "file");
	struct subject s = { verdict_member(file, "name"), verdict_member(file, "sha256") };

	while (s.name[0] == '.' && s.name[1] == '/')
		s.name += 2;
	return s;
}

/* Does an earlier finding have the same code and fate? */
static bool is_repeated(const json_t *findings, size_t at)
{
	const json_t *one = json_array_get(findings, at), *before;

	for (size_t i = 0; i < at; i++) {
		before = json_array_get(findings, i);
		if (strcmp(verdict_member(before, "code"), verdict_member(one, "code")) == 0 &&
		    strcmp(verdict_member(before, "action"), verdict_member(one, "action")) == 0)
			return true;
	}
	return false;
}

static void put_entry(struct output *o, const struct subject *about, const char *code, const char *key)
{
	const struct proposal *made = o->about;
	const char *user = getenv("LOGNAME");
	bool baseline = strcmp(key, "findings") == 0;
	char day[TIME_TEXT_MAX];
	struct proposals *p = o->state;

	if (p->n == ENTRIES_MAX) {
		p->n_omitted++;
		return;
	}
	if (p->n++ == 0)
		fprintf(o->f, "%s:\n", key);
	fprintf(o->f, "  - code: %s\n", code);
	if (is_plain(about->name))
		put_glob(o->f, "path", about->name);
	fprintf(o->f, "    sha256: %s\n", about->sha256);
	if (baseline) {
		fprintf(o->f, "    reason: found when this baseline was written, on %s\n", day_text(made->now, day));
		put_glob(o->f, "owner", user != NULL && is_plain(user) ? user : "nobody was named");
	} else {
		fputs("    action: accept\n    reason: \"\"\n", o->f);
	}
	fprintf(o->f, "    expires: %s\n", day_text(made->now + (int64_t)DAYS * DAY_SECONDS, day));
}

/* What cannot be excepted stands as a comment below. */
static int hold(struct output *o, const struct subject *about, const char *code, const char *why)
{
	struct proposals *p = o->state;
	_cleanup_(freep) char *line = NULL;

	if (json_array_size(p->held) == ENTRIES_MAX) {
		p->n_unsaid++;
		return 0;
	}
	if (asprintf(&line, "# left: %s in %s: %s", code, is_plain(about->name) ? about->name : about->sha256, why) <
	    0) {
		line = NULL;
		return -ENOMEM;
	}
	return json_array_append_new(p->held, json_string(line)) < 0 ? -ENOMEM : 0;
}

static int end_lists(struct output *o, const char *key)
{
	struct proposals *p = o->state;
	const json_t *line;
	size_t i;

	if (p->n == 0)
		fprintf(o->f, "%s: []\n", key);
	json_array_foreach (p->held, i, line)
		fprintf(o->f, "%s\n", json_string_value(line));
	if (p->n_omitted > 0)
		fprintf(o->f, "# left: %zu more, for which there is no room\n", p->n_omitted);
	if (p->n_unsaid > 0)
		fprintf(o->f, "# left: %zu more that cannot be excepted\n", p->n_unsaid);
	return 0;
}

/* ---- a baseline ---- */

static int baseline_begin(struct output *o)
{
	fputs("# Written by weighlock scan --write-baseline, for --baseline: what was known on the day it was written, "
	      "of the very\n"
	      "# files that were seen.  Say better why, and who answers for it.\n"
	      "version: 1\n",
	    o->f);
	return begin(o);
}

static int baseline_put(struct output *o, const struct shown *s, const json_t *verdict)
{
	const json_t *findings = json_object_get(verdict, "findings"), *one;
	const struct proposal *made = o->about;
	struct subject about = subject_of(verdict);
	size_t i;
	int r = 0;

	(void)s;
	json_array_foreach (findings, i, one) {
		const char *code = verdict_member(one, "code");

		if (r < 0 || strcmp(verdict_member(one, "action"), "accept") == 0 || is_repeated(findings, i))
			continue;
		if (about.sha256[0] == '\0' || !policy_takes_baseline(made->policy, code))
			r = hold(o, &about, code, "the policy keeps it from baselines");
		else
			put_entry(o, &about, code, "findings");
	}
	return r;
}

static int baseline_end(struct output *o, const struct outcome *outcome)
{
	(void)outcome;
	return end_lists(o, "findings");
}

const struct writer writer_baseline = { .name = NULL,
	.state_size = sizeof(struct proposals),
	.begin = baseline_begin,
	.put = baseline_put,
	.end = baseline_end,
	.free = end_all };

/* ---- a policy ---- */

static int saved_begin(struct output *o)
{
	const struct proposal *made = o->about;

	fprintf(o->f,
	    "# Proposed by weighlock scan --save-policy.  Each exception needs a reason, or goes: with an empty one "
	    "this is no\n"
	    "# policy yet (weighlock policy check).\n"
	    "version: 1\n"
	    "base: %s\n",
	    made->base);
	return begin(o);
}

/* "by the pack NAME". */
static int propose_pack(struct proposals *p, const json_t *finding, bool *ret)
{
	static const char words[] = "by the pack ";
	const char *allowed = verdict_member(finding, "allowed");

	*ret = strncmp(allowed, words, sizeof(words) - 1) == 0 && is_plain(allowed);
	if (!*ret)
		return 0;
	return json_object_set_new(p->packs, allowed + sizeof(words) - 1, json_true()) < 0 ? -ENOMEM : 0;
}

static int propose(struct output *o, const struct subject *about, const json_t *finding, bool repeated)
{
	struct proposals *p = o->state;
	const char *code = verdict_member(finding, "code"), *name = verdict_member(finding, "subject");
	bool packed = false;
	int r = 0;

	if (strcmp(verdict_member(finding, "action"), "reject") == 0)
		return repeated ? 0 : hold(o, about, code, "rejected, and nothing proposes to accept that");
	if (strcmp(code, "pickle-global-unknown") == 0) {
		r = propose_pack(p, finding, &packed);
		if (packed || r < 0)
			return r;
		if (is_plain(name) && json_object_size(p->names) < NAMES_MAX)
			r = json_object_set_new(p->names, name, json_true()) < 0 ? -ENOMEM : 0;
	}
	if (r < 0 || repeated)
		return r;
	if (finding_is_incomplete(code))
		return hold(o, about, code, "what was not examined cannot be accepted");
	put_entry(o, about, code, "rules");
	return 0;
}

static int saved_put(struct output *o, const struct shown *s, const json_t *verdict)
{
	const json_t *findings = json_object_get(verdict, "findings"), *one;
	struct subject about = subject_of(verdict);
	size_t i;
	int r = 0;

	(void)s;
	json_array_foreach (findings, i, one)
		if (r == 0 && about.sha256[0] != '\0' && strcmp(verdict_member(one, "action"), "accept") != 0)
			r = propose(o, &about, one, is_repeated(findings, i));
	return r;
}

static int put_pickle(struct output *o)
{
	const struct proposal *made = o->about;
	struct proposals *p = o->state;
	const char *name, *separator = "";
	json_t *value;
	int r = 0;

	for (size_t i = 0; i < made->n_packs; i++)
		r = json_object_set_new(p->packs, made->packs[i], json_true()) < 0 ? -ENOMEM : r;
	if (json_object_size(p->packs) + json_object_size(p->names) > 0)
		fprintf(o->f, "%spickle:\n", json_object_size(p->packs) > 0 ? "" : "#");
	if (json_object_size(p->packs) > 0)
		fputs("  packs: [", o->f);
	json_object_foreach (p->packs, name, value) {
		fprintf(o->f, "%s%s", separator, name);
		separator = ", ";
	}
	if (json_object_size(p->packs) > 0)
		fputs("]\n", o->f);
	if (json_object_size(p->names) > 0)
		fputs("# Names that no pack vouches for.  Whoever allows one trusts the code behind it with whatever a "
		      "file hands it.\n"
		      "#  allow:\n",
		    o->f);
	json_object_foreach (p->names, name, value) {
		fputs("#    - \"", o->f);
		for (const char *at = name; *at != '\0'; at++)
			put_quoted(o->f, *at);
		fputs(" object\"\n", o->f);
	}
	return r;
}

static int saved_end(struct output *o, const struct outcome *outcome)
{
	int r = end_lists(o, "rules");

	(void)outcome;
	return r < 0 ? r : put_pickle(o);
}

const struct writer writer_policy = { .name = NULL,
	.state_size = sizeof(struct proposals),
	.begin = saved_begin,
	.put = saved_put,
	.end = saved_end,
	.free = end_all };
