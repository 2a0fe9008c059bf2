/* The protobuf walker, against wire bytes written by hand: each input goes through it whole and in pieces of every size
 * from one byte up, and what it tells must be the same. */
#include <stdarg.h>
#include <string.h>

#include "harness.h"
#include "part.h"
#include "protobuf.h"

static const struct pb_message node;
static const struct pb_field node_fields[] = {
	{ .number = 1, .kind = PB_STRING },
	{ .number = 2, .kind = PB_INT64, .repeated = true },
	{ .number = 3, .kind = PB_INT32 },
	{ .number = 4, .kind = PB_BOOL },
	{ .number = 5, .kind = PB_FIXED32, .repeated = true, .in_place = true },
	{ .number = 6, .kind = PB_FIXED64, .repeated = true },
	{ .number = 7, .kind = PB_MESSAGE, .repeated = true, .message = &node },
	{ .number = 8, .kind = PB_BLOB },
	{ .number = 9, .kind = PB_TEXT },
	{ .number = 10, .kind = PB_OPAQUE },
	{ .number = 11, .kind = PB_INT64, .oneof = 1 },
	{ .number = 12, .kind = PB_INT64, .oneof = 1 },
	{ .number = 13, .kind = PB_BYTES },
	{ .number = 14, .kind = PB_UINT32 },
};
static const uint32_t node_reserved[] = { 20, 21, 0 };
static const struct pb_message node = { "node", node_fields, sizeof(node_fields) / sizeof(node_fields[0]),
	node_reserved };

/* -- a log of what is told -- */

struct told {
	char text[4096];
	size_t n;
	unsigned stop_after; /* events; 0: never */
	unsigned events;
};

static bool tell(struct told *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool tell(struct told *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->text + t->n, sizeof(t->text) - t->n, format, args);
	va_end(args);
	ck_assert(n >= 0 && (size_t)n < sizeof(t->text) - t->n);
	t->n += (size_t)n;
	return ++t->events != t->stop_after;
}

static bool on_begin(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t n)
{
	return tell(ctx, "{%u@%llu+%llu ", f->number, (unsigned long long)at->offset, (unsigned long long)n);
}

static bool on_end(void *ctx, const struct pb_place *at, const struct pb_field *f)
{
	return tell(ctx, "}%u@%llu ", f->number, (unsigned long long)at->offset);
}

static bool on_number(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t value)
{
	return tell(ctx, "%u=%llu@%llu ", f->number, (unsigned long long)value, (unsigned long long)at->offset);
}

static bool on_data(void *ctx, const struct pb_place *at, const struct pb_field *f, struct bytes b, uint64_t n)
{
	return tell(ctx, "%u=\"%.*s\"+%llu@%llu ", f->number, (int)b.n, b.n > 0 ? (const char *)b.at : "",
	    (unsigned long long)n, (unsigned long long)at->offset);
}

static bool on_error(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	return tell(
	    ctx, "!%d #%u %llu@%llu ", (int)e, number, (unsigned long long)found, (unsigned long long)at->offset);
}

/* -- feeding, as part_preview() does it -- */

static bool feed_all(struct pb_walker *w, const uint8_t *at, size_t n, size_t piece)
{
	uint64_t next = 0;

	while (next < n) {
		size_t here = n - next < piece ? n - (size_t)next : piece;
		uint64_t wanted = pb_feed(w, at + next, here, next);

		if (wanted == FEED_END)
			break;
		ck_assert_uint_ge(wanted, next + here);
		next = wanted;
	}
	return pb_finish(w);
}

static const char *walk(const void *bytes, size_t n, bool *ret_whole)
{
	static struct told first;
	static struct pb_walker w;

	for (size_t piece = n > 0 ? n : 1; piece > 0; piece--) {
		struct told t = { 0 };
		const struct pb_handler h = { &t, on_begin, on_end, on_number, on_data, on_error };
		bool whole;

		pb_begin(&w, &node, n, &h);
		whole = feed_all(&w, bytes, n, piece);
		if (piece == (n > 0 ? n : 1)) {
			first = t;
			*ret_whole = whole;
		}
		ck_assert_msg(
		    strcmp(first.text, t.text) == 0, "pieces of %zu: %s, whole: %s", piece, t.text, first.text);
		ck_assert(whole == *ret_whole);
	}
	return first.text;
}

#define CHECK_WALK(bytes, is_whole, want)                                      \
	do {                                                                   \
		bool whole_;                                                   \
		const char *got_ = walk(bytes, sizeof(bytes) - 1, &whole_);    \
		ck_assert_msg(strcmp(got_, want) == 0, "got %s", got_);        \
		ck_assert_msg(whole_ == (is_whole), "whole: %d", (int)whole_); \
	} while (0)

