/* The decoder: a sound report comes back as it was; everything else ends as worker-protocol and nothing is
 * kept. */
#include "harness.h"

#include <stdio.h>

#include "memory.h"

#define SIZE 5000                         /* of the file all these reports are about */
#define UNPACKED_MAX (UINT64_C(64) << 30) /* the default of the limit unpacked-bytes */

/* Records written by hand, to say what the encoder never would. */
static void raw(struct mem_report *m, uint8_t type, const uint8_t *payload, size_t n)
{
	uint8_t header[5];

	store_u32le(header, (uint32_t)n);
	header[4] = type;
	mem_write(m, header, sizeof(header));
	if (n > 0)
		mem_write(m, payload, n);
}

struct payload {
	uint8_t at[9000];
	size_t n;
};

static void put(struct payload *p, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		p->at[p->n++] = (uint8_t)(v >> (8 * i));
}

static void put_text(struct payload *p, const char *text)
{
	put(p, strlen(text), 2);
	for (; *text != '\0'; text++)
		put(p, (uint8_t)*text, 1);
}

static void send(struct mem_report *m, uint8_t type, const struct payload *p)
{
	raw(m, type, p->at, p->n);
}

/* Of the finding of this rank; behind the last one there is none. */
static void put_code(struct payload *p, uint64_t rank)
{
	put(p, rank < WLK_N_FINDINGS ? finding_number(finding_of_rank((unsigned)rank)) : 0, 4);
}

static void put_format(struct payload *p, uint64_t format)
{
	put(p, format < WLK_N_FORMATS ? format_number((enum wlk_format_id)format) : 0, 4);
}

static void send_finding(struct mem_report *m, uint64_t code, uint64_t offset)
{
	struct payload p = { .n = 0 };

	put_code(&p, code);
	put(&p, 1, 1);
	put(&p, offset, 8);
	put_text(&p, "");
	put_text(&p, "");
	put(&p, VALUE_NONE, 1);
	put(&p, VALUE_NONE, 1);
	send(m, RECORD_FINDING, &p);
}

static void send_row(
    struct mem_report *m, uint8_t dtype, const uint64_t counts[4], uint64_t first_offset, uint64_t decoded)
{
	struct payload p = { .n = 0 };

	put_text(&p, "w");
	put(&p, dtype, 1);
	for (int i = 0; i < 4; i++)
		put(&p, counts[i], 8);
	put(&p, first_offset, 8);
	put(&p, decoded, 1);
	send(m, RECORD_NONFINITE, &p);
}

static void send_fact(struct mem_report *m, uint8_t id, const char *key, uint8_t kind)
{
	struct payload p = { .n = 0 };

	put(&p, id, 1);
	put_text(&p, key);
	put(&p, kind, 1);
	if (kind == VALUE_NUMBER)
		put(&p, 1, 8);
	send(m, RECORD_FACT, &p);
}

static void send_omitted(struct mem_report *m, uint64_t code, uint64_t total)
{
	struct payload p = { .n = 0 };

	put_code(&p, code);
	put(&p, total, 8);
	send(m, RECORD_OMITTED, &p);
}

/* The final record, every field at will. */
struct final_fields {
	uint64_t size, digest, format, reader, chosen, names_idle, complete, cause, bytes;
	uint64_t totals[7]; /* tensors, elements, nan, +inf, -inf, bool, omitted rows */
};

#define SOUND_FINAL                                                                                       \
	{                                                                                                 \
		.size = SIZE, .digest = 1, .complete = 1, .bytes = SIZE, .format = WLK_FORMAT_SAFETENSORS \
	}

static void send_final(struct mem_report *m, const struct final_fields *f)
{
	struct payload p = { .n = 0 };

	put(&p, f->size, 8);
	put(&p, f->digest, 1);
	for (int i = 0; i < 32 && f->digest; i++)
		put(&p, (uint64_t)i, 1);
	put_format(&p, f->format);
	put_format(&p, f->reader);
	put(&p, f->chosen, 1);
	put(&p, f->names_idle, 1);
	put(&p, f->complete, 1);
	put(&p, f->cause, 1);
	put(&p, f->bytes, 8);
	for (int i = 0; i < 7; i++)
		put(&p, f->totals[i], 8);
	put_text(&p, "");
	send(m, RECORD_FINAL, &p);
}

/* Is the report taken for sound?  Frees it.  A refused one must leave nothing behind. */
static bool sound(struct mem_report *m)
{
	struct facts *f = mem_decode(m, SIZE);
	bool ok = f->final.cause != WLK_CAUSE_WORKER_PROTOCOL;

	if (!ok) {
		ck_assert(!f->has_final && !f->final.complete && !f->final.has_digest);
		ck_assert_uint_eq(f->n_findings + f->n_rows + f->n_facts, 0);
		for (unsigned i = 0; i < WLK_N_FINDINGS; i++)
			ck_assert_uint_eq(f->per_code[i], 0);
		ck_assert_uint_eq(f->final.size, SIZE);
	}
	facts_free(f);
	free(m->at);
	*m = (struct mem_report){ 0 };
	return ok;
}

static bool sound_with_final(struct mem_report *m, const struct final_fields *fields)
{
	send_final(m, fields);
	return sound(m);
}

static bool sound_alone(struct mem_report *m)
{
	return sound_with_final(m, &(struct final_fields)SOUND_FINAL);
}

/* A report with something of everything. */
static struct report_final example_final(void)
{
	struct report_final final = { .size = SIZE,
		.has_digest = true,
		.format = WLK_FORMAT_SAFETENSORS,
		.complete = true,
		.bytes = SIZE,
		.media_type = bytes_of_text("text/plain") };

