/* The header of a safetensors file: {"name": {"dtype": "F16", "shape": [1, 16], "data_offsets": [0, 32]}, ...,
 * "__metadata__": {"key": "value"}}, read in one pass without a tree.  Rules are those of docs/formats/safetensors.md.
 *
 * Two kinds of error.  Where every loader stops (not JSON, not UTF-8), we stop.  Everything else is reported and
 * read on, so that one scan tells all that is wrong, and so that a policy that follows the reference loader, which
 * forgives some of it, gets the weights examined too. */
#include <string.h>

#include "checked.h"
#include "config_inner.h"
#include "json_text.h"
#include "names.h"
#include "safetensors.h"
#include "safetensors_canonical.h"
#include "safetensors_header.h"
#include "text_rules.h"

/* Brackets open around a value at this place. */
#define DEPTH_TOP 1u   /* the header's object */
#define DEPTH_FIELD 2u /* an entry, or __metadata__ */
#define DEPTH_ITEM 3u  /* a list in an entry */

/* A metadata key, kept to compare it with the others. */
struct key {
	uint32_t at, n; /* from the header's first byte */
	bool escaped;
};

struct reader {
	struct json j;
	struct layout *l;
	uint64_t at;      /* of the header, in the file */
	uint64_t data_at; /* of the buffer, in the file */
	struct safetensors_header *out;
	bool over_limit; /* stopped by one of our limits, already reported */
	bool metadata_seen, format_seen;
	struct key *keys;
	size_t n_keys, keys_capacity;
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

/* -- findings -- */

static uint64_t here(const struct reader *r)
{
	return r->at + json_at(&r->j);
}

static uint64_t text_at(const struct reader *r, const struct json_text *t)
{
	return r->at + (uint64_t)(t->raw.at - r->j.base);
}

static struct bytes decode(const struct json_text *t, uint8_t *buf, size_t n)
{
	struct bytes rest = t->raw;

	return bytes_of(buf, json_decode(&rest, buf, n));
}

static const struct value nothing = { .kind = VALUE_NONE };

static struct value words(const char *text)
{
	return value_text(bytes_of_text(text));
}

/* A header can raise millions of findings of which a hundred are listed: what is only counted builds nothing. */
static void fault_listed(struct reader *r, enum wlk_finding code, uint64_t at, const struct json_text *subject,
    struct value found, struct value allowed)
{
	uint8_t buf[REPORT_STRING_MAX];

	layout_finding(r->l, &(struct finding){ .code = code,
				 .has_offset = true,
				 .offset = at,
				 .subject = decode(subject, buf, sizeof(buf)),
				 .found = found,
				 .allowed = allowed });
}

static void fault(struct reader *r, enum wlk_finding code, uint64_t at, const struct json_text *subject,
    struct value found, struct value allowed)
{
	if (report_wants(r->l->report, code))
		fault_listed(r, code, at, subject, found, allowed);
	else
		report_count(r->l->report, code);
}

/* As fault(), with what was found as text of the file. */
static void fault_text(
    struct reader *r, enum wlk_finding code, const struct json_text *subject, const struct json_text *found)
{
	uint8_t buf[64]; /* more of a type's or a field's name helps nobody */

	if (!report_wants(r->l->report, code)) {
		report_count(r->l->report, code);
		return;
	}
	fault_listed(r, code, text_at(r, found), subject, value_text(decode(found, buf, sizeof(buf))), nothing);
}

static const char *type_name(uint8_t first)
{
	switch (first) {
	case '{': return "object";
	case '[': return "array";
	case '"': return "string";
	case 't':
	case 'f': return "boolean";
	case 'n': return "null";
	default: return "number";
	}
}

/* A value of a type that has no place here: say so and step over it. */
static bool skip_wrong(
    struct reader *r, enum wlk_finding code, const struct json_text *subject, const char *allowed, unsigned depth)
{
	uint8_t first = json_peek(&r->j);
	uint64_t at = here(r);

