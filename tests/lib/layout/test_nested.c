/* Members judged by their content, from the first look to the pass and after it, with formats made for the purpose:
 * this program has a table of formats of its own. */
#include "harness.h"

#include "coded.h"
#include "memory_scan.h"
#include "nested.h"

/* "TOYS": four bytes, and F32 to the end; read as a stream. */
static bool toys_probe(const struct probe *p)
{
	return p->n >= 4 && memcmp(p->head, "TOYS", 4) == 0;
}

static enum wlk_status toys_extents(struct layout *l, uint64_t size)
{
	struct extent *e = extents_add(l->extents);
	const struct coverage_codes codes = { .trailing = WLK_F_ST_DATA_TRAILING };

	*e = (struct extent){ .end = 4, .kind = EXTENT_HEADER };
	e = extents_add(l->extents);
	*e = (struct extent){ .begin = 4, .end = size, .kind = EXTENT_TENSOR, .dtype = WLK_DTYPE_F32 };
	layout_at(l, WLK_F_ST_HEADER_LARGE, 2); /* something that is found, to see where it is said to be */
	return extents_cover(l->extents, 0, size, &codes, l->report);
}

static enum wlk_status toys_layout(struct layout *l)
{
	return toys_extents(l, l->part.size);
}

static uint64_t count_bytes(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	(void)at;
	*(uint64_t *)ctx += n;
	return offset + n;
}

static enum wlk_status toys_judge(struct layout *l, struct member *m)
{
	uint64_t n = 0;

	ck_assert(l->extents == m->inner);
	if (stream_preview(&m->stream, l->arena, (struct feeder){ count_bytes, &n }, NULL) != STREAM_WHOLE)
		return WLK_BROKEN;
	m->stream.size = n;
	return toys_extents(l, n);
}

static const struct wlk_format toys = {
	.id = WLK_FORMAT_NPY, .probe = toys_probe, .layout = toys_layout, .nested = NESTED_STREAM, .judge = toys_judge
};

/* "TOYA", a codec, and to the end one member in that codec, whose size it does not say; read at random. */
static unsigned finished, finished_passed;

static bool toya_probe(const struct probe *p)
{
	return p->n >= 5 && memcmp(p->head, "TOYA", 4) == 0 && p->head[4] < N_CODECS;
}

static enum wlk_status toya_layout(struct layout *l)
{
	const uint8_t *head = part_pin(&l->part, 0, 5);
	struct extent *e = extents_add(l->extents);
	struct member *m;
	enum wlk_format_id id;
	enum wlk_status status;

	*e = (struct extent){ .end = 5, .kind = EXTENT_HEADER };
	m = member_add(l->extents, 5, l->part.size);
	m->stream = (struct stream){ .part = part_range(&l->part, 5, l->part.size - 5),
		.codec = head[4],
		.size = head[4] == CODEC_STORED ? l->part.size - 5 : STREAM_SIZE_UNKNOWN,
		.size_limit = l->lim->unpacked_bytes };
	m->stream.part.member = bytes_of_text(&"!!!m"[3 - l->part.depth]);
	l->state = m;
	status = nested_judge(l, m, &id);
	if (status == WLK_INCOMPLETE)
		return status;
	if (id == WLK_FORMAT_UNKNOWN)
		layout_finding(l, &(struct finding){ .code = WLK_F_FORMAT_UNKNOWN });
	return m->understood ? WLK_DONE : WLK_BROKEN;
}

static enum wlk_status toya_finish(struct layout *l)
{
	const struct member *m = l->state;

	finished++;
	finished_passed += m->passed;
	return WLK_DONE;
}

static const struct wlk_format toya = {
	.id = WLK_FORMAT_ZIP, .probe = toya_probe, .layout = toya_layout, .finish = toya_finish, .nested = NESTED_RANDOM
};

/* "TOYN" cannot be a member. */
static bool toyn_probe(const struct probe *p)
{
	return p->n >= 4 && memcmp(p->head, "TOYN", 4) == 0;
}

static const struct wlk_format toyn = { .id = WLK_FORMAT_TAR, .probe = toyn_probe, .layout = toys_layout };

/* The last resort takes what ends with a full stop. */
static bool last_probe(const struct probe *p)
{
	(void)p;
	return false;
}

static uint64_t last_byte(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	*(uint8_t *)ctx = at[n - 1];
	return offset + n;
}

static bool last_last_resort(struct layout *l, const struct stream *s)
{
	uint8_t byte = 0;

	return stream_preview(s, l->arena, (struct feeder){ last_byte, &byte }, NULL) == STREAM_WHOLE && byte == '.';
}

