/* Lines for somebody's URL, each signed, and given again until it is taken: at least once. */
#pragma once

#include <stddef.h>

#define WEBHOOK_SECRET_MIN 16 /* bytes */

struct webhook;

/**
 * webhook_new() - where lines go
 * @url: https:, the caller's
 * @secret: a file whose first line signs; 16 to 255 bytes
 * @ca: certificates that the server must have; NULL: the machine's
 * Return: 0; -ENOSYS: this program was built without libcurl; -EINVAL: told; -ENOMEM.
 */
int webhook_new(const char *url, const char *secret, const char *ca, struct webhook **ret);
void webhook_free(struct webhook *w);

/* POST @body as application/json, with "Weighlock-Signature: t=SECONDS,v1=HEX": the HMAC-SHA256 of SECONDS, "." and the body.
 * Returns when it is taken (a status of 200 to 299): what is not is told, and given again after 1 s, 2 s, ... 60 s. */
void webhook_give(struct webhook *w, const char *body, size_t n);
