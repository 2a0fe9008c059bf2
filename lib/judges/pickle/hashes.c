/* CPython's hashes of what a file can choose: numbers, tuples and frozensets, and what is made of them.  Objects/longobject.c,
 * Python/pyhash.c, Objects/tupleobject.c, Objects/setobject.c, of NumPy's scalars numpy/core/src/multiarray/scalartypes.c.src;
 * which of them meet in a table, collisions.c says. */
#include "checked.h"
#include "cost.h"

#define NARROW UINT64_C(0xffffffff)
#define NODES_MAX 64u /* of a key whose hash is computed */
#define OPAQUE_HASH UINT64_C(0x5555)

static uint64_t reduce(uint64_t v)
{
	v = (v & HASH_MODULUS) + (v >> 61);
	return v >= HASH_MODULUS ? v - HASH_MODULUS : v;
}

static uint64_t signed_hash(uint64_t magnitude, bool negative)
{
	uint64_t h = negative ? 0 - magnitude : magnitude;

	return h == UINT64_MAX ? UINT64_MAX - 1 : h; /* -1 is an error */
}

static uint64_t hash_int(int64_t v)
{
	uint64_t magnitude = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	return signed_hash(reduce(magnitude), v < 0);
}

uint64_t collision_hash_integer(const uint8_t *at, size_t n)
{
	bool negative = n > 0 && (at[n - 1] & 0x80) != 0;
	uint64_t h = 0, borrow = negative ? 1 : 0;

	/* From the top: 2^8 h + digit, modulo 2^61 - 1; of a negative one the magnitude is ~v + 1. */
	for (size_t i = n; i-- > 0;) {
		uint64_t digit = negative ? (uint8_t)~at[i] : at[i];

		h = ((h << 8) & HASH_MODULUS) | (h >> 53);
		h = reduce(h + digit);
	}
	return signed_hash(reduce(h + borrow), negative);
}

/* The fraction's last six bits are not kept: equal to that. */
static uint64_t hash_float(double v)
{
	bool negative = v < 0;
	uint64_t bits, mantissa, h;
	int exponent;

	memcpy(&bits, &v, sizeof(bits));
	exponent = (int)(bits >> 52 & 0x7ff);
	mantissa = bits & ((UINT64_C(1) << 52) - 1);
	if (exponent == 0x7ff)
		return signed_hash(314159, negative);
	if (exponent > 0)
		mantissa |= UINT64_C(1) << 52;
	exponent = ((exponent > 0 ? exponent : 1) - 1075) % 61;
	if (exponent < 0)
		exponent += 61;
	h = mantissa;
	h = ((h << exponent) & HASH_MODULUS) | (exponent > 0 ? h >> (61 - exponent) : 0);
	return signed_hash(reduce(h), negative);
}

static uint64_t rotate(uint64_t v, unsigned n)
{
	return v << n | v >> (64 - n);
}

static uint64_t hash_tuple_lane(uint64_t acc, uint64_t lane)
{
	acc += lane * UINT64_C(14029467366897019727);
	return rotate(acc, 31) * UINT64_C(11400714785074694791);
}

static uint64_t hash_tuple_end(uint64_t acc, uint64_t n)
{
	acc += n ^ (UINT64_C(2870177450012600261) ^ UINT64_C(3527539));
	return acc == UINT64_MAX ? UINT64_C(1546275796) : acc;
}

static uint64_t hash_set_item(uint64_t h)
{
	return ((h ^ UINT64_C(89869747)) ^ (h << 16)) * UINT64_C(3644798167);
}

static uint64_t hash_set_end(uint64_t acc, uint64_t n)
{
	acc ^= (n + 1) * UINT64_C(1927868237);
	acc ^= acc >> 11 ^ acc >> 25;
	return acc * 69069 + UINT64_C(907133923);
}

/* A string's: any that is different for different strings. */
static uint64_t hash_salted(const struct pickle *p, pickle_value v)
{
	struct bytes kept;
	uint64_t n;

	if (!value_kept(p, v, &kept, &n))
		return v * UINT64_C(0x9e3779b97f4a7c15);
	return siphash13(kept.at, kept.n, &p->options.seed) + n;
}

static bool hash_of(const struct pickle *p, pickle_value v, unsigned *nodes, uint64_t *ret);

