/* ONNX Runtime's own format (.ort): an ONNX graph as one FlatBuffer, with what the runtime needs to run it without looking.
 * Follows docs/formats/ort.md.
 *
 * All tables are walked, operators judged as those of ONNX, tensors compared with their bytes, and nothing is between the
 * objects but zeros.  Whether the nodes fit together is what the runtime takes for granted and nobody checks here, so a
 * file is never accepted. */
#include "ort.h"

#include "checked.h"
#include "claims.h"
#include "identify_signs.h"
#include "onnx_operators.h"
#include "onnx_types.h"
#include "ort_schema.h"

#define DEPTH_MAX 64u /* a graph within a graph takes three */

/* A table whose fields are being followed. */
struct frame {
	const struct ort_table *type;
	struct fb_table t;
	unsigned field;
	uint32_t next; /* of a vector */
};

struct ort {
	struct layout *l;
	struct extents claims;
	struct fb fb;
	struct frame stack[DEPTH_MAX];
	unsigned depth;
	uint8_t *names; /* of tensors */
	size_t names_n, names_room;
	uint32_t n_listed;
	bool bytes;  /* strings that are read may be any bytes */
	bool broken; /* something is not understood, or can be understood in two ways */
};

/* -- findings -- */

static void wrong(struct ort *o, uint64_t at, const char *what, uint64_t found, uint64_t allowed)
{
	o->broken = true;
	layout_finding(o->l, &(struct finding){ .code = WLK_F_ORT_STRUCTURE,
				 .has_offset = true,
				 .offset = at,
				 .subject = bytes_of_text(what),
				 .found = value_number(found),
				 .allowed = value_number(allowed) });
}

static void tell(struct ort *o, enum wlk_finding code, uint64_t at, struct bytes subject)
{
	layout_finding(o->l, &(struct finding){ .code = code, .has_offset = true, .offset = at, .subject = subject });
}

static void unsupported(struct ort *o, uint64_t at, const char *what)
{
	o->broken = true;
	tell(o, WLK_F_ORT_UNSUPPORTED, at, bytes_of_text(what));
}

static void on_fault(void *ctx, enum fb_error e, const char *what, uint64_t at)
{
	struct ort *o = ctx;

	if (e == FB_STRING && o->bytes)
		return;
	o->broken = true;
	if (e == FB_FAILED)
		layout_stop(o->l);
	else if (e == FB_UNKNOWN)
		unsupported(o, at, what);
	else
		tell(o, WLK_F_ORT_STRUCTURE, at, bytes_of_text(what));
}

static bool read_text(
    struct ort *o, const struct fb_table *t, unsigned field, uint8_t *buf, size_t room, struct bytes *ret)
{
	size_t n = t->count[field] < room ? t->count[field] : room;

	*ret = bytes_of(buf, n);
	return n == 0 || fb_read(&o->fb, t->value[field], buf, n);
}

/* -- nodes -- */

/* Of the graph at hand: nodes have numbers below it. */
static uint64_t max_node(const struct ort *o)
{
	for (unsigned i = o->depth; i > 0; i--)
		if (o->stack[i - 1].type == &ort_graph)
			return o->stack[i - 1].t.value[GRAPH_MAX_NODE];
	return 0;
}

static void check_node(struct ort *o, uint64_t at, uint64_t index)
{
	if (index >= max_node(o))
		wrong(o, at, "node", index, max_node(o));
}

static bool read_node(struct ort *o, const struct fb_table *t)
{
	uint8_t domain_at[64], op_at[64];
	struct bytes domain, op;
	enum wlk_finding code;

	if (!read_text(o, t, NODE_DOMAIN, domain_at, sizeof(domain_at), &domain) ||
	    !read_text(o, t, NODE_OP, op_at, sizeof(op_at), &op))
		return false;
	if (onnx_operator_code(domain, op, true, &code))
		tell(o, code, t->at, op);
	if (!onnx_domain_is_known(domain))
		tell(o, WLK_F_ONNX_CUSTOM_DOMAIN, t->at, domain);
	if (op.n == 0)
		wrong(o, t->at, "op_type", 0, 1);
	check_node(o, t->at, t->value[NODE_INDEX]);
	return true;
}

#define EDGE_BYTES 12u /* of which the first four are a node */

static bool read_edges(struct ort *o, const struct fb_table *t)
{
	uint32_t node;

	check_node(o, t->at, t->value[EDGES_NODE]);
	for (unsigned field = EDGES_IN; field <= EDGES_OUT; field++) {
		if (!fb_visit(&o->fb, t->count[field], t->at))
			return false;
		for (uint32_t i = 0; i < t->count[field]; i++) {
			if (!fb_u32(&o->fb, t->value[field] + (uint64_t)i * EDGE_BYTES, &node))
				return false;
			check_node(o, t->at, node);
		}
	}
	return true;
}

/* -- tensors -- */

