/* fleet/ruling.c: what is a row, and what is only an attempt. */
#include "ruling.h"
#include "harness.h"

#include <stdio.h>
#include <string.h>

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static const struct fleet_job job = { .id = "j", .sha256 = A64, .size = 7, .name = "a" };

struct parts {
	const char *verdict, *sha256, *scan, *more;
	int size;
};

/* As the daemon writes it; what a test does not name is as it should be. */
static struct ruling of(struct parts p)
{
	char text[2048];
	struct ruling r;
	int n = snprintf(text, sizeof(text),
	    "{\"schema\":\"weighlock.verdict/"
	    "1\",\"verdict\":\"%s\",\"complete\":true,\"file\":{\"name\":\"a\",\"size\":%d,"
	    "\"sha256\":\"%s\"},\"policy\":{\"name\":\"default\",\"sha256\":\"" B64 "\"},\"findings\":[]%s,\"scan\":{"
	    "\"rules\":\"" B64 "\",\"rules_version\":7,\"reader\":{\"format\":\"gguf\",\"revision\":2}%s}}",
	    p.verdict != NULL ? p.verdict : "accept", p.size > 0 ? p.size : 7, p.sha256 != NULL ? p.sha256 : A64,
	    p.more != NULL ? p.more : "", p.scan != NULL ? p.scan : ",\"digest_by\":\"front\"");

	ruling_of(text, (size_t)n, &job, &r);
	return r;
}

#define ends(want, ...) ck_assert_int_eq(of((struct parts){ __VA_ARGS__ }).end, want)

START_TEST(test_a_row)
{
	struct ruling r = of((struct parts){ 0 });

	ck_assert_int_eq(r.end, END_JUDGED);
	ck_assert_str_eq(r.verdict, "accept");
	ck_assert_str_eq(r.reader, "gguf/2");
	ck_assert_str_eq(r.rules, B64);
	ck_assert_int_eq(r.rules_version, 7);
	ck_assert(r.complete);
	ends(END_JUDGED, .verdict = "reject");
	ends(END_JUDGED, .verdict = "review");
}
END_TEST

START_TEST(test_what_was_not_hashed_by_us_is_no_row)
{
	ends(END_NEVER, .scan = ",\"digest_by\":\"caller\"");
	ends(END_NEVER, .scan = "");
}
END_TEST

START_TEST(test_other_bytes)
{
	ends(END_OTHER_BYTES, .sha256 = B64);
	ends(END_OTHER_BYTES, .size = 8);
	ends(END_OTHER_BYTES, .verdict = "error", .scan = ",\"error\":\"digest-mismatch\",\"retry\":\"never\"");
}
END_TEST

START_TEST(test_errors_are_attempts)
{
	struct ruling r =
	    of((struct parts){ .verdict = "error", .scan = ",\"error\":\"worker-timeout\",\"retry\":\"later\"" });

	ck_assert_int_eq(r.end, END_LATER);
	ck_assert_str_eq(r.cause, "worker-timeout");
	ends(END_NEVER, .verdict = "error", .scan = ",\"error\":\"limit-memory\",\"retry\":\"never\"");
	ends(END_FAULT, .verdict = "error", .scan = ",\"error\":\"worker-crashed\",\"retry\":\"later\"");
	/* what a worker said before it died does not depend on the file alone */
	ends(END_FAULT, .verdict = "reject", .scan = ",\"error\":\"worker-crashed\",\"retry\":\"later\"");
	ends(END_NEVER, .verdict = "wonderful");
}
END_TEST

START_TEST(test_what_is_no_verdict)
{
	struct ruling r;

	ruling_of("{", 1, &job, &r);
	ck_assert_int_eq(r.end, END_LATER);
	ruling_of("{}", 2, &job, &r);
	ck_assert_int_eq(r.end, END_NEVER);
	ruling_of("", 0, &job, &r);
	ck_assert_int_eq(r.end, END_LATER);
}
END_TEST

START_TEST(test_facts_do_not_depend_on_when_and_where)
{
	const struct ruling one =
	    of((struct parts){ .scan = ",\"digest_by\":\"front\",\"time\":\"1\",\"layers\":[\"a\"]" });
	const struct ruling two =
	    of((struct parts){ .scan = ",\"digest_by\":\"digester\",\"time\":\"2\",\"layers\":[]" });
	const struct ruling other = of((struct parts){ .more = ",\"format\":\"gguf\"" });

	ck_assert_str_eq(one.facts_sha256, two.facts_sha256);
	ck_assert_str_ne(one.facts_sha256, other.facts_sha256);
}
END_TEST

HARNESS("fleet_ruling", test_a_row, test_what_was_not_hashed_by_us_is_no_row, test_other_bytes,
    test_errors_are_attempts, test_what_is_no_verdict, test_facts_do_not_depend_on_when_and_where)
