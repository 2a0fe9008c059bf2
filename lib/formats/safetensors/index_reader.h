/* The JSON of an index: one pass without a tree, findings and rows of the manifest as they come. */
#pragma once

#include "format.h"

/**
 * index_read() - sections 2, 3 and 7 of formats/safetensors-index
 * @l:    l->hint is what the index's name says of its shards; l->id becomes what they are.
 * @text: the whole file, pinned, at most INDEX_BYTES_MAX.
 *
 * Return: WLK_DONE; WLK_BROKEN when what the index says is not one thing (no JSON, a key twice, a value of a wrong
 * type): its rows are then not all there is; WLK_INCOMPLETE when the arena or the list of rows is spent.
 */
enum wlk_status index_read(struct layout *l, struct bytes text);
