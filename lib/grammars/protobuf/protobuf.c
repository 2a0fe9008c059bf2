/* The protobuf walker: a state for each thing that can be cut by the end of a piece.  See protobuf.h. */
#include "protobuf.h"

#include <string.h>

#include "part.h"

enum state { STATE_TAG, STATE_LENGTH, STATE_VARINT, STATE_FIXED, STATE_GATHER, STATE_SKIP };

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_LEN = 2, WIRE_GROUP = 3, WIRE_GROUP_END = 4, WIRE_32 = 5 };

#define FIELD_NUMBER_MAX ((1u << 29) - 1)

static struct pb_frame *top(struct pb_walker *w)
{
	return &w->frames[w->depth];
}

static bool over(const struct pb_walker *w)
{
	return w->broken || w->stopped;
}

/* Nothing of what is being read may reach beyond. */
static uint64_t limit(struct pb_walker *w)
{
	return w->packed ? w->payload_end : top(w)->end;
}

/* -- telling -- */

static void fail(struct pb_walker *w, enum pb_error e, uint64_t found)
{
	const struct pb_place at = { .message = top(w)->message, .depth = w->depth, .offset = w->tag_at };

	if (w->handler->error != NULL && !w->handler->error(w->handler->ctx, e, &at, w->number, found))
		w->stopped = true;
	if (pb_error_is_fatal(e))
		w->broken = true;
}

static struct pb_place place_of_payload(struct pb_walker *w)
{
	return (struct pb_place){ .message = top(w)->message, .depth = w->depth, .offset = w->payload_at };
}

static void tell_number(struct pb_walker *w)
{
	const struct pb_place at = place_of_payload(w);

	if (w->field != NULL && !over(w) && w->handler->number != NULL &&
	    !w->handler->number(w->handler->ctx, &at, w->field, w->value))
		w->stopped = true;
}

static void tell_data(struct pb_walker *w, struct bytes bytes)
{
	const struct pb_place at = place_of_payload(w);

	if (!over(w) && w->handler->data != NULL &&
	    !w->handler->data(w->handler->ctx, &at, w->field, bytes, w->payload_n))
		w->stopped = true;
}

/* -- between fields -- */

static void begin_tag(struct pb_walker *w)
{
	w->state = STATE_TAG;
	w->value = 0;
	w->shift = 0;
	w->number = 0;
	w->packed = false;
	w->tag_at = w->offset;
}

/* The messages that end here. */
static void pop_all(struct pb_walker *w)
{
	while (w->depth > 0 && w->offset == top(w)->end && !over(w)) {
		const struct pb_frame *done = top(w);
		const struct pb_place at = { .message = done->message, .depth = w->depth, .offset = w->offset };

		if (done->message != NULL && w->handler->end != NULL &&
		    !w->handler->end(w->handler->ctx, &at, done->field))
			w->stopped = true;
		w->depth--;
	}
}

static void end_payload(struct pb_walker *w)
{
	begin_tag(w);
	pop_all(w);
}

static void begin_item(struct pb_walker *w, bool fixed)
{
	w->state = fixed ? STATE_FIXED : STATE_VARINT;
	w->value = 0;
	w->shift = 0;
	w->payload_at = w->offset;
}

static void end_number(struct pb_walker *w)
{
	tell_number(w);
	if (w->packed && w->offset < w->payload_end)
		begin_item(w, w->state == STATE_FIXED);
	else
		end_payload(w);
}

/* -- tags -- */

static enum wire wire_of(enum pb_kind kind)
{
	if (kind <= PB_BOOL)
		return WIRE_VARINT;
	return kind == PB_FIXED32 ? WIRE_32 : kind == PB_FIXED64 ? WIRE_64 : WIRE_LEN;
}

static bool is_scalar(const struct pb_field *f)
{
	return wire_of(f->kind) != WIRE_LEN;
}

static const struct pb_field *find_field(const struct pb_message *m, uint32_t number)
{
	for (size_t i = 0; i < m->n_fields && m->fields[i].number <= number; i++) {
		if (m->fields[i].number == number)
			return &m->fields[i];
	}
	return NULL;
}

