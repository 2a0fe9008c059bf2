/* Coverage, against cases drawn by hand and against a slow oracle that paints bytes one by one. */
#include "harness.h"

#include <stdio.h>

#include "checked.h"
#include "extents.h"
#include "memory.h"

#define BUDGET ((size_t)256 << 20)

/* Any four codes would do. */
static const struct coverage_codes codes = {
	.overlap = WLK_F_ST_DATA_OVERLAP,
	.hole = WLK_F_ST_DATA_HOLE,
	.out_of_bounds = WLK_F_ST_OFFSETS_OUT_OF_BOUNDS,
	.trailing = WLK_F_ST_DATA_TRAILING,
};

struct fixture {
	struct arena arena;
	struct extents x;
	struct mem_report sent;
	struct report *report;
};

static void open_fixture(struct fixture *fx)
{
	*fx = (struct fixture){ .report = malloc(sizeof(struct report)) };
	arena_init(&fx->arena, BUDGET);
	extents_init(&fx->x, &fx->arena);
	report_init(fx->report, mem_write, NULL, &fx->sent);
}

static void close_fixture(struct fixture *fx)
{
	arena_done(&fx->arena);
	free(fx->report);
	free(fx->sent.at);
}

static struct extent *add(struct fixture *fx, uint64_t begin, uint64_t end)
{
	struct extent *e = extents_add(&fx->x);

	ck_assert_ptr_nonnull(e);
	e->begin = begin;
	e->end = end;
	e->index = (uint32_t)(fx->x.n - 1);
	return e;
}

static uint64_t count(const struct fixture *fx, enum wlk_finding code)
{
	return fx->report->per_code[code];
}

static uint64_t all_findings(const struct fixture *fx)
{
	return count(fx, codes.overlap) + count(fx, codes.hole) + count(fx, codes.out_of_bounds) +
	       count(fx, codes.trailing);
}

static void cover(struct fixture *fx, uint64_t begin, uint64_t end)
{
	ck_assert_int_eq(extents_cover(&fx->x, begin, end, &codes, fx->report), WLK_DONE);
}

/* The findings, as the front would see them; free with facts_free(). */
static struct facts *facts_of(struct fixture *fx, uint64_t size)
{
	ck_assert(report_end(fx->report, &(struct report_final){ .size = size }));
	return mem_decode(&fx->sent, size);
}

START_TEST(test_list_grows_and_stays_zeroed)
{
	struct fixture fx;

	open_fixture(&fx);
	for (uint64_t i = 0; i < 100000; i++) {
		struct extent *e = extents_add(&fx.x);

		ck_assert_ptr_nonnull(e);
		ck_assert_uint_eq(e->begin | e->end | e->index | e->flags, 0);
		e->begin = e->end = i;
	}
	for (uint64_t i = 0; i < 100000; i++)
		ck_assert_uint_eq(fx.x.list[i].begin, i);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_spent_arena_stops_the_list)
{
	struct fixture fx;

	open_fixture(&fx);
	fx.arena.budget = 10000;
	while (extents_add(&fx.x) != NULL)
		;
	ck_assert(fx.arena.exhausted);
	ck_assert_uint_le(fx.x.n * sizeof(struct extent), 10000);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_extent_is_32_bytes)
{
	ck_assert_uint_eq(sizeof(struct extent), 32);
}
END_TEST

