/* Implements joblib.h. */
#include "joblib.h"

#include "checked.h"
#include "config_pickle.h"

#define NONE UINT64_MAX

struct joblib {
	struct layout *l;
	struct pickle_arrays *arrays;
	struct pickle_judge *judge;
	uint64_t origin;
	struct bytes member;
	struct config_pickle config; /* names in what is only data */
	bool seen;
	uint64_t first;   /* offset of the BUILD behind which the first elements stand; NONE without any */
	uint64_t objects; /* likewise of the first array of objects, whose pickle stands behind it */
	enum wlk_status status;
};

struct joblib *joblib_new(struct layout *l, struct pickle_arrays *arrays, uint64_t origin, struct bytes member)
{
	struct joblib *jl = arena_alloc(l->arena, 1, sizeof(*jl));

	if (jl != NULL)
		*jl = (struct joblib){ .l = l,
			.arrays = arrays,
			.origin = origin,
			.member = member,
			.config = { .l = l, .origin = origin, .member = member },
			.first = NONE,
			.objects = NONE };
	return jl;
}

void joblib_follow(struct joblib *jl, struct pickle_judge *judge)
{
	jl->judge = judge;
}

bool joblib_seen(const struct joblib *jl)
{
	return jl->seen;
}

enum wlk_status joblib_status(const struct joblib *jl)
{
	return jl->config.failed ? WLK_INCOMPLETE : jl->status;
}

static void report_at_event(
    struct joblib *jl, enum wlk_finding code, uint64_t offset, struct bytes subject, struct value found)
{
	report_finding(jl->l->report, &(struct finding){ .code = code,
					  .has_offset = true,
					  .offset = jl->origin + offset,
					  .member = jl->member,
					  .subject = subject,
					  .found = found });
}

/* -- which objects -- */

static bool ends_with(struct bytes b, const char *text)
{
	size_t n = strlen(text);

	return b.n >= n && memcmp(b.at + (b.n - n), text, n) == 0;
}

/* joblib was once shipped inside scikit-learn (sklearn.externals.joblib). */
static bool class_is(struct joblib *jl, const struct pickle *p, pickle_value object, const char *name)
{
	pickle_value class = pickle_judge_class_of(jl->judge, object);
	struct bytes module, class_name;

	return class != PICKLE_NO_VALUE && pickle_kind(p, class) == PICKLE_GLOBAL &&
	       pickle_global(p, class, &module, &class_name) && ends_with(module, "joblib.numpy_pickle") &&
	       bytes_equal(class_name, bytes_of_text(name));
}

/* -- what a wrapper says -- */

struct wrapper {
	const struct numpy_type *type;
	pickle_value dtype, shape;
	bool column_major;
	uint64_t bytes;    /* of all elements */
	bool padded;       /* up to a multiple of alignment in the file; files of joblib before 1.2 are not */
	uint8_t alignment; /* bytes, below PICKLE_EXPECT_MAX */
};

static bool read_shape(const struct pickle *p, pickle_value state, struct wrapper *w)
{
	pickle_value dtype;
	uint64_t count;

	return pickle_lookup(p, state, "shape", &w->shape) && pickle_kind(p, w->shape) == PICKLE_TUPLE &&
	       pickle_lookup(p, state, "dtype", &dtype) && pickle_arrays_count(p, w->shape, &count) &&
	       count <= INT64_MAX && mul_u64(count, w->type->bytes, &w->bytes) && w->bytes <= INT64_MAX;
}

static bool read_alignment(const struct pickle *p, pickle_value state, struct wrapper *w)
{
	pickle_value alignment;
	int64_t n;

	if (!pickle_lookup(p, state, "numpy_array_alignment_bytes", &alignment) ||
	    pickle_kind(p, alignment) == PICKLE_NONE)
		return true;
	if (!pickle_int(p, alignment, &n) || n < 1 || n >= PICKLE_EXPECT_MAX)
		return false;
	w->padded = true;
	w->alignment = (uint8_t)n;
	return true;
}

