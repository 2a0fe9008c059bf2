/* Calls that make tensors: their arguments are checked against the storage they look at.  Follows formats/pytorch,
 * section 3, "data.pkl semantics", and section 4, rules 4 to 9. */
#include "checked.h"
#include "pytorch_objects_impl.h"

/* One call; from_type hands an inner one on, with the same result. */
struct call {
	struct torch_objects *o;
	struct pickle *p;
	pickle_value args, result;
	uint64_t offset;
};

static pickle_value argument(const struct call *c, uint64_t i)
{
	return torch_argument(c->p, c->args, i);
}

static void complain(const struct call *c, enum wlk_finding code)
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
	enum pickle_kind kind;
	uint64_t n;

	v = sequence_of(o, p, v);
	kind = v != PICKLE_NO_VALUE ? pickle_kind(p, v) : PICKLE_UNKNOWN;
	if (kind != PICKLE_TUPLE && kind != PICKLE_LIST)
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

static const struct torch_type *dtype_of(const struct pickle *p, pickle_value v)
{
	struct bytes module, name;

	if (v == PICKLE_NO_VALUE || pickle_kind(p, v) != PICKLE_GLOBAL || !pickle_global_mapped(p, v, &module, &name))
		return NULL;
	return bytes_equal(module, bytes_of_text("torch")) ? torch_dtype(name) : NULL;
}

bool torch_tensor_view(struct torch_objects *o, const struct pickle *p, const struct torch_object *tensor,
    struct torch_view *ret, const struct torch_type **ret_type)
{
	if (tensor->rebuild == REBUILD_NONE || tensor->storage == TORCH_STORAGE_NONE)
		return false;
	*ret_type = tensor->rebuild == REBUILD_V3 ? dtype_of(p, torch_argument(p, tensor->args, V3_DTYPE))
						  : o->storages.list[tensor->storage].type;
	return *ret_type != NULL && read_view(o, p, tensor->args, ret);
}

/* -- rules -- */

/* Rule 8.  The dictionary is empty now and has to stay so: later items are seen by whoever adds them.  Writers of 0.4
 * put None there. */
static void check_hooks(const struct call *c, uint64_t i)
{
	pickle_value v = argument(c, i);
	struct torch_object *hooks = torch_object_of(c->o, c->p, v);

	if (v != PICKLE_NO_VALUE && pickle_kind(c->p, v) == PICKLE_NONE)
		return;
	if (hooks == NULL || !hooks->ordered_dict || hooks->filled)
		complain(c, WLK_F_TORCH_HOOKS);
	else
		hooks->hooks = true;
}

/* Rule 9. */
static bool metadata_is_known(const struct pickle *p, pickle_value dict)
{
	pickle_value key, value;
	struct bytes text;
	bool set;

	if (pickle_kind(p, dict) != PICKLE_DICT)
		return false;
	for (uint64_t i = 0; i < pickle_count(p, dict); i++)
		if (!pickle_pair(p, dict, i, &key, &value) || !pickle_text(p, key, &text) ||
		    !pickle_bool(p, value, &set) ||
		    (!bytes_equal(text, bytes_of_text("conj")) && !bytes_equal(text, bytes_of_text("neg"))))
			return false;
	return true;
}

static void check_metadata(const struct call *c, uint64_t i)
{
	pickle_value dict = argument(c, i);

	if (dict != PICKLE_NO_VALUE && !metadata_is_known(c->p, dict))
		complain(c, WLK_F_TORCH_METADATA);
}

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
static void check_bounds(
    const struct call *c, const struct torch_view *v, const struct torch_object *seen, const struct torch_type *type)
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

/* An untyped storage is examined as the first tensor takes it, but rather as floats than as anything else. */
static void note_type(struct torch_storage *s, const struct torch_type *type)
{
	if (!s->untyped || type == NULL)
		return;
	if (s->view == NULL || (dtype_is_float(type->dtype) && !dtype_is_float(s->view->dtype)))
		s->view = type;
}

#define SHAPE_RANK_MAX 8u /* what models have; so a storage costs no more memory than its id */

/* For the manifest, and nothing else: nearly every storage is one tensor.  Without memory for it, it has one dimension. */
static void note_shape(const struct call *c, struct torch_storage *s, const struct torch_view *v)
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

