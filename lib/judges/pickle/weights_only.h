/* Would torch.load(weights_only=True) take the pickle?  Opcodes, names and uses as its restricted unpickler has them:
 * formats/pytorch, section 3.  Says nothing about the container around it. */
#pragma once

#include <stdbool.h>

#include "known.h"
#include "pickle.h"

/* Does this act keep the pickle loadable?  @s: how the imported name, the callee or the class of the target stands. */
bool weights_only_takes(const struct pickle *p, const struct pickle_event *e, const struct pickle_standing *s);
/* Were all opcodes of the stream among those it knows? */
bool weights_only_knows_opcodes(const struct pickle *p);