static bool read_order(const struct pickle *p, pickle_value state, struct wrapper *w)
{
	pickle_value order, subclass;
	struct bytes text;

	if (!pickle_lookup(p, state, "order", &order) || !pickle_text(p, order, &text) || text.n != 1)
		return false;
	w->column_major = text.at[0] == 'F';
	return (text.at[0] == 'C' || text.at[0] == 'F') && pickle_lookup(p, state, "subclass", &subclass) &&
	       pickle_kind(p, subclass) == PICKLE_GLOBAL; /* which one, its import is judged for */
}

/* An attribute of any other name may stand in for a method: `read` decides how many bytes are elements. */
static bool has_own_keys_only(const struct pickle *p, pickle_value state)
{
	static const char *const names[] = { "subclass", "shape", "order", "dtype", "allow_mmap",
		"numpy_array_alignment_bytes" };
	const size_t n_names = sizeof(names) / sizeof(names[0]);
	pickle_value key, value;
	struct bytes text;

	for (uint64_t i = 0; i < pickle_count(p, state); i++) {
		size_t name = 0;

		if (!pickle_pair(p, state, i, &key, &value) || !pickle_text(p, key, &text))
			return false;
		while (name < n_names && !bytes_equal(text, bytes_of_text(names[name])))
			name++;
		if (name == n_names)
			return false;
	}
	return true;
}

/* False: not what joblib writes, so nobody can say where the elements end. */
static bool read_state(const struct joblib *jl, const struct pickle *p, pickle_value state, struct wrapper *w)
{
	*w = (struct wrapper){ 0 };
	if (state == PICKLE_NO_VALUE || pickle_kind(p, state) != PICKLE_DICT || !has_own_keys_only(p, state) ||
	    !pickle_lookup(p, state, "dtype", &w->dtype))
		return false;
	w->type = pickle_arrays_dtype(jl->arrays, p, w->dtype);
	return w->type != NULL && read_order(p, state, w) && read_shape(p, state, w) && read_alignment(p, state, w);
}

/* -- where its elements are -- */

/* A byte that says how many follow, and those: the writer aligns by its place in the file. */
static uint64_t expect_padding(struct pickle *p, const struct wrapper *w, uint64_t at)
{
	uint8_t padding[PICKLE_EXPECT_MAX];
	size_t n = w->alignment - (at + 1) % w->alignment;

	padding[0] = (uint8_t)n;
	memset(padding + 1, 0xff, n);
	pickle_expect(p, padding, n + 1);
	return n + 1;
}

/* The elements of an array of objects: a pickle of its own, which joblib hands to pickle.load(). */
static void take_objects(struct joblib *jl, struct pickle *p, const struct pickle_event *e, pickle_value dtype)
{
	if (jl->objects == NONE) {
		layout_raise_memory(jl->l, PICKLE_MEMORY_BASE); /* one machine for all of them */
		jl->objects = e->offset;
	}
	(void)pickle_arrays_add(jl->arrays, p, e, dtype, pickle_after_opcode(p), 0);
	pickle_arrays_nest(jl->arrays);
	pickle_judge_nest(jl->judge);
}

static void take_array(struct joblib *jl, struct pickle *p, const struct pickle_event *e)
{
	uint64_t begin = pickle_after_opcode(p);
	struct wrapper w;

	jl->seen = true;
	/* A second state for the same wrapper would be laid over the first; pickle.load() knows no wrappers. */
	if (pickle_judge_is_nested(jl->judge) || pickle_arrays_is_array(jl->arrays, p, e->target) ||
	    !read_state(jl, p, e->args, &w)) {
		report_at_event(jl, WLK_F_PICKLE_ARGUMENTS, e->offset,
		    bytes_of_text("joblib.numpy_pickle.NumpyArrayWrapper"), (struct value){ 0 });
		jl->status = WLK_BROKEN;
		return;
	}
	if (w.type->object) {
		take_objects(jl, p, e, w.dtype);
		return;
	}
	if (jl->first == NONE && (w.bytes > 0 || w.padded))
		jl->first = e->offset;
	if (w.padded)
		begin += expect_padding(p, &w, begin); /* inside the run, or the walk ends */
	pickle_skip(p, w.bytes);
	if (pickle_arrays_add(jl->arrays, p, e, w.dtype, begin, w.bytes))
		pickle_arrays_shape(jl->arrays, p, e->target, w.shape, w.column_major);
}

