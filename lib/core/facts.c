/* The report's decoder and judge: see facts.h for what it promises, report.h for the records, report.c for
 * its mirror.  Nothing here trusts a number before it was compared with something. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "facts_impl.h"
#include "scan_limits.h"

struct facts *facts_new(void)
{
	struct facts *f = calloc(1, sizeof(*f));
	struct facts_decoder *d = calloc(1, sizeof(*d));

	if (f == NULL || d == NULL) {
		free(f);
		free(d);
		return NULL;
	}
	arena_init(&d->arena, FACTS_BYTES_MAX);
	f->decoder = d;
	return f;
}

void facts_free(struct facts *f)
{
	if (f == NULL)
		return;
	arena_done(&f->decoder->arena);
	free(f->decoder);
	free(f);
}

/* Reading payloads.  The cursor's error sticks, so a reader may read on and ask once. */

static bool take_flag(struct cursor *c, bool *ret)
{
	uint8_t v;
	bool ok = cur_u8(c, &v) && v <= 1;

	*ret = ok && v == 1;
	return ok;
}

bool facts_take_text(struct facts_decoder *d, struct cursor *c, size_t max, struct bytes *ret)
{
	struct bytes view;
	uint16_t n;
	uint8_t *copy;

	*ret = (struct bytes){ 0 };
	if (!cur_u16le(c, &n) || n > max || !cur_bytes(c, n, &view))
		return false;
	if (n == 0)
		return true;
	copy = arena_alloc(&d->arena, n, 1);
	if (copy == NULL)
		return false;
	memcpy(copy, view.at, n);
	*ret = bytes_of(copy, n);
	return true;
}

static bool take_value(struct facts_decoder *d, struct cursor *c, struct value *ret)
{
	uint8_t kind;
	bool flag;

	*ret = (struct value){ 0 };
	if (!cur_u8(c, &kind))
		return false;
	switch (kind) {
	case VALUE_NONE: return true;
	case VALUE_NUMBER: ret->kind = VALUE_NUMBER; return cur_u64le(c, &ret->number);
	case VALUE_TEXT: ret->kind = VALUE_TEXT; return facts_take_string(d, c, &ret->text);
	case VALUE_FLAG:
		ret->kind = VALUE_FLAG;
		if (!take_flag(c, &flag))
			return false;
		ret->number = flag;
		return true;
	default: return false;
	}
}

void *facts_grow(struct facts_decoder *d, void *list, size_t n, size_t *capacity, size_t item)
{
	void *bigger;

	if (n < *capacity)
		return list;
	bigger = arena_resize(&d->arena, list, *capacity > 0 ? *capacity * 2 : 16, item);
	if (bigger != NULL)
		*capacity = *capacity > 0 ? *capacity * 2 : 16;
	return bigger;
}

void facts_saw(struct facts_decoder *d, uint64_t offset)
{
	uint64_t *furthest = offset_is_decoded(offset) ? &d->furthest_decoded : &d->furthest;

	if (offset_bare(offset) > *furthest)
		*furthest = offset_bare(offset);
}

/* Bytes a scan of so many can come to see: those of the file, and those decoded from them. */
static uint64_t bytes_seen_max(uint64_t size)
{
	const struct limits most = LIMITS_DEFAULT;
	uint64_t sum;

	return add_u64(size, most.unpacked_bytes, &sum) ? sum : UINT64_MAX;
}

/* The records */

static bool take_progress(struct facts *f, struct cursor *c)
{
	return cur_u64le(c, &f->progress);
}

/* Where the finding is; what it names must not wrap. */
static bool take_place(struct cursor *c, struct finding *ret, uint64_t *ret_end)
{
	uint8_t flags;

	if (!cur_u8(c, &flags) || flags > 7 || (flags & 5) == 4)
		return false;
	ret->has_offset = flags & 1;
	ret->has_length = flags & 2;
	if ((ret->has_offset && !cur_u64le(c, &ret->offset)) || (ret->has_length && !cur_u64le(c, &ret->length)) ||
	    !add_u64(ret->offset, ret->length, ret_end) || *ret_end >= OFFSET_DECODED)
		return false;
	if ((flags & 4) != 0)
		ret->offset |= OFFSET_DECODED;
	return true;
}

