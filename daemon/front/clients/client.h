/* A client of one of our sockets, whatever it speaks: its place, its descriptors, its answers, its time, and its end.
 *
 * A protocol is a struct client_kind, and what it knows of a client begins with a struct client.  Whatever happens, the
 * protocol's state changes, bytes are put into `out`, and then client_settle() is called: it alone does what has become
 * possible, writes, decides what is read and waited for, and frees.  So a request that follows another at once is one
 * more turn of its loop, and nothing touches a client after it. */
#pragma once

#include <event2/buffer.h>

#include "admission.h"
#include "env.h"
#include "fds.h"
#include "jobs.h"
#include "peer.h"
#include "rate.h"

#define CLIENT_READS_PER_TURN 4              /* of SPOOL_BUFFER bytes each; then it is another one's turn */
#define CLIENT_RATE_WINDOW_S 10              /* in which the least rate of a body is measured */
#define CLIENT_DRAIN_BYTES ((size_t)1 << 20) /* taken from a client that sends on although it has its answer */
#define CLIENT_DRAIN_MS 2000                 /* and so long it may take to notice */
#define CLIENT_REFUSED_MAX 64                /* refused peers that are still told why; they take no other's place */
#define CLIENT_REFUSALS_MS UINT64_C(1000)    /* between lines that tell of the same refusal */
#define CLIENT_UNSENT_MAX ((size_t)64 << 20) /* bytes of all answers together that their clients do not take */
#define CLIENT_UNSENT_EACH_MAX ((size_t)16 << 20) /* and of one uid's; a verdict has at most 1 MiB */

struct client;

/* What its time is for. */
enum client_wait {
	CLIENT_WAIT_NOTHING, /* work has deadlines of its own */
	CLIENT_WAIT_IDLE,
	CLIENT_WAIT_HEAD, /* the rest of a head or command */
	CLIENT_WAIT_STORAGE,
	CLIENT_WAIT_BODY,  /* a window in which a least rate is measured */
	CLIENT_WAIT_REPLY, /* to be taken */
	CLIENT_WAIT_LINE,  /* not for the client: it is to hear something now and then */
	CLIENT_WAIT_DRAIN,
};

/* CLIENT_SILENT: of those that connect and ask for nothing too many have come; these are told nothing. */
enum client_refusal { CLIENT_STRANGER, CLIENT_TOO_MANY, CLIENT_DRAINED, CLIENT_SILENT, CLIENT_N_REFUSALS };

struct client_kind {
	size_t size; /* of what begins with a struct client; zeroed when it begins */
	void (*begin)(struct client *c);
	/* It is told why, and that is all. */
	void (*refuse)(struct client *c, enum client_refusal why);
	/* There is something to read: client_receive(). */
	void (*read)(struct client *c);
	/* Do what can be done.  Return: whether there may be more, when all that was put is with the kernel. */
	bool (*work)(struct client *c);
	bool (*wants_to_read)(const struct client *c); /* asked when nothing is unsent */
	bool (*has_more)(const struct client *c);      /* to write, when all that was put is with the kernel */
	bool (*is_idle)(const struct client *c);       /* asks for nothing, or does not go on asking */
	enum client_wait (*awaits)(const struct client *c);
	void (*late)(struct client *c, enum client_wait w); /* it did not happen in time */
	void (*drain)(struct client *c);                    /* no more requests */
	void (*abandon)(struct client *c);                  /* and what was asked gets no better answer */
	size_t (*held)(const struct client *c);             /* bytes of memory for its answer, beside those in `out` */
	void (*drop)(struct client *c);                     /* whatever it holds */
};

enum client_phase {
	CLIENT_OPEN,
	CLIENT_DRAINING, /* its last answer is with the kernel; it may still be sending */
	CLIENT_GONE,     /* it, or we, are done: freed by client_settle() */
};

