/* Names of files, as models give them. */
#pragma once

#include <stdbool.h>

#include "bytes.h"

/* Does it lead out of the folder it is given for, on any system?  Absolute, with a drive or a scheme, with backslashes,
 * through `..`, or escaped so that one of these might come out. */
bool path_leaves_folder(struct bytes path);