static void make_tensor(const struct call *c, enum torch_rebuild rebuild, uint32_t storage)
{
	struct torch_object *made = torch_object_add(c->o, c->p, c->result, TORCH_TENSOR, storage);

	if (made == NULL)
		return;
	made->rebuild = (uint8_t)rebuild;
	made->args = c->args;
}

/* The tensor over arguments 0 to 3. */
static void rebuild_view(const struct call *c, enum torch_rebuild rebuild)
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
	type = rebuild == REBUILD_V3 ? dtype_of(c->p, argument(c, V3_DTYPE)) : c->o->storages.list[seen->storage].type;
	if (!read_view(c->o, c->p, c->args, &view)) {
		complain(c, WLK_F_TORCH_TENSOR_GEOMETRY);
	} else {
		check_bounds(c, &view, seen, type);
		note_shape(c, &c->o->storages.list[seen->storage], &view);
	}
	if (rebuild == REBUILD_V3)
		note_type(&c->o->storages.list[seen->storage], type);
	make_tensor(c, rebuild, seen->storage);
}

/* -- the functions -- */

static void rebuild_tensor(const struct call *c)
{
	rebuild_view(c, REBUILD_V1);
}

static void rebuild_tensor_v2(const struct call *c)
{
	rebuild_view(c, REBUILD_V2);
	check_hooks(c, 5);
	check_metadata(c, 6);
}

static void rebuild_tensor_v3(const struct call *c)
{
	rebuild_view(c, REBUILD_V3);
	check_hooks(c, 5);
	check_metadata(c, 7);
}

/* Tensors that the result is made of go by its name. */
static void note_parts(const struct call *c, pickle_value tuple)
{
	for (uint64_t i = 0; torch_argument(c->p, tuple, i) != PICKLE_NO_VALUE; i++) {
		struct torch_object *part = torch_object_of(c->o, c->p, torch_argument(c->p, tuple, i));

		if (part != NULL && part->kind == TORCH_TENSOR && part->holder == PICKLE_NO_VALUE) {
			part->holder = c->result;
			part->part = true;
		}
	}
}

static void rebuild_qtensor(const struct call *c)
{
	const struct torch_object *seen;

	rebuild_view(c, REBUILD_V2);
	check_hooks(c, 6);
	seen = torch_object_of(c->o, c->p, argument(c, 0));
	if (seen != NULL && seen->kind == TORCH_STORAGE)
		torch_check_quantizer(c->o, c->p, argument(c, 4), c->o->storages.list[seen->storage].type, c->offset);
	note_parts(c, argument(c, 4));
}

/* The result is another name of argument i. */
static void same_as(const struct call *c, uint64_t i)
{
	pickle_value v = argument(c, i);
	uint32_t tag = v != PICKLE_NO_VALUE ? pickle_tag(c->p, v) : 0;

	if (tag > 0)
		pickle_set_tag(c->p, c->result, tag);
}

static void rebuild_parameter(const struct call *c)
{
	same_as(c, 0);
	check_hooks(c, 2);
}

static void rebuild_sparse(const struct call *c)
{
	torch_rebuild_sparse(c->o, c->p, argument(c, 0), argument(c, 1), c->offset);
	note_parts(c, argument(c, 1));
	make_tensor(c, REBUILD_NONE, TORCH_STORAGE_NONE);
}

/* A shape without a storage: nothing to be outside of. */
static void check_shape(const struct call *c, uint64_t size, uint64_t stride)
{
	struct torch_view view = { 0 };
	uint64_t end;

	if (!read_shape(c->o, c->p, argument(c, size), argument(c, stride), &view) || !torch_view_end(&view, &end) ||
	    end > INT64_MAX)
		complain(c, WLK_F_TORCH_TENSOR_GEOMETRY);
}

static void rebuild_meta(const struct call *c)
{
	check_shape(c, 1, 2);
	make_tensor(c, REBUILD_NONE, TORCH_STORAGE_NONE);
}

static void check_class(const struct call *c, uint64_t i)
{
	pickle_value v = argument(c, i);
	struct bytes module, name;

	if (v == PICKLE_NO_VALUE || pickle_kind(c->p, v) != PICKLE_GLOBAL ||
	    !pickle_global_mapped(c->p, v, &module, &name) || !torch_is_tensor_class(module, name))
		complain(c, WLK_F_TORCH_SUBCLASS);
}

