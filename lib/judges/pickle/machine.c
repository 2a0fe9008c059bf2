/* The pickle machine: bytes in, opcodes executed.  Pieces may end anywhere: an opcode's fixed part that is cut in two
 * waits in `carry`, a counted argument and a line have a state of their own.  Frames are advisory: bytes are walked as
 * if there were none, and what does not keep to a frame's end is noted. */
#include <string.h>

#include "checked.h"
#include "machine.h"

#define HEAD_MAX 9 /* bytes of the longest fixed part, opcode included */
#define PROTOCOL_HIGHEST 5

const struct pickle_opcode_row pickle_opcode_rows[256] = {
#define X(code, opcode, since, bytes) [code] = { .name = #opcode, .protocol = since, .head = bytes },
	PICKLE_OPCODES(X)
#undef X
};

static inline unsigned head_of(uint8_t op)
{
	return pickle_opcode_rows[op].head > 0 ? pickle_opcode_rows[op].head : 1;
}

/* -- counted arguments -- */

static bool is_unicode(uint8_t op)
{
	return op == OP_BINUNICODE || op == OP_SHORT_BINUNICODE || op == OP_BINUNICODE8;
}

static enum pickle_kind kind_of_payload(uint8_t op)
{
	switch (op) {
	case OP_BINBYTES:
	case OP_SHORT_BINBYTES:
	case OP_BINBYTES8: return PICKLE_BYTES;
	case OP_BYTEARRAY8: return PICKLE_BYTEARRAY;
	case OP_LONG1:
	case OP_LONG4: return PICKLE_INT;
	default: return PICKLE_STR;
	}
}

static bool push_long(struct pickle *p, const uint8_t *at, uint64_t n)
{
	struct number number = { .form = NUMBER_PLAIN };

	if (n <= PICKLE_TEXT_MAX)
		number = number_binary(at, (size_t)n);
	return push_new(
	    p, number.fits ? value_int(p, number.value) : value_long(p, n <= PICKLE_TEXT_MAX ? at : NULL, n));
}

/* All n bytes went by; the first of them (PICKLE_TEXT_MAX at most) are at `at`. */
static bool push_payload(struct pickle *p, const uint8_t *at, uint64_t n, uint64_t offset)
{
	enum pickle_kind kind = kind_of_payload(p->op);

	if (kind == PICKLE_INT)
		return push_long(p, at, n);
	return push_new(p, value_text(p, kind, at, n, offset, true));
}

/* n bytes follow at `offset`, `here` of them in this piece.  Return: behind what was taken. */
static const uint8_t *payload(struct pickle *p, const uint8_t *at, size_t here, uint64_t n, uint64_t offset)
{
	if (n >> 63 != 0 || offset > p->run_end || n > p->run_end - offset) {
		end_walk(p, PICKLE_LENGTH);
		return at;
	}
	if (n <= here) {
		if (is_unicode(p->op) && !utf8_whole(at, (size_t)n))
			end_walk(p, PICKLE_ARGUMENT);
		else
			push_payload(p, at, n, offset);
		return at + n;
	}
	p->state = IN_PAYLOAD;
	p->payload.offset = offset;
	p->payload.n = p->payload.left = n;
	p->payload.kept = 0;
	p->payload.utf8 = (struct utf8_stream){ .surrogates = true };
	return at;
}

static const uint8_t *payload_feed(struct pickle *p, const uint8_t *at, size_t n)
{
	size_t taken = (size_t)min_u64(n, p->payload.left);
	size_t most = text_wanted(p, p->payload.n);
	size_t kept = taken < most - p->payload.kept ? taken : most - p->payload.kept;
	bool unicode = is_unicode(p->op);

	memcpy(p->payload.head + p->payload.kept, at, kept);
	p->payload.kept += (uint32_t)kept;
	p->payload.left -= taken;
	if (unicode && !utf8_stream_feed(&p->payload.utf8, at, taken)) {
		end_walk(p, PICKLE_ARGUMENT);
		return at;
	}
	if (p->payload.left == 0 || (!unicode && p->payload.kept == most)) {
		/* Nobody needs the rest of bytes: we go on behind them. */
		p->expected = p->payload.offset + p->payload.n;
		p->state = AT_OPCODE;
		if (p->payload.utf8.left > 0)
			end_walk(p, PICKLE_ARGUMENT);
		else
			push_payload(p, p->payload.head, p->payload.n, p->payload.offset);
	}
	return at + taken;
}

