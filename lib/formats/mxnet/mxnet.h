/* MXNet's models: parameters (mxnet.c), and the symbols that use them (mxnet_symbol.c).  Follows formats/others, row MXNet. */
#pragma once

#include "cursor.h"
#include "format.h"
#include "unicode.h"

/* A symbol, which json_file.c has recognised and found to be JSON without a name given twice: libraries that it loads,
 * operators that it expects.  Named, and held.  Return: WLK_BROKEN, or WLK_INCOMPLETE. */
enum wlk_status mxnet_symbol_check(struct layout *l, struct bytes text);

extern const struct wlk_format format_mxnet;
