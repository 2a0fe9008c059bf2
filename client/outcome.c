/* See outcome.h. */
#include "outcome.h"

#include <errno.h>
#include <string.h>

#define RETRY_AFTER_MAX_S 3600u
#define PROBLEM_PREFIX "urn:weighlock:problem:"

/* What cannot be otherwise the next time: the caller's arguments and files. */
static enum weighlock_retry retry_of(int error)
{
	switch (error) {
	case EBADF:
	case EINVAL:
	case EACCES:
	case EPERM:
	case EIO:
	case EISDIR:
	case ECANCELED: return WEIGHLOCK_RETRY_NEVER;
	default: return WEIGHLOCK_RETRY_LATER;
	}
}

void wlc_fail(struct wlc_result *ret, int error, const char *detail)
{
	*ret = (struct wlc_result){
		.outcome = WEIGHLOCK_FAILED, .error = error, .detail = detail, .retry = retry_of(error)
	};
	ret->retry_after_s = ret->retry == WEIGHLOCK_RETRY_LATER;
}

static void may_retry(struct wlc_result *ret, const struct wlc_reply *r, bool later)
{
	unsigned after_s = r->retry_after_s > 0 ? r->retry_after_s : 1;

	ret->retry = later ? WEIGHLOCK_RETRY_LATER : WEIGHLOCK_RETRY_NEVER;
	ret->retry_after_s = !later ? 0 : after_s < RETRY_AFTER_MAX_S ? after_s : RETRY_AFTER_MAX_S;
}

/* ---- a refusal ---- */

/* For answers without a word about it, as of a proxy. */
static bool status_may_pass(unsigned status)
{
	return status == 408 || status == 429 || (status >= 500 && status != 501 && status != 505);
}

static void judge_problem(const struct wlc_reply *r, const struct wlc_members *m, struct wlc_result *ret)
{
	bool later = wlc_text_is(m->retry, "later") || (m->retry.at == NULL && status_may_pass(r->status));

	ret->outcome = WEIGHLOCK_PROBLEM;
	ret->detail = "the daemon gives no verdict";
	may_retry(ret, r, later);
	if (m->type.at == NULL || m->type.n > WLC_PROBLEM_MAX || m->type.n < strlen(PROBLEM_PREFIX) ||
	    memcmp(m->type.at, PROBLEM_PREFIX, strlen(PROBLEM_PREFIX)) != 0)
		return;
	memcpy(ret->problem, m->type.at, m->type.n);
	ret->problem[m->type.n] = '\0';
}

/* ---- a verdict ---- */

static enum weighlock_verdict verdict_of(struct wlc_text word)
{
	for (int v = WEIGHLOCK_ACCEPT; v <= WEIGHLOCK_ERROR; v++) {
		if (wlc_text_is(word, weighlock_verdict_name((enum weighlock_verdict)v)))
			return (enum weighlock_verdict)v;
	}
	return WEIGHLOCK_OTHER;
}

/* Bytes were read, and their digest was taken: one that is only claimed is for nobody who loads the file. */
static bool is_whole(const struct wlc_members *m)
{
	return m->complete && m->scan_error.at == NULL && m->type.at == NULL && !wlc_text_is(m->digest_by, "caller");
}

/* Of a file as large as ours. */
static bool is_whole_file(const struct wlc_members *m, uint64_t size)
{
	return is_whole(m) && m->has_size && m->file_size == size && m->file_sha256.n == 64;
}

/* Is it an accept of the bytes that we sent? */
static bool accept_is_ours(const struct wlc_reply *r, const struct wlc_members *m, const struct wlc_expect *e)
{
	return r->status == 200 && e->sent_whole && is_whole_file(m, e->size) &&
	       (e->sha256[0] == '\0' || wlc_text_is(m->file_sha256, e->sha256));
}

bool wlc_judge_member(const struct wlc_members *m, uint64_t size, enum weighlock_verdict *ret)
{
	*ret = verdict_of(m->verdict);
	return wlc_text_is(m->schema, "weighlock.verdict/1") && m->verdict.at != NULL &&
	       (*ret != WEIGHLOCK_ACCEPT || is_whole_file(m, size));
}

