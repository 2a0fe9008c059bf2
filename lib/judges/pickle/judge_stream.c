/* The judge over whole runs: one pickle after the other, how each ended, and what is left behind the last. */
#include <string.h>

#include "checked.h"
#include "judge_impl.h"

static struct pickle *new_machine(struct pickle_judge *j, uint64_t size)
{
	return pickle_new(j->arena, &(struct pickle_options){ .size = size,
					.wanted = j->o.event != NULL ? j->o.wanted : NULL,
					.opcodes_max = j->o.opcodes_max,
					.seed = j->o.seed,
					.event = judge_event,
					.items_kept = j->o.items_kept,
					.memo_goes_on = j->o.memo_goes_on,
					.remember = j->o.report->wants_calls,
					.trace = j->o.report->wants_views,
					.constant = judge_constant,
					.ctx = j });
}

struct pickle_judge *pickle_judge_new(struct arena *a, const struct pickle_judge_options *o)
{
	struct pickle_judge *j = arena_alloc(a, 1, sizeof(*j));

	if (j == NULL)
		return NULL;
	j->o = *o;
	j->arena = a;
	j->summary.data_only = j->summary.weights_only_loadable = true;
	j->run_end = UINT64_MAX;
	object_map_init(&j->classes, a);
	object_map_init(&j->dtypes, a);
	object_map_init(&j->states, a);
	object_map_init(&j->lengths, a);
	object_map_init(&j->other.classes, a);
	object_map_init(&j->other.dtypes, a);
	object_map_init(&j->other.states, a);
	object_map_init(&j->other.lengths, a);
	j->machine = new_machine(j, o->size);
	return j->machine != NULL ? j : NULL;
}

struct pickle *pickle_judge_machine(struct pickle_judge *j)
{
	return j->machine;
}

uint64_t pickle_judge_position(const struct pickle_judge *j)
{
	return j->end;
}

uint64_t pickle_judge_seen(const struct pickle_judge *j)
{
	return j->fed;
}

pickle_value pickle_judge_class_of(struct pickle_judge *j, pickle_value object)
{
	const struct pickle_context c = { .machine = j->machine, .classes = &j->classes };

	return pickle_class_of(&c, object);
}

struct pickle_summary pickle_judge_summary(const struct pickle_judge *j)
{
	struct pickle_summary s = j->summary;

	s.opcodes = pickle_opcodes(j->machine);
	if (j->other.machine != NULL)
		s.opcodes += pickle_opcodes(j->other.machine); /* both below 2^26 */
	s.data_only &= s.streams > 0;
	s.weights_only_loadable &= s.streams > 0;
	return s;
}

/* -- a pickle inside another one -- */

void pickle_judge_nest(struct pickle_judge *j)
{
	pickle_pause(j->machine);
}

bool pickle_judge_is_nested(const struct pickle_judge *j)
{
	return j->nested;
}

static void change_level(struct pickle_judge *j)
{
	struct judge_level at_work = { .machine = j->machine,
		.classes = j->classes,
		.dtypes = j->dtypes,
		.states = j->states,
		.lengths = j->lengths };

	j->machine = j->other.machine;
	j->classes = j->other.classes;
	j->dtypes = j->other.dtypes;
	j->states = j->other.states;
	j->lengths = j->other.lengths;
	j->other = at_work;
	j->nested = !j->nested;
}

/* What is walked inside has a machine of its own: nothing of the one around it is within its reach. */
static void go_inside(struct pickle_judge *j)
{
	uint64_t offset = pickle_position(j->machine), size = j->o.size;

	if (j->other.machine == NULL)
		j->other.machine = new_machine(j, size == STREAM_SIZE_UNKNOWN ? size : size - min_u64(size, offset));
	j->memory_spent |= j->other.machine == NULL;
	if (j->memory_spent)
		return;
	change_level(j);
	object_map_clear(&j->classes);
	object_map_clear(&j->dtypes);
	object_map_clear(&j->states);
	object_map_clear(&j->lengths);
	pickle_begin(j->machine, offset);
}

static void go_outside(struct pickle_judge *j)
{
	uint64_t offset = pickle_position(j->machine);

	change_level(j);
	pickle_resume(j->machine, offset);
}

