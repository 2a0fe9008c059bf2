/* The source: pins, and re-reads that are proven to return what was hashed. */
#include <openssl/evp.h>

#include "harness.h"

#include "memory.h"

#define BUDGET ((size_t)64 << 20)
#define BLOCK SOURCE_BLOCK_MIN

/* One source over one file in memory. */
struct fixture {
	struct mem_file file;
	struct arena arena;
	struct source src;
};

static void open_fixture(struct fixture *x, uint64_t size, enum source_kind kind, uint64_t pin_budget)
{
	x->file = mem_file_random(size);
	arena_init(&x->arena, BUDGET);
	source_init(&x->src, mem_read, &x->file, size, kind, &x->arena, pin_budget);
}

static void close_fixture(struct fixture *x)
{
	source_done(&x->src);
	arena_done(&x->arena);
	free(x->file.at);
}

/* What the pass does with the source, without a pass. */
static bool hash_all(struct fixture *x, uint8_t digest[32])
{
	return source_hash_begin(&x->src) && source_hash(&x->src, x->file.at, (size_t)x->src.size) &&
	       source_hash_end(&x->src, digest);
}

START_TEST(test_block_size_keeps_the_number_of_blocks_bounded)
{
	const uint64_t mib = 1 << 20;
	static const struct {
		uint64_t size, block;
	} expected[] = {
		{ 0, 1 << 20 },
		{ UINT64_C(1) << 36, 1 << 20 },
		{ (UINT64_C(1) << 36) + 1, 1 << 21 },
		{ UINT64_C(1) << 40, 1 << 24 },
		{ UINT64_MAX, UINT64_C(1) << 48 },
	};

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		struct source src;

		source_init(&src, mem_read, NULL, expected[i].size, SOURCE_MUTABLE, NULL, 0);
		ck_assert_uint_eq(src.block_size, expected[i].block);
		ck_assert_uint_ge(src.block_size, mib);
		ck_assert_uint_le((src.size - (src.size > 0)) / src.block_size + 1, SOURCE_BLOCKS_MAX);
	}
}
END_TEST

START_TEST(test_pin_is_read_once)
{
	struct fixture x;
	const uint8_t *at;

	open_fixture(&x, 10000, SOURCE_MUTABLE, 5000);
	at = source_pin(&x.src, 100, 1000);
	ck_assert_mem_eq(at, x.file.at + 100, 1000);
	ck_assert_ptr_eq(source_pin(&x.src, 100, 1000), at);
	ck_assert_ptr_eq(source_pin(&x.src, 600, 500), at + 500);
	ck_assert_uint_eq(x.file.reads, 1);
	ck_assert_uint_eq(x.src.pin_budget, 4000);
	close_fixture(&x);
}
END_TEST

START_TEST(test_overlapping_pins_join_and_keep_the_bytes_first_seen)
{
	struct fixture x;
	const uint8_t *old, *joined;
	uint8_t first = 0;

	open_fixture(&x, 10000, SOURCE_MUTABLE, 5000);
	old = source_pin(&x.src, 1000, 100);
	first = old[0];
	ck_assert_ptr_nonnull(source_pin(&x.src, 1200, 100));
	x.file.at[1000] ^= 0xff; /* the file changes behind our back: the pin stands */
	joined = source_pin(&x.src, 900, 350);
	ck_assert_uint_eq(joined[100], first);
	ck_assert_uint_eq(old[0], first);
	ck_assert_mem_eq(joined + 101, x.file.at + 1001, 249);
	ck_assert_uint_eq(x.src.n_pins, 1);
	ck_assert_uint_eq(x.src.pins[0].begin, 900);
	ck_assert_uint_eq(x.src.pins[0].end, 1300);
	ck_assert_uint_eq(x.file.bytes, 400);
	ck_assert_uint_eq(x.src.pin_budget, 4600);
	close_fixture(&x);
}
END_TEST

