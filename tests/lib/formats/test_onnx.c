/* ONNX models through the engine: what the corpus cannot hold - every cut of a model, every damaged byte, counts and rows,
 * what must not be taken for a model, and the sizes at which memory and time would show. */
#include "harness.h"

#include <stdio.h>

#include "cpu_clock.h"
#include "made_protobuf.h"
#include "memory_rows.h"
#include "xorshift.h"

enum { FLOAT = 1, INT64 = 7 };
enum { DIMS = 1, DATA_TYPE = 2, FLOAT_DATA = 4, INT64_DATA = 7, NAME = 8, RAW_DATA = 9 }; /* of a tensor */
enum { NODE = 1, INITIALIZER = 5 };                                                       /* of a graph */

static void put_tensor(
    struct file *graph, const char *name, uint64_t type, uint32_t data, const void *at, size_t n, uint64_t elements)
{
	struct file t = { 0 };

	put_number(&t, DIMS, elements);
	put_number(&t, DATA_TYPE, type);
	put_text(&t, NAME, name);
	put_bytes(&t, data, at, n);
	put_message(graph, INITIALIZER, t);
}

static void put_node(struct file *graph, const char *op, const char *input, const char *output)
{
	struct file n = { 0 };

	if (input != NULL)
		put_text(&n, 1, input);
	put_text(&n, 2, output);
	put_text(&n, 4, op);
	put_message(graph, NODE, n);
}

/* Version, this graph, which is given up, one operator set. */
static struct file model_of(struct file graph)
{
	struct file f = { 0 }, opset = { 0 };

	put_number(&f, 1, 8);
	put_message(&f, 7, graph);
	put_number(&opset, 2, 17);
	put_message(&f, 8, opset);
	return f;
}

static const float numbers[4] = { 1, 2, 3, 4 };

/* Three tensors: raw, packed, and by varints. */
static struct file small_model(void)
{
	struct file g = { 0 };
	uint8_t varints[] = { 1, 2, 3 };

	put_node(&g, "Identity", "raw", "y");
	put_text(&g, 2, "g");
	put_tensor(&g, "raw", FLOAT, RAW_DATA, numbers, sizeof(numbers), 4);
	put_tensor(&g, "packed", FLOAT, FLOAT_DATA, numbers, 8, 2);
	put_tensor(&g, "by value", INT64, INT64_DATA, varints, sizeof(varints), 3);
	return model_of(g);
}

static struct job job_of(const struct file *f, enum wlk_format_id hint)
{
	struct job job = memory_job(f->n);

	job.hint = hint;
	return job;
}

static struct facts *scan_as(const struct file *f, enum source_kind kind)
{
	return file_scan(f, WLK_FORMAT_ONNX, kind);
}

static bool accepted(const struct facts *f)
{
	return f->final.complete && f->final.format == WLK_FORMAT_ONNX && memory_worst(f) < SEVERITY_MEDIUM;
}

START_TEST(test_a_model_is_known_by_its_content)
{
	struct file f = small_model();
	struct job job = job_of(&f, WLK_FORMAT_UNKNOWN);
	struct facts *facts = memory_scan_job(f.at, f.n, &job);

	ck_assert(accepted(facts));
	facts_free(facts);
	free(f.at);
}
END_TEST

START_TEST(test_tensors_are_counted_however_they_are_written)
{
	struct file f = small_model();
	struct facts *facts = scan_as(&f, SOURCE_MUTABLE);

	ck_assert(accepted(facts));
	ck_assert_uint_eq(facts->final.totals.tensors, 3);
	ck_assert_uint_eq(facts->final.totals.elements, 6);
	facts_free(facts);
	free(f.at);
}
END_TEST

