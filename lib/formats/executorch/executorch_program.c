/* The program: plans, what they compute with, and what runs it.  See executorch_impl.h. */
#include "executorch_impl.h"

#include "checked.h"

#include <string.h>

/* The plan at hand. */
struct plan {
	struct executorch *e;
	struct fb_table t;
	uint32_t n_values, n_operators, n_delegates, value;
	uint8_t name_at[64];
	struct bytes name;
};

/* Opens each table of a vector. */
static bool each(struct plan *p, const struct fb_table *t, unsigned field, bool (*read)(struct plan *p, uint64_t at))
{
	uint64_t at;

	for (uint32_t i = 0; i < t->count[field]; i++)
		if (!fb_element(&p->e->fb, t, field, i, &at) || !read(p, at))
			return false;
	return true;
}

static void check_index(struct plan *p, uint64_t at, const char *what, uint64_t index, uint32_t n)
{
	if (index >= n)
		et_wrong(p->e, at, what, index, n);
}

/* @none: -1 says that nothing is there. */
static bool check_values(struct plan *p, const struct fb_table *t, unsigned field, bool none)
{
	uint64_t index;

	if (!fb_visit(&p->e->fb, t->count[field], t->at))
		return false;
	for (uint32_t i = 0; i < t->count[field]; i++) {
		if (!fb_number(&p->e->fb, t, field, i, 4, &index))
			return false;
		if (!none || index != UINT32_MAX)
			check_index(p, t->at, "value", index, p->n_values);
	}
	return true;
}

/* -- values -- */

/* By its own name, or by the plan's and its number. */
static bool name_tensor(struct plan *p, const struct fb_table *extra, uint8_t *buf, size_t room, struct bytes *ret)
{
	uint32_t number = p->value;
	uint8_t digits[10];
	size_t n = 0, at = p->name.n;

	if (extra->count[EXTRA_NAME] > 0)
		return et_text(p->e, extra, EXTRA_NAME, buf, room, ret);
	do
		digits[n++] = (uint8_t)('0' + number % 10);
	while ((number /= 10) > 0);
	bytes_copy(buf, p->name);
	buf[at++] = '.';
	while (n > 0)
		buf[at++] = digits[--n];
	*ret = bytes_of(buf, at);
	return true;
}

enum { LOCATION_EXTERNAL = 1 };

/* The list that a tensor's data are in; NULL: none, told. */
static const struct et_list *list_of(struct plan *p, const struct fb_table *t, const struct fb_table *extra)
{
	uint64_t which = extra->value[EXTRA_MUTABLE];

	if (!fb_has(t, TENSOR_ALLOCATION))
		return &p->e->constants;
	if (which < p->e->n_mutables)
		return &p->e->mutables[which];
	et_wrong(p->e, t->at, "mutable data", which, p->e->n_mutables);
	return NULL;
}

static bool read_data(
    struct plan *p, const struct fb_table *t, const struct fb_table *extra, const struct et_tensor *tensor)
{
	uint64_t index = t->value[TENSOR_DATA];
	const struct et_list *list;

	if (index == 0 || extra->value[EXTRA_LOCATION] == LOCATION_EXTERNAL)
		return true;
	list = list_of(p, t, extra);
	if (list == NULL)
		return true;
	check_index(p, t->at, "data", index, list->n);
	return index >= list->n || et_own_data(p->e, tensor, list->begin[index], list->end[index]);
}

static bool read_tensor(struct plan *p, const struct fb_table *t)
{
	struct et_tensor tensor = { .at = t->at, .type = (unsigned)t->value[TENSOR_TYPE] };
	struct fb_table allocation, extra = { 0 };
	uint8_t name[REPORT_STRING_MAX];

	if (fb_has(t, TENSOR_ALLOCATION) &&
	    !fb_open(&p->e->fb, t->value[TENSOR_ALLOCATION], &et_allocation, &allocation))
		return false;
	if (fb_has(t, TENSOR_EXTRA) && !fb_open(&p->e->fb, t->value[TENSOR_EXTRA], &et_extra, &extra))
		return false;
	if (!et_read_shape(p->e, t, TENSOR_SIZES, &tensor) || !name_tensor(p, &extra, name, sizeof(name), &tensor.name))
		return false;
	if (t->count[TENSOR_ORDER] != t->count[TENSOR_SIZES])
		et_wrong(p->e, t->at, "dim_order", t->count[TENSOR_ORDER], t->count[TENSOR_SIZES]);
	if (t->value[TENSOR_OFFSET] != 0) /* no runtime supports any other */
		et_wrong(p->e, t->at, "storage_offset", t->value[TENSOR_OFFSET], 0);
	return read_data(p, t, &extra, &tensor);
}

