/* The deathtensors reader: what a corpus of files cannot say.  Every beginning of a file is refused, honest files made at
 * random are not, limits are where they are said to be, and the footer is checked for files that may change, too. */
#include <stdio.h>

#include <openssl/evp.h>

#include "checked.h"
#include "deathtensors.h"
#include "harness.h"
#include "memory_scan.h"

#define FLAG_FOOTER 2u
#define FOOTER 32u
#define PREFIX 24u

struct file {
	uint8_t *at;
	size_t n;
};

/* Prefix, header, padding, data and, if flagged, a right footer.  Free .at. */
static struct file file_of(const void *header, size_t header_n, const void *data, size_t data_n, uint32_t flags)
{
	size_t blob_at = (PREFIX + header_n + 7) / 8 * 8, footer = flags & FLAG_FOOTER ? FOOTER : 0;
	struct file f = { .n = blob_at + data_n + footer };

	f.at = calloc(1, f.n);
	ck_assert_ptr_nonnull(f.at);
	memcpy(f.at, "DTLEGION", 8);
	store_u32le(f.at + 8, 1);
	store_u32le(f.at + 12, flags);
	store_u64le(f.at + 16, header_n);
	memcpy(f.at + PREFIX, header, header_n);
	if (data_n > 0)
		memcpy(f.at + blob_at, data, data_n);
	if (footer > 0)
		ck_assert_int_eq(
		    EVP_Digest(f.at + PREFIX, f.n - FOOTER - PREFIX, f.at + f.n - FOOTER, NULL, EVP_sha256(), NULL), 1);
	return f;
}

static struct facts *scan_as(const struct file *f, enum source_kind kind, struct limits limits)
{
	struct job job = memory_job(f->n);

	job.hint = WLK_FORMAT_DEATHTENSORS;
	job.kind = kind;
	job.limits = limits;
	return memory_scan_job(f->at, f->n, &job);
}

static struct facts *scan(const struct file *f)
{
	return scan_as(f, SOURCE_IMMUTABLE, (struct limits)LIMITS_DEFAULT);
}

/* -- random, but the same each time -- */

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint64_t random_below(uint64_t *state, uint64_t n)
{
	return random_next(state) % n;
}

static const struct {
	const char *name;
	unsigned bytes;
} types[] = { { "BOOL", 1 }, { "U8", 1 }, { "I8", 1 }, { "U16", 2 }, { "I16", 2 }, { "F16", 2 }, { "BF16", 2 },
	{ "I32", 4 }, { "U32", 4 }, { "F32", 4 }, { "I64", 8 }, { "U64", 8 }, { "F64", 8 }, { "C64", 8 },
	{ "C128", 16 } };

struct text {
	char at[16384];
	size_t n;
};

#define PRINT(t, ...)                                                                             \
	do {                                                                                      \
		int printed_ = snprintf((t)->at + (t)->n, sizeof((t)->at) - (t)->n, __VA_ARGS__); \
                                                                                                  \
		ck_assert(printed_ >= 0 && (size_t)printed_ < sizeof((t)->at) - (t)->n);          \
		(t)->n += (size_t)printed_;                                                       \
	} while (0)

static const char *gap(uint64_t *seed)
{
	static const char *const gaps[] = { "", "", "", " ", "\n\t" };

	return gaps[random_below(seed, sizeof(gaps) / sizeof(gaps[0]))];
}

/* Return: bytes of data. */
static uint64_t print_shape(struct text *t, uint64_t *seed, unsigned element_bytes)
{
	uint64_t rank = random_below(seed, 5), elements = 1;

	PRINT(t, "[");
	for (uint64_t i = 0; i < rank; i++) {
		uint64_t dimension = random_below(seed, 6);

		elements *= dimension;
		PRINT(t, "%s%s%llu", i > 0 ? "," : "", gap(seed), (unsigned long long)dimension);
	}
	PRINT(t, "]");
	return elements * element_bytes;
}

static void print_entry(struct text *t, uint64_t *seed, uint64_t number, uint64_t *at)
{
	size_t type = random_below(seed, sizeof(types) / sizeof(types[0]));
	uint64_t begin = *at;

	PRINT(t, "%s\"layer.%llu.%s\":%s{\"dtype\":\"%s\",\"shape\":", gap(seed), (unsigned long long)number,
	    random_below(seed, 8) == 0 ? "\\u00e9\\ud83d\\ude00" : "weight", gap(seed), types[type].name);
	*at += print_shape(t, seed, types[type].bytes);
	PRINT(t, ",%s\"data_offsets\":[%llu,%llu]", gap(seed), (unsigned long long)begin, (unsigned long long)*at);
	if (random_below(seed, 3) == 0)
		PRINT(t, ",\"metadata\":{\"k\":\"v\\n\",\"l\":\"\"}");
	PRINT(t, "%s}", gap(seed));
}

