/* The one door to the file's bytes: see source.h.  Everything that OpenSSL does for us is in this file. */
#include <assert.h>
#include <string.h>

#include <openssl/evp.h>

#include "checked.h"
#include "source.h"

/* What one midstate costs in OpenSSL 3: context, provider context, malloc's own; rounded up. */
#define MIDSTATE_BYTES 256

static EVP_MD *sha256_md; /* fetched once; one digest for the life of the process */

/* For the next pass.  Made ready before the fork, and kept instead of freed, so that a worker which goes once through
 * a small file never comes to the dozen pages of OpenSSL that make and free one: each would be a page fault. */
static struct {
	EVP_MD_CTX *state;
	bool begun;
} spare;

bool sha256_prefetch(void)
{
	if (sha256_md == NULL)
		sha256_md = EVP_MD_fetch(NULL, "SHA256", NULL);
	if (spare.state == NULL)
		spare.state = EVP_MD_CTX_new();
	if (!spare.begun && sha256_md != NULL && spare.state != NULL)
		spare.begun = EVP_DigestInit_ex2(spare.state, sha256_md, NULL) == 1;
	return spare.begun;
}

static EVP_MD_CTX *take_begun(void)
{
	EVP_MD_CTX *state = sha256_prefetch() ? spare.state : NULL;

	if (state != NULL) {
		spare.state = NULL;
		spare.begun = false;
	}
	return state;
}

static void give_back(EVP_MD_CTX *state)
{
	if (spare.state == NULL)
		spare.state = state;
	else
		EVP_MD_CTX_free(state);
}

/* A power of two, so that at most SOURCE_MIDSTATES_MAX blocks make the file. */
static uint64_t block_size_for(uint64_t size)
{
	uint64_t block = SOURCE_BLOCK_MIN;

	while (block < (UINT64_C(1) << 62) && size / SOURCE_MIDSTATES_MAX + (size % SOURCE_MIDSTATES_MAX != 0) > block)
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
		.block_size = block_size_for(size),
	};
}

void source_done(struct source *src)
{
	for (size_t i = 0; i < src->n_midstates; i++)
		EVP_MD_CTX_free(src->midstates[i]);
	give_back(src->hash);
	give_back(src->range_hash);
	*src = (struct source){ 0 };
}

void source_raise_pin_budget(struct source *src, uint64_t bytes)
{
	if (!add_u64(src->pin_budget, bytes, &src->pin_budget))
		src->pin_budget = UINT64_MAX;
}