/* Those of all sockets. */
struct clients {
	struct env *env;
	struct jobs *jobs;
	struct client *first;  /* who came last */
	unsigned n, n_refused; /* n_refused of n are no more than being told so */
	size_t unsent;         /* bytes of answers, of all of them */
	struct admission admission;
	struct {
		uint64_t said_ms; /* when it was logged last */
		unsigned unsaid;  /* those since then */
	} refusals[CLIENT_N_REFUSALS];
	void (*place)(
	    void *ctx, bool idle); /* one has ended; or, idle, asks for nothing: somebody else may have its place */
	void *ctx;
};

struct client {
	struct clients *all;
	const struct client_kind *kind;
	void *service; /* the protocol's */
	struct client *prev, *next;
	enum client_phase phase;
	int fd;
	struct peer peer;
	struct payer payer; /* the user, or whom it names */
	bool refused;       /* may not talk to us; is being told */
	bool asked;         /* for something */

	struct event *readable; /* level-triggered */
	struct event *hangup;   /* edge-triggered, while nothing is read */
	struct event *writable;
	struct event *timer;
	enum client_wait wait;
	struct evbuffer *out;
	size_t unsent;     /* bytes of `out` and held beside it, when last counted */
	uint64_t moved_ms; /* when the client took something last */
	struct fds fds;    /* received and not claimed */
	size_t drained;

	/* of a body */
	uint64_t window_n;  /* bytes since the rate window began */
	bool window_paused; /* we did not read all the time */
};

/* Take over an accepted socket.  Return: false: nothing was done for it, and it is closed. */
bool client_new(struct clients *all, const struct client_kind *kind, void *service, int fd);
/* See above.  The client may be gone afterwards. */
void client_settle(struct client *c);
/* The front is draining. */
void clients_drain(struct clients *all);
/* The daemon is no more: whoever waits is told so now. */
void clients_abandon(struct clients *all);
/* End one that asks for nothing: of the user who has most of these the one that came first.  One whose next bytes are here
 * already stays.  Return: whether there was one. */
bool clients_make_room(struct clients *all);
/* The same of this one's user, and another than this one. */
bool clients_make_room_for(const struct client *c);

/* ---- for protocols ---- */

/* Bytes of an answer.  Without memory for them the client is gone: one with a hole in it must not go out. */
void client_put(struct client *c, const void *at, size_t n);
/* All is said, and with the kernel.  @unread: it may be sending what nobody reads. */
void client_finish(struct client *c, bool unread);
void client_end(struct client *c);
/* It has asked for something, with all of a head or command. */
void client_asked(struct client *c);
/* It leaves, and does not wait for what it asked for: as if it had asked for nothing. */
void client_left(struct client *c);
/* Has it sent something that is not read yet? */
bool client_has_sent(const struct client *c);
/* It asks for nothing, and is to ask for nothing more: what it sends from here on fails, so that it knows.  Return: whether
 * something stands there all the same, and has to be answered. */
bool client_last_look(struct client *c);
/* What is awaited begins anew. */
void client_renew(struct client *c);
/* As files_receive(). */
ssize_t client_receive(struct client *c, void *buf, size_t n);
bool client_is_transient(ssize_t received);
bool client_is_about_descriptors(ssize_t received);
void client_close_fd(struct client *c, int fd);
void client_drop_descriptors(struct client *c);
/* Is there memory for so much of an answer that nobody may take? */
bool client_may_answer(const struct client *c, size_t n);
/* What is held for its answer has changed: count it. */
void client_count_unsent(struct client *c);
/* The user itself, as tenant. */
struct payer client_user(const struct client *c);
/* Of what it sends; and may it send so many more files, and any bytes?  As rate_wait_s(). */
void client_pay(struct client *c, uint64_t files, uint64_t bytes);
unsigned client_wait_s(struct client *c, uint64_t files);
/* Bytes that a file may have. */
uint64_t client_size_max(const struct client *c, const struct policy *p);
/* A window of its body is over.  Return: whether it came too slowly; else the next one begins. */
bool client_too_slow(struct client *c, const struct spool *s);
/* 32 random hexadecimal digits for a request that brought no id. */
void client_request_id(char buf[SCAN_REQUEST_ID_MAX + 1]);
