/* See members.h.  A loop over values with a bit for each open bracket, so a document's depth costs no stack. */
#include "members.h"

#include <string.h>

enum kind { KIND_TEXT, KIND_TRUTH, KIND_NUMBER, KIND_OBJECT, KIND_LIST };

enum group { GROUP_NONE, GROUP_TOP, GROUP_FILE, GROUP_SCAN };

static const struct row {
	enum group group;
	const char *key;
	enum kind kind;
	size_t at;        /* in struct wlc_members */
	enum group opens; /* of KIND_OBJECT: the group of its members */
} rows[] = {
#define TEXT(group, key, member)                                                        \
	{                                                                               \
		group, key, KIND_TEXT, offsetof(struct wlc_members, member), GROUP_NONE \
	}
	TEXT(GROUP_TOP, "schema", schema),
	TEXT(GROUP_TOP, "verdict", verdict),
	TEXT(GROUP_TOP, "event", event),
	TEXT(GROUP_TOP, "type", type),
	TEXT(GROUP_TOP, "retry", retry),
	TEXT(GROUP_FILE, "name", file_name),
	TEXT(GROUP_FILE, "sha256", file_sha256),
	TEXT(GROUP_SCAN, "retry", scan_retry),
	TEXT(GROUP_SCAN, "error", scan_error),
	TEXT(GROUP_SCAN, "digest_by", digest_by),
#undef TEXT
	{ GROUP_TOP, "complete", KIND_TRUTH, 0, GROUP_NONE },
	{ GROUP_TOP, "file", KIND_OBJECT, 0, GROUP_FILE },
	{ GROUP_TOP, "scan", KIND_OBJECT, 0, GROUP_SCAN },
	{ GROUP_TOP, "members", KIND_LIST, 0, GROUP_NONE },
	{ GROUP_FILE, "size", KIND_NUMBER, 0, GROUP_NONE },
};

struct reader {
	const char *at, *end;
	struct wlc_members *ret;
	const struct row *row; /* of the value to come; NULL: nobody asks for it */
	unsigned depth;
	bool counting;       /* what is open at depth 2 is the list of members */
	uint64_t is_object;  /* bit d-1: what is open at depth d */
	enum group group[2]; /* of the members at depth 1 and 2 */
};

bool wlc_text_is(struct wlc_text t, const char *word)
{
	return t.at != NULL && t.n == strlen(word) && memcmp(t.at, word, t.n) == 0;
}

/* The next character of a JSON string.  None of those written by a letter or number can be in a name. */
static bool next_char(struct wlc_text *t, char *ret)
{
	if (t->n == 0)
		return false;
	if (*t->at == '\\') {
		t->at++;
		t->n--;
		if (t->n == 0 || (*t->at != '\\' && *t->at != '"' && *t->at != '/'))
			return false;
	}
	*ret = *t->at++;
	t->n--;
	return true;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The next byte that is shown. */
static bool next_byte(struct wlc_text *t, char *ret)
{
	char high, low;

	if (!next_char(t, ret))
		return false;
	if (*ret != '\\')
		return true;
	if (!next_char(t, ret))
		return false;
	if (*ret == '\\')
		return true;
	if (*ret != 'x' || !next_char(t, &high) || !next_char(t, &low) || hex_digit(high) < 0 || hex_digit(low) < 0)
		return false;
	*ret = (char)(hex_digit(high) * 16 + hex_digit(low));
	return true;
}

bool wlc_text_shows(struct wlc_text t, const char *bytes)
{
	char c;

	if (t.at == NULL)
		return false;
	for (; *bytes != '\0'; bytes++) {
		if (t.n == 0 || !next_byte(&t, &c) || c != *bytes)
			return false;
	}
	return t.n == 0;
}

static void skip_space(struct reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n'))
		r->at++;
}

static bool take(struct reader *r, char c)
{
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static bool take_word(struct reader *r, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
		return false;
	r->at += n;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* ---- scalars ---- */

static bool take_escape(struct reader *r)
{
	if (r->at == r->end || *r->at == '\0' || strchr("\"\\/bfnrtu", *r->at) == NULL)
		return false;
	if (*r->at++ != 'u')
		return true;
	for (int i = 0; i < 4; i++, r->at++) {
		if (r->at == r->end || !is_hex(*r->at))
			return false;
	}
	return true;
}

static bool take_string(struct reader *r, struct wlc_text *ret)
{
	if (!take(r, '"'))
		return false;
	ret->at = r->at;
	for (;;) {
		if (r->at == r->end || (unsigned char)*r->at < 0x20)
			return false;
		if (take(r, '"'))
			break;
		if (*r->at++ == '\\' && !take_escape(r))
			return false;
	}
	ret->n = (size_t)(r->at - 1 - ret->at);
	return true;
}

static bool take_digits(struct reader *r)
{
	const char *from = r->at;

	while (r->at < r->end && is_digit(*r->at))
		r->at++;
	return r->at > from;
}

static bool take_number(struct reader *r)
{
	(void)take(r, '-');
	if (!take(r, '0') && !take_digits(r))
		return false;
	if (take(r, '.') && !take_digits(r))
		return false;
	if (!take(r, 'e') && !take(r, 'E'))
		return true;
	if (!take(r, '+'))
		(void)take(r, '-');
	return take_digits(r);
}

static bool size_parse(struct wlc_text t, uint64_t *ret)
{
	uint64_t v = 0;

	if (t.n == 0 || (t.n > 1 && t.at[0] == '0'))
		return false;
	for (size_t i = 0; i < t.n; i++) {
		if (!is_digit(t.at[i]) || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(t.at[i] - '0'), &v))
			return false;
	}
	*ret = v;
	return true;
}

/* ---- members ---- */

/* A size beyond 2^53-1 is a string of digits. */
static bool keep_size(struct reader *r, struct wlc_text t)
{
	r->ret->has_size = size_parse(t, &r->ret->file_size);
	return r->ret->has_size;
}

static bool keep_text(struct reader *r, struct wlc_text t)
{
	if (r->row == NULL)
		return true;
	if (r->row->kind == KIND_NUMBER)
		return keep_size(r, t);
	if (r->row->kind != KIND_TEXT)
		return false;
	memcpy((char *)r->ret + r->row->at, &t, sizeof(t));
	return true;
}

static bool keep_truth(struct reader *r, bool value)
{
	if (r->row == NULL)
		return true;
	r->ret->complete = value;
	return r->row->kind == KIND_TRUTH;
}

static bool take_scalar(struct reader *r)
{
	struct wlc_text t = { .at = r->at };

	if (r->at < r->end && *r->at == '"')
		return take_string(r, &t) && keep_text(r, t);
	if (take_word(r, "true"))
		return keep_truth(r, true);
	if (take_word(r, "false"))
		return keep_truth(r, false);
	if (take_word(r, "null"))
		return r->row == NULL || r->row->kind == KIND_TEXT || r->row->kind == KIND_NUMBER;
	if (!take_number(r))
		return false;
	t.n = (size_t)(r->at - t.at);
	return r->row == NULL || (r->row->kind == KIND_NUMBER && keep_size(r, t));
}

static enum group group_now(const struct reader *r)
{
	return r->depth <= 2 ? r->group[r->depth - 1] : GROUP_NONE;
}

static bool find_row(struct reader *r, enum group group, struct wlc_text key)
{
	if (memchr(key.at, '\\', key.n) != NULL)
		return false; /* it might be one of ours in disguise */
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].group != group || !wlc_text_is(key, rows[i].key))
			continue;
		if ((r->ret->seen & 1u << i) != 0)
			return false;
		r->ret->seen |= 1u << i;
		r->row = &rows[i];
	}
	return true;
}

