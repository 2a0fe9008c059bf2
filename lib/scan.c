/* One file in, one report out: identify, lay out, pass once over every byte, judge what the pass kept.  Follows
 * docs/internals.md, "One pass". */
#include "scan.h"

#include "checked.h"
#include "claimed.h"
#include "extents.h"
#include "format.h"
#include "identify.h"
#include "identify_signs.h"
#include "tensor_list.h"
#include "member.h"
#include "nested.h"
#include "pass.h"
#include "polyglot.h"
#include "sets.h"
#include "view.h"
#include "zero_tail.h"

#define PIN_BUDGET (UINT64_C(16) << 20)
#define ZIP_END_BYTES 22u    /* the record at an archive's end, without a comment */
#define LFS_POINTER_MAX 1024 /* git-lfs spec: a pointer is smaller */

struct scan {
	const struct wlk_input *in;
	const struct job *job;
	struct report *report;
	struct arena arena;
	struct source src, document;
	struct bytes head;
	struct extents extents;
	struct layout layout;
	const struct wlk_format *format; /* whose layout ran; NULL: nobody's */
	bool by_name;                    /* the content is that of no format: the name chose it */
	bool put_off;                    /* neither did: others may say what it is, later */
	struct claimed claimed;          /* or have said it */
	struct nested *nested;
	struct pass pass;
	struct members members;
	struct exports *exports; /* of JOB_CONVERT; else NULL */
	struct polyglot polyglot;
	struct partial *partial;     /* of JOB_STRUCTURE; else NULL */
	struct partial_notes *notes; /* of a job that is noted; else NULL */
	struct pickle_names names;
	bool names_asked;
	struct report_final final;
};

static void init_layout(struct scan *s)
{
	s->layout = (struct layout){ .src = &s->src,
		.part = part_of_file(&s->src),
		.lim = &s->job->limits,
		.seed = s->in->seed,
		.arena = &s->arena,
		.report = s->report,
		.extents = &s->extents,
		.pickle_names = &s->names,
		.hint = s->job->hint,
		.family = s->job->family,
		.of_set = s->job->part != JOB_PART_ALONE,
		.nested = &s->nested };
}

/* -- what is it? -- */

static const struct wlk_format *format_by_content(struct scan *s)
{
	const struct probe probe = { .head = s->head.at, .n = s->head.n, .size = s->job->size, .arena = &s->arena };
	const struct stream all = {
		.part = s->layout.part, .codec = CODEC_STORED, .size = s->job->size, .size_limit = s->job->size
	};

	s->final.chosen = REPORT_PROBED;
	for (size_t i = 0; i < wlk_n_formats; i++)
		if (wlk_formats[i]->probe(&probe))
			return wlk_formats[i];
	s->final.chosen = REPORT_RESORTED;
	for (size_t i = 0; i < wlk_n_formats; i++)
		if (wlk_formats[i]->last_resort != NULL && wlk_formats[i]->last_resort(&s->layout, &all))
			return wlk_formats[i];
	return NULL;
}

static const struct wlk_format *format_by_hint(const struct scan *s)
{
	for (size_t i = 0; i < wlk_n_formats; i++)
		if (wlk_formats[i]->id == s->job->hint && s->job->hint != WLK_FORMAT_TEXT)
			return wlk_formats[i];
	return NULL;
}

static bool is_lfs_pointer(struct scan *s)
{
	struct bytes oid;
	uint64_t size;

	if (s->job->size > LFS_POINTER_MAX || !identify_lfs_pointer(s->head, &oid, &size))
		return false;
	report_finding(s->report, &(struct finding){ .code = WLK_F_LFS_POINTER });
	report_fact(s->report, &(struct fact){ .id = WLK_FACT_LFS_OID, .value = value_text(oid) });
	report_fact_number(s->report, WLK_FACT_LFS_SIZE, size);
	return true;
}

