/* Between monitor and front, and monitor and keeper: struct channel_message over a SOCK_SEQPACKET pair, with types of its
 * own.  They cannot fork, so the front asks; the monitor parses nothing a client sent, so it believes only these few
 * words. */
#pragma once

#define KEEPER_END_MS 5000 /* of CONTROL_DRAIN to a keeper: for what has arrived */

enum control_type {
	/* monitor to front */
	CONTROL_ZYGOTE = 100, /* a zygote: its channel as fd, its layer_errno, id: its number */
	CONTROL_DRAIN,        /* take no new requests, finish, end.  To a keeper too */
	/* front to monitor */
	CONTROL_READY,       /* the built-in sample was accepted through the jail.  From a keeper: it can keep */
	CONTROL_ALIVE,       /* the event loop turns and the zygote answers */
	CONTROL_WANT_ZYGOTE, /* zygote number id is retired or gone: start another; status 1: kill it, it hangs */
	CONTROL_WANT_RELOAD, /* as if SIGHUP had come; a peer that may send it asked */
	/* monitor to front: the answer; status 0: a front with the new configuration has been started */
	CONTROL_RELOAD,
	/* monitor to front and keeper: an end of the channel between them, as fd (keeper.h) */
	CONTROL_KEEPER,
};
