/* Members: files inside the file, as the pass meets them.  A layout describes each member once; in the pass its
 * coded bytes are decoded through a window, its CRC-32 is taken, and what its content is - extents in the member's own
 * coordinates, members of its own included - is fed like that of the file itself. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "elements.h"
#include "extents.h"
#include "formats.h"
#include "slicer.h"
#include "stream.h"

#define MEMBER_DEPTH_MAX (PART_DEPTH_MAX + 1) /* members in members that the pass goes into */

/* In the arena, found from its extent (EXTENT_MEMBER) in extents.members[extent.index]. */
struct member {
	struct stream stream; /* stream.part.member is its path */
	bool check_crc;       /* take the CRC-32 of the decoded bytes */
	/* What its bytes are: either a whole tensor ... */
	enum wlk_dtype dtype; /* not NONE: all of it is one tensor of this type ... */
	bool big_endian;
	struct bytes tensor; /* ... of this name (file bytes); empty: the member's path */
	const uint64_t
	    *shape; /* ... with these dimensions, at most MANIFEST_RANK_MAX; NULL: one, of all its elements */
	unsigned rank;
	const struct tensor_view *views; /* what loaders make of it, for who converts; NULL: the tensor */
	/* ... or extents proven by extents_cover() over [0, stream.size), or NULL: nobody says.  member_inner() makes
	 * them. */
	struct extents *inner;
	bool understood; /* every byte is accounted for: else the scan is not complete */
	/* Written by nested_judge(): it was judged by its content, which was recognised as this. */
	bool by_content;
	enum wlk_format_id id;
	/* Of a whole tensor, written by tensor_list.h: its row in the manifest. */
	bool listed;
	uint64_t row;
	/* Written by the pass. */
	bool passed;
	enum stream_end end;
	struct stream_state state;
	uint32_t crc; /* of what was decoded, when check_crc and the end allows it */
};

/* Is all of it one tensor, of a length that is known beforehand? */
static inline bool member_is_tensor(const struct member *m)
{
	return m->dtype != WLK_DTYPE_NONE && m->stream.size != STREAM_SIZE_UNKNOWN;
}

/* After the pass: all of it was decoded, to as many bytes as the layout said.  False also when the pass did not reach it
 * (extents that nobody trusts are not passed). */
static inline bool member_decoded(const struct member *m)
{
	return m->passed && (m->end == STREAM_WHOLE || m->end == STREAM_CHECKSUM || m->end == STREAM_MULTIPLE) &&
	       (m->stream.size == STREAM_SIZE_UNKNOWN || m->state.decoded == m->stream.size);
}

/* A new member of x, zeroed, with its extent over [begin, end) of x's coordinates.  NULL when the arena is spent. */
struct member *member_add(struct extents *x, uint64_t begin, uint64_t end);

/* Empty extents for the content of m, in the arena, which findings about them name and place as m's.  NULL when the arena
 * is spent. */
struct extents *member_inner(struct member *m, struct arena *a);

/* The pass's sink for a file with members, and for one without: tensors go to their kernels wherever they are.  At most
 * one member and one tensor of each level is open at a time. */
struct members;
struct member_level {
	struct members *all;
	const struct extents *x; /* what this level's extents are */
	struct member *open;     /* the member that is being passed, or NULL; its content is the next level */
	struct decoder *decoder;
	struct slicer slicer; /* of this level's bytes, but for the file's own, which the pass slices */
	uint64_t at;          /* bytes of this level so far */
	struct extents whole; /* of a member that is a tensor as a whole */
	struct extent whole_extent;
};

struct members {
	struct elements elements;
	struct arena *arena;
	bool failed; /* the arena could not hold a decoder: the scan has to stop with that cause */
	struct member_level levels[MEMBER_DEPTH_MAX + 1]; /* [0]: the file */
};

/* @x, @a, @r: borrowed. */
void members_init(struct members *ms, const struct extents *x, struct arena *a, struct report *r);
struct pass_sink members_sink(struct members *ms);
