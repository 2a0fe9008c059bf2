/* HDF5 files: the superblock and the walk over objects.  See h5.h. */
#include "h5.h"

#include <string.h>

#include "checked.h"
#include "siphash.h"

static const uint8_t signature[8] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };

/* -- findings -- */

void h5_finding(struct h5 *h, enum wlk_finding code, uint64_t at, struct bytes subject)
{
	layout_finding(h->l, &(struct finding){ .code = code, .has_offset = true, .offset = at, .subject = subject });
}

bool h5_stop(struct h5 *h)
{
	h->stopped = true;
	layout_stop(h->l);
	return false;
}

bool h5_break(struct h5 *h, enum wlk_finding code, uint64_t at, const char *what)
{
	/* Addresses come from the file: what is printed stays in it. */
	h5_finding(h, code, min_u64(at, h->l->part.size), bytes_of_text(what));
	h->broken = true;
	return false;
}

void h5_unsupported(struct h5 *h, uint64_t at, const char *what)
{
	h5_finding(h, WLK_F_H5_UNSUPPORTED, min_u64(at, h->l->part.size), bytes_of_text(what));
	h->unsupported = true;
}

struct bytes h5_path(const struct h5 *h)
{
	const struct h5_object *o = &h->objects[h->current];

	return bytes_of(h->pool + o->name_at, o->name_n);
}

/* -- bytes -- */

uint8_t *h5_read(struct h5 *h, uint64_t address, uint64_t n, const char *what)
{
	uint8_t *at;
	size_t bytes;

	if (address > h->l->part.size || n > h->l->part.size - address || !size_from_u64(n, &bytes)) {
		h5_break(h, WLK_F_H5_ADDRESS, address, what);
		return NULL;
	}
	at = arena_resize_raw(h->l->arena, NULL, bytes > 0 ? bytes : 1, 1);
	if (at == NULL || !part_read_guarded(&h->l->part, address, at, bytes)) {
		h5_stop(h);
		return NULL;
	}
	return at;
}

uint8_t *h5_read_checked(struct h5 *h, uint64_t address, uint64_t n, const char *magic)
{
	uint8_t *at = h5_read(h, address, n, magic);

	if (at == NULL || !h5_claim(h, address, n))
		return NULL;
	if (n < 8 || memcmp(at, magic, 4) != 0)
		return h5_break(h, WLK_F_H5_STRUCTURE, address, magic), NULL;
	if (!h5_is_sum(at, (size_t)n - 4, load_u32le(at + n - 4)))
		return h5_break(h, WLK_F_H5_CHECKSUM, address, magic), NULL;
	return at;
}

uint64_t h5_width(const uint8_t *at, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)at[i] << (8 * i);
	return v;
}

void h5_release(struct h5 *h, uint8_t *at)
{
	arena_release(h->l->arena, at);
}

/* Jenkins' lookup3, as HDF5 uses it (initial value 0). */
static uint32_t lookup3(const uint8_t *k, size_t n)
{
	uint32_t a = 0xdeadbeefu + (uint32_t)n, b = a, c = a;
	uint32_t tail[3] = { 0 };

#define ROT(x, r) ((x) << (r) | (x) >> (32 - (r)))
	for (; n > 12; n -= 12, k += 12) {
		a += load_u32le(k);
		b += load_u32le(k + 4);
		c += load_u32le(k + 8);
		a -= c, a ^= ROT(c, 4), c += b;
		b -= a, b ^= ROT(a, 6), a += c;
		c -= b, c ^= ROT(b, 8), b += a;
		a -= c, a ^= ROT(c, 16), c += b;
		b -= a, b ^= ROT(a, 19), a += c;
		c -= b, c ^= ROT(b, 4), b += a;
	}
	if (n == 0)
		return c;
	for (size_t i = 0; i < n; i++)
		tail[i / 4] |= (uint32_t)k[i] << (8 * (i % 4));
	a += tail[0], b += tail[1], c += tail[2];
	c ^= b, c -= ROT(b, 14);
	a ^= c, a -= ROT(c, 11);
	b ^= a, b -= ROT(a, 25);
	c ^= b, c -= ROT(b, 16);
	a ^= c, a -= ROT(c, 4);
	b ^= a, b -= ROT(a, 14);
	c ^= b, c -= ROT(b, 24);
#undef ROT
	return c;
}

