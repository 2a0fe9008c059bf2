/* See fingerprint.h. */
#include "fingerprint.h"

#include <openssl/evp.h>
#include <string.h>

#include "judgement.h"

static const char *const members[] = { "code", "member", "subject" };
#define N_MEMBERS (sizeof(members) / sizeof(members[0]))

static const char *text_of(const json_t *finding, size_t i)
{
	const char *text = json_string_value(json_object_get(finding, members[i]));

	return text != NULL ? text : "";
}

bool finding_fingerprint(const json_t *finding, char ret[FINGERPRINT_HEX + 1])
{
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	uint8_t sha256[32];
	bool good = md != NULL && EVP_DigestInit_ex(md, EVP_sha256(), NULL) == 1;

	/* With its end: texts of a verdict hold no NUL, so no two lists of texts look alike. */
	for (size_t i = 0; good && i < N_MEMBERS; i++)
		good = EVP_DigestUpdate(md, text_of(finding, i), strlen(text_of(finding, i)) + 1) == 1;
	good = good && EVP_DigestFinal_ex(md, sha256, NULL) == 1;
	EVP_MD_CTX_free(md);
	if (good)
		hex_write(sha256, 32, ret);
	return good;
}

bool findings_alike(const json_t *a, const json_t *b)
{
	for (size_t i = 0; i < N_MEMBERS; i++)
		if (strcmp(text_of(a, i), text_of(b, i)) != 0)
			return false;
	return true;
}
