/* Data sets in chunks: where their elements are, and how chunks are found.  Section 4.5 of formats/keras-hdf5, rules H6 and
 * H8.  Found they are by a B-tree of the first generation; in the second by how the data set can grow: a single chunk, chunks
 * in a row, a fixed array, an extensible one for one dimension without end, a B-tree for several. */
#include <string.h>

#include "checked.h"
#include "h5.h"

struct chunks {
	struct h5 *h;
	const struct h5_messages *m;
	unsigned rank;        /* of the data set */
	uint64_t chunk_bytes; /* of one */
	uint64_t stored, n;
	uint64_t grid[H5_RANK_MAX];   /* chunks along each dimension ... */
	uint64_t in_grid;             /* ... and in all */
	uint64_t most[H5_RANK_MAX];   /* likewise, of what it can grow to */
	uint64_t in_most;             /* UINT64_MAX: without end */
	unsigned order[H5_RANK_MAX];  /* dimensions, the slowest first: as chunks are numbered */
	uint64_t last[H5_RANK_MAX];   /* of the chunk before: they ascend */
	struct tensor_pieces *pieces; /* for who converts; NULL: nobody does, or they cannot be told */
	uint64_t *first;
	size_t first_room;
	uint64_t told; /* bytes of them */
};

static bool keep_piece(struct chunks *k, uint64_t address, uint64_t n, uint64_t first)
{
	struct ranges *at = &k->pieces->at;

	if (at->n == k->first_room) {
		size_t room = k->first_room > 0 ? 2 * k->first_room : 64;
		uint64_t *grown = arena_resize_raw(k->h->l->arena, k->first, room, sizeof(*grown));

		if (grown == NULL)
			return h5_stop(k->h);
		k->first = grown;
		k->first_room = room;
	}
	k->first[at->n] = first;
	k->told += n; /* each is claimed: at most the file */
	return ranges_add(at, (struct range){ .begin = address, .end = address + n, .index = (uint32_t)at->n }) ||
	       h5_stop(k->h);
}

/* Pieces of one tensor.  @first: the element of it that the piece begins with. */
static bool claim_piece(struct chunks *k, uint64_t address, uint64_t n, uint64_t first)
{
	return h5_claim_elements(k->h, k->m, address, n, EXTENT_PIECE) &&
	       (k->pieces == NULL || keep_piece(k, address, n, first));
}

/* The element at a place of the data set. */
static uint64_t element_at(const struct chunks *k, const uint64_t *at)
{
	uint64_t element = 0;

	for (unsigned i = 0; i < k->rank; i++)
		element = element * k->m->space.dims[i] + at[i]; /* all of them were counted */
	return element;
}

/* The elements of a chunk at the border that belong to the data set are runs in it: one for each row.  Where there would
 * be too many of them, the chunk is not examined. */
static bool is_inside(const struct chunks *k, const uint64_t *at)
{
	for (unsigned i = 0; i < k->rank; i++) {
		if (at[i] > k->m->space.dims[i] || k->m->storage.dims[i] > k->m->space.dims[i] - at[i])
			return false;
	}
	return true;
}

/* How much of the chunk is in the data set, dimension by dimension, and how many rows that makes. */
static bool clip(const struct chunks *k, const uint64_t *at, uint64_t *valid, uint64_t *rows)
{
	*rows = 1;
	for (unsigned i = 0; i < k->rank; i++) {
		uint64_t left = k->m->space.dims[i] - at[i];

		valid[i] = min_u64(left, k->m->storage.dims[i]);
		if (i + 1 < k->rank && !mul_u64(*rows, valid[i], rows))
			return false;
	}
	return *rows <= H5_ROWS_MAX - k->h->n_rows;
}

/* How far behind the chunk's first row `row` begins, in elements of what has those dimensions; below its size. */
static uint64_t row_start(const struct chunks *k, const uint64_t *dims, const uint64_t *valid, uint64_t row)
{
	uint64_t start = 0, stride = dims[k->rank - 1];

	for (unsigned i = k->rank - 1; i-- > 0;) {
		start += row % valid[i] * stride;
		row /= valid[i];
		stride *= dims[i];
	}
	return start;
}

static bool claim_border(struct chunks *k, const uint64_t *at, uint64_t address)
{
	uint64_t valid[H5_RANK_MAX], rows, done = 0, width = k->m->type.bytes, first = element_at(k, at);

	if (!clip(k, at, valid, &rows)) {
		h5_unsupported(k->h, address, "chunk at the border");
		return h5_claim(k->h, address, k->chunk_bytes);
	}
	k->h->n_rows += (uint32_t)rows;
	for (uint64_t row = 0; row < rows; row++) {
		uint64_t begin = row_start(k, k->m->storage.dims, valid, row) * width, n = valid[k->rank - 1] * width;

		if ((begin > done && !h5_claim(k->h, address + done, begin - done)) ||
		    !claim_piece(k, address + begin, n, first + row_start(k, k->m->space.dims, valid, row)))
			return false;
		done = begin + n;
	}
	return done == k->chunk_bytes || h5_claim(k->h, address + done, k->chunk_bytes - done);
}