static void report_unknown(struct scan *s)
{
	const char *type = s->in->media_type != NULL ? s->in->media_type(s->in->ctx, s->head.at, s->head.n) : NULL;

	report_finding(s->report, &(struct finding){ .code = WLK_F_FORMAT_UNKNOWN });
	if (type != NULL)
		s->final.media_type = bytes_of_text(type);
}

/* The name promises another format than the content is. */
static void report_misnamed(struct scan *s)
{
	const struct wlk_format *promised = format_by_hint(s);

	if (promised != NULL && promised != s->format && promised->id != s->layout.id && promised->misnamed != NULL)
		promised->misnamed(&s->layout, format_is_named(s->format->id) ? s->layout.id : s->format->id);
}

/* Text is a side file unless its name says that it is a model, or code. */
static bool promises_more(const struct scan *s)
{
	return s->job->hint != WLK_FORMAT_UNKNOWN && s->job->hint != WLK_FORMAT_TEXT &&
	       s->job->hint != WLK_FORMAT_MARKDOWN;
}

/* Loaders of ZIP archives find them from their end, whatever stands in front: when the name promises one and there is an
 * end, its reader explains the file, and what it begins as is what it also is. */
static bool is_archive_behind(struct scan *s)
{
	const uint8_t *end;

	switch (s->job->hint) {
	case WLK_FORMAT_PYTORCH:
	case WLK_FORMAT_NPZ:
	case WLK_FORMAT_KERAS_ZIP:
	case WLK_FORMAT_SKOPS:
	case WLK_FORMAT_MAR:
	case WLK_FORMAT_PT2:
	case WLK_FORMAT_DDUF:
	case WLK_FORMAT_MEDIAPIPE:
	case WLK_FORMAT_ZIP: break;
	default: return false;
	}
	if (s->format == NULL || !format_is_named(s->format->id) || s->job->size < ZIP_END_BYTES)
		return false;
	end = source_pin(&s->src, s->job->size - ZIP_END_BYTES, ZIP_END_BYTES);
	return end != NULL && memcmp(end, "PK\5\6", 4) == 0;
}

/* Others of its set say that it is their weights.  @ret_named: do they? */
static enum wlk_status lay_out_claimed(struct scan *s, bool *ret_named)
{
	const struct set_input in = { .src = &s->document,
		.arena = &s->arena,
		.lim = &s->job->limits,
		.seed = s->in->seed,
		.report = s->report };
	enum wlk_status status;

	*ret_named = false;
	if (s->job->document_size == 0 || s->in->read_document == NULL || s->partial != NULL)
		return WLK_DONE; /* or that document says what of the file is there (partial.h) */
	source_init(&s->document, s->in->read_document, s->in->ctx, s->job->document_size, SOURCE_IMMUTABLE, &s->arena,
	    PIN_BUDGET);
	status = claimed_lay_out(&s->claimed, &s->layout, &in, s->job->member, ret_named);
	source_done(&s->document);
	if (*ret_named)
		s->final.format = WLK_FORMAT_EXTERNAL_WEIGHTS;
	return status;
}

/* Neither its content nor its name says what it is. */
static enum wlk_status lay_out_unknown(struct scan *s)
{
	enum wlk_status status;
	bool named;

	if (s->job->part == JOB_PART_MEMBER) {
		s->put_off = true;
		report_fact_flag(s->report, WLK_FACT_PUT_OFF, true);
		return WLK_BROKEN;
	}
	status = lay_out_claimed(s, &named);
	if (named || status == WLK_INCOMPLETE)
		return status;
	report_unknown(s);
	return WLK_BROKEN; /* hashed, but nobody knows what its bytes are */
}

/* Content first; the name only decides who has to explain a file that nothing recognises, so that an empty or
 * broken .safetensors is judged as what it claims to be. */
static enum wlk_status identify_and_lay_out(struct scan *s)
{
	enum wlk_status status;

