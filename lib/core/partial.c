/* See partial.h. */
#include "partial.h"

#include <string.h>

#include "checked.h"

#define HEAD_BYTES (8 + 1 + 4 + 4)
#define AHEAD_TIMES 15u /* of what is there in a row: sixteen times as much each time */

/* ---- the document ---- */

size_t partial_encode(const struct partial *p, uint8_t *at)
{
	uint8_t *to = at + HEAD_BYTES;

	memcpy(at, PARTIAL_MAGIC, 8);
	at[8] = (uint8_t)((p->known ? 1 : 0) | (p->sparse ? 2 : 0));
	store_u32le(at + 9, (uint32_t)p->n_there);
	store_u32le(at + 13, (uint32_t)p->n_blocks);
	for (size_t i = 0; i < p->n_there; i++, to += 16) {
		store_u64le(to, p->there[i].begin);
		store_u64le(to + 8, p->there[i].end);
	}
	for (size_t i = 0; i < p->n_blocks; i++, to += 8 + SHA256_BYTES) {
		store_u64le(to, p->blocks[i].index);
		memcpy(to + 8, p->blocks[i].sha256, SHA256_BYTES);
	}
	return (size_t)(to - at);
}

static bool is_in_order(const struct partial *p)
{
	for (size_t i = 0; i < p->n_there; i++)
		if (p->there[i].begin >= p->there[i].end || (i > 0 && p->there[i].begin <= p->there[i - 1].end))
			return false;
	for (size_t i = 1; i < p->n_blocks; i++)
		if (p->blocks[i].index <= p->blocks[i - 1].index)
			return false;
	return (p->known || p->n_blocks == 0) && (p->sparse || p->n_there == 0);
}

bool partial_decode(struct bytes at, struct partial *ret)
{
	const uint8_t *from = at.at + HEAD_BYTES;

	memset(ret, 0, sizeof(*ret));
	if (at.n < HEAD_BYTES || memcmp(at.at, PARTIAL_MAGIC, 8) != 0 || at.at[8] > 3)
		return false;
	ret->known = at.at[8] & 1;
	ret->sparse = at.at[8] & 2;
	ret->n_there = load_u32le(at.at + 9);
	ret->n_blocks = load_u32le(at.at + 13);
	if (ret->n_there > PARTIAL_RANGES_MAX || ret->n_blocks > PARTIAL_BLOCKS_MAX ||
	    at.n - HEAD_BYTES != ret->n_there * 16 + ret->n_blocks * (8 + SHA256_BYTES))
		return false;
	for (size_t i = 0; i < ret->n_there; i++, from += 16)
		ret->there[i] = (struct partial_range){ load_u64le(from), load_u64le(from + 8) };
	for (size_t i = 0; i < ret->n_blocks; i++, from += 8 + SHA256_BYTES) {
		ret->blocks[i].index = load_u64le(from);
		memcpy(ret->blocks[i].sha256, from + 8, SHA256_BYTES);
	}
	return is_in_order(ret);
}

/* ---- what is there ---- */

bool partial_has(const struct partial *p, uint64_t begin, uint64_t end)
{
	for (size_t i = 0; i < p->n_there; i++)
		if (p->there[i].begin <= begin && end <= p->there[i].end)
			return true;
	return !p->sparse || begin >= end;
}

/* Bytes in a row that are there up to @at. */
static uint64_t there_before(const struct partial *p, uint64_t at)
{
	for (size_t i = 0; i < p->n_there; i++)
		if (p->there[i].begin < at && at <= p->there[i].end)
			return at - p->there[i].begin;
	return 0;
}

static uint64_t there_from(const struct partial *p, uint64_t at)
{
	for (size_t i = 0; i < p->n_there; i++)
		if (p->there[i].begin <= at && at < p->there[i].end)
			return p->there[i].end;
	return at;
}

void partial_want(struct partial *p, uint64_t begin, uint64_t end, uint64_t size)
{
	uint64_t more = 0, up;

	begin = there_from(p, begin);
	if (begin >= end)
		return;
	if (p->ahead) {
		more = min_u64(there_before(p, begin), PARTIAL_AHEAD_MAX / AHEAD_TIMES) * AHEAD_TIMES;
		more = more > 0 ? more : PARTIAL_BLOCK; /* what begins at the end of a block goes on in the next */
	}
	begin -= begin % PARTIAL_BLOCK;
	up = add_u64(end, more + PARTIAL_BLOCK - 1, &up) ? up - up % PARTIAL_BLOCK : size;
	end = min_u64(up, size);
	if (p->n_wanted > 0 && begin >= p->wanted[p->n_wanted - 1].begin && begin <= p->wanted[p->n_wanted - 1].end) {
		if (end > p->wanted[p->n_wanted - 1].end)
			p->wanted[p->n_wanted - 1].end = end;
		return;
	}
	if (p->n_wanted < PARTIAL_RANGES_MAX)
		p->wanted[p->n_wanted++] = (struct partial_range){ begin, end };
}

