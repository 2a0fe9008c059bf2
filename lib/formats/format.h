/* A format is a value: adding one is a file, a line in the table, its findings, its corpus and its fuzz target.
 * Coverage, hashing, weights and polyglots are done once for all from the extents. */
#pragma once

#include "extents.h"
#include "formats.h"
#include "job.h"
#include "report.h"
#include "siphash.h"
#include "source.h"
#include "status.h"

/* What a layout works with.  All borrowed. */
struct layout {
	struct source *src;
	const struct limits *lim;
	struct siphash_key seed;
	struct arena *arena;
	struct report *report;
	struct extents *extents; /* to be filled, and proven by extents_cover() */
};

/* Memory for one scan: what a scan needs whatever the file, plus three bytes for each byte of header - the pinned
 * header itself, 32 bytes of extent and 16 of name table for each of its entries, of 50 bytes at least. */
#define LAYOUT_MEMORY_BASE (UINT64_C(48) << 20)
#define LAYOUT_MEMORY_PER_HEADER_BYTE 3u

/* Bytes, never above the policy's limit. */
size_t layout_memory(const struct limits *lim, uint64_t header_bytes);

/**
 * layout_stop() - the source or the arena refused: record why
 * Return: WLK_INCOMPLETE, to be passed on.
 */
enum wlk_status layout_stop(struct layout *l);

struct wlk_format {
	enum wlk_format_id id;
	/* Does the head look like it?  At most 4 KiB of head; size is the file's.  No allocation. */
	bool (*probe)(const uint8_t *head, size_t n, uint64_t size);
	/* Reads the structure through pins and cursors; says what every byte of the file is. */
	enum wlk_status (*layout)(struct layout *l);
};

extern const struct wlk_format *const wlk_formats[];
extern const size_t wlk_n_formats;