static bool read_value(struct plan *p, uint64_t at)
{
	const struct fb_schema *schema;
	struct fb_table v, t;

	p->value++;
	if (!fb_open(&p->e->fb, at, &et_evalue, &v))
		return false;
	if (!fb_has(&v, EVALUE_VALUE)) { /* runtimes do not look whether it is there */
		et_wrong(p->e, at, "EValue", 0, 1);
		return true;
	}
	schema = et_value(v.value[EVALUE_TYPE]);
	if (schema == NULL) {
		et_tell(p->e, WLK_F_EXECUTORCH_UNSUPPORTED, at, bytes_of_text("EValue"));
		return true;
	}
	if (!fb_open(&p->e->fb, v.value[EVALUE_VALUE], schema, &t))
		return false;
	switch (v.value[EVALUE_TYPE]) {
	case VALUE_TENSOR: return read_tensor(p, &t);
	case VALUE_TENSOR_LIST: return check_values(p, &t, 0, false);
	case VALUE_OPTIONAL_TENSORS: return check_values(p, &t, 0, true);
	default: return true;
	}
}

/* -- operators and delegates -- */

/* Those that come with the runtime. */
static bool is_known(struct bytes name)
{
	static const char *const known[] = {
		"aten::", "executorch_prim::", "dim_order_ops::", "quantized_decomposed::"
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (name.n > strlen(known[i]) && memcmp(name.at, known[i], strlen(known[i])) == 0)
			return true;
	return false;
}

static bool read_operator(struct plan *p, uint64_t at)
{
	uint8_t buf[128];
	struct bytes name;
	struct fb_table t;

	if (!fb_open(&p->e->fb, at, &et_operator, &t) || !et_text(p->e, &t, OPERATOR_NAME, buf, sizeof(buf), &name))
		return false;
	if (!is_known(name))
		layout_finding(p->e->l,
		    &(struct finding){
			.code = WLK_F_EXECUTORCH_CUSTOM_OP, .has_offset = true, .offset = at, .subject = name });
	return true;
}

enum { DATA_INLINE, DATA_SEGMENT };

/* @ret: nothing is there. */
static bool read_reference(struct plan *p, uint64_t at, bool *ret_empty)
{
	struct executorch *e = p->e;
	struct fb_table r;
	uint64_t index;
	uint32_t n;

	*ret_empty = false;
	if (!fb_open(&e->fb, at, &et_reference, &r))
		return false;
	if (r.value[REFERENCE_LOCATION] > DATA_SEGMENT) {
		et_tell(e, WLK_F_EXECUTORCH_UNSUPPORTED, at, bytes_of_text("location"));
		return true;
	}
	index = r.value[REFERENCE_INDEX];
	n = r.value[REFERENCE_LOCATION] == DATA_SEGMENT ? e->n_segments : e->n_inline;
	check_index(p, at, "delegate data", index, n);
	if (index < n)
		*ret_empty = r.value[REFERENCE_LOCATION] == DATA_SEGMENT
				 ? e->segments[index].begin == e->segments[index].end
				 : e->inline_bytes[index] == 0;
	return true;
}

static bool read_compile_spec(struct plan *p, uint64_t at)
{
	struct fb_table t;

	return fb_open(&p->e->fb, at, &et_compile_spec, &t);
}

static bool read_delegate(struct plan *p, uint64_t at)
{
	uint8_t buf[128];
	struct bytes name;
	struct fb_table d;
	bool empty = true;

	if (!fb_open(&p->e->fb, at, &et_delegate, &d) || !et_text(p->e, &d, DELEGATE_ID, buf, sizeof(buf), &name))
		return false;
	if (fb_has(&d, DELEGATE_DATA) && !read_reference(p, d.value[DELEGATE_DATA], &empty))
		return false;
	if (!empty)
		layout_finding(p->e->l,
		    &(struct finding){
			.code = WLK_F_EXECUTORCH_DELEGATE, .has_offset = true, .offset = at, .subject = name });
	return each(p, &d, DELEGATE_SPECS, read_compile_spec);
}

/* -- instructions -- */

static bool read_instruction(struct plan *p, uint64_t at, uint32_t n_instructions)
{
	const struct fb_schema *schema;
	struct fb_table i, t;

	if (!fb_open(&p->e->fb, at, &et_instruction, &i))
		return false;
	schema = et_arguments(i.value[INSTRUCTION_TYPE]);
	if (schema == NULL || !fb_has(&i, INSTRUCTION_ARGUMENTS)) {
		et_tell(p->e, schema == NULL ? WLK_F_EXECUTORCH_UNSUPPORTED : WLK_F_EXECUTORCH_STRUCTURE, at,
		    bytes_of_text("Instruction"));
		return true;
	}
	if (!fb_open(&p->e->fb, i.value[INSTRUCTION_ARGUMENTS], schema, &t))
		return false;
	switch (i.value[INSTRUCTION_TYPE]) {
	case CALL_KERNEL:
		check_index(p, at, "operator", t.value[0], p->n_operators);
		return check_values(p, &t, 1, false);
	case CALL_DELEGATE:
		check_index(p, at, "delegate", t.value[0], p->n_delegates);
		return check_values(p, &t, 1, false);
	case CALL_MOVE: check_index(p, at, "value", t.value[1], p->n_values); break;
	case CALL_JUMP: check_index(p, at, "instruction", t.value[1], n_instructions); break;
	default: break;
	}
	check_index(p, at, "value", t.value[0], p->n_values);
	return true;
}

static bool read_frame(struct plan *p, uint64_t at)
{
	struct fb_table t;

	return fb_open(&p->e->fb, at, &et_frame, &t);
}

static bool read_frames(struct plan *p, uint64_t at)
{
	struct fb_table t;

	return fb_open(&p->e->fb, at, &et_frame_list, &t) && each(p, &t, 0, read_frame);
}

static bool read_chain(struct plan *p, uint64_t at)
{
	struct fb_table c;
	uint64_t to;

	if (!fb_open(&p->e->fb, at, &et_chain, &c) || !check_values(p, &c, CHAIN_INPUTS, false) ||
	    !check_values(p, &c, CHAIN_OUTPUTS, false))
		return false;
	for (uint32_t i = 0; i < c.count[CHAIN_INSTRUCTIONS]; i++)
		if (!fb_element(&p->e->fb, &c, CHAIN_INSTRUCTIONS, i, &to) ||
		    !read_instruction(p, to, c.count[CHAIN_INSTRUCTIONS]))
			return false;
	return each(p, &c, CHAIN_STACKS, read_frames);
}

/* -- plans -- */

static bool read_plan(struct plan *p, uint64_t at)
{
	struct fb_table container;

	if (!fb_open(&p->e->fb, at, &et_plan, &p->t) ||
	    !et_text(p->e, &p->t, PLAN_NAME, p->name_at, sizeof(p->name_at), &p->name))
		return false;
	p->n_values = p->t.count[PLAN_VALUES];
	p->n_operators = p->t.count[PLAN_OPERATORS];
	p->n_delegates = p->t.count[PLAN_DELEGATES];
	p->value = UINT32_MAX; /* the number before the first */
	if (fb_has(&p->t, PLAN_CONTAINER) && !fb_open(&p->e->fb, p->t.value[PLAN_CONTAINER], &et_container, &container))
		return false;
	return each(p, &p->t, PLAN_VALUES, read_value) && check_values(p, &p->t, PLAN_INPUTS, false) &&
	       check_values(p, &p->t, PLAN_OUTPUTS, false) && each(p, &p->t, PLAN_OPERATORS, read_operator) &&
	       each(p, &p->t, PLAN_DELEGATES, read_delegate) && each(p, &p->t, PLAN_CHAINS, read_chain);
}

static bool read_inline(struct plan *p, uint64_t at)
{
	struct fb_table b;

	if (!fb_open(&p->e->fb, at, &et_buffer, &b))
		return false;
	p->e->inline_bytes[p->e->n_inline++] = b.count[0];
	return b.count[0] == 0 || fb_claim(&p->e->fb, b.value[0], b.value[0] + b.count[0], NULL, NULL);
}

static bool read_named(struct plan *p, uint64_t at)
{
	struct fb_table n;

	if (!fb_open(&p->e->fb, at, &et_named, &n))
		return false;
	check_index(p, at, "segment", n.value[NAMED_SEGMENT], p->e->n_segments);
	return true;
}

bool et_read_program(struct executorch *e, uint64_t root)
{
	struct plan *p = arena_alloc(e->l->arena, 1, sizeof(*p));
	struct fb_table program;

	if (p == NULL)
		return fb_fail(&e->fb, FB_FAILED, "", 0);
	p->e = e;
	if (!fb_open(&e->fb, root, &et_program, &program))
		return false;
	if (program.value[PROGRAM_VERSION] != 0)
		et_tell(e, WLK_F_EXECUTORCH_UNSUPPORTED, root, bytes_of_text("version"));
	if (program.count[PROGRAM_PLANS] == 0)
		et_wrong(e, root, "execution_plan", 0, 1);
	e->inline_bytes = arena_alloc(e->l->arena, program.count[PROGRAM_INLINE], sizeof(*e->inline_bytes));
	if (e->inline_bytes == NULL)
		return fb_fail(&e->fb, FB_FAILED, "", 0);
	return et_read_segments(e, &program, PROGRAM_SEGMENTS) && et_read_constants(e, &program) &&
	       each(p, &program, PROGRAM_INLINE, read_inline) && each(p, &program, PROGRAM_NAMED, read_named) &&
	       each(p, &program, PROGRAM_PLANS, read_plan) && et_claim_segments(e);
}

/* -- data files -- */

static bool read_layout(struct executorch *e, const struct fb_table *named, struct et_segment *s)
{
	struct et_tensor tensor = { .at = named->at };
	uint8_t name[REPORT_STRING_MAX];
	struct fb_table layout;

	if (!fb_open(&e->fb, named->value[NAMED_LAYOUT], &et_layout, &layout) ||
	    !et_text(e, named, NAMED_KEY, name, sizeof(name), &tensor.name) ||
	    !et_read_shape(e, &layout, LAYOUT_SIZES, &tensor))
		return false;
	tensor.type = (unsigned)layout.value[LAYOUT_TYPE];
	s->shared = true;
	return et_own_data(e, &tensor, s->begin, s->end);
}

static bool read_entry(struct executorch *e, uint64_t at)
{
	struct fb_table n;

	if (!fb_open(&e->fb, at, &et_named, &n))
		return false;
	if (n.value[NAMED_SEGMENT] >= e->n_segments) {
		et_wrong(e, at, "segment", n.value[NAMED_SEGMENT], e->n_segments);
		return true;
	}
	return !fb_has(&n, NAMED_LAYOUT) || read_layout(e, &n, &e->segments[n.value[NAMED_SEGMENT]]);
}

#define OLD_FIELDS_FROM 10u /* bytes of a vtable with more than three fields: of the format's first form */

static bool is_old(struct executorch *e, uint64_t root, bool *ret)
{
	uint32_t offset;
	uint8_t bytes[2];
	uint64_t at;

	if (!fb_u32(&e->fb, root, &offset))
		return false;
	at = (uint64_t)((int64_t)root - (int32_t)offset);
	*ret = false;
	if (at > e->l->part.size - sizeof(bytes)) /* fb_open() will say so */
		return true;
	if (!fb_read(&e->fb, at, bytes, sizeof(bytes)))
		return false;
	*ret = load_u16le(bytes) > OLD_FIELDS_FROM;
	return true;
}

bool et_read_flat_tensor(struct executorch *e, uint64_t root)
{
	struct fb_table f;
	uint64_t at;
	bool old;

	if (!is_old(e, root, &old))
		return false;
	if (old) {
		et_tell(e, WLK_F_EXECUTORCH_UNSUPPORTED, root, bytes_of_text("FlatTensor"));
		e->fb.failed = true;
		return false;
	}
	if (!fb_open(&e->fb, root, &et_flat_tensor, &f) || !et_read_segments(e, &f, FLAT_SEGMENTS))
		return false;
	for (uint32_t i = 0; i < f.count[FLAT_NAMED]; i++)
		if (!fb_element(&e->fb, &f, FLAT_NAMED, i, &at) || !read_entry(e, at))
			return false;
	return et_claim_segments(e);
}