	for (unsigned i = 0; i < 32; i++)
		final.sha256[i] = (uint8_t)(i * 7);
	return final;
}

static void write_final(struct report *r)
{
	struct report_final final = example_final();

	ck_assert(report_end(r, &final));
}

static void write_example(struct report *r)
{
	report_finding(r, &(struct finding){ .code = WLK_F_WEIGHTS_NAN,
			      .has_offset = true,
			      .offset = 4000,
			      .has_length = true,
			      .length = 1000,
			      .subject = bytes_of_text("tensor"),
			      .member = bytes_of_text("member"),
			      .found = value_text(bytes_of_text("found")),
			      .allowed = value_number(77) });
	report_finding(r, &(struct finding){ .code = WLK_F_FORMAT_UNKNOWN });
	report_nonfinite(r, &(struct nonfinite){ .tensor = bytes_of_text("w"),
				.dtype = WLK_DTYPE_BF16,
				.nan = 1,
				.pos_inf = 2,
				.neg_inf = 3,
				.first_offset = 4999 });
	report_nonfinite(
	    r, &(struct nonfinite){
		   .tensor = bytes_of_text(""), .dtype = WLK_DTYPE_BOOL, .bool_invalid = 9, .first_offset = 0 });
	report_fact(r,
	    &(struct fact){ .id = WLK_FACT_TENSORS_BY_DTYPE, .key = bytes_of_text("BF16"), .value = value_number(12) });
	report_fact(r, &(struct fact){ .id = WLK_FACT_LFS_OID, .value = value_text(bytes_of_text("abc")) });
	r->totals.tensors = 2;
	r->totals.elements = 1234;
}

static struct mem_report example(void)
{
	struct report *r = malloc(sizeof(*r));
	struct mem_report m = { 0 };

	report_init(r, mem_write, NULL, &m);
	write_example(r);
	write_final(r);
	free(r);
	return m;
}

START_TEST(test_report_comes_back_as_it_was)
{
	struct mem_report m = example();
	struct facts *f = mem_decode(&m, SIZE);
	struct report_final final = example_final();

	ck_assert(f->has_final && f->final.complete && f->final.has_digest);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_NONE);
	ck_assert_mem_eq(f->final.sha256, final.sha256, 32);
	ck_assert_uint_eq(f->final.totals.elements, 1234);
	ck_assert_uint_eq(f->final.totals.neg_inf, 3);
	ck_assert(bytes_equal(f->final.media_type, final.media_type));
	ck_assert_uint_eq(f->n_findings, 2);
	ck_assert_int_eq(f->findings[0].code, WLK_F_WEIGHTS_NAN);
	ck_assert_uint_eq(f->findings[0].offset, 4000);
	ck_assert_uint_eq(f->findings[0].length, 1000);
	ck_assert(bytes_equal(f->findings[0].subject, bytes_of_text("tensor")));
	ck_assert(bytes_equal(f->findings[0].member, bytes_of_text("member")));
	ck_assert(bytes_equal(f->findings[0].found.text, bytes_of_text("found")));
	ck_assert_uint_eq(f->findings[0].allowed.number, 77);
	ck_assert(!f->findings[1].has_offset && !f->findings[1].has_length);
	ck_assert_uint_eq(f->per_code[WLK_F_FORMAT_UNKNOWN], 1);
	ck_assert_uint_eq(f->n_rows, 2);
	ck_assert_uint_eq(f->rows[0].first_offset, 4999);
	ck_assert_int_eq(f->rows[1].dtype, WLK_DTYPE_BOOL);
	ck_assert_uint_eq(f->n_facts, 2);
	ck_assert(bytes_equal(f->facts[0].key, bytes_of_text("BF16")));
	ck_assert(bytes_equal(f->facts[1].value.text, bytes_of_text("abc")));
	facts_free(f);
	free(m.at);
}
END_TEST

START_TEST(test_pieces_of_any_size_mean_the_same)
{
	struct mem_report m = example();

	for (size_t piece = 1; piece <= m.n; piece++) {
		struct facts *f = facts_new();

		for (size_t at = 0; at < m.n; at += piece)
			ck_assert(facts_feed(f, m.at + at, piece < m.n - at ? piece : m.n - at));
		facts_finish(f, WLK_CAUSE_NONE, &(struct facts_expect){ .size = SIZE });
		ck_assert(f->final.complete);
		facts_free(f);
	}
	free(m.at);
}
END_TEST

START_TEST(test_no_part_of_a_report_is_complete)
{
	struct mem_report m = example();

	for (size_t n = 0; n < m.n; n++) {
		struct mem_report part = { .at = malloc(n + 1), .n = n };

		memcpy(part.at, m.at, n);
		ck_assert(!sound(&part));
	}
	free(m.at);
}
END_TEST

/* Encode what was decoded. */
static struct mem_report encode(const struct facts *f)
{
	struct report *r = malloc(sizeof(*r));
	struct mem_report m = { 0 };

	report_init(r, mem_write, NULL, &m);
	for (size_t i = 0; i < f->n_findings; i++)
		report_finding(r, &f->findings[i]);
	for (size_t i = 0; i < f->n_rows; i++)
		report_nonfinite(r, &f->rows[i]);
	for (size_t i = 0; i < f->n_facts; i++)
		report_fact(r, &f->facts[i]);
	r->totals = f->final.totals;
	r->cause = f->final.cause;
	report_end(r, &f->final);
	free(r);
	return m;
}