/* -- opcodes with small arguments -- */

static bool proto(struct pickle *p, uint8_t protocol)
{
	bool lower = protocol < p->protocol;

	if (protocol > PROTOCOL_HIGHEST || lower)
		note(p, PICKLE_NOTE_PROTOCOL, protocol);
	if (protocol > PROTOCOL_HIGHEST)
		return end_walk(p, PICKLE_ARGUMENT);
	p->protocol = protocol;
	return true;
}

/* A frame must lie within the run, and begin where no other one is open: not even by the last of its own nine bytes.
 * The C reader that reads from a file drops what its buffer holds of the frame before, and reads on behind it
 * (_pickle.c, _Unpickler_ReadImpl); the Python reader refuses. */
static bool frame(struct pickle *p, uint64_t n)
{
	uint64_t end;

	if (n >> 63 != 0 || !add_u64(p->op_end, n, &end))
		return end_walk(p, PICKLE_LENGTH);
	if (p->frame_end > p->op_offset || end > p->run_end)
		note(p, PICKLE_NOTE_FRAME, n);
	p->frame_end = end <= p->run_end ? end : 0;
	return true;
}

static bool pop(struct pickle *p)
{
	uint32_t from;

	if (p->n > p->fence) {
		p->n--;
		return true;
	}
	return p->n_marks > 0 ? pop_mark(p, &from) : end_walk(p, PICKLE_STACK_UNDERFLOW);
}

static bool pop_to_mark(struct pickle *p)
{
	uint32_t from;

	if (!pop_mark(p, &from))
		return false;
	p->n = from;
	return true;
}

static bool mark(struct pickle *p)
{
	if (p->n_marks == p->marks_room && !mark_grow(p))
		return false;
	p->marks[p->n_marks++] = p->fence = p->n;
	return true;
}

static bool tuple(struct pickle *p)
{
	pickle_value v;
	uint32_t from;

	if (!pop_mark(p, &from))
		return false;
	v = value_tuple(p, PICKLE_TUPLE, p->stack + from, p->n - from);
	p->n = from;
	return push(p, v);
}

static bool counted_tuple(struct pickle *p, uint32_t n)
{
	pickle_value v;

	if (!need(p, n))
		return false;
	v = value_tuple(p, PICKLE_TUPLE, p->stack + p->n - n, n);
	p->n -= n;
	p->stack[p->n++] = v;
	return true;
}

static bool list(struct pickle *p)
{
	pickle_value v = value_growing(p, PICKLE_LIST);
	uint32_t from;

	if (!pop_mark(p, &from))
		return false;
	value_add(p, v, p->stack + from, p->n - from);
	p->n = from;
	return push(p, v);
}

static bool get(struct pickle *p, uint64_t key)
{
	pickle_value v = memo_get(p, key);

	return v != PICKLE_NO_VALUE ? push(p, v) : end_walk(p, PICKLE_MEMO_MISSING);
}

static bool put(struct pickle *p, uint64_t key)
{
	return need(p, 1) && memo_put(p, key, p->stack[p->n - 1]);
}

static bool binpersid(struct pickle *p)
{
	return need(p, 1) && act_persid(p, p->stack[--p->n]);
}

static bool binfloat(struct pickle *p, const uint8_t *big_endian)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < sizeof(bits); i++)
		bits = bits << 8 | big_endian[i];
	if ((big_endian[0] & 0x7f) == 0x7f && (big_endian[1] & 0xf0) == 0xf0)
		note(p, PICKLE_NOTE_FLOAT_NONFINITE, 0);
	return push(p, handle(PICKLE_FLOAT, bits >> CONTENT_SHIFT)); /* see pickle_float() */
}

/* APPEND and SETITEM: the last n of the stack are the items. */
static bool single(struct pickle *p, uint32_t n, bool (*act)(struct pickle *p, uint32_t from))
{
	return need(p, n + 1) && act(p, p->n - n);
}

static bool many(struct pickle *p, bool (*act)(struct pickle *p, uint32_t from))
{
	uint32_t from;

	return pop_mark(p, &from) && act(p, from);
}

