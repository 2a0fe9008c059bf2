/* The HDF5 reader's own parts: a strict reading of the subset that writers of models use.  h5.c the superblock, what the
 * walk over its objects, h5_claims.c what every byte of the file is, h5_object.c object headers, h5_group.c groups and
 * links, h5_tree.c and h5_tree2.c B-trees of both generations, h5_heap.c heaps, h5_fractal.c fractal heaps, h5_dense.c links
 * and attributes in them, h5_type.c data types and spaces, h5_attribute.c attributes, h5_dataset.c data sets, h5_chunks.c
 * their chunks, h5_array.c arrays of those.  Follows formats/keras-hdf5, section 4; what
 * is outside the subset is named (h5-unsupported) and never accepted.
 *
 * Everything is read by address, before the pass, through buffers; what is found says which bytes it owns (h5_claim()),
 * and what nobody owns must be zero.  Owners of more bytes than there are must overlap: that ends the walk, so its work
 * grows with the file and not with what the file claims. */
#pragma once

#include "convert.h"
#include "cursor.h"
#include "format.h"
#include "scoped_names.h"

#define H5_UNDEFINED UINT64_MAX /* the address of what is not there */
#define H5_OBJECTS_MAX (1u << 18)
#define H5_DEPTH_MAX 32u
#define H5_ATTRIBUTES_MAX 4096u                /* of an object */
#define H5_CHUNK_MAX ((uint64_t)16 << 20)      /* bytes of one run of an object header, of a local heap */
#define H5_CONTINUATIONS_MAX 256u              /* of an object */
#define H5_COLLECTION_MAX ((uint64_t)64 << 20) /* bytes of a global heap collection: one string and its frame */
#define H5_STRINGS_MAX (1u << 20)              /* objects of global heaps, in all */
#define H5_RANK_MAX 32u
#define H5_NAME_MAX 1024u
#define H5_NODES_MAX (1u << 20) /* of B-trees, in all */
#define H5_ROWS_MAX (1u << 18)  /* of chunks at the border of a data set, in all: two claims each */

/* Bytes that somebody owns. */
struct h5_claim {
	uint64_t begin, end;
	uint32_t name_at, name_n; /* of a data set: its path in the pool */
	uint32_t index;           /* ... and its number, as in the manifest */
	uint8_t kind, dtype, flags;
};

/* An object found and not yet (or already) read: the walk's list, and its memory of where it has been. */
struct h5_object {
	uint64_t address;
	uint32_t parent;          /* index; its own for the root */
	uint32_t name_at, name_n; /* path in the pool; empty for the root */
	bool cached;              /* its entry says where its tree and heap are: some readers go by that */
	uint64_t tree, heap;
	uint16_t depth;
};

/* An object of a global heap; number 0 is the collection itself. */
struct h5_string {
	uint64_t collection;
	uint64_t at, n; /* its bytes in the part */
	uint32_t index;
	bool used;
};

enum h5_class {
	H5_FIXED,
	H5_FLOAT,
	H5_TIME,
	H5_STRING,
	H5_BITFIELD,
	H5_OPAQUE,
	H5_COMPOUND,
	H5_REFERENCE,
	H5_ENUM,
	H5_VLEN,
	H5_ARRAY,
	H5_N_CLASSES
};

struct h5_type {
	enum h5_class class;
	uint32_t bytes;
	uint8_t dtype; /* enum wlk_dtype; NONE: elements that are not examined */
	bool big_endian;
	bool vlen_string; /* class VLEN, of characters */
};

struct h5_space {
	bool present, null;
	unsigned rank;
	uint64_t dims[H5_RANK_MAX];
	uint64_t most[H5_RANK_MAX]; /* what each can grow to; UINT64_MAX: without end */
};

enum h5_layout_class { H5_COMPACT, H5_CONTIGUOUS, H5_CHUNKED, H5_VIRTUAL };

/* How chunks are found. */
enum h5_index {
	H5_INDEX_TREE,
	H5_INDEX_SINGLE,
	H5_INDEX_IMPLICIT,
	H5_INDEX_FIXED_ARRAY,
	H5_INDEX_EXTENSIBLE_ARRAY,
	H5_INDEX_TREE2
};