/* There is one encoding of any facts: what is accepted after a change says exactly what its bytes say. */
static void check_changed(struct mem_report *m)
{
	struct facts *f = mem_decode(m, SIZE);

	if (f->final.cause != WLK_CAUSE_WORKER_PROTOCOL) {
		struct mem_report again = encode(f);

		ck_assert_uint_eq(again.n, m->n);
		ck_assert_mem_eq(again.at, m->at, m->n);
		free(again.at);
	}
	facts_free(f);
}

START_TEST(test_changed_byte_is_refused_or_says_what_it_says)
{
	struct mem_report m = example();

	for (size_t at = 0; at < m.n; at++) {
		uint8_t old = m.at[at];

		for (unsigned v = 0; v < 256; v += v < 8 || v > 252 ? 1 : 61) {
			m.at[at] = (uint8_t)v;
			check_changed(&m);
		}
		m.at[at] = old;
	}
	free(m.at);
}
END_TEST

START_TEST(test_garbage_is_refused)
{
	uint64_t state = 31;

	for (int round = 0; round < 3000; round++) {
		struct mem_report m = { .n = next_random(&state) % 300 };

		m.at = malloc(m.n + 1);
		for (size_t i = 0; i < m.n; i++)
			m.at[i] = (uint8_t)(next_random(&state) % (round % 2 ? 256 : 8));
		ck_assert(!sound(&m));
	}
}
END_TEST

START_TEST(test_empty_report_is_refused)
{
	struct mem_report m = { 0 };

	ck_assert(!sound(&m));
}
END_TEST

START_TEST(test_length_is_bounded_at_once)
{
	uint8_t header[5] = { 0, 0, 0, 0, RECORD_FINDING };
	struct facts *f = facts_new();

	store_u32le(header, REPORT_RECORD_MAX);
	ck_assert(facts_feed(f, header, sizeof(header)));
	facts_free(f);
	f = facts_new();
	store_u32le(header, REPORT_RECORD_MAX + 1);
	ck_assert(!facts_feed(f, header, sizeof(header)));
	ck_assert(!facts_feed(f, header, 0));
	facts_free(f);
	f = facts_new();
	store_u32le(header, UINT32_MAX);
	ck_assert(!facts_feed(f, header, sizeof(header)));
	facts_free(f);
}
END_TEST

START_TEST(test_endless_progress_is_refused)
{
	static uint8_t block[13 << 16];
	struct facts *f = facts_new();
	uint64_t fed = 0;

	for (size_t at = 0; at < sizeof(block); at += 13) {
		store_u32le(block + at, 8);
		block[at + 4] = RECORD_PROGRESS;
		store_u64le(block + at + 5, at);
	}
	while (facts_feed(f, block, sizeof(block)))
		fed += sizeof(block);
	ck_assert_uint_le(fed, FACTS_FEED_MAX);
	ck_assert_uint_gt(fed, FACTS_FEED_MAX - sizeof(block));
	facts_free(f);
}
END_TEST

START_TEST(test_unknown_types_and_surplus_bytes_are_refused)
{
	struct mem_report m = { 0 };
	struct payload p = { .n = 0 };

	ck_assert(sound_alone(&m));
	raw(&m, 0, p.at, 0);
	ck_assert(!sound_alone(&m));
	raw(&m, RECORD_FINAL + 1, p.at, 0);
	ck_assert(!sound_alone(&m));
	put(&p, 1, 8);
	send(&m, RECORD_PROGRESS, &p);
	ck_assert(sound_alone(&m));
	put(&p, 1, 1);
	send(&m, RECORD_PROGRESS, &p);
	ck_assert(!sound_alone(&m));
	raw(&m, RECORD_PROGRESS, p.at, 7);
	ck_assert(!sound_alone(&m));
}
END_TEST

START_TEST(test_finding_codes_and_offsets_have_bounds)
{
	struct mem_report m = { 0 };

	send_finding(&m, WLK_N_FINDINGS - 1, SIZE);
	ck_assert(sound_alone(&m));
	send_finding(&m, WLK_N_FINDINGS, 0);
	ck_assert(!sound_alone(&m));
	send_finding(&m, 0, SIZE + 1);
	ck_assert(!sound_alone(&m));
}
END_TEST

/* A finding in a member, or in the file itself, with these flags, offset and length. */
static bool sound_place_in(const char *member, uint8_t flags, uint64_t offset, uint64_t length)
{
	struct mem_report m = { 0 };
	struct payload p = { .n = 0 };

	put_code(&p, 0);
	put(&p, flags, 1);
	if (flags & 1)
		put(&p, offset, 8);
	if (flags & 2)
		put(&p, length, 8);
	put_text(&p, "");
	put_text(&p, member);
	put(&p, 0, 2);
	send(&m, RECORD_FINDING, &p);
	return sound_alone(&m);
}

static bool sound_place(uint8_t flags, uint64_t offset, uint64_t length)
{
	return sound_place_in("", flags, offset, length);
}

START_TEST(test_place_lies_inside_the_file)
{
	ck_assert(sound_place(0, 0, 0));
	ck_assert(sound_place(3, 1000, SIZE - 1000));
	ck_assert(!sound_place(3, 1000, SIZE - 999));
	ck_assert(!sound_place(3, UINT64_MAX, 2));
	ck_assert(sound_place(2, 0, SIZE));
	ck_assert(!sound_place(2, 0, SIZE + 1));
	ck_assert(!sound_place(4, 0, 0));
	ck_assert(!sound_place(5, 0, 0)); /* decoded from what? */
	ck_assert(!sound_place(8, 0, 0));
}
END_TEST

