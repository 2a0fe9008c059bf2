/* Where a job's file may be fetched from: hosts that the operator listed, at addresses that are everybody's, or that were listed as
 * well.  Pure; fetch.h goes there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/socket.h>

#include "job.h"

#define REMOTE_LIST_MAX 64
#define REMOTE_HOST_MAX 253u                                        /* bytes of a name, RFC 1035 */
#define REMOTE_URL_MAX (3 * JOB_REF_MAX + 2 * REMOTE_HOST_MAX + 32) /* each byte of a key as %XX */

struct remote_net {
	int family;
	uint8_t at[16];
	unsigned bits;
};

struct remote_allowed {
	size_t n_hosts, n_nets;
	const char *hosts[REMOTE_LIST_MAX]; /* the caller's: HOST, HOST:PORT, or *.HOST for what is below it */
	struct remote_net nets[REMOTE_LIST_MAX];
	const char *s3; /* HOST or HOST:PORT where buckets are, which is allowed thereby; NULL: nowhere */
};

/* Return: 0; -EINVAL: it is none; -ENOSPC beyond REMOTE_LIST_MAX. */
int remote_allow_host(struct remote_allowed *a, const char *host);
int remote_allow_net(struct remote_allowed *a, const char *net); /* ADDRESS/BITS */
bool remote_is_host(const char *host);                           /* HOST or HOST:PORT */

/* May a connection be made to it?  Not to private, link-local, loopback and other special addresses (RFC 6890 and IANA's registries),
 * unless their net is listed. */
bool remote_may_connect(const struct remote_allowed *a, const struct sockaddr *to);

struct remote {
	char url[REMOTE_URL_MAX + 1]; /* what is asked for, built anew of checked parts */
	bool is_s3;                   /* to be signed with the operator's credentials */
};

/**
 * remote_read() - where @ref leads
 * @ref: "https://HOST[:PORT]/PATH[?QUERY]" or "s3://BUCKET/KEY"
 * Return: 0; -EPROTONOSUPPORT: another scheme, or no s3 here; -EINVAL: it is none, or has a user, a fragment or a byte that URLs
 * have not; -EACCES: the host is not listed.
 */
int remote_read(const struct remote_allowed *a, const char *ref, struct remote *ret);
