/* MXNet's parameters: what nd.save() and save_parameters() write.  Follows formats/others (row MXNet) and MXNet's
 * src/ndarray/ndarray.cc, NDArray::Load() and NDArray::Save(list).  Little endian:
 *
 *   u64 0x112, u64 0, u64 count, count arrays, u64 count of names (none, or one each), names: u64 length, bytes
 *   array: u32 magic, [u32 storage type, 0: dense], u32 rank, dimensions, u32 device type, u32 device, u32 element type, data
 *
 * Version 1 has no storage type; before it, the rank stood in place of the magic, and dimensions had 32 bits.  Nothing in it
 * runs.  Symbols: mxnet_symbol.c. */
#include "mxnet.h"

#include "checked.h"
#include "json_text.h"
#include "scoped_names.h"

#define LIST_MAGIC UINT64_C(0x112)
#define MAGIC_1 0xF993FAC8u
#define MAGIC_2 0xF993FAC9u
#define MAGIC_3 0xF993FACAu /* shapes may be unknown: a rank of -1 */
#define RANK_MAX 32u
#define NAME_BYTES_MAX 1024u
#define NAMES_BYTES_MAX (UINT64_C(64) << 20)
#define LEAST_ARRAY 4u /* bytes: a rank of none */
#define LEAST_NAME 8u

struct array {
	uint64_t at;
	unsigned rank;
	uint64_t shape[RANK_MAX];
	uint64_t elements;
	enum wlk_dtype dtype;
	uint64_t data, bytes;
};

struct mxnet {
	struct layout *l;
	uint64_t at; /* of the next byte */
	bool failed; /* source or memory */
	uint64_t n_arrays;
	struct bytes names; /* pinned: from the first name's length on */
};

static bool fault(struct mxnet *x, enum wlk_finding code, uint64_t at, uint64_t found, uint64_t allowed)
{
	layout_value(x->l, code, at, found, allowed);
	return false;
}

static uint64_t left(const struct mxnet *x)
{
	return x->l->part.size - x->at;
}

/* Return: false, with a finding, when the file ends before. */
static bool take(struct mxnet *x, uint8_t *buf, size_t n)
{
	if (n > left(x))
		return fault(x, WLK_F_MXNET_SIZE, x->at, n, left(x));
	if (!part_read_guarded(&x->l->part, x->at, buf, n)) {
		x->failed = true;
		return false;
	}
	x->at += n;
	return true;
}

static bool take_u32(struct mxnet *x, uint32_t *ret)
{
	uint8_t buf[4];

	if (!take(x, buf, sizeof(buf)))
		return false;
	*ret = load_u32le(buf);
	return true;
}

static bool take_u64(struct mxnet *x, uint64_t *ret)
{
	uint8_t buf[8];

	if (!take(x, buf, sizeof(buf)))
		return false;
	*ret = load_u64le(buf);
	return true;
}

/* -- an array -- */

static bool dtype_of(uint32_t flag, enum wlk_dtype *ret)
{
	static const uint8_t dtypes[] = { WLK_DTYPE_F32, WLK_DTYPE_F64, WLK_DTYPE_F16, WLK_DTYPE_U8, WLK_DTYPE_I32,
		WLK_DTYPE_I8, WLK_DTYPE_I64, WLK_DTYPE_BOOL, WLK_DTYPE_I16, WLK_DTYPE_U16, WLK_DTYPE_U32, WLK_DTYPE_U64,
		WLK_DTYPE_BF16 };

	if (flag >= sizeof(dtypes))
		return false;
	*ret = (enum wlk_dtype)dtypes[flag];
	return true;
}

/* A product that overflows does so whatever dimension is zero. */
static bool multiply(struct mxnet *x, struct array *a)
{
	uint64_t product = 1;
	bool empty = false;

	for (unsigned i = 0; i < a->rank; i++) {
		empty = empty || a->shape[i] == 0;
		if (a->shape[i] > INT64_MAX || !mul_u64(product, a->shape[i] > 0 ? a->shape[i] : 1, &product))
			return fault(x, WLK_F_MXNET_SIZE, a->at, a->shape[i], INT64_MAX);
	}
	a->elements = empty ? 0 : product;
	return true;
}

static bool take_shape(struct mxnet *x, struct array *a, uint32_t rank, bool narrow)
{
	uint32_t dim;

	if (rank > RANK_MAX)
		return fault(x, WLK_F_MXNET_STRUCTURE, x->at - 4, rank, RANK_MAX);
	a->rank = rank;
	for (unsigned i = 0; i < rank; i++) {
		if (narrow ? !take_u32(x, &dim) : !take_u64(x, &a->shape[i]))
			return false;
		if (narrow)
			a->shape[i] = dim;
	}
	return multiply(x, a);
}

