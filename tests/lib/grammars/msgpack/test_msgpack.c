/* The MessagePack walker, against bytes written by hand: each input goes through it whole and in pieces of every size from
 * one byte up, and what it tells must be the same. */
#include "harness.h"
#include "msgpack_log.h"

static char text[65536];

static struct msgpack_log new_log(void)
{
	return (struct msgpack_log){ .text = text, .room = sizeof(text), .offsets = true, .enter = 1 };
}

static void check(const char *bytes, size_t n, bool want, const char *told)
{
	for (size_t piece = 1; piece <= n + 1; piece++) {
		struct msgpack_log log = new_log();
		bool ok = msgpack_log_walk(&log, (const uint8_t *)bytes, n, piece);

		ck_assert_msg(ok == want && strcmp(text, told) == 0, "pieces of %zu: %d, %s\nwant %d, %s", piece, ok,
		    text, want, told);
	}
}
/* Bytes as a string literal, which may hold zeros. */
#define READS(bytes, told) check(bytes, sizeof(bytes) - 1, true, told)
#define REFUSES(bytes, told) check(bytes, sizeof(bytes) - 1, false, told)

START_TEST(test_scalars)
{
	READS("\xc0", "nil=0@0 ");
	READS("\xc2", "bool=0@0 ");
	READS("\xc3", "bool=1@0 ");
	READS("\x00", "int=0@0 ");
	READS("\x7f", "int=127@0 ");
	READS("\xff", "int=-1@0 ");
	READS("\xe0", "int=-32@0 ");
	READS("\xcc\xff", "int=255@0 ");
	READS("\xcf\xff\xff\xff\xff\xff\xff\xff\xff", "int=18446744073709551615@0 ");
	READS("\xd3\x80\x00\x00\x00\x00\x00\x00\x00", "int=-9223372036854775808@0 ");
	READS("\xca\x3f\x80\x00\x00", "f32=1065353216@0 ");
	READS("\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00", "f64=4607182418800017408@0 ");
}
END_TEST

START_TEST(test_containers_close_where_they_end)
{
	READS("\x90", "[0@0 /0@1 ");
	READS("\x80", "{0@0 /0@1 ");
	READS("\x92\xc0\x91\xc0", "[2@0 nil=0@1 [1@2 nil=0@3 /1@4 /0@4 ");
	READS("\x82\xa1g\x01\xa1h\x80", "{2@0 key:str+1@1 67.@0 int=1@3 key:str+1@4 68.@0 {0@6 /1@7 /0@7 ");
	READS("\x81\x90\xc0", "{1@0 key:[0@1 /1@2 nil=0@2 /0@3 ");
}
END_TEST

START_TEST(test_payloads_come_in_pieces)
{
	READS("\xa0", "str+0@0 .@0 ");
	READS("\xa3gij", "str+3@0 67696a.@0 ");
	READS("\xc4\x02gi", "bin+2@0 6769.@0 ");
	READS("\x92\xc4\x00\xc0", "[2@0 bin+0@1 .@0 nil=0@3 /0@4 ");
}
END_TEST

START_TEST(test_extensions_are_skipped_or_entered)
{
	READS("\xd4\x05g", "ext5+1@0 ");
	READS("\xc7\x00\xfe", "ext-2+0@0 ");
	READS("\xd4\x01\xc0", "ext1+1@0 nil=0@2 /0@3 ");
	READS("\x92\xc7\x03\x01\x92\xc0\xc0\xc3", "[2@0 ext1+3@1 [2@4 nil=0@5 nil=0@6 /2@7 /1@7 bool=1@7 /0@8 ");
}
END_TEST

START_TEST(test_what_is_broken_outside_ends_the_walk)
{
	REFUSES("", "!0:1@0 ");
	REFUSES("\x91", "!1:1@0 ");
	REFUSES("\x92\xc0", "!1:2@0 ");
	REFUSES("\x81\xa1g", "{1@0 key:str+1@1 67.@0 !0:1@3 ");
	REFUSES("\xc1", "!2:193@0 ");
	REFUSES("\xa3gi", "!0:3@0 ");
	REFUSES("\xcd\x01", "!0:2@0 ");
	REFUSES("\xd4\x01", "!0:1@0 ");
	REFUSES("\xc0\xc0", "nil=0@0 !4:1@1 ");
	REFUSES("\x90\x00\x00", "[0@0 /0@1 !4:2@1 ");
	REFUSES("\xdf\xff\xff\xff\xff\xc0", "!1:4294967295@0 ");
}
END_TEST

/* Where an extension ends is known whatever it holds. */
START_TEST(test_what_is_broken_inside_ends_with_the_extension)
{
	READS("\xd4\x01\xc1", "ext1+1@0 !2i:193@2 /0@3 ");
	READS("\xc7\x00\x01", "ext1+0@0 !0i:1@3 /0@3 ");
	READS("\x92\xd5\x01\xc0\xc0\xc3", "[2@0 ext1+2@1 nil=0@3 !4i:1@4 /1@5 bool=1@5 /0@6 ");
	READS("\x92\xd5\x01\x92\xc0\xc3", "[2@0 ext1+2@1 !1i:2@3 /1@5 bool=1@5 /0@6 ");
	READS("\x92\xd6\x01\xc6\x00\x00\x00\xc3", "[2@0 ext1+4@1 !0i:4@3 /1@7 bool=1@7 /0@8 ");
	READS("\xd5\x01\x91\xc1", "ext1+2@0 [1@2 !2i:193@3 /0@4 ");
}
END_TEST

