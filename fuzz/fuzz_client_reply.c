/* A daemon's answer as the client library reads and judges it.  The first byte says whether a stream was asked for, the
 * second where the answer is cut in two.  The cut changes nothing; memory stays within the limits; and an accept has every
 * word of its proof in it. */
#include <string.h>

#include "fuzz.h"
#include "members.h"
#include "outcome.h"

#define BODY_MAX 4096u

/* As connection.c keeps it. */
struct last {
	char text[BODY_MAX + 1];
	size_t n;
	bool any;
};

static bool on_line(void *ctx, const char *at, size_t n)
{
	struct last *last = ctx;
	struct wlc_members m;

	FUZZ_REQUIRE(n <= BODY_MAX);
	if (last->any || !wlc_members_read(at, n, &m))
		return false;
	if (m.event.at != NULL && m.verdict.at == NULL && m.type.at == NULL)
		return true;
	memcpy(last->text, at, n);
	last->n = n;
	last->any = true;
	return true;
}

static struct wlc_result answer(
    const uint8_t *data, size_t n, size_t cut, bool streamed, enum wlc_reply_state *ret_state)
{
	const struct wlc_expect e = { .streamed = streamed, .sent_whole = true, .size = 12, .sha256 = "" };
	static struct last last;
	struct wlc_result result = { 0 };
	struct wlc_reply r;

	last.any = false;
	last.n = 0;
	wlc_reply_init(&r, BODY_MAX);
	r.may_continue = true;
	r.line = on_line;
	r.ctx = &last;
	(void)wlc_reply_feed(&r, (const char *)data, cut);
	*ret_state = wlc_reply_feed(&r, (const char *)data + cut, n - cut);
	FUZZ_REQUIRE(r.body_n <= BODY_MAX && r.body_room <= 2 * BODY_MAX);
	FUZZ_REQUIRE((r.state == WLC_REPLY_BROKEN) == (r.why != NULL));
	if (r.state == WLC_REPLY_WHOLE) {
		if (r.is_stream)
			wlc_judge(&r, last.any && r.body_n == 0 ? last.text : NULL, last.n, &e, &result);
		else
			wlc_judge(&r, r.body, r.body_n, &e, &result);
		FUZZ_REQUIRE(result.outcome != WEIGHLOCK_PENDING && result.detail != NULL);
	}
	wlc_reply_done(&r);
	return result;
}

static bool holds(const uint8_t *data, size_t n, const char *word)
{
	return memmem(data, n, word, strlen(word)) != NULL;
}

int fuzz_one(const uint8_t *data, size_t n)
{
	bool streamed = n > 0 && (data[0] & 1) != 0;
	size_t cut;
	enum wlc_reply_state whole_state, state;
	struct wlc_result whole, result;

	if (n < 2)
		return 0;
	cut = data[1] % (n - 1);
	data += 2;
	n -= 2;
	whole = answer(data, n, n, streamed, &whole_state);
	result = answer(data, n, cut < n ? cut : n, streamed, &state);
	FUZZ_REQUIRE(state == whole_state && result.outcome == whole.outcome && result.verdict == whole.verdict);
	FUZZ_REQUIRE(whole.verdict == WEIGHLOCK_NONE || whole.outcome == WEIGHLOCK_VERDICT);
	if (whole.verdict == WEIGHLOCK_ACCEPT)
		FUZZ_REQUIRE(holds(data, n, "HTTP/1.1 200 ") && holds(data, n, "\"accept\"") &&
			     holds(data, n, "true") && holds(data, n, "\"weighlock.verdict/1\"") &&
			     holds(data, n, "12"));
	return 0;
}