static bool take_finding(struct facts *f, struct cursor *c)
{
	struct facts_decoder *d = f->decoder;
	struct finding got = { 0 };
	struct finding *list;
	uint64_t end;
	uint32_t number;

	if (!cur_u32le(c, &number) || !finding_by_number(number, &got.code) ||
	    d->listed[got.code] == REPORT_PER_CODE_MAX || f->n_findings == REPORT_FINDINGS_MAX)
		return false;
	if (!take_place(c, &got, &end) || !facts_take_string(d, c, &got.subject) ||
	    !facts_take_string(d, c, &got.member) || !take_value(d, c, &got.found) || !take_value(d, c, &got.allowed) ||
	    got.found.kind == VALUE_FLAG || got.allowed.kind == VALUE_FLAG)
		return false;
	if (offset_is_decoded(got.offset) && got.member.n == 0)
		return false;
	facts_saw(d, end | (got.offset & OFFSET_DECODED));
	list = facts_grow(d, f->findings, f->n_findings, &d->capacity[0], sizeof(*list));
	if (list == NULL)
		return false;
	f->findings = list;
	f->findings[f->n_findings++] = got;
	f->per_code[got.code]++;
	d->listed[got.code]++;
	return true;
}

/* Which counts an element type can have at all. */
static bool counts_suit_dtype(const struct nonfinite *row)
{
	uint64_t infinite = row->pos_inf | row->neg_inf;

	switch (dtype_info(row->dtype)->kind) {
	case DTYPE_IEEE:
	case DTYPE_COMPLEX:
	case DTYPE_X87:
	case DTYPE_X87_COMPLEX:
	case DTYPE_BLOCK: return row->bool_invalid == 0 && (row->nan | infinite) != 0;
	case DTYPE_E4M3:
	case DTYPE_FNUZ:
	case DTYPE_E8M0: return row->bool_invalid == 0 && infinite == 0 && row->nan != 0;
	case DTYPE_BOOLEAN: return row->bool_invalid != 0 && (row->nan | infinite) == 0;
	default: return false;
	}
}

static bool add_counts(struct report_totals *sum, const struct nonfinite *row)
{
	return add_u64(sum->nan, row->nan, &sum->nan) && add_u64(sum->pos_inf, row->pos_inf, &sum->pos_inf) &&
	       add_u64(sum->neg_inf, row->neg_inf, &sum->neg_inf) &&
	       add_u64(sum->bool_invalid, row->bool_invalid, &sum->bool_invalid);
}

static bool take_nonfinite(struct facts *f, struct cursor *c)
{
	struct facts_decoder *d = f->decoder;
	struct nonfinite got = { 0 };
	struct nonfinite *list;
	uint64_t after;
	uint8_t dtype;
	bool decoded;

	if (f->n_rows == REPORT_NONFINITE_MAX || !facts_take_string(d, c, &got.tensor) || !cur_u8(c, &dtype) ||
	    dtype >= WLK_N_DTYPES)
		return false;
	got.dtype = (enum wlk_dtype)dtype;
	if (!cur_u64le(c, &got.nan) || !cur_u64le(c, &got.pos_inf) || !cur_u64le(c, &got.neg_inf) ||
	    !cur_u64le(c, &got.bool_invalid) || !cur_u64le(c, &got.first_offset) || !take_flag(c, &decoded))
		return false;
	if (!counts_suit_dtype(&got) || !add_counts(&d->rows, &got) || !add_u64(got.first_offset, 1, &after) ||
	    after >= OFFSET_DECODED)
		return false;
	got.first_offset |= decoded ? OFFSET_DECODED : 0;
	facts_saw(d, after | (got.first_offset & OFFSET_DECODED));
	list = facts_grow(d, f->rows, f->n_rows, &d->capacity[1], sizeof(*list));
	if (list == NULL)
		return false;
	f->rows = list;
	f->rows[f->n_rows++] = got;
	return true;
}

static bool fact_is_keyed(enum wlk_fact id)
{
	static const bool keyed[WLK_N_FACTS] = {
#define X(fact, member, is_keyed) [WLK_FACT_##fact] = is_keyed,
		WLK_FACTS(X)
#undef X
	};

	return keyed[id];
}

