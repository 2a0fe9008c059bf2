/* Rows of the manifest: what comes out is what went in, nothing else decodes, and nothing is longer than it may be. */
#include "harness.h"

#include <string.h>

#include "manifest.h"

static const struct manifest_row examples[] = {
	{ .kind = MANIFEST_TENSOR },
	{ .kind = MANIFEST_TENSOR,
	    .name = { (const uint8_t *)"layer\0.weight", 13 },
	    .name_bytes = 13,
	    .dtype = { (const uint8_t *)"BF16", 4 },
	    .index = 7,
	    .begin = 100,
	    .end = 124,
	    .rank = 2,
	    .shape = { 3, 4 } },
	{ .kind = MANIFEST_TENSOR,
	    .name = { (const uint8_t *)"x", 1 },
	    .name_bytes = 70000,
	    .member = { (const uint8_t *)"a/b.npy", 7 },
	    .index = UINT64_MAX,
	    .begin = UINT64_MAX,
	    .end = UINT64_MAX,
	    .rank = 1,
	    .shape = { UINT64_MAX } },
	{ .kind = MANIFEST_MAPPING,
	    .name = { (const uint8_t *)"w", 1 },
	    .name_bytes = 1,
	    .file = { (const uint8_t *)"../\xff.safetensors", 16 },
	    .index = 1 },
};
#define N_EXAMPLES (sizeof(examples) / sizeof(examples[0]))

static bool same(const struct manifest_row *a, const struct manifest_row *b)
{
	if (a->kind != b->kind || !bytes_equal(a->name, b->name) || a->name_bytes != b->name_bytes ||
	    !bytes_equal(a->dtype, b->dtype) || !bytes_equal(a->member, b->member) || !bytes_equal(a->file, b->file) ||
	    a->index != b->index || a->begin != b->begin || a->end != b->end || a->rank != b->rank)
		return false;
	return memcmp(a->shape, b->shape, a->rank * sizeof(a->shape[0])) == 0;
}

START_TEST(test_row_survives_the_journey)
{
	uint8_t buf[MANIFEST_ROW_MAX];
	struct manifest_row got;

	for (size_t i = 0; i < N_EXAMPLES; i++) {
		ck_assert(manifest_decode(bytes_of(buf, manifest_encode(&examples[i], buf)), &got));
		ck_assert(same(&examples[i], &got));
	}
}
END_TEST

START_TEST(test_only_the_exact_length_decodes)
{
	for (size_t i = 0; i < N_EXAMPLES; i++) {
		uint8_t buf[MANIFEST_ROW_MAX] = { 0 };
		size_t n = manifest_encode(&examples[i], buf);
		struct manifest_row got;

		for (size_t length = 0; length < n + 16; length++) {
			uint8_t *exact = malloc(length + 1); /* the sanitizer sees a read behind it */

			memcpy(exact, buf, length);
			ck_assert(manifest_decode(bytes_of(exact, length), &got) == (length == n));
			free(exact);
		}
	}
}
END_TEST

