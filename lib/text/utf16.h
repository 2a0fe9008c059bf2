/* Text in UTF-16 behind a byte order mark, as programs of Windows save it (Notepad's "Unicode", PowerShell's redirections). */
#pragma once

#include "arena.h"
#include "bytes.h"

/* Does it begin with the mark, in either order? */
static inline bool utf16_begins(struct bytes text)
{
	return text.n >= 2 &&
	       ((text.at[0] == 0xff && text.at[1] == 0xfe) || (text.at[0] == 0xfe && text.at[1] == 0xff));
}

/**
 * utf16_decode() - as UTF-8, without the mark
 * @ret: in the arena; at most half as long again.  NULL in ret->at: no memory.
 * Return: false: an odd number of bytes, or half of a surrogate pair.
 */
bool utf16_decode(struct bytes text, struct arena *a, struct bytes *ret);
