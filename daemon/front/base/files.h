/* What may block on a client's descriptor: statx and close wait for the storage behind it, which the client chose
 * (NFS, FUSE), perhaps for ever.  So nothing of that happens on the event loop, and what hangs for one user must not
 * hang for another: there are a few lanes, each one thread with its queue, and as long as a user has anything in a
 * lane, everything of that user goes there.  New users get the emptiest lane.  It takes as many users as there are
 * lanes, all with hung storage, before somebody else waits.
 *
 * A thread that hangs cannot be got back, nor a descriptor that is being closed.  What is bounded is how many of them
 * a user can have: beyond FILES_HELD_MAX none is received any more (files_may_receive()). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "fds.h"
#include "pool.h"

#define FILES_LANES 8
#define FILES_OWNERS 256     /* users told apart: by their uid modulo this, which nobody can choose */
#define FILES_HELD_MAX 2304  /* descriptors of one user, received and not closed: two sets, and a message */
#define FILES_CHECKS_MAX 256 /* descriptors of one user being looked at; more is "busy" */
#define FILES_STUCK_MS 5000  /* a lane that has got nothing done for so long is counted as stuck */

struct files_lane {
	struct pool *pool;
	uint64_t since_ms; /* when it got something done last, or something to do after a rest */
};

struct files_owner {
	size_t held;             /* descriptors */
	size_t tasks;            /* in its lane */
	size_t checks;           /* of those */
	struct files_lane *lane; /* as long as there are tasks */
};

struct files {
	struct pool *ours;
	struct files_lane lanes[FILES_LANES];
	struct files_owner owners[FILES_OWNERS];
};

int files_init(struct files *f, struct event_base *base);

/* Close a descriptor of our own, some time soon: freeing a large spool takes a while.  @fd may be -1. */
void files_close(struct files *f, int fd);

/* May another message with descriptors be received from this user?  Where not, receive it without control buffer:
 * the kernel then lets go of the descriptors without closing them in our name. */
bool files_may_receive(const struct files *f, uid_t uid);
/* @n descriptors came from this user.  Each must end in files_close_client(). */
void files_received(struct files *f, uid_t uid, size_t n);
/* Close a descriptor that came from @uid.  @fd may be -1. */
void files_close_client(struct files *f, uid_t uid, int fd);

/**
 * files_receive() - bytes and descriptors from @uid
 * @fds: takes the descriptors; when the user has too many, they are let go by the kernel
 * Never waits.  Return: bytes, 0 at the end, negative errno; -EBADMSG: too many descriptors; -EMFILE: some were lost, for we
 * can or will have no more of them.
 */
ssize_t files_receive(struct files *f, uid_t uid, struct fds *fds, int sock, void *buf, size_t n);
/* Close all of a list of @uid's. */
void files_close_all(struct files *f, uid_t uid, struct fds *fds);

/* For metrics: clients' descriptors that are open here; lanes that hang. */
size_t files_held(const struct files *f);
size_t files_lanes_stuck(const struct files *f);

/* May a worker read this, and could nobody in the daemon write to it?  From its open mode and its seals alone: neither O_PATH
 * nor O_DIRECT, and open for reading only, or a sealed memfd. */
bool files_mode_ok(int fd);

struct file_facts {
	int error;     /* negative errno; -EINVAL: not a regular file */
	uint64_t size; /* bytes */
	bool sealed;   /* memfd sealed against writing, growing and shrinking: nobody can change it any more */
};

struct file_check;

/**
 * files_check() - size, type and seals of a client's descriptor
 * @fd: received from @uid; borrowed until @done is called, even after file_check_forget()
 * @done: on the event loop; frees the check afterwards
 * Return: NULL without memory or with FILES_CHECKS_MAX of this user going on.
 */
struct file_check *files_check(
    struct files *f, uid_t uid, int fd, void (*done)(void *ctx, const struct file_facts *facts), void *ctx);
/* The asker went away: close the descriptor when the check has ended, call nobody. */
void file_check_forget(struct file_check *c);
