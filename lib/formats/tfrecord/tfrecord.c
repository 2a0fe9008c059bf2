/* Records, gone through once before the pass: see tfrecord.h.  Length and its checksum, the message and its checksum, until the end. */
#include "tfrecord.h"

#include "checked.h"
#include "crc32c.h"
#include "wire_errors.h"

#define HEAD 12u /* a length of eight bytes and its checksum */
#define FOOT 4u
#define RECORD_MAX UINT64_C(2147483647) /* what protobuf can count */

/* What the next byte belongs to. */
enum phase { PHASE_HEAD, PHASE_MESSAGE, PHASE_FOOT };

struct records {
	struct layout *l;
	struct pb_walker *walker;
	const struct pb_message *root; /* NULL: no record has said yet */
	enum phase phase;
	uint64_t at;           /* where the phase began, in the part */
	uint8_t bytes[HEAD];   /* of head or foot */
	size_t n;              /* so many */
	uint64_t length, done; /* of the message */
	uint64_t want;         /* offset in the message of the next byte that the walker asks for */
	uint32_t crc;
	bool broken;
};

static bool fault(struct records *r, enum wlk_finding code, uint64_t at, const char *what)
{
	layout_finding(
	    r->l, &(struct finding){
		      .code = code, .has_offset = true, .offset = at, .found = value_text(bytes_of_text(what)) });
	r->broken = true;
	return false;
}

/* -- what a message may hold -- */

static bool on_error(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	static const struct wire_codes codes = { WLK_F_TFRECORD_MESSAGE, WLK_F_TFRECORD_AMBIGUOUS,
		WLK_F_TFRECORD_UNKNOWN_FIELD };
	struct records *r = ctx;
	const char *rule, *message = at->message != NULL ? at->message->name : "";
	enum wlk_finding code = wire_error(&codes, e, &rule);

	(void)number, (void)found;
	r->broken = r->broken || wire_breaks(code);
	layout_finding(r->l, &(struct finding){ .code = code,
				 .has_offset = true,
				 .offset = r->at + at->offset,
				 .subject = bytes_of_text(message),
				 .found = value_text(bytes_of_text(rule)) });
	return true;
}

/* An event begins with its time, or with the version of the file; an example with its features.  The first record says for all. */
static const struct pb_message *root_of(uint8_t first)
{
	switch (first) {
	case 1 << 3 | 1:
	case 2 << 3 | 0:
	case 3 << 3 | 2: return &tfrecord_event;
	case 1 << 3 | 2: return &tfrecord_example;
	default: return NULL;
	}
}

/* -- phases -- */

static void begin(struct records *r, enum phase phase, uint64_t at)
{
	r->phase = phase;
	r->at = at;
	r->n = 0;
}

/* Bytes of head or foot that are still missing, as far as there are any.  Return: how many were taken. */
static size_t gather(struct records *r, const uint8_t *at, size_t n, size_t whole)
{
	n = (size_t)min_u64(n, whole - r->n);
	bytes_copy(r->bytes + r->n, bytes_of(at, n));
	r->n += n;
	return n;
}

static bool end_head(struct records *r, const struct pb_handler *handler)
{
	r->length = load_u64le(r->bytes);
	if (load_u32le(r->bytes + 8) != crc32c_masked(crc32c(0, bytes_of(r->bytes, 8))))
		return fault(r, WLK_F_TFRECORD_CHECKSUM, r->at, "of a length");
	if (r->length > RECORD_MAX)
		return fault(r, WLK_F_TFRECORD_MESSAGE, r->at, "longer than a message can be");
	r->done = r->want = 0;
	r->crc = 0;
	begin(r, PHASE_MESSAGE, r->at + HEAD);
	if (r->root != NULL)
		pb_begin(r->walker, r->root, r->length, handler);
	return true;
}

