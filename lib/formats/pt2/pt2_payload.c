/* What says which tensor is in which member: `*_weights_config.json`, `*_constants_config.json`.  The loader lays each tensor over
 * the member's bytes with sizes and strides that the file says.  Follows formats/pt2, rule 4. */
#include "checked.h"
#include "dtype.h"
#include "manifest.h"
#include "member.h"
#include "pt2_impl.h"

#define RANK_MAX 64u
#define DEVICES_MAX 128u /* PyTorch counts them in a signed byte */

/* Where numbers of a tensor go. */
enum list { LIST_NONE, LIST_SIZES, LIST_STRIDES, LIST_OFFSET };

/* A tensor, as far as it has been read. */
struct tensor {
	struct bytes name, path;
	uint64_t numbers[LIST_OFFSET + 1][RANK_MAX];
	unsigned n[LIST_OFFSET + 1];
	uint64_t type, layout;
	bool pickled, trained, parameter;
	bool placed, strange; /* it has a tensor_meta; something in it is not known */
};

struct payload {
	struct layout *l;
	const struct zip_archive *a;
	struct bytes root;
	const char *folder;
	struct tensor t;
	enum list list;
	bool in_config, in_meta, spent;
	bool bad; /* some tensor does not fit */
};

/* -- a tensor and its member -- */

/* ScalarType of the schema; NONE: unknown. */
static enum wlk_dtype type_of(uint64_t type)
{
	static const uint8_t types[] = { [1] = WLK_DTYPE_U8,
		WLK_DTYPE_I8,
		WLK_DTYPE_I16,
		WLK_DTYPE_I32,
		WLK_DTYPE_I64,
		WLK_DTYPE_F16,
		WLK_DTYPE_F32,
		WLK_DTYPE_F64,
		WLK_DTYPE_C32,
		WLK_DTYPE_C64,
		WLK_DTYPE_C128,
		WLK_DTYPE_BOOL,
		WLK_DTYPE_BF16,
		[28] = WLK_DTYPE_U16,
		WLK_DTYPE_F8_E4M3,
		WLK_DTYPE_F8_E5M2,
		WLK_DTYPE_F8_E4M3FNUZ,
		WLK_DTYPE_F8_E5M2FNUZ,
		WLK_DTYPE_F8_E8M0,
		WLK_DTYPE_U32,
		WLK_DTYPE_U64 };

	return type < sizeof(types) ? (enum wlk_dtype)types[type] : WLK_DTYPE_NONE;
}

/* How many elements, and the number behind the last one that it reaches; false: no number holds it, or it has none. */
static bool extent_of(const struct tensor *t, uint64_t *ret_n, uint64_t *ret_end)
{
	uint64_t n = 1, last = t->numbers[LIST_OFFSET][0], step;

	for (unsigned i = 0; i < t->n[LIST_SIZES]; i++)
		if (!mul_u64(n, t->numbers[LIST_SIZES][i], &n))
			return false;
	for (unsigned i = 0; i < t->n[LIST_SIZES] && n > 0; i++)
		if (!mul_u64(t->numbers[LIST_SIZES][i] - 1, t->numbers[LIST_STRIDES][i], &step) ||
		    !add_u64(last, step, &last))
			return false;
	*ret_n = n;
	return add_u64(last, n > 0 ? 1 : 0, ret_end);
}

/* Numbers that can have a gradient. */
static bool is_real(enum wlk_dtype type)
{
	return type == WLK_DTYPE_F16 || type == WLK_DTYPE_BF16 || type == WLK_DTYPE_F32 || type == WLK_DTYPE_F64 ||
	       type == WLK_DTYPE_C32 || type == WLK_DTYPE_C64 || type == WLK_DTYPE_C128;
}

#define LAYOUT_STRIDED 7u

static bool fits(const struct tensor *t, const struct zip_entry *e, enum wlk_dtype type)
{
	uint64_t n, end, bytes;

	if (!t->placed || t->strange || type == WLK_DTYPE_NONE || t->layout != LAYOUT_STRIDED ||
	    t->n[LIST_OFFSET] != 1 || t->n[LIST_SIZES] != t->n[LIST_STRIDES] || !extent_of(t, &n, &end))
		return false;
	if (t->trained && !is_real(type))
		return false;
	bytes = dtype_info(type)->bits / 8u;
	/* Without bytes the loader makes zeros of that size. */
	return e->size % bytes == 0 && (n == 0 || end <= e->size / bytes) &&
	       (e->member->dtype == WLK_DTYPE_NONE || e->member->dtype == type);
}