START_TEST(test_fields_of_every_kind)
{
	CHECK_WALK("", true, "");
	CHECK_WALK("\x0a\x02hi", true, "1=\"hi\"+2@2 ");
	CHECK_WALK("\x0a\x00", true, "1=\"\"+0@2 ");
	CHECK_WALK("\x10\x96\x01", true, "2=150@1 ");
	CHECK_WALK("\x12\x03\x01\x96\x01", true, "2=1@2 2=150@3 ");
	CHECK_WALK("\x12\x00", true, "");
	CHECK_WALK("\x20\x01", true, "4=1@1 ");
	CHECK_WALK("\x2d\x00\x00\x80\x3f", true, "5=1065353216@1 ");
	CHECK_WALK("\x2a\x08\x00\x00\x80\x3f\x00\x00\x80\x3f", true, "5=\"\"+8@2 ");
	CHECK_WALK("\x31\x01\x00\x00\x00\x00\x00\x00\x00", true, "6=1@1 ");
	CHECK_WALK("\x32\x08\x02\x00\x00\x00\x00\x00\x00\x00", true, "6=2@2 ");
	CHECK_WALK("\x42\x03\xff\xff\xff", true, "8=\"\xff\xff\xff\"+3@2 "); /* a small blob is gathered ... */
	CHECK_WALK("\x42\x10"
		   "0123456789abcdef",
	    true, "8=\"0123456789abcdef\"+16@2 ");
	CHECK_WALK("\x42\x11"
		   "0123456789abcdefg",
	    true, "8=\"\"+17@2 "); /* ... a large one is not */
	CHECK_WALK("\x4a\x03"
		   "a\tb",
	    true, "9=\"a\tb\"+3@2 ");
	CHECK_WALK("\x6a\x02\x01\x02", true, "13=\"\x01\x02\"+2@2 ");
}
END_TEST

START_TEST(test_messages_nest_and_end_together)
{
	CHECK_WALK("\x3a\x00", true, "{7@2+0 }7@2 ");
	CHECK_WALK("\x3a\x04\x3a\x02\x20\x01\x20\x00", true, "{7@2+4 {7@4+2 4=1@5 }7@6 }7@6 4=0@7 ");
	/* Opaque: any fields, and nobody learns of them. */
	CHECK_WALK("\x52\x07\xa2\x06\x02\xff\xff\x08\x01", true, "");
	CHECK_WALK("\x52\x02\x0b\x0c", false, "!2 #1 3@2 ");
}
END_TEST

START_TEST(test_w1_varints)
{
	CHECK_WALK("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", true, "2=18446744073709551615@1 ");
	CHECK_WALK("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", false, "!0 #2 2@0 ");
	CHECK_WALK("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x01", false, "!0 #2 129@0 ");
}
END_TEST

START_TEST(test_w2_shortest_forms)
{
	CHECK_WALK("\x10\x81\x00", true, "!6 #2 0@0 2=1@1 ");
	CHECK_WALK("\x0a\x82\x00hi", true, "!5 #1 0@0 1=\"hi\"+2@3 ");
	CHECK_WALK("\xa0\x00\x01", true, "!5 #0 0@0 4=1@2 ");
}
END_TEST

START_TEST(test_w3_and_w5_tags)
{
	CHECK_WALK("\x00\x01", false, "!1 #0 0@0 ");
	CHECK_WALK("\x0e\x01", false, "!1 #1 14@0 ");
	CHECK_WALK("\x80\x80\x80\x80\x10\x01", false, "!1 #0 4294967296@0 ");
	CHECK_WALK("\xf8\xff\xff\xff\x0f\x01", true, "!8 #536870911 0@0 ");
	CHECK_WALK("\x0b\x0c", false, "!2 #1 3@0 ");
	CHECK_WALK("\x0c", false, "!2 #1 4@0 ");
}
END_TEST

START_TEST(test_w4_wire_types)
{
	CHECK_WALK("\x0d\x01\x00\x00\x00\x20\x01", true, "!7 #1 5@0 4=1@6 ");
	CHECK_WALK("\x22\x01\x01\x20\x01", true, "!7 #4 2@0 4=1@4 "); /* not repeated: may not be packed */
	CHECK_WALK("\x3d\x01\x00\x00\x00", true, "!7 #7 5@0 ");
}
END_TEST

