/* Implements guess.h. */
#include "guess.h"

#include "opcodes.h"

#define NAME_BYTES 255 /* no file, so no module, has a longer one */

/* Visible characters: what a line of text is not. */
static bool is_name(struct bytes s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.at[i] <= ' ' || s.at[i] == 0x7f)
			return false;
	return s.n > 0 && s.n <= NAME_BYTES;
}

/* Names that the pickle itself computes are believed; on a line there are only those too long for any. */
static bool may_be_imported(const struct pickle *p, const struct pickle_event *e)
{
	struct bytes module, name;

	if (pickle_kind(p, e->target) != PICKLE_GLOBAL)
		return e->opcode == OP_STACK_GLOBAL;
	return pickle_global(p, e->target, &module, &name) && is_name(module) && is_name(name);
}

static void see(void *ctx, struct pickle *p, const struct pickle_event *e)
{
	struct pickle_guess *g = ctx;
	enum pickle_kind kind;

	g->imports |= e->act == PICKLE_ACT_IMPORT;
	g->misnamed |= e->act == PICKLE_ACT_IMPORT && !may_be_imported(p, e);
	if (e->act != PICKLE_ACT_CALL && e->act != PICKLE_ACT_NEW && e->act != PICKLE_ACT_BUILD &&
	    e->act != PICKLE_ACT_MUTATE)
		return;
	kind = pickle_kind(p, e->target);
	g->acts |= kind == PICKLE_GLOBAL || kind == PICKLE_EXTENSION;
	g->acts |= g->imports && (kind == PICKLE_OBJECT || kind == PICKLE_UNKNOWN); /* what was imported, maybe */
}

bool pickle_guess_begin(
    struct pickle_guess *g, struct arena *a, uint64_t size, uint64_t opcodes_max, struct siphash_key seed)
{
	const struct pickle_options o = {
		.size = size, .opcodes_max = opcodes_max, .seed = seed, .event = see, .ctx = g
	};

	*g = (struct pickle_guess){ .machine = pickle_new(a, &o), .size = size };
	if (g->machine == NULL)
		return false;
	pickle_begin(g->machine, 0);
	return true;
}

uint64_t pickle_guess_feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct pickle_guess *g = ctx;

	return g->acts ? FEED_END : pickle_feed(g->machine, at, n, offset);
}

void pickle_guess_end(struct pickle_guess *g)
{
	bool stopped = pickle_finish(g->machine) == PICKLE_STOPPED;

	g->ended = pickle_ended(g->machine);
	g->opcodes = pickle_opcodes(g->machine);
	g->acts |= stopped && g->imports;
	g->whole = stopped && pickle_position(g->machine) == g->size;
	pickle_free(g->machine);
	g->machine = NULL;
}
