/* Which of R's objects may stand where: see rds.h.  Follows ReadItem() of R's src/main/serialize.c, which takes what comes;
 * here each place says what belongs there, because R's own code relies on it (an environment whose hash table is a number
 * crashes it). */
#include "rds.h"

/* Flags of an object. */
#define FLAG_OBJECT (1u << 8)
#define FLAG_ATTRIBUTES (1u << 9)
#define FLAG_TAG (1u << 10)
#define FLAGS_UNUSED (1u << 11 | 0xF0000000u)
#define FLAG_ACTIVE_BINDING (1u << (12 + 15)) /* of a variable's cell */

static struct rds_frame *top(struct rds_walk *w)
{
	return w->depth > 0 ? &w->frames[w->depth - 1] : NULL;
}

static enum rds_type type_of_flags(const struct rds_walk *w)
{
	return (enum rds_type)(w->flags & 0xff);
}

static enum rds_next stop_at(struct rds_walk *w, enum wlk_finding code)
{
	rds_break(w, code, rds_type_name(type_of_flags(w)));
	return RDS_NEXT_ITEM;
}

/* -- the stack -- */

static bool push(struct rds_walk *w, const struct rds_frame *f)
{
	if (w->depth == RDS_DEPTH_MAX) {
		rds_number(w, WLK_F_RDS_DEPTH, RDS_DEPTH_MAX + 1, RDS_DEPTH_MAX);
		w->broken = true;
		return false;
	}
	w->frames[w->depth] = *f;
	w->frames[w->depth++].at = w->at;
	return true;
}

/* -- what was read -- */

static bool is_environment(enum rds_type t)
{
	return t == RDS_ENV || t == RDS_ANY;
}

static bool is_cells(enum rds_type t)
{
	return t == RDS_LIST || t == RDS_LANG || t == RDS_DOT;
}

static bool list_or_nil(const struct rds_value *v)
{
	return v->type == RDS_LIST || v->type == RDS_NIL;
}

/* Two of one name: which is taken depends on who asks. */
static void take_attribute(struct rds_walk *w, struct rds_frame *f, const struct rds_value *v)
{
	const struct rds_frame *owner = f - 1; /* attributes are never the outermost */
	uint32_t bit = f->tag != RDS_NAME_OTHER ? UINT32_C(1) << f->tag : 0;

	if ((f->seen & bit) != 0)
		rds_finding(w, WLK_F_RDS_ATTRIBUTE, NULL);
	f->seen |= bit;
	if (f->tag == RDS_NAME_DIM)
		f->dim = *v;
	else if (f->tag == RDS_NAME_DIMNAMES && (f->dim.type != RDS_INT || f->dim.n != v->n))
		rds_finding(w, WLK_F_RDS_ATTRIBUTE, NULL); /* dimensions come first */
	rds_attribute_check(w, &owner->value, f->tag, v);
}

static bool tag_fits(const struct rds_frame *f, const struct rds_value *v)
{
	if (is_cells(f->value.type))
		return v->type == RDS_SYM || (v->type == RDS_NIL && !f->is_attributes && !f->is_bindings);
	return is_environment(v->type) || v->type == RDS_NIL; /* of a closure and a promise: where it runs */
}

/* The end of a list; two values in one cell are how R keeps the state of a compact vector. */
static bool end_fits(struct rds_walk *w, const struct rds_frame *f, const struct rds_value *v)
{
	const struct rds_frame *outer = w->depth > 1 ? f - 1 : NULL;

	if (!is_cells(f->value.type) || v->type == RDS_NIL)
		return true;
	return outer != NULL && outer->kind == RDS_FRAME_ALTREP && outer->left == 1 && f->value.n == 1;
}

