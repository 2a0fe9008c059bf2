/* Names of storages: the keys on the way from the checkpoint's outermost dictionary to the first tensor, joined by dots.
 * Where a tensor was put is known from the machine's events for dictionaries that hold it; the plain containers above
 * them are found from the result, as far as the machine kept their items. */

#include "dotted_name.h"
#include "pytorch_objects_impl.h"

#define PLACES 16384u                /* containers that are looked into; most checkpoints have less than ten */
#define PLACES_VIEWS (16u * PLACES)  /* for who converts: an optimizer has one for each parameter */
#define SEGMENTS_MAX 16u             /* of a path; an outer part beyond it is left out */
#define NAMES_MAX ((size_t)16 << 20) /* bytes of all names; the storages after that keep their keys */

/* Where a container is: a value of its own, not a tensor. */
struct place {
	pickle_value container;
	pickle_value holder, key; /* key PICKLE_NO_VALUE: by index, or, when `through`, by nothing */
	uint32_t index;
	bool through; /* the holder's state: adds nothing to the path */
};

struct namer {
	struct torch_objects *o;
	struct pickle *p;
	struct place *places;
	uint32_t *slots; /* index + 1 */
	uint32_t n, looked, room;
	size_t bytes;
	pickle_value root;
};

/* -- places -- */

static uint32_t *slot_of(const struct namer *n, pickle_value v)
{
	size_t at = (size_t)siphash13(&v, sizeof(v), &n->o->o.l->seed) % (2 * (size_t)n->room);

	while (n->slots[at] != 0 && n->places[n->slots[at] - 1].container != v)
		at = (at + 1) % (2 * (size_t)n->room);
	return &n->slots[at];
}

static const struct place *place_of(const struct namer *n, pickle_value v)
{
	uint32_t found = *slot_of(n, v);

	return found > 0 ? &n->places[found - 1] : NULL;
}

static bool is_container(enum pickle_kind kind)
{
	return kind == PICKLE_DICT || kind == PICKLE_LIST || kind == PICKLE_TUPLE;
}

static void note_left(struct namer *n, const struct place *found);

/* A value found in its holder: the first place counts. */
static void put(struct namer *n, const struct place *at)
{
	struct torch_object *object = torch_object_of(n->o, n->p, at->container);
	uint32_t *slot;

	if (layout_wants_views(n->o->o.l))
		note_left(n, at);
	if (object != NULL) {
		if (object->holder != PICKLE_NO_VALUE)
			torch_note_place(n->o, object,
			    (struct torch_place){ .holder = at->holder, .key = at->key, .index = at->index });
		if (object->holder == PICKLE_NO_VALUE) {
			object->holder = at->holder;
			object->key = at->key;
			object->index = at->index;
		}
		return;
	}
	if (n->n == n->room || !is_container(pickle_kind(n->p, at->container)))
		return;
	slot = slot_of(n, at->container);
	if (*slot != 0)
		return;
	n->places[n->n] = *at;
	*slot = ++n->n;
}

static void look_into_dict(struct namer *n, pickle_value dict)
{
	for (uint64_t i = 0; i < pickle_count(n->p, dict); i++) {
		struct place at = { .holder = dict };

		if (!pickle_pair(n->p, dict, i, &at.key, &at.container))
			return; /* no more are kept */
		put(n, &at);
	}
}

static void look_into_sequence(struct namer *n, pickle_value list)
{
	uint64_t count = pickle_count(n->p, list);

	for (uint32_t i = 0; i < count; i++) {
		struct place at = { .holder = list, .key = PICKLE_NO_VALUE, .index = i };

		at.container = pickle_item(n->p, list, i);
		if (at.container == PICKLE_NO_VALUE)
			return;
		put(n, &at);
	}
}