START_TEST(test_w6_lengths_stay_inside)
{
	CHECK_WALK("\x0a\x03hi", false, "!3 #1 3@0 ");
	CHECK_WALK("\x3a\x02\x0a\x01x", false, "{7@2+2 !3 #1 1@2 ");
	CHECK_WALK("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", false, "!3 #1 18446744073709551615@0 ");
	CHECK_WALK("\x20", false, "!3 #4 1@0 ");
	CHECK_WALK("\x20\x80", false, "!3 #4 1@0 ");
	CHECK_WALK("\x2d\x00\x00", false, "!3 #5 4@0 ");
	CHECK_WALK("\x3a\x01\x20\x01", false, "{7@2+1 !3 #4 1@2 ");
	CHECK_WALK("\x12\x01\x80\x01", false, "!3 #2 1@0 ");
	CHECK_WALK("\x2a\x03\x00\x00\x00", true, "!15 #5 3@0 ");
}
END_TEST

START_TEST(test_w7_to_w10_fields)
{
	CHECK_WALK("\x80\x02\x01\x20\x01", true, "!8 #32 0@0 4=1@4 ");
	CHECK_WALK("\x82\x02\x03"
		   "abc",
	    true, "!8 #32 3@0 ");
	CHECK_WALK("\xa2\x01\x03"
		   "abc",
	    true, "!9 #20 0@0 ");
	CHECK_WALK("\x20\x01\x20\x00", true, "4=1@1 !10 #4 0@2 4=0@3 ");
	CHECK_WALK("\x58\x01\x60\x02", true, "11=1@1 !11 #12 0@2 12=2@3 ");
	CHECK_WALK("\x10\x01\x10\x02", true, "2=1@1 2=2@3 ");
	CHECK_WALK("\x3a\x02\x20\x01\x3a\x02\x20\x01", true, "{7@2+2 4=1@3 }7@4 {7@6+2 4=1@7 }7@8 ");
}
END_TEST

START_TEST(test_w11_text)
{
	CHECK_WALK("\x0a\x02\xc3\xa9", true, "1=\"\xc3\xa9\"+2@2 ");
	CHECK_WALK("\x0a\x01\xc3\x20\x01", true, "!12 #1 1@0 1=\"\xc3\"+1@2 4=1@4 ");
	CHECK_WALK("\x0a\x03\xed\xa0\x80", true, "!12 #1 3@0 1=\"\xed\xa0\x80\"+3@2 ");
	CHECK_WALK("\x0a\x02"
		   "a\n",
	    true, "!13 #1 2@0 1=\"a\n\"+2@2 ");
	CHECK_WALK("\x4a\x02"
		   "a\x01",
	    true, "!13 #9 2@0 9=\"a\x01\"+2@2 ");
}
END_TEST

START_TEST(test_w13_ranges)
{
	CHECK_WALK("\x18\xff\xff\xff\xff\x07", true, "3=2147483647@1 ");
	CHECK_WALK("\x18\x80\x80\x80\x80\x08", true, "!14 #3 2147483648@0 3=2147483648@1 ");
	CHECK_WALK("\x18\x80\x80\x80\x80\xf8\xff\xff\xff\xff\x01", true, "3=18446744071562067968@1 ");
	CHECK_WALK("\x18\xff\xff\xff\xff\xf7\xff\xff\xff\xff\x01", true,
	    "!14 #3 18446744071562067967@0 3=18446744071562067967@1 ");
	CHECK_WALK("\x20\x02", true, "!14 #4 2@0 4=2@1 ");
	CHECK_WALK("\x70\xff\xff\xff\xff\x0f", true, "14=4294967295@1 ");
	CHECK_WALK("\x70\x80\x80\x80\x80\x10", true, "!14 #14 4294967296@0 14=4294967296@1 ");
}
END_TEST

/* n messages in each other; lengths below 128 as long as n < 64. */
static size_t nest(uint8_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		at[2 * i] = 0x3a;
		at[2 * i + 1] = (uint8_t)(2 * (n - 1 - i));
	}
	return 2 * n;
}

START_TEST(test_w12_depth)
{
	static struct pb_walker w;
	uint8_t bytes[256];

	for (size_t n = PB_DEPTH_MAX - 2; n <= PB_DEPTH_MAX + 1; n++) {
		struct told t = { 0 };
		const struct pb_handler h = { .ctx = &t, .error = on_error };
		size_t size = nest(bytes, n < 64 ? n : 64);

		pb_begin(&w, &node, size, &h);
		ck_assert_int_eq(feed_all(&w, bytes, size, size), n < PB_DEPTH_MAX);
		ck_assert_int_eq(t.n > 0, n >= PB_DEPTH_MAX);
	}
}
END_TEST

START_TEST(test_a_handler_can_stop)
{
	static struct pb_walker w;
	static const uint8_t bytes[] = "\x3a\x02\x20\x01\x0a\x02hi\x0a\x01\xc3";

	for (unsigned stop = 1; stop <= 6; stop++) {
		struct told t = { .stop_after = stop };
		const struct pb_handler h = { &t, on_begin, on_end, on_number, on_data, on_error };

		pb_begin(&w, &node, sizeof(bytes) - 1, &h);
		ck_assert(!feed_all(&w, bytes, sizeof(bytes) - 1, 3));
		ck_assert(w.stopped);
		ck_assert_uint_eq(t.events, stop);
	}
}
END_TEST

