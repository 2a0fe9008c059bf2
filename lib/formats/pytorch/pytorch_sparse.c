/* Sparse tensors: index tensors and a tensor of values.  What can be said from the shapes is said here; the indices
 * themselves stand in storages and are compared later (struct torch_index_check).  Follows formats/pytorch, section 4,
 * rule 10. */
#include "checked.h"
#include "pytorch_objects_impl.h"

#define CHECKS_MIN 8

struct sparse {
	struct torch_objects *o;
	struct pickle *p;
	uint64_t offset;
	uint64_t size[TORCH_DIMENSIONS_MAX];
	unsigned n; /* dimensions of the whole */
};

/* A tensor of indices: where it lies. */
struct indices {
	uint32_t storage;
	unsigned bytes; /* of one */
	struct torch_view view;
};

static bool complain(const struct sparse *s)
{
	torch_objects_at(s->o, WLK_F_TORCH_SPARSE_INVALID, s->offset);
	return false;
}

/* Integers in one run: every writer makes them so, and no other order is looked at. */
static bool read_indices(struct sparse *s, pickle_value v, struct indices *ret)
{
	const struct torch_object *tensor = torch_object_of(s->o, s->p, v);
	const struct torch_type *type;

	if (tensor == NULL || tensor->kind != TORCH_TENSOR || !torch_tensor_view(s->o, s->p, tensor, &ret->view, &type))
		return false;
	ret->storage = tensor->storage;
	ret->bytes = type->bytes;
	return type->integer && (type->bytes == 4 || type->bytes == 8) && torch_view_contiguous(&ret->view);
}

/* Values may be of any kind, also empty: only their shape counts. */
static bool read_values(struct sparse *s, pickle_value v, struct torch_view *ret)
{
	const struct torch_object *tensor = torch_object_of(s->o, s->p, v);
	const struct torch_type *type;

	return tensor != NULL && tensor->kind == TORCH_TENSOR && torch_tensor_view(s->o, s->p, tensor, ret, &type);
}

void torch_add_check(struct torch_objects *o, struct torch_index_check check)
{
	if (o->n_checks == o->checks_capacity) {
		size_t capacity = o->checks_capacity > 0 ? o->checks_capacity * 2 : CHECKS_MIN;
		struct torch_index_check *list = arena_resize(o->o.l->arena, o->checks, capacity, sizeof(*list));

		if (list == NULL) {
			o->failed = true;
			return;
		}
		o->checks = list;
		o->checks_capacity = capacity;
	}
	o->checks[o->n_checks++] = check;
}

static void add_check(struct sparse *s, struct torch_index_check check)
{
	check.offset = s->offset;
	torch_add_check(s->o, check);
}

static const uint64_t *keep(struct sparse *s, const uint64_t *bounds, unsigned n)
{
	uint64_t *kept = arena_alloc(s->o->o.l->arena, n, sizeof(*kept));

	if (kept == NULL) {
		s->o->failed = true;
		return NULL;
	}
	memcpy(kept, bounds, n * sizeof(*kept));
	return kept;
}

/* -- coordinates: indices [sparse dimensions, entries], values [entries, dense dimensions ...] -- */

static bool shapes_fit_coo(const struct sparse *s, const struct torch_view *indices, const struct torch_view *values)
{
	unsigned sparse_dims;

	if (indices->n != 2 || values->n == 0 || indices->size[0] > s->n || indices->size[1] != values->size[0])
		return false;
	sparse_dims = (unsigned)indices->size[0];
	if (values->n - 1 != s->n - sparse_dims)
		return false;
	for (unsigned i = 1; i < values->n; i++)
		if (values->size[i] != s->size[sparse_dims + i - 1])
			return false;
	return true;
}

/* Said of coordinates that are in order: whoever believes it adds nothing up, and leaves memory unwritten where they are not. */
static bool says_coalesced(const struct sparse *s, pickle_value data)
{
	pickle_value v = torch_argument(s->p, data, 3);
	bool coalesced;

	return v != PICKLE_NO_VALUE && pickle_bool(s->p, v, &coalesced) && coalesced;
}

static bool check_coo(struct sparse *s, pickle_value data)
{
	bool sorted = says_coalesced(s, data);
	struct torch_view values;
	struct indices at;
	struct torch_index_check check;

	if (!read_indices(s, torch_argument(s->p, data, 0), &at) ||
	    !read_values(s, torch_argument(s->p, data, 1), &values) || !shapes_fit_coo(s, &at.view, &values))
		return complain(s);
	check = (struct torch_index_check){ .storage = at.storage,
		.bytes = at.bytes,
		.begin = at.view.offset,
		.row = at.view.size[1],
		.sorted = sorted };
	if (!torch_view_elements(&at.view, &check.count) || (sorted && at.view.size[0] == 0 && check.row > 1))
		return complain(s);
	check.below = keep(s, s->size, (unsigned)at.view.size[0]);
	if (check.below != NULL && check.count > 0)
		add_check(s, check);
	return true;
}

/* -- compressed rows or columns: (compressed, plain, values, size) -- */

/* Rows are the compressed dimension of CSR and BSR, columns that of CSC and BSC; what comes before both is a batch, and
 * blocks divide both. */
struct compressed {
	uint64_t lines, plain; /* of the compressed dimension, and values below which plain indices stay */
	bool blocks;
	struct indices ends, at;
};

/* The rest of the last dimension of an index tensor is the batch. */
static uint64_t last_size(const struct torch_view *v)
{
	return v->n > 0 ? v->size[v->n - 1] : 0;
}

