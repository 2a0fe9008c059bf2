/* See dsse.h. */
#include "dsse.h"

#include <jansson.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "hex.h"
#include "whole_json.h"

struct dsse_key {
	EVP_PKEY *pkey;
	uint8_t id[DSSE_KEYID_BYTES];
};

/* ---- keys ---- */

static int no_pass_phrase(char *buf, int n, int writing, void *ctx)
{
	(void)buf;
	(void)n;
	(void)writing;
	(void)ctx;
	return -1;
}

/* @pkey: taken; NULL for none. */
static struct dsse_key *key_of(EVP_PKEY *pkey)
{
	uint8_t public[DSSE_KEY_BYTES];
	size_t n = sizeof(public);
	struct dsse_key *k = NULL;

	if (pkey && EVP_PKEY_get_base_id(pkey) == EVP_PKEY_ED25519 &&
	    EVP_PKEY_get_raw_public_key(pkey, public, &n) == 1 && n == sizeof(public))
		k = malloc(sizeof(*k));
	if (k == NULL) {
		EVP_PKEY_free(pkey);
		return NULL;
	}
	k->pkey = pkey;
	SHA256(public, sizeof(public), k->id);
	return k;
}

static struct dsse_key *key_from(struct bytes pem, EVP_PKEY *(*read)(BIO *, EVP_PKEY **, pem_password_cb *, void *))
{
	BIO *bio = pem.n <= DSSE_PEM_MAX ? BIO_new_mem_buf(pem.at, (int)pem.n) : NULL;
	struct dsse_key *k = bio ? key_of(read(bio, NULL, no_pass_phrase, NULL)) : NULL;

	BIO_free(bio);
	return k;
}

struct dsse_key *dsse_private_key(struct bytes pem)
{
	return key_from(pem, PEM_read_bio_PrivateKey);
}

struct dsse_key *dsse_public_key(struct bytes pem)
{
	return key_from(pem, PEM_read_bio_PUBKEY);
}

void dsse_key_free(struct dsse_key *k)
{
	if (k == NULL)
		return;
	EVP_PKEY_free(k->pkey);
	free(k);
}

const uint8_t *dsse_key_id(const struct dsse_key *k)
{
	return k->id;
}

/* ---- signatures ---- */

uint8_t *dsse_pae(const char *type, struct bytes body, size_t *ret_n)
{
	size_t room = strlen(type) + body.n + 64;
	uint8_t *pae = malloc(room);
	int n;

	if (pae == NULL)
		return NULL;
	n = snprintf((char *)pae, room, "DSSEv1 %zu %s %zu ", strlen(type), type, body.n);
	bytes_copy(pae + n, body);
	*ret_n = (size_t)n + body.n;
	return pae;
}

bool dsse_sign(const struct dsse_key *k, const char *type, struct bytes body, uint8_t signature[DSSE_SIGNATURE_BYTES])
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	size_t n, signature_n = DSSE_SIGNATURE_BYTES;
	uint8_t *pae = dsse_pae(type, body, &n);
	bool good = ctx && pae != NULL && EVP_DigestSignInit(ctx, NULL, NULL, NULL, k->pkey) == 1 &&
		    EVP_DigestSign(ctx, signature, &signature_n, pae, n) == 1 && signature_n == DSSE_SIGNATURE_BYTES;

	free(pae);
	EVP_MD_CTX_free(ctx);
	return good;
}

bool dsse_verify(
    const struct dsse_key *k, const char *type, struct bytes body, const uint8_t signature[DSSE_SIGNATURE_BYTES])
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	size_t n;
	uint8_t *pae = dsse_pae(type, body, &n);
	bool good = ctx && pae != NULL && EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, k->pkey) == 1 &&
		    EVP_DigestVerify(ctx, signature, DSSE_SIGNATURE_BYTES, pae, n) == 1;

	free(pae);
	EVP_MD_CTX_free(ctx);
	return good;
}

