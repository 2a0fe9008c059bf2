/* The index of a sharded checkpoint: JSON that says which file each tensor is in.  Follows formats/safetensors-index,
 * sections 1, 2, 3, 7 and 9: what one index can be told from itself; lib/sets compares it with its shards. */
#pragma once

#include "format.h"

#define INDEX_BYTES_MAX ((uint64_t)64 << 20)       /* section 2; the largest published ones have 30 MB */
#define INDEX_ENTRIES_MAX ((uint32_t)1 << 20)      /* section 2 */
#define INDEX_DEPTH_MAX 4u                         /* section 2 */
#define INDEX_NUMBER_MAX ((UINT64_C(1) << 53) - 1) /* section 5: above, readers with doubles see another number */
#define INDEX_TENSOR_NAME_MAX 1024u                /* as in the shards: formats/safetensors, rule 23 */
#define INDEX_SHARD_NAME_MAX 255u                  /* rule 1: NAME_MAX */

/* Told apart by what the shards are: the second is for .bin, .h5 and .msgpack. */
extern const struct wlk_format format_safetensors_index, format_shard_index;