/* OrderedDict([[key, value], ...]), as Python 2 pickles it. */
static void look_into_pairs(struct namer *n, const struct torch_object *dict)
{
	pickle_value list = torch_argument(n->p, pickle_call_arguments(n->p, dict->self), 0);

	if (list == PICKLE_NO_VALUE || pickle_kind(n->p, list) != PICKLE_LIST)
		return;
	for (uint64_t i = 0; i < pickle_count(n->p, list); i++) {
		pickle_value pair = pickle_item(n->p, list, i);
		struct place at = { .holder = dict->self };

		if (pair == PICKLE_NO_VALUE)
			return;
		if ((pickle_kind(n->p, pair) != PICKLE_LIST && pickle_kind(n->p, pair) != PICKLE_TUPLE) ||
		    pickle_count(n->p, pair) != 2)
			continue;
		at.key = pickle_item(n->p, pair, 0);
		at.container = pickle_item(n->p, pair, 1);
		if (at.key != PICKLE_NO_VALUE && at.container != PICKLE_NO_VALUE)
			put(n, &at);
	}
}

static void look_into_all(struct namer *n)
{
	while (n->looked < n->n) {
		pickle_value v = n->places[n->looked++].container;

		if (pickle_kind(n->p, v) == PICKLE_DICT)
			look_into_dict(n, v);
		else
			look_into_sequence(n, v);
	}
}

/* The states of objects: a module keeps its tensors there. */
static void put_states(struct namer *n)
{
	for (size_t i = 0; i < n->o->n; i++) {
		const struct torch_object *object = &n->o->list[i];

		if (object->kind == TORCH_CONTAINER && object->ordered_dict)
			look_into_pairs(n, object);
		if (object->kind == TORCH_CONTAINER && object->args != PICKLE_NO_VALUE)
			put(n, &(struct place){ .container = object->args,
				   .holder = object->self,
				   .key = PICKLE_NO_VALUE,
				   .through = true });
	}
}

/* -- paths -- */

struct path {
	struct dotted_name name;
	bool whole; /* it leads to the root, and nothing of it was left out */
};

/* Dictionaries of a module between its name and those of its tensors, which no state dict has. */
static bool is_module_part(struct bytes key)
{
	return bytes_equal(key, bytes_of_text("_parameters")) || bytes_equal(key, bytes_of_text("_buffers")) ||
	       bytes_equal(key, bytes_of_text("_modules"));
}

static bool prepend_key(const struct namer *n, struct path *path, pickle_value key, uint32_t index)
{
	struct bytes text;
	int64_t number;

	if (key == PICKLE_NO_VALUE)
		return dotted_prepend_number(&path->name, index);
	if (pickle_int(n->p, key, &number))
		return dotted_prepend_number(&path->name, number);
	if (!pickle_text(n->p, key, &text) || text.n == 0)
		return false;
	return is_module_part(text) || dotted_prepend(&path->name, text);
}

enum stepped { STEPPED, STEPPED_OUT, STEPPED_SHORT }; /* there may be more; the end; the path is too long */

/* One step outwards. */
static enum stepped step(const struct namer *n, struct path *path, pickle_value *v)
{
	const struct torch_object *object = torch_object_of(n->o, n->p, *v);
	const struct place *place = object == NULL ? place_of(n, *v) : NULL;
	pickle_value holder = object != NULL ? object->holder : place != NULL ? place->holder : PICKLE_NO_VALUE;

	bool fits;

	if (holder == PICKLE_NO_VALUE)
		return STEPPED_OUT;
	*v = holder;
	if (object != NULL ? object->part : place->through)
		return STEPPED;
	fits = object != NULL ? prepend_key(n, path, object->key, object->index)
			      : prepend_key(n, path, place->key, place->index);
	return fits ? STEPPED : STEPPED_SHORT;
}

static struct bytes path_of(const struct namer *n, struct path *path, const struct torch_object *tensor)
{
	pickle_value v = tensor->holder;
	enum stepped stepped = STEPPED;

	dotted_begin(&path->name);
	if (tensor->part || prepend_key(n, path, tensor->key, tensor->index))
		for (unsigned i = 0; i < SEGMENTS_MAX && stepped == STEPPED; i++)
			stepped = step(n, path, &v);
	path->whole = stepped == STEPPED_OUT && v == n->root;
	return dotted_text(&path->name);
}

/* -- storages -- */

