/* What the two kinds of question have in common: about one file (client.c), and about a folder's files at once
 * (client_set.c).  Both are asked by libweighlock-client; here they wait together. */
#pragma once

#include "client.h"
#include "weighlock-client.h"

#define CLIENT_NAME_MAX 1024u /* bytes of a file's name, as the daemon takes it */
#define CLIENT_WAIT_MS 600000 /* for the queue, beyond the time the scan itself may take */

struct client;

/* A question under way: the first member of whoever asks. */
struct call {
	struct weighlock_scan *scan; /* owned */
	int64_t wake_ms;
	/* It is answered, or will not be: takes its part of that. */
	void (*over)(struct client *c, struct call *call, enum weighlock_outcome outcome);
	void (*free)(struct call *call); /* but for .scan */
	struct call *next;
};

struct client {
	struct backend base;
	const char *socket_path;
	const char *policy_name;
	const struct policy *unjudged;
	bool busy; /* a daemon that was waited for once is not waited for again until it has answered */
	struct call *calls;
};

/* ---- client.c ---- */

/**
 * client_ask() - go on with @call until it is over, which may be at once
 * @call: with all but .wake_ms and .next; the files are in .scan already.  Taken.
 * @name: at most CLIENT_NAME_MAX bytes
 */
void client_ask(struct client *c, struct call *call, const char *name, int64_t silence_ms);

/* No verdict from the daemon. */
void client_fail(struct client *c, struct task *t, enum wlk_cause cause, const char *detail, const char *retry);
/* The same, about a question that ended with another outcome than a verdict. */
void client_fail_outcome(struct client *c, struct task *t, const struct weighlock_scan *s);
/* Was it refused for now? */
bool client_is_busy(const struct weighlock_scan *s);
/* A whole JSON object without any key twice, or NULL. */
json_t *client_json(const char *at, size_t n);
/* Has it what a verdict about a file must have, beyond what the library has seen to? */
bool client_is_verdict(const json_t *json);
/* Is its digest the one that the input's name promises, if that promises any?  If not, the task is done, as an error. */
bool client_keeps_promise(struct client *c, struct task *t, const json_t *verdict);
/* The name is the caller's: as a verdict made here would show it. */
void client_rename(json_t *verdict, const char *name);

/* ---- client_set.c ---- */

void client_start_set(struct backend *b, struct task *const *tasks, size_t n, struct task *set);
