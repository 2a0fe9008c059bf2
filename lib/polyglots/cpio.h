/* What says of the bytes around a signature that a header of cpio begins with them: see cpio.c.  For search.c, which gives what the
 * file has of them, the signature at least. */
#pragma once

#include <stdbool.h>

#include "bytes.h"

bool cpio_is_ascii(struct bytes b);
bool cpio_is_little(struct bytes b);
bool cpio_is_big(struct bytes b);