static bool count_elements(struct ort *o, const struct fb_table *t, struct manifest_row *row, uint64_t *ret)
{
	uint64_t n = 1;

	row->rank = t->count[TENSOR_DIMS];
	if (row->rank > MANIFEST_RANK_MAX)
		return fb_fail(&o->fb, FB_LIMIT, "dims", t->at);
	for (unsigned i = 0; i < row->rank; i++) {
		if (!fb_number(&o->fb, t, TENSOR_DIMS, i, 8, &row->shape[i]))
			return false;
		if (row->shape[i] > INT64_MAX || !mul_u64(n, row->shape[i], &n)) {
			wrong(o, t->at, "dims", row->shape[i], INT64_MAX);
			n = 0;
		}
	}
	*ret = n;
	return true;
}

static bool keep_name(struct ort *o, struct bytes name)
{
	if (o->names_room - o->names_n < name.n) {
		size_t room = o->names_room > 0 ? 2 * o->names_room : 65536;
		uint8_t *names = room < UINT32_MAX ? arena_resize_raw(o->l->arena, o->names, room, 1) : NULL;

		if (names == NULL)
			return fb_fail(&o->fb, FB_FAILED, "", 0);
		o->names = names;
		o->names_room = room;
	}
	bytes_copy(o->names + o->names_n, name);
	o->names_n += name.n;
	return true;
}

static bool list_tensor(struct ort *o, const struct manifest_row *row)
{
	if (!layout_wants_tensors(o->l) || layout_tensor(o->l, row))
		return true;
	o->fb.failed = true;
	return false;
}

/* Bytes that two tensors share are the first one's, and are examined as numbers if either says that they are. */
static bool own_data(struct ort *o, const struct fb_table *t, enum wlk_dtype dtype, struct manifest_row *row)
{
	uint64_t begin = t->value[TENSOR_RAW];
	struct extent *x;
	uint32_t index;

	if (!fb_claim(&o->fb, begin, begin + t->count[TENSOR_RAW], &index, NULL))
		return false;
	x = &o->claims.list[index];
	if (x->kind == EXTENT_TENSOR) {
		if (dtype_is_float(dtype) && !dtype_is_float(x->dtype))
			x->dtype = (uint8_t)dtype;
		return true;
	}
	x->kind = EXTENT_TENSOR;
	x->dtype = (uint8_t)dtype;
	x->name_at = (uint32_t)o->names_n;
	x->name_n = (uint32_t)row->name.n;
	x->index = o->n_listed++;
	row->dtype = bytes_of_text(dtype_info(dtype)->name);
	row->index = x->index;
	row->begin = x->begin;
	row->end = x->end;
	return keep_name(o, row->name) && list_tensor(o, row);
}

enum { TYPE_STRING = 8 };

static bool read_tensor(struct ort *o, const struct fb_table *t)
{
	uint64_t type = t->value[TENSOR_TYPE], elements = 0, bits;
	struct manifest_row row = { .kind = MANIFEST_TENSOR, .name_bytes = t->count[TENSOR_NAME] };
	uint8_t name[REPORT_STRING_MAX];

	if (!count_elements(o, t, &row, &elements) || !read_text(o, t, TENSOR_NAME, name, sizeof(name), &row.name))
		return false;
	if (fb_has(t, TENSOR_EXTERNAL) || type == 0 || type >= ONNX_DTYPES) {
		unsupported(o, t->at, "tensor");
		return true;
	}
	if (type == TYPE_STRING) {
		if (t->count[TENSOR_STRINGS] != elements)
			wrong(o, t->at, "tensor", t->count[TENSOR_STRINGS], elements);
		return true;
	}
	if (!mul_u64(elements, onnx_type_of(type)->bits, &bits) ||
	    t->count[TENSOR_RAW] != bits / 8 + (bits % 8 != 0 ? 1 : 0)) {
		wrong(o, t->at, "tensor", t->count[TENSOR_RAW], elements);
		return true;
	}
	return t->count[TENSOR_RAW] == 0 || own_data(o, t, onnx_type_of(type)->dtype, &row);
}

/* -- the walk -- */

static bool read_table(struct ort *o, const struct ort_table *type, const struct fb_table *t)
{
	if (type == &ort_node)
		return read_node(o, t);
	if (type == &ort_edges)
		return read_edges(o, t);
	if (type == &ort_tensor)
		return read_tensor(o, t);
	return true;
}

static bool open_table(struct ort *o, uint64_t at, const struct ort_table *type)
{
	struct frame *f;

	if (o->depth == DEPTH_MAX)
		return fb_fail(&o->fb, FB_LIMIT, "depth", at);
	f = &o->stack[o->depth];
	f->type = type;
	f->field = f->next = 0;
	if (!fb_open(&o->fb, at, &type->schema, &f->t))
		return false;
	o->depth++;
	return read_table(o, type, &f->t);
}

