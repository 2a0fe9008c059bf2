/* Calls that make tensors: their arguments are checked against the storage they look at.  Follows formats/pytorch,
 * section 3, "data.pkl semantics", and section 4, rules 4 to 9. */
#include "checked.h"
#include "pytorch_objects_impl.h"

static pickle_value argument(const struct torch_made *c, uint64_t i)
{
	return torch_argument(c->p, c->args, i);
}

static void complain(const struct torch_made *c, enum wlk_finding code)
{
	torch_objects_at(c->o, code, c->offset);
}

/* -- reading arguments -- */

static bool read_count(const struct pickle *p, pickle_value v, uint64_t *ret)
{
	int64_t n;

	if (v == PICKLE_NO_VALUE || !pickle_int(p, v, &n) || n < 0)
		return false;
	*ret = (uint64_t)n;
	return true;
}

/* What a torch.Size was made from. */
static pickle_value sequence_of(struct torch_objects *o, const struct pickle *p, pickle_value v)
{
	const struct torch_object *made = torch_object_of(o, p, v);

	return made != NULL && made->kind == TORCH_SIZE ? made->args : v;
}

bool torch_read_sizes(struct torch_objects *o, const struct pickle *p, pickle_value v, uint64_t *ret, unsigned *ret_n)
{
	uint64_t n;

	v = sequence_of(o, p, v);
	if (v == PICKLE_NO_VALUE || pickle_kind(p, v) != PICKLE_TUPLE)
		return false;
	n = pickle_count(p, v);
	if (n > TORCH_DIMENSIONS_MAX)
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (!read_count(p, pickle_item(p, v, i), &ret[i]))
			return false;
	*ret_n = (unsigned)n;
	return true;
}

static bool read_shape(
    struct torch_objects *o, const struct pickle *p, pickle_value size, pickle_value stride, struct torch_view *ret)
{
	unsigned n_strides;

	return torch_read_sizes(o, p, size, ret->size, &ret->n) &&
	       torch_read_sizes(o, p, stride, ret->stride, &n_strides) && ret->n == n_strides;
}

/* (storage, offset, size, stride, ...) */
static bool read_view(struct torch_objects *o, const struct pickle *p, pickle_value args, struct torch_view *ret)
{
	return read_count(p, torch_argument(p, args, 1), &ret->offset) &&
	       read_shape(o, p, torch_argument(p, args, 2), torch_argument(p, args, 3), ret);
}

#define V3_DTYPE 6 /* its place among the arguments */

const struct torch_type *torch_dtype_of(const struct pickle *p, pickle_value v)
{
	struct bytes module, name;

	if (v == PICKLE_NO_VALUE || pickle_kind(p, v) != PICKLE_GLOBAL || !pickle_global_mapped(p, v, &module, &name))
		return NULL;
	return bytes_equal(module, bytes_of_text("torch")) ? torch_dtype(name) : NULL;
}

/* A legacy view of a storage begins behind some of its elements, which are counted in those of the storage. */
static bool move_to_root(
    struct torch_objects *o, const struct torch_object *seen, const struct torch_type *type, struct torch_view *view)
{
	const struct torch_type *of;
	uint64_t bytes;

	if (seen == NULL || seen->kind != TORCH_STORAGE)
		return false;
	of = o->storages.list[seen->storage].type;
	if (seen->begin == 0)
		return true;
	return of != NULL && mul_u64(seen->begin, of->bytes, &bytes) && bytes % type->bytes == 0 &&
	       add_u64(view->offset, bytes / type->bytes, &view->offset);
}

bool torch_tensor_view(struct torch_objects *o, const struct pickle *p, const struct torch_object *tensor,
    struct torch_view *ret, const struct torch_type **ret_type)
{
	if (tensor->rebuild == REBUILD_NONE || tensor->storage == TORCH_STORAGE_NONE)
		return false;
	*ret_type = tensor->rebuild == REBUILD_V3 ? torch_dtype_of(p, torch_argument(p, tensor->args, V3_DTYPE))
						  : o->storages.list[tensor->storage].type;
	return *ret_type != NULL && read_view(o, p, tensor->args, ret) &&
	       move_to_root(o, torch_object_of(o, p, torch_argument(p, tensor->args, 0)), *ret_type, ret);
}

/* -- rules -- */

/* Elements of the tensor's type that are seen through the storage object. */
static uint64_t elements_of(
    const struct torch_storage *s, const struct torch_object *seen, const struct torch_type *type)
{
	uint64_t bytes, elements;

	if (type == NULL || s->type == NULL || (type->bytes == s->type->bytes && type->packed == 1))
		return seen->numel;
	return mul_u64(seen->numel, s->type->bytes, &bytes) && mul_u64(bytes / type->bytes, type->packed, &elements)
		   ? elements
		   : 0;
}

