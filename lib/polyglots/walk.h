/* What the rules do while the pass goes by: signatures are searched for, and four grammars are walked from byte 0, which
 * may hop anywhere in the file.  So nothing is read a second time, whatever the file's size. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "msgpack_walk.h"
#include "pass.h"
#include "guess.h"
#include "protobuf_walk.h"
#include "search.h"
#include "tar_blocks.h"

/* Which of them; bits. */
enum {
	WALK_SEARCH = 1u << 0,
	WALK_PICKLE = 1u << 1,
	WALK_PROTOBUF = 1u << 2,
	WALK_MSGPACK = 1u << 3,
	WALK_SAVED_MODEL = 1u << 4,
	WALK_TAR = 1u << 5,
};

struct polyglot_walk {
	unsigned asked; /* WALK_* */
	struct search search;
	struct tar_blocks tar;
	struct protobuf_walk protobuf, saved_model;
	struct msgpack_walk msgpack;
	struct pickle_guess
	    guess;            /* machine: NULL before it began, after it ended, and when no pickle begins like this */
	uint64_t pickle_next; /* offset of the byte it wants; FEED_END: none */
	/* What a pickle machine is made of. */
	struct arena *arena;
	struct siphash_key seed;
	uint64_t size;
	struct judged_members members;
	bool out_of_memory;
};

/* @w: zeroed but for arena, seed, size, members and asked.  Adds itself to the pass. */
void polyglot_walk_begin(struct polyglot_walk *w, struct pass *p);
/* After the pass, or instead of it: gives the machine's memory back. */
void polyglot_walk_end(struct polyglot_walk *w);