static bool is_reserved(const struct pb_message *m, uint32_t number)
{
	for (const uint32_t *r = m->reserved; r != NULL && *r != 0; r++) {
		if (*r == number)
			return true;
	}
	return false;
}

/* W9 and W10; what is told is read all the same. */
static void mark_seen(struct pb_walker *w, const struct pb_field *f)
{
	struct pb_frame *frame = top(w);
	size_t index = pb_field_index(frame->message, f);
	uint64_t bit = UINT64_C(1) << index % 64, *seen = &frame->seen[index / 64];
	uint32_t group = f->oneof > 0 ? UINT32_C(1) << f->oneof : 0;

	if ((*seen & bit) != 0 && !f->repeated)
		fail(w, PB_DUPLICATE, 0);
	else if ((frame->oneofs & group) != 0)
		fail(w, PB_ONEOF, 0);
	*seen |= bit;
	frame->oneofs |= group;
}

/* The field that this tag means, or NULL for one to be passed over.  W4, W8. */
static const struct pb_field *expected_field(struct pb_walker *w)
{
	const struct pb_message *m = top(w)->message;
	const struct pb_field *f = m != NULL ? find_field(m, w->number) : NULL;

	if (m == NULL)
		return NULL;
	if (f == NULL && is_reserved(m, w->number))
		fail(w, PB_RESERVED, 0);
	else if (f == NULL && w->wire != WIRE_LEN) /* else told with its length */
		fail(w, PB_UNKNOWN, 0);
	if (f == NULL)
		return NULL;
	if (w->wire != wire_of(f->kind) && !(w->wire == WIRE_LEN && f->repeated && is_scalar(f))) {
		fail(w, PB_WIRETYPE, w->wire);
		return NULL;
	}
	mark_seen(w, f);
	return f;
}

static void end_tag(struct pb_walker *w)
{
	uint64_t tag = w->value;

	w->wire = tag & 7;
	w->number = tag >> 3 <= FIELD_NUMBER_MAX ? (uint32_t)(tag >> 3) : 0;
	if (w->number == 0 || w->wire > WIRE_32)
		fail(w, PB_TAG, tag);
	else if (w->wire == WIRE_GROUP || w->wire == WIRE_GROUP_END)
		fail(w, PB_GROUP, w->wire);
	if (over(w))
		return;
	w->field = expected_field(w);
	if (w->wire == WIRE_LEN) {
		w->state = STATE_LENGTH;
		w->value = 0;
		w->shift = 0;
	} else {
		begin_item(w, w->wire != WIRE_VARINT);
	}
	if (w->offset == limit(w) && !over(w))
		fail(w, PB_TRUNCATED, 1);
}

/* -- payloads -- */

static void begin_message(struct pb_walker *w)
{
	const struct pb_field *f = w->field;
	const struct pb_place at = place_of_payload(w);
	bool opaque = f->kind == PB_OPAQUE;

	if (w->depth + 1 == PB_DEPTH_MAX) {
		fail(w, PB_DEPTH, PB_DEPTH_MAX + 1);
		return;
	}
	if (!opaque && w->handler->begin != NULL && !w->handler->begin(w->handler->ctx, &at, f, w->payload_n))
		w->stopped = true;
	w->depth++;
	*top(w) = (struct pb_frame){ .message = opaque ? NULL : f->message, .field = f, .end = w->payload_end };
	end_payload(w);
}

static size_t fixed_bytes(const struct pb_walker *w)
{
	return w->wire == WIRE_64 || (w->packed && w->field->kind == PB_FIXED64) ? 8 : 4;
}

static void skip_payload(struct pb_walker *w)
{
	w->state = STATE_SKIP;
	if (w->payload_n == 0)
		end_payload(w);
}

