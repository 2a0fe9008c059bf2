/* clamd's protocol as bytes: commands, chunks, answers. */
#include <string.h>

#include "clamd_protocol.h"
#include "harness.h"

static struct clamd_command cmd;
static size_t used;

static bool parse(const char *at, size_t n, bool ended)
{
	return clamd_parse((const uint8_t *)at, n, ended, &cmd, &used);
}

/* A literal with its NUL taken off. */
#define PARSE(text) parse(text, sizeof(text) - 1, false)

static void assert_is(enum clamd_verb verb, char term, size_t n)
{
	ck_assert_int_eq(cmd.verb, verb);
	ck_assert_int_eq(cmd.term, term);
	ck_assert_uint_eq(used, n);
}

START_TEST(test_each_end_is_understood_and_kept_for_the_answer)
{
	ck_assert(PARSE("zPING\0rest"));
	assert_is(CLAMD_PING, '\0', 6);
	ck_assert(cmd.prefixed);
	ck_assert(PARSE("nPING\nrest"));
	assert_is(CLAMD_PING, '\n', 6);
	ck_assert(cmd.prefixed);
	ck_assert(PARSE("PING\nrest"));
	assert_is(CLAMD_PING, '\n', 5);
	ck_assert(!cmd.prefixed);
	ck_assert(PARSE("nPING\r\n"));
	assert_is(CLAMD_PING, '\n', 7);
}
END_TEST

START_TEST(test_a_command_is_waited_for_until_its_end)
{
	ck_assert(!PARSE(""));
	ck_assert(!PARSE("z"));
	ck_assert(!PARSE("zPING"));
	ck_assert(!PARSE("zPING\n"));
	ck_assert(!PARSE("nPING"));
	ck_assert(!PARSE("PIN"));
	ck_assert(!PARSE("SCAN /a"));
}
END_TEST

START_TEST(test_a_bare_word_alone_is_a_command)
{
	ck_assert(PARSE("PING"));
	assert_is(CLAMD_PING, '\n', 4);
	ck_assert(PARSE("INSTREAM"));
	assert_is(CLAMD_INSTREAM, '\n', 8);
}
END_TEST

START_TEST(test_the_end_of_the_input_ends_bare_commands_only)
{
	ck_assert(parse("SCAN /a", 7, true));
	assert_is(CLAMD_SCAN, '\n', 7);
	ck_assert(parse("zPING", 5, true));
	assert_is(CLAMD_UNKNOWN, '\0', 5);
	ck_assert(!parse("", 0, true));
}
END_TEST

START_TEST(test_paths_are_all_that_follows_the_space)
{
	ck_assert(PARSE("zCONTSCAN /a b\nc: OK\0"));
	assert_is(CLAMD_CONTSCAN, '\0', 21);
	ck_assert(bytes_equal(cmd.path, bytes_of_text("/a b\nc: OK")));
}
END_TEST

START_TEST(test_what_is_not_quite_a_command_is_unknown)
{
	static const char *const bad[] = { "\n", "n\n", "ping\n", "nPINGS\n", "nPING \n", "nPING x\n", "nSCAN\n",
		"nSCAN \n", "nINSTREAM 5\n", "STREAM\n", "nQUIT\n", "nnPING\n", "xPING\n", "n PING\n" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_msg(parse(bad[i], strlen(bad[i]), false), "%s", bad[i]);
		ck_assert_msg(cmd.verb == CLAMD_UNKNOWN && used == strlen(bad[i]), "%s", bad[i]);
	}
}
END_TEST

START_TEST(test_the_longest_command_fits_and_one_byte_more_does_not)
{
	char line[CLAMD_LINE_MAX + 1];

	memset(line, 'a', sizeof(line));
	memcpy(line, "nSCAN ", 6);
	ck_assert(!parse(line, CLAMD_LINE_MAX - 1, false));
	line[CLAMD_LINE_MAX - 1] = '\n';
	ck_assert(parse(line, CLAMD_LINE_MAX, false));
	assert_is(CLAMD_SCAN, '\n', CLAMD_LINE_MAX);
	line[CLAMD_LINE_MAX - 1] = 'a';
	ck_assert(parse(line, CLAMD_LINE_MAX, false));
	assert_is(CLAMD_UNKNOWN, '\n', CLAMD_LINE_MAX);
}
END_TEST

/* ---- chunks ---- */

static struct clamd_chunks chunks;
static struct bytes payload;

static enum clamd_chunk_event next(const char *at, size_t n)
{
	return clamd_chunks_next(&chunks, (const uint8_t *)at, n, &used, &payload);
}

START_TEST(test_a_chunk_is_its_length_and_its_bytes)
{
	chunks = (struct clamd_chunks){ 0 };
	ck_assert_int_eq(next("\0\0\0\3abc\0", 8), CLAMD_CHUNK_HEAD);
	ck_assert_uint_eq(used, 4);
	ck_assert_uint_eq(chunks.total, 3);
	ck_assert_int_eq(next("abc\0", 4), CLAMD_CHUNK_DATA);
	ck_assert(bytes_equal(payload, bytes_of_text("abc")));
	ck_assert_uint_eq(used, 3);
	ck_assert_int_eq(next("\0", 1), CLAMD_CHUNK_MORE);
	ck_assert_int_eq(next("\0\0\0zEND", 7), CLAMD_CHUNK_END);
	ck_assert_uint_eq(used, 3);
	ck_assert_uint_eq(chunks.total, 3);
}
END_TEST

