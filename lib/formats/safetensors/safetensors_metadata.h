/* __metadata__ of a safetensors header: texts by name, which loaders print, parse, and sometimes obey. */
#pragma once

#include "json_header.h"

#define SAFETENSORS_DEPTH_TOP 1u   /* brackets open around a value of the header's object */
#define SAFETENSORS_DEPTH_FIELD 2u /* ... of an entry, or of __metadata__ */

/* What was seen of it; there may be two.  Zeroed at the beginning. */
struct safetensors_metadata {
	bool seen, format_seen;
	struct header_keys keys; /* of the one at hand */
	uint64_t n_keys;         /* of all */
};

/* Rules 10, 13 and 24; the value is at hand.  @name: its key.  Return: false when the reading ends (h->stopped, h->j.err, or the
 * arena is spent). */
bool safetensors_metadata_read(struct json_header *h, struct safetensors_metadata *m, const struct json_text *name);
