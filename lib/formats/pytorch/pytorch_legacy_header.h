/* The constants a legacy checkpoint begins with. */
#pragma once

#include "pickle.h"

/* Bytes of the first pickle, which makes the magic number and nothing else, at any protocol; 0: these are not it. */
size_t torch_legacy_magic(struct bytes head);

/* Is this the protocol's number? */
bool torch_legacy_protocol(const struct pickle *p, pickle_value v);

/* The machine that wrote the file: protocol, byte order, sizes of C's types, and nothing else. */
bool torch_legacy_system(const struct pickle *p, pickle_value v, bool *ret_little_endian);
