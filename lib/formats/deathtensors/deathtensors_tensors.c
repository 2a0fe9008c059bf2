/* The tensors of a deathtensors file: {"name": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], "metadata": {}}}.
 * Each entry becomes an extent, whatever is wrong with it. */
#include "deathtensors_impl.h"

#include "checked.h"
#include "text_rules.h"

enum field {
	FIELD_DTYPE,
	FIELD_SHAPE,
	FIELD_OFFSETS,
	N_FIELDS_REQUIRED,
	FIELD_METADATA = N_FIELDS_REQUIRED,
	N_FIELDS,
	FIELD_UNKNOWN = N_FIELDS
};

static const char *const field_names[N_FIELDS] = { "dtype", "shape", "data_offsets", "metadata" };

struct entry {
	const struct json_text *name;
	uint64_t name_at; /* offsets are of the file */
	uint64_t value_at[N_FIELDS];
	bool seen[N_FIELDS];
	enum wlk_dtype dtype; /* NONE: not known */
	bool shape_known;
	uint64_t rank;
	uint64_t elements;    /* product of the dimensions that are not zero */
	bool empty, overflow; /* a dimension is zero; the product does not fit, wherever the zero stands */
	bool range_known;
	uint64_t begin, end; /* relative to the blob */
};

/* -- the fields of an entry -- */

static const enum wlk_dtype dtypes[] = { WLK_DTYPE_BOOL, WLK_DTYPE_U8, WLK_DTYPE_I8, WLK_DTYPE_U16, WLK_DTYPE_I16,
	WLK_DTYPE_F16, WLK_DTYPE_BF16, WLK_DTYPE_I32, WLK_DTYPE_U32, WLK_DTYPE_F32, WLK_DTYPE_I64, WLK_DTYPE_U64,
	WLK_DTYPE_F64, WLK_DTYPE_C64, WLK_DTYPE_C128 };

/* The names of the format are the names we print. */
static enum wlk_dtype dtype_by_name(const struct json_text *t)
{
	uint8_t buf[JSON_WORD_MAX];
	struct bytes word = json_word(t, buf);

	for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++)
		if (bytes_equal(word, bytes_of_text(dtype_info(dtypes[i])->name)))
			return dtypes[i];
	return WLK_DTYPE_NONE;
}

static bool read_dtype(struct dt_reader *r, struct entry *e)
{
	struct json_text t;
	bool ok;

	e->dtype = WLK_DTYPE_NONE;
	if (!dt_has_type(r, WLK_F_DT_KEY_TYPE, e->name, '"', "string", DEPTH_FIELD, &ok) || !ok)
		return r->h.j.err == JSON_OK;
	if (!json_read_string(&r->h.j, &t))
		return false;
	e->dtype = dtype_by_name(&t);
	if (e->dtype == WLK_DTYPE_NONE)
		header_fault_text(&r->h, WLK_F_DT_DTYPE_UNKNOWN, e->name, &t);
	return true;
}

/* Zeros are left out of the product, so that they hide no overflow: readers multiply in different orders. */
static void add_dimension(struct dt_reader *r, struct entry *e, uint64_t dimension)
{
	if (e->rank < DEATHTENSORS_RANK_MAX)
		r->shape[e->rank] = dimension;
	if (dimension == 0)
		e->empty = true;
	else if (!mul_u64(e->elements, dimension, &e->elements))
		e->overflow = true;
}

static bool read_shape(struct dt_reader *r, struct entry *e)
{
	uint64_t at = header_here(&r->h), dimension = 0;
	bool more, usable;

	e->elements = 1;
	e->rank = 0;
	e->empty = e->overflow = false;
	if (!dt_has_type(r, WLK_F_DT_SHAPE, e->name, '[', "array", DEPTH_FIELD, &e->shape_known) || !e->shape_known)
		return r->h.j.err == JSON_OK;
	r->h.j.p++;
	for (more = json_any(&r->h.j, ']'); more; e->rank++) {
		if (!dt_read_integer(r, e->name, WLK_F_DT_SHAPE, &dimension, &usable) ||
		    !json_more(&r->h.j, ']', &more))
			return false;
		if (usable)
			add_dimension(r, e, dimension);
		else
			e->shape_known = false;
	}
	if (e->rank > DEATHTENSORS_RANK_MAX)
		header_fault(
		    &r->h, WLK_F_DT_SHAPE, at, e->name, value_number(e->rank), value_number(DEATHTENSORS_RANK_MAX));
	return true;
}

