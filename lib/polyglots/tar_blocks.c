/* See tar_blocks.h.  Follows GNU tar 1.34, list.c: tar_checksum(), from_header(). */
#include "tar_blocks.h"

#include <string.h>

#include "checked.h"

#define CHECKSUM 148
#define CHECKSUM_BYTES 8
#define SUM_MAX (TAR_BLOCK * 255)

/* isspace() in the C locale. */
static bool is_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Octal digits behind a NUL and spaces, up to a NUL, a space or the end of the field. */
static bool octal(const uint8_t *field, size_t n, uint64_t *ret)
{
	size_t i = field[0] == 0, begin;
	uint64_t value = 0;

	while (i < n && is_space(field[i]))
		i++;
	for (begin = i; i < n && field[i] >= '0' && field[i] <= '7'; i++)
		value = value << 3 | (uint64_t)(field[i] - '0'); /* 12 digits at most */
	*ret = value;
	return i > begin && (i == n || field[i] == 0 || is_space(field[i]));
}

/* That; or base 256, big endian behind 0x80; or what once was base 64, whose value is not asked for. */
static bool number(const uint8_t *field, size_t n, uint64_t *ret)
{
	uint64_t value = 0;

	if (field[0] != 0x80 && field[0] != '+')
		return octal(field, n, ret);
	for (size_t i = 1; field[0] == 0x80 && i < n; i++) {
		if (value >> 55 != 0)
			return false;
		value = value << 8 | field[i];
	}
	*ret = value;
	return true;
}

/* The sum with its own field taken for spaces; of bytes, or of signed ones, as some once did. */
static bool checksum_is_right(const uint8_t block[TAR_BLOCK])
{
	uint32_t sum = CHECKSUM_BYTES * ' ', high = 0;
	uint64_t stored;

	if (!octal(block + CHECKSUM, CHECKSUM_BYTES, &stored) || stored > SUM_MAX)
		return false;
	for (size_t i = 0; i < TAR_BLOCK; i++) {
		uint8_t c = i < CHECKSUM || i >= CHECKSUM + CHECKSUM_BYTES ? block[i] : 0;

		sum += c;
		high += c >> 7;
	}
	return stored == sum || (sum >= high * 256 && stored == sum - high * 256);
}

/* One character and more in ASCII, and nothing behind them. */
static bool has_name(const uint8_t name[100])
{
	size_t n = 0;

	while (n < 100 && name[n] >= ' ' && name[n] < 0x7f)
		n++;
	for (size_t i = n; i < 100; i++)
		if (name[i] != 0)
			return false;
	return n > 0;
}

static bool looks_meant(const uint8_t *b)
{
	uint64_t n;

	return memcmp(b + 257, "ustar", 5) == 0 || has_name(b) ||
	       number(b + 100, 8, &n) + number(b + 108, 8, &n) + number(b + 116, 8, &n) + number(b + 136, 12, &n) >= 2;
}

bool tar_block_is_header(const uint8_t block[TAR_BLOCK], uint64_t *ret_next)
{
	uint64_t size;

	if (!checksum_is_right(block) || !number(block + 124, 12, &size) || size > INT64_MAX || !looks_meant(block))
		return false;
	*ret_next = TAR_BLOCK + (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
	return true;
}

/* What the checksum's field may begin with: a digit, a space, or a NUL and then one of these. */
static inline bool may_be_header(const uint8_t *block)
{
	uint8_t c = block[CHECKSUM] == 0 ? block[CHECKSUM + 1] : block[CHECKSUM];

	return c <= '7' && (c >= '0' || is_space(c));
}

static void judge(struct tar_blocks *t, const uint8_t *block, uint64_t at)
{
	uint64_t next;

	if (!may_be_header(block) || t->found != 0 || !tar_block_is_header(block, &next))
		return;
	/* What goes on in a member is asked for once. */
	if ((at != t->next || at >= t->until) && !is_judged_member(&t->members, at, &t->until))
		t->found = at;
	if (!add_u64(at, next, &t->next))
		t->next = 0;
}

/* Fill the block that the pieces cut.  Return: bytes taken. */
static size_t feed_carry(struct tar_blocks *t, const uint8_t *at, size_t n, uint64_t offset)
{
	uint64_t begin = offset - t->n_carry;
	size_t some = TAR_BLOCK - t->n_carry < n ? TAR_BLOCK - t->n_carry : n;

	memcpy(t->carry + t->n_carry, at, some);
	t->n_carry += some;
	if (t->n_carry == TAR_BLOCK) {
		judge(t, t->carry, begin);
		t->n_carry = 0;
	}
	return some;
}

void tar_blocks_feed(struct tar_blocks *t, const uint8_t *at, size_t n, uint64_t offset)
{
	size_t i = t->n_carry > 0 ? feed_carry(t, at, n, offset) : 0;

	for (; n - i >= TAR_BLOCK; i += TAR_BLOCK)
		judge(t, at + i, offset + i);
	if (i < n)
		feed_carry(t, at + i, n - i, offset + i);
}
