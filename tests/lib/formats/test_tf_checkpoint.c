/* Checkpoints of TensorFlow through the engine: what the corpus cannot hold - every cut and every damage of an index - and what
 * the reader is made of: checksums, Snappy, ranges, the list of operators. */
#include "harness.h"

#include <time.h>

#include "call_graph.h"
#include "crc32c.h"
#include "made_protobuf.h"
#include "memory_rows.h"
#include "ranges.h"
#include "tf_ops.h"
#include "tf_snappy.h"

/* -- an index in the making -- */

static void put_byte(struct file *f, unsigned byte)
{
	put(f, &(uint8_t){ (uint8_t)byte }, 1);
}

static void put_u32(struct file *f, uint32_t n)
{
	for (unsigned i = 0; i < 4; i++, n >>= 8)
		put_byte(f, n & 255);
}

/* How a block ends: one restart at its beginning, its coding and its checksum. */
static void end_block(struct file *f, size_t begin)
{
	put_u32(f, 0);
	put_u32(f, 1);
	put_byte(f, 0);
	put_u32(f, crc32c_masked(crc32c(0, bytes_of(f->at + begin, f->n - begin))));
}

static void put_entry(struct file *f, const char *key, const void *value, size_t n)
{
	put_byte(f, 0);
	put_varint(f, strlen(key));
	put_varint(f, n);
	put(f, key, strlen(key));
	put(f, value, n);
}

/* A block about the table, an index of one block that ends at @n, and the footer. */
static void end_table(struct file *f)
{
	static const uint8_t magic[] = { 0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb };
	size_t data = f->n, meta, index, footer;
	struct file handle = { 0 };

	put_varint(&handle, 0);
	put_varint(&handle, data - 5);
	end_block(f, meta = f->n);
	index = f->n;
	put_entry(f, "~", handle.at, handle.n);
	end_block(f, index);
	footer = f->n;
	put_varint(f, meta);
	put_varint(f, index - meta - 5);
	put_varint(f, index);
	put_varint(f, footer - index - 5);
	while (f->n < footer + 40)
		put_byte(f, 0);
	put(f, magic, sizeof(magic));
	free(handle.at);
}

/* Two floats in the first file, three in the second. */
static struct file small_index(void)
{
	static const uint8_t header[] = { 0x08, 2, 0x1a, 2, 0x08, 1 };
	static const uint8_t a[] = { 0x08, 1, 0x12, 4, 0x12, 2, 0x08, 2, 0x28, 8, 0x35, 1, 2, 3, 4 };
	static const uint8_t b[] = { 0x08, 1, 0x12, 4, 0x12, 2, 0x08, 3, 0x18, 1, 0x28, 12, 0x35, 1, 2, 3, 4 };
	struct file f = { 0 };

	put_entry(&f, "", header, sizeof(header));
	put_entry(&f, "a", a, sizeof(a));
	put_entry(&f, "b", b, sizeof(b));
	end_block(&f, 0);
	end_table(&f);
	return f;
}

static struct facts *scan(const struct file *f, enum source_kind kind)
{
	return file_scan(f, WLK_FORMAT_UNKNOWN, kind);
}

static bool accepted(const struct facts *f)
{
	return f->final.complete && memory_worst(f) < SEVERITY_MEDIUM;
}

/* -- the engine -- */

START_TEST(test_no_part_of_an_index_is_accepted)
{
	struct file f = small_index();
	size_t whole = f.n;
	struct facts *facts = scan(&f, SOURCE_MUTABLE);

	ck_assert(accepted(facts) && facts->final.format == WLK_FORMAT_TF_CHECKPOINT);
	facts_free(facts);
	for (f.n = 1; f.n < whole; f.n++) {
		facts = scan(&f, f.n % 2 == 0 ? SOURCE_IMMUTABLE : SOURCE_MUTABLE);
		ck_assert_msg(!accepted(facts), "%zu bytes of %zu", f.n, whole);
		facts_free(facts);
	}
	free(f.at);
}
END_TEST