/* Return: the cell is whole. */
static bool take_in_cell(struct rds_walk *w, struct rds_frame *f, const struct rds_value *v)
{
	bool fits = true;

	switch (f->part) {
	case RDS_PART_ATTRIBUTES:
		fits = v->type == RDS_LIST;
		f->part = f->tagged ? RDS_PART_TAG : RDS_PART_CAR;
		break;
	case RDS_PART_TAG:
		fits = tag_fits(f, v);
		f->tag = v->name;
		f->part = RDS_PART_CAR;
		break;
	case RDS_PART_CAR:
		if (f->is_attributes)
			take_attribute(w, f, v);
		if (f->value.n <= 3)
			f->cars[f->value.n - 1] = *v;
		f->part = RDS_PART_CDR;
		break;
	case RDS_PART_CDR:
		fits = end_fits(w, f, v);
		f->cdr = *v;
		return fits ? true : (stop_at(w, WLK_F_RDS_STRUCTURE), false);
	}
	if (!fits)
		stop_at(w, WLK_F_RDS_STRUCTURE);
	return false;
}

/* Elements of attributes that mean something one by one. */
static void take_in_attribute(struct rds_walk *w, const struct rds_frame *f, const struct rds_value *v)
{
	const struct rds_frame *cell = w->depth > 1 ? f - 1 : NULL;

	if (cell == NULL || cell->kind != RDS_FRAME_CELL || !cell->is_attributes)
		return;
	if (cell->tag == RDS_NAME_DIMNAMES && f->value.type == RDS_VEC)
		rds_dimnames_check(w, &cell->dim, f->value.n - f->left, v);
	else if (cell->tag == RDS_NAME_CLASS && f->value.type == RDS_STR)
		rds_class_check(w);
}

static bool take_in_items(struct rds_walk *w, struct rds_frame *f, const struct rds_value *v)
{
	if (f->left == 0) /* attributes */
		return v->type == RDS_LIST ? true : (stop_at(w, WLK_F_RDS_STRUCTURE), false);
	take_in_attribute(w, f, v);
	if (f->is_bindings && !list_or_nil(v))
		stop_at(w, WLK_F_RDS_STRUCTURE);
	f->left--;
	return f->left == 0 && !f->attributes;
}

/* Parts in turn: enclosure, frame, table, attributes. */
static bool take_in_environment(struct rds_walk *w, struct rds_frame *f, const struct rds_value *v)
{
	bool fits;

	switch (f->left++) {
	case 0: fits = is_environment(v->type) || v->type == RDS_NIL; break;
	case 2: fits = (v->type == RDS_VEC && v->n > 0) || v->type == RDS_NIL; break;
	default: fits = list_or_nil(v); break;
	}
	if (!fits)
		stop_at(w, WLK_F_RDS_STRUCTURE);
	return fits && f->left == 4;
}

/* What it protects and its tag may be anything. */
static bool take_in_pointer(struct rds_walk *w, struct rds_frame *f, const struct rds_value *v)
{
	if (f->left == 2 && v->type != RDS_LIST)
		stop_at(w, WLK_F_RDS_STRUCTURE);
	f->left++;
	return f->left == (f->attributes ? 3u : 2u);
}

/* @list: the frame of v, which has just been left, if it had one. */
static bool take_in_altrep(
    struct rds_walk *w, struct rds_frame *f, const struct rds_value *v, const struct rds_frame *list)
{
	switch (f->left++) {
	case 0: rds_altrep_class(w, f, list); return false;
	case 1: rds_altrep_state(w, f, v, list); return false;
	default: break;
	}
	if (!list_or_nil(v))
		stop_at(w, WLK_F_RDS_STRUCTURE);
	return true;
}

static void refer(struct rds_walk *w, enum rds_type type, enum rds_name name)
{
	if (w->n_references == RDS_REFERENCES_MAX) {
		rds_number(w, WLK_F_RDS_REFERENCE, RDS_REFERENCES_MAX + UINT64_C(1), RDS_REFERENCES_MAX);
		w->broken = true;
		return;
	}
	if (w->n_references == w->references_room) {
		uint32_t room = w->references_room > 0 ? w->references_room * 2 : 1024;
		void *grown = arena_resize_raw(w->l->arena, w->references, room, sizeof(*w->references));

		if (grown == NULL) {
			w->stopped = true;
			layout_stop(w->l);
			return;
		}
		w->references = grown;
		w->references_room = room;
	}
	w->references[w->n_references++] =
	    (struct rds_reference){ .type = (uint8_t)(type == RDS_ANY ? RDS_ENV : type), .name = (uint8_t)name };
}

