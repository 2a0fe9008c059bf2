/* The set document: what is read is what was written, and no other document is read. */
#include "harness.h"

#include <string.h>

#include "memory.h"
#include "set_document.h"

static const struct fact facts[] = {
	{ .id = WLK_FACT_HEADER_BYTES, .value = { .kind = VALUE_NUMBER, .number = UINT64_MAX } },
	{ .id = WLK_FACT_TENSORS_BY_DTYPE,
	    .key = { (const uint8_t *)"F32", 3 },
	    .value = { .kind = VALUE_NUMBER, .number = 1 } },
	{ .id = WLK_FACT_LFS_OID, .value = { .kind = VALUE_TEXT, .text = { (const uint8_t *)"abc", 3 } } },
	{ .id = WLK_FACT_WEIGHTS_ONLY_LOADABLE, .value = { .kind = VALUE_FLAG, .number = 1 } },
};

static const struct set_member members[] = {
	{ .name = { (const uint8_t *)"a-00001-of-00002.safetensors", 28 },
	    .state = SET_MEMBER_WHOLE,
	    .format = WLK_FORMAT_SAFETENSORS,
	    .size = 123456789,
	    .sha256 = { 1, 2, 3, 255 },
	    .facts = facts,
	    .n_facts = sizeof(facts) / sizeof(facts[0]),
	    .rows_bytes = 11 },
	{ .name = { (const uint8_t *)"dir/\xff\n", 6 }, .state = SET_MEMBER_LINK },
	{ .name = { (const uint8_t *)"z", 1 },
	    .state = SET_N_MEMBER_STATES - 1,
	    .format = WLK_N_FORMATS - 1,
	    .size = UINT64_MAX,
	    .rows_bytes = 3 },
};
#define N_MEMBERS (sizeof(members) / sizeof(members[0]))
#define ROWS "rows of a..zzz"

static bool write_piece(void *ctx, const void *at, size_t n)
{
	return n == 0 || mem_write(ctx, at, n);
}

static struct mem_report written(const struct set_member *m, size_t n, const char *rows)
{
	struct mem_report document = { 0 };

	ck_assert(set_document_write_head(m, n, write_piece, &document));
	write_piece(&document, rows, strlen(rows));
	return document;
}

struct reading {
	struct mem_file file;
	struct arena arena;
	struct source src;
	struct set_member *members;
	size_t n;
};

#define PIN_BUDGET 4096

/* Of an exact copy, so that the sanitizer sees a read behind its end. */
static bool read_document(struct reading *r, const uint8_t *at, size_t n, size_t memory)
{
	*r = (struct reading){ .file = { .at = malloc(n + 1), .size = n } };
	r->file.at = realloc(r->file.at, n > 0 ? n : 1);
	memcpy(r->file.at, at, n);
	arena_init(&r->arena, memory);
	source_init(&r->src, mem_read, &r->file, n, SOURCE_IMMUTABLE, &r->arena, PIN_BUDGET);
	return set_document_read_head(&r->src, &r->arena, &r->members, &r->n);
}

static void done(struct reading *r)
{
	source_done(&r->src);
	arena_done(&r->arena);
	free(r->file.at);
}

static bool reads(const uint8_t *at, size_t n)
{
	struct reading r;
	bool ok = read_document(&r, at, n, 1 << 20);

	done(&r);
	return ok;
}

static void check_member(const struct set_member *got, const struct set_member *sent)
{
	ck_assert(bytes_equal(got->name, sent->name));
	ck_assert_int_eq(got->state, sent->state);
	ck_assert_int_eq(got->format, sent->format);
	ck_assert_uint_eq(got->size, sent->size);
	ck_assert_mem_eq(got->sha256, sent->sha256, 32);
	ck_assert_uint_eq(got->rows_bytes, sent->rows_bytes);
}

