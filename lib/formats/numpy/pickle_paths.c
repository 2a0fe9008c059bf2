/* See pickle_paths.h. */
#include "pickle_paths.h"

#include "checked.h"
#include "convert.h"
#include "dotted_name.h"

#define PLACES ((uint32_t)1 << 18) /* containers and objects that are looked into */
#define SEGMENTS_MAX 64u           /* of a path */
#define HELD_FIRST 64u

/* Where a value is that is no array. */
struct place {
	pickle_value value;
	struct pickle_hold at;
};

struct paths {
	struct pickle_arrays *a;
	const struct pickle *p;
	struct place *places;
	uint32_t *slots; /* index + 1 */
	uint32_t n, looked;
	pickle_value result;
	uint64_t n_left;
};

void pickle_paths_hold(
    struct pickle_arrays *a, const struct pickle *p, pickle_value holder, pickle_value key, pickle_value held)
{
	struct pickle_hold *list;

	if (!a->lists || a->n_around != PICKLE_NOT_NESTED || holder == PICKLE_NO_VALUE || held == PICKLE_NO_VALUE ||
	    pickle_kind(p, holder) != PICKLE_OBJECT)
		return;
	if (a->n_held == a->held_room) {
		size_t room = a->held_room > 0 ? 2 * a->held_room : HELD_FIRST;

		list = arena_resize_raw(a->l->arena, a->held, room, sizeof(*list));
		if (list == NULL) {
			a->status = WLK_INCOMPLETE;
			return;
		}
		a->held = list;
		a->held_room = room;
	}
	a->held[a->n_held++] =
	    (struct pickle_hold){ .holder = holder, .key = key, .held = held, .through = key == PICKLE_NO_VALUE };
}

/* -- places -- */

static uint32_t *slot_of(const struct paths *n, pickle_value v)
{
	size_t at = (size_t)siphash13(&v, sizeof(v), &n->a->l->seed) % (2 * (size_t)PLACES);

	while (n->slots[at] != 0 && n->places[n->slots[at] - 1].value != v)
		at = (at + 1) % (2 * (size_t)PLACES);
	return &n->slots[at];
}

static bool is_container(enum pickle_kind kind)
{
	return kind == PICKLE_DICT || kind == PICKLE_LIST || kind == PICKLE_TUPLE;
}

static bool is_same_place(const struct pickle_hold *a, const struct pickle_hold *b)
{
	return a->holder == b->holder && a->key == b->key && a->index == b->index;
}

static void put_array(struct paths *n, struct thing *t, const struct pickle_hold *at)
{
	struct pickle_alias *other;

	if (t->at.holder == PICKLE_NO_VALUE || is_same_place(&t->at, at)) {
		t->at = *at;
		return;
	}
	other = arena_alloc(n->a->l->arena, 1, sizeof(*other));
	if (other == NULL) {
		n->a->status = WLK_INCOMPLETE;
		return;
	}
	*other = (struct pickle_alias){ .next = t->others, .at = *at };
	t->others = other;
}

/* The first place of what is no array counts. */
static void put(struct paths *n, const struct pickle_hold *at)
{
	struct thing *t = pickle_thing_of(n->a, n->p, at->held);
	enum pickle_kind kind = pickle_kind(n->p, at->held);
	uint32_t *slot;

	if (t != NULL && t->kind == THING_ARRAY) {
		put_array(n, t, at);
		return;
	}
	if (n->n == PLACES || (!is_container(kind) && kind != PICKLE_OBJECT))
		return;
	slot = slot_of(n, at->held);
	if (*slot != 0)
		return;
	n->places[n->n] = (struct place){ .value = at->held, .at = *at };
	*slot = ++n->n;
}

/* Child i of a container, and where it is.  False: no more are kept. */
static bool child_of(const struct paths *n, pickle_value container, uint64_t i, struct pickle_hold *ret)
{
	*ret = (struct pickle_hold){ .holder = container, .key = PICKLE_NO_VALUE, .index = i };
	if (pickle_kind(n->p, container) == PICKLE_DICT)
		return pickle_pair(n->p, container, i, &ret->key, &ret->held);
	ret->held = pickle_item(n->p, container, i);
	return ret->held != PICKLE_NO_VALUE;
}

static void look_into(struct paths *n, pickle_value v)
{
	uint64_t count = is_container(pickle_kind(n->p, v)) ? pickle_count(n->p, v) : 0;
	struct pickle_hold at;

	if (pickle_kind(n->p, v) == PICKLE_OBJECT) {
		at = (struct pickle_hold){
			.holder = v, .key = PICKLE_NO_VALUE, .held = pickle_call_arguments(n->p, v), .through = true
		};
		if (at.held != PICKLE_NO_VALUE)
			put(n, &at);
		return;
	}
	for (uint64_t i = 0; i < count && child_of(n, v, i, &at); i++)
		put(n, &at);
}

/* -- names -- */

