/* LevelDB tables: see tf_table.h. */
#include "tf_table.h"

#include "checked.h"
#include "crc32c.h"
#include "cursor.h"
#include "tf_snappy.h"

#define TRAILER 5u /* behind a block: how it is pressed, and a CRC of all before */
enum { PLAIN = 0, SNAPPY = 1 };

const uint8_t tf_table_magic[TF_TABLE_MAGIC_BYTES] = { 0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb };

struct key {
	uint8_t at[TF_TABLE_KEY_MAX];
	size_t n;
	bool any; /* one came: even an empty one */
};

struct handle {
	uint64_t offset, size;
};

struct table {
	struct layout *l;
	struct bytes file;
	tf_table_fn fn;
	void *ctx;
	struct key last;   /* of all data blocks */
	struct key border; /* of the index: no key before it is greater, and no key behind it is not */
	uint32_t n_entries;
	bool stopped;
};

static bool refuse(struct table *t, enum wlk_finding code, uint64_t at)
{
	layout_at(t->l, code, at);
	return false;
}

/* -- numbers -- */

/* In its shortest form. */
static bool take_varint(struct cursor *c, uint64_t *ret)
{
	uint64_t value = 0;
	uint8_t byte;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (!cur_u8(c, &byte) || (shift == 63 && byte > 1) || (shift > 0 && byte == 0))
			return false;
		value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128) {
			*ret = value;
			return true;
		}
	}
	return false;
}

static bool take_handle(struct cursor *c, struct handle *ret)
{
	return take_varint(c, &ret->offset) && take_varint(c, &ret->size);
}

/* -- keys -- */

static int compare(struct bytes a, struct bytes b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n > 0 ? memcmp(a.at, b.at, n) : 0;

	return c != 0 ? c : a.n < b.n ? -1 : a.n > b.n;
}

static struct bytes bytes_of_key(const struct key *k)
{
	return bytes_of(k->at, k->n);
}

/* A key is the beginning of the one before it, and more.  Return: false with a finding. */
static bool next_key(struct table *t, struct key *k, uint64_t shared, struct bytes more, uint64_t at)
{
	size_t begin = (size_t)shared; /* at most k->n */

	if (more.n > TF_TABLE_KEY_MAX - begin)
		return refuse(t, WLK_F_TFCKPT_LIMIT, at);
	if (k->any && compare(more, bytes_of(k->at + begin, k->n - begin)) <= 0)
		return refuse(t, WLK_F_TFCKPT_KEYS, at);
	bytes_copy(k->at + begin, more);
	k->n = begin + more.n;
	k->any = true;
	return true;
}

/* -- blocks -- */

/* The block's bytes: those of the file, or what they decode to, which the caller gives back.  Return: false: none, with a
 * finding unless t->stopped. */
static bool unpress(
    struct table *t, struct bytes coded, uint8_t how, uint64_t at, struct bytes *ret, uint8_t **ret_copy)
{
	uint64_t n;

	*ret = coded;
	*ret_copy = NULL;
	if (how == PLAIN)
		return true;
	if (how != SNAPPY || !snappy_length(coded, &n))
		return refuse(t, WLK_F_TFCKPT_BLOCK, at);
	if (n > TF_TABLE_BLOCK_MAX)
		return refuse(t, WLK_F_TFCKPT_LIMIT, at);
	*ret_copy = arena_resize_raw(t->l->arena, NULL, (size_t)n + 1, 1);
	if (*ret_copy == NULL) {
		t->stopped = true;
		return false;
	}
	*ret = bytes_of(*ret_copy, (size_t)n);
	return snappy_decode(coded, *ret_copy, (size_t)n) || refuse(t, WLK_F_TFCKPT_BLOCK, at);
}

static bool claim(struct table *t, uint64_t begin, uint64_t end)
{
	struct extent *e = extents_add(t->l->extents);

	t->stopped = t->stopped || e == NULL;
	if (e != NULL)
		*e = (struct extent){ .begin = begin, .end = end, .kind = EXTENT_METADATA };
	return !t->stopped;
}

