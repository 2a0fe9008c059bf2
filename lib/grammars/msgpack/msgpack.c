/* The MessagePack walker: a state for each thing that can be cut by the end of a piece.  See msgpack.h. */
#include "msgpack.h"

#include "checked.h"
#include "part.h"

enum state { STATE_FIRST, STATE_NUMBER, STATE_PAYLOAD };

/* The types that stand for themselves: C0 to DF. */
static const struct form {
	uint8_t kind;
	uint8_t missing; /* bytes of the number behind the first: value, length, length and type */
	uint8_t length;  /* of the payload, when the number does not say: fixext */
} forms[0x20] = {
	[0x00] = { MSGPACK_NIL, 0, 0 },
	[0x01] = { MSGPACK_NEVER, 0, 0 },
	[0x02] = { MSGPACK_BOOL, 0, 0 },
	[0x03] = { MSGPACK_BOOL, 0, 0 },
	[0x04] = { MSGPACK_BIN, 1, 0 },
	[0x05] = { MSGPACK_BIN, 2, 0 },
	[0x06] = { MSGPACK_BIN, 4, 0 },
	[0x07] = { MSGPACK_EXT, 2, 0 },
	[0x08] = { MSGPACK_EXT, 3, 0 },
	[0x09] = { MSGPACK_EXT, 5, 0 },
	[0x0a] = { MSGPACK_FLOAT32, 4, 0 },
	[0x0b] = { MSGPACK_FLOAT64, 8, 0 },
	[0x0c] = { MSGPACK_INT, 1, 0 },
	[0x0d] = { MSGPACK_INT, 2, 0 },
	[0x0e] = { MSGPACK_INT, 4, 0 },
	[0x0f] = { MSGPACK_INT, 8, 0 },
	[0x10] = { MSGPACK_INT, 1, 0 },
	[0x11] = { MSGPACK_INT, 2, 0 },
	[0x12] = { MSGPACK_INT, 4, 0 },
	[0x13] = { MSGPACK_INT, 8, 0 },
	[0x14] = { MSGPACK_EXT, 1, 1 },
	[0x15] = { MSGPACK_EXT, 1, 2 },
	[0x16] = { MSGPACK_EXT, 1, 4 },
	[0x17] = { MSGPACK_EXT, 1, 8 },
	[0x18] = { MSGPACK_EXT, 1, 16 },
	[0x19] = { MSGPACK_STR, 1, 0 },
	[0x1a] = { MSGPACK_STR, 2, 0 },
	[0x1b] = { MSGPACK_STR, 4, 0 },
	[0x1c] = { MSGPACK_ARRAY, 2, 0 },
	[0x1d] = { MSGPACK_ARRAY, 4, 0 },
	[0x1e] = { MSGPACK_MAP, 2, 0 },
	[0x1f] = { MSGPACK_MAP, 4, 0 },
};
#define FORMS 0xc0u
#define FORMS_END 0xe0u
#define FIRST_SIGNED 0xd0u

static bool has_form(uint8_t first)
{
	return first >= FORMS && first < FORMS_END;
}

static struct msgpack_frame *top(struct msgpack_walker *w)
{
	return &w->frames[w->depth];
}

static bool over(const struct msgpack_walker *w)
{
	return w->broken || w->stopped;
}

static uint64_t left(struct msgpack_walker *w)
{
	return top(w)->end - w->offset;
}

/* -- telling -- */

/* Of the extension that is around what is being read; 0: none. */
static unsigned entered(const struct msgpack_walker *w)
{
	unsigned depth = w->depth;

	while (depth > 0 && w->frames[depth].kind != MSGPACK_EXT)
		depth--;
	return depth;
}

static void tell(struct msgpack_walker *w, enum msgpack_error e, bool inside, uint64_t found)
{
	if (!w->handler->error(w->handler->ctx, e, w->object.offset, inside, found))
		w->stopped = true;
}

