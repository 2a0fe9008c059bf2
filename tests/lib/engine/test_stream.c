/* Streams: every codec hands on exactly what was coded, whatever the pieces; every way to end is told apart; limits
 * hold and memory is given back. */
#include "harness.h"

#include "coded.h"
#include "memory.h"
#include "stream.h"

#define BUDGET ((size_t)160 << 20) /* the largest window takes 128 MiB */
#define PLAIN ((size_t)300001)     /* more than a window, and not a round number */
#define HALF ((size_t)150000)

struct fixture {
	struct arena arena;
	struct source src;
	struct mem_file file;
	struct mem_file plain;
	struct coded coded;
	struct stream stream;
	size_t used; /* of the arena, before */
	/* What the feeder saw. */
	uint64_t taken, next, stop_at, skip;
	bool exact;
};

/* Half noise, half of it repeated: every codec compresses it, none much. */
static void make_plain(struct fixture *x, size_t n)
{
	x->plain = mem_file_random(n);
	for (size_t i = 0; i < n; i++)
		if (i % 200 >= 100)
			x->plain.at[i] = x->plain.at[i - 100];
}

/* The stream over x->coded, which may have been changed. */
static void open_stream(struct fixture *x, enum codec codec)
{
	x->file = (struct mem_file){ .at = x->coded.at, .size = x->coded.n };
	arena_init(&x->arena, BUDGET);
	source_init(&x->src, mem_read, &x->file, x->coded.n, SOURCE_IMMUTABLE, &x->arena, 0);
	x->stream = (struct stream){
		.part = part_of_file(&x->src), .codec = codec, .size = x->plain.size, .size_limit = UINT64_MAX
	};
	x->exact = true;
	x->taken = x->next = x->stop_at = x->skip = 0;
	x->used = 0;
}

static void open_fixture(struct fixture *x, enum codec codec, size_t n)
{
	*x = (struct fixture){ 0 };
	make_plain(x, n);
	x->coded = coded_by(codec, x->plain.at, n);
	open_stream(x, codec);
}

static void reopen(struct fixture *x, enum codec codec)
{
	source_done(&x->src);
	arena_done(&x->arena);
	open_stream(x, codec);
}

static void close_fixture(struct fixture *x)
{
	source_done(&x->src);
	arena_done(&x->arena);
	free(x->plain.at);
	free(x->coded.at);
}

static uint64_t take(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct fixture *x = ctx;

	/* No assertion here: each is a write to a pipe. */
	x->exact &= n > 0 && n <= STREAM_WINDOW && offset == x->next && offset + n <= x->plain.size &&
		    memcmp(at, x->plain.at + offset, n) == 0;
	x->taken += n;
	x->next = offset + n + x->skip;
	return x->stop_at > 0 && x->next >= x->stop_at ? FEED_END : x->next;
}

static struct feeder taker(struct fixture *x)
{
	return (struct feeder){ take, x };
}

static enum stream_end run(struct fixture *x, struct stream_state *ret)
{
	enum stream_end end;

	end = stream_preview(&x->stream, &x->arena, taker(x), ret);
	return end;
}

/* As the pass does: coded bytes in pieces. */
static enum stream_end push(struct fixture *x, size_t piece, struct stream_state *ret)
{
	struct decoder *d = decoder_new(&x->stream, &x->arena, taker(x));
	size_t used = x->arena.used;
	enum stream_end end;

	ck_assert_ptr_nonnull(d);
	for (size_t at = 0; at < x->coded.n; at += piece)
		decoder_feed(d, x->coded.at + at, piece < x->coded.n - at ? piece : x->coded.n - at);
	end = decoder_end(d, ret);
	ck_assert_uint_lt(x->arena.used, used);
	return end;
}

#define EACH_CODEC(codec) (enum codec codec = CODEC_STORED; codec < N_CODECS; codec++)
#define EACH_CODING(codec) (enum codec codec = CODEC_DEFLATE; codec < N_CODECS; codec++)

