/* The header of a safetensors file: {"name": {"dtype": "F16", "shape": [1, 16], "data_offsets": [0, 32]}, ...,
 * "__metadata__": {"key": "value"}}, read in one pass without a tree.  Rules are those of docs/formats/safetensors.md.
 *
 * Two kinds of error.  Where every loader stops (not JSON, not UTF-8), we stop.  Everything else is reported and
 * read on, so that one scan tells all that is wrong, and so that a policy that follows the reference loader, which
 * forgives some of it, gets the weights examined too. */
#include <string.h>

#include "checked.h"
#include "json_header.h"
#include "safetensors.h"
#include "safetensors_canonical.h"
#include "safetensors_header.h"
#include "safetensors_metadata.h"
#include "text_rules.h"

/* Brackets open around a value at this place. */
#define DEPTH_TOP SAFETENSORS_DEPTH_TOP
#define DEPTH_FIELD SAFETENSORS_DEPTH_FIELD
#define DEPTH_ITEM (SAFETENSORS_DEPTH_FIELD + 1) /* a list in an entry */

struct reader {
	struct json_header h;
	uint64_t data_at; /* of the buffer, in the file */
	struct safetensors_header *out;
	struct safetensors_metadata metadata;
	struct canonical_type last_type;
	struct row *row; /* of the manifest; NULL: nobody wants any */
};

/* The entry's row of the manifest: its shape as it is read, and where its name is decoded to. */
struct row {
	struct manifest_row listed;
	uint8_t name[MANIFEST_NAME_MAX];
};

enum field { FIELD_DTYPE, FIELD_SHAPE, FIELD_OFFSETS, N_FIELDS, FIELD_UNKNOWN = N_FIELDS };

static const char *const field_names[N_FIELDS] = { "dtype", "shape", "data_offsets" };

struct entry {
	const struct json_text *name;
	uint64_t name_at; /* offsets are of the file */
	uint64_t value_at[N_FIELDS];
	bool seen[N_FIELDS];
	enum wlk_dtype dtype; /* NONE: not known */
	bool shape_known;
	uint64_t elements;    /* product of the dimensions that are not zero */
	bool empty, overflow; /* a dimension is zero; the product does not fit */
	bool overflow_first;  /* already the product of the dimensions before any zero does not */
	bool range_known;
	uint64_t begin, end; /* relative to the buffer */
};

/* -- names -- */

/* Rule 23. */
static void check_name(struct reader *r, const struct entry *e)
{
	struct text_faults f = text_inspect(e->name);

	if (f.length == 0)
		header_fault(&r->h, WLK_F_ST_TENSOR_NAME_EMPTY, e->name_at, e->name, value_nothing, value_nothing);
	if (f.length > SAFETENSORS_NAME_MAX)
		header_fault(&r->h, WLK_F_ST_TENSOR_NAME_LONG, e->name_at, e->name, value_number(f.length),
		    value_number(SAFETENSORS_NAME_MAX));
	if (f.control)
		header_fault(&r->h, WLK_F_ST_TENSOR_NAME_CONTROL, e->name_at, e->name, value_nothing, value_nothing);
	if (f.invisible || f.blank)
		header_fault(&r->h, WLK_F_ST_TENSOR_NAME_UNICODE, e->name_at, e->name, value_nothing, value_nothing);
	if (f.climbs)
		header_fault(&r->h, WLK_F_ST_TENSOR_NAME_PATH, e->name_at, e->name, value_nothing, value_nothing);
}

/* Rule 9.  The reference loader keeps the last entry, so that is the one whose weights are examined. */
static void tensor_twice(void *ctx, uint32_t i, uint32_t earlier)
{
	struct reader *r = ctx;
	struct extents *x = r->h.l->extents;
	struct json_text name = header_tensor_text(x, &x->list[i]);

	header_fault(
	    &r->h, WLK_F_ST_DUPLICATE_TENSOR, header_text_at(&r->h, &name), &name, value_nothing, value_nothing);
	x->list[earlier].flags |= EXTENT_DEAD;
}

/* -- the three fields of an entry -- */

