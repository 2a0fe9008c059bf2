/* Groups of an HDF5 file: old ones, a B-tree of symbol tables with names in a local heap, and links in object headers.
 * Section 4.2 of formats/keras-hdf5, rules H2, H3 and H12. */
#include <string.h>

#include "checked.h"
#include "h5.h"
#include "utf8.h"

/* -- names: rule H12 -- */

static bool is_name(struct bytes name)
{
	struct utf8_stream u = { 0 };

	if (name.n == 0 || name.n > H5_NAME_MAX || (name.n == 1 && name.at[0] == '.') ||
	    (name.n == 2 && name.at[0] == '.' && name.at[1] == '.'))
		return false;
	for (size_t i = 0; i < name.n; i++) {
		if (name.at[i] < 0x20 || name.at[i] == 0x7f || name.at[i] == '/')
			return false;
	}
	return utf8_stream_feed(&u, name.at, name.n) && utf8_stream_whole(&u);
}

static void check_name(struct h5 *h, struct bytes name, uint64_t at)
{
	if (!is_name(name))
		h5_finding(h, WLK_F_H5_NAME, at, bytes_of(name.at, min_u64(name.n, H5_NAME_MAX)));
}

/* -- symbol tables -- */

struct symbols {
	struct h5 *h;
	struct h5_names names;
	struct bytes last; /* names ascend: readers search for them by halves */
};

/* A name in the heap, up to its NUL. */
static bool heap_name(struct symbols *s, uint64_t offset, uint64_t at, struct bytes *ret)
{
	const uint8_t *end;

	if (offset >= s->names.n)
		return h5_break(s->h, WLK_F_H5_HEAP, at, "name");
	end = memchr(s->names.at + offset, 0, (size_t)(s->names.n - offset));
	if (end == NULL)
		return h5_break(s->h, WLK_F_H5_HEAP, at, "name");
	*ret = bytes_of(s->names.at + offset, (size_t)(end - s->names.at - (ptrdiff_t)offset));
	memset(s->names.rest + offset, 0, ret->n);
	return true;
}

static bool ascends(const struct bytes a, const struct bytes b)
{
	int order = memcmp(a.at, b.at, a.n < b.n ? a.n : b.n);

	return order < 0 || (order == 0 && a.n < b.n);
}

static bool take_entry(struct symbols *s, const uint8_t *e, uint64_t at)
{
	uint64_t object = load_u64le(e + 8);
	uint32_t cache = load_u32le(e + 16);
	struct bytes name;

	if (!heap_name(s, load_u64le(e), at, &name))
		return false;
	check_name(s->h, name, at);
	if (s->last.at != NULL && bytes_equal(s->last, name))
		h5_finding(s->h, WLK_F_H5_NAME, at, name);
	else if (s->last.at != NULL && !ascends(s->last, name))
		return h5_break(s->h, WLK_F_H5_STRUCTURE, at, "names out of order");
	s->last = name;
	if (cache > 2)
		return h5_break(s->h, WLK_F_H5_STRUCTURE, at, "symbol table entry");
	if (cache == 2) {
		h5_finding(s->h, WLK_F_H5_SOFT_LINK, at, name);
		s->h->unsupported = true;
		return true;
	}
	return h5_add_object(s->h, object, name, at) && h5_note_cache(s->h, object, e + 16, at);
}

/* *ret_first: the first name; nowhere when there is none. */
static bool read_table(struct symbols *s, uint64_t address, struct bytes *ret_first)
{
	uint64_t bytes = 8 + 2 * (uint64_t)s->h->leaf_k * 40;
	uint8_t *at = h5_read(s->h, address, bytes, "symbol table");
	unsigned n;

	if (at == NULL || !h5_claim(s->h, address, bytes))
		return false;
	n = load_u16le(at + 6);
	if (memcmp(at, "SNOD\1\0", 6) != 0 || n > 2 * s->h->leaf_k)
		return h5_break(s->h, WLK_F_H5_STRUCTURE, address, "symbol table");
	for (unsigned i = 0; i < n; i++) {
		if (!take_entry(s, at + 8 + (size_t)i * 40, address + 8 + (uint64_t)i * 40))
			return false;
		*ret_first = i == 0 ? s->last : *ret_first;
	}
	h5_count_slack(s->h, at + 8 + (size_t)n * 40, bytes - 8 - (uint64_t)n * 40);
	h5_release(s->h, at);
	return true;
}

