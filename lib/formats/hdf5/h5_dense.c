/* Many links or attributes of one object, as the second generation keeps them: in a fractal heap (h5_fractal.c), with a
 * B-tree (h5_tree2.c) that finds them by the hash of their name, and perhaps another by their age.  Section 4.2 of
 * formats/keras-hdf5.
 *
 * Every record of the trees is followed, whatever its hash; that hash, order and count are right is checked, for otherwise
 * a reader that searches finds less than one that goes through, and one that goes by age other objects than by name. */
#include <string.h>

#include "checked.h"
#include "h5.h"
#include "siphash.h"

enum tree_type { TREE_LINK_NAMES = 5, TREE_LINK_ORDER = 6, TREE_ATTRIBUTE_NAMES = 8, TREE_ATTRIBUTE_ORDER = 9 };

struct dense {
	struct h5 *h;
	struct h5_fractal heap;
	struct h5_messages *m;
	bool links;
	uint64_t ids;     /* sum of keyed hashes of the objects' numbers: which they are, in any order */
	uint64_t last[2]; /* hash of the name, and age, of the record before */
	uint64_t address; /* of the tree being read */
};

static void note_id(struct dense *d, const uint8_t *id)
{
	d->ids += siphash13(id, d->heap.id_bytes, &d->h->l->seed);
}

static bool ascends(struct dense *d, unsigned which, uint64_t key)
{
	bool fits = key >= d->last[which];

	d->last[which] = key;
	return fits || h5_break(d->h, WLK_F_H5_STRUCTURE, d->address, "records out of order");
}

static bool take_message(struct dense *d, struct cursor *c, struct bytes *ret_name)
{
	if (!d->links && ++d->m->n_attributes > H5_ATTRIBUTES_MAX)
		return h5_break(d->h, WLK_F_H5_LIMIT, c->pos, "attributes");
	return d->links ? h5_link_message(d->h, c, ret_name) : h5_attribute_message(d->h, c, ret_name);
}

/* A link: hash, number; an attribute: number, flags, age, hash. */
static bool take_name(void *ctx, const uint8_t *record)
{
	struct dense *d = ctx;
	const uint8_t *id = d->links ? record + 4 : record;
	uint32_t hash = load_u32le(d->links ? record : record + 13);
	struct h5_object_bytes o;
	struct cursor c;
	struct bytes name;

	note_id(d, id);
	if (!ascends(d, 0, hash) || !h5_fractal_object(&d->heap, id, &o))
		return false;
	if (o.n == 0)
		return d->h->unsupported || h5_break(d->h, WLK_F_H5_HEAP, d->address, "empty object");
	if (!d->links && (record[8] & 2) != 0) { /* a shared message */
		h5_finding(d->h, WLK_F_H5_SHARED_MESSAGE, o.address, h5_path(d->h));
		return d->h->unsupported = true;
	}
	c = cur_over(bytes_of(o.at, o.n), o.address);
	if (!take_message(d, &c, &name))
		return false;
	if (!h5_is_sum(name.at, name.n, hash))
		return h5_break(d->h, WLK_F_H5_CHECKSUM, d->address, "hash of a name");
	memset(o.at, 0, o.n); /* what remains in the heap belongs to none; an object is none twice */
	return true;
}

/* A link: age, number; an attribute: number, flags, age. */
static bool take_age(void *ctx, const uint8_t *record)
{
	struct dense *d = ctx;

	note_id(d, d->links ? record + 8 : record);
	return ascends(d, 1, d->links ? load_u64le(record) : load_u32le(record + 9));
}

static bool read_trees(struct dense *d, const struct h5_dense *where)
{
	unsigned id = d->heap.id_bytes;
	struct h5_tree2 names = { .h = d->h, .address = where->names, .take = take_name, .ctx = d };
	struct h5_tree2 ages = { .h = d->h, .address = where->order, .take = take_age, .ctx = d };
	uint64_t named;

	names.type = d->links ? TREE_LINK_NAMES : TREE_ATTRIBUTE_NAMES;
	names.record_bytes = id + (d->links ? 4 : 9);
	ages.type = d->links ? TREE_LINK_ORDER : TREE_ATTRIBUTE_ORDER;
	ages.record_bytes = id + (d->links ? 8 : 5);
	if (id != (d->links ? 7u : 8u) || 1 + d->heap.offset_bytes + d->heap.length_bytes > id)
		return h5_break(d->h, WLK_F_H5_STRUCTURE, d->heap.address, "FRHP");
	d->address = where->names;
	if (!h5_read_tree2(&names))
		return false;
	named = d->ids;
	d->ids = 0;
	d->address = where->order;
	if (where->order != H5_UNDEFINED && !h5_read_tree2(&ages))
		return false;
	if (names.seen != d->heap.n_managed ||
	    (where->order != H5_UNDEFINED && (ages.seen != names.seen || d->ids != named)))
		return h5_break(d->h, WLK_F_H5_STRUCTURE, d->heap.address, "objects without a name");
	return true;
}

bool h5_read_dense(struct h5 *h, const struct h5_dense *where, struct h5_messages *m, bool links)
{
	struct dense d = { .h = h, .m = m, .links = links };
	bool read;

	if (where->heap == H5_UNDEFINED)
		return true;
	read = h5_open_fractal(&d.heap, h, where->heap) && (!d.heap.plain || read_trees(&d, where));
	h5_close_fractal(&d.heap);
	return read;
}