/* Tuples and frozensets nest no deeper than there are nodes to spend. */
static bool hash_items(const struct pickle *p, pickle_value v, unsigned *nodes, uint64_t *ret)
{
	bool tuple = kind_of(v) == PICKLE_TUPLE;
	uint64_t acc = tuple ? UINT64_C(2870177450012600261) : 0, n = pickle_count(p, v), h;

	for (uint64_t i = 0; i < n; i++) {
		pickle_value item = pickle_item(p, v, i);

		if (item == PICKLE_NO_VALUE || !hash_of(p, item, nodes, &h))
			return false;
		acc = tuple ? hash_tuple_lane(acc, h) : acc ^ hash_set_item(h);
	}
	*ret = tuple ? hash_tuple_end(acc, n) : hash_set_end(acc, n);
	return true;
}

static bool hash_of(const struct pickle *p, pickle_value v, unsigned *nodes, uint64_t *ret)
{
	int64_t number;
	double real;

	if ((*nodes)-- == 0)
		return false;
	switch (kind_of(v)) {
	case PICKLE_NONE:
	case PICKLE_BOOL: *ret = content_of(v); return true;
	case PICKLE_INT: *ret = pickle_int(p, v, &number) ? hash_int(number) : 0; return true;
	case PICKLE_BIG_INT: return value_long_hash(p, v, ret);
	case PICKLE_FLOAT:
		if (!pickle_float(p, v, &real))
			return false;
		*ret = hash_float(real);
		return true;
	case PICKLE_STR:
	case PICKLE_BYTES: *ret = hash_salted(p, v); return true;
	case PICKLE_GLOBAL: *ret = v * UINT64_C(0x9e3779b97f4a7c15); return true; /* by identity */
	case PICKLE_TUPLE:
	case PICKLE_FROZENSET: return hash_items(p, v, nodes, ret);
	default: return false;
	}
}

/* Instances: most by identity or by a string.  Those of Python's own types that hash as numbers do: */
static bool hashes_as_number(const struct pickle *p, pickle_value object)
{
	static const char *const names[] = { "int", "float", "complex", "Decimal", "Fraction", "UUID", "timedelta",
		"timezone", "tuple", "frozenset", "range", "slice", "Size", "scalar", "_reconstructor" };
	pickle_value callee = pickle_callee(p, object);
	struct bytes module, name;

	if (callee == PICKLE_NO_VALUE || !pickle_global_mapped(p, callee, &module, &name))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (bytes_equal(name, bytes_of_text(names[i])))
			return true;
	return false;
}

/* What numpy.dtype() was given to make a scalar's type: "f8". */
static bool type_of_scalar(const struct pickle *p, pickle_value type, char *ret_kind, bool *ret_big)
{
	pickle_value args = pickle_call_arguments(p, type), first;
	struct bytes text;

	first = args != PICKLE_NO_VALUE ? pickle_item(p, args, 0) : PICKLE_NO_VALUE;
	if (first == PICKLE_NO_VALUE || !pickle_text(p, first, &text) || text.n == 0)
		return false;
	*ret_big = text.at[0] == '>';
	*ret_kind = (char)text.at[memchr("<>=|", text.at[0], 4) != NULL && text.n > 1 ? 1 : 0];
	return true;
}

/* numpy.scalar(dtype, bytes): what hashes as an integer or a float of the machine does.  A state may turn the bytes round:
 * then it is the hash of another number, which is as much the file's choice. */
static bool hash_scalar(const struct pickle *p, pickle_value object, uint64_t *ret)
{
	pickle_value args = thing_of(p, object)->second, content = PICKLE_NO_VALUE;
	struct bytes head;
	double real;
	uint64_t n;
	char kind;
	bool big;

	if (args != PICKLE_NO_VALUE && pickle_count(p, args) == 2)
		content = pickle_item(p, args, 1);
	if (content == PICKLE_NO_VALUE || kind_of(content) != PICKLE_BYTES || !value_kept(p, content, &head, &n) ||
	    n > sizeof(uint64_t) || !type_of_scalar(p, pickle_item(p, args, 0), &kind, &big) || big)
		return false;
	if (kind == 'f' && head.n == sizeof(real)) {
		memcpy(&real, head.at, sizeof(real));
		*ret = hash_float(real);
		return true;
	}
	if (memchr("iub", kind, 3) == NULL)
		return false;
	*ret = collision_hash_integer(head.at, head.n);
	return true;
}

