/* See remote.h. */
#include "remote.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HTTPS "https://"
#define S3 "s3://"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define HOST_BYTES LETTERS "0123456789.-"
/* RFC 3986, 3.3 and 3.4, with what is escaped */
#define PATH_BYTES LETTERS "0123456789-._~!$&'()*+,;=:@%/?"
#define KEY_BYTES LETTERS "0123456789-._~/" /* S3's "URI encode": the others are escaped */
#define PLACE_MAX (REMOTE_HOST_MAX + 8)

/* ---- hosts ---- */

/* "HOST:PORT", in lower case and with the port that is meant.  @n: bytes of @text.  Return: false: it is none. */
static bool write_place(const char *text, size_t n, char *ret)
{
	const size_t host_n = strspn(text, HOST_BYTES) < n ? strspn(text, HOST_BYTES) : n;
	const char *port = text + host_n + 1;
	const size_t port_n = host_n < n ? n - host_n - 1 : 0;

	if (host_n == 0 || host_n > REMOTE_HOST_MAX || text[0] == '.' || text[0] == '-')
		return false;
	if (host_n < n && (text[host_n] != ':' || port_n == 0 || port_n > 5 || strspn(port, "0123456789") < port_n))
		return false;
	snprintf(ret, PLACE_MAX, "%.*s:%.*s", (int)host_n, text, port_n > 0 ? (int)port_n : 3, port_n > 0 ? port : "443");
	for (char *at = ret; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	return true;
}

bool remote_is_host(const char *host)
{
	char place[PLACE_MAX];

	return write_place(host, strlen(host), place);
}

int remote_allow_host(struct remote_allowed *a, const char *host)
{
	if (!remote_is_host(strncmp(host, "*.", 2) == 0 ? host + 2 : host))
		return -EINVAL;
	if (a->n_hosts == REMOTE_LIST_MAX)
		return -ENOSPC;
	a->hosts[a->n_hosts++] = host;
	return 0;
}

static bool is_listed(const struct remote_allowed *a, const char *place)
{
	for (size_t i = 0; i < a->n_hosts; i++) {
		const bool below = strncmp(a->hosts[i], "*.", 2) == 0;
		const char *host = a->hosts[i] + (below ? 2 : 0);
		char listed[PLACE_MAX];
		size_t n, have = strlen(place);

		if (!write_place(host, strlen(host), listed))
			continue;
		n = strlen(listed);
		if (below ? have > n + 1 && place[have - n - 1] == '.' && strcmp(place + have - n, listed) == 0
			  : strcmp(place, listed) == 0)
			return true;
	}
	return false;
}

/* ---- addresses ---- */

static bool is_below(const uint8_t *at, const uint8_t *net, unsigned bits)
{
	const unsigned rest = bits % 8;

	return memcmp(at, net, bits / 8) == 0 && (rest == 0 || ((at[bits / 8] ^ net[bits / 8]) >> (8 - rest)) == 0);
}

int remote_allow_net(struct remote_allowed *a, const char *net)
{
	struct remote_net *ret = &a->nets[a->n_nets];
	const char *slash = strchr(net, '/');
	char address[INET6_ADDRSTRLEN], *end;
	unsigned long bits;

	if (a->n_nets == REMOTE_LIST_MAX)
		return -ENOSPC;
	if (slash == NULL || (size_t)(slash - net) >= sizeof(address) || !isdigit((unsigned char)slash[1]))
		return -EINVAL;
	snprintf(address, sizeof(address), "%.*s", (int)(slash - net), net);
	bits = strtoul(slash + 1, &end, 10);
	ret->family = strchr(address, ':') != NULL ? AF_INET6 : AF_INET;
	if (inet_pton(ret->family, address, ret->at) != 1 || *end != '\0' || bits > (ret->family == AF_INET ? 32 : 128))
		return -EINVAL;
	ret->bits = (unsigned)bits;
	a->n_nets++;
	return 0;
}

/* IANA's IPv4 Special-Purpose Address Registry, and multicast. */
static const struct {
	uint8_t at[4];
	unsigned bits;
} special4[] = { { { 0 }, 8 }, { { 10 }, 8 }, { { 100, 64 }, 10 }, { { 127 }, 8 }, { { 169, 254 }, 16 }, { { 172, 16 }, 12 },
	{ { 192, 0, 0 }, 24 }, { { 192, 0, 2 }, 24 }, { { 192, 31, 196 }, 24 }, { { 192, 52, 193 }, 24 },
	{ { 192, 88, 99 }, 24 }, { { 192, 168 }, 16 }, { { 192, 175, 48 }, 24 }, { { 198, 18 }, 15 },
	{ { 198, 51, 100 }, 24 }, { { 203, 0, 113 }, 24 }, { { 224 }, 3 } };

/* Of IPv6 only 2000::/3 is anybody's (IANA's IPv6 Address Space); special within: protocol assignments with Teredo, documentation,
 * 6to4, which leads to an IPv4 address. */
static const struct {
	uint8_t at[4];
	unsigned bits;
} special6[] = { { { 0x20, 0x01, 0, 0 }, 23 }, { { 0x20, 0x01, 0x0d, 0xb8 }, 32 }, { { 0x20, 0x02 }, 16 },
	{ { 0x26, 0x20, 0, 0x4f }, 32 }, { { 0x3f, 0xff, 0 }, 20 } };

static bool is_everybodys(int family, const uint8_t *at)
{
	if (family == AF_INET) {
		for (size_t i = 0; i < sizeof(special4) / sizeof(special4[0]); i++) {
			if (is_below(at, special4[i].at, special4[i].bits))
				return false;
		}
		return true;
	}
	for (size_t i = 0; i < sizeof(special6) / sizeof(special6[0]); i++) {
		if (is_below(at, special6[i].at, special6[i].bits))
			return false;
	}
	return (at[0] & 0xe0) == 0x20;
}

bool remote_may_connect(const struct remote_allowed *a, const struct sockaddr *to)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	const uint8_t *at;
	int family = to->sa_family;

	if (family != AF_INET && family != AF_INET6)
		return false;
	at = family == AF_INET ? (const uint8_t *)&((const struct sockaddr_in *)(const void *)to)->sin_addr
			       : (const uint8_t *)&((const struct sockaddr_in6 *)(const void *)to)->sin6_addr;
	if (family == AF_INET6 && memcmp(at, mapped, sizeof(mapped)) == 0) { /* ::ffff:127.0.0.1 */
		family = AF_INET;
		at += sizeof(mapped);
	}
	for (size_t i = 0; i < a->n_nets; i++) {
		if (a->nets[i].family == family && is_below(at, a->nets[i].at, a->nets[i].bits))
			return true;
	}
	return is_everybodys(family, at);
}

