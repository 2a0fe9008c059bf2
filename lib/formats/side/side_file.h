/* What lies beside models: plain text, scripts.  Text that is no model, no markup and no data format of its own is what
 * its name says and nothing loads it; formats/others, Decisions 2.  A pickle of protocol 0 is text too: such are looked
 * for first (pickle_file.c).  A text whose name promises a format is judged as that format. */
#pragma once

#include "format.h"

extern const struct wlk_format format_text, format_yaml, format_code;
