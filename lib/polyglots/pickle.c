/* P10, pickle: does the file load as one from byte 0?  The pickle machine walked it as the pass went by.
 *
 * A pickle that has called what it imported was run, whatever follows; but a header of 26,920 bytes begins with "(i",
 * which makes all of it the name of a class, so what is imported has to be a name.  One that only holds data has to reach STOP, and
 * to be no accident: a header whose length spells BINUNICODE lands somewhere in its own text, and "2." there (layer 2 of
 * something) is DUP, STOP.  So without PROTO it takes a number of opcodes that no text walks through.  Measured with
 * headers of every length and real names: see docs/formats/polyglots.md. */
#include "probes.h"

#include "pickle.h"

#define OPCODES_ANNOUNCED 3 /* PROTO, a value, STOP */
#define OPCODES_OTHERWISE 8

/* "PK" is a persistent id that ends with the line: nobody's pickle.load() takes it, and archives begin like that. */
static bool begins_zip(struct bytes head)
{
	return begins_with(head, "PK\3\4", 4) || begins_with(head, "PK\5\6", 4);
}

static bool is_announced(struct bytes head)
{
	return head.n >= 2 && head.at[0] == 0x80 && head.at[1] >= 2 && head.at[1] <= 5;
}

static const char *evidence_of(const struct pickle_guess *g, bool announced)
{
	if (g->misnamed)
		return NULL;
	if (g->acts)
		return "it calls what it imports";
	if (g->ended == PICKLE_LIMIT_OPCODES || g->ended == PICKLE_LIMIT_STACK || g->ended == PICKLE_LIMIT_MEMORY ||
	    g->ended == PICKLE_LIMIT_WORK)
		return "it goes on beyond what is walked";
	if (g->ended == PICKLE_STOPPED && g->opcodes >= (announced ? OPCODES_ANNOUNCED : OPCODES_OTHERWISE))
		return "it reaches STOP";
	return NULL;
}

void find_pickle(struct view *v)
{
	const char *evidence = begins_zip(v->head) ? NULL : evidence_of(&v->pg->walk->guess, is_announced(v->head));

	if (evidence != NULL)
		found(v, WLK_F_POLYGLOT_PICKLE, 0, "pickle", evidence);
}
