/* One line at the bottom of a terminal that says how far a long scan is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "walk.h"

#define PROGRESS_EVERY_MS 100

struct progress {
	bool wanted; /* standard error is a terminal, and nobody said no */
	bool shown;
	int64_t start_ms, drawn_ms;
};

/* What the line says. */
struct progress_state {
	size_t n_done;
	uint64_t bytes_done;   /* of files done and under way */
	const char *name;      /* of the file whose line comes next; NULL: none */
	uint64_t size, at;     /* of that file, bytes */
	struct walk_count all; /* so far as it was counted; nothing: nobody counts */
};

void progress_init(struct progress *p, bool allowed, int64_t now);
/* When it wants to be drawn again; INT64_MAX: never. */
int64_t progress_next_ms(const struct progress *p);
/* Draw, if it is time. */
void progress_draw(struct progress *p, const struct progress_state *s, int64_t now);
/* Take the line away: before anything else is printed, and at the end. */
void progress_clear(struct progress *p);
