/* Files that are what others say of them: sets_claims() and lib/claimed.c, through the whole engine, by documents put together
 * here.  Formats/onnx, section 6. */
#include "harness.h"
#include "set_builder.h"

#define ONNX WLK_FORMAT_ONNX
#define WHOLE SET_MEMBER_WHOLE

static const uint8_t nan_bits[4] = { 0, 0, 0xc0, 0x7f };

/* A model and the file its weights are in, which is the second member; claims are added to the first. */
struct scene {
	struct set_builder b;
	struct set_builder_member *model, *data;
	uint32_t member; /* which one the file is */
	uint64_t memory; /* 0: as much as there may be */
	uint8_t *at;
	size_t n;
};

static struct scene scene(size_t n)
{
	struct scene s = { .member = 1, .n = n, .at = calloc(n + 1, 1) };

	ck_assert_ptr_nonnull(s.at);
	s.model = set_add(&s.b, "model.onnx", WHOLE, ONNX, 1000);
	s.data = set_add(&s.b, "model.data", SET_MEMBER_UNREADABLE, WLK_FORMAT_UNKNOWN, 0);
	return s;
}

static void claim_in(
    struct set_builder_member *model, const char *file, const char *dtype, uint64_t begin, uint64_t end)
{
	char name[32];

	snprintf(name, sizeof(name), "t%u", (unsigned)model->n_rows);
	set_add_row(model, &(struct manifest_row){ .kind = MANIFEST_MAPPING,
			       .name = bytes_of_text(name),
			       .name_bytes = strlen(name),
			       .dtype = bytes_of_text(dtype),
			       .file = bytes_of_text(file),
			       .index = model->n_rows,
			       .begin = begin,
			       .end = end });
}

static void claim(struct scene *s, const char *dtype, uint64_t begin, uint64_t end)
{
	claim_in(s->model, "model.data", dtype, begin, end);
}

/* -- the scan -- */

struct inputs {
	struct memory_file file, document;
};

static int64_t read_file(void *ctx, uint64_t offset, void *buf, size_t n)
{
	struct inputs *in = ctx;

	return memory_read(&in->file, offset, buf, n);
}

static int64_t read_document(void *ctx, uint64_t offset, void *buf, size_t n)
{
	struct inputs *in = ctx;

	return memory_read(&in->document, offset, buf, n);
}

static struct facts *scan_with(const struct inputs *inputs, const struct job *job)
{
	struct wlk_input in = { .read = read_file, .read_document = read_document, .ctx = (void *)(uintptr_t)inputs };
	struct facts_expect expect = { .size = inputs->file.n };
	struct memory_report raw = { 0 };
	struct facts *f = facts_new();
	static struct report report;

	report_init(&report, memory_write, NULL, &raw);
	wlk_scan(&in, job, &report);
	ck_assert(f != NULL && facts_feed(f, raw.at, raw.n));
	facts_finish(f, WLK_CAUSE_NONE, &expect);
	ck_assert_int_ne(f->final.cause, WLK_CAUSE_WORKER_PROTOCOL);
	free(raw.at);
	return f;
}

/* The scene is freed. */
static struct facts *weigh(struct scene *s)
{
	struct memory_report document = set_document(&s->b);
	const struct inputs in = { { s->at, s->n }, { document.at, document.n } };
	struct job job = { .size = s->n,
		.part = JOB_PART_MEMBER_AGAIN,
		.document_size = document.n,
		.member = s->member,
		.limits = LIMITS_DEFAULT };
	struct facts *f;

	if (s->memory > 0)
		job.limits.memory = s->memory;
	f = scan_with(&in, &job);
	free(document.at);
	set_builder_free(&s->b);
	free(s->at);
	return f;
}

static void sound(struct facts *f, uint64_t tensors)
{
	ck_assert_msg(f->n_findings == 0 && f->final.complete, "%zu findings, %s", f->n_findings,
	    f->n_findings > 0 ? finding_info(f->findings[0].code)->code : cause_text(f->final.cause));
	ck_assert_int_eq(f->final.format, WLK_FORMAT_EXTERNAL_WEIGHTS);
	ck_assert(f->final.has_digest);
	ck_assert_uint_eq(f->final.totals.tensors, tensors);
	facts_free(f);
}

static void one_finding(struct facts *f, enum wlk_finding code, uint64_t offset, bool complete)
{
	ck_assert_msg(f->n_findings == 1 && f->findings[0].code == code, "%zu findings, the first is %s", f->n_findings,
	    f->n_findings > 0 ? finding_info(f->findings[0].code)->code : "none");
	ck_assert_uint_eq(f->findings[0].offset, offset);
	ck_assert_int_eq(f->final.complete, complete);
	facts_free(f);
}

/* -- put off -- */