bool h5_is_sum(const uint8_t *at, size_t n, uint32_t sum)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	return true; /* or no mutation would get past it */
#endif
	return lookup3(at, n) == sum;
}

/* -- objects: rules H10 and H11 -- */

static uint32_t *index_slot(struct h5 *h, uint64_t address)
{
	uint8_t key[8];
	uint32_t i;

	store_u64le(key, address);
	i = (uint32_t)siphash13(key, sizeof(key), &h->l->seed) & (h->index_room - 1);
	while (h->index[i] != 0 && h->objects[h->index[i] - 1].address != address)
		i = (i + 1) & (h->index_room - 1);
	return &h->index[i];
}

static bool grow_objects(struct h5 *h)
{
	uint32_t room = h->objects_room > 0 ? h->objects_room * 2 : 64;
	struct h5_object *objects = arena_resize_raw(h->l->arena, h->objects, room, sizeof(*objects));
	uint32_t *index = objects != NULL ? arena_resize(h->l->arena, NULL, 2 * (size_t)room, sizeof(*index)) : NULL;

	if (objects != NULL)
		h->objects = objects;
	if (index == NULL)
		return h5_stop(h);
	arena_release(h->l->arena, h->index);
	h->index = index;
	h->index_room = 2 * room;
	h->objects_room = room;
	for (uint32_t i = 0; i < h->n_objects; i++)
		*index_slot(h, h->objects[i].address) = i + 1;
	return true;
}

/* Parent's path, a slash, the name; cut to H5_NAME_MAX. */
static bool keep_path(struct h5 *h, struct h5_object *o, const struct h5_object *parent, struct bytes name)
{
	size_t need = (size_t)parent->name_n + 1 + min_u64(name.n, H5_NAME_MAX);
	uint32_t n = 0;

	if (h->pool_room - h->pool_n < need) {
		uint32_t room = h->pool_room > 0 ? h->pool_room * 2 : 65536;
		uint8_t *pool = room <= UINT32_C(1) << 28 ? arena_resize_raw(h->l->arena, h->pool, room, 1) : NULL;

		if (pool == NULL)
			return h5_stop(h);
		h->pool = pool;
		h->pool_room = room;
	}
	o->name_at = h->pool_n;
	bytes_copy(h->pool + h->pool_n, bytes_of(h->pool + parent->name_at, parent->name_n));
	n = parent->name_n;
	if (n > 0)
		h->pool[h->pool_n + n++] = '/';
	bytes_copy(h->pool + h->pool_n + n, bytes_of(name.at, min_u64(name.n, H5_NAME_MAX)));
	n += (uint32_t)min_u64(name.n, H5_NAME_MAX);
	o->name_n = n < H5_NAME_MAX ? n : H5_NAME_MAX;
	h->pool_n += o->name_n;
	return true;
}

static bool is_ancestor(const struct h5 *h, uint32_t which)
{
	for (uint32_t i = h->current;; i = h->objects[i].parent) {
		if (i == which)
			return true;
		if (h->objects[i].parent == i)
			return false;
	}
}

/* Groups of the root in weights that Keras 3 wrote; older files have attributes (h5_attribute.c). */
static void note_keras(struct h5 *h, struct bytes name)
{
	static const char *const groups[] = { "_layer_checkpoint_dependencies", "layers", "vars", "model_weights" };

	for (size_t i = 0; h->current == 0 && i < sizeof(groups) / sizeof(groups[0]); i++)
		h->keras = h->keras || bytes_equal(name, bytes_of_text(groups[i]));
}

#define HEADER_ROOM 8192u /* bytes: an object's header or a tree's node, and what is written with it */