START_TEST(test_every_codec_hands_on_what_was_coded)
{
	static const size_t sizes[] = { 0, 1, 100, STREAM_WINDOW, STREAM_WINDOW + 1, PLAIN };

	for
		EACH_CODEC(codec)
		{
			for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
				struct stream_state state;
				struct fixture x;

				open_fixture(&x, codec, sizes[i]);
				ck_assert_int_eq(run(&x, &state), STREAM_WHOLE);
				ck_assert(x.exact);
				ck_assert_uint_eq(x.taken, sizes[i]);
				ck_assert_uint_eq(state.decoded, sizes[i]);
				ck_assert_uint_eq(state.coded, x.coded.n);
				ck_assert_uint_eq(state.coding_end, x.coded.n);
				x.taken = x.next = 0;
				x.stream.size = STREAM_SIZE_UNKNOWN;
				ck_assert_int_eq(run(&x, NULL), STREAM_WHOLE);
				ck_assert(x.exact && x.taken == sizes[i]);
				close_fixture(&x);
			}
		}
}
END_TEST

START_TEST(test_pieces_of_any_size_decode_alike)
{
	static const size_t pieces[] = { 1, 2, 7, 1000, 65537, 10000000 };

	for
		EACH_CODEC(codec)
		{
			for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
				struct stream_state state;
				struct fixture x;

				open_fixture(&x, codec, PLAIN);
				ck_assert_int_eq(push(&x, pieces[i], &state), STREAM_WHOLE);
				ck_assert(x.exact);
				ck_assert_uint_eq(x.taken, PLAIN);
				ck_assert_uint_eq(state.coding_end, x.coded.n);
				close_fixture(&x);
			}
		}
}
END_TEST

START_TEST(test_a_decoder_gives_all_its_memory_back)
{
	for
		EACH_CODEC(codec)
		{
			struct fixture x;
			size_t used;

			open_fixture(&x, codec, PLAIN);
			run(&x, NULL);
			used = x.arena.used;
			for (int i = 0; i < 3; i++) {
				x.taken = x.next = 0;
				ck_assert_int_eq(run(&x, NULL), STREAM_WHOLE);
			}
			ck_assert_uint_eq(x.arena.used, used);
			close_fixture(&x);
		}
}
END_TEST

START_TEST(test_memory_of_a_codec_counts)
{
	for
		EACH_CODING(codec)
		{
			struct fixture x;

			open_fixture(&x, codec, PLAIN);
			x.arena.budget = 400000; /* enough for the block and the window only */
			if (codec == CODEC_DEFLATE || codec == CODEC_ZLIB || codec == CODEC_GZIP)
				x.arena.budget = 300000;
			ck_assert_int_eq(run(&x, NULL), STREAM_FAILED);
			ck_assert(x.arena.exhausted);
			close_fixture(&x);
		}
}
END_TEST

START_TEST(test_every_truncation_is_seen)
{
	for
		EACH_CODING(codec)
		{
			struct fixture x;

			open_fixture(&x, codec, 500);
			for (size_t whole = x.coded.n; x.coded.n > 0;) {
				struct stream_state state;

				x.coded.n--;
				reopen(&x, codec);
				ck_assert_int_eq(run(&x, &state), STREAM_TRUNCATED);
				ck_assert(x.exact);
				ck_assert_uint_lt(state.coded, whole);
			}
			close_fixture(&x);
		}
}
END_TEST

START_TEST(test_stored_bytes_may_be_too_few_or_too_many)
{
	struct fixture x;

	open_fixture(&x, CODEC_STORED, 1000);
	x.stream.size = 1001;
	ck_assert_int_eq(run(&x, NULL), STREAM_TRUNCATED);
	x.taken = x.next = 0;
	x.stream.size = 999;
	ck_assert_int_eq(run(&x, NULL), STREAM_LONG);
	ck_assert_uint_eq(x.taken, 999);
	x.next = 0;
	x.skip = 1000;
	x.stream.size = 10;
	ck_assert_int_eq(run(&x, NULL), STREAM_LONG);
	close_fixture(&x);
}
END_TEST

START_TEST(test_trailing_bytes_are_seen_and_located)
{
	for
		EACH_CODING(codec)
		{
			for (int i = 0; i < 6; i++) {
				static const char *const tails[] = { "x", "\0\0\0\0", "\x1f\x1f", "\x1f", "BZ",
					"\xfd\x37zX" };
				static const size_t lengths[] = { 1, 4, 2, 1, 2, 4 };
				struct stream_state state;
				struct fixture x;
				size_t end;

				open_fixture(&x, codec, PLAIN);
				end = x.coded.n;
				coded_append(&x.coded, tails[i], lengths[i]);
				reopen(&x, codec);
				ck_assert_int_eq(run(&x, &state), STREAM_TRAILING);
				ck_assert(x.exact && x.taken == PLAIN);
				ck_assert_uint_eq(state.coding_end, end);
				x.taken = x.next = 0;
				ck_assert_int_eq(push(&x, 1, &state), STREAM_TRAILING);
				ck_assert(x.exact && x.taken == PLAIN);
				close_fixture(&x);
			}
		}
}
END_TEST

