/* The front's digesters (sandbox/digester.h): each is a zygote's, has one file at a time, and is killed when its digest is not
 * wanted any more, or late.  There is one from the start on, and one more whenever none is free: as many as there are files
 * under way, and those that do not end though they were killed, because their storage does not answer.  What becomes of a
 * digest is told once, and so is that such a one has ended after all. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct event_base;
struct digester; /* one of them */
struct digester_job;
struct digesters; /* one zygote's */

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

/* @channel: to the zygote.  @last_job: where numbers are taken from.  All but @owner borrowed.  Return: NULL without memory. */
struct digesters *digesters_new(
    struct event_base *base, int channel, uint64_t *last_job, const struct digesters_owner *owner);
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
/* The same, and nothing follows. */
void digest_drop(struct digest_call *c);