/* -- instances of Python's numbers: Lib/fractions.py, Modules/_decimal, Modules/_datetimemodule.c -- */

static uint64_t times_modulo(uint64_t a, uint64_t b)
{
	return (uint64_t)((unsigned __int128)a * b % HASH_MODULUS);
}

static uint64_t power_modulo(uint64_t base, uint64_t exponent)
{
	uint64_t h = 1;

	for (; exponent > 0; exponent >>= 1) {
		h = (exponent & 1) != 0 ? times_modulo(h, base) : h;
		base = times_modulo(base, base);
	}
	return h;
}

/* Digits from at[*i] on, modulo; false without any. */
static bool read_digits(struct bytes text, size_t *i, uint64_t *ret, uint64_t *ret_n)
{
	size_t begin = *i;

	for (; *i < text.n && text.at[*i] >= '0' && text.at[*i] <= '9'; (*i)++)
		*ret = (times_modulo(*ret, 10) + (uint64_t)(text.at[*i] - '0')) % HASH_MODULUS;
	*ret_n = *i - begin;
	return *i > begin;
}

static bool take_sign(struct bytes text, size_t *i)
{
	bool negative = *i < text.n && text.at[*i] == '-';

	*i += negative || (*i < text.n && text.at[*i] == '+');
	return negative;
}

/* "-1.5E+3" or "1/3", as decimal and fractions write them.  @ratio: a fraction. */
static bool hash_number_text(struct bytes text, bool ratio, uint64_t *ret)
{
	uint64_t h = 0, below = 1, n, fraction = 0, exponent = 0;
	size_t i = 0;
	bool negative = take_sign(text, &i), down = false;

	if (!read_digits(text, &i, &h, &n))
		return false;
	if (!ratio && i < text.n && text.at[i] == '.' && (i++, !read_digits(text, &i, &h, &fraction)))
		return false;
	if (!ratio && i < text.n && text.at[i] == 'E') {
		i++;
		down = take_sign(text, &i);
		if (!read_digits(text, &i, &exponent, &n) || n > 9)
			return false;
	}
	if (ratio && i < text.n && text.at[i] == '/' && (i++, below = 0, !read_digits(text, &i, &below, &n)))
		return false;
	if (i != text.n || below == 0)
		return false;
	below = times_modulo(below, power_modulo(10, down ? fraction + exponent : fraction));
	h = times_modulo(h, down ? 1 : power_modulo(10, exponent));
	*ret = signed_hash(times_modulo(h, power_modulo(below, HASH_MODULUS - 2)), negative);
	return true;
}

/* days, seconds, microseconds, as they are pickled: their tuple's. */
static bool hash_span(const struct pickle *p, pickle_value args, uint64_t *ret)
{
	uint64_t acc = UINT64_C(2870177450012600261);

	for (uint64_t i = 0; i < 3; i++) {
		pickle_value v = pickle_item(p, args, i);
		int64_t n;

		if (v == PICKLE_NO_VALUE || !pickle_int(p, v, &n))
			return false;
		acc = hash_tuple_lane(acc, hash_int(n));
	}
	*ret = hash_tuple_end(acc, 3);
	return true;
}

static bool is_callee(const struct pickle *p, pickle_value object, const char *module, const char *name)
{
	struct bytes m, n;

	return pickle_global_mapped(p, pickle_callee(p, object), &m, &n) && bytes_equal(n, bytes_of_text(name)) &&
	       bytes_equal(m, bytes_of_text(module));
}

bool collision_hash_int(const struct pickle *p, pickle_value v, uint64_t *ret)
{
	int64_t n;

	if (v == PICKLE_NO_VALUE)
		return false;
	if (kind_of(v) == PICKLE_BIG_INT)
		return value_long_hash(p, v, ret);
	*ret = pickle_int(p, v, &n) ? hash_int(n) : 0;
	return kind_of(v) == PICKLE_INT;
}

/* Fraction(-1, 3) */
static bool hash_ratio(const struct pickle *p, pickle_value args, uint64_t *ret)
{
	uint64_t above, below;
	bool negative;

	if (pickle_count(p, args) != 2 || !collision_hash_int(p, pickle_item(p, args, 0), &above) ||
	    !collision_hash_int(p, pickle_item(p, args, 1), &below) || below == 0 || below >> 63 != 0)
		return false;
	negative = above >> 63 != 0;
	*ret = signed_hash(times_modulo(negative ? 0 - above : above, power_modulo(below, HASH_MODULUS - 2)), negative);
	return true;
}

