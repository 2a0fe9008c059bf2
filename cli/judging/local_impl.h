/* What local.c and digesters.c share. */
#pragma once

#include "local.h"

#include "channel.h"
#include "digester.h"
#include "facts.h"
#include "sandbox.h"

/* What an epoll event is about: the first member of each. */
enum watch { WATCH_ZYGOTE, WATCH_REPORT, WATCH_DIGESTER };

struct herd {
	enum watch watch;
	struct zygote zygote;
	struct digester *digesters;
	unsigned n_running;
	bool suspect; /* to be retired, as soon as that is its turn */
	bool retired;
	struct herd *next;
};

/* See sandbox/digester.h. */
struct digester {
	enum watch watch;
	struct herd *herd;
	uint64_t id;
	int channel;
	bool ready;
	bool resting;      /* it has told the digest, and not yet that it is ready */
	int memory;        /* then */
	struct work *work; /* whose file it reads; NULL: none, any more */
	struct digester *next;
};

struct work {
	enum watch watch;
	uint64_t id;
	struct task *task;
	struct herd *herd;
	struct facts *facts;
	enum digester_way way;     /* of those that want a digest: */
	struct digester *digester; /* until it is there, or will not be */
	struct facts_expect expect;
	int report_fd; /* -1 once the report ended */
	bool exited;
	bool killed;          /* by us */
	enum wlk_cause cause; /* of the worker's end, as far as known */
	int64_t started_at;   /* Unix seconds */
	int64_t deadline_ms;
	struct work *next;
};

struct local {
	struct backend base;
	const struct policy *policy;
	int worker_fd;
	uint64_t next_id;
	int64_t retired_ms; /* when the last suspect was retired */
	struct herd *herds; /* the first is the current one, unless retired */
	struct work *works;
	const char *layer_names[SANDBOX_N_LAYERS];
};

/* ---- digesters.c ---- */

/* One that waits for a job, asked for if need be; it takes a millisecond.  Return: NULL: there is none to be had. */
struct digester *digester_free(struct local *l, struct herd *h);
/* Ask for one that will be wanted. */
void digester_prepare(struct local *l, struct herd *h);
/* Have it take the digest of the work's file.  @marks: as digester_give(). */
int digester_start(struct digester *d, struct work *work, int marks);
/* What it says.  Return: the work whose digest is there, or will not come, which is in its `expect` and
 * @ret_cause; NULL: none.  One that is gone is freed. */
struct work *digester_read(struct digester *d, enum wlk_cause *ret_cause);
/* Its digest is not wanted any more. */
void digester_drop(struct work *work);
/* All of a zygote's. */
void digesters_free(struct herd *h);
