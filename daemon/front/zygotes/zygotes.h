/* The front's side of its zygotes: one takes new jobs, others may still be finishing theirs.
 *
 * A worker death we did not cause retires its zygote: memory layout, canary and hash seed were the same in all its
 * workers, and somebody may be guessing them.  At most one retirement a second, so that crashing files cannot keep
 * the daemon busy with start-ups.  One that has served long is retired, too, as who looks long enough may learn its layout
 * without killing anybody; it goes on taking jobs until its successor is there.
 *
 * What jobs are, their owner knows: it embeds a struct zygote_job in them and is told of their ends by callback. */
#pragma once

#include "digesters.h"
#include "env.h"

#define ZYGOTES_RETIRE_MS 1000 /* between retirements */
#define ZYGOTES_PING_MS 2000   /* between pings, and so between signs of life to the monitor */
#define ZYGOTES_HANG_MS 10000  /* without an answer a zygote is given up */
#define ZYGOTES_JOBS_MAX 16384 /* of one zygote: a start costs as much as thirty small scans */
#define ZYGOTES_AGE_MS 900000  /* of one that has had a job */

struct zygotes;
struct zygote_link; /* one zygote */
struct channel_message;

/* A worker, or one that is being made.  Zeroed: none. */
struct zygote_job {
	struct zygote_link *link;       /* NULL: none */
	struct zygote_job *prev, *next; /* among the link's */
	uint64_t id;
	bool cancel_waits; /* the order to kill it did not fit into the channel yet */
};

/* Called on the event loop and never from inside a function below. */
struct zygotes_owner {
	void (*tell)(void *ctx, uint32_t type, uint64_t id, int status); /* a word to the monitor */
	void (*room)(void *ctx);                                         /* jobs can be sent, perhaps again */
	/* It has ended; or, with an @error, was never made. */
	void (*ended)(void *ctx, struct zygote_job *job, int status, int error);
	/* Its zygote is gone, and it with it.  To be detached before this returns. */
	void (*lost)(void *ctx, struct zygote_job *job);
	/* As struct digesters_owner has it. */
	void (*digested)(void *ctx, struct digest_call *c, int error, const uint8_t sha256[32]);
	void *ctx;
};

/* @owner: copied.  Return: 0; -ENOMEM. */
int zygotes_new(struct env *env, const struct zygotes_owner *owner, struct zygotes **ret);
/* A channel from the monitor, now ours. */
void zygotes_add(struct zygotes *z, int channel, uint64_t number, const int32_t *layer_errno);
/* Is it time for another? */
bool zygotes_are_worn(uint64_t jobs, uint64_t age_ms);
/* The one that takes jobs; NULL while there is none. */
struct zygote_link *zygotes_current(const struct zygotes *z);
/* A worker of this one died and we did not do it. */
void zygotes_suspect(struct zygote_link *l);

/**
 * zygote_give() - send a job
 * @m: its id is filled in.  @appendix, @fds: as channel_send_with()
 * Return: 0 with @job attached; negative errno; after -EAGAIN and -EPIPE room() is called when there is some.
 */
int zygote_give(struct zygote_link *l, struct zygote_job *job, struct channel_message *m, const void *appendix,
    const int *fds, size_t n_fds);
/* SIGKILL; the end is told as any other. */
void zygote_cancel(struct zygote_job *job);
/* Nothing more is heard of it.  One that has none is fine. */
void zygote_detach(struct zygote_job *job);

/* Those it has; a digest is taken while its zygote has a job. */
struct digesters *zygote_digesters(const struct zygote_link *l);

/* SANDBOX_N_LAYERS items: 0 active, else errno. */
const int *zygote_layers(const struct zygote_link *l);
uint64_t zygote_number(const struct zygote_link *l);