static bool take_key(struct reader *r)
{
	enum group group = group_now(r);
	struct wlc_text key;

	r->row = NULL;
	skip_space(r);
	if (!take_string(r, &key) || (group != GROUP_NONE && !find_row(r, group, key)))
		return false;
	skip_space(r);
	return take(r, ':');
}

/* ---- brackets ---- */

static bool open_bracket(struct reader *r, bool object)
{
	if (r->depth == WLC_DEPTH_MAX || (r->row != NULL && r->row->kind != (object ? KIND_OBJECT : KIND_LIST)))
		return false;
	r->counting = r->depth == 1 ? r->row != NULL && !object : r->counting;
	if (r->depth < 2)
		r->group[r->depth] = !object         ? GROUP_NONE
				     : r->depth == 0 ? GROUP_TOP
				     : r->row        ? r->row->opens
						     : GROUP_NONE;
	r->is_object = object ? r->is_object | (uint64_t)1 << r->depth : r->is_object & ~((uint64_t)1 << r->depth);
	r->depth++;
	r->row = NULL;
	return true;
}

static bool in_object(const struct reader *r)
{
	return (r->is_object >> (r->depth - 1) & 1) != 0;
}

/* A value, or an opening bracket and the key behind it.  *ret_value: something is complete. */
static bool take_value(struct reader *r, bool *ret_value)
{
	bool object;

	skip_space(r);
	object = take(r, '{');
	*ret_value = !object && !take(r, '[');
	if (*ret_value)
		return r->depth > 0 && take_scalar(r);
	if (!open_bracket(r, object))
		return false;
	skip_space(r);
	if (take(r, object ? '}' : ']')) {
		r->depth--;
		*ret_value = true;
		return true;
	}
	r->ret->n_members += r->depth == 2 && r->counting;
	return !object || take_key(r);
}

/* Behind a value: closing brackets, then a comma or the end.  *ret_over: the document is. */
static bool take_after(struct reader *r, bool *ret_over)
{
	*ret_over = false;
	for (; r->depth > 0; r->depth--) {
		r->row = NULL;
		skip_space(r);
		if (take(r, ',')) {
			r->ret->n_members += r->depth == 2 && r->counting;
			return !in_object(r) || take_key(r);
		}
		if (!take(r, in_object(r) ? '}' : ']'))
			return false;
	}
	skip_space(r);
	*ret_over = true;
	return r->at == r->end;
}

bool wlc_members_read(const char *at, size_t n, struct wlc_members *ret)
{
	struct reader r = { .at = at, .end = at + n, .ret = ret };
	bool value, over = false;

	*ret = (struct wlc_members){ 0 };
	skip_space(&r);
	if (r.at == r.end || *r.at != '{')
		return false;
	while (!over) {
		if (!take_value(&r, &value) || (value && !take_after(&r, &over)))
			return false;
	}
	return true;
}
