/* Policy files: the grammar of weighlock.policy(5) over the tree of document.h.  Every map is read by a table
 * of its keys, so a misspelt one is an error with its line, never a rule that silently does nothing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"
#include "pickle_names.h"
#include "policy_impl.h"

#define NAME_MAX_BYTES 64

struct reader {
	struct policy *p;
	const char *origin;
	char *error;
};

/* One key of a map: who reads its value into what. */
struct key {
	const char *name;
	bool (*read)(struct reader *r, const struct node *value, void *target);
	size_t at; /* offset in target, for readers that store one field */
};

static bool fail(struct reader *r, const struct node *at, const char *what, const char *found, const char *allowed)
{
	return document_error(r->error, r->origin, at->line, what, found, allowed);
}

static bool out_of_memory(struct reader *r, const struct node *at)
{
	return fail(r, at, "out of memory", NULL, NULL);
}

static const char *kind_text(const struct node *n)
{
	static const char *const text[] = { "text", "a list", "a map" };

	return text[n->kind];
}

static bool expect_kind(struct reader *r, const struct node *n, enum node_kind kind, const char *what)
{
	static const char *const wanted[] = { "text", "a list", "a map" };

	return n->kind == kind ||
	       fail(r, n, what, n->kind == NODE_SCALAR && n->text[0] != '\0' ? n->text : kind_text(n), wanted[kind]);
}

/* Text with something in it. */
static bool expect_text(struct reader *r, const struct node *n)
{
	if (n->kind != NODE_SCALAR)
		return expect_kind(r, n, NODE_SCALAR, "not a single value");
	return n->text[0] != '\0' || fail(r, n, "an empty value", n->key, "some text");
}

static bool unknown_key(struct reader *r, const struct node *n, const struct key *keys, size_t n_keys)
{
	char allowed[256];
	size_t at = 0;

	for (size_t i = 0; i < n_keys && at < sizeof(allowed); i++)
		at += (size_t)snprintf(allowed + at, sizeof(allowed) - at, "%s%s", i > 0 ? ", " : "", keys[i].name);
	return document_error(r->error, r->origin, n->key_line, "unknown key", n->key, allowed);
}

static bool read_map(struct reader *r, const struct node *map, const struct key *keys, size_t n_keys, void *target)
{
	for (const struct node *n = map->child; n != NULL; n = n->next) {
		size_t i = 0;

		while (i < n_keys && strcmp(keys[i].name, n->key) != 0)
			i++;
		if (i == n_keys)
			return unknown_key(r, n, keys, n_keys);
		if (!keys[i].read(r, n, (char *)target + keys[i].at))
			return false;
	}
	return true;
}

static const struct node *member(const struct node *map, const char *key)
{
	const struct node *n = map->child;

	while (n != NULL && strcmp(n->key, key) != 0)
		n = n->next;
	return n;
}

static size_t count_children(const struct node *n)
{
	size_t count = 0;

	for (n = n->child; n != NULL; n = n->next)
		count++;
	return count;
}

/* Text is borrowed from the tree: both live in the policy's arena. */
static void store_text(void *target, const struct node *n)
{
	*(const char **)target = n->text;
}

/* ---- rules ---- */

static bool read_glob(struct reader *r, const struct node *n, void *target)
{
	if (!expect_text(r, n))
		return false;
	store_text(target, n);
	return true;
}

/* A glob over a closed set of words: without a wildcard it must be one of them, or it is a typing error. */
static bool read_word(
    struct reader *r, const struct node *n, void *target, bool known, const char *what, const char *allowed)
{
	if (!known && !glob_is_pattern(n->text))
		return fail(r, n, what, n->text, allowed);
	return read_glob(r, n, target);
}

static bool read_code(struct reader *r, const struct node *n, void *target)
{
	enum wlk_finding code;

	return expect_text(r, n) && read_word(r, n, target, finding_by_code(n->text, &code), "unknown code",
					"a code of `weighlock rules`, or a glob");
}

static bool read_class(struct reader *r, const struct node *n, void *target)
{
	bool known = false;

	if (!expect_text(r, n))
		return false;
	for (unsigned i = 0; !known && i < N_FINDING_CLASSES; i++)
		known = strcmp(n->text, finding_class_text((enum finding_class)i)) == 0;
	return read_word(r, n, target, known, "unknown class",
	    "malicious, malformed, ambiguous, code, unsupported, quality, incomplete, or a glob");
}

