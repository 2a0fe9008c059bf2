/* The rules of the safetensors sheet, each with the last value it accepts and the first it refuses. */
#include <stdarg.h>
#include <stdio.h>

#include "harness.h"
#include "memory_scan.h"
#include "safetensors.h"
#include "safetensors_file.h"

/* Scan a header's text with data_n zero bytes behind it, under these limits. */
static struct facts *scan_limited(const char *header, size_t data_n, struct limits limits)
{
	struct st_file f = st_file(header, data_n);
	struct job job = memory_job(f.n);
	struct facts *facts;

	job.limits = limits;
	facts = memory_scan_job(f.at, f.n, &job);
	free(f.at);
	return facts;
}

static struct facts *scan(const char *header, size_t data_n)
{
	return scan_limited(header, data_n, (struct limits)LIMITS_DEFAULT);
}

static size_t kinds(const struct facts *f)
{
	size_t n = 0;

	for (int i = 0; i < WLK_N_FINDINGS; i++)
		n += f->per_code[i] > 0;
	return n;
}

static void is_clean(const char *header, size_t data_n)
{
	struct facts *f = scan(header, data_n);

	ck_assert_msg(kinds(f) == 0 && f->final.complete, "%s", header);
	facts_free(f);
}

/* These codes, nothing else, and a scan that is complete or not. */
static void has(const char *header, size_t data_n, bool complete, size_t n, const enum wlk_finding *codes)
{
	struct facts *f = scan(header, data_n);

	for (size_t i = 0; i < n; i++)
		ck_assert_msg(f->per_code[codes[i]] > 0, "%s: not %s", header, finding_info(codes[i])->code);
	for (int i = 0; kinds(f) != n && i < WLK_N_FINDINGS; i++)
		ck_assert_msg(f->per_code[i] == 0 || n == 0, "%s: also %s", header, finding_info(i)->code);
	ck_assert_uint_eq(kinds(f), n);
	ck_assert_msg(f->final.complete == complete, "%s", header);
	ck_assert(f->final.has_digest);
	facts_free(f);
}

#define HAS(header, data_n, complete, ...)                                                 \
	do {                                                                               \
		const enum wlk_finding codes_[] = { __VA_ARGS__ };                         \
                                                                                           \
		has(header, data_n, complete, sizeof(codes_) / sizeof(codes_[0]), codes_); \
	} while (0)

#define ENTRY(dtype, shape, offsets) "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"
#define ONE(dtype, shape, offsets) "{\"a\":" ENTRY(dtype, shape, offsets) "}"

START_TEST(test_prefix_must_be_there_and_fit_the_file)
{
	const uint8_t seven[7] = { 2 }, exact[10] = { 2, 0, 0, 0, 0, 0, 0, 0, '{', '}' };
	struct facts *f = memory_scan(seven, 7);

	ck_assert_uint_eq(f->per_code[WLK_F_ST_FILE_TOO_SHORT], 1);
	ck_assert(!f->final.complete && f->final.has_digest);
	facts_free(f);
	f = memory_scan(exact, 10);
	ck_assert(f->final.complete && kinds(f) == 0);
	facts_free(f);
	f = memory_scan(exact, 9);
	ck_assert_uint_eq(f->per_code[WLK_F_ST_HEADER_PAST_EOF], 1);
	ck_assert(!f->final.complete);
	facts_free(f);
}
END_TEST

START_TEST(test_header_limit_is_the_formats_and_may_be_lowered)
{
	struct limits limits = LIMITS_DEFAULT;
	uint8_t prefix[16] = { 0 };
	struct facts *f;

	store_u64le(prefix, SAFETENSORS_HEADER_MAX);
	f = memory_scan(prefix, sizeof(prefix));
	ck_assert_uint_eq(f->per_code[WLK_F_ST_HEADER_PAST_EOF], 1);
	facts_free(f);
	store_u64le(prefix, SAFETENSORS_HEADER_MAX + 1);
	f = memory_scan(prefix, sizeof(prefix));
	ck_assert_uint_eq(f->per_code[WLK_F_ST_HEADER_TOO_LARGE], 1);
	facts_free(f);
	limits.header_bytes = 8;
	f = scan_limited("{      }", 0, limits);
	ck_assert(f->final.complete && kinds(f) == 0);
	facts_free(f);
	f = scan_limited("{       }", 0, limits);
	ck_assert_uint_eq(f->per_code[WLK_F_ST_HEADER_TOO_LARGE], 1);
	facts_free(f);
}
END_TEST

