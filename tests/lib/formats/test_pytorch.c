#include <string.h>

#include "harness.h"
#include "memory_scan.h"
#include "pytorch_geometry.h"
#include "pytorch_legacy_header.h"
#include "pytorch_members.h"
#include "pytorch_objects_impl.h"
#include "pytorch_storages.h"

/* -- geometry -- */

static struct torch_view view(uint64_t offset, unsigned n, const uint64_t *size, const uint64_t *stride)
{
	struct torch_view v = { .offset = offset, .n = n };

	for (unsigned i = 0; i < n; i++) {
		v.size[i] = size[i];
		v.stride[i] = stride[i];
	}
	return v;
}

#define VIEW(offset, size, stride) view(offset, sizeof((uint64_t[])size) / 8, (uint64_t[])size, (uint64_t[])stride)
#define LIST(...)           \
	{                   \
		__VA_ARGS__ \
	}

START_TEST(test_the_end_of_a_view_is_behind_its_last_element)
{
	struct torch_view v = VIEW(2, LIST(2, 3), LIST(3, 1));
	uint64_t end = 0;

	ck_assert(torch_view_end(&v, &end));
	ck_assert_uint_eq(end, 2 + 3 + 2 + 1);
	v = VIEW(7, LIST(4), LIST(0));
	ck_assert(torch_view_end(&v, &end));
	ck_assert_uint_eq(end, 8);
	v = view(5, 0, NULL, NULL);
	ck_assert(torch_view_end(&v, &end));
	ck_assert_uint_eq(end, 6);
}
END_TEST

START_TEST(test_a_view_without_elements_ends_nowhere)
{
	struct torch_view v = VIEW(UINT64_MAX, LIST(UINT64_MAX, 0), LIST(UINT64_MAX, 1));
	uint64_t end = 1;

	ck_assert(torch_view_end(&v, &end));
	ck_assert_uint_eq(end, 0);
	ck_assert(torch_view_elements(&v, &end));
	ck_assert_uint_eq(end, 0);
}
END_TEST

START_TEST(test_a_view_that_wraps_has_no_end)
{
	struct torch_view last = VIEW(UINT64_MAX - 1, LIST(1), LIST(1)), wraps = VIEW(UINT64_MAX, LIST(1), LIST(1));
	struct torch_view step = VIEW(0, LIST(3), LIST(UINT64_C(1) << 63));
	struct torch_view sum = VIEW(0, LIST(2, 2), LIST(UINT64_MAX - 1, 2));
	uint64_t end = 7;

	ck_assert(torch_view_end(&last, &end));
	ck_assert_uint_eq(end, UINT64_MAX);
	ck_assert(!torch_view_end(&wraps, &end));
	ck_assert(!torch_view_end(&step, &end));
	ck_assert(!torch_view_end(&sum, &end));
	ck_assert_uint_eq(end, UINT64_MAX);
}
END_TEST

START_TEST(test_elements_are_counted_or_refused)
{
	struct torch_view most = VIEW(0, LIST(UINT64_C(1) << 32, (UINT64_C(1) << 32) - 1), LIST(1, 1));
	struct torch_view wraps = VIEW(0, LIST(UINT64_C(1) << 32, UINT64_C(1) << 32), LIST(0, 0));
	uint64_t n = 0;

	ck_assert(torch_view_elements(&most, &n));
	ck_assert_uint_eq(n, UINT64_MAX - UINT32_MAX);
	ck_assert(!torch_view_elements(&wraps, &n));
}
END_TEST

START_TEST(test_more_than_a_trillion_elements_from_less_is_an_explosion)
{
	struct torch_view border = VIEW(0, LIST(UINT64_C(1) << 40), LIST(0));
	struct torch_view beyond = VIEW(0, LIST((UINT64_C(1) << 40) + 1), LIST(0));

	ck_assert(!torch_view_explodes(&border, 1));
	ck_assert(torch_view_explodes(&beyond, 1));
	ck_assert(!torch_view_explodes(&beyond, (UINT64_C(1) << 40) + 1));
}
END_TEST

