/* The pass: one digest over exactly the bytes everybody saw, whatever is pinned, captured or sliced, and no
 * digest when the file moves under it. */
#include "harness.h"

#include <openssl/sha.h>

#include "memory.h"
#include "pass.h"

#define BUDGET ((size_t)64 << 20)

/* A sink that copies what it is fed to where it belongs, and checks the frame around it. */
struct recorder {
	uint8_t *copy;
	const struct extent *open;
	uint64_t at;    /* next offset expected inside the open extent */
	uint64_t begun; /* extents, in order */
	uint64_t fed;
};

static void record_begin(void *ctx, const struct extent *e)
{
	struct recorder *rec = ctx;

	ck_assert_ptr_null(rec->open);
	rec->open = e;
	rec->at = e->begin;
	rec->begun++;
}

static void record_feed(void *ctx, const struct extent *e, const uint8_t *at, size_t n, uint64_t offset)
{
	struct recorder *rec = ctx;

	ck_assert_ptr_eq(rec->open, e);
	ck_assert_uint_eq(offset, rec->at);
	ck_assert_uint_gt(n, 0);
	ck_assert_uint_le(n, e->end - offset);
	memcpy(rec->copy + offset, at, n);
	rec->at += n;
	rec->fed += n;
}

static void record_end(void *ctx, const struct extent *e)
{
	struct recorder *rec = ctx;

	ck_assert_ptr_eq(rec->open, e);
	ck_assert_uint_eq(rec->at, e->end);
	rec->open = NULL;
}

struct walk {
	uint8_t *copy;
	uint64_t at;
};

static void walk_feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct walk *w = ctx;

	ck_assert_uint_eq(offset, w->at);
	memcpy(w->copy + offset, at, n);
	w->at += n;
}

struct fixture {
	struct mem_file file;
	struct arena arena;
	struct source src;
	struct mem_report sent;
	struct report *report;
	struct extents x;
	struct recorder recorder;
	struct pass_sink sink;
	struct pass pass;
};

static void open_fixture(struct fixture *fx, uint64_t size, enum source_kind kind)
{
	*fx = (struct fixture){ .file = mem_file_random(size), .report = malloc(sizeof(struct report)) };
	arena_init(&fx->arena, BUDGET);
	source_init(&fx->src, mem_read, &fx->file, size, kind, &fx->arena, size);
	report_init(fx->report, mem_write, mem_clock, &fx->sent);
	extents_init(&fx->x, &fx->arena);
	fx->recorder.copy = calloc(1, size + 1);
	fx->sink = (struct pass_sink){ &fx->recorder, record_begin, record_feed, record_end };
	pass_init(&fx->pass, &fx->src, fx->report);
}

static void close_fixture(struct fixture *fx)
{
	source_done(&fx->src);
	arena_done(&fx->arena);
	free(fx->file.at);
	free(fx->report);
	free(fx->sent.at);
	free(fx->recorder.copy);
}

static void add_extent(struct fixture *fx, uint64_t begin, uint64_t end, uint8_t flags)
{
	struct extent *e = extents_add(&fx->x);

	*e = (struct extent){ .begin = begin, .end = end, .flags = flags, .index = (uint32_t)fx->x.n };
	fx->pass.extents = &fx->x;
	fx->pass.sink = &fx->sink;
}

static void expect_digest(struct fixture *fx)
{
	uint8_t digest[32], expected[32];

	SHA256(fx->file.at, fx->src.size, expected);
	ck_assert_int_eq(pass_run(&fx->pass, digest), WLK_DONE);
	ck_assert_mem_eq(digest, expected, 32);
	ck_assert(fx->src.passed);
}

static void expect_stop(struct fixture *fx, enum wlk_cause cause)
{
	uint8_t digest[32] = { 1, 2, 3 };

	ck_assert_int_eq(pass_run(&fx->pass, digest), WLK_INCOMPLETE);
	ck_assert_int_eq(fx->report->cause, cause);
	ck_assert_uint_eq(digest[2], 3);
	ck_assert(!fx->src.passed);
}

static const uint64_t sizes[] = { 0, 1, 63, 64, PASS_BLOCK - 1, PASS_BLOCK, PASS_BLOCK + 1, 2 * PASS_BLOCK,
	SOURCE_BLOCK_MIN - 1, SOURCE_BLOCK_MIN, SOURCE_BLOCK_MIN + 1, 2 * SOURCE_BLOCK_MIN + 12345 };
#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))

START_TEST(test_digest_is_sha256_of_the_file)
{
	for (size_t i = 0; i < N_SIZES; i++) {
		for (int kind = SOURCE_IMMUTABLE; kind <= SOURCE_MUTABLE; kind++) {
			struct fixture fx;

			open_fixture(&fx, sizes[i], (enum source_kind)kind);
			fx.file.max_read = i % 2 ? 100000 : 0;
			expect_digest(&fx);
			close_fixture(&fx);
		}
	}
}
END_TEST

