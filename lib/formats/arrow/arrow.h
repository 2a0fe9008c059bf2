/* Apache Arrow: IPC files, which Feather v2 is, and IPC streams. */
#pragma once

#include "format.h"

extern const struct wlk_format format_arrow, format_arrow_stream;
