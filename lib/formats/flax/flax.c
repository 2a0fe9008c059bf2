/* Flax checkpoints: see flax.h for how the reader is cut.  Here: what the file is, the wire's errors, maps and their keys,
 * and which object goes to whom. */
#include "flax.h"

#include "checked.h"
#include "decimal.h"
#include "stream.h"
#include "unicode.h"

/* -- findings -- */

struct bytes flax_path(const struct flax *f)
{
	return bytes_of(f->path, f->path_n);
}

static struct bytes subject(const struct flax *f)
{
	return bytes_of(f->path, f->path_n < REPORT_STRING_MAX ? f->path_n : REPORT_STRING_MAX);
}

void flax_at(struct flax *f, enum wlk_finding code, uint64_t at)
{
	layout_finding(
	    f->l, &(struct finding){ .code = code, .has_offset = true, .offset = at, .subject = subject(f) });
}

void flax_value(struct flax *f, enum wlk_finding code, uint64_t at, uint64_t found, uint64_t allowed)
{
	layout_finding(f->l, &(struct finding){ .code = code,
				 .has_offset = true,
				 .offset = at,
				 .subject = subject(f),
				 .found = value_number(found),
				 .allowed = value_number(allowed) });
}

bool flax_stop(struct flax *f)
{
	f->stopped = true;
	layout_stop(f->l);
	return false;
}

/* -- paths -- */

static void append(struct flax *f, struct bytes text)
{
	size_t room = sizeof(f->path) - f->path_n, n = text.n < room ? text.n : room;

	bytes_copy(f->path + f->path_n, bytes_of(text.at, n));
	f->path_n += n;
	f->path_bytes += text.n; /* of 64 keys that are gathered: far below 2^64 */
}

static void path_back(struct flax *f, const struct flax_level *v)
{
	f->path_n = v->path_n;
	f->path_bytes = v->path_bytes;
}

void flax_path_set(struct flax *f, const struct flax_level *v, struct bytes end)
{
	path_back(f, v);
	if (f->path_bytes > 0)
		append(f, bytes_of_text("/"));
	append(f, end);
}

static void path_set_index(struct flax *f, const struct flax_level *v, uint64_t index)
{
	char text[DECIMAL_MAX];

	flax_path_set(f, v, bytes_of(text, decimal_text(index, text)));
}

/* -- maps and arrays -- */

static struct flax_level *around(struct flax *f, const struct msgpack_object *o)
{
	return &f->levels[o->depth - 1];
}

static bool has_control(struct bytes text)
{
	const uint8_t *p = text.at, *end = text.at + text.n;

	while (p < end) {
		if (unicode_is_control(utf8_next(&p)))
			return true;
	}
	return false;
}

/* Rule 3. @text: as much of it as is gathered, which is all unless it is too long. */
static void check_key(struct flax *f, struct bytes text, const struct flax_leaf *leaf)
{
	uint64_t at = leaf->object.offset, n = leaf->object.n;

	if (n == 0 || n > FLAX_KEY_BYTES_MAX)
		flax_value(f, WLK_F_FLAX_KEY_LENGTH, at, n, FLAX_KEY_BYTES_MAX);
	if (leaf->not_utf8)
		flax_at(f, WLK_F_FLAX_KEY_UTF8, at);
	else if (n <= FLAX_KEY_BYTES_MAX && has_control(text))
		flax_at(f, WLK_F_FLAX_KEY_CONTROL, at);
}

bool flax_key(struct flax *f, struct bytes text, const struct flax_leaf *leaf)
{
	struct flax_level *v = around(f, &leaf->object);
	struct scoped_name name = scoped_name_of(&f->names, text, 0);

	flax_path_set(f, v, text);
	check_key(f, text, leaf);
	if (scoped_names_find(&f->names, name, 1u << SCOPED_KEY, v->names_base) != NULL)
		flax_at(f, WLK_F_FLAX_KEY_DUPLICATE, leaf->object.offset);
	scoped_names_add(&f->names, name, SCOPED_KEY, leaf->object.offset);
	v->role = flax_role_of(text);
	v->roles |= 1u << v->role;
	flax_sequence_key(&v->own, text);
	return !f->names.failed || flax_stop(f);
}