static bool take_block(struct table *t, const struct handle *h, struct bytes *ret, uint8_t **ret_copy)
{
	struct cursor c = cur_over(t->file, 0);
	struct bytes block, all;
	uint32_t crc;
	uint8_t how;

	*ret_copy = NULL;
	if (h->offset > t->file.n - TF_TABLE_FOOTER || h->size > t->file.n - TF_TABLE_FOOTER - h->offset ||
	    !cur_skip(&c, h->offset) || !cur_bytes(&c, h->size, &block) || !cur_u8(&c, &how) || !cur_u32le(&c, &crc) ||
	    c.pos > t->file.n - TF_TABLE_FOOTER)
		return refuse(t, WLK_F_TFCKPT_BLOCK, min_u64(h->offset, t->file.n - TF_TABLE_FOOTER));
	all = bytes_of(t->file.at + h->offset, block.n + 1); /* the block may be empty: its view is of nothing then */
	if (crc32c_masked(crc32c(0, all)) != crc)
		return refuse(t, WLK_F_TFCKPT_CRC, h->offset);
	return claim(t, h->offset, c.pos) && unpress(t, block, how, h->offset, ret, ret_copy);
}

/* Entries, and behind them the places of those that share nothing with the one before. */
struct block {
	struct cursor entries, restarts;
	uint32_t n_restarts; /* still to come */
	uint32_t restart;    /* the next one */
	uint64_t at;
};

static bool open_block(struct bytes bytes, uint64_t at, struct block *ret)
{
	struct cursor c = cur_over(bytes, 0), tail;
	uint64_t restarts;

	if (bytes.n < 4)
		return false;
	tail = cur_over(bytes_of(bytes.at + bytes.n - 4, 4), 0);
	*ret = (struct block){ .at = at };
	return cur_u32le(&tail, &ret->n_restarts) && ret->n_restarts > 0 && mul_u64(ret->n_restarts, 4, &restarts) &&
	       restarts <= bytes.n - 4 && cur_carve(&c, bytes.n - 4 - restarts, &ret->entries) &&
	       cur_carve(&c, restarts, &ret->restarts) && cur_u32le(&ret->restarts, &ret->restart) && ret->restart == 0;
}

/* Return: false: no entry as writers write them. */
static bool take_entry(
    struct block *b, const struct key *k, uint64_t *ret_shared, struct bytes *ret_more, struct bytes *ret_value)
{
	bool restarts = b->n_restarts > 0 && b->entries.pos == b->restart;
	uint64_t more, value;

	if (restarts && --b->n_restarts > 0 && !cur_u32le(&b->restarts, &b->restart))
		return false;
	return take_varint(&b->entries, ret_shared) && take_varint(&b->entries, &more) &&
	       take_varint(&b->entries, &value) && *ret_shared <= k->n && (!restarts || *ret_shared == 0) &&
	       cur_bytes(&b->entries, more, ret_more) && cur_bytes(&b->entries, value, ret_value);
}

/* An empty block has a place for the entry that is not there. */
static bool is_whole(const struct block *b, bool any)
{
	return b->n_restarts == (any ? 0u : 1u);
}

/* -- the table -- */

static bool read_data(struct table *t, struct bytes bytes, uint64_t at, bool pressed)
{
	struct bytes more, value;
	struct block b;
	uint64_t shared;
	bool first = true;

	if (!open_block(bytes, at, &b))
		return refuse(t, WLK_F_TFCKPT_BLOCK, at);
	for (; cur_left(&b.entries) > 0; first = false) {
		uint64_t place = pressed ? at : at + b.entries.pos;

		/* The first shares nothing: blocks are read alone. */
		if (!take_entry(&b, &t->last, &shared, &more, &value) || (first && shared > 0))
			return refuse(t, WLK_F_TFCKPT_BLOCK, place);
		if (!next_key(t, &t->last, shared, more, place))
			return false;
		if (first && t->border.any && compare(bytes_of_key(&t->last), bytes_of_key(&t->border)) <= 0)
			return refuse(t, WLK_F_TFCKPT_KEYS, place);
		if (++t->n_entries > TF_TABLE_ENTRIES_MAX)
			return refuse(t, WLK_F_TFCKPT_LIMIT, place);
		if (!t->fn(t->ctx, bytes_of_key(&t->last), value, place)) {
			t->stopped = true;
			return false;
		}
	}
	return (is_whole(&b, !first) && !first) || refuse(t, WLK_F_TFCKPT_BLOCK, at);
}