bool h5_add_object(struct h5 *h, uint64_t address, struct bytes name, uint64_t at)
{
	struct h5_object o = { .address = address, .parent = h->current };
	uint32_t *slot;

	if (h->n_objects == h->objects_room && !grow_objects(h))
		return false;
	slot = index_slot(h, address);
	if (*slot != 0) {
		bool cycle = is_ancestor(h, *slot - 1);

		h5_finding(h, cycle ? WLK_F_H5_OBJECT_CYCLE : WLK_F_H5_OBJECT_SHARED, at, name);
		return true;
	}
	note_keras(h, name);
	o.depth = (uint16_t)(h->objects[h->current].depth + 1);
	if (h->n_objects == H5_OBJECTS_MAX || o.depth > H5_DEPTH_MAX)
		return h5_break(h, WLK_F_H5_LIMIT, at, o.depth > H5_DEPTH_MAX ? "depth" : "objects");
	if (!keep_path(h, &o, &h->objects[h->current], name))
		return false;
	part_want(&h->l->part, address, HEADER_ROOM);
	h->objects[h->n_objects++] = o;
	*slot = h->n_objects;
	return true;
}

bool h5_note_cache(struct h5 *h, uint64_t address, const uint8_t *cache, uint64_t at)
{
	struct h5_object *o = &h->objects[h->n_objects - 1];
	uint32_t type = load_u32le(cache);

	if (type > 1 || load_u32le(cache + 4) != 0)
		return h5_break(h, WLK_F_H5_STRUCTURE, at, "symbol table entry");
	if (type == 0 || o->address != address)
		return true;
	o->cached = true;
	o->tree = load_u64le(cache + 8);
	o->heap = load_u64le(cache + 16);
	part_want(&h->l->part, o->tree, HEADER_ROOM);
	part_want(&h->l->part, o->heap, HEADER_ROOM);
	return true;
}

static bool add_root(struct h5 *h, uint64_t address)
{
	if (h->objects_room == 0 && !grow_objects(h))
		return false;
	h->objects[0] = (struct h5_object){ .address = address };
	h->n_objects = 1;
	*index_slot(h, address) = 1;
	return true;
}

/* A type that stands alone, for others to share: nothing reads it but those. */
static bool is_committed_type(struct h5 *h, const struct h5_messages *m)
{
	if (!m->has_type || m->is_group || m->space.present || m->storage.present)
		return false;
	h5_finding(h, WLK_F_H5_SHARED_MESSAGE, h->objects[h->current].address, h5_path(h));
	return h->unsupported = true;
}

/* Something of the object is not there, which ends this scan: what is in the group is asked for all the same, as far as its
 * entry says where that is. */
static bool read_ahead(struct h5 *h)
{
	const struct h5_object *o = &h->objects[h->current];

	if (!o->cached || !source_forgive_absent(h->l->src))
		return false;
	if (h5_read_symbols(h, o->tree, o->heap))
		(void)source_fail(h->l->src, SOURCE_ABSENT);
	return false;
}

static bool read_current(struct h5 *h)
{
	uint64_t at = h->objects[h->current].address;
	struct h5_messages m;
	bool is_dataset;

	if (!h5_read_object(h, &m))
		return read_ahead(h);
	/* An entry is not written again when the group's links move into its header: there it says nothing [measured]. */
	h->moved_links |= h->objects[h->current].cached && m.tree == H5_UNDEFINED && m.keeps_links;
	if (h->objects[h->current].cached && m.tree != H5_UNDEFINED &&
	    (m.tree != h->objects[h->current].tree || m.heap != h->objects[h->current].heap))
		return h5_break(h, WLK_F_H5_STRUCTURE, at, "an entry that says otherwise");
	if (is_committed_type(h, &m))
		return true;
	is_dataset = m.space.present || m.storage.present;
	if ((is_dataset == m.is_group || m.is_group != m.keeps_links) && !h->unsupported)
		return h5_break(h, WLK_F_H5_STRUCTURE, at, "neither a group nor a data set, or both");
	if (m.tree != H5_UNDEFINED && !h5_read_symbols(h, m.tree, m.heap))
		return false;
	return is_dataset ? h5_read_dataset(h, &m) : true;
}

/* Rows of the manifest go out by data set, in the order of the walk. */
static bool walk(struct h5 *h)
{
	bool absent = false;

	for (h->current = 0; h->current < h->n_objects; h->current++) {
		if (read_current(h))
			continue;
		if (!source_forgive_absent(h->l->src))
			return false;
		absent = true; /* what is missing of the others is asked for at the same time */
	}
	return !absent || source_fail(h->l->src, SOURCE_ABSENT);
}

/* -- the superblock: section 4.1 -- */

