/* FlatBuffers: see flatbuffers.h. */
#include "flatbuffers.h"

#include <string.h>

#include "checked.h"
#include "utf8.h"

bool fb_fail(struct fb *fb, enum fb_error e, const char *what, uint64_t at)
{
	fb->fault(fb->ctx, e, what, min_u64(at, fb->part.size));
	fb->failed = true;
	return false;
}

static void tell(struct fb *fb, enum fb_error e, const char *what, uint64_t at)
{
	fb->fault(fb->ctx, e, what, at);
}

/* -- bytes -- */

#define LOADS_FREE 256u /* blocks that a file of any size may have read */
#define LOADS_EACH 4u   /* times its own blocks */
#define VISITS_FREE 65536u

bool fb_init(struct fb *fb)
{
	fb->loads_max = LOADS_FREE + LOADS_EACH * (fb->part.size / FB_BLOCK + 1);
	fb->visits_max = fb->part.size < UINT64_MAX / 4 ? 2 * fb->part.size + VISITS_FREE : UINT64_MAX;
	fb->end = fb->part.size;
	fb->n_slots = 1024;
	fb->slots = arena_resize(fb->arena, NULL, fb->n_slots, sizeof(*fb->slots));
	return fb->slots != NULL || fb_fail(fb, FB_FAILED, "", 0);
}

/* NULL: the source or the arena refused, or the budget is spent. */
static const uint8_t *load(struct fb *fb, uint64_t index)
{
	size_t slot = (size_t)(index % FB_BLOCKS);
	uint64_t begin = index * FB_BLOCK; /* inside the part */

	if (fb->block_index[slot] == index + 1)
		return fb->blocks[slot];
	if (++fb->loads > fb->loads_max) {
		fb_fail(fb, FB_LIMIT, "blocks", begin);
		return NULL;
	}
	if (fb->blocks[slot] == NULL)
		fb->blocks[slot] = arena_resize_raw(fb->arena, NULL, 1, FB_BLOCK);
	fb->block_index[slot] = 0;
	if (fb->blocks[slot] == NULL ||
	    !part_read_guarded(&fb->part, begin, fb->blocks[slot], (size_t)min_u64(FB_BLOCK, fb->part.size - begin))) {
		fb_fail(fb, FB_FAILED, "", begin);
		return NULL;
	}
	fb->block_index[slot] = index + 1;
	return fb->blocks[slot];
}

bool fb_read(struct fb *fb, uint64_t at, void *buf, size_t n)
{
	uint8_t *to = buf;

	if (at > fb->part.size || n > fb->part.size - at)
		return fb_fail(fb, FB_OFFSET, "end of file", at);
	while (n > 0) {
		const uint8_t *block = load(fb, at / FB_BLOCK);
		size_t in_block = (size_t)(at % FB_BLOCK), piece = n < FB_BLOCK - in_block ? n : FB_BLOCK - in_block;

		if (block == NULL)
			return false;
		memcpy(to, block + in_block, piece);
		to += piece;
		at += piece;
		n -= piece;
	}
	return true;
}

bool fb_u32(struct fb *fb, uint64_t at, uint32_t *ret)
{
	uint8_t b[4];

	if (!fb_read(fb, at, b, sizeof(b)))
		return false;
	*ret = load_u32le(b);
	return true;
}

bool fb_visit(struct fb *fb, uint64_t n, uint64_t at)
{
	if (n > fb->visits_max - fb->visited)
		return fb_fail(fb, FB_LIMIT, "elements", at);
	fb->visited += n;
	return true;
}

/* -- claims -- */

static uint32_t *first_slot(const struct fb *fb, uint64_t begin)
{
	uint8_t key[8];

	store_u64le(key, begin);
	return &fb->slots[siphash13(key, sizeof(key), &fb->seed) & (fb->n_slots - 1)];
}

static uint32_t *next_slot(const struct fb *fb, uint32_t *slot)
{
	return slot + 1 < fb->slots + fb->n_slots ? slot + 1 : fb->slots;
}

static void file_claim(struct fb *fb, uint32_t index)
{
	uint32_t *slot = first_slot(fb, fb->extents->list[index].begin);

	while (*slot != 0)
		slot = next_slot(fb, slot);
	*slot = index + 1;
}

