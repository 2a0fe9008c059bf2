/* The manifest of small files: every tensor as its header has it, with the digest of its bytes; nothing when nobody asks;
 * and no claim to be all there is when it is not. */
#include "harness.h"

#include <stdio.h>

#include <openssl/evp.h>

#include "memory_rows.h"
#include "safetensors_file.h"

#define SHA256_OF_NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

struct scanned {
	struct facts *facts;
	struct memory_rows rows;
};

static struct scanned scan(const void *at, size_t n, enum wlk_format_id hint)
{
	struct scanned s;
	struct job job = memory_job(n);

	job.hint = hint;
	s.facts = memory_scan_rows(at, n, &job, &s.rows);
	ck_assert_int_ne(s.facts->final.cause, WLK_CAUSE_WORKER_PROTOCOL);
	ck_assert_uint_eq(s.rows.n_strays, 0);
	return s;
}

static struct scanned scan_header(const char *header, size_t data_n)
{
	struct st_file f = st_file(header, data_n);
	struct scanned s;

	for (size_t i = 0; i < data_n; i++)
		f.at[f.n - data_n + i] = (uint8_t)i;
	s = scan(f.at, f.n, WLK_FORMAT_SAFETENSORS);
	free(f.at);
	return s;
}

static void done(struct scanned *s)
{
	memory_rows_free(&s->rows);
	facts_free(s->facts);
}

static bool listed(const struct scanned *s)
{
	const struct fact *f = memory_fact(s->facts, WLK_FACT_TENSORS_LISTED);

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(f->value.kind, VALUE_FLAG);
	return f->value.number != 0;
}

/* NAME DTYPE [shape] begin-end, offsets counted from @base. */
static void check_row(const struct memory_row *row, uint64_t base, const char *expected)
{
	const struct manifest_row *r = &row->row;
	char text[512];
	int n = snprintf(text, sizeof(text), "%.*s %.*s [", (int)r->name.n, (const char *)r->name.at, (int)r->dtype.n,
	    (const char *)r->dtype.at);

	for (unsigned i = 0; i < r->rank; i++)
		n += snprintf(
		    text + n, sizeof(text) - (size_t)n, "%s%llu", i > 0 ? "," : "", (unsigned long long)r->shape[i]);
	snprintf(text + n, sizeof(text) - (size_t)n, "] %llu-%llu", (unsigned long long)(r->begin - base),
	    (unsigned long long)(r->end - base));
	ck_assert_str_eq(text, expected);
}

static void check_digest(const struct memory_row *row, const char *hex)
{
	char text[65];

	ck_assert_uint_eq(row->n_digests, 1);
	for (size_t i = 0; i < 32; i++)
		snprintf(text + 2 * i, 3, "%02x", row->sha256[i]);
	ck_assert_str_eq(text, hex);
}

/* Of the bytes first, first + 1, ... */
static void check_digest_of_count(const struct memory_row *row, uint8_t first, size_t n)
{
	uint8_t bytes[256], digest[32];

	for (size_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)(first + i);
	ck_assert_int_eq(EVP_Digest(bytes, n, digest, NULL, EVP_sha256(), NULL), 1);
	ck_assert_uint_eq(row->n_digests, 1);
	ck_assert_mem_eq(row->sha256, digest, sizeof(digest));
}

/* -- safetensors -- */

#define TWO                                                                  \
	"{\"b\":{\"dtype\":\"F16\",\"shape\":[2,3],\"data_offsets\":[8,20]}" \
	",\"a\\u0062\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[0,8]}}"

START_TEST(test_rows_stand_in_the_order_of_the_header)
{
	uint64_t base = 8 + strlen(TWO);
	struct scanned s = scan_header(TWO, 20);

	ck_assert_uint_eq(s.rows.n, 2);
	check_row(&s.rows.list[0], base, "b F16 [2,3] 8-20");
	check_row(&s.rows.list[1], base, "ab I64 [] 0-8");
	ck_assert_uint_eq(s.rows.list[0].row.index, 0);
	ck_assert_uint_eq(s.rows.list[1].row.index, 1);
	check_digest_of_count(&s.rows.list[0], 8, 12);
	check_digest_of_count(&s.rows.list[1], 0, 8);
	ck_assert(s.facts->final.complete && listed(&s));
	done(&s);
}
END_TEST

