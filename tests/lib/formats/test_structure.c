/* A file of which only the structure is read, for a digest that somebody claims: what it is held to, and what it gets. */
#include "harness.h"
#include "memory_scan.h"
#include "safetensors_file.h"

#define DATA 400000
#define HEADER(dtype, n) "{\"a\":{\"dtype\":\"" dtype "\",\"shape\":[" n "],\"data_offsets\":[0,400000]}}"
#define FLOATS HEADER("F32", "100000")

static struct st_file model(const char *header)
{
	struct st_file f = st_file(header, DATA);

	memset(f.at + f.n - 4, 0xff, 4); /* the last element is no number */
	return f;
}

/* A whole scan of it, which is noted. */
static struct facts *whole(const struct st_file *f)
{
	struct job job = memory_job(f->n);

	job.noted = true;
	return memory_scan_job(f->at, f->n, &job);
}

struct claim {
	struct memory_file file;
	struct memory_file document;
	uint64_t read;
};

static int64_t read_file(void *ctx, uint64_t offset, void *buf, size_t n)
{
	struct claim *c = ctx;

	c->read += n;
	return memory_read(&c->file, offset, buf, n);
}

static int64_t read_document(void *ctx, uint64_t offset, void *buf, size_t n)
{
	return memory_read(&((struct claim *)ctx)->document, offset, buf, n);
}

/* As the front does: what is known of @base goes along, the digest is the base's. */
static struct facts *claimed(const struct st_file *f, const struct facts *base, const char *there, struct claim *c)
{
	static uint8_t document[PARTIAL_DOCUMENT_MAX];
	static struct partial p;
	static struct report report;
	struct memory_report raw = { 0 };
	struct job job = memory_job(f->n);
	struct facts_expect expect = { .size = f->n, .taken_by = DIGEST_BY_CALLER, .has_taken = true };
	struct facts *got = facts_new();
	struct wlk_input in = { .read = read_file, .read_document = read_document, .ctx = c, .seed = { 1, 2 } };

	memset(&p, 0, sizeof(p));
	p.known = base != NULL;
	if (base != NULL) {
		memcpy(p.blocks, base->blocks, base->n_blocks * sizeof(p.blocks[0]));
		p.n_blocks = base->n_blocks;
		memcpy(expect.taken, base->final.sha256, 32);
	}
	ck_assert(there == NULL || partial_read_ranges(bytes_of_text(there), &p));
	*c = (struct claim){ .file = { f->at, f->n }, .document = { document, partial_encode(&p, document) } };
	job.task = JOB_STRUCTURE;
	job.undigested = true;
	job.document_size = c->document.n;
	report_init(&report, memory_write, NULL, &raw);
	wlk_scan(&in, &job, &report);
	ck_assert(facts_feed(got, raw.at, raw.n));
	facts_finish(got, WLK_CAUSE_NONE, &expect);
	ck_assert(!got->final.complete);
	ck_assert(facts_claim(got, base));
	free(raw.at);
	return got;
}

START_TEST(test_honest_claim_takes_what_the_pass_found)
{
	struct st_file f = model(FLOATS);
	struct facts *base = whole(&f), *got;
	struct claim c;

	ck_assert(base->final.complete && base->has_pass && base->n_blocks == 2);
	got = claimed(&f, base, NULL, &c);
	ck_assert(got->final.complete && got->final.has_digest && got->digest_by == DIGEST_BY_CALLER);
	ck_assert_int_eq(got->weights, WEIGHTS_STORED);
	ck_assert_uint_eq(got->per_code[WLK_F_WEIGHTS_NAN], 1);
	ck_assert_uint_eq(got->per_code[WLK_F_WEIGHTS_NOT_READ], 0);
	ck_assert_uint_eq(got->final.totals.nan, 1);
	ck_assert_uint_eq(got->final.totals.elements, 100000);
	ck_assert_uint_eq(got->n_findings, base->n_findings);
	ck_assert_uint_eq(got->n_facts, base->n_facts);
	ck_assert_uint_eq(got->final.bytes, 0);
	ck_assert_uint_lt(c.read, DATA / 4);
	facts_free(got);
	facts_free(base);
	free(f.at);
}
END_TEST

