/* The sink: carries, first offsets, the mask rule and totals, as the real decoder reads them back. */
#include "harness.h"

#include <string.h>

#include "elements_bench.h"

#define BASE 1000 /* where the first tensor begins in the imagined file */

/* The names of all tensors: one letter each. */
static const char names[] = "abcdefghijklmnopqrstuvwxyz";

static void begin(struct bench *b)
{
	bench_init(b);
	b->extents.names = bytes_of_text(names);
}

/* One more tensor, behind the last one; its name is the next letter.  The caller feeds it. */
static struct extent *add_tensor(struct bench *b, enum wlk_dtype dtype, size_t bytes)
{
	uint64_t begin = b->extents.n > 0 ? b->extents.list[b->extents.n - 1].end : BASE;
	uint32_t name_at = (uint32_t)(b->extents.n % 26);
	struct extent *e = extents_add(&b->extents);

	ck_assert_ptr_nonnull(e);
	e->begin = begin;
	e->end = begin + bytes;
	e->kind = EXTENT_TENSOR;
	e->dtype = dtype;
	e->name_at = name_at;
	e->name_n = 1;
	return e;
}

/* Feed a tensor in pieces of these lengths; the last length is repeated until the end. */
static void feed_in(struct bench *b, const struct extent *e, const void *data, const size_t *pieces, size_t n_pieces)
{
	size_t n = (size_t)(e->end - e->begin), done = 0;

	b->sink.begin(b->sink.ctx, e);
	for (size_t i = 0; done < n; i++) {
		size_t want = pieces[i < n_pieces ? i : n_pieces - 1];
		size_t piece = want < n - done ? want : n - done;

		b->sink.feed(b->sink.ctx, e, (const uint8_t *)data + done, piece, e->begin + done);
		done += piece;
	}
	b->sink.end(b->sink.ctx, e);
}

static void feed_whole(struct bench *b, const struct extent *e, const void *data)
{
	const size_t all = SIZE_MAX;

	feed_in(b, e, data, &all, 1);
}

/* One tensor in one feed, judged. */
static void judge(struct bench *b, enum wlk_dtype dtype, const void *data, size_t n)
{
	begin(b);
	feed_whole(b, add_tensor(b, dtype, n), data);
	bench_end(b);
}

static const float inf32 = __builtin_inff();

/* Type by type: two ordinary elements, NaN (or what is bad), an ordinary one, and one more bad one at the
 * end. */
static const struct sample {
	enum wlk_dtype dtype;
	uint8_t ordinary[32], bad[32];
} samples[] = {
	{ WLK_DTYPE_F64, { 0, 0, 0, 0, 0, 0, 0xf0, 0x3f }, { 0, 0, 0, 0, 0, 0, 0xf8, 0x7f } },
	{ WLK_DTYPE_F32, { 0, 0, 0x80, 0x3f }, { 1, 0, 0x80, 0xff } },
	{ WLK_DTYPE_C64, { 0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x3f }, { 0, 0, 0x80, 0x3f, 0, 0, 0xc0, 0x7f } },
	{ WLK_DTYPE_C128, { [7] = 0x40, [15] = 0x40 }, { [7] = 0x40, [14] = 0xf8, 0x7f } },
	{ WLK_DTYPE_LD12, { [7] = 0x80, 0xff, 0x3f, 0xff, 0xff }, { [7] = 0xc0, 0xff, 0x7f } },
	{ WLK_DTYPE_LD16, { [7] = 0x80, 0xff, 0x3f, 0xff, 0xff }, { [7] = 0xc0, 0xff, 0x7f } },
	{ WLK_DTYPE_CLD24, { 0 }, { [19] = 0x80, 0xff, 0x7f, [0] = 0, [12] = 1 } },
	{ WLK_DTYPE_CLD32, { 0 }, { [16] = 1, [23] = 0x80, 0xff, 0x7f } },
	{ WLK_DTYPE_C32, { 0, 0x3c, 0, 0x3c }, { 0, 0x3c, 0, 0x7e } },
	{ WLK_DTYPE_BF16, { 0x80, 0x3f }, { 0xc0, 0x7f } },
	{ WLK_DTYPE_F8_E4M3, { 0x7e }, { 0x7f } },
	{ WLK_DTYPE_BOOL, { 1 }, { 2 } },
};

