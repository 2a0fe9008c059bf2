/* The front's side of its zygotes: one takes new jobs, others may still be finishing theirs.
 *
 * A worker death we did not cause retires its zygote: memory layout, canary and hash seed were the same in all its
 * workers, and somebody may be guessing them.  At most one retirement a second, so that crashing files cannot keep
 * the daemon busy with start-ups. */
#pragma once

#include "front.h"

#define ZYGOTES_RETIRE_MS 1000 /* between retirements */
#define ZYGOTES_PING_MS 2000   /* between pings, and so between signs of life to the monitor */
#define ZYGOTES_HANG_MS 10000  /* without an answer a zygote is given up */
#define ZYGOTES_RETRY_MS 1000  /* asking the monitor again */

struct zygote_link; /* one zygote */
struct channel_message;

int zygotes_new(struct front *f, struct zygotes **ret);
/* A channel from the monitor, now ours. */
void zygotes_add(struct zygotes *z, int channel, uint64_t number, const int32_t *layer_errno);
/* The one that takes jobs; NULL while there is none. */
struct zygote_link *zygotes_current(const struct zygotes *z);
/* A worker of this one died and we did not do it. */
void zygotes_suspect(struct zygote_link *l);

/* As channel_send(); on -EAGAIN jobs_pump() is called when there is room. */
int zygote_send(
    struct zygote_link *l, const struct channel_message *m, const void *appendix, const int *fds, size_t n_fds);
/* SANDBOX_N_LAYERS items: 0 active, else errno. */
const int *zygote_layers(const struct zygote_link *l);
uint64_t zygote_number(const struct zygote_link *l);