/* ---- references ---- */

static int read_https(const struct remote_allowed *a, const char *rest, struct remote *ret)
{
	const size_t n = strcspn(rest, "/");
	char place[PLACE_MAX];

	if (rest[n] != '/' || !write_place(rest, n, place) || strspn(rest + n, PATH_BYTES) != strlen(rest + n))
		return -EINVAL;
	if (!is_listed(a, place))
		return -EACCES;
	snprintf(ret->url, sizeof(ret->url), HTTPS "%s%s", place, rest + n);
	return 0;
}

/* @ret: room for three times its bytes. */
static void escape(const char *key, char *ret)
{
	for (; *key; key++) {
		if (strchr(KEY_BYTES, *key) != NULL)
			*ret++ = *key;
		else
			ret += sprintf(ret, "%%%02X", (unsigned)(unsigned char)*key);
	}
	*ret = '\0';
}

/* A key may hold what a path's parts would mean: "." and ".." are not, and our path goes as it is. */
static int read_s3(const struct remote_allowed *a, const char *rest, struct remote *ret)
{
	const size_t n = strcspn(rest, "/");
	char place[PLACE_MAX];
	int at;

	if (a->s3 == NULL)
		return -EPROTONOSUPPORT;
	if (n < 3 || n > 63 || strspn(rest, HOST_BYTES) != n || rest[n] != '/' || rest[n + 1] == '\0' || rest[0] == '.' ||
	    !write_place(a->s3, strlen(a->s3), place))
		return -EINVAL;
	at = snprintf(ret->url, sizeof(ret->url), HTTPS "%s/%.*s/", place, (int)n, rest);
	escape(rest + n + 1, ret->url + at);
	ret->is_s3 = true;
	return 0;
}

int remote_read(const struct remote_allowed *a, const char *ref, struct remote *ret)
{
	*ret = (struct remote){ 0 };
	if (strncmp(ref, HTTPS, strlen(HTTPS)) == 0)
		return read_https(a, ref + strlen(HTTPS), ret);
	if (strncmp(ref, S3, strlen(S3)) == 0)
		return read_s3(a, ref + strlen(S3), ret);
	return -EPROTONOSUPPORT;
}
