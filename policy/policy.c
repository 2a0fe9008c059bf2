/* A policy from its making to its end, and its canonical text.  The text is valid policy YAML that makes the
 * same policy again; the rules of the base stand in it as comments, so that the digest changes with them. */
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy_impl.h"

const char *policy_action_text(enum policy_action a)
{
	static const char *const text[] = { "accept", "review", "reject" };

	return text[a];
}

/* ---- making and ending ---- */

const char *policy_text(struct policy *p, const char *text)
{
	size_t n = strlen(text) + 1;
	char *copy = arena_alloc(&p->arena, n, 1);

	return copy == NULL ? NULL : memcpy(copy, text, n);
}

static bool in_list(const char *const *list, const char *text)
{
	for (; *list != NULL; list++)
		if (strcmp(*list, text) == 0)
			return true;
	return false;
}

struct policy *policy_new(const struct builtin *base)
{
	struct policy *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	arena_init(&p->arena, POLICY_BYTES_MAX);
	p->limits = (struct limits)LIMITS_DEFAULT;
	p->baseline_severity = BASELINE_SEVERITY_DEFAULT;
	policy_set_base(p, base);
	return p;
}

void policy_set_base(struct policy *p, const struct builtin *base)
{
	p->base = base;
	p->name = base->name;
	p->has_allow = base->formats != NULL;
	for (unsigned i = 0; i < WLK_N_FORMATS; i++)
		p->allow[i] = p->has_allow && in_list(base->formats, format_info((enum wlk_format_id)i)->name);
}

void policy_free(struct policy *p)
{
	if (p == NULL)
		return;
	arena_done(&p->arena);
	free(p);
}

/* The same limits and formats, and nothing added. */
bool policy_is_base(const struct policy *p)
{
	const struct limits limits = LIMITS_DEFAULT;
	bool same = p->n_rules == 0 && p->pin_rules == 0 && p->baseline_severity == (int)BASELINE_SEVERITY_DEFAULT &&
		    p->n_pickle_names == 0 && p->has_allow == (p->base->formats != NULL);

#define X(field, name, value, unit, reason) same = same && p->limits.field == limits.field;
	WLK_LIMITS(X)
#undef X
	for (unsigned i = 0; same && i < WLK_N_FORMATS; i++) {
		const char *name = format_info((enum wlk_format_id)i)->name;

		same = !p->deny[i] && (!p->has_allow || p->allow[i] == in_list(p->base->formats, name));
	}
	return same;
}

int policy_by_name(const char *name, struct policy **ret)
{
	const struct builtin *base = builtin_by_name(name);
	struct policy *p;

	if (base == NULL)
		return -ENOENT;
	p = policy_new(base);
	if (p == NULL)
		return -ENOMEM;
	if (!policy_seal(p)) {
		policy_free(p);
		return -ENOMEM;
	}
	*ret = p;
	return 0;
}

/* ---- the canonical text ---- */

/* Texts hold nothing invisible (document.c), so only these two need an escape. */
static void show_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void show_pair(FILE *out, const char *indent, const char *key, const char *text)
{
	if (text == NULL)
		return;
	fprintf(out, "%s%s: ", indent, key);
	show_text(out, text);
	fputc('\n', out);
}

static void show_rule(FILE *out, const char *comment, const struct rule *r)
{
	char indent[16];

	(void)snprintf(indent, sizeof(indent), "%s    ", comment);
	fprintf(out, "%s  - action: %s\n", comment, policy_action_text(r->action));
#define X(name) show_pair(out, indent, #name, r->name);
	RULE_GLOBS(X)
#undef X
	show_pair(out, indent, "sha256", r->sha256);
	show_pair(out, indent, "reason", r->reason);
	show_pair(out, indent, "owner", r->owner);
	show_pair(out, indent, "expires", r->expires);
}

