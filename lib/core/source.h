/* The one door to the bytes of the file being judged: positioned reads over an injected reader, pinned ranges,
 * and re-reads that are proven to return what was hashed.  Follows docs/internals.md, "One pass".
 *
 * Nothing is ever mapped: a client can truncate a mapped file under us.
 * Immutable: our own spool or a fully sealed memfd.  Mutable: a file somebody may change while we look; then the
 * pass keeps the SHA-256 midstate before each block, and source_reread() re-hashes the block from midstate i and
 * must arrive at midstate i+1.  So every byte that was judged is a byte under the reported digest. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "bytes.h"
#include "preview.h"
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
};

/**
 * source_read_fn - pread(2) as the caller provides it
 * May return fewer bytes than asked (the source loops).
 * Return: bytes read, 0 at end of file, negative errno.
 */
typedef int64_t (*source_read_fn)(void *ctx, uint64_t offset, void *buf, size_t n);

#define SOURCE_BLOCK_MIN ((uint64_t)1 << 20) /* midstate every MiB: a re-read costs at most 1 ms of hashing */
#define SOURCE_MIDSTATES_MAX 65536           /* of ~250 bytes each: 16 MiB at any file size */
#define SOURCE_PINS_MAX 64                   /* ranges a layout may keep; more would be a walker's job */

struct source_pin {
	uint64_t begin, end; /* offsets in the file */
	const uint8_t *at;   /* in the arena */
};

struct source {
	source_read_fn read;
	void *ctx;
	uint64_t size; /* bytes, as the caller measured them */
	enum source_kind kind;
	struct arena *arena;                     /* borrowed; pins, midstates and re-read blocks come from it */
	enum source_err err;                     /* first failure, kept: every later call returns it */
	struct source_pin pins[SOURCE_PINS_MAX]; /* sorted by begin, disjoint */
	size_t n_pins;
	uint64_t pin_budget;              /* bytes still allowed */
	uint64_t reread_budget;           /* bytes still allowed to be re-hashed: the file's size to begin with */
	uint64_t block_size;              /* of midstates and re-reads; a power of two */
	struct evp_md_ctx_st *hash;       /* OpenSSL's EVP_MD_CTX; during the pass */
	uint64_t hashed;                  /* bytes the digest has seen */
	struct evp_md_ctx_st *range_hash; /* of [range_begin, range_end) alone, if somebody asked; else NULL */
	uint64_t range_begin, range_end;
	struct evp_md_ctx_st **midstates; /* [i]: before block i; the last: after all.  NULL when immutable */
	size_t n_midstates;               /* saved so far */
	uint8_t *block;                   /* the last block a re-read verified ... */
	uint64_t block_index;             /* ... and which one it is */
	bool block_valid;
	struct preview preview; /* what was read before the pass without being kept */
	bool undigested;        /* the digest is somebody else's to take */
	bool passed;            /* the pass is over: re-reads are allowed, pins no longer */
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

/* Take no digest of the whole file: it is taken where nothing is parsed.  Before the pass, of an immutable file only. */
void source_leave_digest(struct source *src);

/* The first failure is kept.  Return: false. */
bool source_fail(struct source *src, enum source_err err);

/* The cause a report_stop() needs for src->err; never called with SOURCE_OK. */
enum wlk_cause source_cause(enum source_err err);

/* Fetch SHA-256 from OpenSSL, which opens files to do so, and make the next pass ready: call it before the jail closes
 * and before threads.
 * Return: false when OpenSSL has no SHA-256. */
bool sha256_prefetch(void);

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
/* The next n bytes of the file, in order; saves a midstate at every block border of a mutable source, and compares what
 * was previewed. */
bool source_hash(struct source *src, const uint8_t *at, size_t n);
/* All of the file was hashed: see that it ends there, and take the digest (zeros where it is somebody else's to take). */
bool source_hash_end(struct source *src, uint8_t ret_digest[32]);

/* -- SHA-256 of other runs of bytes, one after the other: a state is made once and begun again -- */

struct evp_md_ctx_st *sha256_new(void);        /* NULL without memory */
void sha256_free(struct evp_md_ctx_st *state); /* NULL is fine */
/* Return: false: without memory. */
bool sha256_begin(struct evp_md_ctx_st *state);
bool sha256_feed(struct evp_md_ctx_st *state, const uint8_t *at, size_t n);
bool sha256_end(struct evp_md_ctx_st *state, uint8_t ret_digest[32]);