static bool take_name(struct rds_walk *w, struct rds_frame *f)
{
	f->value.name = rds_text_name(w);
	if (w->text_n == 0)
		stop_at(w, WLK_F_RDS_STRUCTURE); /* "attempt to use zero-length variable name" */
	refer(w, RDS_SYM, f->value.name);
	return true;
}

/* These come with R and are attached in every session. */
static bool is_standard_package(const struct rds_walk *w)
{
	static const char *const standard[] = { "base", "stats", "utils", "methods", "graphics", "grDevices",
		"datasets", "package:base", "package:stats", "package:utils", "package:methods", "package:graphics",
		"package:grDevices", "package:datasets" };

	for (size_t i = 0; i < sizeof(standard) / sizeof(standard[0]) && w->text_n <= RDS_TEXT_BYTES; i++)
		if (bytes_equal(bytes_of(w->text, w->text_n), bytes_of_text(standard[i])))
			return true;
	return false;
}

static void report_package(struct rds_walk *w)
{
	struct bytes name = bytes_of(w->text, w->text_n < RDS_TEXT_BYTES ? w->text_n : RDS_TEXT_BYTES);

	layout_finding(w->l,
	    &(struct finding){ .code = WLK_F_RDS_NAMESPACE, .has_offset = true, .offset = w->at, .subject = name });
}

/* A package's name, and its version behind it. */
static bool take_in_names(struct rds_walk *w, struct rds_frame *f)
{
	if (f->value.n == f->left && f->value.type == RDS_ENV && !is_standard_package(w))
		report_package(w);
	f->left--;
	if (f->left > 0)
		return false;
	refer(w, f->value.type, RDS_NAME_OTHER);
	return true;
}

/* -- an object is whole -- */

static bool give(struct rds_walk *w, struct rds_frame *f, const struct rds_value *v, const struct rds_frame *list)
{
	switch (f->kind) {
	case RDS_FRAME_CELL: return take_in_cell(w, f, v);
	case RDS_FRAME_ITEMS: return take_in_items(w, f, v);
	case RDS_FRAME_OWNER: return v->type == RDS_LIST ? true : (stop_at(w, WLK_F_RDS_STRUCTURE), false);
	case RDS_FRAME_ENV: return take_in_environment(w, f, v);
	case RDS_FRAME_POINTER: return take_in_pointer(w, f, v);
	case RDS_FRAME_SYMBOL: return take_name(w, f);
	case RDS_FRAME_NAMES: return take_in_names(w, f);
	case RDS_FRAME_ALTREP: return take_in_altrep(w, f, v, list);
	}
	return false;
}

/* What save() writes is a list of variables. */
static void end_of_file(struct rds_walk *w)
{
	if (w->is_save && !list_or_nil(&w->value))
		rds_finding(w, WLK_F_RDS_STRUCTURE, rds_type_name(w->value.type));
	w->ended = true;
}

/* w->value is whole: hand it to what it is in, and that to what that is in, as long as they end with it. */
static enum rds_next complete(struct rds_walk *w)
{
	const struct rds_frame *list = NULL;

	while (!w->broken && !w->stopped) {
		struct rds_frame *f = top(w);

		if (f == NULL) {
			end_of_file(w);
			break;
		}
		if (!give(w, f, &w->value, list))
			break;
		w->value = f->value;
		list = f->kind == RDS_FRAME_CELL ? f : NULL;
		w->depth--;
	}
	return RDS_NEXT_ITEM;
}

enum rds_next rds_item_end(struct rds_walk *w)
{
	if (w->value.type == RDS_CHAR || (w->flags & FLAG_ATTRIBUTES) == 0)
		return complete(w);
	push(w, &(struct rds_frame){ .kind = RDS_FRAME_OWNER, .value = w->value, .attributes = true });
	return RDS_NEXT_ITEM;
}