static bool read_severity(struct reader *r, const struct node *n, void *target)
{
	bool known = false;

	if (!expect_text(r, n))
		return false;
	for (unsigned i = 0; !known && i < N_FINDING_SEVERITIES; i++)
		known = strcmp(n->text, finding_severity_text((enum finding_severity)i)) == 0;
	return read_word(r, n, target, known, "unknown severity", "info, low, medium, high, critical, or a glob");
}

static bool format_by_name(const char *name, enum wlk_format_id *ret)
{
	for (unsigned i = 0; i < WLK_N_FORMATS; i++) {
		if (strcmp(format_info((enum wlk_format_id)i)->name, name) != 0)
			continue;
		*ret = (enum wlk_format_id)i;
		return true;
	}
	return false;
}

static const char *format_names(char *buf, size_t n)
{
	size_t at = 0;

	for (unsigned i = 0; i < WLK_N_FORMATS && at < n; i++)
		at += (size_t)snprintf(
		    buf + at, n - at, "%s%s", i > 0 ? ", " : "", format_info((enum wlk_format_id)i)->name);
	return buf;
}

static bool read_format(struct reader *r, const struct node *n, void *target)
{
	char allowed[300];
	enum wlk_format_id id;

	return expect_text(r, n) && read_word(r, n, target, format_by_name(n->text, &id), "unknown format",
					format_names(allowed, sizeof(allowed)));
}

static bool read_sha256(struct reader *r, const struct node *n, void *target)
{
	if (!expect_text(r, n))
		return false;
	if (strlen(n->text) != POLICY_SHA256_HEX || strspn(n->text, "0123456789abcdef") != POLICY_SHA256_HEX)
		return fail(r, n, "not a SHA-256", n->text, "64 lower-case hexadecimal digits");
	store_text(target, n);
	return true;
}

static bool read_action(struct reader *r, const struct node *n, void *target)
{
	enum policy_action *action = target;

	if (!expect_text(r, n))
		return false;
	for (unsigned i = ACTION_ACCEPT; i <= ACTION_REJECT; i++) {
		if (strcmp(n->text, policy_action_text((enum policy_action)i)) != 0)
			continue;
		*action = (enum policy_action)i;
		return true;
	}
	return fail(r, n, "unknown action", n->text, "accept, review, reject");
}

static bool read_expires(struct reader *r, const struct node *n, void *target)
{
	struct rule *rule = target;

	if (!expect_text(r, n))
		return false;
	if (!day_parse(n->text, &rule->last_day))
		return fail(r, n, "not a day", n->text, "YYYY-MM-DD, the last day on which the rule applies");
	rule->expires = n->text;
	return true;
}

static const struct key rule_keys[] = {
	{ "code", read_code, offsetof(struct rule, code) },
	{ "class", read_class, offsetof(struct rule, class) },
	{ "severity", read_severity, offsetof(struct rule, severity) },
	{ "format", read_format, offsetof(struct rule, format) },
	{ "path", read_glob, offsetof(struct rule, path) },
	{ "member", read_glob, offsetof(struct rule, member) },
	{ "subject", read_glob, offsetof(struct rule, subject) },
	{ "found", read_glob, offsetof(struct rule, found) },
	{ "allowed", read_glob, offsetof(struct rule, allowed) },
	{ "tenant", read_glob, offsetof(struct rule, tenant) },
	{ "sha256", read_sha256, offsetof(struct rule, sha256) },
	{ "action", read_action, offsetof(struct rule, action) },
	{ "reason", read_glob, offsetof(struct rule, reason) },
	{ "owner", read_glob, offsetof(struct rule, owner) },
	{ "expires", read_expires, 0 },
};

/* A rule that could never do what it says is refused, so that nobody relies on it. */
static bool check_rule(struct reader *r, const struct node *n, const struct rule *rule)
{
	enum wlk_finding code;

	if (member(n, "action") == NULL)
		return fail(r, n, "a rule without action", NULL, "action: accept, review or reject");
	if (rule->reason == NULL)
		return fail(r, n, "a rule without reason", NULL, "reason: why this rule exists");
	if (rule->action != ACTION_ACCEPT)
		return true;
	if (rule->expires == NULL)
		return fail(r, n, "a rule that accepts and does not expire", NULL, "expires: YYYY-MM-DD");
	if ((rule->class != NULL && strcmp(rule->class, "incomplete") == 0) ||
	    (rule->code != NULL && finding_by_code(rule->code, &code) && finding_info(code)->class == CLASS_INCOMPLETE))
		return fail(r, n, "findings of class incomplete cannot be accepted", NULL, "action: review or reject");
	if (rule->class != NULL && strcmp(rule->class, "malicious") == 0 &&
	    (rule->code == NULL || glob_is_pattern(rule->code)))
		return fail(
		    r, n, "findings of class malicious are accepted by code only", NULL, "a code without wildcards");
	return true;
}

