/* The report's encoder: see report.h for the records and their bounds.  facts.c is its mirror and its judge.
 *
 * Findings leave at once, so that a scan that dies later still leaves what it saw; rows, facts and progress
 * wait for a full buffer, the next finding or the next progress record. */
#include <assert.h>
#include <string.h>

#include "part.h"
#include "report.h"

#define HEADER_BYTES 5 /* u32 length, u8 type */

void report_init(struct report *r, report_write_fn write, report_clock_fn clock, void *ctx)
{
	memset(r, 0, offsetof(struct report, buffer)); /* the buffer only holds what was written to it */
	r->write = write;
	r->clock = clock;
	r->ctx = ctx;
}

static void flush(struct report *r)
{
	if (r->buffered > 0 && !r->failed && !r->write(r->ctx, r->buffer, r->buffered))
		r->failed = true;
	r->buffered = 0;
}

/* One record being written at the end of the buffer.  Every string in it is bounded by REPORT_STRING_MAX, so
 * that REPORT_RECORD_MAX is never reached: put() asserts it. */
struct record {
	struct report *r;
	size_t start;
};

static struct record record_begin(struct report *r, enum report_record type)
{
	struct record rec = { .r = r };

	if (sizeof(r->buffer) - r->buffered < HEADER_BYTES + REPORT_RECORD_MAX)
		flush(r);
	rec.start = r->buffered;
	r->buffer[rec.start + 4] = (uint8_t)type;
	r->buffered += HEADER_BYTES;
	return rec;
}

static void record_end(struct record *rec)
{
	size_t n = rec->r->buffered - rec->start - HEADER_BYTES;

	store_u32le(rec->r->buffer + rec->start, (uint32_t)n);
}

static uint8_t *put(struct record *rec, size_t n)
{
	struct report *r = rec->r;
	uint8_t *at = r->buffer + r->buffered;

	assert(r->buffered - rec->start - HEADER_BYTES + n <= REPORT_RECORD_MAX);
	r->buffered += n;
	return at;
}

static void put_u8(struct record *rec, uint8_t v)
{
	*put(rec, 1) = v;
}

static void put_u16(struct record *rec, uint16_t v)
{
	store_u16le(put(rec, 2), v);
}

static void put_u32(struct record *rec, uint32_t v)
{
	store_u32le(put(rec, 4), v);
}

static void put_u64(struct record *rec, uint64_t v)
{
	store_u64le(put(rec, 8), v);
}

static void put_string(struct record *rec, struct bytes b)
{
	size_t n = b.n < REPORT_STRING_MAX ? b.n : REPORT_STRING_MAX;

	put_u16(rec, (uint16_t)n);
	if (n > 0)
		memcpy(put(rec, n), b.at, n);
}

static void put_value(struct record *rec, const struct value *v)
{
	put_u8(rec, (uint8_t)v->kind);
	if (v->kind == VALUE_NUMBER)
		put_u64(rec, v->number);
	else if (v->kind == VALUE_TEXT)
		put_string(rec, v->text);
	else if (v->kind == VALUE_FLAG)
		put_u8(rec, v->number != 0);
}

bool report_wants(const struct report *r, enum wlk_finding code)
{
	assert(code < WLK_N_FINDINGS);
	return r->sent[code] < REPORT_PER_CODE_MAX && r->n_findings < REPORT_FINDINGS_MAX;
}

/* An offset in decoded bytes that no member is named for would be nobody's. */
static void put_place(struct record *rec, const struct finding *f)
{
	bool decoded = offset_is_decoded(f->offset), placed = f->has_offset && (!decoded || f->member.n > 0);

	put_u8(rec, (uint8_t)((placed ? 1 : 0) | (f->has_length ? 2 : 0) | (placed && decoded ? 4 : 0)));
	if (placed)
		put_u64(rec, offset_bare(f->offset));
	if (f->has_length)
		put_u64(rec, f->length);
}

