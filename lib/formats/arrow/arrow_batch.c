/* Record batches: every buffer lies in the body, and is as long as its column needs.  See arrow_impl.h. */
#include "arrow_impl.h"

#include "checked.h"

/* -- dictionaries by number -- */

static uint32_t *first_slot(const struct arrow *a, uint64_t id)
{
	uint8_t key[8];

	store_u64le(key, id);
	return &a->by_id[siphash13(key, sizeof(key), &a->l->seed) & (a->n_by_id - 1)];
}

static uint32_t *next_slot(const struct arrow *a, uint32_t *slot)
{
	return slot + 1 < a->by_id + a->n_by_id ? slot + 1 : a->by_id;
}

/* The slot of a number, or the empty one where it would be. */
static uint32_t *find_slot(const struct arrow *a, uint64_t id)
{
	uint32_t *slot = first_slot(a, id);

	while (*slot != 0 && a->columns[*slot - 1].dictionary_id != id)
		slot = next_slot(a, slot);
	return slot;
}

/* At most half full. */
static bool file_dictionaries(struct arrow *a)
{
	for (a->n_by_id = 64; a->n_by_id / 2 < a->n_columns;)
		a->n_by_id *= 2;
	a->by_id = arena_resize(a->l->arena, NULL, a->n_by_id, sizeof(*a->by_id));
	if (a->by_id == NULL)
		return fb_fail(&a->fb, FB_FAILED, "", 0);
	for (uint32_t i = 0; i < a->n_columns; i++) {
		uint32_t *slot = a->columns[i].dictionary ? find_slot(a, a->columns[i].dictionary_id) : NULL;

		if (slot != NULL && *slot == 0)
			*slot = i + 1;
	}
	return true;
}

bool arrow_find_dictionary(struct arrow *a, uint64_t id, uint64_t at, uint32_t *ret)
{
	uint32_t slot;

	*ret = a->n_columns;
	if (a->by_id == NULL && !file_dictionaries(a))
		return false;
	slot = *find_slot(a, id);
	if (slot == 0)
		arrow_value(a, WLK_F_ARROW_STRUCTURE, at, "dictionary", id, 0);
	else
		*ret = slot - 1;
	return true;
}

/* -- what a column needs -- */

#define BUFFERS_MAX 3u

struct need {
	unsigned n;                  /* buffers */
	uint64_t bytes[BUFFERS_MAX]; /* of each, at least */
	bool views;                  /* and more buffers, whose number the batch says */
};

static bool bytes_of_bits(uint64_t n, uint64_t bits, uint64_t *ret)
{
	if (!mul_u64(n, bits, ret))
		return false;
	*ret = *ret / 8 + (*ret % 8 != 0 ? 1 : 0);
	return true;
}

/* Offsets, of which there is one more than there are elements; nothing of nothing. */
static bool bytes_of_offsets(uint64_t n, uint64_t each, uint64_t *ret)
{
	*ret = 0;
	return n == 0 || (add_u64(n, 1, &n) && mul_u64(n, each, ret));
}

static bool add_need(struct need *need, uint64_t n, uint64_t bits)
{
	return bytes_of_bits(n, bits, &need->bytes[need->n++]);
}

static bool need_of_union(const struct arrow_column *c, uint64_t n, struct need *need)
{
	return add_need(need, n, 8) && (!c->dense || add_need(need, n, 32));
}