/* Values of which any is sound need no look at where they end, unless somebody converts. */
static bool is_examined(const struct chunks *k)
{
	return k->pieces != NULL || dtype_is_float((enum wlk_dtype)k->m->type.dtype) ||
	       k->m->type.dtype == WLK_DTYPE_BOOL;
}

static bool claim_chunk(struct chunks *k, const uint64_t *at, uint64_t address)
{
	uint64_t size = k->h->l->part.size;

	k->stored += k->chunk_bytes;
	k->n++;
	if (address > size || k->chunk_bytes > size - address)
		return h5_break(k->h, WLK_F_H5_ADDRESS, address, "chunk");
	return !is_examined(k) || is_inside(k, at) ? claim_piece(k, address, k->chunk_bytes, element_at(k, at))
						   : claim_border(k, at, address);
}

/* Room for a chunk: nobody reads it. */
static bool claim_free(struct chunks *k, uint64_t address)
{
	uint8_t *at = h5_read(k->h, address, k->chunk_bytes, "chunk");

	if (at == NULL)
		return false;
	h5_count_slack(k->h, at, k->chunk_bytes);
	h5_release(k->h, at);
	return h5_claim(k->h, address, k->chunk_bytes);
}

static unsigned key_bytes(const struct chunks *k)
{
	return 8 + 8 * (k->rank + 1);
}

/* In order of their place, so none comes twice. */
static bool ascends(struct chunks *k, const uint64_t *at)
{
	unsigned i = 0;

	while (i < k->rank && k->n > 0 && at[i] == k->last[i])
		i++;
	if (k->n > 0 && (i == k->rank || at[i] < k->last[i]))
		return false;
	memcpy(k->last, at, k->rank * sizeof(k->last[0]));
	return true;
}

/* -- the first generation: a B-tree of their places -- */

/* Keys: bytes, mask, a place with the element's own as the last coordinate. */
static void read_place(const struct chunks *k, const uint8_t *key, uint64_t *ret)
{
	for (unsigned i = 0; i <= k->rank; i++)
		ret[i] = load_u64le(key + 8 + 8 * (size_t)i);
}

static bool is_before(const struct chunks *k, const uint64_t *a, const uint64_t *b)
{
	for (unsigned i = 0; i <= k->rank; i++) {
		if (a[i] != b[i])
			return a[i] < b[i];
	}
	return false;
}

/* Searches look for it here: from the left key on, before the right one. */
static bool is_between(const struct chunks *k, const struct h5_tree_place *place, const uint64_t *at)
{
	uint64_t left[H5_RANK_MAX + 1], right[H5_RANK_MAX + 1];

	for (unsigned i = 0; i < place->n; i++) {
		read_place(k, place->keys[i], left);
		read_place(k, place->keys[i] + key_bytes(k) + 8, right);
		if (is_before(k, at, left) || !is_before(k, at, right))
			return false;
	}
	return true;
}

static bool is_place(const struct chunks *k, const uint64_t *at)
{
	for (unsigned i = 0; i < k->rank; i++) {
		if (at[i] % k->m->storage.dims[i] != 0 || at[i] >= k->m->space.dims[i])
			return false;
	}
	return at[k->rank] == 0;
}

static bool take_chunk(void *ctx, const struct h5_tree_place *place, uint64_t address)
{
	struct chunks *k = ctx;
	const uint8_t *key = place->keys[place->n - 1];
	uint64_t at[H5_RANK_MAX + 1];
	uint32_t n = load_u32le(key), mask = load_u32le(key + 4);

	read_place(k, key, at);
	if (!is_place(k, at))
		return h5_break(k->h, WLK_F_H5_LAYOUT, address, "chunk");
	if (!ascends(k, at) || !is_between(k, place, at))
		return h5_break(k->h, WLK_F_H5_STRUCTURE, address, "chunks out of order");
	if (k->m->filtered) {
		k->stored += n;
		k->n++;
		return h5_claim(k->h, address, n);
	}
	if (n != k->chunk_bytes || mask != 0)
		return h5_break(k->h, WLK_F_H5_SIZE_MISMATCH, address, "chunk");
	return claim_chunk(k, at, address);
}

static bool read_chunks(struct chunks *k, uint64_t root)
{
	const struct h5_tree t = {
		.h = k->h, .kind = 1, .key_bytes = key_bytes(k), .kids = 2 * k->h->chunk_k, .take = take_chunk, .ctx = k
	};

	return h5_read_tree(&t, root);
}

