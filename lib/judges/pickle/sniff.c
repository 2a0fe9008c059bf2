/* Does this begin a pickle?  By walking it, for protocols 0 and 1 have no magic and PROTO is optional everywhere.
 *
 * Measured over a million heads of 256 bytes each: none of uniform bytes, of f32 and bf16 weights (Gaussian, deviation
 * 0.02) and of int8 ones was taken for a pickle, one of f16 weights, two of random printable text; zeros never are.
 * test_sniff.c repeats it on a smaller scale. */
#include <string.h>

#include "machine.h"

#define OPCODES_ENOUGH 4 /* behind PROTO */
#define OPCODES_MANY 16  /* without it, when the head ends before they break */
#define OPCODES_DISTINCT 4
#define SNIFF_OPCODES 65536

struct sniff {
	bool import, call, acts;
};

/* A dotted name of two characters at least: letters, digits, underscores. */
static bool is_identifier(struct bytes s)
{
	bool begins = true;

	if (s.n < 2)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		uint8_t c = s.at[i];
		bool digit = c >= '0' && c <= '9', letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';

		if (c == '.' ? begins : !(letter || c == '_' || (digit && !begins)))
			return false;
		begins = c == '.';
	}
	return !begins;
}

static void see(void *ctx, struct pickle *p, const struct pickle_event *e)
{
	struct sniff *s = ctx;
	struct bytes module, name;
	enum pickle_kind target = pickle_kind(p, e->target);

	switch (e->act) {
	case PICKLE_ACT_IMPORT:
		s->import |=
		    pickle_global(p, e->target, &module, &name) && is_identifier(module) && is_identifier(name);
		s->acts = true;
		break;
	case PICKLE_ACT_CALL:
	case PICKLE_ACT_NEW:
		s->call |= target == PICKLE_EXTENSION && pickle_kind(p, e->args) == PICKLE_TUPLE;
		s->acts = true;
		break;
	case PICKLE_ACT_PERSID: s->acts = true; break;
	default: break;
	}
}

static bool is_protocol(const uint8_t *head, size_t n)
{
	return n >= 2 && head[0] == OP_PROTO && head[1] >= 2 && head[1] <= 5;
}

static unsigned distinct_opcodes(const struct pickle *p)
{
	unsigned n = 0;

	for (unsigned op = 0; op < 256; op++)
		n += p->used[op];
	return n;
}

/* Behind PROTO a few opcodes are enough; without it only what data does not do by chance. */
static bool is_pickle(const struct pickle *p, const struct sniff *s, const uint8_t *head, size_t n, uint64_t size)
{
	if (s->import || s->call)
		return true;
	if (pickle_ended(p) == PICKLE_STOPPED)
		return is_protocol(head, n) || pickle_position(p) == size;
	if (is_protocol(head, n))
		return pickle_opcodes(p) > OPCODES_ENOUGH;
	return pickle_ended(p) == PICKLE_RUNNING && pickle_opcodes(p) >= OPCODES_MANY &&
	       distinct_opcodes(p) >= OPCODES_DISTINCT;
}

bool pickle_sniff(const uint8_t *head, size_t n, uint64_t size, struct arena *scratch, bool *ret_acts)
{
	struct sniff s = { 0 };
	struct pickle_options o = { .size = size, .opcodes_max = SNIFF_OPCODES, .event = see, .ctx = &s };
	struct pickle *p;
	bool found;

	if (n == 0 || pickle_opcode_rows[head[0]].name == NULL)
		return false;
	p = pickle_new(scratch, &o);
	if (p == NULL)
		return true; /* whoever looks closer has no memory either, and says so */
	pickle_begin(p, 0);
	pickle_feed(p, head, n, 0);
	found = is_pickle(p, &s, head, n, size);
	pickle_free(p);
	if (found && ret_acts != NULL)
		*ret_acts = s.acts;
	return found;
}
