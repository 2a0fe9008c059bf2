/* Buffers and tensors: see tflite.h. */
#include "tflite.h"

#include "checked.h"

/* -- buffers -- */

#define OUTSIDE_ALIGN 16u

/* Data behind the tables, for models above 2 GiB. */
static void place_outside(struct tflite *t, const struct fb_table *b, struct tflite_buffer *ret)
{
	uint64_t offset = b->value[BUFFER_OFFSET], bytes = b->value[BUFFER_SIZE], end;

	if (offset <= 1 || bytes == 0) /* the schema: only valid above 1 */
		return;
	if (ret->end > 0 || offset % OUTSIDE_ALIGN != 0 || !add_u64(offset, bytes, &end) || end > t->l->part.size) {
		tflite_value(t, WLK_F_TFLITE_BUFFER, b->at, offset, t->l->part.size);
		return;
	}
	ret->begin = offset;
	ret->end = end;
}

static bool read_buffer(struct tflite *t, uint64_t at, struct tflite_buffer *ret)
{
	struct fb_table b;

	if (!fb_open(&t->fb, at, &tflite_buffer, &b))
		return false;
	if (b.count[BUFFER_DATA] > 0) {
		ret->begin = b.value[BUFFER_DATA];
		ret->end = ret->begin + b.count[BUFFER_DATA]; /* in the file */
	}
	place_outside(t, &b, ret);
	return ret->end == 0 || fb_claim(&t->fb, ret->begin, ret->end, &ret->extent, NULL);
}

bool tflite_read_buffers(struct tflite *t, const struct fb_table *model)
{
	uint64_t at;

	t->n_buffers = model->count[MODEL_BUFFERS];
	t->buffers = arena_alloc(t->l->arena, t->n_buffers, sizeof(*t->buffers));
	if (t->buffers == NULL)
		return fb_fail(&t->fb, FB_FAILED, "", 0);
	for (uint32_t i = 0; i < t->n_buffers; i++) {
		if (!fb_element(&t->fb, model, MODEL_BUFFERS, i, &at) || !read_buffer(t, at, &t->buffers[i]))
			return false;
		if (i == 0 && t->buffers[0].end > 0)
			tflite_value(t, WLK_F_TFLITE_BUFFER, at, t->buffers[0].end - t->buffers[0].begin, 0);
	}
	return true;
}

bool tflite_check_unused(struct tflite *t, const struct fb_table *model)
{
	uint64_t index;

	for (uint32_t i = 0; i < model->count[MODEL_METADATA_BUFFERS]; i++) {
		if (!fb_number(&t->fb, model, MODEL_METADATA_BUFFERS, i, 4, &index))
			return false;
		if (index < t->n_buffers)
			t->buffers[index].used = true;
	}
	for (uint32_t i = 1; i < t->n_buffers && !t->broken; i++) /* of what is broken nobody knows what names what */
		if (t->buffers[i].end > 0 && !t->buffers[i].used)
			tflite_value(t, WLK_F_TFLITE_BUFFER_UNUSED, t->buffers[i].begin,
			    t->buffers[i].end - t->buffers[i].begin, 0);
	return true;
}

/* -- tensors -- */

struct type {
	uint8_t dtype, bits;
};

enum { TYPE_STRING = 5, TYPE_RESOURCE = 13, TYPE_VARIANT = 14 };

/* By number; bits 0: no number. */
static const struct type types[] = { { WLK_DTYPE_F32, 32 }, { WLK_DTYPE_F16, 16 }, { WLK_DTYPE_I32, 32 },
	{ WLK_DTYPE_U8, 8 }, { WLK_DTYPE_I64, 64 }, { WLK_DTYPE_U8, 0 }, { WLK_DTYPE_BOOL, 8 }, { WLK_DTYPE_I16, 16 },
	{ WLK_DTYPE_C64, 64 }, { WLK_DTYPE_I8, 8 }, { WLK_DTYPE_F64, 64 }, { WLK_DTYPE_C128, 128 },
	{ WLK_DTYPE_U64, 64 }, { WLK_DTYPE_U8, 0 }, { WLK_DTYPE_U8, 0 }, { WLK_DTYPE_U32, 32 }, { WLK_DTYPE_U16, 16 },
	{ WLK_DTYPE_I4, 4 }, { WLK_DTYPE_BF16, 16 }, { WLK_DTYPE_I2, 2 }, { WLK_DTYPE_U4, 4 }, { WLK_DTYPE_F8_E4M3, 8 },
	{ WLK_DTYPE_F8_E5M2, 8 } };
