/* The one door to the file's bytes: see source.h. */
#include <assert.h>
#include <string.h>

#include "checked.h"
#include "source.h"

/* A power of two, so that at most SOURCE_BLOCKS_MAX blocks make the file. */
uint64_t source_block_size(uint64_t size)
{
	uint64_t block = SOURCE_BLOCK_MIN;

	while (block < (UINT64_C(1) << 62) && size / SOURCE_BLOCKS_MAX + (size % SOURCE_BLOCKS_MAX != 0) > block)
		block *= 2;
	return block;
}

void source_init(struct source *src, source_read_fn read, void *ctx, uint64_t size, enum source_kind kind,
    struct arena *arena, uint64_t pin_budget)
{
	*src = (struct source){
		.read = read,
		.ctx = ctx,
		.size = size,
		.kind = kind,
		.arena = arena,
		.pin_budget = pin_budget,
		.reread_budget = size,
		.block_size = source_block_size(size),
	};
}

void source_done(struct source *src)
{
	*src = (struct source){ 0 };
}

void source_raise_pin_budget(struct source *src, uint64_t bytes)
{
	if (!add_u64(src->pin_budget, bytes, &src->pin_budget))
		src->pin_budget = UINT64_MAX;
}

void source_leave_digest(struct source *src)
{
	assert(src->kind == SOURCE_IMMUTABLE && !src->hashing && !src->passed);
	src->undigested = true;
}

void source_follow(struct source *src, const struct source_flow *flow)
{
	assert(src->kind == SOURCE_MUTABLE && !src->hashing && !src->passed);
	src->undigested = true;
	src->flow = flow;
}

enum wlk_cause source_cause(enum source_err err)
{
	switch (err) {
	case SOURCE_UNREADABLE: return WLK_CAUSE_INPUT_UNREADABLE;
	case SOURCE_TRUNCATED: return WLK_CAUSE_INPUT_TRUNCATED;
	case SOURCE_CHANGED: return WLK_CAUSE_INPUT_CHANGED;
	case SOURCE_MEMORY: return WLK_CAUSE_LIMIT_MEMORY;
	case SOURCE_BUDGET: return WLK_CAUSE_LIMIT_REREAD;
	case SOURCE_WORK: return WLK_CAUSE_LIMIT_WORK;
	case SOURCE_ABSENT: return WLK_CAUSE_INPUT_ABSENT;
	case SOURCE_UNPROVEN: return WLK_CAUSE_INPUT_UNPROVEN;
	case SOURCE_OK: break;
	}
	assert(false);
	return WLK_CAUSE_INTERNAL;
}

bool source_fail(struct source *src, enum source_err err)
{
	if (src->err == SOURCE_OK)
		src->err = err;
	return false;
}

static bool inside(const struct source *src, uint64_t offset, uint64_t n)
{
	return offset <= src->size && n <= src->size - offset;
}

