/* The pickle machine: walks a pickle as a loader would and executes nothing.  Exact stack, marks and memo over values
 * that are small handles; every act of a loader (import, call, build ...) is an event, in execution order, with the
 * offset of its opcode.  Accepts the union of what the C, Python and torch readers accept, for whatever one of them runs
 * has to be seen; where they differ is an event of its own.  Follows formats/pickle, sections 2 to 6.
 *
 * Pushed: fed with pieces of any size, so that a pickle in a deflated member is walked like a file.  Memory is bounded
 * by PICKLE_MEMORY_BASE plus 8 bytes an opcode; time is linear; nothing recurses.  Everything before a break has been
 * executed by a loader: its events stand. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "bytes.h"
#include "part.h"
#include "siphash.h"

#define PICKLE_MEMORY_BASE ((size_t)64 << 20)
#define PICKLE_MEMORY_PER_OPCODE 8u
#define PICKLE_OPCODES_MAX (UINT64_C(1) << 26) /* whatever the options say */
#define PICKLE_TEXT_MAX 1024                   /* bytes of a string whose text is kept; no name of anything is longer */
#define PICKLE_ITEMS_KEPT 256                  /* of a list or dict; tuples keep all up to PICKLE_TUPLE_KEPT */
#define PICKLE_TUPLE_KEPT 65536

/* A handle; means something within one machine, and until the next stream begins. */
typedef uint64_t pickle_value;
#define PICKLE_NO_VALUE UINT64_MAX

enum pickle_kind {
	PICKLE_UNKNOWN, /* what nobody can say statically */
	PICKLE_NONE,
	PICKLE_BOOL,
	PICKLE_INT,     /* fits int64_t; a bool is not one */
	PICKLE_BIG_INT, /* does not */
	PICKLE_FLOAT,
	PICKLE_STR,
	PICKLE_BYTES,
	PICKLE_BYTEARRAY,
	PICKLE_TUPLE,
	PICKLE_LIST,
	PICKLE_DICT,
	PICKLE_SET,
	PICKLE_FROZENSET,
	PICKLE_GLOBAL, /* module.name */
	PICKLE_OBJECT, /* what a call returned */
	PICKLE_PERSISTENT,
	PICKLE_EXTENSION,
	PICKLE_BUFFER,
};

enum pickle_act {
	PICKLE_ACT_IMPORT, /* GLOBAL, STACK_GLOBAL, INST: target is the global (or UNKNOWN: operands not constant strings) */
	PICKLE_ACT_CALL,  /* REDUCE, OBJ, INST: target(*args) */
	PICKLE_ACT_NEW,   /* NEWOBJ, NEWOBJ_EX: target.__new__(target, *args, **kwargs) */
	PICKLE_ACT_BUILD, /* BUILD: target is given the state `args` */
	PICKLE_ACT_MUTATE, /* APPEND(S), SETITEM(S), ADDITEMS: on a target that is not a container built here, once an opcode;
	                     * on a dict built here or an object, once for each pair whose value carries a tag (key, args) */
	PICKLE_ACT_PERSID, /* PERSID, BINPERSID: target is the id */
	PICKLE_ACT_EXT,    /* EXT1, EXT2, EXT4: args is the code */
	PICKLE_ACT_ENTRY, /* SETITEM(S), DICT: a pair whose key is a text that the client wants (key, args); nothing is done */
	PICKLE_ACT_BUFFER, /* NEXT_BUFFER, READONLY_BUFFER */
	PICKLE_ACT_NOTE,   /* something a strict reader objects to: see note */
	PICKLE_ACT_STOP,   /* STOP: target is the result */
};

/* Oddities that do not end a load everywhere (formats/pickle, sections 3 to 6).  The judge gives each its finding. */
enum pickle_note {
	PICKLE_NOTE_PROTOCOL,        /* PROTO above 5, or one in the middle that lowers it; number: the protocol */
	PICKLE_NOTE_FRAME,           /* a frame past the end, nested, or ending inside an opcode */
	PICKLE_NOTE_STACK_LEFTOVER,  /* items below the result at STOP; number: how many */
	PICKLE_NOTE_MEMO_INDEX,      /* a memo index far above the number of opcodes; number: the index */
	PICKLE_NOTE_INT_DIGITS,      /* a decimal of more than 4300 digits */
	PICKLE_NOTE_FLOAT_NONFINITE, /* FLOAT or BINFLOAT nan or inf */
	PICKLE_NOTE_DEPTH,           /* containers nested deeper than 1000 */
	PICKLE_NOTE_EXPANSION,       /* a value whose traversal is exponential (or above 2^28 nodes) used where a loader
	                              * traverses it: as a dictionary key or set element, or as what
	                              * a call is given */
	PICKLE_NOTE_NONASCII_STRING, /* STRING or a GLOBAL line with bytes that some readers refuse and others load */
	PICKLE_NOTE_NUMBER_TEXT, /* INT, LONG, FLOAT, GET or PUT text that only some readers take (1_0, 0x10, blanks) */
	PICKLE_NOTE_OPCODE_PROTOCOL, /* once: an opcode of a higher protocol than announced */
	PICKLE_NOTE_CALLEE_HELD,     /* a container takes in a global marked PICKLE_MARK_CALLEE */
	PICKLE_NOTE_STATE_CHANGED,   /* a dict marked PICKLE_MARK_STATE takes something in */
	PICKLE_NOTE_LOAD_TIME,       /* loading takes far longer than a file of this size: cost.h; number: steps */
	PICKLE_NOTE_LOAD_MEMORY,     /* likewise, memory; number: bytes */
	PICKLE_N_NOTES
};