START_TEST(test_place_in_a_member_may_lie_in_what_it_decodes_to)
{
	ck_assert(sound_place_in("m", 5, SIZE + 1, 0));
	ck_assert(sound_place_in("m", 7, SIZE, UNPACKED_MAX));
	ck_assert(!sound_place_in("m", 7, SIZE, UNPACKED_MAX + 1));
	ck_assert(!sound_place_in("m", 7, UINT64_MAX, 2));
	ck_assert(!sound_place_in("m", 6, SIZE, 0));
	/* one that is stored lies in the file */
	ck_assert(sound_place_in("m", 1, SIZE, 0));
	ck_assert(!sound_place_in("m", 1, SIZE + 1, 0));
}
END_TEST

/* A finding with one value of this kind. */
static bool sound_value(uint8_t kind, uint64_t text_n)
{
	struct mem_report m = { 0 };
	struct payload p = { .n = 0 };

	put_code(&p, 0);
	put(&p, 0, 1);
	put_text(&p, "");
	put_text(&p, "");
	put(&p, kind, 1);
	if (kind == VALUE_NUMBER)
		put(&p, 1, 8);
	if (kind == VALUE_TEXT) {
		put(&p, text_n, 2);
		for (uint64_t i = 0; i < text_n; i++)
			put(&p, 'x', 1);
	}
	put(&p, VALUE_NONE, 1);
	send(&m, RECORD_FINDING, &p);
	return sound_alone(&m);
}

START_TEST(test_values_have_known_kinds_and_bounded_texts)
{
	ck_assert(sound_value(VALUE_NONE, 0));
	ck_assert(sound_value(VALUE_NUMBER, 0));
	ck_assert(sound_value(VALUE_TEXT, 0));
	ck_assert(sound_value(VALUE_TEXT, REPORT_STRING_MAX));
	ck_assert(!sound_value(VALUE_TEXT, REPORT_STRING_MAX + 1));
	ck_assert(!sound_value(VALUE_TEXT + 1, 0));
}
END_TEST

START_TEST(test_hundred_findings_of_a_code_and_no_more)
{
	struct mem_report m = { 0 };

	for (int i = 0; i < REPORT_PER_CODE_MAX; i++)
		send_finding(&m, 3, 0);
	ck_assert(sound_alone(&m));
	for (int i = 0; i < REPORT_PER_CODE_MAX + 1; i++)
		send_finding(&m, 3, 0);
	ck_assert(!sound_alone(&m));
}
END_TEST

START_TEST(test_4096_findings_and_no_more)
{
	for (int extra = 0; extra < 2; extra++) {
		struct mem_report m = { 0 };

		for (int i = 0; i < REPORT_FINDINGS_MAX + extra; i++)
			send_finding(&m, (uint64_t)(i / REPORT_PER_CODE_MAX), 0);
		ck_assert(sound_alone(&m) == (extra == 0));
	}
}
END_TEST

START_TEST(test_omitted_needs_a_bound_that_was_reached)
{
	struct mem_report m = { 0 };

	send_omitted(&m, 3, 5);
	ck_assert(!sound_alone(&m));
	for (int i = 0; i < REPORT_PER_CODE_MAX - 1; i++)
		send_finding(&m, 3, 0);
	send_omitted(&m, 3, 200);
	ck_assert(!sound_alone(&m));
	for (int i = 0; i < REPORT_PER_CODE_MAX; i++)
		send_finding(&m, 3, 0);
	send_omitted(&m, 3, 101);
	ck_assert(sound_alone(&m));
	for (int i = 0; i < REPORT_PER_CODE_MAX; i++)
		send_finding(&m, 3, 0);
	send_omitted(&m, 3, 100);
	ck_assert(!sound_alone(&m));
	for (int i = 0; i < REPORT_FINDINGS_MAX; i++)
		send_finding(&m, (uint64_t)(i / REPORT_PER_CODE_MAX), 0);
	send_omitted(&m, WLK_N_FINDINGS - 1, 1);
	ck_assert(sound_alone(&m));
}
END_TEST

static void send_two_full_codes(struct mem_report *m)
{
	for (int i = 0; i < 2 * REPORT_PER_CODE_MAX; i++)
		send_finding(m, (uint64_t)(i % 2), 0);
}

START_TEST(test_omitted_comes_last_in_order_and_once)
{
	struct mem_report m = { 0 };

	send_two_full_codes(&m);
	send_omitted(&m, 0, 101);
	send_omitted(&m, 1, 101);
	ck_assert(sound_alone(&m));
	send_two_full_codes(&m);
	send_omitted(&m, 1, 101);
	send_omitted(&m, 0, 101);
	ck_assert(!sound_alone(&m));
	send_two_full_codes(&m);
	send_omitted(&m, 0, 101);
	send_omitted(&m, 0, 102);
	ck_assert(!sound_alone(&m));
	send_two_full_codes(&m);
	send_omitted(&m, 0, 101);
	send_finding(&m, 2, 0);
	ck_assert(!sound_alone(&m));
	send_two_full_codes(&m);
	send_omitted(&m, WLK_N_FINDINGS, 101);
	ck_assert(!sound_alone(&m));
}
END_TEST

