/* Is the whole file one MessagePack map, as Flax stores models?  Walked while the pass goes by. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MSGPACK_DEPTH_MAX 1024u /* of Python's msgpack */

struct msgpack_open {
	uint64_t left; /* objects to come: of a map, keys and values */
	bool map;
};

struct msgpack_walk {
	uint64_t size, next; /* of the file; offset of the byte it wants */
	bool dead;
	/* The object at work: its first byte, and the bytes of its length (or count, or extension type) still to come. */
	uint8_t type;
	unsigned missing;
	uint64_t number;
	struct msgpack_open open[MSGPACK_DEPTH_MAX];
	unsigned depth;
};

void msgpack_walk_begin(struct msgpack_walk *w, uint64_t size);
void msgpack_walk_feed(struct msgpack_walk *w, const uint8_t *at, size_t n, uint64_t offset);
/* Everything was fed: is it one map with text for keys, and nothing else? */
bool msgpack_walk_is_map(const struct msgpack_walk *w);
