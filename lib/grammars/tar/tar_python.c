/* Headers as tarfile reads them: see tar_python.h.  Follows Lib/tarfile.py of CPython 3.11: nti(), calc_chksums(),
 * TarInfo.frombuf(), TarInfo._proc_member(); the numbers are those of int(text, 8). */
#include "tar_python.h"

#include <string.h>

#include "bytes.h"
#include "checked.h"

#define SIZE_AT 124u
#define SIZE_N 12u
#define SUM_AT 148u
#define SUM_N 8u
#define TYPE_AT 156u
#define NAME_N 100u
#define SPARSE_AT 386u /* of GNU's old sparse files: four pairs of offset and length, */
#define SPARSE_PAIRS 4u
#define SPARSE_SIZE_AT 483u /* and the size of the whole */

#define BINARY 0x80u
#define BINARY_NEGATIVE 0xffu

/* Signed, as far as sums and sizes go: what is larger is as good as endless. */
struct number {
	bool negative, endless;
	uint64_t magnitude;
};

/* -- digits: int(text.strip() or "0", 8) -- */

/* str.strip(), of ASCII. */
static bool is_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
}

static struct bytes strip(struct bytes s)
{
	while (s.n > 0 && is_space(s.at[0]))
		s = bytes_of(s.at + 1, s.n - 1);
	while (s.n > 0 && is_space(s.at[s.n - 1]))
		s.n--;
	return s;
}

static struct bytes behind(struct bytes s, size_t n)
{
	return bytes_of(s.at + n, s.n - n);
}

/* The prefix 0o, and one separator behind it. */
static struct bytes skip_prefix(struct bytes s)
{
	if (s.n < 2 || s.at[0] != '0' || (s.at[1] != 'o' && s.at[1] != 'O'))
		return s;
	s = behind(s, 2);
	return s.n > 0 && s.at[0] == '_' ? behind(s, 1) : s;
}

/* Octal digits with single separators between them.  At most 12 of them: no overflow. */
static bool read_digits(struct bytes s, uint64_t *ret)
{
	bool digit = false;

	*ret = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (s.at[i] == '_' && digit) {
			digit = false;
			continue;
		}
		if (s.at[i] < '0' || s.at[i] > '7')
			return false;
		*ret = *ret * 8 + (uint64_t)(s.at[i] - '0');
		digit = true;
	}
	return digit;
}

static bool read_text(struct bytes s, struct number *ret)
{
	*ret = (struct number){ 0 };
	s = strip(s);
	if (s.n == 0)
		return true;
	if (s.at[0] == '+' || s.at[0] == '-') {
		ret->negative = s.at[0] == '-';
		s = behind(s, 1);
	}
	return read_digits(skip_prefix(s), &ret->magnitude);
}

/* -- numbers in base 256, of two's complement behind ff -- */

static struct number read_binary(const uint8_t *field, size_t n)
{
	struct number v = { .negative = field[0] == BINARY_NEGATIVE };

	for (size_t i = 1; i < n; i++) {
		uint8_t c = v.negative ? (uint8_t)~field[i] : field[i];

		v.endless = v.endless || v.magnitude >> 48 != 0;
		if (!v.endless)
			v.magnitude = v.magnitude << 8 | c;
	}
	v.magnitude += v.negative; /* below 2^56 */
	return v;
}

/* A text ends with a NUL or with its field. */
static bool read_number(const uint8_t *field, size_t n, struct number *ret)
{
	if (field[0] == BINARY || field[0] == BINARY_NEGATIVE) {
		*ret = read_binary(field, n);
		return true;
	}
	return read_text(bytes_of(field, strnlen((const char *)field, n)), ret);
}

/* -- the checksum -- */

static bool number_is(const struct number *v, int64_t want)
{
	uint64_t magnitude = want < 0 ? (uint64_t)-want : (uint64_t)want;

	return !v->endless && v->magnitude == magnitude && (magnitude == 0 || v->negative == (want < 0));
}

