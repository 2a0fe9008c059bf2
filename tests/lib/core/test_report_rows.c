/* Rows and digests on their way through a report: only to who asked for them, in order, within bounds, or the report is
 * nobody's. */
#include "harness.h"

#include <math.h>

#include "memory.h"

#define SIZE 5000                         /* of the file all these reports are about */
#define UNPACKED_MAX (UINT64_C(64) << 30) /* the default of the limit unpacked-bytes */

/* What a sink was given. */
struct taken {
	uint64_t rows, digests, stats, bytes, last_index, last_digest;
	uint8_t sha256[32];
	uint64_t refuse_row, refuse_digest; /* the one with this number, from 1; 0: none */
};

static bool take_row(void *ctx, const struct manifest_row *row, struct bytes encoded)
{
	struct taken *t = ctx;
	uint8_t again[MANIFEST_ROW_MAX];

	ck_assert_uint_eq(manifest_encode(row, again), encoded.n);
	ck_assert_mem_eq(again, encoded.at, encoded.n);
	t->rows++;
	t->bytes += 4 + encoded.n;
	t->last_index = row->index;
	return t->rows != t->refuse_row;
}

static bool take_digest(void *ctx, uint64_t index, const uint8_t sha256[32])
{
	struct taken *t = ctx;

	t->digests++;
	t->last_digest = index;
	memcpy(t->sha256, sha256, 32);
	return t->digests != t->refuse_digest;
}

static bool take_stats(void *ctx, uint64_t index, const uint8_t encoded[TENSOR_STATS_BYTES])
{
	struct taken *t = ctx;
	struct tensor_stats s;

	ck_assert(index == 3 && tensor_stats_decode(encoded, &s));
	t->stats++;
	return true;
}

/* A report in the making. */
struct making {
	struct report *r;
	struct mem_report sent;
	struct taken taken;
};

static struct making make(void)
{
	struct making m = { .r = malloc(sizeof(struct report)) };

	return m;
}

static void begin(struct making *m)
{
	report_init(m->r, mem_write, NULL, &m->sent);
	m->r->wants_rows = m->r->wants_digests = m->r->wants_stats = true;
}

/* End, decode, free.  @sink: NULL: nobody asked for rows. */
static enum wlk_cause cause_of(struct making *m, const struct manifest_sink *sink)
{
	const struct report_final final = {
		.size = SIZE, .has_digest = true, .bytes = SIZE, .complete = true, .format = WLK_FORMAT_SAFETENSORS
	};
	struct facts *f = facts_new();
	enum wlk_cause cause;

	report_end(m->r, &final);
	if (sink != NULL)
		facts_want_rows(f, sink);
	facts_feed(f, m->sent.at, m->sent.n);
	facts_finish(f, WLK_CAUSE_NONE, &(struct facts_expect){ .size = SIZE });
	cause = f->final.cause;
	ck_assert(f->final.complete == (cause == WLK_CAUSE_NONE));
	if (cause == WLK_CAUSE_NONE) {
		ck_assert_uint_eq(f->manifest_rows, m->taken.rows);
		ck_assert_uint_eq(f->manifest_bytes, m->taken.bytes);
	}
	facts_free(f);
	free(m->sent.at);
	free(m->r);
	return cause;
}

static enum wlk_cause cause_with_sink(struct making *m)
{
	const struct manifest_sink sink = { &m->taken, take_row, take_digest, take_stats };

	return cause_of(m, &sink);
}

static struct manifest_row tensor(uint64_t index)
{
	return (struct manifest_row){ .kind = MANIFEST_TENSOR,
		.name = bytes_of_text("w"),
		.name_bytes = 1,
		.dtype = bytes_of_text("F32"),
		.index = index,
		.end = SIZE,
		.rank = 1,
		.shape = { 3 } };
}

/* As it stands, whatever the encoder would say to it. */
static void send_row(struct making *m, const struct manifest_row *row)
{
	m->r->manifest_next = 0;
	m->r->manifest_bytes = 0;
	ck_assert(report_manifest_row(m->r, row));
}