/* Remarks are not looked at. */
static void note_place(struct report *r, const struct finding *f)
{
	struct report_place *place = &r->places[r->n_places];

	if (!r->wants_views || !f->has_offset || f->member.n > REPORT_PLACE_MEMBER_MAX ||
	    r->n_places == REPORT_PLACES_MAX || finding_info(f->code)->severity < SEVERITY_MEDIUM)
		return;
	*place = (struct report_place){ .offset = f->offset, .member_n = f->member.n };
	bytes_copy(place->member, f->member);
	r->n_places++;
}

void report_finding(struct report *r, const struct finding *f)
{
	bool wanted = report_wants(r, f->code);
	struct record rec;

	r->per_code[f->code]++;
	if (!wanted)
		return;
	r->sent[f->code]++;
	r->n_findings++;
	note_place(r, f);
	rec = record_begin(r, RECORD_FINDING);
	put_u32(&rec, finding_number(f->code));
	put_place(&rec, f);
	put_string(&rec, f->subject);
	put_string(&rec, f->member);
	put_value(&rec, &f->found);
	put_value(&rec, &f->allowed);
	record_end(&rec);
	flush(r);
}

void report_at(struct report *r, enum wlk_finding code, uint64_t offset)
{
	report_finding(r, &(struct finding){ .code = code, .has_offset = true, .offset = offset });
}

void report_value(struct report *r, enum wlk_finding code, uint64_t offset, uint64_t found, uint64_t allowed)
{
	report_finding(r, &(struct finding){ .code = code,
			      .has_offset = true,
			      .offset = offset,
			      .found = value_number(found),
			      .allowed = value_number(allowed) });
}

void report_nonfinite(struct report *r, const struct nonfinite *row)
{
	struct record rec;

	if (r->structure)
		return;
	r->totals.nan += row->nan;
	r->totals.pos_inf += row->pos_inf;
	r->totals.neg_inf += row->neg_inf;
	r->totals.bool_invalid += row->bool_invalid;
	if (r->n_rows == REPORT_NONFINITE_MAX) {
		r->totals.nonfinite_omitted++;
		return;
	}
	r->n_rows++;
	rec = record_begin(r, RECORD_NONFINITE);
	put_string(&rec, row->tensor);
	put_u8(&rec, (uint8_t)row->dtype);
	put_u64(&rec, row->nan);
	put_u64(&rec, row->pos_inf);
	put_u64(&rec, row->neg_inf);
	put_u64(&rec, row->bool_invalid);
	put_u64(&rec, offset_bare(row->first_offset));
	put_u8(&rec, offset_is_decoded(row->first_offset));
	record_end(&rec);
}

bool report_manifest_row(struct report *r, const struct manifest_row *given)
{
	struct manifest_row copy = *given, *row = &copy;
	struct record rec;
	size_t n;

	if (!r->wants_rows)
		return true;
	if (r->manifest_rows == MANIFEST_ROWS_MAX || row->index >= MANIFEST_ROWS_MAX ||
	    r->manifest_bytes > MANIFEST_BYTES_MAX - MANIFEST_ROW_MAX) {
		report_stop(r, WLK_CAUSE_LIMIT_OUTPUT, r->manifest_bytes, MANIFEST_BYTES_MAX);
		return false;
	}
	assert(row->index >= r->manifest_next);
	row->begin = offset_bare(row->begin);
	row->end = offset_bare(row->end);
	if (r->taker != NULL) {
		r->manifest_tensors += row->kind == MANIFEST_TENSOR ? 1 : 0;
		r->manifest_next = row->index + 1;
		return r->taker->row(r->taker->ctx, row);
	}
	rec = record_begin(r, RECORD_ROW);
	n = manifest_encode(row, r->buffer + r->buffered);
	put(&rec, n);
	record_end(&rec);
	r->manifest_rows++;
	r->manifest_bytes += 4 + n;
	r->manifest_tensors += row->kind == MANIFEST_TENSOR ? 1 : 0;
	r->manifest_next = row->index + 1;
	return true;
}

void report_manifest_digest(struct report *r, uint64_t index, const uint8_t sha256[32])
{
	struct record rec;

	if (!r->wants_digests)
		return;
	rec = record_begin(r, RECORD_DIGEST);
	put_u64(&rec, index);
	memcpy(put(&rec, 32), sha256, 32);
	record_end(&rec);
}

