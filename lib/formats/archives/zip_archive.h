/* ZIP archives that are nobody's model format. */
#pragma once

#include "format.h"

/* Behind the formats that are ZIP archives too. */
extern const struct wlk_format format_zip;
