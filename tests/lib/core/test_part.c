/* Parts and previews: what was previewed is what was hashed, or the scan says that the file changed. */
#include "harness.h"

#include "memory.h"
#include "part.h"

#define BUDGET ((size_t)64 << 20)
#define BLOCK PREVIEW_BLOCK

struct fixture {
	struct mem_file file;
	struct arena arena;
	struct source src;
	struct part part;
};

static void open_fixture(struct fixture *x, uint64_t size, enum source_kind kind)
{
	x->file = mem_file_random(size);
	arena_init(&x->arena, BUDGET);
	source_init(&x->src, mem_read, &x->file, size, kind, &x->arena, UINT64_MAX);
	preview_set_seed(&x->src, (struct siphash_key){ 1, 2 });
	x->part = part_of_file(&x->src);
}

static void close_fixture(struct fixture *x)
{
	source_done(&x->src);
	arena_done(&x->arena);
	free(x->file.at);
}

/* As the pass does: pinned bytes from their pins, the rest read again, in pieces that pins and `step` split. */
static bool run_pass(struct fixture *x, size_t step)
{
	struct source *src = &x->src;
	uint8_t digest[32];
	uint8_t *buf = malloc(step);
	bool ok = source_hash_begin(src);

	for (uint64_t at = 0; ok && at < src->size;) {
		uint64_t n = step - at % step < src->size - at ? step - at % step : src->size - at;
		const uint8_t *bytes = buf;

		for (size_t i = 0; i < src->n_pins; i++) {
			const struct source_pin *pin = &src->pins[i];

			if (pin->begin <= at && at < pin->end) {
				bytes = pin->at + (at - pin->begin);
				n = n < pin->end - at ? n : pin->end - at;
			} else if (at < pin->begin && pin->begin - at < n) {
				n = pin->begin - at;
			}
		}
		ok = (bytes != buf || source_read_exact(src, at, buf, (size_t)n)) && source_hash(src, bytes, (size_t)n);
		at += n;
	}
	ok = ok && source_hash_end(src, digest);
	free(buf);
	return ok;
}

/* Takes everything, or skips ahead. */
struct taker {
	const uint8_t *expected; /* the run's bytes */
	uint64_t taken, skip, stop_at;
	uint64_t next;
};

static uint64_t take(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct taker *t = ctx;

	ck_assert_uint_gt(n, 0);
	ck_assert_uint_eq(offset, t->next);
	ck_assert_mem_eq(at, t->expected + offset, n);
	t->taken += n;
	t->next = offset + n + t->skip;
	return t->stop_at > 0 && t->next >= t->stop_at ? FEED_END : t->next;
}

static bool preview(struct fixture *x, const struct part *p, uint64_t from)
{
	struct taker t = { .expected = x->file.at + p->origin, .next = from };

	return part_preview(p, from, (struct feeder){ take, &t }) && t.taken == p->size - from;
}

