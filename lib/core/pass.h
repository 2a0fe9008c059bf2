/* The one sequential pass: every byte of the file once, in blocks small enough to stay in cache, fed to the
 * digest, to the sink (elements of tensors, padding), to the walkers and to the captures while it is hot.
 * Pinned bytes are fed from memory instead of being read again, or compared with what flows by (struct source_flow), so what
 * was parsed is what was hashed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "extents.h"
#include "report.h"
#include "slicer.h"
#include "source.h"
#include "status.h"

#define PASS_BLOCK ((size_t)256 * 1024) /* fastest block measured: fits L2 beside the digest's state */
#define PASS_CAPTURES_MAX 96            /* head, tail, and a probe per power of two, with room */

/* Pushed through the whole file.  Keeps at most 64 KiB of carry; never calls the source. */
struct walker {
	void *ctx;
	void (*feed)(void *ctx, const uint8_t *at, size_t n, uint64_t offset);
};

/* A range somebody wants to look at after the pass, copied as it goes by: under the digest without a re-read. */
struct capture {
	uint64_t begin, end; /* file offsets, inside the file */
	uint8_t *at;         /* end - begin bytes, from the arena */
};

struct pass {
	struct source *src;
	struct report *report;
	const struct extents *extents; /* sorted by extents_cover(); may be NULL */
	const struct pass_sink *sink;  /* lib/engine/member.h; may be NULL when extents is */
	struct walker walkers[8];
	size_t n_walkers;
	struct capture captures[PASS_CAPTURES_MAX];
	size_t n_captures;
};

void pass_init(struct pass *p, struct source *src, struct report *r);
void pass_add_walker(struct pass *p, struct walker w);

/**
 * pass_capture() - ask for a range before the pass; clipped to the file
 * Return: the capture, whose bytes are valid after pass_run(); NULL when the arena is spent.
 */
const struct capture *pass_capture(struct pass *p, uint64_t begin, uint64_t n);

/**
 * pass_run() - read, hash and feed the whole file
 * @ret_digest: SHA-256 of exactly the bytes that were fed (source_leave_digest(), source_follow(): zeros); written only with WLK_DONE.
 * Sends progress through the report.  Afterwards src->passed is set and source_reread() works.
 * Return: WLK_DONE, or WLK_INCOMPLETE (unreadable, truncated, changed, memory; the cause is in the report).
 */
enum wlk_status pass_run(struct pass *p, uint8_t ret_digest[32]);