struct h5_storage {
	bool present, unknown; /* unknown: named, and not to be followed */
	enum h5_layout_class class;
	enum h5_index index;
	uint64_t address, bytes;
	uint64_t coded; /* bytes of a single filtered chunk */
	unsigned rank;  /* chunked: with the element's own size as the last */
	uint64_t dims[H5_RANK_MAX + 1];
	struct bytes compact; /* in the message ... */
	uint64_t compact_at;  /* ... and where that is */
};

/* Where many links or attributes are; H5_UNDEFINED where they are not. */
struct h5_dense {
	uint64_t heap, names, order;
};

/* What the messages of one object say; addresses of what is to be followed when all of them are read. */
struct h5_messages {
	struct h5_space space;
	struct h5_type type;
	bool has_type, filtered, plugin, external, is_group;
	bool keeps_links;       /* says where: HDF5 knows groups by that */
	bool filled;            /* elements that nobody wrote are not zero */
	bool fill_none;         /* nor anything else: there is nothing to read where nobody wrote */
	uint32_t fill_bytes[2]; /* of the value that they read as, in messages of both generations; 0: none is given */
	uint32_t seen;          /* messages that an object has once: a bit each */
	struct h5_storage storage;
	uint64_t tree, heap; /* of an old group; H5_UNDEFINED without */
	struct h5_dense links, attributes;
	unsigned n_attributes;
};

struct h5 {
	uint32_t n_pickled; /* attributes that look like pickles */
	struct layout *l;
	uint64_t end; /* of the file, as stated and proven */
	unsigned leaf_k, internal_k, chunk_k;
	struct h5_claim *claims;
	size_t n_claims, claims_room;
	struct h5_object *objects;
	uint32_t n_objects, objects_room, current;
	uint32_t *index; /* of objects by address: index + 1; a power of two, at most half full */
	uint32_t index_room;
	struct h5_string *strings; /* what global heaps hold, and where */
	uint32_t n_strings, strings_room;
	uint32_t *string_index;    /* as above; twice as large as strings_room */
	struct scoped_names names; /* of links: those of the object being read */
	uint64_t owned;            /* bytes that have an owner */
	uint64_t slack;            /* bytes that are not zero in what structures leave free */
	uint64_t config_bytes;     /* of configurations that were judged */
	bool moved_links;          /* of a group, into its header: what held them before is left behind */
	uint32_t n_rows;           /* of border chunks */
	uint8_t *pool;             /* paths */
	uint32_t pool_n, pool_room;
	uint32_t n_nodes;
	unsigned n_tensors;
	bool keras;        /* the root says that Keras wrote it */
	bool whole_model;  /* it has a model_config */
	bool in_extension; /* the superblock's is being read */
	bool unsupported;  /* something was not understood: the scan is not complete */
	bool stopped;      /* memory or source failed: the cause is recorded */
	bool broken;       /* the structure is: what is found from here on proves nothing */
};

/* -- h5.c -- */

/* All of these return false, to be passed on. */
bool h5_stop(struct h5 *h);                                                        /* memory or source */
bool h5_break(struct h5 *h, enum wlk_finding code, uint64_t at, const char *what); /* h->broken */
/* Not in the subset: the walk goes on. */
void h5_unsupported(struct h5 *h, uint64_t at, const char *what);
void h5_finding(struct h5 *h, enum wlk_finding code, uint64_t at, struct bytes subject);
/* Path of the object being read. */
struct bytes h5_path(const struct h5 *h);

/**
 * h5_read() - n bytes at an address, into the arena
 * Outside the file: h5-address.  Give them back with h5_release().
 * Return: NULL: h5_stop() or h5_break() was called.
 */