struct pickle_event {
	enum pickle_act act;
	uint8_t opcode;
	uint64_t offset; /* of the opcode, in the run that is fed */
	pickle_value target, args, kwargs, key;
	pickle_value result; /* CALL, NEW, PERSID, EXT: what is pushed; pickle_set_tag() makes it known again */
	enum pickle_note note;
	uint64_t number;
};

struct pickle;
typedef void (*pickle_event_fn)(void *ctx, struct pickle *p, const struct pickle_event *e);

/**
 * pickle_constant_fn - a string or bytes constant was made
 * @head: its first bytes, decoded: all of it up to PICKLE_TEXT_MAX, of longer ones a part.  @n: bytes of all of it.
 * @offset: of its opcode.
 */
typedef void (*pickle_constant_fn)(void *ctx, struct bytes head, uint64_t n, uint64_t offset);

/* Why a walk ended.  From PICKLE_TRUNCATED on before STOP, and all but the last three of those are a loader's errors too. */
enum pickle_end {
	PICKLE_RUNNING,
	PICKLE_STOPPED,   /* STOP was reached */
	PICKLE_PAUSED,    /* the client asked: see pickle_pause() */
	PICKLE_TRUNCATED, /* the bytes ended first */
	PICKLE_OPCODE_UNKNOWN,
	PICKLE_STACK_UNDERFLOW,
	PICKLE_MARK_MISSING,
	PICKLE_MEMO_MISSING, /* GET of what was never put */
	PICKLE_ARGUMENT, /* an argument no reader takes: negative length, bad number, bad quote, bad escape, bad UTF-8 */
	PICKLE_LENGTH,   /* a length above what remains (when the size is known) or 2^63 */
	PICKLE_TYPE,     /* an operand of a kind no loader takes: odd number of items, REDUCE with a list, list as key,
	                          * call of a constant ... (the event, if there is one to report, was sent first) */
	PICKLE_LIMIT_OPCODES, /* a budget of ours: never clean */
	PICKLE_LIMIT_STACK,
	PICKLE_LIMIT_MEMORY,
	PICKLE_LIMIT_WORK, /* the scan's: work.h */
};

struct pickle_options {
	uint64_t size;        /* bytes that will be fed from the first stream's begin on, or STREAM_SIZE_UNKNOWN */
	uint64_t opcodes_max; /* over all streams */
	struct siphash_key seed;
	pickle_event_fn event;
	pickle_constant_fn constant;      /* may be NULL */
	bool (*wanted)(struct bytes key); /* of dicts and objects; NULL: no PICKLE_ACT_ENTRY */
	void *ctx;
	/* What one Unpickler that load() is called on again does: the memo goes on from stream to stream. */
	bool memo_goes_on;
	bool remember;       /* the beginnings of the latest long strings, for pickle_beginning() */
	uint32_t items_kept; /* instead of PICKLE_ITEMS_KEPT, if it is more: for who has to know them all */
	bool trace;          /* the latest opcodes, for pickle_traced() */
};

/* In the arena; NULL when it is spent. */
struct pickle *pickle_new(struct arena *a, const struct pickle_options *o);
/* Gives its memory back before the arena ends; NULL is fine. */
void pickle_free(struct pickle *p);

/**
 * pickle_begin() - a pickle begins at @offset of the run; stack, marks and (unless it goes on) memo are empty
 * Also for the second and later streams of one run.
 */
void pickle_begin(struct pickle *p, uint64_t offset);

/**
 * pickle_feed() - a feed_fn; @ctx: the struct pickle
 * Return: as feed_fn: where to go on (payloads nobody needs are skipped); FEED_END once the walk has ended, then
 * pickle_ended() and pickle_position() say how and where: bytes of the piece behind the position were not looked at.
 */
uint64_t pickle_feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset);

