/* The tape of config_show.h, as what writes it and what reads it share it. */
#pragma once

#include "config_show.h"

#define TAPE_NONE UINT32_MAX
#define TAPE_TOLD_MAX (2 * REPORT_CALLS_MAX)

struct tape_text {
	uint32_t at, n; /* in the tape's texts */
	bool cut;
};

struct tape_entry {
	uint64_t at;
	struct tape_text key, text;
	uint32_t parent;  /* TAPE_NONE */
	uint32_t end;     /* the entry behind all that is in it */
	uint32_t n;       /* entries of a map or list, kept or not */
	uint32_t texts_n; /* of the tape, before it */
	uint8_t type;     /* enum config_type */
	bool cut;         /* not all of them are here */
};

struct tape_told {
	enum wlk_finding code;
	struct bytes found;
	uint64_t at;
};

struct config_tape {
	struct layout *l;
	struct tape_entry *entries;
	uint8_t *texts;
	uint32_t n, room, texts_n, texts_room;
	uint32_t open;    /* the innermost that is kept; TAPE_NONE */
	uint32_t skipped; /* maps and lists in it that are open and not kept */
	struct tape_told told[TAPE_TOLD_MAX];
	unsigned n_told, n_of[N_CALL_STANDINGS];
};

static inline struct bytes tape_bytes(const struct config_tape *t, struct tape_text text)
{
	return bytes_of(t->texts + text.at, text.n);
}

/* How much is to be feared of what this is told of; CALL_ALLOWED: it is no call. */
enum call_standing config_call_standing(enum wlk_finding code);
/* As text: what was told, with what stands around it. */
void config_show_told(const struct config_tape *t, const struct tape_told *told, struct call_text *text);