static void note_key(struct flax *f, struct flax_level *v, const struct msgpack_object *o)
{
	v->n++;
	if (o->kind == MSGPACK_STR)
		return;
	v->role = FLAX_OTHER;
	v->own.keys_bad = true;
	flax_path_set(f, v, bytes_of_text("?"));
	flax_at(f, WLK_F_FLAX_KEY_TYPE, o->offset);
	f->broken = true; /* what it holds was not looked at */
}

static void note_item(struct flax *f, struct flax_level *v, const struct msgpack_object *o)
{
	if (!v->map)
		path_set_index(f, v, v->n++);
	if (v->role == FLAX_MARKER && (o->kind != MSGPACK_BOOL || o->value != 1))
		v->marker_bad = true;
	if (o->kind == MSGPACK_INT && !o->negative)
		flax_sequence_dim(&v->own, o->value);
	else if (o->kind != MSGPACK_EXT) /* else flax_array_end() knows */
		flax_sequence_other(&v->own);
}

/* Any object that is not inside of an extension. */
static bool note(struct flax *f, const struct msgpack_object *o)
{
	if (++f->n_nodes > FLAX_NODES_MAX) {
		flax_value(f, WLK_F_FLAX_LIMIT, o->offset, f->n_nodes, FLAX_NODES_MAX);
		return false;
	}
	if (o->depth == 0 && o->kind != MSGPACK_MAP)
		flax_at(f, WLK_F_FLAX_TOPLEVEL, o->offset);
	else if (o->depth > 0 && o->is_key)
		note_key(f, around(f, o), o);
	else if (o->depth > 0)
		note_item(f, around(f, o), o);
	return true;
}

static bool on_open(void *ctx, const struct msgpack_object *o)
{
	struct flax *f = ctx;
	struct flax_level *v = &f->levels[o->depth];

	if (f->array.open) {
		flax_array_open(f, o);
		return true;
	}
	if (!note(f, o))
		return false;
	if (o->n > FLAX_ENTRIES_MAX)
		flax_value(f, WLK_F_FLAX_LIMIT, o->offset, o->n, FLAX_ENTRIES_MAX);
	*v = (struct flax_level){ .map = o->kind == MSGPACK_MAP,
		.at = o->offset,
		.names_base = f->names.n,
		.path_n = f->path_n,
		.path_bytes = f->path_bytes,
		.own = { .given = true, .keys_bad = o->kind != MSGPACK_MAP, .product = 1 } };
	return true;
}

static void close_level(struct flax *f, unsigned depth)
{
	struct flax_level *v = &f->levels[depth], *outer = depth > 0 ? v - 1 : NULL;

	scoped_names_cut(&f->names, v->names_base);
	path_back(f, v);
	if ((v->roles & 1u << FLAX_MARKER) != 0)
		flax_chunks_check(f, v);
	if (outer != NULL && outer->role == FLAX_SHAPE)
		outer->shape = v->own;
	else if (outer != NULL && outer->role == FLAX_CHUNKS)
		outer->chunks = v->own;
}

static bool on_close(void *ctx, unsigned depth, uint64_t offset)
{
	struct flax *f = ctx;

	if (f->array.open && depth + 1 == f->array.depth)
		return flax_array_end(f, offset);
	if (!f->array.open)
		close_level(f, depth);
	return true;
}

/* -- leaves -- */

void flax_float(struct flax *f, enum wlk_dtype dtype, uint64_t bits, uint64_t at)
{
	struct report *r = f->l->report;
	struct weights_place place = { .member = f->l->extents->member };
	struct weights w;
	uint8_t element[8];

	store_u64le(element, bits);
	weights_begin(&w, dtype, false);
	weights_examine(&w, element, dtype_info(dtype)->bits / 8u, f->l->extents->origin + at);
	r->totals.elements++;
	if (!w.found)
		return;
	place.first_offset = w.first_offset;
	place.name = weights_name_wanted(&w, r) ? subject(f) : (struct bytes){ 0 };
	weights_report(&w, r, &place);
}