#define MOMENT_BYTES 10 /* year (2), month, day, hour, minute, second, microseconds (3) */
#define DAY_SECONDS 86400

/* As bytes, or as the text that protocols below 3 make of them. */
static bool read_moment(const struct pickle *p, pickle_value v, uint8_t moment[MOMENT_BYTES])
{
	bool coded = kind_of(v) == PICKLE_OBJECT && is_callee(p, v, "_codecs", "encode");
	struct bytes head;
	uint64_t n;
	size_t at = 0;

	if (coded)
		v = pickle_item(p, pickle_call_arguments(p, v), 0);
	if (v == PICKLE_NO_VALUE || kind_of(v) != (coded ? PICKLE_STR : PICKLE_BYTES) || !value_kept(p, v, &head, &n))
		return false;
	for (size_t i = 0; i < head.n && at < MOMENT_BYTES; i++) {
		bool two = coded && (head.at[i] & 0xfe) == 0xc2 && i + 1 < head.n;

		moment[at++] = two ? (uint8_t)(head.at[i] << 6 | (head.at[i + 1] & 0x3f)) : head.at[i];
		i += two;
	}
	return at == MOMENT_BYTES;
}

static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	static const int16_t before[] = { 0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	year--;
	return year * 365 + year / 4 - year / 100 + year / 400 + before[month] + (leap && month > 2 ? 1 : 0) + day;
}

static bool read_offset(const struct pickle *p, pickle_value zone, int64_t offset[3])
{
	pickle_value span = PICKLE_NO_VALUE, args;

	if (zone != PICKLE_NO_VALUE && kind_of(zone) == PICKLE_OBJECT && is_callee(p, zone, "datetime", "timezone"))
		span = pickle_item(p, pickle_call_arguments(p, zone), 0);
	if (span == PICKLE_NO_VALUE || kind_of(span) != PICKLE_OBJECT || !is_callee(p, span, "datetime", "timedelta"))
		return false;
	args = pickle_call_arguments(p, span);
	for (uint64_t i = 0; i < 3; i++)
		if (pickle_item(p, args, i) == PICKLE_NO_VALUE || !pickle_int(p, pickle_item(p, args, i), &offset[i]) ||
		    offset[i] < -DAY_SECONDS * INT64_C(1000000) || offset[i] > DAY_SECONDS * INT64_C(1000000))
			return false;
	return true;
}

/* With a zone: the hash of the time since the year 1 at Greenwich. */
static bool hash_moment(const struct pickle *p, pickle_value args, uint64_t *ret)
{
	uint8_t b[MOMENT_BYTES];
	int64_t offset[3], seconds, micro, days;
	uint64_t acc = UINT64_C(2870177450012600261);

	if (pickle_count(p, args) != 2 || !read_moment(p, pickle_item(p, args, 0), b) ||
	    !read_offset(p, pickle_item(p, args, 1), offset) || (b[2] & 0x7f) < 1 || (b[2] & 0x7f) > 12)
		return false;
	days = days_of(b[0] << 8 | b[1], b[2] & 0x7f, b[3]) - offset[0];
	seconds = (b[4] * 60 + b[5]) * 60 + b[6] - offset[1];
	micro = (b[7] << 16 | b[8] << 8 | b[9]) - offset[2];
	seconds += micro / 1000000 - (micro % 1000000 < 0);
	micro -= (micro / 1000000 - (micro % 1000000 < 0)) * 1000000;
	days += seconds / DAY_SECONDS - (seconds % DAY_SECONDS < 0);
	seconds -= (seconds / DAY_SECONDS - (seconds % DAY_SECONDS < 0)) * DAY_SECONDS;
	acc = hash_tuple_lane(acc, hash_int(days));
	acc = hash_tuple_lane(acc, hash_int(seconds));
	*ret = hash_tuple_end(hash_tuple_lane(acc, hash_int(micro)), 3);
	return true;
}

