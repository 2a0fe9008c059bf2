/* References to code by what they look like, whoever's configuration it is: package.module.Class, module:attribute, file.py:attribute,
 * under a key whose last word says that it is called, imported or made.  Follows formats/configs, section 3.2. */
#pragma once

#include "config_judge.h"

/* Cheap: is there anything for judge_shape() to say of a text under this key? */
bool config_shape_is_told(struct bytes key, struct bytes text);
/* As cheap: a class of a package, under whatever key, or what reads and writes. */
bool config_shape_is_class(struct bytes key, struct bytes text);
/* Return: was anything found? */
bool judge_shape(struct config *c, uint32_t node);
