/* Flax checkpoints through the engine: what the corpus cannot hold - files nobody wrote, every cut of one, rows of the
 * manifest, and the sizes at which memory and time would show. */
#include "harness.h"

#include "cpu_clock.h"
#include "made_file.h"
#include "memory_rows.h"
#include "xorshift.h"

static void put_byte(struct file *f, unsigned byte)
{
	uint8_t b = (uint8_t)byte;

	put(f, &b, 1);
}

/* Big endian. */
static void put_number(struct file *f, uint64_t value, size_t bytes)
{
	for (size_t i = bytes; i-- > 0;)
		put_byte(f, (unsigned)(value >> (8 * i) & 0xff));
}

/* @first: of the form with one byte (or, of counts, two) behind it; those with more follow. */
static void put_sized(struct file *f, unsigned first, size_t least_bytes, uint64_t n)
{
	size_t bytes = least_bytes;

	for (; bytes < 4 && n >> (8 * bytes) != 0; bytes *= 2)
		first++;
	put_byte(f, first);
	put_number(f, n, bytes);
}

static void put_map(struct file *f, uint64_t n)
{
	if (n < 16)
		put_byte(f, 0x80 | (unsigned)n);
	else
		put_sized(f, 0xde, 2, n);
}

static void put_list(struct file *f, uint64_t n)
{
	if (n < 16)
		put_byte(f, 0x90 | (unsigned)n);
	else
		put_sized(f, 0xdc, 2, n);
}

static void put_text(struct file *f, const char *text)
{
	size_t n = strlen(text);

	if (n < 32)
		put_byte(f, 0xa0 | (unsigned)n);
	else
		put_sized(f, 0xd9, 1, n);
	put(f, text, n);
}

static void put_blob(struct file *f, const void *at, size_t n)
{
	put_sized(f, 0xc4, 1, n);
	put(f, at, n);
}

static void put_integer(struct file *f, uint64_t value)
{
	size_t bytes = 1;
	unsigned first = 0xcc;

	if (value < 128) {
		put_byte(f, (unsigned)value);
		return;
	}
	for (; bytes < 8 && value >> (8 * bytes) != 0; bytes *= 2)
		first++;
	put_byte(f, first);
	put_number(f, value, bytes);
}

static void put_ext(struct file *f, unsigned type, const struct file *payload)
{
	if (payload->n == 16)
		put_byte(f, 0xd8);
	else
		put_sized(f, 0xc7, 1, payload->n);
	put_byte(f, type);
	put(f, payload->at, payload->n);
}

static void put_array(struct file *f, unsigned type, const char *dtype, const uint64_t *shape, unsigned rank, size_t n)
{
	struct file payload = { 0 };
	uint8_t *zeros = calloc(n + 1, 1);

	put_list(&payload, 3);
	put_list(&payload, rank);
	for (unsigned i = 0; i < rank; i++)
		put_integer(&payload, shape[i]);
	put_text(&payload, dtype);
	put_blob(&payload, zeros, n);
	put_ext(f, type, &payload);
	free(zeros);
	free(payload.at);
}

/* -- honest files -- */

static uint64_t state;

static uint32_t below(uint32_t n)
{
	return xorshift_below(&state, n);
}

static const struct {
	const char *name;
	size_t bytes;
} types[] = { { "float32", 4 }, { "bfloat16", 2 }, { "int64", 8 }, { "bool", 1 }, { "complex128", 16 },
	{ "float8_e5m2", 1 } };

static void put_random_array(struct file *f)
{
	size_t type = below(sizeof(types) / sizeof(types[0])), n = 1;
	unsigned rank = below(5);
	uint64_t shape[4];

	for (unsigned i = 0; i < rank; i++) {
		shape[i] = below(i == 0 ? 40 : 6);
		n *= (size_t)shape[i];
	}
	put_array(f, rank == 0 ? 3 : 1, types[type].name, shape, rank, n * types[type].bytes);
}

static void put_random_scalar(struct file *f)
{
	switch (below(6)) {
	case 0: put_byte(f, 0xc0); break;
	case 1: put_byte(f, 0xc2 + below(2)); break;
	case 2: put_integer(f, (uint64_t)below(UINT32_MAX) >> below(32)); break;
	case 3:
		put_text(
		    f, below(2) == 0 ? "some text \xC3\xA9" : "a text that is longer than a short one may be, by far");
		break;
	case 4: put_blob(f, "\x80\x04", below(3)); break;
	default: put_byte(f, 0xcb); put_number(f, UINT64_C(0x3ff0000000000000), 8);
	}
}

