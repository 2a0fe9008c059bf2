/* XGBoost's models as JSON: see xgboost.h.  RFC 8259 and the words NaN, Infinity and -Infinity, which XGBoost writes and
 * reads. */
#include "json_text.h"
#include "xgboost.h"

static uint64_t here(const struct json *j)
{
	return json_at(j);
}

static bool failed(struct xgboost_model *m, const struct json *j)
{
	return xgboost_fail(m, j->err == JSON_DEPTH ? WLK_F_XGBOOST_DEPTH : WLK_F_XGBOOST_SYNTAX, j->err_at);
}

/* Decoding makes nothing longer. */
static bool decoded(struct xgboost_model *m, const struct json_text *t, struct bytes *ret)
{
	struct bytes rest = t->raw;
	uint8_t *buf;

	*ret = t->raw;
	if (!t->escaped)
		return true;
	buf = arena_resize_raw(m->l->arena, NULL, t->raw.n, 1);
	if (buf == NULL) {
		m->stopped = true;
		layout_stop(m->l);
		return false;
	}
	*ret = bytes_of(buf, json_decode(&rest, buf, t->raw.n));
	return true;
}

static void release(struct xgboost_model *m, const struct json_text *t, struct bytes text)
{
	if (t->escaped)
		arena_release(m->l->arena, (void *)(uintptr_t)text.at);
}

typedef bool (*text_event)(struct xgboost_model *m, struct bytes text, uint64_t at);

static bool tell_text(struct xgboost_model *m, const struct json *j, const struct json_text *t, text_event tell)
{
	struct bytes text;
	bool ret;

	if (!decoded(m, t, &text))
		return false;
	ret = tell(m, text, (uint64_t)(t->raw.at - j->base));
	release(m, t, text);
	return ret;
}

static bool read_number(struct xgboost_model *m, struct json *j)
{
	const uint8_t *begin = j->p;
	struct json_number n;
	double value;

	if (!json_number(j, &n))
		return failed(m, j);
	if (n.fits && n.value <= INT64_MAX && (n.plain || (size_t)(j->p - begin) <= 20)) {
		bool digits_only = true;

		for (const uint8_t *p = begin; p < j->p; p++)
			digits_only = digits_only && ((*p >= '0' && *p <= '9') || *p == '-');
		if (digits_only)
			return xgboost_integer(
			    m, n.negative ? -(int64_t)n.value : (int64_t)n.value, (uint64_t)(begin - j->base));
	}
	if (number_text(bytes_of(begin, (size_t)(j->p - begin)), &value) == NUMBER_NONE)
		return xgboost_fail(m, WLK_F_XGBOOST_SYNTAX, (uint64_t)(begin - j->base));
	return xgboost_float(m, value, (uint64_t)(begin - j->base));
}

static bool read_not_finite(struct xgboost_model *m, struct json *j)
{
	static const char *const words[] = { "NaN", "Infinity", "-Infinity" };
	uint64_t at = here(j);
	double value = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!json_take(j, words[i], strlen(words[i])))
			continue;
		number_text(bytes_of_text(words[i]), &value);
		return xgboost_float(m, value, at);
	}
	return read_number(m, j);
}

static bool read_word(struct xgboost_model *m, struct json *j, const char *word)
{
	uint64_t at = here(j);

	return json_literal(j, word) ? xgboost_word(m, word[0] != 'n', at) : failed(m, j);
}

static bool read_simple(struct xgboost_model *m, struct json *j)
{
	struct json_text t;

	switch (json_peek(j)) {
	case '"': return json_read_string(j, &t) ? tell_text(m, j, &t, xgboost_text) : failed(m, j);
	case 't': return read_word(m, j, "true");
	case 'f': return read_word(m, j, "false");
	case 'n': return read_word(m, j, "null");
	default: return read_not_finite(m, j);
	}
}

static uint8_t closing(const struct xgboost_model *m)
{
	return m->frames[m->depth - 1].array ? ']' : '}';
}

/* What closes behind a value, up to the comma before the next. */
static bool after_value(struct xgboost_model *m, struct json *j)
{
	bool more = false;

	while (m->depth > 0 && !more) {
		if (!json_more(j, closing(m), &more))
			return failed(m, j);
		if (!more && !xgboost_close(m, here(j)))
			return false;
	}
	return true;
}

static bool read_value(struct xgboost_model *m, struct json *j)
{
	struct json_text key;
	uint8_t c;

	if (m->depth > 0 && !m->frames[m->depth - 1].array) {
		if (!json_key(j, &key))
			return failed(m, j);
		if (!tell_text(m, j, &key, xgboost_key))
			return false;
	}
	c = json_peek(j);
	if (c != '{' && c != '[')
		return read_simple(m, j) && after_value(m, j);
	if (!xgboost_open(m, c == '[', here(j)))
		return false;
	j->p++;
	if (json_any(j, closing(m)))
		return true;
	return xgboost_close(m, here(j)) && after_value(m, j);
}

bool xgboost_read_json(struct xgboost_model *m, struct bytes text)
{
	struct json j = { .base = text.at, .p = text.at, .end = text.at + text.n };
	size_t bad = utf8_check(text);

	if (bad != text.n)
		return xgboost_fail(m, WLK_F_XGBOOST_SYNTAX, bad);
	do {
		if (!read_value(m, &j) || m->broken)
			return false;
	} while (m->depth > 0);
	json_space(&j);
	if (j.n_lone > 0)
		return xgboost_fail(m, WLK_F_XGBOOST_SYNTAX, j.first_lone_at);
	return j.p == j.end || xgboost_fail(m, WLK_F_XGBOOST_TRAILING_BYTES, here(&j));
}