static bool shapes_fit_compressed(const struct compressed *c, const struct torch_view *values)
{
	const struct torch_view *ends = &c->ends.view, *at = &c->at.view;

	if (ends->n == 0 || at->n != ends->n || values->n < at->n)
		return false;
	for (unsigned i = 0; i + 1 < ends->n; i++)
		if (ends->size[i] != at->size[i] || at->size[i] != values->size[i])
			return false;
	return last_size(ends) == c->lines + 1 && last_size(at) == values->size[at->n - 1];
}

/* The whole is batch, rows, columns and what is dense, and the values have the batch and the dense part too: kernels take
 * the one's sizes for the other's.  @s has at least the batch and two dimensions. */
static bool sizes_fit_compressed(const struct sparse *s, const struct compressed *c, const struct torch_view *values)
{
	unsigned batch = c->ends.view.n - 1, whole = batch + 2, dense = batch + (c->blocks ? 3 : 1);

	if (c->ends.bytes != c->at.bytes || values->n < dense || values->n - dense != s->n - whole)
		return false;
	for (unsigned i = 0; i < batch; i++)
		if (values->size[i] != s->size[i])
			return false;
	for (unsigned i = 0; i < s->n - whole; i++)
		if (values->size[dense + i] != s->size[whole + i])
			return false;
	return true;
}

static bool divide(uint64_t *n, uint64_t by)
{
	if (by == 0 || *n % by != 0)
		return false;
	*n /= by;
	return true;
}

/* Columns first?  Blocks? */
static bool read_layout(const struct sparse *s, pickle_value v, bool *ret_columns, bool *ret_blocks)
{
	const struct torch_object *layout = torch_object_of(s->o, s->p, v);
	struct bytes name;

	if (layout == NULL || layout->kind != TORCH_LAYOUT || !pickle_text(s->p, layout->args, &name))
		return false;
	*ret_columns = bytes_equal(name, bytes_of_text("torch.sparse_csc")) ||
		       bytes_equal(name, bytes_of_text("torch.sparse_bsc"));
	*ret_blocks = bytes_equal(name, bytes_of_text("torch.sparse_bsr")) ||
		      bytes_equal(name, bytes_of_text("torch.sparse_bsc"));
	return *ret_columns || *ret_blocks || bytes_equal(name, bytes_of_text("torch.sparse_csr"));
}

static bool read_lines(
    const struct sparse *s, struct compressed *c, pickle_value layout, const struct torch_view *values)
{
	unsigned batch = c->ends.view.n - 1;
	bool columns;

	if (!read_layout(s, layout, &columns, &c->blocks) || c->ends.view.n == 0 || s->n < batch + 2)
		return false;
	c->lines = s->size[batch + (columns ? 1 : 0)];
	c->plain = s->size[batch + (columns ? 0 : 1)];
	if (!c->blocks)
		return true;
	return values->n >= batch + 3 && divide(&c->lines, values->size[batch + (columns ? 2 : 1)]) &&
	       divide(&c->plain, values->size[batch + (columns ? 1 : 2)]);
}

static bool check_compressed(struct sparse *s, pickle_value layout, pickle_value data)
{
	struct torch_index_check check;
	struct torch_view values;
	struct compressed c;

	if (!read_indices(s, torch_argument(s->p, data, 0), &c.ends) ||
	    !read_indices(s, torch_argument(s->p, data, 1), &c.at) ||
	    !read_values(s, torch_argument(s->p, data, 2), &values) || !read_lines(s, &c, layout, &values) ||
	    !shapes_fit_compressed(&c, &values) || !sizes_fit_compressed(s, &c, &values))
		return complain(s);
	check = (struct torch_index_check){ .storage = c.ends.storage,
		.bytes = c.ends.bytes,
		.begin = c.ends.view.offset,
		.row = last_size(&c.ends.view),
		.ascending = true,
		.step = c.plain,
		.total = last_size(&c.at.view) };
	if (!torch_view_elements(&c.ends.view, &check.count))
		return complain(s);
	add_check(s, check);
	check = (struct torch_index_check){ .storage = c.at.storage, .bytes = c.at.bytes, .begin = c.at.view.offset };
	if (!torch_view_elements(&c.at.view, &check.count))
		return complain(s);
	check.row = check.count;
	check.below = keep(s, &c.plain, 1);
	if (check.below != NULL && check.count > 0)
		add_check(s, check);
	return true;
}

/* (indices, values, size[, coalesced]) or (compressed, plain, values, size). */
static bool has_parts(const struct sparse *s, pickle_value data, bool coo)
{
	uint64_t n = data != PICKLE_NO_VALUE && pickle_kind(s->p, data) == PICKLE_TUPLE ? pickle_count(s->p, data) : 0;
	bool coalesced;

	return coo ? n == 3 || (n == 4 && pickle_bool(s->p, torch_argument(s->p, data, 3), &coalesced)) : n == 4;
}

void torch_rebuild_sparse(
    struct torch_objects *o, struct pickle *p, pickle_value layout, pickle_value data, uint64_t offset)
{
	struct sparse s = { .o = o, .p = p, .offset = offset };
	const struct torch_object *made = torch_object_of(o, p, layout);
	bool coo;
	struct bytes name;

	if (made == NULL || made->kind != TORCH_LAYOUT || !pickle_text(p, made->args, &name)) {
		(void)complain(&s);
		return;
	}
	coo = bytes_equal(name, bytes_of_text("torch.sparse_coo"));
	if (!has_parts(&s, data, coo))
		torch_objects_at(o, WLK_F_TORCH_CALL, offset);
	if (!torch_read_sizes(o, p, torch_argument(p, data, coo ? 2 : 3), s.size, &s.n))
		(void)complain(&s);
	else if (coo)
		(void)check_coo(&s, data);
	else
		(void)check_compressed(&s, layout, data);
}
