/* What a whole answer means: the one place where "accept" can come from.  Pure. */
#pragma once

#include "http_answer.h"
#include "members.h"
#include "weighlock-client.h"

#define WLC_PROBLEM_MAX 127u /* bytes of a problem's type */

/* What has come of a set's answer. */
struct wlc_set {
	size_t n; /* members */
	size_t n_done, n_accepted;
};

/* What we know of our own question. */
struct wlc_expect {
	const struct wlc_set *set; /* NULL: it is about one file */
	bool streamed;             /* a stream was asked for */
	bool sent_whole;           /* the whole file went out, or its descriptor */
	uint64_t size;             /* bytes of the file; with .sent_whole */
	const char *sha256;        /* 64 lower-case hex digits, or "" */
};

struct wlc_result {
	enum weighlock_outcome outcome;
	enum weighlock_verdict verdict;
	enum weighlock_retry retry;
	unsigned retry_after_s;
	int error; /* positive errno, with WEIGHLOCK_FAILED */
	const char *detail;
	char problem[WLC_PROBLEM_MAX + 1];
};

/**
 * wlc_judge() - the result of a reply in the state WLC_REPLY_WHOLE
 * @json, @n: the body; of a stream the line that is not about progress, or NULL if none came
 *
 * Header and body must name the same verdict; the body decides, for it is what is bound to a digest.
 */
void wlc_judge(
    const struct wlc_reply *r, const char *json, size_t n, const struct wlc_expect *e, struct wlc_result *ret);

/**
 * wlc_judge_member() - the verdict about one file of a set
 * @size: bytes of the file
 * Return: false: it is none, or an accept that is not about the whole of this file.
 */
bool wlc_judge_member(const struct wlc_members *m, uint64_t size, enum weighlock_verdict *ret);

/* No answer. */
void wlc_fail(struct wlc_result *ret, int error, const char *detail);
