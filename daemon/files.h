/* What may block on a client's descriptor (statx and close wait for the storage behind it, which the client chose:
 * NFS, FUSE), done on threads beside the event loop. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "pool.h"

#define FILES_CLOSERS 2      /* threads that close */
#define FILES_CHECKERS 2     /* threads that look */
#define FILES_CHECKS_MAX 256 /* descriptors being looked at; more is "busy" */

struct files {
	struct pool *closers, *checkers;
};

int files_init(struct files *f, struct event_base *base);

/* Close, some time soon.  @fd may be -1. */
void files_close(struct files *f, int fd);

/* May a worker read this?  From its open mode alone: neither O_PATH, O_WRONLY nor O_DIRECT. */
bool files_mode_ok(int fd);

struct file_facts {
	int error;     /* negative errno; -EINVAL: not a regular file */
	uint64_t size; /* bytes */
	bool sealed;   /* memfd sealed against writing, growing and shrinking: nobody can change it any more */
};

struct file_check;

/**
 * files_check() - size, type and seals of a client's descriptor
 * @fd: borrowed until @done is called, even after file_check_forget()
 * @done: on the event loop; frees the check afterwards
 * Return: NULL without memory or with FILES_CHECKS_MAX going on.
 */
struct file_check *files_check(
    struct files *f, int fd, void (*done)(void *ctx, const struct file_facts *facts), void *ctx);
/* The asker went away: close the descriptor when the check has ended, call nobody. */
void file_check_forget(struct file_check *c);
