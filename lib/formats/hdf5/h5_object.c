/* Object headers of an HDF5 file: section 4.2 of formats/keras-hdf5.  Runs of messages, of either generation, each run
 * once. */
#include <string.h>

#include "checked.h"
#include "h5.h"

enum message {
	MESSAGE_NIL = 0x00,
	MESSAGE_SPACE = 0x01,
	MESSAGE_LINK_INFO = 0x02,
	MESSAGE_TYPE = 0x03,
	MESSAGE_FILL_OLD = 0x04,
	MESSAGE_FILL = 0x05,
	MESSAGE_LINK = 0x06,
	MESSAGE_EXTERNAL = 0x07,
	MESSAGE_LAYOUT = 0x08,
	MESSAGE_GROUP_INFO = 0x0a,
	MESSAGE_FILTERS = 0x0b,
	MESSAGE_ATTRIBUTE = 0x0c,
	MESSAGE_COMMENT = 0x0d,
	MESSAGE_TIME_OLD = 0x0e,
	MESSAGE_SHARED_TABLE = 0x0f,
	MESSAGE_CONTINUATION = 0x10,
	MESSAGE_SYMBOLS = 0x11,
	MESSAGE_TIME = 0x12,
	MESSAGE_TREE_K = 0x13,
	MESSAGE_DRIVER = 0x14,
	MESSAGE_ATTRIBUTE_INFO = 0x15,
	MESSAGE_REFERENCES = 0x16,
	MESSAGE_FILE_SPACE = 0x17,
	MESSAGE_CACHE_IMAGE = 0x18,
};

#define FLAG_SHARED 2u
#define FLAGS_ODD 0xe0u /* shareable, met by a library that did not know it, not to be read by one */

struct run {
	uint64_t address, bytes;
};

struct object {
	struct h5 *h;
	struct h5_messages *m;
	bool new_form; /* OHDR */
	uint8_t flags; /* of an OHDR */
	struct run runs[H5_CONTINUATIONS_MAX];
	unsigned n_runs, next;
	uint8_t *buffers[H5_CONTINUATIONS_MAX + 4]; /* kept: compact data is read from them */
	unsigned n_buffers;
};

/* -- messages -- */

static bool add_run(struct object *o, struct cursor *c)
{
	struct run r;

	if (!cur_u64le(c, &r.address) || !cur_u64le(c, &r.bytes) || r.bytes > H5_CHUNK_MAX)
		return h5_break(o->h, WLK_F_H5_STRUCTURE, c->pos, "continuation");
	if (o->n_runs == H5_CONTINUATIONS_MAX)
		return h5_break(o->h, WLK_F_H5_LIMIT, c->pos, "continuations");
	o->runs[o->n_runs++] = r;
	return true;
}

static bool take_symbols(struct object *o, struct cursor *c)
{
	o->m->is_group = o->m->keeps_links = true;
	if (!cur_u64le(c, &o->m->tree) || !cur_u64le(c, &o->m->heap))
		return h5_break(o->h, WLK_F_H5_STRUCTURE, c->pos, "symbol table");
	return true;
}

/* What need not be looked at: at most so many bytes. */
static bool skip(struct cursor *c, uint64_t n)
{
	return cur_skip(c, min_u64(n, cur_left(c)));
}

/* A version, which the library asks for, and what nobody asks of. */
static bool skip_versioned(struct object *o, struct cursor *c, uint8_t want, uint64_t n)
{
	uint8_t version;

	return (cur_u8(c, &version) && version == want && skip(c, n)) ||
	       h5_break(o->h, WLK_F_H5_STRUCTURE, c->pos, "a message's version");
}

/* Links or attributes that are kept in a fractal heap: the second generation's way of holding many. */
static bool take_info(struct object *o, struct cursor *c, bool links)
{
	struct h5_dense *d = links ? &o->m->links : &o->m->attributes;
	unsigned extra = links ? 8 : 2;
	uint8_t version, flags;

	o->m->is_group = o->m->is_group || links;
	o->m->keeps_links = o->m->keeps_links || links;
	if (!cur_u8(c, &version) || version != 0 || !cur_u8(c, &flags) || (flags & 0xfc) != 0 ||
	    ((flags & 1) != 0 && !cur_skip(c, extra)) || !cur_u64le(c, &d->heap) || !cur_u64le(c, &d->names) ||
	    ((flags & 2) != 0 && !cur_u64le(c, &d->order)))
		return h5_break(o->h, WLK_F_H5_STRUCTURE, c->pos, links ? "link info" : "attribute info");
	/* HDF5 measures trees without asking whether there is a heap. */
	if (d->heap == H5_UNDEFINED && (d->names != H5_UNDEFINED || d->order != H5_UNDEFINED))
		return h5_break(o->h, WLK_F_H5_STRUCTURE, c->pos, "a tree without a heap");
	return true;
}

