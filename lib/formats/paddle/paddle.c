/* PaddlePaddle's programs: blocks of operators, gone through once.  Every byte belongs to a field of the tables, every
 * operator is one that only computes, or is told, and every attribute holds what it says. */
#include "paddle.h"

#include "checked.h"
#include "identify_signs.h"
#include "message_sight.h"
#include "paddle_ops.h"
#include "paddle_schema.h"
#include "runs.h"
#include "scoped_names.h"
#include "stream.h"
#include "weights.h"
#include "wire_errors.h"

#define PADDLE_WORD_MAX 64u

/* A message that is open. */
struct level {
	const struct pb_message *message;
	uint64_t at;
	uint32_t seen; /* fields, a bit each */
};

struct word {
	uint8_t at[PADDLE_WORD_MAX];
	size_t n;
	uint64_t bytes; /* of the whole */
};

struct program {
	struct layout *l;
	struct pb_walker *walker;
	struct runs runs;
	struct level levels[PB_DEPTH_MAX + 1];
	struct level *top;
	struct scoped_names names; /* of attributes of an operator, and of variables of a block */
	struct word op, attr;
	uint64_t attr_type;
	struct weights floats; /* of an attribute's list, as far as they are written one by one */
	uint32_t n_blocks, n_ops;
	uint64_t last_block; /* the highest that an attribute names */
	uint64_t last_block_at;
	bool names_block;
	bool broken, stopped;
};

static bool stop(struct program *p)
{
	if (!p->stopped)
		layout_stop(p->l);
	p->stopped = true;
	return false;
}

static void tell(struct program *p, enum wlk_finding code, uint64_t at, struct bytes subject, struct value found)
{
	p->broken = p->broken || wire_breaks(code);
	layout_finding(p->l,
	    &(struct finding){ .code = code, .has_offset = true, .offset = at, .subject = subject, .found = found });
}

static void tell_text(struct program *p, enum wlk_finding code, uint64_t at, struct bytes subject, const char *found)
{
	tell(p, code, at, subject, value_text(bytes_of_text(found)));
}

static bool on_error(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	static const struct wire_codes codes = { WLK_F_PADDLE_STRUCTURE, WLK_F_PADDLE_AMBIGUOUS,
		WLK_F_PADDLE_UNKNOWN_FIELD };
	const char *rule, *message = at->message != NULL ? at->message->name : "";
	enum wlk_finding code = wire_error(&codes, e, &rule);

	(void)number, (void)found;
	tell_text(ctx, code, at->offset, bytes_of_text(message), rule);
	return true;
}

static struct bytes word_bytes(const struct word *w)
{
	return bytes_of(w->at, w->n);
}

static void word_set(struct word *w, struct bytes text, uint64_t n)
{
	w->n = (size_t)min_u64(text.n, PADDLE_WORD_MAX);
	w->bytes = n;
	bytes_copy(w->at, bytes_of(text.at, w->n));
}

static bool word_is(const struct word *w, const char *text)
{
	return bytes_equal(word_bytes(w), bytes_of_text(text)) && w->bytes == w->n;
}

/* A name of the message that is open must come once. */
static bool take_name(struct program *p, struct bytes name, uint64_t owner, uint64_t at)
{
	struct scoped_name id = scoped_name_of(&p->names, name, owner);

	if (scoped_names_find(&p->names, id, 1u << SCOPED_KEY, 0) != NULL)
		tell_text(p, WLK_F_PADDLE_AMBIGUOUS, at, name, "a name given twice");
	else
		scoped_names_add(&p->names, id, SCOPED_KEY, at);
	return !p->names.failed || stop(p);
}

/* -- messages -- */

static bool below(struct program *p, uint32_t n, uint32_t most, uint64_t at, const char *what)
{
	if (n <= most)
		return true;
	tell_text(p, WLK_F_PADDLE_LIMIT, at, (struct bytes){ 0 }, what);
	return false;
}

static bool on_begin(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t n)
{
	struct program *p = ctx;

	(void)n;
	p->levels[at->depth].seen |= 1u << f->number;
	p->top = &p->levels[at->depth + 1];
	*p->top = (struct level){ .message = f->message, .at = at->offset };
	if (f->message == &paddle_block)
		return below(p, ++p->n_blocks, PADDLE_BLOCKS_MAX, at->offset, "blocks");
	if (f->message == &paddle_op) {
		p->op = (struct word){ 0 };
		return below(p, ++p->n_ops, PADDLE_OPS_MAX, at->offset, "operators");
	}
	if (f->message == &paddle_attr || f->message == &paddle_var_attr) {
		p->attr = (struct word){ 0 };
		p->attr_type = PADDLE_N_ATTRS;
		p->floats = (struct weights){ 0 };
	}
	return true;
}

static void end_op(struct program *p, const struct level *v)
{
	enum wlk_finding code;
	enum paddle_op_kind kind = p->op.bytes > p->op.n ? PADDLE_OP_UNKNOWN_ : paddle_op_kind(word_bytes(&p->op));

	if (paddle_op_finding(kind, &code))
		tell(p, code, v->at, word_bytes(&p->op), (struct value){ .kind = VALUE_NONE });
}