static bool read_rule(struct reader *r, const struct node *n, struct rule *rule)
{
	rule->line = n->line;
	return expect_kind(r, n, NODE_MAP, "a rule is not a map") &&
	       read_map(r, n, rule_keys, sizeof(rule_keys) / sizeof(rule_keys[0]), rule) && check_rule(r, n, rule);
}

static bool read_rules(struct reader *r, const struct node *list, void *target)
{
	size_t n_rules;

	(void)target;
	if (!expect_kind(r, list, NODE_LIST, "rules is not a list"))
		return false;
	n_rules = count_children(list);
	if (n_rules > POLICY_RULES_MAX)
		return fail(r, list, "too many rules", NULL, "4096");
	r->p->rules = arena_alloc(&r->p->arena, n_rules, sizeof(*r->p->rules));
	if (r->p->rules == NULL)
		return out_of_memory(r, list);
	for (const struct node *n = list->child; n != NULL; n = n->next)
		if (!read_rule(r, n, &r->p->rules[r->p->n_rules++]))
			return false;
	return true;
}

/* ---- limits ---- */

static bool unit_is_bytes(const char *unit)
{
	return strcmp(unit, "bytes") == 0;
}

/* "123", and for bytes "4GiB" or "4 GiB". */
static bool parse_quantity(const char *text, bool is_bytes, uint64_t *ret)
{
	static const char *const suffixes[] = { "KiB", "MiB", "GiB", "TiB" };
	uint64_t value = 0, factor = 1;
	const char *p = text;

	for (; *p >= '0' && *p <= '9'; p++)
		if (!mul_u64(value, 10, &value) || !add_u64(value, (uint64_t)(*p - '0'), &value))
			return false;
	if (p == text)
		return false;
	if (*p == ' ' && p[1] != '\0')
		p++;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]) && is_bytes; i++) {
		factor *= 1024;
		if (strcmp(p, suffixes[i]) == 0)
			return mul_u64(value, factor, ret);
	}
	*ret = value;
	return *p == '\0';
}

static bool read_limit(struct reader *r, const struct node *n, const char *unit, uint64_t max, uint64_t *ret)
{
	char allowed[80];
	uint64_t value;

	(void)snprintf(allowed, sizeof(allowed), "1 to %llu %s%s", (unsigned long long)max, unit,
	    unit_is_bytes(unit) ? ", also KiB, MiB, GiB, TiB" : "");
	if (!expect_text(r, n))
		return false;
	if (!parse_quantity(n->text, unit_is_bytes(unit), &value))
		return fail(r, n, "not a quantity", n->text, allowed);
	if (value == 0 || value > max)
		return fail(r, n, "a limit can only be lowered", n->text, allowed);
	*ret = value;
	return true;
}

#define X(field, name, value, unit, reason)                                                  \
	static bool read_limit_##field(struct reader *r, const struct node *n, void *target) \
	{                                                                                    \
		return read_limit(r, n, unit, value, target);                                \
	}
WLK_LIMITS(X)
#undef X

static const struct key limit_keys[] = {
#define X(field, name, value, unit, reason) { name, read_limit_##field, offsetof(struct limits, field) },
	WLK_LIMITS(X)
#undef X
};

static bool read_limits(struct reader *r, const struct node *n, void *target)
{
	(void)target;
	return expect_kind(r, n, NODE_MAP, "limits is not a map") &&
	       read_map(r, n, limit_keys, sizeof(limit_keys) / sizeof(limit_keys[0]), &r->p->limits);
}

/* ---- formats ---- */