/* -- an object begins -- */

/* Text stands only where only text may stand. */
static bool wants_text(const struct rds_frame *f)
{
	if (f == NULL)
		return false;
	return f->kind == RDS_FRAME_SYMBOL || f->kind == RDS_FRAME_NAMES ||
	       (f->kind == RDS_FRAME_ITEMS && f->value.type == RDS_STR && f->left > 0);
}

static bool is_value_of_attributes(const struct rds_frame *f)
{
	switch (f->kind) {
	case RDS_FRAME_CELL: return f->part == RDS_PART_ATTRIBUTES;
	case RDS_FRAME_ITEMS: return f->left == 0;
	case RDS_FRAME_OWNER: return true;
	case RDS_FRAME_ENV: return f->left == 3;
	case RDS_FRAME_POINTER:
	case RDS_FRAME_ALTREP: return f->left == 2;
	default: return false;
	}
}

static bool holds_bindings(const struct rds_walk *w, const struct rds_frame *f)
{
	if (f == NULL)
		return w->is_save;
	return (f->kind == RDS_FRAME_ENV && f->left == 1) || (f->kind == RDS_FRAME_ITEMS && f->is_bindings);
}

static void open_cell(struct rds_walk *w, struct rds_frame *f)
{
	f->value.n++;
	f->attributes = (w->flags & FLAG_ATTRIBUTES) != 0;
	f->tagged = (w->flags & FLAG_TAG) != 0;
	f->tag = RDS_NAME_OTHER;
	f->part = f->attributes ? RDS_PART_ATTRIBUTES : f->tagged ? RDS_PART_TAG : RDS_PART_CAR;
	if ((f->is_attributes || f->is_bindings) && !f->tagged)
		stop_at(w, WLK_F_RDS_STRUCTURE);
	if (f->is_bindings && (w->flags & FLAG_ACTIVE_BINDING) != 0)
		rds_finding(w, WLK_F_RDS_CODE, "active binding");
}

static bool runs(enum rds_type t)
{
	return t == RDS_CLO || t == RDS_PROM || t == RDS_LANG || t == RDS_DOT;
}

/* The next cell of a list goes in the place of the one before: a list is as long as it likes. */
static enum rds_next begin_cell(struct rds_walk *w, struct rds_frame *outer)
{
	enum rds_type t = type_of_flags(w);
	struct rds_frame f = { .kind = RDS_FRAME_CELL, .value = { .type = t } };

	if (outer != NULL && outer->kind == RDS_FRAME_CELL && outer->part == RDS_PART_CDR && t == RDS_LIST &&
	    is_cells(outer->value.type)) {
		open_cell(w, outer);
		return RDS_NEXT_ITEM;
	}
	if (runs(t))
		rds_finding(w, WLK_F_RDS_CODE, rds_type_name(t));
	f.is_attributes = outer != NULL && is_value_of_attributes(outer);
	f.is_bindings = holds_bindings(w, outer);
	if ((f.is_attributes || f.is_bindings) && t != RDS_LIST)
		return stop_at(w, WLK_F_RDS_STRUCTURE);
	if (push(w, &f))
		open_cell(w, top(w));
	return RDS_NEXT_ITEM;
}

enum rds_next rds_item_vector(struct rds_walk *w, uint64_t n)
{
	struct rds_frame *outer = top(w);
	struct rds_frame f = { .kind = RDS_FRAME_ITEMS,
		.value = { .type = w->value.type, .n = n },
		.left = n,
		.attributes = (w->flags & FLAG_ATTRIBUTES) != 0,
		.is_bindings = outer != NULL && outer->kind == RDS_FRAME_ENV && outer->left == 2 };

	if (n > rds_left(w) / 4) { /* each takes its flags */
		rds_number(w, WLK_F_RDS_LENGTH, n, rds_left(w) / 4);
		w->broken = true;
		return RDS_NEXT_ITEM;
	}
	if (n == 0 && !f.attributes) {
		w->value = f.value;
		return complete(w);
	}
	push(w, &f);
	return RDS_NEXT_ITEM;
}