uint8_t *h5_read(struct h5 *h, uint64_t address, uint64_t n, const char *what);
void h5_release(struct h5 *h, uint8_t *at);
/* As h5_read(), of bytes that belong to a structure and end with its checksum. @magic: the four it begins with. */
uint8_t *h5_read_checked(struct h5 *h, uint64_t address, uint64_t n, const char *magic);
/* How wide trees of the first generation are.  False: no width. */
bool h5_set_k(struct h5 *h, unsigned leaf, unsigned internal, unsigned chunk);
/* A number of 1 to 8 bytes. */
uint64_t h5_width(const uint8_t *at, unsigned bytes);
/* What an entry of a symbol table (from its cache type on) says of an object that was just added. */
bool h5_note_cache(struct h5 *h, uint64_t address, const uint8_t *cache, uint64_t at);
/* A child of the current object. @name: as it is in the file. */
bool h5_add_object(struct h5 *h, uint64_t address, struct bytes name, uint64_t at);
/* Is this HDF5's checksum of those bytes? */
bool h5_is_sum(const uint8_t *at, size_t n, uint32_t sum);

/* -- h5_claims.c -- */

/* Those bytes belong to a structure, or to a data set (with its type). @flags: EXTENT_PIECE where there are more. */
bool h5_claim(struct h5 *h, uint64_t address, uint64_t n);
bool h5_claim_tensor(struct h5 *h, uint64_t address, uint64_t n, const struct h5_type *type, uint8_t flags);
/* The current data set has no bytes of its own to stand for it: it counts all the same.  @listed: its row says which they are. */
bool h5_count_tensor(struct h5 *h, const struct h5_type *type, bool listed);
/* Bytes that a structure owns and nobody reads. */
void h5_count_slack(struct h5 *h, const uint8_t *at, uint64_t n);
/* After the walk: the claims as extents, with what lies between them. */
bool h5_fill_extents(struct h5 *h);

/* -- h5_object.c -- */

/* Read the header of the current object: attributes are judged, the rest is gathered. */
bool h5_read_object(struct h5 *h, struct h5_messages *ret);

/* -- h5_group.c -- */

bool h5_read_symbols(struct h5 *h, uint64_t tree, uint64_t heap);
/* *ret_name: as it is in the message. */
bool h5_link_message(struct h5 *h, struct cursor *c, struct bytes *ret_name);

/* -- h5_tree.c -- */

#define H5_TREE_LEVELS_MAX 16u

/* Where a leaf's child is: the key on its left, of each node from the root down.  That on its right stands key_bytes and
 * eight bytes further. */
struct h5_tree_place {
	const uint8_t *keys[H5_TREE_LEVELS_MAX];
	unsigned n; /* of them, 1 at least: the last is the leaf's */
};

struct h5_tree {
	struct h5 *h;
	uint8_t kind; /* 0: of symbol tables, 1: of chunks */
	unsigned key_bytes;
	unsigned kids; /* there is room for so many in a node */
	/* The child of a leaf, in order.  Return: false: the walk ends. */
	bool (*take)(void *ctx, const struct h5_tree_place *place, uint64_t child);
	void *ctx;
};

/* Each node is read once, and claimed. */
bool h5_read_tree(const struct h5_tree *t, uint64_t root);

/* -- h5_tree2.c -- */

struct h5_tree2 {
	struct h5 *h;
	uint64_t address;
	uint8_t type;
	unsigned record_bytes;
	bool (*take)(void *ctx, const uint8_t *record); /* in order.  Return: false: the walk ends. */
	void *ctx;
	uint64_t seen; /* records; for the caller */
};

/* Each node is read once, and claimed. */
bool h5_read_tree2(struct h5_tree2 *t);

/* -- h5_heap.c -- */

/* The data segment of a local heap: names, and what of it none of them has. */
struct h5_names {
	uint8_t *at;
	uint8_t *rest; /* as long: what was seen to be used is zero in it */
	uint64_t n;
};

/* Give it back with h5_close_names(), which counts what is left of the rest. */
bool h5_open_names(struct h5 *h, uint64_t address, struct h5_names *ret);
void h5_close_names(struct h5 *h, struct h5_names *names);
/**
 * h5_find_global() - an object of a global heap
 * The collection is read and claimed when it is met first.
 * Return: NULL: h5_stop() or h5_break() was called.
 */
struct h5_string *h5_find_global(struct h5 *h, uint64_t collection, uint32_t index);

/* -- h5_fractal.c -- */

struct h5_block {
	uint64_t offset, n; /* in the heap */
	uint64_t address;
	uint8_t *at;
};