/* Version; which of two pairs of numbers follow: when links move to a heap, and how many are expected. */
static bool take_group_info(struct object *o, struct cursor *c)
{
	uint8_t version, flags;

	o->m->is_group = true;
	if (!cur_u8(c, &version) || version != 0 || !cur_u8(c, &flags) || flags > 3)
		return h5_break(o->h, WLK_F_H5_STRUCTURE, c->pos, "group info");
	return skip(c, 8);
}

static bool take_nil(struct object *o, const struct cursor *c)
{
	for (uint64_t i = 0; i < cur_left(c); i++) {
		if (c->base[c->pos - c->origin + i] != 0) {
			h5_finding(o->h, WLK_F_H5_NIL_DATA, c->pos, h5_path(o->h));
			break;
		}
	}
	return true;
}

static bool take_type(struct object *o, struct cursor *c)
{
	o->m->has_type = true;
	return h5_read_type(o->h, c, &o->m->type) && skip(c, o->m->type.class <= H5_STRING ? 0 : cur_left(c));
}

static bool take_external(struct object *o, const struct cursor *c)
{
	o->m->external = true;
	h5_finding(o->h, WLK_F_H5_EXTERNAL_STORAGE, c->pos, h5_path(o->h));
	return true;
}

static bool take_attribute(struct object *o, struct cursor *c)
{
	struct bytes name;

	if (++o->m->n_attributes > H5_ATTRIBUTES_MAX)
		return h5_break(o->h, WLK_F_H5_LIMIT, c->pos, "attributes");
	return h5_attribute_message(o->h, c, &name);
}

static bool take_link(struct object *o, struct cursor *c)
{
	struct bytes name;

	o->m->is_group = true;
	return h5_link_message(o->h, c, &name);
}

static bool take_tree_k(struct object *o, struct cursor *c)
{
	uint8_t version;
	uint16_t chunks, internal, leaf;

	if (!o->h->in_extension) {
		h5_unsupported(o->h, c->pos, "B-tree K of an object");
		return true;
	}
	if (!cur_u8(c, &version) || version != 0 || !cur_u16le(c, &chunks) || !cur_u16le(c, &internal) ||
	    !cur_u16le(c, &leaf) || !h5_set_k(o->h, leaf, internal, chunks))
		return h5_break(o->h, WLK_F_H5_STRUCTURE, c->pos, "B-tree K");
	return true;
}

/* Version, strategy, whether managers of free space are kept in the file: those would be structures of their own. */
static bool take_file_space(struct object *o, struct cursor *c)
{
	uint8_t version, strategy, kept;

	if (!cur_u8(c, &version) || !cur_u8(c, &strategy) || !cur_u8(c, &kept) || version != 1 || strategy > 3 ||
	    kept != 0)
		h5_unsupported(o->h, c->pos, "file space");
	return true;
}

static bool take_unknown(struct object *o, uint16_t type, const struct cursor *c)
{
	layout_value(o->h->l, WLK_F_H5_UNKNOWN_MESSAGE, c->pos, type, MESSAGE_CACHE_IMAGE);
	o->h->unsupported = true;
	return true;
}

/* What says twice what an object is: some readers take the first, others the last. */
static bool is_repeated(struct object *o, uint16_t type)
{
	static const uint32_t once = 1u << MESSAGE_SPACE | 1u << MESSAGE_LINK_INFO | 1u << MESSAGE_TYPE |
				     1u << MESSAGE_FILL_OLD | 1u << MESSAGE_FILL | 1u << MESSAGE_EXTERNAL |
				     1u << MESSAGE_LAYOUT | 1u << MESSAGE_GROUP_INFO | 1u << MESSAGE_FILTERS |
				     1u << MESSAGE_SYMBOLS | 1u << MESSAGE_ATTRIBUTE_INFO;
	uint32_t bit = type < 32 ? 1u << type : 0;
	bool repeated = (o->m->seen & bit & once) != 0;

	o->m->seen |= bit;
	return repeated;
}