/* At most PARTIAL_RANGES_MAX, mostly in order. */
static void sort_wanted(struct partial *p)
{
	for (size_t i = 1; i < p->n_wanted; i++) {
		const struct partial_range r = p->wanted[i];
		size_t at = i;

		for (; at > 0 && p->wanted[at - 1].begin > r.begin; at--)
			p->wanted[at] = p->wanted[at - 1];
		p->wanted[at] = r;
	}
}

void partial_sort(struct partial *p)
{
	size_t n = 0;

	sort_wanted(p);
	for (size_t i = 0; i < p->n_wanted; i++) {
		const struct partial_range r = p->wanted[i];

		if (n == 0 || r.begin > p->wanted[n - 1].end)
			p->wanted[n++] = r;
		else if (r.end > p->wanted[n - 1].end)
			p->wanted[n - 1].end = r.end;
	}
	p->n_wanted = n;
}

/* ---- blocks ---- */

/* The first block of this index or above. */
static size_t find_from(const struct partial_block *list, size_t n, uint64_t index)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (list[middle].index < index)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

const struct partial_block *partial_find(const struct partial *p, uint64_t index)
{
	size_t i = find_from(p->blocks, p->n_blocks, index);

	return i < p->n_blocks && p->blocks[i].index == index ? &p->blocks[i] : NULL;
}

void partial_note(struct partial_notes *n, uint64_t begin, uint64_t end)
{
	for (uint64_t index = begin / PARTIAL_BLOCK; begin < end && index <= (end - 1) / PARTIAL_BLOCK && !n->over;
	     index++) {
		size_t i = find_from(n->blocks, n->n, index);

		if (i < n->n && n->blocks[i].index == index)
			continue;
		n->over = n->n == PARTIAL_BLOCKS_MAX;
		if (n->over)
			return;
		memmove(&n->blocks[i + 1], &n->blocks[i], (n->n - i) * sizeof(n->blocks[0]));
		n->blocks[i].index = index;
		n->n++;
	}
}

void partial_pass(struct partial_notes *n, const uint8_t *at, uint64_t offset, size_t size, uint64_t file_size)
{
	uint64_t end = offset + size;

	while (!n->over && n->next < n->n) {
		struct partial_block *b = &n->blocks[n->next];
		uint64_t first = b->index * PARTIAL_BLOCK, last = min_u64(first + PARTIAL_BLOCK, file_size);
		uint64_t from = first > offset ? first : offset, to = min_u64(last, end);

		if (from >= to)
			return;
		if (from == first)
			sha256_begin(&n->digest);
		sha256_feed(&n->digest, at + (from - offset), (size_t)(to - from));
		if (to < last)
			return;
		sha256_end(&n->digest, b->sha256);
		n->next++;
	}
}

/* ---- as text ---- */

static bool take_number(struct bytes *text, uint64_t *ret)
{
	size_t n = 0;

	*ret = 0;
	for (; n < text->n && text->at[n] >= '0' && text->at[n] <= '9'; n++)
		if (!mul_u64(*ret, 10, ret) || !add_u64(*ret, (uint64_t)(text->at[n] - '0'), ret))
			return false;
	*text = bytes_of(text->at + n, text->n - n);
	return n > 0 && *ret < INT64_MAX;
}

static bool take_byte(struct bytes *text, char c)
{
	if (text->n == 0 || text->at[0] != (uint8_t)c)
		return false;
	*text = bytes_of(text->at + 1, text->n - 1);
	return true;
}

bool partial_read_ranges(struct bytes text, struct partial *ret)
{
	ret->n_there = 0;
	ret->sparse = true;
	if (bytes_equal(text, bytes_of_text("none")))
		return true;
	do {
		struct partial_range r;
		size_t n = ret->n_there;

		if (n == PARTIAL_RANGES_MAX || !take_number(&text, &r.begin) || !take_byte(&text, '-') ||
		    !take_number(&text, &r.end) || r.end < r.begin)
			return false;
		r.end++; /* the last byte is named */
		if (n > 0 && r.begin < ret->there[n - 1].end)
			return false;
		if (n > 0 && r.begin == ret->there[n - 1].end)
			ret->there[n - 1].end = r.end;
		else
			ret->there[ret->n_there++] = r;
	} while (take_byte(&text, ','));
	return text.n == 0;
}