/* -- ends -- */

static enum wlk_finding code_of_end(enum pickle_end end)
{
	switch (end) {
	case PICKLE_TRUNCATED: return WLK_F_PICKLE_TRUNCATED;
	case PICKLE_OPCODE_UNKNOWN: return WLK_F_PICKLE_OPCODE_UNKNOWN;
	case PICKLE_STACK_UNDERFLOW: return WLK_F_PICKLE_STACK_UNDERFLOW;
	case PICKLE_MARK_MISSING: return WLK_F_PICKLE_MARK_MISSING;
	case PICKLE_MEMO_MISSING: return WLK_F_PICKLE_MEMO_MISSING;
	case PICKLE_LENGTH: return WLK_F_PICKLE_LENGTH;
	case PICKLE_TYPE: return WLK_F_PICKLE_OPERAND;
	case PICKLE_LIMIT_OPCODES: return WLK_F_PICKLE_LIMIT_OPCODES;
	case PICKLE_LIMIT_STACK:
	case PICKLE_LIMIT_MEMORY: return WLK_F_PICKLE_LIMIT_MEMORY;
	case PICKLE_LIMIT_WORK: return WLK_F_LIMIT_WORK;
	case PICKLE_ARGUMENT:
	case PICKLE_RUNNING:
	case PICKLE_PAUSED:
	case PICKLE_STOPPED: break;
	}
	return WLK_F_PICKLE_MALFORMED;
}

/* A stream ended before its STOP: nothing behind it is understood. */
static void report_break(struct pickle_judge *j, enum pickle_end end)
{
	if (end == PICKLE_LIMIT_WORK)
		(void)report_stop(j->o.report, WLK_CAUSE_LIMIT_WORK, j->arena->work.done, j->arena->work.most);
	else
		judge_report(j, code_of_end(end), min_u64(pickle_position(j->machine), j->run_end), (struct bytes){ 0 },
		    (struct value){ 0 });
	j->summary.weights_only_loadable = false;
}

bool pickle_judge_end(struct pickle_judge *j, uint64_t bytes_left)
{
	enum pickle_end end = pickle_finish(j->machine);

	if (j->memory_spent)
		end = PICKLE_LIMIT_MEMORY;
	if (end != PICKLE_STOPPED) {
		report_break(j, end);
		return false;
	}
	if (bytes_left > 0)
		judge_report(j, WLK_F_PICKLE_TRAILING_BYTES, j->end, (struct bytes){ 0 }, value_number(bytes_left));
	return true;
}

/* -- runs -- */

enum walk_state {
	WALK_BETWEEN, /* the next byte, if there is one, begins a pickle */
	WALK_PICKLE,
	WALK_ZEROS, /* behind the last pickle, and nothing but zeros so far */
	WALK_OVER,  /* what follows is not understood */
};

struct walk {
	struct pickle_judge *j;
	enum walk_state state;
	uint64_t from;
	uint64_t fed; /* how far bytes were seen */
};

/* Was this break the end of a pickle, or are these bytes none?  Behind a whole pickle only what acts or announces itself
 * is taken for one. */
static bool was_pickle(const struct walk *w)
{
	return w->j->summary.streams == 0 || w->j->acted || pickle_protocol(w->j->machine) >= 2;
}

/* The machine at work has stopped, been paused, or broken. */
static void take_end(struct walk *w)
{
	enum pickle_end end = pickle_ended(w->j->machine);

	if (end == PICKLE_PAUSED)
		go_inside(w->j);
	else if (end == PICKLE_STOPPED && w->j->nested)
		go_outside(w->j);
	if (pickle_ended(w->j->machine) == PICKLE_RUNNING)
		return;
	if (end == PICKLE_STOPPED && !w->j->memory_spent) {
		w->state = WALK_BETWEEN;
		return;
	}
	w->state = WALK_OVER;
	if (was_pickle(w))
		report_break(w->j, w->j->memory_spent ? PICKLE_LIMIT_MEMORY : end);
}

static bool all_zero(const uint8_t *at, size_t n)
{
	return n == 0 || (at[0] == 0 && memcmp(at, at + 1, n - 1) == 0);
}