	if (!json_skip(&r->j, depth))
		return false; /* no value at all */
	if (report_wants(r->l->report, code))
		fault_listed(r, code, at, subject, words(type_name(first)), words(allowed));
	else
		report_count(r->l->report, code);
	return true;
}

/* -- names -- */

/* Rule 23. */
static void check_name(struct reader *r, const struct entry *e)
{
	struct text_faults f = text_inspect(e->name);

	if (f.length == 0)
		fault(r, WLK_F_ST_TENSOR_NAME_EMPTY, e->name_at, e->name, nothing, nothing);
	if (f.length > SAFETENSORS_NAME_MAX)
		fault(r, WLK_F_ST_TENSOR_NAME_LONG, e->name_at, e->name, value_number(f.length),
		    value_number(SAFETENSORS_NAME_MAX));
	if (f.control)
		fault(r, WLK_F_ST_TENSOR_NAME_CONTROL, e->name_at, e->name, nothing, nothing);
	if (f.invisible || f.blank)
		fault(r, WLK_F_ST_TENSOR_NAME_UNICODE, e->name_at, e->name, nothing, nothing);
	if (f.climbs)
		fault(r, WLK_F_ST_TENSOR_NAME_PATH, e->name_at, e->name, nothing, nothing);
}

/* spare of an extent: the raw name holds escapes. */
#define NAME_ESCAPED 1u

static struct json_text extent_text(const struct extents *x, const struct extent *e)
{
	return (struct json_text){ .raw = bytes_of(x->names.at + e->name_at, e->name_n),
		.escaped = e->spare == NAME_ESCAPED };
}

size_t safetensors_extent_name(const struct extents *x, const struct extent *e, uint8_t *buf, size_t n)
{
	struct json_text t = extent_text(x, e);
	size_t used = json_decode(&t.raw, buf, n);

	return t.raw.n == 0 ? used : n + 1;
}

static struct json_text tensor_name(void *ctx, uint32_t i)
{
	const struct reader *r = ctx;

