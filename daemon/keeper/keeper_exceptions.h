/* The keeper's list of exceptions (exceptions.h): whole on request, and a line more. */
#pragma once

#include "keeper.h"

extern const struct keeper_feature keeper_exceptions;
