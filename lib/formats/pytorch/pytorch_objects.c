/* The objects of a checkpoint: see pytorch_objects.h.  Here: what is remembered of each value, and who takes which
 * event. */
#include "checked.h"
#include "pytorch_objects_impl.h"

#define CAPACITY_MIN 256

#define MEMORY_PER_BYTE 24u

void torch_objects_raise_memory(struct layout *l, uint64_t pickle_bytes)
{
	uint64_t bytes = l->lim->memory;

	(void)mul_u64(min_u64(pickle_bytes, l->lim->memory), MEMORY_PER_BYTE, &bytes);
	layout_raise_memory(l, bytes);
	layout_raise_memory(l, PICKLE_MEMORY_BASE);
}

struct torch_objects *torch_objects_new(const struct torch_objects_options *options)
{
	struct torch_objects *o = arena_alloc(options->l->arena, 1, sizeof(*o));

	if (o == NULL)
		return NULL;
	o->o = *options;
	torch_storages_init(&o->storages, options->l->arena, options->l->seed);
	torch_storages_init(&o->views, options->l->arena, options->l->seed);
	o->config = (struct config_pickle){ .l = options->l, .origin = options->origin, .member = options->member };
	o->arrays = pickle_arrays_new(options->l, options->origin, options->member);
	return o->arrays != NULL ? o : NULL;
}

bool torch_objects_failed(const struct torch_objects *o)
{
	return o->failed || pickle_arrays_status(o->arrays) == WLK_INCOMPLETE;
}

bool torch_finding_contradicts(enum wlk_finding code)
{
	const struct finding_info *info = finding_info(code);

	return info->severity >= SEVERITY_MEDIUM && (info->class == CLASS_MALFORMED || info->class == CLASS_AMBIGUOUS);
}

bool torch_objects_sound(const struct torch_objects *o)
{
	return !o->unsound && !pickle_arrays_contradicted(o->arrays) && pickle_arrays_status(o->arrays) == WLK_DONE;
}

struct pickle_arrays *torch_objects_arrays(struct torch_objects *o)
{
	return o->arrays;
}

bool torch_objects_ids_sound(const struct torch_objects *o)
{
	return !o->odd_ids;
}

struct torch_storages *torch_objects_storages(struct torch_objects *o)
{
	return &o->storages;
}

struct layout *torch_objects_layout(const struct torch_objects *o)
{
	return o->o.l;
}

const struct torch_index_check *torch_objects_index_checks(const struct torch_objects *o, size_t *ret_n)
{
	*ret_n = o->n_checks;
	return o->checks;
}

/* -- findings -- */

#define SUBJECT_MAX 64

/* A storage goes by its tensor's name, else by its place in the archive. */
static struct bytes subject_of(const struct torch_storage *s, uint8_t buf[SUBJECT_MAX])
{
	static const char folder[] = { 'd', 'a', 't', 'a', '/' };
	size_t n;

	if (s == NULL)
		return bytes_of(NULL, 0);
	if (s->name.n > 0)
		return s->name;
	n = s->key.n < SUBJECT_MAX - sizeof(folder) ? s->key.n : SUBJECT_MAX - sizeof(folder);
	memcpy(buf, folder, sizeof(folder));
	memcpy(buf + sizeof(folder), s->key.at, n);
	return bytes_of(buf, sizeof(folder) + n);
}

void torch_objects_report(struct torch_objects *o, enum wlk_finding code, const struct torch_storage *s,
    uint64_t offset, struct value found, struct value allowed)
{
	uint8_t buf[SUBJECT_MAX];
	struct finding f = { .code = code, .has_offset = true, .member = o->o.member, .found = found };

	o->unsound |= torch_finding_contradicts(code);
	if (!report_wants(o->o.l->report, code)) {
		report_count(o->o.l->report, code);
		return;
	}
	f.offset = o->o.origin + offset; /* both below the file's or the stream's size */
	f.subject = subject_of(s, buf);
	f.allowed = allowed;
	report_finding(o->o.l->report, &f);
}

/* -- values -- */

struct torch_object *torch_object_of(struct torch_objects *o, const struct pickle *p, pickle_value v)
{
	uint32_t tag = v != PICKLE_NO_VALUE ? pickle_tag(p, v) : 0;

	return tag > 0 && tag <= o->n ? &o->list[tag - 1] : NULL;
}

