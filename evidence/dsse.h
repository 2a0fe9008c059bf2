/* DSSE, the "dead simple signing envelope" (secure-systems-lab/dsse, protocol v1): a payload, its type, and an ed25519
 * signature over both.  What is signed is not JSON but the bytes themselves, so nothing depends on how JSON is written.
 * Keys come as PEM, by OpenSSL; a key's id is the SHA-256 of its public half's 32 bytes, in hex. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

#define DSSE_MEDIA_TYPE "application/vnd.dsse.envelope.v1+json" /* of an envelope */
#define DSSE_SIGNATURE_BYTES 64u
#define DSSE_KEY_BYTES 32u
#define DSSE_KEYID_BYTES 32u
#define DSSE_PEM_MAX ((size_t)16 << 10)
#define DSSE_PAYLOAD_MAX ((size_t)1200 << 10)  /* a verdict, and a statement around it */
#define DSSE_ENVELOPE_MAX ((size_t)1800 << 10) /* bytes of JSON */

struct dsse_key;

/* @pem: a private key, of ed25519, without a pass phrase.  NULL: it is not. */
struct dsse_key *dsse_private_key(struct bytes pem);
/* The same for a public one. */
struct dsse_key *dsse_public_key(struct bytes pem);
void dsse_key_free(struct dsse_key *k); /* NULL is fine */
const uint8_t *dsse_key_id(const struct dsse_key *k);

/* PAE, the pre-authentication encoding: "DSSEv1" SP LEN(type) SP type SP LEN(body) SP body.
 * Return: malloc()ed; NULL without memory. */
uint8_t *dsse_pae(const char *type, struct bytes body, size_t *ret_n);

/* Sign the PAE of both.  Return: false: it cannot be. */
bool dsse_sign(const struct dsse_key *k, const char *type, struct bytes body, uint8_t signature[DSSE_SIGNATURE_BYTES]);
bool dsse_verify(
    const struct dsse_key *k, const char *type, struct bytes body, const uint8_t signature[DSSE_SIGNATURE_BYTES]);

/* An envelope with one signature, as one line of JSON.  malloc()ed; NULL without memory. */
char *dsse_envelope(const char *type, struct bytes body, const uint8_t key_id[DSSE_KEYID_BYTES],
    const uint8_t signature[DSSE_SIGNATURE_BYTES]);

/**
 * dsse_open() - the payload of an envelope that this key has signed
 * Several signatures may be in it; one that is good is enough, and a key id is only a hint (the protocol says so).
 * @type: what the payload must be
 * @ret: malloc()ed, for the caller to free()
 * Return: NULL; or why not, as a static text.
 */
const char *dsse_open(const struct dsse_key *k, struct bytes envelope, const char *type, uint8_t **ret, size_t *ret_n);