static bool read_format_list(struct reader *r, const struct node *list, bool *chosen)
{
	char allowed[300];
	enum wlk_format_id id;

	if (!expect_kind(r, list, NODE_LIST, "not a list of formats"))
		return false;
	memset(chosen, 0, WLK_N_FORMATS * sizeof(*chosen));
	for (const struct node *n = list->child; n != NULL; n = n->next) {
		if (!expect_text(r, n))
			return false;
		if (!format_by_name(n->text, &id))
			return fail(r, n, "unknown format", n->text, format_names(allowed, sizeof(allowed)));
		if (chosen[id])
			return fail(r, n, "a format named twice", n->text, "each format once");
		chosen[id] = true;
	}
	return true;
}

static bool read_allow(struct reader *r, const struct node *n, void *target)
{
	(void)target;
	r->p->has_allow = true;
	return read_format_list(r, n, r->p->allow);
}

static bool read_deny(struct reader *r, const struct node *n, void *target)
{
	(void)target;
	return read_format_list(r, n, r->p->deny);
}

static const struct key format_keys[] = {
	{ "allow", read_allow, 0 },
	{ "deny", read_deny, 0 },
};

static bool read_formats(struct reader *r, const struct node *n, void *target)
{
	return expect_kind(r, n, NODE_MAP, "formats is not a map") &&
	       read_map(r, n, format_keys, sizeof(format_keys) / sizeof(format_keys[0]), target);
}

/* ---- pickle ---- */

static bool add_name(struct reader *r, const struct node *n, const char *name, bool is_pack)
{
	switch (policy_add_pickle_name(r->p, name)) {
	case NAME_ADDED: return true;
	case NAME_THERE: return is_pack || fail(r, n, "a name twice", name, "each name once");
	case NAME_NO_ROOM: break;
	}
	return fail(r, n, "too many names", NULL, "4096 names, 49152 bytes of them");
}

static bool read_names(struct reader *r, const struct node *list)
{
	if (!expect_kind(r, list, NODE_LIST, "not a list of names"))
		return false;
	for (const struct node *n = list->child; n != NULL; n = n->next) {
		if (!expect_text(r, n))
			return false;
		/* No wildcard: one name too many runs a program. */
		if (!pickle_name_valid(bytes_of_text(n->text)))
			return fail(r, n, "not a name a pickle can import", n->text, "module.name, no wildcards");
		if (!add_name(r, n, n->text, false))
			return false;
	}
	return true;
}

static bool read_pack(struct reader *r, const struct node *n)
{
	const struct pickle_pack *pack;

	if (!expect_text(r, n))
		return false;
	pack = pack_by_name(n->text);
	if (pack == NULL)
		return fail(r, n, "unknown pack", n->text, packs_known);
	for (const char *const *name = pack->names; *name != NULL; name++)
		if (!add_name(r, n, *name, true))
			return false;
	return true;
}

static bool read_pickle_packs(struct reader *r, const struct node *list, void *target)
{
	(void)target;
	if (!expect_kind(r, list, NODE_LIST, "not a list of packs"))
		return false;
	for (const struct node *n = list->child; n != NULL; n = n->next)
		if (!read_pack(r, n))
			return false;
	return true;
}

/* Read before the packs: see read_pickle(). */
static bool read_pickle_allow(struct reader *r, const struct node *list, void *target)
{
	(void)r;
	(void)list;
	(void)target;
	return true;
}

static const struct key pickle_keys[] = {
	{ "allow", read_pickle_allow, 0 },
	{ "packs", read_pickle_packs, 0 },
};

/* The list first: a name that stands there twice is an error, one that is in a pack as well is none. */
static bool read_pickle(struct reader *r, const struct node *n, void *target)
{
	const struct node *allow;

	if (!expect_kind(r, n, NODE_MAP, "pickle is not a map"))
		return false;
	allow = member(n, "allow");
	return (allow == NULL || read_names(r, allow)) &&
	       read_map(r, n, pickle_keys, sizeof(pickle_keys) / sizeof(pickle_keys[0]), target);
}

/* ---- the whole ---- */

/* Read before all others: see choose_base(). */
static bool read_base(struct reader *r, const struct node *n, void *target)
{
	(void)r;
	(void)n;
	(void)target;
	return true;
}

static bool read_version(struct reader *r, const struct node *n, void *target)
{
	(void)target;
	return expect_text(r, n) && (strcmp(n->text, "1") == 0 || fail(r, n, "unknown version", n->text, "1"));
}

static bool is_policy_name(const char *text)
{
	size_t n = strlen(text);

	return n >= 1 && n <= NAME_MAX_BYTES &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == n;
}

