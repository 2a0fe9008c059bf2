/* MediaPipe's model bundles, `.task`: a ZIP archive of TensorFlow Lite models and what they are used with, which is mapped and not
 * unpacked.  Follows formats/mediapipe. */
#pragma once

#include "format.h"

extern const struct wlk_format format_mediapipe;