static void name_storage(struct namer *n, struct torch_storage *s, const struct torch_object *tensor)
{
	struct path path;
	struct bytes name = path_of(n, &path, tensor);
	uint8_t *copy;

	if (name.n == 0 || name.n > NAMES_MAX - n->bytes)
		return;
	copy = arena_alloc(n->o->o.l->arena, name.n, 1);
	if (copy == NULL) {
		n->o->failed = true;
		return;
	}
	bytes_copy(copy, name);
	s->name = bytes_of(copy, name.n);
	n->bytes += name.n;
}

static void name_all(struct namer *n)
{
	for (size_t i = 0; i < n->o->n && !n->o->failed; i++) {
		const struct torch_object *object = &n->o->list[i];
		struct torch_storage *s;

		if (object->kind != TORCH_TENSOR || object->storage == TORCH_STORAGE_NONE ||
		    object->holder == PICKLE_NO_VALUE)
			continue;
		s = &n->o->storages.list[object->storage];
		if (s->name.n == 0)
			name_storage(n, s, object);
	}
}

/* -- for who converts: all tensors, and what is none -- */

static bool is_container_kind(const struct torch_object *object)
{
	return object->kind == TORCH_CONTAINER && (object->ordered_dict || object->args != PICKLE_NO_VALUE);
}

static void view_at(struct namer *n, const struct torch_object *tensor, const struct torch_place *place)
{
	struct torch_object at = *tensor;
	struct path path;
	struct bytes name;

	at.holder = place->holder;
	at.key = place->key;
	at.index = place->index;
	if (tensor->self == n->root) {
		torch_note_view(n->o, n->p, tensor, bytes_of_text("tensor"));
		return;
	}
	name = at.holder != PICKLE_NO_VALUE ? path_of(n, &path, &at) : bytes_of(NULL, 0);
	torch_note_view(n->o, n->p, tensor, name.n > 0 && path.whole ? name : bytes_of(NULL, 0));
}

static void note_views(struct namer *n)
{
	struct torch_objects *o = n->o;

	for (size_t i = 0; i < o->n && !o->failed; i++) {
		const struct torch_object *object = &o->list[i];
		const struct torch_place place = {
			.holder = object->holder, .key = object->key, .index = object->index
		};

		if (object->kind == TORCH_TENSOR && !object->part)
			view_at(n, object, &place);
	}
	for (size_t i = 0; i < o->n_places && !o->failed; i++)
		view_at(n, &o->list[o->places[i].object], &o->places[i]);
}

/* What was found in a container, and is neither one nor a tensor. */
static void note_left(struct namer *n, const struct place *found)
{
	const struct torch_object *object = torch_object_of(n->o, n->p, found->container);
	struct torch_object at = { .holder = found->holder, .key = found->key, .index = found->index };
	const struct report_taker *taker = n->o->o.l->report->taker;
	struct path path;

	if (found->holder == PICKLE_NO_VALUE || found->through)
		return;
	if (object != NULL ? object->kind == TORCH_TENSOR || is_container_kind(object)
			   : is_container(pickle_kind(n->p, found->container)))
		return;
	taker->leave(taker->ctx, path_of(n, &path, &at), CONVERT_NO_TENSOR, false);
}

void torch_name_storages(struct torch_objects *o, struct pickle *p, pickle_value root)
{
	struct arena *a = o->o.l->arena;
	struct namer n = { .o = o, .p = p, .root = root, .room = layout_wants_views(o->o.l) ? PLACES_VIEWS : PLACES };

	if (o->storages.n == 0)
		return;
	n.places = arena_resize_raw(a, NULL, n.room, sizeof(*n.places));
	n.slots = arena_resize(a, NULL, 2 * (size_t)n.room, sizeof(*n.slots));
	if (n.places != NULL && n.slots != NULL) {
		put(&n, &(struct place){ .container = root, .holder = PICKLE_NO_VALUE, .key = PICKLE_NO_VALUE });
		put_states(&n);
		look_into_all(&n);
		name_all(&n);
		if (layout_wants_views(o->o.l))
			note_views(&n);
	} else {
		o->failed = true;
	}
	arena_release(a, n.slots);
	arena_release(a, n.places);
}