static void begin_payload_skip(struct msgpack_walker *w, uint64_t end)
{
	w->state = STATE_PAYLOAD;
	w->payload_end = w->wanted = end;
	w->pieces = false;
}

/* Whatever an extension holds, where it ends is known: there the walk goes on. */
static void fail(struct msgpack_walker *w, enum msgpack_error e, uint64_t found)
{
	unsigned around = entered(w);

	tell(w, e, around > 0, found);
	if (around == 0) {
		w->broken = true;
		return;
	}
	w->depth = around;
	top(w)->left = 0;
	begin_payload_skip(w, top(w)->end);
}

/* -- between objects -- */

static void close_frame(struct msgpack_walker *w)
{
	w->depth--;
	if (!w->handler->close(w->handler->ctx, w->depth, w->offset))
		w->stopped = true;
}

/* The containers that are full end here.  Where another object has to come there must be a byte for it. */
static void next_object(struct msgpack_walker *w)
{
	w->state = STATE_FIRST;
	while (!over(w) && w->depth > 0 && top(w)->left == 0 && (top(w)->kind != MSGPACK_EXT || left(w) == 0))
		close_frame(w);
	if (over(w))
		return;
	w->object.offset = w->offset;
	if (top(w)->left == 0 && left(w) > 0)
		fail(w, MSGPACK_TRAILING, left(w));
	else if (top(w)->left > 0 && left(w) == 0)
		fail(w, MSGPACK_TRUNCATED, 1);
}

/* -- the end of a payload; within fail() it can be that of an entered extension with nothing left to skip -- */

static void end_payload(struct msgpack_walker *w)
{
	if (w->pieces && !w->handler->data_end(w->handler->ctx))
		w->stopped = true;
	next_object(w);
}

/* A broken extension may have ended where it broke. */
static void settle(struct msgpack_walker *w)
{
	while (!over(w) && w->state == STATE_PAYLOAD && w->offset == w->payload_end)
		end_payload(w);
}

/* -- objects -- */

static void push(struct msgpack_walker *w, enum msgpack_kind kind, uint64_t objects, uint64_t end)
{
	if (w->depth == MSGPACK_DEPTH_MAX) {
		fail(w, MSGPACK_DEPTH, MSGPACK_DEPTH_MAX + 1);
		return;
	}
	w->depth++;
	*top(w) = (struct msgpack_frame){ .left = objects, .end = end, .kind = (uint8_t)kind };
	next_object(w);
}

/* Each object takes a byte at least (rule 6). */
static void open_container(struct msgpack_walker *w)
{
	uint64_t objects = w->object.n;

	if (w->object.kind == MSGPACK_MAP && !mul_u64(objects, 2, &objects))
		objects = UINT64_MAX;
	if (objects > left(w)) {
		fail(w, MSGPACK_COUNT, w->object.n);
		return;
	}
	if (w->depth < MSGPACK_DEPTH_MAX && !w->handler->open(w->handler->ctx, &w->object))
		w->stopped = true;
	if (!over(w))
		push(w, w->object.kind, objects, top(w)->end);
}

static void take_data(struct msgpack_walker *w)
{
	enum msgpack_take take;

	if (w->object.n > left(w)) {
		fail(w, MSGPACK_TRUNCATED, w->object.n);
		return;
	}
	take = w->handler->data(w->handler->ctx, &w->object);
	if (take == MSGPACK_STOP) {
		w->stopped = true;
		return;
	}
	begin_payload_skip(w, w->offset + w->object.n); /* within the frame, which is within the file */
	if (take == MSGPACK_PIECES) {
		w->pieces = true;
		w->wanted = w->offset;
	} else if (take == MSGPACK_ENTER) {
		push(w, MSGPACK_EXT, 1, w->payload_end);
	}
}