/* A payload longer than the buffer is given cut, with its length; blobs are not even read. */
START_TEST(test_long_payloads)
{
	static struct pb_walker w;
	static uint8_t bytes[PB_COLLECT_MAX + 64];
	struct told t = { 0 };
	const struct pb_handler h = { .ctx = &t, .data = NULL, .error = on_error };
	uint32_t n = PB_COLLECT_MAX + 8;

	memset(bytes, 'x', sizeof(bytes));
	bytes[0] = 0x6a;
	for (unsigned i = 0; i < 3; i++)
		bytes[1 + i] = (uint8_t)((n >> (7 * i) & 0x7f) | (i < 2 ? 0x80 : 0));
	pb_begin(&w, &node, 4 + n, &h);
	ck_assert(feed_all(&w, bytes, 4 + n, 1000));
	ck_assert_uint_eq(w.collected, PB_COLLECT_MAX);
	bytes[0] = 0x42; /* a blob: one feed of its head asks for its end */
	pb_begin(&w, &node, 4 + n, &h);
	ck_assert_uint_eq(pb_feed(&w, bytes, 4, 0), FEED_END);
	ck_assert(pb_finish(&w));
	pb_begin(&w, &node, 6 + n, &h);
	ck_assert_uint_eq(pb_feed(&w, bytes, 5, 0), 4 + n);
	ck_assert_uint_eq(pb_feed(&w, (const uint8_t *)"\x20\x01", 2, 4 + n), FEED_END);
	ck_assert(pb_finish(&w));
	ck_assert_uint_eq(t.n, 0);
}
END_TEST

START_TEST(test_a_feeder_that_lies_proves_nothing)
{
	static struct pb_walker w;
	const struct pb_handler h = { 0 };

	pb_begin(&w, &node, 8, &h);
	ck_assert_uint_eq(pb_feed(&w, (const uint8_t *)"\x20\x01", 2, 0), 2);
	ck_assert_uint_eq(pb_feed(&w, (const uint8_t *)"\x20\x01", 2, 4), FEED_END);
	ck_assert(!pb_finish(&w));
}
END_TEST

START_TEST(test_what_is_missing_is_missed)
{
	static struct pb_walker w;
	const struct pb_handler h = { 0 };

	pb_begin(&w, &node, 4, &h);
	ck_assert_uint_eq(pb_feed(&w, (const uint8_t *)"\x20\x01", 2, 0), 2);
	ck_assert(!pb_finish(&w));
}
END_TEST

/* A message of more fields than a word has bits: each is remembered on its own. */
#define WIDE 150u

static bool count_error(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	unsigned *counts = ctx;

	(void)at, (void)found;
	ck_assert_int_eq(e, PB_DUPLICATE);
	counts[number]++;
	return true;
}

START_TEST(test_duplicates_are_found_in_wide_messages)
{
	static struct pb_walker w;
	struct pb_field fields[WIDE];
	const struct pb_message wide = { "wide", fields, WIDE, NULL };
	unsigned counts[WIDE + 1] = { 0 };
	const struct pb_handler h = { .ctx = counts, .error = count_error };
	uint8_t wire[WIDE * 6];
	size_t n = 0;

	for (uint32_t i = 0; i < WIDE; i++)
		fields[i] = (struct pb_field){ .number = i + 1, .kind = PB_INT64 };
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t i = 0; i < WIDE; i++) {
			uint32_t tag = (i + 1) << 3;

			if (round == 1 && i % 3 != 0)
				continue;
			if (tag > 127)
				wire[n++] = (uint8_t)(tag & 127) | 128;
			wire[n++] = (uint8_t)(tag > 127 ? tag >> 7 : tag);
			wire[n++] = 1;
		}
	pb_begin(&w, &wide, n, &h);
	ck_assert(feed_all(&w, wire, n, n));
	for (uint32_t i = 0; i < WIDE; i++)
		ck_assert_uint_eq(counts[i + 1], i % 3 == 0);
}
END_TEST

HARNESS("protobuf", test_fields_of_every_kind, test_messages_nest_and_end_together, test_w1_varints,
    test_w2_shortest_forms, test_w3_and_w5_tags, test_w4_wire_types, test_w6_lengths_stay_inside, test_w7_to_w10_fields,
    test_w11_text, test_w13_ranges, test_w12_depth, test_a_handler_can_stop, test_long_payloads,
    test_a_feeder_that_lies_proves_nothing, test_what_is_missing_is_missed, test_duplicates_are_found_in_wide_messages)