/* -- the second: an array of their places, a tree, or none -- */

/* Chunk number `which`, counted over what the data set can grow to. @free: where it may lie though it is outside of it. */
static bool take_numbered(struct chunks *k, uint64_t which, uint64_t address, uint64_t free)
{
	uint64_t at[H5_RANK_MAX] = { 0 };
	bool inside = true;

	for (unsigned n = k->rank; n-- > 0;) {
		unsigned i = k->order[n];

		at[i] = n > 0 ? which % k->most[i] : which;
		which /= k->most[i];
		inside = inside && at[i] < k->grid[i];
		at[i] = inside ? at[i] * k->m->storage.dims[i] : 0; /* below the dimension */
	}
	if (inside)
		return claim_chunk(k, at, address);
	return address == free ? claim_free(k, address) : h5_break(k->h, WLK_F_H5_LAYOUT, address, "chunk");
}

/* One behind the other, also those that the data set does not have yet. */
static bool read_implicit(struct chunks *k, uint64_t address)
{
	uint64_t bytes, end;

	if (!mul_u64(k->in_most, k->chunk_bytes, &bytes) || !add_u64(address, bytes, &end) || end > k->h->l->part.size)
		return h5_break(k->h, WLK_F_H5_ADDRESS, address, "chunks");
	for (uint64_t i = 0; i < k->in_most; i++) {
		uint64_t at = address + i * k->chunk_bytes;

		if (!take_numbered(k, i, at, at))
			return false;
	}
	return true;
}

/* Which dimension changes slowest: that which can grow without end.  False: an extensible array has one such. */
static bool slowest(const struct chunks *k, unsigned *ret)
{
	unsigned n = 0;

	*ret = 0;
	for (unsigned i = 0; k->m->storage.index == H5_INDEX_EXTENSIBLE_ARRAY && i < k->rank; i++) {
		if (k->m->space.most[i] == UINT64_MAX) {
			*ret = i;
			n++;
		}
	}
	return n == (k->m->storage.index == H5_INDEX_EXTENSIBLE_ARRAY ? 1 : 0);
}

static bool take_entry(void *ctx, uint64_t which, uint64_t address)
{
	struct chunks *k = ctx;

	return take_numbered(k, which, address, H5_UNDEFINED);
}

/* Places in units of chunks, one number for each dimension. */
static bool take_record(void *ctx, const uint8_t *record)
{
	struct chunks *k = ctx;
	uint64_t at[H5_RANK_MAX], address = load_u64le(record);

	for (unsigned i = 0; i < k->rank; i++) {
		at[i] = load_u64le(record + 8 + 8 * (size_t)i);
		if (at[i] >= k->grid[i])
			return h5_break(k->h, WLK_F_H5_LAYOUT, address, "chunk");
		at[i] *= k->m->storage.dims[i]; /* below the dimension */
	}
	return (ascends(k, at) || h5_break(k->h, WLK_F_H5_STRUCTURE, address, "chunks out of order")) &&
	       claim_chunk(k, at, address);
}

#define TREE_CHUNKS 10u

/* A single chunk with filters: its size is in the message. */
static bool claim_coded(struct chunks *k)
{
	k->stored = k->m->storage.coded;
	k->n = 1;
	return h5_claim(k->h, k->m->storage.address, k->m->storage.coded);
}

static bool read_single(struct chunks *k)
{
	if (k->m->storage.coded > 0 && k->m->filtered)
		return claim_coded(k);
	if (k->in_grid != 1)
		return h5_break(k->h, WLK_F_H5_LAYOUT, k->h->objects[k->h->current].address, "chunks");
	return k->m->filtered || read_implicit(k, k->m->storage.address);
}

static bool read_tree2(struct chunks *k)
{
	struct h5_tree2 t = {
		.h = k->h, .address = k->m->storage.address, .type = TREE_CHUNKS, .take = take_record, .ctx = k
	};

	t.record_bytes = 8 + 8 * k->rank;
	return h5_read_tree2(&t);
}

static bool read_index(struct chunks *k)
{
	const struct h5_storage *s = &k->m->storage;
	const struct h5_array array = {
		.h = k->h, .address = s->address, .n = k->in_most, .take = take_entry, .ctx = k
	};

	if (k->m->filtered && s->index != H5_INDEX_TREE && s->index != H5_INDEX_SINGLE)
		return true; /* which was said; the index is of another form */
	switch (s->index) {
	case H5_INDEX_TREE: return read_chunks(k, s->address);
	case H5_INDEX_SINGLE: return read_single(k);
	case H5_INDEX_IMPLICIT: return read_implicit(k, s->address);
	case H5_INDEX_FIXED_ARRAY: return h5_read_fixed_array(&array);
	case H5_INDEX_EXTENSIBLE_ARRAY: return h5_read_extensible_array(&array);
	case H5_INDEX_TREE2: break;
	}
	return read_tree2(k);
}

