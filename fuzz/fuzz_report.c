/* The report decoder's target: what a hostile worker could write.  The same bytes must mean the same whatever
 * pieces they come in, what is accepted must be within bounds, and only a whole report may be complete. */
#include <string.h>

#include "facts.h"
#include "fuzz.h"
#include "part.h"

/* The job's size: the first eight bytes of the first payload.  The seeds begin with a progress record that
 * carries it, so that the fuzzer gets past the comparison. */
static uint64_t expected_size(const uint8_t *data, size_t n)
{
	return n >= 13 ? load_u64le(data + 5) : 0;
}

static struct facts *decode(const uint8_t *data, size_t n, size_t piece, enum wlk_cause cause)
{
	struct facts_expect expect = { .size = expected_size(data, n) };
	struct facts *f = facts_new();
	bool ok = true;

	FUZZ_REQUIRE(f != NULL);
	facts_want_calls(f);
	facts_want_views(f);
	for (size_t at = 0; at < n; at += piece) {
		bool fed = facts_feed(f, data + at, piece < n - at ? piece : n - at);

		FUZZ_REQUIRE(ok || !fed); /* once refused, always refused */
		ok = fed;
	}
	facts_finish(f, cause, &expect);
	FUZZ_REQUIRE(ok || f->final.cause == WLK_CAUSE_WORKER_PROTOCOL);
	return f;
}

static void require_bounds(const struct facts *f, uint64_t size)
{
	FUZZ_REQUIRE(f->n_findings <= REPORT_FINDINGS_MAX && f->n_rows <= REPORT_NONFINITE_MAX);
	FUZZ_REQUIRE(f->n_facts <= REPORT_FACTS_MAX && f->final.size == size);
	for (size_t i = 0; i < f->n_findings; i++) {
		const struct finding *got = &f->findings[i];

		FUZZ_REQUIRE(got->code < WLK_N_FINDINGS && got->subject.n <= REPORT_STRING_MAX);
		FUZZ_REQUIRE(offset_is_decoded(got->offset) ? got->member.n > 0
							    : got->offset <= size && got->length <= size - got->offset);
		FUZZ_REQUIRE(f->per_code[got->code] > 0);
	}
	for (size_t i = 0; i < f->n_rows; i++)
		FUZZ_REQUIRE(f->rows[i].dtype < WLK_N_DTYPES);
	FUZZ_REQUIRE(f->n_calls <= REPORT_CALLS_ALLOWED + (N_CALL_STANDINGS - 1) * REPORT_CALLS_MAX);
	for (size_t i = 0; i < f->n_calls; i++) {
		FUZZ_REQUIRE(f->calls[i].callee_n <= f->calls[i].text.n && f->calls[i].text.n <= CALL_TEXT_MAX);
		FUZZ_REQUIRE(offset_is_decoded(f->calls[i].offset) || f->calls[i].offset <= size);
	}
	for (size_t i = 0; i < f->n_views; i++)
		FUZZ_REQUIRE(f->views[i].kind < N_VIEW_KINDS &&
			     (offset_is_decoded(f->views[i].offset) || f->views[i].offset <= size));
	if (f->final.complete)
		FUZZ_REQUIRE(f->has_final && f->final.has_digest && f->final.cause == WLK_CAUSE_NONE);
}

static void require_same(const struct facts *a, const struct facts *b)
{
	FUZZ_REQUIRE(a->has_final == b->has_final && a->final.cause == b->final.cause);
	FUZZ_REQUIRE(a->final.complete == b->final.complete && a->final.has_digest == b->final.has_digest);
	FUZZ_REQUIRE(memcmp(a->final.sha256, b->final.sha256, sizeof(a->final.sha256)) == 0);
	FUZZ_REQUIRE(memcmp(&a->final.totals, &b->final.totals, sizeof(a->final.totals)) == 0);
	FUZZ_REQUIRE(memcmp(a->per_code, b->per_code, sizeof(a->per_code)) == 0);
	FUZZ_REQUIRE(a->n_findings == b->n_findings && a->n_rows == b->n_rows && a->n_facts == b->n_facts);
	FUZZ_REQUIRE(a->n_calls == b->n_calls && a->n_views == b->n_views);
	for (size_t i = 0; i < a->n_findings; i++)
		FUZZ_REQUIRE(bytes_equal(a->findings[i].subject, b->findings[i].subject) &&
			     bytes_equal(a->findings[i].found.text, b->findings[i].found.text));
}

int fuzz_one(const uint8_t *data, size_t n)
{
	static const size_t pieces[] = { 1, 3, 64, 4096 };
	static const enum wlk_cause causes[] = { WLK_CAUSE_NONE, WLK_CAUSE_WORKER_CRASHED };

	for (size_t c = 0; c < sizeof(causes) / sizeof(causes[0]); c++) {
		struct facts *whole = decode(data, n, n > 0 ? n : 1, causes[c]);

		require_bounds(whole, expected_size(data, n));
		FUZZ_REQUIRE(causes[c] == WLK_CAUSE_NONE || !whole->final.complete);
		for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
			struct facts *split = decode(data, n, pieces[i], causes[c]);

			require_same(whole, split);
			facts_free(split);
		}
		facts_free(whole);
	}
	return 0;
}
