/* Text forms of TensorFlow's messages: the file `checkpoint` that names checkpoints, which is read, and graphs (.pbtxt), which
 * are not: formats/tensorflow, sections 1 and 5. */
#pragma once

#include "format.h"

extern const struct wlk_format format_tf_checkpoint_state, format_tf_text;