START_TEST(test_tensor_limit)
{
	struct limits limits = LIMITS_DEFAULT;
	const char *header = "{\"a\":" ENTRY("U8", "[0]", "[0,0]") ",\"b\":" ENTRY("U8", "[0]", "[0,0]") "}";
	struct facts *f;

	limits.tensors = 2;
	f = scan_limited(header, 0, limits);
	ck_assert(f->final.complete && kinds(f) == 0);
	ck_assert_uint_eq(f->final.totals.tensors, 2);
	facts_free(f);
	limits.tensors = 1;
	f = scan_limited(header, 0, limits);
	ck_assert_uint_eq(f->per_code[WLK_F_LIMIT_TENSORS], 1);
	ck_assert_uint_eq(kinds(f), 1);
	ck_assert(!f->final.complete);
	facts_free(f);
}
END_TEST

START_TEST(test_metadata_limit_counts_all_blocks)
{
	struct limits limits = LIMITS_DEFAULT;
	struct facts *f;

	limits.metadata_keys = 2;
	f = scan_limited("{\"__metadata__\":{\"a\":\"\",\"b\":\"\"}}", 0, limits);
	ck_assert(f->final.complete && kinds(f) == 0);
	ck_assert_uint_eq(memory_fact(f, WLK_FACT_METADATA_KEYS)->value.number, 2);
	ck_assert_uint_eq(memory_fact(f, WLK_FACT_HEADER_BYTES)->value.number, 32);
	facts_free(f);
	f = scan_limited("{\"__metadata__\":{\"a\":\"\",\"b\":\"\",\"c\":\"\"}}", 0, limits);
	ck_assert_uint_eq(f->per_code[WLK_F_LIMIT_METADATA_KEYS], 1);
	ck_assert(!f->final.complete);
	facts_free(f);
	f = scan_limited("{\"__metadata__\":{\"a\":\"\",\"b\":\"\"},\"__metadata__\":{\"c\":\"\"}}", 0, limits);
	ck_assert_uint_eq(f->per_code[WLK_F_LIMIT_METADATA_KEYS], 1);
	facts_free(f);
}
END_TEST

START_TEST(test_what_the_reference_forgives_is_reported_and_read_on)
{
	HAS(" " ONE("F32", "[2]", "[0,8]"), 8, true, WLK_F_ST_HEADER_START);
	HAS(ONE("F32", "[2]", "[0,8]") " \n ", 8, true, WLK_F_ST_HEADER_PADDING);
	HAS("{\"a\":" ENTRY("F32", "[2]", "[0,8]") ",\"\\u0061\":" ENTRY("F32", "[2]", "[0,8]") "}", 8, false,
	    WLK_F_ST_DUPLICATE_TENSOR);
	HAS("{\"__metadata__\":{\"k\":\"1\",\"\\u006b\":\"2\"}}", 0, true, WLK_F_ST_DUPLICATE_METADATA_KEY);
	HAS("{\"__metadata__\":null}", 0, true, WLK_F_ST_METADATA_NULL);
	HAS("{\"a\":[\"F32\",[2],[0,8]]}", 8, true, WLK_F_ST_FIELD_TYPE);
	HAS("{\"a\":{\"dtype\":{\"F32\":null},\"shape\":[2],\"data_offsets\":[0,8]}}", 8, true, WLK_F_ST_FIELD_TYPE);
	HAS("{\"a\":{\"x\":[{}],\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, true,
	    WLK_F_ST_UNKNOWN_FIELD);
	HAS(ONE("U8", "[0,9007199254740993]", "[0,0]"), 0, true, WLK_F_ST_INTEGER_RANGE);
	HAS("{\"\":" ENTRY("U8", "[1]", "[0,1]") "}", 1, true, WLK_F_ST_TENSOR_NAME_EMPTY);
}
END_TEST

