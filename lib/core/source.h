/* The one door to the bytes of the file being judged: positioned reads over an injected reader, pinned ranges,
 * and re-reads that are proven to return what was hashed.  Follows docs/internals.md, "One pass".
 *
 * Nothing is ever mapped: a client can truncate a mapped file under us.
 * Immutable: our own spool or a fully sealed memfd.  Mutable: a file somebody may change while we look; then whoever
 * takes the digest keeps SHA-256's chaining value before each block, and source_reread() hashes the block from value i and
 * must arrive at value i+1.  Who takes it is somebody else, who parses nothing (struct source_flow): the pass then sees the
 * very bytes that are hashed there, and all that was read before must be the same.  So every byte that was judged is a byte
 * under the reported digest. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "bytes.h"
#include "partial.h"
#include "preview.h"
#include "sha256.h"
#include "status.h"

enum source_kind { SOURCE_IMMUTABLE, SOURCE_MUTABLE };

enum source_err {
	SOURCE_OK,
	SOURCE_UNREADABLE, /* the reader failed */
	SOURCE_TRUNCATED,  /* end of file before `size` */
	SOURCE_CHANGED,    /* a re-read differs from what was hashed, or bytes appeared behind `size` */
	SOURCE_MEMORY,     /* the arena, the pins' budget or the C library's memory is spent */
	SOURCE_BUDGET,     /* more re-reads than the file has bytes */
	SOURCE_WORK,       /* more work than the scan may do: work.h */
	SOURCE_ABSENT,     /* not there: partial.h */
	SOURCE_UNPROVEN,   /* nobody noted what is there: likewise */
};

/**
 * source_read_fn - pread(2) as the caller provides it
 * May return fewer bytes than asked (the source loops).
 * Return: bytes read, 0 at end of file, negative errno.
 */
typedef int64_t (*source_read_fn)(void *ctx, uint64_t offset, void *buf, size_t n);

#define SOURCE_BLOCK_MIN ((uint64_t)1 << 20) /* a chaining value every MiB: a re-read costs at most 1 ms of hashing */
#define SOURCE_BLOCKS_MAX 65536              /* of 32 bytes each: 2 MiB at any file size */
#define SOURCE_PINS_MAX 64                   /* ranges a layout may keep; more would be a walker's job */

struct source_pin {
	uint64_t begin, end; /* offsets in the file */
	const uint8_t *at;   /* in the arena */
};

/* A mutable file going by once, in memory that somebody else fills and hashes. */
struct source_flow {
	/* [offset, offset+n), inside one block of FLOW_BLOCK; waits.  NULL: it will not come. */
	const uint8_t *(*at)(void *ctx, uint64_t offset, size_t n);
	/* After what at() returned was used: was it that all the time?  (Its place is used again, but not before its time.) */
	bool (*intact)(void *ctx, uint64_t offset);
	/* After the pass, waits: the chaining value before each block (of source_block_size()), and the digest behind the
	 * last.  NULL: they will not come. */
	const uint8_t (*(*chains)(void *ctx))[SHA256_BYTES];
	void *ctx;
};

#define FLOW_BLOCK ((size_t)256 * 1024) /* as the pass goes (pass.h) */

struct source {
	source_read_fn read;
	void *ctx;
	uint64_t size; /* bytes, as the caller measured them */
	enum source_kind kind;
	struct arena *arena;                     /* borrowed; pins, midstates and re-read blocks come from it */
	enum source_err err;                     /* first failure, kept: every later call returns it */
	struct source_pin pins[SOURCE_PINS_MAX]; /* sorted by begin, disjoint */
	size_t n_pins;
	uint64_t pin_budget;            /* bytes still allowed */
	uint64_t reread_budget;         /* bytes still allowed to be re-hashed: the file's size to begin with */
	uint64_t block_size;            /* of chaining values and re-reads; a power of two */
	const struct source_flow *flow; /* borrowed; NULL: everything is read */
	struct sha256 hash;             /* during the pass */
	bool hashing;                   /* it has begun */
	uint64_t hashed;                /* bytes that have gone by */
	struct sha256 *range_hash;      /* of [range_begin, range_end) alone, if somebody asked; else NULL */
	uint64_t range_begin, range_end;
	uint8_t (
	    *chains)[SHA256_BYTES]; /* [i]: before block i; the last: the digest.  NULL when immutable, or another's */
	uint8_t *block;             /* the last block a re-read verified ... */
	uint64_t block_index;       /* ... and which one it is */
	bool block_valid;
	struct preview preview;      /* what was read before the pass without being kept */
	bool undigested;             /* the digest is somebody else's to take */
	bool passed;                 /* the pass is over: re-reads are allowed, pins no longer */
	struct partial *partial;     /* borrowed; NULL: all of the file is read */
	struct partial_notes *notes; /* borrowed; NULL: nobody wants any */
};

