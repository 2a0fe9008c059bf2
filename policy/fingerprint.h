/* Which findings are the same one: of a file that was changed, or of two scans.  By what is found and where in the file's
 * structure, never by offset or digest. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#define FINGERPRINT_HEX 64

/**
 * finding_fingerprint() - SHA-256 over code, member and subject of a verdict's finding, in hex
 * Return: false: libcrypto refused.
 */
bool finding_fingerprint(const json_t *finding, char ret[FINGERPRINT_HEX + 1]);

/* Would their fingerprints be equal? */
bool findings_alike(const json_t *a, const json_t *b);