/* Any change either is refused or says something else: nothing has two encodings. */
START_TEST(test_every_byte_means_something)
{
	uint8_t buf[MANIFEST_ROW_MAX], again[MANIFEST_ROW_MAX];
	struct manifest_row got;

	for (size_t i = 0; i < N_EXAMPLES; i++) {
		size_t n = manifest_encode(&examples[i], buf);

		for (size_t bit = 0; bit < 8 * n; bit++) {
			buf[bit / 8] ^= (uint8_t)(1u << bit % 8);
			if (manifest_decode(bytes_of(buf, n), &got)) {
				ck_assert(!same(&got, &examples[i]));
				ck_assert_uint_eq(manifest_encode(&got, again), n);
				ck_assert_mem_eq(again, buf, n);
			}
			buf[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
}
END_TEST

static uint8_t many[MANIFEST_ROW_MAX];

static struct manifest_row largest(void)
{
	struct manifest_row row = { .kind = MANIFEST_MAPPING,
		.name = { many, MANIFEST_NAME_MAX },
		.name_bytes = MANIFEST_NAME_MAX,
		.dtype = { many, MANIFEST_DTYPE_MAX },
		.member = { many, MANIFEST_PATH_MAX },
		.file = { many, MANIFEST_PATH_MAX },
		.rank = MANIFEST_RANK_MAX };

	memset(many, 'n', sizeof(many));
	return row;
}

START_TEST(test_largest_row_fits)
{
	uint8_t *buf = malloc(MANIFEST_ROW_MAX);
	struct manifest_row row = largest(), got;
	size_t n = manifest_encode(&row, buf);

	ck_assert_uint_le(n, MANIFEST_ROW_MAX);
	ck_assert(manifest_decode(bytes_of(buf, n), &got) && same(&row, &got));
	free(buf);
}
END_TEST

START_TEST(test_what_is_too_long_is_cut)
{
	uint8_t buf[MANIFEST_ROW_MAX];
	struct manifest_row row = largest(), got, cut = row;

	row.name.n++;
	row.name_bytes++;
	row.dtype.n++;
	row.member.n++;
	row.file.n++;
	row.rank++;
	cut.name_bytes++;
	ck_assert(manifest_decode(bytes_of(buf, manifest_encode(&row, buf)), &got));
	ck_assert(same(&cut, &got));
}
END_TEST

/* A row written by hand: what the encoder never writes. */
struct by_hand {
	uint64_t kind, name_n, name_bytes, dtype_n, member_n, file_n, begin, end, rank;
};

static bool decodes(const struct by_hand *h)
{
	static uint8_t buf[2 * MANIFEST_ROW_MAX];
	uint8_t *at = buf;
	struct manifest_row got;

	memset(buf, 'x', sizeof(buf));
	*at++ = (uint8_t)h->kind;
	store_u16le(at, (uint16_t)h->name_n);
	at += 2 + h->name_n;
	store_u64le(at, h->name_bytes);
	at[8] = (uint8_t)h->dtype_n;
	at += 9 + h->dtype_n;
	store_u16le(at, (uint16_t)h->member_n);
	at += 2 + h->member_n;
	store_u16le(at, (uint16_t)h->file_n);
	at += 2 + h->file_n;
	store_u64le(at, 0);
	store_u64le(at + 8, h->begin);
	store_u64le(at + 16, h->end);
	at[24] = (uint8_t)h->rank;
	at += 25 + 8 * h->rank;
	return manifest_decode(bytes_of(buf, (size_t)(at - buf)), &got);
}

static const struct by_hand fair = { .kind = MANIFEST_TENSOR, .name_n = 1, .name_bytes = 1, .begin = 5, .end = 5 };

/* A fair row but for one field. */
#define CHECK(field, value, expected)                 \
	do {                                          \
		struct by_hand h = fair;              \
		h.field = value;                      \
		ck_assert(decodes(&h) == (expected)); \
	} while (0)

START_TEST(test_values_out_of_range_are_refused)
{
	ck_assert(decodes(&fair));
	CHECK(kind, MANIFEST_MAPPING, true);
	CHECK(kind, 0, false);
	CHECK(kind, MANIFEST_MAPPING + 1, false);
	CHECK(end, 6, true);
	CHECK(end, 4, false);
	CHECK(name_bytes, 2, true);
	CHECK(name_bytes, 0, false);
	CHECK(dtype_n, MANIFEST_DTYPE_MAX, true);
	CHECK(dtype_n, MANIFEST_DTYPE_MAX + 1, false);
	CHECK(member_n, MANIFEST_PATH_MAX, true);
	CHECK(member_n, MANIFEST_PATH_MAX + 1, false);
	CHECK(file_n, MANIFEST_PATH_MAX, true);
	CHECK(file_n, MANIFEST_PATH_MAX + 1, false);
	CHECK(rank, MANIFEST_RANK_MAX, true);
	CHECK(rank, MANIFEST_RANK_MAX + 1, false);
}
END_TEST

START_TEST(test_long_names_are_refused)
{
	struct by_hand h = fair;

	h.name_n = h.name_bytes = MANIFEST_NAME_MAX;
	ck_assert(decodes(&h));
	h.name_n = h.name_bytes = MANIFEST_NAME_MAX + 1;
	ck_assert(!decodes(&h));
}
END_TEST

HARNESS("manifest", test_row_survives_the_journey, test_only_the_exact_length_decodes, test_every_byte_means_something,
    test_largest_row_fits, test_what_is_too_long_is_cut, test_values_out_of_range_are_refused,
    test_long_names_are_refused)