static enum wlk_cause cause_of_row(const struct manifest_row *row)
{
	struct making m = make();

	begin(&m);
	send_row(&m, row);
	return cause_with_sink(&m);
}

static enum wlk_cause cause_of_stats(const struct tensor_stats *s, uint64_t *ret_taken)
{
	struct making m = make();
	struct manifest_row row = tensor(3);
	enum wlk_cause cause;

	begin(&m);
	send_row(&m, &row);
	report_manifest_stats(m.r, 3, s);
	cause = cause_with_sink(&m);
	*ret_taken = m.taken.stats;
	return cause;
}

START_TEST(test_statistics_that_contradict_themselves_are_a_lie)
{
	const struct tensor_stats sound[] = { { 4, 3, 3, -1, 2, 0.5 }, { 4, 0, 0, 0, 0, 0 },
		{ 4, 4, 0, -1, 2, (double)NAN }, { 4, 4, 0, 2, 2, 2 } },
				  lies[] = { { 4, 5, 0, -1, 2, 0.5 }, { 4, 3, 4, -1, 2, 0.5 }, { 4, 4, 0, 2, -1, 0.5 },
					  { 4, 4, 0, 2, -1, (double)NAN }, { 4, 4, 0, -1, 2, 2.5 },
					  { 4, 4, 0, -1, 2, -1.5 }, { 4, 0, 0, 0, 1, 0 },
					  { 4, 4, 0, (double)NAN, 2, 1 }, { 4, 4, 0, -1, (double)INFINITY, 1 } };
	uint64_t taken;

	for (size_t i = 0; i < sizeof(sound) / sizeof(sound[0]); i++) {
		ck_assert_int_eq(cause_of_stats(&sound[i], &taken), WLK_CAUSE_NONE);
		ck_assert_uint_eq(taken, 1);
	}
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		ck_assert_int_eq(cause_of_stats(&lies[i], &taken), WLK_CAUSE_WORKER_PROTOCOL);
		ck_assert_uint_eq(taken, 0);
	}
}
END_TEST

START_TEST(test_rows_and_digests_arrive)
{
	static const uint8_t sha256[32] = { 1, 2, 3, 31 };
	struct making m = make();
	struct manifest_row first = tensor(3), second = tensor(9);

	begin(&m);
	ck_assert(report_manifest_row(m.r, &first));
	report_manifest_digest(m.r, 9, sha256); /* before its row */
	report_finding(m.r, &(struct finding){ .code = WLK_F_FORMAT_UNKNOWN });
	ck_assert(report_manifest_row(m.r, &second));
	ck_assert_int_eq(cause_with_sink(&m), WLK_CAUSE_NONE);
	ck_assert_uint_eq(m.taken.rows, 2);
	ck_assert_uint_eq(m.taken.last_index, 9);
	ck_assert_uint_eq(m.taken.digests, 1);
	ck_assert_uint_eq(m.taken.last_digest, 9);
	ck_assert_mem_eq(m.taken.sha256, sha256, 32);
}
END_TEST

START_TEST(test_nothing_is_sent_that_nobody_wants)
{
	static const uint8_t sha256[32];
	struct making m = make();
	struct manifest_row row = tensor(0);

	begin(&m);
	m.r->wants_rows = m.r->wants_digests = false;
	ck_assert(report_manifest_row(m.r, &row));
	report_manifest_digest(m.r, 0, sha256);
	ck_assert_int_eq(cause_of(&m, NULL), WLK_CAUSE_NONE);
}
END_TEST

START_TEST(test_rows_that_nobody_asked_for_are_malformed)
{
	struct making m = make();
	struct manifest_row row = tensor(0);

	begin(&m);
	send_row(&m, &row);
	ck_assert_int_eq(cause_of(&m, NULL), WLK_CAUSE_WORKER_PROTOCOL);
}
END_TEST

