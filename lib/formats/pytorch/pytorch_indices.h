/* The indices of sparse tensors, compared with what they index. */
#pragma once

#include "pytorch_objects.h"
#include "stream.h"

/**
 * torch_indices_check() - read the indices of one check and compare them
 * @storage: the whole storage the check names, which has its size.
 * Return: WLK_DONE, also with a finding; WLK_INCOMPLETE.
 */
enum wlk_status torch_indices_check(
    struct torch_objects *o, const struct torch_index_check *check, const struct stream *storage, bool big_endian);