static size_t sample_tensor(const struct sample *s, uint8_t tensor[5 * 32])
{
	size_t size = dtype_info(s->dtype)->bits / 8;

	for (size_t i = 0; i < 5; i++)
		memcpy(tensor + i * size, i == 2 || i == 4 ? s->bad : s->ordinary, size);
	return size;
}

static void check_split(const struct sample *s, const size_t *pieces, size_t n_pieces)
{
	uint8_t tensor[5 * 32];
	size_t size = sample_tensor(s, tensor);
	const struct nonfinite *row;
	struct bench b;

	begin(&b);
	feed_in(&b, add_tensor(&b, s->dtype, 5 * size), tensor, pieces, n_pieces);
	bench_end(&b);
	ck_assert_uint_eq(b.told.facts->n_rows, 1);
	row = &b.told.facts->rows[0];
	ck_assert_uint_eq(row->nan + row->bool_invalid, 2);
	ck_assert_uint_eq(row->pos_inf + row->neg_inf, 0);
	ck_assert_uint_eq(row->first_offset, BASE + 2 * size);
	bench_done(&b);
}

START_TEST(test_an_element_split_between_two_feeds_is_counted_once_at_its_own_offset)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		size_t n = 5 * dtype_info(samples[i].dtype)->bits / 8;

		for (size_t first = 1; first <= n; first++)
			check_split(&samples[i], (const size_t[]){ first, n }, 2);
	}
}
END_TEST

START_TEST(test_an_element_split_over_many_feeds_is_counted_once_at_its_own_offset)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		for (size_t piece = 1; piece <= 17; piece++)
			check_split(&samples[i], &piece, 1);
	}
}
END_TEST

/* The other byte order: parts of complex ones are turned one by one. */
static size_t part_bytes(enum wlk_dtype dtype)
{
	enum dtype_kind kind = dtype_info(dtype)->kind;

	return dtype_info(dtype)->bits / 8 / (kind == DTYPE_COMPLEX || kind == DTYPE_X87_COMPLEX ? 2 : 1);
}

static void turn(uint8_t *at, size_t n, size_t unit)
{
	for (size_t i = 0; i < n; i += unit)
		for (size_t j = 0; j < unit / 2; j++) {
			uint8_t byte = at[i + j];

			at[i + j] = at[i + unit - 1 - j];
			at[i + unit - 1 - j] = byte;
		}
}

START_TEST(test_the_most_significant_byte_may_come_first)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		for (size_t piece = 1; piece <= 33; piece += 4) {
			uint8_t tensor[5 * 32];
			size_t size = sample_tensor(&samples[i], tensor);
			struct extent *e;
			struct bench b;

			begin(&b);
			turn(tensor, 5 * size, part_bytes(samples[i].dtype));
			e = add_tensor(&b, samples[i].dtype, 5 * size);
			e->flags = EXTENT_BIG_ENDIAN;
			feed_in(&b, e, tensor, &piece, 1);
			bench_end(&b);
			ck_assert_uint_eq(b.told.facts->n_rows, 1);
			ck_assert_uint_eq(b.told.facts->rows[0].nan + b.told.facts->rows[0].bool_invalid, 2);
			ck_assert_uint_eq(b.told.facts->rows[0].first_offset, BASE + 2 * size);
			bench_done(&b);
		}
	}
}
END_TEST