START_TEST(test_nothing_is_listed_unless_asked)
{
	struct st_file f = st_file(TWO, 20);
	struct memory_rows rows = { 0 };
	const struct manifest_sink sink = memory_rows_sink(&rows);
	struct facts *facts = facts_new();
	struct job job = memory_job(f.n);
	struct memory_report raw;

	memory_scan_raw(f.at, f.n, &job, &raw);
	facts_want_rows(facts, &sink);
	ck_assert(facts_feed(facts, raw.at, raw.n));
	ck_assert_ptr_null(memory_fact(facts, WLK_FACT_TENSORS_LISTED));
	ck_assert_uint_eq(rows.n + rows.n_strays, 0);
	free(raw.at);
	job.rows = true;
	memory_scan_raw(f.at, f.n, &job, &raw);
	facts_free(facts);
	facts = facts_new();
	facts_want_rows(facts, &sink);
	ck_assert(facts_feed(facts, raw.at, raw.n));
	ck_assert_uint_eq(rows.n, 2);
	ck_assert_uint_eq(rows.list[0].n_digests + rows.list[1].n_digests, 0);
	free(raw.at);
	memory_rows_free(&rows);
	facts_free(facts);
	free(f.at);
}
END_TEST

START_TEST(test_empty_tensors_have_the_digest_of_nothing)
{
	struct scanned s = scan_header("{\"a\":{\"dtype\":\"F32\",\"shape\":[0,7],\"data_offsets\":[0,0]},"
				       "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
				       "\"c\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[4,4]}}",
	    4);

	ck_assert_uint_eq(s.rows.n, 3);
	ck_assert_uint_eq(s.rows.list[0].row.rank, 2);
	ck_assert_uint_eq(s.rows.list[0].row.shape[1], 7);
	check_digest(&s.rows.list[0], SHA256_OF_NOTHING);
	check_digest_of_count(&s.rows.list[1], 0, 4);
	check_digest(&s.rows.list[2], SHA256_OF_NOTHING);
	ck_assert(listed(&s));
	done(&s);
}
END_TEST

START_TEST(test_name_given_twice_has_two_rows_and_one_digest)
{
	struct scanned s = scan_header("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
				       "\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,8]}}",
	    8);

	ck_assert_uint_eq(s.rows.n, 2);
	ck_assert_uint_eq(s.rows.list[0].n_digests, 0);
	check_digest_of_count(&s.rows.list[1], 4, 4);
	ck_assert(!listed(&s));
	done(&s);
}
END_TEST

START_TEST(test_overlapping_tensor_has_no_digest)
{
	struct scanned s = scan_header("{\"a\":{\"dtype\":\"U8\",\"shape\":[6],\"data_offsets\":[0,6]},"
				       "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,8]}}",
	    8);

	ck_assert_uint_eq(s.rows.n, 2);
	check_digest_of_count(&s.rows.list[0], 0, 6);
	ck_assert_uint_eq(s.rows.list[1].n_digests, 0);
	ck_assert(!listed(&s));
	done(&s);
}
END_TEST

/* Their findings say it all; a row that points nowhere would make the report malformed. */
START_TEST(test_tensors_outside_of_the_file_are_left_out)
{
	struct scanned s = scan_header("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
				       "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,8]},"
				       "\"c\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[8,4]},"
				       "\"d\":{\"dtype\":\"U8\",\"shape\":[1],"
				       "\"data_offsets\":[18446744073709551614,18446744073709551615]}}",
	    7);

	ck_assert_uint_eq(s.rows.n, 1);
	ck_assert(bytes_equal(s.rows.list[0].row.name, bytes_of_text("a")));
	ck_assert(!listed(&s));
	done(&s);
}
END_TEST

START_TEST(test_entry_without_shape_has_not_that_of_the_one_before)
{
	struct scanned s = scan_header("{\"a\":{\"dtype\":\"U8\",\"shape\":[2,2],\"data_offsets\":[0,4]},"
				       "\"b\":{\"dtype\":\"U8\",\"data_offsets\":[4,8]},"
				       "\"c\":{\"dtype\":\"U8\",\"shape\":[9],\"shape\":[4],\"data_offsets\":[8,12]}}",
	    12);

	ck_assert_uint_eq(s.rows.n, 3);
	ck_assert_uint_eq(s.rows.list[0].row.rank, 2);
	ck_assert_uint_eq(s.rows.list[1].row.rank, 0);
	ck_assert_uint_eq(s.rows.list[2].row.rank, 1);
	ck_assert_uint_eq(s.rows.list[2].row.shape[0], 4);
	done(&s);
}
END_TEST

START_TEST(test_long_names_are_cut_and_say_so)
{
	char header[MANIFEST_NAME_MAX + 200];
	struct scanned s;

	snprintf(header, sizeof(header), "{\"%0*d\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}",
	    (int)MANIFEST_NAME_MAX + 1, 0);
	s = scan_header(header, 1);
	ck_assert_uint_eq(s.rows.n, 1);
	ck_assert_uint_eq(s.rows.list[0].row.name.n, MANIFEST_NAME_MAX);
	ck_assert_uint_eq(s.rows.list[0].row.name_bytes, MANIFEST_NAME_MAX + 1);
	done(&s);
}
END_TEST

