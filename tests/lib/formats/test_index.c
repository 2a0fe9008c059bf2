/* lib/formats/safetensors/index*.c: formats/safetensors-index, sections 2, 3, 7 and 9.  Whole files; the corpus has more of them. */
#include <time.h>

#include "harness.h"
#include "index.h"
#include "index_shards.h"
#include "memory_rows.h"

static struct facts *judge_as(const char *text, size_t n, enum wlk_format_id hint)
{
	struct job job = { .size = n, .kind = SOURCE_IMMUTABLE, .hint = hint, .limits = LIMITS_DEFAULT };

	return memory_scan_job(text, n, &job);
}

static struct facts *judge(const char *text)
{
	return judge_as(text, strlen(text), WLK_FORMAT_UNKNOWN);
}

#define MAP "\"weight_map\":{\"a\":\"m-00001-of-00002.safetensors\",\"b\":\"m-00002-of-00002.safetensors\"}"

/* Nothing but that the shards were not looked at. */
static void is_fine(const char *text)
{
	struct facts *f = judge(text);

	ck_assert_msg(f->n_findings == 1 && f->per_code[WLK_F_INDEX_UNCHECKED] == 1 && f->final.complete, "%s", text);
	ck_assert_int_eq(f->final.format, WLK_FORMAT_SAFETENSORS_INDEX);
	facts_free(f);
}

START_TEST(test_content_makes_an_index_whatever_its_name)
{
	is_fine("{" MAP "}");
	is_fine(" \n{\"metadata\":{}," MAP "}\r\n");
}
END_TEST

START_TEST(test_other_json_is_no_index)
{
	static const char *const others[] = { "{}", "{\"metadata\":{\"weight_map\":{}}}", "[\"weight_map\"]",
		"{\"a\":\"weight_map\"}", "{\"weight_maps\":{}}", "{\"architectures\":[\"X\"],\"hidden_size\":8}",
		"\"weight_map\"", "{\"weight_map" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct facts *f = judge(others[i]);

		ck_assert_msg(
		    f->final.format != WLK_FORMAT_SAFETENSORS_INDEX && f->final.format != WLK_FORMAT_SHARD_INDEX, "%s",
		    others[i]);
		facts_free(f);
	}
}
END_TEST

/* The probe sees 4 KiB; what comes later is looked for when nobody else knows the file. */
START_TEST(test_the_map_may_come_late)
{
	static char text[100000];
	int n = snprintf(text, sizeof(text), "{\"metadata\":{\"note\":\"%090000d\"}," MAP "}", 0);
	struct facts *f = judge_as(text, (size_t)n, WLK_FORMAT_UNKNOWN);

	ck_assert_int_eq(f->final.format, WLK_FORMAT_SAFETENSORS_INDEX);
	ck_assert(f->final.complete);
	facts_free(f);
	memcpy(strstr(text, "weight_map"), "weight_mop", 10);
	f = judge_as(text, (size_t)n, WLK_FORMAT_UNKNOWN);
	ck_assert_int_eq(f->final.format, WLK_FORMAT_JSON);
	facts_free(f);
}
END_TEST

START_TEST(test_the_family_is_that_of_the_shards_unless_the_name_says_it)
{
	static const char bins[] = "{\"weight_map\":{\"a\":\"m-00001-of-00002.bin\",\"b\":\"m-00002-of-00002.bin\"}}";
	struct facts *f = judge(bins);

	ck_assert_int_eq(f->final.format, WLK_FORMAT_SHARD_INDEX);
	ck_assert_uint_eq(f->per_code[WLK_F_INDEX_SHARD_EXTENSION], 0);
	facts_free(f);
	f = judge_as(bins, sizeof(bins) - 1, WLK_FORMAT_SAFETENSORS_INDEX);
	ck_assert_int_eq(f->final.format, WLK_FORMAT_SAFETENSORS_INDEX);
	ck_assert_uint_eq(f->per_code[WLK_F_INDEX_SHARD_EXTENSION], 2);
	facts_free(f);
}
END_TEST