static bool has_fact(const struct facts *f, enum wlk_fact id, struct bytes key)
{
	for (size_t i = 0; i < f->n_facts; i++) {
		if (f->facts[i].id == id && bytes_equal(f->facts[i].key, key))
			return true;
	}
	return false;
}

static bool take_fact(struct facts *f, struct cursor *c)
{
	struct facts_decoder *d = f->decoder;
	struct fact got = { 0 };
	struct fact *list;
	uint8_t id;

	if (f->n_facts == REPORT_FACTS_MAX || !cur_u8(c, &id) || id >= WLK_N_FACTS)
		return false;
	got.id = (enum wlk_fact)id;
	if (!facts_take_string(d, c, &got.key) || !take_value(d, c, &got.value) || got.value.kind == VALUE_NONE)
		return false;
	if (fact_is_keyed(got.id) != (got.key.n > 0) || has_fact(f, got.id, got.key))
		return false;
	list = facts_grow(d, f->facts, f->n_facts, &d->capacity[2], sizeof(*list));
	if (list == NULL)
		return false;
	f->facts = list;
	f->facts[f->n_facts++] = got;
	return true;
}

/* -- the manifest: decoded to be sure of it, and passed on -- */

void facts_want_rows(struct facts *f, const struct manifest_sink *sink)
{
	f->decoder->sink = sink;
}

static bool take_row(struct facts *f, struct cursor *c)
{
	struct facts_decoder *d = f->decoder;
	struct manifest_row row;
	struct bytes encoded;

	if (d->sink == NULL || !cur_bytes(c, cur_left(c), &encoded) || encoded.n > MANIFEST_ROW_MAX ||
	    !manifest_decode(encoded, &row) || row.index < d->next_row || row.index >= MANIFEST_ROWS_MAX ||
	    f->manifest_bytes > MANIFEST_BYTES_MAX - MANIFEST_ROW_MAX)
		return false;
	if (row.kind == MANIFEST_TENSOR)
		facts_saw(d, row.end | (row.member.n > 0 ? OFFSET_DECODED : 0));
	d->next_row = row.index + 1;
	f->manifest_rows++;
	f->manifest_bytes += 4 + encoded.n;
	if (!d->sink->row(d->sink->ctx, &row, encoded))
		d->sink_full = true;
	return true;
}

static bool take_digest(struct facts *f, struct cursor *c)
{
	struct facts_decoder *d = f->decoder;
	struct bytes digest;
	uint64_t index;

	if (d->sink == NULL || d->sink->digest == NULL || !cur_u64le(c, &index) || index >= MANIFEST_ROWS_MAX ||
	    !cur_bytes(c, 32, &digest))
		return false;
	if (!d->sink->digest(d->sink->ctx, index, digest.at))
		d->sink_full = true;
	return true;
}

static bool take_stats(struct facts *f, struct cursor *c)
{
	struct facts_decoder *d = f->decoder;
	struct tensor_stats sound;
	struct bytes encoded;
	uint64_t index;

	if (d->sink == NULL || d->sink->stats == NULL || !cur_u64le(c, &index) || index >= MANIFEST_ROWS_MAX ||
	    !cur_bytes(c, TENSOR_STATS_BYTES, &encoded) || !tensor_stats_decode(encoded.at, &sound))
		return false;
	if (!d->sink->stats(d->sink->ctx, index, encoded.at))
		d->sink_full = true;
	return true;
}

/* More of a code than are listed: only once a bound was reached, or somebody hides findings. */
static bool take_omitted(struct facts *f, struct cursor *c)
{
	struct facts_decoder *d = f->decoder;
	enum wlk_finding code;
	uint32_t number;
	uint64_t total;

	if (!cur_u32le(c, &number) || !finding_by_number(number, &code) || number < d->next_omitted ||
	    !cur_u64le(c, &total))
		return false;
	if (total <= d->listed[code] || (d->listed[code] < REPORT_PER_CODE_MAX && f->n_findings < REPORT_FINDINGS_MAX))
		return false;
	d->next_omitted = (uint64_t)number + 1;
	f->per_code[code] = total;
	return true;
}