/* Any number that json_small() leaves, or what stands in its place. */
static bool read_odd_integer(struct reader *r, const struct entry *e, uint64_t *ret, bool *ret_usable)
{
	uint8_t first = json_peek(&r->h.j);
	uint64_t at = header_here(&r->h);
	struct json_number n;

	if (first != '-' && (first < '0' || first > '9'))
		return header_skip_wrong(&r->h, WLK_F_ST_FIELD_TYPE, e->name, "number", DEPTH_ITEM);
	if (!json_number(&r->h.j, &n))
		return false;
	*ret = n.value;
	*ret_usable = n.plain && n.fits;
	if (n.negative)
		header_fault(&r->h, WLK_F_ST_INTEGER_NEGATIVE, at, e->name, value_nothing, value_nothing);
	else if (!n.plain)
		header_fault(&r->h, WLK_F_ST_INTEGER_FORMAT, at, e->name, value_nothing, value_nothing);
	else if (!n.fits || n.value > SAFETENSORS_INTEGER_MAX)
		header_fault(&r->h, WLK_F_ST_INTEGER_RANGE, at, e->name, n.fits ? value_number(n.value) : value_nothing,
		    value_number(SAFETENSORS_INTEGER_MAX));
	return true;
}

/* Rule 14.  *ret_usable: *ret is what the text says, even if no strict reader may say it. */
static inline bool read_integer(struct reader *r, const struct entry *e, uint64_t *ret, bool *ret_usable)
{
	json_space(&r->h.j);
	*ret_usable = json_small(&r->h.j, ret);
	return *ret_usable || read_odd_integer(r, e, ret, ret_usable);
}

/* The names of the format are the names we print. */
static const struct dtype_name {
	const char *name;
	size_t n;
} dtype_names[] = {
#define X(id, printed, bits, kind) [WLK_DTYPE_##id] = { printed, sizeof(printed) - 1 },
	WLK_DTYPES_SAFETENSORS(X)
#undef X
};

static enum wlk_dtype dtype_by_name(const struct json_text *t)
{
	uint8_t buf[JSON_WORD_MAX];
	struct bytes word = json_word(t, buf);

	for (unsigned i = WLK_DTYPE_NONE + 1; i < sizeof(dtype_names) / sizeof(dtype_names[0]); i++)
		if (dtype_names[i].n == word.n && memcmp(dtype_names[i].name, word.at, word.n) == 0)
			return (enum wlk_dtype)i;
	return WLK_DTYPE_NONE;
}

/* Rule 15. */
static void set_dtype(struct reader *r, struct entry *e, const struct json_text *t)
{
	e->dtype = dtype_by_name(t);
	if (e->dtype == WLK_DTYPE_NONE)
		header_fault_text(&r->h, WLK_F_ST_UNKNOWN_DTYPE, e->name, t);
}

/* {"F32": null}, which the reference loader takes for "F32" (section 4). */
static bool read_dtype_object(struct reader *r, struct entry *e)
{
	struct json_text key;
	bool lone_null = true, more = true;

	header_fault(
	    &r->h, WLK_F_ST_FIELD_TYPE, header_here(&r->h), e->name, value_words("object"), value_words("string"));
	r->h.j.p++;
	if (!json_any(&r->h.j, '}'))
		return true;
	for (unsigned n = 0; more; n++) {
		if (!json_key(&r->h.j, &key))
			return false;
		lone_null = n == 0 && json_peek(&r->h.j) == 'n';
		if (!json_skip(&r->h.j, DEPTH_ITEM) || !json_more(&r->h.j, '}', &more))
			return false;
	}
	if (lone_null)
		set_dtype(r, e, &key);
	return true;
}

static bool read_dtype(struct reader *r, struct entry *e)
{
	struct json_text t;

	e->dtype = WLK_DTYPE_NONE;
	if (json_peek(&r->h.j) == '{')
		return read_dtype_object(r, e);
	if (json_peek(&r->h.j) != '"')
		return header_skip_wrong(&r->h, WLK_F_ST_FIELD_TYPE, e->name, "string", DEPTH_FIELD);
	if (!json_read_string(&r->h.j, &t))
		return false;
	set_dtype(r, e, &t);
	return true;
}