	if (is_lfs_pointer(s)) {
		s->final.format = WLK_FORMAT_LFS_POINTER;
		return WLK_DONE;
	}
	s->format = format_by_content(s);
	if (s->format != NULL && s->format->side_file && promises_more(s) && s->format->id != s->job->hint)
		s->format = NULL;
	if (is_archive_behind(s))
		s->format = NULL;
	if (s->format == NULL) {
		s->final.chosen = REPORT_NAMED;
		s->format = format_by_hint(s);
		s->by_name = s->format != NULL;
	}
	if (s->src.err != SOURCE_OK)
		return layout_stop(&s->layout);
	if (s->format == NULL)
		return lay_out_unknown(s);
	s->layout.id = s->final.reader = s->format->id;
	status = s->format->layout(&s->layout);
	s->final.format = s->layout.id;
	report_misnamed(s);
	return status;
}

/* -- the pass -- */

/* Extents that do not account for the whole file are not trusted with any of it. */
static enum wlk_status run_pass(struct scan *s, bool laid_out)
{
	struct zero_tail zeros;
	struct pass_sink sink;
	enum wlk_status status;

	if (!laid_out)
		s->extents.n = 0;
	members_init(&s->members, &s->extents, &s->arena, s->report);
	s->members.elements.exports = s->exports;
	sink = members_sink(&s->members);
	s->pass.extents = &s->extents;
	s->pass.sink = &sink;
	if (laid_out)
		pass_add_walker(&s->pass, zero_tail_walker(&zeros));
	status = pass_run(&s->pass, s->final.sha256);
	elements_end(&s->members.elements);
	if (status != WLK_DONE)
		return status;
	if (laid_out)
		zero_tail_report(&zeros, &s->extents, s->job->size, s->report);
	s->final.has_digest = !s->job->undigested;
	s->final.bytes = s->job->size;
	return s->members.failed ? layout_stop(&s->layout) : WLK_DONE;
}

/* What only the pass could know.  Return: the worse of this and what the layout came to. */
static enum wlk_status finish(struct scan *s, enum wlk_status layout)
{
	enum wlk_status status = nested_finish(s->nested);

	layout = status > layout ? status : layout;
	status = claimed_finish(&s->claimed);
	layout = status > layout ? status : layout;
	if (s->format == NULL || s->format->finish == NULL || layout == WLK_INCOMPLETE)
		return layout;
	status = s->format->finish(&s->layout);
	return status > layout ? status : layout;
}

/* The manifest, if the job wants it: what no layout listed is listed now. */
static enum wlk_status list_tensors(struct scan *s)
{
	return !s->report->wants_rows || tensor_list_rest(&s->extents, s->report) ? WLK_DONE : WLK_INCOMPLETE;
}

/* -- conversion -- */

static bool begin_export(struct scan *s)
{
	const struct export_options options = { .arena = &s->arena,
		.report = s->report,
		.write = s->in->write_output,
		.ctx = s->in->ctx,
		.output_max = s->job->output_max,
		.header_max = s->job->limits.header_bytes,
		.cast = s->job->cast,
		.leave = s->job->leave };

	if (options.cast != WLK_DTYPE_NONE && !exports_casts_to(options.cast))
		return false;
	s->exports = s->in->write_output != NULL ? exports_new(&options) : NULL;
	return s->exports != NULL;
}

static const struct wlk_format *format_by_id(enum wlk_format_id id)
{
	for (size_t i = 0; i < wlk_n_formats; i++)
		if (wlk_formats[i]->id == id)
			return wlk_formats[i];
	return NULL;
}

/* Whose tensors the rows are: of a compressed file, those of what is in it. */
static const struct wlk_format *converted_format(const struct scan *s)
{
	const struct extents *x = &s->extents;
	const struct wlk_format *f = s->format;

	for (unsigned i = 0; f != NULL && f->converts == CONVERTS_CONTENT && i <= PART_DEPTH_MAX; i++) {
		if (x->n_members == 0)
			return s->format->id == WLK_FORMAT_JOBLIB ? format_by_id(WLK_FORMAT_PICKLE) : NULL;
		f = x->n_members == 1 && x->members[0]->by_content && x->members[0]->inner != NULL
			? format_by_id(x->members[0]->id == WLK_FORMAT_JOBLIB ? WLK_FORMAT_PICKLE : x->members[0]->id)
			: NULL;
		x = x->members[0]->inner;
	}
	return f != NULL && f->converts != CONVERTS_CONTENT ? f : NULL;
}

