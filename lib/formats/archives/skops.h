/* Archives of skops.io: a tree of objects as JSON, `schema.json`, and the arrays beside it.  Loading makes every object that the
 * tree names, so the names are what is judged.  Follows formats/others, section 1 (skops) and Decision 6. */
#pragma once

#include "format.h"
#include "zip_layout.h"

extern const struct wlk_format format_skops;
extern const struct zip_reader zip_reader_skops;