/* -- the tree over them -- */

/* Names that searches look for here: behind the left key's, up to the right one's. */
static bool is_between(struct symbols *s, const uint8_t *key, struct bytes first, uint64_t at)
{
	struct bytes left, right;

	if (!heap_name(s, load_u64le(key), at, &left) || !heap_name(s, load_u64le(key + 16), at, &right))
		return false;
	return (ascends(left, first) && !ascends(right, s->last)) ||
	       h5_break(s->h, WLK_F_H5_STRUCTURE, at, "names beside their keys");
}

static bool take_table(void *ctx, const struct h5_tree_place *place, uint64_t address)
{
	struct symbols *s = ctx;
	struct bytes first = { 0 };

	if (!read_table(s, address, &first))
		return false;
	for (unsigned i = 0; first.at != NULL && i < place->n; i++) {
		if (!is_between(s, place->keys[i], first, address))
			return false;
	}
	return true;
}

bool h5_read_symbols(struct h5 *h, uint64_t tree, uint64_t heap)
{
	struct symbols s = { .h = h };
	const struct h5_tree t = { .h = h, .key_bytes = 8, .kids = 2 * h->internal_k, .take = take_table, .ctx = &s };
	bool read;

	read = h5_open_names(h, heap, &s.names) && h5_read_tree(&t, tree);
	h5_close_names(h, &s.names);
	return read;
}

/* -- links in object headers -- */

static bool read_width(struct cursor *c, unsigned bytes, uint64_t *ret)
{
	*ret = 0;
	for (unsigned i = 0; i < bytes; i++) {
		uint8_t byte;

		if (!cur_u8(c, &byte))
			return false;
		*ret |= (uint64_t)byte << (8 * i);
	}
	return true;
}

/* Links come in any order. */
static bool note_name(struct h5 *h, struct bytes name, uint64_t at)
{
	const struct scoped_name key = scoped_name_of(&h->names, name, 0);

	check_name(h, name, at);
	if (scoped_names_find(&h->names, key, 1u << SCOPED_KEY, 0) != NULL)
		h5_finding(h, WLK_F_H5_NAME, at, name);
	scoped_names_add(&h->names, key, SCOPED_KEY, at);
	return !h->names.failed || h5_stop(h);
}

static bool take_link(struct h5 *h, struct cursor *c, uint8_t type, struct bytes name, uint64_t at)
{
	uint64_t object;

	if (type == 0)
		return cur_u64le(c, &object) ? h5_add_object(h, object, name, at)
					     : h5_break(h, WLK_F_H5_STRUCTURE, at, "link");
	h5_finding(h,
	    type == 1    ? WLK_F_H5_SOFT_LINK
	    : type == 64 ? WLK_F_H5_EXTERNAL_LINK
			 : WLK_F_H5_USER_LINK,
	    at, name);
	h->unsupported = true;
	return true;
}

bool h5_link_message(struct h5 *h, struct cursor *c, struct bytes *ret_name)
{
	uint8_t version, flags, type = 0;
	uint64_t n, at = c->pos;

	if (!cur_u8(c, &version) || version != 1 || !cur_u8(c, &flags) || (flags & 0xe0) != 0 ||
	    ((flags & 8) != 0 && !cur_u8(c, &type)) || ((flags & 4) != 0 && !cur_skip(c, 8)) ||
	    ((flags & 16) != 0 && !cur_skip(c, 1)) || !read_width(c, 1u << (flags & 3), &n) ||
	    !cur_bytes(c, n, ret_name))
		return h5_break(h, WLK_F_H5_STRUCTURE, at, "link");
	return note_name(h, *ret_name, at) && take_link(h, c, type, *ret_name, at);
}