START_TEST(test_random_pins_hold_the_file_and_stay_sorted_and_disjoint)
{
	uint64_t state = 1;

	for (int round = 0; round < 200; round++) {
		struct fixture x;

		open_fixture(&x, 3000, SOURCE_IMMUTABLE, UINT64_MAX);
		for (int i = 0; i < 40; i++) {
			uint64_t begin = next_random(&state) % 3000;
			uint64_t n = next_random(&state) % (i % 2 ? 20 : 300);

			n = n < 3000 - begin ? n : 3000 - begin;
			ck_assert_mem_eq(source_pin(&x.src, begin, (size_t)n), x.file.at + begin, (size_t)n);
		}
		for (size_t i = 0; i < x.src.n_pins; i++) {
			ck_assert_uint_lt(x.src.pins[i].begin, x.src.pins[i].end);
			ck_assert(i == 0 || x.src.pins[i - 1].end <= x.src.pins[i].begin);
		}
		ck_assert_uint_le(x.file.bytes, 3000);
		close_fixture(&x);
	}
}
END_TEST

START_TEST(test_pin_budget_is_met_to_the_byte)
{
	struct fixture x;

	open_fixture(&x, 10000, SOURCE_MUTABLE, 1000);
	ck_assert_ptr_nonnull(source_pin(&x.src, 0, 1000));
	ck_assert_ptr_null(source_pin(&x.src, 1000, 1));
	ck_assert_int_eq(x.src.err, SOURCE_MEMORY);
	ck_assert_ptr_null(source_pin(&x.src, 0, 1000)); /* the first failure sticks */
	close_fixture(&x);

	open_fixture(&x, 10000, SOURCE_MUTABLE, 1000);
	source_raise_pin_budget(&x.src, 9000);
	ck_assert_ptr_nonnull(source_pin(&x.src, 0, 10000));
	close_fixture(&x);
}
END_TEST

START_TEST(test_sixty_four_pins_and_no_more)
{
	struct fixture x;

	open_fixture(&x, 10000, SOURCE_MUTABLE, 10000);
	for (uint64_t i = 0; i < SOURCE_PINS_MAX; i++)
		ck_assert_ptr_nonnull(source_pin(&x.src, 10 * i, 5));
	ck_assert_ptr_null(source_pin(&x.src, 9000, 5));
	ck_assert_int_eq(x.src.err, SOURCE_MEMORY);
	close_fixture(&x);
}
END_TEST

START_TEST(test_short_reads_are_joined)
{
	struct fixture x;

	open_fixture(&x, 1000, SOURCE_MUTABLE, 1000);
	x.file.max_read = 7;
	ck_assert_mem_eq(source_pin(&x.src, 0, 1000), x.file.at, 1000);
	close_fixture(&x);
}
END_TEST

START_TEST(test_failing_and_short_files_are_told_apart)
{
	struct fixture x;

	open_fixture(&x, 1000, SOURCE_MUTABLE, 1000);
	x.file.fail_at = 1;
	ck_assert_ptr_null(source_pin(&x.src, 0, 10));
	ck_assert_int_eq(x.src.err, SOURCE_UNREADABLE);
	ck_assert_int_eq(source_cause(x.src.err), WLK_CAUSE_INPUT_UNREADABLE);
	close_fixture(&x);

	open_fixture(&x, 1000, SOURCE_MUTABLE, 1000);
	x.file.size = 999;
	ck_assert_ptr_null(source_pin(&x.src, 990, 10));
	ck_assert_int_eq(x.src.err, SOURCE_TRUNCATED);
	ck_assert_int_eq(source_cause(x.src.err), WLK_CAUSE_INPUT_TRUNCATED);
	close_fixture(&x);
}
END_TEST

static int64_t read_too_much(void *ctx, uint64_t offset, void *buf, size_t n)
{
	(void)ctx, (void)offset, (void)buf;
	return (int64_t)n + 1;
}

START_TEST(test_reader_that_claims_too_much_is_not_believed)
{
	struct fixture x;
	uint8_t buf[10];

	open_fixture(&x, 1000, SOURCE_MUTABLE, 1000);
	x.src.read = read_too_much;
	ck_assert(!source_read_exact(&x.src, 0, buf, sizeof(buf)));
	ck_assert_int_eq(x.src.err, SOURCE_UNREADABLE);
	close_fixture(&x);
}
END_TEST

