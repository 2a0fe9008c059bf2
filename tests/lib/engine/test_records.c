/* Records: what is gathered of each tensor, wherever feeds are cut, against a plain walk over the same bytes. */
#include "harness.h"

#include <string.h>

#include "elements_bench.h"

#define BEGIN 1000 /* where the array begins in the imagined file */
#define ORIGIN 7   /* and where the extents do */
#define TENSORS_MAX 5
#define FIELDS_MAX 8

static void begin(struct bench *b)
{
	bench_init(b);
	b->extents.origin = ORIGIN;
}

static const struct extent *attach(struct bench *b, const struct record_type *type, uint64_t n)
{
	struct extent *e = extents_add(&b->extents);

	ck_assert_ptr_nonnull(e);
	e->begin = BEGIN;
	e->end = BEGIN + n;
	e->kind = EXTENT_TENSOR;
	e->dtype = WLK_DTYPE_U8;
	ck_assert(records_attach(&b->extents, e, type));
	return e;
}

/* In pieces of at most `piece` bytes. */
static void feed(struct bench *b, const struct extent *e, const uint8_t *data, size_t piece)
{
	size_t n = (size_t)(e->end - e->begin);

	b->sink.begin(b->sink.ctx, e);
	for (size_t done = 0; done < n; done += piece) {
		size_t taken = n - done < piece ? n - done : piece;

		b->sink.feed(b->sink.ctx, e, data + done, taken, e->begin + done);
	}
	b->sink.end(b->sink.ctx, e);
}

static const struct nonfinite *row_of(const struct bench *b, const char *name)
{
	for (size_t i = 0; i < b->told.facts->n_rows; i++)
		if (bytes_equal(b->told.facts->rows[i].tensor, bytes_of_text(name)))
			return &b->told.facts->rows[i];
	return NULL;
}

/* -- a random record -- */

struct sample {
	struct record_tensor tensors[TENSORS_MAX];
	struct record_field fields[FIELDS_MAX];
	struct record_type type;
	uint8_t *data;
	size_t n;
	/* By a plain walk: */
	struct nonfinite_counts counts[TENSORS_MAX];
	uint64_t first[TENSORS_MAX], elements;
};

static uint64_t state;

static unsigned next(unsigned n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(state >> 33) % n;
}

static void make_type(struct sample *s)
{
	static const char *const names[TENSORS_MAX] = { "t.a", "t.b", "t.c", "t.d", "t.e" };
	static const enum wlk_dtype dtypes[] = { WLK_DTYPE_F16, WLK_DTYPE_F32, WLK_DTYPE_F64, WLK_DTYPE_BOOL,
		WLK_DTYPE_C64, WLK_DTYPE_I32 };
	uint64_t at = next(4);

	s->type =
	    (struct record_type){ .tensors = s->tensors, .fields = s->fields, .n_tensors = 1 + next(TENSORS_MAX) };
	for (size_t i = 0; i < s->type.n_tensors; i++)
		s->tensors[i] = (struct record_tensor){ bytes_of_text(names[i]), dtypes[next(6)], next(2) == 1 };
	for (size_t i = 0; i < 1 + next(FIELDS_MAX); i++) {
		uint32_t tensor = (uint32_t)next((unsigned)s->type.n_tensors);
		unsigned elements = 1 + (next(8) == 0 ? next(600) : next(3));

		s->fields[s->type.n_fields++] =
		    (struct record_field){ at, elements * dtype_info(s->tensors[tensor].dtype)->bits / 8u, tensor };
		at += s->fields[i].bytes + next(3);
	}
	s->type.bytes = at + next(3);
}

static void put_element(struct sample *s, uint32_t tensor, uint8_t *at, uint64_t offset)
{
	const struct record_tensor *t = &s->tensors[tensor];
	const struct nonfinite_kernel *k = nonfinite_kernel(t->dtype);
	size_t n = dtype_info(t->dtype)->bits / 8u, unit = t->dtype == WLK_DTYPE_C64 ? 4 : n;
	struct nonfinite_counts before = s->counts[tensor];
	uint8_t element[16] = { 0 };

	if (next(50) == 0)
		memset(element, 0xff, n); /* not a number, or no bool */
	else if (next(50) == 0 && t->dtype == WLK_DTYPE_F32)
		memcpy(element, "\0\0\x80\xff", 4);
	for (size_t i = 0; i < n; i++)
		at[i] = t->big_endian ? element[i / unit * unit + unit - 1 - i % unit] : element[i];
	if (k == NULL)
		return;
	k->count(element, n, &s->counts[tensor]);
	s->elements += dtype_is_float(t->dtype);
	if (s->first[tensor] == 0 && memcmp(&before, &s->counts[tensor], sizeof(before)) != 0)
		s->first[tensor] = ORIGIN + BEGIN + offset;
}

