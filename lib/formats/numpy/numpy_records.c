/* Fields as tensors: see numpy_records.h. */
#include "numpy_records.h"

#include "checked.h"
#include "records.h"

#define KEY_BYTES_MAX 256u
#define NO_TENSOR UINT32_MAX

struct builder {
	struct arena *arena;
	const struct numpy_record *record;
	struct bytes key;
	struct record_tensor *tensors;
	struct record_field *fields;
	struct record_type *type;
	uint32_t *of_place; /* the tensor of the field at this place of the text */
};

static size_t count_places(const struct numpy_record *record)
{
	size_t n = 0;

	for (size_t i = 0; i < record->n_fields; i++)
		if (record->fields[i].place >= n)
			n = (size_t)record->fields[i].place + 1; /* below the bytes of a header */
	return n;
}

static bool allocate(struct builder *b)
{
	size_t n = b->record->n_fields, places = count_places(b->record);

	b->type = arena_alloc(b->arena, 1, sizeof(*b->type));
	b->tensors = arena_alloc(b->arena, n, sizeof(*b->tensors));
	b->fields = arena_alloc(b->arena, n, sizeof(*b->fields));
	b->of_place = arena_alloc(b->arena, places, sizeof(*b->of_place));
	if (b->type == NULL || b->tensors == NULL || b->fields == NULL || b->of_place == NULL)
		return false;
	for (size_t i = 0; i < places; i++)
		b->of_place[i] = NO_TENSOR;
	*b->type = (struct record_type){ .bytes = b->record->type.bytes, .tensors = b->tensors, .fields = b->fields };
	return true;
}

/* key.field */
static bool name_tensor(const struct builder *b, struct bytes field, struct bytes *ret)
{
	size_t key_n = b->key.n < KEY_BYTES_MAX ? b->key.n : KEY_BYTES_MAX;
	size_t n = key_n + 1 + field.n; /* at most KEY_BYTES_MAX + NUMPY_FIELD_NAME_MAX + 1 */
	uint8_t *name = arena_alloc(b->arena, n, 1);

	if (name == NULL)
		return false;
	memcpy(name, b->key.at, key_n);
	name[key_n] = '.';
	bytes_copy(name + key_n + 1, field);
	*ret = bytes_of(name, n);
	return true;
}

static bool is_padding(const struct numpy_field *f)
{
	return f->name.n == 0 && f->type.kind == 'V';
}

/* Bytes without a type are counted as such. */
static enum wlk_dtype dtype_of(const struct numpy_type *t)
{
	return t->dtype != WLK_DTYPE_NONE ? t->dtype : WLK_DTYPE_U8;
}

static bool add_tensor(struct builder *b, const struct numpy_field *f)
{
	struct record_tensor *t = &b->tensors[b->type->n_tensors];

	t->dtype = dtype_of(&f->type);
	t->big_endian = f->type.big_endian;
	b->of_place[f->place] = (uint32_t)b->type->n_tensors++;
	return name_tensor(b, f->name, &t->name);
}

/* A run of elements; where something can be wrong with them, to be examined. */
static void add_run(struct builder *b, const struct numpy_field *f)
{
	struct record_tensor *t = &b->tensors[b->of_place[f->place]];
	struct record_field run = { .offset = f->offset, .tensor = b->of_place[f->place] };

	if (!mul_u64(f->type.bytes, f->count, &run.bytes)) /* an item has fewer than 2^31 */
		return;
	t->per_record += run.bytes / (dtype_info(t->dtype)->bits / 8);
	if (nonfinite_kernel(t->dtype) != NULL && run.bytes > 0)
		b->fields[b->type->n_fields++] = run;
}

bool numpy_records_attach(struct extents *x, struct extent *e, const struct numpy_record *record, struct bytes key)
{
	struct builder b = { .arena = x->arena, .record = record, .key = key };

	if (!allocate(&b))
		return false;
	for (size_t i = 0; i < record->n_fields; i++) {
		const struct numpy_field *f = &record->fields[i];

		if (is_padding(f))
			continue;
		if (b.of_place[f->place] == NO_TENSOR && !add_tensor(&b, f))
			return false;
		add_run(&b, f);
	}
	return records_attach(x, e, b.type);
}
