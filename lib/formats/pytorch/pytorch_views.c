/* What a checkpoint's tensors are over their storages, for who converts: all views, under all names.  Those that are no plain
 * tensor - sparse, quantised, conjugated, of a type that has no place of its own in safetensors - are said to be lost. */
#include "convert.h"
#include "pytorch_objects_impl.h"

#define PLACES_FIRST 64

/* Of an optimizer's state: a plain dictionary for each parameter. */
#define ITEMS_KEPT 16384u

uint32_t torch_items_kept(const struct layout *l)
{
	return layout_wants_views(l) ? ITEMS_KEPT : 0;
}

void torch_note_place(struct torch_objects *o, const struct torch_object *tensor, struct torch_place place)
{
	size_t capacity = o->places_capacity > 0 ? 2 * o->places_capacity : PLACES_FIRST;
	struct torch_place *places;

	if (!layout_wants_views(o->o.l) || tensor->kind != TORCH_TENSOR || tensor->part ||
	    (tensor->holder == place.holder && tensor->key == place.key && tensor->index == place.index))
		return;
	if (o->n_places == o->places_capacity) {
		places = arena_resize_raw(o->o.l->arena, o->places, capacity, sizeof(*places));
		if (places == NULL) {
			o->failed = true;
			return;
		}
		o->places = places;
		o->places_capacity = capacity;
	}
	place.object = (uint32_t)(tensor - o->list);
	o->places[o->n_places++] = place;
}

enum { V2_QUANTISER = 4, V2_METADATA = 6, V3_METADATA = 7 };

/* (storage, offset, size, stride, requires_grad, hooks[, metadata]): in the fifth place a quantised tensor has its scales;
 * metadata, where there is any, says that elements are read conjugated or negated. */
static bool is_plain(const struct pickle *p, const struct torch_object *tensor)
{
	pickle_value fifth = torch_argument(p, tensor->args, V2_QUANTISER);
	pickle_value metadata =
	    torch_argument(p, tensor->args, tensor->rebuild == REBUILD_V3 ? V3_METADATA : V2_METADATA);

	if (fifth != PICKLE_NO_VALUE && pickle_kind(p, fifth) == PICKLE_TUPLE)
		return false;
	return metadata == PICKLE_NO_VALUE || pickle_kind(p, metadata) == PICKLE_NONE ||
	       (pickle_kind(p, metadata) == PICKLE_DICT && pickle_count(p, metadata) == 0);
}

static enum convert_reason read_view(struct torch_objects *o, const struct pickle *p, const struct torch_object *tensor,
    struct torch_view *ret, const struct torch_type **ret_type)
{
	if (tensor->storage == TORCH_STORAGE_NONE || !torch_tensor_view(o, p, tensor, ret, ret_type) ||
	    !is_plain(p, tensor))
		return CONVERT_KIND;
	return (*ret_type)->raw ? CONVERT_TYPE : CONVERT_NONE;
}

/* One block: the view, its sizes and strides, its name. */
static struct tensor_view *make_view(struct arena *a, const struct torch_view *view, struct bytes name)
{
	struct {
		struct tensor_view view;
		uint64_t numbers[];
	} * made;
	size_t lists = 2 * (size_t)view->n * sizeof(made->numbers[0]);

	made = arena_alloc(a, sizeof(*made) + lists + name.n, 1);
	if (made == NULL)
		return NULL;
	memcpy(made->numbers, view->size, view->n * sizeof(view->size[0]));
	memcpy(made->numbers + view->n, view->stride, view->n * sizeof(view->stride[0]));
	bytes_copy(made->numbers + 2 * (size_t)view->n, name);
	made->view = (struct tensor_view){ .name = bytes_of(made->numbers + 2 * (size_t)view->n, name.n),
		.offset = view->offset,
		.rank = view->n,
		.shape = made->numbers,
		.stride = made->numbers + view->n };
	return &made->view;
}

void torch_note_view(
    struct torch_objects *o, const struct pickle *p, const struct torch_object *tensor, struct bytes name)
{
	const struct report_taker *taker = o->o.l->report->taker;
	const struct torch_type *type = NULL;
	struct torch_view view;
	enum convert_reason why = read_view(o, p, tensor, &view, &type);
	struct torch_storage *s;
	struct tensor_view *made;

	if (why == CONVERT_NONE && name.n == 0)
		why = CONVERT_UNNAMED;
	if (why != CONVERT_NONE) {
		if (name.n == 0 && tensor->storage != TORCH_STORAGE_NONE)
			name = o->storages.list[tensor->storage].key;
		taker->leave(taker->ctx, name, why, true);
		return;
	}
	made = make_view(o->o.l->arena, &view, name);
	if (made == NULL) {
		o->failed = true;
		return;
	}
	s = &o->storages.list[tensor->storage];
	made->dtype = type->dtype;
	made->next = s->views;
	s->views = made;
}

const struct tensor_view *torch_views_of(const struct torch_objects *o, const struct torch_storage *s)
{
	if (!layout_wants_views(o->o.l))
		return NULL;
	return s->views != NULL ? s->views : &tensor_view_none;
}
