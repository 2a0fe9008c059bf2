/* What loading costs: hashes as CPython computes them, keys that meet in its tables, and where the limits lie. */
#include "walk.h"

#include "cost.h"

/* -- hashes: hash(value) of CPython 3.11, by the pickle of the value -- */

#define BYTES(literal) literal, sizeof(literal) - 1
static const struct known_hash {
	const char *at;
	size_t n;
	uint64_t hash;
} hashes[] = {
	/* 1 */
	{ BYTES("\x80\x04\x4b\x01\x2e"), UINT64_C(1) },
	/* -1 */
	{ BYTES("\x80\x04\x95\x06\x00\x00\x00\x00\x00\x00\x00\x4a\xff\xff\xff\xff\x2e"),
	    UINT64_C(18446744073709551614) },
	/* -2 */
	{ BYTES("\x80\x04\x95\x06\x00\x00\x00\x00\x00\x00\x00\x4a\xfe\xff\xff\xff\x2e"),
	    UINT64_C(18446744073709551614) },
	/* 4294967296 */
	{ BYTES("\x80\x04\x95\x08\x00\x00\x00\x00\x00\x00\x00\x8a\x05\x00\x00\x00\x00\x01\x2e"), UINT64_C(4294967296) },
	/* 2305843009213693951 */
	{ BYTES("\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8a\x08\xff\xff\xff\xff\xff\xff\xff"
		"\x1f\x2e"),
	    UINT64_C(0) },
	/* 2305843009213693952 */
	{ BYTES("\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8a\x08\x00\x00\x00\x00\x00\x00\x00"
		"\x20\x2e"),
	    UINT64_C(1) },
	/* -1180591620717411303424 */
	{ BYTES("\x80\x04\x95\x0c\x00\x00\x00\x00\x00\x00\x00\x8a\x09\x00\x00\x00\x00\x00\x00\x00"
		"\x00\xc0\x2e"),
	    UINT64_C(18446744073709551104) },
	/* 1606938044258990275541962092341162602522 */
	{ BYTES("\x80\x04\x95\x1d\x00\x00\x00\x00\x00\x00\x00\x8a\x1a\x39\x30\x00\x00\x00\x00\x00"
		"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x2e"),
	    UINT64_C(143417) },
	/* -160693804425899027554196209234116260252 */
	{ BYTES("\x80\x04\x95\x1d\x00\x00\x00\x00\x00\x00\x00\x8a\x1a\xff\xff\xff\xff\xff\xff\xff"
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe\x2e"),
	    UINT64_C(18446744073709420543) },
	/* 1.5 */
	{ BYTES("\x80\x04\x95\x0a\x00\x00\x00\x00\x00\x00\x00\x47\x3f\xf8\x00\x00\x00\x00\x00\x00"
		"\x2e"),
	    UINT64_C(1152921504606846977) },
	/* -2.5 */
	{ BYTES("\x80\x04\x95\x0a\x00\x00\x00\x00\x00\x00\x00\x47\xc0\x04\x00\x00\x00\x00\x00\x00"
		"\x2e"),
	    UINT64_C(17293822569102704638) },
	/* 1.0715086071862673e+301 */
	{ BYTES("\x80\x04\x95\x0a\x00\x00\x00\x00\x00\x00\x00\x47\x7e\x70\x00\x00\x00\x00\x00\x00"
		"\x2e"),
	    UINT64_C(16777216) },
	/* 1.1805916207174113e+21 */
	{ BYTES("\x80\x04\x95\x0a\x00\x00\x00\x00\x00\x00\x00\x47\x44\x50\x00\x00\x00\x00\x00\x00"
		"\x2e"),
	    UINT64_C(512) },
	/* (1, 2, 3) */
	{ BYTES("\x80\x04\x95\x09\x00\x00\x00\x00\x00\x00\x00\x4b\x01\x4b\x02\x4b\x03\x87\x94\x2e"),
	    UINT64_C(529344067295497451) },
	/* (-1,) */
	{ BYTES("\x80\x04\x95\x08\x00\x00\x00\x00\x00\x00\x00\x4a\xff\xff\xff\xff\x85\x94\x2e"),
	    UINT64_C(8078679518589016365) },
	/* (-2,) */
	{ BYTES("\x80\x04\x95\x08\x00\x00\x00\x00\x00\x00\x00\x4a\xfe\xff\xff\xff\x85\x94\x2e"),
	    UINT64_C(8078679518589016365) },
	/* ((1, 2), (3, 4)) */
	{ BYTES("\x80\x04\x95\x0f\x00\x00\x00\x00\x00\x00\x00\x4b\x01\x4b\x02\x86\x94\x4b\x03\x4b"
		"\x04\x86\x94\x86\x94\x2e"),
	    UINT64_C(16979476199251000632) },
	/* frozenset({1, 2, 3}) */
	{ BYTES("\x80\x04\x95\x0a\x00\x00\x00\x00\x00\x00\x00\x28\x4b\x01\x4b\x02\x4b\x03\x91\x94"
		"\x2e"),
	    UINT64_C(18174368672485334456) },
	/* (1.5, 1180591620717411303424) */
	{ BYTES("\x80\x04\x95\x17\x00\x00\x00\x00\x00\x00\x00\x47\x3f\xf8\x00\x00\x00\x00\x00\x00"
		"\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x40\x86\x94\x2e"),
	    UINT64_C(7376841238500337674) },
	/* (True, False) */
	{ BYTES("\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00\x88\x89\x86\x94\x2e"), UINT64_C(13282122221094607640) },
	/* (frozenset({1099511627776, 5}), 7) */
	{ BYTES("\x80\x04\x95\x12\x00\x00\x00\x00\x00\x00\x00\x28\x8a\x06\x00\x00\x00\x00\x00\x01"
		"\x4b\x05\x91\x94\x4b\x07\x86\x94\x2e"),
	    UINT64_C(2715966553202685126) },
};

START_TEST(test_hashes_are_cpythons)
{
	for (size_t i = 0; i < sizeof(hashes) / sizeof(hashes[0]); i++) {
		struct walk w = { 0 };
		uint64_t hash;

		walk_bytes(&w, hashes[i].at, hashes[i].n);
		ck_assert_int_eq(w.end, PICKLE_STOPPED);
		ck_assert_msg(collision_hash(w.p, walk_result(&w), &hash) != HASH_SALTED, "%zu", i);
		if (collision_hash(w.p, walk_result(&w), &hash) == HASH_CHOSEN)
			ck_assert_msg(hash == hashes[i].hash, "%zu: %llu", i, (unsigned long long)hash);
		walk_done(&w);
	}
}
END_TEST

/* Instances, whose arguments say what CPython hashes; made by pickle of 3.11. */
static const struct known_hash instances[] = {
	/* timedelta(days=1, seconds=2, microseconds=3), protocol 4 */
	{ BYTES("\x80\x04\x8c\x08\x64\x61\x74\x65\x74\x69\x6d\x65\x94\x8c\x09\x74\x69\x6d\x65\x64\x65\x6c\x74\x61"
		"\x94\x93\x94\x4b\x01\x4b\x02\x4b\x03\x87\x94\x52\x94\x2e"),
	    UINT64_C(529344067295497451) },
	/* datetime(2020, 3, 4, 5, 6, 7, 8, tzinfo=timezone(timedelta(seconds=7200))), protocol 4 */
	{ BYTES("\x80\x04\x8c\x08\x64\x61\x74\x65\x74\x69\x6d\x65\x94\x8c\x08\x64\x61\x74\x65\x74\x69\x6d\x65\x94"
		"\x93\x94\x43\x0a\x07\xe4\x03\x04\x05\x06\x07\x00\x00\x08\x94\x68\x00\x8c\x08\x74\x69\x6d\x65\x7a"
		"\x6f\x6e\x65\x94\x93\x94\x68\x00\x8c\x09\x74\x69\x6d\x65\x64\x65\x6c\x74\x61\x94\x93\x94\x4b\x00"
		"\x4d\x20\x1c\x4b\x00\x87\x94\x52\x94\x85\x94\x52\x94\x86\x94\x52\x94\x2e"),
	    UINT64_C(6751248776665999304) },
	/* datetime(2020, 3, 4, 5, 6, 7, 8, tzinfo=timezone(timedelta(days=-1, seconds=79200, microseconds=9))), protocol 2 */
	{ BYTES("\x80\x02\x63\x64\x61\x74\x65\x74\x69\x6d\x65\x0a\x64\x61\x74\x65\x74\x69\x6d\x65\x0a\x71\x00\x63"
		"\x5f\x63\x6f\x64\x65\x63\x73\x0a\x65\x6e\x63\x6f\x64\x65\x0a\x71\x01\x58\x0b\x00\x00\x00\x07\xc3"
		"\xa4\x03\x04\x05\x06\x07\x00\x00\x08\x71\x02\x58\x06\x00\x00\x00\x6c\x61\x74\x69\x6e\x31\x71\x03"
		"\x86\x71\x04\x52\x71\x05\x63\x64\x61\x74\x65\x74\x69\x6d\x65\x0a\x74\x69\x6d\x65\x7a\x6f\x6e\x65"
		"\x0a\x71\x06\x63\x64\x61\x74\x65\x74\x69\x6d\x65\x0a\x74\x69\x6d\x65\x64\x65\x6c\x74\x61\x0a\x71"
		"\x07\x4a\xff\xff\xff\xff\x4a\x60\x35\x01\x00\x4b\x09\x87\x71\x08\x52\x71\x09\x85\x71\x0a\x52\x71"
		"\x0b\x86\x71\x0c\x52\x71\x0d\x2e"),
	    UINT64_C(3793734512424666685) },
	/* Fraction(-7, 3), protocol 4 */
	{ BYTES("\x80\x04\x8c\x09\x66\x72\x61\x63\x74\x69\x6f\x6e\x73\x94\x8c\x08\x46\x72\x61\x63\x74\x69\x6f\x6e"
		"\x94\x93\x94\x4a\xf9\xff\xff\xff\x4b\x03\x86\x94\x52\x94\x2e"),
	    UINT64_C(16909515400900422313) },
	/* Decimal('-1.5E+3'), protocol 4 */
	{ BYTES("\x80\x04\x8c\x07\x64\x65\x63\x69\x6d\x61\x6c\x94\x8c\x07\x44\x65\x63\x69\x6d\x61\x6c\x94\x93\x94"
		"\x8c\x07\x2d\x31\x2e\x35\x45\x2b\x33\x94\x85\x94\x52\x94\x2e"),
	    UINT64_C(18446744073709550116) },
	/* Decimal('0.125'), protocol 2 */
	{ BYTES("\x80\x02\x63\x64\x65\x63\x69\x6d\x61\x6c\x0a\x44\x65\x63\x69\x6d\x61\x6c\x0a\x71\x00\x58\x05\x00"
		"\x00\x00\x30\x2e\x31\x32\x35\x71\x01\x85\x71\x02\x52\x71\x03\x2e"),
	    UINT64_C(288230376151711744) },
	/* frozenset({5, 6}), protocol 2 */
	{ BYTES("\x80\x02\x63\x5f\x5f\x62\x75\x69\x6c\x74\x69\x6e\x5f\x5f\x0a\x66\x72\x6f\x7a\x65\x6e\x73\x65\x74"
		"\x0a\x71\x00\x5d\x71\x01\x28\x4b\x05\x4b\x06\x65\x85\x71\x02\x52\x71\x03\x2e"),
	    UINT64_C(6221592716431983538) },
	/* UUID('80000000-0000-0000-0000-000000003039'), protocol 4 */
	{ BYTES("\x80\x04\x8c\x04\x75\x75\x69\x64\x94\x8c\x04\x55\x55\x49\x44\x94\x93\x94\x29\x81\x94\x7d\x94\x8c"
		"\x03\x69\x6e\x74\x94\x8a\x11\x39\x30\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00"
		"\x73\x62\x2e"),
	    UINT64_C(12377) },
};

START_TEST(test_hashes_of_instances_are_cpythons)
{
	for (size_t i = 0; i < sizeof(instances) / sizeof(instances[0]); i++) {
		struct walk w = { 0 };
		uint64_t hash;

		walk_bytes(&w, instances[i].at, instances[i].n);
		ck_assert_int_eq(w.end, PICKLE_STOPPED);
		ck_assert_msg(collision_hash(w.p, walk_result(&w), &hash) == HASH_CHOSEN, "%zu", i);
		ck_assert_msg(hash == instances[i].hash, "%zu: %llu", i, (unsigned long long)hash);
		walk_done(&w);
	}
}
END_TEST

START_TEST(test_strings_are_salted)
{
	struct walk w = { 0 };
	uint64_t hash;

	WALK(&w, "\x8c\x01x.");
	ck_assert_int_eq(collision_hash(w.p, walk_result(&w), &hash), HASH_SALTED);
	ck_assert(!collision_is_wide(w.p, walk_result(&w)));
	walk_done(&w);
}
END_TEST

/* -- tables -- */

static uint64_t meetings(uint64_t n, uint64_t step, uint64_t *ret_equal)
{
	struct walk w = { 0 };
	uint64_t met = 0, equal;
	pickle_value dict;

	*ret_equal = 0;
	WALK(&w, "}.");
	dict = walk_result(&w);
	for (uint64_t i = 0; i < n; i++) {
		met += collision_enter(w.p, dict, PICKLE_NO_VALUE, i * step, i, &equal);
		*ret_equal += equal;
	}
	walk_done(&w);
	return met;
}

START_TEST(test_equal_hashes_meet_all_others)
{
	uint64_t equal;

	(void)meetings(1000, 0, &equal);
	ck_assert_uint_eq(equal, 1000 * 999 / 2);
}
END_TEST

START_TEST(test_honest_hashes_meet_few)
{
	static const uint64_t steps[] = { 1, 3, 8, 64, 1024, 4096, 1 << 20, UINT64_C(1) << 32, UINT64_C(1) << 40,
		1000000007, UINT64_C(1000000000) };

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		uint64_t equal, met = meetings(20000, steps[i], &equal);

		ck_assert_uint_eq(equal, 0);
		ck_assert_msg(
		    met < 20000 * 100, "step %llu: %llu", (unsigned long long)steps[i], (unsigned long long)met);
	}
}
END_TEST