START_TEST(test_digests_that_nobody_asked_for_are_malformed)
{
	static const uint8_t sha256[32];
	struct making without = make(), rows_only = make();
	const struct manifest_sink sink = { &rows_only.taken, take_row, NULL };

	begin(&without);
	report_manifest_digest(without.r, 0, sha256);
	ck_assert_int_eq(cause_of(&without, NULL), WLK_CAUSE_WORKER_PROTOCOL);
	begin(&rows_only);
	report_manifest_digest(rows_only.r, 0, sha256);
	ck_assert_int_eq(cause_of(&rows_only, &sink), WLK_CAUSE_WORKER_PROTOCOL);
}
END_TEST

START_TEST(test_indexes_ascend)
{
	for (uint64_t second = 3; second <= 5; second++) {
		struct making m = make();
		struct manifest_row rows[] = { tensor(4), tensor(second) };

		begin(&m);
		send_row(&m, &rows[0]);
		send_row(&m, &rows[1]);
		ck_assert_int_eq(cause_with_sink(&m), second > 4 ? WLK_CAUSE_NONE : WLK_CAUSE_WORKER_PROTOCOL);
	}
}
END_TEST

/* A record with this payload. */
static enum wlk_cause cause_of_payload(uint8_t type, const uint8_t *payload, size_t n)
{
	struct making m = make();
	uint8_t header[5];

	begin(&m);
	store_u32le(header, (uint32_t)n);
	header[4] = type;
	mem_write(&m.sent, header, sizeof(header));
	mem_write(&m.sent, payload, n);
	return cause_with_sink(&m);
}

START_TEST(test_indexes_are_bounded)
{
	struct manifest_row row = tensor(MANIFEST_ROWS_MAX - 1);
	uint8_t payload[MANIFEST_ROW_MAX];

	ck_assert_int_eq(cause_of_payload(RECORD_ROW, payload, manifest_encode(&row, payload)), WLK_CAUSE_NONE);
	row.index++;
	ck_assert_int_eq(
	    cause_of_payload(RECORD_ROW, payload, manifest_encode(&row, payload)), WLK_CAUSE_WORKER_PROTOCOL);
	memset(payload, 0, sizeof(payload));
	store_u64le(payload, MANIFEST_ROWS_MAX - 1);
	ck_assert_int_eq(cause_of_payload(RECORD_DIGEST, payload, 8 + 32), WLK_CAUSE_NONE);
	store_u64le(payload, MANIFEST_ROWS_MAX);
	ck_assert_int_eq(cause_of_payload(RECORD_DIGEST, payload, 8 + 32), WLK_CAUSE_WORKER_PROTOCOL);
}
END_TEST

START_TEST(test_records_have_their_exact_length)
{
	struct manifest_row row = tensor(0);
	uint8_t payload[MANIFEST_ROW_MAX] = { 0 };
	size_t n = manifest_encode(&row, payload);

	for (size_t i = 0; i <= n + 8; i++)
		ck_assert_int_eq(
		    cause_of_payload(RECORD_ROW, payload, i), i == n ? WLK_CAUSE_NONE : WLK_CAUSE_WORKER_PROTOCOL);
	memset(payload, 0, sizeof(payload));
	for (size_t i = 0; i <= 48; i++)
		ck_assert_int_eq(
		    cause_of_payload(RECORD_DIGEST, payload, i), i == 40 ? WLK_CAUSE_NONE : WLK_CAUSE_WORKER_PROTOCOL);
}
END_TEST

START_TEST(test_tensors_lie_in_the_file)
{
	struct manifest_row row = tensor(0);

	row.end = SIZE + 1;
	ck_assert_int_eq(cause_of_row(&row), WLK_CAUSE_WORKER_PROTOCOL);
	row.member = bytes_of_text("m"); /* in what a member decodes to */
	row.end = SIZE + UNPACKED_MAX;
	ck_assert_int_eq(cause_of_row(&row), WLK_CAUSE_NONE);
	row.end++;
	ck_assert_int_eq(cause_of_row(&row), WLK_CAUSE_WORKER_PROTOCOL);
	row.member = bytes_of_text("");
	row.kind = MANIFEST_MAPPING; /* in another file */
	ck_assert_int_eq(cause_of_row(&row), WLK_CAUSE_NONE);
}
END_TEST