/* What stands in front of the shape.  Sparse arrays have more of it. */
static bool take_head(struct mxnet *x, struct array *a, bool *ret_none)
{
	uint32_t magic, storage = 0, rank;

	a->at = x->at;
	if (!take_u32(x, &magic))
		return false;
	if (magic == MAGIC_2 || magic == MAGIC_3) {
		if (!take_u32(x, &storage))
			return false;
		if (storage != 0) {
			layout_at(x->l, storage <= 2 ? WLK_F_FORMAT_PARTLY_CHECKED : WLK_F_MXNET_STRUCTURE, x->at - 4);
			return false;
		}
	}
	rank = magic;
	if (magic >= MAGIC_1 && magic <= MAGIC_3 && !take_u32(x, &rank))
		return false;
	*ret_none = rank == 0 && magic != MAGIC_3; /* nothing follows an array that is none */
	return take_shape(x, a, rank, magic < MAGIC_1 || magic > MAGIC_3);
}

/* Where it was when it was written does not matter where it is read: loaders on other machines ask for the processor. */
static bool take_type(struct mxnet *x, struct array *a)
{
	uint32_t device, number, flag;

	if (!take_u32(x, &device) || !take_u32(x, &number) || !take_u32(x, &flag))
		return false;
	if (device < 1 || device > 6)
		return fault(x, WLK_F_MXNET_STRUCTURE, x->at - 12, device, 6);
	if (!dtype_of(flag, &a->dtype))
		return fault(x, WLK_F_MXNET_STRUCTURE, x->at - 4, flag, 12);
	return true;
}

static bool take_data(struct mxnet *x, struct array *a)
{
	if (!mul_u64(a->elements, dtype_info(a->dtype)->bits / 8u, &a->bytes) || a->bytes > left(x))
		return fault(x, WLK_F_MXNET_SIZE, a->at, a->elements, left(x));
	a->data = x->at;
	x->at += a->bytes;
	return true;
}

static bool take_array(struct mxnet *x, struct array *a)
{
	bool none;

	*a = (struct array){ .dtype = WLK_DTYPE_U8 };
	if (!take_head(x, a, &none))
		return false;
	if (none) { /* listed as no bytes */
		a->rank = 1;
		a->shape[0] = 0;
		a->data = x->at;
		return true;
	}
	return take_type(x, a) && take_data(x, a);
}

/* -- extents -- */

static bool add_extent(struct mxnet *x, const struct extent *e)
{
	struct extent *added = extents_add(x->l->extents);

	if (added == NULL) {
		x->failed = true;
		return false;
	}
	*added = *e;
	return true;
}

static bool add_array(struct mxnet *x, const struct array *a, uint64_t from, uint32_t index)
{
	return add_extent(x, &(struct extent){ .begin = from, .end = a->data, .kind = EXTENT_HEADER }) &&
	       add_extent(x, &(struct extent){ .begin = a->data,
				 .end = a->data + a->bytes, /* within the file */
				 .kind = EXTENT_TENSOR,
				 .dtype = (uint8_t)a->dtype,
				 .index = index });
}

/* -- the list -- */

static bool take_list_head(struct mxnet *x)
{
	uint64_t magic, reserved;

	if (!take_u64(x, &magic) || !take_u64(x, &reserved) || !take_u64(x, &x->n_arrays))
		return false;
	if (magic != LIST_MAGIC || reserved != 0)
		return fault(x, WLK_F_MXNET_STRUCTURE, 0, magic != LIST_MAGIC ? magic : reserved, LIST_MAGIC);
	if (x->n_arrays > left(x) / LEAST_ARRAY)
		return fault(x, WLK_F_MXNET_SIZE, 16, x->n_arrays, left(x) / LEAST_ARRAY);
	if (x->n_arrays > x->l->lim->tensors)
		return fault(x, WLK_F_LIMIT_TENSORS, 16, x->n_arrays, x->l->lim->tensors);
	return true;
}

static bool take_arrays(struct mxnet *x)
{
	uint64_t from = 0;
	struct array a;

	for (uint64_t i = 0; i < x->n_arrays; i++) {
		if (!take_array(x, &a) || !add_array(x, &a, from, (uint32_t)i))
			return false;
		from = x->at;
	}
	return add_extent(x, &(struct extent){ .begin = from, .end = x->l->part.size, .kind = EXTENT_METADATA });
}

/* -- names -- */

static bool is_clean(struct bytes name)
{
	const uint8_t *p = name.at, *end = name.at + name.n;

	while (p < end) {
		uint32_t c = utf8_next(&p);

		if (unicode_is_control(c) || unicode_is_invisible(c) || unicode_is_direction(c))
			return false;
	}
	return true;
}