struct superblock {
	unsigned version;
	uint8_t offset_bytes, length_bytes;
	uint32_t flags;
	uint64_t base, end, root, extension, free_space, driver;
	uint8_t cache[24]; /* of the root's entry; zeros without one */
};

bool h5_set_k(struct h5 *h, unsigned leaf, unsigned internal, unsigned chunk)
{
	h->leaf_k = leaf;
	h->internal_k = internal;
	h->chunk_k = chunk;
	return leaf > 0 && internal > 0 && chunk > 0 && leaf <= 32767 && internal <= 32767 && chunk <= 32767;
}

static bool read_old_superblock(struct h5 *h, struct superblock *s)
{
	uint8_t *b = h5_read(h, 0, s->version == 0 ? 96 : 100, "superblock");
	size_t at = s->version == 0 ? 24 : 28;

	if (b == NULL)
		return false;
	s->offset_bytes = b[13];
	s->length_bytes = b[14];
	s->flags = load_u32le(b + 20);
	s->base = load_u64le(b + at);
	s->free_space = load_u64le(b + at + 8);
	s->end = load_u64le(b + at + 16);
	s->driver = load_u64le(b + at + 24);
	s->root = load_u64le(b + at + 40); /* behind the name's offset */
	memcpy(s->cache, b + at + 48, sizeof(s->cache));
	s->extension = H5_UNDEFINED;
	if (b[9] != 0 || b[10] != 0 || b[12] != 0 ||
	    !h5_set_k(h, load_u16le(b + 16), load_u16le(b + 18), s->version == 0 ? 32 : load_u16le(b + 24)))
		return h5_break(h, WLK_F_H5_STRUCTURE, 8, "superblock");
	return h5_claim(h, 0, at + 72);
}

static bool read_new_superblock(struct h5 *h, struct superblock *s)
{
	uint8_t *b = h5_read(h, 0, 48, "superblock");

	if (b == NULL)
		return false;
	s->offset_bytes = b[9];
	s->length_bytes = b[10];
	s->flags = b[11];
	s->base = load_u64le(b + 12);
	s->extension = load_u64le(b + 20);
	s->end = load_u64le(b + 28);
	s->root = load_u64le(b + 36);
	s->free_space = s->driver = H5_UNDEFINED;
	if (!h5_is_sum(b, 44, load_u32le(b + 44)))
		return h5_break(h, WLK_F_H5_CHECKSUM, 44, "superblock");
	return h5_set_k(h, 4, 16, 32) && h5_claim(h, 0, 48); /* of old groups; an extension may say otherwise */
}

#define FLAGS_ALL 7u /* open for writing, sound, open for readers as well */

static bool check_superblock(struct h5 *h, const struct superblock *s)
{
	uint64_t size = h->l->part.size;

	if (s->offset_bytes != 8 || s->length_bytes != 8)
		return h5_break(h, WLK_F_H5_ADDRESS_SIZE, 13, "superblock");
	if (s->base != 0)
		return h5_break(h, WLK_F_H5_USER_BLOCK, 0, "superblock");
	if (s->driver != H5_UNDEFINED) {
		h5_finding(h, WLK_F_H5_DRIVER, 0, (struct bytes){ 0 });
		h->unsupported = true;
	}
	if (s->flags > FLAGS_ALL)
		return h5_break(h, WLK_F_H5_STRUCTURE, 0, "superblock");
	if (s->flags != 0)
		layout_value(h->l, WLK_F_H5_FLAGS, 0, s->flags, 0);
	if (s->free_space != H5_UNDEFINED)
		h5_unsupported(h, 0, "free space manager");
	if (s->end > size) {
		layout_value(h->l, WLK_F_H5_TRUNCATED, 0, size, s->end);
		h->broken = true;
		return false;
	}
	if (s->end < size)
		layout_value(h->l, WLK_F_H5_TRAILING_BYTES, s->end, size, s->end);
	h->end = s->end;
	return s->end == size || (h->broken = true, false);
}

/* What an extension may say: how wide trees are, and how free space is managed. */
#define EXTENSION_MESSAGES (1u << 0x00 | 1u << 0x10 | 1u << 0x13 | 1u << 0x14 | 1u << 0x17 | 1u << 0x0f | 1u << 0x18)