START_TEST(test_full_sink_ends_the_scan)
{
	static const uint8_t sha256[32];
	struct making by_row = make(), by_digest = make();

	begin(&by_row);
	for (uint64_t i = 0; i < 3; i++) {
		struct manifest_row row = tensor(i);

		ck_assert(report_manifest_row(by_row.r, &row));
	}
	by_row.taken.refuse_row = 3;
	ck_assert_int_eq(cause_with_sink(&by_row), WLK_CAUSE_LIMIT_OUTPUT);
	begin(&by_digest);
	report_manifest_digest(by_digest.r, 0, sha256);
	report_manifest_digest(by_digest.r, 1, sha256);
	by_digest.taken.refuse_digest = 1;
	ck_assert_int_eq(cause_with_sink(&by_digest), WLK_CAUSE_LIMIT_OUTPUT);
}
END_TEST

/* The last list that is taken, and the first that is not. */
START_TEST(test_writer_stops_at_the_bounds)
{
	struct making m = make();
	struct manifest_row row = tensor(0);

	begin(&m);
	m.r->manifest_rows = MANIFEST_ROWS_MAX - 1;
	m.r->manifest_bytes = MANIFEST_BYTES_MAX - MANIFEST_ROW_MAX;
	ck_assert(report_manifest_row(m.r, &row));
	ck_assert_int_eq(m.r->cause, WLK_CAUSE_NONE);
	row.index++;
	m.r->manifest_bytes = 0;
	ck_assert(!report_manifest_row(m.r, &row));
	ck_assert_int_eq(cause_with_sink(&m), WLK_CAUSE_LIMIT_OUTPUT);
	ck_assert_uint_eq(m.taken.rows, 1);

	m = make();
	begin(&m);
	m.r->manifest_bytes = MANIFEST_BYTES_MAX - MANIFEST_ROW_MAX + 1;
	ck_assert(!report_manifest_row(m.r, &row));
	ck_assert_int_eq(cause_with_sink(&m), WLK_CAUSE_LIMIT_OUTPUT);

	m = make();
	begin(&m);
	row.index = MANIFEST_ROWS_MAX;
	ck_assert(!report_manifest_row(m.r, &row));
	ck_assert_int_eq(cause_with_sink(&m), WLK_CAUSE_LIMIT_OUTPUT);
}
END_TEST

/* More rows than the writer would ever send: each is sound, and together they are not. */
START_TEST(test_reader_stops_at_the_bounds)
{
	static uint8_t name[MANIFEST_NAME_MAX];
	struct manifest_row row = tensor(0);
	struct taken taken = { 0 };
	const struct manifest_sink sink = { &taken, take_row, take_digest };
	struct facts *f = facts_new();
	uint8_t record[5 + MANIFEST_ROW_MAX];
	bool ok = true;

	row.name = bytes_of(name, sizeof(name));
	row.name_bytes = sizeof(name);
	facts_want_rows(f, &sink);
	record[4] = RECORD_ROW;
	while (ok) {
		size_t n = manifest_encode(&row, record + 5);

		store_u32le(record, (uint32_t)n);
		ok = facts_feed(f, record, 5 + n);
		row.index++;
	}
	ck_assert_uint_le(f->manifest_bytes, MANIFEST_BYTES_MAX);
	ck_assert_uint_gt(f->manifest_bytes, MANIFEST_BYTES_MAX - 2 * MANIFEST_ROW_MAX);
	facts_free(f);
}
END_TEST

HARNESS("report_rows", test_statistics_that_contradict_themselves_are_a_lie, test_rows_and_digests_arrive,
    test_nothing_is_sent_that_nobody_wants, test_rows_that_nobody_asked_for_are_malformed,
    test_digests_that_nobody_asked_for_are_malformed, test_indexes_ascend, test_indexes_are_bounded,
    test_records_have_their_exact_length, test_tensors_lie_in_the_file, test_full_sink_ends_the_scan,
    test_writer_stops_at_the_bounds, test_reader_stops_at_the_bounds)
