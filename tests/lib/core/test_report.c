/* The encoder: its bounds, its counts, and when bytes leave. */
#include "harness.h"

#include "memory.h"
#include "part.h"

struct fixture {
	struct mem_report sent;
	struct report *r;
};

static void open_fixture(struct fixture *fx)
{
	*fx = (struct fixture){ .r = malloc(sizeof(struct report)) };
	report_init(fx->r, mem_write, mem_clock, &fx->sent);
}

static void close_fixture(struct fixture *fx)
{
	free(fx->r);
	free(fx->sent.at);
}

static struct facts *end(struct fixture *fx)
{
	ck_assert(report_end(fx->r, &(struct report_final){ .size = UINT64_C(1) << 32 }));
	return mem_decode(&fx->sent, UINT64_C(1) << 32);
}

START_TEST(test_record_layout_is_as_documented)
{
	uint8_t expected[] = {
		34, 0, 0, 0, RECORD_FINDING,                    /* length, type */
		0, 0, 0, 0,                                     /* number of the code */
		1,                                              /* has an offset */
		0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, /* offset */
		2, 0, 'a', 'b',                                 /* subject */
		0, 0,                                           /* member */
		VALUE_NUMBER, 9, 0, 0, 0, 0, 0, 0, 0,           /* found */
		VALUE_TEXT, 3, 0, 'x', 'y', 'z',                /* allowed */
	};
	struct fixture fx;

	store_u32le(expected + 5, finding_number(WLK_F_WEIGHTS_INF));
	open_fixture(&fx);
	report_finding(fx.r, &(struct finding){ .code = WLK_F_WEIGHTS_INF,
				 .has_offset = true,
				 .offset = UINT64_C(0x0102030405060708),
				 .subject = bytes_of_text("ab"),
				 .found = value_number(9),
				 .allowed = value_text(bytes_of_text("xyz")) });
	ck_assert_uint_eq(fx.sent.n, sizeof(expected));
	ck_assert_mem_eq(fx.sent.at, expected, sizeof(expected));
	close_fixture(&fx);
}
END_TEST

