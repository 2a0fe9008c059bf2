/* One file in, one report out: identify, lay out, pass once over every byte, judge what the pass kept.  Follows
 * docs/architecture.md, "One pass". */
#include "scan.h"

#include "elements.h"
#include "extents.h"
#include "format.h"
#include "identify.h"
#include "pass.h"
#include "polyglot.h"

#define HEAD_BYTES 4096 /* what formats are told apart by */
#define PIN_BUDGET (UINT64_C(16) << 20)
#define LFS_POINTER_MAX 1024 /* git-lfs spec: a pointer is smaller */

struct scan {
	const struct wlk_input *in;
	const struct job *job;
	struct report *report;
	struct arena arena;
	struct source src;
	struct bytes head;
	struct extents extents;
	struct pass pass;
	struct polyglot polyglot;
	struct report_final final;
};

static struct layout scan_layout(struct scan *s)
{
	return (struct layout){ .src = &s->src,
		.lim = &s->job->limits,
		.seed = s->in->seed,
		.arena = &s->arena,
		.report = s->report,
		.extents = &s->extents };
}

static enum wlk_status stop(struct scan *s)
{
	struct layout l = scan_layout(s);

	return layout_stop(&l);
}

/* -- what is it? -- */

static const struct wlk_format *format_by_content(const struct scan *s)
{
	for (size_t i = 0; i < wlk_n_formats; i++)
		if (wlk_formats[i]->probe(s->head.at, s->head.n, s->job->size))
			return wlk_formats[i];
	return NULL;
}

static const struct wlk_format *format_by_hint(const struct scan *s)
{
	for (size_t i = 0; i < wlk_n_formats; i++)
		if (wlk_formats[i]->id == s->job->hint)
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

/* Content first; the name only decides who has to explain a file that nothing recognises, so that an empty or
 * broken .safetensors is judged as what it claims to be. */
static enum wlk_status identify_and_lay_out(struct scan *s)
{
	struct layout l = scan_layout(s);
	const struct wlk_format *format;

	if (is_lfs_pointer(s)) {
		s->final.format = WLK_FORMAT_LFS_POINTER;
		return WLK_DONE;
	}
	format = format_by_content(s);
	if (format == NULL)
		format = format_by_hint(s);
	if (format == NULL) {
		report_unknown(s);
		return WLK_BROKEN; /* hashed, but nobody knows what its bytes are */
	}
	s->final.format = format->id;
	return format->layout(&l);
}

/* -- the pass -- */

/* Extents that do not account for the whole file are not trusted with any of it. */
static enum wlk_status run_pass(struct scan *s, bool laid_out)
{
	struct elements elements;
	struct pass_sink sink;
	enum wlk_status status;

	if (!laid_out)
		s->extents.n = 0;
	elements_init(&elements, &s->extents, s->report);
	sink = elements_sink(&elements);
	s->pass.extents = &s->extents;
	s->pass.sink = &sink;
	status = pass_run(&s->pass, s->final.sha256);
	elements_end(&elements);
	if (status != WLK_DONE)
		return status;
	s->final.has_digest = true;
	s->final.bytes = s->job->size;
	return WLK_DONE;
}

static enum wlk_status examine(struct scan *s)
{
	size_t head_n = s->job->size < HEAD_BYTES ? (size_t)s->job->size : HEAD_BYTES;
	const uint8_t *head = source_pin(&s->src, 0, head_n);
	enum wlk_status layout, status;

	if (head == NULL)
		return stop(s);
	s->head = bytes_of(head, head_n);
	layout = identify_and_lay_out(s);
	if (layout == WLK_INCOMPLETE)
		return WLK_INCOMPLETE;
	pass_init(&s->pass, &s->src, s->report);
	status = polyglot_plan(&s->polyglot, &s->pass);
	if (status == WLK_DONE)
		status = run_pass(s, layout == WLK_DONE);
	if (status == WLK_DONE)
		status = polyglot_judge(&s->polyglot, &s->src, s->final.format, s->report);
	if (status != WLK_DONE)
		return status;
	return elements_all_examined(&s->extents) ? layout : WLK_BROKEN;
}

enum wlk_status wlk_scan(const struct wlk_input *in, const struct job *job, struct report *report)
{
	struct scan s = {
		.in = in, .job = job, .report = report, .final = { .size = job->size, .format = WLK_FORMAT_UNKNOWN }
	};
	enum wlk_status status;

	if (job->size > job->limits.file_size) {
		status = report_stop(report, WLK_CAUSE_LIMIT_SIZE, job->size, job->limits.file_size);
	} else {
		arena_init(&s.arena, layout_memory(&job->limits, 0));
		source_init(&s.src, in->read, in->ctx, job->size, job->kind, &s.arena, PIN_BUDGET);
		extents_init(&s.extents, &s.arena);
		status = examine(&s);
		source_done(&s.src);
		arena_done(&s.arena);
	}
	s.final.complete = status == WLK_DONE;
	report_end(report, &s.final);
	return status;
}