START_TEST(test_weights_behind_a_forgiven_header_are_examined)
{
	const char *headers[] = { "\t" ONE("F32", "[1]", "[0,4]"), "{\"a\":[\"F32\",[1],[0,4]]}",
		"{\"a\":{\"dtype\":{\"F32\":null},\"shape\":[1],\"data_offsets\":[0,4]}}",
		"{\"a\":" ENTRY("U8", "[4]", "[0,4]") ",\"a\":" ENTRY("F32", "[1]", "[0,4]") "}" };

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		struct st_file file = st_file(headers[i], 4);
		struct facts *f;

		memcpy(file.at + file.n - 4, "\xFF\xFF\xFF\xFF", 4);
		f = memory_scan(file.at, file.n);
		ck_assert_msg(f->final.totals.nan == 1, "%s", headers[i]);
		facts_free(f);
		free(file.at);
	}
}
END_TEST

START_TEST(test_what_no_loader_reads_ends_incomplete_but_hashed)
{
	HAS("{\"a\":" ENTRY("U8", "[1]", "[0,1]") ",}", 1, false, WLK_F_ST_JSON_SYNTAX);
	HAS("{\"\xFF\":0}", 0, false, WLK_F_ST_HEADER_UTF8);
	HAS("{\"\\ud800\":" ENTRY("U8", "[1]", "[0,1]") "}", 1, false, WLK_F_ST_JSON_SURROGATE);
	HAS("{} x", 0, false, WLK_F_ST_HEADER_PADDING, WLK_F_ST_JSON_SYNTAX);
	HAS("{}\n\nx", 0, false, WLK_F_ST_HEADER_PADDING, WLK_F_ST_JSON_SYNTAX);
	HAS("  ", 0, false, WLK_F_ST_HEADER_START, WLK_F_ST_JSON_SYNTAX);
	HAS("[]", 0, false, WLK_F_ST_HEADER_START, WLK_F_ST_JSON_SYNTAX);
}
END_TEST

START_TEST(test_all_independent_faults_are_told_at_once)
{
	HAS("{\"a\":" ENTRY("F99", "[1]", "[0,4]") ",\"b\":" ENTRY("F32", "[-1]", "[4,8]") ",\"c\":" ENTRY("F32", "[3]",
		"[8,16]") ",\"d\":{\"dtype\":\"U8\",\"shape\":[1]},\"../e\":" ENTRY("U8", "[1]", "[16,17]") "}\t",
	    17, false, WLK_F_ST_UNKNOWN_DTYPE, WLK_F_ST_INTEGER_NEGATIVE, WLK_F_ST_SIZE_MISMATCH,
	    WLK_F_ST_MISSING_FIELD, WLK_F_ST_TENSOR_NAME_PATH, WLK_F_ST_HEADER_PADDING);
}
END_TEST

/* Bytes without an owner prove nothing while an entry does not say what it owns. */
START_TEST(test_unreadable_range_invents_no_hole_and_no_trailing_bytes)
{
	HAS("{\"a\":" ENTRY("U8", "[4]", "[\"0\",4]") ",\"b\":" ENTRY("U8", "[4]", "[4,8]") "}", 8, false,
	    WLK_F_ST_FIELD_TYPE);
	HAS("{\"a\":" ENTRY("U8", "[4]", "[0,4]") ",\"b\":" ENTRY("U8", "[4]", "[8,4]") "}", 8, false,
	    WLK_F_ST_OFFSETS_ORDER);
}
END_TEST

