/* Everything a keeper can keep.  A further feature is a line here, its kinds in keeper.h, its handlers in a file of its
 * own, and whatever calls its library makes in the table of sandbox/keeper.c. */
#include <stdlib.h>

#include "keeper.h"
#include "keeper_audit.h"
#include "keeper_exceptions.h"
#include "keeper_sign.h"
#include "keeper_store.h"

const struct keeper_feature *const keeper_features[] = { &keeper_store, &keeper_audit, &keeper_exceptions, &keeper_sign,
	NULL };