START_TEST(test_pins_captures_and_walkers_change_nothing)
{
	uint64_t state = 5;

	for (int round = 0; round < 60; round++) {
		const struct capture *captures[20];
		uint64_t size = sizes[round % N_SIZES];
		struct walk w = { .copy = malloc(size + 1) };
		struct fixture fx;

		open_fixture(&fx, size, SOURCE_MUTABLE);
		pass_add_walker(&fx.pass, (struct walker){ &w, walk_feed });
		for (int i = 0; i < 10 && size > 0; i++) {
			uint64_t begin = next_random(&state) % size, n = next_random(&state) % (size / 8 + 1);

			n = n < size - begin ? n : size - begin;
			ck_assert_ptr_nonnull(source_pin(&fx.src, begin, (size_t)n));
		}
		for (int i = 0; i < 20; i++) {
			captures[i] = pass_capture(
			    &fx.pass, next_random(&state) % (size + 10), next_random(&state) % (size / 4 + 100));
			ck_assert_ptr_nonnull(captures[i]);
		}
		expect_digest(&fx);
		ck_assert_uint_eq(w.at, size);
		ck_assert_mem_eq(w.copy, fx.file.at, size);
		for (int i = 0; i < 20; i++) {
			ck_assert_uint_le(captures[i]->end, size);
			ck_assert_mem_eq(
			    captures[i]->at, fx.file.at + captures[i]->begin, captures[i]->end - captures[i]->begin);
		}
		free(w.copy);
		close_fixture(&fx);
	}
}
END_TEST

START_TEST(test_every_byte_is_read_once)
{
	struct fixture fx;

	open_fixture(&fx, 3 * PASS_BLOCK, SOURCE_MUTABLE);
	ck_assert_ptr_nonnull(source_pin(&fx.src, 5, 100));
	ck_assert_ptr_nonnull(source_pin(&fx.src, PASS_BLOCK - 5, 10));
	expect_digest(&fx);
	ck_assert_uint_eq(fx.file.bytes, 3 * PASS_BLOCK);
	close_fixture(&fx);
}
END_TEST

/* What was parsed is what is hashed: a pinned byte that changes afterwards does not count. */
START_TEST(test_pinned_bytes_are_hashed_from_memory)
{
	uint8_t digest[32], expected[32];
	struct fixture fx;

	open_fixture(&fx, 1000, SOURCE_MUTABLE);
	SHA256(fx.file.at, 1000, expected);
	ck_assert_ptr_nonnull(source_pin(&fx.src, 0, 100));
	fx.file.at[50] ^= 1;
	ck_assert_int_eq(pass_run(&fx.pass, digest), WLK_DONE);
	ck_assert_mem_eq(digest, expected, 32);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_capture_is_clipped_to_the_file)
{
	struct fixture fx;
	const struct capture *c;

	open_fixture(&fx, 100, SOURCE_MUTABLE);
	c = pass_capture(&fx.pass, 90, UINT64_MAX);
	ck_assert_uint_eq(c->begin, 90);
	ck_assert_uint_eq(c->end, 100);
	c = pass_capture(&fx.pass, 101, 5);
	ck_assert_uint_eq(c->begin, 100);
	ck_assert_uint_eq(c->end, 100);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_spent_arena_refuses_a_capture)
{
	struct fixture fx;

	open_fixture(&fx, 100000, SOURCE_MUTABLE);
	fx.arena.budget = 50000;
	ck_assert_ptr_null(pass_capture(&fx.pass, 0, 100000));
	ck_assert_uint_eq(fx.pass.n_captures, 0);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_extents_are_fed_exactly_in_frames)
{
	uint64_t state = 77;

	for (int round = 0; round < 200; round++) {
		uint64_t size = sizes[round % N_SIZES], at = 0, n = 0;
		struct fixture fx;

		open_fixture(&fx, size, SOURCE_IMMUTABLE);
		if (size > 1000 && round % 3 == 0)
			ck_assert_ptr_nonnull(source_pin(&fx.src, size / 3, (size_t)(size / 3)));
		do { /* a tiling with empty ones, up to the end and at it */
			uint64_t wide = round % 2 ? size / 3 + 2 : 5000;
			uint64_t to = next_random(&state) % 5 == 0 ? at : at + next_random(&state) % wide;

			to = to < size ? to : size;
			add_extent(&fx, at, to, 0);
			at = to;
			n++;
		} while (at < size);
		add_extent(&fx, size, size, 0);
		expect_digest(&fx);
		ck_assert_uint_eq(fx.recorder.begun, n + 1);
		ck_assert_ptr_null(fx.recorder.open);
		ck_assert_uint_eq(fx.recorder.fed, size);
		ck_assert_mem_eq(fx.recorder.copy, fx.file.at, size);
		close_fixture(&fx);
	}
}
END_TEST