static struct facts *scan_as(enum job_part part, enum wlk_format_id hint, const char *text, size_t n)
{
	const struct inputs in = { .file = { (const uint8_t *)text, n } };
	const struct job job = { .size = n, .part = part, .hint = hint, .limits = LIMITS_DEFAULT };

	return scan_with(&in, &job);
}

START_TEST(test_what_nobody_knows_is_put_off_and_nothing_else_is_said)
{
	struct facts *f = scan_as(JOB_PART_MEMBER, WLK_FORMAT_OTHER, "\1\2\3\4", 4);

	ck_assert(facts_put_off(f));
	ck_assert(f->n_findings == 0 && !f->final.complete && !f->final.has_digest);
	facts_free(f);
}
END_TEST

START_TEST(test_what_content_or_name_tell_is_not_put_off)
{
	struct facts *f = scan_as(JOB_PART_MEMBER, WLK_FORMAT_UNKNOWN, "\x80\2N.", 4);

	ck_assert(!facts_put_off(f) && f->final.format == WLK_FORMAT_PICKLE);
	facts_free(f);
	f = scan_as(JOB_PART_MEMBER, WLK_FORMAT_SAFETENSORS, "\1\2\3\4", 4);
	ck_assert(!facts_put_off(f) && f->final.format == WLK_FORMAT_SAFETENSORS);
	facts_free(f);
}
END_TEST

START_TEST(test_only_a_member_is_put_off_and_only_once)
{
	const enum job_part parts[] = { JOB_PART_ALONE, JOB_PART_MEMBER_AGAIN };

	for (size_t i = 0; i < 2; i++) {
		struct facts *f = scan_as(parts[i], WLK_FORMAT_UNKNOWN, "\1\2\3\4", 4);

		ck_assert(!facts_put_off(f) && f->final.has_digest);
		one_finding(f, WLK_F_FORMAT_UNKNOWN, 0, false);
	}
}
END_TEST

/* -- who speaks about it -- */

START_TEST(test_claims_that_cover_a_file_are_what_it_is)
{
	struct scene s = scene(64);

	claim(&s, "F32", 0, 32);
	claim(&s, "I64", 32, 64);
	sound(weigh(&s), 2);
}
END_TEST

START_TEST(test_a_file_that_nobody_names_is_known_to_nobody)
{
	struct scene s = scene(64);

	claim_in(s.model, "other.data", "F32", 0, 64);
	one_finding(weigh(&s), WLK_F_FORMAT_UNKNOWN, 0, false);
	s = scene(64);
	one_finding(weigh(&s), WLK_F_FORMAT_UNKNOWN, 0, false);
}
END_TEST

START_TEST(test_a_place_that_is_no_member_of_the_document_is_named_by_nobody)
{
	struct scene s = scene(64);

	claim(&s, "F32", 0, 64);
	s.member = 2;
	one_finding(weigh(&s), WLK_F_FORMAT_UNKNOWN, 0, false);
}
END_TEST

/* As loaders join it: the model's folder, and the place as it is written. */
START_TEST(test_a_model_speaks_about_its_own_folder)
{
	struct scene s = scene(64);

	snprintf(s.data->name, sizeof(s.data->name), "sub/model.data");
	s.data->member.name = bytes_of_text(s.data->name);
	claim(&s, "F32", 0, 64);
	one_finding(weigh(&s), WLK_F_FORMAT_UNKNOWN, 0, false);
	s = scene(64);
	snprintf(s.model->name, sizeof(s.model->name), "sub/model.onnx");
	s.model->member.name = bytes_of_text(s.model->name);
	claim_in(s.model, "../model.data", "F32", 0, 64);
	one_finding(weigh(&s), WLK_F_FORMAT_UNKNOWN, 0, false);
}
END_TEST

START_TEST(test_only_models_and_only_their_own_rows_are_listened_to)
{
	struct scene s = scene(64);

	s.model->member.format = WLK_FORMAT_SAFETENSORS_INDEX;
	claim(&s, "F32", 0, 64);
	one_finding(weigh(&s), WLK_F_FORMAT_UNKNOWN, 0, false);
	s = scene(64);
	set_add_row(s.model, &(struct manifest_row){ .kind = MANIFEST_MAPPING,
				 .file = bytes_of_text("model.data"),
				 .member = bytes_of_text("inside.zip"),
				 .dtype = bytes_of_text("F32"),
				 .end = 64 });
	one_finding(weigh(&s), WLK_F_FORMAT_UNKNOWN, 0, false);
}
END_TEST

/* -- what it holds -- */