	return extent_text(r->l->extents, &r->l->extents->list[i]);
}

/* Rule 9.  The reference loader keeps the last entry, so that is the one whose weights are examined. */
static void tensor_twice(void *ctx, uint32_t i, uint32_t earlier)
{
	struct reader *r = ctx;
	struct json_text name = tensor_name(r, i);

	fault(r, WLK_F_ST_DUPLICATE_TENSOR, text_at(r, &name), &name, nothing, nothing);
	r->l->extents->list[earlier].flags |= EXTENT_DEAD;
}

/* While the header is read, the index of an extent is its position and need not be kept: the hash of its name, taken
 * when the name is at hand, is kept in that place. */
static bool check_tensor_names(struct reader *r)
{
	struct extents *x = r->l->extents;
	struct names names = { .ctx = r, .at = tensor_name, .twice = tensor_twice, .seed = r->l->seed };

	if (x->n > 0) {
		names.hashes = &x->list[0].index;
		names.hash_stride = sizeof(x->list[0]) / sizeof(x->list[0].index);
	}
	return names_check(&names, x->n, r->l->arena);
}

static void number_extents(struct extents *x)
{
	for (size_t i = 0; i < x->n; i++)
		x->list[i].index = (uint32_t)i;
}

/* -- the three fields of an entry -- */

/* Any number that json_small() leaves, or what stands in its place. */
static bool read_odd_integer(struct reader *r, const struct entry *e, uint64_t *ret, bool *ret_usable)
{
	uint8_t first = json_peek(&r->j);
	uint64_t at = here(r);
	struct json_number n;

	if (first != '-' && (first < '0' || first > '9'))
		return skip_wrong(r, WLK_F_ST_FIELD_TYPE, e->name, "number", DEPTH_ITEM);
	if (!json_number(&r->j, &n))
		return false;
	*ret = n.value;
	*ret_usable = n.plain && n.fits;
	if (n.negative)
		fault(r, WLK_F_ST_INTEGER_NEGATIVE, at, e->name, nothing, nothing);
	else if (!n.plain)
		fault(r, WLK_F_ST_INTEGER_FORMAT, at, e->name, nothing, nothing);
	else if (!n.fits || n.value > SAFETENSORS_INTEGER_MAX)
		fault(r, WLK_F_ST_INTEGER_RANGE, at, e->name, n.fits ? value_number(n.value) : nothing,
		    value_number(SAFETENSORS_INTEGER_MAX));
	return true;
}

/* Rule 14.  *ret_usable: *ret is what the text says, even if no strict reader may say it. */
static inline bool read_integer(struct reader *r, const struct entry *e, uint64_t *ret, bool *ret_usable)
{
	json_space(&r->j);
	*ret_usable = json_small(&r->j, ret);
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
		fault_text(r, WLK_F_ST_UNKNOWN_DTYPE, e->name, t);
}

/* {"F32": null}, which the reference loader takes for "F32" (section 4). */
static bool read_dtype_object(struct reader *r, struct entry *e)
{
	struct json_text key;
	bool lone_null = true, more = true;

	fault(r, WLK_F_ST_FIELD_TYPE, here(r), e->name, words("object"), words("string"));
	r->j.p++;
	if (!json_any(&r->j, '}'))
		return true;
	for (unsigned n = 0; more; n++) {
		if (!json_key(&r->j, &key))
			return false;
		lone_null = n == 0 && json_peek(&r->j) == 'n';
		if (!json_skip(&r->j, DEPTH_ITEM) || !json_more(&r->j, '}', &more))
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
	if (json_peek(&r->j) == '{')
		return read_dtype_object(r, e);
	if (json_peek(&r->j) != '"')
		return skip_wrong(r, WLK_F_ST_FIELD_TYPE, e->name, "string", DEPTH_FIELD);
	if (!json_read_string(&r->j, &t))
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
	uint64_t at = here(r), rank = 0, dimension = 0;
	bool more, usable;

	list_no_dimensions(r);
	e->elements = 1;
	e->empty = e->overflow = e->overflow_first = false;
	e->shape_known = json_peek(&r->j) == '[';
	if (!e->shape_known)
		return skip_wrong(r, WLK_F_ST_FIELD_TYPE, e->name, "array", DEPTH_FIELD);
	r->j.p++;
	for (more = json_any(&r->j, ']'); more; rank++) {
		if (!read_integer(r, e, &dimension, &usable) || !json_more(&r->j, ']', &more))
			return false;
		if (usable)
			add_dimension(r, e, dimension);
		else
			e->shape_known = false;
	}
	if (rank > SAFETENSORS_RANK_MAX) /* rule 17 */
		fault(r, WLK_F_ST_RANK_TOO_LARGE, at, e->name, value_number(rank), value_number(SAFETENSORS_RANK_MAX));
	return true;
}

static bool read_offsets(struct reader *r, struct entry *e)
{
	uint64_t at = here(r), n = 0, value = 0;
	bool more, usable;

	e->range_known = json_peek(&r->j) == '[';
	if (!e->range_known)
		return skip_wrong(r, WLK_F_ST_FIELD_TYPE, e->name, "array", DEPTH_FIELD);
	r->j.p++;
	for (more = json_any(&r->j, ']'); more; n++) {
		if (!read_integer(r, e, &value, &usable) || !json_more(&r->j, ']', &more))
			return false;
		e->range_known = e->range_known && usable;
		if (n == 0)
			e->begin = value;
		else
			e->end = value;
	}
	if (n != 2) { /* rule 12 */
		e->range_known = false;
		fault(r, WLK_F_ST_OFFSETS_ARITY, at, e->name, value_number(n), value_number(2));
	}
	return true;
}

static bool read_field(struct reader *r, struct entry *e, enum field field)
{
	json_space(&r->j);
	e->seen[field] = true;
	e->value_at[field] = here(r);
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
	const uint8_t *begin = r->j.p;
	enum field field = plain_field(&r->j);
	struct json_text key;

	if (field != FIELD_UNKNOWN && !e->seen[field])
		return read_field(r, e, field);
	r->j.p = begin;
	if (!json_key(&r->j, &key))
		return false;
	field = field_of(&key);
	if (field == FIELD_UNKNOWN) {
		fault_text(r, WLK_F_ST_UNKNOWN_FIELD, e->name, &key);
		return json_skip(&r->j, DEPTH_FIELD);
	}
	if (e->seen[field]) /* rule 10 */
		fault_text(r, WLK_F_ST_DUPLICATE_FIELD, e->name, &key);
	return read_field(r, e, field);
}

static bool read_entry_object(struct reader *r, struct entry *e)
{
	bool more;

	r->j.p++;
	for (more = json_any(&r->j, '}'); more;)
		if (!read_member(r, e) || !json_more(&r->j, '}', &more))
			return false;
	return true;
}

/* ["F32", [2], [0, 8]], which the reference loader takes for an entry (section 4). */
static bool read_entry_array(struct reader *r, struct entry *e)
{
	unsigned n = 0;
	bool more;

	fault(r, WLK_F_ST_FIELD_TYPE, here(r), e->name, words("array"), words("object"));
	r->j.p++;
	for (more = json_any(&r->j, ']'); more; n++)
		if (!(n < N_FIELDS ? read_field(r, e, (enum field)n) : json_skip(&r->j, DEPTH_FIELD)) ||
		    !json_more(&r->j, ']', &more))
			return false;
	e->range_known = e->range_known && n == N_FIELDS;
	return true;
}

/* Rule 18.  Readers that multiply in order never see an overflow behind a zero: the reference loader is one. */
static void fault_overflow(struct reader *r, const struct entry *e)
{
	bool behind_zero = e->empty && !e->overflow_first;

	fault(r, WLK_F_ST_SHAPE_OVERFLOW, e->value_at[FIELD_SHAPE], e->name,
	    behind_zero ? words("behind a zero dimension") : nothing, nothing);
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
		fault(r, WLK_F_ST_SUBBYTE_MISALIGNED, at, e->name, value_number(bits % 8), value_number(0));
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
		fault(r, WLK_F_ST_OFFSETS_ORDER, at, e->name, value_number(e->end), value_number(e->begin));
		return false;
	}
	if (sized && size != bytes)
		fault(r, WLK_F_ST_SIZE_MISMATCH, at, e->name, value_number(size), value_number(bytes));
	if (!sized || size != bytes)
		e->dtype = WLK_DTYPE_NONE; /* its bytes are accounted for, but nobody knows what they mean */
	return true;
}

/* Where the entry's bytes are in the file.  A sum beyond 64 bits is beyond any file (rule 22). */
static bool place(struct reader *r, const struct entry *e, struct extent *x)
{
	if (add_u64(r->data_at, e->begin, &x->begin) && add_u64(r->data_at, e->end, &x->end))
		return true;
	fault(r, WLK_F_ST_OFFSETS_OUT_OF_BOUNDS, e->value_at[FIELD_OFFSETS], e->name, value_number(e->end),
	    value_number(r->l->part.size - r->data_at));
	return false;
}

/* One more extent, of no bytes and no type yet. */
static inline struct extent *name_extent(struct reader *r, const struct json_text *name)
{
	struct extent *x = extents_add(r->l->extents);

	if (x == NULL)
		return NULL;
	x->kind = EXTENT_TENSOR;
	x->index = names_hash(name, &r->l->seed);
	x->name_at = (uint32_t)text_at(r, name); /* below 8 + 100,000,000 */
	x->name_n = (uint32_t)name->raw.n;
	x->spare = name->escaped ? NAME_ESCAPED : 0;
	return x;
}

/* The last extent in the manifest. */
static bool list_entry(struct reader *r, const struct entry *e, const struct extent *x, enum wlk_dtype dtype)
{
	struct manifest_row *row = &r->row->listed;

	row->kind = MANIFEST_TENSOR;
	row->name = decode(e->name, r->row->name, sizeof(r->row->name));
	row->name_bytes = text_inspect(e->name).length;
	row->dtype = bytes_of_text(dtype_info(dtype)->name);
	row->index = r->l->extents->n - 1;
	row->begin = x->begin;
	row->end = x->end;
	return layout_tensor(r->l, row);
}

/* @dtype: what the entry says, though its range may be another's. */
static bool add_extent(struct reader *r, const struct entry *e, enum wlk_dtype dtype, bool owns)
{
	struct extent *x = name_extent(r, e->name);

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
	struct extent *x = name_extent(r, &e->name);

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
			fault(r, WLK_F_ST_MISSING_FIELD, e->name_at, e->name, nothing, words(field_names[i]));
}

static bool read_entry(struct reader *r, const struct json_text *name)
{
	struct entry e = { .name = name, .name_at = text_at(r, name) };
	uint8_t first = json_peek(&r->j);
	enum wlk_dtype dtype;
	bool ok, owns;

	list_no_dimensions(r);
	if (first == '{')
		ok = read_entry_object(r, &e);
	else if (first == '[')
		ok = read_entry_array(r, &e);
	else
		ok = skip_wrong(r, WLK_F_ST_FIELD_TYPE, name, "object", DEPTH_TOP);
	if (!ok)
		return false;
	if (first == '{' || first == '[')
		check_fields(r, &e);
	check_name(r, &e);
	dtype = e.dtype;
	owns = check_range(r, &e);
	return add_extent(r, &e, dtype, owns);
}

/* -- __metadata__ -- */

static struct json_text key_text(void *ctx, uint32_t i)
{
	const struct reader *r = ctx;
	const struct key *k = &r->keys[i];

