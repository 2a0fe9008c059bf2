/* Calls in the source of TorchScript as they stand there, for who asked for calls: what script_text.h finds fault with, from the
 * first name of its path to the bracket that ends its arguments.  It is fed with the same bytes, each behind the reader. */
#pragma once

#include "format.h"

#define SCRIPT_PATH_MAX 200u /* bytes of a path: ops.image.write_file; of more the beginning is shown */

struct script_show {
	struct report *report;
	struct bytes member;
	uint64_t origin; /* of offsets in the source */
	/* The path that is read, or was last. */
	uint8_t path[SCRIPT_PATH_MAX];
	size_t path_n;
	uint64_t path_at;
	enum call_standing fault; /* of it; CALL_ALLOWED: none */
	/* The call at work. */
	bool active, quoted, escaped, broken; /* broken: a line ended, and its indentation is no part of the text */
	unsigned depth;
	struct call_text text;
};

/* @report: as it is asked; nothing is shown unless it wants calls. */
void script_show_begin(struct script_show *s, struct report *report, struct bytes member, uint64_t origin);
/* The last name of the path that was fed so far is found fault with. */
void script_show_fault(struct script_show *s, enum call_standing standing);
void script_show_byte(struct script_show *s, uint8_t b, uint64_t offset);
/* A call that the text ends in is cut. */
void script_show_end(struct script_show *s);
/* One whose arguments nobody reads. */
void script_show_name(struct script_show *s, const char *name);
