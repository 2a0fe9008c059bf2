/* Implements pickle_again.h. */
#include "pickle_again.h"

#include "checked.h"

#define NOWHERE UINT64_MAX

struct again {
	const struct pickle_judge *first; /* what the reading before this one found */
	uint64_t acts_at, doubt_at;       /* imports what is denied; what is new */
};

static void see(void *ctx, struct pickle *p, const struct pickle_event *e)
{
	struct again *g = ctx;
	enum pickle_repeat repeat;

	if (e->act != PICKLE_ACT_IMPORT || pickle_kind(p, e->target) != PICKLE_GLOBAL)
		return;
	repeat = pickle_judge_repeats(g->first, p, e->target);
	if (repeat == PICKLE_REPEAT_DENIED && g->acts_at == NOWHERE)
		g->acts_at = e->offset;
	else if (repeat == PICKLE_REPEAT_NEW && g->doubt_at == NOWHERE)
		g->doubt_at = e->offset;
}

/* Findings of this reading are counted, and not told: their places and texts mean nothing to other readers. */
static bool discard(void *ctx, const uint8_t *at, size_t n)
{
	(void)ctx;
	(void)at;
	(void)n;
	return true;
}

/* What would hold the file, and the first reading did not find: other arguments, another callee, another cost.  What is
 * malformed ends the load. */
static bool is_worse(const struct report *again, const struct report *first)
{
	for (size_t i = 0; i < WLK_N_FINDINGS; i++) {
		const struct finding_info *info = finding_info((enum wlk_finding)i);

		if (again->per_code[i] > 0 && first->per_code[i] == 0 && info->severity >= SEVERITY_MEDIUM &&
		    info->class != CLASS_MALFORMED)
			return true;
	}
	return false;
}

static void report_doubt(
    struct layout *l, const struct stream *s, enum wlk_finding code, uint64_t offset, const char *what)
{
	report_finding(l->report, &(struct finding){ .code = code,
				      .has_offset = true,
				      .offset = offset,
				      .member = s->part.member,
				      .found = value_text(bytes_of_text(what)) });
}

static void conclude(
    const struct again *g, struct layout *l, const struct stream *s, const struct report *again, uint64_t origin)
{
	if (g->acts_at != NOWHERE)
		report_finding(l->report, &(struct finding){ .code = WLK_F_POLYGLOT_PICKLE,
					      .has_offset = true,
					      .offset = origin + g->acts_at,
					      .member = s->part.member });
	else if (g->doubt_at != NOWHERE)
		report_doubt(
		    l, s, WLK_F_PICKLE_GLOBAL_UNKNOWN, origin + g->doubt_at, "what one reader of all pickles imports");
	else if (is_worse(again, l->report))
		report_doubt(l, s, WLK_F_PICKLE_ARGUMENTS, origin, "what one reader of all pickles calls");
}

/* The first reading saw to them: the payloads are the same. */
static void leave(void *ctx, struct pickle *p, pickle_value array, const struct pickle_bounds *b)
{
	(void)ctx;
	(void)p;
	(void)array;
	(void)b;
}

enum wlk_status pickle_judge_again(
    struct layout *l, const struct pickle_judge *first, const struct stream *s, uint64_t origin, struct arena *a)
{
	struct again g = { .first = first, .acts_at = NOWHERE, .doubt_at = NOWHERE };
	struct report *report = arena_alloc(a, 1, sizeof(*report));
	struct pickle_judge *judge;
	enum wlk_status status;

	if (report == NULL)
		return layout_stop(l);
	report_init(report, discard, NULL, NULL);
	layout_raise_memory(l, PICKLE_MEMORY_BASE);
	judge = pickle_judge_new(a, &(struct pickle_judge_options){ .profile = PICKLE_PLAIN,
					.extra = l->pickle_names,
					.report = report,
					.seed = l->seed,
					.size = s->size,
					.opcodes_max = l->lim->opcodes,
					.event = see,
					.bound = leave,
					.ctx = &g,
					.memo_goes_on = true });
	if (judge == NULL)
		return layout_stop(l);
	status = pickle_judge_stream(judge, s, 0, a);
	pickle_free(pickle_judge_machine(judge));
	if (status == WLK_INCOMPLETE)
		return layout_stop(l);
	conclude(&g, l, s, report, origin);
	return WLK_DONE;
}
