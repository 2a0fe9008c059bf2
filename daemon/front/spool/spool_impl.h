/* What the event loop's part of the spool (spool.c) gives to the threads (spool_task.c). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "pool.h"
#include "sha256.h"
#include "spool.h"

struct buffer {
	struct buffer *next;
	uint8_t bytes[SPOOL_BUFFER];
};

/* OP_OPEN: a file, and into it what began in memory.  OP_WRITE: and hash, while they are in cache.  OP_END: the digest, after @length bytes of from_fd. */
enum spool_op { OP_OPEN, OP_WRITE, OP_END };

struct spool_task {
	struct task task;
	struct spool *spool;
	enum spool_op op;
	int dir_fd, fd, from_fd, new_fd, read_fd;
	uint64_t offset, length;
	struct buffer *buffer;
	size_t n;
	struct sha256 *hash;
	uint8_t sha256[32];
	int error;
};

/* On a thread; touches only the task. */
void spool_task_run(struct task *task);