static void begin_packed(struct pb_walker *w)
{
	bool fixed = wire_of(w->field->kind) != WIRE_VARINT;
	size_t item = w->field->kind == PB_FIXED64 ? 8 : 4;

	if (fixed && w->payload_n % item != 0)
		fail(w, PB_PACKED, w->payload_n);
	else if (fixed && w->field->in_place)
		tell_data(w, (struct bytes){ 0 });
	else if (w->payload_n > 0)
		w->packed = true;
	if (w->packed)
		begin_item(w, fixed);
	else
		skip_payload(w);
}

static void begin_gathering(struct pb_walker *w)
{
	w->state = STATE_GATHER;
	w->utf8 = (struct utf8_stream){ 0 };
	w->not_utf8 = w->control = false;
	w->collected = 0;
}

static void end_gathering(struct pb_walker *w)
{
	if (w->not_utf8 || !utf8_stream_whole(&w->utf8))
		fail(w, PB_UTF8, w->payload_n);
	else if (w->control)
		fail(w, PB_CONTROL, w->payload_n);
	tell_data(w, bytes_of(w->buffer, w->collected));
	end_payload(w);
}

static void begin_payload(struct pb_walker *w)
{
	const struct pb_field *f = w->field;

	w->payload_n = w->value;
	w->payload_at = w->offset;
	if (w->payload_n > top(w)->end - w->offset) {
		fail(w, PB_TRUNCATED, w->payload_n);
		return;
	}
	w->payload_end = w->offset + w->payload_n; /* within the frame, which is within the file */
	if (f == NULL) {
		if (top(w)->message != NULL && find_field(top(w)->message, w->number) == NULL &&
		    !is_reserved(top(w)->message, w->number))
			fail(w, PB_UNKNOWN, w->payload_n);
		skip_payload(w);
	} else if (is_scalar(f)) {
		begin_packed(w);
	} else if (f->kind == PB_MESSAGE || f->kind == PB_OPAQUE) {
		begin_message(w);
	} else if (f->kind == PB_BLOB && w->payload_n > PB_BLOB_SMALL) {
		tell_data(w, (struct bytes){ 0 });
		skip_payload(w);
	} else {
		begin_gathering(w);
		if (w->payload_n == 0)
			end_gathering(w);
	}
}

/* -- pieces -- */

/* W13. */
static bool in_range(enum pb_kind kind, uint64_t v)
{
	switch (kind) {
	case PB_INT32:
	case PB_ENUM: return v <= INT32_MAX || v >= UINT64_MAX - INT32_MAX;
	case PB_UINT32: return v <= UINT32_MAX;
	case PB_BOOL: return v <= 1;
	default: return true;
	}
}

static void end_varint(struct pb_walker *w, uint8_t last)
{
	bool overlong = w->shift > 0 && last == 0;

	if (overlong)
		fail(w, w->state == STATE_VARINT ? PB_OVERLONG_VALUE : PB_OVERLONG, 0);
	if (over(w))
		return;
	if (w->state == STATE_TAG) {
		end_tag(w);
	} else if (w->state == STATE_LENGTH) {
		begin_payload(w);
	} else {
		if (w->field != NULL && !in_range(w->field->kind, w->value))
			fail(w, PB_RANGE, w->value);
		end_number(w);
	}
}

static const uint8_t *take_varint(struct pb_walker *w, const uint8_t *p, const uint8_t *end)
{
	uint64_t most = limit(w);

	while (p < end) {
		uint8_t c = *p++;

		w->offset++;
		if (w->shift == 63 && c > 1) { /* the tenth byte has one bit left */
			fail(w, PB_VARINT, c);
			return p;
		}
		w->value |= (uint64_t)(c & 0x7f) << w->shift;
		if ((c & 0x80) == 0) {
			end_varint(w, c);
			return p;
		}
		w->shift += 7;
		if (w->offset == most) {
			fail(w, PB_TRUNCATED, 1);
			return p;
		}
	}
	return p;
}