/* Bytes of zero and one are finite weights of every type. */
static struct file random_file(uint64_t *seed)
{
	static struct text t;
	static uint8_t data[1 << 17];
	uint64_t n = random_below(seed, 12), at = 0;

	t.n = 0;
	PRINT(&t, "{%s\"format\":\"deathtensors\",%s\"format_version\":%s1", gap(seed), gap(seed), gap(seed));
	if (random_below(seed, 2) == 0)
		PRINT(&t, ",\"created_by\":\"a test\",\"global_metadata\":{%s}",
		    random_below(seed, 2) ? "\"a\":\"b\"" : "");
	PRINT(&t, ",\"tensors\":{");
	for (uint64_t i = 0; i < n; i++) {
		PRINT(&t, "%s", i > 0 ? "," : "");
		print_entry(&t, seed, i, &at);
	}
	PRINT(&t, "}%s}", gap(seed));
	ck_assert_uint_le(at, sizeof(data));
	for (uint64_t i = 0; i < at; i++)
		data[i] = (uint8_t)random_below(seed, 2);
	return file_of(t.at, t.n, data, at, random_below(seed, 2) ? FLAG_FOOTER : 0);
}

START_TEST(test_two_hundred_honest_files_are_accepted)
{
	uint64_t seed = 20261121;

	for (unsigned i = 0; i < 200; i++) {
		struct file f = random_file(&seed);
		struct facts *facts =
		    scan_as(&f, i % 2 ? SOURCE_MUTABLE : SOURCE_IMMUTABLE, (struct limits)LIMITS_DEFAULT);

		ck_assert_msg(facts->final.complete, "file %u is not complete", i);
		for (int code = 0; code < WLK_N_FINDINGS; code++)
			ck_assert_msg(facts->per_code[code] == 0 || code == WLK_F_DT_NO_AUTHENTICITY,
			    "file %u: %s: %.*s", i, finding_info((enum wlk_finding)code)->code, (int)(f.n - PREFIX),
			    f.at + PREFIX);
		facts_free(facts);
		free(f.at);
	}
}
END_TEST

/* A sample with everything: two tensors, metadata, padding, footer. */
#define SAMPLE                                                                                             \
	"{\"format\":\"deathtensors\",\"format_version\":1,\"created_by\":\"a test\",\"global_metadata\":" \
	"{\"k\":\"v\"},\"tensors\":{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]},"      \
	"\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[16,19],\"metadata\":{\"k\":\"v\"}}}}"

START_TEST(test_every_beginning_of_a_file_is_refused)
{
	uint8_t data[19] = { 0 };

	for (uint32_t flags = 0; flags <= FLAG_FOOTER; flags += FLAG_FOOTER) {
		struct file whole = file_of(SAMPLE, sizeof(SAMPLE) - 1, data, sizeof(data), flags);

		for (size_t n = 0; n < whole.n; n++) {
			struct file f = { .at = malloc(n > 0 ? n : 1), .n = n }; /* so that a byte too many is seen */
			struct facts *facts;

			ck_assert_ptr_nonnull(f.at);
			memcpy(f.at, whole.at, n);
			facts = scan(&f);
			ck_assert_msg(memory_worst(facts) >= SEVERITY_HIGH, "%zu of %zu bytes", n, whole.n);
			facts_free(facts);
			free(f.at);
		}
		free(whole.at);
	}
}
END_TEST

/* What the prefix holds is not covered by the footer; everything else is. */
START_TEST(test_every_flipped_bit_behind_the_prefix_is_seen)
{
	uint8_t data[19] = { 0 };
	struct file f = file_of(SAMPLE, sizeof(SAMPLE) - 1, data, sizeof(data), FLAG_FOOTER);

	for (size_t i = PREFIX; i < f.n; i++) {
		struct facts *facts;

		f.at[i] ^= 1;
		facts = scan(&f);
		ck_assert_msg(facts->per_code[WLK_F_DT_CHECKSUM] == 1, "byte %zu", i);
		ck_assert_uint_eq(facts->per_code[WLK_F_DT_NO_AUTHENTICITY], 0);
		facts_free(facts);
		f.at[i] ^= 1;
	}
	free(f.at);
}
END_TEST