#define N_TYPES (sizeof(types) / sizeof(types[0]))

struct tensor {
	struct fb_table table;
	unsigned type, rank;
	uint64_t shape[MANIFEST_RANK_MAX];
	uint64_t elements;
	bool sound; /* type and shape are known, and their product is */
	struct bytes name;
	uint8_t name_at[REPORT_STRING_MAX];
};

static void fault(struct tflite *t, const struct tensor *s, enum wlk_finding code, uint64_t found, uint64_t allowed)
{
	t->broken = true;
	layout_finding(t->l, &(struct finding){ .code = code,
				 .has_offset = true,
				 .offset = s->table.at,
				 .subject = s->name,
				 .found = value_number(found),
				 .allowed = value_number(allowed) });
}

static bool read_shape(struct tflite *t, struct tensor *s)
{
	uint64_t dim;

	s->rank = s->table.count[TENSOR_SHAPE];
	s->elements = 1;
	if (s->rank > MANIFEST_RANK_MAX)
		return fb_fail(&t->fb, FB_LIMIT, "shape", s->table.at);
	for (unsigned i = 0; i < s->rank; i++) {
		if (!fb_number(&t->fb, &s->table, TENSOR_SHAPE, i, 4, &dim))
			return false;
		s->shape[i] = dim;
		if ((int32_t)dim < 0 || !mul_u64(s->elements, dim, &s->elements) || s->elements > INT64_MAX / 16) {
			fault(t, s, WLK_F_TFLITE_TENSOR_SIZE, dim, INT32_MAX);
			s->sound = false;
			s->elements = 0;
		}
	}
	return tflite_check_indices(t, &s->table, TENSOR_SIGNATURE, INT32_MAX, -1);
}

static bool is_scale(uint64_t bits)
{
	uint32_t exponent = (uint32_t)bits >> 23 & 0xff;

	return bits >> 31 == 0 && bits != 0 && exponent != 0xff;
}

static bool is_finite(uint64_t bits)
{
	return ((uint32_t)bits >> 23 & 0xff) != 0xff;
}

/* What the values were between, when the model was made: runtimes do not ask, tools compute with it. */
static bool check_bounds(struct tflite *t, const struct tensor *s, const struct fb_table *q, unsigned field)
{
	uint32_t n = q->count[field];
	uint64_t bits;
	bool sound = true;

	if (!fb_visit(&t->fb, n, q->at))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (!fb_number(&t->fb, q, field, i, 4, &bits))
			return false;
		sound = sound && is_finite(bits);
	}
	if (!sound)
		fault(t, s, WLK_F_TFLITE_QUANT, n, 0);
	return true;
}

/* One for each channel.  Of a vector there is one dimension to have them: converters leave it the number that the weights
 * had, and no runtime asks. */
static bool are_channels(const struct tensor *s, uint32_t n, uint64_t dimension)
{
	if (s->rank == 1)
		dimension = 0;
	return dimension < s->rank && s->shape[dimension] == n;
}

static bool check_scales(struct tflite *t, const struct tensor *s, const struct fb_table *q)
{
	uint32_t n = q->count[QUANT_SCALE], zeros = q->count[QUANT_ZERO_POINT];
	uint64_t dimension = q->value[QUANT_DIMENSION], bits;
	bool sound = n <= 1 || are_channels(s, n, dimension);

	if (!fb_visit(&t->fb, n, q->at))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (!fb_number(&t->fb, q, QUANT_SCALE, i, 4, &bits))
			return false;
		sound = sound && is_scale(bits);
	}
	if (!sound || (zeros > 1 && zeros != n))
		fault(t, s, WLK_F_TFLITE_QUANT, n, dimension < s->rank ? s->shape[dimension] : 1);
	return true;
}

/* Blockwise: two tensors, of which the second may be missing. */
static void check_blockwise(struct tflite *t, const struct tensor *s, const struct fb_table *d)
{
	uint64_t scales = d->value[0], zeros = d->value[1], n = t->n_tensors[t->subgraph];

	if (scales >= n || (zeros >= n && zeros != UINT32_MAX))
		fault(t, s, WLK_F_TFLITE_INDEX, scales, n);
	if ((int32_t)d->value[2] <= 0)
		fault(t, s, WLK_F_TFLITE_QUANT, d->value[2], INT32_MAX);
}