/* What counts in decoded bytes says so, and of whose. */
START_TEST(test_an_offset_in_decoded_bytes_comes_back_as_one)
{
	struct fixture fx;
	struct finding f = { .code = WLK_F_WEIGHTS_INF,
		.has_offset = true,
		.offset = OFFSET_DECODED | 7,
		.member = bytes_of_text("m") };
	struct facts *facts;

	open_fixture(&fx);
	report_finding(fx.r, &f);
	f.member = (struct bytes){ 0 };
	report_finding(fx.r, &f);
	facts = end(&fx);
	ck_assert_uint_eq(facts->findings[0].offset, OFFSET_DECODED | 7);
	ck_assert(facts->findings[0].has_offset && !facts->findings[1].has_offset);
	facts_free(facts);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_findings_leave_at_once)
{
	struct fixture fx;

	open_fixture(&fx);
	report_at(fx.r, WLK_F_WEIGHTS_NAN, 1);
	ck_assert_uint_eq(fx.sent.writes, 1);
	report_fact_number(fx.r, WLK_FACT_HEADER_BYTES, 5);
	ck_assert_uint_eq(fx.sent.writes, 1);
	report_at(fx.r, WLK_F_WEIGHTS_NAN, 2);
	ck_assert_uint_eq(fx.sent.writes, 2);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_hundred_findings_of_a_code_are_listed_and_the_rest_counted)
{
	struct fixture fx;
	struct facts *f;

	open_fixture(&fx);
	for (int i = 0; i < REPORT_PER_CODE_MAX - 1; i++)
		report_at(fx.r, WLK_F_WEIGHTS_NAN, (uint64_t)i);
	ck_assert(report_wants(fx.r, WLK_F_WEIGHTS_NAN));
	report_at(fx.r, WLK_F_WEIGHTS_NAN, 99);
	ck_assert(!report_wants(fx.r, WLK_F_WEIGHTS_NAN));
	ck_assert(report_wants(fx.r, WLK_F_WEIGHTS_INF));
	for (int i = 0; i < 1000; i++)
		report_at(fx.r, WLK_F_WEIGHTS_NAN, 100);
	f = end(&fx);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_NONE);
	ck_assert_uint_eq(f->n_findings, REPORT_PER_CODE_MAX);
	ck_assert_uint_eq(f->per_code[WLK_F_WEIGHTS_NAN], 1100);
	facts_free(f);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_4096_findings_are_listed_and_the_rest_counted)
{
	uint64_t total = 0;
	struct fixture fx;
	struct facts *f;

	open_fixture(&fx);
	for (int i = 0; i < REPORT_PER_CODE_MAX; i++) {
		for (unsigned code = 0; code < WLK_N_FINDINGS; code++)
			report_at(fx.r, (enum wlk_finding)code, 0);
	}
	ck_assert_uint_gt(REPORT_PER_CODE_MAX * WLK_N_FINDINGS, REPORT_FINDINGS_MAX);
	f = end(&fx);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_NONE);
	ck_assert_uint_eq(f->n_findings, REPORT_FINDINGS_MAX);
	for (unsigned code = 0; code < WLK_N_FINDINGS; code++)
		total += f->per_code[code];
	ck_assert_uint_eq(total, REPORT_PER_CODE_MAX * WLK_N_FINDINGS);
	facts_free(f);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_rows_beyond_the_bound_are_only_counted)
{
	struct fixture fx;
	struct facts *f;

	open_fixture(&fx);
	for (int i = 0; i < REPORT_NONFINITE_MAX + 5; i++)
		report_nonfinite(fx.r,
		    &(struct nonfinite){
			.tensor = bytes_of_text("w"), .dtype = WLK_DTYPE_F32, .nan = 2, .pos_inf = 3, .neg_inf = 4 });
	report_nonfinite(fx.r, &(struct nonfinite){ .dtype = WLK_DTYPE_BOOL, .bool_invalid = 1 });
	f = end(&fx);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_NONE);
	ck_assert_uint_eq(f->n_rows, REPORT_NONFINITE_MAX);
	ck_assert_uint_eq(f->final.totals.nonfinite_omitted, 6);
	ck_assert_uint_eq(f->final.totals.nan, 2 * 1005);
	ck_assert_uint_eq(f->final.totals.pos_inf, 3 * 1005);
	ck_assert_uint_eq(f->final.totals.neg_inf, 4 * 1005);
	ck_assert_uint_eq(f->final.totals.bool_invalid, 1);
	facts_free(f);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_long_texts_are_cut)
{
	uint8_t *text = malloc(100000);
	struct fixture fx;
	struct facts *f;

	memset(text, 'x', 100000);
	open_fixture(&fx);
	for (size_t n = REPORT_STRING_MAX; n <= 100000; n += 100000 - REPORT_STRING_MAX) {
		struct bytes b = bytes_of(text, n);

		report_finding(fx.r, &(struct finding){ .code = WLK_F_WEIGHTS_NAN,
					 .subject = b,
					 .member = b,
					 .found = value_text(b),
					 .allowed = value_text(b) });
	}
	f = end(&fx);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_NONE);
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(f->findings[i].subject.n, REPORT_STRING_MAX);
		ck_assert_uint_eq(f->findings[i].allowed.text.n, REPORT_STRING_MAX);
	}
	facts_free(f);
	close_fixture(&fx);
	free(text);
}
END_TEST