static bool prepend(const struct paths *n, struct dotted_name *d, const struct pickle_hold *at)
{
	struct bytes text;
	int64_t number;

	if (at->through)
		return true;
	if (at->key == PICKLE_NO_VALUE)
		return dotted_prepend_number(d, (int64_t)at->index);
	if (pickle_int(n->p, at->key, &number))
		return dotted_prepend_number(d, number);
	return pickle_text(n->p, at->key, &text) && text.n > 0 && dotted_prepend(d, text);
}

/* Does it lead to the result? */
static bool path_of(const struct paths *n, struct dotted_name *d, const struct pickle_hold *at)
{
	dotted_begin(d);
	for (unsigned i = 0; i < SEGMENTS_MAX; i++) {
		uint32_t found;

		if (!prepend(n, d, at))
			return false;
		if (at->holder == n->result)
			return true;
		found = *slot_of(n, at->holder);
		if (found == 0)
			return false;
		at = &n->places[found - 1].at;
	}
	return false;
}

static bool name_alias(struct paths *n, struct pickle_alias *other)
{
	struct dotted_name d;
	uint8_t *copy;

	if (!path_of(n, &d, &other->at))
		return true;
	copy = arena_alloc(n->a->l->arena, dotted_text(&d).n, 1);
	if (copy == NULL)
		return false;
	bytes_copy(copy, dotted_text(&d));
	other->name = bytes_of(copy, dotted_text(&d).n);
	return true;
}

static bool name_array(struct paths *n, struct thing *t)
{
	struct dotted_name d;

	for (struct pickle_alias *other = t->others; other != NULL; other = other->next)
		if (!name_alias(n, other))
			return false;
	return t->at.holder == PICKLE_NO_VALUE || !path_of(n, &d, &t->at) || dotted_text(&d).n == 0 ||
	       pickle_arrays_rename(n->a, t, dotted_text(&d));
}

static void name_arrays(struct paths *n)
{
	for (uint32_t i = 0; i < n->a->n; i++)
		if (n->a->things[i].kind == THING_ARRAY && !name_array(n, &n->a->things[i]))
			n->a->status = WLK_INCOMPLETE;
}

/* What stands in a container and leads nowhere. */
static void tell_left(struct paths *n, const struct pickle_hold *at)
{
	const struct report_taker *taker = n->a->l->report->taker;
	enum pickle_kind kind = pickle_kind(n->p, at->held);
	struct dotted_name d;
	struct bytes name = { 0 };

	if (is_container(kind) || kind == PICKLE_OBJECT)
		return;
	if (n->n_left++ < CONVERT_LEFT_MAX) /* no more are listed */
		name = path_of(n, &d, at) ? dotted_text(&d) : name;
	taker->leave(taker->ctx, name, CONVERT_NO_TENSOR, false);
}

static void tell_all_left(struct paths *n)
{
	struct pickle_hold at;

	for (uint32_t i = 0; i < n->n; i++) {
		const struct place *place = &n->places[i];
		bool state = place->at.through && pickle_kind(n->p, place->value) == PICKLE_TUPLE; /* or arguments */
		uint64_t count =
		    is_container(pickle_kind(n->p, place->value)) && !state ? pickle_count(n->p, place->value) : 0;

		for (uint64_t k = 0; k < count && child_of(n, place->value, k, &at); k++)
			tell_left(n, &at);
	}
}

static void walk(struct paths *n)
{
	const struct thing *t = pickle_thing_of(n->a, n->p, n->result);

	put(n,
	    &(struct pickle_hold){ .holder = n->result, .key = PICKLE_NO_VALUE, .held = n->result, .through = true });
	for (size_t i = 0; i < n->a->n_held; i++)
		put(n, &n->a->held[i]);
	while (n->looked < n->n)
		look_into(n, n->places[n->looked++].value);
	name_arrays(n);
	if (t != NULL && t->kind == THING_ARRAY)
		(void)pickle_arrays_rename(n->a, &n->a->things[t - n->a->things], bytes_of_text("data"));
	tell_all_left(n);
}

void pickle_paths_name(struct pickle_arrays *a, const struct pickle *p, pickle_value result)
{
	struct arena *arena = a->l->arena;
	struct paths n = { .a = a, .p = p, .result = result };

	if (!a->lists || a->n_around != PICKLE_NOT_NESTED || result == PICKLE_NO_VALUE)
		return;
	layout_raise_memory(a->l, PLACES * (sizeof(*n.places) + 2 * sizeof(*n.slots)));
	n.places = arena_resize_raw(arena, NULL, PLACES, sizeof(*n.places));
	n.slots = arena_resize(arena, NULL, 2 * (size_t)PLACES, sizeof(*n.slots));
	if (n.places != NULL && n.slots != NULL)
		walk(&n);
	else
		a->status = WLK_INCOMPLETE;
	arena_release(arena, n.slots);
	arena_release(arena, n.places);
	a->n_held = 0;
}