/* One row, and totals that agree with it. */
static bool sound_row_in(
    uint8_t dtype, uint64_t nan, uint64_t pos, uint64_t neg, uint64_t invalid, uint64_t first, uint64_t decoded)
{
	struct final_fields fields = SOUND_FINAL;
	const uint64_t counts[4] = { nan, pos, neg, invalid };
	struct mem_report m = { 0 };

	send_row(&m, dtype, counts, first, decoded);
	memcpy(fields.totals + 2, counts, sizeof(counts));
	return sound_with_final(&m, &fields);
}

static bool sound_row(uint8_t dtype, uint64_t nan, uint64_t pos, uint64_t neg, uint64_t invalid, uint64_t first)
{
	return sound_row_in(dtype, nan, pos, neg, invalid, first, 0);
}

START_TEST(test_rows_count_something_their_type_can_have)
{
	ck_assert(sound_row(WLK_DTYPE_F32, 1, 1, 1, 0, 0));
	ck_assert(sound_row(WLK_DTYPE_C64, 0, 0, 1, 0, 0));
	ck_assert(sound_row(WLK_DTYPE_LD16, 1, 1, 1, 0, 0));
	ck_assert(sound_row(WLK_DTYPE_CLD24, 0, 1, 0, 0, 0));
	ck_assert(!sound_row(WLK_DTYPE_UCS4, 0, 0, 0, 1, 0)); /* text has no rows */
	ck_assert(!sound_row(WLK_DTYPE_F32, 0, 0, 0, 0, 0));
	ck_assert(!sound_row(WLK_DTYPE_F32, 1, 0, 0, 1, 0));
	ck_assert(sound_row(WLK_DTYPE_BOOL, 0, 0, 0, 1, 0));
	ck_assert(!sound_row(WLK_DTYPE_BOOL, 1, 0, 0, 1, 0));
	ck_assert(!sound_row(WLK_DTYPE_BOOL, 0, 0, 0, 0, 0));
	ck_assert(sound_row(WLK_DTYPE_F8_E4M3, 1, 0, 0, 0, 0));
	ck_assert(!sound_row(WLK_DTYPE_F8_E4M3, 1, 1, 0, 0, 0));
	ck_assert(!sound_row(WLK_DTYPE_F8_E8M0, 0, 0, 0, 0, 0));
	ck_assert(!sound_row(WLK_DTYPE_I64, 1, 0, 0, 0, 0));
	ck_assert(!sound_row(WLK_N_DTYPES, 1, 0, 0, 0, 0));
}
END_TEST

START_TEST(test_rows_lie_inside_the_file)
{
	ck_assert(sound_row(WLK_DTYPE_F32, 1, 0, 0, 0, SIZE - 1));
	ck_assert(!sound_row(WLK_DTYPE_F32, 1, 0, 0, 0, SIZE));
	ck_assert(sound_row_in(WLK_DTYPE_F32, 1, 0, 0, 0, SIZE + UNPACKED_MAX - 1, 1));
	ck_assert(!sound_row_in(WLK_DTYPE_F32, 1, 0, 0, 0, SIZE + UNPACKED_MAX, 1));
	ck_assert(!sound_row_in(WLK_DTYPE_F32, 1, 0, 0, 0, 0, 2));
	ck_assert(!sound_row(WLK_DTYPE_F32, 1, 0, 0, 0, UINT64_MAX));
	ck_assert(sound_row(WLK_DTYPE_F8_E5M2, SIZE + UNPACKED_MAX - 2, 1, 1, 0, 0));
	ck_assert(!sound_row(WLK_DTYPE_F8_E5M2, SIZE + UNPACKED_MAX - 1, 1, 1, 0, 0));
	ck_assert(!sound_row(WLK_DTYPE_F32, UINT64_MAX, 1, 0, 0, 0));
}
END_TEST

START_TEST(test_totals_are_the_sums_of_the_rows)
{
	const uint64_t counts[4] = { 1, 2, 3, 0 };
	struct mem_report m = { 0 };

	for (int i = 2; i < 6; i++) {
		for (int delta = -1; delta <= 1; delta++) {
			struct final_fields fields = { .size = SIZE,
				.digest = 1,
				.complete = 1,
				.bytes = SIZE,
				.format = WLK_FORMAT_SAFETENSORS,
				.totals = { 0, 0, 1, 2, 3, 0 } };

			if (i == 5 && delta < 0)
				continue;
			fields.totals[i] += (uint64_t)delta;
			send_row(&m, WLK_DTYPE_F16, counts, 0, 0);
			ck_assert(sound_with_final(&m, &fields) == (delta == 0));
		}
	}
}
END_TEST

/* n rows that count one each in a column of the counts; the totals say `omitted` more rows and `sum`. */
static bool sound_omitted_rows(int column, int n, uint64_t omitted, uint64_t sum)
{
	struct final_fields fields = SOUND_FINAL;
	uint64_t counts[4] = { 0 };
	struct mem_report m = { 0 };

	counts[column] = 1;
	for (int i = 0; i < n; i++)
		send_row(&m, column == 3 ? WLK_DTYPE_BOOL : WLK_DTYPE_F16, counts, 0, 0);
	fields.totals[2 + column] = sum;
	fields.totals[6] = omitted;
	return sound_with_final(&m, &fields);
}

START_TEST(test_rows_are_omitted_only_after_a_thousand)
{
	for (int column = 0; column < 4; column++) {
		ck_assert(sound_omitted_rows(column, REPORT_NONFINITE_MAX, 0, 1000));
		ck_assert(!sound_omitted_rows(column, REPORT_NONFINITE_MAX + 1, 0, 1001));
		ck_assert(!sound_omitted_rows(column, REPORT_NONFINITE_MAX - 1, 1, 1000));
		ck_assert(sound_omitted_rows(column, REPORT_NONFINITE_MAX, 2, 1002));
		ck_assert(!sound_omitted_rows(column, REPORT_NONFINITE_MAX, 2, 1001));
		ck_assert(!sound_omitted_rows(column, REPORT_NONFINITE_MAX, 2, 999));
	}
}
END_TEST

