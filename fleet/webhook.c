/* See webhook.h. */
#include "webhook.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <curl/curl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "hex.h"
#include "say.h"

#define SECRET_MAX 256
#define GIVE_S 30L
#define AGAIN_MAX_S 60u

struct webhook {
	CURL *easy;
	char secret[SECRET_MAX];
	char stamped[32]; /* "SECONDS." */
};

/* ---- what signs ---- */

static int read_secret(const char *path, char *ret)
{
	FILE *f = fopen(path, "re");
	size_t n;

	if (f == NULL || fgets(ret, SECRET_MAX, f) == NULL) {
		fleet_say("%s: %s", path, f == NULL ? strerror(errno) : "it is empty");
		if (f != NULL)
			fclose(f);
		return -EINVAL;
	}
	fclose(f);
	n = strcspn(ret, "\n");
	if (n >= WEBHOOK_SECRET_MIN && n < SECRET_MAX - 1) {
		ret[n] = '\0';
		return 0;
	}
	fleet_say("%s: its first line is to have %d to %d bytes", path, WEBHOOK_SECRET_MIN, SECRET_MAX - 2);
	return -EINVAL;
}

/* @ret: digits.  Return: false: no memory. */
static bool sign(const struct webhook *w, const char *body, size_t n, char *ret)
{
	const size_t stamp_n = strlen(w->stamped);
	unsigned char *text = malloc(stamp_n + n), sum[32];
	bool ok = text != NULL;

	if (ok) {
		memcpy(text, w->stamped, stamp_n);
		memcpy(text + stamp_n, body, n);
		ok = HMAC(EVP_sha256(), w->secret, (int)strlen(w->secret), text, stamp_n + n, sum, NULL) != NULL;
	}
	if (ok)
		hex_write(sum, sizeof(sum), ret);
	free(text);
	return ok;
}

/* ---- one POST ---- */

static size_t drop(char *at, size_t one, size_t n, void *ctx)
{
	(void)at;
	(void)one;
	(void)ctx;
	return n;
}

static struct curl_slist *headers_of(struct webhook *w, const char *body, size_t n)
{
	char line[160], digits[64 + 1];
	struct curl_slist *l, *both;

	snprintf(w->stamped, sizeof(w->stamped), "%lld.", (long long)time(NULL));
	if (!sign(w, body, n, digits))
		return NULL;
	snprintf(line, sizeof(line), "Weighlock-Signature: t=%.*s,v1=%s", (int)strlen(w->stamped) - 1, w->stamped, digits);
	l = curl_slist_append(NULL, line);
	both = l != NULL ? curl_slist_append(l, "Content-Type: application/json") : NULL;
	if (both == NULL)
		curl_slist_free_all(l);
	return both;
}

/* Return: NULL: it was taken; or why not, in words that name no URL. */
static const char *give_once(struct webhook *w, const char *body, size_t n)
{
	struct curl_slist *headers = headers_of(w, body, n);
	long status = 0;
	CURLcode code = CURLE_OUT_OF_MEMORY;

	if (headers != NULL && curl_easy_setopt(w->easy, CURLOPT_HTTPHEADER, headers) == CURLE_OK &&
	    curl_easy_setopt(w->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)n) == CURLE_OK &&
	    curl_easy_setopt(w->easy, CURLOPT_POSTFIELDS, body) == CURLE_OK)
		code = curl_easy_perform(w->easy);
	curl_easy_setopt(w->easy, CURLOPT_HTTPHEADER, NULL);
	curl_slist_free_all(headers);
	curl_easy_getinfo(w->easy, CURLINFO_RESPONSE_CODE, &status);
	if (code != CURLE_OK)
		return curl_easy_strerror(code);
	return status >= 200 && status < 300 ? NULL : "it was not taken";
}

void webhook_give(struct webhook *w, const char *body, size_t n)
{
	const char *why;

	for (unsigned wait_s = 1; (why = give_once(w, body, n)) != NULL; wait_s = wait_s < AGAIN_MAX_S / 2 ? 2 * wait_s : AGAIN_MAX_S) {
		fleet_say("webhook: %s; again in %u s", why, wait_s);
		(void)poll(NULL, 0, (int)wait_s * 1000);
	}
}

/* ---- */

static bool set_options(CURL *e, const char *url, const char *ca)
{
	return curl_easy_setopt(e, CURLOPT_URL, url) == CURLE_OK && curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "https") == CURLE_OK &&
	       curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK && curl_easy_setopt(e, CURLOPT_PROXY, "") == CURLE_OK &&
	       curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L) == CURLE_OK && curl_easy_setopt(e, CURLOPT_TIMEOUT, GIVE_S) == CURLE_OK &&
	       curl_easy_setopt(e, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK &&
	       curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, drop) == CURLE_OK &&
	       (ca == NULL || (curl_easy_setopt(e, CURLOPT_CAINFO, ca) == CURLE_OK &&
				  curl_easy_setopt(e, CURLOPT_CAPATH, NULL) == CURLE_OK));
}

int webhook_new(const char *url, const char *secret, const char *ca, struct webhook **ret)
{
	struct webhook *w;

	if (strncmp(url, "https://", 8) != 0 || secret == NULL) {
		fleet_say("--webhook is https: and wants --secret FILE");
		return -EINVAL;
	}
	w = calloc(1, sizeof(*w));
	if (w == NULL)
		return -ENOMEM;
	if (read_secret(secret, w->secret) < 0) {
		free(w);
		return -EINVAL;
	}
	w->easy = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? curl_easy_init() : NULL;
	if (w->easy == NULL || !set_options(w->easy, url, ca)) {
		webhook_free(w);
		return -ENOMEM;
	}
	*ret = w;
	return 0;
}

void webhook_free(struct webhook *w)
{
	if (w == NULL)
		return;
	curl_easy_cleanup(w->easy);
	explicit_bzero(w->secret, sizeof(w->secret));
	free(w);
}
