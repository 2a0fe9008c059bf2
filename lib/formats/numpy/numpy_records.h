/* NumPy's structured types as records of tensors (lib/engine/records.h). */
#pragma once

#include "extents.h"
#include "numpy_descr.h"

/**
 * numpy_records_attach() - each field of an array's records becomes a tensor `key.field`
 * @x: extents; @e: one of them, the array's data. @record: of at least one byte.  @key: cut when it is long.
 * Padding (nameless raw bytes) is no tensor.
 * Return: false when the arena of @x is spent.
 */
bool numpy_records_attach(struct extents *x, struct extent *e, const struct numpy_record *record, struct bytes key);