static bool choose(struct records *r, uint8_t first, const struct pb_handler *handler)
{
	r->root = root_of(first);
	if (r->root == NULL)
		return fault(r, WLK_F_TFRECORD_UNKNOWN_FIELD, r->at, "neither an event nor an example");
	pb_begin(r->walker, r->root, r->length, handler);
	return true;
}

/* The walker leaves out what it has no use for; the checksum does not. */
static size_t take_message(struct records *r, const uint8_t *at, size_t n)
{
	uint64_t end;

	n = (size_t)min_u64(n, r->length - r->done);
	end = r->done + n;
	r->crc = crc32c(r->crc, bytes_of(at, n));
	if (r->want < end) {
		uint64_t from = r->want > r->done ? r->want : r->done;

		r->want = pb_feed(r->walker, at + (from - r->done), (size_t)(end - from), from);
	}
	r->done = end;
	return n;
}

static bool end_message(struct records *r)
{
	if (r->root != NULL && !pb_finish(r->walker))
		r->broken = true; /* told */
	begin(r, PHASE_FOOT, r->at + r->length);
	return !r->broken;
}

static bool end_foot(struct records *r)
{
	if (load_u32le(r->bytes) != crc32c_masked(r->crc))
		return fault(r, WLK_F_TFRECORD_CHECKSUM, r->at, "of a message");
	begin(r, PHASE_HEAD, r->at + FOOT);
	return true;
}

struct feeding {
	struct records *r;
	struct pb_handler handler;
};

/* Return: bytes taken of the n, at least one, or 0 when nothing can be read any more. */
static size_t step(struct feeding *f, const uint8_t *at, size_t n)
{
	struct records *r = f->r;
	size_t taken;

	switch (r->phase) {
	case PHASE_HEAD: taken = gather(r, at, n, HEAD); return r->n < HEAD || end_head(r, &f->handler) ? taken : 0;
	case PHASE_MESSAGE:
		if (r->root == NULL && r->length > 0 && !choose(r, *at, &f->handler))
			return 0;
		return take_message(r, at, n);
	case PHASE_FOOT: taken = gather(r, at, n, FOOT); return r->n < FOOT || end_foot(r) ? taken : 0;
	}
	return 0;
}

static uint64_t feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct feeding *f = ctx;

	for (size_t i = 0; i < n;) {
		size_t taken = step(f, at + i, n - i);

		if (taken == 0)
			return FEED_END;
		i += taken;
		if (f->r->phase == PHASE_MESSAGE && f->r->done == f->r->length && !end_message(f->r))
			return FEED_END;
	}
	return offset + n;
}

/* -- the whole -- */

static bool cover(struct layout *l)
{
	struct extent *e = extents_add(l->extents);

	if (e == NULL)
		return false;
	*e = (struct extent){ .begin = 0, .end = l->part.size, .kind = EXTENT_METADATA };
	return true;
}

static enum wlk_status layout(struct layout *l)
{
	struct records r = { .l = l };
	struct feeding f = { &r, { .ctx = &r, .error = on_error } };

	layout_raise_memory(l, sizeof(*r.walker));
	r.walker = arena_alloc(l->arena, 1, sizeof(*r.walker));
	if (r.walker == NULL || !part_preview(&l->part, 0, (struct feeder){ feed, &f }) || !cover(l))
		return layout_stop(l);
	if (!r.broken && (r.phase != PHASE_HEAD || r.n > 0))
		fault(&r, WLK_F_TFRECORD_TRUNCATED, r.at, "a record");
	if (r.root == &tfrecord_event)
		l->id = WLK_FORMAT_TENSORBOARD;
	return r.broken ? WLK_BROKEN : WLK_DONE;
}

/* A length, and what no other format has behind it: its checksum. */
static bool probe(const struct probe *p)
{
	return p->n >= HEAD + FOOT && load_u32le(p->head + 8) == crc32c_masked(crc32c(0, bytes_of(p->head, 8)));
}

const struct wlk_format format_tfrecord = {
	.id = WLK_FORMAT_TFRECORD, .probe = probe, .layout = layout, .nested = NESTED_RANDOM
};
