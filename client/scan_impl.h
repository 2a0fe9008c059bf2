/* A scan between its files: what was asked for (scan.c), the request (request.c), the connection (connection.c). */
#pragma once

#include <sys/un.h>

#include "http_answer.h"
#include "outcome.h"
#include "weighlock-client.h"

#define SCAN_NAME_MAX 1024u
#define SCAN_WORD_MAX 64u  /* of a policy or tenant */
#define SCAN_BLOCK 65536u  /* bytes of the file a message */
#define SCAN_FRAME_MAX 32u /* a chunk's size, its end and the end of all */
#define SCAN_HEAD_MAX 4096u

enum scan_phase {
	PHASE_NEW,
	PHASE_WAIT,    /* the daemon is busy, and is asked again later */
	PHASE_CONNECT, /* the daemon's backlog is full */
	PHASE_HEAD,
	PHASE_INVITED, /* until the daemon wants the body, or says that it does not */
	PHASE_BODY,
	PHASE_ANSWER,
	PHASE_OVER,
};

/* A file of a set. */
struct scan_member {
	char *name; /* owned */
	int fd;     /* the caller's */
	uint64_t size;
	bool done;
};

struct weighlock_scan {
	/* the question */
	struct sockaddr_un address;
	char name[SCAN_NAME_MAX + 1], policy[SCAN_WORD_MAX + 1], tenant[SCAN_WORD_MAX + 1];
	char sha256[64 + 1], request_id[WLC_REQUEST_ID_MAX + 1];
	bool batch;
	int pass_fd, upload_fd; /* the caller's; -1: the file comes otherwise */
	weighlock_source_fn source;
	void *source_ctx;
	uint64_t length; /* of the file, or WEIGHLOCK_LENGTH_UNKNOWN */
	weighlock_line_fn line;
	void *line_ctx;
	int64_t silence_ms, total_ms, patience_ms;
	struct scan_member *members; /* owned; .set.n of them: the question is about a set */
	weighlock_member_fn member;
	void *member_ctx;

	/* the world; tests have their own */
	int (*dial)(const struct weighlock_scan *s); /* a descriptor or negative errno; -EAGAIN: not now */
	int64_t (*now_ms)(void);

	/* the connection */
	enum scan_phase phase;
	int fd;
	bool starved, source_over, sent_whole;
	bool crowded;                          /* too many descriptors are on their way */
	size_t n_passed;                       /* descriptors */
	int64_t give_up_ms, moved_ms, wake_ms; /* on the monotonic clock */
	int64_t waited_ms;                     /* for a busy daemon */
	uint64_t sent;                         /* bytes of the file taken from its source */
	char *out;                             /* owned: a message, or the head */
	size_t out_at, out_n;

	/* the answer */
	struct wlc_reply reply;
	char *last; /* owned: of a stream, the line that is not about progress */
	size_t last_n;
	bool line_refused; /* by the caller */
	struct wlc_set set;
	struct wlc_result result;
};

/* Put the request's head into .out, and of a set the body.  Return: 0 or a negative errno. */
int scan_begin(struct weighlock_scan *s);

/* .dial and .now_ms as they are without a test. */
int scan_dial(const struct weighlock_scan *s);
int64_t scan_now_ms(void);

/* Put the next message of the body into .out.  Return: 0 or a negative errno; -EAGAIN: nothing there yet. */
int scan_fill(struct weighlock_scan *s);

/* A line of an answer about a set.  Return: false: it is not what it should be. */
bool scan_set_line(struct weighlock_scan *s, const struct wlc_members *m, const char *at, size_t n);
void scan_set_free(struct weighlock_scan *s);

static inline bool scan_is_set(const struct weighlock_scan *s)
{
	return s->set.n > 0;
}

/* Is the answer to come line by line? */
static inline bool scan_streams(const struct weighlock_scan *s)
{
	return s->line != NULL || scan_is_set(s);
}

/* Is the file sent along with the head?  Otherwise a body follows, unless it is empty. */
static inline bool scan_passes(const struct weighlock_scan *s)
{
	return s->pass_fd >= 0 || scan_is_set(s);
}

static inline bool scan_has_body(const struct weighlock_scan *s)
{
	return !scan_passes(s) && s->length > 0;
}