START_TEST(test_preview_feeds_every_byte_of_a_part_in_order)
{
	static const struct {
		uint64_t begin, n, from;
	} cases[] = { { 0, 3 * BLOCK + 5, 0 }, { 0, 3 * BLOCK + 5, 3 * BLOCK + 5 }, { BLOCK - 1, 2, 0 }, { 5, 0, 0 },
		{ 7, 2 * BLOCK, BLOCK - 7 }, { 3 * BLOCK, 5, 1 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture x;
		struct part range;

		open_fixture(&x, 3 * BLOCK + 5, SOURCE_MUTABLE);
		x.file.max_read = i % 2 ? 1000 : 0;
		range = part_range(&x.part, cases[i].begin, cases[i].n);
		ck_assert(preview(&x, &range, cases[i].from));
		ck_assert(run_pass(&x, 100000));
		close_fixture(&x);
	}
}
END_TEST

START_TEST(test_a_copy_is_previewed_from_memory)
{
	struct fixture x;
	struct taker t = { 0 };
	struct part copy;

	open_fixture(&x, 100, SOURCE_MUTABLE);
	copy = (struct part){ .src = &x.src, .origin = 50, .size = 100, .copy = x.file.at };
	copy = part_range(&copy, 10, 80);
	t.expected = x.file.at + 10;
	ck_assert(part_preview(&copy, 0, (struct feeder){ take, &t }));
	ck_assert_uint_eq(t.taken, 80);
	ck_assert_ptr_eq(part_pin(&copy, 5, 5), x.file.at + 15);
	ck_assert_uint_eq(part_offset(&copy, 5), OFFSET_DECODED | 5);
	ck_assert_uint_eq(x.file.reads, 0);
	close_fixture(&x);
}
END_TEST

START_TEST(test_skipped_blocks_are_not_read)
{
	struct fixture x;
	struct taker t = { .skip = 5 * BLOCK + 100 };

	open_fixture(&x, 20 * BLOCK, SOURCE_MUTABLE);
	t.expected = x.file.at;
	ck_assert(part_preview(&x.part, 0, (struct feeder){ take, &t }));
	ck_assert_uint_eq(x.file.reads, 4); /* blocks 0, 6, 12 and 18 */
	ck_assert_uint_eq(x.file.bytes, 4 * BLOCK);
	t = (struct taker){ .expected = x.file.at, .stop_at = 1 };
	ck_assert(part_preview(&x.part, 0, (struct feeder){ take, &t }));
	ck_assert_uint_eq(t.taken, BLOCK);
	close_fixture(&x);
}
END_TEST

START_TEST(test_small_parts_in_file_order_cost_one_read_a_block)
{
	struct fixture x;

	open_fixture(&x, 4 * BLOCK, SOURCE_MUTABLE);
	for (uint64_t at = 0; at < 4 * BLOCK; at += 64) {
		struct part small = part_range(&x.part, at, 60);

		ck_assert(preview(&x, &small, 0));
	}
	ck_assert_uint_eq(x.file.reads, 4);
	close_fixture(&x);
}
END_TEST

/* Steps that leave blocks whole, split them, and cut them small. */
static const size_t steps[] = { 4 * BLOCK, BLOCK, BLOCK - 1, 1000 };

START_TEST(test_a_change_between_preview_and_pass_is_seen_wherever_it_is)
{
	static const uint64_t places[] = { 0, BLOCK - 1, BLOCK, 2 * BLOCK + 77, 3 * BLOCK, 3 * BLOCK + 9 };

	for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
			struct fixture x;

			open_fixture(&x, 3 * BLOCK + 10, SOURCE_MUTABLE);
			ck_assert(preview(&x, &x.part, 0));
			x.file.at[places[i]] ^= 1;
			ck_assert(!run_pass(&x, steps[s]));
			ck_assert_int_eq(x.src.err, SOURCE_CHANGED);
			close_fixture(&x);
		}
	}
}
END_TEST

START_TEST(test_a_change_where_nobody_looked_is_no_change)
{
	for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
		struct fixture x;
		struct part middle;

		open_fixture(&x, 3 * BLOCK, SOURCE_MUTABLE);
		middle = part_range(&x.part, BLOCK, BLOCK);
		ck_assert(preview(&x, &middle, 0));
		x.file.at[BLOCK - 1] ^= 1;
		x.file.at[2 * BLOCK] ^= 1;
		ck_assert(run_pass(&x, steps[s]));
		close_fixture(&x);
	}
}
END_TEST

START_TEST(test_a_change_between_two_previews_is_seen)
{
	struct fixture x;
	struct taker t = { 0 };

	open_fixture(&x, 2 * BLOCK, SOURCE_MUTABLE);
	t.expected = x.file.at;
	ck_assert(preview(&x, &x.part, 0));
	x.file.at[100] ^= 1;
	ck_assert(!part_preview(&x.part, 0, (struct feeder){ take, &t }));
	ck_assert_int_eq(x.src.err, SOURCE_CHANGED);
	close_fixture(&x);
}
END_TEST