START_TEST(test_without_a_whole_scan_nothing_is_known_of_the_weights)
{
	struct st_file f = model(FLOATS);
	struct facts *base = whole(&f), *got;
	struct claim c;

	got = claimed(&f, NULL, NULL, &c);
	ck_assert(!got->final.complete);
	ck_assert_int_eq(got->weights, WEIGHTS_NOT_READ);
	ck_assert_uint_eq(got->per_code[WLK_F_WEIGHTS_NOT_READ], 1);
	ck_assert_uint_eq(got->final.totals.nan, 0);
	facts_free(got);
	base->has_pass = false; /* one of an engine that told of no pass, or of a format whose pass does more */
	got = claimed(&f, base, NULL, &c);
	ck_assert(!got->final.complete && got->weights == WEIGHTS_NOT_READ);
	facts_free(got);
	facts_free(base);
	free(f.at);
}
END_TEST

/* Other bytes under the digest of an honest file: one of its structure, of its rest, and a longer one. */
START_TEST(test_forged_claim_gets_nothing)
{
	struct st_file honest = model(FLOATS), other = model(HEADER("I32", "100000")),
		       longer = st_file(FLOATS, DATA + 1);
	struct facts *base = whole(&honest), *got;
	struct claim c;

	got = claimed(&other, base, NULL, &c);
	ck_assert_int_eq(got->final.cause, WLK_CAUSE_DIGEST_MISMATCH);
	ck_assert(!got->final.complete && got->n_findings == 0 && got->final.format == WLK_FORMAT_UNKNOWN);
	facts_free(got);
	got = claimed(&longer, base, NULL, &c);
	ck_assert(!got->final.complete && got->weights != WEIGHTS_STORED);
	facts_free(got);
	memset(
	    honest.at + honest.n - 100000, 7, 1000); /* not read: of the digest's own weights is told, not of these */
	got = claimed(&honest, base, NULL, &c);
	ck_assert(got->final.complete && got->final.totals.nan == 1);
	facts_free(got);
	facts_free(base);
	free(honest.at);
	free(other.at);
	free(longer.at);
}
END_TEST

/* Rules that read what older ones did not. */
START_TEST(test_what_was_not_noted_is_not_parsed)
{
	struct st_file f = model(FLOATS);
	struct facts *base = whole(&f), *got;
	struct claim c;

	base->n_blocks = 0;
	got = claimed(&f, base, NULL, &c);
	ck_assert_int_eq(got->final.cause, WLK_CAUSE_INPUT_UNPROVEN);
	ck_assert(!got->final.complete && c.read == 0);
	facts_free(got);
	facts_free(base);
	free(f.at);
}
END_TEST

/* A pass over other extents than those of today found something else. */
START_TEST(test_another_layout_takes_no_older_pass)
{
	struct st_file f = model(FLOATS);
	struct facts *base = whole(&f), *got;
	struct claim c;

	base->pass[0] ^= 1;
	got = claimed(&f, base, NULL, &c);
	ck_assert(!got->final.complete && got->weights == WEIGHTS_NOT_READ);
	ck_assert_uint_eq(got->per_code[WLK_F_WEIGHTS_NOT_READ], 1);
	facts_free(got);
	facts_free(base);
	free(f.at);
}
END_TEST