/* joblib takes what stands there for an array and goes on with its methods: byteswap() of a namespace whose dtype says ">"
 * is whatever the pickle set (numpy_pickle_utils.py, _ensure_native_byte_order()). */
static void see_objects_end(struct joblib *jl, const struct pickle *p, const struct pickle_event *e)
{
	if (!pickle_arrays_is_array(jl->arrays, p, e->target))
		report_at_event(jl, WLK_F_PICKLE_METHOD_ON_OBJECT, e->offset,
		    bytes_of_text("joblib.numpy_pickle.NumpyArrayWrapper"), (struct value){ 0 });
}

/* Before joblib 0.10 arrays stood in files of their own. */
static void take_file(struct joblib *jl, struct pickle *p, const struct pickle_event *e)
{
	pickle_value name;
	struct bytes text = { 0 };

	if (e->args != PICKLE_NO_VALUE && pickle_kind(p, e->args) == PICKLE_DICT &&
	    pickle_lookup(p, e->args, "filename", &name))
		(void)pickle_text(p, name, &text);
	report_at_event(jl, WLK_F_FORMAT_PARTLY_CHECKED, e->offset, text, (struct value){ 0 });
	jl->status = WLK_BROKEN;
}

void joblib_event(void *ctx, struct pickle *p, const struct pickle_event *e)
{
	struct joblib *jl = ctx;

	config_pickle_event(&jl->config, p, e);
	if (e->act == PICKLE_ACT_STOP && pickle_judge_is_nested(jl->judge))
		see_objects_end(jl, p, e);
	if (e->act == PICKLE_ACT_BUILD && class_is(jl, p, e->target, "NumpyArrayWrapper"))
		take_array(jl, p, e);
	else if (e->act == PICKLE_ACT_BUILD &&
		 (class_is(jl, p, e->target, "NDArrayWrapper") || class_is(jl, p, e->target, "ZNDArrayWrapper")))
		take_file(jl, p, e);
	else
		pickle_arrays_event(jl->arrays, p, e);
}

void joblib_bound(void *ctx, struct pickle *p, pickle_value array, const struct pickle_bounds *b)
{
	struct joblib *jl = ctx;

	pickle_arrays_bound(jl->arrays, p, array, b);
}

/* -- the other reading -- */

struct other {
	const struct joblib *jl;
	struct pickle *machine;
	uint64_t acts_at, doubt_at;
};

static bool is_import_or_call(const struct pickle_event *e)
{
	return e->act == PICKLE_ACT_IMPORT || e->act == PICKLE_ACT_CALL || e->act == PICKLE_ACT_NEW ||
	       e->act == PICKLE_ACT_PERSID || e->act == PICKLE_ACT_EXT;
}

/* A state, or items, for something that the pickle made before the elements; of data nothing is called. */
static bool is_method_call(const struct pickle *p, const struct pickle_event *e)
{
	enum pickle_kind kind = pickle_kind(p, e->target);

	return (e->act == PICKLE_ACT_BUILD || e->act == PICKLE_ACT_MUTATE) &&
	       (kind == PICKLE_OBJECT || kind == PICKLE_GLOBAL || kind == PICKLE_PERSISTENT ||
		   kind == PICKLE_EXTENSION || kind == PICKLE_UNKNOWN);
}

/* What of the oddities costs whoever walks this far gigabytes or minutes. */
static bool is_costly(const struct pickle_event *e)
{
	return e->act == PICKLE_ACT_NOTE && (e->note == PICKLE_NOTE_MEMO_INDEX || e->note == PICKLE_NOTE_INT_DIGITS ||
						e->note == PICKLE_NOTE_EXPANSION || e->note == PICKLE_NOTE_DEPTH);
}

