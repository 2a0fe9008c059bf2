/* Which names appear twice?  One exactly sized open-addressing table, filled once all names are known; keyed hash,
 * because the names are the attacker's.  docs/performance.md has the measurements behind the shape. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "json_text.h"
#include "siphash.h"

struct names {
	void *ctx;
	struct json_text (*at)(void *ctx, uint32_t i);
	/* Name i equals the name `earlier`, the last one before it that does. */
	void (*twice)(void *ctx, uint32_t i, uint32_t earlier);
	struct siphash_key seed;
	/* Of a caller that has taken names_hash() of each already: that of name i at hashes[i * hash_stride].  NULL: they
	 * are taken here. */
	const uint32_t *hashes;
	size_t hash_stride;
};

/* Half of a keyed hash: enough to tell millions of names apart, as the few that agree are compared. */
static inline uint32_t names_hash(const struct json_text *name, const struct siphash_key *seed)
{
	return (uint32_t)json_text_hash(name, seed);
}

/**
 * names_check() - compare n names, decoded, with each other
 * @n: below 2^31.
 * Memory: at most 16 bytes a name and none for few, given back before it returns.  Time: linear, whatever the names.
 * Return: false when the arena is spent.
 */
bool names_check(const struct names *names, size_t n, struct arena *arena);
