/* Pickle files: one or more pickles and nothing else.  Follows formats/pickle. */
#pragma once

#include "format.h"

extern const struct wlk_format format_pickle;
