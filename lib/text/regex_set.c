/* Sets of characters: see regex_impl.h. */
#include "regex_impl.h"

static void put(uint64_t bits[REGEX_SET_WORDS], unsigned i)
{
	bits[i / 64] |= UINT64_C(1) << i % 64;
}

static bool has(const uint64_t bits[REGEX_SET_WORDS], unsigned i)
{
	return (bits[i / 64] >> i % 64 & 1) != 0;
}

/* What is surely in it. */
static void put_both(struct regex_set *s, unsigned i)
{
	put(s->may, i);
	put(s->must, i);
}

static void may_range(struct regex_set *s, unsigned from, unsigned end)
{
	for (unsigned i = from; i < end; i++)
		put(s->may, i);
}

static void both_range(struct regex_set *s, unsigned from, unsigned end)
{
	for (unsigned i = from; i < end; i++)
		put_both(s, i);
}

static void both_text(struct regex_set *s, const char *text)
{
	for (; *text != '\0'; text++)
		put_both(s, (unsigned)*text);
}

struct regex_set regex_set_all(void)
{
	struct regex_set s = { 0 };

	both_range(&s, 0, CAT_END);
	return s;
}

struct regex_set regex_set_unknown(void)
{
	struct regex_set s = { 0 };

	may_range(&s, 0, CAT_END);
	return s;
}

struct regex_set regex_set_of(uint32_t from, uint32_t to)
{
	struct regex_set s = { 0 };

	both_range(&s, from, to < 127 ? to + 1 : 128);
	if (to >= 128 && from <= 128 && to >= 0x10FFFF)
		both_range(&s, CAT_LU, CAT_END);
	else if (to >= 128)
		may_range(&s, CAT_LU, CAT_END);
	return s;
}

static struct regex_set digits(void)
{
	struct regex_set s = regex_set_of('0', '9');

	put(s.may, CAT_N);
	return s;
}

static struct regex_set blanks(void)
{
	struct regex_set s = { 0 };

	both_text(&s, "\t\n\v\f\r ");
	may_range(&s, 0x1C, 0x20); /* Python's, not Oniguruma's */
	put_both(&s, CAT_Z);
	put(s.may, CAT_C);
	return s;
}

static struct regex_set letters(void)
{
	struct regex_set s = { 0 };

	both_range(&s, 'A', 'Z' + 1);
	both_range(&s, 'a', 'z' + 1);
	both_range(&s, CAT_LU, CAT_M);
	return s;
}

static struct regex_set word(void)
{
	struct regex_set s = regex_set_or(letters(), regex_set_of('0', '9'));

	put_both(&s, '_');
	may_range(&s, CAT_M, CAT_S);
	put(s.may, CAT_S);
	return s;
}

struct regex_set regex_set_escape(uint8_t letter)
{
	struct regex_set s;

	switch (letter | 0x20) {
	case 'd': s = digits(); break;
	case 'w': s = word(); break;
	case 's': s = blanks(); break;
	case 'h': /* hexadecimal in Oniguruma */
		s = regex_set_or(regex_set_of('0', '9'), regex_set_or(regex_set_of('a', 'f'), regex_set_of('A', 'F')));
		break;
	default: return regex_set_unknown();
	}
	return (letter & 0x20) != 0 ? s : regex_set_not(s);
}

/* -- properties -- */

#define PUNCTUATION "!\"#%&'()*,-./:;?@[\\]_{}"
#define SYMBOLS "$+<=>^`|~"

/* A letter behind the first one names a part of the category. */
static struct regex_set category(uint8_t major, bool part)
{
	struct regex_set s = { 0 };