static int32_t load_i32le(const uint8_t *at)
{
	return (int32_t)load_u32le(at);
}

/* BINSTRING and LONG4 have signed lengths. */
static bool not_negative(struct pickle *p, int32_t n)
{
	return n >= 0 || end_walk(p, PICKLE_ARGUMENT);
}

/* -- the walk -- */

/* Bytes of a piece, and what offset they have. */
struct piece {
	const uint8_t *at, *end;
	uint64_t shift; /* offset of a byte: shift + its address */
};

static inline uint64_t offset_in(const struct piece *piece, const uint8_t *at)
{
	return piece->shift + (uintptr_t)at;
}

/* Up to where opcodes may be executed without a further look: the piece, the frame, the budget. */
static const uint8_t *look_free(const struct pickle *p, const struct piece *piece, const uint8_t *at)
{
	uint64_t n = (uint64_t)(piece->end - at);

	n = n > HEAD_MAX ? n - HEAD_MAX : 0;
	n = min_u64(n, p->options.opcodes_max - p->opcodes);
	if (p->frame_end != 0)
		n = p->frame_end > offset_in(piece, at) ? min_u64(n, p->frame_end - offset_in(piece, at)) : 0;
	return at + n;
}

static void trace(struct trace *t, const uint8_t *at, size_t n, uint64_t offset)
{
	struct pickle_traced *traced = &t->of[t->n++ % PICKLE_TRACED];

	traced->offset = offset;
	traced->n = n < PICKLE_TRACED_BYTES ? n : PICKLE_TRACED_BYTES;
	memcpy(traced->at, at, traced->n);
}

/* Whether the opcode at `at` may be executed; *ret_free is where to ask again. */
static bool look(struct pickle *p, const struct piece *piece, const uint8_t *at, const uint8_t **ret_free)
{
	uint64_t here = offset_in(piece, at);

	if (p->end != PICKLE_RUNNING || p->state != AT_OPCODE || at == piece->end)
		return false;
	if (p->frame_end != 0 && here >= p->frame_end) {
		if (here > p->frame_end)
			note(p, PICKLE_NOTE_FRAME, here - p->frame_end);
		p->frame_end = 0;
	}
	if (p->opcodes >= p->options.opcodes_max) {
		p->op_offset = here;
		return end_walk(p, PICKLE_LIMIT_OPCODES);
	}
	if ((size_t)(piece->end - at) < head_of(*at)) {
		p->n_carry = (uint8_t)(piece->end - at);
		memcpy(p->carry, at, p->n_carry);
		p->expected = offset_in(piece, piece->end);
		return false;
	}
	if (p->trace != NULL)
		trace(p->trace, at, (size_t)(piece->end - at), here);
	*ret_free = p->trace != NULL ? at : look_free(p, piece, at);
	return true;
}

/* The client wants something of the bytes that follow. */
static inline bool is_asked(const struct pickle *p)
{
	return p->skip > 0 || p->n_wanted > 0 || p->pausing;
}

#define HERE (size_t)(piece->end - at)
/* An act may be asked to skip what follows it. */
#define ACT(done)                         \
	p->op_end = offset_in(piece, at); \
	if (!(done) || is_asked(p))       \
		return at;                \
	break
#define MOVE(done)         \
	if (!(done))       \
		return at; \
	break
#define PAYLOAD(n)                                             \
	at = payload(p, at, HERE, (n), offset_in(piece, at));  \
	if (p->end != PICKLE_RUNNING || p->state != AT_OPCODE) \
		return at;                                     \
	break
#define LINE()                                                                \
	line_begin(p);                                                        \
	at = line_feed(p, at, piece->end, offset_in(piece, at));              \
	if (p->end != PICKLE_RUNNING || p->state != AT_OPCODE || is_asked(p)) \
		return at;                                                    \
	break

