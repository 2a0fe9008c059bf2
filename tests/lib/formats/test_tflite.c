/* TensorFlow Lite models through the engine: what the corpus cannot hold - every cut and every damage of one, jumps that
 * would cost a reader its afternoon - and the table of operators. */
#include "harness.h"

#include <time.h>

#include "made_file.h"
#include "memory_rows.h"
#include "tf_ops.h"

static size_t put_u32(struct file *f, uint32_t n)
{
	uint8_t b[4];

	store_u32le(b, n);
	return put(f, b, 4);
}

static void pad(struct file *f, size_t align)
{
	while (f->n % align != 0)
		put(f, NULL, 1);
}

/* The offset at `from` leads here. */
static void lead(struct file *f, size_t from)
{
	store_u32le(f->at + from, (uint32_t)(f->n - from));
}

/* A table whose n fields are all of four bytes, or absent (a mask).  Return: where the first of them is. */
static size_t put_table(struct file *f, unsigned n, unsigned present, size_t refers)
{
	size_t vtable = f->n, begin;
	unsigned place = 4;
	uint8_t b[4];

	store_u16le(b, (uint16_t)(4 + 2 * n));
	store_u16le(b + 2, 0);
	put(f, b, 4);
	for (unsigned i = 0; i < n; i++) {
		store_u16le(b, (uint16_t)((present >> i & 1) != 0 ? place : 0));
		put(f, b, 2);
		place += (present >> i & 1) != 0 ? 4 : 0;
	}
	store_u16le(f->at + vtable + 2, (uint16_t)place);
	pad(f, 4);
	begin = f->n;
	lead(f, refers);
	put_u32(f, (uint32_t)(begin - vtable));
	return put(f, NULL, place - 4);
}

static size_t put_vector(struct file *f, uint32_t n, size_t refers)
{
	pad(f, 4);
	lead(f, refers);
	put_u32(f, n);
	return put(f, NULL, 4 * (size_t)n);
}

/* So many empty buffers, two to a table, each table far from the one before. */
static struct file scattered(unsigned jumps)
{
	const size_t far = (size_t)4 << 20; /* blocks so far apart share a place in the reader's cache */
	struct file f = { 0 };
	size_t root = put_u32(&f, 0), model, list, near;

	put(&f, "TFL3", 4);
	model = put_table(&f, 5, 1u | 1u << 2 | 1u << 4, root);
	store_u32le(f.at + model, 3);
	(void)put_vector(&f, 0, model + 4);
	list = put_vector(&f, jumps, model + 8);
	near = f.n;
	for (unsigned i = 0; i < 2; i++) {
		size_t vector = i == 0 ? list : list + 4;

		if (i == 1)
			put(&f, NULL, near + far - f.n);
		put_table(&f, 3, 0, vector);
		for (unsigned k = i + 2; k < jumps; k += 2) { /* a vtable of ten bytes, and padding, in front */
			size_t from = list + 4 * (size_t)k;

			store_u32le(f.at + from, (uint32_t)(f.n - 4 - from));
		}
	}
	return f;
}

/* One subgraph with a tensor of three floats, and an operator. */
static struct file small_model(void)
{
	const float data[3] = { 1, 2, 3 };
	struct file f = { 0 };
	size_t root = put_u32(&f, 0), model, codes, code, graphs, buffers, graph, tensors, operators, tensor, buffer,
	       shape;

	put(&f, "TFL3", 4);
	model = put_table(&f, 5, 0x17, root);
	store_u32le(f.at + model, 3);
	codes = put_vector(&f, 1, model + 4);
	code = put_table(&f, 1, 1, codes); /* which may move the file */
	f.at[code] = 31;                   /* of which no kernel is known, and so what it asks for */
	graphs = put_vector(&f, 1, model + 8);
	graph = put_table(&f, 4, 0xf, graphs);
	tensors = put_vector(&f, 1, graph);
	put_vector(&f, 0, graph + 4);
	put_vector(&f, 1, graph + 8);
	operators = put_vector(&f, 1, graph + 12);
	put_table(&f, 3, 0, operators);
	tensor = put_table(&f, 4, 0xd, tensors);
	shape = put_vector(&f, 1, tensor);
	store_u32le(f.at + shape, 3);
	store_u32le(f.at + tensor + 4, 1);
	lead(&f, tensor + 8);
	put_u32(&f, 4);
	put(&f, "bias\0\0\0", 8);
	buffers = put_vector(&f, 2, model + 12);
	put_table(&f, 1, 0, buffers);
	buffer = put_table(&f, 1, 1, buffers + 4);
	lead(&f, buffer);
	put_u32(&f, sizeof(data));
	put(&f, data, sizeof(data));
	return f;
}