struct torch_object *torch_object_add(
    struct torch_objects *o, struct pickle *p, pickle_value v, enum torch_kind kind, uint32_t storage)
{
	if (o->n == o->capacity) {
		size_t capacity = o->capacity > 0 ? o->capacity * 2 : CAPACITY_MIN;
		struct torch_object *list =
		    capacity < UINT32_MAX ? arena_resize(o->o.l->arena, o->list, capacity, sizeof(*list)) : NULL;

		if (list == NULL) {
			o->failed = true;
			return NULL;
		}
		o->list = list;
		o->capacity = capacity;
	}
	o->list[o->n] = (struct torch_object){ .kind = (uint8_t)kind,
		.storage = storage,
		.self = v,
		.args = PICKLE_NO_VALUE,
		.holder = PICKLE_NO_VALUE,
		.key = PICKLE_NO_VALUE };
	pickle_set_tag(p, v, (uint32_t)o->n + 1);
	return &o->list[o->n++];
}

bool torch_is_global(const struct pickle *p, pickle_value v, const char *module, const char *name)
{
	struct bytes m, n;

	return v != PICKLE_NO_VALUE && pickle_kind(p, v) == PICKLE_GLOBAL && pickle_global_mapped(p, v, &m, &n) &&
	       bytes_equal(m, bytes_of_text(module)) && bytes_equal(n, bytes_of_text(name));
}

pickle_value torch_argument(const struct pickle *p, pickle_value args, uint64_t i)
{
	if (args == PICKLE_NO_VALUE || pickle_kind(p, args) != PICKLE_TUPLE || i >= pickle_count(p, args))
		return PICKLE_NO_VALUE;
	return pickle_item(p, args, i);
}

/* -- events -- */

static enum torch_kind kind_of_call(const struct pickle *p, const struct pickle_event *e)
{
	if (torch_is_global(p, e->target, "torch", "Size"))
		return TORCH_SIZE;
	if (torch_is_global(p, e->target, "torch.serialization", "_get_layout"))
		return TORCH_LAYOUT;
	return TORCH_CONTAINER;
}

/* The result of every call is remembered: anything may turn out to hold a tensor. */
static void note_call(struct torch_objects *o, struct pickle *p, const struct pickle_event *e)
{
	bool any = e->args != PICKLE_NO_VALUE && pickle_count(p, e->args) > 0;
	struct torch_object *made;

	if (pickle_arrays_knows(p, e->result) || torch_rebuild_call(o, p, e) || torch_construct_call(o, p, e))
		return;
	made = torch_object_add(o, p, e->result, kind_of_call(p, e), TORCH_STORAGE_NONE);
	if (made == NULL)
		return;
	made->ordered_dict = torch_is_global(p, e->target, "collections", "OrderedDict");
	made->filled = any;
	if (made->kind != TORCH_CONTAINER)
		made->args = torch_argument(p, e->args, 0);
}

/* Hooks that were empty when the tensor was made, and are no longer. */
static void note_filled(struct torch_objects *o, struct torch_object *container, uint64_t offset)
{
	container->filled = true;
	if (container->hooks)
		torch_objects_at(o, WLK_F_TORCH_HOOKS, offset);
}

static void note_mutation(struct torch_objects *o, struct pickle *p, const struct pickle_event *e)
{
	struct torch_object *holder = torch_object_of(o, p, e->target);
	struct torch_object *held = torch_object_of(o, p, e->args);

	if (holder != NULL)
		note_filled(o, holder, e->offset);
	if (held == NULL || e->key == PICKLE_NO_VALUE)
		return;
	if (held->holder != PICKLE_NO_VALUE) {
		torch_note_place(o, held, (struct torch_place){ .holder = e->target, .key = e->key });
		return;
	}
	held->holder = e->target;
	held->key = e->key;
}

static void note_state(struct torch_objects *o, struct pickle *p, const struct pickle_event *e)
{
	struct torch_object *target = torch_object_of(o, p, e->target);

	if (target == NULL)
		return;
	if (target->kind == TORCH_BARE || target->kind == TORCH_TENSOR) {
		torch_build_tensor(o, p, e, target->kind == TORCH_BARE);
		return;
	}
	if (target->kind != TORCH_CONTAINER)
		return;
	note_filled(o, target, e->offset);
	target->args = e->args;
}

void torch_objects_event(void *ctx, struct pickle *p, const struct pickle_event *e)
{
	struct torch_objects *o = ctx;

	if (o->failed)
		return;
	pickle_arrays_event(o->arrays, p, e);
	config_pickle_event(&o->config, p, e);
	o->failed = o->failed || o->config.failed;
	switch (e->act) {
	case PICKLE_ACT_PERSID: torch_persistent_id(o, p, e); break;
	case PICKLE_ACT_CALL:
	case PICKLE_ACT_NEW: note_call(o, p, e); break;
	case PICKLE_ACT_BUILD: note_state(o, p, e); break;
	case PICKLE_ACT_MUTATE: note_mutation(o, p, e); break;
	case PICKLE_ACT_STOP: torch_name_storages(o, p, e->target); break;
	default: break;
	}
}