static bool read_offsets(struct dt_reader *r, struct entry *e)
{
	uint64_t at = header_here(&r->h), n = 0, value = 0;
	bool more, usable;

	if (!dt_has_type(r, WLK_F_DT_OFFSETS, e->name, '[', "array", DEPTH_FIELD, &e->range_known) || !e->range_known)
		return r->h.j.err == JSON_OK;
	r->h.j.p++;
	for (more = json_any(&r->h.j, ']'); more; n++) {
		if (!dt_read_integer(r, e->name, WLK_F_DT_OFFSETS, &value, &usable) || !json_more(&r->h.j, ']', &more))
			return false;
		e->range_known = e->range_known && usable;
		if (n == 0)
			e->begin = value;
		else
			e->end = value;
	}
	if (n == 2)
		return true;
	e->range_known = false;
	header_fault(&r->h, WLK_F_DT_OFFSETS, at, e->name, value_number(n), value_number(2));
	return true;
}

static bool read_field(struct dt_reader *r, struct entry *e, enum field field)
{
	json_space(&r->h.j);
	e->seen[field] = true;
	e->value_at[field] = header_here(&r->h);
	switch (field) {
	case FIELD_DTYPE: return read_dtype(r, e);
	case FIELD_SHAPE: return read_shape(r, e);
	case FIELD_OFFSETS: return read_offsets(r, e);
	default: return dt_read_metadata(r, e->name, DEPTH_FIELD);
	}
}

/* -- an entry -- */

static bool read_member(struct dt_reader *r, struct entry *e)
{
	struct json_text key;
	enum field field;

	if (!json_key(&r->h.j, &key))
		return false;
	field = (enum field)dt_word_index(&key, field_names, N_FIELDS);
	if (field == FIELD_UNKNOWN) {
		header_fault_text(&r->h, WLK_F_DT_KEY_UNKNOWN, e->name, &key);
		r->out->not_understood = true;
		return json_skip(&r->h.j, DEPTH_FIELD);
	}
	if (e->seen[field]) {
		header_fault_text(&r->h, WLK_F_DT_KEY_DUPLICATE, e->name, &key);
		r->out->not_understood = true;
	}
	return read_field(r, e, field);
}

static bool read_entry_object(struct dt_reader *r, struct entry *e)
{
	bool more;

	r->h.j.p++;
	for (more = json_any(&r->h.j, '}'); more;)
		if (!read_member(r, e) || !json_more(&r->h.j, '}', &more))
			return false;
	for (unsigned i = 0; i < N_FIELDS_REQUIRED; i++)
		if (!e->seen[i])
			header_fault(&r->h, WLK_F_DT_KEY_MISSING, e->name_at, e->name, value_nothing,
			    value_words(field_names[i]));
	return true;
}

/* The bytes of shape and type, if they can be told. */
static bool entry_bytes(struct dt_reader *r, const struct entry *e, uint64_t *ret)
{
	uint64_t bytes = 0;

	if (!e->shape_known)
		return false;
	if (e->overflow || !mul_u64(e->elements, dtype_info(e->dtype)->bits / 8u, &bytes)) {
		header_fault(&r->h, WLK_F_DT_SIZE_OVERFLOW, e->value_at[FIELD_SHAPE], e->name,
		    e->empty ? value_words("beside a zero dimension") : value_nothing, value_nothing);
		return false;
	}
	*ret = e->empty ? 0 : bytes;
	return e->dtype != WLK_DTYPE_NONE;
}

/* Return: the entry owns [begin, end), whatever its elements are. */
static bool check_range(struct dt_reader *r, struct entry *e)
{
	uint64_t at = e->value_at[FIELD_OFFSETS], bytes = 0, size;
	bool sized = entry_bytes(r, e, &bytes);

	if (!e->range_known)
		return false;
	if (!sub_u64(e->end, e->begin, &size)) {
		header_fault(&r->h, WLK_F_DT_OFFSETS, at, e->name, value_number(e->end), value_number(e->begin));
		return false;
	}
	if (sized && size != bytes)
		header_fault(&r->h, WLK_F_DT_SIZE_MISMATCH, at, e->name, value_number(size), value_number(bytes));
	if (!sized || size != bytes)
		e->dtype = WLK_DTYPE_NONE; /* its bytes are accounted for, but nobody knows what they mean */
	return true;
}

/* Sheet, ambiguity 6: said once. */
static void check_order(struct dt_reader *r, const struct entry *e)
{
	if (e->begin == e->end)
		return;
	if (e->begin < r->last_begin && !r->unordered) {
		r->unordered = true;
		header_fault(&r->h, WLK_F_DT_ORDER, e->value_at[FIELD_OFFSETS], e->name, value_number(e->begin),
		    value_number(r->last_begin));
	}
	r->last_begin = e->begin;
}