static struct facts *scan_as(const struct file *f, enum source_kind kind)
{
	return file_scan(f, WLK_FORMAT_TFLITE, kind);
}

static bool accepted(const struct facts *f)
{
	return f->final.complete && f->final.format == WLK_FORMAT_TFLITE && memory_worst(f) < SEVERITY_MEDIUM;
}

START_TEST(test_no_part_of_a_file_is_accepted)
{
	struct file f = small_model();
	size_t whole = f.n;
	struct facts *facts = scan_as(&f, SOURCE_MUTABLE);

	ck_assert_uint_eq(facts->n_findings, 0);
	ck_assert(accepted(facts));
	ck_assert_uint_eq(facts->final.totals.elements, 3);
	facts_free(facts);
	for (f.n = 0; f.n < whole; f.n++) {
		facts = scan_as(&f, f.n % 2 == 0 ? SOURCE_IMMUTABLE : SOURCE_MUTABLE);
		ck_assert_msg(!accepted(facts) && facts->n_findings > 0, "%zu bytes of %zu", f.n, whole);
		facts_free(facts);
	}
	free(f.at);
}
END_TEST

START_TEST(test_any_damage_gives_a_verdict)
{
	static const uint8_t damage[] = { 0x01, 0x02, 0x04, 0x10, 0x80, 0xff };
	struct file f = small_model();

	file_damage(&f, WLK_FORMAT_TFLITE, damage, sizeof(damage));
	free(f.at);
}
END_TEST

static bool is_limited(unsigned jumps)
{
	struct file f = scattered(jumps);
	struct facts *facts = scan_as(&f, SOURCE_IMMUTABLE);
	bool limited = facts->per_code[WLK_F_TFLITE_LIMIT] > 0;

	ck_assert(limited || facts->per_code[WLK_F_TFLITE_INDEX] > 0); /* read to its end: there is no subgraph */
	facts_free(facts);
	free(f.at);
	return limited;
}

START_TEST(test_jumps_have_a_budget)
{
	ck_assert(!is_limited(200));
	ck_assert(is_limited(100000));
}
END_TEST

START_TEST(test_the_manifest_lists_tensors_with_data)
{
	struct file f = small_model();
	struct memory_rows rows;
	struct job job = memory_job(f.n);
	struct facts *facts = memory_scan_rows(f.at, f.n, &job, &rows);

	ck_assert_uint_eq(rows.n, 1);
	ck_assert(bytes_equal(rows.list[0].row.name, bytes_of_text("bias")));
	ck_assert(bytes_equal(rows.list[0].row.dtype, bytes_of_text("F32")));
	ck_assert_uint_eq(rows.list[0].row.rank, 1);
	ck_assert_uint_eq(rows.list[0].row.shape[0], 3);
	ck_assert_uint_eq(rows.list[0].row.end, f.n);
	ck_assert_uint_eq(rows.list[0].row.begin, f.n - 12);
	facts_free(facts);
	memory_rows_free(&rows);
	free(f.at);
}
END_TEST

static bool found_as(const char *name, enum wlk_finding code)
{
	const struct tf_op *op = tf_op_find(bytes_of_text(name));

	return op != NULL && op->code == code;
}

START_TEST(test_operators_are_found_by_name_and_version)
{
	for (size_t i = 0; i < tf_n_ops; i++) {
		ck_assert(i == 0 || strcmp(tf_ops[i - 1].name, tf_ops[i].name) < 0);
		ck_assert_uint_le(strlen(tf_ops[i].name), TF_OP_NAME_MAX);
		ck_assert(found_as(tf_ops[i].name, tf_ops[i].code));
	}
	ck_assert(found_as("PrintV2", WLK_F_TF_OP_PRINT));
	ck_assert(found_as("LMDBReaderV4", WLK_F_TF_OP_FILE_READ));
	ck_assert(found_as("CollectiveGatherV2", WLK_F_TF_OP_NETWORK));
	ck_assert_ptr_null(tf_op_find(bytes_of_text("PrintV5")));
	ck_assert_ptr_null(tf_op_find(bytes_of_text("WriteFil")));
	ck_assert_ptr_null(tf_op_find(bytes_of_text("WriteFiles")));
	ck_assert_ptr_null(tf_op_find(bytes_of_text("Collectiv")));
	ck_assert_ptr_null(tf_op_find(bytes_of_text("MatMul")));
	ck_assert_ptr_null(tf_op_find(bytes_of_text("")));
}
END_TEST

HARNESS("tflite", test_no_part_of_a_file_is_accepted, test_any_damage_gives_a_verdict, test_jumps_have_a_budget,
    test_the_manifest_lists_tensors_with_data, test_operators_are_found_by_name_and_version)
