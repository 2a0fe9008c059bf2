/* Between monitor and front: struct channel_message over a SOCK_SEQPACKET pair, with types of its own.  The front
 * cannot fork, so it asks; the monitor parses nothing a client sent, so it believes only these few words. */
#pragma once

enum control_type {
	/* monitor to front */
	CONTROL_ZYGOTE = 100, /* a zygote: its channel as fd, its layer_errno, id: its number */
	CONTROL_DRAIN,        /* take no new requests, finish, end */
	/* front to monitor */
	CONTROL_READY,       /* the built-in sample was accepted through the jail */
	CONTROL_ALIVE,       /* the event loop turns and the zygote answers */
	CONTROL_WANT_ZYGOTE, /* zygote number id is retired or gone: start another; status 1: kill it, it hangs */
};