/* Zeros behind a pickle are padding; anything else that is no pickle is not understood. */
static void take_first_byte(struct walk *w, uint8_t byte, uint64_t offset)
{
	w->state = byte == 0 && w->j->summary.streams > 0 ? WALK_ZEROS : WALK_PICKLE;
	if (w->state == WALK_PICKLE)
		pickle_judge_begin(w->j, offset);
}

static uint64_t walk_feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct walk *w = ctx;
	uint64_t end = offset + n, next = offset;

	w->fed = end;
	if (end <= w->from)
		return w->from;
	if (next < w->from)
		next = w->from;
	while (next < end && w->state != WALK_OVER) {
		const uint8_t *rest = at + (next - offset);

		if (w->state == WALK_BETWEEN)
			take_first_byte(w, *rest, next);
		if (w->state == WALK_ZEROS) {
			if (!all_zero(rest, (size_t)(end - next)))
				w->state = WALK_OVER;
			break;
		}
		next = pickle_feed(w->j->machine, rest, (size_t)(end - next), next);
		if (next != FEED_END)
			return next;
		take_end(w);
		next = pickle_position(w->j->machine);
	}
	return w->state == WALK_OVER ? FEED_END : end;
}

/* The bytes are over. */
static void walk_end(struct walk *w, uint64_t size)
{
	if (w->state == WALK_BETWEEN && w->j->summary.streams == 0) { /* no byte at all */
		pickle_judge_begin(w->j, w->from);
		w->state = WALK_PICKLE;
	}
	if (w->state == WALK_PICKLE) {
		(void)pickle_finish(w->j->machine);
		take_end(w);
	}
	if (w->j->summary.streams > 0 && (w->state == WALK_OVER || w->state == WALK_ZEROS) && !w->j->memory_spent)
		judge_report(
		    w->j, WLK_F_PICKLE_TRAILING_BYTES, w->j->end, (struct bytes){ 0 }, value_number(size - w->j->end));
}

static enum wlk_status stopped(struct pickle_judge *j, const struct source *src)
{
	if (src->err != SOURCE_OK && src->err != SOURCE_MEMORY)
		return report_stop(j->o.report, source_cause(src->err), src->size, src->size);
	return report_stop(j->o.report, WLK_CAUSE_LIMIT_MEMORY, j->arena->used, j->arena->budget);
}

enum wlk_status pickle_judge_stream(struct pickle_judge *j, const struct stream *s, uint64_t from, struct arena *a)
{
	struct walk w = { .j = j, .from = from, .state = WALK_BETWEEN };
	struct stream_state state = { 0 };
	enum stream_end end = stream_preview(s, a, (struct feeder){ .feed = walk_feed, .ctx = &w }, &state);

	if (end == STREAM_FAILED)
		return stopped(j, s->part.src);
	j->fed = w.fed;
	j->run_end = state.decoded;
	walk_end(&w, s->size != STREAM_SIZE_UNKNOWN ? s->size : w.fed);
	return w.state == WALK_BETWEEN || w.state == WALK_ZEROS ? WLK_DONE : WLK_BROKEN;
}

static void release_level(struct pickle *machine, struct object_map *classes, struct object_map *dtypes,
    struct object_map *states, struct object_map *lengths)
{
	pickle_free(machine);
	object_map_release(classes);
	object_map_release(dtypes);
	object_map_release(states);
	object_map_release(lengths);
}

void pickle_judge_release(struct pickle_judge *j)
{
	if (j == NULL)
		return;
	release_level(j->machine, &j->classes, &j->dtypes, &j->states, &j->lengths);
	release_level(j->other.machine, &j->other.classes, &j->other.dtypes, &j->other.states, &j->other.lengths);
	j->machine = j->other.machine = NULL;
}

void pickle_judge_begin(struct pickle_judge *j, uint64_t offset)
{
	object_map_clear(&j->classes);
	object_map_clear(&j->dtypes);
	object_map_clear(&j->states);
	object_map_clear(&j->lengths);
	j->acted = false;
	pickle_begin(j->machine, offset);
}
