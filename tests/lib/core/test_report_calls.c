/* Calls and views on their way out of the jail: only for whoever asked, bounded by standing, and decoded as if a stranger wrote them. */
#include "harness.h"

#include "memory.h"
#include "part.h"

#define SIZE 5000

/* A call as its record has it. */
struct fields {
	unsigned standing, flags, callee_n;
	uint64_t offset;
	const char *member;
	const char *text;
	unsigned text_n; /* 0: of the text */
};

#define SOUND                                                                           \
	{                                                                               \
		.standing = CALL_DANGEROUS, .callee_n = 1, .member = "m", .text = "f()" \
	}

static struct report *report_begin(struct mem_report *m)
{
	struct report *r = malloc(sizeof(*r));

	report_init(r, mem_write, NULL, m);
	r->wants_calls = true;
	return r;
}

static void send_call(struct report *r, enum call_standing standing, const char *words)
{
	struct call_text t;

	call_text_begin(&t);
	call_text_put(&t, words);
	call_text_callee(&t);
	call_text_put(&t, "()");
	if (report_wants_call(r, standing))
		report_call(r, (struct call_record){ .standing = standing, .offset = 7 }, &t);
}

static struct facts *end(struct mem_report *m, struct report *r, bool wanted)
{
	const struct facts_expect expect = { .size = SIZE };
	struct facts *f = facts_new();

	ck_assert(report_end(r, &(struct report_final){ .size = SIZE }));
	if (wanted)
		facts_want_calls(f);
	(void)facts_feed(f, m->at, m->n);
	facts_finish(f, WLK_CAUSE_NONE, &expect);
	free(m->at);
	free(r);
	return f;
}

START_TEST(test_calls_arrive_in_their_order)
{
	struct mem_report m = { 0 };
	struct report *r = report_begin(&m);
	struct facts *f;

	send_call(r, CALL_DANGEROUS, "os.system");
	send_call(r, CALL_ALLOWED, "list");
	f = end(&m, r, true);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_NONE);
	ck_assert_uint_eq(f->n_calls, 2);
	ck_assert(bytes_equal(f->calls[0].text, bytes_of_text("os.system()")));
	ck_assert(f->calls[0].callee_n == 9 && f->calls[0].offset == 7 && !f->calls[0].cut);
	ck_assert(f->calls[1].standing == CALL_ALLOWED);
	facts_free(f);
}
END_TEST

START_TEST(test_calls_that_nobody_asked_for_are_not_sent_and_not_taken)
{
	struct mem_report m = { 0 };
	struct report *r = report_begin(&m);
	struct facts *f;

	r->wants_calls = false;
	send_call(r, CALL_DANGEROUS, "os.system");
	f = end(&m, r, false);
	ck_assert(f->final.cause == WLK_CAUSE_NONE && f->n_calls == 0);
	facts_free(f);
	m = (struct mem_report){ 0 };
	r = report_begin(&m);
	send_call(r, CALL_DANGEROUS, "os.system");
	f = end(&m, r, false);
	ck_assert(f->final.cause == WLK_CAUSE_WORKER_PROTOCOL && f->n_calls == 0);
	facts_free(f);
}
END_TEST

START_TEST(test_each_standing_has_its_bound_and_the_rest_is_counted)
{
	struct mem_report m = { 0 };
	struct report *r = report_begin(&m);
	struct facts *f;

	for (unsigned i = 0; i < REPORT_CALLS_ALLOWED + 5; i++)
		send_call(r, CALL_ALLOWED, "list");
	for (unsigned i = 0; i < REPORT_CALLS_MAX; i++)
		send_call(r, CALL_DANGEROUS, "exec");
	f = end(&m, r, true);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_NONE);
	ck_assert_uint_eq(f->n_calls, REPORT_CALLS_ALLOWED + REPORT_CALLS_MAX);
	ck_assert(f->n_facts == 1 && f->facts[0].id == WLK_FACT_CALLS_OMITTED && f->facts[0].value.number == 5);
	facts_free(f);
}
END_TEST