static bool read_quantization(struct tflite *t, const struct tensor *s, bool *ret_scaled)
{
	const struct fb_schema *details;
	struct fb_table q, d;

	if (!fb_has(&s->table, TENSOR_QUANTIZATION))
		return true;
	if (!fb_open(&t->fb, s->table.value[TENSOR_QUANTIZATION], &tflite_quantization, &q))
		return false;
	*ret_scaled = q.count[QUANT_SCALE] > 0 || fb_has(&q, QUANT_DETAILS);
	if (fb_has(&q, QUANT_DETAILS)) {
		details = tflite_quantization_details(q.value[QUANT_DETAILS_TYPE]);
		if (details == NULL) {
			tflite_tell(t, WLK_F_TFLITE_UNSUPPORTED, q.at, s->name);
			return true;
		}
		if (!fb_open(&t->fb, q.value[QUANT_DETAILS], details, &d))
			return false;
		if (q.value[QUANT_DETAILS_TYPE] == 2)
			check_blockwise(t, s, &d);
	}
	return check_bounds(t, s, &q, QUANT_MIN) && check_bounds(t, s, &q, QUANT_MAX) && check_scales(t, s, &q);
}

static bool read_variants(struct tflite *t, const struct tensor *s)
{
	struct fb_table v;
	uint64_t at;

	for (uint32_t i = 0; i < s->table.count[TENSOR_VARIANTS]; i++) {
		if (!fb_element(&t->fb, &s->table, TENSOR_VARIANTS, i, &at) ||
		    !fb_open(&t->fb, at, &tflite_variant, &v))
			return false;
	}
	return true;
}

/* -- data -- */

/* Strings: their number, so many offsets and one behind the last, and the bytes. */
static bool strings_sound(struct tflite *t, const struct tflite_buffer *b, uint64_t elements, bool *ret)
{
	uint64_t bytes = b->end - b->begin, before;
	uint32_t n, offset;

	*ret = false;
	if (bytes < 8 || bytes > INT32_MAX)
		return true;
	if (!fb_u32(&t->fb, b->begin, &n))
		return false;
	if (n != elements || n > bytes / 4 - 2)
		return true;
	before = 4 * ((uint64_t)n + 2);
	if (!fb_visit(&t->fb, n, b->begin))
		return false;
	for (uint64_t i = 0; i <= n; i++) {
		if (!fb_u32(&t->fb, b->begin + 4 + 4 * i, &offset))
			return false;
		if (offset < before || offset > bytes || (i == 0 && offset != before))
			return true;
		before = offset;
	}
	*ret = before == bytes;
	return true;
}

/* Do shape, type and bytes agree? @values: elements that are stored. */
static bool check_bytes(struct tflite *t, const struct tensor *s, const struct tflite_buffer *b, uint64_t values)
{
	uint64_t bytes = b->end - b->begin, bits;
	bool sound;

	if (s->type == TYPE_STRING) {
		if (!strings_sound(t, b, values, &sound))
			return false;
		if (!sound)
			fault(t, s, WLK_F_TFLITE_TENSOR_SIZE, bytes, values);
	} else if (!mul_u64(values, types[s->type].bits, &bits) || bytes != bits / 8 + (bits % 8 != 0 ? 1 : 0)) {
		/* Bits are 0 of what cannot be stored. */
		fault(t, s, WLK_F_TFLITE_TENSOR_SIZE, bytes, values);
	}
	return true;
}

static bool keep_name(struct tflite *t, const struct tensor *s)
{
	if (t->names_room - t->names_n < s->name.n) {
		size_t room = t->names_room > 0 ? 2 * t->names_room : 65536;
		uint8_t *names = room < UINT32_MAX ? arena_resize_raw(t->l->arena, t->names, room, 1) : NULL;

		if (names == NULL)
			return fb_fail(&t->fb, FB_FAILED, "", 0);
		t->names = names;
		t->names_room = room;
	}
	bytes_copy(t->names + t->names_n, s->name);
	t->names_n += s->name.n;
	return true;
}

static bool list_tensor(struct tflite *t, const struct tensor *s, const struct tflite_buffer *b, uint32_t index)
{
	struct manifest_row row = { .kind = MANIFEST_TENSOR,
		.name = s->name,
		.name_bytes = s->table.count[TENSOR_NAME],
		.dtype = bytes_of_text(s->type == TYPE_STRING ? "STRING" : dtype_info(types[s->type].dtype)->name),
		.index = index,
		.begin = b->begin,
		.end = b->end,
		.rank = s->rank };

	memcpy(row.shape, s->shape, s->rank * sizeof(s->shape[0]));
	if (!layout_wants_tensors(t->l) || layout_tensor(t->l, &row))
		return true;
	t->fb.failed = true;
	return false;
}

