/* Messages between the front (or the command) and the zygote, and digesters: one SOCK_SEQPACKET datagram each, descriptors by
 * SCM_RIGHTS.  Fixed layout, host byte order: both ends are one build, and the handshake compares build ids. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CHANNEL_PAYLOAD_MAX 512
/* Behind a message there may be an appendix, for what few jobs have and no other message: as long as it is, so that small
 * messages stay small. */
#define CHANNEL_APPENDIX_MAX 98304
#define CHANNEL_FDS_MAX 4
/* Workers and digesters alive at once under one zygote; far above what a machine can feed, and a bound on its table.  A job
 * beyond it is answered with EXITED, error -EAGAIN. */
#define CHANNEL_WORKERS_MAX 512

enum channel_type {
	CHANNEL_HELLO = 1, /* zygote: ready; build, layer_errno; error is not 0 when it cannot serve */
	CHANNEL_JOB,      /* front: fork a worker; id (unique among those alive), payload, fds {input, output} and maybe
	                    * a document and a digester's memory, which comes last.  One that
	                    * serves strangers keeps the input open until EXITED: see channel_drop(). */
	CHANNEL_CANCEL,   /* front: SIGKILL the worker or digester of id, if there is one; EXITED still follows */
	CHANNEL_EXITED,   /* zygote: the worker of id ended; status as of waitpid(2), or -errno in error if none was
	                    * made.  Exactly one for each JOB and DIGESTER. */
	CHANNEL_PING,     /* front: are you alive? */
	CHANNEL_PONG,     /* zygote: yes */
	CHANNEL_DIGESTER, /* front: fork a digester; id as of a JOB, fds {its end of a channel of its own} */
	CHANNEL_DIGEST,   /* front to digester, which is READY: digester.h */
	CHANNEL_READY,    /* digester: digester.h */
};

#define CHANNEL_LAYERS_MAX 32 /* room for SANDBOX_N_LAYERS, so that this header need not know it */

struct channel_message {
	uint32_t type;
	int32_t status; /* EXITED: wait status */
	int32_t error;  /* EXITED: 0, or -errno when no worker could be made; HELLO: 0, or -errno */
	uint32_t payload_n, appendix_n;
	uint64_t id;
	uint64_t build;                          /* HELLO: hash of the program's build */
	int32_t layer_errno[CHANNEL_LAYERS_MAX]; /* HELLO: per enum sandbox_layer: 0 active, else errno */
	uint8_t payload[CHANNEL_PAYLOAD_MAX];
};

/**
 * channel_send() - one message with its descriptors (still owned by the caller)
 * The zygote waits for room when it answers, so a front that waits for room must go on receiving meanwhile.
 * Return: 0; -EAGAIN on a full non-blocking channel; -EPIPE when the other end is gone; other negative errno.
 */
int channel_send(int channel, const struct channel_message *m, const int *fds, size_t n_fds);
/* The same with an appendix of m->appendix_n bytes, which channel_send() has none of. */
int channel_send_with(int channel, const struct channel_message *m, const void *appendix, const int *fds, size_t n_fds);

/**
 * channel_recv() - the next message, never waiting for one
 * @ret_fds: CHANNEL_FDS_MAX slots, filled with received descriptors (close-on-exec, now the caller's), rest -1.
 * A datagram of the wrong size, with a payload_n beyond the payload, or with more descriptors than that is
 * -EBADMSG, its descriptors closed; the next message can still be received.
 * Return: 1 on a message, 0 at end of channel, negative errno (-EAGAIN when there is none yet).
 */
int channel_recv(int channel, struct channel_message *ret, int ret_fds[CHANNEL_FDS_MAX]);
/* The same, with room for CHANNEL_APPENDIX_MAX bytes of appendix; to channel_recv() a message that has one is -EBADMSG. */
int channel_recv_with(int channel, struct channel_message *ret, void *appendix, int ret_fds[CHANNEL_FDS_MAX]);

/**
 * channel_recv_one() - the same from somebody who may have been taken over, with one descriptor at most
 * @ret_fd: -1, or a descriptor, whatever is returned: the caller's, and it may be anything, so that to close it may wait.
 *          NULL: none is received.  What is not received is let go of by the kernel, as by channel_drop().
 * Return: as channel_recv().
 */
int channel_recv_one(int channel, struct channel_message *ret, int *ret_fd);

/**
 * channel_peek() - the next message without its descriptors and appendix, which stay in the channel with it
 * Return: as channel_recv(), but that after -EBADMSG the message is still there.
 */
int channel_peek(int channel, struct channel_message *ret);

/**
 * channel_drop() - the next message goes, and its descriptors with it without ever having been opened here
 * To close(2) one can wait for the storage behind it, perhaps for ever, even if others hold the file too; to let go of
 * one that was never received waits for nothing as long as somebody else holds it.
 * Return: 0, or negative errno.
 */
int channel_drop(int channel);
