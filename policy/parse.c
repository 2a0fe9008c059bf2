/* Policy files: the grammar of weighlock.policy(5) over the tree of document.h.  Every map is read by a table
 * of its keys, so a misspelt one is an error with its line, never a rule that silently does nothing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"
#include "pickle_names.h"
#include "reader.h"

#define NAME_MAX_BYTES 64

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
	if (!reader_text(r, n))
		return false;
	if (!parse_quantity(n->text, unit_is_bytes(unit), &value))
		return reader_fail(r, n, "not a quantity", n->text, allowed);
	if (value == 0 || value > max)
		return reader_fail(r, n, "a limit can only be lowered", n->text, allowed);
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
	return reader_kind(r, n, NODE_MAP, "limits is not a map") &&
	       reader_map(r, n, limit_keys, sizeof(limit_keys) / sizeof(limit_keys[0]), &r->p->limits);
}

/* ---- formats ---- */

static bool read_format_list(struct reader *r, const struct node *list, bool *chosen)
{
	char allowed[300];
	enum wlk_format_id id;

	if (!reader_kind(r, list, NODE_LIST, "not a list of formats"))
		return false;
	memset(chosen, 0, WLK_N_FORMATS * sizeof(*chosen));
	for (const struct node *n = list->child; n != NULL; n = n->next) {
		if (!reader_text(r, n))
			return false;
		if (!format_by_name(n->text, &id))
			return reader_fail(r, n, "unknown format", n->text, reader_formats(allowed, sizeof(allowed)));
		if (chosen[id])
			return reader_fail(r, n, "a format named twice", n->text, "each format once");
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
	return reader_kind(r, n, NODE_MAP, "formats is not a map") &&
	       reader_map(r, n, format_keys, sizeof(format_keys) / sizeof(format_keys[0]), target);
}

/* ---- pickle ---- */

static bool add_name(struct reader *r, const struct node *n, const char *name, bool is_pack)
{
	switch (policy_add_pickle_name(r->p, name)) {
	case NAME_ADDED: return true;
	case NAME_THERE: return is_pack || reader_fail(r, n, "a name twice", name, "each name once");
	case NAME_NO_ROOM: break;
	}
	return reader_fail(r, n, "too many names", NULL, "4096 names, 98304 bytes of them");
}

static bool read_names(struct reader *r, const struct node *list)
{
	if (!reader_kind(r, list, NODE_LIST, "not a list of names"))
		return false;
	for (const struct node *n = list->child; n != NULL; n = n->next) {
		if (!reader_text(r, n))
			return false;
		/* No wildcard: one name too many runs a program. */
		if (!pickle_name_valid(bytes_of_text(n->text)))
			return reader_fail(r, n, "not a name a pickle can import", n->text,
			    "module.name, no wildcards; then perhaps value, object, items, call or member");
		if (!add_name(r, n, n->text, false))
			return false;
	}
	return true;
}

static bool read_pack(struct reader *r, const struct node *n)
{
	const struct pickle_pack *pack;
	unsigned version;

	if (!reader_text(r, n))
		return false;
	pack = pack_by_name(n->text, &version);
	if (pack == NULL)
		return reader_fail(r, n, "unknown pack", n->text, packs_known);
	for (const struct pack_name *one = pack->names; one->line != NULL; one++)
		if (one->since <= version && !add_name(r, n, one->line, true))
			return false;
	return true;
}

static bool read_pickle_packs(struct reader *r, const struct node *list, void *target)
{
	(void)target;
	if (!reader_kind(r, list, NODE_LIST, "not a list of packs"))
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

	if (!reader_kind(r, n, NODE_MAP, "pickle is not a map"))
		return false;
	allow = node_member(n, "allow");
	return (allow == NULL || read_names(r, allow)) &&
	       reader_map(r, n, pickle_keys, sizeof(pickle_keys) / sizeof(pickle_keys[0]), target);
}

/* ---- the pin ---- */

static bool read_pin_rules(struct reader *r, const struct node *n, void *target)
{
	char allowed[40];
	uint64_t version;

	(void)target;
	(void)snprintf(allowed, sizeof(allowed), "%u to %d", PIN_RULES_OLDEST, WLK_RULES_VERSION);
	if (!reader_text(r, n))
		return false;
	if (!parse_quantity(n->text, false, &version) || version < PIN_RULES_OLDEST || version > WLK_RULES_VERSION)
		return reader_fail(r, n, "no rules version that a policy can be pinned to", n->text, allowed);
	r->p->pin_rules = (unsigned)version;
	return true;
}

static bool read_pin_malicious(struct reader *r, const struct node *n, void *target)
{
	(void)target;
	if (!reader_text(r, n))
		return false;
	r->p->pin_malicious = strcmp(n->text, "true") == 0;
	return r->p->pin_malicious || strcmp(n->text, "false") == 0 ||
	       reader_fail(r, n, "neither yes nor no", n->text, "true, false");
}

static bool check_pin(struct reader *r, const struct node *root)
{
	const struct node *n = node_member(root, "pin_malicious");

	return n == NULL || r->p->pin_rules != 0 ||
	       reader_fail(r, n, "pin_malicious without pin_rules", NULL, "pin_rules: a rules version");
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
	if (!reader_text(r, n))
		return false;
	if (!is_policy_name(n->text))
		return reader_fail(r, n, "not a policy name", n->text, NAME_ALLOWED);
	r->p->name = n->text;
	return true;
}

static const struct key top_keys[] = {
	{ "version", reader_version, 0 },
	{ "name", read_name, 0 },
	{ "base", read_base, 0 },
	{ "limits", read_limits, 0 },
	{ "formats", read_formats, 0 },
	{ "pickle", read_pickle, 0 },
	{ "baseline", reader_baseline_severity, 0 },
	{ "pin_rules", read_pin_rules, 0 },
	{ "pin_malicious", read_pin_malicious, 0 },
	{ "rules", reader_rules, 0 },
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
		return reader_no_memory(r, root);
	memcpy(name, file, n);
	if (!is_policy_name(name))
		return reader_fail(r, root, "the file's name makes no policy name; add name:", name, NAME_ALLOWED);
	r->p->name = name;
	return true;
}

/* A verdict names its policy: "strict" there must mean the strict everybody knows. */
static bool check_name(struct reader *r, const struct node *root)
{
	const struct node *n = node_member(root, "name");
	const struct builtin *namesake = builtin_by_name(r->p->name);

	if (namesake == NULL || (namesake == r->p->base && policy_is_base(r->p)))
		return true;
	return reader_fail(
	    r, n != NULL ? n : root, "the name of a built-in policy", r->p->name, "name: one of your own");
}

static bool choose_base(struct reader *r, const struct node *root, const struct builtin **ret)
{
	const struct node *n = node_member(root, "base");

	if (n == NULL) {
		*ret = builtin_by_name("default");
		return true;
	}
	if (!reader_text(r, n))
		return false;
	*ret = builtin_by_name(n->text);
	return *ret != NULL || reader_fail(r, n, "unknown base", n->text, "default, ci, reference, strict");
}

/* The policy starts as its base; what the file says changes it. */
static bool read_top(struct reader *r, const struct node *root)
{
	const struct builtin *base;

	if (!reader_kind(r, root, NODE_MAP, "not a policy") || !choose_base(r, root, &base))
		return false;
	policy_set_base(r->p, base);
	if (node_member(root, "version") == NULL)
		return reader_fail(r, root, "no version", NULL, "version: 1");
	return reader_map(r, root, top_keys, sizeof(top_keys) / sizeof(top_keys[0]), r->p) && check_pin(r, root) &&
	       (node_member(root, "name") != NULL || name_from_origin(r, root)) && check_name(r, root);
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