	return (struct json_text){ .raw = bytes_of(r->j.base + k->at, k->n), .escaped = k->escaped };
}

static void key_twice(void *ctx, uint32_t i, uint32_t earlier)
{
	struct reader *r = ctx;
	struct json_text key = key_text(r, i);

	(void)earlier;
	fault(r, WLK_F_ST_DUPLICATE_METADATA_KEY, text_at(r, &key), &key, nothing, nothing);
}

static bool check_keys(struct reader *r)
{
	struct names names = { .ctx = r, .at = key_text, .twice = key_twice, .seed = r->l->seed };

	return names_check(&names, r->n_keys, r->l->arena);
}

static bool room_for_key(struct reader *r)
{
	size_t capacity = r->keys_capacity == 0 ? 64 : r->keys_capacity * 2;
	struct key *keys;

	if (r->n_keys < r->keys_capacity)
		return true;
	keys = arena_resize(r->l->arena, r->keys, capacity, sizeof(*keys));
	if (keys == NULL)
		return false;
	r->keys = keys;
	r->keys_capacity = capacity;
	return true;
}

static bool add_key(struct reader *r, const struct json_text *t)
{
	if (r->out->metadata_keys >= r->l->lim->metadata_keys) {
		layout_value(r->l, WLK_F_LIMIT_METADATA_KEYS, text_at(r, t), r->out->metadata_keys + 1,
		    r->l->lim->metadata_keys);
		r->over_limit = true;
		return false;
	}
	if (!room_for_key(r))
		return false;
	r->keys[r->n_keys++] =
	    (struct key){ .at = (uint32_t)(t->raw.at - r->j.base), .n = (uint32_t)t->raw.n, .escaped = t->escaped };
	r->out->metadata_keys++;
	return true;
}

/* Rule 24. */
static void check_metadata_text(struct reader *r, const struct json_text *key, const struct json_text *t)
{
	struct text_faults f = text_inspect(t);

	if (f.text_control)
		fault(r, WLK_F_ST_METADATA_CONTROL, text_at(r, t), key, nothing, nothing);
	if (f.direction)
		fault(r, WLK_F_ST_METADATA_UNICODE, text_at(r, t), key, nothing, nothing);
}

/* What a set of shards has to agree in; the first, should there be more. */
static void tell_format(struct reader *r, const struct json_text *key, const struct json_text *value)
{
	uint8_t word[JSON_WORD_MAX], buf[REPORT_STRING_MAX];

	if (!layout_wants_tensors(r->l) || r->l->part.depth > 0 || r->format_seen ||
	    !word_is(json_word(key, word), "format"))
		return;
	r->format_seen = true;
	report_fact(r->l->report,
	    &(struct fact){ .id = WLK_FACT_METADATA_FORMAT, .value = value_text(decode(value, buf, sizeof(buf))) });
}

/* A text that is a configuration: some loaders call what it names (formats/configs, section 2.4). */
static bool check_inner(struct reader *r, const struct json_text *key, const struct json_text *value)
{
	uint8_t name[REPORT_STRING_MAX], *text;
	struct bytes rest = value->raw;
	bool ok;

	if (value->raw.n > CONFIG_INNER_BYTES_MAX || !config_inner_begins(value->raw)) {
		config_check_unread(r->l, value->raw, decode(key, name, sizeof(name)), text_at(r, value));
		return true;
	}
	layout_raise_memory(r->l, value->raw.n);
	text = arena_resize_raw(r->l->arena, NULL, value->raw.n, 1); /* decoding makes nothing longer */
	if (text == NULL) {
		r->over_limit = true;
		(void)layout_stop(r->l);
		return false;
	}
	ok = config_check_inner(r->l, bytes_of(text, json_decode(&rest, text, value->raw.n)),
	    decode(key, name, sizeof(name)), text_at(r, value));
	r->over_limit = r->over_limit || !ok;
	arena_release(r->l->arena, text);
	return ok;
}

static bool read_pair(struct reader *r)
{
	struct json_text key, value;

	if (!json_key(&r->j, &key) || !add_key(r, &key))
		return false;
	check_metadata_text(r, &key, &key);
	if (json_peek(&r->j) != '"') /* rule 13 */
		return skip_wrong(r, WLK_F_ST_METADATA_TYPE, &key, "string", DEPTH_FIELD);
	if (!json_read_string(&r->j, &value))
		return false;
	check_metadata_text(r, &key, &value);
	tell_format(r, &key, &value);
	return check_inner(r, &key, &value);
}

static bool read_pairs(struct reader *r)
{
	bool more;

	r->j.p++;
	r->n_keys = 0;
	for (more = json_any(&r->j, '}'); more;)
		if (!read_pair(r) || !json_more(&r->j, '}', &more))
			return false;
	return check_keys(r);
}

static bool read_metadata(struct reader *r, const struct json_text *name)
{
	uint8_t first = json_peek(&r->j);

	if (r->metadata_seen) /* rule 10 */
		fault(r, WLK_F_ST_DUPLICATE_METADATA, text_at(r, name), name, nothing, nothing);
	r->metadata_seen = true;
	if (first == '{')
		return read_pairs(r);
	if (first != 'n') /* rule 13 */
		return skip_wrong(r, WLK_F_ST_METADATA_TYPE, name, "object", DEPTH_TOP);
	fault(r, WLK_F_ST_METADATA_NULL, here(r), name, nothing, nothing); /* section 7 */
	return json_literal(&r->j, "null");
}

/* -- the whole -- */

static bool below_tensor_limit(struct reader *r)
{
	size_t n = r->l->extents->n;

	if (n < r->l->lim->tensors)
		return true;
	layout_value(r->l, WLK_F_LIMIT_TENSORS, here(r), n + UINT64_C(1), r->l->lim->tensors);
	r->over_limit = true;
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

	if (!json_key(&r->j, &name))
		return false;
	if (is_metadata(&name))
		return read_metadata(r, &name);
	return below_tensor_limit(r) && read_entry(r, &name);
}

static bool read_top_member(struct reader *r)
{
	struct canonical_entry e;

	/* What is listed needs its dimensions one by one. */
	if (r->row == NULL && r->l->extents->n < r->l->lim->tensors && canonical_entry(&r->j, &r->last_type, &e))
		return add_canonical(r, &e);
	return read_any_member(r);
}

static bool read_top(struct reader *r)
{
	bool more;

	if (!json_expect(&r->j, '{'))
		return false;
	for (more = json_any(&r->j, '}'); more;)
		if (!read_top_member(r) || !json_more(&r->j, '}', &more))
			return false;
	return check_tensor_names(r);
}

/* Rule 7: what stands here is not part of one object. */
static bool syntax_here(struct reader *r)
{
	layout_at(r->l, WLK_F_ST_JSON_SYNTAX, here(r));
	return false;
}

/* Rule 5.  Return: an object begins, perhaps behind whitespace that the reference loader forgives. */
static bool check_start(struct reader *r)
{
	if (*r->j.p == '{')
		return true;
	layout_value(r->l, WLK_F_ST_HEADER_START, r->at, *r->j.p, '{');
	return json_peek(&r->j) == '{' || syntax_here(r);
}

/* Rule 6. */
static bool check_utf8(struct reader *r, struct bytes header)
{
	size_t good = utf8_check(header);

	if (good < header.n)
		layout_at(r->l, WLK_F_ST_HEADER_UTF8, r->at + good);
	return good == header.n;
}

/* Rule 16.  Return: at most whitespace follows, which the reference loader forgives. */
static bool check_padding(struct reader *r)
{
	struct json *j = &r->j;

	while (j->p < j->end && *j->p == ' ')
		j->p++;
	if (j->p == j->end)
		return true;
	layout_value(r->l, WLK_F_ST_HEADER_PADDING, here(r), *j->p, ' ');
	json_space(j);
	return j->p == j->end || syntax_here(r);
}

/* Rules 7 and 8: what the scanner itself refused. */
static void report_json(struct reader *r)
{
	static const enum wlk_finding codes[] = {
		[JSON_SYNTAX] = WLK_F_ST_JSON_SYNTAX, [JSON_DEPTH] = WLK_F_ST_JSON_DEPTH
	};
	const struct json *j = &r->j;

	if (j->err != JSON_OK)
		layout_at(r->l, codes[j->err], r->at + j->err_at);
	if (j->n_lone > 0)
		layout_value(r->l, WLK_F_ST_JSON_SURROGATE, r->at + j->first_lone_at, j->n_lone, 0);
}

enum wlk_status safetensors_header_read(
    struct layout *l, struct bytes header, uint64_t at, struct safetensors_header *ret)
{
	struct reader r = { .j = { .base = header.at, .p = header.at, .end = header.at + header.n },
		.l = l,
		.at = at,
		.data_at = at + header.n, /* the header lies in the file: no wrap */
		.out = ret };
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
	number_extents(l->extents);
	report_json(&r);
	arena_release(l->arena, r.keys);
	if (read)
		return check_padding(&r) && r.j.n_lone == 0 ? WLK_DONE : WLK_BROKEN;
	if (r.j.err == JSON_OK && !r.over_limit)
		return layout_stop(l);
	return WLK_BROKEN;
}