static bool take_totals(struct cursor *c, struct report_totals *ret)
{
	return cur_u64le(c, &ret->tensors) && cur_u64le(c, &ret->elements) && cur_u64le(c, &ret->nan) &&
	       cur_u64le(c, &ret->pos_inf) && cur_u64le(c, &ret->neg_inf) && cur_u64le(c, &ret->bool_invalid) &&
	       cur_u64le(c, &ret->nonfinite_omitted);
}

/* Some causes are not the worker's to name: they are about the worker itself, or what it was not told. */
static bool worker_may_say(enum wlk_cause cause)
{
	switch (cause) {
	case WLK_CAUSE_WORKER_CRASHED:
	case WLK_CAUSE_WORKER_TIMEOUT:
	case WLK_CAUSE_WORKER_KILLED_SECCOMP:
	case WLK_CAUSE_WORKER_PROTOCOL:
	case WLK_CAUSE_DIGEST_MISMATCH:
	case WLK_CAUSE_BUSY: return false;
	default: return true;
	}
}

/* Sums: what is listed is all there is, unless rows were omitted; then each of them counted something. */
static bool totals_suit_rows(const struct facts *f, const struct report_totals *t)
{
	const struct report_totals *rows = &f->decoder->rows;
	uint64_t beyond;

	if (t->nan < rows->nan || t->pos_inf < rows->pos_inf || t->neg_inf < rows->neg_inf ||
	    t->bool_invalid < rows->bool_invalid)
		return false;
	if (!add_u64(t->nan - rows->nan, t->pos_inf - rows->pos_inf, &beyond) ||
	    !add_u64(beyond, t->neg_inf - rows->neg_inf, &beyond) ||
	    !add_u64(beyond, t->bool_invalid - rows->bool_invalid, &beyond))
		return false;
	if (t->nonfinite_omitted == 0)
		return beyond == 0;
	return f->n_rows == REPORT_NONFINITE_MAX && beyond >= t->nonfinite_omitted;
}

/* No element that can be wrong is smaller than a byte (a complex one counts its two parts). */
static bool totals_suit_size(const struct report_totals *t, uint64_t size)
{
	uint64_t sum;

	size = bytes_seen_max(size);
	return t->elements <= size && add_u64(t->nan, t->pos_inf, &sum) && add_u64(sum, t->neg_inf, &sum) &&
	       add_u64(sum, t->bool_invalid, &sum) && sum <= size;
}

static bool final_is_sound(const struct facts *f, const struct report_final *fin)
{
	if (!worker_may_say(fin->cause) || fin->bytes > fin->size)
		return false;
	/* What nobody recognised, nobody has examined. */
	if (fin->complete && (fin->cause != WLK_CAUSE_NONE || fin->format == WLK_FORMAT_UNKNOWN))
		return false;
	/* Complete is what went through all of it. */
	if ((fin->complete || fin->has_digest) && fin->bytes != fin->size)
		return false;
	return totals_suit_rows(f, &fin->totals) && totals_suit_size(&fin->totals, fin->size);
}

static bool take_format(struct cursor *c, enum wlk_format_id *ret)
{
	uint32_t number;

	return cur_u32le(c, &number) && format_by_number(number, ret);
}

static bool take_final(struct facts *f, struct cursor *c)
{
	struct report_final fin = { 0 };
	uint8_t chosen, cause;
	struct bytes digest;

	if (!cur_u64le(c, &fin.size) || !take_flag(c, &fin.has_digest))
		return false;
	if (fin.has_digest) {
		if (!cur_bytes(c, sizeof(fin.sha256), &digest))
			return false;
		memcpy(fin.sha256, digest.at, sizeof(fin.sha256));
	}
	if (!take_format(c, &fin.format) || !take_format(c, &fin.reader) || !cur_u8(c, &chosen) ||
	    chosen >= REPORT_N_CHOSEN || !take_flag(c, &fin.names_idle) || !take_flag(c, &fin.complete) ||
	    !cur_u8(c, &cause) || cause >= WLK_N_CAUSES)
		return false;
	fin.chosen = (enum report_chosen)chosen;
	fin.cause = (enum wlk_cause)cause;
	if (!cur_u64le(c, &fin.bytes) || !take_totals(c, &fin.totals) ||
	    !facts_take_string(f->decoder, c, &fin.media_type) || !final_is_sound(f, &fin))
		return false;
	f->final = fin;
	f->has_final = true;
	return true;
}