/* No more bytes will come: a running walk is TRUNCATED. */
enum pickle_end pickle_finish(struct pickle *p);
enum pickle_end pickle_ended(const struct pickle *p);
/* Offset in the run: behind STOP or the opcode that paused; of the opcode that broke the walk. */
uint64_t pickle_position(const struct pickle *p);
uint64_t pickle_opcodes(const struct pickle *p);  /* executed, over all streams */
unsigned pickle_protocol(const struct pickle *p); /* of the last PROTO of this stream; 0 without one */
/* Set of opcodes this stream used: bit (opcode & 63) of word (opcode >> 6). */
const uint64_t *pickle_opcodes_used(const struct pickle *p);

/* From within an event: the next @n bytes behind this opcode are not opcodes (joblib writes arrays there).
 * Offset where they begin: pickle_after_opcode(). */
void pickle_skip(struct pickle *p, uint64_t n);
/* Likewise: the next bytes are these, else the walk ends (PICKLE_ARGUMENT); what is skipped follows them.  n is at most
 * PICKLE_EXPECT_MAX. */
#define PICKLE_EXPECT_MAX 32
void pickle_expect(struct pickle *p, const uint8_t *at, size_t n);
uint64_t pickle_after_opcode(const struct pickle *p);
/* Likewise: a pickle of its own follows, which somebody else walks.  The walk is over (PICKLE_PAUSED) until
 * pickle_resume() says where it goes on; stack and memo are as they were. */
void pickle_pause(struct pickle *p);
void pickle_resume(struct pickle *p, uint64_t offset);

/* The latest opcodes, where the options say so. */
#define PICKLE_TRACED 16u
#define PICKLE_TRACED_BYTES 64u
struct pickle_traced {
	uint64_t offset;
	size_t n; /* bytes of it and of what follows, as far as they came in one piece */
	uint8_t at[PICKLE_TRACED_BYTES];
};
/* @back: 0 is the one at work, or the last.  NULL: there is none, or nobody kept it. */
const struct pickle_traced *pickle_traced(const struct pickle *p, unsigned back);

/* NULL: there is no such opcode. */
const char *pickle_opcode_name(uint8_t opcode);

/* -- values -- */

enum pickle_kind pickle_kind(const struct pickle *p, pickle_value v);
bool pickle_int(const struct pickle *p, pickle_value v, int64_t *ret); /* false unless PICKLE_INT */
bool pickle_bool(const struct pickle *p, pickle_value v, bool *ret);   /* false unless PICKLE_BOOL */
/* False unless a BINFLOAT; the last six bits of its fraction are not kept. */
bool pickle_float(const struct pickle *p, pickle_value v, double *ret);
/* Text of a str (or Python 2 str), UTF-8, escapes decoded, as kept: false for other kinds and for longer than
 * PICKLE_TEXT_MAX.  Valid until the stream ends; until the event ends once memory is nearly spent, and then false for
 * all but the latest 512 KiB of strings (text and payload both). */
bool pickle_text(const struct pickle *p, pickle_value v, struct bytes *ret);
/* A state makes its loader make lists for so many layers: see cost.h. */
void pickle_cost_layers(struct pickle *p, int64_t n);
/* A state makes an array of so many bytes that do not stand in the file: of objects, and of what lies between them. */
void pickle_cost_elements(struct pickle *p, uint64_t n);
/* A state makes its loader make types of so many fields. */
void pickle_cost_fields(struct pickle *p, uint64_t n);
/* A call goes through so many items, which may be more than stand in the file, and makes objects of them. */
void pickle_cost_items(struct pickle *p, uint64_t n);
/* A call takes so many steps of cost.h, whatever it is given. */
void pickle_cost_steps(struct pickle *p, uint64_t n);
/* Of an object: has a container, a state or a call been given it? */
bool pickle_is_held(const struct pickle *p, pickle_value v);
/* The first bytes of a STR, BYTES or BYTEARRAY (escapes decoded), to see what they begin: all of it up to
 * PICKLE_TEXT_MAX, at least 256 of longer ones; *ret_n: its length.  Valid as pickle_text(). */