static void show_limits(FILE *out, const struct limits *lim)
{
	fprintf(out, "limits:\n");
#define X(field, name, value, unit, reason) fprintf(out, "  %s: %llu\n", name, (unsigned long long)lim->field);
	WLK_LIMITS(X)
#undef X
}

static void show_formats_list(FILE *out, const char *key, const bool *chosen)
{
	const char *separator = "";

	fprintf(out, "  %s: [", key);
	for (unsigned i = 0; i < WLK_N_FORMATS; i++) {
		if (!chosen[i])
			continue;
		fprintf(out, "%s%s", separator, format_info((enum wlk_format_id)i)->name);
		separator = ", ";
	}
	fprintf(out, "]\n");
}

static void show_formats(FILE *out, const struct policy *p)
{
	bool any_denied = memchr(p->deny, true, sizeof(p->deny)) != NULL;

	if (p->has_allow || any_denied)
		fprintf(out, "formats:\n");
	if (p->has_allow)
		show_formats_list(out, "allow", p->allow);
	if (any_denied)
		show_formats_list(out, "deny", p->deny);
}

static void show_pickle(FILE *out, const struct policy *p)
{
	if (p->n_pickle_names == 0)
		return;
	fprintf(out, "pickle:\n  allow:\n");
	for (size_t i = 0; i < p->n_pickle_names; i++)
		fprintf(out, "    - %s\n", p->pickle_names[i]);
}

static void show_rules(FILE *out, const struct policy *p)
{
	if (p->n_rules > 0)
		fprintf(out, "rules:\n");
	for (size_t i = 0; i < p->n_rules; i++)
		show_rule(out, "", &p->rules[i]);
	if (p->base->n_rules > 0)
		fprintf(out, "# then the rules of %s:\n", p->base->name);
	for (size_t i = 0; i < p->base->n_rules; i++)
		show_rule(out, "#", &p->base->rules[i]);
	fprintf(out, "# then by severity: critical and high reject, medium review, low and info accept\n");
}

static void show(FILE *out, const struct policy *p)
{
	fprintf(out, "version: 1\n");
	show_pair(out, "", "name", p->name);
	fprintf(out, "base: %s\n", p->base->name);
	if (p->pin_rules != 0)
		fprintf(out, "pin_rules: %u\npin_malicious: %s\n", p->pin_rules, p->pin_malicious ? "true" : "false");
	show_limits(out, &p->limits);
	show_formats(out, p);
	show_pickle(out, p);
	if (p->baseline_severity != (int)BASELINE_SEVERITY_DEFAULT)
		fprintf(out, "baseline: %s\n",
		    p->baseline_severity < 0 ? "none"
					     : finding_severity_text((enum finding_severity)p->baseline_severity));
	show_rules(out, p);
}

char *policy_show(const struct policy *p)
{
	return strdup(p->shown);
}

static bool digest_bytes(const void *at, size_t size, char hex[SHA256_HEX + 1])
{
	unsigned char sha256[EVP_MAX_MD_SIZE];
	size_t n = 0;

	if (EVP_Q_digest(NULL, "SHA256", NULL, at, size, sha256, &n) != 1)
		return false;
	hex_write(sha256, n, hex);
	return true;
}

static bool digest_parts(struct policy *p)
{
	const struct limits limits = LIMITS_DEFAULT;

	p->limits_sha256[0] = p->names_sha256[0] = '\0';
	return (memcmp(&p->limits, &limits, sizeof(limits)) == 0 ||
		   digest_bytes(&p->limits, sizeof(p->limits), p->limits_sha256)) &&
	       (p->n_pickle_names == 0 || digest_bytes(p->pickle_lines.at, p->pickle_lines.n, p->names_sha256));
}

bool policy_seal(struct policy *p)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	bool good;

	if (out == NULL)
		return false;
	good = policy_seal_pickle_names(p);
	show(out, p);
	good = ferror(out) == 0 && good;
	good = fclose(out) == 0 && good;
	p->shown = good ? policy_text(p, text) : NULL;
	free(text);
	return p->shown != NULL && digest_parts(p) && digest_bytes(p->shown, strlen(p->shown), p->sha256);
}