/* Execute opcodes of the piece from `at` on.  Return: behind the last one, or where the walk waits or ended. */
static const uint8_t *run(struct pickle *p, const struct piece *piece, const uint8_t *at)
{
	const uint8_t *free_end = at, *arg;
	uint8_t op;

	for (;;) {
		if (at >= free_end && !look(p, piece, at, &free_end))
			return at;
		op = *at;
		arg = at + 1;
		p->op = op;
		p->op_offset = offset_in(piece, at);
		p->opcodes++;
		p->used[op] = 1;
		at += pickle_opcode_rows[op].head;
		switch (op) {
		case OP_PROTO: ACT(proto(p, arg[0]));
		case OP_FRAME:
			p->op_end = offset_in(piece, at);
			if (!frame(p, load_u64le(arg)))
				return at;
			free_end = at;
			break;

		case OP_NONE: MOVE(push(p, handle(PICKLE_NONE, 0)));
		case OP_NEWTRUE: MOVE(push(p, handle(PICKLE_BOOL, 1)));
		case OP_NEWFALSE: MOVE(push(p, handle(PICKLE_BOOL, 0)));
		case OP_BININT1: MOVE(push(p, handle(PICKLE_INT, arg[0])));
		case OP_BININT2: MOVE(push(p, handle(PICKLE_INT, load_u16le(arg))));
		case OP_BININT: MOVE(push_new(p, value_int(p, load_i32le(arg))));
		case OP_BINFLOAT: ACT(binfloat(p, arg));
		case OP_EMPTY_TUPLE: MOVE(push(p, EMPTY_TUPLE));
		case OP_EMPTY_LIST: MOVE(push(p, value_growing(p, PICKLE_LIST)));
		case OP_EMPTY_DICT: MOVE(push(p, value_growing(p, PICKLE_DICT)));
		case OP_EMPTY_SET: MOVE(push(p, value_growing(p, PICKLE_SET)));

		case OP_SHORT_BINBYTES:
		case OP_SHORT_BINSTRING:
		case OP_SHORT_BINUNICODE:
		case OP_LONG1: PAYLOAD(arg[0]);
		case OP_BINBYTES:
		case OP_BINUNICODE: PAYLOAD(load_u32le(arg));
		case OP_BINSTRING:
		case OP_LONG4:
			if (!not_negative(p, load_i32le(arg)))
				return at;
			PAYLOAD(load_u32le(arg));
		case OP_BINUNICODE8:
		case OP_BINBYTES8:
		case OP_BYTEARRAY8: PAYLOAD(load_u64le(arg));

		case OP_INT:
		case OP_LONG:
		case OP_FLOAT:
		case OP_STRING:
		case OP_UNICODE:
		case OP_GET:
		case OP_PUT:
		case OP_PERSID:
		case OP_GLOBAL:
		case OP_INST: LINE();

		case OP_MARK: MOVE(mark(p));
		case OP_POP: MOVE(pop(p));
		case OP_POP_MARK: MOVE(pop_to_mark(p));
		case OP_DUP: MOVE(need(p, 1) && push(p, p->stack[p->n - 1]));
		case OP_BINGET: MOVE(get(p, arg[0]));
		case OP_LONG_BINGET: MOVE(get(p, load_u32le(arg)));
		case OP_BINPUT: ACT(put(p, arg[0]));
		case OP_LONG_BINPUT: ACT(put(p, load_u32le(arg)));
		case OP_MEMOIZE: ACT(put(p, p->memo.entries));

		case OP_TUPLE: ACT(tuple(p));
		case OP_TUPLE1: ACT(counted_tuple(p, 1));
		case OP_TUPLE2: ACT(counted_tuple(p, 2));
		case OP_TUPLE3: ACT(counted_tuple(p, 3));
		case OP_LIST: ACT(list(p));
		case OP_DICT: ACT(act_dict(p));
		case OP_FROZENSET: ACT(act_frozenset(p));
		case OP_APPEND: ACT(single(p, 1, act_append));
		case OP_APPENDS: ACT(many(p, act_append));
		case OP_SETITEM: ACT(single(p, 2, act_setitem));
		case OP_SETITEMS: ACT(many(p, act_setitem));
		case OP_ADDITEMS: ACT(many(p, act_additems));

		case OP_STACK_GLOBAL: ACT(act_stack_global(p));
		case OP_REDUCE: ACT(act_reduce(p));
		case OP_NEWOBJ: ACT(act_newobj(p));
		case OP_NEWOBJ_EX: ACT(act_newobj_ex(p));
		case OP_OBJ: ACT(act_obj(p));
		case OP_BUILD: ACT(act_build(p));
		case OP_BINPERSID: ACT(binpersid(p));
		case OP_EXT1: ACT(act_ext(p, arg[0]));
		case OP_EXT2: ACT(act_ext(p, load_u16le(arg)));
		case OP_EXT4: ACT(act_ext(p, load_i32le(arg)));
		case OP_NEXT_BUFFER: ACT(act_next_buffer(p));
		case OP_READONLY_BUFFER: ACT(act_readonly_buffer(p));

		case OP_STOP:
			p->op_end = offset_in(piece, at);
			act_stop(p);
			return at;
		default: end_walk(p, PICKLE_OPCODE_UNKNOWN); return at;
		}
	}
}

