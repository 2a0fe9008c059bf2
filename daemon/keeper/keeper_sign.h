/* The keeper's part of signed verdicts: it alone has the key, and signs what a front says is a statement.
 * The type of the payload is not the front's to choose, so what is signed here is nothing else anywhere. */
#pragma once

#include "keeper.h"

/* Before the process gives up root: read the key's file, where one is configured.  What cannot be read is told by open(). */
void keeper_sign_read(const struct settings *s);

extern const struct keeper_feature keeper_sign;
