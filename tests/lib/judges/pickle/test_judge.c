/* What the judge says of a whole pickle; its findings have a corpus (pickle-rules). */
#include "harness.h"
#include "judge.h"

static bool drop(void *ctx, const uint8_t *at, size_t n)
{
	(void)ctx;
	(void)at;
	(void)n;
	return true;
}

/* The summary of one run, fed in one piece, as PyTorch's reader would have it judged. */
static struct pickle_summary judged(const char *bytes, size_t n)
{
	static struct report report;
	struct pickle_summary ret;
	struct pickle_judge *j;
	struct arena a;

	arena_init(&a, PICKLE_MEMORY_BASE * 2);
	report_init(&report, drop, NULL, NULL);
	j = pickle_judge_new(
	    &a, &(struct pickle_judge_options){
		    .profile = PICKLE_TORCH, .report = &report, .seed = { 1, 2 }, .size = n, .opcodes_max = 1000 });
	ck_assert_ptr_nonnull(j);
	pickle_judge_begin(j, 0);
	ck_assert_uint_eq(pickle_feed(pickle_judge_machine(j), (const uint8_t *)bytes, n, 0), FEED_END);
	(void)pickle_judge_end(j, 0);
	ret = pickle_judge_summary(j);
	arena_done(&a);
	return ret;
}

#define JUDGED(bytes) judged(bytes, sizeof(bytes) - 1)
#define LOADABLE(bytes) JUDGED("\x80\x02" bytes ".").weights_only_loadable

#define ORDERED "ccollections\nOrderedDict\n)R"
#define STORAGE "((X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0000X\3\0\0\0cpuK\4tQ"

START_TEST(test_weights_are_loadable_by_the_restricted_unpickler)
{
	ck_assert(LOADABLE(ORDERED));
	ck_assert(LOADABLE(ORDERED "X\1\0\0\0wNs"));
	ck_assert(LOADABLE(ORDERED "}b"));
	ck_assert(LOADABLE("ctorch._utils\n_rebuild_tensor_v2\n" STORAGE "K\0K\4\x85K\1\x85\x89" ORDERED "tR"));
	ck_assert(LOADABLE("](K\1K\2e"));
	ck_assert(LOADABLE("ctorch.nn.parameter\nParameter\n)\x81"));
}
END_TEST

START_TEST(test_other_names_are_not)
{
	ck_assert(!LOADABLE("cmymodel\nNet\n"));
	ck_assert(!LOADABLE("cbuiltins\nlist\n)R"));
	ck_assert(!LOADABLE("cos\nsystem\n"));
	ck_assert(!LOADABLE("cbuiltins\ngetattr\n"));
}
END_TEST

START_TEST(test_other_uses_are_not)
{
	ck_assert(!LOADABLE("cbuiltins\nset\n)\x81"));
	ck_assert(!LOADABLE("cbuiltins\nset\n)R}b"));
	ck_assert(!LOADABLE("cbuiltins\nset\n)RX\1\0\0\0wNs"));
	ck_assert(!LOADABLE("X\1\0\0\0wQ"));
}
END_TEST

START_TEST(test_other_opcodes_are_not)
{
	ck_assert(!LOADABLE("\x8c\1w"));
	ck_assert(!LOADABLE("X\1\0\0\0w0N"));
	ck_assert(!LOADABLE("N2\x86"));
	ck_assert(!LOADABLE("I1\n"));
	ck_assert(!LOADABLE("\x82\1"));
}
END_TEST

START_TEST(test_a_broken_or_empty_stream_is_not)
{
	ck_assert(!JUDGED("\x80\2\xff").weights_only_loadable);
	ck_assert(!JUDGED("\x80\2N\xff").data_only);
}
END_TEST

START_TEST(test_only_data_is_data_only)
{
	ck_assert(JUDGED("\x80\2](K\1}e.").data_only);
	ck_assert(!JUDGED("\x80\2ccollections\nOrderedDict\n.").data_only);
	ck_assert(!JUDGED("\x80\2X\1\0\0\0wQ.").data_only);
	ck_assert(!JUDGED("\x80\2\x82\1.").data_only);
}
END_TEST

START_TEST(test_acts_are_counted)
{
	struct pickle_summary s = JUDGED("\x80\2" ORDERED "0" ORDERED ".");

	ck_assert_uint_eq(s.streams, 1);
	ck_assert_uint_eq(s.imports, 2);
	ck_assert_uint_eq(s.calls, 2);
	ck_assert_uint_eq(s.opcodes, 9);
}
END_TEST

HARNESS("judge", test_weights_are_loadable_by_the_restricted_unpickler, test_other_names_are_not,
    test_other_uses_are_not, test_other_opcodes_are_not, test_a_broken_or_empty_stream_is_not,
    test_only_data_is_data_only, test_acts_are_counted)