enum rds_next rds_item_environment(struct rds_walk *w)
{
	rds_finding(w, WLK_F_RDS_ENVIRONMENT, NULL);
	refer(w, RDS_ENV, RDS_NAME_OTHER); /* before what is in it, which may refer to it */
	push(w, &(struct rds_frame){ .kind = RDS_FRAME_ENV, .value = { .type = RDS_ENV, .n = w->n_references } });
	return RDS_NEXT_ITEM;
}

enum rds_next rds_item_names(struct rds_walk *w, uint64_t n)
{
	bool persistent = type_of_flags(w) == RDS_PERSIST;

	if (n == 0 || n > rds_left(w) / 4) {
		rds_number(w, WLK_F_RDS_LENGTH, n, rds_left(w) / 4);
		w->broken = true;
		return RDS_NEXT_ITEM;
	}
	if (persistent)
		rds_finding(w, WLK_F_RDS_PERSISTENT, NULL);
	push(w, &(struct rds_frame){
		    .kind = RDS_FRAME_NAMES, .value = { .type = persistent ? RDS_ANY : RDS_ENV, .n = n }, .left = n });
	return RDS_NEXT_ITEM;
}

/* R makes an external pointer that points to nothing, and reads what it kept beside (serialize.c, ReadItem()): data.table has one in
 * every table.  The end of a weak reference may run a function. */
static enum rds_next begin_pointer(struct rds_walk *w)
{
	bool attributes = (w->flags & FLAG_ATTRIBUTES) != 0;
	bool external = w->value.type == RDS_EXTPTR;

	rds_finding(w, external ? WLK_F_RDS_PERSISTENT : WLK_F_RDS_CODE, rds_type_name(w->value.type));
	refer(w, w->value.type, RDS_NAME_OTHER);
	if (!external)
		return rds_item_end(w);
	push(w, &(struct rds_frame){ .kind = RDS_FRAME_POINTER, .value = w->value, .attributes = attributes });
	return RDS_NEXT_ITEM;
}

static enum rds_next begin_frame(struct rds_walk *w, enum rds_frame_kind kind)
{
	push(w, &(struct rds_frame){ .kind = kind, .value = w->value });
	return RDS_NEXT_ITEM;
}

/* Nobody writes the few classes of an object so, and they have to be seen. */
static enum rds_next begin_altrep(struct rds_walk *w, const struct rds_frame *outer)
{
	if (outer != NULL && outer->kind == RDS_FRAME_CELL && outer->is_attributes && outer->tag == RDS_NAME_CLASS &&
	    outer->part == RDS_PART_CAR)
		rds_finding(w, WLK_F_RDS_ATTRIBUTE, NULL);
	return begin_frame(w, RDS_FRAME_ALTREP);
}

/* Written as their number and nothing else. */
static enum rds_next take_constant(struct rds_walk *w, enum rds_type t)
{
	if (w->flags != (uint32_t)type_of_flags(w))
		return stop_at(w, WLK_F_RDS_STRUCTURE);
	w->value.type = t;
	return complete(w);
}

/* An environment that is enclosed in itself: R looks for a name in it for ever. */
static bool encloses_itself(const struct rds_walk *w, uint64_t index)
{
	for (unsigned i = w->depth; i > 0; i--) {
		const struct rds_frame *f = &w->frames[i - 1];

		if (f->kind != RDS_FRAME_ENV || f->left > 0)
			return false;
		if (f->value.n == index)
			return true;
	}
	return false;
}

enum rds_next rds_item_reference(struct rds_walk *w, uint64_t index)
{
	const struct rds_reference *r;

