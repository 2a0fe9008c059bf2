/* What set.c, set_member.c and set_end.c share: the set itself, and the three parts of its life. */
#pragma once

#include "audit.h"
#include "set.h"
#include "set_file.h"

/* Verdicts on their way into an answer that is no stream: one behind the other in a memfd, with commas behind them. */
struct texts;

/* Return: NULL without memory or descriptor. */
struct texts *texts_new(struct jobs_parts *parts, const struct payer *p);
void texts_free(void *texts); /* NULL is fine */
/* Return: 0; -EFBIG: more than SET_TEXTS_MAX; -ENOBUFS: no room now; other negative errno. */
int texts_add(struct texts *t, const char *text, struct listing_range *ret);
int texts_fd(const struct texts *t);

/* PUT_OFF: nobody knows what it is, and when the others are done they may say so. */
enum member_state { MEMBER_WAITING, MEMBER_BUSY, MEMBER_PUT_OFF, MEMBER_DONE };

struct member {
	struct set *set;
	enum member_state state;
	const char *name;
	size_t index; /* in the set's file */
	uint64_t size;
	bool sealed;
	bool again;               /* it was put off */
	int fd;                   /* the client's, until a scan has it; -1 */
	struct file_check *check; /* BUSY: looking at the descriptor, and then scanning */
	struct scan *scan;
	struct audit_call *recording; /* of a verdict that no scan gave: */
	struct facts *facts;
	struct verdict verdict;
	struct listing *line; /* DONE, with lines: until it is taken */
	struct listing_range text;
	struct member *next_line;
};

struct set {
	struct jobs *jobs;
	struct jobs_parts *parts; /* of those */
	void (*news)(void *ctx);  /* NULL: nobody waits (any more) */
	void *ctx;
	struct event *step; /* soon: what has become possible */

	/* the request */
	struct set_request request; /* its texts are ours */
	char name[SCAN_NAME_MAX + 1], request_id[SCAN_REQUEST_ID_MAX + 1], tenant[TENANT_NAME_MAX + 1];
	struct payer payer;
	struct queue_item place;
	json_t *names;
	struct member *members;
	size_t n, next, n_busy, n_done; /* next: to be started */
	size_t n_put_off;               /* of those that are not done */
	size_t next_again;              /* where to look for one of them */
	bool claimed;                   /* it is known what the others say of them: */
	int claims;                     /* a document, owned by the file; -1: nothing */
	uint64_t claims_size;

	struct set_file *file;
	uint64_t rows_paid; /* for the rows in it */
	struct texts *texts;
	struct member *lines, **lines_end; /* DONE and not taken */
	size_t n_lines, held;

	/* the end */
	bool sealing; /* a thread has the file */
	bool abandoned;
	struct scan *judge;
	struct audit_call *recording; /* of the verdict: it is given when that is done */
	bool over;
	enum verdict_value value, effective;
	char *json; /* the verdict; NULL: a problem */
	enum trouble trouble;
	const char *detail;
	int64_t started_at;
	double started_ms;
};

/* ---- set.c ---- */

/* Do what can be done, from the event loop. */
void set_step_soon(struct set *s);
/* It ends without a verdict; the first reason stays. */
void set_fail(struct set *s, enum trouble trouble, const char *detail);
void set_free(struct set *s);
/* The request of a scan that belongs to it. */
struct scan_request set_scan_request(struct set *s);

/* ---- set_member.c ---- */

/* Start as many files as may be under way. */
void members_start(struct set *s);
/* Nobody wants them any more: whatever they hold or run. */
void members_drop(struct set *s);
/* Nor the lines. */
void lines_drop(struct set *s);

/* ---- set_end.c ---- */

/* All files are judged but those that are put off: write down what the others say of them. */
void set_claim(struct set *s);
/* All files are judged: now the set. */
void set_judge(struct set *s);
/* The answer, from the verdict and the texts.  NULL without memory. */
struct listing *set_listing(struct set *s);
