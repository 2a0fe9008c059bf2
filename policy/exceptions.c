/* See exceptions.h. */
#include "exceptions.h"

#include <errno.h>
#include <jansson.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "policy_impl.h"

#define SCHEMA "weighlock.exception/1"
#define NO_LINE "0000000000000000000000000000000000000000000000000000000000000000"

struct exceptions {
	json_t *lines; /* owned: an array; the texts of the list are theirs */
	struct exception *list;
	size_t n, n_bytes;
	uint64_t n_lines;
	char head[EXCEPTIONS_HEAD + 1]; /* of the last line */
};

static bool hash_line(struct bytes line, char hex[SHA256_HEX + 1])
{
	unsigned char sha256[EVP_MAX_MD_SIZE];
	size_t n = 0;

	if (EVP_Q_digest(NULL, "SHA256", NULL, line.at, line.n, sha256, &n) != 1)
		return false;
	hex_write(sha256, n, hex);
	return true;
}

/* ---- one act ---- */

static const char *text_of(const json_t *object, const char *member)
{
	return json_string_value(json_object_get(object, member));
}

static bool is_text(const char *text)
{
	return text != NULL && text[0] != '\0' && strlen(text) <= EXCEPTION_TEXT_MAX;
}

static bool read_codes(const json_t *list, struct exception *x)
{
	x->n_codes = json_array_size(list);
	if (x->n_codes == 0 || x->n_codes > EXCEPTION_CODES_MAX)
		return false;
	for (size_t i = 0; i < x->n_codes; i++) {
		x->codes[i] = json_string_value(json_array_get(list, i));
		if (!is_text(x->codes[i]))
			return false;
	}
	return true;
}

/* Return: what is wrong with it; NULL: nothing. */
static const char *check_exception(struct exception *x)
{
	if (x->sha256 == NULL || !is_sha256_hex(x->sha256))
		return "no sha256 of 64 lower-case hexadecimal digits";
	if (x->tenant != NULL && !is_text(x->tenant))
		return "an empty tenant";
	if (!is_text(x->reason))
		return "no reason of 1 to 1024 bytes";
	if (!is_text(x->owner))
		return "no owner of 1 to 1024 bytes";
	if (x->expires == NULL || !day_parse(x->expires, &x->last_day))
		return "no day on which it expires, as YYYY-MM-DD";
	return NULL;
}

static const char *read_add(const json_t *add, struct exception *x)
{
	const bool with_tenant = json_object_get(add, "tenant") != NULL;

	*x = (struct exception){ .seq = x->seq,
		.uid = x->uid,
		.by = x->by,
		.at = x->at,
		.sha256 = text_of(add, "sha256"),
		.tenant = text_of(add, "tenant"),
		.reason = text_of(add, "reason"),
		.owner = text_of(add, "owner"),
		.expires = text_of(add, "expires") };
	/* What this build does not know might make it less. */
	if (json_object_size(add) != 5u + with_tenant || (with_tenant && x->tenant == NULL))
		return "members that are not known";
	if (!read_codes(json_object_get(add, "codes"), x))
		return "no list of codes";
	return check_exception(x);
}

static const char *read_revoke(struct exceptions *e, const json_t *revoke)
{
	const json_t *seq = json_object_get(revoke, "seq");

	if (json_object_size(revoke) != 2 || !json_is_integer(seq) || !is_text(text_of(revoke, "reason")))
		return "no seq and reason";
	for (size_t i = 0; i < e->n; i++) {
		if ((json_int_t)e->list[i].seq != json_integer_value(seq))
			continue;
		e->list[i].revoked = true;
		return NULL;
	}
	return "it revokes what was not added";
}

static const char *read_act(struct exceptions *e, const json_t *line)
{
	const json_t *by = json_object_get(line, "by"), *add = json_object_get(line, "add");
	const json_t *seq = json_object_get(line, "seq"), *uid = json_object_get(by, "uid");
	const char *schema = text_of(line, "schema"), *prev = text_of(line, "prev");
	struct exception *x = &e->list[e->n];
	const char *wrong;

	if (schema == NULL || strcmp(schema, SCHEMA) != 0 || json_object_size(line) != 6)
		return "not an act of schema " SCHEMA;
	if (prev == NULL || strcmp(prev, e->head) != 0 || !json_is_integer(seq) ||
	    json_integer_value(seq) != (json_int_t)e->n_lines)
		return "it does not follow from the line before: one was changed, added or taken away";
	*x = (struct exception){ .seq = e->n_lines, .by = text_of(by, "name"), .at = text_of(line, "at") };
	if (!json_is_integer(uid) || json_integer_value(uid) < 0 || x->by == NULL || x->at == NULL)
		return "nobody has done it";
	x->uid = (uint64_t)json_integer_value(uid);
	if (add == NULL)
		return read_revoke(e, json_object_get(line, "revoke"));
	wrong = read_add(add, x);
	e->n += wrong == NULL;
	return wrong;
}