/* The member of which it says to be; NULL: there is none. */
static const struct zip_entry *member_of(struct payload *p, struct bytes name)
{
	size_t folder_n = strlen(p->folder), n = p->root.n + 1 + folder_n;
	uint8_t path[PT2_NAME_MAX * 3];

	if (p->root.n > PT2_NAME_MAX || name.n == 0 || name.n > PT2_NAME_MAX)
		return NULL;
	bytes_copy(path, p->root);
	path[p->root.n] = '/';
	memcpy(path + p->root.n + 1, p->folder, folder_n);
	bytes_copy(path + n, name);
	return zip_find(&p->a->zip, bytes_of(path, n + name.n));
}

/* The dimensions of a tensor that is all of the member, row by row; else it is listed with one. */
static void describe_shape(struct payload *p, struct member *m, uint64_t elements)
{
	const struct tensor *t = &p->t;
	uint64_t n = 1, *shape;
	unsigned rank = t->n[LIST_SIZES];

	if (t->numbers[LIST_OFFSET][0] != 0 || rank == 0 || rank > MANIFEST_RANK_MAX)
		return;
	for (unsigned i = rank; i-- > 0; n *= t->numbers[LIST_SIZES][i]) /* fits(): no product is too large */
		if (t->numbers[LIST_SIZES][i] > 1 && t->numbers[LIST_STRIDES][i] != n)
			return;
	shape = n == elements ? arena_alloc(p->l->arena, rank, sizeof(*shape)) : NULL;
	if (shape == NULL)
		return;
	memcpy(shape, t->numbers[LIST_SIZES], rank * sizeof(*shape));
	m->shape = shape;
	m->rank = rank;
}

static void describe(struct payload *p, const struct zip_entry *e, enum wlk_dtype type)
{
	struct member *m = e->member;

	if (m->dtype == WLK_DTYPE_NONE) {
		m->tensor = p->t.name;
		describe_shape(p, m, e->size / (dtype_info(type)->bits / 8u));
	}
	m->dtype = type;
	m->understood = true;
}

static void refuse(struct payload *p, const struct zip_entry *e)
{
	p->bad = true;
	layout_finding(p->l, &(struct finding){ .code = WLK_F_PT2_PAYLOAD,
				 .has_offset = e != NULL && e->readable && p->l->part.copy == NULL,
				 .offset = e != NULL && e->readable ? e->data : 0,
				 .subject = p->t.name });
}

/* A pickled one is judged like any other member. */
static void judge(struct payload *p)
{
	const struct zip_entry *e = member_of(p, p->t.path);
	enum wlk_dtype type = type_of(p->t.type);

	if (e == NULL || p->t.strange || (e->readable && !p->t.pickled && !fits(&p->t, e, type)))
		refuse(p, e);
	else if (e->readable && !p->t.pickled)
		describe(p, e, type);
}

/* -- the JSON: {"config": {NAME: {path_name, is_param, use_pickle, tensor_meta: {...}}}} -- */

static struct bytes keep(struct payload *p, const struct json_text *t)
{
	size_t room = t->raw.n < REPORT_STRING_MAX ? t->raw.n : REPORT_STRING_MAX;
	uint8_t *to = arena_alloc(p->l->arena, room + 1, 1);
	struct bytes raw = t->raw;

	p->spent |= to == NULL;
	return to == NULL ? bytes_of(NULL, 0) : bytes_of(to, json_decode(&raw, to, room));
}

static void take_number(struct payload *p, const struct json_value *v)
{
	struct tensor *t = &p->t;
	unsigned *n = &t->n[p->list];

	t->strange |= v->kind != JSON_NUMBER || !v->number.plain || !v->number.fits || *n == RANK_MAX;
	if (!t->strange)
		t->numbers[p->list][(*n)++] = v->number.value;
}

/* To the loader 1 and "no" are true as well: such are not known. */
static void take_choice(struct payload *p, const struct json_value *v, bool *ret)
{
	*ret = v->kind == JSON_WORD && v->word == 't';
	p->t.strange |= v->kind != JSON_WORD || v->word == 'n';
}

