/* Core ML models and weights through the engine: what the corpus cannot hold - every cut and every damage of a weight file, and
 * sizes at which time would show. */
#include "harness.h"

#include <time.h>

#include "made_protobuf.h"

static void put_blob(struct file *f, uint32_t type, const void *data, size_t n)
{
	uint8_t head[64] = { 0 };

	put(f, NULL, (64 - f->n % 64) % 64);
	store_u32le(head, 0xdeadbeef);
	store_u32le(head + 4, type);
	store_u64le(head + 8, n);
	store_u64le(head + 16, f->n + sizeof(head));
	put(f, head, sizeof(head));
	put(f, data, n);
}

static struct file weights_of(uint32_t count)
{
	uint8_t head[64] = { 0 };
	struct file f = { 0 };

	store_u32le(head, count);
	head[4] = 2;
	put(&f, head, sizeof(head));
	return f;
}

static struct facts *scan(const struct file *f, enum source_kind kind)
{
	return file_scan(f, WLK_FORMAT_OTHER, kind);
}

static bool accepted(const struct file *f, enum source_kind kind)
{
	struct facts *facts = scan(f, kind);
	bool ret = facts->final.complete && facts->final.format == WLK_FORMAT_COREML_WEIGHTS &&
		   memory_worst(facts) < SEVERITY_LOW;

	facts_free(facts);
	return ret;
}

static struct file two_blobs(void)
{
	const uint8_t half[4] = { 0, 0x3c, 0, 0x3c };
	const float numbers[2] = { 1, 2 };
	struct file f = weights_of(2);

	put_blob(&f, 1, half, sizeof(half));
	put_blob(&f, 2, numbers, sizeof(numbers));
	return f;
}

START_TEST(test_a_cut_weight_file_is_never_accepted)
{
	struct file f = two_blobs();
	size_t whole = f.n;

	ck_assert(accepted(&f, SOURCE_MUTABLE) && accepted(&f, SOURCE_IMMUTABLE));
	for (f.n = 0; f.n < whole; f.n++)
		ck_assert_msg(!accepted(&f, f.n % 2 == 0 ? SOURCE_MUTABLE : SOURCE_IMMUTABLE), "%zu bytes", f.n);
	free(f.at);
}
END_TEST

/* Of what is no number, a changed byte is seen; of the numbers any value is one, and so is the type of eight bytes. */
START_TEST(test_every_damage_outside_of_the_numbers_is_seen)
{
	struct file f = two_blobs();

	for (size_t i = 0; i < f.n; i++) {
		bool number = (i >= 128 && i < 132) || i == 196 || i >= 256;

		f.at[i] ^= 1;
		ck_assert_msg(accepted(&f, SOURCE_IMMUTABLE) == number, "byte %zu", i);
		f.at[i] ^= 1;
	}
	free(f.at);
}
END_TEST

/* Blobs that are small and many: linear, whatever their number. */
START_TEST(test_many_blobs_take_little_time)
{
	uint8_t half[2] = { 0, 0x3c };
	uint32_t many = 100000;
	struct file f = weights_of(many);
	clock_t begin;

	for (uint32_t i = 0; i < many; i++)
		put_blob(&f, 1, half, sizeof(half));
	begin = clock();
	ck_assert(accepted(&f, SOURCE_MUTABLE));
	ck_assert_int_lt((clock() - begin) / CLOCKS_PER_SEC, 5);
	free(f.at);
}
END_TEST

/* -- models -- */

/* A network of one layer of this kind. */
static struct file model_of(unsigned layer, struct file params)
{
	struct file f = { 0 }, network = { 0 }, l = { 0 }, description = { 0 };

	put_message(&l, layer, params);
	put_message(&network, 1, l);
	put_number(&f, 1, 4);
	put_message(&f, 2, description);
	put_message(&f, 500, network);
	return f;
}

static bool says(const struct file *f, enum wlk_finding code)
{
	struct facts *facts = scan(f, SOURCE_IMMUTABLE);
	bool ret = facts->per_code[code] > 0;

	ck_assert_int_eq(facts->final.format, WLK_FORMAT_COREML);
	ck_assert(!ret || code != WLK_F_COREML_UNKNOWN_FIELD || !facts->final.complete);
	facts_free(facts);
	return ret;
}

/* A number that no layer has is unknown; of all that have one, only one is custom. */
START_TEST(test_only_one_layer_is_custom)
{
	unsigned known = 0, custom = 0;

	for (unsigned layer = 100; layer < 1600; layer++) {
		struct file f = model_of(layer, (struct file){ 0 });

		known += !says(&f, WLK_F_COREML_UNKNOWN_FIELD);
		if (says(&f, WLK_F_COREML_CUSTOM)) {
			custom++;
			ck_assert_uint_eq(layer, 500);
		}
		free(f.at);
	}
	ck_assert_uint_eq(custom, 1);
	ck_assert_uint_eq(known, 158);
}
END_TEST

HARNESS("coreml", test_a_cut_weight_file_is_never_accepted, test_every_damage_outside_of_the_numbers_is_seen,
    test_many_blobs_take_little_time, test_only_one_layer_is_custom)
