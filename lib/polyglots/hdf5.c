/* P4, HDF5: the signature at 0, 512, 1024, 2048, ... and a superblock version that exists.  The sizes behind it are not
 * asked to be right: 64 bits at a fixed place are no chance (some 40 places, 70 bits), and the first reader to be lenient
 * decides.  A member that was stored at such a place, and judged for what it is, is worth no more than a note. */
#include "probes.h"

#define HDF5_PROBE POLYGLOT_HDF5_PROBE

static bool is_hdf5(const uint8_t *at)
{
	return memcmp(at, "\x89HDF\r\n\x1a\n", 8) == 0 && at[8] <= 3;
}

static void say(struct view *v, uint64_t at)
{
	if (begins_member(v->pg, at))
		found(v, WLK_F_HDF5_IN_STORED_MEMBER, at, "HDF5", "a stored member begins here");
	else
		found(v, WLK_F_POLYGLOT_HDF5, at, "HDF5", "signature and version of a superblock");
}

void find_hdf5(struct view *v)
{
	const struct polyglot *pg = v->pg;

	for (size_t at = 0; at + HDF5_PROBE <= v->head.n; at = at ? at * 2 : POLYGLOT_HDF5_FIRST)
		if (is_hdf5(v->head.at + at))
			say(v, at);
	for (size_t i = 0; i < pg->n_probes; i++)
		if (is_hdf5(pg->probes[i]->at))
			say(v, pg->probes[i]->begin);
}