/* At most half full. */
static bool grow_slots(struct fb *fb)
{
	uint32_t *slots = arena_resize(fb->arena, NULL, 2 * (size_t)fb->n_slots, sizeof(*slots));

	if (slots == NULL)
		return fb_fail(fb, FB_FAILED, "", 0);
	arena_release(fb->arena, fb->slots);
	fb->slots = slots;
	fb->n_slots *= 2;
	for (size_t i = 0; i < fb->extents->n; i++)
		file_claim(fb, (uint32_t)i);
	return true;
}

bool fb_claim(struct fb *fb, uint64_t begin, uint64_t end, uint32_t *ret_index, bool *ret_shared)
{
	struct extents *x = fb->extents;
	uint32_t *slot = first_slot(fb, begin);
	struct extent *e;

	while (*slot != 0 && (x->list[*slot - 1].begin != begin || x->list[*slot - 1].end != end))
		slot = next_slot(fb, slot);
	if (ret_shared != NULL)
		*ret_shared = *slot != 0;
	if (*slot == 0) {
		if (x->n >= fb->n_slots / 2 && !grow_slots(fb))
			return false;
		e = x->n < UINT32_MAX / 4 ? extents_add(x) : NULL;
		if (e == NULL)
			return fb_fail(fb, FB_FAILED, "", begin);
		*e = (struct extent){ .begin = begin, .end = end, .kind = EXTENT_METADATA };
		file_claim(fb, (uint32_t)(x->n - 1));
		if (ret_index != NULL)
			*ret_index = (uint32_t)(x->n - 1);
		return true;
	}
	if (ret_index != NULL)
		*ret_index = *slot - 1;
	return true;
}

/* -- objects -- */

/* What the offset at `at` leads to: forwards, aligned, in the file. */
static bool follow(struct fb *fb, uint64_t at, uint64_t *ret)
{
	uint32_t offset;

	if (!fb_u32(fb, at, &offset))
		return false;
	/* Both below the size of the file. */
	if (offset == 0 || (at - fb->begin) % 4 != 0 || offset % 4 != 0 || offset > fb->end - at ||
	    fb->end - at - offset < 4)
		return fb_fail(fb, FB_OFFSET, "offset", at);
	*ret = at + offset;
	return true;
}

bool fb_root(struct fb *fb, uint64_t *ret_at)
{
	return fb_claim(fb, 0, 8, NULL, NULL) && follow(fb, 0, ret_at);
}

bool fb_frame(struct fb *fb, uint64_t begin, uint64_t end, uint64_t *ret_root)
{
	fb->begin = begin;
	fb->end = end;
	if (begin > end || end - begin < 8)
		return fb_fail(fb, FB_OFFSET, "root", begin);
	return fb_claim(fb, begin, begin + 4, NULL, NULL) && follow(fb, begin, ret_root);
}

static unsigned element_bytes(char field)
{
	switch (field) {
	case 'b':
	case 'd':
	case 's': return 1;
	case 'h': return 2;
	case 'l': return 8;
	case 'x': return 16;
	case 'y': return 24;
	case 'z': return 12;
	default: return 4;
	}
}

static bool is_vector_of_structs(char field)
{
	return field == 'x' || field == 'y';
}

/* RFC 3629, and the NUL that C readers stop at. */
static bool check_string(struct fb *fb, uint64_t at, uint32_t n)
{
	struct utf8_stream utf8 = { 0 };
	uint8_t piece[512];
	bool sound = true;

	if (!fb_visit(fb, n, at))
		return false;
	for (uint64_t pos = 0; pos < n; pos += sizeof(piece)) {
		size_t some = (size_t)min_u64(sizeof(piece), n - pos);

		if (!fb_read(fb, at + pos, piece, some))
			return false;
		sound = sound && utf8_stream_feed(&utf8, piece, some) && memchr(piece, 0, some) == NULL;
	}
	if (!fb_read(fb, at + n, piece, 1))
		return false;
	if (!sound || !utf8_stream_whole(&utf8) || piece[0] != 0)
		tell(fb, FB_STRING, "string", at);
	return true;
}

/* A vector or string at `at`: its length, and what it covers. */
static bool open_vector(struct fb *fb, uint64_t at, char field, uint64_t *ret_first, uint32_t *ret_n)
{
	uint64_t left = fb->end - at - 4, bytes; /* follow() has left 4 */
	bool shared;
	uint32_t n;

	if (!fb_u32(fb, at, &n))
		return false;
	bytes = (uint64_t)n * element_bytes(field) + (field == 's' ? 1 : 0); /* below 2^36 */
	if (bytes > left || (is_vector_of_structs(field) && n > 0 && (at + 4 - fb->begin) % 8 != 0))
		return fb_fail(fb, FB_OFFSET, "vector", at);
	*ret_first = at + 4;
	*ret_n = n;
	if (!fb_claim(fb, at, at + 4 + (field == 'd' ? 0 : bytes), NULL, &shared))
		return false;
	return field != 's' || shared || check_string(fb, at + 4, n);
}

