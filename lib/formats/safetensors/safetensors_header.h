/* The header of a safetensors file: one pass over its JSON, no tree, findings and extents as they come. */
#pragma once

#include "format.h"

struct safetensors_header {
	uint64_t metadata_keys;
	bool ranges_unknown; /* at least one entry did not say which bytes it owns: holes prove nothing */
};

/**
 * safetensors_header_read() - rules 5 to 21, 23 and 24 of formats/safetensors
 * @l:      l->extents gets one extent an entry, in the order of the header, dead where its range is unusable.
 * @header: the N bytes, pinned; l->extents->names covers the file from offset 0 to their end.
 * @at:     offset of the header in the file (8).
 *
 * What only this project refuses (docs/formats/safetensors.md, section 4) is reported and read on.
 * Return: WLK_DONE; WLK_BROKEN where no loader reads on either (not JSON, not UTF-8, over a limit): the extents are
 * then incomplete; WLK_INCOMPLETE when the arena is spent.
 */
enum wlk_status safetensors_header_read(
    struct layout *l, struct bytes header, uint64_t at, struct safetensors_header *ret);