static void rebuild_wrapper(const struct call *c)
{
	check_class(c, 0);
	check_shape(c, 2, 3);
	make_tensor(c, REBUILD_NONE, TORCH_STORAGE_NONE);
}

static void rebuild_from_numpy(const struct call *c)
{
	make_tensor(c, REBUILD_NONE, TORCH_STORAGE_NONE);
}

static void rebuild_from_cpu_tensor(const struct call *c)
{
	same_as(c, 0);
}

static const struct function {
	const char *name;
	uint8_t least, most; /* arguments */
	void (*rebuild)(const struct call *c);
} functions[] = {
	{ "_rebuild_tensor", 4, 4, rebuild_tensor },
	{ "_rebuild_tensor_v2", 6, 7, rebuild_tensor_v2 },
	{ "_rebuild_tensor_v3", 7, 8, rebuild_tensor_v3 },
	{ "_rebuild_qtensor", 7, 7, rebuild_qtensor },
	{ "_rebuild_parameter", 3, 3, rebuild_parameter },
	{ "_rebuild_parameter_with_state", 4, 4, rebuild_parameter },
	{ "_rebuild_sparse_tensor", 2, 2, rebuild_sparse },
	{ "_rebuild_sparse_csr_tensor", 2, 2, rebuild_sparse },
	{ "_rebuild_meta_tensor_no_storage", 4, 4, rebuild_meta },
	{ "_rebuild_wrapper_subclass", 8, 10, rebuild_wrapper },
	{ "_rebuild_device_tensor_from_numpy", 4, 4, rebuild_from_numpy },
	{ "_rebuild_device_tensor_from_cpu_tensor", 4, 4, rebuild_from_cpu_tensor },
};

static const struct function *function_of(const struct pickle *p, pickle_value callee)
{
	struct bytes module, name;

	if (callee == PICKLE_NO_VALUE || pickle_kind(p, callee) != PICKLE_GLOBAL ||
	    !pickle_global_mapped(p, callee, &module, &name) || !bytes_equal(module, bytes_of_text("torch._utils")))
		return NULL;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (bytes_equal(name, bytes_of_text(functions[i].name)))
			return &functions[i];
	return NULL;
}

static void run(const struct function *f, const struct call *c)
{
	uint64_t n = c->args != PICKLE_NO_VALUE ? pickle_count(c->p, c->args) : 0;

	if (n < f->least || n > f->most)
		torch_objects_report(
		    c->o, WLK_F_TORCH_TENSOR_GEOMETRY, NULL, c->offset, value_number(n), value_number(f->most));
	else
		f->rebuild(c);
}

#define FROM_TYPE_MAX 4 /* nobody nests it at all */

/* _rebuild_from_type_v2(function, class, arguments, state): the tensor the function makes, as another class. */
static bool unwrap(struct call *c, pickle_value *callee)
{
	unsigned depth = 0;

	for (; torch_is_global(c->p, *callee, "torch._tensor", "_rebuild_from_type_v2"); depth++) {
		if (depth == FROM_TYPE_MAX)
			return false;
		check_class(c, 1);
		*callee = argument(c, 0);
		c->args = argument(c, 2);
	}
	return true;
}

bool torch_rebuild_call(struct torch_objects *o, struct pickle *p, const struct pickle_event *e)
{
	struct call c = { .o = o, .p = p, .args = e->args, .result = e->result, .offset = e->offset };
	pickle_value callee = e->target;
	const struct function *f;

	if (!unwrap(&c, &callee)) {
		complain(&c, WLK_F_TORCH_SUBCLASS);
		return true;
	}
	f = function_of(p, callee);
	if (f == NULL)
		return false;
	run(f, &c);
	return true;
}

void torch_rebuild_bare(struct torch_objects *o, struct pickle *p, const struct pickle_event *e)
{
	struct call c = { .o = o, .p = p, .args = e->args, .result = e->target, .offset = e->offset };

	if (pickle_kind(p, e->args) == PICKLE_TUPLE && pickle_count(p, e->args) == 4)
		rebuild_view(&c, REBUILD_V1);
}