static void put_random_value(struct file *f, unsigned depth)
{
	unsigned kind = below(depth < 5 ? 10 : 8), n = below(20);
	char key[32];

	if (kind < 4) {
		put_random_array(f);
		return;
	}
	if (kind < 8) {
		put_random_scalar(f);
		return;
	}
	if (kind == 8)
		put_list(f, n);
	else
		put_map(f, n);
	for (unsigned i = 0; i < n; i++) {
		snprintf(key, sizeof(key), "Dense_%u", i);
		if (kind == 9)
			put_text(f, key);
		put_random_value(f, depth + 1);
	}
}

static struct file honest_file(void)
{
	unsigned n = 1 + below(40);
	struct file f = { 0 };
	char key[32];

	put_map(&f, n);
	for (unsigned i = 0; i < n; i++) {
		snprintf(key, sizeof(key), "layers_%u", i);
		put_text(&f, key);
		put_random_value(&f, 0);
	}
	return f;
}

static bool accepted(const struct facts *f)
{
	return f->final.complete && f->final.format == WLK_FORMAT_FLAX_MSGPACK && memory_worst(f) < SEVERITY_MEDIUM;
}

START_TEST(test_random_honest_files_are_accepted)
{
	for (unsigned i = 0; i < 300; i++) {
		struct file f;
		struct facts *facts;

		state = 0x9E3779B97F4A7C15 + i;
		f = honest_file();
		facts = file_scan(&f, i % 3 == 0 ? WLK_FORMAT_UNKNOWN : WLK_FORMAT_FLAX_MSGPACK,
		    i % 2 == 0 ? SOURCE_IMMUTABLE : SOURCE_MUTABLE);
		ck_assert_msg(accepted(facts), "file %u of %zu bytes: %s", i, f.n,
		    facts->n_findings > 0 ? finding_info(facts->findings[0].code)->code : "incomplete");
		ck_assert_uint_eq(facts->n_findings, 0);
		facts_free(facts);
		free(f.at);
	}
}
END_TEST

/* 300 bytes or so. */
static struct file small_file(void)
{
	const uint64_t shape[] = { 3, 5 }, flat[] = { 2 };
	struct file f = { 0 };

	put_map(&f, 3);
	put_text(&f, "params");
	put_map(&f, 2);
	put_text(&f, "kernel");
	put_array(&f, 1, "float32", shape, 2, 60);
	put_text(&f, "big");
	put_map(&f, 3);
	put_text(&f, "__msgpack_chunked_array__");
	put_byte(&f, 0xc3);
	put_text(&f, "shape");
	put_map(&f, 1);
	put_text(&f, "0");
	put_integer(&f, 4);
	put_text(&f, "chunks");
	put_map(&f, 2);
	put_text(&f, "0");
	put_array(&f, 1, "int16", flat, 1, 4);
	put_text(&f, "1");
	put_array(&f, 1, "int16", flat, 1, 4);
	put_text(&f, "step");
	put_array(&f, 3, "int32", NULL, 0, 4);
	put_text(&f, "none");
	put_array(&f, 1, "bfloat16", (const uint64_t[]){ 0, 7 }, 2, 0);
	return f;
}

START_TEST(test_no_part_of_a_file_is_accepted)
{
	struct file f = small_file();
	struct facts *facts = file_scan(&f, WLK_FORMAT_FLAX_MSGPACK, SOURCE_IMMUTABLE);
	size_t whole = f.n;

	ck_assert(accepted(facts));
	facts_free(facts);
	for (f.n = 0; f.n < whole; f.n++) {
		facts = file_scan(&f, WLK_FORMAT_FLAX_MSGPACK, SOURCE_IMMUTABLE);
		ck_assert_msg(!accepted(facts) && memory_worst(facts) >= SEVERITY_HIGH, "%zu bytes", f.n);
		facts_free(facts);
		facts = file_scan(&f, WLK_FORMAT_UNKNOWN, SOURCE_IMMUTABLE);
		ck_assert_msg(facts->final.format != WLK_FORMAT_FLAX_MSGPACK, "%zu bytes", f.n);
		facts_free(facts);
	}
	free(f.at);
}
END_TEST

START_TEST(test_any_damage_gives_a_verdict)
{
	struct file f = small_file();

	for (size_t at = 0; at < f.n; at++) {
		uint8_t old = f.at[at];

		for (unsigned value = 0; value < 256; value += 5) {
			struct facts *facts;

			f.at[at] = (uint8_t)value;
			facts = file_scan(&f, WLK_FORMAT_FLAX_MSGPACK, SOURCE_IMMUTABLE);
			ck_assert(facts->has_final && facts->final.cause == WLK_CAUSE_NONE);
			facts_free(facts);
		}
		f.at[at] = old;
	}
	free(f.at);
}
END_TEST