/* Rules 4 to 6. */
static void check_bounds(const struct torch_made *c, const struct torch_view *v, const struct torch_object *seen,
    const struct torch_type *type)
{
	const struct torch_storage *s = &c->o->storages.list[seen->storage];
	uint64_t numel = elements_of(s, seen, type), elements, end;

	if (!torch_view_elements(v, &elements) || elements > INT64_MAX)
		torch_objects_report(
		    c->o, WLK_F_TORCH_TENSOR_GEOMETRY, s, c->offset, (struct value){ 0 }, (struct value){ 0 });
	else if (!torch_view_end(v, &end))
		torch_objects_report(
		    c->o, WLK_F_TORCH_TENSOR_BOUNDS, s, c->offset, (struct value){ 0 }, value_number(numel));
	else if (end > numel)
		torch_objects_report(
		    c->o, WLK_F_TORCH_TENSOR_BOUNDS, s, c->offset, value_number(end), value_number(numel));
	else if (torch_view_explodes(v, numel))
		torch_objects_report(
		    c->o, WLK_F_TORCH_TENSOR_EXPANDED, s, c->offset, value_number(elements), value_number(numel));
}

static bool is_examined(const struct torch_type *type)
{
	return dtype_info(type->dtype)->kind != DTYPE_OPAQUE;
}

/* An untyped storage is what its tensors take it for.  Its bytes are examined once: as the type that can be wrong, if there
 * is only one.  A typed one is never seen as anything else. */
static void note_type(const struct torch_made *c, struct torch_storage *s, const struct torch_type *type)
{
	const struct torch_type *seen = s->untyped ? s->view : s->type;

	if (type == NULL)
		return;
	if (s->untyped && (seen == NULL || (is_examined(type) && !is_examined(seen))))
		s->view = type;
	else if (seen == NULL || (seen->dtype != type->dtype && (!s->untyped || is_examined(type))))
		torch_objects_report(
		    c->o, WLK_F_TORCH_STORAGE_CONFLICT, s, c->offset, (struct value){ 0 }, (struct value){ 0 });
}

#define SHAPE_RANK_MAX 8u /* what models have; so a storage costs no more memory than its id */

/* For the manifest, and nothing else: nearly every storage is one tensor.  Without memory for it, it has one dimension. */
static void note_shape(const struct torch_made *c, struct torch_storage *s, const struct torch_view *v)
{
	uint64_t elements, *shape;

	if (s->shape != NULL || s->untyped || v->offset != 0 || v->n > SHAPE_RANK_MAX || !torch_view_contiguous(v) ||
	    !torch_view_elements(v, &elements) || elements != s->numel)
		return;
	shape = arena_alloc(c->o->storages.arena, v->n > 0 ? v->n : 1, sizeof(*shape));
	if (shape == NULL)
		return;
	memcpy(shape, v->size, v->n * sizeof(*shape));
	s->shape = shape;
	s->rank = v->n;
}

void torch_make_tensor(const struct torch_made *c, enum torch_rebuild rebuild, uint32_t storage)
{
	struct torch_object *made = torch_object_add(c->o, c->p, c->result, TORCH_TENSOR, storage);

	if (made == NULL)
		return;
	made->rebuild = (uint8_t)rebuild;
	made->args = c->args;
}

/* The tensor over arguments 0 to 3. */
static void rebuild_view(const struct torch_made *c, enum torch_rebuild rebuild)
{
	const struct torch_object *seen = torch_object_of(c->o, c->p, argument(c, 0));
	const struct torch_type *type;
	struct torch_view view;

	if (seen == NULL || seen->kind != TORCH_STORAGE) {
		/* An id that is no storage was reported where it stands. */
		if (argument(c, 0) == PICKLE_NO_VALUE || pickle_kind(c->p, argument(c, 0)) != PICKLE_PERSISTENT)
			complain(c, WLK_F_TORCH_TENSOR_GEOMETRY);
		return;
	}
	type = rebuild == REBUILD_V3 ? torch_dtype_of(c->p, argument(c, V3_DTYPE))
				     : c->o->storages.list[seen->storage].type;
	if (!read_view(c->o, c->p, c->args, &view)) {
		complain(c, WLK_F_TORCH_TENSOR_GEOMETRY);
	} else {
		check_bounds(c, &view, seen, type);
		note_shape(c, &c->o->storages.list[seen->storage], &view);
	}
	if (rebuild == REBUILD_V3)
		note_type(c, &c->o->storages.list[seen->storage], type);
	torch_make_tensor(c, rebuild, seen->storage);
}