START_TEST(test_contiguous_is_row_by_row_and_ignores_strides_of_one)
{
	struct torch_view rows = VIEW(3, LIST(2, 3), LIST(3, 1)), columns = VIEW(0, LIST(2, 3), LIST(1, 2));
	struct torch_view single = VIEW(0, LIST(1, 3), LIST(99, 1));

	ck_assert(torch_view_contiguous(&rows));
	ck_assert(!torch_view_contiguous(&columns));
	ck_assert(torch_view_contiguous(&single));
}
END_TEST

/* -- names -- */

static struct bytes b(const char *text)
{
	return bytes_of_text(text);
}

START_TEST(test_keys_are_digits_without_a_leading_zero)
{
	const char *const yes[] = { "0", "7", "10", "94106911139248" };
	const char *const no[] = { "", "00", "01", "-1", "1a", "1/2", "../0", " 1", "1\n" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		ck_assert_msg(torch_is_decimal(b(yes[i])), "%s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		ck_assert_msg(!torch_is_decimal(b(no[i])), "%s", no[i]);
}
END_TEST

START_TEST(test_locations_are_known_devices_with_plain_numbers)
{
	const char *const yes[] = { "cpu", "cuda:0", "cuda:15", "mps", "xla:1", "hpu" };
	const char *const no[] = { "", "cuda:", "cuda:x", "cuda:01", "cuda:123456", "gpu", "cpu/", "CPU", ":0" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		ck_assert_msg(torch_location_known(b(yes[i])), "%s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		ck_assert_msg(!torch_location_known(b(no[i])), "%s", no[i]);
}
END_TEST

START_TEST(test_storage_classes_say_type_and_size)
{
	bool untyped = true;
	const struct torch_type *type = torch_storage_type(b("torch"), b("BFloat16Storage"), &untyped);

	ck_assert_ptr_nonnull(type);
	ck_assert(!untyped && type->dtype == WLK_DTYPE_BF16 && type->bytes == 2);
	type = torch_storage_type(b("torch.cuda"), b("LongStorage"), &untyped);
	ck_assert(type != NULL && type->integer && type->bytes == 8);
	type = torch_storage_type(b("torch.storage"), b("UntypedStorage"), &untyped);
	ck_assert(type != NULL && untyped && type->bytes == 1);
	ck_assert_ptr_null(torch_storage_type(b("torch"), b("FloatTensor"), &untyped));
	ck_assert_ptr_null(torch_storage_type(b("mylib"), b("FloatStorage"), &untyped));
	ck_assert_ptr_null(torch_storage_type(b("torch"), b("Storage"), &untyped));
}
END_TEST

START_TEST(test_every_element_is_as_long_as_what_is_examined_in_it)
{
	static const char *const names[] = { "float32", "float16", "bfloat16", "float64", "int64", "uint16", "uint32",
		"uint64", "bool", "complex64", "complex128", "float8_e5m2", "float8_e4m3fn", "float8_e8m0fnu",
		"qint32" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct torch_type *type = torch_dtype(b(names[i]));

		ck_assert_msg(type != NULL, "%s", names[i]);
		ck_assert_msg(dtype_info(type->dtype)->bits == 8u * type->bytes, "%s", names[i]);
	}
	ck_assert(torch_dtype(b("complex32"))->dtype == WLK_DTYPE_F16); /* two of them */
	ck_assert_ptr_null(torch_dtype(b("float128")));
}
END_TEST

START_TEST(test_members_are_known_by_their_names)
{
	static const struct {
		const char *name;
		enum torch_member member;
	} all[] = { { "data.pkl", TORCH_MEMBER_DATA_PKL }, { "data/0", TORCH_MEMBER_STORAGE },
		{ "data/94106911139248", TORCH_MEMBER_STORAGE }, { "data/00", TORCH_MEMBER_UNKNOWN },
		{ "data/x", TORCH_MEMBER_UNKNOWN }, { "DATA.PKL", TORCH_MEMBER_UNKNOWN },
		{ "code/__torch__.py", TORCH_MEMBER_CODE }, { "constants/0", TORCH_MEMBER_SCRIPT },
		{ "extra/x.json", TORCH_MEMBER_SCRIPT }, { "data/a/model.so", TORCH_MEMBER_CODE },
		{ ".data/extern_modules", TORCH_MEMBER_PACKAGE }, { "hubconf.py", TORCH_MEMBER_UNKNOWN } };
	struct bytes root, name;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		ck_assert_msg(torch_member_of(b(all[i].name)) == all[i].member, "%s", all[i].name);
	ck_assert(torch_member_split(b("archive/data/0"), &root, &name));
	ck_assert(bytes_equal(root, b("archive")) && bytes_equal(name, b("data/0")));
	ck_assert(!torch_member_split(b("data.pkl"), &root, &name));
	ck_assert(!torch_member_split(b("/data.pkl"), &root, &name));
}
END_TEST

/* -- legacy -- */

START_TEST(test_the_magic_number_is_known_at_every_protocol)
{
	static const char body[] = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
	uint8_t head[64];

	for (uint8_t protocol = 2; protocol <= 5; protocol++) {
		head[0] = 0x80;
		head[1] = protocol;
		memcpy(head + 2, body, sizeof(body) - 1);
		ck_assert_uint_eq(torch_legacy_magic(bytes_of(head, sizeof(head))), 15);
		ck_assert_uint_eq(torch_legacy_magic(bytes_of(head, 14)), 0);
	}
	head[1] = 6;
	ck_assert_uint_eq(torch_legacy_magic(bytes_of(head, sizeof(head))), 0);
	head[1] = 4;
	head[2] = 0x95;
	store_u64le(head + 3, sizeof(body) - 1);
	memcpy(head + 11, body, sizeof(body) - 1);
	ck_assert_uint_eq(torch_legacy_magic(bytes_of(head, sizeof(head))), 24);
	head[3]++; /* a frame that ends elsewhere */
	ck_assert_uint_eq(torch_legacy_magic(bytes_of(head, sizeof(head))), 0);
	head[3]--;
	head[12] ^= 1;
	ck_assert_uint_eq(torch_legacy_magic(bytes_of(head, sizeof(head))), 0);
	ck_assert_uint_eq(torch_legacy_magic(b("L119547037146038801333356L\n.")), 28);
	ck_assert_uint_eq(torch_legacy_magic(b("L119547037146038801333357L\n.")), 0);
}
END_TEST

/* -- storages -- */

START_TEST(test_storages_are_found_by_key_however_many_there_are)
{
	struct torch_storages all;
	struct arena a;
	char key[16];

	arena_init(&a, 16 << 20);
	torch_storages_init(&all, &a, (struct siphash_key){ 1, 2 });
	ck_assert_uint_eq(torch_storages_find(&all, b("0")), TORCH_STORAGE_NONE);
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(key, sizeof(key), "%u", i);
		ck_assert_ptr_nonnull(torch_storages_add(&all, b(key), b("cpu")));
	}
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(key, sizeof(key), "%u", i);
		ck_assert_uint_eq(torch_storages_find(&all, b(key)), i);
	}
	ck_assert_uint_eq(torch_storages_find(&all, b("5000")), TORCH_STORAGE_NONE);
	arena_done(&a);
}
END_TEST

START_TEST(test_bytes_of_a_storage_do_not_wrap)
{
	bool untyped;
	struct torch_storage s = { .type = torch_storage_type(b("torch"), b("FloatStorage"), &untyped), .numel = 3 };
	uint64_t bytes = 0;

	ck_assert(torch_storage_bytes(&s, &bytes) && bytes == 12);
	s.numel = UINT64_C(1) << 62;
	ck_assert(!torch_storage_bytes(&s, &bytes));
	s.type = NULL;
	s.numel = 1;
	ck_assert(!torch_storage_bytes(&s, &bytes));
}
END_TEST

/* -- the flag -- */

START_TEST(test_a_flag_is_no_value_of_a_finding)
{
	static struct report report;
	struct memory_report out = { 0 };
	struct facts *f = facts_new();

	report_init(&report, memory_write, NULL, &out);
	report_fact_flag(&report, WLK_FACT_WEIGHTS_ONLY_LOADABLE, true);
	report_end(&report, &(struct report_final){ 0 });
	ck_assert(facts_feed(f, out.at, out.n));
	ck_assert_uint_eq(f->n_facts, 1);
	ck_assert(f->facts[0].value.kind == VALUE_FLAG && f->facts[0].value.number == 1);
	facts_free(f);
	out.n = 0;
	f = facts_new();
	report_init(&report, memory_write, NULL, &out);
	report_finding(&report, &(struct finding){ .code = WLK_F_TORCH_HOOKS, .found = { .kind = VALUE_FLAG } });
	report_end(&report, &(struct report_final){ 0 });
	ck_assert(!facts_feed(f, out.at, out.n));
	facts_free(f);
	free(out.at);
}
END_TEST

/* -- what a tensor's state may set -- */

static enum torch_attribute attribute(const char *name)
{
	return torch_attribute_of(bytes_of_text(name));
}

START_TEST(test_attributes_are_told_by_their_whole_names)
{
	static const char *const sets[] = { "H", "T", "_backward_hooks", "data", "grad", "imag", "names", "real",
		"requires_grad", "volatile", "__class__", "__anything" };
	static const char *const hides[] = { "_addmm_activation", "abs", "numpy", "set_", "storage", "xlogy_",
		"zero_" };
	static const char *const own[] = { "", "A", "Hx", "dat", "data_", "datb", "zero", "zero__", "zzz", "_is_own" };

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		ck_assert_msg(attribute(sets[i]) == TORCH_ATTRIBUTE_SETS, "%s", sets[i]);
	for (size_t i = 0; i < sizeof(hides) / sizeof(hides[0]); i++)
		ck_assert_msg(attribute(hides[i]) == TORCH_ATTRIBUTE_HIDES, "%s", hides[i]);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		ck_assert_msg(attribute(own[i]) == TORCH_ATTRIBUTE_OWN, "%s", own[i]);
}
END_TEST

START_TEST(test_calls_have_a_role_for_each_argument)
{
	const struct torch_call *c =
	    torch_call_of(bytes_of_text("torch._utils"), bytes_of_text("_rebuild_parameter_with_state"));

	ck_assert_ptr_nonnull(c);
	ck_assert_uint_eq(c->least, 4);
	ck_assert_uint_eq(c->most, 4);
	ck_assert_int_eq(torch_call_place(c, TORCH_ROLE_STATE), 3);
	ck_assert_int_eq(torch_call_place(c, TORCH_ROLE_STORAGE), -1);
	ck_assert_ptr_null(torch_call_of(bytes_of_text("torch"), bytes_of_text("_rebuild_tensor")));
	ck_assert_ptr_null(torch_call_of(bytes_of_text("torch._utils"), bytes_of_text("_rebuild_tensor_v4")));
}
END_TEST

HARNESS("pytorch", test_the_end_of_a_view_is_behind_its_last_element, test_a_view_without_elements_ends_nowhere,
    test_a_view_that_wraps_has_no_end, test_elements_are_counted_or_refused,
    test_more_than_a_trillion_elements_from_less_is_an_explosion,
    test_contiguous_is_row_by_row_and_ignores_strides_of_one, test_keys_are_digits_without_a_leading_zero,
    test_locations_are_known_devices_with_plain_numbers, test_storage_classes_say_type_and_size,
    test_every_element_is_as_long_as_what_is_examined_in_it, test_members_are_known_by_their_names,
    test_the_magic_number_is_known_at_every_protocol, test_storages_are_found_by_key_however_many_there_are,
    test_bytes_of_a_storage_do_not_wrap, test_a_flag_is_no_value_of_a_finding,
    test_attributes_are_told_by_their_whole_names, test_calls_have_a_role_for_each_argument)