static void judge_verdict(
    const struct wlc_reply *r, const struct wlc_members *m, const struct wlc_expect *e, struct wlc_result *ret)
{
	enum weighlock_verdict v = verdict_of(m->verdict);

	if (!wlc_text_is(m->schema, "weighlock.verdict/1"))
		wlc_fail(ret, EPROTO, "the answer is not a verdict");
	else if (!e->streamed && !wlc_text_is(m->verdict, r->verdict))
		wlc_fail(ret, EPROTO, "the answer's header and body name different verdicts");
	else if (e->streamed && r->verdict[0] != '\0')
		wlc_fail(ret, EPROTO, "a stream has a verdict before its end");
	else if (v == WEIGHLOCK_ACCEPT && !accept_is_ours(r, m, e))
		wlc_fail(ret, EPROTO, "the daemon accepts, but not the bytes that were sent, or not all of them");
	else
		*ret = (struct wlc_result){ .outcome = WEIGHLOCK_VERDICT, .verdict = v, .detail = "" };
	if (ret->outcome == WEIGHLOCK_VERDICT)
		may_retry(ret, r, v == WEIGHLOCK_ERROR && !wlc_text_is(m->scan_retry, "never"));
}

/* accept: about all our files, and each of them was accepted by itself. */
static bool set_accept_is_ours(const struct wlc_reply *r, const struct wlc_members *m, const struct wlc_expect *e)
{
	return r->status == 200 && e->sent_whole && is_whole(m) && m->n_members == e->set->n &&
	       e->set->n_accepted == e->set->n;
}

static void judge_set(
    const struct wlc_reply *r, const struct wlc_members *m, const struct wlc_expect *e, struct wlc_result *ret)
{
	enum weighlock_verdict v = verdict_of(m->verdict);

	if (!wlc_text_is(m->schema, "weighlock.set/1") || m->verdict.at == NULL)
		wlc_fail(ret, EPROTO, "the answer is not a verdict about a set");
	else if (e->set->n_done < e->set->n)
		wlc_fail(ret, EPROTO, "the answer has a verdict about the set and not about all of its files");
	else if (r->verdict[0] != '\0')
		wlc_fail(ret, EPROTO, "a stream has a verdict before its end");
	else if (v == WEIGHLOCK_ACCEPT && !set_accept_is_ours(r, m, e))
		wlc_fail(ret, EPROTO, "the daemon accepts, but not the files that were sent, or not all of them");
	else
		*ret = (struct wlc_result){ .outcome = WEIGHLOCK_VERDICT, .verdict = v, .detail = "" };
	if (ret->outcome == WEIGHLOCK_VERDICT)
		may_retry(ret, r, v == WEIGHLOCK_ERROR && !wlc_text_is(m->scan_retry, "never"));
}

void wlc_judge(
    const struct wlc_reply *r, const char *json, size_t n, const struct wlc_expect *e, struct wlc_result *ret)
{
	struct wlc_members m = { 0 };
	bool sound = json != NULL && wlc_members_read(json, n, &m);

	*ret = (struct wlc_result){ .detail = "" };
	if (r->state != WLC_REPLY_WHOLE) {
		wlc_fail(ret, EPROTO, "the answer is not whole");
	} else if (r->status >= 400) {
		if (!sound || !r->is_problem)
			m = (struct wlc_members){ 0 };
		judge_problem(r, &m, ret);
	} else if (r->status != 200 || r->is_stream != e->streamed || r->is_json == e->streamed) {
		wlc_fail(ret, EPROTO, "the answer is not what was asked for");
	} else if (!sound) {
		wlc_fail(ret, EPROTO,
		    json == NULL && e->streamed ? "the stream ends without a verdict" : "the answer is not sound JSON");
	} else if (m.verdict.at == NULL && m.type.at != NULL && e->streamed) {
		judge_problem(r, &m, ret);
	} else if (e->set != NULL) {
		judge_set(r, &m, e, ret);
	} else {
		judge_verdict(r, &m, e, ret);
	}
}
