/* Tables as LevelDB writes them (doc/table_format.md), read strictly: the index of a TensorFlow checkpoint is one.  Blocks of
 * keys and values in ascending order, then a block of nothing, an index of the blocks, and 48 bytes that say where those two
 * are.  Follows formats/tensorflow, section 5. */
#pragma once

#include "format.h"

#define TF_TABLE_FOOTER 48u
#define TF_TABLE_MAGIC_BYTES 8u
#define TF_TABLE_KEY_MAX 4096u                   /* bytes of a key; names of variables have a hundred */
#define TF_TABLE_BLOCK_MAX ((uint64_t)16 << 20)  /* bytes of a block, decoded; writers aim at 256 KiB */
#define TF_TABLE_BYTES_MAX ((uint64_t)64 << 20)  /* of the file, which is read as a whole: half a million tensors */
#define TF_TABLE_ENTRIES_MAX (UINT32_C(1) << 21) /* as many as any format's tensors */

/* Little endian, at the end of the file. */
extern const uint8_t tf_table_magic[TF_TABLE_MAGIC_BYTES];

/**
 * Each entry, in order.  @at: offset in the part of what holds it (of a pressed block: of the block).
 * Return: false: enough, or layout_stop() was called.
 */
typedef bool (*tf_table_fn)(void *ctx, struct bytes key, struct bytes value, uint64_t at);

/**
 * tf_table_read() - check all of the table, and hand its entries on
 * @file: all of the part, in memory.
 * Fills l->extents; they are proven by the caller (extents_cover()).
 * Return: WLK_DONE; WLK_BROKEN with a finding: bytes that are no table, so what was handed on is not all;
 * WLK_INCOMPLETE: @fn stopped, or memory is spent.
 */
enum wlk_status tf_table_read(struct layout *l, struct bytes file, tf_table_fn fn, void *ctx);
