/* Keras models as YAML, which Keras wrote up to TensorFlow 2.5: text with a key `class_name`.  What they name is looked for, and
 * nothing else of them is read. */
#pragma once

#include "format.h"

/* Is it one?  Then it is reported, and never understood. */
bool keras_yaml_check(struct layout *l, struct bytes text);
