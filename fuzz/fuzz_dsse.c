/* Envelopes and keys as a stranger hands them to `weighlock verify`.  The first byte says what follows: a public key, a
 * private key, or an envelope to be opened with the key of RFC 8032's first test.  Nobody here can sign, so whatever opens
 * is what the seeds were made with. */
#include <string.h>

#include "dsse.h"
#include "fuzz.h"

#define PUBLIC_PEM                                                       \
	"-----BEGIN PUBLIC KEY-----\n"                                   \
	"MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n" \
	"-----END PUBLIC KEY-----\n"
#define TYPE "http://example.com/HelloWorld"
#define BODY "hello world"

static void open_envelope(struct bytes at)
{
	static struct dsse_key *key;
	uint8_t *payload;
	size_t n;
	const char *why;

	if (!key)
		key = dsse_public_key(bytes_of_text(PUBLIC_PEM));
	FUZZ_REQUIRE(key != NULL);
	why = dsse_open(key, at, TYPE, &payload, &n);
	FUZZ_REQUIRE((why == NULL) == (payload != NULL));
	if (!why)
		FUZZ_REQUIRE(n == strlen(BODY) && memcmp(payload, BODY, n) == 0);
	free(payload);
	FUZZ_REQUIRE(dsse_open(key, at, "text/plain", &payload, &n) != NULL && payload == NULL);
}

/* A key that was taken has an id, and what it signs only it has signed. */
static void use_private(struct dsse_key *k)
{
	uint8_t signature[DSSE_SIGNATURE_BYTES];

	FUZZ_REQUIRE(dsse_sign(k, TYPE, bytes_of_text(BODY), signature));
	FUZZ_REQUIRE(dsse_verify(k, TYPE, bytes_of_text(BODY), signature));
	FUZZ_REQUIRE(!dsse_verify(k, TYPE, bytes_of_text("hello worl"), signature));
}

int fuzz_one(const uint8_t *data, size_t n)
{
	const struct bytes rest = n > 0 ? bytes_of(data + 1, n - 1) : (struct bytes){ 0 };
	struct dsse_key *k = NULL;

	if (n == 0)
		return 0;
	if (data[0] == 'p') {
		k = dsse_public_key(rest);
	} else if (data[0] == 's') {
		k = dsse_private_key(rest);
		if (k)
			use_private(k);
	} else {
		open_envelope(rest);
	}
	dsse_key_free(k);
	return 0;
}