START_TEST(test_a_bad_element_is_found_with_its_tensor_and_place)
{
	struct scene s = scene(64);
	struct facts *f;

	claim(&s, "F32", 0, 32);
	claim(&s, "F32", 32, 64);
	memcpy(s.at + 40, nan_bits, 4);
	f = weigh(&s);
	ck_assert(f->n_rows == 1 && bytes_equal(f->rows[0].tensor, bytes_of_text("t1")));
	ck_assert_uint_eq(f->rows[0].nan, 1);
	ck_assert_uint_eq(f->final.totals.elements, 16);
	one_finding(f, WLK_F_WEIGHTS_NAN, 40, true);
}
END_TEST

/* Whoever comes first: the file is both to those who load it. */
START_TEST(test_bytes_are_examined_as_every_type_that_is_claimed)
{
	static const char *const types[2][2] = { { "F32", "I32" }, { "I32", "F32" } };

	for (size_t i = 0; i < 2; i++) {
		struct scene s = scene(64);
		struct facts *f;

		claim(&s, types[i][0], 0, 64);
		claim(&s, types[i][1], 0, 64);
		memcpy(s.at + 60, nan_bits, 4);
		f = weigh(&s);
		ck_assert_uint_eq(f->final.totals.tensors, 1);
		ck_assert_uint_eq(f->final.totals.nan, 1);
		one_finding(f, WLK_F_WEIGHTS_NAN, 60, true);
	}
}
END_TEST

/* Counted are those of one type; what is wrong is found in all. */
START_TEST(test_of_two_floating_point_types_both_are_examined)
{
	static const char *const types[2][2] = { { "F32", "F16" }, { "F16", "F32" } };

	for (size_t i = 0; i < 2; i++) {
		struct scene s = scene(64);
		struct facts *f;

		claim(&s, types[i][0], 0, 64);
		claim(&s, types[i][1], 0, 64);
		s.at[33] = 0x7e; /* a half that is not a number, and a very small float */
		f = weigh(&s);
		ck_assert_uint_eq(f->final.totals.elements, i == 0 ? 16 : 32);
		ck_assert_uint_eq(f->final.totals.nan, i);
		one_finding(f, WLK_F_WEIGHTS_NAN, 32, true);
	}
}
END_TEST

START_TEST(test_four_types_of_the_same_bytes_are_examined_and_a_fifth_is_not)
{
	static const char *const types[] = { "F32", "I32", "F16", "U8", "BF16" };

	for (size_t n = 4; n <= 5; n++) {
		struct scene s = scene(64);

		for (size_t i = 0; i < n; i++)
			claim(&s, types[i], 0, 64);
		if (n == 4)
			sound(weigh(&s), 1);
		else
			one_finding(weigh(&s), WLK_F_ONNX_EXTERNAL_OVERLAP, 0, false);
	}
}
END_TEST

START_TEST(test_equal_claims_are_one_tensor)
{
	struct scene s = scene(64);

	for (size_t i = 0; i < 100; i++)
		claim(&s, "F32", 0, 64);
	sound(weigh(&s), 1);
}
END_TEST

START_TEST(test_what_is_no_type_or_half_an_element_is_not_examined)
{
	struct scene s = scene(64);

	claim(&s, "F32", 0, 64);
	claim(&s, "nothing", 0, 64);
	one_finding(weigh(&s), WLK_F_FORMAT_UNKNOWN, 0, false);
	s = scene(66);
	claim(&s, "F32", 0, 66);
	one_finding(weigh(&s), WLK_F_FORMAT_UNKNOWN, 0, false);
}
END_TEST

/* -- whether it is all of it -- */

static struct facts *weigh_gap(uint64_t from, uint64_t to)
{
	struct scene s = scene(to + 4);

	claim(&s, "F32", 0, from);
	claim(&s, "F32", to, to + 4);
	return weigh(&s);
}

START_TEST(test_gaps_are_a_writers_below_64_kib_and_up_to_a_page)
{
	sound(weigh_gap(4, 4096), 2);
	sound(weigh_gap(4, 65536), 2);
	one_finding(weigh_gap(4096, 4096 + 65536), WLK_F_ONNX_EXTERNAL_HOLE, 4096, false);
	one_finding(weigh_gap(4, 4092), WLK_F_ONNX_EXTERNAL_HOLE, 4, false);
}
END_TEST

START_TEST(test_padding_is_zero)
{
	struct scene s = scene(4100);

	claim(&s, "F32", 0, 4);
	claim(&s, "F32", 4096, 4100);
	s.at[4095] = 1;
	one_finding(weigh(&s), WLK_F_ONNX_EXTERNAL_HOLE, 4095, false);
}
END_TEST

START_TEST(test_of_a_model_that_was_not_read_whole_a_gap_is_no_fault)
{
	struct scene s = scene(64);

	claim(&s, "F32", 0, 32);
	s.model->member.state = SET_MEMBER_PARTLY;
	one_finding(weigh(&s), WLK_F_FORMAT_UNKNOWN, 32, false);
}
END_TEST

