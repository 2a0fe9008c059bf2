/* Arrays whose elements are written as text: protocols below 3 have no bytes, and spell them _codecs.encode(text, "latin1").
 * Where a tensor is made of such an array (_rebuild_device_tensor_from_numpy, as PyTorch before 2.1 saved those of XLA's
 * devices, with protocol 2), its elements are examined once the pickle is walked: a character is a byte. */
#include "checked.h"
#include "nonfinite.h"
#include "pytorch_objects_impl.h"
#include "stream.h"

#define PIECE 4096u /* bytes: whole elements of any type */

/* _reconstruct() + BUILD with (1, shape, dtype, fortran, text). */
void torch_note_text(struct torch_objects *o, struct pickle *p, const struct pickle_event *e)
{
	pickle_value content = torch_argument(p, e->args, 4);
	const struct torch_object *encoded = torch_object_of(o, p, content);
	struct torch_text *t = &o->text;
	const struct numpy_type *type;
	uint64_t count;

	*t = (struct torch_text){ .array = PICKLE_NO_VALUE };
	if (encoded == NULL || encoded->kind != TORCH_ENCODED || !pickle_arrays_is_array(o->arrays, p, e->target))
		return;
	type = pickle_arrays_dtype(o->arrays, p, torch_argument(p, e->args, 2));
	if (type == NULL || type->dtype == WLK_DTYPE_NONE || type->object || type->big_endian ||
	    !pickle_arrays_count(p, torch_argument(p, e->args, 1), &count) || !mul_u64(count, type->bytes, &t->bytes) ||
	    !pickle_payload(p, encoded->args, &t->begin, &t->n))
		return;
	t->dtype = type->dtype;
	t->array = e->target;
}

bool torch_take_text(const struct torch_made *c, pickle_value array, const struct torch_type *type)
{
	struct torch_objects *o = c->o;
	struct torch_text *list = o->texts;

	if (!o->o.arrays_examined || type == NULL || array == PICKLE_NO_VALUE || o->text.array != array ||
	    o->text.dtype != type->dtype)
		return false;
	if (o->n_texts == o->texts_capacity) {
		size_t capacity = o->texts_capacity > 0 ? o->texts_capacity * 2 : 16;

		list = arena_resize(o->o.l->arena, list, capacity, sizeof(*list));
		if (list == NULL) {
			o->failed = true;
			return false;
		}
		o->texts = list;
		o->texts_capacity = capacity;
	}
	o->text.offset = c->offset;
	o->texts[o->n_texts++] = o->text;
	return true;
}

/* -- behind the walk -- */

struct reading {
	struct torch_objects *o;
	size_t at; /* of the texts */
	const struct nonfinite_kernel *kernel;
	uint8_t piece[PIECE];
	size_t n;
	bool open;
	uint64_t pos, bytes; /* of the text at hand: the next in the stream, and how many were decoded */
	uint8_t lead;        /* of a character of two bytes */
	bool wrong;
};

static void examine(struct reading *r)
{
	r->wrong |= r->kernel != NULL && (r->n % r->kernel->element_bytes != 0 || r->kernel->any(r->piece, r->n));
	r->bytes += r->n;
	r->n = 0;
}

static void take(struct reading *r, uint8_t byte)
{
	if (r->lead != 0) {
		r->wrong |= (byte & 0xc0) != 0x80;
		byte = (uint8_t)((unsigned)(r->lead & 3) << 6 | (byte & 0x3fu));
		r->lead = 0;
	} else if (byte >= 0x80) {
		r->wrong |= byte != 0xc2 && byte != 0xc3;
		r->lead = byte;
		return;
	}
	r->piece[r->n++] = byte;
	if (r->n == PIECE)
		examine(r);
}

static void begin(struct reading *r, const struct torch_text *t)
{
	r->kernel = nonfinite_kernel(t->dtype);
	r->pos = t->begin;
	r->bytes = 0;
	r->lead = 0;
	r->wrong = false;
	r->open = true;
}

static void finish(struct reading *r, const struct torch_text *t)
{
	if (r->open)
		examine(r);
	if (!r->open || r->wrong || r->lead != 0 || r->bytes != t->bytes)
		torch_objects_at(r->o, WLK_F_TORCH_CALL, t->offset);
	r->open = false;
	r->at++;
}

/* Texts come in the order of the calls.  One that another array was made of is behind already: what is made of it stays
 * unknown. */
static uint64_t feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct reading *r = ctx;
	uint64_t end = offset + n;

	while (r->at < r->o->n_texts) {
		const struct torch_text *t = &r->o->texts[r->at];
		uint64_t last = t->begin + t->n; /* inside the stream */

		if (!r->open && t->begin >= end)
			return t->begin;
		if (!r->open && t->begin >= r->pos)
			begin(r, t);
		for (; r->open && r->pos < end && r->pos < last; r->pos++)
			take(r, at[r->pos - offset]);
		if (r->open && r->pos < last)
			return end;
		finish(r, t);
	}
	return FEED_END;
}

enum wlk_status torch_objects_check_texts(struct torch_objects *o, const struct stream *s)
{
	struct reading r = { .o = o };

	if (o->n_texts == 0)
		return WLK_DONE;
	if (stream_preview(s, o->o.l->arena, (struct feeder){ feed, &r }, NULL) == STREAM_FAILED)
		return layout_stop(o->o.l);
	while (r.at < o->n_texts)
		finish(&r, &o->texts[r.at]);
	return WLK_DONE;
}