/* Least bytes of an integer's number; 0: it fits the first byte. */
static unsigned integer_bytes(uint64_t value, bool negative)
{
	uint64_t magnitude = negative ? ~value : value;
	unsigned spare = negative ? 1 : 0; /* the bit of the sign */

	if (magnitude < (negative ? 32 : 128))
		return 0;
	if (magnitude >> (8 - spare) == 0)
		return 1;
	if (magnitude >> (16 - spare) == 0)
		return 2;
	return magnitude >> (32 - spare) == 0 ? 4 : 8;
}

/* Least bytes of a length or count. */
static unsigned length_bytes(const struct msgpack_object *o)
{
	unsigned wide = o->n > UINT16_MAX ? 4 : o->n > UINT8_MAX ? 2 : 1;

	switch (o->kind) {
	case MSGPACK_STR: return o->n < 32 ? 0 : wide;
	case MSGPACK_EXT: return o->n > 0 && o->n <= 16 && (o->n & (o->n - 1)) == 0 ? 0 : wide;
	case MSGPACK_ARRAY:
	case MSGPACK_MAP: return o->n < 16 ? 0 : wide == 1 ? 2 : wide;
	default: return wide;
	}
}

/* Rule 7. */
static void check_form(struct msgpack_walker *w)
{
	const struct form *f = &forms[w->first - FORMS];
	const struct msgpack_object *o = &w->object;
	bool longer = false;

	if (o->kind == MSGPACK_INT)
		longer = f->missing > integer_bytes(o->value, o->negative);
	else if (o->kind >= MSGPACK_STR && f->length == 0)
		longer = f->missing - (o->kind == MSGPACK_EXT ? 1u : 0u) > length_bytes(o);
	if (longer)
		tell(w, MSGPACK_LONGER, false, w->first);
}

static void end_number(struct msgpack_walker *w)
{
	struct msgpack_object *o = &w->object;

	if (over(w))
		return;
	if (o->kind == MSGPACK_ARRAY || o->kind == MSGPACK_MAP) {
		open_container(w);
	} else if (o->kind == MSGPACK_STR || o->kind == MSGPACK_BIN || o->kind == MSGPACK_EXT) {
		take_data(w);
	} else {
		if (!w->handler->scalar(w->handler->ctx, o))
			w->stopped = true;
		next_object(w);
	}
}

/* Two's complement of so many bytes. */
static uint64_t extend_sign(uint64_t number, unsigned bytes)
{
	uint64_t sign = UINT64_C(1) << (bytes * 8 - 1);

	return (number ^ sign) - sign;
}

static void read_form(struct msgpack_walker *w)
{
	const struct form *f = &forms[w->first - FORMS];
	struct msgpack_object *o = &w->object;

	o->payload = w->offset;
	o->value = w->first == 0xc3 ? 1 : w->number;
	if (o->kind == MSGPACK_INT && w->first >= FIRST_SIGNED) {
		o->value = extend_sign(w->number, f->missing);
		o->negative = o->value >> 63 != 0;
	}
	if (o->kind == MSGPACK_EXT) {
		o->n = f->length > 0 ? f->length : w->number >> 8;
		o->type = (int8_t)(w->number & 0xff);
	} else if (o->kind >= MSGPACK_STR) {
		o->n = w->number;
	} else {
		o->payload = w->offset - f->missing;
	}
	check_form(w);
	end_number(w);
}

/* Those that say all with their first byte. */
static void read_short(struct msgpack_walker *w)
{
	struct msgpack_object *o = &w->object;
	uint8_t c = w->first;

	o->payload = w->offset;
	if (c < 0x80 || c >= FORMS_END) {
		o->kind = MSGPACK_INT;
		o->value = c < 0x80 ? c : extend_sign(c, 1);
		o->negative = c >= FORMS_END;
		o->payload = o->offset;
	} else if (c < 0xa0) {
		o->kind = c < 0x90 ? MSGPACK_MAP : MSGPACK_ARRAY;
		o->n = c & 0x0f;
	} else {
		o->kind = MSGPACK_STR;
		o->n = c & 0x1f;
	}
	end_number(w);
}

/* -- pieces -- */