/* Floats of an attribute are examined, and are no tensor. */
START_TEST(test_floats_of_attributes_are_no_tensors)
{
	struct file g = { 0 }, n = { 0 }, a = { 0 }, f;
	struct facts *facts;

	put_text(&a, 1, "v");
	put_bytes(&a, 7, numbers, sizeof(numbers));
	put_number(&a, 20, 6);
	put_text(&n, 2, "y");
	put_text(&n, 4, "Constant");
	put_message(&n, 5, a);
	put_message(&g, NODE, n);
	f = model_of(g);
	facts = scan_as(&f, SOURCE_IMMUTABLE);
	ck_assert(accepted(facts));
	ck_assert_uint_eq(facts->final.totals.tensors, 0);
	ck_assert_uint_eq(facts->final.totals.elements, 4);
	facts_free(facts);
	free(f.at);
}
END_TEST

/* What is no bytes of the file has no row, and the list says that it is not whole. */
START_TEST(test_the_manifest_lists_what_has_bytes)
{
	struct file f = small_model();
	struct job job = job_of(&f, WLK_FORMAT_ONNX);
	struct memory_rows rows;
	struct facts *facts = memory_scan_rows(f.at, f.n, &job, &rows);

	ck_assert(accepted(facts));
	ck_assert_uint_eq(rows.n, 2);
	ck_assert(bytes_equal(rows.list[0].row.name, bytes_of_text("raw")));
	ck_assert(bytes_equal(rows.list[0].row.dtype, bytes_of_text("F32")));
	ck_assert_uint_eq(rows.list[0].row.rank, 1);
	ck_assert_uint_eq(rows.list[0].row.shape[0], 4);
	ck_assert_mem_eq(f.at + rows.list[0].row.begin, numbers, sizeof(numbers));
	ck_assert_uint_eq(rows.list[0].row.end - rows.list[0].row.begin, sizeof(numbers));
	ck_assert(bytes_equal(rows.list[1].row.name, bytes_of_text("packed")));
	ck_assert(rows.list[0].n_digests == 1 && rows.list[1].n_digests == 1 && rows.n_strays == 0);
	ck_assert_uint_eq(memory_fact(facts, WLK_FACT_TENSORS_LISTED)->value.number, 0);
	facts_free(facts);
	memory_rows_free(&rows);
	free(f.at);
}
END_TEST

START_TEST(test_no_part_of_a_model_is_accepted)
{
	struct file f = small_model();
	size_t whole = f.n;

	for (f.n = 0; f.n < whole; f.n++) {
		struct facts *facts = scan_as(&f, SOURCE_IMMUTABLE);

		ck_assert_msg(!accepted(facts) && memory_worst(facts) >= SEVERITY_HIGH, "%zu bytes", f.n);
		ck_assert(!facts->final.complete);
		facts_free(facts);
	}
	free(f.at);
}
END_TEST

/* Any byte may be anything: there is a verdict, and the same for a file that may change meanwhile. */
START_TEST(test_any_damage_gives_a_verdict)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct file f = small_model();

	for (size_t at = 0; at < f.n; at++) {
		uint8_t old = f.at[at];

		for (size_t k = 0; k < sizeof(values); k++) {
			struct facts *still, *moving;

			f.at[at] = values[k];
			still = scan_as(&f, SOURCE_IMMUTABLE);
			moving = scan_as(&f, SOURCE_MUTABLE);
			ck_assert(still->has_final && still->final.cause == WLK_CAUSE_NONE);
			ck_assert_mem_eq(still->per_code, moving->per_code, sizeof(still->per_code));
			facts_free(still);
			facts_free(moving);
		}
		f.at[at] = old;
	}
	free(f.at);
}
END_TEST

/* Every byte was read and hashed, and still nobody knows which of the two a loader takes. */
START_TEST(test_what_can_be_read_in_two_ways_is_not_complete)
{
	struct file g = { 0 }, f;
	struct facts *facts;

	put_node(&g, "Constant", NULL, "y");
	put_node(&g, "Constant", NULL, "y");
	f = model_of(g);
	facts = scan_as(&f, SOURCE_IMMUTABLE);
	ck_assert_uint_eq(facts->per_code[WLK_F_ONNX_SSA], 1);
	ck_assert(facts->final.has_digest && !facts->final.complete && facts->final.cause == WLK_CAUSE_NONE);
	facts_free(facts);
	free(f.at);
}
END_TEST

