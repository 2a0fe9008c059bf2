/* Keras' own archives. */
#pragma once

#include "format.h"

extern const struct wlk_format format_keras_zip;