static void take_first(struct msgpack_walker *w, uint8_t c)
{
	struct msgpack_frame *around = top(w);

	w->object = (struct msgpack_object){
		.offset = w->offset, .depth = w->depth, .is_key = around->kind == MSGPACK_MAP && around->left % 2 == 0
	};
	around->left--;
	w->offset++;
	w->first = c;
	w->number = 0;
	if (!has_form(c)) {
		read_short(w);
		return;
	}
	w->object.kind = (enum msgpack_kind)forms[c - FORMS].kind;
	w->missing = forms[c - FORMS].missing;
	if (w->object.kind == MSGPACK_NEVER)
		fail(w, MSGPACK_BAD_BYTE, c);
	else if (w->missing > left(w))
		fail(w, MSGPACK_TRUNCATED, w->missing);
	else if (w->missing == 0)
		read_form(w);
	else
		w->state = STATE_NUMBER;
}

static void take_number(struct msgpack_walker *w, uint8_t c)
{
	w->offset++;
	w->number = w->number << 8 | c;
	if (--w->missing == 0)
		read_form(w);
}

static uint64_t between(uint64_t least, uint64_t n, uint64_t most)
{
	return n < least ? least : min_u64(n, most);
}

static const uint8_t *take_payload(struct msgpack_walker *w, const uint8_t *p, const uint8_t *end)
{
	bool wanted = w->pieces && w->offset >= w->wanted;
	uint64_t to = wanted ? w->payload_end : w->wanted;
	size_t n = (size_t)min_u64(to - w->offset, (uint64_t)(end - p));

	if (wanted) {
		uint64_t next = w->handler->piece(w->handler->ctx, p, n, w->offset);

		w->wanted = between(w->offset + n, next, w->payload_end);
	}
	w->offset += n;
	return p + n;
}

static const uint8_t *take(struct msgpack_walker *w, const uint8_t *p, const uint8_t *end)
{
	if (w->state == STATE_PAYLOAD)
		p = take_payload(w, p, end);
	else if (w->state == STATE_NUMBER)
		take_number(w, *p++);
	else
		take_first(w, *p++);
	settle(w);
	return p;
}

/* The feeder jumped to where it was told to. */
static void leap(struct msgpack_walker *w, uint64_t offset)
{
	if (w->state != STATE_PAYLOAD || offset != w->wanted) {
		w->broken = true; /* a feeder that does not keep its word: nothing was understood */
		return;
	}
	w->offset = offset;
	settle(w);
}

static bool is_done(const struct msgpack_walker *w)
{
	return over(w) || w->offset == w->frames[0].end;
}

/* Where to go on. */
static uint64_t next_wanted(struct msgpack_walker *w)
{
	if (!is_done(w) && w->state == STATE_PAYLOAD && w->wanted == w->frames[0].end)
		leap(w, w->wanted); /* nothing follows that would take the leap */
	if (is_done(w))
		return FEED_END;
	return w->state == STATE_PAYLOAD ? w->wanted : w->offset;
}

uint64_t msgpack_feed(void *walker, const uint8_t *at, size_t n, uint64_t offset)
{
	struct msgpack_walker *w = walker;
	const uint8_t *end = at + n;

	if (offset != w->offset)
		leap(w, offset);
	while (at < end && !is_done(w))
		at = take(w, at, end);
	return next_wanted(w);
}

void msgpack_begin(struct msgpack_walker *w, uint64_t size, const struct msgpack_handler *h)
{
	*w = (struct msgpack_walker){ .handler = h };
	w->frames[0] = (struct msgpack_frame){ .left = 1, .end = size, .kind = MSGPACK_EXT };
	next_object(w);
}

bool msgpack_finish(struct msgpack_walker *w)
{
	if (!is_done(w))
		fail(w, MSGPACK_TRUNCATED, w->frames[0].end - w->offset);
	return !over(w) && w->depth == 0 && w->frames[0].left == 0;
}
