/* See recorded.h. */
#include "recorded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "judgement.h"
#include "part.h"
#include "reader.h"

#define RECORDED_BYTES_MAX ((uint64_t)16 << 20) /* the texts of a verdict of 1 MiB, and what points to them */

static const char *text_of(const json_t *object, const char *member)
{
	return json_string_value(json_object_get(object, member));
}

/* ---- texts as they were before text_escape() ---- */

static int digit(char c)
{
	static const char digits[] = "0123456789ABCDEF";
	const char *at = c != '\0' ? strchr(digits, c) : NULL;

	return at != NULL ? (int)(at - digits) : -1;
}

/* One byte of text.  Return: how many characters it takes. */
static size_t unescape_one(const char *at, uint8_t *ret)
{
	*ret = (uint8_t)at[0];
	if (at[0] != '\\')
		return 1;
	if (at[1] == '\\')
		return 2;
	if (at[1] == 'x' && digit(at[2]) >= 0 && digit(at[3]) >= 0) {
		*ret = (uint8_t)(digit(at[2]) << 4 | digit(at[3]));
		return 4;
	}
	return 1;
}

/* In the arena, with a NUL behind it. */
static struct bytes unescape(struct recorded *r, const char *text)
{
	uint8_t *to = arena_alloc(r->memory, strlen(text) + 1, 1);
	size_t n = 0;

	if (to == NULL)
		return bytes_of_text("");
	while (*text != '\0')
		text += unescape_one(text, &to[n++]);
	to[n] = '\0';
	return bytes_of(to, n);
}

static struct value value_of(struct recorded *r, const json_t *json)
{
	uint64_t n;

	if (json_is_boolean(json))
		return (struct value){ .kind = VALUE_FLAG, .number = json_is_true(json) };
	if (json_is_integer(json) && json_to_number(json, &n))
		return (struct value){ .kind = VALUE_NUMBER, .number = n };
	return json_is_string(json) ? value_text(unescape(r, json_string_value(json))) : (struct value){ 0 };
}

/* ---- findings ---- */

/* The judge finds these itself, for the name and the policy at hand. */
static bool is_of_judge(enum wlk_finding code)
{
	return code == WLK_F_FORMAT_NOT_ALLOWED || code == WLK_F_FORMAT_NAME_DIFFERS;
}

static struct bytes text_member(struct recorded *r, const json_t *finding, const char *member)
{
	const char *text = text_of(finding, member);

	return text != NULL ? unescape(r, text) : bytes_of_text("");
}

static void add_finding(struct recorded *r, const json_t *json)
{
	const char *code = text_of(json, "code");
	struct finding *f = &r->facts.findings[r->facts.n_findings];
	uint64_t count = 1;

	if (code == NULL || !finding_by_code(code, &f->code)) {
		r->n_unknown++;
		return;
	}
	if (is_of_judge(f->code))
		return;
	f->has_offset = json_to_number(json_object_get(json, "offset"), &f->offset);
	if (!f->has_offset && json_to_number(json_object_get(json, "member_offset"), &f->offset)) {
		f->has_offset = true;
		f->offset |= OFFSET_DECODED;
	}
	f->has_length = json_to_number(json_object_get(json, "length"), &f->length);
	f->member = text_member(r, json, "member");
	f->subject = text_member(r, json, "subject");
	f->found = value_of(r, json_object_get(json, "found"));
	f->allowed = value_of(r, json_object_get(json, "allowed"));
	/* On the last one of a code: all there are. */
	if (json_to_number(json_object_get(json, "count"), &count) && count > r->facts.per_code[f->code])
		r->facts.per_code[f->code] = count - 1;
	r->facts.per_code[f->code]++;
	r->facts.n_findings++;
}

