/* XGBoost's models as universal binary JSON: see xgboost.h.  Draft 12 of the format, and of it what XGBoost's reader knows
 * (src/common/json.cc, UBJReader): big endian; names and text with a length of any integer type; arrays with a count, with a
 * type and a count, or with an end; objects with an end.  No no-op, no high-precision number. */
#include "cursor.h"
#include "json_text.h"
#include "xgboost.h"

#include <string.h>

/* An array that is open: how many items come, or that it says where it ends. */
struct level {
	uint64_t left;
	bool counted;
	uint8_t type; /* of all its items; 0: each says its own */
};

struct reader {
	struct xgboost_model *m;
	struct cursor c;
	struct level levels[XGBOOST_DEPTH_MAX];
};

static bool fail(struct reader *r, enum wlk_finding code)
{
	return xgboost_fail(r->m, code, r->c.pos);
}

static bool truncated(struct reader *r)
{
	return fail(r, WLK_F_XGBOOST_LENGTH);
}

/* -- numbers -- */

static unsigned bytes_of_type(uint8_t type)
{
	switch (type) {
	case 'i':
	case 'U':
	case 'C': return 1;
	case 'I': return 2;
	case 'l':
	case 'd': return 4;
	case 'L':
	case 'D': return 8;
	default: return 0;
	}
}

static uint64_t big_endian(struct bytes b)
{
	uint64_t v = 0;

	for (size_t i = 0; i < b.n; i++)
		v = v << 8 | b.at[i];
	return v;
}

static int64_t integer_of(uint8_t type, uint64_t v)
{
	switch (type) {
	case 'i': return (int8_t)v;
	case 'I': return (int16_t)v;
	case 'l': return (int32_t)v;
	default: return (int64_t)v; /* U, C: no sign; L */
	}
}

static double float_of(uint8_t type, uint64_t v)
{
	uint32_t narrow = (uint32_t)v;
	float f;
	double d;

	memcpy(&f, &narrow, sizeof(f));
	memcpy(&d, &v, sizeof(d));
	return type == 'd' ? (double)f : d;
}

static bool read_number(struct reader *r, uint8_t type)
{
	uint64_t at = r->c.pos;
	struct bytes b;

	if (!cur_bytes(&r->c, bytes_of_type(type), &b))
		return truncated(r);
	if (type == 'd' || type == 'D')
		return xgboost_float(r->m, float_of(type, big_endian(b)), at);
	return xgboost_integer(r->m, integer_of(type, big_endian(b)), at);
}

/* A length: an integer of any type, not negative. */
static bool read_length(struct reader *r, uint64_t *ret)
{
	uint8_t type;
	struct bytes b;
	int64_t n;

	if (!cur_u8(&r->c, &type))
		return truncated(r);
	if (type != 'i' && type != 'U' && type != 'I' && type != 'l' && type != 'L')
		return fail(r, WLK_F_XGBOOST_SYNTAX);
	if (!cur_bytes(&r->c, bytes_of_type(type), &b))
		return truncated(r);
	n = integer_of(type, big_endian(b));
	if (n < 0)
		return fail(r, WLK_F_XGBOOST_LENGTH);
	*ret = (uint64_t)n;
	return true;
}

static bool read_text(struct reader *r, struct bytes *ret)
{
	uint64_t n;

	if (!read_length(r, &n))
		return false;
	if (n > cur_left(&r->c))
		return truncated(r);
	cur_bytes(&r->c, n, ret);
	return utf8_check(*ret) == ret->n || fail(r, WLK_F_XGBOOST_SYNTAX);
}

/* -- values -- */

/* Of a type that takes no bytes there could be as many as anybody likes; objects and arrays have an end each. */
static bool read_array_head(struct reader *r, struct level *level)
{
	uint8_t mark = r->c.pos < r->c.end ? r->c.base[r->c.pos - r->c.origin] : 0;
	uint64_t least;

	*level = (struct level){ 0 };
	if (mark == '$') {
		cur_skip(&r->c, 1);
		if (!cur_u8(&r->c, &level->type))
			return truncated(r);
		if (bytes_of_type(level->type) == 0)
			return fail(r, WLK_F_XGBOOST_SYNTAX);
		if (r->c.pos >= r->c.end || r->c.base[r->c.pos - r->c.origin] != '#')
			return fail(r, WLK_F_XGBOOST_SYNTAX);
		mark = '#';
	}
	if (mark != '#')
		return true;
	cur_skip(&r->c, 1);
	level->counted = true;
	if (!read_length(r, &level->left))
		return false;
	least = level->type != 0 ? bytes_of_type(level->type) : 1;
	return level->left <= cur_left(&r->c) / least || fail(r, WLK_F_XGBOOST_LENGTH);
}

static bool open_value(struct reader *r, bool array)
{
	struct xgboost_model *m = r->m;

	if (!xgboost_open(m, array, r->c.pos - 1))
		return false;
	r->levels[m->depth - 1] = (struct level){ 0 };
	return !array || read_array_head(r, &r->levels[m->depth - 1]);
}

static bool read_value(struct reader *r, uint8_t type)
{
	uint64_t at = r->c.pos;
	struct bytes text;

	switch (type) {
	case '{':
	case '[': return open_value(r, type == '[');
	case 'S': return read_text(r, &text) && xgboost_text(r->m, text, at);
	case 'T':
	case 'F': return xgboost_word(r->m, true, at);
	case 'Z': return xgboost_word(r->m, false, at);
	default: return bytes_of_type(type) > 0 ? read_number(r, type) : fail(r, WLK_F_XGBOOST_SYNTAX);
	}
}

/* -- the walk -- */

static bool at_end_mark(struct reader *r, uint8_t mark)
{
	if (r->c.pos >= r->c.end || r->c.base[r->c.pos - r->c.origin] != mark)
		return false;
	return cur_skip(&r->c, 1);
}

static bool is_over(struct reader *r)
{
	struct level *level = &r->levels[r->m->depth - 1];

	if (!r->m->frames[r->m->depth - 1].array)
		return at_end_mark(r, '}');
	return level->counted ? level->left == 0 : at_end_mark(r, ']');
}

static bool read_key(struct reader *r)
{
	uint64_t at = r->c.pos;
	struct bytes key;

	return read_text(r, &key) && xgboost_key(r->m, key, at);
}

/* The next thing in what is open. */
static bool step(struct reader *r)
{
	struct xgboost_model *m = r->m;
	struct level *level = &r->levels[m->depth - 1];
	uint8_t type = level->type;

	if (is_over(r))
		return xgboost_close(m, r->c.pos);
	if (!m->frames[m->depth - 1].array && !read_key(r))
		return false;
	if (level->counted)
		level->left--;
	if (type == 0 && !cur_u8(&r->c, &type))
		return truncated(r);
	return read_value(r, type);
}

bool xgboost_read_ubj(struct xgboost_model *m, struct bytes file)
{
	struct reader r = { .m = m, .c = cur_over(file, 0) };
	uint8_t type;

	if (!cur_u8(&r.c, &type))
		return truncated(&r);
	if (type != '{')
		return fail(&r, WLK_F_XGBOOST_STRUCTURE);
	if (!read_value(&r, type))
		return false;
	while (m->depth > 0)
		if (!step(&r) || m->broken)
			return false;
	return cur_left(&r.c) == 0 || fail(&r, WLK_F_XGBOOST_TRAILING_BYTES);
}