static bool may_be_followed(enum codec codec)
{
	return codec == CODEC_GZIP || codec == CODEC_BZIP2 || codec == CODEC_XZ || codec == CODEC_LZ4 ||
	       codec == CODEC_ZSTD;
}

/* The plain bytes in two codings, one behind the other, with zeros between. */
static void open_double(struct fixture *x, enum codec codec, size_t zeros)
{
	struct coded second;

	*x = (struct fixture){ 0 };
	make_plain(x, PLAIN);
	x->coded = coded_by(codec, x->plain.at, HALF);
	coded_append(&x->coded, "\0\0\0\0", zeros);
	second = coded_by(codec, x->plain.at + HALF, PLAIN - HALF);
	coded_append(&x->coded, second.at, second.n);
	free(second.at);
	open_stream(x, codec);
}

START_TEST(test_further_streams_are_read_on)
{
	for
		EACH_CODING(codec)
		{
			struct fixture x;
			struct stream_state state;

			open_double(&x, codec, 0);
			if (may_be_followed(codec)) {
				ck_assert_int_eq(run(&x, &state), STREAM_MULTIPLE);
				ck_assert(x.exact && x.taken == PLAIN);
				ck_assert_uint_eq(state.coding_end, x.coded.n);
				x.taken = x.next = 0;
				ck_assert_int_eq(push(&x, 1, NULL), STREAM_MULTIPLE);
				ck_assert(x.exact && x.taken == PLAIN);
			} else {
				ck_assert_int_eq(run(&x, NULL), STREAM_TRAILING);
				ck_assert_uint_eq(x.taken, HALF);
			}
			close_fixture(&x);
		}
}
END_TEST

START_TEST(test_a_gzip_member_behind_zeros_is_read_too)
{
	struct fixture x;

	open_double(&x, CODEC_GZIP, 3);
	ck_assert_int_eq(run(&x, NULL), STREAM_TRAILING);
	ck_assert(x.exact && x.taken == PLAIN);
	close_fixture(&x);
}
END_TEST

START_TEST(test_half_a_further_stream_is_truncated)
{
	struct fixture x;

	open_double(&x, CODEC_GZIP, 0);
	x.coded.n -= 5;
	reopen(&x, CODEC_GZIP);
	ck_assert_int_eq(run(&x, NULL), STREAM_TRUNCATED);
	close_fixture(&x);
}
END_TEST

START_TEST(test_one_byte_more_than_declared_is_too_many)
{
	for
		EACH_CODEC(codec)
		{
			struct stream_state state;
			struct fixture x;

			open_fixture(&x, codec, PLAIN);
			x.stream.size = PLAIN - 1;
			ck_assert_int_eq(run(&x, &state), STREAM_LONG);
			ck_assert(x.exact);
			ck_assert_uint_eq(x.taken, PLAIN - 1);
			ck_assert_uint_eq(state.decoded, PLAIN);
			close_fixture(&x);
		}
}
END_TEST

START_TEST(test_less_than_declared_shows_in_the_state)
{
	for
		EACH_CODING(codec)
		{
			struct stream_state state;
			struct fixture x;

			open_fixture(&x, codec, PLAIN);
			x.stream.size = PLAIN + 1;
			ck_assert_int_eq(run(&x, &state), STREAM_WHOLE);
			ck_assert_uint_eq(state.decoded, PLAIN);
			close_fixture(&x);
		}
}
END_TEST

START_TEST(test_the_size_limit_holds)
{
	for
		EACH_CODEC(codec)
		{
			struct fixture x;

			open_fixture(&x, codec, PLAIN);
			x.stream.size_limit = PLAIN;
			ck_assert_int_eq(run(&x, NULL), STREAM_WHOLE);
			x.taken = x.next = 0;
			x.stream.size_limit = PLAIN - 1;
			ck_assert_int_eq(run(&x, NULL), STREAM_BOMB);
			ck_assert_uint_eq(x.taken, PLAIN - 1);
			close_fixture(&x);
		}
}
END_TEST

