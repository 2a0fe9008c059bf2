/* Where bodies wait to be scanned: small ones in a sealed memfd, large ones in a nameless file (O_TMPFILE) of the
 * spool folder, written by a few threads, one a body.  Both only ever grow at the end, and can be changed by nobody once finished.
 *
 * Their SHA-256 is taken here, by threads that see bytes go by and parse none of them: no worker is asked what it was
 * given.  A body in memory is hashed at its end, by a thread that waits for no disk.
 *
 * Memory is bounded whatever is uploaded: a store has a fixed number of buffers, an upload holds at most a few of
 * them, and only while the writer has them.  Bytes are reserved before they come: a known length at once, a chunked
 * body by quota.  Announcing a length costs nothing, so users and tenants have shares of the room (budget.h); a single
 * body that needs more may have it, where nobody has set the share, but must keep coming at a pace that is real work
 * (spool_pace()). */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "budget.h"
#include "config.h"
#include "files.h"

#define SPOOL_BUFFER ((size_t)256 << 10) /* bytes taken at a time: fastest in notes of a 1 GiB copy */
#define SPOOL_BUFFERS 32                 /* of a store: 8 MiB */
#define SPOOL_BUFFERS_EACH 8             /* of one upload; it goes on when a quarter of them is left with its writer */
#define SPOOL_WRITERS 4                  /* threads; one a body, which takes its digest as well */
#define SPOOL_QUOTA ((uint64_t)16 << 20) /* a chunked body reserves this much at a time */
#define SPOOL_UNKNOWN UINT64_MAX         /* length of a chunked body */
#define SPOOL_PACE UINT64_C(20000000)    /* bytes a second, as of the slowest storage a scan may have */

struct spool_store;
struct spool;

/**
 * spool_store_new() - start the writers
 * @dir_fd: spool folder; borrowed for good.  @files: closes spools (freeing a large file takes time).
 * @tenants: with their shares of the folder
 */
int spool_store_new(struct event_base *base, const struct config *c, struct tenants *tenants, int dir_fd,
    struct files *files, struct spool_store **ret);
/* Bytes reserved, in memory and in the folder. */
uint64_t spool_store_used(const struct spool_store *st);
/* The same by place, and what may be reserved there. */
struct spool_usage {
	uint64_t memory, memory_max, folder, folder_max;
};
struct spool_usage spool_store_usage(const struct spool_store *st);

/* Memory for something that is kept beside the bodies in memory, out of the payer's share of theirs.  Return: false: not
 * now; or never, beyond spool_store_share() bytes. */
bool spool_store_lend(struct spool_store *st, const struct payer *p, uint64_t bytes);
uint64_t spool_store_share(const struct spool_store *st, const struct payer *p);
void spool_store_return(struct spool_store *st, const struct payer *p, uint64_t bytes);

/**
 * spool_new() - room for a body
 * @p: whose share it comes from.  @length: bytes, or SPOOL_UNKNOWN
 * @wake: something has changed, look again with the functions below; never called from inside one of them
 * Return: 0; -ENOSPC: larger than the whole store; -E2BIG: than the share its tenant was given; -EBUSY: that share is taken
 * now; -ENOBUFS: no room now, for this user; -ENOMEM and errnos of memfd_create(2).
 */
int spool_new(struct spool_store *st, const struct payer *p, uint64_t length, void (*wake)(void *ctx), void *ctx,
    struct spool **ret);
/* Somebody else has it now, and is to be woken. */
void spool_hand_over(struct spool *s, void (*wake)(void *ctx), void *ctx);
/* At any time; the descriptor is closed, even while the writer works. */
void spool_free(struct spool *s);

/* First failure: 0 or negative errno; as spool_new() when a quota was refused, -ENOSPC and the like from the disk. */
int spool_error(const struct spool *s);
/* Is the place made?  Only then tell the client to go on. */
bool spool_ready(const struct spool *s);
/* Bytes a second that a body must come at to keep more than its payer's share; 0: it holds no more. */
uint64_t spool_pace(const struct spool *s);
/* How many bytes may be written now; 0: wait for wake(). */
size_t spool_room(struct spool *s);
/* @n: at most what spool_room() said.  Failure shows in spool_error(). */
void spool_write(struct spool *s, const void *at, size_t n);
/* No more bytes will come.  Then wait until spool_fd() is not -1 (it may be so at once) or spool_error() not 0. */
void spool_finish(struct spool *s);
/* The SHA-256 of the finished body.  That of a body in memory is taken after its end, while somebody may read it already:
 * wake() is called when it is there, or when spool_error() says that it will never be.
 * Return: 32 bytes of the spool's; NULL: not yet. */
const uint8_t *spool_digest(const struct spool *s);
/* Read-only (or sealed) descriptor of the finished body, still the spool's; -1 before. */
int spool_fd(const struct spool *s);
uint64_t spool_size(const struct spool *s);

/* A body of announced length on its way into the folder. */
struct spool_growth {
	int fd;          /* for reading only, still the spool's */
	uint64_t length; /* what was announced; the file may be as long already */
	uint64_t
	    written; /* bytes from the beginning on that are in the file for good; behind them it is not yet true */
};

/* Return: false for a body that is not one of those. */
bool spool_growing(const struct spool *s, struct spool_growth *ret);

/* The same file once more, for reading only: a new descriptor or negative errno. */
int spool_reopen(int fd);
/* Once, where /proc may be gone by then: /proc/self/fd. */
void spool_own_fds(int fd);
