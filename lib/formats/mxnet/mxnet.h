/* MXNet's models: parameters (mxnet.c), and the symbols that use them (mxnet_symbol.c).  Follows formats/others, row MXNet. */
#pragma once

#include "cursor.h"
#include "format.h"
#include "json_file.h"
#include "unicode.h"

/* A symbol: libraries that it loads, operators that it expects.  Named, and held. */
extern const struct json_model json_model_mxnet;

extern const struct wlk_format format_mxnet;
