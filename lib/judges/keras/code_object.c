/* See code_object.h.  Follows CPython's Python/marshal.c (w_object() of 2.7 to 3.13). */
#include "code_object.h"

#include <string.h>

#include "bytes.h"

#define FLAG_REF 0x80u
#define DEPTH_MAX 16u
#define REFS_MAX 4096u

/* A code object: integers, its bytecode, constants, names, `before` more objects, the first line, `after` more. */
struct layout_of_code {
	uint8_t integers, before, after;
};

static const struct layout_of_code layouts[] = {
	{ 5, 5, 2 }, /* 3.11 and later */
	{ 6, 5, 1 }, /* 3.8 to 3.10 */
	{ 5, 5, 1 }, /* 3.0 to 3.7 */
	{ 4, 5, 1 }, /* 2.7 */
};

struct walker {
	const uint8_t *begin, *p, *end;
	const struct layout_of_code *code;
	struct call_text *t; /* NULL: nothing is shown of what goes by */
	unsigned depth;
	size_t n_refs;
	uint32_t refs[REFS_MAX]; /* where each object begins that may be named again */
	bool failed;
};

static bool walk(struct walker *w);

static bool fail(struct walker *w)
{
	w->failed = true;
	return false;
}

static bool take(struct walker *w, size_t n, const uint8_t **ret)
{
	if (n > (size_t)(w->end - w->p))
		return fail(w);
	*ret = w->p;
	w->p += n;
	return true;
}

/* n bytes, little endian; of four as marshal has them, signed. */
static bool take_number(struct walker *w, size_t n, int64_t *ret)
{
	const uint8_t *at;

	if (!take(w, n, &at))
		return false;
	*ret = n == 1 ? at[0] : n == 4 ? (int32_t)load_u32le(at) : (int64_t)load_u64le(at);
	return true;
}

static bool take_count(struct walker *w, size_t n, size_t *ret)
{
	int64_t count;

	if (!take_number(w, n, &count) || count < 0)
		return fail(w);
	*ret = (size_t)count;
	return true;
}

static void put(struct walker *w, const char *words)
{
	if (w->t != NULL)
		call_text_put(w->t, words);
}

static bool walk_string(struct walker *w, size_t length_bytes, bool text)
{
	const uint8_t *at;
	size_t n;

	if (!take_count(w, length_bytes, &n) || !take(w, n, &at))
		return false;
	if (w->t != NULL)
		call_text_string(w->t, bytes_of(at, n), n, text);
	return true;
}

static bool walk_integer(struct walker *w, size_t n)
{
	int64_t v;

	if (!take_number(w, n, &v))
		return false;
	if (w->t != NULL)
		call_text_integer(w->t, v);
	return true;
}

/* Numbers whose value nobody needs. */
static bool walk_opaque(struct walker *w, size_t n)
{
	const uint8_t *at;

	if (!take(w, n, &at))
		return false;
	if (w->t != NULL)
		call_text_cut(w->t);
	return true;
}

static bool walk_float(struct walker *w)
{
	const uint8_t *at;
	uint64_t bits;
	double v;

	if (!take(w, 8, &at))
		return false;
	bits = load_u64le(at);
	memcpy(&v, &bits, sizeof(v));
	if (w->t != NULL)
		call_text_float(w->t, v);
	return true;
}

static bool walk_long(struct walker *w)
{
	int64_t digits;

	return take_number(w, 4, &digits) && walk_opaque(w, 2 * (size_t)(digits < 0 ? -digits : digits));
}

static bool walk_items(struct walker *w, size_t n, const char *open, const char *close)
{
	put(w, open);
	for (size_t i = 0; i < n; i++) {
		put(w, i > 0 ? ", " : "");
		if (!walk(w))
			return false;
	}
	put(w, n == 1 && close[0] == ')' ? "," : "");
	put(w, close);
	return true;
}

static bool walk_counted(struct walker *w, size_t length_bytes, const char *open, const char *close)
{
	size_t n;

	return take_count(w, length_bytes, &n) && walk_items(w, n, open, close);
}

/* Until the key is NULL. */
static bool walk_dict(struct walker *w)
{
	put(w, "{");
	for (bool first = true; w->p < w->end && *w->p != '0'; first = false) {
		put(w, first ? "" : ", ");
		if (!walk(w))
			return false;
		put(w, ": ");
		if (!walk(w))
			return false;
	}
	put(w, "}");
	return w->p++ < w->end || fail(w);
}

