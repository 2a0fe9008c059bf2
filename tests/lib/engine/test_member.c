/* Members in the pass: decoded, summed, and fed to their kernels, stored and coded, members of members too. */
#include "harness.h"

#include "coded.h"
#include "member.h"
#include "memory.h"
#include "pass.h"
#include "told.h"

#define BUDGET ((size_t)64 << 20)
#define ELEMENTS 300001 /* of F32: several windows and pass blocks */

/* A file made of gaps and members, and the pass over it. */
struct fixture {
	struct coded file;
	struct mem_file mem;
	struct arena arena;
	struct source src;
	struct told told;
	struct extents x;
	struct members members;
	struct pass pass;
	enum wlk_status status;
};

static void open_fixture(struct fixture *fx)
{
	*fx = (struct fixture){ 0 };
	arena_init(&fx->arena, BUDGET);
	told_init(&fx->told);
	extents_init(&fx->x, &fx->arena);
}

static void close_fixture(struct fixture *fx)
{
	source_done(&fx->src);
	arena_done(&fx->arena);
	told_done(&fx->told);
	free(fx->file.at);
}

/* @origin: where the bytes of the part begin in the file. */
static struct member *add_member(struct fixture *fx, struct extents *x, enum codec codec, uint64_t begin, uint64_t end,
    uint64_t size, uint64_t origin)
{
	struct member *m = member_add(x, begin, end);

	ck_assert_ptr_nonnull(m);
	m->stream = (struct stream){ .part = { .src = &fx->src,
					 .origin = origin + begin,
					 .size = end - begin,
					 .member = bytes_of_text("m") },
		.codec = codec,
		.size = size,
		.size_limit = UINT64_MAX,
		.any_ratio = true };
	m->check_crc = true;
	m->understood = true;
	return m;
}

static void append(struct fixture *fx, const void *at, size_t n)
{
	coded_append(&fx->file, at, n);
}

/* Everything is appended and described: go. */
static void run(struct fixture *fx)
{
	struct pass_sink sink;
	uint8_t digest[32];

	fx->mem = (struct mem_file){ .at = fx->file.at, .size = fx->file.n };
	source_init(&fx->src, mem_read, &fx->mem, fx->file.n, SOURCE_IMMUTABLE, &fx->arena, 0);
	pass_init(&fx->pass, &fx->src, &fx->told.report);
	members_init(&fx->members, &fx->x, &fx->arena, &fx->told.report);
	sink = members_sink(&fx->members);
	fx->pass.extents = &fx->x;
	fx->pass.sink = &sink;
	fx->status = pass_run(&fx->pass, digest);
	elements_end(&fx->members.elements);
	told_end(&fx->told, fx->file.n);
}

/* Ordinary numbers but for two. */
static float *weights(void)
{
	float *w = malloc(ELEMENTS * sizeof(float));

	for (int i = 0; i < ELEMENTS; i++)
		w[i] = (float)(i % 1000);
	w[70000] = __builtin_nanf("");
	w[ELEMENTS - 1] = __builtin_inff();
	return w;
}

#define WEIGHTS_BYTES (ELEMENTS * sizeof(float))