static bool add_findings(struct recorded *r, const json_t *verdict)
{
	static const char *const lists[] = { "findings", "suppressed" };
	size_t n =
	    json_array_size(json_object_get(verdict, lists[0])) + json_array_size(json_object_get(verdict, lists[1]));
	const json_t *one;
	size_t i;

	r->facts.findings = arena_alloc(r->memory, n + 1, sizeof(struct finding));
	if (r->facts.findings == NULL)
		return false;
	for (size_t list = 0; list < sizeof(lists) / sizeof(lists[0]); list++)
		json_array_foreach (json_object_get(verdict, lists[list]), i, one)
			add_finding(r, one);
	return !r->memory->exhausted;
}

/* ---- the rest ---- */

static enum wlk_format_id format_of(const json_t *verdict)
{
	enum wlk_format_id id;

	return format_by_name(text_of(verdict, "format"), &id) ? id : WLK_FORMAT_UNKNOWN;
}

static enum wlk_cause cause_of(const json_t *verdict)
{
	const char *text = text_of(json_object_get(verdict, "scan"), "error");

	for (int i = 0; text != NULL && i < WLK_N_CAUSES; i++)
		if (i != WLK_CAUSE_NONE && strcmp(cause_text((enum wlk_cause)i), text) == 0)
			return (enum wlk_cause)i;
	return text != NULL ? WLK_CAUSE_INTERNAL : WLK_CAUSE_NONE;
}

static void set_final(struct recorded *r, const json_t *verdict)
{
	const json_t *file = json_object_get(verdict, "file");
	const char *name = text_of(file, "name");
	struct report_final *final = &r->facts.final;

	r->facts.has_final = true;
	final->has_digest = sha256_of_hex(text_of(file, "sha256"), final->sha256);
	final->format = format_of(verdict);
	final->cause = cause_of(verdict);
	final->complete = json_is_true(json_object_get(verdict, "complete")) && final->has_digest;
	(void)json_to_number(json_object_get(file, "size"), &final->size);
	if (name != NULL)
		r->name = (char *)(uintptr_t)unescape(r, name).at;
}

static void set_policy(struct recorded *r, const json_t *verdict)
{
	const json_t *policy = json_object_get(verdict, "policy");

	r->limits_sha256 = text_of(policy, "limits_sha256");
	r->names_sha256 = text_of(policy, "names_sha256");
	r->names_matter = json_is_true(json_object_get(json_object_get(verdict, "scan"), "names_matter"));
}

static bool same_part(const char *recorded, const char *of_policy)
{
	return strcmp(recorded != NULL ? recorded : "", of_policy) == 0;
}

enum untried recorded_untried(const struct recorded *r, const struct policy *p)
{
	if (r->n_unknown > 0)
		return UNTRIED_UNKNOWN_CODES;
	if (!same_part(r->limits_sha256, p->limits_sha256))
		return UNTRIED_LIMITS;
	return r->names_matter && !same_part(r->names_sha256, p->names_sha256) ? UNTRIED_NAMES : UNTRIED_NOT;
}

static bool is_verdict(const json_t *json)
{
	const char *schema = text_of(json, "schema");

	return schema != NULL && strcmp(schema, "weighlock.verdict/1") == 0 &&
	       json_is_array(json_object_get(json, "findings")) && json_is_object(json_object_get(json, "file"));
}

int recorded_open(const json_t *verdict, struct recorded *ret)
{
	*ret = (struct recorded){ 0 };
	if (!is_verdict(verdict))
		return -EINVAL;
	ret->memory = malloc(sizeof(*ret->memory));
	if (ret->memory == NULL)
		return -ENOMEM;
	arena_init(ret->memory, RECORDED_BYTES_MAX);
	set_final(ret, verdict);
	set_policy(ret, verdict);
	return add_findings(ret, verdict) ? 0 : -ENOMEM;
}

void recorded_close(struct recorded *r)
{
	if (r->memory != NULL)
		arena_done(r->memory);
	free(r->memory);
	*r = (struct recorded){ 0 };
}