/* Everything is listed: what will the output be? */
static void plan_export(struct scan *s)
{
	const struct wlk_format *format = converted_format(s);
	struct bytes framework = s->layout.framework;

	if (s->exports == NULL)
		return;
	if (framework.n == 0 && format != NULL && format->framework != NULL) {
		framework = bytes_of_text(format->framework);
		report_fact(
		    s->report, &(struct fact){ .id = WLK_FACT_METADATA_FORMAT, .value = value_text(framework) });
	}
	if (format == NULL || format->converts == CONVERTS_NOT)
		exports_refuse(s->exports, CONVERT_FORMAT, bytes_of(NULL, 0));
	else
		exports_plan(s->exports, framework);
}

static void finish_export(struct scan *s, enum wlk_status status)
{
	const struct wlk_format *format = converted_format(s);

	if (s->exports != NULL)
		exports_finish(s->exports, status == WLK_DONE, format != NULL && format->converts == CONVERTS_TOLD);
}

/* -- by structure alone -- */

/* All that a pass would still find are weights, padding and polyglots: no stream is decoded, nobody looks at more afterwards. */
static bool pass_is_simple(const struct scan *s)
{
	const struct extents *x = &s->extents;

	if (s->format == NULL || s->format->finish != NULL || s->nested != NULL || x->n_members > 0 || x->gaps)
		return false;
	for (size_t i = 0; i < x->n; i++)
		if ((x->list[i].flags & EXTENT_RECORDS) != 0)
			return false;
	return true;
}

static void digest_u64(struct sha256 *h, uint64_t v)
{
	uint8_t buf[8];

	store_u64le(buf, v);
	sha256_feed(h, buf, sizeof(buf));
}

/* What the pass goes by besides the bytes: see RECORD_PASS. */
static void tell_pass(struct scan *s)
{
	const struct extents *x = &s->extents;
	uint8_t digest[SHA256_BYTES];
	struct sha256 h;

	if (!pass_is_simple(s))
		return;
	sha256_begin(&h);
	digest_u64(&h, format_number(s->final.format));
	digest_u64(&h, finding_number(x->nonzero));
	for (size_t i = 0; i < x->n; i++) {
		const struct extent *e = &x->list[i];

		digest_u64(&h, e->begin);
		digest_u64(&h, e->end);
		digest_u64(&h, (uint64_t)e->name_at << 32 | e->name_n);
		digest_u64(&h, (uint64_t)e->index << 32 | (uint64_t)e->kind << 16 | e->flags);
		digest_u64(&h, dtype_info((enum wlk_dtype)e->dtype)->bits);
		sha256_feed(&h, (const uint8_t *)dtype_info((enum wlk_dtype)e->dtype)->name,
		    strlen(dtype_info((enum wlk_dtype)e->dtype)->name));
	}
	sha256_end(&h, digest);
	report_pass(s->report, digest);
}

/* Nobody has said more than that. */
static bool read_partial(struct scan *s)
{
	static const struct partial all_there = { 0 };
	uint8_t *at;
	size_t n = (size_t)s->job->document_size;

	s->partial = arena_alloc(&s->arena, 1, sizeof(*s->partial));
	at = arena_alloc(&s->arena, n, 1);
	if (s->partial == NULL || at == NULL)
		return source_fail(&s->src, SOURCE_MEMORY);
	if (n == 0) {
		*s->partial = all_there;
		return true;
	}
	source_init(&s->document, s->in->read_document, s->in->ctx, n, SOURCE_IMMUTABLE, &s->arena, 0);
	if (!source_read_exact(&s->document, 0, at, n) || !partial_decode(bytes_of(at, n), s->partial))
		return source_fail(&s->src, SOURCE_UNREADABLE);
	return true;
}