/* The digest of the range is taken piece by piece: pins, blocks of the pass, midstates. */
START_TEST(test_footer_of_a_file_of_many_blocks)
{
	static uint8_t data[3 << 20];
	char header[256];
	int n = snprintf(header, sizeof(header),
	    "{\"format\":\"deathtensors\",\"format_version\":1,\"tensors\":{\"w\":{\"dtype\":\"U8\",\"shape\":[%zu],"
	    "\"data_offsets\":[0,%zu]}}}",
	    sizeof(data), sizeof(data));
	struct file f;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7);
	f = file_of(header, (size_t)n, data, sizeof(data), FLAG_FOOTER);
	for (int kind = SOURCE_IMMUTABLE; kind <= SOURCE_MUTABLE; kind++) {
		struct facts *facts = scan_as(&f, (enum source_kind)kind, (struct limits)LIMITS_DEFAULT);

		ck_assert(facts->final.complete);
		ck_assert_uint_eq(facts->per_code[WLK_F_DT_NO_AUTHENTICITY], 1);
		ck_assert_uint_eq(facts->per_code[WLK_F_DT_CHECKSUM], 0);
		facts_free(facts);
	}
	free(f.at);
}
END_TEST

/* All of it is read again, and no block twice: that is what a file that may change allows. */
START_TEST(test_gaps_everywhere_and_a_footer)
{
	static char header[1 << 13];
	static uint8_t data[9 << 19]; /* gaps in the footer's block, too */
	size_t n = (size_t)sprintf(header, "{\"format\":\"deathtensors\",\"format_version\":1,\"tensors\":{");
	struct facts *facts;
	struct file f;

	for (size_t at = 0; at < sizeof(data); at += 1 << 16)
		n += (size_t)sprintf(header + n,
		    "%s\"%zu\":{\"dtype\":\"U8\",\"shape\":[%d],\"data_offsets\":[%zu,%zu]}", at > 0 ? "," : "", at,
		    (1 << 16) - 1, at, at + (1 << 16) - 1);
	n += (size_t)sprintf(header + n, "}}");
	f = file_of(header, n, data, sizeof(data) - 1, FLAG_FOOTER);
	facts = scan_as(&f, SOURCE_MUTABLE, (struct limits)LIMITS_DEFAULT);
	ck_assert(facts->final.complete);
	ck_assert_uint_eq(facts->per_code[WLK_F_DT_TENSOR_GAP_ALIGNED], sizeof(data) / (1 << 16) - 1);
	ck_assert_uint_eq(facts->per_code[WLK_F_DT_NO_AUTHENTICITY], 1);
	facts_free(facts);
	free(f.at);
}
END_TEST

START_TEST(test_policy_limits_come_before_those_of_the_format)
{
	struct limits limits = LIMITS_DEFAULT;
	uint8_t data[19] = { 0 };
	struct file f = file_of(SAMPLE, sizeof(SAMPLE) - 1, data, sizeof(data), 0);
	struct facts *facts;

	limits.tensors = 2;
	limits.metadata_keys = 2;
	limits.header_bytes = sizeof(SAMPLE) - 1;
	facts = scan_as(&f, SOURCE_IMMUTABLE, limits);
	ck_assert(facts->final.complete && memory_worst(facts) < 0);
	ck_assert_uint_eq(memory_fact(facts, WLK_FACT_METADATA_KEYS)->value.number, 2);
	ck_assert_uint_eq(memory_fact(facts, WLK_FACT_HEADER_BYTES)->value.number, sizeof(SAMPLE) - 1);
	facts_free(facts);
	limits.tensors = 1;
	facts = scan_as(&f, SOURCE_IMMUTABLE, limits);
	ck_assert_uint_eq(facts->per_code[WLK_F_LIMIT_TENSORS], 1);
	ck_assert(!facts->final.complete);
	facts_free(facts);
	limits.tensors = 2;
	limits.metadata_keys = 1;
	facts = scan_as(&f, SOURCE_IMMUTABLE, limits);
	ck_assert_uint_eq(facts->per_code[WLK_F_LIMIT_METADATA_KEYS], 1);
	ck_assert(!facts->final.complete);
	facts_free(facts);
	limits.metadata_keys = 2;
	limits.header_bytes--;
	facts = scan_as(&f, SOURCE_IMMUTABLE, limits);
	ck_assert_uint_eq(facts->per_code[WLK_F_DT_HEADER_SIZE], 1);
	ck_assert(!facts->final.complete);
	facts_free(facts);
	free(f.at);
}
END_TEST

