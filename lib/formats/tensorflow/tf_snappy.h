/* Snappy blocks, which old writers of TensorFlow checkpoints pressed their tables with: google/snappy,
 * format_description.txt.  Whole blocks in memory; no framing. */
#pragma once

#include <stdbool.h>

#include "bytes.h"

/* The length that the block says it has when it is decoded.  Return: false: it says none below 4 GiB. */
bool snappy_length(struct bytes coded, uint64_t *ret);
/* Return: false unless the block decodes to exactly n bytes. */
bool snappy_decode(struct bytes coded, uint8_t *out, size_t n);
