/* The members of an answer: strict JSON, once each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "members.h"

static struct wlc_members m;

static bool reads(const char *text)
{
	return wlc_members_read(text, strlen(text), &m);
}

START_TEST(test_what_decides_is_found)
{
	ck_assert(reads("{\"schema\":\"weighlock.verdict/1\", \"verdict\" : \"accept\",\n\"complete\":true,"
			"\"facts\":{\"verdict\":\"reject\",\"a\":[1,{\"complete\":false}]},"
			"\"file\":{\"name\":\"m\",\"size\":12,\"sha256\":\"ab\"},\"scan\":{\"retry\":\"later\","
			"\"error\":\"cancelled\"}}\n"));
	ck_assert(wlc_text_is(m.verdict, "accept") && wlc_text_is(m.schema, "weighlock.verdict/1") && m.complete);
	ck_assert(m.has_size && m.file_size == 12 && wlc_text_is(m.file_sha256, "ab"));
	ck_assert(wlc_text_is(m.scan_retry, "later") && wlc_text_is(m.scan_error, "cancelled"));
}
END_TEST

START_TEST(test_sizes_are_numbers_or_strings_of_digits)
{
	ck_assert(reads("{\"file\":{\"size\":\"18446744073709551615\"}}") && m.file_size == UINT64_MAX);
	ck_assert(reads("{\"file\":{\"size\":0}}") && m.has_size && m.file_size == 0);
	ck_assert(reads("{\"file\":{\"size\":null,\"sha256\":null}}") && !m.has_size && m.file_sha256.at == NULL);
	ck_assert(!reads("{\"file\":{\"size\":\"18446744073709551616\"}}"));
	ck_assert(!reads("{\"file\":{\"size\":1e3}}"));
	ck_assert(!reads("{\"file\":{\"size\":-1}}"));
	ck_assert(!reads("{\"file\":{\"size\":\"012\"}}"));
	ck_assert(!reads("{\"file\":{\"size\":true}}"));
}
END_TEST

START_TEST(test_no_member_that_decides_comes_twice_or_in_disguise)
{
	static const char *const texts[] = { "{\"verdict\":\"reject\",\"verdict\":\"accept\"}",
		"{\"file\":{\"size\":1},\"file\":{\"sha256\":\"x\"}}", "{\"scan\":{\"error\":\"x\",\"error\":null}}",
		"{\"verdict\":\"accept\",\"verd\\u0069ct\":\"reject\"}", "{\"complete\":false,\"complete\":true}",
		"{\"file\":{\"s\\u0069ze\":1}}" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		ck_assert_msg(!reads(texts[i]), "%s", texts[i]);
	ck_assert(reads("{\"x\":1,\"x\":2,\"facts\":{\"a\\n\":1}}")); /* nobody's business */
}
END_TEST