/* -- prose, which is too long for the corpus -- */

static int worst_with_prose(uint32_t field, size_t n)
{
	struct file f = small_model(), entry = { 0 };
	char *prose = malloc(n);
	struct facts *facts;
	int ret;

	ck_assert_ptr_nonnull(prose);
	memset(prose, 'x', n);
	if (field == 6) {
		put_bytes(&f, 6, prose, n);
	} else {
		put_text(&entry, 1, "key");
		put_bytes(&entry, 2, prose, n);
		put_message(&f, field, entry);
	}
	facts = scan_as(&f, SOURCE_IMMUTABLE);
	ret = memory_worst(facts);
	ck_assert(ret < 0 || facts->per_code[WLK_F_ONNX_METADATA_SIZE] == 1);
	facts_free(facts);
	free(prose);
	free(f.at);
	return ret;
}

START_TEST(test_prose_may_be_so_long)
{
	ck_assert_int_eq(worst_with_prose(6, 1 << 20), -1);
	ck_assert_int_eq(worst_with_prose(6, (1 << 20) + 1), SEVERITY_HIGH);
	ck_assert_int_eq(worst_with_prose(14, (16 << 20) - 3), -1); /* and its key of three bytes */
	ck_assert_int_eq(worst_with_prose(14, (16 << 20) - 2), SEVERITY_HIGH);
}
END_TEST

/* -- what is no model -- */

static enum wlk_format_id format_of(const struct file *f)
{
	struct job job = job_of(f, WLK_FORMAT_UNKNOWN);
	struct facts *facts = memory_scan_job(f->at, f->n, &job);
	enum wlk_format_id ret = facts->final.format;

	facts_free(facts);
	return ret;
}

static uint64_t state = 0x9E3779B97F4A7C15;

static uint8_t random_byte(void)
{
	return (uint8_t)(xorshift_next(&state) >> 56);
}

START_TEST(test_other_bytes_are_no_model)
{
	struct file f = { 0 };

	for (unsigned i = 0; i < 3000; i++) {
		uint8_t byte;

		for (f.n = 0; f.n < 4 + i % 300;) {
			byte = random_byte();
			/* Random bytes; small numbers, which are fields; letters. */
			byte = i % 3 == 0 ? byte : i % 3 == 1 ? (uint8_t)(byte & 0x7f) : (uint8_t)('a' + byte % 26);
			put(&f, &byte, 1);
		}
		ck_assert_int_ne(format_of(&f), WLK_FORMAT_ONNX);
	}
	free(f.at);
}
END_TEST

/* A net of Caffe2 has texts in fields 7 and 8, and its name in field 1. */
START_TEST(test_another_message_of_this_shape_is_no_model)
{
	struct file f = { 0 };

	put_text(&f, 1, "net");
	put_text(&f, 7, "data");
	put_text(&f, 8, "softmax");
	ck_assert_int_ne(format_of(&f), WLK_FORMAT_ONNX);
	free(f.at);
}
END_TEST

/* -- the most there may be -- */

static double scan_time(struct file f, enum wlk_format_id hint, bool *ret_accepted)
{
	struct job job = job_of(&f, hint);
	double start = seconds();
	struct facts *facts = memory_scan_job(f.at, f.n, &job);
	double took = seconds() - start;

	if (ret_accepted != NULL)
		*ret_accepted = accepted(facts);
	ck_assert(facts->has_final);
	facts_free(facts);
	free(f.at);
	return took;
}

/* So many nodes in a row, their outputs all alike or all different. */
static struct file chain_of(unsigned n, bool alike)
{
	struct file g = { 0 };
	char from[16] = "x", to[16];

