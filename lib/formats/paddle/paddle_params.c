/* Parameters of PaddlePaddle's inference models: one tensor behind the other, in the order of their names, which stand in the
 * program alone.  Each says how long it is, so they must tile the file; and its type, so every number is examined. */
#include "paddle.h"

#include "checked.h"
#include "decimal.h"
#include "identify_signs.h"
#include "paddle_schema.h"
#include "runs.h"
#include "sequence.h"
#include "wire_errors.h"

#define LEVELS_MAX 16u        /* of a sequence's nesting: parameters have none, two are in use */
#define DESCRIPTION_MAX 1024u /* a type and 64 dimensions of ten bytes and their tags */

bool paddle_dtype(uint64_t type, enum wlk_dtype *ret)
{
	/* BOOL, INT16, INT32, INT64, FP16, FP32, FP64; SIZE_T, UINT8, INT8, BF16, COMPLEX64, COMPLEX128; FP8 */
	static const uint8_t dtypes[] = { [0] = WLK_DTYPE_BOOL,
		[1] = WLK_DTYPE_I16,
		[2] = WLK_DTYPE_I32,
		[3] = WLK_DTYPE_I64,
		[4] = WLK_DTYPE_F16,
		[5] = WLK_DTYPE_F32,
		[6] = WLK_DTYPE_F64,
		[19] = WLK_DTYPE_U64,
		[20] = WLK_DTYPE_U8,
		[21] = WLK_DTYPE_I8,
		[22] = WLK_DTYPE_BF16,
		[23] = WLK_DTYPE_C64,
		[24] = WLK_DTYPE_C128,
		[32] = WLK_DTYPE_F8_E4M3,
		[33] = WLK_DTYPE_F8_E5M2 };

	if (type >= sizeof(dtypes) || dtypes[type] == WLK_DTYPE_NONE)
		return false;
	*ret = (enum wlk_dtype)dtypes[type];
	return true;
}

/* A file of tensors being read. */
struct params {
	struct sequence in;
	struct layout *l;
	struct runs runs;
	struct pb_walker *walker;
	uint32_t n; /* tensors so far */
	/* the description being read */
	uint64_t at; /* in the part */
	uint64_t type, elements;
	unsigned rank;
	bool has_type;
};

static bool fault(struct params *p, enum wlk_finding code, uint64_t at, const char *found)
{
	return sequence_fault(&p->in, code, at, (struct bytes){ 0 }, found);
}

/* -- the description -- */

static bool on_number(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t value)
{
	struct params *p = ctx;

	(void)at;
	if (f->number == 1) {
		p->type = value;
		p->has_type = true;
	} else if (value > INT64_MAX || ++p->rank > PADDLE_RANK_MAX || !mul_u64(p->elements, value, &p->elements)) {
		return fault(p, WLK_F_PADDLE_TENSOR, p->at, "dimensions");
	}
	return true;
}

static bool on_error(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	static const struct wire_codes codes = { WLK_F_PADDLE_STRUCTURE, WLK_F_PADDLE_AMBIGUOUS,
		WLK_F_PADDLE_UNKNOWN_FIELD };
	struct params *p = ctx;
	const char *rule;
	enum wlk_finding code = wire_error(&codes, e, &rule);

	(void)number, (void)found;
	return fault(p, code, p->at + at->offset, rule);
}

static bool read_description(struct params *p, const uint8_t *text, size_t n)
{
	const struct pb_handler handler = { .ctx = p, .number = on_number, .error = on_error };

	p->at = p->in.pos - n;
	p->elements = 1;
	p->rank = 0;
	p->has_type = false;
	pb_begin(p->walker, &paddle_tensor_desc, n, &handler);
	pb_feed(p->walker, text, n, 0);
	return pb_finish(p->walker) && !p->in.broken;
}

/* -- a tensor -- */

/* Version 0, and for each level of nesting its length and so many bytes of offsets. */
static bool read_levels(struct params *p)
{
	uint64_t at = p->in.pos;
	uint8_t head[12], size[8];

	if (!sequence_take(&p->in, head, sizeof(head)))
		return false;
	if (load_u32le(head) != 0 || load_u64le(head + 4) > LEVELS_MAX)
		return fault(p, WLK_F_PADDLE_TENSOR, at, "version or levels");
	for (uint64_t i = 0; i < load_u64le(head + 4); i++) {
		if (!sequence_take(&p->in, size, sizeof(size)))
			return false;
		if (load_u64le(size) % 8 != 0)
			return fault(p, WLK_F_PADDLE_TENSOR, p->in.pos - 8, "levels");
		if (!sequence_skip(&p->in, load_u64le(size)))
			return false;
	}
	return true;
}

/* Version 0, the description's length, the description. */
static bool read_head(struct params *p)
{
	uint8_t head[8], text[DESCRIPTION_MAX];
	uint32_t n;

	if (!sequence_take(&p->in, head, sizeof(head)))
		return false;
	n = load_u32le(head + 4);
	if (load_u32le(head) != 0 || n < 2 || n > DESCRIPTION_MAX)
		return fault(p, WLK_F_PADDLE_TENSOR, p->in.pos - 8, "version or description");
	return sequence_take(&p->in, text, n) && read_description(p, text, n);
}

static bool read_tensor(struct params *p)
{
	char name[DECIMAL_MAX];
	enum wlk_dtype dtype;
	uint64_t bytes, at;

	if (!read_levels(p) || !read_head(p))
		return false;
	if (!p->has_type || !paddle_dtype(p->type, &dtype))
		return fault(p, WLK_F_PADDLE_TENSOR, p->at, "type");
	if (!mul_u64(p->elements, dtype_info(dtype)->bits / 8, &bytes))
		return fault(p, WLK_F_PADDLE_TENSOR, p->at, "dimensions");
	at = p->in.pos;
	return sequence_skip(&p->in, bytes) &&
	       runs_add(&p->runs, at, bytes, dtype, bytes_of(name, decimal_text(p->n, name))) && ++p->n > 0;
}

static enum wlk_status layout(struct layout *l)
{
	struct params p = { .in = { .l = l, .cut = WLK_F_PADDLE_TENSOR }, .l = l, .runs = { .l = l } };

	p.walker = arena_alloc(l->arena, 1, sizeof(*p.walker));
	layout_raise_memory(
	    l, min_u64(l->part.size / 22, l->lim->tensors) * 320); /* two extents and a name, while tables grow */
	if (p.walker == NULL)
		return layout_stop(l);
	if (l->part.size == 0)
		fault(&p, WLK_F_PADDLE_TENSOR, 0, "nothing");
	while (!p.in.broken && !sequence_ends(&p.in)) {
		if (p.n >= l->lim->tensors)
			fault(&p, WLK_F_PADDLE_LIMIT, p.in.pos, "tensors");
		else if (!read_tensor(&p) && !p.in.broken)
			return layout_stop(l);
	}
	return p.in.broken ? WLK_BROKEN : runs_finish(&p.runs, WLK_F_PADDLE_TENSOR);
}

static bool probe(const struct probe *p)
{
	return identify_sign_is(WLK_FORMAT_PADDLE_PARAMS, bytes_of(p->head, p->n), p->size);
}

const struct wlk_format format_paddle_params = {
	.id = WLK_FORMAT_PADDLE_PARAMS, .probe = probe, .layout = layout, .nested = NESTED_RANDOM
};
