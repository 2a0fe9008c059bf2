/* The keeper's part of the verdict store: rows as bytes in, rows as bytes out.  It does not look into an entry.
 *
 * KEEPER_STORE_GET  key (STORE_KEY_BYTES)  ->  KEEPER_OK, u64 size, sha256, entry; KEEPER_NOT_FOUND; KEEPER_REFUSED when
 *                   the row was not written by this store, and is gone now
 * KEEPER_STORE_PUT  key, sha256, u64 size, entry  ->  KEEPER_OK; KEEPER_REFUSED: beyond the bounds */
#pragma once

#include "keeper.h"

#define KEEPER_STORE_FIXED (8u + 32u) /* size and sha256, little endian */

extern const struct keeper_feature keeper_store;
