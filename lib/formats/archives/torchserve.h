/* TorchServe's archives, `.mar`: a ZIP whose MAR-INF/MANIFEST.json names a handler, weights and more.  A handler that is not
 * TorchServe's own is Python, which the server runs.  Follows formats/others, section 1 (TorchServe archive). */
#pragma once

#include "format.h"
#include "zip_layout.h"

#define TORCHSERVE_MANIFEST "MAR-INF/MANIFEST.json"

extern const struct wlk_format format_torchserve;
extern const struct zip_reader zip_reader_torchserve;

/* Would the server run a file of this name? */
bool torchserve_is_code(struct bytes name);