START_TEST(test_tiles_in_any_order_are_fine)
{
	struct fixture fx;

	open_fixture(&fx);
	add(&fx, 20, 30);
	add(&fx, 10, 20);
	add(&fx, 30, 40);
	cover(&fx, 10, 40);
	ck_assert_uint_eq(all_findings(&fx), 0);
	ck_assert_uint_eq(fx.x.list[0].begin, 10);
	ck_assert_uint_eq(fx.x.list[2].begin, 30);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_nothing_covers_nothing)
{
	struct fixture fx;

	open_fixture(&fx);
	cover(&fx, 10, 10);
	ck_assert_uint_eq(all_findings(&fx), 0);
	cover(&fx, 10, 11);
	ck_assert_uint_eq(count(&fx, codes.trailing), 1);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_empty_extents_on_boundaries_are_fine)
{
	struct fixture fx;

	open_fixture(&fx);
	add(&fx, 10, 20);
	add(&fx, 20, 20);
	add(&fx, 20, 30);
	add(&fx, 10, 10);
	add(&fx, 10, 10);
	add(&fx, 30, 30);
	cover(&fx, 10, 30);
	ck_assert_uint_eq(all_findings(&fx), 0);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_empty_extent_inside_another_is_an_overlap)
{
	struct fixture fx;

	open_fixture(&fx);
	add(&fx, 10, 20);
	add(&fx, 11, 11);
	cover(&fx, 10, 20);
	ck_assert_uint_eq(count(&fx, codes.overlap), 1);
	ck_assert(fx.x.list[1].flags & EXTENT_OVERLAP);
	ck_assert_uint_eq(all_findings(&fx), 1);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_empty_extent_past_the_end_is_out_of_bounds)
{
	struct fixture fx;

	open_fixture(&fx);
	add(&fx, 10, 20);
	add(&fx, 21, 21);
	cover(&fx, 10, 20);
	ck_assert_uint_eq(count(&fx, codes.out_of_bounds), 1);
	ck_assert_uint_eq(all_findings(&fx), 1);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_overlap_says_who_where_and_how_far)
{
	struct fixture fx;
	struct facts *f;

	open_fixture(&fx);
	fx.x.names = bytes_of_text("onetwothree");
	*add(&fx, 10, 30) = (struct extent){ .begin = 10, .end = 30, .name_at = 0, .name_n = 3, .index = 0 };
	*add(&fx, 29, 40) = (struct extent){ .begin = 29, .end = 40, .name_at = 3, .name_n = 3, .index = 1 };
	*add(&fx, 40, 50) = (struct extent){ .begin = 40, .end = 50, .name_at = 6, .name_n = 5, .index = 2 };
	cover(&fx, 10, 50);
	f = facts_of(&fx, 50);
	ck_assert_uint_eq(f->n_findings, 1);
	ck_assert_int_eq(f->findings[0].code, codes.overlap);
	ck_assert(bytes_equal(f->findings[0].subject, bytes_of_text("two")));
	ck_assert_uint_eq(f->findings[0].offset, 29);
	ck_assert_uint_eq(f->findings[0].found.number, 29);
	ck_assert_uint_eq(f->findings[0].allowed.number, 30);
	ck_assert_uint_eq(fx.x.list[0].flags, 0);
	ck_assert_uint_eq(fx.x.list[1].flags, EXTENT_OVERLAP);
	ck_assert_uint_eq(fx.x.list[2].flags, 0);
	facts_free(f);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_overlap_looks_back_past_shorter_extents)
{
	struct fixture fx;

	open_fixture(&fx);
	add(&fx, 0, 100);
	add(&fx, 10, 20);
	add(&fx, 50, 60);
	cover(&fx, 0, 100);
	ck_assert_uint_eq(count(&fx, codes.overlap), 2);
	ck_assert_uint_eq(all_findings(&fx), 2);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_holes_and_trailing_bytes_are_measured)
{
	struct fixture fx;
	struct facts *f;

	open_fixture(&fx);
	add(&fx, 12, 20);
	add(&fx, 25, 30);
	cover(&fx, 10, 40);
	f = facts_of(&fx, 40);
	ck_assert_uint_eq(f->n_findings, 3);
	ck_assert_int_eq(f->findings[0].code, codes.hole);
	ck_assert_uint_eq(f->findings[0].offset, 10);
	ck_assert_uint_eq(f->findings[0].length, 2);
	ck_assert_int_eq(f->findings[1].code, codes.hole);
	ck_assert_uint_eq(f->findings[1].offset, 20);
	ck_assert_uint_eq(f->findings[1].length, 5);
	ck_assert_int_eq(f->findings[2].code, codes.trailing);
	ck_assert_uint_eq(f->findings[2].offset, 30);
	ck_assert_uint_eq(f->findings[2].length, 10);
	facts_free(f);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_gaps_prove_nothing_when_an_owner_is_unknown)
{
	struct coverage_codes unknown = codes;
	struct fixture fx;

	unknown.gaps_unknown = true;
	open_fixture(&fx);
	add(&fx, 12, 20);
	add(&fx, 19, 30);
	add(&fx, 35, 41);
	ck_assert_int_eq(extents_cover(&fx.x, 10, 40, &unknown, fx.report), WLK_DONE);
	ck_assert_uint_eq(count(&fx, codes.overlap), 1);
	ck_assert_uint_eq(count(&fx, codes.out_of_bounds), 1);
	ck_assert_uint_eq(all_findings(&fx), 2);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_findings_beyond_the_bound_are_counted_exactly)
{
	struct fixture fx;
	struct facts *f;

	open_fixture(&fx);
	for (int i = 0; i < 1000; i++)
		add(&fx, 0, 10);
	cover(&fx, 0, 10);
	f = facts_of(&fx, 10);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_NONE);
	ck_assert_uint_eq(f->n_findings, REPORT_PER_CODE_MAX);
	ck_assert_uint_eq(f->per_code[codes.overlap], 999);
	facts_free(f);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_extents_outside_die_and_their_offset_stays_inside)
{
	struct fixture fx;
	struct facts *f;

	open_fixture(&fx);
	add(&fx, 10, 40);
	add(&fx, 30, 41);
	add(&fx, UINT64_MAX - 1, UINT64_MAX);
	add(&fx, 9, 10);
	cover(&fx, 10, 40);
	ck_assert_uint_eq(count(&fx, codes.out_of_bounds), 3);
	ck_assert_uint_eq(all_findings(&fx), 3);
	ck_assert_uint_eq(fx.x.list[0].flags, 0);
	for (int i = 1; i < 4; i++)
		ck_assert_uint_eq(fx.x.list[i].flags, EXTENT_DEAD);
	f = facts_of(&fx, 40);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_NONE);
	ck_assert_uint_eq(f->findings[0].offset, 30);
	ck_assert_uint_eq(f->findings[0].found.number, 41);
	ck_assert_uint_eq(f->findings[0].allowed.number, 40);
	ck_assert_uint_eq(f->findings[1].offset, 40);
	ck_assert_uint_eq(f->findings[2].offset, 9);
	facts_free(f);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_name_comes_from_the_namer_and_is_bounded)
{
	struct fixture fx;
	uint8_t buf[4];
	struct extent *e;

	open_fixture(&fx);
	fx.x.names = bytes_of_text("abcdefgh");
	e = add(&fx, 0, 0);
	e->name_at = 2;
	e->name_n = 3;
	ck_assert(bytes_equal(extents_name(&fx.x, e, buf, sizeof(buf)), bytes_of_text("cde")));
	e->name_n = 6;
	ck_assert(bytes_equal(extents_name(&fx.x, e, buf, sizeof(buf)), bytes_of_text("cdef")));
	e->name_n = 7; /* reaches past the names: a bug of the layout, not a read past the end */
	ck_assert_uint_eq(extents_name(&fx.x, e, buf, sizeof(buf)).n, 0);
	close_fixture(&fx);
}
END_TEST

