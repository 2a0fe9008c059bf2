/* Pickle files: see pickle_file.h.  What a pickle may do is judged by lib/judges/pickle; here is what its bytes are: the
 * elements of NumPy arrays, and everything else.
 *
 * Protocols 2 and above begin with 80 and the protocol.  Protocols 0 and 1 have no signature, and PROTO is optional in
 * all: such a file is walked, and taken for a pickle when it does what a pickle does. */
#include "pickle_file.h"

#include "checked.h"
#include "config_pickle.h"
#include "guess.h"
#include "joblib.h"
#include "judge.h"
#include "member.h"
#include "pickle_again.h"
#include "pickle_arrays.h"

#define ITEMS_KEPT 16384u /* for who converts: of a list or dict, to find the arrays in it */

/* -- is it a pickle? -- */

static bool probe(const struct probe *p)
{
	return p->n >= 2 && p->head[0] == 0x80 && p->head[1] >= 2 && p->head[1] <= 5 &&
	       pickle_sniff(p->head, p->n, p->size, p->arena, NULL);
}

/* What the machine takes at most: see pickle.h.  Each opcode is one byte at least; the arena is charged for what is used. */
static void raise_memory(struct layout *l, uint64_t pickle_bytes)
{
	uint64_t bytes = 0;

	(void)mul_u64(min_u64(pickle_bytes, l->lim->opcodes), PICKLE_MEMORY_PER_OPCODE, &bytes);
	layout_raise_memory(l, PICKLE_MEMORY_BASE);
	layout_raise_memory(l, bytes);
}

/* A pickle to some loader: it calls something, whatever follows, or it is one from the first byte to the last.  What its name says
 * people read is none where its first import ends every loader: "(installation)=" begins as an INST does. */
static bool last_resort(struct layout *l, const struct stream *s)
{
	bool prose = s->part.depth == 0 && (l->hint == WLK_FORMAT_TEXT || l->hint == WLK_FORMAT_MARKDOWN);
	struct pickle_guess g;
	enum stream_end end;

	raise_memory(l, s->size);
	if (!pickle_guess_begin(&g, l->arena, s->size, l->lim->opcodes, l->seed))
		return false;
	end = stream_preview(s, l->arena, (struct feeder){ .feed = pickle_guess_feed, .ctx = &g }, NULL);
	pickle_guess_end(&g);
	return end != STREAM_FAILED && ((g.acts && !(prose && g.misnamed)) || g.whole);
}

/* -- what is in it -- */

struct reading {
	struct layout *l;
	uint64_t origin; /* of the run: stream_origin() */
	struct pickle_arrays *arrays;
	struct joblib *joblib;
	struct pickle_judge *judge;
};

static bool begin(struct reading *r, struct layout *l, const struct stream *s)
{
	raise_memory(l, s->size);
	r->l = l;
	r->origin = stream_origin(s);
	r->arrays = pickle_arrays_new(l, r->origin, s->part.member);
	if (r->arrays == NULL)
		return false;
	pickle_arrays_list(r->arrays);
	r->joblib = joblib_new(l, r->arrays, r->origin, s->part.member);
	if (r->joblib == NULL)
		return false;
	r->judge = pickle_judge_new(l->arena, &(struct pickle_judge_options){ .profile = PICKLE_JOBLIB,
						  .extra = l->pickle_names,
						  .origin = r->origin,
						  .member = s->part.member,
						  .report = l->report,
						  .seed = l->seed,
						  .size = s->size,
						  .opcodes_max = l->lim->opcodes,
						  .items_kept = layout_wants_views(l) ? ITEMS_KEPT : 0,
						  .event = joblib_event,
						  .bound = joblib_bound,
						  .wanted = config_pickle_wants,
						  .ctx = r->joblib });
	joblib_follow(r->joblib, r->judge);
	return r->judge != NULL;
}

static enum wlk_status describe(struct reading *r, struct extents *x, uint64_t size)
{
	uint64_t end = pickle_judge_position(r->judge);
	enum wlk_status status;
	struct extent *e;

	if (!pickle_arrays_extents(r->arrays, x, 0, end)) {
		status = pickle_arrays_status(r->arrays);
		return status == WLK_INCOMPLETE ? layout_stop(r->l) : status;
	}
	if (end == size)
		return WLK_DONE;
	e = extents_add(x); /* zeros: the judge has seen them all */
	if (e == NULL)
		return layout_stop(r->l);
	e->begin = end;
	e->end = size;
	e->kind = EXTENT_ZERO;
	e->index = (uint32_t)(x->n - 1);
	return WLK_DONE;
}

static void report_summary(struct reading *r, struct bytes member)
{
	struct pickle_summary s = pickle_judge_summary(r->judge);

	if (s.data_only)
		report_finding(r->l->report, &(struct finding){ .code = WLK_F_PICKLE_DATA_ONLY, .member = member });
}

/* @ret_size: of the run, when every byte of it is a pickle's. */
static enum wlk_status read_run(struct layout *l, const struct stream *s, struct extents *x, uint64_t *ret_size)
{
	struct reading r;
	enum wlk_status status;

	if (!begin(&r, l, s))
		return layout_stop(l);
	status = pickle_judge_stream(r.judge, s, 0, l->arena);
	if (status == WLK_INCOMPLETE)
		return status;
	report_summary(&r, s->part.member);
	if (joblib_seen(r.joblib))
		l->id = WLK_FORMAT_JOBLIB;
	if (pickle_arrays_check(r.arrays, s, false) != WLK_DONE ||
	    joblib_judge_other_reading(r.joblib, s, l->arena) != WLK_DONE)
		return WLK_INCOMPLETE;
	if (!joblib_seen(r.joblib) && pickle_judge_fetches(r.judge) &&
	    pickle_judge_again(l, r.judge, s, r.origin, l->arena) != WLK_DONE)
		return WLK_INCOMPLETE;
	if (status != WLK_DONE || joblib_status(r.joblib) != WLK_DONE)
		return WLK_BROKEN;
	*ret_size = s->size != STREAM_SIZE_UNKNOWN ? s->size : pickle_judge_seen(r.judge);
	return describe(&r, x, *ret_size);
}

static enum wlk_status layout(struct layout *l)
{
	const struct stream s = {
		.part = l->part, .codec = CODEC_STORED, .size = l->part.size, .size_limit = l->part.size
	};
	uint64_t size;

	return read_run(l, &s, l->extents, &size);
}

/* A member, by going through it once: its size is known by then. */
static enum wlk_status judge(struct layout *l, struct member *m)
{
	return read_run(l, &m->stream, l->extents, &m->stream.size);
}

const struct wlk_format format_pickle = {
	.id = WLK_FORMAT_PICKLE,
	.converts = CONVERTS_TOLD,
	.probe = probe,
	.layout = layout,
	.nested = NESTED_STREAM,
	.judge = judge,
	.last_resort = last_resort,
};