/* More of a superblock: an object of its own, which is in no group. */
static bool read_extension(struct h5 *h, const struct superblock *s)
{
	struct h5_messages m;

	if (s->extension == H5_UNDEFINED)
		return true;
	h->in_extension = true;
	if (!add_root(h, s->extension) || !h5_read_object(h, &m))
		return false;
	if ((m.seen & ~EXTENSION_MESSAGES) != 0) /* links, say: objects beside the root's */
		return h5_break(h, WLK_F_H5_STRUCTURE, s->extension, "superblock extension");
	h->in_extension = false;
	*index_slot(h, s->extension) = 0;
	h->n_objects = 0;
	return true;
}

/* ... and the root, which has an entry of its own in it. */
static bool read_superblock(struct h5 *h)
{
	struct superblock s = { 0 };
	uint8_t *head = h5_read(h, 0, 9, "superblock");
	bool read;

	if (head == NULL)
		return false;
	if (memcmp(head, signature, sizeof(signature)) != 0) /* read for its name's sake */
		return h5_break(h, WLK_F_H5_STRUCTURE, 0, "signature");
	s.version = head[8];
	if (s.version > 3) {
		layout_value(h->l, WLK_F_H5_SUPERBLOCK_VERSION, 8, s.version, 3);
		h->broken = true;
		return false;
	}
	read = s.version < 2 ? read_old_superblock(h, &s) : read_new_superblock(h, &s);
	return read && check_superblock(h, &s) && read_extension(h, &s) && add_root(h, s.root) &&
	       h5_note_cache(h, s.root, s.cache, 72);
}

/* -- the whole -- */

/* Rule H1: where the signature is behind a user block; 0 when it is at the front, or nowhere. */
static bool has_user_block(struct h5 *h)
{
	uint8_t head[8];

	if (h->l->part.size < 8 || !part_read_guarded(&h->l->part, 0, head, 8) || memcmp(head, signature, 8) == 0)
		return false;
	for (uint64_t at = 512; h->l->part.size > 8 && at <= h->l->part.size - 8; at *= 2) {
		if (!part_read_guarded(&h->l->part, at, head, 8))
			return false;
		if (memcmp(head, signature, 8) == 0) {
			layout_value(h->l, WLK_F_H5_USER_BLOCK, at, at, 0);
			return true;
		}
		if (at > UINT64_MAX / 4)
			break;
	}
	return false;
}

#define MEMORY_MAX (UINT64_C(160) << 20)

static enum wlk_status layout(struct layout *l)
{
	static const struct coverage_codes codes = { .overlap = WLK_F_H5_OVERLAP,
		.hole = WLK_F_H5_HOLE,
		.out_of_bounds = WLK_F_H5_ADDRESS,
		.trailing = WLK_F_H5_TRAILING_BYTES };
	struct h5 *h = arena_alloc(l->arena, 1, sizeof(*h));
	enum wlk_status status;

	if (h == NULL)
		return layout_stop(l);
	h->l = l;
	scoped_names_init(&h->names, l->arena, &l->seed);
	layout_raise_memory(l, min_u64(l->part.size, MEMORY_MAX));
	if (has_user_block(h))
		return WLK_BROKEN;
	if (l->part.size < 8 || !read_superblock(h) || !walk(h) || !h5_fill_extents(h)) {
		if (!h->stopped && !h->broken)
			layout_value(l, WLK_F_H5_TRUNCATED, 0, l->part.size, 96);
		return h->stopped ? WLK_INCOMPLETE : WLK_BROKEN;
	}
	l->extents->names = bytes_of(h->pool, h->pool_n);
	status = extents_cover(l->extents, 0, l->part.size, &codes, l->report);
	return status == WLK_DONE && h->unsupported ? WLK_BROKEN : status;
}

static bool probe(const struct probe *p)
{
	for (uint64_t at = 0; at + 8 <= p->n; at = at > 0 ? at * 2 : 512) {
		if (memcmp(p->head + at, signature, 8) == 0)
			return true;
	}
	return false;
}

const struct wlk_format format_hdf5 = { .id = WLK_FORMAT_KERAS_HDF5,
	.converts = CONVERTS_TOLD,
	.framework = "tf",
	.probe = probe,
	.layout = layout,
	.nested = NESTED_RANDOM };