static void list_no_dimensions(struct reader *r)
{
	if (r->row != NULL)
		r->row->listed.rank = 0;
}

static void list_dimension(struct reader *r, uint64_t dimension)
{
	struct manifest_row *row = &r->row->listed;

	if (row->rank < MANIFEST_RANK_MAX)
		row->shape[row->rank++] = dimension;
}

static void add_dimension(struct reader *r, struct entry *e, uint64_t dimension)
{
	if (r->row != NULL)
		list_dimension(r, dimension);
	if (dimension == 0)
		e->empty = true;
	else if (!mul_u64(e->elements, dimension, &e->elements)) {
		e->overflow = true;
		e->overflow_first |= !e->empty;
	}
}

static bool read_shape(struct reader *r, struct entry *e)
{
	uint64_t at = header_here(&r->h), rank = 0, dimension = 0;
	bool more, usable;

	list_no_dimensions(r);
	e->elements = 1;
	e->empty = e->overflow = e->overflow_first = false;
	e->shape_known = json_peek(&r->h.j) == '[';
	if (!e->shape_known)
		return header_skip_wrong(&r->h, WLK_F_ST_FIELD_TYPE, e->name, "array", DEPTH_FIELD);
	r->h.j.p++;
	for (more = json_any(&r->h.j, ']'); more; rank++) {
		if (!read_integer(r, e, &dimension, &usable) || !json_more(&r->h.j, ']', &more))
			return false;
		if (usable)
			add_dimension(r, e, dimension);
		else
			e->shape_known = false;
	}
	if (rank > SAFETENSORS_RANK_MAX) /* rule 17 */
		header_fault(&r->h, WLK_F_ST_RANK_TOO_LARGE, at, e->name, value_number(rank),
		    value_number(SAFETENSORS_RANK_MAX));
	return true;
}

static bool read_offsets(struct reader *r, struct entry *e)
{
	uint64_t at = header_here(&r->h), n = 0, value = 0;
	bool more, usable;

	e->range_known = json_peek(&r->h.j) == '[';
	if (!e->range_known)
		return header_skip_wrong(&r->h, WLK_F_ST_FIELD_TYPE, e->name, "array", DEPTH_FIELD);
	r->h.j.p++;
	for (more = json_any(&r->h.j, ']'); more; n++) {
		if (!read_integer(r, e, &value, &usable) || !json_more(&r->h.j, ']', &more))
			return false;
		e->range_known = e->range_known && usable;
		if (n == 0)
			e->begin = value;
		else
			e->end = value;
	}
	if (n != 2) { /* rule 12 */
		e->range_known = false;
		header_fault(&r->h, WLK_F_ST_OFFSETS_ARITY, at, e->name, value_number(n), value_number(2));
	}
	return true;
}

static bool read_field(struct reader *r, struct entry *e, enum field field)
{
	json_space(&r->h.j);
	e->seen[field] = true;
	e->value_at[field] = header_here(&r->h);
	switch (field) {
	case FIELD_DTYPE: return read_dtype(r, e);
	case FIELD_SHAPE: return read_shape(r, e);
	default: return read_offsets(r, e);
	}
}

/* -- an entry -- */

static bool word_is(struct bytes word, const char *name)
{
	return bytes_equal(word, bytes_of_text(name));
}

static enum field field_of(const struct json_text *key)
{
	uint8_t buf[JSON_WORD_MAX];
	struct bytes word = json_word(key, buf);

	if (word_is(word, "dtype"))
		return FIELD_DTYPE;
	if (word_is(word, "shape"))
		return FIELD_SHAPE;
	if (word_is(word, "data_offsets"))
		return FIELD_OFFSETS;
	return FIELD_UNKNOWN;
}

#define TAKE(j, text) json_take(j, text, sizeof(text) - 1)

/* The fields as every writer spells them, which spares reading their names as strings. */
static enum field plain_field(struct json *j)
{
	if (TAKE(j, "\"dtype\":"))
		return FIELD_DTYPE;
	if (TAKE(j, "\"shape\":"))
		return FIELD_SHAPE;
	if (TAKE(j, "\"data_offsets\":"))
		return FIELD_OFFSETS;
	return FIELD_UNKNOWN;
}