START_TEST(test_sums_do_not_wrap)
{
	const uint64_t half[4] = { UINT64_C(1) << 63, 0, 0, 0 };
	struct mem_report m = { 0 };

	send_row(&m, WLK_DTYPE_F16, half, 0, 0);
	send_row(&m, WLK_DTYPE_F16, half, 0, 0); /* modulo 2^64 the totals would be right */
	ck_assert(!sound_alone(&m));
}
END_TEST

START_TEST(test_facts_are_known_keyed_right_and_said_once)
{
	struct mem_report m = { 0 };

	send_fact(&m, WLK_FACT_TENSORS_BY_DTYPE, "F32", VALUE_NUMBER);
	send_fact(&m, WLK_FACT_TENSORS_BY_DTYPE, "F16", VALUE_NUMBER);
	send_fact(&m, WLK_FACT_METADATA_KEYS, "", VALUE_NUMBER);
	ck_assert(sound_alone(&m));
	send_fact(&m, WLK_N_FACTS, "", VALUE_NUMBER);
	ck_assert(!sound_alone(&m));
	send_fact(&m, WLK_FACT_TENSORS_BY_DTYPE, "", VALUE_NUMBER);
	ck_assert(!sound_alone(&m));
	send_fact(&m, WLK_FACT_METADATA_KEYS, "k", VALUE_NUMBER);
	ck_assert(!sound_alone(&m));
	send_fact(&m, WLK_FACT_METADATA_KEYS, "", VALUE_NONE);
	ck_assert(!sound_alone(&m));
	send_fact(&m, WLK_FACT_METADATA_KEYS, "", VALUE_NUMBER);
	send_fact(&m, WLK_FACT_METADATA_KEYS, "", VALUE_NUMBER);
	ck_assert(!sound_alone(&m));
}
END_TEST

START_TEST(test_facts_are_bounded)
{
	for (int extra = 0; extra < 2; extra++) {
		struct mem_report m = { 0 };

		for (int i = 0; i < REPORT_FACTS_MAX + extra; i++) {
			char key[16];

			snprintf(key, sizeof(key), "k%d", i);
			send_fact(&m, WLK_FACT_TENSORS_BY_DTYPE, key, VALUE_NUMBER);
		}
		ck_assert(sound_alone(&m) == (extra == 0));
	}
}
END_TEST

START_TEST(test_final_record_is_last_and_alone)
{
	struct final_fields fields = SOUND_FINAL;
	struct mem_report m = { 0 };

	send_final(&m, &fields);
	ck_assert(!sound_alone(&m));
	send_final(&m, &fields);
	send_finding(&m, 0, 0);
	ck_assert(!sound(&m));
	send_final(&m, &fields);
	mem_write(&m, (const uint8_t *)"", 1);
	ck_assert(!sound(&m));
}
END_TEST

static bool sound_final(struct final_fields fields)
{
	struct mem_report m = { 0 };

	return sound_with_final(&m, &fields);
}

START_TEST(test_final_record_fits_the_job_and_itself)
{
	ck_assert(sound_final((struct final_fields)SOUND_FINAL));
	ck_assert(!sound_final((struct final_fields){ .size = SIZE - 1, .digest = 1, .bytes = SIZE - 1 }));
	ck_assert(!sound_final((struct final_fields){ .size = SIZE + 1, .digest = 1, .bytes = SIZE + 1 }));
	/* complete: a digest, all bytes, no cause */
	ck_assert(!sound_final((struct final_fields){ .size = SIZE, .complete = 1, .bytes = SIZE }));
	ck_assert(!sound_final((struct final_fields){
	    .size = SIZE, .digest = 1, .complete = 1, .bytes = SIZE, .format = WLK_FORMAT_UNKNOWN }));
	ck_assert(!sound_final((struct final_fields){ .size = SIZE, .complete = 1, .digest = 1, .bytes = SIZE - 1 }));
	ck_assert(!sound_final((struct final_fields){
	    .size = SIZE, .complete = 1, .digest = 1, .bytes = SIZE, .cause = WLK_CAUSE_LIMIT_TIME }));
	/* incomplete: anything up to all bytes, and a cause a worker can know */
	ck_assert(sound_final((struct final_fields){ .size = SIZE, .bytes = 7, .cause = WLK_CAUSE_LIMIT_TIME }));
	ck_assert(sound_final((struct final_fields){ .size = SIZE, .digest = 1, .bytes = SIZE }));
	ck_assert(!sound_final((struct final_fields){ .size = SIZE, .bytes = SIZE + 1 }));
	ck_assert(!sound_final((struct final_fields){ .size = SIZE, .cause = WLK_CAUSE_DIGEST_MISMATCH }));
	ck_assert(!sound_final((struct final_fields){ .size = SIZE, .cause = WLK_CAUSE_WORKER_CRASHED }));
	ck_assert(!sound_final((struct final_fields){ .size = SIZE, .cause = WLK_N_CAUSES }));
	/* enums and flags */
	ck_assert(sound_final((struct final_fields){ .size = SIZE, .format = WLK_N_FORMATS - 1 }));
	ck_assert(!sound_final((struct final_fields){ .size = SIZE, .format = WLK_N_FORMATS }));
	ck_assert(sound_final((struct final_fields){ .size = SIZE, .reader = WLK_N_FORMATS - 1 }));
	ck_assert(!sound_final((struct final_fields){ .size = SIZE, .reader = WLK_N_FORMATS }));
	ck_assert(sound_final((struct final_fields){ .size = SIZE, .chosen = REPORT_N_CHOSEN - 1, .names_idle = 1 }));
	ck_assert(!sound_final((struct final_fields){ .size = SIZE, .chosen = REPORT_N_CHOSEN }));
	ck_assert(!sound_final((struct final_fields){ .size = SIZE, .names_idle = 2 }));
	ck_assert(!sound_final((struct final_fields){ .size = SIZE, .digest = 2, .bytes = SIZE }));
	ck_assert(!sound_final((struct final_fields){ .size = SIZE, .digest = 1, .complete = 2, .bytes = SIZE }));
	/* elements: none is smaller than a byte */
	ck_assert(sound_final((struct final_fields){ .size = SIZE, .totals = { 1, SIZE + UNPACKED_MAX } }));
	ck_assert(!sound_final((struct final_fields){ .size = SIZE, .totals = { 1, SIZE + UNPACKED_MAX + 1 } }));
}
END_TEST