START_TEST(test_members_of_a_wrong_kind_are_refused)
{
	static const char *const texts[] = { "{\"verdict\":1}", "{\"verdict\":[\"accept\"]}", "{\"verdict\":{}}",
		"{\"complete\":\"true\"}", "{\"complete\":1}", "{\"complete\":null}", "{\"file\":[]}",
		"{\"file\":\"x\"}", "{\"file\":1}", "{\"file\":null}", "{\"scan\":true}", "{\"file\":{\"size\":{}}}" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		ck_assert_msg(!reads(texts[i]), "%s", texts[i]);
}
END_TEST

START_TEST(test_what_is_not_json_is_refused)
{
	static const char *const texts[] = { "", " ", "accept", "\"accept\"", "[]", "1", "{", "{}x", "{}{}", "{,}",
		"{\"a\":1,}", "{\"a\"}", "{\"a\":}", "{\"a\":1 \"b\":2}", "{\"a\":01}", "{\"a\":1.}", "{\"a\":1e}",
		"{\"a\":+1}", "{\"a\":.5}", "{\"a\":nul}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12G4\"}", "{\"a\":\"x}",
		"{\"a\":\"\n\"}", "{\"a\":[1}}", "{\"a\":{1]}", "{\"a\":[1,]}", "{\"a\":[,1]}", "{'a':1}",
		"{\"a\":1}//", "{\"a\":NaN}", "{\"a\":\"\\" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		ck_assert_msg(!reads(texts[i]), "%s", texts[i]);
	ck_assert(reads("{\"a\":[-0.5e+10,1E5,0,true,false,null,\"\\u00e9\\\\\\\"\",[],{}]}"));
}
END_TEST

/* {"a":[[[...]]]} of @depth brackets in all */
static bool reads_depth(unsigned depth)
{
	char text[512] = "{\"a\":";
	size_t n = strlen(text);

	memset(text + n, '[', depth - 1);
	memset(text + n + depth - 1, ']', depth - 1);
	strcpy(text + n + 2 * (depth - 1), "}");
	return reads(text);
}

/* {"a":{"a":...{}}} of @depth brackets in all */
static bool reads_objects(unsigned depth)
{
	char text[1024] = "";

	for (unsigned i = 1; i < depth; i++)
		strcat(text, "{\"a\":");
	strcat(text, "{}");
	for (unsigned i = 1; i < depth; i++)
		strcat(text, "}");
	return reads(text);
}

START_TEST(test_depth_has_a_limit)
{
	ck_assert(reads_objects(WLC_DEPTH_MAX));
	ck_assert(!reads_objects(WLC_DEPTH_MAX + 1));
	ck_assert(reads_depth(WLC_DEPTH_MAX));
	ck_assert(!reads_depth(WLC_DEPTH_MAX + 1));
}
END_TEST

START_TEST(test_every_beginning_of_a_document_is_refused)
{
	static const char text[] = "{\"verdict\":\"accept\",\"a\":[1,2.5,{\"b\":null}],\"file\":{\"size\":12}}";

	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		char *cut = malloc(n > 0 ? n : 1); /* exactly so long, for the sanitizer */

		memcpy(cut, text, n);
		ck_assert(!wlc_members_read(cut, n, &m));
		free(cut);
	}
	ck_assert(reads(text));
}
END_TEST

START_TEST(test_members_of_a_set_are_counted)
{
	ck_assert(reads("{\"members\":[]}") && m.n_members == 0);
	ck_assert(reads("{\"members\":[1]}") && m.n_members == 1);
	ck_assert(reads("{\"members\":[{\"a\":[1,2,3]},[4,[5,6]], null ],\"x\":[7,8],\"y\":{\"members\":[9]}}") &&
		  m.n_members == 3);
	ck_assert(!reads("{\"members\":{}}") && !reads("{\"members\":2}") && !reads("{\"members\":[],\"members\":[]}"));
}
END_TEST

static bool shows(const char *text, const char *bytes)
{
	return wlc_text_shows((struct wlc_text){ .at = text, .n = strlen(text) }, bytes);
}

START_TEST(test_a_text_shows_the_bytes_that_it_is_the_escaping_of)
{
	ck_assert(shows("a b", "a b") && shows("", "") && shows("q\\\"\\/", "q\"/"));
	ck_assert(shows("a\\\\\\\\b", "a\\b") && shows("\\\\xC3\\\\xA9", "\xC3\xA9") && shows("\xC3\xA9", "\xC3\xA9"));
	ck_assert(shows("\\\\\\\\xC3", "\\xC3")); /* and not the byte */
	ck_assert(!shows("\\\\\\\\xC3", "\xC3") && !shows("\\\\xC3", "\\xC3") && !shows("\\\\xc3", "\xC3"));
	ck_assert(!shows("a", "b") && !shows("a", "ab") && !shows("ab", "a"));
	ck_assert(!shows("a\\\\", "a\\") && !shows("\\\\x4", "\x04") && !shows("\\n", "\n") && !shows("\\u0041", "A"));
	ck_assert(!wlc_text_shows((struct wlc_text){ 0 }, ""));
}
END_TEST

HARNESS("client members", test_members_of_a_set_are_counted, test_a_text_shows_the_bytes_that_it_is_the_escaping_of,
    test_what_decides_is_found, test_sizes_are_numbers_or_strings_of_digits,
    test_no_member_that_decides_comes_twice_or_in_disguise, test_members_of_a_wrong_kind_are_refused,
    test_what_is_not_json_is_refused, test_depth_has_a_limit, test_every_beginning_of_a_document_is_refused)
