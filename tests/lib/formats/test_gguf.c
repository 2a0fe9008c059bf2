/* GGUF files through the engine: what the corpus cannot hold - files nobody wrote, every cut of one, and the sizes at
 * which memory and time would show. */
#include "harness.h"

#include <stdio.h>

#include "cpu_clock.h"
#include "ggml.h"
#include "made_file.h"
#include "memory_rows.h"
#include "xorshift.h"

static void put_number(struct file *f, uint64_t value, size_t bytes)
{
	uint8_t le[8];

	store_u64le(le, value);
	put(f, le, bytes);
}

static void put_string(struct file *f, const char *text)
{
	put_number(f, strlen(text), 8);
	put(f, text, strlen(text));
}

static void put_zeros(struct file *f, size_t n)
{
	static const uint8_t zeros[4096];

	for (; n > sizeof(zeros); n -= sizeof(zeros))
		put(f, zeros, sizeof(zeros));
	put(f, zeros, n);
}

static void pad_to(struct file *f, size_t align)
{
	put_zeros(f, (align - f->n % align) % align);
}

static void put_header(struct file *f, uint32_t version, uint64_t n_tensors, uint64_t n_keys)
{
	put(f, "GGUF", 4);
	put_number(f, version, 4);
	put_number(f, n_tensors, 8);
	put_number(f, n_keys, 8);
}

#define TYPE_U32 4
#define TYPE_STRING 8
#define TYPE_ARRAY 9

static void put_text_key(struct file *f, const char *key, const char *text)
{
	put_string(f, key);
	put_number(f, TYPE_STRING, 4);
	put_string(f, text);
}

static void put_u32_key(struct file *f, const char *key, uint32_t value)
{
	put_string(f, key);
	put_number(f, TYPE_U32, 4);
	put_number(f, value, 4);
}

/* -- honest files -- */

static uint64_t state;

static uint32_t below(uint32_t n)
{
	return xorshift_below(&state, n);
}

static size_t width_of(unsigned type)
{
	static const size_t widths[] = { 1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8 };

	return widths[type];
}

static void put_random_value(struct file *f, unsigned type)
{
	char text[64];

	if (type == TYPE_STRING) {
		snprintf(text, sizeof(text), "%.*s\xC3\xA9", (int)below(40), "some text of any length, with an accent");
		put_string(f, text);
	} else {
		put_number(f, below(2), width_of(type)); /* small: a boolean, and never a NaN */
	}
}

static void put_random_key(struct file *f, unsigned i)
{
	unsigned type = below(13), n = below(20);
	char key[32];

	snprintf(key, sizeof(key), "vendor-%u.key_%u", i, below(1000));
	put_string(f, key);
	put_number(f, type, 4);
	if (type != TYPE_ARRAY) {
		put_random_value(f, type);
		return;
	}
	type = below(12);
	type += type >= TYPE_ARRAY;
	put_number(f, type, 4);
	put_number(f, n, 8);
	while (n-- > 0)
		put_random_value(f, type);
}

struct tensor {
	const struct ggml_type *type;
	uint32_t id, rank;
	uint64_t ne[4], bytes;
};

static void make_tensor(struct tensor *t)
{
	do {
		t->id = below(43);
		t->type = ggml_type(t->id);
	} while (t->type->block == 0 || t->type->runtime_only);
	t->rank = 1 + below(4);
	t->bytes = t->type->bytes;
	for (unsigned i = 0; i < t->rank; i++) {
		uint64_t n = 1 + below(4);

		t->ne[i] = i == 0 ? n * t->type->block : n;
		t->bytes *= n;
	}
}

static void put_table(struct file *f, const struct tensor *tensors, unsigned n, uint64_t align)
{
	uint64_t offset = 0;
	char name[64];

	for (unsigned i = 0; i < n; i++) {
		snprintf(
		    name, sizeof(name), "blk.%u.%.*s", i, (int)below(40), "attn_q_norm.weight.and.what.follows.it");
		put_string(f, name);
		put_number(f, tensors[i].rank, 4);
		for (unsigned k = 0; k < tensors[i].rank; k++)
			put_number(f, tensors[i].ne[k], 8);
		put_number(f, tensors[i].id, 4);
		put_number(f, offset, 8);
		offset += tensors[i].bytes + (align - tensors[i].bytes % align) % align;
	}
}

#define TENSORS_MOST 24u

