/* Canonical entries: see safetensors_canonical.h.  Every step is bounded by what remains, takes exact bytes or gives
 * up, and is inlined into the one function that is called, so that the position stays in a register. */
#include "checked.h"
#include "lanes.h"
#include "safetensors.h"
#include "safetensors_canonical.h"

/* What is left of the header. */
struct rest {
	const uint8_t *p, *end;
};

static inline size_t left(const struct rest *s)
{
	return (size_t)(s->end - s->p);
}

static inline bool take(struct rest *s, const char *text, size_t n)
{
	if (left(s) < n || memcmp(s->p, text, n) != 0)
		return false;
	s->p += n;
	return true;
}

#define TAKE(s, text) take(s, text, sizeof(text) - 1)

/* What ends a plain string, and what no plain string holds: quote, backslash, slash, all but 0x20..0x7E. */
static inline u8x16 not_plain(u8x16 v)
{
	return (u8x16)((v == '"') | (v == '\\') | (v == '/') | ((u8x16)(v - 0x20) > 0x7E - 0x20));
}

/* The characters up to the quote that ends them, which is not taken.  Sixteen bytes at a time: behind the name of any
 * canonical entry come more than that. */
static inline bool take_plain(struct rest *s, struct bytes *ret)
{
	const uint8_t *begin = s->p;
	u8x16 stop;

	for (;; s->p += LANES) {
		if (left(s) < LANES)
			return false;
		stop = not_plain(load_lanes(s->p));
		if (any_lane(stop))
			break;
	}
	s->p += first_lane(stop);
	*ret = bytes_of(begin, (size_t)(s->p - begin));
	return *s->p == '"';
}

/* Rule 23, and the one name that is no tensor's. */
static inline bool is_quiet_name(struct bytes name)
{
	if (name.n == 0 || name.n > SAFETENSORS_NAME_MAX)
		return false;
	if (name.n == 2)
		return memcmp(name.at, "..", 2) != 0;
	return name.n != 12 || memcmp(name.at, "__metadata__", 12) != 0;
}

/* A type's name and the quote behind it as eight bytes; longer names are left to others. */
JSON_INLINE bool is_type(uint64_t loaded, const char *name, size_t n, struct canonical_type *ret)
{
	uint8_t bytes[8] = { 0 };

	if (n >= sizeof(bytes))
		return false;
	memcpy(bytes, name, n);
	bytes[n] = '"';
	ret->word = load_u64le(bytes);
	ret->mask = UINT64_MAX >> (56 - 8 * n);
	ret->n = (unsigned)n + 1;
	return (loaded & ret->mask) == ret->word;
}

/* Compares with constants, one a type. */
static bool find_type(uint64_t loaded, struct canonical_type *ret)
{
#define X(id, printed, size, kind)                                \
	if (is_type(loaded, printed, sizeof(printed) - 1, ret)) { \
		ret->dtype = WLK_DTYPE_##id;                      \
		ret->bits = size;                                 \
		return ret->dtype != WLK_DTYPE_NONE;              \
	}
	WLK_DTYPES_SAFETENSORS(X)
#undef X
	return false;
}

static inline bool take_type(struct rest *s, struct canonical_type *type)
{
	uint64_t loaded;

	if (left(s) < sizeof(loaded))
		return false;
	loaded = load_u64le(s->p);
	if (type->n == 0 || (loaded & type->mask) != type->word) {
		struct canonical_type other = { 0 };

		if (!find_type(loaded, &other))
			return false;
		*type = other;
	}
	s->p += type->n;
	return true;
}

/* The product of the dimensions, behind their opening bracket.  Zero dimensions, ranks and products beyond the limits
 * (rules 17 and 18) are left to others. */
static inline bool take_shape(struct rest *s, uint64_t *ret)
{
	uint64_t elements = 1, dimension;

	if (TAKE(s, "]")) {
		*ret = 1;
		return true;
	}
	for (unsigned rank = 0; rank < SAFETENSORS_RANK_MAX; rank++) {
		if (!json_small_short(&s->p, s->end, &dimension) || dimension == 0 ||
		    !mul_u64(elements, dimension, &elements))
			return false;
		if (*s->p++ == ']') { /* json_small_short() stops at a comma or a bracket */
			*ret = elements;
			return true;
		}
	}
	return false;
}

static inline bool take_offsets(struct rest *s, struct canonical_entry *e)
{
	return json_small_long(&s->p, s->end, &e->begin) && TAKE(s, ",") && json_small_long(&s->p, s->end, &e->end) &&
	       TAKE(s, "]}");
}

/* Rules 18 to 21. */
static inline bool range_is_exact(const struct canonical_entry *e, uint64_t elements, unsigned bits_each)
{
	uint64_t bits;

	return mul_u64(elements, bits_each, &bits) && bits % 8 == 0 && e->begin <= e->end &&
	       e->end - e->begin == bits / 8;
}

bool canonical_entry(struct json *j, struct canonical_type *type, struct canonical_entry *ret)
{
	struct rest s = { j->p, j->end };
	uint64_t elements = 0;

	if (!TAKE(&s, "\"") || !take_plain(&s, &ret->name.raw) || !is_quiet_name(ret->name.raw))
		return false;
	if (!TAKE(&s, "\":{\"dtype\":\"") || !take_type(&s, type) || !TAKE(&s, ",\"shape\":[") ||
	    !take_shape(&s, &elements) || !TAKE(&s, ",\"data_offsets\":[") || !take_offsets(&s, ret))
		return false;
	if (!range_is_exact(ret, elements, type->bits))
		return false;
	ret->name.escaped = false;
	ret->name.plain = true;
	ret->dtype = type->dtype;
	j->p = s.p;
	return true;
}