/* A pickle of objects imports the same here, unless it fetches its text from the memo: in this reader's memo another text
 * may stand there, for its numbers go on where the pickle around it left off.  Of honest files it makes names that nobody
 * can import, or none. */
static void see_inside(struct other *o, const struct pickle *p, const struct pickle_event *e)
{
	bool named = pickle_kind(p, e->target) == PICKLE_GLOBAL;
	enum pickle_repeat repeat = PICKLE_REPEAT_NEW;

	if (named && (e->act == PICKLE_ACT_CALL || e->act == PICKLE_ACT_NEW)) /* judged when it was imported */
		return;
	if (named && e->act == PICKLE_ACT_IMPORT)
		repeat = pickle_judge_repeats(o->jl->judge, p, e->target);
	if (repeat == PICKLE_REPEAT_DENIED)
		o->acts_at = e->offset;
	else if (repeat == PICKLE_REPEAT_NEW && o->doubt_at == NONE)
		o->doubt_at = e->offset;
}

static void see(void *ctx, struct pickle *p, const struct pickle_event *e)
{
	struct other *o = ctx;

	bool among_elements = o->jl->first != NONE && e->offset > o->jl->first;
	bool among_objects = o->jl->objects != NONE && e->offset > o->jl->objects;

	if (o->acts_at != NONE)
		return;
	if (among_elements && (is_import_or_call(e) || is_method_call(p, e) || is_costly(e)))
		o->acts_at = e->offset;
	else if (among_objects && is_import_or_call(e))
		see_inside(o, p, e);
}

/* Where a reader that goes on needs more than a machine may have: what it does there, nobody can tell. */
static bool is_given_up(enum pickle_end end)
{
	return end == PICKLE_LIMIT_MEMORY || end == PICKLE_LIMIT_STACK || end == PICKLE_LIMIT_OPCODES;
}

static uint64_t feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct other *o = ctx;

	return o->acts_at != NONE ? FEED_END : pickle_feed(o->machine, at, n, offset);
}

/* Elements are opcodes by chance for a few bytes only: to import, two lines of names have to be among them. */
enum wlk_status joblib_judge_other_reading(struct joblib *jl, const struct stream *s, struct arena *a)
{
	struct other o = { .jl = jl, .acts_at = NONE, .doubt_at = NONE };
	struct pickle_options options = {
		.size = s->size, .opcodes_max = jl->l->lim->opcodes, .seed = jl->l->seed, .event = see, .ctx = &o
	};
	enum stream_end end;
	uint64_t given_up_at;
	bool given_up;

	if (jl->first == NONE && jl->objects == NONE)
		return WLK_DONE;
	layout_raise_memory(jl->l, PICKLE_MEMORY_BASE);
	o.machine = pickle_new(a, &options);
	if (o.machine == NULL)
		return layout_stop(jl->l);
	pickle_begin(o.machine, 0);
	end = stream_preview(s, a, (struct feeder){ .feed = feed, .ctx = &o }, NULL);
	/* A GLOBAL or INST that the end cuts is executed by the Python reader all the same. */
	given_up = end != STREAM_FAILED && o.acts_at == NONE && is_given_up(pickle_finish(o.machine));
	given_up_at = pickle_position(o.machine);
	pickle_free(o.machine);
	if (end == STREAM_FAILED)
		return layout_stop(jl->l);
	if (given_up)
		report_at_event(jl, WLK_F_PICKLE_LIMIT_MEMORY, given_up_at, (struct bytes){ 0 }, (struct value){ 0 });
	if (o.acts_at != NONE)
		report_at_event(jl, WLK_F_POLYGLOT_PICKLE, o.acts_at, (struct bytes){ 0 }, (struct value){ 0 });
	else if (o.doubt_at != NONE)
		report_at_event(jl, WLK_F_PICKLE_GLOBAL_UNKNOWN, o.doubt_at, (struct bytes){ 0 },
		    value_text(bytes_of_text("what pickle.load() imports here")));
	return WLK_DONE;
}