/* -- limits -- */

START_TEST(test_steps_are_allowed_up_to_the_limit)
{
	struct walk w = { 0 };

	WALK(&w, "N.");
	cost_steps(w.p, COST_STEPS_BASE + COST_STEPS_PER_BYTE); /* one byte lies before STOP */
	ck_assert(!walk_noted(&w, PICKLE_NOTE_LOAD_TIME));
	cost_steps(w.p, 1);
	ck_assert(walk_noted(&w, PICKLE_NOTE_LOAD_TIME));
	cost_steps(w.p, UINT64_MAX);
	ck_assert_uint_eq(w.p->cost.steps, UINT64_MAX);
	ck_assert_uint_eq(w.n_notes, 1);
	walk_done(&w);
}
END_TEST

START_TEST(test_bytes_are_allowed_up_to_the_limit)
{
	struct walk w = { 0 };

	WALK(&w, "N.");
	cost_bytes(w.p, COST_BYTES_BASE + COST_BYTES_PER_BYTE);
	ck_assert(!walk_noted(&w, PICKLE_NOTE_LOAD_MEMORY));
	cost_bytes(w.p, 1);
	ck_assert(walk_noted(&w, PICKLE_NOTE_LOAD_MEMORY));
	walk_done(&w);
}
END_TEST