/* A checksum covers each block, and each bit of the footer has to be what it is. */
START_TEST(test_no_damage_of_an_index_is_accepted)
{
	struct file f = small_index();

	for (size_t i = 0; i < f.n; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			struct facts *facts;

			f.at[i] ^= (uint8_t)(1u << bit);
			facts = scan(&f, SOURCE_IMMUTABLE);
			ck_assert(facts->has_final && facts->final.cause == WLK_CAUSE_NONE);
			ck_assert_msg(!accepted(facts), "bit %u of byte %zu", bit, i);
			for (uint32_t k = 0; k < facts->n_findings; k++)
				ck_assert(facts->findings[k].offset <= f.n);
			facts_free(facts);
			f.at[i] ^= (uint8_t)(1u << bit);
		}
	free(f.at);
}
END_TEST

START_TEST(test_rows_say_which_bytes_of_which_file)
{
	struct file f = small_index();
	struct job job = memory_job(f.n);
	struct memory_rows rows = { 0 };
	struct facts *facts;

	job.hint = WLK_FORMAT_UNKNOWN;
	job.rows = true;
	facts = memory_scan_rows(f.at, f.n, &job, &rows);
	ck_assert(accepted(facts));
	ck_assert_uint_eq(rows.n, 2);
	ck_assert(rows.list[1].row.kind == MANIFEST_MAPPING);
	ck_assert(bytes_equal(rows.list[1].row.name, bytes_of_text("b")));
	ck_assert(bytes_equal(rows.list[1].row.file, bytes_of_text(".data-00001-of-00002")));
	ck_assert(bytes_equal(rows.list[1].row.dtype, bytes_of_text("F32")));
	ck_assert_uint_eq(rows.list[1].row.shape[0], 3);
	ck_assert_uint_eq(rows.list[1].row.begin, 0);
	ck_assert_uint_eq(rows.list[1].row.end, 12);
	facts_free(facts);
	memory_rows_free(&rows);
	free(f.at);
}
END_TEST

/* Tensors whose places go down while their names go up: sorting is not quadratic. */
START_TEST(test_places_in_any_order_take_no_time)
{
	static const uint8_t header[] = { 0x08, 1, 0x1a, 2, 0x08, 1 };
	const unsigned n = 20000;
	struct file f = { 0 }, value = { 0 };
	struct facts *facts;
	clock_t begin;

	put_entry(&f, "", header, sizeof(header));
	for (unsigned i = 0; i < n; i++) {
		static const uint8_t scalar[] = { 0x08, 1, 0x12, 0, 0x20 };
		char name[16];

		snprintf(name, sizeof(name), "w%06u", i);
		value.n = 0;
		put(&value, scalar, sizeof(scalar));
		put_varint(&value, (uint64_t)(i % 2 == 0 ? i : n - i) * 4);
		put_byte(&value, 0x28);
		put_byte(&value, 4);
		put_entry(&f, name, value.at, value.n);
	}
	end_block(&f, 0);
	end_table(&f);
	begin = clock();
	facts = scan(&f, SOURCE_IMMUTABLE);
	ck_assert(clock() - begin < 5 * CLOCKS_PER_SEC);
	ck_assert(accepted(facts));
	facts_free(facts);
	free(value.at);
	free(f.at);
}
END_TEST

/* -- parts -- */

START_TEST(test_crc32c_is_that_of_the_standard)
{
	uint8_t zeros[32] = { 0 };

	ck_assert_uint_eq(crc32c(0, bytes_of_text("123456789")), 0xe3069283);
	ck_assert_uint_eq(crc32c(0, bytes_of(zeros, sizeof(zeros))), 0x8a9136aa); /* RFC 3720, B.4 */
	ck_assert_uint_eq(crc32c(crc32c(0, bytes_of_text("1234")), bytes_of_text("56789")), 0xe3069283);
}
END_TEST

static bool decodes_to(const char *coded, size_t coded_n, const char *want)
{
	uint8_t out[64];
	size_t n = strlen(want);

	return snappy_decode(bytes_of(coded, coded_n), out, n) && memcmp(out, want, n) == 0;
}
#define DECODES(coded, want) decodes_to(coded, sizeof(coded) - 1, want)

