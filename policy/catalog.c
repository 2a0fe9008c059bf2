/* The findings and formats of this build as JSON, and their digest: what `weighlock rules` and GET /v1/rules,
 * /v1/formats show.  Everything grows from the tables in lib/core. */
#include <openssl/evp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finding_references.h"
#include "policy_impl.h"

/* Texts with blanks between them, as an array. */
static json_t *words_json(const char *words)
{
	json_t *list = json_array();

	while (list != NULL && *words != '\0') {
		size_t n = strcspn(words, " ");

		if (json_array_append_new(list, json_stringn(words, n)) < 0) {
			json_decref(list);
			return NULL;
		}
		words += n;
		words += strspn(words, " ");
	}
	return list;
}

json_t *rule_references_json(enum wlk_finding code)
{
	return words_json(finding_references(code));
}

static json_t *rule_json(enum wlk_finding code)
{
	const struct finding_info *info = finding_info(code);

	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:o}", "code", info->code, "class",
	    finding_class_text(info->class), "severity", finding_severity_text(info->severity), "title", info->title,
	    "why", info->why, "fix", info->fix, "clause", info->clause, "since", (int)finding_since(code), "references",
	    rule_references_json(code));
}

json_t *rules_json(void)
{
	json_t *list = json_array();
	json_t *ret;

	if (list == NULL)
		return NULL;
	for (unsigned i = 0; i < WLK_N_FINDINGS; i++) {
		if (json_array_append_new(list, rule_json((enum wlk_finding)i)) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	ret = json_pack("{s:i, s:s, s:o}", "rules_version", WLK_RULES_VERSION, "sha256", rules_sha256(), "rules", list);
	return ret;
}

json_t *formats_json(void)
{
	json_t *list = json_array();

	if (list == NULL)
		return NULL;
	for (unsigned i = WLK_FORMAT_UNKNOWN + 1; i < WLK_N_FORMATS; i++) {
		const struct format_info *info = format_info((enum wlk_format_id)i);
		json_t *item;

		if (!format_is_listed((enum wlk_format_id)i))
			continue;
		item = json_pack("{s:s, s:i, s:b, s:s, s:o}", "format", info->name, "revision", (int)info->revision,
		    "model", (int)info->model, "level", format_level((enum wlk_format_id)i), "extensions",
		    words_json(info->extensions));
		if (json_array_append_new(list, item) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return json_pack("{s:o}", "formats", list);
}

/* ---- the digest ---- */

static char rules_hex[SHA256_HEX + 1];

static void digest_field(EVP_MD_CTX *md, const char *text)
{
	if (EVP_DigestUpdate(md, text, strlen(text) + 1) != 1) /* with its NUL, so that fields cannot run together */
		abort();
}

static void digest_tables(EVP_MD_CTX *md)
{
	char number[32];

	(void)snprintf(number, sizeof(number), "%d", WLK_RULES_VERSION);
	digest_field(md, number);
	for (unsigned i = 0; i < WLK_N_FINDINGS; i++) {
		const struct finding_info *info = finding_info((enum wlk_finding)i);

		digest_field(md, info->code);
		digest_field(md, finding_class_text(info->class));
		digest_field(md, finding_severity_text(info->severity));
		digest_field(md, info->title);
		digest_field(md, info->why);
		digest_field(md, info->fix);
		digest_field(md, info->clause);
		digest_field(md, finding_references((enum wlk_finding)i));
	}
	for (unsigned i = 0; i < WLK_N_FORMATS; i++) {
		const struct format_info *info = format_info((enum wlk_format_id)i);

		(void)snprintf(number, sizeof(number), "%u", info->revision);
		digest_field(md, info->name);
		digest_field(md, number);
	}
}

/* A process that cannot hash its own tables cannot hash a file either: it ends. */
static void digest_once(void)
{
	unsigned char sha256[EVP_MAX_MD_SIZE];
	unsigned n = 0;
	EVP_MD_CTX *md = EVP_MD_CTX_new();

	if (md == NULL || EVP_DigestInit_ex(md, EVP_sha256(), NULL) != 1)
		abort();
	digest_tables(md);
	if (EVP_DigestFinal_ex(md, sha256, &n) != 1)
		abort();
	EVP_MD_CTX_free(md);
	hex_write(sha256, n, rules_hex);
}

const char *rules_sha256(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, digest_once);
	return rules_hex;
}
