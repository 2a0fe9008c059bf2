/* What the monitor and those it started say to each other.
 *
 * To them: struct channel_message with types of its own, over a SOCK_SEQPACKET pair, for there are descriptors to be given.
 * That socket takes nothing in the other direction.  To the monitor: struct control_word through a pipe.  They cannot fork,
 * so they ask; the monitor parses nothing a client sent, believes only these few words, and is given no descriptor by
 * anybody: to close one that somebody else chose can take for ever. */
#pragma once

#include <stdint.h>

#define KEEPER_END_MS 5000 /* of CONTROL_DRAIN to a keeper: for what has arrived */

enum control_type {
	/* monitor to front */
	CONTROL_ZYGOTE = 100, /* a zygote: its channel as fd, its layer_errno, id: its number */
	CONTROL_DRAIN,        /* finish, and end; status 1: another front takes what is new.  To a keeper too */
	/* front to monitor */
	CONTROL_READY,       /* the built-in sample was accepted through the jail.  From a keeper: it can keep */
	CONTROL_ALIVE,       /* the event loop turns and the zygote answers */
	CONTROL_WANT_ZYGOTE, /* zygote number id is retired or gone: start another; status 1: kill it, it hangs */
	CONTROL_WANT_RELOAD, /* as if SIGHUP had come; a peer that may send it asked */
	/* monitor to front: the answer; status 0: a front with the new configuration has been started */
	CONTROL_RELOAD,
	/* monitor to front and keeper: an end of the channel between them, as fd (keeper.h) */
	CONTROL_KEEPER,
	/* keeper to monitor: what it will need (folder, key) is good */
	CONTROL_PROVEN,
	/* monitor to keeper: its predecessor has ended, the folder is its own */
	CONTROL_TURN,
};

struct control_word {
	uint32_t type;
	int32_t status;
	uint64_t id;
};
