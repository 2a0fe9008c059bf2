/* NumPy arrays (.npy): one typed array, as a file or as a member of an archive.  Follows formats/npy. */
#pragma once

#include "format.h"
#include "npy_header.h"
#include "stream.h"

#define NPY_MAGIC "\x93NUMPY"
#define NPY_MAGIC_BYTES 6u
#define NPY_PREFIX_MAX 12u /* magic, version, and four bytes of length */

extern const struct wlk_format format_npy;

/**
 * npy_read() - read an array's header and say what its bytes are
 * @l: of the file or of the member: receives the extents, proven to cover the array, in the array's own coordinates.
 * @s: the array's bytes, decoded by the stream; s->size is their number.
 * @key: its name among the tensors; borrowed as long as the extents.
 * Return: WLK_DONE when every byte is understood; WLK_BROKEN (findings say why); WLK_INCOMPLETE.
 */
enum wlk_status npy_read(struct layout *l, const struct stream *s, struct bytes key);

/* Rule 14: a pickle stands where an array should, or an archive of them: of struct wlk_format. */
void npy_misnamed(struct layout *l, enum wlk_format_id content);