bool pickle_head(const struct pickle *p, pickle_value v, struct bytes *ret, uint64_t *ret_n);
/* As pickle_head(), but up to PICKLE_LONG_MAX of one of the latest strings above PICKLE_TEXT_MAX, where the options say so. */
#define PICKLE_LONG_MAX 4096u
bool pickle_beginning(const struct pickle *p, pickle_value v, struct bytes *ret, uint64_t *ret_n);
/* Payload of STR, BYTES or BYTEARRAY in the run: false when it does not stand there as it is (escapes, text opcodes). */
bool pickle_payload(const struct pickle *p, pickle_value v, uint64_t *ret_offset, uint64_t *ret_n);
/* Of a STR that STRING or UNICODE made: where that opcode stands, for pickle_line.h. */
bool pickle_text_line(const struct pickle *p, pickle_value v, uint64_t *ret_offset);
/* Children: of a dict, pairs.  UINT64_MAX: unknown, for a list, dict or set made when memory was nearly spent. */
uint64_t pickle_count(const struct pickle *p, pickle_value v);
/* Child i of a tuple, list, set or frozenset; PICKLE_NO_VALUE when it is not kept. */
pickle_value pickle_item(const struct pickle *p, pickle_value v, uint64_t i);
bool pickle_pair(const struct pickle *p, pickle_value dict, uint64_t i, pickle_value *ret_key, pickle_value *ret_value);
/* The last value set under the text key; false when there is none or more pairs were set than are kept. */
bool pickle_lookup(const struct pickle *p, pickle_value dict, const char *key, pickle_value *ret);
/* Module and name as written; after Python 2 names were mapped (pickle 3's _compat_pickle) in the second form. */
bool pickle_global(const struct pickle *p, pickle_value v, struct bytes *ret_module, struct bytes *ret_name);
bool pickle_global_mapped(const struct pickle *p, pickle_value v, struct bytes *ret_module, struct bytes *ret_name);
/* Only data through and through: scalars, strings, containers of such.  Kept as a summary: O(1), and never more than what
 * is so: a container that took something in behind the back of another one that holds it makes all doubtful that hold
 * something mutable.  An object is opaque: what was given to its call was told then. */
bool pickle_inert(const struct pickle *p, pickle_value v);
/* Holds, anywhere inside: a global, the result of a call, a dunder string as dictionary key. */
bool pickle_holds_global(const struct pickle *p, pickle_value v);
bool pickle_holds_object(const struct pickle *p, pickle_value v);
bool pickle_holds_dunder_key(const struct pickle *p, pickle_value v);
/* Of a DICT: is a key what a call returned, or an import?  Believed when it is not known any more. */
bool pickle_has_opaque_key(const struct pickle *p, pickle_value dict);
/* For OBJECT: what was called. */
pickle_value pickle_callee(const struct pickle *p, pickle_value v);
/* Likewise: what it was called with. */
pickle_value pickle_call_arguments(const struct pickle *p, pickle_value v);
/* For PERSISTENT: what the loader is asked for. */
pickle_value pickle_persistent_id(const struct pickle *p, pickle_value v);
/* A number the client gives to an OBJECT, GLOBAL or PERSISTENT; 0 (none) until then.  Aliases share it. */
void pickle_set_tag(struct pickle *p, pickle_value v, uint32_t tag);
uint32_t pickle_tag(const struct pickle *p, pickle_value v);

/* What a client remembers of an OBJECT, GLOBAL, PERSISTENT or DICT for as long as its stream lasts; aliases share it.  Of
 * a dict for which there was no memory nothing is remembered. */
enum pickle_mark {
	PICKLE_MARK_CALLEE = 1u << 0,   /* of a global: it may be called, and not be handed on */
	PICKLE_MARK_STATE = 1u << 1,    /* of a dict: some object may keep it for its attributes */
	PICKLE_MARK_BUILT = 1u << 2,    /* of an object: it was given a state */
	PICKLE_MARK_FUNCTION = 1u << 3, /* of an object: a class or function is among its items */
	PICKLE_MARK_MEMBER = 1u << 4,   /* of an object: a member of an Enum */
	PICKLE_MARK_TAKEN = 1u << 6,    /* of an array: some instance copies it when it is given its state */
	PICKLE_MARK_HASHED = 1u << 7,   /* of an object: its hash may be any, and go through its state */
	PICKLE_MARK_DUNDER = 1u << 5,   /* of an object: a name like __setstate__ is among its keys, or may be */
};
void pickle_mark(struct pickle *p, pickle_value v, unsigned marks);
/* Hashing this object goes through its state from now on, as OmegaConf's nodes and transformers' GenerationConfig do. */
void pickle_hash_by_state(struct pickle *p, pickle_value object);
/* Going through this object goes through what it was made of. */
void pickle_enlarge(struct pickle *p, pickle_value object, pickle_value held);
unsigned pickle_marks(const struct pickle *p, pickle_value v);

/* -- telling pickles from other bytes -- */

/**
 * pickle_sniff() - does this begin a pickle that somebody could load?
 * Walks at most @n bytes of @head (the first of @size).  True when it starts with PROTO 2 to 5 and a few opcodes of it
 * walk; or when, without PROTO, it imports something with the names of identifiers, or calls an extension, or reaches STOP
 * at the very end, or goes on to the end of the head with many different opcodes.  Data alone with bytes behind STOP is
 * not told without PROTO.  Chance finds none of it in weights: the numbers are at its home.
 * @scratch: for a small machine; all of it is given back.
 * @ret_acts: at least one import, call or persistent id was seen; written only when true is returned; may be NULL.
 */
bool pickle_sniff(const uint8_t *head, size_t n, uint64_t size, struct arena *scratch, bool *ret_acts);
