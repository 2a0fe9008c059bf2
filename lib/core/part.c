/* Parts: see part.h. */
#include <assert.h>
#include <string.h>

#include "checked.h"
#include "part.h"

#define PIECE_WORK 64u /* to hand a piece out, whatever is done with it */
#define PIECE_BYTES 4u /* bytes of it for one more */

struct part part_of_file(struct source *src)
{
	return (struct part){ .src = src, .size = src->size };
}

static bool inside(const struct part *p, uint64_t offset, uint64_t n)
{
	return offset <= p->size && n <= p->size - offset;
}

struct part part_range(const struct part *p, uint64_t offset, uint64_t n)
{
	struct part range = *p;

	assert(inside(p, offset, n));
	if (p->copy != NULL)
		range.copy += offset;
	else
		range.origin += offset; /* both inside the file */
	range.size = n;
	return range;
}

void part_want(const struct part *p, uint64_t offset, uint64_t n)
{
	if (p->copy == NULL && offset < p->size)
		source_want(p->src, p->origin + offset, min_u64(n, p->size - offset));
}

const uint8_t *part_pin(const struct part *p, uint64_t offset, size_t n)
{
	assert(inside(p, offset, n));
	if (p->copy != NULL)
		return p->copy + offset;
	return source_pin(p->src, p->origin + offset, n);
}

/* The bytes at an offset of the part, up to the next border of a block.  NULL: the source says why. */
static const uint8_t *piece_at(const struct part *p, uint64_t offset, size_t *ret_n)
{
	uint64_t at = p->origin + offset;
	const uint8_t *block;
	size_t n, in_block;

	if (p->copy != NULL) {
		*ret_n = (size_t)min_u64(PREVIEW_BLOCK, p->size - offset);
		return p->copy + offset;
	}
	block = preview_block(p->src, at / PREVIEW_BLOCK, &n);
	if (block == NULL)
		return NULL;
	in_block = (size_t)(at % PREVIEW_BLOCK);
	*ret_n = (size_t)min_u64(n - in_block, p->size - offset);
	return block + in_block;
}

bool part_preview(const struct part *p, uint64_t from, struct feeder f)
{
	uint64_t pos = from;

	assert(from <= p->size);
	while (pos < p->size) {
		size_t n;
		const uint8_t *at = piece_at(p, pos, &n);
		uint64_t next;

		if (at == NULL)
			return false;
		if (!work_charge(&p->src->arena->work, PIECE_WORK + n / PIECE_BYTES))
			return source_fail(p->src, SOURCE_WORK);
		next = f.feed(f.ctx, at, n, pos);
		assert(next >= pos + n);
		pos = next;
	}
	return true;
}

bool part_read_guarded(const struct part *p, uint64_t offset, void *buf, size_t n)
{
	uint8_t *to = buf;

	assert(inside(p, offset, n));
	while (n > 0) {
		size_t piece;
		const uint8_t *at = piece_at(p, offset, &piece);

		if (at == NULL)
			return false;
		piece = (size_t)min_u64(piece, n);
		memcpy(to, at, piece);
		to += piece;
		offset += piece;
		n -= piece;
	}
	return true;
}