static void check_rereads(enum source_kind kind, uint64_t size)
{
	uint8_t digest[32], buf[5000];
	uint64_t state = size;
	struct fixture x;

	open_fixture(&x, size, kind, 0);
	ck_assert(hash_all(&x, digest));
	x.src.reread_budget = UINT64_MAX; /* random order: the budget has a test of its own */
	for (int i = 0; i < 20; i++) {
		uint64_t begin = next_random(&state) % size;
		uint64_t n = next_random(&state) % sizeof(buf);

		begin = i % 2 ? begin : begin / BLOCK * BLOCK; /* also across and at borders */
		begin = i % 4 == 2 && begin > 100 ? begin - 100 : begin;
		n = n < size - begin ? n : size - begin;
		ck_assert(source_reread(&x.src, begin, buf, (size_t)n));
		ck_assert_mem_eq(buf, x.file.at + begin, (size_t)n);
	}
	ck_assert(source_reread(&x.src, size - 1, buf, 1));
	close_fixture(&x);
}

START_TEST(test_rereads_return_the_file)
{
	check_rereads(SOURCE_IMMUTABLE, 3 * BLOCK + 5);
	check_rereads(SOURCE_MUTABLE, 1);
	check_rereads(SOURCE_MUTABLE, BLOCK - 1);
	check_rereads(SOURCE_MUTABLE, BLOCK);
	check_rereads(SOURCE_MUTABLE, BLOCK + 1);
	check_rereads(SOURCE_MUTABLE, 3 * BLOCK);
	check_rereads(SOURCE_MUTABLE, 3 * BLOCK + 5);
}
END_TEST

/* Flip one bit after the pass; is the re-read of byte `wanted` refused? */
static bool notices_flip(uint64_t size, uint64_t flipped, uint64_t wanted)
{
	uint8_t digest[32], byte;
	struct fixture x;
	bool refused;

	open_fixture(&x, size, SOURCE_MUTABLE, 0);
	ck_assert(hash_all(&x, digest));
	x.file.at[flipped] ^= 1;
	refused = !source_reread(&x.src, wanted, &byte, 1);
	ck_assert(!refused || x.src.err == SOURCE_CHANGED);
	close_fixture(&x);
	return refused;
}

START_TEST(test_reread_notices_one_flipped_bit_in_its_block)
{
	ck_assert(notices_flip(1, 0, 0));
	ck_assert(notices_flip(BLOCK + 1, 0, 0));
	ck_assert(notices_flip(BLOCK + 1, BLOCK - 1, 0));
	ck_assert(notices_flip(BLOCK + 1, BLOCK, BLOCK));
	ck_assert(notices_flip(2 * BLOCK, 2 * BLOCK - 1, BLOCK));
	ck_assert(!notices_flip(2 * BLOCK, BLOCK, BLOCK - 1));
	ck_assert(!notices_flip(2 * BLOCK, BLOCK - 1, BLOCK));
}
END_TEST

START_TEST(test_reread_of_a_shortened_file_is_a_change)
{
	uint8_t digest[32], byte;
	struct fixture x;

	open_fixture(&x, 1000, SOURCE_MUTABLE, 0);
	ck_assert(hash_all(&x, digest));
	x.file.size = 999;
	ck_assert(!source_reread(&x.src, 0, &byte, 1));
	ck_assert_int_eq(x.src.err, SOURCE_CHANGED);
	ck_assert(!source_reread(&x.src, 0, &byte, 1)); /* and stays */
	close_fixture(&x);
}
END_TEST

START_TEST(test_sequential_rereads_hash_each_block_once)
{
	uint8_t digest[32], buf[1000];
	uint64_t size = 2 * BLOCK + 500;
	struct fixture x;

	open_fixture(&x, size, SOURCE_MUTABLE, 0);
	ck_assert(hash_all(&x, digest));
	x.file.bytes = 0;
	for (uint64_t at = 0; at < size; at += sizeof(buf)) {
		uint64_t n = sizeof(buf) < size - at ? sizeof(buf) : size - at;

		ck_assert(source_reread(&x.src, at, buf, (size_t)n));
	}
	ck_assert_uint_eq(x.file.bytes, size);
	ck_assert_uint_eq(x.src.reread_budget, 0);
	ck_assert(source_reread(&x.src, size - 1, buf, 1)); /* still in memory */
	ck_assert(!source_reread(&x.src, 0, buf, 1));
	ck_assert_int_eq(x.src.err, SOURCE_BUDGET);
	ck_assert_int_eq(source_cause(x.src.err), WLK_CAUSE_LIMIT_REREAD);
	close_fixture(&x);
}
END_TEST