/* -- all of them -- */

static uint64_t count_chunks(uint64_t dim, uint64_t chunk)
{
	return dim == UINT64_MAX ? UINT64_MAX : dim / chunk + (dim % chunk > 0 ? 1 : 0);
}

/* How many there are, which fits as the product of the dimensions does (measure()), and how many there can be. */
static bool measure_grid(struct chunks *k)
{
	const uint64_t *chunk = k->m->storage.dims;
	unsigned first;

	if (!slowest(k, &first))
		return false;
	k->in_grid = k->in_most = 1;
	for (unsigned i = 0; i < k->rank; i++) {
		k->grid[i] = count_chunks(k->m->space.dims[i], chunk[i]);
		k->most[i] = count_chunks(k->m->space.most[i], chunk[i]);
		k->order[i] = i == 0 ? first : i <= first ? i - 1 : i;
		k->in_grid *= k->grid[i];
		if (!mul_u64(k->in_most, k->most[i], &k->in_most))
			k->in_most = UINT64_MAX;
	}
	return true;
}

static bool measure_chunk(struct chunks *k)
{
	const struct h5_storage *s = &k->m->storage;

	if (s->rank != k->rank + 1 || s->dims[k->rank] != k->m->type.bytes)
		return false;
	k->chunk_bytes = k->m->type.bytes;
	for (unsigned i = 0; i < k->rank; i++) {
		if (!mul_u64(k->chunk_bytes, s->dims[i], &k->chunk_bytes) || k->chunk_bytes > UINT32_MAX)
			return false;
	}
	return true;
}

/* Rule H8. */
#define BOMB_RATIO 1000u
#define BOMB_FREE (UINT64_C(4) << 30)

static void check_bomb(const struct chunks *k, uint64_t bytes)
{
	uint64_t allowed;

	if (!mul_u64(k->stored, BOMB_RATIO, &allowed) || !add_u64(allowed, BOMB_FREE, &allowed))
		allowed = UINT64_MAX;
	if (bytes > allowed || (k->stored == 0 && bytes > H5_UNSTORED_FREE))
		h5_report_bomb(k->h, bytes, k->stored);
}

/* A data set that has shrunk to nothing may still have one. */
static bool has_index(const struct chunks *k)
{
	return k->in_grid > 0 || (k->in_most > 0 && k->m->storage.index != H5_INDEX_SINGLE);
}

static bool begin_pieces(struct chunks *k)
{
	struct arena *a = k->h->l->arena;
	uint64_t *box;

	if (!layout_wants_views(k->h->l) || k->m->type.dtype == WLK_DTYPE_NONE || k->m->filtered)
		return true;
	k->pieces = arena_alloc(a, 1, sizeof(*k->pieces));
	box = arena_alloc(a, k->rank, sizeof(*box)); /* the message goes */
	if (k->pieces == NULL || box == NULL)
		return h5_stop(k->h);
	memcpy(box, k->m->storage.dims, k->rank * sizeof(*box));
	*k->pieces = (struct tensor_pieces){ .at = { .arena = a }, .box = box };
	return true;
}

/* All of the elements stand somewhere: then there is a row that says where.  *ret_listed: there is. */
static bool list_pieces(struct chunks *k, uint64_t bytes, bool *ret_listed)
{
	*ret_listed = k->pieces != NULL && k->told == bytes;
	if (!*ret_listed)
		return true;
	k->pieces->first = k->first;
	ranges_sort(&k->pieces->at);
	return h5_list_tensor(k->h, k->m, 0, bytes, k->pieces);
}

bool h5_read_chunked(struct h5 *h, const struct h5_messages *m, uint64_t bytes)
{
	struct chunks k = { .h = h, .m = m, .rank = m->space.rank };
	uint64_t at = h->objects[h->current].address;
	bool listed;

	if (!measure_chunk(&k) || !measure_grid(&k))
		return h5_break(h, WLK_F_H5_LAYOUT, at, "chunks");
	if (!begin_pieces(&k))
		return false;
	if (m->storage.address != H5_UNDEFINED && has_index(&k) && !read_index(&k))
		return false;
	check_bomb(&k, bytes);
	if (k.n < k.in_grid && m->filled)
		h5_unsupported(h, at, "fill value");
	return list_pieces(&k, bytes, &listed) &&
	       (m->type.dtype == WLK_DTYPE_NONE || h5_count_tensor(h, &m->type, listed));
}
