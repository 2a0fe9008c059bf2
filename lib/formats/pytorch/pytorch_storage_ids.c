/* Persistent ids: ('storage', class, key, location, numel), of legacy files with a view behind it.  Follows
 * formats/pytorch, sections 3 to 5. */
#include "checked.h"
#include "pytorch_objects_impl.h"

enum id_field { ID_TYPE, ID_CLASS, ID_KEY, ID_LOCATION, ID_NUMEL, ID_VIEW, ID_LEGACY_FIELDS };
#define ID_FIELDS ID_VIEW

struct id {
	struct torch_objects *o;
	struct pickle *p;
	pickle_value tuple;
	uint64_t offset;
	struct bytes key, location;
	const struct torch_type *type;
	bool untyped;
	uint64_t numel;
};

static pickle_value field(const struct id *id, enum id_field i)
{
	return pickle_item(id->p, id->tuple, i);
}

static bool text_field(const struct id *id, enum id_field i, struct bytes *ret)
{
	return pickle_text(id->p, field(id, i), ret);
}

static bool count_of(const struct pickle *p, pickle_value v, uint64_t *ret)
{
	int64_t n;

	if (v == PICKLE_NO_VALUE || !pickle_int(p, v, &n) || n < 0)
		return false;
	*ret = (uint64_t)n;
	return true;
}

static void odd_id(struct id *id, enum wlk_finding code)
{
	id->o->odd_ids = true;
	torch_objects_at(id->o, code, id->offset);
}

/* What kind of id?  Only storages go on. */
static bool is_storage_id(struct id *id)
{
	uint64_t fields = id->o->o.legacy ? ID_LEGACY_FIELDS : ID_FIELDS;
	struct bytes type;

	if (pickle_kind(id->p, id->tuple) != PICKLE_TUPLE || pickle_count(id->p, id->tuple) == 0 ||
	    !text_field(id, ID_TYPE, &type)) {
		odd_id(id, WLK_F_TORCH_PERSID_INVALID);
		return false;
	}
	if (id->o->o.legacy && bytes_equal(type, bytes_of_text("module"))) {
		odd_id(id, WLK_F_TORCH_LEGACY_MODULE);
		return false;
	}
	if (!bytes_equal(type, bytes_of_text("storage")) || pickle_count(id->p, id->tuple) != fields) {
		odd_id(id, WLK_F_TORCH_PERSID_INVALID);
		return false;
	}
	return true;
}

/* A class that torch does not have is somebody's own: nobody knows its elements. */
static bool read_class(struct id *id)
{
	pickle_value v = field(id, ID_CLASS);
	struct bytes module, name;

	if (v == PICKLE_NO_VALUE || pickle_kind(id->p, v) != PICKLE_GLOBAL ||
	    !pickle_global_mapped(id->p, v, &module, &name)) {
		odd_id(id, WLK_F_TORCH_PERSID_INVALID);
		return false;
	}
	id->type = torch_storage_type(module, name, &id->untyped);
	if (id->type == NULL)
		odd_id(id, WLK_F_TORCH_STORAGE_CLASS);
	return true;
}

static bool is_key(const struct id *id)
{
	const struct bytes end = bytes_of_text(".storage");
	struct bytes digits = id->key;

	if (id->o->o.constants && digits.n > end.n && memcmp(digits.at + digits.n - end.n, end.at, end.n) == 0)
		digits.n -= end.n;
	return torch_is_decimal(digits);
}

static bool read_fields(struct id *id)
{
	if (!text_field(id, ID_KEY, &id->key) || !is_key(id)) {
		odd_id(id, WLK_F_TORCH_STORAGE_KEY);
		return false;
	}
	if (!count_of(id->p, field(id, ID_NUMEL), &id->numel)) {
		odd_id(id, WLK_F_TORCH_STORAGE_NUMEL);
		return false;
	}
	if (!text_field(id, ID_LOCATION, &id->location)) {
		odd_id(id, WLK_F_TORCH_PERSID_INVALID);
		return false;
	}
	return true;
}

static bool counts_bytes(const struct torch_type *type)
{
	return type != NULL && type->dtype == WLK_DTYPE_U8 && type->bytes == 1 && type->packed == 1;
}

/* Rule 3.  Bytes are bytes: PyTorch saves a tensor of a newer type and its view as uint8 over two classes. */
static void check_same(const struct id *id, struct torch_storage *s)
{
	bool both_bytes = counts_bytes(s->type) && counts_bytes(id->type);
	bool same_class = s->type == id->type && s->untyped == id->untyped;

	if ((same_class || both_bytes) && s->numel == id->numel && bytes_equal(s->location, id->location)) {
		s->untyped |= id->untyped;
		return;
	}
	torch_objects_report(
	    id->o, WLK_F_TORCH_STORAGE_CONFLICT, s, id->offset, value_number(id->numel), value_number(s->numel));
}