/* What follows the validity of a column of n elements.  False: more bytes than can be. */
static bool need_of_values(const struct arrow_column *c, uint64_t n, struct need *need)
{
	switch (c->type) {
	case ARROW_BINARY:
	case ARROW_UTF8:
	case ARROW_LARGE_BINARY:
	case ARROW_LARGE_UTF8:
		need->n = 3;
		return bytes_of_offsets(n, c->type == ARROW_BINARY || c->type == ARROW_UTF8 ? 4 : 8, &need->bytes[1]);
	case ARROW_LIST:
	case ARROW_MAP: need->n = 2; return bytes_of_offsets(n, 4, &need->bytes[1]);
	case ARROW_LARGE_LIST: need->n = 2; return bytes_of_offsets(n, 8, &need->bytes[1]);
	case ARROW_BINARY_VIEW:
	case ARROW_UTF8_VIEW: need->views = true; return add_need(need, n, 128);
	case ARROW_LIST_VIEW: return add_need(need, n, 32) && add_need(need, n, 32);
	case ARROW_LARGE_LIST_VIEW: return add_need(need, n, 64) && add_need(need, n, 64);
	case ARROW_UNION: return need_of_union(c, n, need);
	case ARROW_STRUCT:
	case ARROW_FIXED_LIST: return true;
	default: return add_need(need, n, c->bits);
	}
}

enum { VERSION_4 = 3, VERSION_5 };

static bool has_validity(const struct arrow_column *c, unsigned version)
{
	return c->type != ARROW_NULL && c->type != ARROW_RUN_END && (c->type != ARROW_UNION || version == VERSION_4);
}

/* @indices: seen as what refers to a dictionary. */
static bool need_of(
    const struct arrow_column *c, bool indices, unsigned version, uint64_t n, uint64_t nulls, struct need *ret)
{
	*ret = (struct need){ 0 };
	if (indices)
		return add_need(ret, nulls > 0 ? n : 0, 1) && add_need(ret, n, 8 * (uint64_t)c->index_bytes);
	if (has_validity(c, version) && !add_need(ret, nulls > 0 ? n : 0, 1))
		return false;
	return c->type == ARROW_NULL || c->type == ARROW_RUN_END || need_of_values(c, n, ret);
}

/* -- the batch -- */

struct reading {
	struct arrow *a;
	const struct arrow_batch *batch;
	struct fb_table t;
	uint32_t node, buffer, view; /* the next of each */
};

static void fault(const struct reading *r, const char *what, uint64_t found, uint64_t allowed)
{
	arrow_value(r->a, WLK_F_ARROW_STRUCTURE, r->t.at, what, found, allowed);
}

/* Two numbers of a struct of 16 bytes. */
static bool read_pair(struct reading *r, unsigned field, uint32_t i, uint64_t ret[2])
{
	uint8_t raw[16];

	if (!fb_read(&r->a->fb, r->t.value[field] + 16 * (uint64_t)i, raw, sizeof(raw)))
		return false;
	ret[0] = load_u64le(raw);
	ret[1] = load_u64le(raw + 8);
	return true;
}

/* @least: bytes it has to have; 0 when they are compressed and nobody knows. */
static bool read_buffer(struct reading *r, uint64_t least)
{
	uint64_t raw[2], body = r->batch->body_bytes;

	if (!read_pair(r, BATCH_BUFFERS, r->buffer++, raw))
		return false;
	if (raw[0] % 8 != 0 || raw[0] > body || raw[1] > body - raw[0])
		fault(r, "buffer", raw[0], body);
	else if (raw[1] < least)
		fault(r, "buffer", raw[1], least);
	else if (raw[1] > 0)
		return fb_claim(&r->a->fb, r->batch->body + raw[0], r->batch->body + raw[0] + raw[1], NULL, NULL);
	return true;
}

static bool read_buffers(struct reading *r, const struct need *need)
{
	bool coded = fb_has(&r->t, BATCH_COMPRESSION);
	uint64_t n = need->n, views = 0;

	if (need->views) {
		if (r->view == r->t.count[BATCH_VARIADIC])
			fault(r, "views", r->view, r->view + UINT64_C(1));
		else if (!fb_number(&r->a->fb, &r->t, BATCH_VARIADIC, r->view++, 8, &views))
			return false;
	}
	if (n > r->t.count[BATCH_BUFFERS] - r->buffer || views > r->t.count[BATCH_BUFFERS] - r->buffer - n) {
		fault(r, "buffers", r->t.count[BATCH_BUFFERS], r->buffer + n);
		r->buffer = r->t.count[BATCH_BUFFERS];
		return true;
	}
	for (unsigned i = 0; i < need->n; i++)
		if (!read_buffer(r, coded ? 0 : need->bytes[i]))
			return false;
	for (uint64_t i = 0; i < views; i++)
		if (!read_buffer(r, 0))
			return false;
	return true;
}

