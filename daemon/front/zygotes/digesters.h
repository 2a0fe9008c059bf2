/* The front's digesters (sandbox/digester.h): each is a zygote's, has one file at a time, and is killed when its digest is not
 * wanted any more, or late.  There is one from the start on, and one more whenever none is free: as many as there are files
 * under way, and those that do not end though they were killed, because their storage does not answer.  What becomes of a
 * digest is told once, and so is that such a one has ended after all: whoever wanted it keeps its slot until then, so there
 * are never many more of these processes than slots.
 *
 * One that was taken over can name a digest for the file it has, and no more: what it says out of turn ends it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct event;
struct event_base;
struct digester; /* one of them */
struct digester_job;
struct digesters; /* one zygote's */
struct files;

/* A digest that is being taken.  Zeroed: none. */
struct digest_call {
	struct digester *by; /* NULL: it is over */
};

/* Called on the event loop and never from inside a function below. */
struct digesters_owner {
	void (*room)(void *ctx); /* one may be free */
	/* @error: as in struct digester_word; it died, or was killed: -ECONNRESET. */
	void (*digested)(void *ctx, struct digest_call *c, int error, const uint8_t sha256[32]);
	void *ctx;
};

/* @channel: to the zygote.  @writable: made pending when it is full; then digesters_writable().  @last_job: where numbers are
 * taken from.  All but @owner borrowed.  Return: NULL without memory. */
struct digesters *digesters_new(struct event_base *base, struct files *files, int channel, struct event *writable,
    uint64_t *last_job, const struct digesters_owner *owner);
/* The zygote's channel has room: what did not fit into it is sent again.  room() is its owner's to call. */
void digesters_writable(struct digesters *ds);
/* Those that wait end; NULL is fine. */
void digesters_end(struct digesters *ds);
/* The zygote says that a process of this number has ended.  Return: it is one of these. */
bool digesters_heard_end(struct digesters *ds, uint64_t id);

/* Return: 0; -EAGAIN: there is none now, and room() is called when there is; other negative errno: none can be made. */
int digesters_find(struct digesters *ds, struct digester **ret);
/* The memory that goes to the worker of its next job; stays the digester's. */
int digester_memory(const struct digester *d);
/* Takes the digest of a file.  @marks: as digester_give().  Return: 0, or negative errno and nothing follows. */
int digest_start(struct digester *d, struct digest_call *c, const struct digester_job *job, int file, int marks);
/* It is to end: digested() follows when it has.  One that is over is fine. */
void digest_kill(const struct digest_call *c);
/* Has the order to end it not been sent yet? */
bool digest_cancel_waits(const struct digest_call *c);
/* Its zygote is gone, and it with it: nothing follows. */
void digest_forget(struct digest_call *c);