START_TEST(test_memory_is_bounded)
{
	static uint8_t text[REPORT_STRING_MAX];
	struct report *r = malloc(sizeof(*r));
	struct mem_report m = { 0 };
	struct bytes b = bytes_of(text, sizeof(text));

	report_init(r, mem_write, NULL, &m);
	for (int i = 0; i < REPORT_FINDINGS_MAX; i++)
		report_finding(r, &(struct finding){ .code = (enum wlk_finding)(i / REPORT_PER_CODE_MAX),
				      .subject = b,
				      .member = b,
				      .found = value_text(b),
				      .allowed = value_text(b) });
	write_final(r);
	free(r);
	ck_assert(!sound(&m)); /* 16 MiB of text and the structures around it are too much */
}
END_TEST

/* How the worker ended */

static struct facts *finish(const struct mem_report *m, size_t n, enum wlk_cause cause, uint8_t announced)
{
	struct facts_expect expect = { .size = SIZE, .has_sha256 = announced != 0 };
	struct report_final final = example_final();
	struct facts *f = facts_new();

	memcpy(expect.sha256, final.sha256, 32);
	expect.sha256[31] ^= (uint8_t)(announced - 1);
	facts_feed(f, m->at, n);
	facts_finish(f, cause, &expect);
	return f;
}

START_TEST(test_announced_digest_must_be_the_one_found)
{
	struct mem_report m = example();
	struct facts *f = finish(&m, m.n, WLK_CAUSE_NONE, 1);

	ck_assert(f->final.complete);
	facts_free(f);
	f = finish(&m, m.n, WLK_CAUSE_NONE, 2);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_DIGEST_MISMATCH);
	ck_assert(!f->final.complete);
	ck_assert_uint_eq(f->n_findings, 2);
	facts_free(f);
	free(m.at);
}
END_TEST

START_TEST(test_worker_that_died_is_not_complete_but_keeps_its_findings)
{
	struct mem_report m = example();

	for (size_t n = m.n - 3; n <= m.n; n += 3) { /* within the final record, and after it */
		struct facts *f = finish(&m, n, WLK_CAUSE_WORKER_CRASHED, 0);

		ck_assert_int_eq(f->final.cause, WLK_CAUSE_WORKER_CRASHED);
		ck_assert(!f->final.complete);
		ck_assert_uint_eq(f->n_findings, 2);
		ck_assert_uint_eq(f->final.size, SIZE);
		facts_free(f);
	}
	free(m.at);
}
END_TEST

START_TEST(test_worker_that_lied_and_died_keeps_nothing)
{
	struct mem_report m = { 0 };
	struct facts *f;

	send_finding(&m, 0, SIZE + 1);
	f = finish(&m, m.n, WLK_CAUSE_WORKER_CRASHED, 0);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_WORKER_PROTOCOL);
	ck_assert_uint_eq(f->n_findings, 0);
	facts_free(f);
	free(m.at);
}
END_TEST

/* -- a digest that others took -- */

static struct facts *finish_final(const struct report_final *final, struct facts_expect expect, enum wlk_cause cause)
{
	struct report *r = malloc(sizeof(*r));
	struct mem_report m = { 0 };
	struct facts *f = facts_new();

	memset(expect.taken, 0xfe, sizeof(expect.taken));
	report_init(r, mem_write, NULL, &m);
	ck_assert(report_end(r, final));
	free(r);
	facts_feed(f, m.at, m.n);
	facts_finish(f, cause, &expect);
	free(m.at);
	return f;
}

/* A report of a worker that says so about its digest, and of what it read. */
static struct facts *finish_taken(bool own_digest, uint64_t bytes, bool complete, bool has_taken, enum wlk_cause cause)
{
	struct report_final final = example_final();

	final.has_digest = own_digest;
	final.bytes = bytes;
	final.complete = complete;
	return finish_final(
	    &final, (struct facts_expect){ .size = SIZE, .taken_by = DIGEST_BY_FRONT, .has_taken = has_taken }, cause);
}

static bool is_taken(const struct facts *f)
{
	uint8_t taken[32];

	memset(taken, 0xfe, sizeof(taken));
	return f->final.has_digest && f->digest_by == DIGEST_BY_FRONT && memcmp(f->final.sha256, taken, 32) == 0;
}