/* Large enough for several pieces, every element bad, so that none can be missed or seen twice. */
START_TEST(test_long_tensors_of_every_width_are_counted_exactly)
{
	static uint8_t tensor[5003 * 32];
	size_t pieces[] = { 31, 70001, sizeof(tensor) };

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		for (int big_endian = 0; big_endian < 2; big_endian++) {
			const struct sample *s = &samples[i];
			size_t size = dtype_info(s->dtype)->bits / 8;
			struct extent *e;
			struct bench b;

			for (size_t at = 0; at < 5003 * size; at += size)
				memcpy(tensor + at, s->bad, size);
			if (big_endian)
				turn(tensor, 5003 * size, part_bytes(s->dtype));
			begin(&b);
			e = add_tensor(&b, s->dtype, 5003 * size);
			e->flags = big_endian ? EXTENT_BIG_ENDIAN : 0;
			feed_in(&b, e, tensor, pieces, 3);
			bench_end(&b);
			ck_assert_uint_eq(b.told.facts->rows[0].nan + b.told.facts->rows[0].bool_invalid, 5003);
			ck_assert_uint_eq(b.told.facts->rows[0].first_offset, BASE);
			ck_assert(elements_all_examined(&b.extents));
			bench_done(&b);
		}
	}
}
END_TEST

START_TEST(test_text_has_a_finding_and_no_row)
{
	const uint32_t text[3] = { 'a', 0x10ffff, 0x110000 };
	const struct finding *f;
	struct bench b;

	judge(&b, WLK_DTYPE_UCS4, text, sizeof(text));
	ck_assert_uint_eq(b.told.facts->n_rows, 0);
	f = told_finding(&b.told, WLK_F_NPY_UNICODE_RANGE);
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(f->found.number, 1);
	ck_assert_uint_eq(f->offset, BASE + 8);
	ck_assert_uint_eq(b.told.facts->final.totals.elements, 0);
	ck_assert_uint_eq(b.told.facts->final.totals.tensors, 1);
	bench_done(&b);
}
END_TEST

/* Cut short, as by a pass that stopped: half an element is no element, and no part of the next tensor's. */
START_TEST(test_a_carry_ends_with_its_tensor)
{
	const uint8_t half[2] = { 0, 0 }, other[4] = { 0xc0, 0x7f, 0, 0 }; /* one behind the other: a NaN */
	struct bench b;

	begin(&b);
	b.sink.begin(b.sink.ctx, add_tensor(&b, WLK_DTYPE_F32, 4));
	b.sink.feed(b.sink.ctx, &b.extents.list[0], half, 2, BASE);
	b.sink.end(b.sink.ctx, &b.extents.list[0]);
	feed_whole(&b, add_tensor(&b, WLK_DTYPE_F32, 4), other);
	bench_end(&b);
	ck_assert_uint_eq(b.told.facts->n_rows, 0);
	bench_done(&b);
}
END_TEST

START_TEST(test_a_row_and_findings_say_what_and_where)
{
	const float w[6] = { 1, 2, inf32, __builtin_nanf(""), -inf32, inf32 };
	const struct finding *nan, *inf;
	const struct nonfinite *row;
	struct bench b;

	judge(&b, WLK_DTYPE_F32, w, sizeof(w));
	ck_assert_uint_eq(b.told.facts->n_rows, 1);
	row = &b.told.facts->rows[0];
	ck_assert(bytes_equal(row->tensor, bytes_of_text("a")));
	ck_assert_int_eq(row->dtype, WLK_DTYPE_F32);
	ck_assert_uint_eq(row->nan, 1);
	ck_assert_uint_eq(row->pos_inf, 2);
	ck_assert_uint_eq(row->neg_inf, 1);
	ck_assert_uint_eq(row->first_offset, BASE + 8);
	nan = told_finding(&b.told, WLK_F_WEIGHTS_NAN);
	inf = told_finding(&b.told, WLK_F_WEIGHTS_INF);
	ck_assert_ptr_nonnull(nan);
	ck_assert_ptr_nonnull(inf);
	ck_assert_uint_eq(b.told.facts->n_findings, 2);
	ck_assert_uint_eq(nan->found.number, 1);
	ck_assert_uint_eq(inf->found.number, 3);
	ck_assert_uint_eq(inf->offset, BASE + 8);
	ck_assert(bytes_equal(inf->subject, bytes_of_text("a")));
	bench_done(&b);
}
END_TEST