START_TEST(test_names_of_shards)
{
	static const struct {
		const char *name;
		enum shard_name is;
	} cases[] = { { "model.safetensors", SHARD_NAME_PLAIN }, { "A-z_0.9", SHARD_NAME_PLAIN },
		{ "a..b", SHARD_NAME_PLAIN }, { "", SHARD_NAME_ODD }, { ".", SHARD_NAME_ODD }, { ".a", SHARD_NAME_ODD },
		{ "a b", SHARD_NAME_ODD }, { "a\x7f", SHARD_NAME_ODD }, { "a%", SHARD_NAME_ODD },
		{ "a%2", SHARD_NAME_ODD }, { "a%2a", SHARD_NAME_ODD }, { "..", SHARD_NAME_LEAVES },
		{ "/", SHARD_NAME_LEAVES }, { "a/b", SHARD_NAME_LEAVES }, { "a\\b", SHARD_NAME_LEAVES },
		{ "c:a", SHARD_NAME_LEAVES }, { "%2e%2e", SHARD_NAME_LEAVES }, { "a%2Fb", SHARD_NAME_LEAVES },
		{ "a%5cb", SHARD_NAME_LEAVES } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(index_shard_name(bytes_of_text(cases[i].name)) == cases[i].is, "%s", cases[i].name);
}
END_TEST

static void total_is(const char *number, bool known, uint64_t value, enum wlk_finding code, uint64_t times)
{
	char text[512];
	struct facts *f;
	const struct fact *fact;

	snprintf(text, sizeof(text), "{\"metadata\":{\"total_size\":%s}," MAP "}", number);
	f = judge(text);
	fact = memory_fact(f, WLK_FACT_INDEX_TOTAL_SIZE);
	ck_assert_msg((fact != NULL) == known && (!known || fact->value.number == value), "%s", number);
	ck_assert_msg(f->per_code[code] == times, "%s", number);
	facts_free(f);
}

START_TEST(test_totals)
{
	total_is("24", true, 24, WLK_F_INDEX_NUMBER_FORM, 0);
	total_is("24.0", true, 24, WLK_F_INDEX_NUMBER_FORM, 1);
	total_is("24.000", true, 24, WLK_F_INDEX_NUMBER_FORM, 1);
	total_is("24.5", false, 0, WLK_F_INDEX_NUMBER_FORM, 1);
	total_is("2.4e1", false, 0, WLK_F_INDEX_NUMBER_FORM, 1);
	total_is("0", true, 0, WLK_F_INDEX_NUMBER_FORM, 1);
	total_is("9007199254740991", true, 9007199254740991, WLK_F_INDEX_METADATA, 0);
	total_is("9007199254740992", true, 9007199254740992, WLK_F_INDEX_METADATA, 1);
	total_is("18446744073709551616", false, 0, WLK_F_INDEX_METADATA, 1);
	total_is("-1", false, 0, WLK_F_INDEX_METADATA, 1);
	total_is("null", false, 0, WLK_F_INDEX_METADATA, 1);
	total_is("1,\"total_size\":2", true, 1, WLK_F_INDEX_KEY_DUPLICATE, 1);
}
END_TEST

START_TEST(test_depth_has_a_last_level)
{
	struct facts *f = judge("{\"metadata\":{\"x\":[{}]}," MAP "}");

	ck_assert_uint_eq(f->per_code[WLK_F_INDEX_JSON_DEPTH], 0);
	facts_free(f);
	f = judge("{\"metadata\":{\"x\":[{\"y\":[]}]}," MAP "}");
	ck_assert_uint_eq(f->per_code[WLK_F_INDEX_JSON_DEPTH], 1);
	ck_assert(!f->final.complete);
	facts_free(f);
}
END_TEST

START_TEST(test_rows_say_which_tensor_is_where)
{
	static const char text[] = "{\"weight_map\":{\"\\u0061\":\"m\\u002dx.safetensors\",\"b\":\"y.safetensors\"}}";
	struct job job = memory_job(sizeof(text) - 1);
	struct memory_rows rows;
	struct facts *f = memory_scan_rows(text, sizeof(text) - 1, &job, &rows);

	ck_assert_uint_eq(rows.n, 2);
	ck_assert_int_eq(rows.list[0].row.kind, MANIFEST_MAPPING);
	ck_assert(bytes_equal(rows.list[0].row.name, bytes_of_text("a")) && rows.list[0].row.name_bytes == 1);
	ck_assert(bytes_equal(rows.list[0].row.file, bytes_of_text("m-x.safetensors")));
	ck_assert(bytes_equal(rows.list[1].row.file, bytes_of_text("y.safetensors")) && rows.list[1].row.index == 1);
	ck_assert(f->final.complete);
	facts_free(f);
	memory_rows_free(&rows);
}
END_TEST

/* n entries, in ten shards or in one each. */
static char *large(unsigned n, bool own, size_t *ret_n)
{
	char *text = malloc((size_t)n * 100 + 100), *at = text;

	ck_assert_ptr_nonnull(text);
	at += sprintf(at, "{\"weight_map\":{");
	for (unsigned i = 0; i < n; i++)
		at += sprintf(
		    at, "%s\"layers.%u.mlp.weight\":\"m%u.safetensors\"", i > 0 ? "," : "", i, own ? i : i % 10);
	at += sprintf(at, "}}");
	*ret_n = (size_t)(at - text);
	return text;
}

static double time_large(unsigned n, bool own, struct facts **ret)
{
	size_t bytes;
	char *text = large(n, own, &bytes);
	clock_t begin = clock(), end;

	*ret = judge_as(text, bytes, WLK_FORMAT_SAFETENSORS_INDEX);
	end = clock();
	free(text);
	return (double)(end - begin) / CLOCKS_PER_SEC;
}

START_TEST(test_a_million_entries_are_read_in_linear_time)
{
	for (int own = 0; own < 2; own++) {
		struct facts *f;
		double small = time_large(100000, own, &f), most;

		ck_assert(f->final.complete);
		facts_free(f);
		most = time_large(1 << 20, own, &f);
		printf("# 10^5 entries: %.3f s, 2^20: %.3f s\n", small, most);
		ck_assert(f->final.complete && f->per_code[WLK_F_INDEX_WEIGHT_MAP] == 0);
		ck_assert_msg(most <= 25 * small + 0.1, "%.3f s, %.3f s", small, most);
		facts_free(f);
	}
}
END_TEST

START_TEST(test_one_entry_more_is_too_many)
{
	struct facts *f;

	time_large((1 << 20) + 1, false, &f);
	ck_assert_uint_eq(f->per_code[WLK_F_INDEX_WEIGHT_MAP], 1);
	ck_assert(!f->final.complete);
	facts_free(f);
}
END_TEST

HARNESS("index", test_content_makes_an_index_whatever_its_name, test_other_json_is_no_index, test_the_map_may_come_late,
    test_the_family_is_that_of_the_shards_unless_the_name_says_it, test_names_of_shards, test_totals,
    test_depth_has_a_last_level, test_rows_say_which_tensor_is_where, test_a_million_entries_are_read_in_linear_time,
    test_one_entry_more_is_too_many)
