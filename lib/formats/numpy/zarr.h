/* Descriptions of zarr's arrays, or of a folder of them: zarr 2 and 3, as Orbax writes it too. */
#pragma once

#include "json_file.h"

extern const struct wlk_format format_zarr; /* a file whose name says so */
extern const struct json_model json_model_zarr;