/* n zero bytes. */
static void open_zeros(struct fixture *x, enum codec codec, size_t n)
{
	*x = (struct fixture){ .plain = { .at = calloc(1, n), .size = n } };
	x->coded = coded_by(codec, x->plain.at, n);
	open_stream(x, codec);
}

START_TEST(test_a_ratio_counts_beyond_the_first_mebibyte)
{
	struct fixture x;

	open_zeros(&x, CODEC_DEFLATE, STREAM_RATIO_FREE);
	ck_assert_int_eq(run(&x, NULL), STREAM_WHOLE);
	close_fixture(&x);
	open_zeros(&x, CODEC_DEFLATE, STREAM_RATIO_FREE + 1);
	ck_assert_int_eq(run(&x, NULL), STREAM_BOMB);
	ck_assert_uint_eq(x.taken, STREAM_RATIO_FREE);
	x.taken = x.next = 0;
	x.stream.any_ratio = true;
	ck_assert_int_eq(run(&x, NULL), STREAM_WHOLE);
	close_fixture(&x);
}
END_TEST

START_TEST(test_the_ratio_is_that_of_the_whole_stream)
{
	size_t zeros = (size_t)4 << 20;
	struct fixture x = { 0 };

	/* 4 MiB of zeros, which alone would be a bomb, and then noise that makes the ratio an honest one. */
	x.plain = mem_file_random(zeros + 100000);
	memset(x.plain.at, 0, zeros);
	x.coded = coded_by(CODEC_DEFLATE, x.plain.at, x.plain.size);
	open_stream(&x, CODEC_DEFLATE);
	ck_assert_int_eq(run(&x, NULL), STREAM_WHOLE);
	ck_assert(x.exact && x.taken == x.plain.size);
	close_fixture(&x);
}
END_TEST