START_TEST(test_document_survives_the_journey)
{
	struct mem_report document = written(members, N_MEMBERS, ROWS);
	struct reading r;

	ck_assert(read_document(&r, document.at, document.n, 1 << 20));
	ck_assert_uint_eq(r.n, N_MEMBERS);
	for (size_t i = 0; i < N_MEMBERS; i++)
		check_member(&r.members[i], &members[i]);
	ck_assert_uint_eq(r.members[0].n_facts, 2); /* without a key, and no flag */
	ck_assert_int_eq(r.members[0].facts[0].id, WLK_FACT_HEADER_BYTES);
	ck_assert_uint_eq(r.members[0].facts[0].value.number, UINT64_MAX);
	ck_assert_int_eq(r.members[0].facts[1].id, WLK_FACT_LFS_OID);
	ck_assert(bytes_equal(r.members[0].facts[1].value.text, bytes_of_text("abc")));
	ck_assert_uint_eq(r.members[1].n_facts, 0);
	ck_assert_mem_eq(document.at + r.members[0].rows_at, "rows of a..", 11);
	ck_assert_mem_eq(document.at + r.members[2].rows_at, "zzz", 3);
	done(&r);
	free(document.at);
}
END_TEST

START_TEST(test_empty_set_is_a_document)
{
	struct mem_report document = written(NULL, 0, "");
	struct reading r;

	ck_assert(read_document(&r, document.at, document.n, 1 << 20));
	ck_assert_uint_eq(r.n, 0);
	done(&r);
	free(document.at);
}
END_TEST

START_TEST(test_only_the_exact_length_reads)
{
	struct mem_report document = written(members, N_MEMBERS, ROWS);

	for (size_t n = 0; n < document.n; n++)
		ck_assert_msg(!reads(document.at, n), "%zu bytes", n);
	ck_assert(reads(document.at, document.n));
	mem_write(&document, (const uint8_t *)"", 1);
	ck_assert(!reads(document.at, document.n));
	free(document.at);
}
END_TEST

/* Write what was read. */
static struct mem_report rewritten(const struct reading *r)
{
	struct mem_report again = { 0 };

	ck_assert(set_document_write_head(r->members, r->n, write_piece, &again));
	return again;
}

/* What is read after any change says exactly what its bytes say. */
START_TEST(test_every_byte_of_the_head_means_something)
{
	struct mem_report document = written(members, N_MEMBERS, ROWS);
	size_t head = document.n - strlen(ROWS);

	for (size_t bit = 0; bit < 8 * head; bit++) {
		struct reading r;

		document.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (read_document(&r, document.at, document.n, 1 << 20)) {
			struct mem_report again = rewritten(&r);

			ck_assert_uint_eq(again.n, head);
			ck_assert_mem_eq(again.at, document.at, head);
			free(again.at);
		}
		done(&r);
		document.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	free(document.at);
}
END_TEST

#define HEAD_AT 8
#define COUNT_AT 16
#define FIRST_AT 20 /* of the first record */

START_TEST(test_numbers_out_of_range_are_refused)
{
	const struct set_member one = { .name = { (const uint8_t *)"n", 1 } };
	struct mem_report document = written(&one, 1, "");
	const uint64_t heads[] = { 0, 19, document.n - 1, document.n + 1, UINT64_MAX, UINT64_C(1) << 63 };
	const uint32_t counts[] = { 0, 2, SET_MEMBERS_MAX + 1, UINT32_MAX };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		store_u64le(document.at + HEAD_AT, heads[i]);
		ck_assert(!reads(document.at, document.n));
	}
	store_u64le(document.at + HEAD_AT, document.n);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		store_u32le(document.at + COUNT_AT, counts[i]);
		ck_assert(!reads(document.at, document.n));
	}
	store_u32le(document.at + COUNT_AT, 1);
	ck_assert(reads(document.at, document.n));
	free(document.at);
}
END_TEST

START_TEST(test_head_holds_nothing_but_its_records)
{
	const struct set_member one = { .name = { (const uint8_t *)"n", 1 } };
	struct mem_report document = written(&one, 1, "x");

	store_u64le(document.at + HEAD_AT, document.n);
	ck_assert(!reads(document.at, document.n));
	free(document.at);
}
END_TEST

static bool reads_with(size_t at, uint8_t value)
{
	const struct set_member one = { .name = { (const uint8_t *)"n", 1 } };
	struct mem_report document = written(&one, 1, "");
	bool ok;

	document.at[at] = value;
	ok = reads(document.at, document.n);
	free(document.at);
	return ok;
}

