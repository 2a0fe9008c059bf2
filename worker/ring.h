/* What a digester shares with the worker of its file: a memory file of one size, of which only what is used takes room.  The
 * digester alone can write to it (F_SEAL_FUTURE_WRITE). */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "digester.h"
#include "source.h"

#define RING_CHUNK FLOW_BLOCK       /* is read, told of by a mark, and hashed */
#define RING_BYTES (8 * RING_CHUNK) /* as small as can be: it should stay in the processors' caches */

_Static_assert(
    DIGESTER_MARKS_MAX + 2 < RING_BYTES / RING_CHUNK, "beside what was told of there is one in use, and one to come");

struct ring {
	uint8_t bytes[RING_BYTES]; /* the byte at `offset` of the file: at offset % RING_BYTES */
	uint8_t chains[SOURCE_BLOCKS_MAX + 1][SHA256_BYTES]; /* as struct source_flow has them */
	_Atomic uint64_t
	    begun; /* bytes of the file that are there or are about to be: what is RING_BYTES below is gone */
	uint8_t digest[SHA256_BYTES]; /* among those who make it */
};
