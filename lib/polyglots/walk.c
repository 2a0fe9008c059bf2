/* The pass's side of the rules: see walk.h. */
#include "walk.h"

#include "pickle.h"

/* Opcodes a walk takes (formats/polyglots, P10); a walk that gets there is a find as it stands. */
#define PICKLE_WALK_OPCODES 200000

static bool begin_pickle(struct polyglot_walk *w, uint8_t first)
{
	if (pickle_opcode_name(first) == NULL)
		return false;
	w->out_of_memory = !pickle_guess_begin(&w->guess, w->arena, w->size, PICKLE_WALK_OPCODES, w->seed);
	return !w->out_of_memory;
}

static void feed_pickle(struct polyglot_walk *w, const uint8_t *at, size_t n, uint64_t offset)
{
	if (offset == 0 && !begin_pickle(w, at[0]))
		w->pickle_next = FEED_END;
	if (w->pickle_next == FEED_END || w->pickle_next >= offset + n)
		return;
	w->pickle_next = pickle_guess_feed(
	    &w->guess, at + (w->pickle_next - offset), (size_t)(offset + n - w->pickle_next), w->pickle_next);
}

static void feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct polyglot_walk *w = ctx;

	if (w->asked & WALK_SEARCH)
		search_feed(&w->search, at, n, offset);
	if (w->asked & WALK_TAR)
		tar_blocks_feed(&w->tar, at, n, offset);
	if (w->asked & WALK_PICKLE)
		feed_pickle(w, at, n, offset);
	if (w->asked & WALK_PROTOBUF)
		protobuf_walk_feed(&w->protobuf, at, n, offset);
	if (w->asked & WALK_SAVED_MODEL)
		protobuf_walk_feed(&w->saved_model, at, n, offset);
	if (w->asked & WALK_MSGPACK)
		msgpack_walk_feed(&w->msgpack, at, n, offset);
}

void polyglot_walk_begin(struct polyglot_walk *w, struct pass *p)
{
	search_begin(&w->search, w->size, w->members);
	w->tar.members = w->members;
	protobuf_walk_begin(&w->protobuf, w->size, false);
	protobuf_walk_begin(&w->saved_model, w->size, true);
	msgpack_walk_begin(&w->msgpack, w->size);
	pass_add_walker(p, (struct walker){ .ctx = w, .feed = feed });
}

void polyglot_walk_end(struct polyglot_walk *w)
{
	if (w->guess.machine != NULL)
		pickle_guess_end(&w->guess);
}
