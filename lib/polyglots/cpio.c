/* P20, cpio: GNU cpio and pax skip whatever is no header, byte by byte; 7-Zip looks in the first 8 MiB [measured with 2.13,
 * 26.02].  Two archives in ASCII and the old binary one, cpio(5).  GNU cpio complains about a number that is none and goes on,
 * and takes a name without its NUL: so a type of file and the length of a name are asked for, or that all numbers are some. */
#include "probes.h"

#include "cpio.h"

#include "checked.h"
#include "hex.h"

#define NAME_MAX_BYTES 4096u /* PATH_MAX: what a system opens */
#define BINARY_HEADER 26u

struct cpio_ascii {
	size_t header, mode, name, digits; /* its bytes; where mode and length of the name stand, and their digits */
	unsigned base;
};

static const struct cpio_ascii new_ascii = { 110, 14, 94, 8, 16 }, old_ascii = { 76, 18, 59, 6, 8 };

static unsigned digit_of(uint8_t c)
{
	int digit = hex_digit(c);

	return digit < 0 ? 16 : (unsigned)digit;
}

/* Behind spaces, digits up to the first that is none. */
static uint64_t number_of(const uint8_t *field, size_t n, unsigned base)
{
	uint64_t value = 0;
	size_t i = 0;

	while (i < n && field[i] == ' ')
		i++;
	for (; i < n && digit_of(field[i]) < base; i++)
		value = value * base + digit_of(field[i]);
	return value;
}

static bool all_digits(const uint8_t *b, size_t n, unsigned base)
{
	for (size_t i = 0; i < n; i++)
		if (digit_of(b[i]) >= base)
			return false;
	return true;
}

/* Is this the mode of a named pipe, device, directory, file, link or socket? */
static bool has_type(uint64_t mode)
{
	return mode <= 0xffff && (0x1556u >> (mode >> 12) & 1) != 0;
}

/* Chance: 2^23 places; 46 bits, 15 of a mode and 3 of a length. */
bool cpio_is_ascii(struct bytes b)
{
	const struct cpio_ascii *a = b.at[5] == '7' ? &old_ascii : &new_ascii;
	uint64_t n;

	if ((b.at[5] != '1' && b.at[5] != '2' && b.at[5] != '7') || b.n < a->header)
		return false;
	n = number_of(b.at + a->name, a->digits, a->base);
	return n >= 2 && n <= NAME_MAX_BYTES &&
	       (has_type(number_of(b.at + a->mode, a->digits, a->base)) || all_digits(b.at, a->header, a->base));
}

static uint16_t word(const uint8_t *b, unsigned i, bool big)
{
	return (uint16_t)(big ? b[2 * i] << 8 | b[2 * i + 1] : b[2 * i + 1] << 8 | b[2 * i]);
}

static bool is_printable(const uint8_t *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (name[i] < ' ' || name[i] == 0x7f)
			return false;
	return true;
}

/* A type of file, and a name of a length that a system opens, of characters (cpio(5), "Old Binary Format").  The rest, where not
 * all of the name is here, after the pass. */
static bool is_binary(struct bytes b, bool big)
{
	size_t n = b.n >= BINARY_HEADER ? word(b.at, 10, big) : 0;

	return n >= 2 && n <= NAME_MAX_BYTES && has_type(word(b.at, 3, big)) && b.n > BINARY_HEADER &&
	       b.at[BINARY_HEADER] > ' ' && b.at[BINARY_HEADER] < 0x7f &&
	       is_printable(b.at + BINARY_HEADER, min_u64(n - 1, b.n - BINARY_HEADER));
}

bool cpio_is_little(struct bytes b)
{
	return is_binary(b, false);
}

bool cpio_is_big(struct bytes b)
{
	return is_binary(b, true);
}

/* The header, and a name of characters.  Return: bytes up to the next header; 0: it is none. */
static uint64_t binary_member(struct view *v, uint64_t at, bool big)
{
	uint8_t b[BINARY_HEADER], name[NAME_MAX_BYTES];
	uint64_t size;
	size_t n;

	if (!look(v, at, b, sizeof(b)) || word(b, 0, big) != 070707)
		return 0;
	n = word(b, 10, big);
	if (n < 2 || n > sizeof(name) || !look(v, at + sizeof(b), name, n) || !is_printable(name, n - 1))
		return 0;
	size = (uint64_t)word(b, 11, big) << 16 | word(b, 12, big);
	return BINARY_HEADER + n + n % 2 + size + size % 2;
}

/* A second header behind it; or, of one alone, a number of links and no device, as every writer says of a file.
 * Chance: 2^23 places; 31 bits, and as many again or 24. */
static bool confirm_binary(struct view *v, uint64_t at, bool big)
{
	uint8_t b[BINARY_HEADER];
	uint64_t n = binary_member(v, at, big);

	if (n == 0 || !look(v, at, b, sizeof(b)))
		return false;
	return (word(b, 6, big) >= 1 && word(b, 6, big) <= 255 && word(b, 7, big) == 0) ||
	       binary_member(v, at + n, big) != 0;
}

static bool confirm_le(struct view *v, const struct search_hit *h)
{
	return confirm_binary(v, h->at, false);
}

static bool confirm_be(struct view *v, const struct search_hit *h)
{
	return confirm_binary(v, h->at, true);
}

static bool find_kind(struct view *v, enum search_kind kind, const char *evidence, confirm_hit confirm)
{
	return judge_first(v, kind, WLK_F_POLYGLOT_CPIO, "cpio", evidence, confirm);
}

void find_cpio(struct view *v)
{
	if (!find_kind(v, SEARCH_CPIO, "a header in ASCII, and a name", no_more_asked) &&
	    !find_kind(v, SEARCH_CPIO_LE, "a binary header, and a name", confirm_le))
		find_kind(v, SEARCH_CPIO_BE, "a binary header, and a name", confirm_be);
}