START_TEST(test_lengths_come_with_the_highest_byte_first)
{
	chunks = (struct clamd_chunks){ 0 };
	ck_assert_int_eq(next("\x01\x02\x03\x04", 4), CLAMD_CHUNK_HEAD);
	ck_assert_uint_eq(chunks.left, 0x01020304);
	chunks = (struct clamd_chunks){ 0 };
	ck_assert_int_eq(next("\xff\xff\xff\xff", 4), CLAMD_CHUNK_HEAD);
	ck_assert_uint_eq(chunks.total, UINT32_MAX);
}
END_TEST

START_TEST(test_no_more_is_wanted_than_belongs_to_the_stream)
{
	chunks = (struct clamd_chunks){ 0 };
	ck_assert_uint_eq(clamd_chunks_want(&chunks), 4);
	next("\0\0", 2);
	ck_assert_uint_eq(clamd_chunks_want(&chunks), 2);
	next("\0\5", 2);
	ck_assert_uint_eq(clamd_chunks_want(&chunks), 5 + 4);
	next("ab", 2);
	ck_assert_uint_eq(clamd_chunks_want(&chunks), 3 + 4);
	next("cde", 3);
	ck_assert_uint_eq(clamd_chunks_want(&chunks), 4);
}
END_TEST

/* ---- answers ---- */

static char buf[CLAMD_REPLY_MAX];

static void assert_says(const struct clamd_reply *r, const char *wanted, size_t n)
{
	ck_assert_uint_eq(clamd_reply(r, buf), n);
	ck_assert_msg(memcmp(buf, wanted, n) == 0, "%.*s", (int)n, buf);
}

#define SAYS(wanted, ...) assert_says(&(struct clamd_reply){ __VA_ARGS__ }, wanted, sizeof(wanted) - 1)

START_TEST(test_answers_have_the_form_of_clamd)
{
	SAYS("PONG\n", .text = "PONG", .term = '\n');
	SAYS("3: PONG\0", .id = 3, .text = "PONG", .term = '\0');
	SAYS("stream: OK\0", .name = bytes_of_text("stream"), .text = "", .status = "OK", .term = '\0');
	SAYS("7: fd[4]: A.B FOUND\n", .id = 7, .name = bytes_of_text("fd[4]"), .text = "A.B", .status = "FOUND",
	    .term = '\n');
}
END_TEST

START_TEST(test_a_name_cannot_end_an_answer_or_begin_another)
{
	SAYS("/a?stream: OK?: no ERROR\n", .name = bytes_of("/a\nstream: OK\0", 14), .text = "no", .status = "ERROR",
	    .term = '\n');
}
END_TEST

START_TEST(test_the_longest_answer_fits_and_keeps_its_status)
{
	char name[CLAMD_LINE_MAX + 10], text[1000];
	size_t n;

	memset(name, 'n', sizeof(name));
	memset(text, 't', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	n = clamd_reply(
	    &(struct clamd_reply){
		.id = UINT32_MAX, .name = bytes_of(name, sizeof(name)), .text = text, .status = "ERROR" },
	    buf);
	ck_assert_uint_le(n, CLAMD_REPLY_MAX);
	ck_assert(memcmp(buf + n - 7, " ERROR", 7) == 0);
}
END_TEST

START_TEST(test_signatures_are_words_with_capitals)
{
	char text[CLAMD_SIGNATURE_MAX], code[1000];

	ck_assert_str_eq(
	    clamd_signature("malicious", "pickle-dangerous-global", text), "Weighlock.Malicious.PickleDangerousGlobal");
	ck_assert_str_eq(clamd_signature("code", "hdf5-v2.x", text), "Weighlock.Code.Hdf5V2X");
	memset(code, 'c', sizeof(code));
	code[sizeof(code) - 1] = '\0';
	ck_assert_uint_lt(strlen(clamd_signature(code, code, text)), CLAMD_SIGNATURE_MAX);
}
END_TEST

START_TEST(test_only_what_is_done_is_offered)
{
	ck_assert_str_eq(
	    clamd_offered(), "COMMANDS: PING VERSION VERSIONCOMMANDS FILDES INSTREAM IDSESSION END STATS RELOAD");
}
END_TEST

HARNESS("clamd", test_each_end_is_understood_and_kept_for_the_answer, test_a_command_is_waited_for_until_its_end,
    test_a_bare_word_alone_is_a_command, test_the_end_of_the_input_ends_bare_commands_only,
    test_paths_are_all_that_follows_the_space, test_what_is_not_quite_a_command_is_unknown,
    test_the_longest_command_fits_and_one_byte_more_does_not, test_a_chunk_is_its_length_and_its_bytes,
    test_lengths_come_with_the_highest_byte_first, test_no_more_is_wanted_than_belongs_to_the_stream,
    test_answers_have_the_form_of_clamd, test_a_name_cannot_end_an_answer_or_begin_another,
    test_the_longest_answer_fits_and_keeps_its_status, test_signatures_are_words_with_capitals,
    test_only_what_is_done_is_offered)