static const uint8_t *take_fixed(struct pb_walker *w, const uint8_t *p, const uint8_t *end)
{
	size_t bits = fixed_bytes(w) * 8;
	uint64_t most = limit(w);

	while (p < end && w->shift < bits && w->offset < most) {
		w->value |= (uint64_t)*p++ << w->shift;
		w->shift += 8;
		w->offset++;
	}
	if (w->shift == bits)
		end_number(w);
	else if (w->offset == most)
		fail(w, PB_TRUNCATED, bits / 8);
	return p;
}

/* Rules for text: no NUL, no C0; tabs and line ends only in prose. */
static bool has_control(const uint8_t *at, size_t n, bool prose)
{
	for (size_t i = 0; i < n; i++) {
		if (at[i] < 0x20 && !(prose && (at[i] == '\t' || at[i] == '\n' || at[i] == '\r')))
			return true;
	}
	return false;
}

static const uint8_t *take_gathered(struct pb_walker *w, const uint8_t *p, const uint8_t *end)
{
	uint64_t left = w->payload_end - w->offset;
	size_t n = left < (size_t)(end - p) ? (size_t)left : (size_t)(end - p);
	size_t room = sizeof(w->buffer) - w->collected, kept = n < room ? n : room;
	bool text = w->field->kind == PB_STRING || w->field->kind == PB_TEXT;

	if (text) {
		w->not_utf8 = w->not_utf8 || !utf8_stream_feed(&w->utf8, p, n);
		w->control = w->control || has_control(p, n, w->field->kind == PB_TEXT);
	}
	bytes_copy(w->buffer + w->collected, bytes_of(p, kept));
	w->collected += kept;
	w->offset += n;
	if (w->offset == w->payload_end)
		end_gathering(w);
	return p + n;
}

static const uint8_t *take_skipped(struct pb_walker *w, const uint8_t *p, const uint8_t *end)
{
	uint64_t left = w->payload_end - w->offset;
	size_t n = left < (size_t)(end - p) ? (size_t)left : (size_t)(end - p);

	w->offset += n;
	if (w->offset == w->payload_end)
		end_payload(w);
	return p + n;
}

static const uint8_t *take(struct pb_walker *w, const uint8_t *p, const uint8_t *end)
{
	switch (w->state) {
	case STATE_FIXED: return take_fixed(w, p, end);
	case STATE_GATHER: return take_gathered(w, p, end);
	case STATE_SKIP: return take_skipped(w, p, end);
	default: return take_varint(w, p, end);
	}
}

/* The feeder jumped to where it was told to. */
static void leap(struct pb_walker *w, uint64_t offset)
{
	if (w->state != STATE_SKIP || offset != w->payload_end) {
		w->broken = true; /* a feeder that does not keep its word: nothing was understood */
		return;
	}
	w->offset = offset;
	end_payload(w);
}

/* Where to go on. */
static uint64_t next_wanted(struct pb_walker *w)
{
	if (w->state == STATE_SKIP && !over(w) && w->payload_end == w->frames[0].end)
		leap(w, w->payload_end); /* nothing follows that would take the leap */
	if (over(w) || w->offset == w->frames[0].end)
		return FEED_END;
	return w->state == STATE_SKIP ? w->payload_end : w->offset;
}

uint64_t pb_feed(void *walker, const uint8_t *at, size_t n, uint64_t offset)
{
	struct pb_walker *w = walker;
	const uint8_t *end = at + n;

	if (offset != w->offset)
		leap(w, offset);
	while (at < end && !over(w) && w->offset < w->frames[0].end)
		at = take(w, at, end);
	return next_wanted(w);
}

void pb_begin(struct pb_walker *w, const struct pb_message *root, uint64_t size, const struct pb_handler *h)
{
	memset(w, 0, offsetof(struct pb_walker, buffer));
	w->handler = h;
	w->frames[0] = (struct pb_frame){ .message = root, .end = size };
	begin_tag(w);
}

bool pb_finish(struct pb_walker *w)
{
	if (!over(w) && w->offset < w->frames[0].end)
		fail(w, PB_TRUNCATED, w->frames[0].end - w->offset);
	return !over(w);
}