/* ---- from a file ---- */

static int read_all(int fd, uint8_t *buf, size_t n_max, size_t *ret_n)
{
	size_t n = 0;

	while (n < n_max) {
		ssize_t got = read(fd, buf + n, n_max - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	*ret_n = n;
	return 0;
}

/* A regular file only: a FIFO or a device named by mistake would block or never end. */
static int open_regular(const char *path, int *ret_fd)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int r = fd < 0 ? -errno : 0;

	if (r == 0 && fstat(fd, &st) < 0)
		r = -errno;
	if (r == 0 && !S_ISREG(st.st_mode))
		r = S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	if (r < 0 && fd >= 0)
		(void)close(fd);
	if (r == 0)
		*ret_fd = fd;
	return r;
}

static int read_file(const char *path, uint8_t *buf, size_t n_max, size_t *ret_n)
{
	int fd = -1;
	int r = open_regular(path, &fd);

	if (r < 0)
		return r;
	r = read_all(fd, buf, n_max, ret_n);
	(void)close(fd);
	return r;
}

int policy_read_file(const char *path, const char *what, uint8_t *buf, size_t n_max, size_t *ret_n, char *error)
{
	int r = buf != NULL ? read_file(path, buf, n_max, ret_n) : -ENOMEM;

	if (r < 0)
		(void)snprintf(error, POLICY_ERROR_MAX, "%.200s: cannot read the %s: %s", path, what,
		    r == -EINVAL ? "not a regular file" : strerror(-r));
	return r;
}

int policy_load(const char *path, struct policy **ret, char *error)
{
	uint8_t *buf = malloc(POLICY_FILE_MAX + 1); /* one more than is parsed: policy_parse() says it is too large */
	size_t n = 0;
	int r = policy_read_file(path, "policy", buf, POLICY_FILE_MAX + 1, &n, error);

	if (r == 0)
		r = policy_parse(buf, n, path, ret, error);
	free(buf);
	return r;
}

/* ---- asking ---- */

const char *policy_name(const struct policy *p)
{
	return p->name;
}

const char *policy_sha256(const struct policy *p)
{
	return p->sha256;
}

const struct limits *policy_limits(const struct policy *p)
{
	return &p->limits;
}

static void warn_about(FILE *out, const struct rule *r, int64_t today)
{
	if (r->expires != NULL && r->last_day < today)
		fprintf(out, "line %u: this rule expired on %s and no longer applies\n", r->line, r->expires);
	if (r->code != NULL && glob_is_pattern(r->code)) {
		bool any = false;

		for (unsigned i = 0; !any && i < WLK_N_FINDINGS; i++)
			any = glob_match(r->code, bytes_of_text(finding_info((enum wlk_finding)i)->code));
		if (!any)
			fprintf(out, "line %u: no known code matches '%s'\n", r->line, r->code);
	}
}

static void warn_about_pin(FILE *out, const struct policy *p)
{
	unsigned n[2] = { 0 }; /* newer codes: that decide, that observe */

	for (unsigned i = 0; i < WLK_N_FINDINGS; i++)
		if (finding_since((enum wlk_finding)i) > p->pin_rules)
			n[policy_observes(p, (enum wlk_finding)i)]++;
	fprintf(out, "pin_rules: %u codes are newer than rules version %u; %u observe, %u decide\n", n[0] + n[1],
	    p->pin_rules, n[1], n[0]);
}

char *policy_warnings(const struct policy *p, int64_t now)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	bool good;

	if (out == NULL)
		return NULL;
	if (p->pin_rules != 0)
		warn_about_pin(out, p);
	for (size_t i = 0; i < p->n_rules; i++)
		warn_about(out, &p->rules[i], day_of_time(now));
	good = ferror(out) == 0;
	good = fclose(out) == 0 && good;
	if (good)
		return text;
	free(text);
	return NULL;
}
