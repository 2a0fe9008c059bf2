/* The SHA-256 of a file that a statement may be about: read as it is, and nothing more. */
#pragma once

#include <stdint.h>

/* @name: a path.  Return: 0 or (positive) errno. */
int file_digest(const char *name, uint8_t sha256[32]);