void report_manifest_stats(struct report *r, uint64_t index, const struct tensor_stats *s)
{
	struct record rec;

	if (!r->wants_stats)
		return;
	rec = record_begin(r, RECORD_STATS);
	put_u64(&rec, index);
	tensor_stats_encode(s, put(&rec, TENSOR_STATS_BYTES));
	record_end(&rec);
}

bool report_wants_call(struct report *r, enum call_standing standing)
{
	if (!r->wants_calls)
		return false;
	if (r->n_calls[standing] < (standing == CALL_ALLOWED ? REPORT_CALLS_ALLOWED : REPORT_CALLS_MAX))
		return true;
	r->calls_omitted++;
	return false;
}

_Static_assert(32 + REPORT_STRING_MAX + CALL_TEXT_MAX <= REPORT_RECORD_MAX, "the largest call does not fit");

void report_call(struct report *r, struct call_record call, const struct call_text *t)
{
	struct record rec = record_begin(r, RECORD_CALL);

	r->n_calls[call.standing]++;
	put_u8(&rec, (uint8_t)call.standing);
	put_u8(&rec, (uint8_t)((t->cut ? 1 : 0) | (offset_is_decoded(call.offset) ? 2 : 0)));
	put_u64(&rec, offset_bare(call.offset));
	put_string(&rec, call.member);
	put_u16(&rec, (uint16_t)t->callee_n);
	put_u16(&rec, (uint16_t)t->n);
	memcpy(put(&rec, t->n), t->at, t->n);
	record_end(&rec);
}

const uint32_t report_views_max[N_VIEW_KINDS] = {
	[VIEW_RANGE] = 8192, [VIEW_MEMBER] = 1000, [VIEW_BYTES] = REPORT_PLACES_MAX, [VIEW_OPCODE] = 400
};

bool report_view(struct report *r, const struct view_record *v)
{
	struct record rec;

	if (!r->wants_views || r->n_views[v->kind] == report_views_max[v->kind])
		return false;
	r->n_views[v->kind]++;
	rec = record_begin(r, RECORD_VIEW);
	put_u8(&rec, (uint8_t)v->kind);
	put_u8(&rec, offset_is_decoded(v->offset));
	put_u8(&rec, v->a);
	put_u8(&rec, v->b);
	put_u64(&rec, offset_bare(v->offset));
	put_u64(&rec, v->length);
	put_u64(&rec, v->number);
	put_string(&rec, v->member);
	put_string(&rec, v->text);
	record_end(&rec);
	return true;
}

void report_fact(struct report *r, const struct fact *f)
{
	struct record rec;

	assert(f->id < WLK_N_FACTS && f->value.kind != VALUE_NONE);
	assert(r->n_facts < REPORT_FACTS_MAX);
	r->n_facts++;
	rec = record_begin(r, RECORD_FACT);
	put_u8(&rec, (uint8_t)f->id);
	put_string(&rec, f->key);
	put_value(&rec, &f->value);
	record_end(&rec);
}

void report_fact_number(struct report *r, enum wlk_fact id, uint64_t number)
{
	report_fact(r, &(struct fact){ .id = id, .value = value_number(number) });
}

void report_fact_flag(struct report *r, enum wlk_fact id, bool flag)
{
	report_fact(r, &(struct fact){ .id = id, .value = { .kind = VALUE_FLAG, .number = flag } });
}

void report_progress(struct report *r, uint64_t bytes_done)
{
	struct record rec;
	uint64_t now;

	if (r->clock == NULL)
		return;
	now = r->clock(r->ctx);
	if (r->progress_at_ms == 0)
		r->progress_at_ms = now;
	if (now - r->progress_at_ms < REPORT_PROGRESS_MS)
		return;
	r->progress_at_ms = now;
	rec = record_begin(r, RECORD_PROGRESS);
	put_u64(&rec, bytes_done);
	record_end(&rec);
	flush(r);
}

void report_pass(struct report *r, const uint8_t digest[32])
{
	struct record rec = record_begin(r, RECORD_PASS);

	memcpy(put(&rec, 32), digest, 32);
	record_end(&rec);
}