static unsigned number_bytes(char field)
{
	switch (field) {
	case '1':
	case 'u': return 1;
	case '2': return 2;
	case '8': return 8;
	default: return 4; /* offsets too */
	}
}

static bool is_number(char field)
{
	return strchr("1248gu", field) != NULL;
}

/* Where the fields of a table are, as its vtable says. */
struct places {
	unsigned n;
	uint32_t bytes; /* of the table */
	uint8_t raw[2 * 64];
};

#define VTABLE_FIELDS_MAX 64u

static bool read_vtable(struct fb *fb, uint64_t at, const char *name, struct places *ret)
{
	uint32_t raw;
	int64_t vtable;
	uint8_t head[4];
	unsigned bytes;

	if (!fb_u32(fb, at, &raw))
		return false;
	vtable = (int64_t)at - (int32_t)raw; /* files are far below 2^62 bytes */
	if (vtable < (int64_t)fb->begin || (vtable - (int64_t)fb->begin) % 2 != 0 || (uint64_t)vtable > fb->end - 4)
		return fb_fail(fb, FB_VTABLE, name, at);
	if (!fb_read(fb, (uint64_t)vtable, head, sizeof(head)))
		return false;
	bytes = load_u16le(head);
	ret->bytes = load_u16le(head + 2);
	if (bytes < 4 || bytes % 2 != 0 || ret->bytes < 4 || bytes > fb->end - (uint64_t)vtable ||
	    ret->bytes > fb->end - at)
		return fb_fail(fb, FB_VTABLE, name, (uint64_t)vtable);
	ret->n = (bytes - 4) / 2;
	if (ret->n > VTABLE_FIELDS_MAX)
		return fb_fail(fb, FB_LIMIT, name, (uint64_t)vtable);
	return fb_visit(fb, ret->n + 1, at) && fb_read(fb, (uint64_t)vtable + 4, ret->raw, 2 * (size_t)ret->n) &&
	       fb_claim(fb, (uint64_t)vtable, (uint64_t)vtable + bytes, NULL, NULL);
}

/* No two fields share bytes: sorted by where they are, for a table has few. */
static bool are_apart(const uint32_t begin[], const uint32_t end[], unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < i; j++)
			if (begin[i] < end[j] && begin[j] < end[i])
				return false;
	return true;
}

static bool read_value(struct fb *fb, struct fb_table *t, unsigned i, char field, uint64_t at)
{
	uint8_t b[8] = { 0 };

	t->present |= 1u << i;
	if (is_number(field)) {
		if (!fb_read(fb, at, b, number_bytes(field)))
			return false;
		t->value[i] = load_u64le(b);
		return true;
	}
	if (!follow(fb, at, &t->value[i]))
		return false;
	if (field == 'r' || field == 'U')
		return true;
	return open_vector(fb, t->value[i], field, &t->value[i], &t->count[i]);
}

/* A union's table is there if and only if its type is. */
static void check_unions(struct fb *fb, const struct fb_table *t)
{
	for (unsigned i = 0; t->schema->fields[i] != '\0'; i++)
		if (t->schema->fields[i] == 'u' && (t->value[i] != 0) != fb_has(t, i + 1))
			tell(fb, FB_UNKNOWN, t->schema->name, t->at);
}

bool fb_open(struct fb *fb, uint64_t at, const struct fb_schema *schema, struct fb_table *ret)
{
	size_t known = strlen(schema->fields);
	uint32_t begin[FB_FIELDS_MAX], end[FB_FIELDS_MAX];
	/* Of the table: writers that share vtables by their fields alone have its size from another, with more padding or
	 * a shorter last field. */
	uint32_t used = 4;
	unsigned n = 0;
	struct places p;

	*ret = (struct fb_table){ .schema = schema, .at = at };
	if (++fb->tables > FB_TABLES_MAX)
		return fb_fail(fb, FB_LIMIT, "tables", at);
	if (!read_vtable(fb, at, schema->name, &p))
		return false;
	for (unsigned i = 0; i < p.n; i++) {
		unsigned place = load_u16le(p.raw + 2 * (size_t)i), bytes;

		if (place == 0)
			continue;
		if (i >= known) {
			tell(fb, FB_UNKNOWN, schema->name, at);
			continue;
		}
		bytes = number_bytes(schema->fields[i]);
		if (place < 4 || place >= p.bytes || place + bytes > fb->end - at ||
		    (at - fb->begin + place) % bytes != 0)
			return fb_fail(fb, FB_VTABLE, schema->name, at);
		begin[n] = place;
		end[n++] = place + bytes;
		used = used > place + bytes ? used : place + bytes;
		if (!read_value(fb, ret, i, schema->fields[i], at + place))
			return false;
	}
	if (!are_apart(begin, end, n))
		return fb_fail(fb, FB_VTABLE, schema->name, at);
	check_unions(fb, ret);
	return fb_claim(fb, at, at + used, NULL, NULL);
}

