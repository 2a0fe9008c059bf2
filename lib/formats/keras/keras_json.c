/* Keras models as JSON: see keras_json.h. */
#include "keras_json.h"

#include "keras_config.h"

static enum wlk_status check(struct layout *l, struct bytes text)
{
	return keras_config_check(l, text, 0);
}

const struct json_model json_model_keras = {
	.id = WLK_FORMAT_KERAS_JSON, .keys = { "class_name", "keras_version" }, .check = check
};
/* Keras 3 says no version. */
const struct json_model json_model_keras3 = {
	.id = WLK_FORMAT_KERAS_JSON, .keys = { "class_name", "config" }, .check = check
};