static bool on_scalar(void *ctx, const struct msgpack_object *o)
{
	struct flax *f = ctx;

	if (f->array.open) {
		flax_array_scalar(f, o);
		return true;
	}
	if (!note(f, o))
		return false;
	if (!o->is_key && (o->kind == MSGPACK_FLOAT32 || o->kind == MSGPACK_FLOAT64))
		flax_float(f, o->kind == MSGPACK_FLOAT32 ? WLK_DTYPE_F32 : WLK_DTYPE_F64, o->value, o->payload);
	return true;
}

static enum msgpack_take on_data(void *ctx, const struct msgpack_object *o)
{
	struct flax *f = ctx;

	if (f->array.open)
		return flax_array_data(f, o);
	if (!note(f, o))
		return MSGPACK_STOP;
	if (o->is_key && o->kind != MSGPACK_STR)
		return MSGPACK_SKIP;
	if (o->kind == MSGPACK_EXT)
		return flax_array_begin(f, o);
	flax_leaf_begin(f, o);
	return MSGPACK_PIECES;
}

static uint64_t on_piece(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct flax *f = ctx;

	return f->array.open ? flax_array_piece(f, at, n, offset) : flax_leaf_piece(f, at, n, offset);
}

static bool on_data_end(void *ctx)
{
	struct flax *f = ctx;

	return f->array.open || flax_leaf_end(f);
}

/* -- the wire: rules 1, 5, 6 and 7 -- */

static const enum wlk_finding wire_codes[MSGPACK_N_ERRORS] = {
	[MSGPACK_TRUNCATED] = WLK_F_FLAX_TRUNCATED,
	[MSGPACK_COUNT] = WLK_F_FLAX_COUNT,
	[MSGPACK_BAD_BYTE] = WLK_F_FLAX_BAD_BYTE,
	[MSGPACK_DEPTH] = WLK_F_FLAX_DEPTH,
	[MSGPACK_TRAILING] = WLK_F_FLAX_TRAILING_BYTES,
	[MSGPACK_LONGER] = WLK_F_FLAX_NONCANONICAL,
};

static bool on_error(void *ctx, enum msgpack_error e, uint64_t offset, bool inside, uint64_t found)
{
	struct flax *f = ctx;

	if (inside && e != MSGPACK_DEPTH) {
		flax_array_break(f, offset);
		return true;
	}
	if (inside)
		f->array.broken = f->broken = true;
	if (e == MSGPACK_DEPTH)
		flax_value(f, wire_codes[e], offset, found, MSGPACK_DEPTH_MAX);
	else
		layout_finding(f->l,
		    &(struct finding){
			.code = wire_codes[e], .has_offset = true, .offset = offset, .found = value_number(found) });
	return true;
}

/* -- the whole -- */

static size_t tensor_name(const struct extents *x, const struct extent *e, uint8_t *buf, size_t n)
{
	if (e->name_n <= n)
		bytes_copy(buf, bytes_of(x->names.at + e->name_at, e->name_n));
	return e->name_n;
}

/* Every byte is an object's, for the walk ended with the file: there is nothing that could be a hole. */
static enum wlk_status finish_walk(struct flax *f, bool whole)
{
	static const struct coverage_codes codes = { .overlap = WLK_F_FLAX_NDARRAY_LAYOUT,
		.hole = WLK_F_FLAX_TRAILING_BYTES,
		.out_of_bounds = WLK_F_FLAX_TRUNCATED,
		.trailing = WLK_F_FLAX_TRAILING_BYTES };
	struct layout *l = f->l;
	enum wlk_status status;

	if (f->stopped)
		return WLK_INCOMPLETE;
	if (!whole)
		return WLK_BROKEN;
	if (!flax_cover(f, l->part.size))
		return WLK_INCOMPLETE;
	l->extents->names = bytes_of(f->pool, f->pool_n);
	l->extents->name = tensor_name;
	status = extents_cover(l->extents, 0, l->part.size, &codes, l->report);
	return status == WLK_DONE && f->broken ? WLK_BROKEN : status;
}

