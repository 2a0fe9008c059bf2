/* Files that are what others say of them: see claimed.h.  Rules: formats/onnx, section 6, and formats/openvino, section 4. */
#include "claimed.h"

#include "checked.h"

#define TENSORS_FIRST 256u
#define NAMES_FIRST ((size_t)16 << 10)

/* -- what the others say -- */

static bool keep_name(struct claimed *c, struct bytes name)
{
	size_t room = c->names_room > 0 ? c->names_room : NAMES_FIRST;

	while (room - c->names_n < name.n)
		room *= 2; /* at most twice the document, which is a gigabyte */
	if (room > c->names_room) {
		uint8_t *names = arena_resize_raw(c->l->arena, c->names, room, 1);

		if (names == NULL)
			return false;
		c->names = names;
		c->names_room = room;
	}
	bytes_copy(c->names + c->names_n, name);
	c->names_n += name.n;
	return true;
}

static bool keep_tensor(struct claimed *c, const struct claimed_tensor *tensor)
{
	if (c->n_tensors == c->tensors_room) {
		size_t room = c->tensors_room > 0 ? c->tensors_room * 2 : TENSORS_FIRST;
		struct claimed_tensor *list = arena_resize_raw(c->l->arena, c->tensors, room, sizeof(*list));

		if (list == NULL)
			return false;
		c->tensors = list;
		c->tensors_room = room;
	}
	c->tensors[c->n_tensors++] = *tensor;
	return true;
}

/* Half an element is none: what its reader makes of it, nobody can say. */
static bool is_whole(enum wlk_dtype dtype, uint64_t bytes)
{
	unsigned bits = dtype_info(dtype)->bits;

	return bits % 8 != 0 || bytes % (bits / 8) == 0;
}

/* Somebody loads what nobody examines. */
static void tell(struct claimed *c, enum wlk_finding code, const struct external_claim *claim, uint64_t found)
{
	uint64_t size = c->l->part.size;

	c->l->extents->gaps = true;
	layout_finding(c->l, &(struct finding){ .code = code,
				 .has_offset = true,
				 .offset = min_u64(claim->begin, size),
				 .subject = claim->name,
				 .found = value_number(found),
				 .allowed = value_number(size) });
}

/* One that ends behind the file is not there as a whole: what there is of it is accounted for, and not examined. */
static bool take_claim(void *ctx, const struct external_claim *claim)
{
	struct claimed *c = ctx;
	uint64_t size = c->l->part.size;
	struct claimed_tensor tensor = { .name_at = (uint32_t)c->names_n,
		.name_n = (uint16_t)claim->name.n, /* MANIFEST_NAME_MAX at most */
		.dtype = (uint8_t)claim->dtype };

	if (claim->end > size) {
		tell(c, claim->rules->bounds, claim, claim->end);
		tensor.dtype = WLK_DTYPE_NONE;
	} else if (claim->dtype == WLK_DTYPE_NONE || !is_whole(claim->dtype, claim->end - claim->begin)) {
		tell(c, WLK_F_FORMAT_UNKNOWN, claim, claim->end - claim->begin);
		tensor.dtype = WLK_DTYPE_NONE;
	}
	if (claim->begin >= size)
		return true;
	return keep_name(c, claim->name) && c->n_tensors < UINT32_MAX &&
	       ranges_add(&c->ranges,
		   (struct range){
		       .begin = claim->begin, .end = min_u64(claim->end, size), .index = (uint32_t)c->n_tensors }) &&
	       keep_tensor(c, &tensor);
}

/* -- extents -- */

/* Of bytes that are no tensor's: nobody's, or that of a model which was not read to its end. */
static enum wlk_finding gap_code(const struct claimed *c)
{
	return c->claims.all_known ? c->claims.rules->hole : WLK_F_FORMAT_UNKNOWN;
}

/* Bytes [from, to) that are no tensor's. */
static bool place_gap(struct claimed *c, uint64_t from, uint64_t to)
{
	const struct external_rules *r = c->claims.rules;
	struct finding f = { .code = gap_code(c), .has_offset = true, .offset = from, .has_length = true };
	struct extent *e;

	if (from >= to)
		return true;
	if (to - from < r->padding_max && to % r->align == 0) {
		e = extents_add(c->l->extents);
		if (e == NULL)
			return false;
		*e = (struct extent){ .begin = from, .end = to, .kind = EXTENT_ZERO };
		return true;
	}
	c->l->extents->gaps = true;
	f.length = to - from;
	f.found = value_number(to - from);
	f.allowed = value_number(r->padding_max - 1);
	layout_finding(c->l, &f);
	return true;
}

static void tell_overlap(struct claimed *c, const struct range *range, uint64_t covered)
{
	const struct claimed_tensor *t = &c->tensors[range->index];

	c->l->extents->gaps = true; /* two tensors' at once: not one thing */
	layout_finding(c->l, &(struct finding){ .code = c->claims.rules->overlap,
				 .has_offset = true,
				 .offset = range->begin,
				 .subject = bytes_of(c->names + t->name_at, t->name_n),
				 .found = value_number(range->begin),
				 .allowed = value_number(covered) });
}

static struct extents *layer_at(struct claimed *c, unsigned i)
{
	return i == 0 ? c->l->extents : &c->layers[i - 1].extents;
}