	switch (major) {
	case 'L': return letters();
	case 'M': put_both(&s, CAT_M); break;
	case 'N':
		s = regex_set_of('0', '9');
		put_both(&s, CAT_N);
		break;
	case 'P':
		both_text(&s, PUNCTUATION);
		put_both(&s, CAT_P);
		break;
	case 'S':
		both_text(&s, SYMBOLS);
		put_both(&s, CAT_S);
		break;
	case 'Z':
		put_both(&s, ' ');
		put_both(&s, CAT_Z);
		break;
	case 'C':
		both_range(&s, 0, 0x20);
		put_both(&s, 0x7F);
		put_both(&s, CAT_C);
		break;
	default: return regex_set_unknown();
	}
	if (part)
		memset(s.must, 0, sizeof(s.must));
	return s;
}

static struct regex_set letters_of(uint8_t kind)
{
	struct regex_set s = { 0 };

	switch (kind) {
	case 'u':
		both_range(&s, 'A', 'Z' + 1);
		put_both(&s, CAT_LU);
		return s;
	case 'l':
		both_range(&s, 'a', 'z' + 1);
		put_both(&s, CAT_LL);
		return s;
	case 't': put_both(&s, CAT_LT); return s;
	case 'm': put_both(&s, CAT_LM); return s;
	case 'o': put_both(&s, CAT_LO); return s;
	default: return regex_set_unknown();
	}
}

/* A script that has no ASCII. */
static struct regex_set foreign(void)
{
	struct regex_set s = { 0 };

	may_range(&s, CAT_LU, CAT_END);
	return s;
}

struct regex_set regex_set_property(struct bytes name)
{
	static const char *const scripts[] = { "Han", "Hiragana", "Katakana", "Hangul", "Thai", "Arabic", "Hebrew",
		"Cyrillic", "Greek", "Devanagari", "Bengali", "Tamil", "Lao", "Khmer", "Myanmar" };

	if (name.n == 1)
		return category(name.at[0], false);
	if (name.n == 2 && name.at[0] == 'L')
		return letters_of(name.at[1]);
	if (name.n == 2 && name.at[1] >= 'a' && name.at[1] <= 'z')
		return category(name.at[0], true);
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		if (bytes_equal(name, bytes_of_text(scripts[i])))
			return foreign();
	return regex_set_unknown();
}

/* -- sets of sets -- */

struct regex_set regex_set_not(struct regex_set s)
{
	struct regex_set all = regex_set_all(), r;

	for (unsigned i = 0; i < REGEX_SET_WORDS; i++) {
		r.may[i] = all.may[i] & ~s.must[i];
		r.must[i] = all.may[i] & ~s.may[i];
	}
	return r;
}

struct regex_set regex_set_or(struct regex_set a, struct regex_set b)
{
	for (unsigned i = 0; i < REGEX_SET_WORDS; i++) {
		a.may[i] |= b.may[i];
		a.must[i] |= b.must[i];
	}
	return a;
}

struct regex_set regex_set_and(struct regex_set a, struct regex_set b)
{
	for (unsigned i = 0; i < REGEX_SET_WORDS; i++) {
		a.may[i] &= b.may[i];
		a.must[i] &= b.must[i];
	}
	return a;
}

/* Letters in both cases; outside of ASCII nobody keeps them apart here, and two letters of ASCII have partners there. */
struct regex_set regex_set_folded(struct regex_set s)
{
	bool any = has(s.may, CAT_LU) || has(s.may, CAT_LL) || has(s.may, CAT_LT);

	for (unsigned c = 'a'; c <= 'z'; c++) {
		if (has(s.may, c) || has(s.may, c - 32)) {
			put(s.may, c);
			put(s.may, c - 32);
			any = true;
		}
		if (has(s.must, c) || has(s.must, c - 32)) {
			put(s.must, c);
			put(s.must, c - 32);
		}
	}
	if (any) {
		may_range(&s, CAT_LU, CAT_LM);
		put(s.may, 'k');
		put(s.may, 'K');
		put(s.may, 's');
		put(s.may, 'S');
	}
	return s;
}

bool regex_set_meets(const struct regex_set *a, const struct regex_set *b)
{
	for (unsigned i = 0; i < REGEX_SET_WORDS; i++)
		if ((a->may[i] & b->may[i]) != 0)
			return true;
	return false;
}