static bool read_whole(struct source *src, uint64_t offset, void *buf, size_t n)
{
	uint8_t *at = buf;

	while (src->err == SOURCE_OK && n > 0) {
		int64_t got = src->read(src->ctx, offset, at, n);

		if (got < 0 || (uint64_t)got > n)
			return source_fail(src, SOURCE_UNREADABLE);
		if (got == 0)
			return source_fail(src, SOURCE_TRUNCATED);
		at += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return src->err == SOURCE_OK;
}

/* A file of which not all is there, or must be what was noted: partial.h. */

void source_note(struct source *src, struct partial_notes *notes)
{
	src->notes = notes;
	if (src->size == 0)
		return;
	partial_note(notes, 0, 1);
	partial_note(notes, src->size - 1, src->size);
}

void source_want(struct source *src, uint64_t offset, uint64_t n)
{
	if (src->partial != NULL && src->partial->sparse && offset < src->size)
		partial_want(src->partial, offset, offset + min_u64(n, src->size - offset), src->size);
}

bool source_forgive_absent(struct source *src)
{
	if (src->err != SOURCE_ABSENT)
		return false;
	src->err = SOURCE_OK;
	return true;
}

void source_expect_more(struct source *src, bool ahead)
{
	if (src->partial != NULL)
		src->partial->ahead = ahead;
}

/* Before anybody parses a byte of it. */
static bool read_block_proven(struct source *src, uint64_t index, uint8_t *block, size_t n)
{
	const struct partial_block *known = partial_find(src->partial, index);
	uint8_t digest[SHA256_BYTES];
	struct sha256 state;

	if (known == NULL)
		return source_fail(src, SOURCE_UNPROVEN);
	if (!read_whole(src, index * PARTIAL_BLOCK, block, n))
		return false;
	sha256_begin(&state);
	sha256_feed(&state, block, n);
	sha256_end(&state, digest);
	return memcmp(digest, known->sha256, sizeof(digest)) == 0 || source_fail(src, SOURCE_CHANGED);
}

static bool read_proven(struct source *src, uint64_t offset, uint8_t *to, size_t n)
{
	if (src->block == NULL)
		src->block = arena_alloc(src->arena, PARTIAL_BLOCK, 1);
	if (src->block == NULL)
		return source_fail(src, SOURCE_MEMORY);
	while (n > 0) {
		uint64_t index = offset / PARTIAL_BLOCK, first = index * PARTIAL_BLOCK;
		size_t whole = (size_t)min_u64(PARTIAL_BLOCK, src->size - first);
		size_t piece = (size_t)min_u64(n, first + whole - offset);

		if (!src->block_valid || src->block_index != index) {
			src->block_valid = read_block_proven(src, index, src->block, whole);
			src->block_index = index;
		}
		if (!src->block_valid)
			return false;
		memcpy(to, src->block + (offset - first), piece);
		to += piece;
		offset += piece;
		n -= piece;
	}
	return true;
}

static bool read_partly(struct source *src, uint64_t offset, void *buf, size_t n)
{
	struct partial *p = src->partial;
	uint64_t begin = offset, end = offset + n;

	if (p->known) {
		begin -= begin % PARTIAL_BLOCK;
		end = min_u64(end + (PARTIAL_BLOCK - 1 - (end - 1) % PARTIAL_BLOCK), src->size);
	}
	if (!partial_has(p, begin, end)) {
		source_want(src, begin, end - begin);
		return source_fail(src, SOURCE_ABSENT);
	}
	return p->known ? read_proven(src, offset, buf, n) : read_whole(src, offset, buf, n);
}

bool source_read_exact(struct source *src, uint64_t offset, void *buf, size_t n)
{
	if (src->notes != NULL && !src->hashing && !src->passed)
		partial_note(src->notes, offset, offset + n);
	if (src->partial != NULL && src->err == SOURCE_OK && n > 0)
		return read_partly(src, offset, buf, n);
	return read_whole(src, offset, buf, n);
}

/* Pins.  They are few, sorted and disjoint; a new range swallows those it touches, so that its bytes lie in
 * one piece.  What an earlier pin handed out stays valid: the same bytes, in the arena. */

static const struct source_pin *pin_holding(const struct source *src, uint64_t begin, uint64_t end)
{
	for (size_t i = 0; i < src->n_pins; i++) {
		if (src->pins[i].begin <= begin && end <= src->pins[i].end)
			return &src->pins[i];
	}
	return NULL;
}

/* Fill [begin, end) of a joined pin: what pins first..last have is copied, the rest is read. */
static bool fill_pin(struct source *src, uint8_t *at, uint64_t begin, uint64_t end, size_t first, size_t last)
{
	uint64_t pos = begin;

	for (size_t i = first; i < last; i++) {
		const struct source_pin *pin = &src->pins[i];

		if (!source_read_exact(src, pos, at + (pos - begin), (size_t)(pin->begin - pos)))
			return false;
		memcpy(at + (pin->begin - begin), pin->at, (size_t)(pin->end - pin->begin));
		pos = pin->end;
	}
	return source_read_exact(src, pos, at + (pos - begin), (size_t)(end - pos));
}

/* Put one pin in the place of pins first..last. */
static void replace_pins(struct source *src, size_t first, size_t last, struct source_pin pin)
{
	memmove(&src->pins[first + 1], &src->pins[last], (src->n_pins - last) * sizeof(pin));
	src->pins[first] = pin;
	src->n_pins = src->n_pins + 1 - (last - first);
}

static const struct source_pin *add_pin(struct source *src, uint64_t begin, uint64_t end)
{
	size_t first = 0, last;
	uint64_t fresh;
	uint8_t *at;

	while (first < src->n_pins && src->pins[first].end <= begin)
		first++;
	last = first;
	while (last < src->n_pins && src->pins[last].begin < end)
		last++;
	if (last > first) {
		begin = min_u64(begin, src->pins[first].begin);
		end = src->pins[last - 1].end > end ? src->pins[last - 1].end : end;
	}
	fresh = end - begin;
	for (size_t i = first; i < last; i++)
		fresh -= src->pins[i].end - src->pins[i].begin;
	if (fresh > src->pin_budget || (last == first && src->n_pins == SOURCE_PINS_MAX)) {
		source_fail(src, SOURCE_MEMORY);
		return NULL;
	}
	at = arena_alloc(src->arena, (size_t)(end - begin), 1);
	if (at == NULL) {
		source_fail(src, SOURCE_MEMORY);
		return NULL;
	}
	if (!fill_pin(src, at, begin, end, first, last))
		return NULL;
	src->pin_budget -= fresh;
	replace_pins(src, first, last, (struct source_pin){ .begin = begin, .end = end, .at = at });
	return &src->pins[first];
}

const uint8_t *source_pin(struct source *src, uint64_t offset, size_t n)
{
	const struct source_pin *pin;

	assert(!src->passed && inside(src, offset, n));
	if (src->err != SOURCE_OK)
		return NULL;
	if (n == 0)
		return (const uint8_t *)"";
	pin = pin_holding(src, offset, offset + n);
	if (pin == NULL)
		pin = add_pin(src, offset, offset + n);
	return pin != NULL ? pin->at + (offset - pin->begin) : NULL;
}

/* The digest and its chaining values. */

static uint64_t n_blocks(const struct source *src)
{
	return src->size / src->block_size + (src->size % src->block_size != 0);
}

bool source_hash_begin(struct source *src)
{
	assert(!src->hashing && !src->passed);
	if (src->err != SOURCE_OK)
		return false;
	src->hashing = true;
	if (src->undigested)
		return true;
	sha256_begin(&src->hash);
	if (src->kind == SOURCE_IMMUTABLE)
		return true;
	src->chains = arena_alloc(src->arena, (size_t)n_blocks(src) + 1, sizeof(*src->chains));
	return src->chains != NULL || source_fail(src, SOURCE_MEMORY);
}

bool source_hash_range(struct source *src, uint64_t begin, uint64_t end)
{
	assert(!src->passed && src->range_hash == NULL && begin <= end && inside(src, begin, end - begin));
	if (src->err != SOURCE_OK)
		return false;
	src->range_hash = arena_alloc(src->arena, 1, sizeof(*src->range_hash));
	if (src->range_hash == NULL)
		return source_fail(src, SOURCE_MEMORY);
	sha256_begin(src->range_hash);
	src->range_begin = begin;
	src->range_end = end;
	return true;
}

/* What of the next n bytes lies in the range. */
static void add_to_range(struct source *src, const uint8_t *at, size_t n)
{
	uint64_t from = src->range_begin > src->hashed ? src->range_begin - src->hashed : 0;
	uint64_t to = min_u64(n, src->range_end > src->hashed ? src->range_end - src->hashed : 0);

	if (src->range_hash != NULL && from < to)
		sha256_feed(src->range_hash, at + from, (size_t)(to - from));
}

bool source_range_digest(struct source *src, uint8_t ret_digest[32])
{
	assert(src->passed && src->range_hash != NULL);
	if (src->err != SOURCE_OK)
		return false;
	sha256_end(src->range_hash, ret_digest);
	src->range_hash = NULL;
	return true;
}

/* What was pinned is what goes by. */
static bool pins_compare(struct source *src, const uint8_t *at, size_t n)
{
	uint64_t begin = src->hashed, end = begin + n;

	for (size_t i = 0; i < src->n_pins; i++) {
		const struct source_pin *pin = &src->pins[i];
		uint64_t from = pin->begin > begin ? pin->begin : begin, to = min_u64(pin->end, end);

		if (from < to && memcmp(at + (from - begin), pin->at + (from - pin->begin), (size_t)(to - from)) != 0)
			return source_fail(src, SOURCE_CHANGED);
	}
	return true;
}

/* One's own digest, with the chaining value before each block of a mutable file. */
static void take_digest(struct source *src, const uint8_t *at, size_t n)
{
	uint64_t pos = src->hashed;

	while (n > 0) {
		uint64_t in_block = pos % src->block_size;
		size_t piece = (size_t)min_u64(n, src->block_size - in_block);

		if (in_block == 0 && src->chains != NULL)
			sha256_chain(&src->hash, src->chains[pos / src->block_size]);
		sha256_feed(&src->hash, at, piece);
		at += piece;
		pos += piece;
		n -= piece;
	}
}

bool source_hash(struct source *src, const uint8_t *at, size_t n)
{
	assert(n <= src->size - src->hashed);
	if ((src->flow != NULL && !pins_compare(src, at, n)) || !preview_compare(src, at, n))
		return false;
	add_to_range(src, at, n);
	if (!src->undigested)
		take_digest(src, at, n);
	if (src->notes != NULL)
		partial_pass(src->notes, at, src->hashed, n, src->size);
	src->hashed += n;
	return true;
}

/* Bytes behind the size the caller measured would be bytes nobody judged.  Of what flows by, who hashed it has looked. */
static bool file_ends(struct source *src)
{
	uint8_t beyond;
	int64_t got = src->flow != NULL ? 0 : src->read(src->ctx, src->size, &beyond, 1);

	if (got < 0)
		return source_fail(src, SOURCE_UNREADABLE);
	return got == 0 || source_fail(src, SOURCE_CHANGED);
}

bool source_hash_end(struct source *src, uint8_t ret_digest[32])
{
	if (src->err != SOURCE_OK || !file_ends(src))
		return false;
	assert(src->hashed == src->size);
	if (src->undigested)
		memset(ret_digest, 0, 32);
	else
		sha256_end(&src->hash, ret_digest);
	if (src->chains != NULL)
		memcpy(src->chains[n_blocks(src)], ret_digest, sizeof(src->chains[0]));
	src->hashing = false;
	src->passed = true;
	return true;
}

const uint8_t *source_flowing(struct source *src, uint64_t offset, size_t n)
{
	const uint8_t *at = src->flow->at(src->flow->ctx, offset, n);

	if (at == NULL)
		source_fail(src, SOURCE_UNREADABLE);
	return at;
}

bool source_flowed(struct source *src, uint64_t offset)
{
	return src->flow == NULL || src->flow->intact(src->flow->ctx, offset) || source_fail(src, SOURCE_UNREADABLE);
}

/* The chaining values, once all are there.  NULL: they will not come. */
static const uint8_t (*chains_of(struct source *src))[SHA256_BYTES]
{
	return src->flow != NULL ? src->flow->chains(src->flow->ctx) : (const uint8_t(*)[SHA256_BYTES])src->chains;
}

/* Hash the block from the value before it; it must lead to the one after it, which for the last block is the digest. */
static bool verify_block(struct source *src, uint64_t index, size_t n)
{
	const uint8_t(*chains)[SHA256_BYTES] = chains_of(src);
	uint8_t after[SHA256_BYTES];
	struct sha256 state;

	if (chains == NULL)
		return source_fail(src, SOURCE_UNREADABLE);
	sha256_resume(&state, chains[index], index * src->block_size);
	sha256_feed(&state, src->block, n);
	if (index + 1 == n_blocks(src))
		sha256_end(&state, after);
	else
		sha256_chain(&state, after);
	return memcmp(after, chains[index + 1], sizeof(after)) == 0 || source_fail(src, SOURCE_CHANGED);
}

/* The file was long enough a moment ago. */
static bool read_again(struct source *src, uint64_t offset, void *buf, size_t n)
{
	if (source_read_exact(src, offset, buf, n))
		return true;
	if (src->err == SOURCE_TRUNCATED)
		src->err = SOURCE_CHANGED;
	return false;
}

static bool load_block(struct source *src, uint64_t index)
{
	uint64_t begin = index * src->block_size;
	uint64_t n = min_u64(src->block_size, src->size - begin);

	if (src->block_valid && src->block_index == index)
		return true;
	src->block_valid = false;
	if (n > src->reread_budget)
		return source_fail(src, SOURCE_BUDGET);
	src->reread_budget -= n;
	if (src->block == NULL)
		src->block = arena_alloc(src->arena, (size_t)min_u64(src->block_size, src->size), 1);
	if (src->block == NULL)
		return source_fail(src, SOURCE_MEMORY);
	if (!read_again(src, begin, src->block, (size_t)n) || !verify_block(src, index, (size_t)n))
		return false;
	src->block_index = index;
	src->block_valid = true;
	return true;
}

/* From verified blocks, one after the other. */
static bool reread_blocks(struct source *src, uint64_t offset, uint8_t *buf, size_t n)
{
	while (n > 0) {
		uint64_t index = offset / src->block_size, in_block = offset % src->block_size;
		size_t piece = (size_t)min_u64(n, src->block_size - in_block);

		if (!load_block(src, index))
			return false;
		memcpy(buf, src->block + in_block, piece);
		buf += piece;
		offset += piece;
		n -= piece;
	}
	return true;
}

bool source_reread(struct source *src, uint64_t offset, void *buf, size_t n)
{
	const struct source_pin *pin;

	assert(src->passed && inside(src, offset, n));
	if (src->err != SOURCE_OK)
		return false;
	pin = pin_holding(src, offset, offset + n);
	if (pin != NULL && n > 0) {
		memcpy(buf, pin->at + (offset - pin->begin), n);
		return true;
	}
	if (src->kind == SOURCE_IMMUTABLE)
		return read_again(src, offset, buf, n);
	return reread_blocks(src, offset, buf, n);
}
