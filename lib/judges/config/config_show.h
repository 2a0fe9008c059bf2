/* What a configuration would have called, for who asked for calls (call_text.h): os.system(command="id").
 *
 * The walk keeps of a file what some rule asks for, and arguments are what no rule asks for: so all entries are written on a tape
 * of its own, of bounded length, and nobody judges by it.  What is told is remembered by its place, and put into words at
 * the end, when what stands around it is known.  A list or map of more than SHOWN_ENTRIES_MAX entries is data and leaves only a
 * mark; so does what does not fit. */
#pragma once

#include "config.h"
#include "report.h"

#define SHOWN_ENTRIES_MAX 256u

struct config_tape;

/* NULL: nobody asked, or there is no memory, and then nothing is shown.  The others take NULL. */
struct config_tape *config_tape_begin(struct layout *l);
/* As config_take(); of a map or list, what follows is in it. */
void config_tape_take(struct config_tape *t, enum config_type type, struct bytes key, struct bytes text, uint64_t at);
void config_tape_close(struct config_tape *t);
/* A map or list that stands elsewhere (YAML's aliases): of that only a mark. */
void config_tape_again(struct config_tape *t, struct bytes key, uint64_t at);
/* A finding about what stands at @at. */
void config_tape_told(struct config_tape *t, enum wlk_finding code, struct bytes found, uint64_t at);
/* Reports the calls, and frees. */
void config_tape_end(struct config_tape *t);

/* One finding, about what nobody keeps the surroundings of. */
void config_show_alone(struct layout *l, enum wlk_finding code, struct bytes found, uint64_t at);
