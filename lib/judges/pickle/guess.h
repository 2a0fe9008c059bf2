/* Is this a pickle, though nothing announces it?  Protocols 0 and 1 have no signature, and PROTO is optional in all: such
 * bytes are walked, and known by what they do.  Prose that begins like an import ("continue", "chapter") imports at most;
 * to call what was imported, or to end behind it, takes more than chance. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "pickle.h"

struct pickle_guess {
	struct pickle *machine;
	uint64_t size;
	bool imports;
	bool
	    acts; /* calls or changes what it imported by name, or an extension; or imports and stops: whatever follows */
	bool whole;    /* one pickle from the first byte to the last */
	bool misnamed; /* imports what nothing importable has for a name: no loader gets beyond that */
	/* How the walk ended, unless it was sure before. */
	enum pickle_end ended;
	uint64_t opcodes;
};

/* False when the arena is spent. @size: bytes that will be fed, or STREAM_SIZE_UNKNOWN. */
bool pickle_guess_begin(
    struct pickle_guess *g, struct arena *a, uint64_t size, uint64_t opcodes_max, struct siphash_key seed);
/* A feed_fn, @ctx: struct pickle_guess.  Ends as soon as it is sure. */
uint64_t pickle_guess_feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset);
/* No more bytes: completes the guess, and gives the machine's memory back. */
void pickle_guess_end(struct pickle_guess *g);
