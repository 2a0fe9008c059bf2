/* What a name or a text may hold, so that people, terminals and file systems see what programs see. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "json_text.h"

/* Each true once at least one such character was seen. */
struct text_faults {
	bool control;      /* C0, DEL, C1 */
	bool text_control; /* the same without what text is laid out with: TAB, LF, CR */
	bool invisible;    /* direction, zero width, tags, separators, noncharacters */
	bool direction;    /* embeddings, overrides and isolates alone */
	bool climbs;       /* `..` between separators (/ or \) or ends */
	size_t length;     /* decoded bytes */
};

struct text_faults text_inspect(const struct json_text *t);

#define TEXT_CODE_MIN 64u /* shorter texts are words */

/* Base64 throughout (as far as it is given: @n is its whole length), whose first bytes begin a marshalled code object or a
 * pickle. */
bool text_hides_code(struct bytes t, uint64_t n);