/* ---- the file ---- */

static int fail(char *error, const char *origin, uint64_t line, const char *what)
{
	(void)snprintf(error, POLICY_ERROR_MAX, "%.200s:%llu: %s", origin, (unsigned long long)line, what);
	return -EINVAL;
}

static int take_line(struct exceptions *e, struct bytes line, const char *origin, char *error)
{
	json_t *json = json_loadb((const char *)line.at, line.n, JSON_REJECT_DUPLICATES, NULL);
	const char *wrong = json != NULL ? NULL : "not JSON";

	if (json != NULL && json_array_append_new(e->lines, json) < 0)
		return -ENOMEM;
	if (wrong == NULL)
		wrong = read_act(e, json);
	if (wrong != NULL)
		return fail(error, origin, e->n_lines + 1, wrong);
	e->n_lines++;
	return hash_line(line, e->head) ? 0 : -ENOMEM;
}

static size_t count_lines(struct bytes text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += text.at[i] == '\n';
	return n;
}

static int take_lines(struct exceptions *e, struct bytes text, const char *origin, char *error)
{
	int r = 0;

	while (r == 0 && text.n > 0) {
		const uint8_t *end = memchr(text.at, '\n', text.n);
		size_t n = end != NULL ? (size_t)(end - text.at) : 0;

		if (end == NULL)
			return fail(error, origin, e->n_lines + 1, "the last line has no end");
		r = take_line(e, bytes_of(text.at, n), origin, error);
		text = bytes_of(text.at + n + 1, text.n - n - 1);
	}
	return r;
}

int exceptions_parse(struct bytes text, const char *origin, struct exceptions **ret, char *error)
{
	struct exceptions *e = calloc(1, sizeof(*e));
	int r = -ENOMEM;

	(void)snprintf(error, POLICY_ERROR_MAX, "%.200s: out of memory", origin);
	if (e == NULL)
		return -ENOMEM;
	memcpy(e->head, NO_LINE, sizeof(e->head));
	e->n_bytes = text.n;
	e->lines = json_array();
	e->list = calloc(count_lines(text) + 1, sizeof(*e->list));
	if (text.n > EXCEPTIONS_FILE_MAX)
		r = fail(error, origin, 1, "the file is too large; allowed: 1 MiB");
	else if (e->lines != NULL && e->list != NULL)
		r = take_lines(e, text, origin, error);
	if (r < 0) {
		exceptions_free(e);
		return r;
	}
	*ret = e;
	return 0;
}

void exceptions_free(struct exceptions *e)
{
	if (e == NULL)
		return;
	json_decref(e->lines);
	free(e->list);
	free(e);
}

size_t exceptions_count(const struct exceptions *e)
{
	return e->n;
}

uint64_t exceptions_lines(const struct exceptions *e)
{
	return e->n_lines;
}

const char *exceptions_head(const struct exceptions *e)
{
	return e->head;
}

const struct exception *exceptions_at(const struct exceptions *e, size_t i)
{
	return &e->list[i];
}

/* ---- new lines ---- */

static int refuse(char *error, const char *what, const char *found)
{
	(void)snprintf(
	    error, POLICY_ERROR_MAX, found != NULL ? "%s: found '%.100s'" : "%s", what, found != NULL ? found : "");
	return -EINVAL;
}