START_TEST(test_a_member_that_is_a_tensor_is_examined_whatever_its_coding)
{
	float *w = weights();

	for (enum codec codec = CODEC_STORED; codec < N_CODECS; codec++) {
		struct coded c = coded_by(codec, (const uint8_t *)w, WEIGHTS_BYTES);
		struct fixture fx;
		const struct nonfinite *row;
		struct member *m;

		open_fixture(&fx);
		append(&fx, "head", 4);
		append(&fx, c.at, c.n);
		append(&fx, "tail", 4);
		m = add_member(&fx, &fx.x, codec, 4, 4 + c.n, WEIGHTS_BYTES, 0);
		m->dtype = WLK_DTYPE_F32;
		run(&fx);
		ck_assert(m->passed && !fx.members.failed);
		ck_assert_int_eq(m->end, STREAM_WHOLE);
		ck_assert_uint_eq(m->state.decoded, WEIGHTS_BYTES);
		ck_assert_uint_eq(m->crc, crc32(0, (const uint8_t *)w, WEIGHTS_BYTES));
		ck_assert_uint_eq(fx.told.facts->n_rows, 1);
		row = &fx.told.facts->rows[0];
		ck_assert(bytes_equal(row->tensor, bytes_of_text("m")));
		ck_assert_uint_eq(row->nan, 1);
		ck_assert_uint_eq(row->pos_inf, 1);
		ck_assert_uint_eq(
		    row->first_offset, 70000 * sizeof(float) + (codec == CODEC_STORED ? 4 : OFFSET_DECODED));
		ck_assert(bytes_equal(told_finding(&fx.told, WLK_F_WEIGHTS_NAN)->member, bytes_of_text("m")));
		ck_assert_uint_eq(fx.told.facts->final.totals.elements, ELEMENTS);
		ck_assert_uint_eq(fx.told.facts->final.totals.tensors, 1);
		ck_assert(elements_all_examined(&fx.x));
		free(c.at);
		close_fixture(&fx);
	}
	free(w);
}
END_TEST

START_TEST(test_a_tensor_has_the_name_and_order_its_layout_says)
{
	uint32_t nan = __builtin_bswap32(0x7fc00000);
	struct fixture fx;
	struct member *m;

	open_fixture(&fx);
	append(&fx, &nan, 4);
	m = add_member(&fx, &fx.x, CODEC_STORED, 0, 4, 4, 0);
	m->dtype = WLK_DTYPE_F32;
	m->big_endian = true;
	m->tensor = bytes_of_text("layer.weight");
	run(&fx);
	ck_assert_uint_eq(fx.told.facts->n_rows, 1);
	ck_assert(bytes_equal(fx.told.facts->rows[0].tensor, bytes_of_text("layer.weight")));
	close_fixture(&fx);
}
END_TEST

/* An extent of x. */
static void add_extent(struct extents *x, enum extent_kind kind, enum wlk_dtype dtype, uint64_t begin, uint64_t end)
{
	struct extent *e = extents_add(x);

	e->begin = begin;
	e->end = end;
	e->kind = kind;
	e->dtype = dtype;
}

START_TEST(test_the_content_of_a_member_is_cut_along_its_own_extents)
{
	float *w = weights();

	for (enum codec codec = CODEC_STORED; codec < N_CODECS; codec++) {
		const uint64_t mark = codec == CODEC_STORED ? 0 : OFFSET_DECODED;
		struct coded c, plain = { 0 };
		struct fixture fx;
		struct extents *inner;
		struct member *m;

		/* A header, the weights in two tensors of which the second is all doubles, an empty one. */
		coded_append(&plain, "header..", 8);
		coded_append(&plain, w, WEIGHTS_BYTES);
		coded_append(&plain, "\0\0\0\0\0\0\xf0\x7f", 8);
		c = coded_by(codec, plain.at, plain.n);
		open_fixture(&fx);
		append(&fx, c.at, c.n);
		m = add_member(&fx, &fx.x, codec, 0, c.n, plain.n, 0);
		inner = member_inner(m, &fx.arena);
		inner->names = bytes_of_text("x");
		add_extent(inner, EXTENT_HEADER, WLK_DTYPE_NONE, 0, 8);
		add_extent(inner, EXTENT_TENSOR, WLK_DTYPE_F32, 8, 8 + WEIGHTS_BYTES);
		add_extent(inner, EXTENT_TENSOR, WLK_DTYPE_F64, 8 + WEIGHTS_BYTES, 16 + WEIGHTS_BYTES);
		add_extent(inner, EXTENT_TENSOR, WLK_DTYPE_F64, 16 + WEIGHTS_BYTES, 16 + WEIGHTS_BYTES);
		run(&fx);
		ck_assert_uint_eq(fx.told.facts->n_rows, 2);
		ck_assert_uint_eq(fx.told.facts->rows[0].first_offset, mark | (8 + 70000 * sizeof(float)));
		ck_assert_uint_eq(fx.told.facts->rows[1].pos_inf, 1);
		ck_assert_uint_eq(fx.told.facts->rows[1].first_offset, mark | (8 + WEIGHTS_BYTES));
		ck_assert_uint_eq(fx.told.facts->final.totals.tensors, 3);
		ck_assert_uint_eq(fx.told.facts->final.totals.elements, ELEMENTS + 1);
		ck_assert(elements_all_examined(&fx.x));
		inner->gaps = true;
		ck_assert(!elements_all_examined(&fx.x));
		free(c.at);
		free(plain.at);
		close_fixture(&fx);
	}
	free(w);
}
END_TEST