/* Order: anything, then the omitted counts, then the final record, then nothing. */
static bool take_record(struct facts *f, uint8_t type, struct cursor *c)
{
	struct facts_decoder *d = f->decoder;

	if (d->phase == PHASE_OMITTED && type != RECORD_OMITTED && type != RECORD_FINAL)
		return false;
	switch (type) {
	case RECORD_PROGRESS: return take_progress(f, c);
	case RECORD_FINDING: return take_finding(f, c);
	case RECORD_NONFINITE: return take_nonfinite(f, c);
	case RECORD_FACT: return take_fact(f, c);
	case RECORD_ROW: return take_row(f, c);
	case RECORD_DIGEST: return take_digest(f, c);
	case RECORD_STATS: return take_stats(f, c);
	case RECORD_CALL: return facts_take_call(f, c);
	case RECORD_VIEW: return facts_take_view(f, c);
	case RECORD_PASS: return facts_take_pass(f, c);
	case RECORD_BLOCK: return facts_take_block(f, c);
	case RECORD_WANTED: return facts_take_wanted(f, c);
	case RECORD_OMITTED: d->phase = PHASE_OMITTED; return take_omitted(f, c);
	case RECORD_FINAL: d->phase = PHASE_OVER; return take_final(f, c);
	default: return false;
	}
}

/* How many bytes the pending record needs in all, as far as is known; 0 for a length nobody may have. */
static size_t record_needs(const struct facts_decoder *d)
{
	uint32_t n;

	if (d->pending < HEADER_BYTES)
		return HEADER_BYTES;
	n = load_u32le(d->record);
	return n <= REPORT_RECORD_MAX ? HEADER_BYTES + (size_t)n : 0;
}

/* The pending record is whole: it must decode, and to its last byte. */
static bool end_record(struct facts *f)
{
	struct facts_decoder *d = f->decoder;
	struct cursor c = cur_over(bytes_of(d->record + HEADER_BYTES, d->pending - HEADER_BYTES), 0);

	d->pending = 0;
	return take_record(f, d->record[4], &c) && c.err == CUR_OK && cur_left(&c) == 0;
}

/* Take bytes until the pending record is whole, or there are none left. */
static bool feed_some(struct facts *f, const uint8_t **at, size_t *n)
{
	struct facts_decoder *d = f->decoder;
	size_t piece = record_needs(d) - d->pending, needs;

	if (d->phase == PHASE_OVER)
		return false;
	piece = piece < *n ? piece : *n;
	memcpy(d->record + d->pending, *at, piece);
	d->pending += piece;
	*at += piece;
	*n -= piece;
	/* Asked again: with the header in, the need is known. */
	needs = record_needs(d);
	return needs != 0 && (d->pending < needs || end_record(f));
}

bool facts_feed(struct facts *f, const uint8_t *at, size_t n)
{
	struct facts_decoder *d = f->decoder;

	/* Rows and digests cost no memory here, and what they may come to is bounded by their own numbers. */
	if (n > FACTS_FEED_MAX + (d->sink != NULL ? FACTS_MANIFEST_MAX : 0) - d->fed)
		d->broken = true;
	else
		d->fed += n;
	while (!d->broken && n > 0) {
		if (!feed_some(f, &at, &n))
			d->broken = true;
	}
	return !d->broken;
}

/* Forget everything a worker said. */
static void drop_all(struct facts *f)
{
	f->n_findings = f->n_rows = f->n_facts = f->n_calls = f->n_views = f->n_blocks = f->n_wanted = 0;
	f->has_pass = false;
	memset(f->per_code, 0, sizeof(f->per_code));
	f->has_final = false;
	f->final = (struct report_final){ 0 };
}

static void end_with(struct facts *f, enum wlk_cause cause)
{
	f->final.cause = cause;
	f->final.complete = false;
}

/* Only a worker that was to take the digest has one, and then every complete report has. */
static bool digest_suits_job(const struct report_final *fin, const struct facts_expect *expect)
{
	if (expect->taken_by == DIGEST_BY_WORKER)
		return fin->has_digest || !fin->complete;
	return !fin->has_digest && (expect->taken_by != DIGEST_BY_CALLER || !fin->complete);
}

