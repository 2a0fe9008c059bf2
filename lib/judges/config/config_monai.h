/* Which classes of MONAI a bundle may name by one word: see config_monai.c. */
#pragma once

#include <stdbool.h>

#include "bytes.h"

bool config_is_monai_class(struct bytes name);
