/* A window of tasks that moves over a walk.  At most n_jobs are being judged; a few more may be done and wait for an
 * earlier one, because results come out in the order of the inputs.  So memory depends on the window and not on how much
 * there is to judge.
 *
 * The files of a given folder may be judged as a set as well: when the last of them is done and something among them
 * speaks about the others, one more task lays them beside each other, and takes its place right behind them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend.h"
#include "progress.h"

#define JOBS_MAX 256   /* each costs a process and a few descriptors */
#define WAITING_MAX 64 /* results held back; each at most a verdict's text, and its rows where they are wanted */

/* The same, while a folder's files are held until all of them can be sent, or until others say what they are. */
#define WINDOW_MAX (JOBS_MAX + WAITING_MAX + BACKEND_SET_MAX + 2)

/* A given folder, while its files are judged. */
struct folder {
	struct set_file *set;
	size_t path;   /* as input.path */
	size_t n_open; /* members that are not judged yet */
	size_t n_held; /* of these: to be sent together */
	bool singly;   /* too many for that, or refused */
	bool busy;     /* refused for now, and not for good */
	/* Judged here: */
	size_t n_put_off;     /* of n_open: held back, for others may say what they are */
	bool over;            /* no more members will come */
	bool unheld;          /* too many to hold any back: what nobody knows is judged alone */
	bool claimed;         /* the others have been asked */
	int claims;           /* what they say; owned by the set */
	uint64_t claims_size; /* bytes; 0: nothing */
	bool speaks;          /* a verdict that came from the daemon shows that they are a set */
	int64_t started_us;
	void *known; /* the user's own, who frees it in window_ops.forget() */
};

enum slot_state { SLOT_WAITING, SLOT_HELD, SLOT_RUNNING, SLOT_PUT_OFF, SLOT_FINISHED };

/* A place in the window. */
struct slot {
	enum slot_state state;
	struct task task;
	struct folder *folder; /* that it is a member of; or, of the folder's own slot, owned; NULL: neither */
	size_t member;         /* of set_file_add() */
	bool of_folder;        /* the folder's own */
	char *text;            /* owned; for the user of the window, like those that follow */
	char *name;            /* owned */
	json_t *note;
	void *seen; /* owned: free() */
};

/* What the user of the window knows of a file that was found. */
enum window_known {
	WINDOW_NEW,     /* nothing: judge it */
	WINDOW_KNOWN,   /* enough: it is finished, without done() */
	WINDOW_JUDGED,  /* so much that its task is done already */
	WINDOW_PUT_OFF, /* that its worker would put it off */
};

struct window;

struct window_ops {
	/* For a user who remembers; NULL: nobody does.  known() is asked before each file is given to a worker, of one that was put off
	 * once more then.  recall(): say set_file_judged() of each member that was known, for somebody asks what the others are.
	 * set_known(): may the folder stay as it is?  If not, all was recalled.  forget(): it goes away.
	 * Return, of recall(): 0 or the negative errno that ends it all. */
	enum window_known (*known)(void *ctx, struct slot *slot);
	int (*recall)(void *ctx, struct folder *folder);
	bool (*set_known)(void *ctx, struct slot *slot);
	void (*forget)(void *ctx, struct folder *folder);
	/* A task is done: take what is needed of its verdict and facts, which go away; its rows stay.  In any order. */
	void (*done)(void *ctx, struct slot *slot);
	/* In the order of the inputs.  Return: 0 or the negative errno that ends it all. */
	int (*take)(void *ctx, struct slot *slot);
	/* What a progress line counts.  May be NULL: no line. */
	void (*progress)(void *ctx, struct progress_state *ret);
};

struct window_options {
	const struct policy *policy; /* for what no backend sees */
	size_t n_jobs;
	bool sets;                 /* judge given folders as sets, too */
	bool rows, digests, stats; /* keep the rows of each file until it was taken */
	bool calls;                /* verdicts say what would be called */
	bool views;                /* and facts have what is shown of files */
	bool identify;             /* say what files are, and judge nothing */
};

/* @w: WINDOW_MAX slots, too large for the stack.  Return: NULL without memory.  All arguments are borrowed until
 * window_free(). */
struct window *window_new(const struct window_options *o, struct backend *backend, struct walk *walk,
    struct progress *progress, const struct window_ops *ops, void *ctx);
/* Ends what is under way. */
void window_free(struct window *w);

/* Until the last input was taken, a signal came or something failed.  Return: 0 or negative errno. */
int window_run(struct window *w);
/* End it from a callback, with a negative errno. */
void window_fail(struct window *w, int error);
