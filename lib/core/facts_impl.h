/* Inside the decoder of reports: what its files share.  Nobody else includes it. */
#pragma once

#include "arena.h"
#include "checked.h"
#include "cursor.h"
#include "facts.h"
#include "part.h"

#define HEADER_BYTES 5 /* u32 length, u8 type */

/* Rows, digests and statistics of a manifest, with their record headers. */
#define FACTS_MANIFEST_MAX \
	(MANIFEST_BYTES_MAX + MANIFEST_ROWS_MAX * (1 + 2 * (HEADER_BYTES + 8) + 32 + TENSOR_STATS_BYTES))

/* What may still come: each phase only follows an earlier one. */
enum phase { PHASE_RECORDS, PHASE_OMITTED, PHASE_OVER };

struct facts_decoder {
	struct arena arena;
	enum phase phase;
	bool broken;
	uint64_t fed;
	size_t capacity[7]; /* of findings, rows, facts, calls, views, blocks, ranges */
	uint32_t n_views[N_VIEW_KINDS];
	uint64_t mapped; /* bytes of the file that ranges have told of: each begins where the one before ends */
	uint32_t listed[WLK_N_FINDINGS];
	uint64_t next_omitted;            /* codes come in ascending order */
	const struct manifest_sink *sink; /* NULL: no rows were asked for */
	uint64_t next_row;                /* their indexes ascend */
	bool sink_full;
	struct report_totals rows; /* sums over the listed rows */
	uint64_t furthest;         /* largest offset any record named in the file ... */
	uint64_t furthest_decoded; /* ... and in what may be a member's decoded bytes */
	size_t pending;            /* bytes of a record that is not whole yet */
	uint8_t record[HEADER_BYTES + REPORT_RECORD_MAX];
};

/* ---- facts.c ---- */

/* A string of at most so many bytes, copied: the record's buffer is used again. */
bool facts_take_text(struct facts_decoder *d, struct cursor *c, size_t max, struct bytes *ret);

static inline bool facts_take_string(struct facts_decoder *d, struct cursor *c, struct bytes *ret)
{
	return facts_take_text(d, c, REPORT_STRING_MAX, ret);
}

/* One more item in a list that doubles; NULL without memory. */
void *facts_grow(struct facts_decoder *d, void *list, size_t n, size_t *capacity, size_t item);
/* An offset, maybe with OFFSET_DECODED: facts_finish() compares it with the file's size. */
void facts_saw(struct facts_decoder *d, uint64_t offset);

/* ---- facts_asked.c: records that only some jobs ask for ---- */

bool facts_take_call(struct facts *f, struct cursor *c);
bool facts_take_view(struct facts *f, struct cursor *c);

/* ---- facts_claim.c: those of JOB_STRUCTURE, and what holds them to a whole scan ---- */

bool facts_take_pass(struct facts *f, struct cursor *c);
bool facts_take_block(struct facts *f, struct cursor *c);
bool facts_take_wanted(struct facts *f, struct cursor *c);
/* Does it say no more than a job can that did not see all bytes? */
bool facts_is_structure(const struct facts *f);
