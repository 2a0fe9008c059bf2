/* Globs, of policy rules and of paths on the command line. */
#pragma once

#include <stdbool.h>

#include "bytes.h"

/* Has the glob a * or ?; is it otherwise one fixed text? */
bool glob_is_pattern(const char *glob);
/**
 * glob_match() - * is any run of bytes, / included; ? is one character (or one byte that is no UTF-8);
 * \ takes the next byte as it is; all else is itself.  The whole text must match.  Time: at most pattern
 * times text.
 */
bool glob_match(const char *glob, struct bytes text);