/* Keys, extents and paths: a multiple of the file, which is what bounds their number; and a pickle machine. */
#define MEMORY_MAX (UINT64_C(256) << 20)

static void raise_memory(struct layout *l)
{
	uint64_t memory;

	layout_raise_memory(l, mul_u64(l->part.size, 8, &memory) ? min_u64(memory, MEMORY_MAX) : MEMORY_MAX);
	layout_raise_memory(l, PICKLE_MEMORY_BASE);
}

static enum wlk_status layout(struct layout *l)
{
	static const struct msgpack_handler events = { NULL, on_scalar, on_open, on_close, on_data, on_piece,
		on_data_end, on_error };
	struct msgpack_handler handler = events;
	struct flax *f;

	if (l->part.size > FLAX_SIZE_MAX) {
		layout_value(l, WLK_F_FLAX_LIMIT, 0, l->part.size, FLAX_SIZE_MAX);
		return WLK_BROKEN;
	}
	raise_memory(l);
	f = arena_alloc(l->arena, 1, sizeof(*f));
	if (f == NULL)
		return layout_stop(l);
	f->l = l;
	scoped_names_init(&f->names, l->arena, &l->seed);
	handler.ctx = f;
	msgpack_begin(&f->walker, l->part.size, &handler);
	if (!part_preview(&l->part, 0, (struct feeder){ msgpack_feed, &f->walker }))
		return layout_stop(l);
	return finish_walk(f, msgpack_finish(&f->walker));
}

/* -- is it one? -- */

/* A map that is not empty, with text for keys, which is the whole file: chance makes none. */
static bool is_name(const struct msgpack_object *o)
{
	if (o->depth == 0)
		return o->kind == MSGPACK_MAP && o->n > 0;
	return !o->is_key || o->kind == MSGPACK_STR || o->kind == MSGPACK_BIN;
}

static bool outline_object(void *ctx, const struct msgpack_object *o)
{
	(void)ctx;
	return is_name(o);
}

static bool outline_close(void *ctx, unsigned depth, uint64_t offset)
{
	(void)ctx;
	(void)depth;
	(void)offset;
	return true;
}

static enum msgpack_take outline_data(void *ctx, const struct msgpack_object *o)
{
	(void)ctx;
	return is_name(o) ? MSGPACK_SKIP : MSGPACK_STOP;
}

static bool outline_error(void *ctx, enum msgpack_error e, uint64_t offset, bool inside, uint64_t found)
{
	(void)ctx;
	(void)offset;
	(void)inside;
	(void)found;
	return e == MSGPACK_LONGER;
}

static bool last_resort(struct layout *l, const struct stream *s)
{
	static const struct msgpack_handler handler = { NULL, outline_object, outline_object, outline_close,
		outline_data, NULL, NULL, outline_error };
	struct msgpack_walker w;

	if (s->size == STREAM_SIZE_UNKNOWN || s->size > FLAX_SIZE_MAX)
		return false;
	msgpack_begin(&w, s->size, &handler);
	return stream_preview(s, l->arena, (struct feeder){ msgpack_feed, &w }, NULL) != STREAM_FAILED &&
	       msgpack_finish(&w);
}

static bool no_probe(const struct probe *p)
{
	(void)p;
	return false;
}

/* Whoever loads it by its name unpacks it, whatever it is. */
static void misnamed(struct layout *l, enum wlk_format_id content)
{
	layout_finding(l, &(struct finding){ .code = WLK_F_FORMAT_EXTENSION_MISMATCH,
			      .found = value_text(bytes_of_text(format_info(content)->name)),
			      .allowed = value_text(bytes_of_text(format_info(WLK_FORMAT_FLAX_MSGPACK)->name)) });
}

const struct wlk_format format_flax = {
	.id = WLK_FORMAT_FLAX_MSGPACK,
	.converts = CONVERTS_ROWS,
	.framework = "flax",
	.probe = no_probe,
	.layout = layout,
	.nested = NESTED_RANDOM,
	.misnamed = misnamed,
	.last_resort = last_resort,
};