static bool read_member(struct reader *r, struct entry *e)
{
	const uint8_t *begin = r->h.j.p;
	enum field field = plain_field(&r->h.j);
	struct json_text key;

	if (field != FIELD_UNKNOWN && !e->seen[field])
		return read_field(r, e, field);
	r->h.j.p = begin;
	if (!json_key(&r->h.j, &key))
		return false;
	field = field_of(&key);
	if (field == FIELD_UNKNOWN) {
		header_fault_text(&r->h, WLK_F_ST_UNKNOWN_FIELD, e->name, &key);
		return json_skip(&r->h.j, DEPTH_FIELD);
	}
	if (e->seen[field]) /* rule 10 */
		header_fault_text(&r->h, WLK_F_ST_DUPLICATE_FIELD, e->name, &key);
	return read_field(r, e, field);
}

static bool read_entry_object(struct reader *r, struct entry *e)
{
	bool more;

	r->h.j.p++;
	for (more = json_any(&r->h.j, '}'); more;)
		if (!read_member(r, e) || !json_more(&r->h.j, '}', &more))
			return false;
	return true;
}

/* ["F32", [2], [0, 8]], which the reference loader takes for an entry (section 4). */
static bool read_entry_array(struct reader *r, struct entry *e)
{
	unsigned n = 0;
	bool more;

	header_fault(
	    &r->h, WLK_F_ST_FIELD_TYPE, header_here(&r->h), e->name, value_words("array"), value_words("object"));
	r->h.j.p++;
	for (more = json_any(&r->h.j, ']'); more; n++)
		if (!(n < N_FIELDS ? read_field(r, e, (enum field)n) : json_skip(&r->h.j, DEPTH_FIELD)) ||
		    !json_more(&r->h.j, ']', &more))
			return false;
	e->range_known = e->range_known && n == N_FIELDS;
	return true;
}

/* Rule 18.  Readers that multiply in order never see an overflow behind a zero: the reference loader is one. */
static void fault_overflow(struct reader *r, const struct entry *e)
{
	bool behind_zero = e->empty && !e->overflow_first;

	header_fault(&r->h, WLK_F_ST_SHAPE_OVERFLOW, e->value_at[FIELD_SHAPE], e->name,
	    behind_zero ? value_words("behind a zero dimension") : value_nothing, value_nothing);
}

/* Rules 18 and 19: the bytes of shape and type, if they can be told. */
static bool entry_bytes(struct reader *r, const struct entry *e, uint64_t *ret)
{
	uint64_t at = e->value_at[FIELD_SHAPE], bits = 0;

	if (!e->shape_known)
		return false;
	if (e->overflow || !mul_u64(e->elements, dtype_info(e->dtype)->bits, &bits)) {
		fault_overflow(r, e);
		if (!e->empty)
			return false;
	}
	if (e->dtype == WLK_DTYPE_NONE)
		return false;
	if (e->empty)
		bits = 0;
	if (bits % 8 != 0)
		header_fault(&r->h, WLK_F_ST_SUBBYTE_MISALIGNED, at, e->name, value_number(bits % 8), value_number(0));
	*ret = bits / 8;
	return bits % 8 == 0;
}

/* Rules 20 and 21.  Return: the entry owns [begin, end), whatever its elements are. */
static bool check_range(struct reader *r, struct entry *e)
{
	uint64_t at = e->value_at[FIELD_OFFSETS], bytes, size;
	bool sized = entry_bytes(r, e, &bytes);

	if (!e->range_known)
		return false;
	if (!sub_u64(e->end, e->begin, &size)) {
		header_fault(&r->h, WLK_F_ST_OFFSETS_ORDER, at, e->name, value_number(e->end), value_number(e->begin));
		return false;
	}
	if (sized && size != bytes)
		header_fault(&r->h, WLK_F_ST_SIZE_MISMATCH, at, e->name, value_number(size), value_number(bytes));
	if (!sized || size != bytes)
		e->dtype = WLK_DTYPE_NONE; /* its bytes are accounted for, but nobody knows what they mean */
	return true;
}

