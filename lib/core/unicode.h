/* Characters: how UTF-8 spells them, and which of them people do not see.  Classes follow Unicode 15, "Bidi_Control",
 * "Default_Ignorable_Code_Point" and "Noncharacter_Code_Point"; UTS 39 says why they have no place in names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One character at *p, which must be well-formed UTF-8; moves *p behind it. */
static inline uint32_t utf8_next(const uint8_t **p)
{
	const uint8_t *s = *p;

	if (s[0] < 0x80) {
		*p += 1;
		return s[0];
	}
	if (s[0] < 0xE0) {
		*p += 2;
		return (s[0] & 0x1Fu) << 6 | (s[1] & 0x3Fu);
	}
	if (s[0] < 0xF0) {
		*p += 3;
		return (s[0] & 0x0Fu) << 12 | (s[1] & 0x3Fu) << 6 | (s[2] & 0x3Fu);
	}
	*p += 4;
	return (s[0] & 0x07u) << 18 | (s[1] & 0x3Fu) << 12 | (s[2] & 0x3Fu) << 6 | (s[3] & 0x3Fu);
}

/* Spell c, at most U+10FFFF.  Return: bytes written. */
size_t utf8_put(uint32_t c, uint8_t out[4]);

/* Embeddings, overrides and isolates of direction. */
bool unicode_is_direction(uint32_t c);
/* Direction, zero width, tags, separators, noncharacters. */
bool unicode_is_invisible(uint32_t c);
/* A variation selector that chooses nothing behind the character before it. */
bool unicode_is_idle_selector(uint32_t c, uint32_t before);

/* C0, DEL, C1. */
static inline bool unicode_is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7F && c <= 0x9F);
}

/* What text is laid out with. */
static inline bool unicode_is_layout(uint32_t c)
{
	return c == '\t' || c == '\n' || c == '\r';
}