START_TEST(test_reread_of_a_pin_needs_no_read)
{
	uint8_t digest[32], buf[100];
	struct fixture x;

	open_fixture(&x, 1000, SOURCE_MUTABLE, 1000);
	ck_assert_ptr_nonnull(source_pin(&x.src, 100, 200));
	ck_assert(hash_all(&x, digest));
	x.file.bytes = 0;
	ck_assert(source_reread(&x.src, 200, buf, 100));
	ck_assert_mem_eq(buf, x.file.at + 200, 100);
	ck_assert_uint_eq(x.file.bytes, 0);
	close_fixture(&x);
}
END_TEST

START_TEST(test_spent_arena_stops_pins_chains_and_rereads)
{
	uint8_t digest[32], byte;
	struct fixture x;

	open_fixture(&x, 100000, SOURCE_MUTABLE, 100000);
	x.arena.budget = 1000;
	ck_assert_ptr_null(source_pin(&x.src, 0, 5000));
	ck_assert_int_eq(x.src.err, SOURCE_MEMORY);
	close_fixture(&x);

	open_fixture(&x, 100000, SOURCE_MUTABLE, 0);
	x.arena.budget = 10;
	ck_assert(!source_hash_begin(&x.src));
	ck_assert_int_eq(x.src.err, SOURCE_MEMORY);
	close_fixture(&x);

	open_fixture(&x, 100000, SOURCE_MUTABLE, 0);
	ck_assert(hash_all(&x, digest));
	x.arena.budget = x.arena.used;
	ck_assert(!source_reread(&x.src, 0, &byte, 1));
	ck_assert_int_eq(source_cause(x.src.err), WLK_CAUSE_LIMIT_MEMORY);
	close_fixture(&x);
}
END_TEST

START_TEST(test_chains_count_against_the_budget)
{
	struct fixture x;

	open_fixture(&x, 5 * BLOCK, SOURCE_MUTABLE, 0);
	ck_assert(source_hash_begin(&x.src));
	ck_assert_uint_ge(x.arena.used, 6 * 32);
	close_fixture(&x);

	open_fixture(&x, 5 * BLOCK, SOURCE_MUTABLE, 0);
	x.arena.budget = 6 * 32 - 1;
	ck_assert(!source_hash_begin(&x.src));
	ck_assert_int_eq(x.src.err, SOURCE_MEMORY);
	close_fixture(&x);
}
END_TEST

START_TEST(test_immutable_source_keeps_no_chains)
{
	uint8_t digest[32];
	struct fixture x;

	open_fixture(&x, 5 * BLOCK, SOURCE_IMMUTABLE, 0);
	ck_assert(hash_all(&x, digest));
	ck_assert_ptr_null(x.src.chains);
	ck_assert_uint_eq(x.arena.used, 0);
	close_fixture(&x);
}
END_TEST

START_TEST(test_a_digest_that_is_left_to_others_is_not_taken)
{
	static const uint8_t none[32];
	uint8_t digest[32], range[32], expected[32], byte;
	struct fixture x;

	open_fixture(&x, 5000, SOURCE_IMMUTABLE, 0);
	source_leave_digest(&x.src);
	ck_assert(source_hash_range(&x.src, 10, 20));
	ck_assert(hash_all(&x, digest));
	ck_assert_mem_eq(digest, none, 32);
	ck_assert(source_range_digest(&x.src, range)); /* a checksum of the format's own */
	ck_assert(EVP_Digest(x.file.at + 10, 10, expected, NULL, EVP_sha256(), NULL));
	ck_assert_mem_eq(range, expected, 32);
	ck_assert(source_reread(&x.src, 4999, &byte, 1) && byte == x.file.at[4999]);
	close_fixture(&x);
}
END_TEST