/* Every byte below 0x47: no scale and no element can be other than finite, and small enough for 32 bits. */
static struct file honest_file(uint32_t alignment)
{
	unsigned n_tensors = below(TENSORS_MOST), n_keys = below(30);
	struct tensor tensors[TENSORS_MOST];
	struct file f = { 0 };

	for (unsigned i = 0; i < n_tensors; i++)
		make_tensor(&tensors[i]);
	put_header(&f, 2 + below(2), n_tensors, n_keys + 3);
	put_text_key(&f, "general.architecture", "llama");
	put_u32_key(&f, "general.quantization_version", 2);
	for (unsigned i = 0; i < n_keys; i++)
		put_random_key(&f, i);
	put_u32_key(&f, "general.alignment", alignment);
	put_table(&f, tensors, n_tensors, alignment);
	pad_to(&f, alignment);
	for (unsigned i = 0; i < n_tensors; i++) {
		for (uint64_t k = 0; k < tensors[i].bytes; k++)
			put_number(&f, below(0x47), 1);
		pad_to(&f, alignment);
	}
	return f;
}

static struct facts *scan_as(const struct file *f, enum source_kind kind)
{
	return file_scan(f, WLK_FORMAT_GGUF, kind);
}

static bool accepted(const struct facts *f)
{
	return f->final.complete && f->final.format == WLK_FORMAT_GGUF && memory_worst(f) < SEVERITY_MEDIUM;
}

START_TEST(test_random_honest_files_are_accepted)
{
	for (unsigned i = 0; i < 200; i++) {
		struct file f;
		struct facts *facts;

		state = 0x9E3779B97F4A7C15 + i;
		f = honest_file(UINT32_C(8) << below(6));
		facts = scan_as(&f, i % 2 == 0 ? SOURCE_IMMUTABLE : SOURCE_MUTABLE);
		ck_assert_msg(accepted(facts), "file %u: %s", i,
		    facts->n_findings > 0 ? finding_info(facts->findings[0].code)->code : "incomplete");
		ck_assert_uint_eq(facts->n_findings, 0);
		facts_free(facts);
		free(f.at);
	}
}
END_TEST

/* 400 bytes or so: two tensors, some keys. */
static struct file small_file(void)
{
	struct file f = { 0 };

	put_header(&f, 3, 2, 4);
	put_text_key(&f, "general.architecture", "llama");
	put_u32_key(&f, "general.quantization_version", 2);
	put_string(&f, "tokenizer.ggml.tokens");
	put_number(&f, TYPE_ARRAY, 4);
	put_number(&f, TYPE_STRING, 4);
	put_number(&f, 3, 8);
	for (unsigned i = 0; i < 3; i++)
		put_string(&f, "ab");
	put_u32_key(&f, "tokenizer.ggml.bos_token_id", 2);
	for (unsigned i = 0; i < 2; i++) {
		put_string(&f, i == 0 ? "output.weight" : "output_norm.weight");
		put_number(&f, 1, 4);
		put_number(&f, 32, 8);
		put_number(&f, i == 0 ? 8 : 24, 4); /* Q8_0, I8 */
		put_number(&f, i * 64, 8);
	}
	pad_to(&f, 32);
	put_zeros(&f, 96);
	return f;
}

START_TEST(test_no_part_of_a_file_is_accepted)
{
	struct file f = small_file();
	struct facts *facts = scan_as(&f, SOURCE_IMMUTABLE);
	size_t whole = f.n;

	ck_assert(accepted(facts));
	facts_free(facts);
	for (f.n = 0; f.n < whole; f.n++) {
		facts = scan_as(&f, SOURCE_IMMUTABLE);
		ck_assert_msg(!accepted(facts) && memory_worst(facts) >= SEVERITY_HIGH, "%zu bytes", f.n);
		facts_free(facts);
	}
	free(f.at);
}
END_TEST

/* Any byte of the head may be anything: the same verdict twice, and no offset outside. */
START_TEST(test_any_damage_gives_a_verdict)
{
	struct file f = small_file();

	for (size_t at = 0; at < f.n; at++) {
		static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
		uint8_t old = f.at[at];

		for (size_t k = 0; k < sizeof(values); k++) {
			struct facts *facts;

			f.at[at] = values[k];
			facts = scan_as(&f, SOURCE_IMMUTABLE);
			ck_assert(facts->has_final && facts->final.cause == WLK_CAUSE_NONE);
			facts_free(facts);
		}
		f.at[at] = old;
	}
	free(f.at);
}
END_TEST

/* -- facts -- */

