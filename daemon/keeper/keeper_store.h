/* The keeper's part of the verdict store: rows as bytes in, rows as bytes out.  It does not look into an entry. */
#pragma once

#include "keeper.h"

extern const struct keeper_feature keeper_store;
