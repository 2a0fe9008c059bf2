/* A front's side of the keeper: questions go out, answers come back by callback, and neither waits for anything.
 *
 *	c = keeper_ask(link, KEEPER_STORE_GET, bytes_of(key, 32), on_answer, ctx);
 *	if (!c)
 *		... not asked, and on_answer will not be called
 *
 * The channel is the monitor's to give, and to give again after the keeper has ended (keeper_wire.h).  Without one, questions
 * wait for it as long as they wait for an answer. */
#pragma once

#include <event2/event.h>

#include "keeper_wire.h"

#define KEEPER_WAIT_MS UINT64_C(10000)       /* from the question to its answer, or KEEPER_LATE */
#define KEEPER_CALLS_MAX 4096u               /* questions without an answer; half of them may be the store's */
#define KEEPER_UNSENT_MAX ((size_t)16 << 20) /* bytes of questions that are not with the kernel yet; as above */

struct keeper_link;
struct keeper_call;

/* @answer: a view, for the call. */
typedef void (*keeper_done_fn)(void *ctx, enum keeper_status status, struct bytes answer);

/* Return: 0 or -ENOMEM. */
int keeper_link_new(struct event_base *base, struct keeper_link **ret);
/* A channel to a keeper, ours from now on; the one before is over. */
void keeper_link_connect(struct keeper_link *l, int fd);
/* For /metrics and readiness: is there a channel? */
bool keeper_link_is_up(const struct keeper_link *l);

/**
 * keeper_ask() - a question to the keeper
 * @l: NULL where no keeper is configured: never asked
 * @payload: copied; at most KEEPER_PAYLOAD_MAX bytes
 * @done: called exactly once, on the event loop and never from inside a function of this header, unless keeper_forget()
 *        is.  A status from KEEPER_N_ANSWERS on comes with an empty answer.
 * Return: NULL, and nothing was asked, without memory or beyond one of the bounds above.
 */
struct keeper_call *keeper_ask(
    struct keeper_link *l, enum keeper_kind kind, struct bytes payload, keeper_done_fn done, void *ctx);
/* Nobody waits for it any more; it may be done all the same. */
void keeper_forget(struct keeper_call *c);

/* Questions that have neither been answered nor given up. */
size_t keeper_link_pending(const struct keeper_link *l);