START_TEST(test_facts_say_what_is_there)
{
	struct file f = small_file();
	struct facts *facts = scan_as(&f, SOURCE_IMMUTABLE);

	ck_assert_uint_eq(memory_fact(facts, WLK_FACT_METADATA_KEYS)->value.number, 4);
	ck_assert_uint_eq(facts->final.totals.tensors, 2);
	ck_assert_uint_eq(facts->final.totals.elements, 1); /* one block, one scale */
	ck_assert(bytes_equal(memory_fact(facts, WLK_FACT_TENSORS_BY_DTYPE)->key, bytes_of_text("I8")));
	ck_assert_ptr_null(memory_fact(facts, WLK_FACT_SPLIT_NO));
	facts_free(facts);
	free(f.at);
}
END_TEST

START_TEST(test_a_shard_says_its_place)
{
	struct file f = { 0 };
	struct facts *facts;

	put_header(&f, 3, 0, 3);
	put_string(&f, "split.no");
	put_number(&f, 2, 4);
	put_number(&f, 3, 2);
	put_string(&f, "split.count");
	put_number(&f, 2, 4);
	put_number(&f, 7, 2);
	put_string(&f, "split.tensors.count");
	put_number(&f, 5, 4);
	put_number(&f, 291, 4);
	facts = scan_as(&f, SOURCE_IMMUTABLE);
	ck_assert(accepted(facts));
	ck_assert_uint_eq(memory_fact(facts, WLK_FACT_SPLIT_NO)->value.number, 3);
	ck_assert_uint_eq(memory_fact(facts, WLK_FACT_SPLIT_COUNT)->value.number, 7);
	ck_assert_uint_eq(memory_fact(facts, WLK_FACT_SPLIT_TENSORS)->value.number, 291);
	facts_free(facts);
	free(f.at);
}
END_TEST

START_TEST(test_the_manifest_lists_tensors_as_the_table_has_them)
{
	struct file f = small_file();
	struct job job = memory_job(f.n);
	struct memory_rows rows;
	struct facts *facts;

	job.hint = WLK_FORMAT_GGUF;
	facts = memory_scan_rows(f.at, f.n, &job, &rows);
	ck_assert(accepted(facts));
	ck_assert_uint_eq(rows.n, 2);
	ck_assert(bytes_equal(rows.list[0].row.name, bytes_of_text("output.weight")));
	ck_assert(bytes_equal(rows.list[0].row.dtype, bytes_of_text("Q8_0")));
	ck_assert_uint_eq(rows.list[0].row.rank, 1);
	ck_assert_uint_eq(rows.list[0].row.shape[0], 32);
	ck_assert_uint_eq(rows.list[0].row.begin, f.n - 96);
	ck_assert_uint_eq(rows.list[0].row.end, f.n - 96 + 34);
	ck_assert_uint_eq(rows.list[1].row.begin, f.n - 32);
	ck_assert_uint_eq(rows.list[1].row.end, f.n);
	ck_assert(rows.list[0].n_digests == 1 && rows.list[1].n_digests == 1 && rows.n_strays == 0);
	facts_free(facts);
	memory_rows_free(&rows);
	f.n--; /* the second tensor lies outside */
	job.size--;
	facts = memory_scan_rows(f.at, f.n, &job, &rows);
	ck_assert_uint_eq(rows.n, 1);
	ck_assert_uint_eq(facts->per_code[WLK_F_GGUF_TRUNCATED], 1);
	facts_free(facts);
	memory_rows_free(&rows);
	free(f.at);
}
END_TEST

/* -- the most there may be -- */

/* So many keys, all alike or all different. */
static struct file keys_file(unsigned n, bool alike)
{
	struct file f = { 0 };
	char key[32];

	put_header(&f, 3, 0, n);
	put_text_key(&f, "general.architecture", "llama");
	for (unsigned i = 1; i < n; i++) {
		snprintf(key, sizeof(key), "k%u", alike ? 0 : i);
		put_u32_key(&f, key, i);
	}
	return f;
}

static struct file tensors_file(unsigned n, bool alike)
{
	struct file f = { 0 };
	char name[32];

	put_header(&f, 3, n, 1);
	put_text_key(&f, "general.architecture", "llama");
	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "t%u", alike ? 0 : i);
		put_string(&f, name);
		put_number(&f, 1, 4);
		put_number(&f, 1, 8);
		put_number(&f, 24, 4);
		put_number(&f, i * 32, 8);
	}
	pad_to(&f, 32);
	put_zeros(&f, n * (size_t)32);
	return f;
}

