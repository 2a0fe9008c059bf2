/* What a name or a text may hold, so that people, terminals and file systems see what programs see. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "json_text.h"

/* Each true once at least one such character was seen. */
struct text_faults {
	bool control;      /* C0, DEL, C1 */
	bool text_control; /* the same without what text is laid out with: TAB, LF, CR */
	bool invisible;    /* direction, zero width, tags, separators, noncharacters */
	bool blank;        /* nothing but blanks, and others than those of ASCII */
	bool direction;    /* embeddings, overrides and isolates alone */
	bool climbs;       /* `..` between separators (/ or \) or ends */
	size_t length;     /* decoded bytes */
};

struct text_faults text_inspect(const struct json_text *t);

#define TEXT_CODE_MIN 64u /* shorter texts are words */

/* Base64 throughout (as far as it is given: @n is its whole length), whose first bytes begin a marshalled code object or a
 * pickle. */
bool text_hides_code(struct bytes t, uint64_t n);
/* What base64 stands for, in either alphabet, line ends passed over.  @to: room for three bytes for each four of t; may be
 * t.at.  Return: bytes written, up to what is none. */
size_t text_base64(struct bytes t, uint8_t *to);

/* Of a word of a programming language. */
static inline bool text_is_name_byte(uint8_t c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Bytes of the mark that a text in UTF-8 may begin with: 3 or 0 (RFC 3629, section 6). */
static inline size_t text_byte_order_mark(struct bytes text)
{
	static const uint8_t mark[] = { 0xef, 0xbb, 0xbf };

	return text.n >= sizeof(mark) && memcmp(text.at, mark, sizeof(mark)) == 0 ? sizeof(mark) : 0;
}

/* Does text that begins with a brace begin as neither JSON nor a template of Jinja's?  A word behind the brace (Nix, maps of
 * linkers, suppressions of Valgrind, YAML's mappings), or a block of another language of templates. */
bool text_begins_foreign_brace(struct bytes text);

/* Does it begin as settings do (INI, TOML): with [section] or [[table]]?  Lists of JSON begin with a bracket too, but no value
 * of JSON is a word other than its own. */
bool text_begins_section(struct bytes text);