/* In pieces of all lengths, beginning and ending anywhere. */
START_TEST(test_digest_of_a_range_is_that_of_its_bytes_alone)
{
	static const uint64_t ranges[][2] = { { 0, 0 }, { 0, 1 }, { 0, 5000 }, { 24, 4968 }, { 4999, 5000 }, { 64, 65 },
		{ 5000, 5000 } };

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		uint64_t begin = ranges[i][0], end = ranges[i][1], at = 0;
		uint8_t digest[32], range[32], expected[32];
		struct fixture x;

		open_fixture(&x, 5000, i % 2 ? SOURCE_MUTABLE : SOURCE_IMMUTABLE, 0);
		ck_assert(source_hash_range(&x.src, begin, end));
		ck_assert(source_hash_begin(&x.src));
		for (uint64_t n = 1; at < 5000; at += n, n = n * 3 % 1000 < 5000 - at ? n * 3 % 1000 : 5000 - at)
			ck_assert(source_hash(&x.src, x.file.at + at, (size_t)n));
		ck_assert(source_hash_end(&x.src, digest) && source_range_digest(&x.src, range));
		ck_assert(EVP_Digest(x.file.at + begin, (size_t)(end - begin), expected, NULL, EVP_sha256(), NULL));
		ck_assert_mem_eq(range, expected, 32);
		ck_assert(EVP_Digest(x.file.at, 5000, expected, NULL, EVP_sha256(), NULL));
		ck_assert_mem_eq(digest, expected, 32);
		close_fixture(&x);
	}
}
END_TEST

/* One that ends before its pass: nothing is left behind. */
START_TEST(test_digest_of_a_range_counts_against_the_budget)
{
	struct fixture x;

	open_fixture(&x, 5000, SOURCE_IMMUTABLE, 0);
	ck_assert(source_hash_range(&x.src, 0, 5000));
	ck_assert_uint_ge(x.arena.used, sizeof(struct sha256));
	close_fixture(&x);
	open_fixture(&x, 5000, SOURCE_IMMUTABLE, 0);
	x.arena.budget = 0;
	ck_assert(!source_hash_range(&x.src, 0, 5000));
	ck_assert_int_eq(x.src.err, SOURCE_MEMORY);
	close_fixture(&x);
}
END_TEST

/* ---- what flows by: who hashes it sees one file, and who judges it may have seen another before and after ---- */

struct flowing {
	struct fixture x;
	uint8_t *hashed; /* the bytes that go by */
	uint8_t chains[8][32];
	bool overtaken, lost;
	struct source_flow flow;
};

static const uint8_t *flow_at(void *ctx, uint64_t offset, size_t n)
{
	const struct flowing *f = ctx;

	ck_assert_uint_le(offset % FLOW_BLOCK + n, FLOW_BLOCK);
	return f->hashed + offset;
}

static bool flow_intact(void *ctx, uint64_t offset)
{
	(void)offset;
	return !((const struct flowing *)ctx)->overtaken;
}

static const uint8_t (*flow_chains(void *ctx))[SHA256_BYTES]
{
	const struct flowing *f = ctx;

	return f->lost ? NULL : f->chains;
}

static void open_flowing(struct flowing *f, uint64_t size)
{
	struct sha256 hash;
	uint64_t at = 0;

	*f = (struct flowing){ .flow = { flow_at, flow_intact, flow_chains, f } };
	open_fixture(&f->x, size, SOURCE_MUTABLE, size);
	f->hashed = malloc(size);
	memcpy(f->hashed, f->x.file.at, size);
	sha256_begin(&hash);
	for (; at + BLOCK <= size; at += BLOCK) {
		sha256_chain(&hash, f->chains[at / BLOCK]);
		sha256_feed(&hash, f->hashed + at, BLOCK);
	}
	if (at < size)
		sha256_chain(&hash, f->chains[at / BLOCK]);
	sha256_feed(&hash, f->hashed + at, size - at);
	sha256_end(&hash, f->chains[size / BLOCK + (at < size)]);
	source_follow(&f->x.src, &f->flow);
}

static void close_flowing(struct flowing *f)
{
	free(f->hashed);
	close_fixture(&f->x);
}

static bool flow_by(struct flowing *f)
{
	static const uint8_t none[32];
	struct source *src = &f->x.src;
	uint8_t digest[32];
	size_t n;

	if (!source_hash_begin(src))
		return false;
	for (uint64_t at = 0; at < src->size; at += n) {
		const uint8_t *piece;

		n = src->size - at < FLOW_BLOCK ? (size_t)(src->size - at) : FLOW_BLOCK;
		piece = source_flowing(src, at, n);
		if (piece == NULL || !source_hash(src, piece, n) || !source_flowed(src, at))
			return false;
	}
	if (!source_hash_end(src, digest))
		return false;
	ck_assert_mem_eq(digest, none, 32);
	return true;
}

