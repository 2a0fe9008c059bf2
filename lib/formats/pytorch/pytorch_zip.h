/* PyTorch checkpoints as ZIP archives (since 1.6), TorchScript among them.  Follows formats/pytorch, section 2. */
#pragma once

#include "format.h"

extern const struct wlk_format format_pytorch;