/* What a worker says of a claimed job beyond its structure is a lie. */
START_TEST(test_worker_that_says_more_lies)
{
	struct st_file f = model(FLOATS);
	struct facts_expect expect = { .size = f.n, .taken_by = DIGEST_BY_CALLER, .has_taken = true };
	struct job job = memory_job(f.n);
	struct memory_report raw;
	struct facts *got = facts_new(), *base = whole(&f);

	job.undigested = true;
	memory_scan_raw(f.at, f.n, &job, &raw); /* a whole one: complete, with totals */
	facts_feed(got, raw.at, raw.n);
	facts_finish(got, WLK_CAUSE_NONE, &expect);
	ck_assert_int_eq(got->final.cause, WLK_CAUSE_WORKER_PROTOCOL);
	ck_assert(facts_claim(got, base));
	ck_assert(!got->final.complete && got->weights != WEIGHTS_STORED && got->n_findings == 0);
	facts_free(got);
	facts_free(base);
	free(raw.at);
	free(f.at);
}
END_TEST

START_TEST(test_what_is_not_there_is_asked_for)
{
	struct st_file f = model(FLOATS);
	struct facts *base = whole(&f), *got;
	struct claim c;

	for (int known = 0; known < 2; known++) {
		got = claimed(&f, known ? base : NULL, "none", &c);
		ck_assert_int_eq(got->final.cause, WLK_CAUSE_INPUT_ABSENT);
		ck_assert(!got->final.complete && c.read == 0);
		ck_assert_uint_eq(got->n_wanted, 2); /* head and tail */
		ck_assert(got->wanted[0].begin == 0 && got->wanted[0].end == 65536);
		ck_assert(got->wanted[1].begin == 327680 && got->wanted[1].end == f.n);
		facts_free(got);
		got = claimed(&f, known ? base : NULL, "0-65535", &c);
		ck_assert_int_eq(got->final.cause, WLK_CAUSE_NONE);
		ck_assert(got->final.complete == (known == 1));
		facts_free(got);
	}
	facts_free(base);
	free(f.at);
}
END_TEST

START_TEST(test_ranges_are_read_strictly)
{
	static const char *const bad[] = { "", "1", "1-", "-1", "5-4", "0-1,1-2", "3-4,0-1", "0-1,", "0-1 ", "none,0-1",
		"0-99999999999999999999", "0-9223372036854775807", "+1-2" };
	static struct partial p;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert(!partial_read_ranges(bytes_of_text(bad[i]), &p));
	ck_assert(partial_read_ranges(bytes_of_text("0-0,1-5,9-9"), &p));
	ck_assert(p.n_there == 2 && p.there[0].end == 6 && p.there[1].begin == 9);
	ck_assert(partial_has(&p, 2, 6) && !partial_has(&p, 5, 7) && !partial_has(&p, 9, 11));
}
END_TEST

START_TEST(test_document_is_read_strictly)
{
	static struct partial p, got;
	static uint8_t at[PARTIAL_DOCUMENT_MAX + 1];
	size_t n;

	p = (struct partial){ .sparse = true, .known = true, .n_there = 1, .n_blocks = 2 };
	p.there[0] = (struct partial_range){ 3, 70000 };
	p.blocks[0].index = 1;
	p.blocks[1].index = 9;
	n = partial_encode(&p, at);
	ck_assert(partial_decode(bytes_of(at, n), &got));
	ck_assert(
	    got.sparse && got.known && got.there[0].end == 70000 && partial_find(&got, 9) && !partial_find(&got, 2));
	ck_assert(!partial_decode(bytes_of(at, n - 1), &got) && !partial_decode(bytes_of(at, n + 1), &got));
	at[8] = 4;
	ck_assert(!partial_decode(bytes_of(at, n), &got));
	at[8] = 2; /* blocks, and none are known */
	ck_assert(!partial_decode(bytes_of(at, n), &got));
	p.blocks[0].index = 9;
	ck_assert(!partial_decode(bytes_of(at, partial_encode(&p, at)), &got));
}
END_TEST

HARNESS("structure", test_honest_claim_takes_what_the_pass_found,
    test_without_a_whole_scan_nothing_is_known_of_the_weights, test_forged_claim_gets_nothing,
    test_what_was_not_noted_is_not_parsed, test_another_layout_takes_no_older_pass, test_worker_that_says_more_lies,
    test_what_is_not_there_is_asked_for, test_ranges_are_read_strictly, test_document_is_read_strictly)