/* Nothing but the field of its type.  An empty list is no field. */
static void end_attr(struct program *p, const struct level *v)
{
	uint32_t values = v->seen & ~(1u << 1 | 1u << 2);

	if (p->attr_type >= PADDLE_N_ATTRS)
		return; /* told, or required and missing */
	if ((values & ~(1u << paddle_attr_field(p->attr_type))) != 0)
		tell(p, WLK_F_PADDLE_ATTRIBUTE, v->at, word_bytes(&p->attr), value_number(p->attr_type));
	if (weights_found(&p->floats))
		weights_report(&p->floats, p->l->report,
		    &(struct weights_place){ .name = word_bytes(&p->attr),
			.member = p->l->extents->member,
			.first_offset = p->floats.first_offset });
}

static bool on_end(void *ctx, const struct pb_place *at, const struct pb_field *f)
{
	struct program *p = ctx;
	const struct level *v = &p->levels[at->depth];
	uint32_t required = paddle_required(v->message);

	(void)f;
	if ((v->seen & required) != required)
		tell_text(p, WLK_F_PADDLE_STRUCTURE, v->at, bytes_of_text(v->message->name), "a field is missing");
	if (v->message == &paddle_op)
		end_op(p, v);
	else if (v->message == &paddle_attr)
		end_attr(p, v);
	p->top = &p->levels[at->depth - 1];
	return true;
}

/* -- fields -- */

static void take_block_reference(struct program *p, uint64_t block, uint64_t at)
{
	if (!p->names_block || block > p->last_block) {
		p->last_block = block;
		p->last_block_at = at;
	}
	p->names_block = true;
}

/* Blocks are found by their place; what they are in comes before them, and the first is in nothing. */
static void take_block(struct program *p, uint32_t field, uint64_t value, uint64_t at)
{
	uint64_t place = p->n_blocks - 1;
	bool sound = true;

	if (field == 1)
		sound = value == place;
	else if (field == 2)
		sound = place == 0 ? value == UINT64_MAX : value < place;
	else if (value != UINT64_MAX) /* forward_block_idx */
		take_block_reference(p, value, at);
	if (!sound)
		tell(p, WLK_F_PADDLE_BLOCK, at, bytes_of_text(field == 1 ? "idx" : "parent_idx"), value_number(value));
}

static void take_float(struct program *p, enum wlk_dtype dtype, uint64_t bits, uint64_t at)
{
	uint8_t element[8];

	store_u64le(element, bits);
	if (p->floats.dtype != dtype)
		weights_begin(&p->floats, dtype, false);
	weights_examine(&p->floats, element, dtype_info(dtype)->bits / 8, p->l->extents->origin + at);
	p->l->report->totals.elements++;
}

/* @field: of OpDesc.Attr. */
static void take_attribute(struct program *p, uint32_t field, uint64_t value, uint64_t at)
{
	if (field == 2) {
		p->attr_type = value;
		if (value >= PADDLE_N_ATTRS)
			tell(p, WLK_F_PADDLE_UNKNOWN_FIELD, at, bytes_of_text("attribute type"), value_number(value));
	} else if (field == 12 || field == 14) {
		take_block_reference(p, value, at);
	} else if (field == 7 || field == 16) {
		take_float(p, field == 7 ? WLK_DTYPE_F32 : WLK_DTYPE_F64, value, at);
	}
}

#define VAR_TYPES 34u /* VarType.Type; 16 was given up */

static bool on_number(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t value)
{
	struct program *p = ctx;
	enum wlk_dtype dtype;

	p->top->seen |= 1u << f->number;
	if (p->top->message == &paddle_block)
		take_block(p, f->number, value, at->offset);
	else if (p->top->message == &paddle_attr)
		take_attribute(p, f->number, value, at->offset);
	else if (p->top->message == &paddle_var_type && f->number == 1 && value >= VAR_TYPES)
		tell(p, WLK_F_PADDLE_UNKNOWN_FIELD, at->offset, bytes_of_text("type"), value_number(value));
	else if (p->top->message == &paddle_tensor_desc && f->number == 1 && !paddle_dtype(value, &dtype))
		tell(p, WLK_F_PADDLE_UNKNOWN_FIELD, at->offset, bytes_of_text("data_type"), value_number(value));
	return true;
}

/* Attributes of table lookups that name servers: empty in models that run on one machine. */
static bool names_servers(const struct word *attr)
{
	return word_is(attr, "epmap") || word_is(attr, "endpoints") || word_is(attr, "endpoint") ||
	       word_is(attr, "pserver_endpoints");
}

static bool take_text(struct program *p, uint32_t field, struct bytes text, uint64_t n, uint64_t at)
{
	const struct level *v = p->top;

	if (v->message == &paddle_op && field == 3) {
		word_set(&p->op, text, n);
	} else if (v->message == &paddle_attr && field == 1) {
		word_set(&p->attr, text, n);
		return take_name(p, text, v[-1].at, at);
	} else if (v->message == &paddle_attr && n > 0 && names_servers(&p->attr)) {
		tell(p, WLK_F_PADDLE_OP_NETWORK, at, text, (struct value){ .kind = VALUE_NONE });
	} else if (v->message == &paddle_var && field == 1) {
		return take_name(p, text, v[-1].at, at);
	}
	return true;
}