/* Whatever comes of it, it is not complete: all facts about the rest of the bytes are others'. */
static enum wlk_status examine_structure(struct scan *s)
{
	const uint8_t *head;
	enum wlk_status layout;

	s->report->structure = true;
	if (!read_partial(s))
		return layout_stop(&s->layout);
	source_read_partly(&s->src, s->partial);
	if (s->job->size > PARTIAL_TAIL)
		source_want(&s->src, s->job->size - PARTIAL_TAIL, PARTIAL_TAIL);
	head = source_pin(&s->src, 0, (size_t)min_u64(s->job->size, PROBE_BYTES));
	s->head = bytes_of(head, head != NULL ? (size_t)min_u64(s->job->size, PROBE_BYTES) : 0);
	layout = head != NULL ? identify_and_lay_out(s) : layout_stop(&s->layout);
	if (layout == WLK_DONE)
		layout = list_tensors(s);
	if (layout == WLK_DONE)
		tell_pass(s);
	/* Numbers that are read as structure (trees, scalars) are the whole report's to count: it counts all of them. */
	s->report->totals = (struct report_totals){ 0 };
	if (s->report->cause == WLK_CAUSE_INPUT_ABSENT) {
		partial_sort(s->partial);
		report_wanted(s->report, s->partial);
	}
	return layout == WLK_INCOMPLETE ? layout : WLK_BROKEN;
}

static bool begin_notes(struct scan *s)
{
	if (!s->job->noted)
		return true;
	s->notes = arena_alloc(&s->arena, 1, sizeof(*s->notes));
	if (s->notes == NULL)
		return source_fail(&s->src, SOURCE_MEMORY);
	source_note(&s->src, s->notes);
	return true;
}

static enum wlk_status examine(struct scan *s)
{
	size_t head_n = s->job->size < PROBE_BYTES ? (size_t)s->job->size : PROBE_BYTES;
	const uint8_t *head = begin_notes(s) ? source_pin(&s->src, 0, head_n) : NULL;
	enum wlk_status layout, status;

	if (head == NULL)
		return layout_stop(&s->layout);
	s->head = bytes_of(head, head_n);
	layout = identify_and_lay_out(s);
	if (s->report->wants_views && !s->put_off)
		view_layout(&s->extents, s->job->size, s->report);
	if (layout == WLK_INCOMPLETE || s->put_off)
		return layout;
	pass_init(&s->pass, &s->src, s->report);
	claimed_join(&s->claimed, &s->pass);
	status = polyglot_plan(&s->polyglot, &s->pass, s->final.format, &s->extents, s->in->seed);
	if (status == WLK_DONE && layout == WLK_DONE)
		status = list_tensors(s);
	if (status == WLK_DONE && layout == WLK_DONE)
		plan_export(s);
	if (status == WLK_DONE && layout == WLK_DONE && s->notes != NULL && !s->notes->over)
		tell_pass(s);
	if (status == WLK_DONE)
		status = run_pass(s, layout == WLK_DONE);
	if (status == WLK_DONE) {
		layout = finish(s, layout);
		status = layout == WLK_INCOMPLETE ? WLK_INCOMPLETE : WLK_DONE;
	}
	if (status == WLK_DONE)
		status = polyglot_judge(&s->polyglot, &s->src, s->report);
	if (status != WLK_DONE)
		return status;
	if (s->notes != NULL)
		report_notes(s->report, s->notes);
	return elements_all_examined(&s->extents) ? layout : WLK_BROKEN;
}

/* Not a file to be judged but what is known of several: only the job can say so, no content. */
static enum wlk_status examine_set(struct scan *s)
{
	const struct set_input set = {
		.src = &s->src, .arena = &s->arena, .lim = &s->job->limits, .seed = s->in->seed, .report = s->report
	};
	enum wlk_status judged, status;

