/* Tar archives, read as strictly as ZIP archives are: whole headers, right checksums, files and folders only, names that
 * stay inside, nothing behind the end mark.  Every file in it is judged by its content, and the archive is for review
 * whatever comes out.  Follows formats/others, section 2 and Decisions 4. */
#pragma once

#include "format.h"

extern const struct wlk_format format_tar;
