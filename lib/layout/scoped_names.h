/* The names of a graph and of the graphs in it, as a reader sees them that goes through the file once.  A name is 128 bits
 * of SipHash under two secret keys, so what meets in the table is equal, and memory does not grow with the length of names.
 *
 * Scopes are a stack: what a graph adds goes when it ends.  Fields of a graph come in any order (nodes usually before the
 * initializers and inputs they use), so a name that is used but not yet known is kept as pending, and asked again when its
 * graph ends. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "bytes.h"
#include "siphash.h"

struct scoped_name {
	uint64_t a, b;
};

/* What is known of a name; one entry each. */
enum scoped_name_kind {
	SCOPED_OUTPUT, /* of a node */
	SCOPED_INPUT,  /* of the graph */
	SCOPED_INITIALIZER,
	SCOPED_COMING,  /* will be an output of the node that is open */
	SCOPED_PENDING, /* used at offset `at` */
	SCOPED_SETTLED, /* was pending, and has been judged */
	SCOPED_LIFTED,  /* was pending, and is a matter of the scope around its own */
	SCOPED_KEY,     /* anything else that must be unique: the hash says of what */
};

struct scoped_entry {
	struct scoped_name name;
	uint64_t at;   /* offset in the part */
	uint32_t next; /* in its bucket; 0: none; else index + 1 */
	uint8_t kind;
};

struct scoped_names {
	struct arena *arena; /* borrowed */
	struct siphash_key keys[2];
	struct scoped_entry *list;
	uint32_t n, room;
	uint32_t *buckets; /* a power of two; newest entry first: index + 1 */
	uint32_t n_buckets;
	bool failed; /* the arena is spent: nothing more is remembered, and the scan has to stop */
};

#define SCOPED_NAMES_MAX (UINT32_C(1) << 23) /* of 32 bytes: what 2^20 nodes can use at most, in a graph that is one */

void scoped_names_init(struct scoped_names *t, struct arena *a, const struct siphash_key *seed);

/* @salt: tells apart what may share a spelling (a metadata key and a value). */
struct scoped_name scoped_name_of(const struct scoped_names *t, struct bytes text, uint64_t salt);

void scoped_names_add(struct scoped_names *t, struct scoped_name name, enum scoped_name_kind kind, uint64_t at);
/* The newest of one of these kinds (a bit each) at or above index @base; NULL when there is none. */
struct scoped_entry *scoped_names_find(
    const struct scoped_names *t, struct scoped_name name, unsigned kinds, uint32_t base);
/* Forget everything at and above @base. */
void scoped_names_cut(struct scoped_names *t, uint32_t base);
/* As scoped_names_cut(), but entries of kind LIFTED above @base, @n of them, go to the scope around it (which begins at @outer)
 * as PENDING, those that are defined or pending there excepted.  Return: false when memory is spent. */
bool scoped_names_lift(struct scoped_names *t, uint32_t base, uint32_t n, uint32_t outer);