/* A range that can be read owns its bytes, whatever is wrong with the rest of its entry. */
START_TEST(test_readable_range_of_a_bad_entry_is_no_hole)
{
	HAS("{\"a\":" ENTRY("F99", "[4]", "[0,4]") ",\"b\":" ENTRY("U8", "[4]", "[4,8]") "}", 8, false,
	    WLK_F_ST_UNKNOWN_DTYPE);
	HAS("{\"a\":" ENTRY("U8", "[3]", "[0,4]") ",\"b\":" ENTRY("U8", "[4]", "[4,8]") "}", 8, false,
	    WLK_F_ST_SIZE_MISMATCH);
}
END_TEST

/* Nobody knows what the elements are, so none is examined: neither of a tensor whose size is wrong, nor behind a header
 * that ends early. */
START_TEST(test_elements_nobody_understands_are_not_counted)
{
	const char *const headers[] = { ONE("F32", "[2]", "[0,4]"), "{\"a\":" ENTRY("F32", "[1]", "[0,4]") ",}" };

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		struct st_file file = st_file(headers[i], 4);
		struct facts *f;

		memset(file.at + file.n - 4, 0xFF, 4);
		f = memory_scan(file.at, file.n);
		ck_assert_uint_eq(f->final.totals.elements, 0);
		ck_assert_uint_eq(f->final.totals.nan, 0);
		facts_free(f);
		free(file.at);
	}
}
END_TEST

START_TEST(test_bad_utf8_and_bad_syntax_are_told_at_their_byte)
{
	struct facts *f = scan("{\"abc\xFF\":0}", 0);

	ck_assert_int_eq(f->findings[0].code, WLK_F_ST_HEADER_UTF8);
	ck_assert_uint_eq(f->findings[0].offset, 8 + 5);
	facts_free(f);
	f = scan("{\"a\":{},}", 0);
	ck_assert_int_eq(f->findings[f->n_findings - 1].code, WLK_F_ST_JSON_SYNTAX);
	ck_assert_uint_eq(f->findings[f->n_findings - 1].offset, 8 + 8);
	facts_free(f);
}
END_TEST

START_TEST(test_coverage)
{
	is_clean(ONE("U8", "[4]", "[0,4]"), 4);
	HAS(ONE("U8", "[4]", "[0,4]"), 5, false, WLK_F_ST_DATA_TRAILING);
	HAS(ONE("U8", "[4]", "[1,5]"), 5, false, WLK_F_ST_DATA_HOLE);
	HAS("{\"a\":" ENTRY("U8", "[4]", "[0,4]") ",\"b\":" ENTRY("U8", "[4]", "[3,7]") "}", 7, false,
	    WLK_F_ST_DATA_OVERLAP);
	HAS(ONE("U8", "[4]", "[0,4]"), 4 - 4, false, WLK_F_ST_OFFSETS_OUT_OF_BOUNDS);
	HAS(ONE("U8", "[0]", "[18446744073709551615,18446744073709551615]"), 0, false, WLK_F_ST_INTEGER_RANGE,
	    WLK_F_ST_OFFSETS_OUT_OF_BOUNDS);
}
END_TEST

START_TEST(test_integers)
{
	is_clean(ONE("U8", "[9007199254740991,0]", "[0,0]"), 0);
	HAS(ONE("U8", "[9007199254740992,0]", "[0,0]"), 0, true, WLK_F_ST_INTEGER_RANGE);
	HAS(ONE("U8", "[18446744073709551616,0]", "[0,0]"), 0, false, WLK_F_ST_INTEGER_RANGE);
	HAS(ONE("U8", "[-0]", "[0,0]"), 0, false, WLK_F_ST_INTEGER_NEGATIVE);
	HAS(ONE("U8", "[0.0]", "[0,0]"), 0, false, WLK_F_ST_INTEGER_FORMAT);
	HAS(ONE("U8", "[0e0]", "[0,0]"), 0, false, WLK_F_ST_INTEGER_FORMAT);
	HAS(ONE("U8", "[00]", "[0,0]"), 0, false, WLK_F_ST_JSON_SYNTAX);
	HAS(ONE("U8", "[null]", "[0,0]"), 0, false, WLK_F_ST_FIELD_TYPE);
}
END_TEST