	s->final.format = WLK_FORMAT_SET;
	judged = sets_judge(&set);
	if (judged == WLK_INCOMPLETE)
		return judged;
	pass_init(&s->pass, &s->src, s->report);
	status = run_pass(s, false);
	return status > judged ? status : judged;
}

/* What is it, and what decided?  Nothing is judged, and no more is read than that takes: the final record says that the
 * scan is not complete, and has no digest. */
static enum wlk_status examine_identity(struct scan *s)
{
	size_t head_n = s->job->size < PROBE_BYTES ? (size_t)s->job->size : PROBE_BYTES;
	const uint8_t *head = source_pin(&s->src, 0, head_n);
	const struct sign *sign;
	enum wlk_status status;

	if (head == NULL)
		return layout_stop(&s->layout);
	s->head = bytes_of(head, head_n);
	status = identify_and_lay_out(s);
	sign = identify_reason(s->final.format, s->head, s->job->size);
	if (s->by_name) {
		report_fact_flag(s->report, WLK_FACT_DECIDED_BY_NAME, true);
	} else if (sign != NULL && sign->n > 0) {
		report_fact_number(s->report, WLK_FACT_SIGNATURE_AT, sign->at);
		report_fact(s->report, &(struct fact){ .id = WLK_FACT_SIGNATURE,
					   .value = value_text(bytes_of(head + sign->at, sign->n)) });
	}
	return status == WLK_DONE ? WLK_BROKEN : status;
}

/* As a file, and its tensors go out on the way. */
static enum wlk_status examine_to_convert(struct scan *s)
{
	enum wlk_status status;

	if (!begin_export(s))
		return layout_stop(&s->layout);
	status = examine(s);
	finish_export(s, status);
	s->report->taker = NULL;
	return status;
}

static enum wlk_status examine_task(struct scan *s)
{
	switch (s->job->task) {
	case JOB_SET: return examine_set(s);
	case JOB_IDENTIFY: return examine_identity(s);
	case JOB_CONVERT: return examine_to_convert(s);
	case JOB_STRUCTURE: return examine_structure(s);
	default: return examine(s);
	}
}

enum wlk_status wlk_scan(const struct wlk_input *in, const struct job *job, struct report *report)
{
	struct scan s = {
		.in = in, .job = job, .report = report, .final = { .size = job->size, .format = WLK_FORMAT_UNKNOWN }
	};
	enum wlk_status status;

	report->wants_rows = job->rows;
	report->wants_digests = job->digests;
	report->wants_stats = job->stats;
	report->wants_calls = job->calls;
	report->wants_views = job->views;
	if (job->size > job->limits.file_size) {
		status = report_stop(report, WLK_CAUSE_LIMIT_SIZE, job->size, job->limits.file_size);
	} else {
		arena_init(&s.arena, layout_memory(&job->limits, 0));
		source_init(&s.src, in->read, in->ctx, job->size, job->kind, &s.arena, PIN_BUDGET);
		preview_set_seed(&s.src, in->seed);
		if (job->input == JOB_INPUT_FLOW)
			source_follow(&s.src, in->flow);
		else if (job->undigested && job->task != JOB_STRUCTURE)
			source_leave_digest(&s.src);
		extents_init(&s.extents, &s.arena);
		s.names = (struct pickle_names){ job->pickle_names.lines, &s.names_asked };
		init_layout(&s);
		work_allow(&s.arena.work, job->size);
		status = examine_task(&s);
		if (work_is_spent(&s.arena.work)) /* somebody stopped short */
			status = report_stop(report, WLK_CAUSE_LIMIT_WORK, s.arena.work.done, s.arena.work.most);
		if (job->views)
			view_places(&s.extents, &s.src, &s.arena, report);
		source_done(&s.src);
		arena_done(&s.arena);
	}
	s.final.complete = status == WLK_DONE;
	s.final.names_idle = !s.names_asked;
	if (job->rows)
		report_fact_flag(report, WLK_FACT_TENSORS_LISTED, s.final.complete && tensor_list_is_complete(report));
	report_end(report, &s.final);
	return status;
}