static bool interpret(struct object *o, uint16_t type, uint8_t flags, struct cursor *c)
{
	if (is_repeated(o, type))
		return h5_break(o->h, WLK_F_H5_STRUCTURE, c->pos, "a message is given twice");
	if ((flags & FLAGS_ODD) != 0)
		h5_unsupported(o->h, c->pos, "message flags");
	if ((flags & FLAG_SHARED) != 0) {
		h5_finding(o->h, WLK_F_H5_SHARED_MESSAGE, c->pos, h5_path(o->h));
		return o->h->unsupported = true;
	}
	switch (type) {
	case MESSAGE_NIL: return take_nil(o, c);
	case MESSAGE_SPACE: return h5_read_space(o->h, c, &o->m->space);
	case MESSAGE_LINK_INFO: return take_info(o, c, true);
	case MESSAGE_TYPE: return take_type(o, c);
	case MESSAGE_LINK: return take_link(o, c);
	case MESSAGE_EXTERNAL: return take_external(o, c);
	case MESSAGE_LAYOUT: return h5_storage_message(o->h, c, &o->m->storage);
	case MESSAGE_FILTERS: return h5_filter_message(o->h, c, o->m);
	case MESSAGE_ATTRIBUTE: return take_attribute(o, c);
	case MESSAGE_CONTINUATION: return add_run(o, c);
	case MESSAGE_SYMBOLS: return take_symbols(o, c);
	case MESSAGE_ATTRIBUTE_INFO: return take_info(o, c, false);
	case MESSAGE_GROUP_INFO: return take_group_info(o, c);
	case MESSAGE_FILL_OLD: return h5_fill_message(o->h, c, o->m, true);
	case MESSAGE_FILL: return h5_fill_message(o->h, c, o->m, false);
	case MESSAGE_COMMENT: return true;
	case MESSAGE_TIME_OLD: return skip(c, 16);
	case MESSAGE_TIME: return skip_versioned(o, c, 1, 7);
	case MESSAGE_REFERENCES: return skip_versioned(o, c, 0, 4);
	case MESSAGE_TREE_K: return take_tree_k(o, c);
	case MESSAGE_FILE_SPACE: return take_file_space(o, c);
	case MESSAGE_DRIVER: h5_finding(o->h, WLK_F_H5_DRIVER, c->pos, (struct bytes){ 0 }); return true;
	case MESSAGE_SHARED_TABLE:
	case MESSAGE_CACHE_IMAGE: h5_unsupported(o->h, c->pos, "shared messages"); return true;
	default: return take_unknown(o, type, c);
	}
}

/* What a message has behind what it says is nobody's. */
static bool take_message(struct object *o, uint16_t type, uint8_t flags, struct cursor *c)
{
	if (!interpret(o, type, flags, c))
		return false;
	h5_count_slack(o->h, c->base + (c->pos - c->origin), cur_left(c));
	return true;
}

/* -- runs -- */

#define ANY_NUMBER UINT32_MAX

/* Messages of the first form: aligned to eight bytes, to the end of the run.  @most: as the header counts them, which libhdf5 holds
 * against those of its first run. */
static bool read_old_run(struct object *o, struct cursor *c, uint32_t most)
{
	for (uint32_t n = 0; cur_left(c) > 0; n++) {
		uint16_t type, size;
		uint8_t flags;
		struct cursor data;

		if (n == most || !cur_u16le(c, &type) || !cur_u16le(c, &size) || !cur_u8(c, &flags) ||
		    !cur_skip(c, 3) || size % 8 != 0 || !cur_carve(c, size, &data))
			return h5_break(o->h, WLK_F_H5_STRUCTURE, c->pos, "object header");
		if (!take_message(o, type, flags, &data))
			return false;
	}
	return true;
}

static bool is_zero(const struct cursor *c)
{
	for (uint64_t i = 0; i < cur_left(c); i++) {
		if (c->base[c->pos - c->origin + i] != 0)
			return false;
	}
	return true;
}

/* Messages of the second form; fewer bytes than a message needs are a gap, of zeros. */
static bool read_new_run(struct object *o, struct cursor *c)
{
	unsigned head = (o->flags & 4) != 0 ? 6 : 4;

	while (cur_left(c) >= head) {
		uint16_t size;
		uint8_t type, flags;
		struct cursor data;

		if (!cur_u8(c, &type) || !cur_u16le(c, &size) || !cur_u8(c, &flags) || !cur_skip(c, head - 4) ||
		    !cur_carve(c, size, &data))
			return h5_break(o->h, WLK_F_H5_STRUCTURE, c->pos, "object header");
		if (!take_message(o, type, flags, &data))
			return false;
	}
	return is_zero(c) || h5_break(o->h, WLK_F_H5_STRUCTURE, c->pos, "object header gap");
}

static uint8_t *keep_buffer(struct object *o, uint64_t address, uint64_t n)
{
	uint8_t *at = h5_read(o->h, address, n, "object header");

	if (at != NULL)
		o->buffers[o->n_buffers++] = at;
	return at;
}

