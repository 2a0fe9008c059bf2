/* The header of a deathtensors file: one pass over its JSON, no tree, findings and extents as they come. */
#pragma once

#include "format.h"

struct deathtensors_header {
	uint64_t metadata_keys;
	bool ranges_unknown; /* at least one entry did not say which bytes it owns: holes prove nothing */
	bool
	    not_understood; /* a key that nobody knows, or two that contradict each other: there may be another reading */
};

/**
 * deathtensors_header_read() - section 3 of formats/deathtensors
 * @l:       l->extents gets one extent an entry, in the order of the header, dead where its range is unusable.
 * @header:  the H bytes, pinned; l->extents->names covers the file from offset 0 to their end at least.
 * @at:      offset of the header in the file.
 * @version: as the prefix says.
 * @data_at: of the blob, in the file.
 *
 * What a reader might forgive is reported and read on.
 * Return: WLK_DONE; WLK_BROKEN where no reader goes on (not JSON, not UTF-8, over a limit): the extents are then
 * incomplete; WLK_INCOMPLETE when the arena is spent or the job's list of tensors is full.
 */
enum wlk_status deathtensors_header_read(struct layout *l, struct bytes header, uint64_t at, uint32_t version,
    uint64_t data_at, struct deathtensors_header *ret);
