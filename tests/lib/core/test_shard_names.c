/* lib/core/shard_names.c: formats/safetensors-index, sections 1, 3 and 9. */
#include "formats.h"
#include "harness.h"
#include "shard_names.h"

static bool is(struct bytes b, const char *text)
{
	return bytes_equal(b, bytes_of_text(text));
}

static void index_is(const char *name, const char *stem, const char *family, const char *variant)
{
	struct index_name i;

	ck_assert_msg(index_name_parse(bytes_of_text(name), &i), "%s", name);
	ck_assert_msg(is(i.stem, stem) && is(i.family, family) && is(i.variant, variant), "%s", name);
}

START_TEST(test_names_of_indexes)
{
	static const char *const others[] = { "", "json", ".json", "index.json", ".index.json", "model.index.json",
		"model.safetensors.json", "model.safetensors.index.jsonl", "model.safetensors.index.a.b.json",
		"a.safetensors.index.json/b.json" };
	struct index_name i;

	index_is("model.safetensors.index.json", "model", "safetensors", "");
	index_is("a/b.c/model.safetensors.index.json", "model", "safetensors", "");
	index_is("Model.SafeTensors.Index.JSON", "Model", "SafeTensors", "");
	index_is("model.safetensors.index.fp16.json", "model", "safetensors", "fp16");
	index_is("pytorch_model.bin.index.json", "pytorch_model", "bin", "");
	index_is("a.b.bin.index.json", "a.b", "bin", "");
	for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++)
		ck_assert_msg(!index_name_parse(bytes_of_text(others[k]), &i), "%s", others[k]);
}
END_TEST

START_TEST(test_hints_go_by_the_family)
{
	ck_assert_int_eq(format_hint("model.safetensors.index.json"), WLK_FORMAT_SAFETENSORS_INDEX);
	ck_assert_int_eq(format_hint("x/model.safetensors.index.fp16.json"), WLK_FORMAT_SAFETENSORS_INDEX);
	ck_assert_int_eq(format_hint("pytorch_model.bin.index.json"), WLK_FORMAT_SHARD_INDEX);
	ck_assert_int_eq(format_hint("tf_model.h5.index.json"), WLK_FORMAT_SHARD_INDEX);
	ck_assert_int_eq(format_hint("flax_model.msgpack.index.json"), WLK_FORMAT_SHARD_INDEX);
	ck_assert_int_ne(format_hint("tokens.txt.index.json"), WLK_FORMAT_SHARD_INDEX);
	ck_assert_int_eq(format_hint("model.safetensors.index.json.safetensors"), WLK_FORMAT_SAFETENSORS);
}
END_TEST

static void number_is(const char *name, const char *stem, uint32_t number, uint32_t total, const char *rest, bool plain)
{
	struct shard_number n;

	ck_assert_msg(shard_number_parse(bytes_of_text(name), &n), "%s", name);
	ck_assert_msg(
	    is(n.stem, stem) && is(n.rest, rest) && n.number == number && n.total == total && n.plain == plain,
	    "%s: %u of %u", name, n.number, n.total);
}

START_TEST(test_numbers_in_names)
{
	static const char *const others[] = { "", "-", "model.safetensors", "model-1-of-2.safetensors",
		"model-0001-of-00002.safetensors", "model-00001-of-0002.safetensors", "model00001-of-00002.safetensors",
		"model-00001-of00002.safetensors", "model-00001_of_00002.safetensors", "model-00001-of-",
		"model-0000000001-of-00002.safetensors", "model-00001-of-0000000002" };
	struct shard_number n;

	number_is("model-00001-of-00002.safetensors", "model", 1, 2, ".safetensors", true);
	number_is("model_00001-of-00002.safetensors", "model", 1, 2, ".safetensors", false);
	number_is("model-00001-of-000163.safetensors", "model", 1, 163, ".safetensors", false);
	number_is("model.fp16-99999-of-99999.gguf", "model.fp16", 99999, 99999, ".gguf", true);
	number_is("m-00001-of-00002.fp16.safetensors", "m", 1, 2, ".fp16.safetensors", true);
	number_is("a-00001-of-00009-00002-of-00003", "a-00001-of-00009", 2, 3, "", true);
	number_is("m-999999999-of-999999999", "m", 999999999, 999999999, "", false);
	number_is("-00000-of-00000", "", 0, 0, "", true);
	for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++)
		ck_assert_msg(!shard_number_parse(bytes_of_text(others[k]), &n), "%s", others[k]);
}
END_TEST

START_TEST(test_extensions_and_folding)
{
	ck_assert(is(name_extension(bytes_of_text("a.b.c")), "c"));
	ck_assert(is(name_extension(bytes_of_text("a.")), ""));
	ck_assert(is(name_extension(bytes_of_text("a")), ""));
	ck_assert(is(name_extension(bytes_of_text("")), ""));
	ck_assert(name_equal_folded(bytes_of_text("aZ-[9"), bytes_of_text("Az-[9")));
	ck_assert(!name_equal_folded(bytes_of_text("a@"), bytes_of_text("a`"))); /* a bit apart, as letters are */
	ck_assert(!name_equal_folded(bytes_of_text("a"), bytes_of_text("ab")));
}
END_TEST

HARNESS("shard_names", test_names_of_indexes, test_hints_go_by_the_family, test_numbers_in_names,
    test_extensions_and_folding)