/* OCHK: messages between a signature and a checksum. */
static bool read_new_continuation(struct object *o, const struct run *r, uint8_t *at)
{
	struct cursor c;

	if (r->bytes < 8 || memcmp(at, "OCHK", 4) != 0)
		return h5_break(o->h, WLK_F_H5_STRUCTURE, r->address, "OCHK");
	if (!h5_is_sum(at, (size_t)r->bytes - 4, load_u32le(at + r->bytes - 4)))
		return h5_break(o->h, WLK_F_H5_CHECKSUM, r->address, "OCHK");
	c = cur_over(bytes_of(at + 4, (size_t)r->bytes - 8), r->address + 4);
	return read_new_run(o, &c);
}

static bool read_continuations(struct object *o)
{
	while (o->next < o->n_runs) {
		const struct run r = o->runs[o->next++];
		uint8_t *at = keep_buffer(o, r.address, r.bytes);
		struct cursor c;

		if (at == NULL || !h5_claim(o->h, r.address, r.bytes))
			return false;
		c = cur_over(bytes_of(at, (size_t)r.bytes), r.address);
		if (o->new_form ? !read_new_continuation(o, &r, at) : !read_old_run(o, &c, ANY_NUMBER))
			return false;
	}
	return true;
}

/* -- headers -- */

static bool read_old_header(struct object *o, uint64_t address, const uint8_t *head)
{
	uint32_t bytes = load_u32le(head + 8);
	uint8_t *at;
	struct cursor c;

	if (bytes > H5_CHUNK_MAX)
		return h5_break(o->h, WLK_F_H5_LIMIT, address, "object header");
	at = keep_buffer(o, address + 16, bytes); /* the head was inside the file */
	if (at == NULL || !h5_claim(o->h, address, 16 + (uint64_t)bytes))
		return false;
	c = cur_over(bytes_of(at, bytes), address + 16);
	return read_old_run(o, &c, load_u16le(head + 2));
}

/* "OHDR", version, flags, optional times and limits, the size of what follows, messages, checksum. */
static bool read_new_header(struct object *o, uint64_t address, const uint8_t *head)
{
	unsigned width = 1u << (head[5] & 3), prefix = 6;
	uint64_t bytes, all;
	uint8_t *at;
	struct cursor c;

	o->new_form = true;
	o->flags = head[5];
	prefix += (o->flags & 0x20) != 0 ? 16 : 0;
	prefix += (o->flags & 0x10) != 0 ? 4 : 0;
	at = keep_buffer(o, address, prefix + width);
	if (at == NULL)
		return false;
	bytes = h5_width(at + prefix, width);
	prefix += width;
	if (head[4] != 2 || (o->flags & 0xc0) != 0)
		return h5_break(o->h, WLK_F_H5_STRUCTURE, address, "OHDR");
	if (bytes > H5_CHUNK_MAX)
		return h5_break(o->h, WLK_F_H5_LIMIT, address, "object header");
	all = prefix + bytes + 4;
	at = keep_buffer(o, address, all);
	if (at == NULL || !h5_claim(o->h, address, all))
		return false;
	if (!h5_is_sum(at, (size_t)all - 4, load_u32le(at + all - 4)))
		return h5_break(o->h, WLK_F_H5_CHECKSUM, address, "OHDR");
	c = cur_over(bytes_of(at + prefix, (size_t)bytes), address + prefix);
	return read_new_run(o, &c);
}

static bool read_header(struct object *o)
{
	uint64_t address = o->h->objects[o->h->current].address;
	uint8_t *head = keep_buffer(o, address, 16);

	if (head == NULL)
		return false;
	if (memcmp(head, "OHDR", 4) == 0)
		return read_new_header(o, address, head) && read_continuations(o);
	if (head[0] != 1 || head[1] != 0)
		return h5_break(o->h, WLK_F_H5_STRUCTURE, address, "object header");
	return read_old_header(o, address, head) && read_continuations(o);
}

bool h5_read_object(struct h5 *h, struct h5_messages *ret)
{
	struct object o = { .h = h, .m = ret };
	bool read;

	static const struct h5_dense none = { H5_UNDEFINED, H5_UNDEFINED, H5_UNDEFINED };

	*ret = (struct h5_messages){ .tree = H5_UNDEFINED, .heap = H5_UNDEFINED, .links = none, .attributes = none };
	scoped_names_cut(&h->names, 0);
	read = read_header(&o) && h5_read_dense(h, &ret->links, ret, true) &&
	       h5_read_dense(h, &ret->attributes, ret, false);
	if (read && ret->storage.class == H5_COMPACT && ret->storage.present)
		read = h5_read_compact(h, ret);
	for (unsigned i = 0; i < o.n_buffers; i++)
		h5_release(h, o.buffers[i]);
	return read;
}