void source_leave_digest(struct source *src)
{
	assert(src->kind == SOURCE_IMMUTABLE && src->hash == NULL && !src->passed);
	src->undigested = true;
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

bool source_read_exact(struct source *src, uint64_t offset, void *buf, size_t n)
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

/* The digest and its midstates. */

static EVP_MD_CTX *copy_state(const EVP_MD_CTX *state)
{
	EVP_MD_CTX *copy = EVP_MD_CTX_new();

	if (copy != NULL && !EVP_MD_CTX_copy_ex(copy, state)) {
		EVP_MD_CTX_free(copy);
		copy = NULL;
	}
	return copy;
}

static bool save_midstate(struct source *src)
{
	EVP_MD_CTX *state;

	if (src->kind == SOURCE_IMMUTABLE)
		return true;
	if (!arena_charge(src->arena, MIDSTATE_BYTES))
		return source_fail(src, SOURCE_MEMORY);
	state = copy_state(src->hash);
	if (state == NULL)
		return source_fail(src, SOURCE_MEMORY);
	src->midstates[src->n_midstates++] = state;
	return true;
}

bool source_hash_begin(struct source *src)
{
	uint64_t blocks = src->size / src->block_size + (src->size % src->block_size != 0);

	assert(src->hash == NULL && !src->passed);
	if (src->err != SOURCE_OK)
		return false;
	if (src->undigested)
		return true;
	src->hash = take_begun();
	if (src->hash == NULL)
		return source_fail(src, SOURCE_MEMORY);
	if (src->kind == SOURCE_IMMUTABLE)
		return true;
	src->midstates = arena_alloc(src->arena, (size_t)blocks + 1, sizeof(EVP_MD_CTX *));
	if (src->midstates == NULL)
		return source_fail(src, SOURCE_MEMORY);
	return save_midstate(src);
}

bool source_hash_range(struct source *src, uint64_t begin, uint64_t end)
{
	assert(!src->passed && src->range_hash == NULL && begin <= end && inside(src, begin, end - begin));
	if (src->err != SOURCE_OK)
		return false;
	src->range_hash = arena_charge(src->arena, MIDSTATE_BYTES) ? take_begun() : NULL;
	src->range_begin = begin;
	src->range_end = end;
	return src->range_hash != NULL || source_fail(src, SOURCE_MEMORY);
}

/* What of the next n bytes lies in the range. */
static bool add_to_range(struct source *src, const uint8_t *at, size_t n)
{
	uint64_t from = src->range_begin > src->hashed ? src->range_begin - src->hashed : 0;
	uint64_t to = min_u64(n, src->range_end > src->hashed ? src->range_end - src->hashed : 0);

	if (src->range_hash == NULL || from >= to)
		return true;
	return EVP_DigestUpdate(src->range_hash, at + from, (size_t)(to - from)) || source_fail(src, SOURCE_MEMORY);
}

bool source_range_digest(struct source *src, uint8_t ret_digest[32])
{
	assert(src->passed && src->range_hash != NULL);
	if (src->err != SOURCE_OK)
		return false;
	if (!EVP_DigestFinal_ex(src->range_hash, ret_digest, NULL))
		return source_fail(src, SOURCE_MEMORY);
	give_back(src->range_hash);
	src->range_hash = NULL;
	return true;
}

bool source_hash(struct source *src, const uint8_t *at, size_t n)
{
	assert(n <= src->size - src->hashed);
	if (!preview_compare(src, at, n) || !add_to_range(src, at, n))
		return false;
	while (src->err == SOURCE_OK && n > 0) {
		uint64_t to_border = src->block_size - src->hashed % src->block_size;
		size_t piece = (size_t)min_u64(n, to_border);

		if (!src->undigested && !EVP_DigestUpdate(src->hash, at, piece))
			return source_fail(src, SOURCE_MEMORY);
		at += piece;
		n -= piece;
		src->hashed += piece;
		if (piece == to_border || src->hashed == src->size)
			save_midstate(src);
	}
	return src->err == SOURCE_OK;
}

/* Bytes behind the size the caller measured would be bytes nobody judged. */
static bool file_ends(struct source *src)
{
	uint8_t beyond;
	int64_t got = src->read(src->ctx, src->size, &beyond, 1);

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
	else if (!EVP_DigestFinal_ex(src->hash, ret_digest, NULL))
		return source_fail(src, SOURCE_MEMORY);
	else
		give_back(src->hash);
	src->hash = NULL;
	src->passed = true;
	return true;
}

/* Do two states stand for the same bytes?  By what they would end as, which OpenSSL lets us see. */
static bool same_state(EVP_MD_CTX *a, const EVP_MD_CTX *b, bool *ret_same)
{
	EVP_MD_CTX *copy = copy_state(b);
	uint8_t da[32], db[32];
	bool ok = copy != NULL && EVP_DigestFinal_ex(a, da, NULL) && EVP_DigestFinal_ex(copy, db, NULL);

	EVP_MD_CTX_free(copy);
	if (ok)
		*ret_same = memcmp(da, db, sizeof(da)) == 0;
	return ok;
}

/* Hash the block from the midstate before it; it must lead to the one after it. */
static bool verify_block(struct source *src, uint64_t index, size_t n)
{
	EVP_MD_CTX *state = copy_state(src->midstates[index]);
	bool same = false;
	bool ok = state != NULL && EVP_DigestUpdate(state, src->block, n) &&
		  same_state(state, src->midstates[index + 1], &same);

	EVP_MD_CTX_free(state);
	if (!ok)
		return source_fail(src, SOURCE_MEMORY);
	return same || source_fail(src, SOURCE_CHANGED);
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

/* -- digests of other runs -- */

EVP_MD_CTX *sha256_new(void)
{
	return take_begun();
}

void sha256_free(EVP_MD_CTX *state)
{
	if (state != NULL)
		give_back(state);
}

bool sha256_begin(EVP_MD_CTX *state)
{
	return EVP_DigestInit_ex2(state, sha256_md, NULL) == 1;
}

bool sha256_feed(EVP_MD_CTX *state, const uint8_t *at, size_t n)
{
	return EVP_DigestUpdate(state, at, n) == 1;
}

bool sha256_end(EVP_MD_CTX *state, uint8_t ret_digest[32])
{
	return EVP_DigestFinal_ex(state, ret_digest, NULL) == 1;
}
