/* What lies beside a SavedModel: what Keras wrote of its layers (keras_metadata.pb), and the model's own fingerprint
 * (fingerprint.pb): formats/tensorflow, sections 1 and 3, rule 12. */
#pragma once

#include "format.h"

extern const struct wlk_format format_keras_metadata, format_tf_fingerprint;
