/* Formats that are recognised by their first bytes and not read (formats.txt): the verdict names them, a policy
 * may take the file or leave it, and nobody is told that it was looked into.  Pictures are the exception: they are side
 * files, taken when their structure ends where the file does.  Follows formats/others, sections 1, 2 and 4. */
#pragma once

#include "format.h"

extern const struct wlk_format format_named;
