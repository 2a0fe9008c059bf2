/* See set_verdict.h.  The document is that of docs/set.schema.json. */
#include "set_verdict.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "judgement.h"

/* What the set is rejected or reviewed for when its own findings are not the reason. */
#define REASON_MEMBER "member"

/* ---- members in the order of their names ---- */

struct listed {
	const struct set_member *member;
	const struct set_part *part;
};

static int compare_names(const void *va, const void *vb)
{
	const struct listed *a = va, *b = vb;
	struct bytes left = a->member->name, right = b->member->name;
	int order = memcmp(left.at, right.at, left.n < right.n ? left.n : right.n); /* names are not empty */

	return order != 0 ? order : (left.n > right.n) - (left.n < right.n);
}

/* Return: owned; NULL without memory. */
static struct listed *list_members(const struct set_file *s, size_t *ret_n)
{
	const struct set_member *members;
	const struct set_part *parts;
	size_t n = set_file_members(s, &members, &parts);
	struct listed *list = calloc(n + 1, sizeof(*list));

	*ret_n = n;
	for (size_t i = 0; list != NULL && i < n; i++)
		list[i] = (struct listed){ &members[i], &parts[i] };
	if (list != NULL)
		qsort(list, n, sizeof(*list), compare_names);
	return list;
}

/* ---- the digest ---- */

static bool digest_member(EVP_MD_CTX *md, const struct listed *l)
{
	char hex[SHA256_HEX + 1];

	if (!l->part->has_sha256)
		return false;
	hex_write(l->member->sha256, 32, hex);
	return EVP_DigestUpdate(md, hex, SHA256_HEX) == 1 && EVP_DigestUpdate(md, "  ", 2) == 1 &&
	       EVP_DigestUpdate(md, l->member->name.at, l->member->name.n) == 1 && EVP_DigestUpdate(md, "", 1) == 1;
}

static bool digest_list(const struct listed *list, size_t n, uint8_t ret[32])
{
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	bool good = md != NULL && EVP_DigestInit_ex(md, EVP_sha256(), NULL) == 1;

	for (size_t i = 0; good && i < n; i++)
		good = digest_member(md, &list[i]);
	good = good && EVP_DigestFinal_ex(md, ret, NULL) == 1;
	EVP_MD_CTX_free(md);
	return good;
}

bool set_digest(const struct set_file *s, uint8_t ret[32])
{
	size_t n;
	struct listed *list = list_members(s, &n);
	bool good = list != NULL && set_file_holds_all(s) && digest_list(list, n, ret);

	free(list);
	return good;
}

/* ---- JSON ---- */

/* As many bytes as the name is long, each as \xNN at most: names are bounded (SET_NAME_MAX). */
static json_t *member_name(struct bytes name)
{
	char shown[NAME_SHOWN_MAX + 1];

	return json_string(text_escape(name, shown, sizeof(shown)));
}

static json_t *member_json(struct judge *j, const struct listed *l)
{
	const struct set_member *m = l->member;
	char hex[SHA256_HEX + 1];
	json_t *o = json_object();

	hex_write(m->sha256, 32, hex);
	judge_put(j, o, "name", member_name(m->name));
	judge_put(j, o, "verdict", json_string(verdict_text(l->part->value)));
	if (j->policy->exceptions != NULL)
		judge_put(j, o, "effective", json_string(verdict_text(l->part->effective)));
	judge_put(j, o, "sha256", l->part->has_sha256 ? json_string(hex) : json_null());
	judge_put(j, o, "size", l->part->has_size ? json_from_number(m->size) : json_null());
	judge_put(
	    j, o, "format", m->format == WLK_FORMAT_UNKNOWN ? json_null() : json_string(format_info(m->format)->name));
	return o;
}

static json_t *members_json(struct judge *j, const struct set_file *s)
{
	size_t n;
	struct listed *list = list_members(s, &n);
	json_t *array = json_array();

	if (list == NULL)
		j->failed = true;
	for (size_t i = 0; list != NULL && i < n; i++)
		judge_append(j, array, member_json(j, &list[i]));
	free(list);
	return array;
}