START_TEST(test_bool_bytes_other_than_0_and_1_are_counted)
{
	const uint8_t w[5] = { 0, 1, 2, 0xff, 1 };
	const struct finding *f;
	struct bench b;

	judge(&b, WLK_DTYPE_BOOL, w, sizeof(w));
	f = told_finding(&b.told, WLK_F_WEIGHTS_BOOL_INVALID);
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(f->found.number, 2);
	ck_assert_uint_eq(f->offset, BASE + 2);
	ck_assert_uint_eq(b.told.facts->n_findings, 1);
	ck_assert_uint_eq(b.told.facts->final.totals.elements, 0);
	ck_assert_uint_eq(b.told.facts->final.totals.bool_invalid, 2);
	bench_done(&b);
}
END_TEST

static void check_infinities(const float *w, size_t n, enum wlk_finding expected)
{
	struct bench b;

	judge(&b, WLK_DTYPE_F32, w, n * sizeof(*w));
	ck_assert_ptr_nonnull(told_finding(&b.told, expected));
	ck_assert_ptr_null(
	    told_finding(&b.told, expected == WLK_F_WEIGHTS_INF ? WLK_F_WEIGHTS_INF_MASK : WLK_F_WEIGHTS_INF));
	bench_done(&b);
}

START_TEST(test_zeros_and_one_infinity_are_a_mask)
{
	const float masked[] = { 0, -inf32, -0.0f, -inf32 }, kept[] = { inf32, 0 }, constant[] = { inf32, inf32 },
		    scalar[] = { -inf32 };

	check_infinities(masked, 4, WLK_F_WEIGHTS_INF_MASK);
	check_infinities(kept, 2, WLK_F_WEIGHTS_INF_MASK);
	check_infinities(constant, 2, WLK_F_WEIGHTS_INF_MASK);
	check_infinities(scalar, 1, WLK_F_WEIGHTS_INF_MASK);
}
END_TEST

START_TEST(test_anything_beside_zeros_and_one_infinity_is_no_mask)
{
	const float both[] = { inf32, 0, -inf32 }, one[] = { -inf32, 1, 0 }, tiny[] = { 1e-45f, inf32 },
		    nan[] = { 0, inf32, __builtin_nanf("") };

	check_infinities(both, 3, WLK_F_WEIGHTS_INF);
	check_infinities(one, 3, WLK_F_WEIGHTS_INF);
	check_infinities(tiny, 2, WLK_F_WEIGHTS_INF);
	check_infinities(nan, 3, WLK_F_WEIGHTS_INF);
}
END_TEST

START_TEST(test_any_of_many_elements_can_end_a_mask)
{
	static float w[100000];

	w[5] = -inf32;
	check_infinities(w, 100000, WLK_F_WEIGHTS_INF_MASK);
	w[99999] = 1;
	check_infinities(w, 100000, WLK_F_WEIGHTS_INF);
	w[99999] = inf32;
	check_infinities(w, 100000, WLK_F_WEIGHTS_INF);
	w[99999] = -inf32;
	check_infinities(w, 100000, WLK_F_WEIGHTS_INF_MASK);
	w[0] = 1;
	check_infinities(w, 100000, WLK_F_WEIGHTS_INF);
}
END_TEST