START_TEST(test_longer_forms_are_told_and_read)
{
	READS("\xcc\x7f", "!5:204@0 int=127@0 ");
	READS("\xd9\x01g", "!5:217@0 str+1@0 67.@0 ");
	READS("\xc5\x00\x01g", "!5:197@0 bin+1@0 67.@0 ");
	READS("\xc7\x01\x05g", "!5:199@0 ext5+1@0 ");
	READS("\xdc\x00\x00", "!5:220@0 [0@0 /0@3 ");
	READS("\xd1\xff\x7f", "int=-129@0 ");
	READS("\xd1\xff\x80", "!5:209@0 int=-128@0 ");
}
END_TEST

START_TEST(test_the_handler_can_stop)
{
	const uint8_t bytes[] = { 0x93, 0xc0, 0xa1, 'g', 0xc0 };
	struct msgpack_log all = new_log();

	ck_assert(msgpack_log_walk(&all, bytes, sizeof(bytes), 1));
	for (unsigned stop = 1; stop < all.events; stop++) {
		struct msgpack_log log = new_log();

		log.stop_after = stop;
		ck_assert(!msgpack_log_walk(&log, bytes, sizeof(bytes), 1));
		ck_assert_uint_eq(log.events, stop);
	}
}
END_TEST

START_TEST(test_64_levels_and_not_65)
{
	uint8_t bytes[MSGPACK_DEPTH_MAX + 2];
	struct msgpack_log log = new_log();

	memset(bytes, 0x91, sizeof(bytes));
	bytes[MSGPACK_DEPTH_MAX] = bytes[MSGPACK_DEPTH_MAX + 1] = 0xc0;
	ck_assert(msgpack_log_walk(&log, bytes, MSGPACK_DEPTH_MAX + 1, 1));
	bytes[MSGPACK_DEPTH_MAX] = 0x91;
	log = new_log();
	ck_assert(!msgpack_log_walk(&log, bytes, sizeof(bytes), 1));
	ck_assert_ptr_nonnull(strstr(text, "!3:65@64"));
}
END_TEST

/* -- what is skipped is not asked for -- */

static uint64_t want_none(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	(void)ctx;
	(void)at;
	(void)n;
	(void)offset;
	return FEED_END;
}

START_TEST(test_a_payload_nobody_wants_is_leapt_over)
{
	const uint64_t size = UINT64_C(3) << 30;
	const uint8_t head[] = { 0x92, 0xc6, 0xbf, 0xff, 0xff, 0xf9, 0 }; /* all but the last byte */
	const uint8_t nil = 0xc0;
	struct msgpack_log log = new_log();
	const struct msgpack_handler h = { &log, log_scalar, log_open, log_close, log_data, want_none, log_data_end,
		log_error };
	struct msgpack_walker w;

	msgpack_begin(&w, size, &h);
	ck_assert_uint_eq(msgpack_feed(&w, head, sizeof(head), 0), size - 1);
	ck_assert_uint_eq(msgpack_feed(&w, &nil, 1, size - 1), FEED_END);
	ck_assert(msgpack_finish(&w));
	/* A feeder that goes elsewhere is not believed. */
	msgpack_begin(&w, size, &h);
	msgpack_feed(&w, head, sizeof(head), 0);
	ck_assert_uint_eq(msgpack_feed(&w, &nil, 1, size - 2), FEED_END);
	ck_assert(w.broken && !msgpack_finish(&w));
}
END_TEST

START_TEST(test_a_payload_at_the_end_needs_no_leap)
{
	const uint8_t head[] = { 0xc6, 0x40, 0, 0, 0, 0 };
	struct msgpack_log log = new_log();
	const struct msgpack_handler h = { &log, log_scalar, log_open, log_close, log_data, want_none, log_data_end,
		log_error };
	struct msgpack_walker w;

	msgpack_begin(&w, (UINT64_C(1) << 30) + 5, &h);
	ck_assert_uint_eq(msgpack_feed(&w, head, sizeof(head), 0), FEED_END);
	ck_assert(msgpack_finish(&w));
}
END_TEST

HARNESS("msgpack", test_scalars, test_containers_close_where_they_end, test_payloads_come_in_pieces,
    test_extensions_are_skipped_or_entered, test_what_is_broken_outside_ends_the_walk,
    test_what_is_broken_inside_ends_with_the_extension, test_longer_forms_are_told_and_read, test_the_handler_can_stop,
    test_64_levels_and_not_65, test_a_payload_nobody_wants_is_leapt_over, test_a_payload_at_the_end_needs_no_leap)