static void make_data(struct sample *s)
{
	size_t records = 1 + next(next(4) == 0 ? 3000 : 40);

	s->n = records * (size_t)s->type.bytes;
	s->data = malloc(s->n);
	ck_assert_ptr_nonnull(s->data);
	memset(s->data, 0xff, s->n); /* what is nobody's must not be looked at */
	for (size_t r = 0; r < records; r++) {
		for (size_t i = 0; i < s->type.n_fields; i++) {
			const struct record_field *f = &s->fields[i];
			size_t bytes = dtype_info(s->tensors[f->tensor].dtype)->bits / 8u;
			uint64_t at = r * s->type.bytes + f->offset;

			for (uint64_t k = 0; k < f->bytes; k += bytes)
				put_element(s, f->tensor, s->data + at + k, at + k);
		}
	}
}

static void check(const struct bench *b, const struct sample *s)
{
	size_t rows = 0;

	for (size_t i = 0; i < s->type.n_tensors; i++) {
		const struct nonfinite_counts *c = &s->counts[i];
		const struct nonfinite *row = row_of(b, (const char *)s->tensors[i].name.at);

		ck_assert_int_eq(row != NULL, s->first[i] != 0);
		if (row == NULL)
			continue;
		rows++;
		ck_assert_uint_eq(row->nan, c->nan);
		ck_assert_uint_eq(row->pos_inf, c->pos_inf);
		ck_assert_uint_eq(row->neg_inf, c->neg_inf);
		ck_assert_uint_eq(row->bool_invalid, c->invalid);
		ck_assert_uint_eq(row->first_offset, s->first[i]);
	}
	ck_assert_uint_eq(b->told.facts->n_rows, rows);
	ck_assert_uint_eq(b->told.facts->final.totals.elements, s->elements);
	ck_assert_uint_eq(b->told.facts->final.totals.tensors, s->type.n_tensors);
}

START_TEST(test_counts_and_first_offsets_are_exact_wherever_feeds_are_cut)
{
	for (unsigned round = 0; round < 400; round++) {
		struct sample s = { 0 };
		struct bench b;

		state = round;
		make_type(&s);
		make_data(&s);
		begin(&b);
		feed(&b, attach(&b, &s.type, s.n), s.data, round % 4 == 0 ? s.n : 1 + next(3000));
		bench_end(&b);
		check(&b, &s);
		bench_done(&b);
		free(s.data);
	}
}
END_TEST

START_TEST(test_columns_are_made_anew_for_each_array)
{
	static const float one[] = { 1, __builtin_nanf("") }, other[] = { 1, 2 };
	const struct record_tensor first = { bytes_of_text("first"), WLK_DTYPE_F32, false };
	const struct record_tensor second[] = { { bytes_of_text("a"), WLK_DTYPE_F32, false },
		{ bytes_of_text("b"), WLK_DTYPE_F32, false } };
	const struct record_field whole = { 0, 4, 0 };
	const struct record_field both[] = { { 0, 4, 0 }, { 4, 4, 1 } };
	const struct record_type types[] = { { 4, &first, 1, &whole, 1 }, { 8, second, 2, both, 2 } };
	struct bench b;

	begin(&b);
	feed(&b, attach(&b, &types[0], sizeof(one)), (const uint8_t *)one, 3);
	feed(&b, attach(&b, &types[1], sizeof(other)), (const uint8_t *)other, 3);
	bench_end(&b);
	ck_assert_uint_eq(b.told.facts->n_rows, 1);
	ck_assert_ptr_nonnull(row_of(&b, "first"));
	ck_assert_uint_eq(b.told.facts->final.totals.elements, 4);
	bench_done(&b);
}
END_TEST

START_TEST(test_a_spent_arena_examines_nothing_and_says_so)
{
	static const float values[] = { __builtin_nanf(""), 2 };
	const struct record_tensor tensor = { bytes_of_text("t"), WLK_DTYPE_F32, false };
	const struct record_field field = { 0, 4, 0 };
	const struct record_type type = { 4, &tensor, 1, &field, 1 };
	const struct extent *e;
	struct bench b;

	begin(&b);
	e = attach(&b, &type, sizeof(values));
	b.arena.budget = b.arena.used;
	feed(&b, e, (const uint8_t *)values, sizeof(values));
	ck_assert(b.elements.records.failed);
	bench_end(&b);
	ck_assert_uint_eq(b.told.facts->final.totals.elements, 0);
	bench_done(&b);
}
END_TEST

HARNESS("records", test_counts_and_first_offsets_are_exact_wherever_feeds_are_cut,
    test_columns_are_made_anew_for_each_array, test_a_spent_arena_examines_nothing_and_says_so)