	if (index == 0 || index > w->n_references) {
		rds_number(w, WLK_F_RDS_REFERENCE, index, w->n_references);
		w->broken = true;
		return RDS_NEXT_ITEM;
	}
	if (encloses_itself(w, index))
		return stop_at(w, WLK_F_RDS_STRUCTURE);
	r = &w->references[index - 1];
	w->value.type = (enum rds_type)r->type;
	w->value.name = (enum rds_name)r->name;
	return complete(w);
}

static enum rds_next begin_reference(struct rds_walk *w)
{
	uint32_t index = w->flags >> 8;

	return index == 0 ? RDS_NEXT_REFERENCE : rds_item_reference(w, index);
}

static bool is_in_promise(struct rds_walk *w)
{
	const struct rds_frame *f = top(w);

	return f != NULL && f->kind == RDS_FRAME_CELL && f->value.type == RDS_PROM;
}

static enum rds_next begin_rare(struct rds_walk *w)
{
	switch (w->value.type) {
	case RDS_EXTPTR:
	case RDS_WEAKREF: return begin_pointer(w);
	case RDS_SPECIAL:
	case RDS_BUILTIN: rds_finding(w, WLK_F_RDS_BUILTIN, rds_type_name(w->value.type)); return RDS_NEXT_PRIMITIVE;
	case RDS_S4: rds_finding(w, WLK_F_RDS_S4, NULL); return rds_item_end(w);
	case RDS_BCODE: return stop_at(w, WLK_F_RDS_CODE); /* a grammar of its own */
	case RDS_PERSIST:
	case RDS_PACKAGE:
	case RDS_NAMESPACE: return RDS_NEXT_NAMES;
	case RDS_NILVALUE: return take_constant(w, RDS_NIL);
	case RDS_GLOBALENV:
	case RDS_BASEENV:
	case RDS_EMPTYENV:
	case RDS_BASENAMESPACE: return take_constant(w, RDS_ENV);
	case RDS_UNBOUND: /* of a promise that did not run yet; as an element it crashes R */
		return is_in_promise(w) ? take_constant(w, RDS_MISSINGARG) : stop_at(w, WLK_F_RDS_STRUCTURE);
	case RDS_MISSINGARG: return take_constant(w, RDS_MISSINGARG); /* the name of nothing */
	default: return stop_at(w, WLK_F_RDS_STRUCTURE);
	}
}

static enum rds_next begin_known(struct rds_walk *w, struct rds_frame *outer)
{
	switch (w->value.type) {
	case RDS_CHAR: return RDS_NEXT_TEXT;
	case RDS_LGL:
	case RDS_INT:
	case RDS_REAL:
	case RDS_CPLX:
	case RDS_RAW:
	case RDS_STR:
	case RDS_VEC:
	case RDS_EXPR: return RDS_NEXT_LENGTH;
	case RDS_LIST:
	case RDS_LANG:
	case RDS_CLO:
	case RDS_PROM:
	case RDS_DOT: return begin_cell(w, outer);
	case RDS_SYM: return begin_frame(w, RDS_FRAME_SYMBOL);
	case RDS_ENV: return RDS_NEXT_LOCK;
	case RDS_ALTREP: return begin_altrep(w, outer);
	default: return begin_rare(w);
	}
}

static bool flags_fit(const struct rds_walk *w)
{
	enum rds_type t = type_of_flags(w);

	if ((w->flags & FLAGS_UNUSED) != 0 || (t == RDS_CHAR && (w->flags & FLAG_ATTRIBUTES) != 0))
		return false;
	return (w->flags & FLAG_TAG) == 0 || t == RDS_LIST || t == RDS_LANG || t == RDS_CLO || t == RDS_PROM ||
	       t == RDS_DOT;
}

enum rds_next rds_item_begin(struct rds_walk *w)
{
	struct rds_frame *outer = top(w);

	w->value = (struct rds_value){ .type = type_of_flags(w) };
	if (w->value.type == RDS_REF && !wants_text(outer))
		return begin_reference(w);
	if (!flags_fit(w) || wants_text(outer) != (w->value.type == RDS_CHAR))
		return stop_at(w, WLK_F_RDS_STRUCTURE);
	return begin_known(w, outer);
}