static bool check_name(struct mxnet *x, struct scoped_names *known, struct bytes name, uint64_t at)
{
	struct scoped_name hash = scoped_name_of(known, name, 0);

	if (name.n == 0 || name.n > NAME_BYTES_MAX)
		return fault(x, WLK_F_MXNET_NAME, at, name.n, NAME_BYTES_MAX);
	if (utf8_check(name) != name.n || !is_clean(name) ||
	    scoped_names_find(known, hash, 1u << SCOPED_KEY, 0) != NULL) {
		layout_at(x->l, WLK_F_MXNET_NAME, at);
		return false;
	}
	scoped_names_add(known, hash, SCOPED_KEY, at);
	x->failed = known->failed;
	return !known->failed;
}

static bool pin_names(struct mxnet *x)
{
	uint64_t n = left(x);

	if (n > NAMES_BYTES_MAX)
		return fault(x, WLK_F_MXNET_SIZE, x->at, n, NAMES_BYTES_MAX);
	layout_raise_memory(x->l, n * 6); /* pinned, and 40 bytes for each of 9 at least */
	source_raise_pin_budget(x->l->src, n);
	if (n > 0)
		x->names = bytes_of(part_pin(&x->l->part, x->at, (size_t)n), (size_t)n);
	x->failed = n > 0 && x->names.at == NULL;
	return !x->failed;
}

/* The extent of array i: each has one for what stands in front of it, too. */
static struct extent *extent_of(const struct mxnet *x, uint64_t i)
{
	return &x->l->extents->list[2 * i + 1];
}

static bool take_names(struct mxnet *x)
{
	struct scoped_names known;
	struct cursor c;
	struct bytes name;
	uint64_t count, begin, n;

	if (!take_u64(x, &count))
		return false;
	if (count != 0 && count != x->n_arrays)
		return fault(x, WLK_F_MXNET_STRUCTURE, x->at - 8, count, x->n_arrays);
	begin = x->at;
	if (!pin_names(x))
		return false;
	scoped_names_init(&known, x->l->arena, &x->l->seed);
	c = cur_over(x->names, begin);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t at = c.pos;

		if (!cur_u64le(&c, &n) || !cur_bytes(&c, n, &name))
			return fault(x, WLK_F_MXNET_SIZE, at, c.err != CUR_OK ? 0 : n, c.end - at);
		if (!check_name(x, &known, name, at))
			return false;
		extent_of(x, i)->name_at = (uint32_t)(name.at - x->names.at);
		extent_of(x, i)->name_n = (uint32_t)name.n;
	}
	x->l->extents->names = x->names;
	if (cur_left(&c) > 0)
		return fault(x, WLK_F_MXNET_TRAILING_BYTES, c.pos, x->l->part.size, c.pos);
	return true;
}

/* -- the manifest -- */

static bool list_arrays(struct mxnet *x)
{
	struct array a;
	uint64_t end = x->at;

	if (!layout_wants_tensors(x->l))
		return true;
	x->at = 24;
	for (uint64_t i = 0; i < x->n_arrays; i++) {
		const struct extent *e = extent_of(x, i);
		struct manifest_row row = { .kind = MANIFEST_TENSOR, .index = i, .begin = e->begin, .end = e->end };

		if (!take_array(x, &a))
			return false; /* read before: the source failed */
		row.name = bytes_of(x->names.at + e->name_at, e->name_n);
		row.name_bytes = e->name_n;
		row.dtype = bytes_of_text(dtype_info(a.dtype)->name);
		row.rank = a.rank;
		for (unsigned d = 0; d < a.rank; d++)
			row.shape[d] = a.shape[d];
		if (!layout_tensor(x->l, &row)) {
			x->failed = true;
			return false;
		}
	}
	x->at = end;
	return true;
}

/* -- the file -- */

static enum wlk_status layout(struct layout *l)
{
	static const struct coverage_codes codes = { .overlap = WLK_F_MXNET_SIZE,
		.hole = WLK_F_MXNET_TRAILING_BYTES,
		.out_of_bounds = WLK_F_MXNET_SIZE,
		.trailing = WLK_F_MXNET_TRAILING_BYTES };
	struct mxnet x = { .l = l };
	bool whole;

	layout_raise_memory(l, min_u64(l->part.size, l->lim->tensors) * 2 * sizeof(struct extent));
	whole = take_list_head(&x) && take_arrays(&x) && take_names(&x) && list_arrays(&x);
	if (x.failed)
		return l->report->cause != WLK_CAUSE_NONE ? WLK_INCOMPLETE : layout_stop(l);
	return whole ? extents_cover(l->extents, 0, l->part.size, &codes, l->report) : WLK_BROKEN;
}

static bool probe(const struct probe *p)
{
	return p->n >= 16 && load_u64le(p->head) == LIST_MAGIC && load_u64le(p->head + 8) == 0;
}

const struct wlk_format format_mxnet = {
	.id = WLK_FORMAT_MXNET, .probe = probe, .layout = layout, .nested = NESTED_RANDOM
};
