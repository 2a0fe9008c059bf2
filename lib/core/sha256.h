/* SHA-256, with its state in the open.  OpenSSL's EVP keeps the chaining value to itself; with it, who has hashed a file can
 * say in 32 bytes a block what each block must be, and another process can prove that it reads the same (source.h).  So this
 * is the lower interface, deprecated since OpenSSL 3 but for the same code beneath, without anything to fetch or allocate. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <openssl/sha.h>

#define SHA256_BYTES 32

struct sha256 {
	SHA256_CTX state;
};

void sha256_begin(struct sha256 *s);
void sha256_feed(struct sha256 *s, const uint8_t *at, size_t n);
void sha256_end(struct sha256 *s, uint8_t ret_digest[SHA256_BYTES]);

/* The chaining value, after a multiple of 64 bytes; and to go on from it, `before` bytes into the message. */
void sha256_chain(const struct sha256 *s, uint8_t ret_chain[SHA256_BYTES]);
void sha256_resume(struct sha256 *s, const uint8_t chain[SHA256_BYTES], uint64_t before);