/* Is a report with so many of these records believed? */
static bool sound(struct fields c, unsigned times)
{
	struct mem_report m = { 0 };
	struct report *r = report_begin(&m);
	uint8_t at[CALL_TEXT_MAX + 64] = { 0 };
	size_t n = 5 + 2 + 8, member_n = strlen(c.member), text_n = c.text_n > 0 ? c.text_n : strlen(c.text);
	struct facts *f;
	bool good;

	at[4] = RECORD_CALL;
	at[5] = (uint8_t)c.standing;
	at[6] = (uint8_t)c.flags;
	store_u64le(at + 7, c.offset);
	store_u16le(at + n, (uint16_t)member_n);
	memcpy(at + n + 2, c.member, member_n);
	n += 2 + member_n;
	store_u16le(at + n, (uint16_t)c.callee_n);
	store_u16le(at + n + 2, (uint16_t)text_n);
	memcpy(at + n + 4, c.text, strlen(c.text));
	n += 4 + text_n;
	store_u32le(at, (uint32_t)n - 5);
	for (unsigned i = 0; i < times; i++)
		mem_write(&m, at, n);
	f = end(&m, r, true);
	good = f->final.cause == WLK_CAUSE_NONE;
	ck_assert_uint_eq(f->n_calls, good ? times : 0);
	facts_free(f);
	return good;
}

#define CHECK(good, ...)                           \
	do {                                       \
		struct fields c_ = SOUND;          \
		__VA_ARGS__;                       \
		ck_assert(sound(c_, 1) == (good)); \
	} while (0)

START_TEST(test_calls_are_decoded_as_if_a_stranger_wrote_them)
{
	CHECK(true, (void)0);
	CHECK(true, c_.standing = N_CALL_STANDINGS - 1);
	CHECK(false, c_.standing = N_CALL_STANDINGS);
	CHECK(true, c_.flags = 3);
	CHECK(false, c_.flags = 4);
	CHECK(true, c_.offset = SIZE);
	CHECK(false, c_.offset = SIZE + 1);
	CHECK(true, c_.flags = 2, c_.offset = SIZE + 1); /* in what the member decodes to */
	CHECK(false, c_.flags = 2, c_.member = "");
	CHECK(false, c_.flags = 2, c_.offset = OFFSET_DECODED);
	CHECK(true, c_.callee_n = 3);
	CHECK(false, c_.callee_n = 4);
	CHECK(true, c_.text_n = CALL_TEXT_MAX);
	CHECK(false, c_.text_n = CALL_TEXT_MAX + 1);
}
END_TEST

START_TEST(test_no_more_calls_are_taken_than_a_report_may_have)
{
	ck_assert(sound((struct fields)SOUND, REPORT_CALLS_MAX));
	ck_assert(!sound((struct fields)SOUND, REPORT_CALLS_MAX + 1));
}
END_TEST

/* ---- views ---- */

#define VIEW(...) ((struct view_record){ __VA_ARGS__ })
#define RANGE(n, pieces, ...) VIEW(.kind = VIEW_RANGE, .length = (n), .number = (pieces), __VA_ARGS__)

/* Is a report with this view believed, so many times?  What the encoder would not send is sent all the same. */
static bool view_is_sound(struct view_record v, unsigned times, bool wanted)
{
	const struct facts_expect expect = { .size = SIZE };
	struct mem_report m = { 0 };
	struct report *r = report_begin(&m);
	struct facts *f = facts_new();
	bool good;

	r->wants_views = true;
	for (unsigned i = 0; i < times; i++) {
		r->n_views[v.kind % N_VIEW_KINDS] = 0;
		(void)report_view(r, &v);
	}
	(void)report_end(r, &(struct report_final){ .size = SIZE });
	if (wanted)
		facts_want_views(f);
	(void)facts_feed(f, m.at, m.n);
	facts_finish(f, WLK_CAUSE_NONE, &expect);
	good = f->final.cause == WLK_CAUSE_NONE;
	ck_assert_uint_eq(f->n_views, good ? times : 0);
	facts_free(f);
	free(m.at);
	free(r);
	return good;
}

static bool sound_view(struct view_record v)
{
	return view_is_sound(v, 1, true);
}