START_TEST(test_wrong_checksums_leave_the_content_readable)
{
	static const struct {
		enum codec codec;
		size_t from_end;
	} cases[] = { { CODEC_ZLIB, 1 }, { CODEC_ZLIB, 4 }, { CODEC_GZIP, 8 }, { CODEC_GZIP, 5 }, { CODEC_GZIP, 4 },
		{ CODEC_GZIP, 1 }, { CODEC_LZ4, 1 }, { CODEC_LZ4, 4 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture x;

		open_fixture(&x, cases[i].codec, PLAIN);
		x.coded.at[x.coded.n - cases[i].from_end] ^= 1;
		ck_assert_int_eq(run(&x, NULL), STREAM_CHECKSUM);
		ck_assert(x.exact && x.taken == PLAIN);
		close_fixture(&x);
	}
}
END_TEST

START_TEST(test_broken_codings_hand_on_what_came_before)
{
	for
		EACH_CODING(codec)
		{
			struct stream_state state;
			struct fixture x;
			enum stream_end end;

			open_fixture(&x, codec, PLAIN);
			memset(x.coded.at + x.coded.n / 2, 0xff, 1000);
			end = run(&x, &state);
			ck_assert(end != STREAM_WHOLE || !x.exact); /* some have no checksum of their own */
			if (codec != CODEC_BZIP2)                   /* one block of 900 kB, which is all or nothing */
				ck_assert_uint_gt(x.taken, 0);
			x.coded.at[0] = 0xff; /* and from the first byte on */
			x.taken = x.next = 0;
			ck_assert_int_eq(run(&x, &state), STREAM_BROKEN);
			ck_assert_uint_eq(x.taken, 0);
			close_fixture(&x);
		}
}
END_TEST

START_TEST(test_noise_never_decodes_whole)
{
	uint64_t state = 7;

	for
		EACH_CODING(codec)
		{
			for (int i = 0; i < 50; i++) {
				struct fixture x;

				open_fixture(&x, codec, 2000);
				x.coded.at[next_random(&state) % x.coded.n] ^= (uint8_t)(1 + next_random(&state) % 255);
				if (run(&x, NULL) == STREAM_WHOLE && codec != CODEC_DEFLATE &&
				    codec != CODEC_LZMA_ALONE)
					ck_assert(x.exact); /* a byte that says nothing, such as gzip's time */
				close_fixture(&x);
			}
		}
}
END_TEST

/* A gzip file with a header of our own. */
static enum stream_end gzip_with(const void *header, size_t n, bool with_crc)
{
	struct fixture x = { 0 };
	struct coded c;
	uint8_t crc[2];
	enum stream_end end;

	make_plain(&x, 1000);
	c = coded_by(CODEC_GZIP, x.plain.at, 1000);
	coded_append(&x.coded, header, n);
	crc[0] = (uint8_t)crc32(0, header, (uInt)n);
	crc[1] = (uint8_t)(crc32(0, header, (uInt)n) >> 8);
	if (with_crc)
		coded_append(&x.coded, crc, 2);
	coded_append(&x.coded, c.at + 10, c.n - 10);
	open_stream(&x, CODEC_GZIP);
	end = run(&x, NULL);
	if (end == STREAM_WHOLE)
		ck_assert(x.exact && x.taken == 1000);
	x.taken = x.next = 0;
	ck_assert_int_eq(push(&x, 1, NULL), end);
	free(c.at);
	close_fixture(&x);
	return end;
}

#define FIXED(flags) "\x1f\x8b\x08" flags "\1\2\3\4\0\3"
#define GZIP_WITH(text, with_crc) gzip_with(text, sizeof(text) - 1, with_crc)

START_TEST(test_a_gzip_header_is_read_strictly)
{
	char name[10 + 257] = FIXED("\x08");

	ck_assert_int_eq(GZIP_WITH(FIXED("\0"), false), STREAM_WHOLE);
	ck_assert_int_eq(GZIP_WITH(FIXED("\1"), false), STREAM_WHOLE);
	ck_assert_int_eq(GZIP_WITH(FIXED("\x08") "model.pkl\0", false), STREAM_WHOLE);
	ck_assert_int_eq(GZIP_WITH(FIXED("\x10") "comment\0", false), STREAM_WHOLE);
	ck_assert_int_eq(GZIP_WITH(FIXED("\x18") "name\0comment\0", false), STREAM_WHOLE);
	ck_assert_int_eq(GZIP_WITH(FIXED("\x1a") "name\0comment\0", true), STREAM_WHOLE);
	ck_assert_int_eq(GZIP_WITH(FIXED("\x02"), true), STREAM_WHOLE);
	ck_assert_int_eq(GZIP_WITH(FIXED("\x02") "xx", false), STREAM_BROKEN); /* not the header's CRC */
	ck_assert_int_eq(GZIP_WITH(FIXED("\x20"), false), STREAM_BROKEN);
	ck_assert_int_eq(GZIP_WITH(FIXED("\x40"), false), STREAM_BROKEN);
	ck_assert_int_eq(GZIP_WITH(FIXED("\x80"), false), STREAM_BROKEN);
	ck_assert_int_eq(GZIP_WITH(FIXED("\x04") "\1\0x", false), STREAM_BROKEN);
	ck_assert_int_eq(GZIP_WITH("\x1f\x8b\x07\0\1\2\3\4\0\3", false), STREAM_BROKEN);
	ck_assert_int_eq(GZIP_WITH(FIXED("\x08") "a\nb\0", false), STREAM_BROKEN);
	ck_assert_int_eq(GZIP_WITH(FIXED("\x08") "a\x7f\0", false), STREAM_BROKEN);
	memset(name + 10, 'n', 256);
	ck_assert_int_eq(gzip_with(name, 10 + 257, false), STREAM_BROKEN);
	name[10 + 255] = 0;
	ck_assert_int_eq(gzip_with(name, 10 + 256, false), STREAM_WHOLE);
}
END_TEST

static enum stream_end decode_bytes(enum codec codec, const void *at, size_t n)
{
	struct fixture x = { 0 };
	enum stream_end end;

	coded_append(&x.coded, at, n);
	open_stream(&x, codec);
	x.stream.size = STREAM_SIZE_UNKNOWN;
	end = run(&x, NULL);
	close_fixture(&x);
	return end;
}

START_TEST(test_dictionaries_and_foreign_frames_are_refused)
{
	const LZ4F_preferences_t with_dictionary = { .frameInfo = { .dictID = 1 } };
	uint8_t frame[100];
	size_t n = LZ4F_compressFrame(frame, sizeof(frame), "plain", 5, &with_dictionary);

	ck_assert_int_eq(decode_bytes(CODEC_ZLIB, "\x78\x9c\3\0\0\0\0\1", 8), STREAM_WHOLE);
	ck_assert_int_eq(decode_bytes(CODEC_ZLIB, "\x78\xbb\3\0\0\0\0\1", 8), STREAM_BROKEN); /* FDICT */
	ck_assert_int_eq(decode_bytes(CODEC_ZLIB, "\x78\x9d\3\0\0\0\0\1", 8), STREAM_BROKEN); /* FCHECK */
	ck_assert_int_eq(decode_bytes(CODEC_ZLIB, "\x88\x1c\3\0\0\0\0\1", 8), STREAM_BROKEN); /* a window of 64 KiB */
	ck_assert_int_eq(decode_bytes(CODEC_LZ4, "\x04\x22\x4d\x18\x60\x40\x82\0\0\0\0", 11), STREAM_WHOLE);
	ck_assert(!LZ4F_isError(n));
	ck_assert_int_eq(decode_bytes(CODEC_LZ4, frame, n), STREAM_BROKEN);
	/* A skippable frame, and one of the old format. */
	ck_assert_int_eq(decode_bytes(CODEC_LZ4, "\x50\x2a\x4d\x18\2\0\0\0xx", 10), STREAM_BROKEN);
	ck_assert_int_eq(decode_bytes(CODEC_LZ4, "\x02\x21\x4c\x18\2\0\0\0xx", 10), STREAM_BROKEN);
}
END_TEST

/* RFC 8878, 3.1.1: magic, descriptor, window, then one block that is the last, raw and empty. */
START_TEST(test_a_zstd_frame_has_a_window_of_27_bits_and_no_dictionary)
{
	ck_assert_int_eq(decode_bytes(CODEC_ZSTD, "\x28\xb5\x2f\xfd\0\x88\1\0\0", 9), STREAM_WHOLE);
	ck_assert_int_eq(decode_bytes(CODEC_ZSTD, "\x28\xb5\x2f\xfd\0\x89\1\0\0", 9), STREAM_BROKEN);
	ck_assert_int_eq(decode_bytes(CODEC_ZSTD, "\x28\xb5\x2f\xfd\0\x90\1\0\0", 9), STREAM_BROKEN);
	ck_assert_int_eq(decode_bytes(CODEC_ZSTD, "\x28\xb5\x2f\xfd\1\x88\0\1\0\0", 10), STREAM_WHOLE);
	ck_assert_int_eq(decode_bytes(CODEC_ZSTD, "\x28\xb5\x2f\xfd\1\x88\5\1\0\0", 10), STREAM_BROKEN);
	/* A skippable frame, and one of version 0.7. */
	ck_assert_int_eq(decode_bytes(CODEC_ZSTD, "\x50\x2a\x4d\x18\2\0\0\0xx", 10), STREAM_BROKEN);
	ck_assert_int_eq(decode_bytes(CODEC_ZSTD, "\x27\xb5\x2f\xfd\0\x88\1\0\0", 9), STREAM_BROKEN);
}
END_TEST

START_TEST(test_an_xz_dictionary_beyond_the_limit_is_refused)
{
	struct fixture x;

	open_fixture(&x, CODEC_LZMA_ALONE, 1000);
	memcpy(x.coded.at + 1, "\0\0\0\x10", 4); /* 256 MiB */
	ck_assert_int_eq(run(&x, NULL), STREAM_FAILED);
	ck_assert(x.arena.exhausted);
	close_fixture(&x);
}
END_TEST

START_TEST(test_a_feeder_can_skip_and_stop)
{
	for
		EACH_CODEC(codec)
		{
			struct fixture x;
			struct stream_state state;

			open_fixture(&x, codec, PLAIN);
			x.skip = 30000;
			ck_assert_int_eq(run(&x, &state), STREAM_WHOLE);
			ck_assert(x.exact);
			ck_assert_uint_le(x.taken, PLAIN - 30000);
			ck_assert_uint_eq(state.decoded, PLAIN);
			x.taken = x.next = x.skip = 0;
			x.stop_at = 1;
			ck_assert_int_eq(run(&x, &state), STREAM_ENOUGH);
			ck_assert(x.exact);
			ck_assert_uint_lt(x.taken, PLAIN);
			close_fixture(&x);
		}
}
END_TEST

START_TEST(test_a_copy_holds_all_of_it_or_nothing)
{
	for
		EACH_CODEC(codec)
		{
			struct fixture x;
			enum stream_end end;
			struct part copy;
			size_t used;

			open_fixture(&x, codec, PLAIN);
			x.stream.part.member = bytes_of_text("m");
			for (int known = 0; known < 2; known++) {
				x.stream.size = known ? PLAIN : STREAM_SIZE_UNKNOWN;
				copy = stream_copy(&x.stream, &x.arena, PLAIN, &end);
				ck_assert_int_eq(end, STREAM_WHOLE);
				ck_assert_uint_eq(copy.size, PLAIN);
				ck_assert_mem_eq(copy.copy, x.plain.at, PLAIN);
				ck_assert(bytes_equal(copy.member, bytes_of_text("m")));
				used = x.arena.used;
				copy = stream_copy(&x.stream, &x.arena, PLAIN - 1, &end);
				ck_assert_int_eq(end, STREAM_ENOUGH);
				ck_assert_ptr_null(copy.copy);
				ck_assert_uint_eq(x.arena.used, used);
			}
			close_fixture(&x);
		}
}
END_TEST

START_TEST(test_the_head_is_as_long_as_asked_or_all_there_is)
{
	for
		EACH_CODEC(codec)
		{
			struct fixture x;
			struct bytes head;

			open_fixture(&x, codec, 1000);
			ck_assert(stream_head(&x.stream, &x.arena, 100, &head));
			ck_assert_uint_eq(head.n, 100);
			ck_assert_mem_eq(head.at, x.plain.at, 100);
			ck_assert(stream_head(&x.stream, &x.arena, 4096, &head));
			ck_assert_uint_eq(head.n, 1000);
			ck_assert_mem_eq(head.at, x.plain.at, 1000);
			close_fixture(&x);
		}
}
END_TEST

START_TEST(test_a_copy_can_be_decoded_again)
{
	struct fixture x = { 0 };
	struct coded inner;
	enum stream_end end;

	make_plain(&x, PLAIN);
	inner = coded_by(CODEC_DEFLATE, x.plain.at, PLAIN);
	x.coded = coded_by(CODEC_XZ, inner.at, inner.n);
	open_stream(&x, CODEC_XZ);
	x.stream.size = inner.n;
	x.stream.part = stream_copy(&x.stream, &x.arena, STREAM_COPY_MAX, &end);
	ck_assert_int_eq(end, STREAM_WHOLE);
	x.stream.codec = CODEC_DEFLATE;
	x.stream.size = PLAIN;
	ck_assert_int_eq(run(&x, NULL), STREAM_WHOLE);
	ck_assert(x.exact && x.taken == PLAIN);
	free(inner.at);
	close_fixture(&x);
}
END_TEST

START_TEST(test_a_source_that_fails_is_told)
{
	for
		EACH_CODEC(codec)
		{
			struct fixture x;

			open_fixture(&x, codec, PLAIN);
			x.file.fail_at = 2;
			ck_assert_int_eq(run(&x, NULL), STREAM_FAILED);
			ck_assert_int_eq(x.src.err, SOURCE_UNREADABLE);
			close_fixture(&x);
		}
}
END_TEST

HARNESS("stream", test_every_codec_hands_on_what_was_coded, test_pieces_of_any_size_decode_alike,
    test_a_decoder_gives_all_its_memory_back, test_memory_of_a_codec_counts, test_every_truncation_is_seen,
    test_stored_bytes_may_be_too_few_or_too_many, test_trailing_bytes_are_seen_and_located,
    test_further_streams_are_read_on, test_a_gzip_member_behind_zeros_is_read_too,
    test_half_a_further_stream_is_truncated, test_one_byte_more_than_declared_is_too_many,
    test_less_than_declared_shows_in_the_state, test_the_size_limit_holds,
    test_a_ratio_counts_beyond_the_first_mebibyte, test_the_ratio_is_that_of_the_whole_stream,
    test_wrong_checksums_leave_the_content_readable, test_broken_codings_hand_on_what_came_before,
    test_noise_never_decodes_whole, test_a_gzip_header_is_read_strictly,
    test_dictionaries_and_foreign_frames_are_refused, test_a_zstd_frame_has_a_window_of_27_bits_and_no_dictionary,
    test_an_xz_dictionary_beyond_the_limit_is_refused, test_a_feeder_can_skip_and_stop,
    test_a_copy_holds_all_of_it_or_nothing, test_the_head_is_as_long_as_asked_or_all_there_is,
    test_a_copy_can_be_decoded_again, test_a_source_that_fails_is_told)