static bool hash_instance(const struct pickle *p, pickle_value object, unsigned *nodes, uint64_t *ret)
{
	pickle_value args = pickle_call_arguments(p, object), first;
	bool ratio;
	struct bytes text;

	if (args == PICKLE_NO_VALUE || kind_of(args) != PICKLE_TUPLE || pickle_count(p, args) == 0 ||
	    pickle_callee(p, object) == PICKLE_NO_VALUE || kind_of(pickle_callee(p, object)) != PICKLE_GLOBAL)
		return false;
	first = pickle_item(p, args, 0);
	if (first == PICKLE_NO_VALUE)
		return false;
	if (is_callee(p, object, "datetime", "timedelta"))
		return pickle_count(p, args) == 3 && hash_span(p, args, ret);
	if (is_callee(p, object, "builtins", "frozenset")) /* value_thing() kept what it was made of */
		return kind_of(first) == PICKLE_FROZENSET && hash_of(p, first, nodes, ret);
	if (is_callee(p, object, "uuid", "UUID")) /* act_build() kept its number */
		return collision_hash_int(p, first, ret);
	if (is_callee(p, object, "datetime", "datetime"))
		return hash_moment(p, args, ret);
	ratio = is_callee(p, object, "fractions", "Fraction");
	if (ratio && pickle_count(p, args) == 2)
		return hash_ratio(p, args, ret);
	return (ratio || is_callee(p, object, "decimal", "Decimal")) && pickle_count(p, args) == 1 &&
	       pickle_text(p, first, &text) && hash_number_text(text, ratio, ret);
}

/* A moment with a zone: what it hashes is a span of time, as long as the file likes. */
static bool is_aware(const struct pickle *p, pickle_value object)
{
	pickle_value args = pickle_call_arguments(p, object), zone = PICKLE_NO_VALUE;

	if (kind_of(pickle_callee(p, object)) != PICKLE_GLOBAL ||
	    (!is_callee(p, object, "datetime", "datetime") && !is_callee(p, object, "datetime", "time")))
		return false;
	if (args != PICKLE_NO_VALUE && pickle_count(p, args) > 1)
		zone = pickle_item(p, args, pickle_count(p, args) - 1);
	return zone != PICKLE_NO_VALUE && kind_of(zone) == PICKLE_OBJECT;
}

enum key_hash collision_hash(const struct pickle *p, pickle_value key, uint64_t *ret_hash)
{
	unsigned nodes = NODES_MAX;
	int64_t number;

	*ret_hash = OPAQUE_HASH;
	switch (kind_of(key)) {
	case PICKLE_NONE:
	case PICKLE_BOOL: *ret_hash = content_of(key); return HASH_NARROW;
	case PICKLE_STR:
	case PICKLE_BYTES: *ret_hash = hash_salted(p, key); return HASH_SALTED;
	case PICKLE_GLOBAL: return HASH_SALTED;
	case PICKLE_INT:
		if (!pickle_int(p, key, &number) || (number < 0 ? 0 - (uint64_t)number : (uint64_t)number) > NARROW)
			break;
		*ret_hash = hash_int(number);
		return HASH_NARROW;
	case PICKLE_OBJECT:
		if ((pickle_marks(p, key) & PICKLE_MARK_HASHED) != 0)
			return HASH_OPAQUE;
		if (hash_scalar(p, key, ret_hash))
			return HASH_CHOSEN;
		if (hash_instance(p, key, &nodes, ret_hash))
			return HASH_CHOSEN;
		*ret_hash = OPAQUE_HASH;
		return hashes_as_number(p, key) || is_aware(p, key) ? HASH_OPAQUE : HASH_SALTED;
	case PICKLE_UNKNOWN:
	case PICKLE_PERSISTENT:
	case PICKLE_EXTENSION:
	case PICKLE_BUFFER: return HASH_SALTED; /* their own findings keep such a file */
	default: break;
	}
	return hash_of(p, key, &nodes, ret_hash) ? HASH_CHOSEN : HASH_OPAQUE;
}

static bool is_text_alone(const struct pickle *p, pickle_value tuple)
{
	uint64_t n = pickle_count(p, tuple);

	for (uint64_t i = 0; i < n; i++) {
		pickle_value item = pickle_item(p, tuple, i);

		if (i == NODES_MAX || item == PICKLE_NO_VALUE || kind_of(item) != PICKLE_STR)
			return false;
	}
	return true;
}

/* Could it be a key of a hash that the file chose?  Tuples of strings alone are not. */
bool collision_is_wide(const struct pickle *p, pickle_value key)
{
	uint64_t hash;

	if (kind_of(key) == PICKLE_TUPLE)
		return !is_text_alone(p, key);
	return collision_hash(p, key, &hash) >= HASH_CHOSEN;
}
