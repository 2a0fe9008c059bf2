/* Apache Parquet: columns of tables. */
#pragma once

#include "format.h"

extern const struct wlk_format format_parquet;
