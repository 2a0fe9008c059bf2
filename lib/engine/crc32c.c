/* CRC-32C: see crc32c.h.  By halves of bytes: files that have it are small, and sixteen numbers can be checked by eye. */
#include "crc32c.h"

static const uint32_t halves[16] = { 0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362,
	0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75 };

uint32_t crc32c(uint32_t crc, struct bytes data)
{
	crc = ~crc;
	for (size_t i = 0; i < data.n; i++) {
		crc = crc >> 4 ^ halves[(crc ^ data.at[i]) & 15];
		crc = crc >> 4 ^ halves[(crc ^ (uint32_t)data.at[i] >> 4) & 15];
	}
	return ~crc;
}