/* In order and ending where they should, which is nearly a tiling. */
START_TEST(test_one_flaw_in_an_orderly_list_is_found)
{
	enum { NONE, HOLE, OVERLAP, DEAD, N_FLAWS };

	for (unsigned i = 0; i < 9; i++) {
		for (int flaw = NONE; flaw < N_FLAWS; flaw++) {
			struct fixture fx;

			open_fixture(&fx);
			for (uint64_t k = 0; k < 10; k++)
				add(&fx, 10 * k, 10 * k + 10);
			if (flaw == HOLE)
				fx.x.list[i].begin++;
			else if (flaw == OVERLAP)
				fx.x.list[i].end++;
			else if (flaw == DEAD)
				fx.x.list[i].flags = EXTENT_DEAD;
			cover(&fx, 0, 100);
			ck_assert_uint_eq(count(&fx, codes.hole), flaw == HOLE || flaw == DEAD);
			ck_assert_uint_eq(count(&fx, codes.overlap), flaw == OVERLAP);
			ck_assert_uint_eq(count(&fx, codes.trailing), 0);
			close_fixture(&fx);
		}
	}
}
END_TEST

START_TEST(test_sort_takes_no_memory)
{
	struct fixture fx;
	size_t used;

	open_fixture(&fx);
	for (uint64_t i = 1000; i > 0; i--)
		add(&fx, i - 1, i);
	used = fx.arena.used;
	fx.arena.budget = used;
	cover(&fx, 0, 1000);
	ck_assert(!fx.arena.exhausted);
	ck_assert_uint_eq(fx.arena.used, used);
	for (uint64_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(fx.x.list[i].begin, i);
	close_fixture(&fx);
}
END_TEST

/* Oracle */

#define FIELD 48

/* Which findings should there be?  Every live extent in sorted order, byte by byte. */
static void paint(const struct extent *list, size_t n, uint64_t begin, uint64_t end, uint64_t expected[4])
{
	bool used[FIELD + 1] = { false };
	bool in_hole = false;

	memset(expected, 0, 4 * sizeof(*expected));
	for (size_t i = 0; i < n; i++) {
		uint64_t furthest = begin;
		bool outside = list[i].begin < begin || list[i].end > end;

		if (list[i].flags & EXTENT_DEAD)
			continue;
		if (outside) {
			expected[2]++;
			continue;
		}
		/* Everything that sorts before this one, the slow way. */
		for (size_t j = 0; j < n; j++) {
			const struct extent *a = &list[j], *b = &list[i];
			bool live = !(a->flags & EXTENT_DEAD) && a->begin >= begin && a->end <= end;
			bool before =
			    a->begin < b->begin ||
			    (a->begin == b->begin && (a->end < b->end || (a->end == b->end && a->index < b->index)));

			if (live && before && a->begin < a->end && a->end > furthest)
				furthest = a->end;
		}
		if (list[i].begin < furthest)
			expected[0]++;
		for (uint64_t at = list[i].begin; at < list[i].end; at++)
			used[at] = true;
	}
	for (uint64_t at = begin; at < end; at++) {
		if (!used[at] && !in_hole)
			expected[1]++;
		in_hole = !used[at];
	}
	if (in_hole) { /* the last hole is what trails */
		expected[1]--;
		expected[3]++;
	}
}

static void check_sorted(const struct fixture *fx)
{
	for (size_t i = 1; i < fx->x.n; i++) {
		const struct extent *a = &fx->x.list[i - 1], *b = &fx->x.list[i];

		if (b->flags & EXTENT_DEAD)
			continue;
		ck_assert(!(a->flags & EXTENT_DEAD));
		ck_assert(a->begin <= b->begin);
		ck_assert(a->begin < b->begin || a->end <= b->end);
		ck_assert(a->begin < b->begin || a->end < b->end || a->index < b->index);
	}
}

/* A handful of extents: mostly a tiling, disturbed. */
static void add_random(struct fixture *fx, uint64_t *state, uint64_t begin, uint64_t end)
{
	uint64_t at = begin;
	size_t n;

	while (at < end) {
		uint64_t to = at + next_random(state) % 8;

		add(fx, at, to < end ? to : end);
		at = to;
	}
	n = fx->x.n;
	for (size_t i = 0; i < n; i++) { /* shuffle */
		size_t j = next_random(state) % n;
		struct extent e = fx->x.list[i];

		fx->x.list[i] = fx->x.list[j];
		fx->x.list[j] = e;
	}
	for (size_t i = 0; i < n; i++) /* a list in the order of its indices is usual, not promised */
		fx->x.list[i].index = (uint32_t)(n % 2 ? i : n - i);
	for (uint64_t i = next_random(state) % 4; i > 0 && n > 0; i--) { /* disturb */
		struct extent *e = &fx->x.list[next_random(state) % n];
		uint64_t a = next_random(state) % (FIELD + 1), b = next_random(state) % (FIELD + 1);

		e->begin = a < b ? a : b;
		e->end = a < b ? b : a;
		e->flags = next_random(state) % 4 == 0 ? EXTENT_DEAD : 0;
	}
}

START_TEST(test_random_extents_agree_with_the_oracle)
{
	uint64_t state = 4711, seen[4] = { 0 };

	for (int round = 0; round < 20000; round++) {
		uint64_t expected[4], begin = next_random(&state) % 4, end = FIELD - next_random(&state) % 4;
		struct fixture fx;

		open_fixture(&fx);
		add_random(&fx, &state, begin, end);
		paint(fx.x.list, fx.x.n, begin, end, expected);
		cover(&fx, begin, end);
		ck_assert_uint_eq(count(&fx, codes.overlap), expected[0]);
		ck_assert_uint_eq(count(&fx, codes.hole), expected[1]);
		ck_assert_uint_eq(count(&fx, codes.out_of_bounds), expected[2]);
		ck_assert_uint_eq(count(&fx, codes.trailing), expected[3]);
		check_sorted(&fx);
		for (int i = 0; i < 4; i++)
			seen[i] += expected[i];
		close_fixture(&fx);
	}
	for (int i = 0; i < 4; i++)
		ck_assert_uint_gt(seen[i], 100); /* the rounds did reach every finding */
}
END_TEST

/* Large and hostile: the keys use all 64 bits, many are equal, and nothing is lost. */
START_TEST(test_many_wide_keys_sort_right_and_none_is_lost)
{
	uint64_t state = 99, sum = 0, sorted_sum = 0;
	struct fixture fx;

	open_fixture(&fx);
	for (int i = 0; i < 200000; i++) {
		uint64_t begin = next_random(&state) >> (i % 3 == 0 ? 60 : i % 64);
		struct extent *e = add(&fx, begin, begin);

		add_u64(begin, next_random(&state) % 5, &e->end);
		sum += e->begin ^ e->index * 31;
	}
	cover(&fx, 0, UINT64_MAX);
	check_sorted(&fx);
	for (size_t i = 0; i < fx.x.n; i++)
		sorted_sum += fx.x.list[i].begin ^ fx.x.list[i].index * 31;
	ck_assert_uint_eq(sum, sorted_sum);
	close_fixture(&fx);
}
END_TEST

/* Keys that part one by one, so that the sort goes as deep as it can: through every digit of begin, end and index. */
START_TEST(test_sort_goes_through_every_digit_of_every_field)
{
	struct fixture fx;

	open_fixture(&fx);
	for (int bit = 63; bit >= 0; bit--) {
		uint64_t key = UINT64_C(1) << bit;

		add(&fx, key, UINT64_MAX)->index = (uint32_t)(key >> 32);
		add(&fx, 0, key);
		add(&fx, 0, 0)->index = (uint32_t)key;
		add(&fx, 0, 0)->index = (uint32_t)bit + 3;
	}
	for (size_t i = 0; i < fx.x.n; i++) /* all alike but for that */
		fx.x.list[i].name_n = 0;
	cover(&fx, 0, UINT64_MAX);
	for (size_t i = 1; i < fx.x.n; i++) {
		const struct extent *a = &fx.x.list[i - 1], *b = &fx.x.list[i];

		ck_assert(a->begin <= b->begin);
		ck_assert(a->begin < b->begin || a->end <= b->end);
		ck_assert(a->begin < b->begin || a->end < b->end || a->index <= b->index);
	}
	close_fixture(&fx);
}
END_TEST

START_TEST(test_padding_up_to_a_multiple_is_left_to_the_layout)
{
	/* From, to, and the finding of the hole: base 19, align 8. */
	static const uint64_t holes[][3] = { { 23, 27, 0 }, { 20, 27, 0 }, { 26, 27, 0 }, { 19, 27, 1 }, { 23, 26, 1 },
		{ 27, 35, 1 }, { 20, 35, 1 } };

	for (size_t i = 0; i < sizeof(holes) / sizeof(holes[0]); i++) {
		struct coverage_codes aligned = codes;
		struct fixture fx;

		aligned.align = 8;
		open_fixture(&fx);
		if (holes[i][0] > 19)
			add(&fx, 19, holes[i][0]);
		add(&fx, holes[i][1], 43);
		ck_assert_int_eq(extents_cover(&fx.x, 19, 43, &aligned, fx.report), WLK_DONE);
		ck_assert_uint_eq(count(&fx, codes.hole), holes[i][2]);
		ck_assert_uint_eq(all_findings(&fx), holes[i][2]);
		ck_assert(fx.x.gaps == (holes[i][2] > 0));
		close_fixture(&fx);
	}
}
END_TEST

HARNESS("extents", test_list_grows_and_stays_zeroed, test_spent_arena_stops_the_list, test_extent_is_32_bytes,
    test_tiles_in_any_order_are_fine, test_nothing_covers_nothing, test_empty_extents_on_boundaries_are_fine,
    test_empty_extent_inside_another_is_an_overlap, test_empty_extent_past_the_end_is_out_of_bounds,
    test_overlap_says_who_where_and_how_far, test_overlap_looks_back_past_shorter_extents,
    test_holes_and_trailing_bytes_are_measured, test_padding_up_to_a_multiple_is_left_to_the_layout,
    test_gaps_prove_nothing_when_an_owner_is_unknown, test_findings_beyond_the_bound_are_counted_exactly,
    test_extents_outside_die_and_their_offset_stays_inside, test_name_comes_from_the_namer_and_is_bounded,
    test_one_flaw_in_an_orderly_list_is_found, test_sort_takes_no_memory, test_random_extents_agree_with_the_oracle,
    test_many_wide_keys_sort_right_and_none_is_lost, test_sort_goes_through_every_digit_of_every_field)
