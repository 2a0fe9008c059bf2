/* What loading costs whoever loads: steps (about ten nanoseconds of CPython each) and bytes, counted as the machine walks,
 * saturating, over all streams of a run, and held against what was read so far.  An honest loader's cost is linear in the
 * file; what a file of kilobytes makes of gigabytes or minutes is deliberate: calls that copy a shared container again
 * and again, keys of equal hash, containers used as keys whose traversal is exponential, allocation by number.
 *
 * A value counts what making it takes in CPython 3.11 [measured], rounded up; a call may copy each of its arguments once;
 * a key is hashed once, and compared with every key that it meets on its way through the table (collisions.c).
 * Nobody outside this folder includes it. */
#pragma once

#include "machine.h"

#define COST_STEPS_BASE UINT64_C(150000000) /* 1.5 s */
#define COST_STEPS_PER_BYTE 64u
#define COST_BYTES_BASE (UINT64_C(512) << 20)
#define COST_BYTES_PER_BYTE 48u /* of objects made by opcodes honest pickles hold below 40 bytes a byte */

/* A call may not be told from one that never ends. */
#define COST_BOUNDLESS (UINT64_C(1) << 60)

void cost_steps(struct pickle *p, uint64_t n);
void cost_bytes(struct pickle *p, uint64_t n);
/* Too much already: nothing need be counted any more. */
static inline bool cost_over(const struct pickle *p)
{
	return p->cost.steps_noted || p->expansion_noted;
}

/* What judging it takes us, against the scan's budget: arguments are walked at every call, and a dotted name is looked up
 * at every component.  False when the budget is spent: the walk has ended. */
bool cost_work(struct pickle *p, pickle_value target, pickle_value args);
/* target(*args, **kwargs) is called, or target is given the state args. */
void cost_call(struct pickle *p, pickle_value target, pickle_value args, pickle_value kwargs);
void cost_build(struct pickle *p, pickle_value state);
/* container[key], or key in a set; at: how many keys it had. */
void cost_key(struct pickle *p, pickle_value container, pickle_value key, uint64_t at);
/* list[index] = item */
void cost_index(struct pickle *p, pickle_value target, pickle_value index);
/* What hashing an object takes that target(*args) made: a tuple's goes through its items. */
uint64_t cost_of_hash(const struct pickle *p, pickle_value target, pickle_value args);

/* -- hashes.c: what CPython hashes keys to -- */

#define HASH_MODULUS ((UINT64_C(1) << 61) - 1) /* sys.hash_info.modulus */

enum key_hash {
	HASH_SALTED, /* nobody can choose it: strings, and what hashes as they do */
	HASH_NARROW, /* small integers: a list of them fills no table that leads far, but what is looked up in one may */
	HASH_CHOSEN, /* the file's choice, and known */
	HASH_OPAQUE, /* the file's choice, and not known: believed equal to all of its kind */
};
enum key_hash collision_hash(const struct pickle *p, pickle_value key, uint64_t *ret_hash);
bool collision_is_wide(const struct pickle *p, pickle_value key);
/* Of an integer; false: it is none, or nobody kept it. */
bool collision_hash_int(const struct pickle *p, pickle_value v, uint64_t *ret);
/* Hash of an integer in two's complement, little-endian: its value modulo 2^61 - 1. */
uint64_t collision_hash_integer(const uint8_t *at, size_t n);

/* -- collisions.c: hash tables as CPython fills them -- */

/* Enters a key of this hash; returns the entries it met on its way, ret_equal: those of the same hash.  @keys: before it. */
uint64_t collision_enter(
    struct pickle *p, pickle_value container, pickle_value key, uint64_t hash, uint64_t keys, uint64_t *ret_equal);
/* Items for a list that had so many; and what those of it meet in a set, where that is known. */
void collision_list(struct pickle *p, pickle_value list, const pickle_value *items, uint32_t n, uint32_t had);
bool collision_list_met(const struct pickle *p, pickle_value list, uint64_t *ret);
/* A key whose hash is nobody's choice. */
void collision_skip(struct pickle *p, pickle_value container);
/* What its keys met so far. */
uint64_t collision_met(const struct pickle *p, pickle_value container);
void collisions_forget(struct pickle *p);