START_TEST(test_snappy_decodes_what_is_sound_and_nothing_else)
{
	ck_assert(DECODES("\x03\x08"
			  "abc",
	    "abc"));
	ck_assert(DECODES("\x07\x08"
			  "abc\x01\x03",
	    "abcabca")); /* four bytes from three back */
	ck_assert(DECODES("\x06\x00"
			  "a\x12\x01\x00",
	    "aaaaaa"));
	ck_assert(DECODES("\x06\x00"
			  "a\x13\x01\x00\x00\x00",
	    "aaaaaa"));
	ck_assert(DECODES("\x03\xf0\x02"
			  "abc",
	    "abc")); /* its length in a byte of its own */
	ck_assert(!DECODES("\x04\x08"
			   "abc",
	    "abca")); /* too few */
	ck_assert(!DECODES("\x02\x08"
			   "abc",
	    "ab")); /* too many */
	ck_assert(!DECODES("\x03\x08"
			   "ab",
	    "abc"));
	ck_assert(!DECODES("\x05\x00"
			   "a\x01\x02",
	    "aaaaa")); /* from before the beginning */
	ck_assert(!DECODES("\x05\x00"
			   "a\x01\x00",
	    "aaaaa")); /* from nowhere */
	ck_assert(!DECODES("\xff\xff\xff\xff\xff\x01", ""));
}
END_TEST

START_TEST(test_ranges_are_sorted_by_file_and_place)
{
	struct arena arena;
	struct ranges r = { .arena = &arena };
	uint32_t state = 1;

	arena_init(&arena, 1 << 20);
	for (unsigned i = 0; i < 1000; i++) {
		state = state * 1103515245 + 12345;
		ck_assert(
		    ranges_add(&r, (struct range){ .begin = state >> 20, .end = (state >> 20) + 1, .file = i % 3 }));
	}
	ranges_sort(&r);
	for (size_t i = 1; i < r.n; i++)
		ck_assert(r.list[i - 1].file < r.list[i].file ||
			  (r.list[i - 1].file == r.list[i].file && r.list[i - 1].begin <= r.list[i].begin));
	ck_assert_uint_eq(ranges_of_file(&r, 0), 334);
	ck_assert_uint_eq(ranges_of_file(&r, 334), 333);
	ck_assert_uint_eq(ranges_of_file(&r, 999), 1);
	arena_done(&arena);
}
END_TEST

START_TEST(test_reach_follows_calls_and_no_others)
{
	static const struct call_edge edges[] = { { 0, 1 }, { 3, 4 }, { 1, 2 }, { 2, 0 } };
	bool reached[5] = { false, true, false, false, false };
	struct arena arena;

	arena_init(&arena, 1 << 20);
	ck_assert(call_graph_reach(&arena, 5, edges, 4, reached));
	ck_assert(reached[0] && reached[1] && reached[2] && !reached[3] && !reached[4]);
	arena_done(&arena);
}
END_TEST

START_TEST(test_known_operators_are_in_order_and_found)
{
	static const char *const unknown[] = { "", "A", "MatMulX", "MatMu", "zzz", "My>Op", "Experimental" };

	ck_assert_uint_gt(tf_n_known_ops, 1600);
	for (size_t i = 0; i < tf_n_known_ops; i++) {
		ck_assert(i == 0 || strcmp(tf_known_ops[i - 1], tf_known_ops[i]) < 0);
		ck_assert(tf_op_is_known(bytes_of_text(tf_known_ops[i])));
	}
	for (size_t i = 0; i < tf_n_ops; i++)
		ck_assert(tf_op_is_known(bytes_of_text(tf_ops[i].name)));
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		ck_assert(!tf_op_is_known(bytes_of_text(unknown[i])));
}
END_TEST

HARNESS("tf_checkpoint", test_no_part_of_an_index_is_accepted, test_no_damage_of_an_index_is_accepted,
    test_rows_say_which_bytes_of_which_file, test_places_in_any_order_take_no_time, test_crc32c_is_that_of_the_standard,
    test_snappy_decodes_what_is_sound_and_nothing_else, test_ranges_are_sorted_by_file_and_place,
    test_reach_follows_calls_and_no_others, test_known_operators_are_in_order_and_found)