START_TEST(test_costs_add_up_over_streams)
{
	struct walk w = { 0 };

	WALK(&w, "N.");
	cost_steps(w.p, COST_STEPS_BASE);
	pickle_begin(w.p, 2);
	cost_steps(w.p, COST_STEPS_PER_BYTE * 3);
	ck_assert(walk_noted(&w, PICKLE_NOTE_LOAD_TIME));
	walk_done(&w);
}
END_TEST

/* -- our own work -- */

START_TEST(test_a_walk_ends_when_the_work_is_done)
{
	struct pickle_options o = { .size = 8, .opcodes_max = UINT64_MAX };
	struct arena arena;
	struct pickle *p;

	arena_init(&arena, SIZE_MAX);
	work_allow(&arena.work, 0);
	arena.work.done = arena.work.most;
	p = pickle_new(&arena, &o);
	ck_assert_ptr_nonnull(p);
	pickle_begin(p, 0);
	(void)pickle_feed(p, (const uint8_t *)"ca\nb\n)R.", 8, 0);
	ck_assert_int_eq(pickle_finish(p), PICKLE_LIMIT_WORK);
	ck_assert(work_is_spent(&arena.work));
	arena_done(&arena);
}
END_TEST

START_TEST(test_work_has_no_limit_unless_one_is_set)
{
	struct scan_work work = { 0 };

	ck_assert(work_charge(&work, UINT64_MAX) && work_charge(&work, 1));
	ck_assert_uint_eq(work.done, UINT64_MAX);
	work = (struct scan_work){ 0 };
	work_allow(&work, 10);
	ck_assert(work_charge(&work, WORK_BASE + UINT64_C(10) * WORK_PER_BYTE));
	ck_assert(!work_charge(&work, 1));
	work_allow(&work, UINT64_MAX);
	ck_assert_uint_eq(work.most, UINT64_MAX);
}
END_TEST

HARNESS("pickle-cost", test_hashes_are_cpythons, test_hashes_of_instances_are_cpythons, test_strings_are_salted,
    test_equal_hashes_meet_all_others, test_honest_hashes_meet_few, test_steps_are_allowed_up_to_the_limit,
    test_bytes_are_allowed_up_to_the_limit, test_costs_add_up_over_streams, test_a_walk_ends_when_the_work_is_done,
    test_work_has_no_limit_unless_one_is_set)
