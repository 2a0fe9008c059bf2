/* Previews: see preview.h. */
#include <assert.h>
#include <string.h>

#include "checked.h"
#include "source.h"

void preview_set_seed(struct source *src, struct siphash_key seed)
{
	assert(src->preview.leaves == NULL);
	src->preview.seed = seed;
}

static size_t block_bytes(const struct source *src, uint64_t index)
{
	return (size_t)min_u64(PREVIEW_BLOCK, src->size - index * PREVIEW_BLOCK);
}

/* Never 0, which means that nobody read the block. */
static uint64_t hash_block(const struct source *src, const uint8_t *at, size_t n)
{
	uint64_t hash = siphash13(at, n, &src->preview.seed);

	return hash != 0 ? hash : 1;
}

/* Where the hash of a block stands; NULL when its part of the table was never needed. */
static uint64_t *find_hash(const struct source *src, uint64_t index)
{
	uint64_t *leaf = src->preview.leaves != NULL ? src->preview.leaves[index / PREVIEW_LEAF_BLOCKS] : NULL;

	return leaf != NULL ? &leaf[index % PREVIEW_LEAF_BLOCKS] : NULL;
}

/* As find_hash(), making room; NULL when the arena is spent. */
static uint64_t *add_hash(struct source *src, uint64_t index)
{
	struct preview *p = &src->preview;
	uint64_t leaf_bytes = PREVIEW_BLOCK * PREVIEW_LEAF_BLOCKS;
	uint64_t **leaf;

	if (p->leaves == NULL)
		p->leaves = arena_alloc(src->arena, (size_t)(src->size / leaf_bytes) + 1, sizeof(*p->leaves));
	if (p->leaves == NULL)
		return NULL;
	leaf = &p->leaves[index / PREVIEW_LEAF_BLOCKS];
	if (*leaf == NULL)
		*leaf = arena_alloc(src->arena, PREVIEW_LEAF_BLOCKS, sizeof(**leaf));
	return *leaf != NULL ? &(*leaf)[index % PREVIEW_LEAF_BLOCKS] : NULL;
}

/* Nobody but us can change an immutable file: nothing to remember. */
static bool guard_block(struct source *src, uint64_t index, size_t n)
{
	uint64_t hash, *known;

	if (src->kind == SOURCE_IMMUTABLE)
		return true;
	known = add_hash(src, index);
	if (known == NULL)
		return source_fail(src, SOURCE_MEMORY);
	hash = hash_block(src, src->preview.block, n);
	if (*known != 0 && *known != hash)
		return source_fail(src, SOURCE_CHANGED);
	*known = hash;
	return true;
}

/* What is pinned is what will be hashed, so it is what is previewed; the rest is read. */
static bool read_block(struct source *src, uint8_t *at, uint64_t begin, uint64_t end)
{
	uint64_t pos = begin;

	for (size_t i = 0; i < src->n_pins && pos < end; i++) {
		const struct source_pin *pin = &src->pins[i];
		uint64_t to = min_u64(pin->end, end);

		if (pin->end <= pos)
			continue;
		if (pin->begin >= end)
			break;
		if (pin->begin > pos) {
			if (!source_read_exact(src, pos, at + (pos - begin), (size_t)(pin->begin - pos)))
				return false;
			pos = pin->begin;
		}
		memcpy(at + (pos - begin), pin->at + (pos - pin->begin), (size_t)(to - pos));
		pos = to;
	}
	return source_read_exact(src, pos, at + (pos - begin), (size_t)(end - pos));
}

const uint8_t *preview_block(struct source *src, uint64_t index, size_t *ret_n)
{
	struct preview *p = &src->preview;
	uint64_t begin = index * PREVIEW_BLOCK;
	size_t n;

	assert(!src->passed && !src->hashing && begin < src->size);
	if (src->err != SOURCE_OK)
		return NULL;
	n = block_bytes(src, index);
	*ret_n = n;
	if (p->valid && p->index == index)
		return p->block;
	if (!work_charge(&src->arena->work, n * PREVIEW_WORK)) {
		source_fail(src, SOURCE_WORK);
		return NULL;
	}
	p->valid = false;
	if (p->block == NULL)
		p->block = arena_alloc(src->arena, (size_t)min_u64(PREVIEW_BLOCK, src->size), 1);
	if (p->block == NULL) {
		source_fail(src, SOURCE_MEMORY);
		return NULL;
	}
	source_expect_more(src, true);
	p->valid = read_block(src, p->block, begin, begin + n) && guard_block(src, index, n);
	source_expect_more(src, false);
	if (!p->valid)
		return NULL;
	p->index = index;
	return p->block;
}

/* A piece of one block.  One that comes whole is hashed where it lies; one that pins or the pass's own blocks split is put
 * together first: the pass goes in order, so there is one such block at a time. */
static bool compare_piece(struct source *src, uint64_t index, const uint8_t *at, size_t n, size_t in_block)
{
	const uint64_t *known = find_hash(src, index);
	size_t whole = block_bytes(src, index);

	if (known == NULL || *known == 0)
		return true;
	if (n < whole) {
		memcpy(src->preview.block + in_block, at, n);
		at = src->preview.block;
	}
	if (in_block + n < whole)
		return true;
	return hash_block(src, at, whole) == *known || source_fail(src, SOURCE_CHANGED);
}

bool preview_compare(struct source *src, const uint8_t *at, size_t n)
{
	uint64_t pos = src->hashed;

	if (src->err != SOURCE_OK)
		return false;
	if (src->preview.leaves == NULL)
		return true;
	while (n > 0) {
		size_t in_block = (size_t)(pos % PREVIEW_BLOCK);
		size_t piece = (size_t)min_u64(n, PREVIEW_BLOCK - in_block);

		if (!compare_piece(src, pos / PREVIEW_BLOCK, at, piece, in_block))
			return false;
		at += piece;
		pos += piece;
		n -= piece;
	}
	return true;
}
