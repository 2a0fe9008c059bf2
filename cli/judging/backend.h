/* Who judges: a worker started here (local.c) or the daemon (client.c).  Both take a task, go on with it when
 * their descriptor becomes readable, and leave a verdict in it. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "job.h"
#include "set_file.h"
#include "status.h"
#include "tensor_rows.h"
#include "walk.h"

/* What one file's rows may take: a manifest of the largest size, with a digest for each row. */
#define TASK_ROWS_MAX (MANIFEST_BYTES_MAX + (33 + 1 + TENSOR_STATS_BYTES) * MANIFEST_ROWS_MAX)

/* One input on its way to a verdict: a file or, with a set, the set. */
struct task {
	struct input input;
	struct set_file *set;     /* borrowed; all members judged; the input has its name only */
	struct tensor_rows *rows; /* owned by who made the task; NULL: none wanted.  To be read when done */
	bool digests, stats;      /* with rows: and the digest of each tensor; and its statistics */
	bool views;               /* what `weighlock inspect` shows is in its facts */
	bool calls;               /* what loading the file would call goes into its verdict */
	enum job_part part;       /* of what is no set: does it come with others? */
	int document;             /* of JOB_PART_MEMBER_AGAIN, borrowed: what they say (set_file_claims()) */
	uint64_t document_size;   /* bytes; 0: nothing */
	uint32_t member;          /* which one of it the file is */
	bool put_off; /* instead of done: to be started again as JOB_PART_MEMBER_AGAIN; the input is still open */
	bool convert; /* its tensors are wanted as well, in `output`, borrowed: see convert.h */
	enum wlk_dtype cast; /* then: struct job */
	bool leave;          /* then: those that cannot be converted are left behind */
	int output;          /* then */
	uint64_t output_max;
	bool identify;      /* no verdict is wanted: what the file is, in its facts */
	int64_t started_us; /* now_us() */
	uint64_t progress;  /* bytes judged so far, where known */
	bool done;
	enum verdict_value value;     /* set when done, with the verdict */
	enum verdict_value effective; /* the same, or what exceptions make of it */
	json_t *verdict;              /* owned; set when done.  NULL: no memory for it */
	bool listed;                  /* the rows are all there are */
	struct facts *facts;          /* owned; what it was made of; NULL where the daemon judged */
	size_t report_max;            /* bytes of the worker's own words that are kept; 0: none */
	uint8_t *report;              /* owned: they; not all, where there were more than report_max */
	size_t report_n, report_room;
	uint32_t layers; /* of the jail that were active: bit i is SANDBOX layer i */
	char *line;      /* owned; the daemon's own words where they can be printed as they are, else NULL */
	bool again;      /* could not be judged along with others: to be started alone */
	bool busy;       /* of a set, with that: it might have been at another time */
	void *work;      /* the backend's own */
};

#define BACKEND_SET_MAX 1024u /* descriptors the daemon takes in a request */

struct backend;

struct backend_ops {
	/* Begin; the task's descriptor is closed as soon as it was passed on, or when it is known that the file is not put
	 * off.  The task is borrowed until done. Never fails: what cannot be begun is done at once, with a verdict that says so. */
	void (*start)(struct backend *b, struct task *t);
	/* The same for the files of one folder and the set they are, all at once; NULL: the backend judges a set when its
	 * files are done.  @tasks: n of them, at most BACKEND_SET_MAX; their descriptors stay open until they are done or
	 * marked to be started again.  @set is done last, or with a detail that says why it was not judged. */
	void (*start_set)(struct backend *b, struct task *const *tasks, size_t n, struct task *set);
	/* Do what can be done without waiting. */
	void (*turn)(struct backend *b, int64_t now);
	/* When turn() wants to be called though nothing is readable; INT64_MAX: never. */
	int64_t (*next_ms)(const struct backend *b);
	/* Ends everything under way. */
	void (*close)(struct backend *b);
};

struct backend {
	const struct backend_ops *ops;
	int epoll_fd;   /* readable when turn() has something to do */
	size_t set_max; /* files of a folder that are held open at a time, at most BACKEND_SET_MAX */
};

/* What the `path` of policy rules is asked of: the name less a leading ./, so that rules hold for whoever scans "." too. */
const char *rule_path(const char *name);

/* Add what only we can know of it: that its digest is not the one that its name promises.  @f: as it was decoded.  Return: false
 * without memory. */
bool task_add_findings(const struct task *t, struct facts *f);

/* The verdict that follows from facts, into the task, which is done then.  Takes @f; NULL: no memory. */
void task_judge(struct task *t, const struct policy *p, struct facts *f, const struct verdict_context *c);

/* The verdict `error` about something that was not examined, for @detail (may be NULL).  @retry NULL: as the
 * cause says.  Leaves it in the task and marks it done. */
void task_fail(struct task *t, const struct policy *p, enum wlk_cause cause, const char *detail, const char *retry);

/* Add scan.detail, a sentence for a person.  @detail may hold anything. */
void verdict_detail(json_t *verdict, const char *detail);
