/* PyTorch checkpoints before 1.6: five pickles back to back, then the storages.  Follows formats/pytorch, section 5 and
 * Decision 1. */
#pragma once

#include "format.h"

extern const struct wlk_format format_pytorch_legacy;
