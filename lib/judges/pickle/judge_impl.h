/* Inside the judge: what its files share.  Nobody outside this folder includes it. */
#pragma once

#include "arguments.h"
#include "judge.h"
#include "object_map.h"

#define JUDGE_NAMES_SEEN 4096 /* slots: names told apart; with more, some are reported twice */

/* A machine, and what is remembered of its objects. */
struct judge_level {
	struct pickle *machine;
	struct object_map classes, dtypes, states, lengths;
};

struct pickle_judge {
	struct pickle_judge_options o;
	struct pickle *machine;
	struct arena *arena;
	struct object_map classes, dtypes, states, lengths;
	struct judge_level other; /* of the pickle around this one, or for the next one inside it */
	bool nested;
	struct pickle_summary summary;
	bool fetches;             /* a later stream that acts: from the memo */
	bool acted;               /* in this stream: an import, a call, a persistent id ... */
	enum call_standing worst; /* of what was found about the act that is judged */
	uint64_t disassembled;    /* in the run: up to here opcodes were shown */
	bool memory_spent;        /* something could not be remembered: nothing after it was judged in full */
	uint64_t end;             /* behind the last STOP */
	uint64_t fed;             /* of the run: how far it was seen */
	uint64_t run_end;         /* once it is known; a client may have asked to skip beyond it */
	uint64_t seen[JUDGE_NAMES_SEEN];
	size_t n_seen;
};

/* A finding with its place; cheap once the report wants no more of it. */
void judge_report(
    struct pickle_judge *j, enum wlk_finding code, uint64_t offset, struct bytes subject, struct value found);
/* show.c: for whoever asked what would be called.  @s: of the name that is called, or of the object's class. */
void judge_show(struct pickle_judge *j, const struct pickle_event *e, const struct pickle_standing *s);
/* disassembly.c: the opcodes that lead to the one at work. */
void judge_disassemble(struct pickle_judge *j);
/* judge.c: the machine's events. */
void judge_event(void *ctx, struct pickle *p, const struct pickle_event *e);
/* hidden.c: the machine's constants. */
void judge_constant(void *ctx, struct bytes head, uint64_t n, uint64_t offset);
