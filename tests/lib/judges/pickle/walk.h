/* A pickle machine at work in a test: bytes in, events out as a list. */
#pragma once

#include "harness.h"

#include <string.h>

#include "pickle.h"

#define EVENTS_KEPT 256

struct walk {
	struct arena arena;
	struct pickle *p;
	enum pickle_end end;
	uint64_t position;
	size_t n, n_notes; /* events; of which notes */
	struct pickle_event events[EVENTS_KEPT];
	void (*see)(struct walk *w, const struct pickle_event *e); /* within the event; may be NULL */
	uint64_t answer;                                           /* of see */
};

static inline void walk_event(void *ctx, struct pickle *p, const struct pickle_event *e)
{
	struct walk *w = ctx;

	(void)p;
	if (w->n < EVENTS_KEPT)
		w->events[w->n++] = *e;
	w->n_notes += e->act == PICKLE_ACT_NOTE;
	if (w->see != NULL)
		w->see(w, e);
}

static inline void walk_begin(struct walk *w, uint64_t size)
{
	struct pickle_options o = {
		.size = size, .opcodes_max = UINT64_MAX, .seed = { .k0 = 3, .k1 = 5 }, .event = walk_event, .ctx = w
	};

	arena_init(&w->arena, SIZE_MAX);
	w->p = pickle_new(&w->arena, &o);
	ck_assert_ptr_nonnull(w->p);
	pickle_begin(w->p, 0);
}

static inline void walk_finish(struct walk *w)
{
	w->end = pickle_finish(w->p);
	w->position = pickle_position(w->p);
}

static inline void walk_bytes(struct walk *w, const void *at, size_t n)
{
	walk_begin(w, n);
	if (n > 0)
		pickle_feed(w->p, at, n, 0);
	walk_finish(w);
}

static inline void walk_done(struct walk *w)
{
	arena_done(&w->arena);
}

/* A string literal, NUL bytes inside and all. */
#define WALK(w, literal) walk_bytes(w, literal, sizeof(literal) - 1)

static inline const struct pickle_event *walk_find(const struct walk *w, enum pickle_act act)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->events[i].act == act)
			return &w->events[i];
	return NULL;
}

static inline size_t walk_count(const struct walk *w, enum pickle_act act)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += w->events[i].act == act;
	return n;
}

static inline bool walk_noted(const struct walk *w, enum pickle_note note)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->events[i].act == PICKLE_ACT_NOTE && w->events[i].note == note)
			return true;
	return false;
}

/* What STOP left. */
static inline pickle_value walk_result(const struct walk *w)
{
	const struct pickle_event *stop = walk_find(w, PICKLE_ACT_STOP);

	ck_assert_ptr_nonnull(stop);
	return stop->target;
}

static inline bool text_equals(const struct walk *w, pickle_value v, const char *text)
{
	struct bytes found;

	return pickle_text(w->p, v, &found) && bytes_equal(found, bytes_of_text(text));
}
