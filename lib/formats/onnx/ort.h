/* ONNX Runtime's own format (.ort). */
#pragma once

#include "format.h"

extern const struct wlk_format format_ort;