static void check_most(struct file f, enum wlk_finding code, uint64_t times)
{
	double before = seconds();
	struct facts *facts = scan_as(&f, SOURCE_MUTABLE);

	ck_assert_msg(facts->per_code[code] == times, "%s: %llu", finding_info(code)->code,
	    (unsigned long long)facts->per_code[code]);
	ck_assert(times > 0 || accepted(facts));
	ck_assert_msg(seconds() - before < 5, "%f s", seconds() - before); /* hundredths, without sanitizers */
	facts_free(facts);
	free(f.at);
}

START_TEST(test_as_many_keys_as_may_be_are_compared_in_no_time)
{
	check_most(keys_file(65535, false), WLK_F_GGUF_KEY_DUPLICATE, 0);
	check_most(keys_file(65535, true), WLK_F_GGUF_KEY_DUPLICATE, 65533);
	check_most(keys_file(65536, false), WLK_F_GGUF_KV_COUNT, 1);
}
END_TEST

START_TEST(test_as_many_tensors_as_may_be_are_compared_in_no_time)
{
	check_most(tensors_file(65535, false), WLK_F_GGUF_TENSOR_NAME_DUPLICATE, 0);
	check_most(tensors_file(65535, true), WLK_F_GGUF_TENSOR_NAME_DUPLICATE, 65534);
	check_most(tensors_file(65536, false), WLK_F_GGUF_TENSOR_COUNT, 1);
}
END_TEST

/* 2^24 empty strings, or one string of 64 MiB, in a memory of 48 MiB. */
static struct file large_file(uint32_t type, uint64_t n, size_t bytes)
{
	struct file f = { 0 };

	put_header(&f, 3, 0, 2);
	put_text_key(&f, "general.architecture", "llama");
	put_string(&f, "k");
	put_number(&f, type, 4);
	if (type == TYPE_ARRAY)
		put_number(&f, TYPE_STRING, 4);
	put_number(&f, n, 8);
	for (size_t i = 0; i < bytes; i += 64)
		put(&f, type == TYPE_ARRAY ? (const char[64]){ 0 } : (const char[64]){ [0 ... 63] = 'x' },
		    bytes - i < 64 ? bytes - i : 64);
	return f;
}

START_TEST(test_memory_does_not_grow_with_values)
{
	check_most(large_file(TYPE_STRING, 64 << 20, 64 << 20), WLK_F_GGUF_STRING_LENGTH, 0);
	check_most(large_file(TYPE_STRING, (64 << 20) + 1, (64 << 20) + 1), WLK_F_GGUF_STRING_LENGTH, 1);
	check_most(large_file(TYPE_ARRAY, 1 << 24, (size_t)8 << 24), WLK_F_GGUF_ARRAY_LENGTH, 0);
	check_most(large_file(TYPE_ARRAY, (1 << 24) + 1, ((size_t)8 << 24) + 8), WLK_F_GGUF_ARRAY_LENGTH, 1);
}
END_TEST

/* A policy's own limits. */
START_TEST(test_limits_of_a_policy_hold)
{
	struct file f = small_file();
	struct job job = memory_job(f.n);
	struct facts *facts;

	job.hint = WLK_FORMAT_GGUF;
	job.limits.tensors = 1;
	facts = memory_scan_job(f.at, f.n, &job);
	ck_assert_uint_eq(facts->per_code[WLK_F_LIMIT_TENSORS], 1);
	facts_free(facts);
	job.limits.tensors = 2;
	job.limits.metadata_keys = 3;
	facts = memory_scan_job(f.at, f.n, &job);
	ck_assert_uint_eq(facts->per_code[WLK_F_LIMIT_METADATA_KEYS], 1);
	facts_free(facts);
	job.limits.metadata_keys = 4;
	facts = memory_scan_job(f.at, f.n, &job);
	ck_assert(accepted(facts));
	facts_free(facts);
	free(f.at);
}
END_TEST

HARNESS("gguf", test_random_honest_files_are_accepted, test_no_part_of_a_file_is_accepted,
    test_any_damage_gives_a_verdict, test_facts_say_what_is_there, test_a_shard_says_its_place,
    test_the_manifest_lists_tensors_as_the_table_has_them, test_as_many_keys_as_may_be_are_compared_in_no_time,
    test_as_many_tensors_as_may_be_are_compared_in_no_time, test_memory_does_not_grow_with_values,
    test_limits_of_a_policy_hold)
