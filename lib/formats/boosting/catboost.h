/* CatBoost's models: named, and the length of their core compared with the file (formats/others, row CatBoost). */
#pragma once

#include "format.h"

extern const struct wlk_format format_catboost;