#define NAME_ALLOWED "1 to 64 letters, digits, '.', '_' and '-'"

static bool read_name(struct reader *r, const struct node *n, void *target)
{
	(void)target;
	if (!expect_text(r, n))
		return false;
	if (!is_policy_name(n->text))
		return fail(r, n, "not a policy name", n->text, NAME_ALLOWED);
	r->p->name = n->text;
	return true;
}

static const struct key top_keys[] = {
	{ "version", read_version, 0 },
	{ "name", read_name, 0 },
	{ "base", read_base, 0 },
	{ "limits", read_limits, 0 },
	{ "formats", read_formats, 0 },
	{ "pickle", read_pickle, 0 },
	{ "rules", read_rules, 0 },
};

/* The folder and the extension are not part of the name. */
static bool name_from_origin(struct reader *r, const struct node *root)
{
	const char *slash = strrchr(r->origin, '/');
	const char *file = slash != NULL ? slash + 1 : r->origin;
	const char *dot = strrchr(file, '.');
	size_t n = dot != NULL && dot != file ? (size_t)(dot - file) : strlen(file);
	char *name = arena_alloc(&r->p->arena, n + 1, 1);

	if (name == NULL)
		return out_of_memory(r, root);
	memcpy(name, file, n);
	if (!is_policy_name(name))
		return fail(r, root, "the file's name makes no policy name; add name:", name, NAME_ALLOWED);
	r->p->name = name;
	return true;
}

/* A verdict names its policy: "strict" there must mean the strict everybody knows. */
static bool check_name(struct reader *r, const struct node *root)
{
	const struct node *n = member(root, "name");
	const struct builtin *namesake = builtin_by_name(r->p->name);

	if (namesake == NULL || (namesake == r->p->base && policy_is_base(r->p)))
		return true;
	return fail(r, n != NULL ? n : root, "the name of a built-in policy", r->p->name, "name: one of your own");
}

static bool choose_base(struct reader *r, const struct node *root, const struct builtin **ret)
{
	const struct node *n = member(root, "base");

	if (n == NULL) {
		*ret = builtin_by_name("default");
		return true;
	}
	if (!expect_text(r, n))
		return false;
	*ret = builtin_by_name(n->text);
	return *ret != NULL || fail(r, n, "unknown base", n->text, "default, ci, reference, strict");
}

/* The policy starts as its base; what the file says changes it. */
static bool read_top(struct reader *r, const struct node *root)
{
	const struct builtin *base;

	if (!expect_kind(r, root, NODE_MAP, "not a policy") || !choose_base(r, root, &base))
		return false;
	policy_set_base(r->p, base);
	if (member(root, "version") == NULL)
		return fail(r, root, "no version", NULL, "version: 1");
	return read_map(r, root, top_keys, sizeof(top_keys) / sizeof(top_keys[0]), r->p) &&
	       (member(root, "name") != NULL || name_from_origin(r, root)) && check_name(r, root);
}

int policy_parse(const uint8_t *at, size_t n, const char *origin, struct policy **ret, char *error)
{
	struct reader r = { .p = policy_new(builtin_by_name("default")), .origin = origin, .error = error };
	const struct node *root;

	error[0] = '\0';
	if (r.p == NULL) {
		(void)document_error(error, origin, 1, "out of memory", NULL, NULL);
		return -ENOMEM;
	}
	if (n > POLICY_FILE_MAX) {
		(void)document_error(error, origin, 1, "the file is too large", NULL, "1 MiB");
		policy_free(r.p);
		return -EINVAL;
	}
	root = document_parse(&r.p->arena, at, n, origin, error);
	if (root == NULL || !read_top(&r, root)) {
		int result = r.p->arena.exhausted ? -ENOMEM : -EINVAL;

		policy_free(r.p);
		return result;
	}
	if (!policy_seal(r.p)) {
		(void)document_error(error, origin, 1, "out of memory", NULL, NULL);
		policy_free(r.p);
		return -ENOMEM;
	}
	/* Quotes and backslashes take two bytes there; what is shown must be a policy file again. */
	if (strlen(r.p->shown) > POLICY_FILE_MAX) {
		(void)document_error(error, origin, 1, "the policy is too large when written out", NULL, "1 MiB");
		policy_free(r.p);
		return -EINVAL;
	}
	*ret = r.p;
	return 0;
}
