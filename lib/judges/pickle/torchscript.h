/* Names in the pickles of a TorchScript archive (formats/pytorch, section 7). */
#pragma once

#include "known.h"
#include "pickle.h"

/* What is known of a global there; NULL: it is no name of TorchScript's. */
const struct pickle_standing *torchscript_standing(const struct pickle *p, pickle_value global);