START_TEST(test_what_was_found_does_not_outlive_its_tensor)
{
	const float ordinary[2] = { 1, 2 }, mask[2] = { 0, inf32 }, both[2] = { -inf32, inf32 };
	struct bench b;

	begin(&b);
	feed_whole(&b, add_tensor(&b, WLK_DTYPE_F32, 8), ordinary);
	feed_whole(&b, add_tensor(&b, WLK_DTYPE_F32, 8), mask);
	feed_whole(&b, add_tensor(&b, WLK_DTYPE_F32, 8), both);
	feed_whole(&b, add_tensor(&b, WLK_DTYPE_F32, 8), ordinary);
	bench_end(&b);
	ck_assert_uint_eq(b.told.facts->n_rows, 2);
	ck_assert_uint_eq(b.told.facts->rows[0].first_offset, BASE + 8 + 4);
	ck_assert_uint_eq(b.told.facts->rows[1].first_offset, BASE + 16);
	ck_assert_uint_eq(b.told.facts->rows[1].neg_inf, 1);
	ck_assert(bytes_equal(told_finding(&b.told, WLK_F_WEIGHTS_INF_MASK)->subject, bytes_of_text("b")));
	ck_assert(bytes_equal(told_finding(&b.told, WLK_F_WEIGHTS_INF)->subject, bytes_of_text("c")));
	bench_done(&b);
}
END_TEST

START_TEST(test_complex_parts_are_counted_each_and_are_never_a_mask)
{
	const float w[4] = { 0, 0, inf32, __builtin_nanf("") }, infinite[2] = { inf32, inf32 };
	struct bench b;

	judge(&b, WLK_DTYPE_C64, w, sizeof(w));
	ck_assert_uint_eq(b.told.facts->rows[0].nan, 1);
	ck_assert_uint_eq(b.told.facts->rows[0].pos_inf, 1);
	ck_assert_uint_eq(b.told.facts->rows[0].first_offset, BASE + 8);
	ck_assert_uint_eq(b.told.facts->final.totals.elements, 2);
	bench_done(&b);

	judge(&b, WLK_DTYPE_C64, infinite, sizeof(infinite));
	ck_assert_uint_eq(b.told.facts->rows[0].pos_inf, 2);
	ck_assert_ptr_nonnull(told_finding(&b.told, WLK_F_WEIGHTS_INF));
	bench_done(&b);
}
END_TEST

/* Several pieces of the sink's own, and a first offset in each possible place. */
START_TEST(test_the_first_offset_is_exact_wherever_it_lies)
{
	static float w[3 * 8192 + 3];
	static const size_t places[] = { 0, 1, 2, 4095, 8191, 8192, 8193, 3 * 8192, 3 * 8192 + 2 };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct bench b;

		memset(w, 0, sizeof(w));
		for (size_t j = places[i]; j < sizeof(w) / sizeof(w[0]); j += 5)
			w[j] = __builtin_nanf("");
		judge(&b, WLK_DTYPE_F32, w, sizeof(w));
		ck_assert_uint_eq(b.told.facts->rows[0].first_offset, BASE + 4 * places[i]);
		ck_assert_uint_eq(b.told.facts->rows[0].nan, (sizeof(w) / sizeof(w[0]) - places[i] + 4) / 5);
		bench_done(&b);
	}
}
END_TEST

START_TEST(test_only_tensors_of_types_with_non_finite_values_are_examined)
{
	static const uint8_t ones[16] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff };
	struct bench b;

	begin(&b);
	feed_whole(&b, add_tensor(&b, WLK_DTYPE_I32, 16), ones);
	feed_whole(&b, add_tensor(&b, WLK_DTYPE_F4, 16), ones);
	add_tensor(&b, WLK_DTYPE_F32, 16)->kind = EXTENT_HEADER;
	feed_whole(&b, &b.extents.list[2], ones);
	bench_end(&b);
	ck_assert_uint_eq(b.told.facts->n_rows, 0);
	ck_assert_uint_eq(b.told.facts->n_findings, 0);
	ck_assert_uint_eq(b.told.facts->final.totals.elements, 0);
	ck_assert_uint_eq(b.told.facts->final.totals.tensors, 2);
	bench_done(&b);
}
END_TEST

static uint64_t tensors_of(const struct facts *f, const char *dtype)
{
	for (size_t i = 0; i < f->n_facts; i++) {
		if (f->facts[i].id == WLK_FACT_TENSORS_BY_DTYPE && bytes_equal(f->facts[i].key, bytes_of_text(dtype)))
			return f->facts[i].value.number;
	}
	return 0;
}

