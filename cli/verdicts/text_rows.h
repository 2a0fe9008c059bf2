/* How a tensor's shape reads, and what its elements are as numbers. */
#pragma once

#include "manifest.h"

#define TEXT_SHAPE_MAX 128 /* characters and a NUL; what is longer ends in "...]" */

/* "[64, 128]"; "[]" for a scalar. */
const char *text_shape(const struct manifest_row *row, char buf[TEXT_SHAPE_MAX]);

#define TEXT_STATS_MAX 160

/* "-0.25 to 0.31, mean 0.0012, 3.1 % zero"; "" where there are none. */
const char *text_stats(const struct tensor_stats *s, char buf[TEXT_STATS_MAX]);