/* Where the entry's bytes are in the file.  A sum beyond 64 bits is beyond any file (rule 22). */
static bool place(struct reader *r, const struct entry *e, struct extent *x)
{
	if (add_u64(r->data_at, e->begin, &x->begin) && add_u64(r->data_at, e->end, &x->end))
		return true;
	header_fault(&r->h, WLK_F_ST_OFFSETS_OUT_OF_BOUNDS, e->value_at[FIELD_OFFSETS], e->name, value_number(e->end),
	    value_number(r->h.l->part.size - r->data_at));
	return false;
}

/* The last extent in the manifest. */
static bool list_entry(struct reader *r, const struct entry *e, const struct extent *x, enum wlk_dtype dtype)
{
	struct manifest_row *row = &r->row->listed;

	row->kind = MANIFEST_TENSOR;
	row->name = header_decode(e->name, r->row->name, sizeof(r->row->name));
	row->name_bytes = text_inspect(e->name).length;
	row->dtype = bytes_of_text(dtype_info(dtype)->name);
	row->index = r->h.l->extents->n - 1;
	row->begin = x->begin;
	row->end = x->end;
	return layout_tensor(r->h.l, row);
}

/* @dtype: what the entry says, though its range may be another's. */
static bool add_extent(struct reader *r, const struct entry *e, enum wlk_dtype dtype, bool owns)
{
	struct extent *x = header_add_tensor(&r->h, e->name);

	if (x == NULL)
		return false;
	if (owns && place(r, e, x)) {
		x->dtype = (uint8_t)e->dtype;
		return r->row == NULL || list_entry(r, e, x, dtype);
	}
	x->begin = x->end = 0;
	x->flags = EXTENT_DEAD;
	r->out->ranges_unknown = true;
	return true;
}

/* All that is left to do for an entry that canonical_entry() took: its range is sound, and ends below 2^53. */
static bool add_canonical(struct reader *r, const struct canonical_entry *e)
{
	struct extent *x = header_add_tensor(&r->h, &e->name);

	if (x == NULL)
		return false;
	x->begin = r->data_at + e->begin;
	x->end = r->data_at + e->end;
	x->dtype = (uint8_t)e->dtype;
	return true;
}

static void check_fields(struct reader *r, const struct entry *e)
{
	for (unsigned i = 0; i < N_FIELDS; i++)
		if (!e->seen[i])
			header_fault(&r->h, WLK_F_ST_MISSING_FIELD, e->name_at, e->name, value_nothing,
			    value_words(field_names[i]));
}

static bool read_entry(struct reader *r, const struct json_text *name)
{
	struct entry e = { .name = name, .name_at = header_text_at(&r->h, name) };
	uint8_t first = json_peek(&r->h.j);
	enum wlk_dtype dtype;
	bool ok, owns;

	list_no_dimensions(r);
	if (first == '{')
		ok = read_entry_object(r, &e);
	else if (first == '[')
		ok = read_entry_array(r, &e);
	else
		ok = header_skip_wrong(&r->h, WLK_F_ST_FIELD_TYPE, name, "object", DEPTH_TOP);
	if (!ok)
		return false;
	if (first == '{' || first == '[')
		check_fields(r, &e);
	check_name(r, &e);
	dtype = e.dtype;
	owns = check_range(r, &e);
	return add_extent(r, &e, dtype, owns);
}

/* -- the whole -- */

static bool below_tensor_limit(struct reader *r)
{
	size_t n = r->h.l->extents->n;

	if (n < r->h.l->lim->tensors)
		return true;
	layout_value(r->h.l, WLK_F_LIMIT_TENSORS, header_here(&r->h), n + UINT64_C(1), r->h.l->lim->tensors);
	r->h.stopped = true;
	return false;
}

static bool is_metadata(const struct json_text *name)
{
	uint8_t buf[JSON_WORD_MAX];

	return word_is(json_word(name, buf), "__metadata__");
}

