/* Keras models as JSON (model.to_json(), config.json of an archive). */
#pragma once

#include "json_file.h"

extern const struct json_model json_model_keras, json_model_keras3;