/* The first layer that is free from here on.  NULL: none is. */
static struct extents *free_layer(struct claimed *c, uint64_t begin)
{
	for (unsigned i = 0; i <= CLAIMED_LAYERS_MAX; i++) {
		struct extents *x = layer_at(c, i);

		if (x->n > 0 && x->list[x->n - 1].end > begin)
			continue;
		c->n_layers = i > c->n_layers ? i : c->n_layers;
		return x;
	}
	return NULL;
}

static bool place_tensor(struct claimed *c, const struct range *range)
{
	const struct claimed_tensor *t = &c->tensors[range->index];
	struct extents *x = free_layer(c, range->begin);
	struct extent *e;

	if (x == NULL) {
		tell_overlap(c, range, range->end);
		return true;
	}
	e = extents_add(x);
	if (e == NULL)
		return false;
	*e = (struct extent){ .begin = range->begin,
		.end = range->end,
		.kind = EXTENT_TENSOR,
		.dtype = t->dtype,
		.name_at = t->name_at,
		.name_n = t->name_n,
		.index = (uint32_t)(x->n - 1) };
	return true;
}

/* Ranges that are equal: those of one type are one tensor under several names.  What can be wrong comes first, to be counted. */
static bool place_equal(struct claimed *c, const struct range *list, size_t n)
{
	bool seen[WLK_N_DTYPES] = { false };

	for (size_t i = 0; i < 2 * n; i++) {
		const struct range *r = &list[i % n];
		enum wlk_dtype dtype = c->tensors[r->index].dtype;

		if (seen[dtype] || dtype_is_float(dtype) != (i < n))
			continue;
		seen[dtype] = true;
		if (!place_tensor(c, r))
			return false;
	}
	return true;
}

static size_t count_equal(const struct ranges *r, size_t first)
{
	size_t n = 1;

	while (first + n < r->n && r->list[first + n].begin == r->list[first].begin &&
	       r->list[first + n].end == r->list[first].end)
		n++;
	return n;
}

static bool place_all(struct claimed *c)
{
	uint64_t covered = 0;

	for (size_t i = 0, n; i < c->ranges.n; i += n) {
		const struct range *r = &c->ranges.list[i];

		n = count_equal(&c->ranges, i);
		if (r->begin < covered)
			tell_overlap(c, r, covered);
		else if (!place_gap(c, covered, r->begin))
			return false;
		if (!place_equal(c, r, n))
			return false;
		covered = r->end > covered ? r->end : covered;
	}
	return place_gap(c, covered, c->l->part.size);
}

static void name_all(struct claimed *c)
{
	for (unsigned i = 0; i <= CLAIMED_LAYERS_MAX; i++)
		layer_at(c, i)->names = bytes_of(c->names, c->names_n);
	c->l->extents->nonzero = gap_code(c);
	if (c->n_layers > 0)
		c->l->report->manifest_partial = true; /* rows are those of the first */
}

enum wlk_status claimed_lay_out(
    struct claimed *c, struct layout *l, const struct set_input *in, uint32_t member, bool *ret_named)
{
	c->l = l;
	c->claims = (struct external_claims){ .ctx = c, .take = take_claim };
	c->ranges.arena = l->arena;
	if (!sets_claims(in, member, &c->claims))
		return WLK_INCOMPLETE;
	*ret_named = c->claims.rules != NULL;
	if (!*ret_named)
		return WLK_DONE;
	for (unsigned i = 0; i < CLAIMED_LAYERS_MAX; i++)
		extents_init(&c->layers[i].extents, l->arena);
	ranges_sort(&c->ranges);
	if (!place_all(c))
		return layout_stop(l);
	name_all(c);
	return WLK_DONE;
}

/* -- the pass -- */

static void layer_begin(void *ctx, const struct extent *e)
{
	struct elements *el = ctx;

	elements_tensor_begin(el, el->extents, e);
}

static void layer_cut(void *ctx, const struct extent *e, const uint8_t *at, size_t n, uint64_t offset)
{
	(void)e;
	elements_tensor_feed(ctx, at, n, offset);
}

static void layer_end(void *ctx, const struct extent *e)
{
	(void)e;
	elements_tensor_end(ctx);
}

static void feed_layers(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct claimed *c = ctx;

	for (unsigned i = 0; i < c->n_layers; i++)
		slicer_feed(&c->layers[i].slicer, at, n, offset, offset + n == c->l->part.size);
}

void claimed_join(struct claimed *c, struct pass *p)
{
	for (unsigned i = 0; i < c->n_layers; i++) {
		struct claimed_layer *layer = &c->layers[i];

		elements_init(&layer->elements, &layer->extents, p->report);
		layer->elements.counted = true; /* with the first layer */
		slicer_init(&layer->slicer, &layer->extents,
		    (struct pass_sink){
			.ctx = &layer->elements, .begin = layer_begin, .feed = layer_cut, .end = layer_end });
	}
	if (c->n_layers > 0)
		pass_add_walker(p, (struct walker){ .ctx = c, .feed = feed_layers });
}

enum wlk_status claimed_finish(const struct claimed *c)
{
	return c->claims.rules != NULL && c->l->report->per_code[gap_code(c)] > 0 ? WLK_BROKEN : WLK_DONE;
}