static void check_new(const struct id *id, const struct torch_storage *s)
{
	uint64_t bytes;

	if (!torch_location_known(id->location))
		torch_objects_report(
		    id->o, WLK_F_TORCH_LOCATION, s, id->offset, value_text(id->location), (struct value){ 0 });
	if (s->type != NULL && (!torch_storage_bytes(s, &bytes) || bytes > INT64_MAX))
		torch_objects_report(id->o, WLK_F_TORCH_STORAGE_NUMEL, s, id->offset, value_number(id->numel),
		    value_number(INT64_MAX / s->type->bytes));
}

/* Index of the id's storage; TORCH_STORAGE_NONE: the arena is spent. */
static uint32_t storage_of(const struct id *id)
{
	struct torch_storages *all = &id->o->storages;
	uint32_t i = torch_storages_find(all, id->key);
	struct torch_storage *s;

	if (i != TORCH_STORAGE_NONE) {
		check_same(id, &all->list[i]);
		return i;
	}
	s = torch_storages_add(all, id->key, id->location);
	if (s == NULL) {
		id->o->failed = true;
		return TORCH_STORAGE_NONE;
	}
	s->type = id->type;
	s->untyped = id->untyped;
	s->numel = id->numel;
	s->offset = id->offset;
	check_new(id, s);
	if (torch_storages_find(&id->o->views, id->key) != TORCH_STORAGE_NONE)
		torch_objects_report(
		    id->o, WLK_F_TORCH_STORAGE_CONFLICT, s, id->offset, (struct value){ 0 }, (struct value){ 0 });
	return (uint32_t)(all->n - 1);
}

static bool odd_view(const struct id *id, enum wlk_finding code, const struct torch_storage *s)
{
	torch_objects_report(id->o, code, s, id->offset, (struct value){ 0 }, (struct value){ 0 });
	return false;
}

/* The loader keeps each view under its key, beside the roots, and goes by what was there first. */
static bool keep_view(const struct id *id, struct bytes key, uint32_t root, uint64_t offset, uint64_t size)
{
	struct torch_storages *views = &id->o->views;
	uint32_t i = torch_storages_find(views, key);
	struct torch_storage *view;

	if (i != TORCH_STORAGE_NONE) {
		view = &views->list[i];
		return (view->offset == root && view->place == offset && view->numel == size) ||
		       odd_view(id, WLK_F_TORCH_STORAGE_CONFLICT, &id->o->storages.list[root]);
	}
	view = torch_storages_add(views, key, id->location);
	if (view == NULL) {
		id->o->failed = true;
		return false;
	}
	view->offset = root;
	view->place = offset;
	view->numel = size;
	return torch_storages_find(&id->o->storages, key) == TORCH_STORAGE_NONE ||
	       odd_view(id, WLK_F_TORCH_STORAGE_CONFLICT, &id->o->storages.list[root]);
}

/* (view key, offset, size): elements of the root that are seen through this id (section 5). */
static bool read_view(const struct id *id, uint32_t root, uint64_t *ret_begin, uint64_t *ret_numel)
{
	const struct torch_storage *s = &id->o->storages.list[root];
	pickle_value v = field(id, ID_VIEW);
	uint64_t offset, size;
	struct bytes key;

	if (v != PICKLE_NO_VALUE && pickle_kind(id->p, v) == PICKLE_NONE)
		return true;
	if (torch_argument(id->p, v, 2) == PICKLE_NO_VALUE || pickle_count(id->p, v) != 3 ||
	    !pickle_text(id->p, torch_argument(id->p, v, 0), &key) || !torch_is_decimal(key) ||
	    !count_of(id->p, torch_argument(id->p, v, 1), &offset) ||
	    !count_of(id->p, torch_argument(id->p, v, 2), &size))
		return odd_view(id, WLK_F_TORCH_PERSID_INVALID, s);
	if (offset > s->numel || size > s->numel - offset) {
		torch_objects_report(
		    id->o, WLK_F_TORCH_TENSOR_BOUNDS, s, id->offset, value_number(offset), value_number(s->numel));
		return false;
	}
	*ret_begin = offset;
	*ret_numel = size;
	return keep_view(id, key, root, offset, size);
}

void torch_persistent_id(struct torch_objects *o, struct pickle *p, const struct pickle_event *e)
{
	struct id id = { .o = o, .p = p, .tuple = e->target, .offset = e->offset };
	struct torch_object *made;
	uint64_t begin = 0, numel;
	uint32_t storage;

	if (!is_storage_id(&id) || !read_class(&id) || !read_fields(&id))
		return;
	storage = storage_of(&id);
	if (storage == TORCH_STORAGE_NONE)
		return;
	numel = id.numel;
	if (o->o.legacy && !read_view(&id, storage, &begin, &numel))
		return;
	made = torch_object_add(o, p, e->result, TORCH_STORAGE, storage);
	if (made == NULL)
		return;
	made->begin = begin;
	made->numel = numel;
}
