/* FlatBuffers, verified as they are read: a pull reader over small schema strings.  Follows the format's "Internals" page
 * and formats/savedmodel, section 6.
 *
 * Every object that is reached is claimed: what belongs to nobody is left for the caller to prove zero, what belongs to two
 * overlaps.  Objects may be shared as a whole, which writers do with strings and vtables, so what is visited is counted: a
 * table in which everything is shared costs no more than one in which nothing is.  Bytes come through a cache of blocks
 * with a budget, for offsets lead wherever the file likes.  It knows no format: errors are numbers. */
#pragma once

#include "bytes.h"
#include "extents.h"
#include "part.h"
#include "siphash.h"

#define FB_FIELDS_MAX 20u /* of a schema */
#define FB_BLOCK ((size_t)64 * 1024)
#define FB_BLOCKS 64u          /* in memory: 4 MiB */
#define FB_TABLES_MAX 1000000u /* formats/savedmodel, section 6 */

/**
 * A table's fields, a letter each, in the order of the schema:
 *   1 2 4 8   a number of so many bytes
 *   g         a number of 4 bytes that the caller looks at for itself (value as of 4)
 *   s         a string
 *   b h i l   a vector of numbers of 1, 2, 4, 8 bytes;  G  as i, for the caller
 *   x y z     a vector of structs of 16 or 24 bytes, aligned to 8; of 12 bytes
 *   d         as b, but its bytes are the caller's to claim
 *   r         a table;  V  a vector of tables, or of strings (fb_string())
 *   u U       a union: its type, 1 byte, and the table
 */
struct fb_schema {
	const char *name;
	const char *fields;
};

enum fb_error {
	FB_OFFSET,  /* outside the file, backwards or misaligned */
	FB_VTABLE,  /* a table and its vtable contradict each other, or fields overlap */
	FB_STRING,  /* no NUL behind it, or no UTF-8; reading goes on */
	FB_UNKNOWN, /* a field that the schema does not have, or a union without type; reading goes on */
	FB_LIMIT,   /* too much to visit */
	FB_FAILED,  /* source or memory */
};

struct fb_table {
	const struct fb_schema *schema;
	uint64_t at;                   /* of the table */
	uint32_t present;              /* bit i: field i is there */
	uint64_t value[FB_FIELDS_MAX]; /* a number's bits; else where table, first element or first character is */
	uint32_t count[FB_FIELDS_MAX]; /* of a vector, a string */
};

struct fb {
	struct part part;
	struct extents *extents; /* claims: kind METADATA; in the order in which they were reached */
	struct arena *arena;
	struct siphash_key seed;
	void *ctx;
	void (*fault)(void *ctx, enum fb_error e, const char *schema, uint64_t at);
	bool failed;         /* after OFFSET, VTABLE, LIMIT, FAILED */
	uint64_t begin, end; /* of the buffer in the part: all of it, unless fb_frame() has said otherwise */
	/* private */
	uint64_t visited, visits_max; /* elements of vectors, bytes of tables and strings */
	uint32_t tables;
	uint64_t loads, loads_max; /* of blocks */
	uint8_t *blocks[FB_BLOCKS];
	uint64_t block_index[FB_BLOCKS]; /* plus 1; 0: none */
	uint32_t *slots;                 /* claims by their beginning: place in the list + 1 */
	uint32_t n_slots;
};

/* @fb: zeroed but for part, extents, arena, seed, ctx and fault.  False: no memory (told). */
bool fb_init(struct fb *fb);
/* All of these return false after a fault that is fatal, which has been told. */
bool fb_fail(struct fb *fb, enum fb_error e, const char *what, uint64_t at);
bool fb_read(struct fb *fb, uint64_t at, void *buf, size_t n);
bool fb_u32(struct fb *fb, uint64_t at, uint32_t *ret);
/* So many elements are about to be looked at. */
bool fb_visit(struct fb *fb, uint64_t n, uint64_t at);

/**
 * fb_claim() - these bytes belong to an object
 * @ret_index: its extent, which is an earlier one when the very same bytes were claimed before (*ret_shared).  NULL: not
 * asked for.
 */
bool fb_claim(struct fb *fb, uint64_t begin, uint64_t end, uint32_t *ret_index, bool *ret_shared);

/* The root, behind the offset at 0 and the identifier at 4, which the caller has seen. */
bool fb_root(struct fb *fb, uint64_t *ret_at);
/* From here on the buffer is [begin, end) of the part, without an identifier: nothing in it leads outside, and what is
 * aligned is aligned in it.  Claims go on in the same list.  @end: inside the part. */
bool fb_frame(struct fb *fb, uint64_t begin, uint64_t end, uint64_t *ret_root);
/* Read a table with all its numbers, strings and vectors of numbers; tables it refers to are the caller's to open. */
bool fb_open(struct fb *fb, uint64_t at, const struct fb_schema *schema, struct fb_table *ret);
/* Table i of a vector of tables. @i: below t->count[field]. */
bool fb_element(struct fb *fb, const struct fb_table *t, unsigned field, uint32_t i, uint64_t *ret_at);
/* A string that a vector refers to, at what fb_element() says: its first byte, and how many. */
bool fb_string(struct fb *fb, uint64_t at, uint64_t *ret_first, uint32_t *ret_n);
/* Number i of a vector of numbers of `bytes` bytes, little endian. */
bool fb_number(struct fb *fb, const struct fb_table *t, unsigned field, uint32_t i, unsigned bytes, uint64_t *ret);

/**
 * fb_is_left() - is this a table that nothing refers to?
 * It is small, and its vtable is one in use or was made for another such table: writers leave such behind that they made and did not need.
 * @at: of the table, or of its vtable in front of it; @end: of the hole that it is in.  *ret_end: where it ends, which is not
 * behind @end.  False also after a fault (@fb->failed), which has been told.
 */
bool fb_is_left(struct fb *fb, uint64_t at, uint64_t end, uint64_t *ret_end);

static inline bool fb_has(const struct fb_table *t, unsigned field)
{
	return (t->present >> field & 1) != 0;
}

/* A signed number of 4 bytes. */
static inline int32_t fb_i32(const struct fb_table *t, unsigned field)
{
	return (int32_t)(uint32_t)t->value[field];
}