START_TEST(test_enums_are_in_range)
{
	size_t state = FIRST_AT + 3, format = FIRST_AT + 4;

	ck_assert(reads_with(state, SET_N_MEMBER_STATES - 1) && !reads_with(state, SET_N_MEMBER_STATES));
	ck_assert(reads_with(format, WLK_N_FORMATS - 1) && !reads_with(format, WLK_N_FORMATS));
	ck_assert(!reads_with(0, 'W'));
}
END_TEST

START_TEST(test_rows_that_do_not_fill_the_document_are_refused)
{
	struct set_member two[] = { members[0], members[1] };
	struct mem_report document;

	two[0].rows_bytes = UINT64_MAX; /* a sum that wraps to the document's end */
	two[1].rows_bytes = 12;
	document = written(two, 2, "rows of a..");
	ck_assert(!reads(document.at, document.n));
	free(document.at);
	two[0].rows_bytes = 12;
	two[1].rows_bytes = 0;
	document = written(two, 2, "rows of a..");
	ck_assert(!reads(document.at, document.n));
	free(document.at);
}
END_TEST

START_TEST(test_nameless_member_is_refused)
{
	const struct set_member one = { .size = 1 };
	struct mem_report document = written(&one, 1, "");

	ck_assert(!reads(document.at, document.n));
	free(document.at);
}
END_TEST

START_TEST(test_names_and_texts_are_cut_to_their_bounds)
{
	static uint8_t many[SET_NAME_MAX + 1];
	const struct fact fact = { .id = WLK_FACT_LFS_OID,
		.value = { .kind = VALUE_TEXT, .text = { many, REPORT_STRING_MAX + 1 } } };
	const struct set_member one = { .name = { many, sizeof(many) }, .facts = &fact, .n_facts = 1 };
	struct mem_report document = written(&one, 1, "");
	struct reading r;

	ck_assert(read_document(&r, document.at, document.n, 1 << 20));
	ck_assert_uint_eq(r.members[0].name.n, SET_NAME_MAX);
	ck_assert_uint_eq(r.members[0].facts[0].value.text.n, REPORT_STRING_MAX);
	done(&r);
	free(document.at);
}
END_TEST

START_TEST(test_too_many_facts_are_refused)
{
	static struct fact many[REPORT_FACTS_MAX + 1];
	struct set_member one = { .name = { (const uint8_t *)"n", 1 }, .facts = many };

	for (size_t i = 0; i < REPORT_FACTS_MAX + 1; i++)
		many[i].value.kind = VALUE_NUMBER;
	for (one.n_facts = REPORT_FACTS_MAX; one.n_facts <= REPORT_FACTS_MAX + 1; one.n_facts++) {
		struct mem_report document = written(&one, 1, "");

		ck_assert(reads(document.at, document.n) == (one.n_facts == REPORT_FACTS_MAX));
		free(document.at);
	}
}
END_TEST

START_TEST(test_memory_is_what_the_head_needs)
{
	struct mem_report document = written(members, N_MEMBERS, ROWS);
	struct reading r;

	ck_assert(!read_document(&r, document.at, document.n, 64));
	done(&r);
	free(document.at);
}
END_TEST

START_TEST(test_writer_stops_when_refused)
{
	struct mem_report whole = written(members, N_MEMBERS, "");

	for (size_t n = 1; n < whole.n; n++) {
		struct mem_report refusing = { .refuse_after = n };

		ck_assert(!set_document_write_head(members, N_MEMBERS, write_piece, &refusing));
		free(refusing.at);
	}
	free(whole.at);
}
END_TEST

HARNESS("set_document", test_document_survives_the_journey, test_empty_set_is_a_document,
    test_only_the_exact_length_reads, test_every_byte_of_the_head_means_something,
    test_numbers_out_of_range_are_refused, test_head_holds_nothing_but_its_records, test_enums_are_in_range,
    test_rows_that_do_not_fill_the_document_are_refused, test_nameless_member_is_refused,
    test_names_and_texts_are_cut_to_their_bounds, test_too_many_facts_are_refused, test_memory_is_what_the_head_needs,
    test_writer_stops_when_refused)