START_TEST(test_a_pin_gives_its_bytes_to_previews_behind_it)
{
	for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
		struct fixture x;
		struct taker t = { 0 };
		uint8_t *was;

		open_fixture(&x, 3 * BLOCK, SOURCE_MUTABLE);
		ck_assert_ptr_nonnull(part_pin(&x.part, BLOCK - 100, 200)); /* straddles two blocks */
		was = malloc(3 * BLOCK);
		memcpy(was, x.file.at, 3 * BLOCK);
		memset(x.file.at + BLOCK - 100, 0, 200); /* changes behind our back: the pin stands */
		t.expected = was;
		ck_assert(part_preview(&x.part, 0, (struct feeder){ take, &t }));
		ck_assert(run_pass(&x, steps[s]));
		free(was);
		close_fixture(&x);
	}
}
END_TEST

START_TEST(test_a_pin_that_differs_from_an_earlier_preview_is_a_change)
{
	for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
		struct fixture x;

		open_fixture(&x, 3 * BLOCK, SOURCE_MUTABLE);
		ck_assert(preview(&x, &x.part, 0));
		x.file.at[BLOCK + 3] ^= 1;
		ck_assert_ptr_nonnull(part_pin(&x.part, BLOCK - 100, 200));
		x.file.at[BLOCK + 3] ^= 1; /* and back again: only the pin has seen it */
		ck_assert(!run_pass(&x, steps[s]));
		ck_assert_int_eq(x.src.err, SOURCE_CHANGED);
		close_fixture(&x);
	}
}
END_TEST

START_TEST(test_an_immutable_file_costs_no_memory_but_the_block)
{
	struct fixture x;

	open_fixture(&x, 100 * BLOCK, SOURCE_IMMUTABLE);
	ck_assert(preview(&x, &x.part, 0));
	ck_assert_uint_lt(x.arena.used, 2 * BLOCK);
	ck_assert_ptr_null(x.src.preview.leaves);
	close_fixture(&x);
}
END_TEST

START_TEST(test_a_mutable_file_costs_eight_bytes_a_block)
{
	struct fixture x;
	uint64_t size = 4096 * BLOCK; /* 256 MiB, of which nothing is stored */

	open_fixture(&x, 0, SOURCE_MUTABLE);
	free(x.file.at);
	x.file.at = calloc(1, size);
	x.file.size = x.src.size = size;
	x.part = part_of_file(&x.src);
	ck_assert(preview(&x, &x.part, 0));
	ck_assert_uint_lt(x.arena.used, 8 * 4096 + 3 * BLOCK);
	ck_assert_uint_ne(x.src.preview.leaves[0][0], 0);
	close_fixture(&x);
}
END_TEST

START_TEST(test_failures_are_told_apart)
{
	struct fixture x;

	open_fixture(&x, 2 * BLOCK, SOURCE_MUTABLE);
	x.file.fail_at = 2;
	ck_assert(!preview(&x, &x.part, 0));
	ck_assert_int_eq(x.src.err, SOURCE_UNREADABLE);
	close_fixture(&x);

	open_fixture(&x, 2 * BLOCK, SOURCE_MUTABLE);
	x.file.size = BLOCK + 1;
	ck_assert(!preview(&x, &x.part, 0));
	ck_assert_int_eq(x.src.err, SOURCE_TRUNCATED);
	close_fixture(&x);

	open_fixture(&x, 2 * BLOCK, SOURCE_MUTABLE);
	x.arena.budget = BLOCK / 2;
	ck_assert(!preview(&x, &x.part, 0));
	ck_assert_int_eq(x.src.err, SOURCE_MEMORY);
	close_fixture(&x);
}
END_TEST

HARNESS("part", test_preview_feeds_every_byte_of_a_part_in_order, test_a_copy_is_previewed_from_memory,
    test_skipped_blocks_are_not_read, test_small_parts_in_file_order_cost_one_read_a_block,
    test_a_change_between_preview_and_pass_is_seen_wherever_it_is, test_a_change_where_nobody_looked_is_no_change,
    test_a_change_between_two_previews_is_seen, test_a_pin_gives_its_bytes_to_previews_behind_it,
    test_a_pin_that_differs_from_an_earlier_preview_is_a_change, test_an_immutable_file_costs_no_memory_but_the_block,
    test_a_mutable_file_costs_eight_bytes_a_block, test_failures_are_told_apart)
