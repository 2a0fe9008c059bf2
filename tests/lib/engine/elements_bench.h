/* The sink of elements with all that it stands on, and what it told its report. */
#pragma once

#include "elements.h"
#include "told.h"

#define SIZE (UINT64_C(1) << 20) /* of the imagined file */

struct bench {
	struct told told;
	struct arena arena;
	struct extents extents;
	struct elements elements;
	struct pass_sink sink;
};

static inline void bench_init(struct bench *b)
{
	told_init(&b->told);
	arena_init(&b->arena, 1 << 20);
	extents_init(&b->extents, &b->arena);
	elements_init(&b->elements, &b->extents, &b->told.report);
	b->sink = elements_sink(&b->elements);
}

static inline void bench_end(struct bench *b)
{
	elements_end(&b->elements);
	told_end(&b->told, SIZE);
}

static inline void bench_done(struct bench *b)
{
	arena_done(&b->arena);
	told_done(&b->told);
}