/**
 * source_init() - describe the file
 * @src: caller's memory. @read, @ctx: borrowed until source_done(). @arena: borrowed, outlives @src.
 * @pin_budget: bytes that may be pinned in all (default 16 MiB; a layout with a bounded header of its own raises
 *              it by source_raise_pin_budget()).
 */
void source_init(struct source *src, source_read_fn read, void *ctx, uint64_t size, enum source_kind kind,
    struct arena *arena, uint64_t pin_budget);
void source_done(struct source *src);
void source_raise_pin_budget(struct source *src, uint64_t bytes);

/* Take no digest of the whole file: it is taken where nothing is parsed.  Before the pass, of an immutable file. */
void source_leave_digest(struct source *src);
/* The same of a mutable one, which the pass sees as it is hashed.  @flow: borrowed until source_done(). */
void source_follow(struct source *src, const struct source_flow *flow);
/* Of chaining values, for a file of @size bytes: the larger of SOURCE_BLOCK_MIN and size/SOURCE_BLOCKS_MAX, a power of two. */
uint64_t source_block_size(uint64_t size);

/* The first failure is kept.  Return: false. */
bool source_fail(struct source *src, enum source_err err);

/* The cause a report_stop() needs for src->err; never called with SOURCE_OK. */
enum wlk_cause source_cause(enum source_err err);

/* Read no more than is there, and only what it must be.  No pass follows. */
static inline void source_read_partly(struct source *src, struct partial *p)
{
	src->partial = p;
}

/* Note what is read before the pass; head and tail are, too. */
void source_note(struct source *src, struct partial_notes *notes);

/* [offset, offset+n) will be read: it had better be there with what else is missing.  Clipped to the file. */
void source_want(struct source *src, uint64_t offset, uint64_t n);
/* What was absent is asked for, and others may be read: true once.  Who goes on so ends with source_fail(SOURCE_ABSENT). */
bool source_forgive_absent(struct source *src);
/* Before reads in a row (@ahead), and after them. */
void source_expect_more(struct source *src, bool ahead);

/**
 * source_pin() - read [offset, offset+n) once and keep it; the pass will hash these very bytes
 * Before the pass only.  The range must lie inside the file and may overlap earlier pins (then only the missing
 * parts are read, and the result is one joined pin).
 * Return: pointer to the n bytes, valid as long as the arena; NULL: src->err says why.
 */
const uint8_t *source_pin(struct source *src, uint64_t offset, size_t n);

/**
 * source_reread() - bytes of the file after the pass, proven to be those that were hashed
 * The range must lie inside the file.  Sorted by offset, re-reads hash each block once.
 * Return: true; false: src->err says why (SOURCE_CHANGED when the file was changed).
 */
bool source_reread(struct source *src, uint64_t offset, void *buf, size_t n);

/**
 * source_hash_range() - have the pass take a second SHA-256, of [begin, end) alone
 * For a format with a checksum of its own.  Before the pass, once; the range must lie inside the file.  Costs another
 * hashing of the range, and no reading.
 * Return: false: src->err says why.
 */
bool source_hash_range(struct source *src, uint64_t begin, uint64_t end);

/* That digest, once, after the pass.  Return: false: src->err says why. */
bool source_range_digest(struct source *src, uint8_t ret_digest[32]);

/* For the pass alone, from here on: all return false when src->err is set. */

/* The raw reader with short reads joined. */
bool source_read_exact(struct source *src, uint64_t offset, void *buf, size_t n);
bool source_hash_begin(struct source *src);
/* What flows by at offset; NULL: src->err is set.  And after it was used; true of a source that does not flow. */
const uint8_t *source_flowing(struct source *src, uint64_t offset, size_t n);
bool source_flowed(struct source *src, uint64_t offset);
/* The next n bytes of the file, in order; compares what was previewed, and, of a source that flows, pinned. */
bool source_hash(struct source *src, const uint8_t *at, size_t n);
/* All of the file was hashed: see that it ends there, and take the digest (zeros where it is somebody else's to take). */
bool source_hash_end(struct source *src, uint8_t ret_digest[32]);
