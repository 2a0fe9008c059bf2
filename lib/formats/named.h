/* Containers that are recognised and not opened: a policy may take the file or leave it, and nobody is told that it was
 * looked into.  Follows formats/others, section 2. */
#pragma once

#include "format.h"

extern const struct wlk_format format_7z, format_rar, format_zstd;
