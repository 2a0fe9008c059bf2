/* A file, or a file inside it: where a layout reads.  The outermost part is the file itself; a stored member of an
 * archive is a range of it; a coded member that somebody must read at random is a copy of what it decodes to.
 * Layouts that read through parts can be judged wherever they are found (docs/internals.md, "Containers"). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "source.h"

/* Depth of nesting that is judged; deeper ones are named and held (formats/zip, section 7). */
#define PART_DEPTH_MAX 2

/* Copied freely; everything in it is borrowed from the scan. */
struct part {
	struct source *src;
	uint64_t origin;     /* file offset of its first byte; of a copy: of the coded bytes it was made from */
	uint64_t size;       /* bytes */
	const uint8_t *copy; /* its bytes in the arena, when it is not a range of the file; else NULL */
	struct bytes member; /* path for findings, nested ones joined by '!'; empty for the file itself */
	unsigned depth;      /* 0: the file itself */
};

/* The whole file. */
struct part part_of_file(struct source *src);

/* A range of a part, which must lie inside it, as a part of its own: same member, same depth. */
struct part part_range(const struct part *p, uint64_t offset, uint64_t n);

/* As source_want(); clipped to the part. */
void part_want(const struct part *p, uint64_t offset, uint64_t n);

/**
 * part_pin() - source_pin() for a part
 * Before the pass only; the range must lie inside the part.
 * Return: pointer to the n bytes, valid as long as the arena; NULL: p->src->err says why.
 */
const uint8_t *part_pin(const struct part *p, uint64_t offset, size_t n);

/**
 * part_read_guarded() - copy n bytes, before the pass, guarded as part_preview() does
 * For small records that are many and far apart (local headers of an archive); in file order each block is read once.
 * The range must lie inside the part.
 * Return: true; false: p->src->err says why.
 */
bool part_read_guarded(const struct part *p, uint64_t offset, void *buf, size_t n);

/* An offset that counts in what a member decodes to carries this mark wherever it goes, so that nobody takes it for one of
 * the file: no file is so large.  The report takes it off, and says what is meant. */
#define OFFSET_DECODED (UINT64_C(1) << 62)

static inline bool offset_is_decoded(uint64_t offset)
{
	return (offset & OFFSET_DECODED) != 0;
}

static inline uint64_t offset_bare(uint64_t offset)
{
	return offset & ~OFFSET_DECODED;
}

/* The offset a finding prints: of the file for ranges, of the decoded bytes for copies. */
static inline uint64_t part_offset(const struct part *p, uint64_t offset)
{
	return (p->copy != NULL ? OFFSET_DECODED : p->origin) + offset;
}

#define FEED_END UINT64_MAX

/**
 * feed_fn - takes the next bytes of a run, in order
 * @offset: of at[0] in the run.  n > 0.  All n bytes count as taken.
 * Return: offset of the next byte it wants, at least offset + n (bytes between are skipped: of a range they are not
 * even read); FEED_END when it wants no more.
 */
typedef uint64_t (*feed_fn)(void *ctx, const uint8_t *at, size_t n, uint64_t offset);

struct feeder {
	feed_fn feed;
	void *ctx;
};

/**
 * part_preview() - go through bytes before the pass, without keeping them
 * For what must be known before the pass and is too large to pin: a pickle that says what the storages behind it are.
 * Of a mutable file each block that was read leaves a keyed hash, which the pass compares with the bytes it judges
 * (SOURCE_CHANGED otherwise): what was previewed is what was hashed.
 * @from: where to begin, inside the part or at its end.
 * Return: true at the end of the part or when the feeder had enough; false: p->src->err says why.
 */
bool part_preview(const struct part *p, uint64_t from, struct feeder f);