static bool read_any_member(struct reader *r)
{
	struct json_text name;

	if (!json_key(&r->h.j, &name))
		return false;
	if (is_metadata(&name))
		return safetensors_metadata_read(&r->h, &r->metadata, &name);
	return below_tensor_limit(r) && read_entry(r, &name);
}

static bool read_top_member(struct reader *r)
{
	struct canonical_entry e;

	/* What is listed needs its dimensions one by one. */
	if (r->row == NULL && r->h.l->extents->n < r->h.l->lim->tensors && canonical_entry(&r->h.j, &r->last_type, &e))
		return add_canonical(r, &e);
	return read_any_member(r);
}

static bool read_top(struct reader *r)
{
	bool more;

	if (!json_expect(&r->h.j, '{'))
		return false;
	for (more = json_any(&r->h.j, '}'); more;)
		if (!read_top_member(r) || !json_more(&r->h.j, '}', &more))
			return false;
	return header_check_tensors(&r->h, r, tensor_twice);
}

/* Rule 7: what stands here is not part of one object. */
static bool syntax_here(struct reader *r)
{
	layout_at(r->h.l, WLK_F_ST_JSON_SYNTAX, header_here(&r->h));
	return false;
}

/* Rule 5.  Return: an object begins, perhaps behind whitespace that the reference loader forgives. */
static bool check_start(struct reader *r)
{
	if (*r->h.j.p == '{')
		return true;
	layout_value(r->h.l, WLK_F_ST_HEADER_START, r->h.at, *r->h.j.p, '{');
	return json_peek(&r->h.j) == '{' || syntax_here(r);
}

/* Rule 6. */
static bool check_utf8(struct reader *r, struct bytes header)
{
	size_t good = utf8_check(header);

	if (good < header.n)
		layout_at(r->h.l, WLK_F_ST_HEADER_UTF8, r->h.at + good);
	return good == header.n;
}

/* Rule 16.  Return: at most whitespace follows, which the reference loader forgives. */
static bool check_padding(struct reader *r)
{
	struct json *j = &r->h.j;

	while (j->p < j->end && *j->p == ' ')
		j->p++;
	if (j->p == j->end)
		return true;
	layout_value(r->h.l, WLK_F_ST_HEADER_PADDING, header_here(&r->h), *j->p, ' ');
	json_space(j);
	return j->p == j->end || syntax_here(r);
}

/* Rules 7 and 8: what the scanner itself refused. */
static void report_json(struct reader *r)
{
	static const enum wlk_finding codes[] = {
		[JSON_SYNTAX] = WLK_F_ST_JSON_SYNTAX, [JSON_DEPTH] = WLK_F_ST_JSON_DEPTH
	};
	const struct json *j = &r->h.j;

	if (j->err != JSON_OK)
		layout_at(r->h.l, codes[j->err], r->h.at + j->err_at);
	if (j->n_lone > 0)
		layout_value(r->h.l, WLK_F_ST_JSON_SURROGATE, r->h.at + j->first_lone_at, j->n_lone, 0);
}

enum wlk_status safetensors_header_read(
    struct layout *l, struct bytes header, uint64_t at, struct safetensors_header *ret)
{
	struct reader r = {
		.h = { .j = { .base = header.at, .p = header.at, .end = header.at + header.n }, .l = l, .at = at },
		.data_at = at + header.n, /* the header lies in the file: no wrap */
		.out = ret
	};
	bool read;

	*ret = (struct safetensors_header){ 0 };
	if (!check_start(&r) || !check_utf8(&r, header))
		return WLK_BROKEN;
	if (layout_wants_tensors(l)) {
		r.row = arena_alloc(l->arena, 1, sizeof(*r.row));
		if (r.row == NULL)
			return layout_stop(l);
	}
	read = read_top(&r);
	ret->metadata_keys = r.metadata.n_keys;
	header_number_tensors(l->extents);
	report_json(&r);
	arena_release(l->arena, r.metadata.keys.list);
	if (read)
		return check_padding(&r) && r.h.j.n_lone == 0 ? WLK_DONE : WLK_BROKEN;
	if (r.h.j.err == JSON_OK && !r.h.stopped)
		return layout_stop(l);
	return WLK_BROKEN;
}