void report_notes(struct report *r, const struct partial_notes *n)
{
	for (size_t i = 0; i < n->n && !n->over; i++) {
		struct record rec = record_begin(r, RECORD_BLOCK);

		put_u64(&rec, n->blocks[i].index);
		memcpy(put(&rec, SHA256_BYTES), n->blocks[i].sha256, SHA256_BYTES);
		record_end(&rec);
	}
}

void report_wanted(struct report *r, const struct partial *p)
{
	for (size_t i = 0; i < p->n_wanted; i++) {
		struct record rec = record_begin(r, RECORD_WANTED);

		put_u64(&rec, p->wanted[i].begin);
		put_u64(&rec, p->wanted[i].end);
		record_end(&rec);
	}
}

/* The finding of the same name, for the budgets that have one. */
static bool limit_finding(enum wlk_cause cause, enum wlk_finding *ret)
{
	switch (cause) {
	case WLK_CAUSE_LIMIT_SIZE: *ret = WLK_F_LIMIT_SIZE; return true;
	case WLK_CAUSE_LIMIT_MEMORY: *ret = WLK_F_LIMIT_MEMORY; return true;
	case WLK_CAUSE_LIMIT_TIME: *ret = WLK_F_LIMIT_TIME; return true;
	case WLK_CAUSE_LIMIT_REREAD: *ret = WLK_F_LIMIT_REREAD; return true;
	case WLK_CAUSE_LIMIT_WORK: *ret = WLK_F_LIMIT_WORK; return true;
	case WLK_CAUSE_LIMIT_NESTED: *ret = WLK_F_LIMIT_NESTED; return true;
	default: return false;
	}
}

enum wlk_status report_stop(struct report *r, enum wlk_cause cause, uint64_t found, uint64_t allowed)
{
	enum wlk_finding code;

	assert(cause != WLK_CAUSE_NONE && cause < WLK_N_CAUSES);
	if (r->cause != WLK_CAUSE_NONE)
		return WLK_INCOMPLETE;
	r->cause = cause;
	if (limit_finding(cause, &code))
		report_finding(r,
		    &(struct finding){ .code = code, .found = value_number(found), .allowed = value_number(allowed) });
	return WLK_INCOMPLETE;
}

static void put_omitted(struct report *r)
{
	for (unsigned rank = 0; rank < WLK_N_FINDINGS; rank++) {
		enum wlk_finding i = finding_of_rank(rank);
		struct record rec;

		if (r->per_code[i] == r->sent[i])
			continue;
		rec = record_begin(r, RECORD_OMITTED);
		put_u32(&rec, finding_number(i));
		put_u64(&rec, r->per_code[i]);
		record_end(&rec);
	}
}

static void put_totals(struct record *rec, const struct report_totals *t)
{
	put_u64(rec, t->tensors);
	put_u64(rec, t->elements);
	put_u64(rec, t->nan);
	put_u64(rec, t->pos_inf);
	put_u64(rec, t->neg_inf);
	put_u64(rec, t->bool_invalid);
	put_u64(rec, t->nonfinite_omitted);
}

bool report_end(struct report *r, const struct report_final *final)
{
	struct record rec;

	if (r->calls_omitted > 0)
		report_fact_number(r, WLK_FACT_CALLS_OMITTED, r->calls_omitted);
	put_omitted(r);
	rec = record_begin(r, RECORD_FINAL);
	put_u64(&rec, final->size);
	put_u8(&rec, final->has_digest ? 1 : 0);
	if (final->has_digest)
		memcpy(put(&rec, sizeof(final->sha256)), final->sha256, sizeof(final->sha256));
	put_u32(&rec, format_number(final->format));
	put_u32(&rec, format_number(final->reader));
	put_u8(&rec, (uint8_t) final->chosen);
	put_u8(&rec, final->names_idle ? 1 : 0);
	/* A cause and "complete" contradict each other; the cause wins, whatever the caller says. */
	put_u8(&rec, final->complete && r->cause == WLK_CAUSE_NONE ? 1 : 0);
	put_u8(&rec, (uint8_t)r->cause);
	put_u64(&rec, final->bytes);
	put_totals(&rec, &r->totals);
	put_string(&rec, final->media_type);
	record_end(&rec);
	flush(r);
	return !r->failed;
}
