/* ExecuTorch: programs (.pte) and their data (.ptd). */
#pragma once

#include "format.h"

extern const struct wlk_format format_executorch;
