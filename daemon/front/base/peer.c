/* See peer.h. */
#include "peer.h"

#include <stdlib.h>
#include <sys/socket.h>

/* Supplementary groups.  Return: how many, with *ret_gids to be freed; 0 when there are none or no memory (then
 * they allow nothing). */
static size_t supplementary(int fd, gid_t **ret_gids)
{
	socklen_t n = 0;
	gid_t *gids;

	/* With no room the kernel says ERANGE and how much it needs. */
	(void)getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &n);
	gids = n > 0 ? malloc(n) : NULL;
	if (gids == NULL)
		return 0;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, gids, &n) < 0)
		n = 0;
	*ret_gids = gids;
	return n / sizeof(*gids);
}

static bool group_allowed(int fd, const struct config *c, gid_t primary)
{
	gid_t *gids = NULL;
	bool allowed = config_ids_have(&c->allow_gids, primary);
	size_t n;

	if (allowed || c->allow_gids.n == 0)
		return allowed;
	n = supplementary(fd, &gids);
	for (size_t i = 0; i < n && !allowed; i++)
		allowed = config_ids_have(&c->allow_gids, gids[i]);
	free(gids);
	return allowed;
}

bool peer_see(int fd, struct peer *ret)
{
	struct ucred cred;
	socklen_t n = sizeof(cred);

	*ret = (struct peer){ .uid = (uid_t)-1, .gid = (gid_t)-1 };
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &n) < 0 || n != sizeof(cred))
		return false;
	*ret = (struct peer){ .uid = cred.uid, .gid = cred.gid, .pid = cred.pid };
	return true;
}

void peer_identify(int fd, const struct settings *s, struct peer *p)
{
	if (p->uid == (uid_t)-1)
		return;
	p->owner = p->uid == 0 || p->uid == s->own_uid;
	p->allowed =
	    p->owner || config_ids_have(&s->config.allow_uids, p->uid) || group_allowed(fd, &s->config, p->gid);
	p->may_name_tenant = p->owner || config_ids_have(&s->config.tenant_uids, p->uid);
	p->may_claim = config_ids_have(&s->config.claim_uids, p->uid);
}