/* ---- base64 (RFC 4648, section 4) ---- */

/* malloc()ed, with a NUL; NULL without memory. */
static char *base64(struct bytes b)
{
	char *text = malloc(4 * ((b.n + 2) / 3) + 1);

	if (text != NULL)
		EVP_EncodeBlock((unsigned char *)text, b.at, (int)b.n);
	return text;
}

/* Standard alphabet, whole groups, padding at the end only, and nothing in between.  Return: malloc()ed; NULL. */
static uint8_t *unbase64(const char *text, size_t n, size_t *ret_n)
{
	size_t digits = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
	size_t padding = strspn(text + digits, "=");
	uint8_t *bytes;

	if (n == 0 || n % 4 != 0 || digits + padding != n || padding > 2)
		return NULL;
	bytes = malloc(n / 4 * 3);
	if (bytes == NULL)
		return NULL;
	if (EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)n) < 0) {
		free(bytes);
		return NULL;
	}
	*ret_n = n / 4 * 3 - padding;
	return bytes;
}

/* ---- envelopes ---- */

char *dsse_envelope(const char *type, struct bytes body, const uint8_t key_id[DSSE_KEYID_BYTES],
    const uint8_t signature[DSSE_SIGNATURE_BYTES])
{
	char keyid[SHA256_HEX + 1];
	char *payload = base64(body), *sig = base64(bytes_of(signature, DSSE_SIGNATURE_BYTES)), *text;
	json_t *o = NULL;

	hex_write(key_id, 32, keyid);
	if (payload != NULL && sig != NULL)
		o = json_pack("{s:s, s:s, s:[{s:s, s:s}]}", "payload", payload, "payloadType", type, "signatures",
		    "keyid", keyid, "sig", sig);
	text = whole_json(o, JSON_COMPACT);
	json_decref(o);
	free(payload);
	free(sig);
	return text;
}

static bool is_signed(const struct dsse_key *k, const json_t *signatures, const char *type, struct bytes body)
{
	size_t i;
	const json_t *item;

	json_array_foreach (signatures, i, item) {
		const json_t *sig = json_object_get(item, "sig");
		size_t n = 0;
		uint8_t *raw =
		    json_is_string(sig) ? unbase64(json_string_value(sig), json_string_length(sig), &n) : NULL;
		bool good = raw && n == DSSE_SIGNATURE_BYTES && dsse_verify(k, type, body, raw);

		free(raw);
		if (good)
			return true;
	}
	return false;
}

static const char *open_json(const struct dsse_key *k, const json_t *o, const char *type, uint8_t **ret, size_t *ret_n)
{
	const json_t *payload = json_object_get(o, "payload"), *signatures = json_object_get(o, "signatures");
	const char *found = json_string_value(json_object_get(o, "payloadType"));

	if (!json_is_string(payload) || found == NULL || json_array_size(signatures) == 0)
		return "it is no DSSE envelope";
	if (json_array_size(signatures) > 16)
		return "it has more than 16 signatures";
	if (strcmp(found, type) != 0)
		return "its payload is of another type";
	*ret = unbase64(json_string_value(payload), json_string_length(payload), ret_n);
	if (!*ret)
		return "its payload is not base64";
	if (is_signed(k, signatures, type, bytes_of(*ret, *ret_n)))
		return NULL;
	free(*ret);
	*ret = NULL;
	return "no signature in it is by this key";
}

const char *dsse_open(const struct dsse_key *k, struct bytes envelope, const char *type, uint8_t **ret, size_t *ret_n)
{
	const char *why;
	json_t *o;

	*ret = NULL;
	if (envelope.n > DSSE_ENVELOPE_MAX)
		return "it is too long";
	o = json_loadb((const char *)envelope.at, envelope.n, JSON_REJECT_DUPLICATES, NULL);
	why = o ? open_json(k, o, type, ret, ret_n) : "it is no JSON";
	json_decref(o);
	return why;
}
