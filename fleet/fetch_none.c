/* See fetch.h.  For a program that is built without libcurl: it fetches nothing, and says so of each reference. */
#include "fetch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int fetcher_new(const struct fetch_settings *set, struct fetcher **ret)
{
	(void)set;
	*ret = NULL;
	return -ENOSYS;
}

void fetcher_free(struct fetcher *f)
{
	(void)f;
}

bool fetch_is_meant(const char *ref)
{
	return strncmp(ref, "file:", 5) != 0;
}

struct fetch *fetch_begin(struct fetcher *f, const struct fleet_job *job, struct fetch_end *ret_end)
{
	(void)f;
	(void)job;
	*ret_end = (struct fetch_end){ .end = END_REFUSED, .cause = "fetch: scheme" };
	return NULL;
}

void fetch_free(struct fetch *d)
{
	(void)d;
}

void fetcher_step(struct fetcher *f)
{
	(void)f;
}

bool fetch_is_over(const struct fetch *d, struct fetch_end *ret_end, int *ret_fd)
{
	(void)d;
	(void)ret_end;
	(void)ret_fd;
	return false;
}

void fetcher_wait(struct fetcher *f, struct pollfd *fds, size_t n, int timeout_ms)
{
	(void)f;
	(void)poll(fds, (nfds_t)n, timeout_ms);
}