	for (unsigned i = 0; i < n; i++) {
		snprintf(to, sizeof(to), "t%u", alike ? 0 : i);
		put_node(&g, "Constant", i > 0 && !alike ? from : NULL, to);
		memcpy(from, to, sizeof(to));
	}
	return model_of(g);
}

/* One node with so many outputs of one name, or attributes. */
static struct file crowded_node(unsigned n, bool outputs)
{
	struct file g = { 0 }, node = { 0 };
	char name[16];

	for (unsigned i = 0; i < n && outputs; i++)
		put_text(&node, 2, "t");
	put_text(&node, 4, "Split");
	for (unsigned i = 0; i < n && !outputs; i++) {
		struct file a = { 0 };

		snprintf(name, sizeof(name), "a%u", i);
		put_text(&a, 1, name);
		put_number(&a, 3, 1);
		put_number(&a, 20, 2);
		put_message(&node, 5, a);
	}
	put_message(&g, NODE, node);
	return model_of(g);
}

/* So many initializers of one name. */
static struct file twins(unsigned n)
{
	struct file g = { 0 };

	put_node(&g, "Identity", "w", "y");
	for (unsigned i = 0; i < n; i++)
		put_tensor(&g, "w", FLOAT, RAW_DATA, numbers, 4, 1);
	return model_of(g);
}

#define MANY 200000u

START_TEST(test_time_grows_with_the_file_alone)
{
	bool good;

	ck_assert(scan_time(chain_of(MANY, false), WLK_FORMAT_ONNX, &good) < 5 && good);
	ck_assert(scan_time(chain_of(MANY, true), WLK_FORMAT_ONNX, &good) < 5 && !good);
	ck_assert(scan_time(twins(MANY), WLK_FORMAT_ONNX, &good) < 5 && !good);
	ck_assert(scan_time(crowded_node(MANY, true), WLK_FORMAT_ONNX, &good) < 5 && !good);
	ck_assert(scan_time(crowded_node(MANY, false), WLK_FORMAT_ONNX, &good) < 5 && !good);
}
END_TEST

struct counted {
	struct memory_file file;
	uint64_t bytes;
};

static int64_t counting_read(void *ctx, uint64_t offset, void *buf, size_t n)
{
	struct counted *c = ctx;
	int64_t ret = memory_read(&c->file, offset, buf, n);

	c->bytes += (uint64_t)ret;
	return ret;
}

/* Bytes that are small numbers go on being fields for ever; nobody reads them all to find out. */
START_TEST(test_small_numbers_are_given_up_soon)
{
	const size_t n = 4 << 20;
	uint8_t *bytes = malloc(n);
	struct counted c = { .file = { .at = bytes, .n = n } };
	struct wlk_input in = { .read = counting_read, .ctx = &c, .seed = { .k0 = 1, .k1 = 2 } };
	struct job job = memory_job(n);
	struct memory_report out = { 0 };
	struct report report;

	ck_assert_ptr_nonnull(bytes);
	memset(bytes, 8, n);
	job.hint = WLK_FORMAT_UNKNOWN;
	report_init(&report, memory_write, NULL, &out);
	wlk_scan(&in, &job, &report);
	ck_assert_uint_lt(c.bytes, n + (1 << 20)); /* once for the digest, and a little */
	free(out.at);
	free(bytes);
}
END_TEST

HARNESS("onnx", test_a_model_is_known_by_its_content, test_tensors_are_counted_however_they_are_written,
    test_floats_of_attributes_are_no_tensors, test_the_manifest_lists_what_has_bytes,
    test_no_part_of_a_model_is_accepted, test_any_damage_gives_a_verdict,
    test_what_can_be_read_in_two_ways_is_not_complete, test_prose_may_be_so_long, test_other_bytes_are_no_model,
    test_another_message_of_this_shape_is_no_model, test_time_grows_with_the_file_alone,
    test_small_numbers_are_given_up_soon)
