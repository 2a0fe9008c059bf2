/* Implements pickle_again.h. */
#include "pickle_again.h"

#include "checked.h"

#define NOWHERE UINT64_MAX

struct again {
	const struct pickle_judge *judge;
	struct pickle *machine;
	bool between; /* the next byte begins a pickle */
	uint64_t acts_at, doubt_at;
};

static void see(void *ctx, struct pickle *p, const struct pickle_event *e)
{
	struct again *g = ctx;

	enum pickle_repeat repeat;

	if (e->act != PICKLE_ACT_IMPORT || g->acts_at != NOWHERE || pickle_kind(p, e->target) != PICKLE_GLOBAL)
		return;
	repeat = pickle_judge_repeats(g->judge, p, e->target);
	if (repeat == PICKLE_REPEAT_DENIED)
		g->acts_at = e->offset;
	else if (repeat == PICKLE_REPEAT_NEW && g->doubt_at == NOWHERE)
		g->doubt_at = e->offset;
}

static uint64_t feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct again *g = ctx;
	uint64_t end = offset + n, next = offset;

	while (next < end && g->acts_at == NOWHERE) {
		if (g->between)
			pickle_begin(g->machine, next);
		g->between = false;
		next = pickle_feed(g->machine, at + (next - offset), (size_t)(end - next), next);
		if (next != FEED_END)
			return next;
		if (pickle_ended(g->machine) != PICKLE_STOPPED)
			return FEED_END; /* as that reader */
		g->between = true;
		next = pickle_position(g->machine);
	}
	return g->acts_at == NOWHERE ? end : FEED_END;
}

enum wlk_status pickle_judge_again(
    struct layout *l, const struct pickle_judge *judge, const struct stream *s, uint64_t origin, struct arena *a)
{
	struct again g = { .judge = judge, .between = true, .acts_at = NOWHERE, .doubt_at = NOWHERE };
	struct pickle_options options = { .size = s->size,
		.opcodes_max = l->lim->opcodes,
		.seed = l->seed,
		.event = see,
		.ctx = &g,
		.memo_goes_on = true };
	enum stream_end end;

	layout_raise_memory(l, PICKLE_MEMORY_BASE);
	g.machine = pickle_new(a, &options);
	if (g.machine == NULL)
		return layout_stop(l);
	end = stream_preview(s, a, (struct feeder){ .feed = feed, .ctx = &g }, NULL);
	pickle_free(g.machine);
	if (end == STREAM_FAILED)
		return layout_stop(l);
	if (g.acts_at != NOWHERE)
		report_finding(l->report, &(struct finding){ .code = WLK_F_POLYGLOT_PICKLE,
					      .has_offset = true,
					      .offset = origin + g.acts_at,
					      .member = s->part.member });
	else if (g.doubt_at != NOWHERE)
		report_finding(l->report, &(struct finding){ .code = WLK_F_PICKLE_GLOBAL_UNKNOWN,
					      .has_offset = true,
					      .offset = origin + g.doubt_at,
					      .member = s->part.member,
					      .found = value_text(bytes_of_text("what one reader of all pickles imports")) });
	return WLK_DONE;
}