/* A header of this many empty tensors. */
static struct file many_tensors(size_t n)
{
	static const char begin[] = "{\"format\":\"deathtensors\",\"format_version\":1,\"tensors\":{", end[] = "}}";
	size_t capacity = sizeof(begin) + sizeof(end) + n * 64, at = sizeof(begin) - 1;
	char *header = malloc(capacity);
	struct file f;

	ck_assert_ptr_nonnull(header);
	memcpy(header, begin, at);
	for (size_t i = 0; i < n; i++)
		at += (size_t)sprintf(header + at, "%s\"%zu\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}",
		    i > 0 ? "," : "", i);
	memcpy(header + at, end, sizeof(end) - 1);
	f = file_of(header, at + sizeof(end) - 1, NULL, 0, 0);
	free(header);
	return f;
}

START_TEST(test_two_to_the_twenty_tensors_and_no_more)
{
	struct file f = many_tensors(DEATHTENSORS_TENSORS_MAX);
	struct facts *facts = scan(&f);

	ck_assert(facts->final.complete && memory_worst(facts) < 0);
	ck_assert_uint_eq(facts->final.totals.tensors, DEATHTENSORS_TENSORS_MAX);
	facts_free(facts);
	free(f.at);
	f = many_tensors(DEATHTENSORS_TENSORS_MAX + 1);
	facts = scan(&f);
	ck_assert_uint_eq(facts->per_code[WLK_F_DT_TENSOR_COUNT], 1);
	ck_assert(!facts->final.complete);
	facts_free(facts);
	free(f.at);
}
END_TEST

/* Return: the scan says that all was understood. */
static bool is_complete(const char *header, const void *data, size_t data_n, enum wlk_finding code)
{
	struct file f = file_of(header, strlen(header), data, data_n, 0);
	struct facts *facts = scan(&f);
	bool complete = facts->final.complete;

	ck_assert_msg(facts->per_code[code] == 1, "%s: not %s", header, finding_info(code)->code);
	facts_free(facts);
	free(f.at);
	return complete;
}

#define TOP "{\"format\":\"deathtensors\",\"format_version\":1,\"tensors\":{"
#define BYTES(name, n, offsets) "\"" name "\":{\"dtype\":\"U8\",\"shape\":[" n "],\"data_offsets\":" offsets "}"

/* A policy may allow what was understood, and nothing else. */
START_TEST(test_what_a_policy_can_allow)
{
	static const uint8_t zeros[16];
	static const uint8_t one[16] = { [6] = 1 };

	ck_assert(is_complete(
	    TOP BYTES("a", "4", "[0,4]") "," BYTES("b", "8", "[8,16]") "}}", zeros, 16, WLK_F_DT_TENSOR_GAP_ALIGNED));
	ck_assert(!is_complete(
	    TOP BYTES("a", "4", "[0,4]") "," BYTES("b", "8", "[8,16]") "}}", one, 16, WLK_F_DT_TENSOR_GAP));
	ck_assert(!is_complete(
	    TOP BYTES("a", "8", "[0,8]") "," BYTES("a", "8", "[8,16]") "}}", zeros, 16, WLK_F_DT_KEY_DUPLICATE));
	ck_assert(!is_complete(TOP "},\"x\":1}", NULL, 0, WLK_F_DT_KEY_UNKNOWN));
	ck_assert(!is_complete("{\"format\":\"deathtensors\",\"format_version\":1}", NULL, 0, WLK_F_DT_KEY_MISSING));
	ck_assert(is_complete("{\"format_version\":1,\"tensors\":{}}", NULL, 0, WLK_F_DT_KEY_MISSING));
	ck_assert(!is_complete(TOP "}}x", NULL, 0, WLK_F_DT_JSON_SYNTAX));
	ck_assert(!is_complete(TOP "},\"created_by\":\"\\ud800\"}", NULL, 0, WLK_F_DT_JSON_SURROGATE));
	ck_assert(is_complete(" " TOP "}}", NULL, 0, WLK_F_DT_HEADER_WHITESPACE));
	ck_assert(!is_complete(TOP BYTES("a", "9", "[0,8]") "}}", zeros, 8, WLK_F_DT_SIZE_MISMATCH));
}
END_TEST

