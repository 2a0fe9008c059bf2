/* Which calls make tensors, and whether they are those that PyTorch writes: by the table of pickle/torch_calls.h.  What is
 * not exactly in it is not understood: a tensor made of a list, of an array, or by a constructor has numbers that stand in
 * no storage, where nobody examines them.  Follows formats/pytorch, section 3. */
#include "pytorch_objects_impl.h"

static pickle_value argument(const struct torch_made *c, uint64_t i)
{
	return torch_argument(c->p, c->args, i);
}

static bool unknown_call(const struct torch_made *c)
{
	torch_objects_at(c->o, WLK_F_TORCH_CALL, c->offset);
	return false;
}

/* -- arguments, by role -- */

static bool is_kind(const struct torch_made *c, pickle_value v, enum pickle_kind kind)
{
	return v != PICKLE_NO_VALUE && pickle_kind(c->p, v) == kind;
}

static bool is_none(const struct torch_made *c, pickle_value v)
{
	return is_kind(c, v, PICKLE_NONE);
}

/* Rule 8.  The dictionary is empty now and has to stay so: later items are seen by whoever adds them.  Writers of 0.4
 * put None there. */
void torch_check_hooks(const struct torch_made *c, pickle_value v)
{
	struct torch_object *hooks = torch_object_of(c->o, c->p, v);

	if (is_none(c, v))
		return;
	if (hooks == NULL || !hooks->ordered_dict || hooks->filled)
		torch_objects_at(c->o, WLK_F_TORCH_HOOKS, c->offset);
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

static void check_metadata(const struct torch_made *c, pickle_value dict)
{
	if (!metadata_is_known(c->p, dict))
		torch_objects_at(c->o, WLK_F_TORCH_METADATA, c->offset);
}

/* Attributes by their names; false: what would be set is not known. */
static bool check_attributes(const struct torch_made *c, pickle_value dict)
{
	bool known = true;

	if (is_none(c, dict))
		return true;
	if (!is_kind(c, dict, PICKLE_DICT) || pickle_has_opaque_key(c->p, dict))
		return false;
	for (uint64_t i = 0; i < pickle_count(c->p, dict); i++) {
		pickle_value key, value;
		struct bytes name;
		enum torch_attribute kind;

		if (!pickle_pair(c->p, dict, i, &key, &value) || !pickle_text(c->p, key, &name))
			return false;
		kind = torch_attribute_of(name);
		if (kind == TORCH_ATTRIBUTE_SETS)
			torch_objects_at(c->o, WLK_F_TORCH_STATE_ATTRIBUTE, c->offset);
		known &= kind != TORCH_ATTRIBUTE_HIDES;
	}
	return known;
}

/* A dictionary, or a pair of it and one of slots: torch._utils._set_obj_state(). */
static bool check_state(const struct torch_made *c, pickle_value state)
{
	if (!is_kind(c, state, PICKLE_TUPLE))
		return check_attributes(c, state);
	return pickle_count(c->p, state) == 2 && check_attributes(c, torch_argument(c->p, state, 0)) &&
	       check_attributes(c, torch_argument(c->p, state, 1));
}

static void check_class(const struct torch_made *c, pickle_value v)
{
	struct bytes module, name;

	if (!is_kind(c, v, PICKLE_GLOBAL) || !pickle_global_mapped(c->p, v, &module, &name) ||
	    !torch_is_tensor_class(module, name))
		torch_objects_at(c->o, WLK_F_TORCH_SUBCLASS, c->offset);
}

static bool is_device(const struct torch_made *c, pickle_value v)
{
	struct bytes name;

	return v != PICKLE_NO_VALUE && pickle_text(c->p, v, &name) && torch_location_known(name);
}

static bool is_tensor(const struct torch_made *c, pickle_value v)
{
	const struct torch_object *made = torch_object_of(c->o, c->p, v);

	return made != NULL && made->kind == TORCH_TENSOR;
}

/* False: no writer puts this here.  Storages, sizes and what tensors are made of are left to who makes the tensor. */
static bool check_argument(const struct torch_made *c, enum torch_role role, pickle_value v)
{
	switch (role) {
	case TORCH_ROLE_GRAD: return is_kind(c, v, PICKLE_BOOL);
	case TORCH_ROLE_HOOKS: torch_check_hooks(c, v); return true;
	case TORCH_ROLE_METADATA: check_metadata(c, v); return true;
	case TORCH_ROLE_DTYPE: return torch_dtype_of(c->p, v) != NULL;
	case TORCH_ROLE_DEVICE: return is_device(c, v);
	case TORCH_ROLE_TENSOR: return is_tensor(c, v);
	case TORCH_ROLE_CLASS: check_class(c, v); return true;
	case TORCH_ROLE_STATE: return check_state(c, v);
	default: return true;
	}
}

static bool check_call(const struct torch_made *c, const struct torch_call *call)
{
	uint64_t n = is_kind(c, c->args, PICKLE_TUPLE) ? pickle_count(c->p, c->args) : 0;
	bool fits = true;

	if (n < call->least || n > call->most) {
		torch_objects_report(
		    c->o, WLK_F_TORCH_TENSOR_GEOMETRY, NULL, c->offset, value_number(n), value_number(call->most));
		return false;
	}
	for (uint64_t i = 0; i < n; i++)
		fits &= check_argument(c, call->roles[i], argument(c, i));
	return fits || unknown_call(c);
}

/* -- the calls -- */

static const struct torch_call *call_of(const struct pickle *p, pickle_value callee)
{
	struct bytes module, name;

	if (callee == PICKLE_NO_VALUE || pickle_kind(p, callee) != PICKLE_GLOBAL ||
	    !pickle_global_mapped(p, callee, &module, &name))
		return NULL;
	return torch_call_of(module, name);
}

/* The result is another name of this tensor. */
static void same_as(const struct torch_made *c, pickle_value tensor)
{
	pickle_set_tag(c->p, c->result, pickle_tag(c->p, tensor));
}

static void make(const struct torch_made *c, const struct torch_call *call)
{
	switch (call->function) {
	case TORCH_REBUILD_PARAMETER:
	case TORCH_REBUILD_PARAMETER_WITH_STATE: same_as(c, argument(c, 0)); break;
	case TORCH_REBUILD_FROM_CPU_TENSOR:
		if (!torch_is_of_type(c, argument(c, 0), torch_dtype_of(c->p, argument(c, 1))))
			(void)unknown_call(c); /* other numbers than those that were examined */
		same_as(c, argument(c, 0));
		break;
	case TORCH_REBUILD_FROM_NUMPY:
		if (!torch_is_array_of(c, argument(c, 0), torch_dtype_of(c->p, argument(c, 1))))
			(void)unknown_call(c);
		torch_make_tensor(c, REBUILD_NONE, TORCH_STORAGE_NONE);
		break;
	default: torch_rebuild(c, call->function); break;
	}
}

/* _rebuild_from_type_v2(function, class, arguments, state): the tensor the function makes, as another class.  Nobody
 * nests it. */
static bool unwrap(struct torch_made *c, const struct torch_call **call)
{
	pickle_value arguments;

	if ((*call)->function != TORCH_REBUILD_FROM_TYPE)
		return true;
	if (!check_call(c, *call))
		return false;
	*call = call_of(c->p, argument(c, 0));
	arguments = argument(c, 2);
	if (*call == NULL || (*call)->function == TORCH_REBUILD_FROM_TYPE || !is_kind(c, arguments, PICKLE_TUPLE))
		return unknown_call(c);
	c->args = arguments;
	return true;
}

bool torch_rebuild_call(struct torch_objects *o, struct pickle *p, const struct pickle_event *e)
{
	struct torch_made c = { .o = o, .p = p, .args = e->args, .result = e->result, .offset = e->offset };
	const struct torch_call *call = call_of(p, e->target);

	if (call == NULL)
		return false;
	if (e->act != PICKLE_ACT_CALL)
		(void)unknown_call(&c);
	else if (unwrap(&c, &call) && check_call(&c, call))
		make(&c, call);
	return true;
}

/* -- constructors -- */

/* Parameter(tensor[, requires_grad]): releases before 0.4. */
static bool wraps_tensor(const struct torch_made *c, struct bytes module)
{
	uint64_t n = pickle_count(c->p, c->args);

	return bytes_equal(module, bytes_of_text("torch.nn.parameter")) && n >= 1 && n <= 2 &&
	       is_tensor(c, argument(c, 0)) && (n == 1 || is_kind(c, argument(c, 1), PICKLE_BOOL));
}

bool torch_construct_call(struct torch_objects *o, struct pickle *p, const struct pickle_event *e)
{
	struct torch_made c = { .o = o, .p = p, .args = e->args, .result = e->result, .offset = e->offset };
	struct bytes module, name;
	bool untyped;

	if (pickle_kind(p, e->target) != PICKLE_GLOBAL || !pickle_global_mapped(p, e->target, &module, &name))
		return false;
	if (torch_storage_type(module, name, &untyped) != NULL) { /* memory that nobody has filled, or literals */
		(void)unknown_call(&c);
		return true;
	}
	if (!torch_is_tensor_class(module, name))
		return false;
	if (is_kind(&c, e->args, PICKLE_TUPLE) && pickle_count(p, e->args) == 0)
		(void)torch_object_add(o, p, e->result, TORCH_BARE, TORCH_STORAGE_NONE);
	else if (is_kind(&c, e->args, PICKLE_TUPLE) && wraps_tensor(&c, module))
		same_as(&c, argument(&c, 0));
	else
		(void)unknown_call(&c);
	return true;
}

/* -- states -- */

enum { VARIABLE_DATA, VARIABLE_GRAD, VARIABLE_HOOKS, VARIABLE_REQUIRES_GRAD, VARIABLE_VOLATILE, VARIABLE_FIELDS };

/* (data, grad, hooks, requires_grad, volatile): releases before 0.4. */
static bool build_variable(const struct torch_made *c)
{
	if (!is_tensor(c, argument(c, VARIABLE_DATA)))
		return unknown_call(c);
	torch_check_hooks(c, argument(c, VARIABLE_HOOKS));
	same_as(c, argument(c, VARIABLE_DATA));
	return true;
}

/* A bare tensor is given a view once; a second one would be of any size. */
void torch_build_tensor(struct torch_objects *o, struct pickle *p, const struct pickle_event *e, bool bare)
{
	struct torch_made c = { .o = o, .p = p, .args = e->args, .result = e->target, .offset = e->offset };
	uint64_t n = is_kind(&c, e->args, PICKLE_TUPLE) ? pickle_count(p, e->args) : 0;

	if (bare && n == 4)
		torch_rebuild(&c, TORCH_REBUILD_TENSOR);
	else if (bare && n == VARIABLE_FIELDS)
		(void)build_variable(&c);
	else
		torch_objects_at(o, bare ? WLK_F_TORCH_CALL : WLK_F_TORCH_TENSOR_GEOMETRY, e->offset);
}