START_TEST(test_progress_is_sent_every_hundred_milliseconds)
{
	struct fixture fx;

	open_fixture(&fx);
	fx.sent.clock_ms = 5000;
	report_progress(fx.r, 1);
	fx.sent.clock_ms = 5000 + REPORT_PROGRESS_MS - 1;
	report_progress(fx.r, 2);
	ck_assert_uint_eq(fx.sent.writes, 0);
	fx.sent.clock_ms = 5000 + REPORT_PROGRESS_MS;
	report_progress(fx.r, 3);
	ck_assert_uint_eq(fx.sent.writes, 1);
	report_progress(fx.r, 4);
	ck_assert_uint_eq(fx.sent.writes, 1);
	fx.r->clock = NULL;
	report_progress(fx.r, 5);
	ck_assert_uint_eq(fx.sent.writes, 1);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_first_cause_is_kept_and_raises_its_finding)
{
	struct fixture fx;
	struct facts *f;

	open_fixture(&fx);
	ck_assert_int_eq(report_stop(fx.r, WLK_CAUSE_LIMIT_MEMORY, 11, 10), WLK_INCOMPLETE);
	ck_assert_int_eq(report_stop(fx.r, WLK_CAUSE_LIMIT_REREAD, 1, 1), WLK_INCOMPLETE);
	f = end(&fx);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_LIMIT_MEMORY);
	ck_assert_uint_eq(f->n_findings, 1);
	ck_assert_int_eq(f->findings[0].code, WLK_F_LIMIT_MEMORY);
	ck_assert_uint_eq(f->findings[0].found.number, 11);
	ck_assert_uint_eq(f->findings[0].allowed.number, 10);
	facts_free(f);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_every_budget_with_a_finding_of_its_name_raises_it)
{
	for (unsigned cause = 1; cause < WLK_N_CAUSES; cause++) {
		enum wlk_finding code;
		struct fixture fx;

		open_fixture(&fx);
		report_stop(fx.r, (enum wlk_cause)cause, 0, 0);
		if (finding_by_code(cause_text((enum wlk_cause)cause), &code))
			ck_assert_uint_eq(fx.r->per_code[code], 1);
		else
			ck_assert_uint_eq(fx.r->n_findings, 0);
		close_fixture(&fx);
	}
}
END_TEST

START_TEST(test_stopped_scan_is_never_complete)
{
	struct fixture fx;
	struct facts *f;

	open_fixture(&fx);
	report_stop(fx.r, WLK_CAUSE_INPUT_UNREADABLE, 0, 0);
	ck_assert(report_end(fx.r, &(struct report_final){ .size = 1, .complete = true }));
	f = mem_decode(&fx.sent, 1);
	ck_assert(!f->final.complete);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_INPUT_UNREADABLE);
	facts_free(f);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_refused_write_is_remembered_and_the_last)
{
	struct fixture fx;

	open_fixture(&fx);
	report_at(fx.r, WLK_F_WEIGHTS_NAN, 1);
	fx.sent.refuse_after = fx.sent.n;
	report_at(fx.r, WLK_F_WEIGHTS_NAN, 1);
	ck_assert(fx.r->failed);
	fx.sent.refuse_after = 0; /* the writer would take bytes again: too late */
	report_at(fx.r, WLK_F_WEIGHTS_NAN, 1);
	ck_assert(!report_end(fx.r, &(struct report_final){ .size = 1 }));
	ck_assert_uint_eq(fx.sent.writes, 1);
	close_fixture(&fx);
}
END_TEST

HARNESS("report", test_record_layout_is_as_documented, test_an_offset_in_decoded_bytes_comes_back_as_one,
    test_findings_leave_at_once, test_hundred_findings_of_a_code_are_listed_and_the_rest_counted,
    test_4096_findings_are_listed_and_the_rest_counted, test_rows_beyond_the_bound_are_only_counted,
    test_long_texts_are_cut, test_progress_is_sent_every_hundred_milliseconds,
    test_first_cause_is_kept_and_raises_its_finding, test_every_budget_with_a_finding_of_its_name_raises_it,
    test_stopped_scan_is_never_complete, test_refused_write_is_remembered_and_the_last)
