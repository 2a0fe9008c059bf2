/* Weights in records: see records.h. */
#include "records.h"

#include <string.h>

#include "checked.h"

struct record_column {
	struct weights weights;
	uint64_t examined; /* bytes of this tensor's elements, side by side, that the kernel has seen */
	size_t n;          /* bytes gathered since */
	uint8_t bytes[RECORD_BUFFER];
};

_Static_assert(RECORD_BUFFER % (12 * 16) == 0 && RECORD_BUFFER % (24 * 8) == 0 && RECORD_BUFFER % 32 == 0,
    "a buffer holds whole elements of any type");

static bool is_power_of_two(size_t n)
{
	return (n & (n - 1)) == 0;
}

bool records_attach(struct extents *x, struct extent *e, const struct record_type *type)
{
	if (is_power_of_two(x->n_records)) { /* full */
		size_t room = x->n_records > 0 ? x->n_records * 2 : 1;
		const struct record_type **list = arena_resize_raw(x->arena, (void *)x->records, room, sizeof(*list));

		if (list == NULL)
			return false;
		x->records = list;
	}
	e->flags |= EXTENT_RECORDS;
	e->index = (uint32_t)x->n_records;
	x->records[x->n_records++] = type;
	return true;
}

/* -- gathering -- */

static bool reserve_columns(struct records *r, size_t n, struct arena *a)
{
	void *columns;

	if (n <= r->n_columns)
		return true;
	columns = arena_resize_raw(a, r->columns, n, sizeof(*r->columns));
	if (columns == NULL)
		return false;
	r->columns = columns;
	r->n_columns = n;
	return true;
}

void records_begin(struct records *r, const struct record_type *type, struct arena *a)
{
	r->type = NULL;
	r->at = 0;
	r->field = 0;
	if (type->n_fields == 0)
		return;
	if (!reserve_columns(r, type->n_tensors, a)) {
		r->failed = true;
		return;
	}
	r->type = type;
	for (size_t i = 0; i < type->n_tensors; i++) {
		struct record_column *c = &r->columns[i];

		weights_begin(&c->weights, type->tensors[i].dtype, type->tensors[i].big_endian);
		c->weights.settings = type->settings;
		c->examined = 0;
		c->n = 0;
	}
}

static void examine(struct record_column *c, const uint8_t *at, size_t n)
{
	weights_examine(&c->weights, at, n, c->examined);
	c->examined += n;
}

/* More bytes of its elements; long runs are examined where they are. */
static void column_put(struct record_column *c, const uint8_t *at, size_t n)
{
	while (n > 0) {
		size_t taken = n < RECORD_BUFFER - c->n ? n : RECORD_BUFFER - c->n;

		if (taken == RECORD_BUFFER) {
			examine(c, at, taken);
		} else {
			memcpy(c->bytes + c->n, at, taken);
			c->n += taken;
		}
		if (c->n == RECORD_BUFFER) {
			examine(c, c->bytes, c->n);
			c->n = 0;
		}
		at += taken;
		n -= taken;
	}
}

static inline size_t up_to(size_t n, uint64_t left)
{
	return left < n ? (size_t)left : n;
}

/* What comes next of the record: bytes of a field, or bytes that are nobody's.  Return: how many of n. */
static size_t feed_field(struct records *r, const uint8_t *at, size_t n)
{
	const struct record_type *t = r->type;
	const struct record_field *f = &t->fields[r->field];
	uint64_t end;

	if (r->field == t->n_fields)
		return up_to(n, t->bytes - r->at);
	if (r->at < f->offset)
		return up_to(n, f->offset - r->at);
	end = f->offset + f->bytes; /* inside the record */
	n = up_to(n, end - r->at);
	if (r->columns[f->tensor].weights.kernel != NULL)
		column_put(&r->columns[f->tensor], at, n);
	r->field += r->at + n == end;
	return n;
}

void records_feed(struct records *r, const uint8_t *at, size_t n)
{
	if (r->type == NULL)
		return;
	while (n > 0) {
		size_t taken = feed_field(r, at, n);

		r->at += taken;
		if (r->at == r->type->bytes) {
			r->at = 0;
			r->field = 0;
		}
		at += taken;
		n -= taken;
	}
}

/* -- what was found -- */

static uint64_t bytes_per_record(const struct record_type *t, size_t tensor)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->n_fields; i++)
		sum += t->fields[i].tensor == tensor ? t->fields[i].bytes : 0; /* disjoint parts of one record */
	return sum;
}

/* Where the byte at this place among the tensor's elements stands in the array. */
static uint64_t offset_in_array(const struct record_type *t, size_t tensor, uint64_t place)
{
	uint64_t per_record = bytes_per_record(t, tensor);
	uint64_t record = place / per_record, left = place % per_record;

	for (size_t i = 0; i < t->n_fields; i++) {
		const struct record_field *f = &t->fields[i];

		if (f->tensor != tensor)
			continue;
		if (left < f->bytes)
			return record * t->bytes + f->offset + left; /* inside the array, which fits 64 bits */
		left -= f->bytes;
	}
	return 0;
}

static void end_column(struct records *r, size_t tensor, struct report *report, const struct extents *x, uint64_t begin)
{
	const struct record_tensor *t = &r->type->tensors[tensor];
	struct record_column *c = &r->columns[tensor];
	const struct nonfinite_kernel *k = c->weights.kernel;

	if (k == NULL)
		return;
	if (c->n >= k->element_bytes)
		examine(c, c->bytes, c->n / k->element_bytes * k->element_bytes);
	if (dtype_is_float(t->dtype))
		report->totals.elements += c->examined / k->element_bytes;
	if (!c->weights.found)
		return;
	weights_report(&c->weights, report,
	    &(struct weights_place){ .name = t->name,
		.member = x->member,
		.first_offset = x->origin + begin + offset_in_array(r->type, tensor, c->weights.first_offset) });
}

void records_end(struct records *r, struct report *report, const struct extents *x, uint64_t begin)
{
	if (r->type == NULL)
		return;
	for (size_t i = 0; i < r->type->n_tensors; i++)
		end_column(r, i, report, x, begin);
	r->type = NULL;
}