/* Elements that a column has to have because of the one it is in. */
static bool least_length(const struct reading *r, uint32_t i, uint64_t *ret)
{
	const struct arrow_column *c = &r->a->columns[i], *in = &r->a->columns[c->parent];

	*ret = 0;
	if (c->parent == i || i == r->batch->column)
		*ret = r->t.value[BATCH_LENGTH];
	else if (in->type == ARROW_STRUCT || (in->type == ARROW_UNION && !in->dense))
		*ret = r->a->lengths[c->parent];
	else if (in->type == ARROW_FIXED_LIST)
		return mul_u64(r->a->lengths[c->parent], in->list_size, ret);
	return true;
}

static bool read_column(struct reading *r, uint32_t i, bool indices)
{
	const struct arrow_column *c = &r->a->columns[i];
	uint64_t node[2], least;
	struct need need;

	if (r->node == r->t.count[BATCH_NODES]) {
		fault(r, "nodes", r->node, r->node + UINT64_C(1));
		return true;
	}
	if (!read_pair(r, BATCH_NODES, r->node++, node))
		return false;
	r->a->lengths[i] = node[0];
	if (node[0] > INT64_MAX || node[1] > node[0] || !least_length(r, i, &least) || node[0] < least ||
	    !need_of(c, indices, r->batch->version, node[0], node[1], &need)) {
		fault(r, "node", node[0], r->t.value[BATCH_LENGTH]);
		need_of(c, indices, r->batch->version, 0, 0, &need);
	}
	return read_buffers(r, &need);
}

static bool read_columns(struct reading *r)
{
	uint32_t i = r->batch->column, end = i + r->batch->n;

	while (i < end && r->node <= r->t.count[BATCH_NODES]) {
		bool values = r->batch->values && i == r->batch->column;
		bool indices = r->a->columns[i].dictionary && !values;

		if (r->node == r->t.count[BATCH_NODES]) {
			fault(r, "nodes", r->node, r->node + UINT64_C(1));
			return true;
		}
		if (!read_column(r, i, indices))
			return false;
		i += indices ? r->a->columns[i].span : 1;
	}
	if (r->node != r->t.count[BATCH_NODES] || r->buffer != r->t.count[BATCH_BUFFERS] ||
	    r->view != r->t.count[BATCH_VARIADIC])
		fault(r, "nodes", r->t.count[BATCH_NODES], r->node);
	return true;
}

static bool read_compression(struct reading *r)
{
	struct fb_table c;

	if (!fb_has(&r->t, BATCH_COMPRESSION))
		return true;
	if (!fb_open(&r->a->fb, r->t.value[BATCH_COMPRESSION], &arrow_compression, &c))
		return false;
	if (c.value[COMPRESSION_CODEC] > 1 || c.value[COMPRESSION_METHOD] != 0)
		arrow_value(r->a, WLK_F_ARROW_UNSUPPORTED, c.at, "compression", c.value[COMPRESSION_CODEC], 1);
	return true;
}

bool arrow_read_batch(struct arrow *a, const struct arrow_batch *b)
{
	struct reading r = { .a = a, .batch = b };

	if (!fb_open(&a->fb, b->at, &arrow_record_batch, &r.t) || !read_compression(&r) ||
	    !fb_visit(&a->fb, (uint64_t)r.t.count[BATCH_NODES] + r.t.count[BATCH_BUFFERS], b->at))
		return false;
	if (r.t.value[BATCH_LENGTH] > INT64_MAX)
		fault(&r, "length", r.t.value[BATCH_LENGTH], INT64_MAX);
	a->lengths = arena_resize_raw(a->l->arena, a->lengths, a->columns_room, sizeof(*a->lengths));
	return a->lengths != NULL ? read_columns(&r) : fb_fail(&a->fb, FB_FAILED, "", b->at);
}