/* The opcode whose fixed part was cut in two, with the bytes that were missing. */
static const uint8_t *run_carried(struct pickle *p, const uint8_t *at, const uint8_t *end)
{
	struct piece piece;
	unsigned head = head_of(p->carry[0]);

	while (p->n_carry < head && at < end) {
		p->carry[p->n_carry++] = *at++;
		p->expected++;
	}
	if (p->n_carry < head)
		return at;
	piece = (struct piece){ .at = p->carry, .end = p->carry + head };
	piece.shift = p->expected - head - (uintptr_t)p->carry;
	p->n_carry = 0;
	run(p, &piece, p->carry);
	return at;
}

static const uint8_t *meet_expected(struct pickle *p, const uint8_t *at, const uint8_t *end)
{
	while (at < end && p->n_met < p->n_wanted) {
		if (*at != p->wanted[p->n_met]) {
			end_walk(p, PICKLE_ARGUMENT);
			return at;
		}
		p->n_met++;
		at++;
	}
	return at;
}

/* What the client asked for begins behind the opcode: first the bytes it expects, then those it skips. */
static void go_on_as_asked(struct pickle *p)
{
	/* A reader that takes a frame as a whole reads them behind it, others behind the opcode. */
	if (p->frame_end > p->op_end && p->n_met == 0)
		note(p, PICKLE_NOTE_FRAME, p->frame_end - p->op_end);
	p->frame_end = 0;
	if (p->pausing) {
		p->pausing = false;
		end_walk(p, PICKLE_PAUSED);
		return;
	}
	if (p->n_met < p->n_wanted) {
		p->state = IN_EXPECTED;
		return;
	}
	if (p->state == IN_EXPECTED)
		p->state = AT_OPCODE;
	p->n_wanted = p->n_met = 0;
	if (p->skip > p->run_end - p->expected)
		end_walk(p, PICKLE_LENGTH);
	else
		p->expected += p->skip;
	p->skip = 0;
}

static const uint8_t *feed_once(struct pickle *p, const struct piece *piece, const uint8_t *at)
{
	const uint8_t *behind;

	p->expected = offset_in(piece, at);
	switch (p->state) {
	case IN_LINE:
		behind = line_feed(p, at, piece->end, p->expected);
		p->expected = offset_in(piece, behind);
		break;
	case IN_PAYLOAD:
		p->expected += min_u64((uint64_t)(piece->end - at), p->payload.left);
		behind = payload_feed(p, at, (size_t)(piece->end - at));
		break;
	case IN_EXPECTED:
		behind = meet_expected(p, at, piece->end);
		p->expected = offset_in(piece, behind);
		break;
	default:
		behind = p->n_carry > 0 ? run_carried(p, at, piece->end) : run(p, piece, at);
		if (p->n_carry > 0)
			return piece->end;
		p->expected = offset_in(piece, behind);
	}
	if (is_asked(p) && p->end == PICKLE_RUNNING)
		go_on_as_asked(p);
	return behind;
}

uint64_t pickle_feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct pickle *p = ctx;
	struct piece piece = { .at = at, .end = at + n, .shift = offset - (uintptr_t)at };

	while (p->end == PICKLE_RUNNING) {
		uint64_t here = offset_in(&piece, at);

		if (p->expected > here)
			at += min_u64(p->expected - here, (uint64_t)(piece.end - at));
		if (at == piece.end)
			break;
		at = feed_once(p, &piece, at);
	}
	return p->end == PICKLE_RUNNING ? p->expected : FEED_END;
}