/* Does what was received contradict itself or the job? */
static bool contradicts(const struct facts *f, const struct facts_expect *expect)
{
	return f->decoder->broken ||
	       (expect->taken_by == DIGEST_BY_CALLER ? !facts_is_structure(f) : f->n_wanted > 0) ||
	       f->decoder->furthest > expect->size || f->decoder->furthest_decoded > bytes_seen_max(expect->size) ||
	       (f->has_final && (f->final.size != expect->size || !digest_suits_job(&f->final, expect)));
}

static bool digest_differs(const struct facts *f, const struct facts_expect *expect)
{
	return expect->has_sha256 && f->final.has_digest &&
	       memcmp(expect->sha256, f->final.sha256, sizeof(expect->sha256)) != 0;
}

/* Nothing that was found before the pass is of bytes that another had hashed, unless the pass came to its end. */
static bool is_about_what_flowed(const struct facts *f, const struct facts_expect *expect)
{
	if (f->has_final && f->final.cause == WLK_CAUSE_NONE && f->final.bytes == expect->size)
		return true;
	if (f->has_final && (f->final.format != WLK_FORMAT_UNKNOWN || f->final.media_type.n > 0))
		return false; /* policies go by these, too */
	return f->n_findings == 0 && f->n_facts == 0 && f->n_rows == 0 && f->n_calls == 0 && f->n_views == 0;
}

static void set_digest(struct facts *f, const struct facts_expect *expect)
{
	f->digest_by = expect->taken_by;
	if (expect->taken_by == DIGEST_BY_WORKER)
		return;
	f->final.has_digest = expect->has_taken && (!expect->flowed || is_about_what_flowed(f, expect));
	memcpy(f->final.sha256, expect->taken, sizeof(f->final.sha256));
}

/* Decide f->final.cause and f->final.complete. */
static void decide(struct facts *f, enum wlk_cause cause, const struct facts_expect *expect)
{
	if (contradicts(f, expect) || (cause == WLK_CAUSE_NONE && !f->has_final)) {
		drop_all(f);
		set_digest(f, expect);
		end_with(f, WLK_CAUSE_WORKER_PROTOCOL);
		return;
	}
	set_digest(f, expect);
	if (cause != WLK_CAUSE_NONE) {
		end_with(f, cause);
	} else if (f->final.cause == WLK_CAUSE_NONE && f->decoder->sink_full) {
		end_with(f, WLK_CAUSE_LIMIT_OUTPUT);
	} else if (f->final.cause == WLK_CAUSE_NONE && digest_differs(f, expect)) {
		end_with(f, WLK_CAUSE_DIGEST_MISMATCH);
	} else if (f->final.complete && !f->final.has_digest) {
		end_with(f, WLK_CAUSE_INTERNAL); /* whoever was to take it could not */
	}
}

void facts_finish(struct facts *f, enum wlk_cause cause, const struct facts_expect *expect)
{
	decide(f, cause, expect);
	f->final.size = expect->size;
}

const char *digest_by_text(enum digest_by by)
{
	static const char *const texts[] = { [DIGEST_BY_WORKER] = "worker",
		[DIGEST_BY_FRONT] = "front",
		[DIGEST_BY_COMMAND] = "command",
		[DIGEST_BY_DIGESTER] = "digester",
		[DIGEST_BY_CALLER] = "caller" };

	return texts[by];
}

bool facts_tensors_listed(const struct facts *f)
{
	for (size_t i = 0; i < f->n_facts; i++) {
		if (f->facts[i].id == WLK_FACT_TENSORS_LISTED)
			return f->final.complete && f->facts[i].value.number == 1;
	}
	return false;
}

bool facts_put_off(const struct facts *f)
{
	bool said = false;

	for (size_t i = 0; i < f->n_facts; i++)
		said = said || f->facts[i].id == WLK_FACT_PUT_OFF;
	return said && f->final.cause == WLK_CAUSE_NONE && !f->final.complete && f->final.bytes == 0 &&
	       f->n_findings == 0;
}

struct facts *facts_unread(enum wlk_cause cause, uint64_t size)
{
	struct facts *f = facts_new();

	if (f == NULL)
		return NULL;
	f->decoder->phase = PHASE_OVER;
	f->has_final = true;
	f->final.size = size;
	end_with(f, cause);
	return f;
}
