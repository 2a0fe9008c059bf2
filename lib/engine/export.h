/* Conversion: the tensors that a layout lists, written as a safetensors file while the pass goes by.
 *
 * No format is read here.  Rows of the manifest say what tensors there are (report_taker), extents which bytes of the pass
 * are whose (extents_row()), views what loaders make of them.  Before the pass all of it becomes a plan: every tensor has its
 * place in the output, and the header is written.  In the pass, elements that stand as the output has them are handed on;
 * those that stand in another order go through a window of WINDOW_BYTES, and are written where they belong.  Nothing is
 * read again, so what is written is what was hashed.
 *
 * Whatever does not fit makes it refuse: then nothing more is written, and there is no output. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "convert.h"
#include "extents.h"
#include "report.h"

struct exports;

struct export_options {
	struct arena *arena;
	struct report *report;
	/* pwrite(2) on the output, all of it.  False: it could not be written. */
	bool (*write)(void *ctx, uint64_t offset, const void *at, size_t n);
	void *ctx;
	uint64_t output_max, header_max; /* bytes */
	enum wlk_dtype cast;             /* floats of the other sizes become such; NONE: types stay */
	bool leave;                      /* what cannot be converted is left behind, and no reason to refuse */
};

/* Is it one of the floats that others can become? */
bool exports_casts_to(enum wlk_dtype dtype);

/* Takes the report's rows from now on (report.taker).  NULL when the arena is spent. */
struct exports *exports_new(const struct export_options *o);

/* There will be no output; the first reason counts.  @subject: what it is about, copied; may be empty. */
void exports_refuse(struct exports *ex, enum convert_reason why, struct bytes subject);
bool exports_refused(const struct exports *ex);

/* All rows are there: order, places, promises, header.  @framework: for the metadata; may be empty. */
void exports_plan(struct exports *ex, struct bytes framework);

/* The pass: one extent after the other. */
void exports_begin(struct exports *ex, const struct extents *x, const struct extent *e);
void exports_feed(struct exports *ex, const uint8_t *at, size_t n);
void exports_end(struct exports *ex);

/* After the pass, when the report knows all tensors: what became of it, as facts.  @sound: the scan is complete.
 * @told: the layout has said of everything that is no tensor; else all tensors must have been listed. */
void exports_finish(struct exports *ex, bool sound, bool told);
