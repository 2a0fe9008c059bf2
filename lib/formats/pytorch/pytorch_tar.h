/* Checkpoints of PyTorch 0.1, tar archives of pickles: refused, but what their pickles do is told.  Follows
 * formats/pytorch, section 6. */
#pragma once

#include "format.h"

extern const struct wlk_format format_pytorch_tar;