static bool open_union(struct ort *o, const struct frame *f, unsigned field)
{
	const struct ort_table *type = ort_type(f->t.value[field - 1]);

	if (type != NULL)
		return open_table(o, f->t.value[field], type);
	unsupported(o, f->t.at, f->type->schema.name);
	return true;
}

/* Texts of tensors and attributes are bytes. */
static bool read_string(struct ort *o, const struct frame *f, uint64_t at)
{
	uint64_t first;
	uint32_t n;
	bool read;

	o->bytes = f->type == &ort_tensor || f->type == &ort_attribute;
	read = fb_string(&o->fb, at, &first, &n);
	o->bytes = false;
	return read;
}

static bool read_element(struct ort *o, struct frame *f)
{
	const struct ort_table *type = f->type->inner[f->field];
	uint64_t at;

	if (!fb_element(&o->fb, &f->t, f->field, f->next++, &at))
		return false;
	if (type != NULL)
		return open_table(o, at, type);
	return fb_visit(&o->fb, 1, at) && read_string(o, f, at);
}

/* The next of what a table refers to.  Tables that are shared make no end of it: what is opened is counted. */
static bool follow_one(struct ort *o, struct frame *f)
{
	char letter = f->type->schema.fields[f->field];

	if (letter == '\0') {
		o->depth--;
		return true;
	}
	if (letter == 'V' && f->next < f->t.count[f->field])
		return read_element(o, f);
	f->next = 0;
	f->field++;
	if (letter == 'r' && fb_has(&f->t, f->field - 1))
		return open_table(o, f->t.value[f->field - 1], f->type->inner[f->field - 1]);
	if (letter == 'U' && fb_has(&f->t, f->field - 1))
		return open_union(o, f, f->field - 1);
	return true;
}

static bool read_model(struct ort *o)
{
	uint64_t root;

	if (!fb_init(&o->fb) || !fb_root(&o->fb, &root) || !open_table(o, root, &ort_session))
		return false;
	if (!fb_has(&o->stack[0].t, 1))
		wrong(o, root, "model", 0, 1);
	while (o->depth > 0)
		if (!follow_one(o, &o->stack[o->depth - 1]))
			return false;
	return true;
}

/* -- as a format -- */

#define TAIL_MAX 16u

/* Zeros behind the last object. */
static bool pad_end(struct layout *l, uint64_t end)
{
	return l->part.size - end >= TAIL_MAX || claims_pad(l, end, l->part.size);
}

static enum wlk_status prove(struct ort *o)
{
	static const struct coverage_codes codes = { .overlap = WLK_F_ORT_OVERLAP,
		.hole = WLK_F_ORT_HOLE,
		.out_of_bounds = WLK_F_ORT_STRUCTURE,
		.trailing = WLK_F_ORT_TRAILING_BYTES };
	struct layout *l = o->l;
	enum wlk_status status;

	if (!claims_take(l, &o->claims) || !pad_end(l, claims_end(&o->claims)))
		return layout_stop(l);
	l->extents->names = bytes_of(o->names, o->names_n);
	l->extents->nonzero = WLK_F_ORT_HOLE;
	status = claims_prove(l, &codes, o->broken);
	o->broken = o->broken || status != WLK_DONE || l->extents->gaps;
	return status;
}

#define MEMORY_MAX (UINT64_C(160) << 20)

static enum wlk_status layout(struct layout *l)
{
	struct ort *o = arena_alloc(l->arena, 1, sizeof(*o));
	uint8_t head[8] = { 0 };

	if (o == NULL)
		return layout_stop(l);
	if (l->part.size >= sizeof(head) && !part_read_guarded(&l->part, 0, head, sizeof(head)))
		return layout_stop(l);
	o->l = l;
	l->state = o;
	if (memcmp(head + 4, "ORTM", 4) != 0) {
		wrong(o, 0, "identifier", 0, 1);
		return WLK_BROKEN;
	}
	layout_raise_memory(l, min_u64(l->part.size, MEMORY_MAX));
	extents_init(&o->claims, l->arena);
	o->fb = (struct fb){
		.part = l->part, .extents = &o->claims, .arena = l->arena, .seed = l->seed, .ctx = o, .fault = on_fault
	};
	if (!read_model(o))
		return l->report->cause != WLK_CAUSE_NONE ? WLK_INCOMPLETE : WLK_BROKEN;
	return prove(o);
}

static enum wlk_status finish(struct layout *l)
{
	const struct ort *o = l->state;

	if (o != NULL && !o->broken)
		layout_at(l, WLK_F_FORMAT_PARTLY_CHECKED, 0);
	return WLK_BROKEN;
}

static bool probe(const struct probe *p)
{
	return identify_sign_is(WLK_FORMAT_ORT, bytes_of(p->head, p->n), p->size);
}

const struct wlk_format format_ort = {
	.id = WLK_FORMAT_ORT, .probe = probe, .layout = layout, .finish = finish, .nested = NESTED_RANDOM
};