static const struct wlk_format last = { .id = WLK_FORMAT_PICKLE,
	.probe = last_probe,
	.last_resort = last_last_resort,
	.layout = toys_layout,
	.nested = NESTED_STREAM,
	.judge = toys_judge };

const struct wlk_format *const wlk_formats[] = { &last, &toys, &toya, &toyn };
const size_t wlk_n_formats = 4;

/* -- making files -- */

static struct coded toys_file(size_t n)
{
	struct coded c = { 0 };
	float *w = calloc(n + 1, sizeof(float));

	coded_append(&c, "TOYS", 4);
	w[n] = __builtin_nanf("");
	coded_append(&c, w, (n + 1) * sizeof(float));
	free(w);
	return c;
}

/* Put it into an archive. */
static struct coded archived(struct coded content, enum codec codec)
{
	struct coded c = { 0 }, coded = coded_by(codec, content.at, content.n);
	uint8_t byte = codec;

	coded_append(&c, "TOYA", 4);
	coded_append(&c, &byte, 1);
	coded_append(&c, coded.at, coded.n);
	free(coded.at);
	free(content.at);
	return c;
}

static struct facts *scan(struct coded c)
{
	struct job job = memory_job(c.n);
	struct facts *f;

	finished = finished_passed = 0;
	job.hint = WLK_FORMAT_UNKNOWN;
	f = memory_scan_job(c.at, c.n, &job);
	ck_assert_int_ne(f->final.cause, WLK_CAUSE_WORKER_PROTOCOL);
	free(c.at);
	return f;
}

static const struct finding *found(const struct facts *f, enum wlk_finding code)
{
	for (size_t i = 0; i < f->n_findings; i++)
		if (f->findings[i].code == code)
			return &f->findings[i];
	return NULL;
}

/* -- tests -- */

#define FLOATS 100000

START_TEST(test_a_member_is_read_like_a_file_of_its_own)
{
	for (enum codec codec = CODEC_STORED; codec < N_CODECS; codec++) {
		struct facts *f = scan(archived(toys_file(FLOATS), codec));
		bool stored = codec == CODEC_STORED;

		ck_assert(f->final.complete);
		ck_assert_int_eq(f->final.format, WLK_FORMAT_ZIP);
		ck_assert_uint_eq(f->final.totals.elements, FLOATS + 1);
		ck_assert_uint_eq(f->n_rows, 1);
		ck_assert_uint_eq(f->rows[0].first_offset, 4 + FLOATS * sizeof(float) + (stored ? 5 : OFFSET_DECODED));
		ck_assert_uint_eq(found(f, WLK_F_ST_HEADER_LARGE)->offset, stored ? 7 : OFFSET_DECODED | 2);
		ck_assert(bytes_equal(found(f, WLK_F_ST_HEADER_LARGE)->member, bytes_of_text("m")));
		ck_assert_uint_eq(finished, 1);
		facts_free(f);
	}
}
END_TEST

START_TEST(test_an_archive_in_an_archive_is_read_at_random)
{
	for (enum codec outer = CODEC_STORED; outer < N_CODECS; outer++) {
		for (enum codec inner = CODEC_STORED; inner < N_CODECS; inner++) {
			struct facts *f = scan(archived(archived(toys_file(FLOATS), inner), outer));
			bool stored = outer == CODEC_STORED && inner == CODEC_STORED;

			ck_assert(f->final.complete);
			ck_assert_uint_eq(f->final.totals.elements, FLOATS + 1);
			ck_assert_uint_eq(
			    f->rows[0].first_offset, 4 + FLOATS * sizeof(float) + (stored ? 10 : OFFSET_DECODED));
			ck_assert(bytes_equal(found(f, WLK_F_WEIGHTS_NAN)->member, bytes_of_text("!m")));
			ck_assert_uint_eq(finished, 2);
			ck_assert_uint_eq(finished_passed, 2);
			facts_free(f);
		}
	}
}
END_TEST

START_TEST(test_archives_are_judged_to_a_depth)
{
	struct coded c = toys_file(3);
	struct facts *f;

	for (int i = 0; i <= PART_DEPTH_MAX; i++)
		c = archived(c, CODEC_STORED);
	f = scan(c);
	ck_assert(f->final.complete);
	ck_assert_ptr_null(found(f, WLK_F_ZIP_NESTED));
	ck_assert_uint_eq(f->final.totals.elements, 4);
	ck_assert_uint_eq(finished, PART_DEPTH_MAX + 1);
	facts_free(f);

	c = toys_file(3);
	for (int i = 0; i <= PART_DEPTH_MAX + 1; i++)
		c = archived(c, CODEC_STORED);
	f = scan(c);
	ck_assert(!f->final.complete);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_NONE);
	ck_assert_uint_eq(found(f, WLK_F_ZIP_NESTED)->offset, 5 * (PART_DEPTH_MAX + 1));
	facts_free(f);
}
END_TEST

