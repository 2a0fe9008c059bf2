/* The parts of the reader of Flax's MessagePack checkpoints (formats/flax-msgpack).
 *
 *   flax.c         what the file is, the wire's errors, maps and their keys, and which object goes to whom
 *   flax_leaf.c    text and bytes: keys, UTF-8, pickles inside of leaves
 *   flax_array.c   what extensions hold: arrays, scalars, complex numbers
 *   flax_dtype.c   the names of their types
 *   flax_chunks.c  arrays that were split
 *
 * The file is walked once, before the pass; data of arrays is passed over, and examined in the pass where it stands. */
#pragma once

#include "format.h"
#include "msgpack.h"
#include "guess.h"
#include "scoped_names.h"
#include "utf8.h"
#include "weights.h"

#define FLAX_SIZE_MAX (UINT64_C(64) << 30)   /* of the file (rule 15) */
#define FLAX_NODES_MAX (UINT64_C(1) << 22)   /* objects */
#define FLAX_ENTRIES_MAX (UINT64_C(1) << 18) /* of one map or array */
#define FLAX_KEY_BYTES_MAX 1024u
#define FLAX_LEAF_BYTES_MAX (UINT64_C(64) << 10) /* of text or bytes that are no array (rule 13) */
#define FLAX_RANK_MAX 32u
#define FLAX_DIM_MAX (UINT64_C(1) << 48)
#define FLAX_DTYPE_BYTES_MAX 32u
#define FLAX_HEAD_BYTES 4096u /* of a leaf: as many as are gathered */

/* What a map holds under a key that a split array has. */
enum flax_role { FLAX_OTHER, FLAX_MARKER, FLAX_SHAPE, FLAX_CHUNKS };

/* The values of a map whose keys are "0", "1", ... : as dimensions, and as flat arrays to be put together. */
struct flax_sequence {
	bool given; /* there is such a map */
	uint64_t n; /* values */
	bool keys_bad, dims_bad, chunks_bad;
	uint64_t product;  /* of the dimensions */
	uint64_t elements; /* of the arrays */
	uint8_t dtype;     /* of the first */
};

/* A map or array that is open. */
struct flax_level {
	bool map;
	uint64_t at;
	uint32_t names_base;
	size_t path_n;       /* of its own path, as far as it is kept */
	uint64_t path_bytes; /* and in all */
	uint64_t n;          /* entries so far, the open one not counted */
	enum flax_role role; /* of the open entry */
	unsigned roles;      /* those that came; bits */
	bool marker_bad;     /* its value is not true */
	struct flax_sequence own, shape, chunks;
};

/* An extension that is open. */
struct flax_array {
	bool open;
	uint64_t at;
	int8_t type;    /* 1: array, 2: complex number, 3: scalar */
	unsigned depth; /* of its outermost object */
	unsigned part;  /* parts of that object that began */
	bool broken;    /* it is not laid out as it must be, which was reported */
	bool shape_bad;
	unsigned rank;
	uint64_t shape[FLAX_RANK_MAX];
	uint64_t elements;
	uint8_t dtype_text[FLAX_DTYPE_BYTES_MAX];
	uint64_t dtype_n, dtype_at; /* bytes of it in all */
	uint64_t data_at, data_n;
};

/* Text or bytes that come in pieces. */
struct flax_leaf {
	struct msgpack_object object;
	bool not_utf8;
	struct utf8_stream utf8;
	size_t head_n;
	uint8_t head[FLAX_HEAD_BYTES];
	struct pickle_guess guess; /* machine: NULL when there is no walk */
	uint64_t guess_next;       /* offset in the leaf */
};

struct flax {
	struct layout *l;
	struct msgpack_walker walker;
	struct scoped_names names;
	struct flax_level levels[MSGPACK_DEPTH_MAX + 1]; /* by depth */
	uint8_t path[MANIFEST_NAME_MAX];                 /* of the object that is read */
	size_t path_n;
	uint64_t path_bytes;
	struct flax_array array;
	struct flax_leaf leaf;
	uint64_t n_nodes;
	uint64_t covered; /* extents reach up to here */
	uint64_t n_tensors;
	uint8_t *pool; /* paths of tensors: extents.names */
	size_t pool_n, pool_room;
	bool broken;  /* something is not understood */
	bool stopped; /* a limit or memory: the cause is recorded */
};

/* -- flax.c -- */

/* About the object at @at, by its path. */
void flax_at(struct flax *f, enum wlk_finding code, uint64_t at);
void flax_value(struct flax *f, enum wlk_finding code, uint64_t at, uint64_t found, uint64_t allowed);
/* Memory is spent.  Return: false, to be passed on to the walker. */
bool flax_stop(struct flax *f);
struct bytes flax_path(const struct flax *f);
/* The key of the entry that is open, or the number of an array's item, becomes the end of the path. */
void flax_path_set(struct flax *f, const struct flax_level *v, struct bytes end);
/* A float that stands alone, with its bits. */
void flax_float(struct flax *f, enum wlk_dtype dtype, uint64_t bits, uint64_t at);
/* A key was read. */
bool flax_key(struct flax *f, struct bytes text, const struct flax_leaf *leaf);

/* -- flax_leaf.c -- */

void flax_leaf_begin(struct flax *f, const struct msgpack_object *o);
uint64_t flax_leaf_piece(struct flax *f, const uint8_t *at, size_t n, uint64_t offset);
bool flax_leaf_end(struct flax *f);

/* -- flax_array.c -- */

/* Is it an extension to be entered? */
enum msgpack_take flax_array_begin(struct flax *f, const struct msgpack_object *o);
/* What is in it. */
void flax_array_scalar(struct flax *f, const struct msgpack_object *o);
void flax_array_open(struct flax *f, const struct msgpack_object *o);
enum msgpack_take flax_array_data(struct flax *f, const struct msgpack_object *o);
uint64_t flax_array_piece(struct flax *f, const uint8_t *at, size_t n, uint64_t offset);
/* It is not laid out as it must be. */
void flax_array_break(struct flax *f, uint64_t at);
bool flax_array_end(struct flax *f, uint64_t offset);
/* Bytes up to `end` belong to no tensor. */
bool flax_cover(struct flax *f, uint64_t end);

/* -- flax_dtype.c -- */

enum flax_dtype_kind {
	FLAX_DTYPE_KNOWN,
	FLAX_DTYPE_ORDER,   /* a byte-order form of one */
	FLAX_DTYPE_OPAQUE,  /* known by its size; what is not finite in it nobody looks for */
	FLAX_DTYPE_UNKNOWN, /* or not one for arrays: objects, text, dates */
};

struct flax_dtype {
	enum flax_dtype_kind kind;
	enum wlk_dtype dtype; /* NONE: nothing to examine */
	uint8_t bytes;        /* of one element */
	bool big_endian;
};

struct flax_dtype flax_dtype_of(struct bytes name);

/* -- flax_chunks.c -- */

enum flax_role flax_role_of(struct bytes key);
/* A key of the map, and a value of it that is true or false, a number, an array of one dimension or something else. */
void flax_sequence_key(struct flax_sequence *s, struct bytes key);
void flax_sequence_dim(struct flax_sequence *s, uint64_t value);
void flax_sequence_chunk(struct flax_sequence *s, const struct flax_array *a, enum wlk_dtype dtype);
void flax_sequence_other(struct flax_sequence *s);
/* The map is closed. */
void flax_chunks_check(struct flax *f, const struct flax_level *v);

extern const struct wlk_format format_flax;