static bool on_data(void *ctx, const struct pb_place *at, const struct pb_field *f, struct bytes bytes, uint64_t n)
{
	struct program *p = ctx;

	p->top->seen |= 1u << f->number;
	if (f->kind == PB_FIXED32 || f->kind == PB_FIXED64)
		return runs_add(&p->runs, at->offset, n, f->kind == PB_FIXED32 ? WLK_DTYPE_F32 : WLK_DTYPE_F64,
			   word_bytes(&p->attr)) ||
		       stop(p);
	if (n > bytes.n && f->kind == PB_STRING) {
		tell_text(p, WLK_F_PADDLE_LIMIT, at->offset, (struct bytes){ 0 }, "a long name");
		return false;
	}
	return take_text(p, f->number, bytes, n, at->offset);
}

/* -- the whole -- */

static void check_program(struct program *p)
{
	if (p->n_blocks == 0)
		tell_text(p, WLK_F_PADDLE_STRUCTURE, 0, bytes_of_text("program"), "no block");
	/* An operator's own block is one behind the first. */
	if (p->names_block && p->last_block >= p->n_blocks)
		tell(p, WLK_F_PADDLE_BLOCK, p->last_block_at, bytes_of_text("block_idx"), value_number(p->last_block));
}

#define MEMORY_MAX (UINT64_C(256) << 20)

static enum wlk_status layout(struct layout *l)
{
	struct pb_handler handler = { NULL, on_begin, on_end, on_number, on_data, on_error };
	struct program *p = arena_alloc(l->arena, 1, sizeof(*p));
	uint64_t memory;

	if (l->part.size == 0 || l->part.size > PADDLE_SIZE_MAX) {
		layout_value(l, WLK_F_PADDLE_STRUCTURE, 0, l->part.size, PADDLE_SIZE_MAX);
		return WLK_BROKEN;
	}
	layout_raise_memory(l, mul_u64(l->part.size, 8, &memory) ? min_u64(memory, MEMORY_MAX) : MEMORY_MAX);
	if (p == NULL || (p->walker = arena_alloc(l->arena, 1, sizeof(*p->walker))) == NULL)
		return layout_stop(l);
	l->state = p;
	p->l = p->runs.l = l;
	p->top = p->levels;
	p->levels[0].message = &paddle_program;
	scoped_names_init(&p->names, l->arena, &l->seed);
	handler.ctx = p;
	pb_begin(p->walker, &paddle_program, l->part.size, &handler);
	if (!part_preview(&l->part, 0, (struct feeder){ pb_feed, p->walker }))
		return layout_stop(l);
	if (!pb_finish(p->walker) || p->stopped)
		return p->stopped ? WLK_INCOMPLETE : WLK_BROKEN;
	check_program(p);
	return runs_finish(&p->runs, WLK_F_PADDLE_STRUCTURE);
}

/* The structure was read to its end; but is it one program? */
static enum wlk_status finish(struct layout *l)
{
	const struct program *p = l->state;

	return p == NULL || p->broken ? WLK_BROKEN : WLK_DONE;
}

/* -- what it is -- */

static bool probe(const struct probe *p)
{
	return identify_sign_is(WLK_FORMAT_PADDLE, bytes_of(p->head, p->n), p->size);
}

/* For programs whose first block does not begin with its number: outermost fields, and a first block of variables and
 * operators, as far as nothing else is. */
struct sight {
	bool op, input;
};

static bool sight_begin(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t n)
{
	struct sight *s = ctx;

	(void)at, (void)n;
	s->input = s->input || f->message == &paddle_op_var;
	return true;
}

static bool sight_data(void *ctx, const struct pb_place *at, const struct pb_field *f, struct bytes bytes, uint64_t n)
{
	struct sight *s = ctx;

	(void)n;
	s->op = s->op || (at->message == &paddle_op && f->number == 3 && bytes.n > 0);
	return true;
}

static bool sight_error(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	(void)ctx, (void)at, (void)number, (void)found;
	return e == PB_DUPLICATE || e == PB_OVERLONG || e == PB_OVERLONG_VALUE || e == PB_RANGE;
}

static bool last_resort(struct layout *l, const struct stream *s)
{
	struct sight sight = { 0 };
	const struct pb_handler handler = {
		.ctx = &sight, .begin = sight_begin, .data = sight_data, .error = sight_error
	};

	return message_sight(l, s, &paddle_program, &handler, 8, PADDLE_SIZE_MAX) && sight.op && sight.input;
}

const struct wlk_format format_paddle = { .id = WLK_FORMAT_PADDLE,
	.probe = probe,
	.layout = layout,
	.finish = finish,
	.nested = NESTED_RANDOM,
	.last_resort = last_resort };