START_TEST(test_a_copy_has_a_limit_of_size)
{
	struct coded zeros = { .at = calloc(1, STREAM_COPY_MAX), .n = 0 };
	struct facts *f;

	/* The largest, and one byte more. */
	coded_append(&zeros, "TOYA\0TOYS", 9);
	zeros.at = realloc(zeros.at, STREAM_COPY_MAX + 1);
	memset(zeros.at + 9, 0, STREAM_COPY_MAX + 1 - 9);
	for (size_t i = 1000; i < STREAM_COPY_MAX; i += 50)
		zeros.at[i] = (uint8_t)(i * 7 / 50); /* no bomb */
	zeros.n = STREAM_COPY_MAX;
	f = scan(archived((struct coded){ memcpy(malloc(zeros.n), zeros.at, zeros.n), zeros.n }, CODEC_DEFLATE));
	ck_assert(f->final.complete);
	facts_free(f);
	zeros.n++;
	f = scan(archived(zeros, CODEC_DEFLATE));
	ck_assert(!f->final.complete);
	ck_assert_uint_eq(found(f, WLK_F_LIMIT_NESTED)->allowed.number, STREAM_COPY_MAX);
	facts_free(f);
}
END_TEST

START_TEST(test_what_nobody_knows_or_may_nest_is_not_understood)
{
	struct coded unknown = { 0 }, named = { 0 };
	struct facts *f;

	coded_append(&unknown, "something", 9);
	f = scan(archived(unknown, CODEC_STORED));
	ck_assert(!f->final.complete && f->final.has_digest);
	ck_assert_ptr_nonnull(found(f, WLK_F_FORMAT_UNKNOWN));
	facts_free(f);

	coded_append(&named, "TOYN and so on", 14);
	f = scan(archived(named, CODEC_STORED));
	ck_assert(!f->final.complete && f->final.has_digest);
	ck_assert_ptr_null(found(f, WLK_F_FORMAT_UNKNOWN));
	facts_free(f);
}
END_TEST

START_TEST(test_a_member_that_does_not_decode_is_not_understood)
{
	for (enum codec codec = CODEC_DEFLATE; codec < N_CODECS; codec++) {
		struct coded c = archived(toys_file(FLOATS), codec);
		struct facts *f;

		c.n -= 2;
		f = scan(c);
		ck_assert(!f->final.complete);
		ck_assert_int_eq(f->final.cause, WLK_CAUSE_NONE);
		ck_assert_uint_eq(finished_passed, 0); /* its extents were not trusted */
		facts_free(f);

		c = archived(archived(toys_file(FLOATS), CODEC_STORED), codec);
		c.n -= 2;
		f = scan(c);
		ck_assert(!f->final.complete);
		facts_free(f);
	}
}
END_TEST

START_TEST(test_the_last_resort_is_asked_before_nobody)
{
	struct coded c = { 0 };
	struct facts *f;

	coded_append(&c, "abcdefg.", 8);
	f = scan(c);
	ck_assert_int_eq(f->final.format, WLK_FORMAT_PICKLE);
	ck_assert(f->final.complete);
	facts_free(f);

	c = (struct coded){ 0 };
	coded_append(&c, "abcdefgh", 8);
	f = scan(c);
	ck_assert_int_eq(f->final.format, WLK_FORMAT_UNKNOWN);
	facts_free(f);

	for (enum codec codec = CODEC_STORED; codec < N_CODECS; codec++) {
		c = (struct coded){ 0 };
		coded_append(&c, "abcdefg.", 8);
		f = scan(archived(c, codec));
		ck_assert(f->final.complete);
		ck_assert_uint_eq(f->final.totals.elements, 1);
		facts_free(f);
	}

	c = (struct coded){ 0 };
	coded_append(&c, "TOYNefg.", 8); /* known: nobody asks for more */
	f = scan(c);
	ck_assert_int_eq(f->final.format, WLK_FORMAT_TAR);
	facts_free(f);
}
END_TEST

HARNESS("nested", test_a_member_is_read_like_a_file_of_its_own, test_an_archive_in_an_archive_is_read_at_random,
    test_archives_are_judged_to_a_depth, test_a_copy_has_a_limit_of_size,
    test_what_nobody_knows_or_may_nest_is_not_understood, test_a_member_that_does_not_decode_is_not_understood,
    test_the_last_resort_is_asked_before_nobody)