static bool pass(struct walker *w, size_t n)
{
	struct call_text *t = w->t;
	bool good = true;

	w->t = NULL;
	for (size_t i = 0; good && i < n; i++)
		good = walk(w);
	w->t = t;
	return good;
}

/* Names first, for they say what it is about. */
static bool walk_code(struct walker *w)
{
	const uint8_t *integers, *line, *constants, *behind;
	size_t n_refs;

	if (!take(w, 4u * w->code->integers, &integers) || !pass(w, 1))
		return false;
	constants = w->p;
	n_refs = w->n_refs;
	if (!pass(w, 1))
		return false;
	put(w, "code(names=");
	if (!walk(w))
		return false;
	behind = w->p;
	if (w->t != NULL && !w->t->full) {
		size_t n_all = w->n_refs;

		w->p = constants;
		w->n_refs = n_refs; /* the same references once more */
		put(w, ", constants=");
		if (!walk(w))
			return false;
		put(w, ")");
		w->p = behind;
		w->n_refs = n_all;
	}
	return pass(w, w->code->before) && take(w, 4, &line) && pass(w, w->code->after);
}

static bool is_string(uint8_t type)
{
	return type != 0 && strchr("sutaAzZ", type) != NULL;
}

/* An object that was there before: shown again where it is short, for a name may be one. */
static bool walk_ref(struct walker *w)
{
	const uint8_t *behind;
	int64_t i;
	bool good;

	if (!take_number(w, 4, &i) || i < 0 || (size_t)i >= w->n_refs)
		return fail(w);
	if (w->t == NULL)
		return true;
	behind = w->p;
	w->p = w->begin + w->refs[i];
	if (is_string(*w->p & (uint8_t)~FLAG_REF)) {
		size_t n_refs = w->n_refs;

		good = walk(w);
		w->n_refs = n_refs;
	} else {
		call_text_cut(w->t);
		good = true;
	}
	w->p = behind;
	return good;
}

static bool walk_word(struct walker *w, const char *words)
{
	put(w, words);
	return true;
}

static bool walk_type(struct walker *w, uint8_t type)
{
	switch (type) {
	case 'N': return walk_word(w, "None");
	case 'T': return walk_word(w, "True");
	case 'F': return walk_word(w, "False");
	case 'S': return walk_word(w, "StopIteration");
	case '.': return walk_word(w, "...");
	case 'i': return walk_integer(w, 4);
	case 'I': return walk_integer(w, 8);
	case 'l': return walk_long(w);
	case 'g': return walk_float(w);
	case 'y': return walk_opaque(w, 16);
	case 's': return walk_string(w, 4, false);
	case 't':
	case 'u':
	case 'a':
	case 'A': return walk_string(w, 4, true);
	case 'z':
	case 'Z':
	case 'f': return walk_string(w, 1, true);
	case '(': return walk_counted(w, 4, "(", ")");
	case ')': return walk_counted(w, 1, "(", ")");
	case '[': return walk_counted(w, 4, "[", "]");
	case '<': return walk_counted(w, 4, "{", "}");
	case '>': return walk_counted(w, 4, "frozenset({", "})");
	case '{': return walk_dict(w);
	case 'c': return walk_code(w);
	case 'r': return walk_ref(w);
	case 'R': return walk_opaque(w, 4); /* 2.7: an interned text that was there before */
	default: return fail(w);
	}
}

static bool walk(struct walker *w)
{
	const uint8_t *at;
	bool good;

	if (w->depth == DEPTH_MAX || !take(w, 1, &at))
		return fail(w);
	if ((at[0] & FLAG_REF) != 0) {
		if (w->n_refs == REFS_MAX)
			return fail(w);
		w->refs[w->n_refs++] = (uint32_t)(at - w->begin);
	}
	w->depth++;
	good = walk_type(w, at[0] & (uint8_t)~FLAG_REF);
	w->depth--;
	return good;
}

static bool walk_all(struct bytes marshal, const struct layout_of_code *code, struct call_text *t)
{
	struct walker w = { .begin = marshal.at, .p = marshal.at, .end = marshal.at + marshal.n, .code = code, .t = t };

	return marshal.n > 0 && (marshal.at[0] & (uint8_t)~FLAG_REF) == 'c' && walk(&w) && !w.failed && w.p == w.end;
}

bool code_object_show(struct bytes marshal, struct call_text *t)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (walk_all(marshal, &layouts[i], NULL))
			return walk_all(marshal, &layouts[i], t);
	return false;
}
