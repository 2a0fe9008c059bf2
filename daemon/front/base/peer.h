/* Who is at the other end of the socket, as the kernel says (SO_PEERCRED, SO_PEERGROUPS; unix(7)), and what the
 * configuration lets it do. */
#pragma once

#include "settings.h"

struct peer {
	uid_t uid; /* (uid_t)-1 when unknown: then not allowed */
	gid_t gid;
	pid_t pid;
	bool owner;           /* root, or the daemon's own uid */
	bool allowed;         /* root, the daemon's own uid, or allow_uids / allow_gids */
	bool may_claim;       /* claim_uids */
	bool may_name_tenant; /* root, own uid, or tenant_uids */
};

/* Only who it is.  Return: false when that is unknown. */
bool peer_see(int fd, struct peer *ret);
/* And what it may do: of one that was seen. */
void peer_identify(int fd, const struct settings *s, struct peer *p);
