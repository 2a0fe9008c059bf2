/* Values that are judged as they are read, whatever else is in the file: numbers of tokens, and regular expressions.  Formats/configs,
 * sections 4.1 and 4.3. */
#pragma once

#include "config_impl.h"

/* @around: the key, or that of the list that it is an entry of. */
void config_check_number(struct config *c, struct bytes around, struct bytes digits, uint64_t at);
void config_check_pattern(struct config *c, struct bytes key, struct bytes around, struct bytes text, uint64_t at);