struct h5_fractal {
	struct h5 *h;
	uint64_t address;
	bool checksums;
	bool plain; /* no filters, no objects outside of blocks */
	unsigned offset_bytes, length_bytes, id_bytes, rows;
	uint64_t width, start, max_direct, n_managed, free_manager, root;
	uint64_t space, allocated; /* bytes that the blocks stand for, and that they are */
	struct h5_block *blocks;   /* of bytes, by offset */
	size_t n_blocks, blocks_room;
};

/* An object in memory: the heap's, until it is closed. */
struct h5_object_bytes {
	uint8_t *at;
	size_t n;
	uint64_t address;
};

/* Reads and claims all of a heap; to be closed, whatever it returns.  Not in the subset: named, and not plain. */
bool h5_open_fractal(struct h5_fractal *f, struct h5 *h, uint64_t address);
/* An object by its number (id_bytes of it). *ret is empty where it is not in the subset: it was named. */
bool h5_fractal_object(struct h5_fractal *f, const uint8_t *id, struct h5_object_bytes *ret);
/* What is not zero in its blocks by then is nobody's: h5_count_slack(). */
void h5_close_fractal(struct h5_fractal *f);
/* Bytes of a number up to that limit. */
unsigned h5_limit_width(uint64_t limit);

/* -- h5_dense.c -- */

/* Links, or attributes, of the current object. */
bool h5_read_dense(struct h5 *h, const struct h5_dense *d, struct h5_messages *m, bool links);

/* -- h5_type.c -- */

bool h5_read_space(struct h5 *h, struct cursor *c, struct h5_space *ret);
bool h5_read_type(struct h5 *h, struct cursor *c, struct h5_type *ret);
/* Elements, and their bytes.  False: they overflow. */
bool h5_space_elements(const struct h5_space *s, uint64_t *ret);

/* -- h5_attribute.c -- */

/* An attribute that is a string: PyTables may unpickle it.  @at: in the part.  Return: false: the scan stops. */
bool h5_check_pickled(struct h5 *h, struct bytes text, uint64_t at);

/* *ret_name: as it is in the message, without its NUL. */
bool h5_attribute_message(struct h5 *h, struct cursor *c, struct bytes *ret_name);

/* -- h5_dataset.c -- */

bool h5_storage_message(struct h5 *h, struct cursor *c, struct h5_storage *ret);
bool h5_fill_message(struct h5 *h, struct cursor *c, struct h5_messages *ret, bool old);
bool h5_filter_message(struct h5 *h, struct cursor *c, struct h5_messages *ret);
/* Elements that stand in the header: while it is in memory. */
bool h5_read_compact(struct h5 *h, const struct h5_messages *m);
/* The current object is a data set. */
bool h5_read_dataset(struct h5 *h, const struct h5_messages *m);

/* Storage that nobody wrote to reads as the fill value: a shape without bytes. */
#define H5_UNSTORED_FREE (UINT64_C(1) << 20)

/* Elements that lie in the file, and not in its structure. */
bool h5_claim_elements(struct h5 *h, const struct h5_messages *m, uint64_t address, uint64_t n, uint8_t flags);
/* The current data set's row, where somebody wants it. @pieces: NULL: it is in one. */
bool h5_list_tensor(
    struct h5 *h, const struct h5_messages *m, uint64_t begin, uint64_t end, const struct tensor_pieces *pieces);
void h5_report_bomb(struct h5 *h, uint64_t declared, uint64_t stored);

/* -- h5_array.c -- */

struct h5_array {
	struct h5 *h;
	uint64_t address;
	uint64_t n; /* fixed: entries it has to have */
	/* An entry that is not H5_UNDEFINED.  Return: false: the walk ends. */
	bool (*take)(void *ctx, uint64_t which, uint64_t entry);
	void *ctx;
};

/* Arrays of addresses, claimed as they are read. */
bool h5_read_fixed_array(const struct h5_array *a);
bool h5_read_extensible_array(const struct h5_array *a);

/* -- h5_chunks.c -- */

bool h5_read_chunked(struct h5 *h, const struct h5_messages *m, uint64_t bytes);

extern const struct wlk_format format_hdf5;
