/* A digester takes the digests of clients' files: a process of the zygote's that parses nothing, lives longer than one job,
 * has one at a time, and may be killed in the middle of it; storage that does not answer costs no more than that.
 *
 * It is forked by CHANNEL_DIGESTER, and spoken to by a channel of its own:
 *	READY    digester: how the last job went, and whether it waits for another: then with fds {memory file}, which is for
 *		 that job's worker.  It is empty, and nobody but this digester can write to it.
 *	DIGEST   front: the job; fds {file, marks}.  Not to one that is not ready.
 * Marks come on the socket by which the worker reports: so much of the file is in the memory (lib/core/arrival.h);
 * DIGESTER_HASHED at last: and so are all chaining values. */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "channel.h"

/* What the memory file is sealed by: nobody can write to it by a descriptor, or change its size. */
#define DIGESTER_SEALS (F_SEAL_FUTURE_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)

/* A file of at most so many bytes is copied, and lies at the beginning of the memory: no more than its worker reads.  A
 * larger one goes by in it. */
#define DIGESTER_COPY_MAX ((uint64_t)1 << 20)
#define DIGESTER_HASHED UINT64_MAX

/* The kernel keeps account of how far behind a worker is: a socket has room for five of these at most.  (Its smallest buffer
 * is 4.5 KiB, and each takes half a KiB for itself and more than that for the kernel's heads of it.) */
#define DIGESTER_MARKS_MAX 5
struct digester_mark {
	uint64_t n;
	uint8_t room[504];
};

enum digester_way {
	DIGESTER_HASHES, /* only: the file cannot change, and its worker reads it, too.  No marks, and no memory */
	DIGESTER_COPIES, /* at most DIGESTER_COPY_MAX bytes */
	DIGESTER_FLOWS,  /* through the memory, once */
};

/* The payload of DIGEST. */
struct digester_job {
	uint64_t size;
	enum digester_way way;
};

/* The payload of READY. */
struct digester_word {
	uint8_t done;  /* 1: a job: */
	uint8_t ready; /* 1: for another; 0: it will be */
	int error; /* 0; -ENODATA: the file ends too soon; -EFBIG: too late; other negative errno: it cannot be read */
	uint8_t sha256[32];
};

/**
 * digester_ask() - have the zygote fork one
 * @id: as of a job.  @ret_channel: non-blocking, the caller's
 * Return: 0, and READY or EXITED follows; negative errno, -EAGAIN as channel_send().
 */
int digester_ask(int zygote_channel, uint64_t id, int *ret_channel);
/* Return: 0; negative errno: it is of no use any more. */
int digester_give(int channel, const struct digester_job *job, int file, int marks);
/* Return: 1 with a sound word (@ret_memory: sealed memory, -1: it is not ready); -EAGAIN: not yet; 0 or another negative errno:
 * it is gone, or speaks nonsense, and @ret_memory is -1 or what channel_recv_one() says. */
int digester_hear(int channel, struct digester_word *ret, int *ret_memory);

/* Waits for a mark.  Return: false: no more will come. */
bool digester_next_mark(int socket, uint64_t *ret_mark);

/* How a descriptor's digest is taken. */
enum digester_way digester_way(uint64_t size, bool sealed);
