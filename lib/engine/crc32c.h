/* CRC-32C (Castagnoli; RFC 3720, appendix B.4), and the mask that LevelDB and TensorFlow put over one that is stored. */
#pragma once

#include <stdint.h>

#include "bytes.h"

/* @crc: of the bytes before, 0 to begin with. */
uint32_t crc32c(uint32_t crc, struct bytes data);

/* Rotated and moved, so that the CRC of bytes that hold a CRC is nothing special. */
static inline uint32_t crc32c_masked(uint32_t crc)
{
	return (crc >> 15 | crc << 17) + UINT32_C(0xa282ead8);
}