START_TEST(test_totals_count_declared_tensors_and_examined_elements)
{
	const float w[3] = { 1, 2, 3 };
	struct bench b;

	begin(&b);
	feed_whole(&b, add_tensor(&b, WLK_DTYPE_F32, 12), w);
	feed_whole(&b, add_tensor(&b, WLK_DTYPE_BF16, 12), w);
	feed_whole(&b, add_tensor(&b, WLK_DTYPE_F32, 0), w);
	feed_whole(&b, add_tensor(&b, WLK_DTYPE_U8, 12), w);
	add_tensor(&b, WLK_DTYPE_F32, 12)->flags = EXTENT_DEAD; /* the pass does not feed it */
	bench_end(&b);
	ck_assert_uint_eq(b.told.facts->final.totals.tensors, 5);
	ck_assert_uint_eq(b.told.facts->final.totals.elements, 3 + 6);
	ck_assert_uint_eq(b.told.facts->n_facts, 3);
	ck_assert_uint_eq(tensors_of(b.told.facts, "F32"), 3);
	ck_assert_uint_eq(tensors_of(b.told.facts, "BF16"), 1);
	ck_assert_uint_eq(tensors_of(b.told.facts, "U8"), 1);
	bench_done(&b);
}
END_TEST

/* A namer that counts how often it is asked. */
static size_t names_asked;

static size_t counting_namer(const struct extents *x, const struct extent *e, uint8_t *buf, size_t n)
{
	(void)x;
	(void)e;
	names_asked++;
	if (n > 0)
		buf[0] = 'n';
	return 1;
}

START_TEST(test_names_are_decoded_only_for_what_is_listed_and_totals_stay_exact)
{
	const float bad = inf32, good = 1;
	struct bench b;

	begin(&b);
	b.extents.name = counting_namer;
	names_asked = 0;
	for (int i = 0; i < 500; i++)
		feed_whole(&b, add_tensor(&b, WLK_DTYPE_F32, 4), &good);
	ck_assert_uint_eq(names_asked, 0);
	for (int i = 0; i < REPORT_NONFINITE_MAX + 300; i++)
		feed_whole(&b, add_tensor(&b, WLK_DTYPE_F32, 4), &bad);
	bench_end(&b);
	ck_assert_uint_eq(b.told.facts->n_rows, REPORT_NONFINITE_MAX);
	ck_assert_uint_eq(b.told.facts->final.totals.nonfinite_omitted, 300);
	ck_assert_uint_eq(b.told.facts->final.totals.pos_inf, REPORT_NONFINITE_MAX + 300);
	ck_assert_uint_eq(b.told.facts->per_code[WLK_F_WEIGHTS_INF_MASK], REPORT_NONFINITE_MAX + 300);
	ck_assert_uint_eq(names_asked, REPORT_NONFINITE_MAX);
	bench_done(&b);
}
END_TEST

HARNESS("elements", test_an_element_split_between_two_feeds_is_counted_once_at_its_own_offset,
    test_an_element_split_over_many_feeds_is_counted_once_at_its_own_offset,
    test_the_most_significant_byte_may_come_first, test_long_tensors_of_every_width_are_counted_exactly,
    test_text_has_a_finding_and_no_row, test_a_carry_ends_with_its_tensor, test_a_row_and_findings_say_what_and_where,
    test_bool_bytes_other_than_0_and_1_are_counted, test_zeros_and_one_infinity_are_a_mask,
    test_anything_beside_zeros_and_one_infinity_is_no_mask, test_any_of_many_elements_can_end_a_mask,
    test_what_was_found_does_not_outlive_its_tensor, test_complex_parts_are_counted_each_and_are_never_a_mask,
    test_the_first_offset_is_exact_wherever_it_lies, test_only_tensors_of_types_with_non_finite_values_are_examined,
    test_totals_count_declared_tensors_and_examined_elements,
    test_names_are_decoded_only_for_what_is_listed_and_totals_stay_exact)
