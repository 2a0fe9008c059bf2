/* Names of storages: the keys on the way from the checkpoint's outermost dictionary to the first tensor, joined by dots.
 * Where a tensor was put is known from the machine's events for dictionaries that hold it; the plain containers above
 * them are found from the result, as far as the machine kept their items. */

#include "decimal.h"
#include "pytorch_objects_impl.h"

#define PLACES 16384u /* containers that are looked into; most checkpoints have less than ten */
#define SLOTS (2u * PLACES)
#define SEGMENTS_MAX 16u             /* of a path; an outer part beyond it is left out */
#define NAME_MAX 1024u               /* bytes; what a report shows of a name */
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
	uint32_t n, looked;
	size_t bytes;
};

/* -- places -- */

static uint32_t *slot_of(const struct namer *n, pickle_value v)
{
	size_t at = (size_t)siphash13(&v, sizeof(v), &n->o->o.l->seed) % SLOTS;

	while (n->slots[at] != 0 && n->places[n->slots[at] - 1].container != v)
		at = (at + 1) % SLOTS;
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

/* A value found in its holder: the first place counts. */
static void put(struct namer *n, const struct place *at)
{
	struct torch_object *object = torch_object_of(n->o, n->p, at->container);
	uint32_t *slot;

	if (object != NULL) {
		if (object->holder == PICKLE_NO_VALUE) {
			object->holder = at->holder;
			object->key = at->key;
			object->index = at->index;
		}
		return;
	}
	if (n->n == PLACES || !is_container(pickle_kind(n->p, at->container)))
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

	for (uint32_t i = 0; i < count && i < PICKLE_ITEMS_KEPT; i++) {
		struct place at = { .holder = list, .key = PICKLE_NO_VALUE, .index = i };

		at.container = pickle_item(n->p, list, i);
		if (at.container == PICKLE_NO_VALUE)
			return;
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

		if (object->kind == TORCH_CONTAINER && object->args != PICKLE_NO_VALUE)
			put(n, &(struct place){ .container = object->args,
				   .holder = object->self,
				   .key = PICKLE_NO_VALUE,
				   .through = true });
	}
}

/* -- paths -- */

struct path {
	uint8_t at[NAME_MAX];
	size_t begin; /* written from the end */
};

static bool prepend(struct path *path, struct bytes segment)
{
	bool first = path->begin == NAME_MAX;

	if (segment.n >= path->begin)
		return false;
	if (!first)
		path->at[--path->begin] = '.';
	path->begin -= segment.n;
	bytes_copy(path->at + path->begin, segment);
	return true;
}

static bool prepend_number(struct path *path, int64_t number)
{
	char text[1 + DECIMAL_MAX] = "-";
	size_t n = decimal_text(number < 0 ? 0 - (uint64_t)number : (uint64_t)number, text + 1);

	return prepend(path, number < 0 ? bytes_of(text, n + 1) : bytes_of(text + 1, n));
}

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
		return prepend_number(path, index);
	if (pickle_int(n->p, key, &number))
		return prepend_number(path, number);
	if (!pickle_text(n->p, key, &text) || text.n == 0)
		return false;
	return is_module_part(text) || prepend(path, text);
}

/* One step outwards; false at the end. */
static bool step(const struct namer *n, struct path *path, pickle_value *v)
{
	const struct torch_object *object = torch_object_of(n->o, n->p, *v);
	const struct place *place = object == NULL ? place_of(n, *v) : NULL;
	pickle_value holder = object != NULL ? object->holder : place != NULL ? place->holder : PICKLE_NO_VALUE;

	if (holder == PICKLE_NO_VALUE)
		return false;
	*v = holder;
	if (object != NULL ? object->part : place->through)
		return true;
	return object != NULL ? prepend_key(n, path, object->key, object->index)
			      : prepend_key(n, path, place->key, place->index);
}

static struct bytes path_of(const struct namer *n, struct path *path, const struct torch_object *tensor)
{
	pickle_value v = tensor->holder;

	path->begin = NAME_MAX;
	if (tensor->part || prepend_key(n, path, tensor->key, tensor->index))
		for (unsigned i = 0; i < SEGMENTS_MAX && step(n, path, &v); i++)
			continue;
	return bytes_of(path->at + path->begin, NAME_MAX - path->begin);
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

void torch_name_storages(struct torch_objects *o, struct pickle *p, pickle_value root)
{
	struct arena *a = o->o.l->arena;
	struct namer n = { .o = o, .p = p };

	if (o->storages.n == 0)
		return;
	n.places = arena_resize(a, NULL, PLACES, sizeof(*n.places));
	n.slots = arena_resize(a, NULL, SLOTS, sizeof(*n.slots));
	if (n.places != NULL && n.slots != NULL) {
		put(&n, &(struct place){ .container = root, .holder = PICKLE_NO_VALUE, .key = PICKLE_NO_VALUE });
		put_states(&n);
		look_into_all(&n);
		name_all(&n);
	} else {
		o->failed = true;
	}
	arena_release(a, n.slots);
	arena_release(a, n.places);
}