START_TEST(test_shape_product_in_bits_must_fit_whatever_the_order)
{
	is_clean(ONE("U8", "[0,2251799813685248,1023]", "[0,0]"), 0); /* 2^51 * 1023 * 8 < 2^64 */
	HAS(ONE("U8", "[0,2251799813685248,1024]", "[0,0]"), 0, true, WLK_F_ST_SHAPE_OVERFLOW);
	HAS(ONE("U8", "[2251799813685248,0,1024]", "[0,0]"), 0, true, WLK_F_ST_SHAPE_OVERFLOW);
	HAS(ONE("U8", "[2251799813685248,1024,0]", "[0,0]"), 0, true, WLK_F_ST_SHAPE_OVERFLOW);
	HAS(ONE("U8", "[4294967296,4294967296]", "[0,0]"), 0, false, WLK_F_ST_SHAPE_OVERFLOW);
}
END_TEST

/* What the reference loads, which multiplies in order, is told apart: policy `reference` asks for it. */
START_TEST(test_overflow_behind_a_zero_is_told_apart)
{
	const char *const behind[] = { "[0,4294967296,4294967296]", "[4294967296,0,4294967296]" };
	const char *const before[] = { "[4294967296,4294967296,0]", "[4294967296,4294967296]" };

	for (size_t i = 0; i < 4; i++) {
		char header[200];
		struct facts *f;

		snprintf(header, sizeof(header), "{\"a\":{\"dtype\":\"U8\",\"shape\":%s,\"data_offsets\":[0,0]}}",
		    i < 2 ? behind[i] : before[i - 2]);
		f = scan(header, 0);
		ck_assert_int_eq(f->findings[0].code, WLK_F_ST_SHAPE_OVERFLOW);
		ck_assert_msg((f->findings[0].found.kind == VALUE_TEXT) == (i < 2), "%s", header);
		facts_free(f);
	}
}
END_TEST

START_TEST(test_every_dtype_and_its_size)
{
	static const struct {
		const char *name;
		size_t elements, bytes;
	} dtypes[] = { { "F4", 2, 1 }, { "F6_E2M3", 4, 3 }, { "F6_E3M2", 4, 3 }, { "BOOL", 1, 1 }, { "U8", 1, 1 },
		{ "I8", 1, 1 }, { "F8_E5M2", 1, 1 }, { "F8_E4M3", 1, 1 }, { "F8_E8M0", 1, 1 }, { "F8_E4M3FNUZ", 1, 1 },
		{ "F8_E5M2FNUZ", 1, 1 }, { "I16", 1, 2 }, { "U16", 1, 2 }, { "F16", 1, 2 }, { "BF16", 1, 2 },
		{ "I32", 1, 4 }, { "U32", 1, 4 }, { "F32", 1, 4 }, { "I64", 1, 8 }, { "U64", 1, 8 }, { "F64", 1, 8 },
		{ "C64", 1, 8 } };
	enum wlk_finding mismatch = WLK_F_ST_SIZE_MISMATCH;
	char header[200];

	ck_assert_uint_eq(sizeof(dtypes) / sizeof(dtypes[0]), WLK_DTYPE_C64);
	for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++)
		for (size_t extra = 0; extra < 2; extra++) {
			snprintf(header, sizeof(header),
			    "{\"a\":{\"dtype\":\"%s\",\"shape\":[%zu],\"data_offsets\":[0,%zu]}}", dtypes[i].name,
			    dtypes[i].elements, dtypes[i].bytes + extra);
			has(header, dtypes[i].bytes + extra, extra == 0, extra, &mismatch);
		}
	HAS(ONE("none", "[1]", "[0,1]"), 1, false, WLK_F_ST_UNKNOWN_DTYPE);
	HAS(ONE("", "[1]", "[0,1]"), 1, false, WLK_F_ST_UNKNOWN_DTYPE);
	HAS(ONE("C32", "[1]", "[0,4]"), 4, false, WLK_F_ST_UNKNOWN_DTYPE); /* other formats have it */
	HAS(ONE("F4", "[1]", "[0,1]"), 1, false, WLK_F_ST_SUBBYTE_MISALIGNED);
}
END_TEST

