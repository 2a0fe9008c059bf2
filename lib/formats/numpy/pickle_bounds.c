/* Implements pickle_arrays_bound() and pickle_bounds.h. */
#include "pickle_bounds.h"

#include "checked.h"

/* Bytes of a number; 0: it is no integer. */
static unsigned width_of(enum wlk_dtype dtype)
{
	switch (dtype) {
	case WLK_DTYPE_I8: return 1;
	case WLK_DTYPE_I16: return 2;
	case WLK_DTYPE_I32: return 4;
	case WLK_DTYPE_I64: return 8;
	default: return 0;
	}
}

/* An array of nothing has nothing to be looked at. */
static bool is_readable(const struct thing *t)
{
	return t->kind == THING_ARRAY && width_of(t->type.dtype) > 0 && !t->type.big_endian && t->record == NULL &&
	       (t->n > 0 || t->form != ELEMENTS_PLAIN || t->bytes == 0);
}

/* Several may use an array: what is right for all of them. */
void pickle_arrays_bound(void *ctx, struct pickle *p, pickle_value array, const struct pickle_bounds *b)
{
	struct pickle_arrays *a = ctx;
	struct thing *t = pickle_thing_of(a, p, array);

	if (t == NULL || !is_readable(t)) {
		pickle_arrays_report(a, WLK_F_PICKLE_ARGUMENTS, b->offset, bytes_of_text("places"), (struct value){ 0 },
		    (struct value){ 0 });
		return;
	}
	if (!t->bounded)
		t->bounds = *b;
	t->bounded = true;
	t->bounds.least = b->least > t->bounds.least ? b->least : t->bounds.least;
	t->bounds.below = min_u64(b->below, t->bounds.below);
	t->bounds.rising |= b->rising;
}

void pickle_places_begin(struct pickle_places *s, const struct thing *array)
{
	*s = (struct pickle_places){ .array = array, .last = INT64_MIN };
}

static int64_t number_at(const uint8_t *at, unsigned width)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < width; i++)
		n |= (uint64_t)at[i] << (8 * i);
	if (width < 8 && (at[width - 1] & 0x80) != 0)
		n |= ~UINT64_C(0) << (8 * width);
	return (int64_t)n;
}

static void see(struct pickle_places *s, int64_t n)
{
	const struct pickle_bounds *b = &s->array->bounds;

	if (!s->found && (n < b->least || (n >= 0 && (uint64_t)n >= b->below) || (b->rising && n < s->last))) {
		s->found = true;
		s->wrong = n;
		s->wrong_at = s->at;
	}
	s->last = n;
	s->at++;
}

bool pickle_places_feed(struct pickle_places *s, const uint8_t *at, size_t n)
{
	unsigned width = width_of(s->array->type.dtype);

	for (size_t i = 0; i + width <= n; i += width)
		see(s, number_at(at + i, width));
	return n % width == 0;
}

void pickle_places_end(const struct pickle_places *s, struct pickle_arrays *a)
{
	const struct thing *t = s->array;

	if (s->found)
		pickle_arrays_report(a, WLK_F_PICKLE_PLACE_RANGE, t->bounds.offset,
		    bytes_of(a->names + t->name_at, t->name_n), value_number(s->wrong < 0 ? 0 : (uint64_t)s->wrong),
		    value_number(t->bounds.below));
}