static json_t *time_json(int64_t now)
{
	time_t t = (time_t)now;
	char text[32];
	struct tm tm;

	if (gmtime_r(&t, &tm) == NULL || strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		return NULL;
	return json_string(text);
}

/* Takes @what. */
static int make_line(
    const struct exceptions *e, const struct exception_act *act, const char *kind, json_t *what, char **ret)
{
	json_t *json = json_pack("{s:s, s:I, s:s, s:o, s:{s:I, s:s}, s:o}", "schema", SCHEMA, "seq",
	    (json_int_t)e->n_lines, "prev", e->head, "at", time_json(act->now), "by", "uid", (json_int_t)act->uid,
	    "name", act->name, kind, what);
	char *text = json_text(json, JSON_COMPACT | JSON_ENSURE_ASCII), *line = NULL;

	json_decref(json);
	if (text != NULL && asprintf(&line, "%s\n", text) < 0)
		line = NULL;
	free(text);
	*ret = line;
	return line != NULL ? 0 : -ENOMEM;
}

static int check_codes(const struct exception *x, char *error)
{
	enum wlk_finding code;

	if (x->n_codes == 0 || x->n_codes > EXCEPTION_CODES_MAX)
		return refuse(error, "1 to 64 codes are needed", NULL);
	for (size_t i = 0; i < x->n_codes; i++) {
		if (!finding_by_code(x->codes[i], &code))
			return refuse(error, "not a code of `weighlock rules`", x->codes[i]);
		if (finding_info(code)->class == CLASS_INCOMPLETE)
			return refuse(error, "what was not examined cannot be excepted", x->codes[i]);
	}
	return 0;
}

int exceptions_add_line(
    const struct exceptions *e, const struct exception *x, const struct exception_act *act, char **ret, char *error)
{
	struct exception copy = *x;
	const char *wrong = check_exception(&copy);
	json_t *codes;

	if (wrong != NULL)
		return refuse(error, wrong, NULL);
	if (e->n_bytes > EXCEPTIONS_ADD_MAX)
		return refuse(error, "the list is full but for revocations; begin another, and keep this one", NULL);
	if (copy.last_day < day_of_time(act->now))
		return refuse(error, "it expires before it begins", x->expires);
	if (check_codes(x, error) < 0)
		return -EINVAL;
	codes = json_array();
	for (size_t i = 0; i < x->n_codes; i++)
		(void)json_array_append_new(codes, json_string(x->codes[i]));
	if (json_array_size(codes) != x->n_codes) {
		json_decref(codes);
		return -ENOMEM;
	}
	return make_line(e, act, "add",
	    json_pack("{s:s, s:o, s:s*, s:s, s:s, s:s}", "sha256", x->sha256, "codes", codes, "tenant", x->tenant,
		"reason", x->reason, "owner", x->owner, "expires", x->expires),
	    ret);
}

int exceptions_revoke_line(const struct exceptions *e, uint64_t seq, const char *reason,
    const struct exception_act *act, char **ret, char *error)
{
	if (!is_text(reason))
		return refuse(error, "no reason of 1 to 1024 bytes", NULL);
	for (size_t i = 0; i < e->n; i++) {
		if (e->list[i].seq != seq)
			continue;
		if (e->list[i].revoked)
			return refuse(error, "it is revoked already", NULL);
		return make_line(
		    e, act, "revoke", json_pack("{s:I, s:s}", "seq", (json_int_t)seq, "reason", reason), ret);
	}
	return refuse(error, "there is no such exception", NULL);
}

/* ---- what they do ---- */

void policy_except(struct policy *p, const struct exceptions *e)
{
	p->exceptions = e;
}

bool exception_is_live(const struct exception *x, int64_t today)
{
	return !x->revoked && today <= x->last_day;
}

bool exception_is_about(const struct exception *x, const char *sha256, const char *tenant, int64_t today)
{
	return exception_is_live(x, today) && strcmp(x->sha256, sha256) == 0 &&
	       (x->tenant == NULL || strcmp(x->tenant, tenant) == 0);
}

static bool names_code(const struct exception *x, const char *code)
{
	for (size_t i = 0; i < x->n_codes; i++)
		if (strcmp(x->codes[i], code) == 0)
			return true;
	return false;
}

bool exceptions_cover(
    const struct exceptions *e, enum wlk_finding code, const char *sha256, const char *tenant, int64_t today)
{
	const struct finding_info *info = finding_info(code);
	const struct exception *first = NULL;

	if (info->class == CLASS_INCOMPLETE)
		return false;
	for (size_t i = 0; i < e->n; i++) {
		const struct exception *x = &e->list[i];

		if (!exception_is_about(x, sha256, tenant, today) || !names_code(x, info->code))
			continue;
		if (info->class != CLASS_MALICIOUS || (first != NULL && first->uid != x->uid))
			return true;
		first = x;
	}
	return false;
}
