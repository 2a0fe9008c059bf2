/* IDX: arrays as MNIST and its kin are published: two zeros, the type, the number of dimensions, each of them in 32 bits, and the elements,
 * all big-endian (Yann LeCun, The MNIST database, "the IDX file format").  Data for training, plain or in gzip. */
#pragma once

#include "format.h"

extern const struct wlk_format format_idx;