static bool read_data_block(struct table *t, const struct handle *h)
{
	struct bytes bytes;
	uint8_t *copy;
	bool ret = take_block(t, h, &bytes, &copy) && read_data(t, bytes, h->offset, copy != NULL);

	arena_release(t->l->arena, copy);
	return ret;
}

/* Each value of the index is where a block is, and each key a border behind it. */
static bool read_index(struct table *t, struct bytes bytes, uint64_t at)
{
	struct bytes more, value;
	struct block b;
	uint64_t shared;
	bool any = false;

	if (!open_block(bytes, at, &b))
		return refuse(t, WLK_F_TFCKPT_BLOCK, at);
	for (; cur_left(&b.entries) > 0; any = true) {
		struct handle h;
		struct cursor c;

		if (!take_entry(&b, &t->border, &shared, &more, &value))
			return refuse(t, WLK_F_TFCKPT_BLOCK, at);
		c = cur_over(value, 0);
		if (!take_handle(&c, &h) || cur_left(&c) > 0)
			return refuse(t, WLK_F_TFCKPT_BLOCK, at);
		if (!read_data_block(t, &h) || !next_key(t, &t->border, shared, more, at))
			return false;
		if (compare(bytes_of_key(&t->border), bytes_of_key(&t->last)) < 0)
			return refuse(t, WLK_F_TFCKPT_KEYS, at);
	}
	return is_whole(&b, any) || refuse(t, WLK_F_TFCKPT_BLOCK, at);
}

/* TensorFlow has no filters: the block about the table is empty. */
static bool read_meta(struct table *t, const struct handle *h)
{
	struct bytes bytes;
	struct block b;
	uint8_t *copy;
	bool ret = take_block(t, h, &bytes, &copy) &&
		   ((open_block(bytes, h->offset, &b) && cur_left(&b.entries) == 0 && is_whole(&b, false)) ||
		       refuse(t, WLK_F_TFCKPT_BLOCK, h->offset));

	arena_release(t->l->arena, copy);
	return ret;
}

static bool is_zero(struct bytes b)
{
	for (size_t i = 0; i < b.n; i++)
		if (b.at[i] != 0)
			return false;
	return true;
}

/* Two handles, and zeros up to the magic. */
static bool read_footer(struct table *t, struct handle *ret_meta, struct handle *ret_index)
{
	uint64_t at = t->file.n - TF_TABLE_FOOTER;
	struct cursor c = cur_over(bytes_of(t->file.at + at, TF_TABLE_FOOTER), at);
	struct bytes rest, magic;

	if (!take_handle(&c, ret_meta) || !take_handle(&c, ret_index) ||
	    !cur_bytes(&c, t->file.n - TF_TABLE_MAGIC_BYTES - c.pos, &rest) || !is_zero(rest))
		return refuse(t, WLK_F_TFCKPT_BLOCK, at);
	if (!cur_bytes(&c, TF_TABLE_MAGIC_BYTES, &magic) ||
	    !bytes_equal(magic, bytes_of(tf_table_magic, TF_TABLE_MAGIC_BYTES)))
		return refuse(t, WLK_F_TFCKPT_MAGIC, t->file.n - TF_TABLE_MAGIC_BYTES);
	return claim(t, at, t->file.n);
}

static bool read_table(struct table *t)
{
	struct handle meta, index;
	struct bytes bytes;
	uint8_t *copy;
	bool ret;

	if (!read_footer(t, &meta, &index) || !read_meta(t, &meta))
		return false;
	ret = take_block(t, &index, &bytes, &copy) && read_index(t, bytes, index.offset);
	arena_release(t->l->arena, copy);
	return ret;
}

enum wlk_status tf_table_read(struct layout *l, struct bytes file, tf_table_fn fn, void *ctx)
{
	struct table *t = arena_resize(l->arena, NULL, 1, sizeof(*t));
	enum wlk_status status;

	if (t == NULL)
		return layout_stop(l);
	t->l = l;
	t->file = file;
	t->fn = fn;
	t->ctx = ctx;
	if (file.n < TF_TABLE_FOOTER)
		status = refuse(t, WLK_F_TFCKPT_MAGIC, 0) ? WLK_DONE : WLK_BROKEN;
	else
		status = read_table(t) ? WLK_DONE : t->stopped ? WLK_INCOMPLETE : WLK_BROKEN;
	arena_release(l->arena, t);
	return status == WLK_INCOMPLETE ? layout_stop(l) : status;
}