/* -- the manifest -- */

static void check_row(const struct memory_row *row, const char *name, const char *dtype, unsigned rank, uint64_t bytes)
{
	ck_assert_msg(bytes_equal(row->row.name, bytes_of_text(name)), "%.*s", (int)row->row.name.n,
	    (const char *)row->row.name.at);
	ck_assert(bytes_equal(row->row.dtype, bytes_of_text(dtype)));
	ck_assert_uint_eq(row->row.rank, rank);
	ck_assert_uint_eq(row->row.end - row->row.begin, bytes);
	ck_assert_uint_eq(row->n_digests, 1);
}

START_TEST(test_rows_have_paths_and_shapes)
{
	struct file f = small_file();
	struct job job = memory_job(f.n);
	struct memory_rows rows = { 0 };
	struct facts *facts;

	job.hint = WLK_FORMAT_FLAX_MSGPACK;
	job.rows = job.digests = true;
	facts = memory_scan_rows(f.at, f.n, &job, &rows);
	ck_assert(accepted(facts));
	ck_assert_uint_eq(rows.n, 5);
	check_row(&rows.list[0], "params/kernel", "F32", 2, 60);
	ck_assert_uint_eq(rows.list[0].row.shape[1], 5);
	check_row(&rows.list[1], "params/big/chunks/0", "I16", 1, 4);
	check_row(&rows.list[2], "params/big/chunks/1", "I16", 1, 4);
	check_row(&rows.list[3], "step", "I32", 0, 4);
	check_row(&rows.list[4], "none", "BF16", 2, 0);
	ck_assert(memory_fact(facts, WLK_FACT_TENSORS_LISTED)->value.number == 1);
	facts_free(facts);
	memory_rows_free(&rows);
	free(f.at);
}
END_TEST

/* -- sizes -- */

/* Each could be a pickle that imports: a machine for each. */
START_TEST(test_a_machine_for_each_leaf_is_no_burden)
{
	struct file f = { 0 };
	double begin = seconds();
	struct facts *facts;

	put_map(&f, 1);
	put_text(&f, "a");
	put_list(&f, 1u << 17);
	for (unsigned k = 0; k < 1u << 17; k++)
		put_text(&f, "c\xC2\x93\nN");
	facts = file_scan(&f, WLK_FORMAT_FLAX_MSGPACK, SOURCE_IMMUTABLE);
	ck_assert(accepted(facts));
	ck_assert_msg(seconds() - begin < 10, "%.1f s", seconds() - begin);
	facts_free(facts);
	free(f.at);
}
END_TEST

static struct facts *scan_nils(unsigned lists)
{
	struct file f = { 0 };
	struct facts *facts;

	put_map(&f, 1);
	put_text(&f, "a");
	put_list(&f, lists);
	for (unsigned i = 0; i < lists; i++) {
		put_list(&f, 1u << 18);
		for (unsigned k = 0; k < 1u << 18; k++)
			put_byte(&f, 0xc0);
	}
	facts = file_scan(&f, WLK_FORMAT_FLAX_MSGPACK, SOURCE_IMMUTABLE);
	free(f.at);
	return facts;
}

START_TEST(test_as_many_objects_as_the_limit_and_no_more)
{
	struct facts *facts = scan_nils(15);

	ck_assert(accepted(facts));
	facts_free(facts);
	facts = scan_nils(16);
	ck_assert(!facts->final.complete && facts->per_code[WLK_F_FLAX_LIMIT] == 1);
	facts_free(facts);
}
END_TEST

/* Names that all share a beginning and a length. */
START_TEST(test_a_map_of_many_keys_is_read_in_linear_time)
{
	const unsigned n = 1u << 18;
	struct file f = { 0 };
	double begin = seconds();
	struct facts *facts;
	char key[64];

	put_map(&f, n);
	for (unsigned i = 0; i < n; i++) {
		snprintf(key, sizeof(key), "params/encoder/layer/attention/%08u", i);
		put_text(&f, key);
		put_byte(&f, 0xc0);
	}
	facts = file_scan(&f, WLK_FORMAT_FLAX_MSGPACK, SOURCE_MUTABLE);
	ck_assert(accepted(facts));
	ck_assert_msg(seconds() - begin < 10, "%.1f s", seconds() - begin);
	facts_free(facts);
	free(f.at);
}
END_TEST

HARNESS("flax", test_random_honest_files_are_accepted, test_no_part_of_a_file_is_accepted,
    test_any_damage_gives_a_verdict, test_rows_have_paths_and_shapes, test_a_machine_for_each_leaf_is_no_burden,
    test_as_many_objects_as_the_limit_and_no_more, test_a_map_of_many_keys_is_read_in_linear_time)
