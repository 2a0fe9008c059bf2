/* Implements weights_only.h. */
#include "weights_only.h"

/* GLOBAL NEWOBJ REDUCE BUILD APPEND APPENDS SETITEM SETITEMS MARK TUPLE TUPLE1 TUPLE2 TUPLE3 NONE NEWTRUE NEWFALSE
 * EMPTY_TUPLE EMPTY_LIST EMPTY_DICT EMPTY_SET BININT BININT1 BININT2 BINFLOAT BINUNICODE SHORT_BINSTRING BINPERSID
 * BINGET LONG_BINGET BINPUT LONG_BINPUT LONG1 PROTO STOP */
static const uint8_t known[] = { 'c', 0x81, 'R', 'b', 'a', 'e', 's', 'u', '(', 't', 0x85, 0x86, 0x87, 'N', 0x88, 0x89,
	')', ']', '}', 0x8f, 'J', 'K', 'M', 'G', 'X', 'U', 'Q', 'h', 'j', 'q', 'r', 0x8a, 0x80, '.' };

bool weights_only_knows_opcodes(const struct pickle *p)
{
	const uint64_t *used = pickle_opcodes_used(p);
	uint64_t taken[4] = { 0 };

	for (size_t i = 0; i < sizeof(known); i++)
		taken[known[i] >> 6] |= UINT64_C(1) << (known[i] & 63);
	for (size_t i = 0; i < 4; i++)
		if ((used[i] & ~taken[i]) != 0)
			return false;
	return true;
}

/* Exactly dict, OrderedDict and Counter for SETITEM, list for APPEND: CVE-2026-24747. */
static bool takes_items(const struct pickle *p, const struct pickle_event *e, const struct pickle_standing *s)
{
	enum pickle_kind kind = pickle_kind(p, e->target);

	return kind == PICKLE_DICT || kind == PICKLE_LIST ||
	       (kind == PICKLE_OBJECT && s->tier == PICKLE_TIER_WEIGHTS && (s->uses & PICKLE_USE_BUILD) != 0 &&
		   (s->uses & PICKLE_USE_ITEMS) != 0);
}

bool weights_only_takes(const struct pickle *p, const struct pickle_event *e, const struct pickle_standing *s)
{
	switch (e->act) {
	case PICKLE_ACT_IMPORT:
	case PICKLE_ACT_CALL: return s->tier == PICKLE_TIER_WEIGHTS;
	case PICKLE_ACT_NEW: return s->tier == PICKLE_TIER_WEIGHTS && (s->uses & PICKLE_USE_NEW) != 0;
	case PICKLE_ACT_BUILD: return s->tier == PICKLE_TIER_WEIGHTS && (s->uses & PICKLE_USE_BUILD) != 0;
	case PICKLE_ACT_MUTATE: return takes_items(p, e, s);
	case PICKLE_ACT_PERSID: return pickle_kind(p, e->target) == PICKLE_TUPLE;
	case PICKLE_ACT_EXT:
	case PICKLE_ACT_BUFFER: return false;
	case PICKLE_ACT_NOTE:
	case PICKLE_ACT_ENTRY:
	case PICKLE_ACT_STOP: return true;
	}
	return false;
}