/* Its own field taken for blanks; and the same of signed bytes, which some tars once added. */
static bool sum_is(const uint8_t block[TAR_PYTHON_BLOCK], const struct number *stored)
{
	int64_t sum = 0, signed_sum = 0;

	for (size_t i = 0; i < TAR_PYTHON_BLOCK; i++) {
		uint8_t c = i >= SUM_AT && i < SUM_AT + SUM_N ? ' ' : block[i];

		sum += c;
		signed_sum += c < 0x80 ? c : c - 0x100;
	}
	return number_is(stored, sum) || number_is(stored, signed_sum);
}

/* -- the header -- */

static bool is_empty(const uint8_t block[TAR_PYTHON_BLOCK])
{
	for (size_t i = 0; i < TAR_PYTHON_BLOCK; i++)
		if (block[i] != 0)
			return false;
	return true;
}

/* frombuf() would stop at a pair that is no number, but catches another exception than nti() raises. */
static bool sparse_is_sound(const uint8_t block[TAR_PYTHON_BLOCK])
{
	struct number ignored;

	for (size_t i = 0; i < SPARSE_PAIRS * 2; i++)
		if (!read_number(block + SPARSE_AT + i * SIZE_N, SIZE_N, &ignored))
			return false;
	return read_number(block + SPARSE_SIZE_AT, SIZE_N, &ignored);
}

/* Fields that have to be numbers, whatever they are: mode, uid, gid, mtime, devmajor, devminor. */
static bool numbers_are_sound(const uint8_t block[TAR_PYTHON_BLOCK])
{
	static const struct {
		uint16_t at;
		uint8_t n;
	} fields[] = { { 100, 8 }, { 108, 8 }, { 116, 8 }, { 136, 12 }, { 329, 8 }, { 337, 8 } };
	struct number ignored;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!read_number(block + fields[i].at, fields[i].n, &ignored))
			return false;
	return block[TYPE_AT] != 'S' || sparse_is_sound(block);
}

static bool type_is(uint8_t type, const char *types)
{
	return type != 0 && strchr(types, type) != NULL;
}

/* Links, devices and folders have no content, whatever their size says; a file is a folder when its name says so. */
static bool has_content(const uint8_t block[TAR_PYTHON_BLOCK])
{
	size_t name_n = strnlen((const char *)block, NAME_N);

	if (block[TYPE_AT] == 0)
		return name_n == 0 || block[name_n - 1] != '/';
	return !type_is(block[TYPE_AT], "123456");
}

/* Sizes are rounded up to whole blocks, negative ones too.  In front of its first header nobody's archive goes on. */
static void find_next(const uint8_t block[TAR_PYTHON_BLOCK], const struct number *size, struct tar_python *ret)
{
	uint64_t padded = 0;

	if (has_content(block)) {
		if (size->endless || (size->negative && size->magnitude >= TAR_PYTHON_BLOCK))
			return;
		if (!size->negative)
			padded = (size->magnitude + (TAR_PYTHON_BLOCK - 1)) / TAR_PYTHON_BLOCK * TAR_PYTHON_BLOCK;
	}
	ret->has_next = true;
	ret->next = TAR_PYTHON_BLOCK + padded; /* below 2^57 */
}

bool tar_python_header(const uint8_t block[TAR_PYTHON_BLOCK], struct tar_python *ret)
{
	struct number sum, size;

	*ret = (struct tar_python){ 0 };
	if (!read_number(block + SUM_AT, SUM_N, &sum) || !sum_is(block, &sum) || is_empty(block))
		return false;
	if (!read_number(block + SIZE_AT, SIZE_N, &size) || !numbers_are_sound(block))
		return false;
	ret->spelt = sum.magnitude != 0 || sum.endless;
	ret->extended = type_is(block[TYPE_AT], "LKSxgX");
	find_next(block, &size, ret);
	return true;
}