static void take_meta(struct payload *p, const struct json_value *v)
{
	struct tensor *t = &p->t;

	p->list = json_is(v->key, "sizes")            ? LIST_SIZES
		  : json_is(v->key, "strides")        ? LIST_STRIDES
		  : json_is(v->key, "storage_offset") ? LIST_OFFSET
						      : LIST_NONE;
	if (json_is(v->key, "dtype"))
		t->type = v->number.plain && v->number.fits && v->kind == JSON_NUMBER ? v->number.value : 0;
	else if (json_is(v->key, "layout"))
		t->layout = v->number.plain && v->kind == JSON_NUMBER ? v->number.value : 0;
	else if (json_is(v->key, "requires_grad"))
		take_choice(p, v, &t->trained);
	else
		t->strange |= p->list == LIST_NONE && !json_is(v->key, "device");
}

static void take_member(struct payload *p, const struct json_value *v)
{
	p->in_meta = json_is(v->key, "tensor_meta") && v->kind == JSON_OBJECT;
	p->t.placed |= p->in_meta;
	if (json_is(v->key, "path_name") && v->kind == JSON_STRING)
		p->t.path = keep(p, &v->text);
	else if (json_is(v->key, "use_pickle"))
		take_choice(p, v, &p->t.pickled);
	else if (!p->in_meta && !json_is(v->key, "tensor_meta"))
		p->t.strange |= !json_is(v->key, "is_param") || v->kind != JSON_WORD;
}

/* Devices by name: of `meta` nothing that the file holds would be loaded. */
static bool is_device(const struct json_value *v)
{
	return json_is(v->key, "index")
		   ? (v->kind == JSON_WORD && v->word == 'n') ||
			 (v->kind == JSON_NUMBER && v->number.plain && v->number.fits && v->number.value < DEVICES_MAX)
		   : json_is(v->key, "type") && v->kind == JSON_STRING && !json_is(&v->text, "meta");
}

static void take_deep(struct payload *p, const struct json_value *v)
{
	if (p->list == LIST_NONE)
		p->t.strange |= v->depth != 5 || !is_device(v);
	else if (json_is(v->key, "as_int") && v->depth == (p->list == LIST_OFFSET ? 5u : 6u))
		take_number(p, v);
	else
		p->t.strange |=
		    v->kind != JSON_OBJECT || v->key != NULL; /* sizes that are expressions: of tensors that are none */
}

static bool take_value(void *ctx, const struct json_value *v)
{
	struct payload *p = ctx;

	if (v->depth == 1) {
		p->in_config = json_is(v->key, "config") && v->kind == JSON_OBJECT;
		p->bad |= !p->in_config;
	} else if (v->depth == 2 && p->in_config) {
		p->bad |= v->kind != JSON_OBJECT;
		p->t = (struct tensor){ .name = keep(p, v->key) };
		p->in_meta = false;
	} else if (v->depth == 3) {
		take_member(p, v);
	} else if (v->depth == 4 && p->in_meta) {
		take_meta(p, v);
	} else if (v->depth > 4 && p->in_meta) {
		take_deep(p, v);
	}
	return !p->spent;
}

static void take_close(void *ctx, unsigned depth)
{
	struct payload *p = ctx;

	if (depth == 2 && p->in_config)
		judge(p);
}

static void take_twice(void *ctx, const struct json_text *key, size_t at)
{
	struct payload *p = ctx;

	(void)key;
	(void)at;
	p->bad = true;
}

enum wlk_status pt2_payload_judge(struct layout *l, const struct zip_archive *a, const struct zip_entry *config,
    struct bytes root, const char *folder)
{
	struct layout inner;
	struct payload p = { .l = l, .a = a, .root = root, .folder = folder };
	const struct json_walker walker = { .ctx = &p, .value = take_value, .close = take_close, .twice = take_twice };
	enum wlk_status status = pt2_walk(l, config, PT2_CONFIG_MAX, &walker, &inner);

	if (p.spent)
		return layout_stop(l);
	if (status == WLK_DONE && p.bad)
		zip_report_entry(l, config, WLK_F_PT2_PAYLOAD);
	config->member->understood &= !p.bad;
	return status;
}
