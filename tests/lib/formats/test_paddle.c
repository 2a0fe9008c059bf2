/* PaddlePaddle's programs and parameters through the engine: what the corpus cannot hold - every cut of a file of parameters, and
 * sizes at which time would show - and the table of operators. */
#include "harness.h"

#include <time.h>

#include "made_protobuf.h"
#include "paddle_ops.h"

/* One number of 32 bits, as a tensor of one dimension. */
static void put_tensor(struct file *f)
{
	static const uint8_t tensor[] = { 0, 0, 0, 0, /* version */
		0, 0, 0, 0, 0, 0, 0, 0,               /* levels */
		0, 0, 0, 0, 4, 0, 0, 0,               /* version, length of the description */
		8, 5, 16, 1,                          /* FP32, [1] */
		0, 0, 128, 63 };

	put(f, tensor, sizeof(tensor));
}

#define TENSOR_BYTES 28u

static bool accepted(const struct file *f, enum wlk_format_id hint, enum source_kind kind)
{
	struct facts *facts = file_scan(f, hint, kind);
	bool ret = facts->final.complete && facts->final.format == hint && memory_worst(facts) < SEVERITY_LOW;

	facts_free(facts);
	return ret;
}

START_TEST(test_parameters_are_accepted_only_when_tensors_tile_them)
{
	struct file f = { 0 };

	for (unsigned i = 0; i < 3; i++)
		put_tensor(&f);
	for (f.n = 0; f.n <= 3 * TENSOR_BYTES; f.n++)
		ck_assert_msg(
		    accepted(&f, WLK_FORMAT_PADDLE_PARAMS, f.n % 2 == 0 ? SOURCE_MUTABLE : SOURCE_IMMUTABLE) ==
			(f.n > 0 && f.n % TENSOR_BYTES == 0),
		    "%zu bytes", f.n);
	free(f.at);
}
END_TEST

/* Of what is no number every bit counts: no type of so many bytes is a bit beside FP32. */
START_TEST(test_any_damage_of_a_head_is_seen)
{
	struct file f = { 0 };

	put_tensor(&f);
	put_tensor(&f);
	for (size_t i = 0; i < f.n * 8; i++) {
		bool number = i / 8 % TENSOR_BYTES >= TENSOR_BYTES - 4;
		f.at[i / 8] ^= (uint8_t)(1u << i % 8);
		if (!number)
			ck_assert_msg(!accepted(&f, WLK_FORMAT_PADDLE_PARAMS, SOURCE_IMMUTABLE), "bit %zu", i);
		f.at[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	free(f.at);
}
END_TEST

START_TEST(test_many_tensors_take_little_time)
{
	struct file f = { 0 };
	clock_t begin;

	for (unsigned i = 0; i < 200000; i++)
		put_tensor(&f);
	begin = clock();
	ck_assert(accepted(&f, WLK_FORMAT_PADDLE_PARAMS, SOURCE_MUTABLE));
	ck_assert_int_lt((clock() - begin) / CLOCKS_PER_SEC, 5);
	free(f.at);
}
END_TEST

/* -- programs -- */

/* A program of n such operators. */
static struct file program_of(const char *name, unsigned n)
{
	static const uint8_t head[] = { 8, 0, 16, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 };
	struct file op = { 0 }, block = { 0 }, f = { 0 };

	put_text(&op, 3, name);
	put(&block, head, sizeof(head));
	for (unsigned i = 0; i < n; i++)
		put_bytes(&block, 4, op.at, op.n);
	put_message(&f, 1, block);
	free(op.at);
	return f;
}

START_TEST(test_many_operators_take_little_time)
{
	struct file sound = program_of("yolo_box_post", 200000),
		    unknown = program_of("conv2d_which_is_none_of_them", 200000);
	clock_t begin = clock();

	ck_assert(accepted(&sound, WLK_FORMAT_PADDLE, SOURCE_IMMUTABLE));
	ck_assert(!accepted(&unknown, WLK_FORMAT_PADDLE, SOURCE_IMMUTABLE));
	ck_assert_int_lt((clock() - begin) / CLOCKS_PER_SEC, 10);
	free(sound.at);
	free(unknown.at);
}
END_TEST

static enum paddle_op_kind kind_of(const char *name)
{
	return paddle_op_kind(bytes_of_text(name));
}

START_TEST(test_operators_are_known_by_their_whole_name)
{
	ck_assert_int_eq(kind_of("conv2d"), PADDLE_OP_COMPUTES);
	ck_assert_int_eq(kind_of("conv2d_grad_grad"), PADDLE_OP_COMPUTES);
	ck_assert_int_eq(kind_of("relu_"), PADDLE_OP_COMPUTES);
	ck_assert_int_eq(kind_of("py_func"), PADDLE_OP_PYTHON_);
	ck_assert_int_eq(kind_of("py_func_grad"), PADDLE_OP_PYTHON_);
	ck_assert_int_eq(kind_of("load_combine"), PADDLE_OP_FILE_);
	ck_assert_int_eq(kind_of("listen_and_serv"), PADDLE_OP_NETWORK_);
	ck_assert_int_eq(kind_of("lite_engine"), PADDLE_OP_NATIVE_);
	ck_assert_int_eq(kind_of("print"), PADDLE_OP_PRINTS);
	ck_assert_int_eq(kind_of("conv2"), PADDLE_OP_UNKNOWN_);
	ck_assert_int_eq(kind_of("Conv2d"), PADDLE_OP_UNKNOWN_);
	ck_assert_int_eq(kind_of("conv2d "), PADDLE_OP_UNKNOWN_);
	ck_assert_int_eq(kind_of("_grad"), PADDLE_OP_UNKNOWN_);
	ck_assert_int_eq(kind_of("_"), PADDLE_OP_UNKNOWN_);
	ck_assert_int_eq(kind_of(""), PADDLE_OP_UNKNOWN_);
}
END_TEST

HARNESS("paddle", test_parameters_are_accepted_only_when_tensors_tile_them, test_any_damage_of_a_head_is_seen,
    test_many_tensors_take_little_time, test_many_operators_take_little_time,
    test_operators_are_known_by_their_whole_name)