/* Members in members in a member: deflated in xz in a stored one. */
START_TEST(test_members_hold_members)
{
	float *w = weights();
	struct coded deep = coded_by(CODEC_DEFLATE, (const uint8_t *)w, WEIGHTS_BYTES), middle = { 0 }, outer;
	struct member *m, *m1, *m2;
	struct fixture fx;

	coded_append(&middle, "abc", 3);
	coded_append(&middle, deep.at, deep.n);
	outer = coded_by(CODEC_XZ, middle.at, middle.n);
	open_fixture(&fx);
	append(&fx, "12345", 5);
	append(&fx, outer.at, outer.n);
	m = add_member(&fx, &fx.x, CODEC_STORED, 0, 5 + outer.n, 5 + outer.n, 0);
	m1 = add_member(&fx, member_inner(m, &fx.arena), CODEC_XZ, 5, 5 + outer.n, middle.n, 0);
	m2 = add_member(&fx, member_inner(m1, &fx.arena), CODEC_DEFLATE, 3, 3 + deep.n, WEIGHTS_BYTES, 0);
	m2->dtype = WLK_DTYPE_F32;
	run(&fx);
	ck_assert(m->passed && m1->passed && m2->passed);
	ck_assert_uint_eq(m->crc, crc32(0, fx.file.at, fx.file.n));
	ck_assert_uint_eq(m1->crc, crc32(0, middle.at, middle.n));
	ck_assert_uint_eq(m2->crc, crc32(0, (const uint8_t *)w, WEIGHTS_BYTES));
	ck_assert_uint_eq(fx.told.facts->rows[0].nan, 1);
	ck_assert_uint_eq(fx.told.facts->rows[0].first_offset, OFFSET_DECODED | 70000 * sizeof(float));
	ck_assert(elements_all_examined(&fx.x));
	m2->understood = false;
	ck_assert(!elements_all_examined(&fx.x));
	free(w);
	free(deep.at);
	free(middle.at);
	free(outer.at);
	close_fixture(&fx);
}
END_TEST

START_TEST(test_deeper_than_anybody_judges_is_not_passed)
{
	struct member *ms[MEMBER_DEPTH_MAX + 1];
	struct fixture fx;

	open_fixture(&fx);
	append(&fx, "x", 1);
	ms[0] = add_member(&fx, &fx.x, CODEC_STORED, 0, 1, 1, 0);
	for (int i = 1; i <= MEMBER_DEPTH_MAX; i++)
		ms[i] = add_member(&fx, member_inner(ms[i - 1], &fx.arena), CODEC_STORED, 0, 1, 1, 0);
	run(&fx);
	ck_assert(ms[MEMBER_DEPTH_MAX - 1]->passed);
	ck_assert(!ms[MEMBER_DEPTH_MAX]->passed);
	ck_assert(!elements_all_examined(&fx.x));
	close_fixture(&fx);
}
END_TEST

