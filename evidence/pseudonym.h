/* A name in place of a name: the same one gives the same pseudonym, so that they can be counted and looked for, and without
 * the key nobody finds the name by trying.  Who has the key can: it is no erasure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PSEUDONYM_KEY_BYTES 32u
#define PSEUDONYM_KEY_FILE_MIN 16u /* bytes: what cannot be guessed */
#define PSEUDONYM_KEY_FILE_MAX 4096u
#define PSEUDONYM_BYTES (2u + 32u + 1u) /* "p:" and 128 bits: no tenant that a request may name has a colon */

/**
 * pseudonym_key_read() - the key that a file stands for: the SHA-256 of its bytes
 * Return: 0; -EPERM: others may read it, or it is no file; -EINVAL: too short or too long; negative errno.
 */
int pseudonym_key_read(const char *path, uint8_t key[PSEUDONYM_KEY_BYTES]);

/* The first half of HMAC-SHA-256 over the name.  Return: @buf. */
const char *pseudonym_of(const uint8_t key[PSEUDONYM_KEY_BYTES], const char *name, char buf[PSEUDONYM_BYTES]);