/* A buffer that two tensors share is the first one's, and is examined as numbers if either says that it is. */
static bool own_data(struct tflite *t, const struct tensor *s, const struct tflite_buffer *b)
{
	struct extent *e = &t->claims.list[b->extent];
	enum wlk_dtype dtype = types[s->type].dtype;

	if (e->kind == EXTENT_TENSOR) {
		if (dtype_is_float(dtype) && !dtype_is_float(e->dtype))
			e->dtype = (uint8_t)dtype;
		return true;
	}
	e->kind = EXTENT_TENSOR;
	e->dtype = (uint8_t)dtype;
	e->name_at = (uint32_t)t->names_n;
	e->name_n = (uint32_t)s->name.n;
	e->index = t->n_listed++;
	return keep_name(t, s) && list_tensor(t, s, b, e->index);
}

static bool read_data(struct tflite *t, struct tensor *s)
{
	uint64_t index = s->table.value[TENSOR_BUFFER], values = s->elements;
	const struct tflite_buffer *b;
	bool sound = true;

	if (fb_has(&s->table, TENSOR_SPARSITY) &&
	    !tflite_read_sparsity(t, s->table.value[TENSOR_SPARSITY], s->shape, s->rank, &values, &sound))
		return false;
	if (!sound)
		fault(t, s, WLK_F_TFLITE_SPARSITY, values, s->elements);
	if (index >= t->n_buffers && index > 0) {
		fault(t, s, WLK_F_TFLITE_INDEX, index, t->n_buffers);
		return true;
	}
	b = &t->buffers[index];
	t->buffers[index].used = true;
	if (index == 0 || b->end == 0 || !s->sound || !sound)
		return true;
	return check_bytes(t, s, b, values) && own_data(t, s, b);
}

/* What its operators are judged by. */
static void see(struct tflite *t, const struct tensor *s, bool scaled, struct tflite_seen *ret)
{
	uint64_t buffer = s->table.value[TENSOR_BUFFER];

	*ret = (struct tflite_seen){ .shape_at = s->table.value[TENSOR_SHAPE],
		.signature_at = s->table.value[TENSOR_SIGNATURE],
		.rank = s->rank,
		.n_signature = s->table.count[TENSOR_SIGNATURE],
		.buffer = buffer < t->n_buffers ? (uint32_t)buffer : 0,
		.type = (uint8_t)(s->type < N_TYPES ? s->type : UINT8_MAX),
		.variable = s->table.value[TENSOR_VARIABLE] != 0,
		.scaled = scaled,
		.empty = s->elements == 0 };
	ret->constant = ret->buffer > 0 && t->buffers[ret->buffer].end > 0;
	if (s->sound && s->elements > INT32_MAX) /* kernels count in int */
		layout_finding(t->l, &(struct finding){ .code = WLK_F_TFLITE_RUNTIME_RANGE,
					 .has_offset = true,
					 .offset = s->table.at,
					 .subject = s->name,
					 .found = value_number(s->elements),
					 .allowed = value_number(INT32_MAX) });
}

static bool read_tensor(struct tflite *t, uint64_t at, struct tflite_seen *ret)
{
	struct tensor s = { .sound = true };
	bool scaled = false;

	if (!fb_open(&t->fb, at, &tflite_tensor, &s.table) ||
	    !tflite_text(t, &s.table, TENSOR_NAME, s.name_at, sizeof(s.name_at), &s.name) || !read_shape(t, &s))
		return false;
	s.type = (unsigned)s.table.value[TENSOR_TYPE];
	if (s.type >= N_TYPES) {
		tflite_tell(t, WLK_F_TFLITE_UNSUPPORTED, at, s.name);
		s.sound = false;
	}
	if (!read_quantization(t, &s, &scaled) || !read_variants(t, &s) || !read_data(t, &s))
		return false;
	see(t, &s, scaled, ret);
	return true;
}

bool tflite_read_tensors(struct tflite *t, const struct fb_table *subgraph)
{
	uint64_t at;

	arena_release(t->l->arena, t->seen);
	t->n_seen = subgraph->count[SUBGRAPH_TENSORS];
	t->seen = arena_resize(t->l->arena, NULL, (size_t)t->n_seen + 1, sizeof(*t->seen));
	if (t->seen == NULL)
		return fb_fail(&t->fb, FB_FAILED, "", 0);

	for (uint32_t i = 0; i < subgraph->count[SUBGRAPH_TENSORS]; i++) {
		if (!fb_element(&t->fb, subgraph, SUBGRAPH_TENSORS, i, &at) || !read_tensor(t, at, &t->seen[i]))
			return false;
	}
	return true;
}
