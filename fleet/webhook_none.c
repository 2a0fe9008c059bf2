/* See webhook.h.  For a program that is built without libcurl. */
#include "webhook.h"

#include <errno.h>

int webhook_new(const char *url, const char *secret, const char *ca, struct webhook **ret)
{
	(void)url;
	(void)secret;
	(void)ca;
	(void)ret;
	return -ENOSYS;
}

void webhook_free(struct webhook *w)
{
	(void)w;
}

void webhook_give(struct webhook *w, const char *body, size_t n)
{
	(void)w;
	(void)body;
	(void)n;
}