START_TEST(test_rank_and_name_limits)
{
	char header[4000], name[1026], shape[200];
	enum wlk_finding rank = WLK_F_ST_RANK_TOO_LARGE, length = WLK_F_ST_TENSOR_NAME_LONG;

	for (size_t extra = 0; extra < 2; extra++) {
		size_t n = SAFETENSORS_RANK_MAX + extra;

		for (size_t i = 0; i < n; i++)
			memcpy(shape + 2 * i, "1,", 2);
		shape[2 * n - 1] = 0;
		snprintf(
		    header, sizeof(header), "{\"a\":{\"dtype\":\"U8\",\"shape\":[%s],\"data_offsets\":[0,1]}}", shape);
		has(header, 1, true, extra, &rank);
		memset(name, 'n', sizeof(name));
		name[SAFETENSORS_NAME_MAX + extra] = 0;
		snprintf(
		    header, sizeof(header), "{\"%s\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}", name);
		has(header, 1, true, extra, &length);
	}
}
END_TEST

START_TEST(test_findings_name_the_tensor_decoded_and_the_offset)
{
	const char *header = "{\"\\u0061\\n\":" ENTRY("U8", "[4]", "[0,4]") "}";
	struct facts *f = scan(header, 4);

	ck_assert_uint_eq(f->n_findings, 1);
	ck_assert_int_eq(f->findings[0].code, WLK_F_ST_TENSOR_NAME_CONTROL);
	ck_assert(bytes_equal(f->findings[0].subject, bytes_of_text("a\n")));
	ck_assert_uint_eq(f->findings[0].offset, 8 + 2);
	facts_free(f);
	f = scan(ONE("F31", "[1]", "[0,4]"), 4);
	ck_assert_int_eq(f->findings[0].code, WLK_F_ST_UNKNOWN_DTYPE);
	ck_assert(bytes_equal(f->findings[0].found.text, bytes_of_text("F31")));
	facts_free(f);
}
END_TEST

START_TEST(test_more_than_a_hundred_of_a_code_are_counted)
{
	static char header[200 * 80];
	size_t n = 1;
	struct facts *f;

	header[0] = '{';
	for (unsigned i = 0; i < 150; i++)
		n += (size_t)snprintf(header + n, sizeof(header) - n, "%s\"%u\":0", i ? "," : "", i);
	header[n++] = '}';
	header[n] = 0;
	f = scan(header, 0);
	ck_assert_uint_eq(f->per_code[WLK_F_ST_FIELD_TYPE], 150);
	ck_assert_uint_eq(f->n_findings, REPORT_PER_CODE_MAX);
	facts_free(f);
}
END_TEST

HARNESS("safetensors", test_prefix_must_be_there_and_fit_the_file, test_header_limit_is_the_formats_and_may_be_lowered,
    test_tensor_limit, test_metadata_limit_counts_all_blocks, test_what_the_reference_forgives_is_reported_and_read_on,
    test_weights_behind_a_forgiven_header_are_examined, test_what_no_loader_reads_ends_incomplete_but_hashed,
    test_all_independent_faults_are_told_at_once, test_unreadable_range_invents_no_hole_and_no_trailing_bytes,
    test_readable_range_of_a_bad_entry_is_no_hole, test_elements_nobody_understands_are_not_counted,
    test_bad_utf8_and_bad_syntax_are_told_at_their_byte, test_coverage, test_integers,
    test_shape_product_in_bits_must_fit_whatever_the_order, test_overflow_behind_a_zero_is_told_apart,
    test_every_dtype_and_its_size, test_rank_and_name_limits, test_findings_name_the_tensor_decoded_and_the_offset,
    test_more_than_a_hundred_of_a_code_are_counted)