/* -- what writers leave behind -- */

#define LEFT_BYTES_MAX 16u /* of a table of a few numbers, and of its vtable */

static bool is_claimed(const struct fb *fb, uint64_t begin, uint64_t end)
{
	for (uint32_t *slot = first_slot(fb, begin); *slot != 0; slot = next_slot(fb, slot)) {
		const struct extent *e = &fb->extents->list[*slot - 1];

		if (e->begin == begin && e->end == end)
			return true;
	}
	return false;
}

/* The vtable at `at`, if it is a small one: its bytes, and those of its tables. */
static bool is_small_vtable(struct fb *fb, uint64_t at, unsigned *ret_bytes, unsigned *ret_table)
{
	uint8_t head[4];

	if (at < fb->begin || at > fb->end || fb->end - at < sizeof(head) || !fb_read(fb, at, head, sizeof(head)))
		return false;
	*ret_bytes = load_u16le(head);
	*ret_table = load_u16le(head + 2);
	return *ret_bytes >= 4 && *ret_bytes % 2 == 0 && *ret_bytes <= LEFT_BYTES_MAX && *ret_table >= 4 &&
	       *ret_table <= LEFT_BYTES_MAX;
}

/* Right behind the vtable is the table that it was made for. */
static bool is_pair(struct fb *fb, uint64_t vtable, unsigned bytes)
{
	uint64_t table = vtable + bytes; /* both in the file */
	uint32_t raw;

	return table % 4 == 0 && table < fb->end && fb->end - table >= 4 && fb_u32(fb, table, &raw) && raw == bytes;
}

/* A table at `at`: its vtable is in use, or was made for another one that was left. */
static bool is_left_table(struct fb *fb, uint64_t at, uint64_t end, uint64_t *ret_end)
{
	unsigned bytes, table;
	uint64_t vtable;
	uint32_t raw;

	if (at % 4 != 0 || end - at < 4 || !fb_u32(fb, at, &raw))
		return false;
	vtable = at - (uint64_t)(int64_t)(int32_t)raw; /* what wraps is not in the file */
	if (!is_small_vtable(fb, vtable, &bytes, &table) || table > end - at)
		return false;
	*ret_end = at + table;
	return is_claimed(fb, vtable, vtable + bytes) || is_pair(fb, vtable, bytes);
}

static bool is_left_pair(struct fb *fb, uint64_t at, uint64_t end, uint64_t *ret_end)
{
	unsigned bytes, table;

	if (!is_small_vtable(fb, at, &bytes, &table) || bytes + table > end - at || !is_pair(fb, at, bytes))
		return false;
	*ret_end = at + bytes + table;
	return true;
}

bool fb_is_left(struct fb *fb, uint64_t at, uint64_t end, uint64_t *ret_end)
{
	return at < end && end <= fb->end && at % 2 == 0 &&
	       (is_left_table(fb, at, end, ret_end) || (!fb->failed && is_left_pair(fb, at, end, ret_end)));
}

bool fb_element(struct fb *fb, const struct fb_table *t, unsigned field, uint32_t i, uint64_t *ret_at)
{
	return follow(fb, t->value[field] + 4 * (uint64_t)i, ret_at);
}

bool fb_string(struct fb *fb, uint64_t at, uint64_t *ret_first, uint32_t *ret_n)
{
	return open_vector(fb, at, 's', ret_first, ret_n);
}

bool fb_number(struct fb *fb, const struct fb_table *t, unsigned field, uint32_t i, unsigned bytes, uint64_t *ret)
{
	uint8_t b[8] = { 0 };

	if (!fb_read(fb, t->value[field] + (uint64_t)i * bytes, b, bytes))
		return false;
	*ret = load_u64le(b);
	return true;
}