/* More tensors than a record of the report holds, in both directions. */
START_TEST(test_thousands_of_tensors_are_listed)
{
	enum { N = 5000 };
	size_t n = 0, room = N * 80;
	char *header = malloc(room);
	struct scanned s;

	for (unsigned i = 0; i < N; i++)
		n += (size_t)snprintf(header + n, room - n,
		    "%c\"t%u\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[%u,%u]}", i > 0 ? ',' : '{', i,
		    N - 1 - i, N - i);
	snprintf(header + n, room - n, "}");
	s = scan_header(header, N);
	ck_assert_uint_eq(s.rows.n, N);
	for (unsigned i = 0; i < N; i++) {
		ck_assert_uint_eq(s.rows.list[i].row.begin, 8 + strlen(header) + N - 1 - i);
		check_digest_of_count(&s.rows.list[i], (uint8_t)(N - 1 - i), 1);
	}
	ck_assert(listed(&s));
	done(&s);
	free(header);
}
END_TEST

/* -- NumPy -- */

/* Magic, header of 118 bytes, and the bytes 0, 1, ... */
static size_t array(uint8_t *buf, const char *descr, const char *shape, size_t n)
{
	char header[119];
	int used =
	    snprintf(header, sizeof(header), "{'descr': %s, 'fortran_order': False, 'shape': %s, }", descr, shape);

	ck_assert_int_lt(used, 117);
	memset(header + used, ' ', 117u - (size_t)used);
	header[117] = '\n';
	memcpy(buf, "\x93NUMPY\1\0\x76\0", 10);
	memcpy(buf + 10, header, 118);
	for (size_t i = 0; i < n; i++)
		buf[128 + i] = (uint8_t)i;
	return 128 + n;
}

static struct scanned scan_array(const char *descr, const char *shape, size_t n)
{
	uint8_t buf[512];

	return scan(buf, array(buf, descr, shape, n), WLK_FORMAT_NPY);
}

static void check_array(const char *descr, const char *shape, size_t n, const char *expected)
{
	struct scanned s = scan_array(descr, shape, n);

	ck_assert_uint_eq(s.rows.n, 1);
	check_row(&s.rows.list[0], 128, expected);
	check_digest_of_count(&s.rows.list[0], 0, n);
	ck_assert(listed(&s));
	done(&s);
}

START_TEST(test_arrays_are_listed)
{
	check_array("'<f4'", "(2, 3)", 24, "data F32 [2,3] 0-24");
	check_array("'>i2'", "()", 2, "data I16 [] 0-2");
	check_array("'|b1'", "(0, 5)", 0, "data BOOL [0,5] 0-0");
	check_array("'<U3'", "(2,)", 24, "data UCS4 [2,3] 0-24");
	check_array("'|S5'", "(3,)", 15, "data U8 [3,5] 0-15");
	check_array("'<U1'", "(2,)", 8, "data UCS4 [2] 0-8");
}
END_TEST

START_TEST(test_fields_of_records_are_listed)
{
	struct scanned s = scan_array("[('a', '<i4'), ('b', '<i2', (3,))]", "(2,)", 20);

	ck_assert_uint_eq(s.rows.n, 2);
	check_row(&s.rows.list[0], 128, "data.a I32 [2] 0-20");
	check_row(&s.rows.list[1], 128, "data.b I16 [2,3] 0-20");
	check_digest_of_count(&s.rows.list[0], 0, 20);
	check_digest_of_count(&s.rows.list[1], 0, 20);
	ck_assert(listed(&s));
	done(&s);
}
END_TEST

START_TEST(test_broken_array_is_not_listed)
{
	struct scanned s = scan_array("'<f4'", "(2, 3)", 23);

	ck_assert_uint_eq(s.rows.n, 0);
	ck_assert(!listed(&s));
	done(&s);
}
END_TEST

HARNESS("tensors", test_rows_stand_in_the_order_of_the_header, test_nothing_is_listed_unless_asked,
    test_empty_tensors_have_the_digest_of_nothing, test_name_given_twice_has_two_rows_and_one_digest,
    test_overlapping_tensor_has_no_digest, test_tensors_outside_of_the_file_are_left_out,
    test_entry_without_shape_has_not_that_of_the_one_before, test_long_names_are_cut_and_say_so,
    test_thousands_of_tensors_are_listed, test_arrays_are_listed, test_fields_of_records_are_listed,
    test_broken_array_is_not_listed)
