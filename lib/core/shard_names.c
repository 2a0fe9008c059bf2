/* The names of a sharded model's files: see shard_names.h. */
#include "shard_names.h"

/* Below a billion, so that they fit; more digits than any writer has. */
#define DIGITS_MIN 5u
#define DIGITS_MAX 9u

bool name_equal_folded(struct bytes a, struct bytes b)
{
	for (size_t i = 0; i < a.n && a.n == b.n; i++)
		if (name_fold(a.at[i]) != name_fold(b.at[i]))
			return false;
	return a.n == b.n;
}

/* Where the last c stands; name.n without one. */
static size_t last_of(struct bytes name, uint8_t c)
{
	for (size_t i = name.n; i > 0; i--)
		if (name.at[i - 1] == c)
			return i - 1;
	return name.n;
}

struct bytes name_extension(struct bytes name)
{
	size_t dot = last_of(name, '.');

	return dot < name.n ? bytes_of(name.at + dot + 1, name.n - dot - 1) : bytes_of(name.at + name.n, 0);
}

/* Cut the last word and its dot off a name.  Return: the word. */
static struct bytes cut_word(struct bytes *name)
{
	struct bytes word = name_extension(*name);

	name->n -= word.n < name->n ? word.n + 1 : name->n;
	return word;
}

static bool word_is(struct bytes word, const char *text)
{
	return name_equal_folded(word, bytes_of_text(text));
}

bool index_name_parse(struct bytes name, struct index_name *ret)
{
	size_t slash = last_of(name, '/');
	struct bytes word;

	if (slash < name.n)
		name = bytes_of(name.at + slash + 1, name.n - slash - 1);
	*ret = (struct index_name){ .stem = name };
	if (name.n == 0 || !word_is(cut_word(&ret->stem), "json"))
		return false;
	word = cut_word(&ret->stem);
	if (!word_is(word, "index")) {
		ret->variant = word;
		if (!word_is(cut_word(&ret->stem), "index"))
			return false;
	}
	ret->family = cut_word(&ret->stem);
	return ret->family.n > 0 && ret->stem.n > 0;
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* Digits from *at on.  Return: false when they are too few or too many. */
static bool take_number(struct bytes name, size_t *at, uint32_t *ret, bool *plain)
{
	size_t begin = *at;
	uint32_t value = 0;

	for (; *at < name.n && *at - begin <= DIGITS_MAX && is_digit(name.at[*at]); ++*at)
		value = *at - begin < DIGITS_MAX ? value * 10 + (name.at[*at] - (uint32_t)'0') : value;
	*ret = value;
	*plain = *plain && *at - begin == DIGITS_MIN;
	return *at - begin >= DIGITS_MIN && *at - begin <= DIGITS_MAX;
}

/* The numbers behind the dash or underscore at `at`. */
static bool numbers_at(struct bytes name, size_t at, struct shard_number *ret)
{
	static const char of[] = "-of-";
	size_t n = sizeof(of) - 1;

	ret->plain = name.at[at] == '-';
	ret->stem = bytes_of(name.at, at);
	at++;
	if (!take_number(name, &at, &ret->number, &ret->plain) || name.n - at < n || memcmp(name.at + at, of, n) != 0)
		return false;
	at += n;
	if (!take_number(name, &at, &ret->total, &ret->plain))
		return false;
	ret->rest = bytes_of(name.at + at, name.n - at);
	return true;
}

/* From the end: a stem may hold anything.  Linear, for a number is short. */
bool shard_number_parse(struct bytes name, struct shard_number *ret)
{
	for (size_t i = name.n; i > 0; i--)
		if ((name.at[i - 1] == '-' || name.at[i - 1] == '_') && numbers_at(name, i - 1, ret))
			return true;
	return false;
}