/* Unlisted findings are counted: a header may raise one a tensor. */
START_TEST(test_a_thousand_faults_are_counted)
{
	static char header[1 << 17];
	size_t n = (size_t)sprintf(header, TOP);
	struct file f;
	struct facts *facts;

	for (unsigned i = 0; i < 1000; i++)
		n += (size_t)sprintf(header + n, "%s\"%u\":{\"dtype\":\"f32\",\"shape\":[-1],\"data_offsets\":[1,0]}",
		    i > 0 ? "," : "", i);
	n += (size_t)sprintf(header + n, "}}");
	f = file_of(header, n, NULL, 0, 0);
	facts = scan(&f);
	ck_assert_uint_eq(facts->per_code[WLK_F_DT_DTYPE_UNKNOWN], 1000);
	ck_assert_uint_eq(facts->per_code[WLK_F_DT_NUMBER_FORM], 1000);
	ck_assert_uint_eq(facts->per_code[WLK_F_DT_OFFSETS], 1000);
	ck_assert_uint_eq(facts->n_findings, 300);
	facts_free(facts);
	free(f.at);
}
END_TEST

/* -- the manifest -- */

struct rows {
	unsigned n;
	struct manifest_row last;
	char name[32];
};

static bool keep_row(void *ctx, const struct manifest_row *row, struct bytes encoded)
{
	struct rows *rows = ctx;

	(void)encoded;
	ck_assert_uint_eq(row->index, rows->n);
	rows->n++;
	rows->last = *row;
	ck_assert_uint_lt(row->name.n, sizeof(rows->name));
	memcpy(rows->name, row->name.at, row->name.n);
	return true;
}

START_TEST(test_tensors_are_listed_with_shape_and_place)
{
	static const char header[] = TOP BYTES("a", "8", "[0,8]") ",\"\\u0062\":{\"dtype\":\"F32\",\"shape\":[2,1,3],"
								  "\"data_offsets\":[8,32]}}}";
	uint8_t data[32] = { 0 };
	struct file f = file_of(header, sizeof(header) - 1, data, sizeof(data), 0);
	struct job job = memory_job(f.n);
	struct facts_expect expect = { .size = f.n };
	struct rows rows = { 0 };
	const struct manifest_sink sink = { .ctx = &rows, .row = keep_row };
	struct facts *facts = facts_new();
	struct memory_report raw;

	ck_assert_ptr_nonnull(facts);
	job.rows = true;
	facts_want_rows(facts, &sink);
	memory_scan_raw(f.at, f.n, &job, &raw);
	ck_assert(facts_feed(facts, raw.at, raw.n));
	facts_finish(facts, WLK_CAUSE_NONE, &expect);
	ck_assert(facts->final.complete);
	ck_assert_uint_eq(rows.n, 2);
	ck_assert_str_eq(rows.name, "b");
	ck_assert_uint_eq(rows.last.rank, 3);
	ck_assert(rows.last.shape[0] == 2 && rows.last.shape[1] == 1 && rows.last.shape[2] == 3);
	ck_assert(rows.last.begin == f.n - 24 && rows.last.end == f.n);
	facts_free(facts);
	free(raw.at);
	free(f.at);
}
END_TEST

START_TEST(test_spent_memory_is_no_verdict)
{
	struct file f = many_tensors(100);
	struct limits limits = LIMITS_DEFAULT;
	bool seen[2] = { false, false };

	for (limits.memory = 1024; limits.memory < UINT64_C(1) << 20; limits.memory += 2048) {
		struct facts *facts = scan_as(&f, SOURCE_MUTABLE, limits);

		ck_assert(facts->final.complete || facts->final.cause == WLK_CAUSE_LIMIT_MEMORY);
		seen[facts->final.complete] = true;
		facts_free(facts);
	}
	ck_assert(seen[false] && seen[true]);
	free(f.at);
}
END_TEST

HARNESS("deathtensors", test_two_hundred_honest_files_are_accepted, test_every_beginning_of_a_file_is_refused,
    test_every_flipped_bit_behind_the_prefix_is_seen, test_footer_of_a_file_of_many_blocks,
    test_gaps_everywhere_and_a_footer, test_policy_limits_come_before_those_of_the_format,
    test_two_to_the_twenty_tensors_and_no_more, test_what_a_policy_can_allow, test_a_thousand_faults_are_counted,
    test_tensors_are_listed_with_shape_and_place, test_spent_memory_is_no_verdict)
