/* The zygote's loop: forks a worker for each job, tells how each ended, and sees no byte of any file. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "channel.h"

/* What runs in each worker.  Its input is on SANDBOX_IN_FD, its output on SANDBOX_OUT_FD, a document that
 * came with the job on SANDBOX_DOCUMENT_FD; it is not jailed yet and
 * calls sandbox_enter() itself, as its first look at anything but the payload. */
struct zygote_worker {
	void *ctx;
	/* Does not return. */
	void (*run)(void *ctx, pid_t zygote_pid, const uint8_t *payload, size_t n);
	/* A digester, whose channel is on SANDBOX_IN_FD: the same. */
	void (*digest)(void *ctx, pid_t zygote_pid);
};

/**
 * zygote_serve() - until the other end closes the channel and the last worker has ended
 * @channel: blocking, so that no EXITED is lost to a full channel; borrowed
 * Return: 0; negative errno when the channel broke (workers are killed then).
 */
int zygote_serve(int channel, const struct zygote_worker *worker);
