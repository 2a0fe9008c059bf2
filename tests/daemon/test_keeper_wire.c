/* Frames between front and keeper: whatever pieces they come in, and nothing larger than may be. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "keeper_wire.h"

static struct keeper_reader reader;

static void setup(void)
{
	keeper_reader_done(&reader);
}

static void give(const uint8_t *at, size_t n)
{
	while (n > 0) {
		size_t room, piece;
		uint8_t *to = keeper_reader_room(&reader, &room);

		ck_assert_ptr_nonnull(to);
		ck_assert_uint_ge(room, KEEPER_READ_MIN);
		piece = n < room ? n : room;
		memcpy(to, at, piece);
		keeper_reader_add(&reader, piece);
		at += piece;
		n -= piece;
	}
}

static size_t encode(const struct keeper_frame *f, uint8_t *to)
{
	keeper_frame_head(f, to);
	bytes_copy(to + KEEPER_HEAD, f->payload);
	return KEEPER_HEAD + f->payload.n;
}

static void assert_same(const struct keeper_frame *a, const struct keeper_frame *b)
{
	ck_assert_uint_eq(a->kind, b->kind);
	ck_assert_uint_eq(a->status, b->status);
	ck_assert_uint_eq(a->id, b->id);
	ck_assert(bytes_equal(a->payload, b->payload));
}

START_TEST(test_frame_comes_out_as_it_went_in_whatever_the_pieces)
{
	const struct keeper_frame sent = { .kind = 0xABCD,
		.status = 0x1234,
		.id = UINT64_C(0x0102030405060708),
		.payload = bytes_of_text("payload") };
	uint8_t wire[64];
	size_t n = encode(&sent, wire);

	for (size_t cut = 0; cut <= n; cut++) {
		struct keeper_frame got;

		setup();
		give(wire, cut);
		ck_assert_int_eq(keeper_reader_next(&reader, &got), cut == n ? KEEPER_FRAME : KEEPER_NEED_MORE);
		if (cut < n) {
			give(wire + cut, n - cut);
			ck_assert_int_eq(keeper_reader_next(&reader, &got), KEEPER_FRAME);
		}
		assert_same(&got, &sent);
		ck_assert_int_eq(keeper_reader_next(&reader, &got), KEEPER_NEED_MORE);
	}
}
END_TEST

START_TEST(test_several_frames_come_out_in_order)
{
	uint8_t wire[1024];
	size_t n = 0;
	struct keeper_frame got;

	setup();
	for (uint64_t i = 0; i < 10; i++) {
		const struct keeper_frame f = { .kind = 7, .id = i, .payload = bytes_of("0123456789", (size_t)i) };

		n += encode(&f, wire + n);
	}
	give(wire, n);
	for (uint64_t i = 0; i < 10; i++) {
		ck_assert_int_eq(keeper_reader_next(&reader, &got), KEEPER_FRAME);
		ck_assert_uint_eq(got.id, i);
		ck_assert_uint_eq(got.payload.n, i);
	}
}
END_TEST

START_TEST(test_longest_frame_is_taken_and_one_byte_more_is_refused)
{
	uint8_t *wire = calloc(1, KEEPER_HEAD + KEEPER_PAYLOAD_MAX);
	const struct keeper_frame longest = { .kind = 1, .payload = { wire + KEEPER_HEAD, KEEPER_PAYLOAD_MAX } };
	struct keeper_frame got;

	setup();
	keeper_frame_head(&longest, wire);
	give(wire, KEEPER_HEAD + KEEPER_PAYLOAD_MAX);
	ck_assert_int_eq(keeper_reader_next(&reader, &got), KEEPER_FRAME);
	ck_assert_uint_eq(got.payload.n, KEEPER_PAYLOAD_MAX);

	setup();
	store_u32le(wire, KEEPER_PAYLOAD_MAX + 1);
	give(wire, KEEPER_HEAD);
	ck_assert_int_eq(keeper_reader_next(&reader, &got), KEEPER_BAD);
	free(wire);
}
END_TEST

START_TEST(test_room_is_what_was_announced_and_no_more)
{
	const struct keeper_frame f = { .kind = 1, .payload = { (const uint8_t *)"", 0 } };
	uint8_t head[KEEPER_HEAD];
	size_t room;

	setup();
	keeper_frame_head(&f, head);
	store_u32le(head, 100000);
	give(head, KEEPER_HEAD);
	(void)keeper_reader_room(&reader, &room);
	ck_assert_uint_eq(room, 100000);
	setup();
}
END_TEST

HARNESS("keeper_wire", test_frame_comes_out_as_it_went_in_whatever_the_pieces, test_several_frames_come_out_in_order,
    test_longest_frame_is_taken_and_one_byte_more_is_refused, test_room_is_what_was_announced_and_no_more)
