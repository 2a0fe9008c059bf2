/* P5 to P7: archives that readers search for behind a program that unpacks them.  The signature alone means nothing; a
 * checksum over what follows it does. */
#include "probes.h"

#include <libdeflate.h>

#include "checked.h"

/* -- P5: 7z.  7zFormat.txt, SignatureHeader.  Chance: 2^23 places, 88 bits. -- */

#define SEVENZ_BYTES 32

static bool confirm_7z(struct view *v, const struct search_hit *h)
{
	uint8_t b[SEVENZ_BYTES];

	return look(v, h->at, b, sizeof(b)) && b[6] == 0 && libdeflate_crc32(0, b + 12, 20) == load_u32le(b + 8);
}

void find_7z(struct view *v)
{
	judge_hits(v, SEARCH_7Z, WLK_F_POLYGLOT_7Z, "7z", "start header with its CRC-32", confirm_7z);
}

/* -- P6: RAR.  Chance: 2^23 places; 80 bits (RAR 4), 96 bits (RAR 5). -- */

#define RAR_SIGNATURE 7 /* RAR 5 has one byte more */
#define RAR4_MAIN 0x73
#define RAR4_HEADER_MIN 13
#define RAR5_HEADER_MAX ((uint64_t)2 << 20) /* as UnRAR takes them */
#define RAR5_MAIN 1
#define RAR5_ENCRYPTED 4

/* CRC-32 of [at, at + n), in pieces.  False: not all inside the file, or not to be had. */
static bool crc_of(struct view *v, uint64_t at, uint64_t n, uint32_t *ret)
{
	uint8_t piece[4096];
	uint32_t crc = 0;

	while (n > 0) {
		size_t some = (size_t)min_u64(n, sizeof(piece));

		if (!look(v, at, piece, some))
			return false;
		crc = libdeflate_crc32(crc, piece, some);
		at += some;
		n -= some;
	}
	*ret = crc;
	return true;
}

/* CRC-16 (the low half of CRC-32), type, flags, size of the header, which the CRC covers from the type on. */
static bool confirm_rar4(struct view *v, uint64_t at)
{
	uint8_t b[7];
	uint32_t crc;

	return look(v, at, b, sizeof(b)) && b[2] == RAR4_MAIN && load_u16le(b + 5) >= RAR4_HEADER_MIN &&
	       crc_of(v, at + 2, load_u16le(b + 5) - 2u, &crc) && (crc & 0xffff) == load_u16le(b);
}

/* A number of seven bits a byte, of three bytes at most.  Return: its bytes; 0: none. */
static unsigned rar5_number(const uint8_t b[3], uint64_t *ret)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 3; i++) {
		value |= (uint64_t)(b[i] & 0x7f) << (7 * i);
		if (b[i] < 0x80) {
			*ret = value;
			return i + 1;
		}
	}
	return 0;
}

/* CRC-32 over what follows it: the size of the header, and the header. */
static bool confirm_rar5(struct view *v, uint64_t at)
{
	uint8_t b[8];
	uint64_t size;
	unsigned n;
	uint32_t crc;

	if (!look(v, at, b, sizeof(b)) || (n = rar5_number(b + 4, &size)) == 0 || size > RAR5_HEADER_MAX)
		return false;
	return (b[4 + n] == RAR5_MAIN || b[4 + n] == RAR5_ENCRYPTED) && crc_of(v, at + 4, n + size, &crc) &&
	       crc == load_u32le(b);
}

static bool confirm_rar(struct view *v, const struct search_hit *h)
{
	uint8_t b[RAR_SIGNATURE + 1];

	if (!look(v, h->at, b, sizeof(b)))
		return false;
	if (b[6] == 0)
		return confirm_rar4(v, h->at + RAR_SIGNATURE);
	return b[6] == 1 && b[7] == 0 && confirm_rar5(v, h->at + RAR_SIGNATURE + 1);
}

void find_rar(struct view *v)
{
	judge_hits(v, SEARCH_RAR, WLK_F_POLYGLOT_RAR, "RAR", "archive header with its CRC", confirm_rar);
}

/* -- P7: ARJ.  Its signature of two bytes counts only with a size and the type of a main header (search.c).
 * Chance: 2^23 places; 16 bits, 32 of CRC, 8 of type, 5 of size. -- */

static bool confirm_arj(struct view *v, const struct search_hit *h)
{
	uint8_t b[4 + ARJ_HEADER_MAX + 4];
	size_t size;

	if (!look(v, h->at, b, 4) || (size = load_u16le(b + 2)) > ARJ_HEADER_MAX || !look(v, h->at, b, 4 + size + 4))
		return false;
	return libdeflate_crc32(0, b + 4, size) == load_u32le(b + 4 + size);
}

void find_arj(struct view *v)
{
	judge_hits(v, SEARCH_ARJ, WLK_F_POLYGLOT_ARJ, "ARJ", "main header with its CRC-32", confirm_arj);
}