/* A row of the manifest.  @dtype: what the entry says, though its range may be another's. */
static bool list_tensor(struct dt_reader *r, const struct entry *e, const struct extent *x, enum wlk_dtype dtype)
{
	struct layout *l = r->h.l;
	uint8_t name[MANIFEST_NAME_MAX];
	struct manifest_row row = { .kind = MANIFEST_TENSOR,
		.dtype = bytes_of_text(dtype_info(dtype)->name),
		.index = l->extents->n - 1,
		.begin = x->begin,
		.end = x->end,
		.rank = e->shape_known ? (unsigned)min_u64(e->rank, DEATHTENSORS_RANK_MAX) : 0 };

	row.name = extents_name(l->extents, x, name, sizeof(name));
	row.name_bytes = text_inspect(e->name).length;
	memcpy(row.shape, r->shape, row.rank * sizeof(row.shape[0]));
	return layout_tensor(l, &row);
}

/* A tensor's name: sheet, section 3. */
static void check_name(struct dt_reader *r, const struct entry *e)
{
	struct text_faults f = text_inspect(e->name);

	if (f.length == 0 || f.length > DEATHTENSORS_NAME_MAX)
		header_fault(&r->h, WLK_F_DT_NAME_LENGTH, e->name_at, e->name, value_number(f.length),
		    value_number(f.length == 0 ? 1 : DEATHTENSORS_NAME_MAX));
	if (f.control)
		header_fault(&r->h, WLK_F_DT_NAME_CONTROL, e->name_at, e->name, value_nothing, value_nothing);
	if (f.invisible || f.blank)
		header_fault(&r->h, WLK_F_DT_NAME_UNICODE, e->name_at, e->name, value_nothing, value_nothing);
	if (f.climbs)
		header_fault(&r->h, WLK_F_DT_NAME_PATH, e->name_at, e->name, value_nothing, value_nothing);
}

/* Offsets are below 2^63 and the blob begins early: the sums do not wrap, but nobody has to rely on that. */
static bool add_entry(struct dt_reader *r, struct entry *e)
{
	enum wlk_dtype dtype = e->dtype;
	bool owns = check_range(r, e);
	struct extent *x = header_add_tensor(&r->h, e->name);

	if (x == NULL)
		return false;
	if (owns && add_u64(r->data_at, e->begin, &x->begin) && add_u64(r->data_at, e->end, &x->end)) {
		x->dtype = (uint8_t)e->dtype;
		check_order(r, e);
	} else {
		x->begin = x->end = 0;
		x->flags = EXTENT_DEAD;
		r->out->ranges_unknown = true;
	}
	if (!layout_wants_tensors(r->h.l) || list_tensor(r, e, x, dtype))
		return true;
	r->h.stopped = true;
	return false;
}

static bool below_tensor_limit(struct dt_reader *r)
{
	struct layout *l = r->h.l;
	size_t n = l->extents->n;

	if (n < DEATHTENSORS_TENSORS_MAX && n < l->lim->tensors)
		return true;
	if (n >= DEATHTENSORS_TENSORS_MAX)
		layout_value(l, WLK_F_DT_TENSOR_COUNT, header_here(&r->h), n + UINT64_C(1), DEATHTENSORS_TENSORS_MAX);
	else
		layout_value(l, WLK_F_LIMIT_TENSORS, header_here(&r->h), n + UINT64_C(1), l->lim->tensors);
	r->h.stopped = true;
	return false;
}

static bool read_entry(struct dt_reader *r)
{
	struct json_text name;
	struct entry e = { .name = &name };
	bool ok;

	if (!json_key(&r->h.j, &name) || !below_tensor_limit(r))
		return false;
	e.name_at = header_text_at(&r->h, &name);
	if (!dt_has_type(r, WLK_F_DT_KEY_TYPE, &name, '{', "object", DEPTH_TENSORS, &ok) ||
	    (ok && !read_entry_object(r, &e)))
		return false;
	check_name(r, &e);
	return add_entry(r, &e);
}

bool dt_read_tensors(struct dt_reader *r, const struct json_text *key)
{
	bool ok, more;

	if (!dt_has_type(r, WLK_F_DT_KEY_TYPE, key, '{', "object", DEPTH_TOP, &ok) || !ok)
		return r->h.j.err == JSON_OK;
	r->h.j.p++;
	for (more = json_any(&r->h.j, '}'); more;)
		if (!read_entry(r) || !json_more(&r->h.j, '}', &more))
			return false;
	return true;
}

/* Both are examined; which of them a loader keeps nobody can say. */
static void tensor_twice(void *ctx, uint32_t i, uint32_t earlier)
{
	struct dt_reader *r = ctx;
	const struct extents *x = r->h.l->extents;
	struct json_text name = header_tensor_text(x, &x->list[i]);

	(void)earlier;
	r->out->not_understood = true;
	header_fault(&r->h, WLK_F_DT_KEY_DUPLICATE, header_text_at(&r->h, &name), &name, value_nothing, value_nothing);
}

bool dt_check_tensors(struct dt_reader *r)
{
	return header_check_tensors(&r->h, r, tensor_twice);
}
