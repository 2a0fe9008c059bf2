/* How a tensor's shape reads. */
#pragma once

#include "manifest.h"

#define TEXT_SHAPE_MAX 128 /* characters and a NUL; what is longer ends in "...]" */

/* "[64, 128]"; "[]" for a scalar. */
const char *text_shape(const struct manifest_row *row, char buf[TEXT_SHAPE_MAX]);
