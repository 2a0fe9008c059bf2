/* Models of TensorFlow.js: layers as Keras has them, or a graph; and where its weights are, which are files of their own. */
#pragma once

#include "json_file.h"

extern const struct json_model json_model_tfjs;
