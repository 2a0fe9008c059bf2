/* Checkpoints of TensorFlow ("tensor bundles"), whose index is a table of names (tf_table.h): formats/tensorflow, section 5.
 * What the index says of the files beside it is rows of the manifest, which a set is judged against. */
#pragma once

#include "format.h"

extern const struct wlk_format format_tf_checkpoint;