START_TEST(test_what_does_not_decode_as_declared_was_not_examined)
{
	static const struct {
		size_t cut, declared;
		bool flip;
		enum stream_end end;
		bool examined;
	} cases[] = { { 0, 1000, false, STREAM_WHOLE, true }, { 1, 1000, false, STREAM_TRUNCATED, false },
		{ 0, 999, false, STREAM_LONG, false }, { 0, 1001, false, STREAM_WHOLE, false },
		{ 0, 1000, true, STREAM_CHECKSUM, true } };
	uint8_t plain[1000] = { 1, 2, 3 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct coded c = coded_by(CODEC_GZIP, plain, sizeof(plain));
		struct fixture fx;
		struct member *m;

		open_fixture(&fx);
		c.at[c.n - 1] ^= cases[i].flip;
		append(&fx, c.at, c.n - cases[i].cut);
		m = add_member(&fx, &fx.x, CODEC_GZIP, 0, c.n - cases[i].cut, cases[i].declared, 0);
		m->dtype = WLK_DTYPE_F32;
		run(&fx);
		ck_assert_int_eq(m->end, cases[i].end);
		ck_assert_int_eq(elements_all_examined(&fx.x), cases[i].examined);
		free(c.at);
		close_fixture(&fx);
	}
}
END_TEST

START_TEST(test_a_member_the_pass_never_reached_was_not_examined)
{
	for (size_t n = 0; n <= 4; n += 4) {
		struct fixture fx;

		open_fixture(&fx);
		append(&fx, "abcd", n);
		add_member(&fx, &fx.x, CODEC_STORED, 0, n, n, 0);
		ck_assert(!elements_all_examined(&fx.x));
		run(&fx);
		ck_assert(elements_all_examined(&fx.x));
		close_fixture(&fx);
	}
}
END_TEST

START_TEST(test_no_memory_for_a_decoder_is_told)
{
	static const size_t rooms[] = { 2000, 100000 }; /* not enough to begin with; not enough for the first block */
	uint8_t plain[1000] = { 1, 2, 3 };

	for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
		struct coded c = coded_by(CODEC_BZIP2, plain, sizeof(plain));
		struct fixture fx;
		struct member *m;

		open_fixture(&fx);
		append(&fx, c.at, c.n);
		m = add_member(&fx, &fx.x, CODEC_BZIP2, 0, c.n, 1000, 0);
		fx.arena.budget = fx.arena.used + rooms[i];
		run(&fx);
		ck_assert_int_eq(fx.status, WLK_DONE);
		ck_assert_int_eq(m->passed, i > 0);
		ck_assert(fx.members.failed);
		ck_assert(!elements_all_examined(&fx.x));
		free(c.at);
		close_fixture(&fx);
	}
}
END_TEST

START_TEST(test_many_members_share_the_memory_of_one)
{
	struct fixture fx;
	size_t before;

	open_fixture(&fx);
	for (int i = 0; i < 2000; i++) {
		uint8_t plain[300];
		struct coded c;

		memset(plain, i, sizeof(plain));
		c = coded_by(CODEC_DEFLATE, plain, sizeof(plain));
		append(&fx, c.at, c.n);
		add_member(&fx, &fx.x, CODEC_DEFLATE, fx.file.n - c.n, fx.file.n, sizeof(plain), 0);
		free(c.at);
	}
	before = fx.arena.used;
	run(&fx);
	ck_assert_uint_lt(fx.arena.used, before + 2 * PASS_BLOCK);
	for (size_t i = 0; i < fx.x.n_members; i++)
		ck_assert(member_decoded(fx.x.members[i]));
	close_fixture(&fx);
}
END_TEST

HARNESS("member", test_a_member_that_is_a_tensor_is_examined_whatever_its_coding,
    test_a_tensor_has_the_name_and_order_its_layout_says, test_the_content_of_a_member_is_cut_along_its_own_extents,
    test_members_hold_members, test_deeper_than_anybody_judges_is_not_passed,
    test_what_does_not_decode_as_declared_was_not_examined, test_a_member_the_pass_never_reached_was_not_examined,
    test_no_memory_for_a_decoder_is_told, test_many_members_share_the_memory_of_one)
