/* The host's members: what was judged by its content as a file of its own is not what the host is besides.  An archive in
 * a tar archive, a model in a ZIP one: their readers have seen them (lib/layout/nested.h).  What no reader judged like
 * that - the bytes of a tensor - speaks for itself. */
#include "members.h"

#include "member.h"
#include "probes.h"

/* Members in members in ...: no deeper than the pass goes. */
#define LEVELS MEMBER_DEPTH_MAX

#define MEMBER_WORK 4u /* ns to look at one */

/* Formats whose content is members again. */
#define ARCHIVES                                                                                                       \
	(POLYGLOT_HOST(ZIP) | POLYGLOT_HOST(NPZ) | POLYGLOT_HOST(PYTORCH) | POLYGLOT_HOST(TORCHSCRIPT) |               \
	    POLYGLOT_HOST(TAR) | POLYGLOT_HOST(PYTORCH_TAR) | POLYGLOT_HOST(SEVEN_ZIP) | POLYGLOT_HOST(RAR) |          \
	    POLYGLOT_HOST(GZIP) | POLYGLOT_HOST(BZIP2) | POLYGLOT_HOST(XZ) | POLYGLOT_HOST(LZMA) |                     \
	    POLYGLOT_HOST(ZLIB) | POLYGLOT_HOST(LZ4) | POLYGLOT_HOST(ZSTD) | POLYGLOT_HOST(SKOPS) |                    \
	    POLYGLOT_HOST(MAR) | POLYGLOT_HOST(NEMO) | POLYGLOT_HOST(PT2) | POLYGLOT_HOST(DCP) | POLYGLOT_HOST(DDUF) | \
	    POLYGLOT_HOST(MEDIAPIPE))

/* Formats that are only named come behind those that have a reader, and hold no members. */
static bool is_archive(enum wlk_format_id id)
{
	return id < WLK_FORMAT_NAMED && (ARCHIVES >> id & 1) != 0;
}

/* The member whose bytes in the file hold this offset, or NULL.  Parts that are copies lie nowhere. */
static const struct member *member_at(const struct extents *x, uint64_t at)
{
	for (size_t i = 0; i < x->n_members; i++) {
		const struct part *p = &x->members[i]->stream.part;

		if (p->copy == NULL && at >= p->origin && at - p->origin < p->size)
			return x->members[i];
	}
	return NULL;
}

static uint64_t end_of(const struct member *m)
{
	return m->stream.part.origin + m->stream.part.size;
}

/* *until: where the member ends. */
static bool begins_at(const struct extents *x, uint64_t at, uint64_t *until)
{
	for (unsigned level = 0; x != NULL && level < LEVELS; level++) {
		const struct member *m = member_at(x, at);

		if (m == NULL)
			return false;
		*until = end_of(m);
		if (m->stream.codec == CODEC_STORED && m->stream.part.origin == at)
			return m->by_content;
		x = m->inner;
	}
	return false;
}

static bool lies_in_archive(const struct extents *x, uint64_t at, uint64_t *until)
{
	*until = UINT64_MAX;
	if (x != NULL && x->archive > 0 && at >= x->archive)
		return true;
	for (unsigned level = 0; x != NULL && level < LEVELS; level++) {
		const struct member *m = member_at(x, at);

		if (m == NULL || !m->by_content || !is_archive(m->id))
			return false;
		*until = end_of(m);
		/* What is coded, or not described further, is the archive's as a whole. */
		if (m->stream.codec != CODEC_STORED || m->inner == NULL || m->inner->n_members == 0)
			return true;
		x = m->inner;
		if (member_at(x, at) == NULL)
			return true; /* between its members: a directory, a header */
	}
	return false;
}

bool begins_member(const struct polyglot *pg, uint64_t at)
{
	uint64_t until;

	return begins_at(pg->extents, at, &until);
}

bool inside_archive(const struct polyglot *pg, uint64_t at)
{
	uint64_t until;

	return lies_in_archive(pg->extents, at, &until);
}

bool is_judged_member(const struct judged_members *j, uint64_t at, uint64_t *ret_until)
{
	if (j->extents == NULL || (j->extents->n_members == 0 && j->extents->archive == 0))
		return false;
	if (!work_charge(j->work, MEMBER_WORK * j->extents->n_members)) {
		*ret_until = UINT64_MAX;
		return true;
	}
	return begins_at(j->extents, at, ret_until) || lies_in_archive(j->extents, at, ret_until);
}