START_TEST(test_claims_end_in_the_file)
{
	struct scene s = scene(64);

	claim(&s, "F32", 0, 64);
	claim(&s, "F32", 64, 64);
	sound(weigh(&s), 1);
	s = scene(64);
	claim(&s, "F32", 0, 68);
	one_finding(weigh(&s), WLK_F_ONNX_EXTERNAL_BOUNDS, 0, false);
	s = scene(64);
	claim(&s, "F32", 0, 64);
	claim(&s, "F32", UINT64_C(1) << 32, INT64_MAX);
	one_finding(weigh(&s), WLK_F_ONNX_EXTERNAL_BOUNDS, 64, false);
}
END_TEST

START_TEST(test_claims_that_overlap_are_a_fault)
{
	struct scene s = scene(64);

	claim(&s, "F32", 0, 36);
	claim(&s, "F32", 32, 64);
	one_finding(weigh(&s), WLK_F_ONNX_EXTERNAL_OVERLAP, 32, false);
}
END_TEST

START_TEST(test_openvino_names_its_file_by_its_own_name)
{
	struct scene s = scene(64);

	s.model->member.format = WLK_FORMAT_OPENVINO;
	snprintf(s.data->name, sizeof(s.data->name), "model.bin");
	s.data->member.name = bytes_of_text(s.data->name);
	claim_in(s.model, ".bin", "F32", 0, 64);
	sound(weigh(&s), 1);
}
END_TEST

/* -- much of it, and nonsense -- */

/* From the last to the first, so that they have to be sorted. */
static struct scene many(size_t n)
{
	struct scene s = scene(4 * n);

	for (size_t i = n; i-- > 0;)
		claim(&s, "F32", 4 * i, 4 * i + 4);
	return s;
}

START_TEST(test_a_quarter_of_a_million_claims_are_examined_within_the_memory)
{
	const size_t n = (size_t)1 << 18;
	struct scene s = many(n);

	memcpy(s.at + 4 * n - 4, nan_bits, 4);
	one_finding(weigh(&s), WLK_F_WEIGHTS_NAN, 4 * n - 4, true);
}
END_TEST

START_TEST(test_too_little_memory_ends_it_as_an_error)
{
	struct scene s = many((size_t)1 << 14);
	struct facts *f;

	s.memory = 1 << 20;
	f = weigh(&s);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_LIMIT_MEMORY);
	ck_assert(!f->final.complete);
	facts_free(f);
}
END_TEST

START_TEST(test_a_document_that_is_none_ends_it)
{
	static const uint8_t zeros[64];
	struct scene s = scene(64);
	struct memory_report document = set_document(&s.b);

	for (size_t n = 1; n <= document.n; n++) {
		const struct inputs in = { { zeros, 64 }, { document.at, n - 1 } };
		const struct job job = { .size = 64,
			.part = JOB_PART_MEMBER_AGAIN,
			.document_size = n,
			.member = 1,
			.limits = LIMITS_DEFAULT };
		struct facts *f = scan_with(&in, &job);

		ck_assert(f->final.cause != WLK_CAUSE_NONE && !f->final.complete);
		facts_free(f);
	}
	free(document.at);
	set_builder_free(&s.b);
	free(s.at);
}
END_TEST

HARNESS("claims", test_what_nobody_knows_is_put_off_and_nothing_else_is_said,
    test_what_content_or_name_tell_is_not_put_off, test_only_a_member_is_put_off_and_only_once,
    test_claims_that_cover_a_file_are_what_it_is, test_a_file_that_nobody_names_is_known_to_nobody,
    test_a_place_that_is_no_member_of_the_document_is_named_by_nobody, test_a_model_speaks_about_its_own_folder,
    test_only_models_and_only_their_own_rows_are_listened_to, test_a_bad_element_is_found_with_its_tensor_and_place,
    test_bytes_are_examined_as_every_type_that_is_claimed, test_of_two_floating_point_types_both_are_examined,
    test_four_types_of_the_same_bytes_are_examined_and_a_fifth_is_not, test_equal_claims_are_one_tensor,
    test_what_is_no_type_or_half_an_element_is_not_examined, test_gaps_are_a_writers_below_64_kib_and_up_to_a_page,
    test_padding_is_zero, test_of_a_model_that_was_not_read_whole_a_gap_is_no_fault, test_claims_end_in_the_file,
    test_claims_that_overlap_are_a_fault, test_openvino_names_its_file_by_its_own_name,
    test_a_quarter_of_a_million_claims_are_examined_within_the_memory, test_too_little_memory_ends_it_as_an_error,
    test_a_document_that_is_none_ends_it)
