/* The fifth pickle of a legacy checkpoint: the keys of its storages, in the order in which their bytes follow. */
#pragma once

#include "format.h"

struct torch_legacy_keys {
	struct bytes *list; /* in the arena */
	size_t n;
};

/**
 * torch_legacy_keys_read() - read the list; its pickle was judged already
 * @at: where its pickle begins in the part.
 * @ret_plain: it is a list of different decimal numbers as texts, made of nothing else.
 * Return: WLK_DONE; WLK_INCOMPLETE when source or memory failed.
 */
enum wlk_status torch_legacy_keys_read(struct layout *l, uint64_t at, struct torch_legacy_keys *ret, bool *ret_plain);
