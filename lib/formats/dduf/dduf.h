/* DDUF, diffusers' unified format: a pipeline in one ZIP archive that keeps its members as they are, so that loaders map them.
 * Follows formats/dduf. */
#pragma once

#include "format.h"
#include "zip_layout.h"

extern const struct wlk_format format_dduf;
extern const struct zip_reader zip_reader_dduf;
