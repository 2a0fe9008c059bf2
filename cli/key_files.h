/* Small files that are read whole, and keys in them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "dsse.h"

/* All of a small file, malloc()ed.  "-": standard input.  Says why not.  Return: NULL. */
uint8_t *file_read_whole(const char *name, size_t max, size_t *ret_n);
/* An ed25519 key in PEM.  Says why not.  Return: NULL. */
struct dsse_key *key_read_public(const char *name);
struct dsse_key *key_read_private(const char *name);