START_TEST(test_views_are_decoded_as_if_a_stranger_wrote_them)
{
	struct bytes m = bytes_of_text("m"), text = bytes_of_text("text");

	ck_assert(sound_view(RANGE(SIZE, SIZE, .a = VIEW_N_RANGE_KINDS - 1, .b = WLK_N_DTYPES - 1)));
	ck_assert(!sound_view(RANGE(1, 1, .a = VIEW_N_RANGE_KINDS)));
	ck_assert(!sound_view(RANGE(1, 1, .b = WLK_N_DTYPES)));
	ck_assert(!sound_view(RANGE(1, 1, .text = text)));
	ck_assert(!sound_view(RANGE(1, 1, .member = m)));
	ck_assert(!sound_view(RANGE(1, 1, .offset = 1)));
	ck_assert(!sound_view(RANGE(SIZE + 1, 1, .a = 0)));
	ck_assert(!sound_view(RANGE(UINT64_MAX, 1, .a = 0)));
	ck_assert(!sound_view(RANGE(1, 0, .a = 0)));
	ck_assert(!sound_view(RANGE(1, 2, .a = 0)));
	ck_assert(!view_is_sound(RANGE(1, 1, .a = 0), 2, true)); /* the second does not begin where the first ends */
	ck_assert(
	    sound_view(VIEW(.kind = VIEW_MEMBER, .a = WLK_N_FORMATS - 1, .b = 1, .member = m, .number = UINT64_MAX)));
	ck_assert(!sound_view(VIEW(.kind = VIEW_MEMBER, .a = WLK_N_FORMATS - 1)));
	ck_assert(!sound_view(VIEW(.kind = VIEW_MEMBER, .b = 2, .member = m)));
	ck_assert(sound_view(VIEW(.kind = VIEW_BYTES, .offset = SIZE, .text = text)));
	ck_assert(!sound_view(VIEW(.kind = VIEW_BYTES, .offset = SIZE + 1, .text = text)));
	ck_assert(
	    sound_view(VIEW(.kind = VIEW_BYTES, .offset = OFFSET_DECODED | (SIZE + 1), .member = m, .text = text)));
	ck_assert(!sound_view(VIEW(.kind = VIEW_BYTES, .offset = OFFSET_DECODED, .text = text)));
	ck_assert(!sound_view(VIEW(.kind = VIEW_BYTES, .a = 1, .text = text)));
	ck_assert(sound_view(VIEW(.kind = VIEW_OPCODE, .a = 1, .text = text)));
	ck_assert(!sound_view(VIEW(.kind = VIEW_OPCODE, .a = 2, .text = text)));
}
END_TEST

START_TEST(test_views_are_bounded_and_only_for_who_asked)
{
	const struct view_record v = VIEW(.kind = VIEW_BYTES, .text = bytes_of_text("x"));

	ck_assert(!view_is_sound(v, 1, false));
	ck_assert(view_is_sound(v, report_views_max[VIEW_BYTES], true));
	ck_assert(!view_is_sound(v, report_views_max[VIEW_BYTES] + 1, true));
}
END_TEST

START_TEST(test_places_are_noted_of_what_weighs_and_only_for_views)
{
	struct mem_report m = { 0 };
	struct report *r = report_begin(&m);
	const struct finding remark = { .code = WLK_F_PICKLE_GLOBAL_ALLOWED, .has_offset = true, .offset = 9 },
			     grave = { .code = WLK_F_WEIGHTS_NAN, .has_offset = true, .offset = 9 };

	report_finding(r, &grave);
	r->wants_views = true;
	report_finding(r, &remark);
	ck_assert_uint_eq(r->n_places, 0);
	for (unsigned i = 0; i < REPORT_PLACES_MAX + 1; i++)
		report_finding(r, &grave);
	ck_assert_uint_eq(r->n_places, REPORT_PLACES_MAX);
	free(m.at);
	free(r);
}
END_TEST

HARNESS("report_calls", test_calls_arrive_in_their_order, test_calls_that_nobody_asked_for_are_not_sent_and_not_taken,
    test_each_standing_has_its_bound_and_the_rest_is_counted, test_calls_are_decoded_as_if_a_stranger_wrote_them,
    test_no_more_calls_are_taken_than_a_report_may_have, test_views_are_decoded_as_if_a_stranger_wrote_them,
    test_views_are_bounded_and_only_for_who_asked, test_places_are_noted_of_what_weighs_and_only_for_views)