static json_t *scan_json(struct judge *j)
{
	json_t *o = json_object();

	judge_put_engine(j, o);
	judge_put_time(j, o);
	judge_put_end(j, o);
	return o;
}

/* Classes of the set's own findings, where they decide; "member" where a member's verdict does; "incomplete" where only
 * part of the set was examined. */
static json_t *reasons_json(struct judge *j, enum verdict_value own, enum verdict_value worst)
{
	enum verdict_value value = j->value;
	json_t *list;

	j->value = own == value ? own : VERDICT_ACCEPT; /* of reasons: only those of what decided */
	list = judge_reasons(j);
	j->value = value;
	if (value == VERDICT_ACCEPT)
		return list;
	if (worst == value)
		judge_append(j, list, json_string(REASON_MEMBER));
	if (json_array_size(list) == 0)
		judge_append(j, list, json_string(finding_class_text(CLASS_INCOMPLETE)));
	return list;
}

static void put_head(struct judge *j, json_t *root, const struct set_file *s, enum verdict_value own)
{
	judge_put(j, root, "schema", json_string("weighlock.set/1"));
	judge_put(j, root, "verdict", json_string(verdict_text(j->value)));
	judge_put_effective(j, root);
	judge_put(j, root, "complete", json_boolean(j->complete));
	judge_put(j, root, "reasons", reasons_json(j, own, set_file_worst(s)));
	judge_put(j, root, "name", json_name(j->context->name));
	judge_put(j, root, "sha256", j->scene.sha256[0] != '\0' ? json_string(j->scene.sha256) : json_null());
	judge_put(j, root, "policy", judge_policy(j));
	judge_put(j, root, "findings", judge_findings(j, false, VERDICT_BYTES_MAX / 2));
	if (judge_any_set_aside(j))
		judge_put(j, root, "suppressed", judge_findings(j, true, SUPPRESSED_BYTES));
	judge_put_exceptions(j, root);
}

/* ---- the whole ---- */

/* No member's verdict is better than the set's, and no accept without all of them whole. */
static enum verdict_value set_own_value(struct judge *j, const struct set_file *s)
{
	enum verdict_value own = j->value, worst = set_file_worst(s), effective = set_file_effective(s);

	j->complete = j->complete && set_file_complete(s);
	if (own == VERDICT_ACCEPT && !j->complete)
		j->value = VERDICT_REVIEW;
	if (worst > j->value)
		j->value = worst;
	if (j->effective == VERDICT_ACCEPT && !j->complete)
		j->effective = VERDICT_REVIEW;
	if (effective > j->effective)
		j->effective = effective;
	return own;
}

static json_t *set_json(struct judge *j, const struct set_file *s)
{
	enum verdict_value own = set_own_value(j, s);
	json_t *root = json_object();

	put_head(j, root, s, own);
	judge_put(j, root, "scan", scan_json(j));
	judge_put(j, root, "members", members_json(j, s));
	return root;
}

static int make(const struct policy *p, const struct set_file *s, const struct facts *f,
    const struct verdict_context *c, struct verdict *ret)
{
	struct judge j = { .policy = p, .facts = f, .context = c, .of_set = true, .scene.format = SET_FORMAT_TEXT };
	uint8_t sha256[32];

	judge_set_scene(&j, set_digest(s, sha256) ? sha256 : NULL);
	return judge_end(&j, judge_run(&j) ? set_json(&j, s) : NULL, ret);
}

int set_verdict_make(const struct policy *p, const struct set_file *s, const struct facts *f,
    const struct verdict_context *c, struct verdict *ret)
{
	enum wlk_cause cause = set_file_cause(s) != WLK_CAUSE_NONE ? set_file_cause(s) : WLK_CAUSE_INTERNAL;
	struct facts *none = f == NULL ? facts_unread(cause, 0) : NULL;
	int r = f == NULL && none == NULL ? -ENOMEM : make(p, s, f != NULL ? f : none, c, ret);

	facts_free(none);
	return r;
}