START_TEST(test_what_flows_by_is_what_was_pinned_previewed_and_is_read_again)
{
	static const uint64_t sizes[] = { 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 3 * BLOCK + 5 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct flowing f;
		uint8_t byte;
		size_t n;

		open_flowing(&f, sizes[i]);
		ck_assert_ptr_nonnull(source_pin(&f.x.src, 0, 1));
		ck_assert_ptr_nonnull(preview_block(&f.x.src, sizes[i] / 2 / PREVIEW_BLOCK, &n));
		ck_assert(flow_by(&f));
		for (uint64_t at = 0; at < sizes[i]; at += BLOCK / 2)
			ck_assert(source_reread(&f.x.src, at, &byte, 1) && byte == f.hashed[at]);
		ck_assert(source_reread(&f.x.src, sizes[i] - 1, &byte, 1));
		close_flowing(&f);
	}
}
END_TEST

/* The file is exchanged, a byte of it at least, before or after it goes by. */
START_TEST(test_a_file_that_changes_at_pin_preview_and_reread_is_noticed)
{
	struct flowing f;
	uint8_t byte;
	size_t n;

	for (uint64_t at = 0; at < 3 * BLOCK; at += BLOCK / 2 + 7) {
		open_flowing(&f, 3 * BLOCK);
		f.x.file.at[at] ^= 1;
		ck_assert_ptr_nonnull(source_pin(&f.x.src, at, 1));
		ck_assert(!flow_by(&f));
		ck_assert_int_eq(f.x.src.err, SOURCE_CHANGED);
		close_flowing(&f);

		open_flowing(&f, 3 * BLOCK);
		f.x.file.at[at] ^= 1;
		ck_assert_ptr_nonnull(preview_block(&f.x.src, at / PREVIEW_BLOCK, &n));
		ck_assert(!flow_by(&f));
		ck_assert_int_eq(f.x.src.err, SOURCE_CHANGED);
		close_flowing(&f);

		open_flowing(&f, 3 * BLOCK);
		f.x.file.at[at] ^= 1;
		ck_assert(flow_by(&f));
		ck_assert(!source_reread(&f.x.src, at / BLOCK * BLOCK, &byte, 1));
		ck_assert_int_eq(f.x.src.err, SOURCE_CHANGED);
		close_flowing(&f);
	}
}
END_TEST

START_TEST(test_what_was_overtaken_or_never_came_is_no_pass)
{
	struct flowing f;
	uint8_t byte;

	open_flowing(&f, 2 * BLOCK);
	f.overtaken = true;
	ck_assert(!flow_by(&f));
	ck_assert_int_eq(f.x.src.err, SOURCE_UNREADABLE);
	close_flowing(&f);

	open_flowing(&f, 2 * BLOCK);
	f.lost = true;
	ck_assert(flow_by(&f));
	ck_assert(!source_reread(&f.x.src, 0, &byte, 1));
	ck_assert_int_eq(f.x.src.err, SOURCE_UNREADABLE);
	close_flowing(&f);
}
END_TEST

HARNESS("source", test_block_size_keeps_the_number_of_blocks_bounded, test_pin_is_read_once,
    test_overlapping_pins_join_and_keep_the_bytes_first_seen,
    test_random_pins_hold_the_file_and_stay_sorted_and_disjoint, test_pin_budget_is_met_to_the_byte,
    test_sixty_four_pins_and_no_more, test_short_reads_are_joined, test_failing_and_short_files_are_told_apart,
    test_reader_that_claims_too_much_is_not_believed, test_rereads_return_the_file,
    test_reread_notices_one_flipped_bit_in_its_block, test_reread_of_a_shortened_file_is_a_change,
    test_sequential_rereads_hash_each_block_once, test_reread_of_a_pin_needs_no_read,
    test_spent_arena_stops_pins_chains_and_rereads, test_chains_count_against_the_budget,
    test_immutable_source_keeps_no_chains, test_a_digest_that_is_left_to_others_is_not_taken,
    test_digest_of_a_range_is_that_of_its_bytes_alone, test_digest_of_a_range_counts_against_the_budget,
    test_what_flows_by_is_what_was_pinned_previewed_and_is_read_again,
    test_a_file_that_changes_at_pin_preview_and_reread_is_noticed, test_what_was_overtaken_or_never_came_is_no_pass)