START_TEST(test_a_digest_that_others_took_is_the_one)
{
	struct facts *f = finish_taken(false, SIZE, true, true, WLK_CAUSE_NONE);

	ck_assert(f->final.complete && is_taken(f));
	facts_free(f);
	f = finish_taken(false, SIZE, true, true, WLK_CAUSE_WORKER_CRASHED);
	ck_assert(!f->final.complete && is_taken(f));
	facts_free(f);
}
END_TEST

START_TEST(test_a_worker_that_names_a_digest_it_was_not_to_take_lies)
{
	for (int complete = 0; complete < 2; complete++) {
		struct facts *f = finish_taken(true, SIZE, complete, true, WLK_CAUSE_NONE);

		ck_assert_int_eq(f->final.cause, WLK_CAUSE_WORKER_PROTOCOL);
		ck_assert(!f->final.complete && is_taken(f)); /* not what it named */
		facts_free(f);
	}
}
END_TEST

START_TEST(test_complete_is_what_went_through_all_of_the_file)
{
	struct facts *f = finish_taken(false, SIZE - 1, true, true, WLK_CAUSE_NONE);

	ck_assert_int_eq(f->final.cause, WLK_CAUSE_WORKER_PROTOCOL);
	facts_free(f);
	f = finish_taken(false, SIZE - 1, false, true, WLK_CAUSE_NONE);
	ck_assert(f->final.cause == WLK_CAUSE_NONE && !f->final.complete && is_taken(f));
	facts_free(f);
}
END_TEST

START_TEST(test_nothing_is_complete_whose_digest_could_not_be_taken)
{
	struct facts *f = finish_taken(false, SIZE, true, false, WLK_CAUSE_NONE);

	ck_assert_int_eq(f->final.cause, WLK_CAUSE_INTERNAL);
	ck_assert(!f->final.complete && !f->final.has_digest);
	facts_free(f);
	f = finish_taken(true, SIZE, true, false, WLK_CAUSE_NONE);
	ck_assert(f->final.cause == WLK_CAUSE_WORKER_PROTOCOL && !f->final.has_digest);
	facts_free(f);
}
END_TEST

/* Format and media type were read before the pass, and a policy goes by them. */
START_TEST(test_what_a_pass_did_not_confirm_stands_under_no_digest)
{
	static const struct {
		enum wlk_format_id format;
		const char *media_type;
		uint64_t bytes;
		bool has_digest;
	} rows[] = { { WLK_FORMAT_SAFETENSORS, "", SIZE - 1, false },
		{ WLK_FORMAT_UNKNOWN, "text/plain", SIZE - 1, false }, { WLK_FORMAT_UNKNOWN, "", SIZE - 1, true },
		{ WLK_FORMAT_SAFETENSORS, "", SIZE, true } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct report_final final = { .size = SIZE,
			.bytes = rows[i].bytes,
			.format = rows[i].format,
			.media_type = bytes_of_text(rows[i].media_type) };
		struct facts *f = finish_final(&final,
		    (struct facts_expect){
			.size = SIZE, .taken_by = DIGEST_BY_DIGESTER, .has_taken = true, .flowed = true },
		    WLK_CAUSE_NONE);

		ck_assert_msg(f->final.has_digest == rows[i].has_digest, "%zu", i);
		facts_free(f);
	}
}
END_TEST

START_TEST(test_unread_file_has_its_cause_and_nothing_else)
{
	struct facts *f = facts_unread(WLK_CAUSE_INPUT_UNREADABLE, 42);

	ck_assert(f->has_final && !f->final.complete && !f->final.has_digest);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_INPUT_UNREADABLE);
	ck_assert_uint_eq(f->final.size, 42);
	ck_assert_uint_eq(f->n_findings + f->n_rows + f->n_facts, 0);
	facts_free(f);
	facts_free(NULL);
}
END_TEST

HARNESS("facts", test_report_comes_back_as_it_was, test_pieces_of_any_size_mean_the_same,
    test_no_part_of_a_report_is_complete, test_changed_byte_is_refused_or_says_what_it_says, test_garbage_is_refused,
    test_empty_report_is_refused, test_length_is_bounded_at_once, test_endless_progress_is_refused,
    test_unknown_types_and_surplus_bytes_are_refused, test_finding_codes_and_offsets_have_bounds,
    test_place_lies_inside_the_file, test_place_in_a_member_may_lie_in_what_it_decodes_to,
    test_values_have_known_kinds_and_bounded_texts, test_hundred_findings_of_a_code_and_no_more,
    test_4096_findings_and_no_more, test_omitted_needs_a_bound_that_was_reached,
    test_omitted_comes_last_in_order_and_once, test_rows_count_something_their_type_can_have,
    test_rows_lie_inside_the_file, test_totals_are_the_sums_of_the_rows, test_rows_are_omitted_only_after_a_thousand,
    test_sums_do_not_wrap, test_facts_are_known_keyed_right_and_said_once, test_facts_are_bounded,
    test_final_record_is_last_and_alone, test_final_record_fits_the_job_and_itself, test_memory_is_bounded,
    test_announced_digest_must_be_the_one_found, test_worker_that_died_is_not_complete_but_keeps_its_findings,
    test_worker_that_lied_and_died_keeps_nothing, test_a_digest_that_others_took_is_the_one,
    test_a_worker_that_names_a_digest_it_was_not_to_take_lies, test_complete_is_what_went_through_all_of_the_file,
    test_nothing_is_complete_whose_digest_could_not_be_taken, test_what_a_pass_did_not_confirm_stands_under_no_digest,
    test_unread_file_has_its_cause_and_nothing_else)
