/* The texts of protocol 0, decoded again as their bytes go by, for readers who need more of one than the machine keeps:
 * what stands behind the opcodes STRING (Python's escapes; bytes) and UNICODE (raw-unicode-escape; UTF-8), up to the
 * newline. */
#pragma once

#include "arena.h"
#include "bytes.h"

#define PICKLE_LINE_PIECE 64u /* bytes that are taken at a time */

struct pickle_line;

/* NULL when the arena is spent. */
struct pickle_line *pickle_line_new(struct arena *a);
/* False: this opcode's argument is no text. */
bool pickle_line_begin(struct pickle_line *l, uint8_t opcode);
/* What the next bytes make, PICKLE_LINE_PIECE at most; valid until the next call. */
struct bytes pickle_line_feed(struct pickle_line *l, const uint8_t *at, size_t n);
/* The newline was reached: what is left.  False: no loader takes it. */
bool pickle_line_end(struct pickle_line *l, struct bytes *ret);
bool pickle_line_is_unicode(const struct pickle_line *l);