START_TEST(test_dead_and_overlapping_extents_are_not_fed)
{
	struct fixture fx;

	open_fixture(&fx, 1000, SOURCE_IMMUTABLE);
	add_extent(&fx, 0, 400, 0);
	add_extent(&fx, 100, 200, EXTENT_OVERLAP);
	add_extent(&fx, 500, 900, 0); /* after a hole */
	add_extent(&fx, 950, 2000, EXTENT_DEAD);
	expect_digest(&fx);
	ck_assert_uint_eq(fx.recorder.begun, 2);
	ck_assert_uint_eq(fx.recorder.fed, 800);
	close_fixture(&fx);
}
END_TEST

/* Misbehaving files */

START_TEST(test_unreadable_file_stops_the_pass)
{
	struct fixture fx;

	open_fixture(&fx, 3 * PASS_BLOCK, SOURCE_MUTABLE);
	fx.file.fail_at = 2;
	expect_stop(&fx, WLK_CAUSE_INPUT_UNREADABLE);
	close_fixture(&fx);

	open_fixture(&fx, 100, SOURCE_MUTABLE);
	fx.file.fail_at = 2; /* the read behind the end */
	expect_stop(&fx, WLK_CAUSE_INPUT_UNREADABLE);
	close_fixture(&fx);
}
END_TEST

static void shrink(struct mem_file *f)
{
	f->size -= 1;
}

START_TEST(test_file_truncated_under_the_pass_stops_it)
{
	struct fixture fx;

	open_fixture(&fx, 3 * PASS_BLOCK, SOURCE_MUTABLE);
	fx.file.act = shrink;
	fx.file.act_at = 2;
	expect_stop(&fx, WLK_CAUSE_INPUT_TRUNCATED);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_file_that_grew_is_changed)
{
	for (int kind = SOURCE_IMMUTABLE; kind <= SOURCE_MUTABLE; kind++) {
		struct fixture fx;

		open_fixture(&fx, 1000, (enum source_kind)kind);
		fx.src.size = 999; /* one byte appeared behind what was measured */
		expect_stop(&fx, WLK_CAUSE_INPUT_CHANGED);
		close_fixture(&fx);
	}
}
END_TEST

static void flip_first(struct mem_file *f)
{
	f->at[0] ^= 1;
}

/* A change behind the pass is not seen by it: the digest is of what was judged.  A re-read sees it. */
START_TEST(test_change_behind_the_pass_is_found_by_a_reread)
{
	uint8_t digest[32], expected[32], byte;
	struct fixture fx;

	open_fixture(&fx, 3 * PASS_BLOCK, SOURCE_MUTABLE);
	SHA256(fx.file.at, fx.src.size, expected);
	fx.file.act = flip_first;
	fx.file.act_at = 3;
	ck_assert_int_eq(pass_run(&fx.pass, digest), WLK_DONE);
	ck_assert_mem_eq(digest, expected, 32);
	ck_assert(!source_reread(&fx.src, 0, &byte, 1));
	ck_assert_int_eq(fx.src.err, SOURCE_CHANGED);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_spent_arena_stops_the_pass)
{
	struct fixture fx;

	open_fixture(&fx, 3 * PASS_BLOCK, SOURCE_MUTABLE);
	fx.arena.budget = 100000;
	expect_stop(&fx, WLK_CAUSE_LIMIT_MEMORY);
	ck_assert_uint_eq(fx.report->per_code[WLK_F_LIMIT_MEMORY], 1);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_pass_ends_when_nobody_listens)
{
	struct fixture fx;

	open_fixture(&fx, 8 * PASS_BLOCK, SOURCE_MUTABLE);
	report_at(fx.report, WLK_F_WEIGHTS_NAN, 0);
	fx.sent.refuse_after = 1;
	report_at(fx.report, WLK_F_WEIGHTS_NAN, 0);
	ck_assert(fx.report->failed);
	expect_stop(&fx, WLK_CAUSE_CANCELLED);
	ck_assert_uint_le(fx.file.reads, 1);
	close_fixture(&fx);
}
END_TEST

HARNESS("pass", test_digest_is_sha256_of_the_file, test_pins_captures_and_walkers_change_nothing,
    test_every_byte_is_read_once, test_pinned_bytes_are_hashed_from_memory, test_capture_is_clipped_to_the_file,
    test_spent_arena_refuses_a_capture, test_extents_are_fed_exactly_in_frames,
    test_dead_and_overlapping_extents_are_not_fed, test_unreadable_file_stops_the_pass,
    test_file_truncated_under_the_pass_stops_it, test_file_that_grew_is_changed,
    test_change_behind_the_pass_is_found_by_a_reread, test_spent_arena_stops_the_pass,
    test_pass_ends_when_nobody_listens)