/* -- the functions -- */

/* Tensors that the result is made of go by its name. */
static void note_parts(const struct torch_made *c, pickle_value tuple)
{
	for (uint64_t i = 0; torch_argument(c->p, tuple, i) != PICKLE_NO_VALUE; i++) {
		struct torch_object *part = torch_object_of(c->o, c->p, torch_argument(c->p, tuple, i));

		if (part != NULL && part->kind == TORCH_TENSOR && part->holder == PICKLE_NO_VALUE) {
			part->holder = c->result;
			part->part = true;
		}
	}
}

/* PyTorch takes memory for each element before it looks at the storage. */
static void check_quantised_size(const struct torch_made *c, const struct torch_object *seen)
{
	const struct torch_storage *s = &c->o->storages.list[seen->storage];
	uint64_t elements, end, numel = elements_of(s, seen, s->type);
	struct torch_view view;

	if (read_view(c->o, c->p, c->args, &view) && torch_view_end(&view, &end) && end <= numel &&
	    torch_view_elements(&view, &elements) && elements > numel && !torch_view_explodes(&view, numel))
		torch_objects_report(
		    c->o, WLK_F_TORCH_TENSOR_EXPANDED, s, c->offset, value_number(elements), value_number(numel));
}

static void rebuild_qtensor(const struct torch_made *c)
{
	const struct torch_object *seen;

	rebuild_view(c, REBUILD_V2);
	seen = torch_object_of(c->o, c->p, argument(c, 0));
	if (seen != NULL && seen->kind == TORCH_STORAGE) {
		check_quantised_size(c, seen);
		torch_check_quantizer(c, argument(c, 4), c->o->storages.list[seen->storage].type);
	}
	note_parts(c, argument(c, 4));
}

static void rebuild_sparse(const struct torch_made *c)
{
	torch_rebuild_sparse(c->o, c->p, argument(c, 0), argument(c, 1), c->offset);
	note_parts(c, argument(c, 1));
	torch_make_tensor(c, REBUILD_NONE, TORCH_STORAGE_NONE);
}

/* A shape without a storage: nothing to be outside of. */
static void check_shape(const struct torch_made *c, uint64_t size, uint64_t stride)
{
	struct torch_view view = { 0 };
	uint64_t end;

	if (!read_shape(c->o, c->p, argument(c, size), argument(c, stride), &view) || !torch_view_end(&view, &end) ||
	    end > INT64_MAX)
		complain(c, WLK_F_TORCH_TENSOR_GEOMETRY);
}

static void rebuild_meta(const struct torch_made *c)
{
	check_shape(c, 1, 2);
	torch_make_tensor(c, REBUILD_NONE, TORCH_STORAGE_NONE);
}

/* Somebody's own class decides what its elements are; PyTorch's own never need the call. */
static void rebuild_wrapper(const struct torch_made *c)
{
	complain(c, WLK_F_TORCH_SUBCLASS);
	check_shape(c, 2, 3);
	torch_make_tensor(c, REBUILD_NONE, TORCH_STORAGE_NONE);
}

void torch_rebuild(const struct torch_made *c, enum torch_function function)
{
	switch (function) {
	case TORCH_REBUILD_TENSOR: rebuild_view(c, REBUILD_V1); break;
	case TORCH_REBUILD_TENSOR_V2: rebuild_view(c, REBUILD_V2); break;
	case TORCH_REBUILD_TENSOR_V3: rebuild_view(c, REBUILD_V3); break;
	case TORCH_REBUILD_QTENSOR: rebuild_qtensor(c); break;
	case TORCH_REBUILD_SPARSE: rebuild_sparse(c); break;
	case TORCH_REBUILD_META: rebuild_meta(c); break;
	case TORCH_REBUILD_WRAPPER: rebuild_wrapper(c); break;
	default: complain(c, WLK_F_TORCH_CALL); break;
	}
}

/* -- numbers that were made of others -- */

bool torch_is_of_type(const struct torch_made *c, pickle_value tensor, const struct torch_type *type)
{
	const struct torch_object *made = torch_object_of(c->o, c->p, tensor);
	const struct torch_type *of;
	struct torch_view view;

	return made != NULL && type != NULL && torch_tensor_view(c->o, c->p, made, &view, &of) &&
	       of->dtype == type->dtype && of->bytes == type->bytes;
}

bool torch_is_array_of(const struct torch_made *c, pickle_value array, const struct torch_type *type)
{
	enum wlk_dtype dtype;

	return type != NULL && c->o->o.arrays_examined && pickle_arrays_elements(c->o->arrays, c->p, array, &dtype) &&
	       dtype == type->dtype;
}
