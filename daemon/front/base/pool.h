/* Work that may block, kept off the event loop: a few threads, one queue, and the answer delivered on the loop.
 * Used for what the kernel may let us wait for on storage that hangs (statx and close of a client's descriptor) or
 * is slow (writing the spool). */
#pragma once

#include <event2/event.h>
#include <stddef.h>

struct task {
	void (*run)(struct task *t);  /* on a thread; touches only the task */
	void (*done)(struct task *t); /* on the event loop, afterwards; the task is the poster's again.  May free it. */
	struct task *next;            /* private */
};

struct pool;

/**
 * pool_new() - start the threads, all signals blocked in them
 * A pool lives as long as its process: a thread that hangs on storage could not be joined.
 * Return: 0 or negative errno.
 */
int pool_new(struct event_base *base, size_t n_threads, struct pool **ret);

/* From the event loop.  Tasks start in the order posted.  @t: borrowed until done(). */
void pool_post(struct pool *p, struct task *t);

/* Tasks posted and not yet done: what admission looks at to bound the queue. */
size_t pool_depth(const struct pool *p);
