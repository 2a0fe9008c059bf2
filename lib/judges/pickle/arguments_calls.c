/* Arguments of what packs grant, where "plain" is not enough: the table calls.tsv.  pandas makes an index by a function that is
 * given a class and a dictionary, and a frame of blocks of arrays of extension types of dtypes. */
#include "arguments_impl.h"
#include "bounds.h"
#include "lengths.h"

#define CALL_PLACES_MAX 13
#define STEPS_PER_US 100u /* of cost.h */
#define TREE_DEPTH_MAX 6
#define TREE_NODES_MAX 4096 /* of one argument: what is above is no frame that a person made */

/* What may stand in each place; the least that has to. */
struct call_places {
	bool known;
	uint8_t least, most;
	uint32_t roles[CALL_PLACES_MAX];
};

struct call_row {
	const char *module, *name;
	struct call_places arguments, state;
	enum call_size size;
	uint16_t time_us;
};

#include "calls_table.h"

#define N_ROWS (sizeof(call_rows) / sizeof(call_rows[0]))

static const struct call_row *row_of(const struct pickle_context *c, pickle_value callee)
{
	struct bytes module, name;

	if (callee == PICKLE_NO_VALUE || kind_of(c, callee) != PICKLE_GLOBAL ||
	    !pickle_global_mapped(c->machine, callee, &module, &name))
		return NULL;
	for (size_t i = 0; i < N_ROWS; i++)
		if (text_is(module, call_rows[i].module) && text_is(name, call_rows[i].name))
			return &call_rows[i];
	return NULL;
}

/* What is called, or whose instance is given a state. */
static pickle_value callee_of(const struct pickle_context *c)
{
	return is_build(c) ? pickle_class_of(c, c->event->target) : c->event->target;
}

static bool is_granted_class(const struct pickle_context *c, pickle_value v)
{
	return kind_of(c, v) == PICKLE_GLOBAL &&
	       pickle_global_standing(c->machine, v, c->extra).tier == PICKLE_TIER_EXTRA &&
	       argument_is_of_library(c, callee_of(c), v);
}

/* DatetimeIndex; DatetimeArray and Categorical: a function of the library is no class, and a frame is no index. */
static bool is_class_of(const struct pickle_context *c, pickle_value v, const char *kind, const char *other)
{
	struct bytes module, name;

	return is_granted_class(c, v) && pickle_global_mapped(c->machine, v, &module, &name) &&
	       (bytes_end_with(name, kind) || text_is(name, other));
}

/* Classes in C, which scikit-learn makes without their __init__: KDTree, BallTree64; others take pairs for a state, whatever
 * is in them. */
static bool is_tree_class(const struct pickle_context *c, pickle_value v)
{
	return is_class_of(c, v, "Tree", "Tree") || is_class_of(c, v, "Tree64", "Tree64") ||
	       is_class_of(c, v, "Tree32", "Tree32");
}

static bool is_distance_class(const struct pickle_context *c, pickle_value v)
{
	return is_class_of(c, v, "Distance", "Distance") || is_class_of(c, v, "Distance64", "Distance64") ||
	       is_class_of(c, v, "Distance32", "Distance32");
}

static bool is_loss_class(const struct pickle_context *c, pickle_value v)
{
	return is_class_of(c, v, "Loss", "CyHalfSquaredError") ||
	       is_class_of(c, v, "LossIdentity", "CyHalfTweedieLossIdentity");
}

/* Not the object itself, which has no state yet. */
static bool is_own_instance(const struct pickle_context *c, pickle_value v)
{
	if (kind_of(c, v) == PICKLE_GLOBAL) /* pandas.NA is an instance that goes by its name */
		return global_is(c->machine, v, "pandas", "NA") ||
		       global_is(c->machine, v, "pandas._libs.missing", "NA");
	return kind_of(c, v) == PICKLE_OBJECT && v != c->event->target && is_granted_class(c, pickle_class_of(c, v));
}

static bool is_array_value(const struct pickle_context *c, pickle_value v)
{
	return kind_of(c, v) == PICKLE_OBJECT && pickle_is_array(c, v);
}

/* Of a class of arrays, not of indexes. */
static bool is_array_like(const struct pickle_context *c, pickle_value v)
{
	pickle_value class = kind_of(c, v) == PICKLE_OBJECT ? pickle_class_of(c, v) : PICKLE_NO_VALUE;
	struct bytes module, name;

	return class != PICKLE_NO_VALUE && kind_of(c, class) == PICKLE_GLOBAL &&
	       pickle_global_mapped(c->machine, class, &module, &name) &&
	       (bytes_end_with(name, "Array") || text_is(name, "__pyx_unpickle_NDArrayBacked"));
}

static bool is_zone(const struct pickle_context *c, pickle_value v)
{
	pickle_value class = kind_of(c, v) == PICKLE_OBJECT ? pickle_class_of(c, v) : PICKLE_NO_VALUE;
	struct bytes module, name;

	if (pickle_made_by(c->machine, v, "datetime", "timezone"))
		return true;
	return class != PICKLE_NO_VALUE && kind_of(c, class) == PICKLE_GLOBAL &&
	       pickle_global_mapped(c->machine, class, &module, &name) && text_is(module, "pytz") &&
	       pickle_global_standing(c->machine, class, c->extra).tier == PICKLE_TIER_EXTRA;
}

static bool is_sequence(const struct pickle_context *c, pickle_value v)
{
	return kind_of(c, v) == PICKLE_TUPLE || kind_of(c, v) == PICKLE_LIST;
}

static bool all_items(
    const struct pickle_context *c, pickle_value v, bool (*fits)(const struct pickle_context *, pickle_value))
{
	for (uint64_t i = 0; i < pickle_count(c->machine, v); i++) {
		pickle_value item = pickle_item(c->machine, v, i);

		if (item == PICKLE_NO_VALUE || !fits(c, item))
			return false;
	}
	return true;
}

static bool is_text_value(const struct pickle_context *c, pickle_value v)
{
	return kind_of(c, v) == PICKLE_STR;
}

static bool is_number_value(const struct pickle_context *c, pickle_value v)
{
	enum pickle_kind k = kind_of(c, v);

	return k == PICKLE_NONE || k == PICKLE_BOOL || k == PICKLE_INT;
}

static bool is_slice(const struct pickle_context *c, pickle_value v)
{
	return pickle_made_by(c->machine, v, "builtins", "slice");
}

/* A name of rows or columns, the ends of an interval, the unit of a cached moment: anything that is only data. */
static bool is_called(struct bytes key)
{
	return text_is(key, "name") || text_is(key, "names") || text_is(key, "closed") || text_is(key, "unit");
}

struct walk {
	const struct pickle_context *c;
	unsigned nodes;
};

static bool is_leaf(const struct pickle_context *c, pickle_value v)
{
	return is_number_value(c, v) || is_array_value(c, v) || is_own_instance(c, v) || is_slice(c, v) ||
	       is_zone(c, v);
}

static bool is_tree(struct walk *w, pickle_value v, unsigned depth);

/* What _new_Index() and its like made: of any other, pandas makes an index of all its items. */
static bool is_axis(const struct pickle_context *c, pickle_value v)
{
	struct bytes module, name;

	return kind_of(c, v) == PICKLE_OBJECT && is_own_instance(c, v) &&
	       pickle_global_mapped(c->machine, pickle_callee(c->machine, v), &module, &name) && name.n > 5 &&
	       memcmp(name.at, "_new_", 5) == 0;
}

static bool is_axes(const struct pickle_context *c, pickle_value v)
{
	return is_sequence(c, v) && all_items(c, v, is_axis);
}

static bool is_pair(struct walk *w, pickle_value key, pickle_value value, unsigned depth)
{
	struct bytes text;

	if (!pickle_text(w->c->machine, key, &text))
		return false;
	if (text_is(text, "axes"))
		return is_axes(w->c, value);
	return (is_called(text) && pickle_inert(w->c->machine, value)) || is_tree(w, value, depth + 1);
}

static bool is_tree(struct walk *w, pickle_value v, unsigned depth)
{
	const struct pickle *p = w->c->machine;
	enum pickle_kind k = kind_of(w->c, v);
	pickle_value key, value;

	if (++w->nodes > TREE_NODES_MAX || depth > TREE_DEPTH_MAX)
		return false;
	if (k != PICKLE_DICT && !is_sequence(w->c, v))
		return is_leaf(w->c, v);
	for (uint64_t i = 0; i < pickle_count(p, v); i++) {
		if (k != PICKLE_DICT ? !is_tree(w, pickle_item(p, v, i), depth + 1)
				     : !pickle_pair(p, v, i, &key, &value) || !is_pair(w, key, value, depth))
			return false;
	}
	return true;
}

/* -- what an index is made of -- */

/* An array, or one of the library's: of another index pandas would make the items. */
static bool is_data(const struct pickle_context *c, pickle_value v)
{
	uint64_t n;

	return (is_array_value(c, v) || (is_own_instance(c, v) && is_array_like(c, v))) && pickle_length(c, v, &n);
}

static bool is_side(const struct pickle_context *c, pickle_value v)
{
	uint64_t n;

	return (is_array_value(c, v) || is_own_instance(c, v)) && pickle_length(c, v, &n);
}

static bool is_levels(const struct pickle_context *c, pickle_value v)
{
	return is_sequence(c, v) && all_items(c, v, is_own_instance);
}

static bool is_codes(const struct pickle_context *c, pickle_value v)
{
	return is_sequence(c, v) && all_items(c, v, is_array_value);
}

static bool is_label(const struct pickle_context *c, pickle_value v)
{
	struct walk w = { .c = c };

	return pickle_inert(c->machine, v) || is_tree(&w, v, TREE_DEPTH_MAX - 2);
}

static bool is_frequency(const struct pickle_context *c, pickle_value v)
{
	return kind_of(c, v) == PICKLE_NONE || is_own_instance(c, v);
}

static bool is_zone_or_none(const struct pickle_context *c, pickle_value v)
{
	return kind_of(c, v) == PICKLE_NONE || is_zone(c, v);
}

static bool is_index_part(const struct pickle_context *c, struct bytes key, pickle_value v)
{
	static const struct {
		const char *key;
		bool (*fits)(const struct pickle_context *, pickle_value);
	} parts[] = { { "data", is_data }, { "left", is_side }, { "right", is_side }, { "levels", is_levels },
		{ "codes", is_codes }, { "name", is_label }, { "names", is_label }, { "closed", is_text_value },
		{ "sortorder", is_number_value }, { "start", is_number_value }, { "stop", is_number_value },
		{ "step", is_number_value }, { "freq", is_frequency }, { "tz", is_zone_or_none } };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (text_is(key, parts[i].key))
			return parts[i].fits(c, v);
	return false;
}

static bool is_index(const struct pickle_context *c, pickle_value v)
{
	pickle_value key, value;
	struct bytes text;

	if (kind_of(c, v) != PICKLE_DICT)
		return false;
	for (uint64_t i = 0; i < pickle_count(c->machine, v); i++)
		if (!pickle_pair(c->machine, v, i, &key, &value) || !pickle_text(c->machine, key, &text) ||
		    !is_index_part(c, text, value))
			return false;
	return bounds_multi_index_fit(c, v);
}

static bool is_any_tree(const struct pickle_context *c, pickle_value v)
{
	struct walk w = { .c = c };

	return is_tree(&w, v, 0);
}

static bool is_attributes(const struct pickle_context *c, pickle_value v)
{
	pickle_value key, value;
	struct bytes name;

	for (uint64_t i = 0; kind_of(c, v) == PICKLE_DICT && i < pickle_count(c->machine, v); i++)
		if (!pickle_pair(c->machine, v, i, &key, &value) || !pickle_text(c->machine, key, &name) ||
		    name.n == 0 || name.at[0] != '_')
			return false;
	return is_any_tree(c, v);
}

static bool is_plain_value(const struct pickle_context *c, pickle_value v)
{
	return pickle_inert(c->machine, v) && !is_container_value(c, v);
}

static size_t skip_letters(struct bytes text, size_t i)
{
	while (i < text.n && ((text.at[i] >= 'A' && text.at[i] <= 'Z') || (text.at[i] >= 'a' && text.at[i] <= 'z')))
		i++;
	return i;
}

/* "period[15T]", "period[Q-DEC]". */
static bool is_frequency_text(const struct pickle_context *c, pickle_value v)
{
	const struct bytes own = bytes_of_text("period[");
	struct bytes text;
	size_t i = own.n, name;

	if (!is_text_value(c, v) || !pickle_text(c->machine, v, &text) || text.n <= own.n ||
	    memcmp(text.at, own.at, own.n) != 0 || text.at[text.n - 1] != ']')
		return false;
	text.n--;
	while (i < text.n && text.at[i] >= '0' && text.at[i] <= '9')
		i++;
	name = i;
	i = skip_letters(text, i);
	if (i > name && i < text.n && text.at[i] == '-')
		i = skip_letters(text, i + 1);
	return i > name && i == text.n;
}

/* -- where the columns of a frame are -- */

#define COLUMNS_MAX 65536

struct columns {
	uint64_t taken[COLUMNS_MAX / 64];
	uint64_t n, end;
};

static bool take_column(struct columns *t, int64_t at)
{
	uint64_t bit;

	if (at < 0 || at >= COLUMNS_MAX)
		return false;
	bit = UINT64_C(1) << (at & 63);
	if ((t->taken[at >> 6] & bit) != 0)
		return false;
	t->taken[at >> 6] |= bit;
	t->n++;
	if ((uint64_t)at >= t->end)
		t->end = (uint64_t)at + 1;
	return true;
}

static bool take_slice(const struct pickle_context *c, struct columns *t, pickle_value slice)
{
	pickle_value args = pickle_call_arguments(c->machine, slice);
	int64_t bound[3];

	if (pickle_count(c->machine, args) != 3)
		return false;
	for (uint64_t i = 0; i < 3; i++)
		if (pickle_item(c->machine, args, i) == PICKLE_NO_VALUE ||
		    !pickle_int(c->machine, pickle_item(c->machine, args, i), &bound[i]))
			return false;
	if (bound[0] < 0 || bound[1] <= bound[0] || bound[1] > COLUMNS_MAX || bound[2] < 1)
		return false;
	for (int64_t at = bound[0]; at < bound[1]; at += bound[2] < COLUMNS_MAX ? bound[2] : COLUMNS_MAX)
		if (!take_column(t, at))
			return false;
	return true;
}

/* What _frombuffer() was given, or BUILD gave an array of one dimension: its bytes, when they are short enough to be kept. */
static bool array_bytes(const struct pickle_context *c, pickle_value array, struct bytes *ret)
{
	pickle_value parts = pickle_call_arguments(c->machine, array), content;
	uint64_t state, n, place = 0;

	if (object_map_get(c->states, array, &state)) {
		parts = state;
		place = 4;
	}
	content =
	    parts != PICKLE_NO_VALUE && kind_of(c, parts) == PICKLE_TUPLE && pickle_count(c->machine, parts) > place
		? pickle_item(c->machine, parts, place)
		: PICKLE_NO_VALUE;
	if (content != PICKLE_NO_VALUE)
		content = argument_bytes_of(c, content);
	return content != PICKLE_NO_VALUE && kind_of(c, content) == PICKLE_BYTES &&
	       pickle_head(c->machine, content, ret, &n) && ret->n == n;
}

/* Read as eight bytes each, as pandas writes them: of another type the places would not come out. */
static bool take_array(const struct pickle_context *c, struct columns *t, pickle_value array)
{
	struct bytes content;

	if (!is_array_value(c, array) || !array_bytes(c, array, &content) || content.n % 8 != 0)
		return false;
	for (size_t i = 0; i < content.n; i += 8) {
		uint64_t at = 0;

		for (size_t k = 0; k < 8; k++)
			at |= (uint64_t)content.at[i + k] << (8 * k);
		if (at >= COLUMNS_MAX || !take_column(t, (int64_t)at))
			return false;
	}
	return true;
}

static bool take_block(const struct pickle_context *c, struct columns *t, pickle_value block)
{
	pickle_value args, place;

	if (block == PICKLE_NO_VALUE || !pickle_made_by(c->machine, block, "pandas._libs.internals", "_unpickle_block"))
		return false;
	args = pickle_call_arguments(c->machine, block);
	place = pickle_count(c->machine, args) == 3 ? pickle_item(c->machine, args, 1) : PICKLE_NO_VALUE;
	return place != PICKLE_NO_VALUE && (is_slice(c, place) ? take_slice(c, t, place) : take_array(c, t, place));
}

static bool is_blocks(const struct pickle_context *c, pickle_value v)
{
	struct columns t = { .n = 0 };

	if (!is_sequence(c, v))
		return false;
	for (uint64_t i = 0; i < pickle_count(c->machine, v); i++)
		if (!take_block(c, &t, pickle_item(c->machine, v, i)))
			return false;
	return t.n == t.end;
}

/* -- roles -- */

static bool is_one(const struct pickle_context *c, uint32_t role, pickle_value v)
{
	switch ((enum call_role)role) {
	case CALL_NONE: return kind_of(c, v) == PICKLE_NONE;
	case CALL_BOOL: return kind_of(c, v) == PICKLE_BOOL;
	case CALL_INT: return kind_of(c, v) == PICKLE_INT;
	case CALL_TEXT: return is_text_value(c, v);
	case CALL_PLAIN: return is_plain_value(c, v);
	case CALL_ARRAY: return is_array_value(c, v);
	case CALL_SLICE: return is_slice(c, v);
	case CALL_INDEX_CLASS: return is_class_of(c, v, "Index", "Index");
	case CALL_ARRAY_CLASS: return is_class_of(c, v, "Array", "Categorical");
	case CALL_OWN: return is_own_instance(c, v);
	case CALL_AXES: return is_axes(c, v);
	case CALL_ZONE: return is_zone(c, v);
	case CALL_MOMENT: return pickle_made_by(c->machine, v, "datetime", "timedelta");
	case CALL_EMPTY: return is_container_value(c, v) && pickle_count(c->machine, v) == 0;
	case CALL_INDEX: return is_index(c, v);
	case CALL_TREE: return is_any_tree(c, v);
	case CALL_ATTRIBUTES: return is_attributes(c, v);
	case CALL_TREE_CLASS: return is_tree_class(c, v);
	case CALL_LOSS_CLASS: return is_loss_class(c, v);
	case CALL_SINGLE:
		return kind_of(c, v) == PICKLE_TUPLE && pickle_count(c->machine, v) == 1 &&
		       all_items(c, v, is_plain_value);
	case CALL_DISTANCE_CLASS: return is_distance_class(c, v);
	case CALL_BLOCKS: return is_blocks(c, v);
	case CALL_FREQUENCY: return is_frequency_text(c, v);
	case CALL_TEXTS: return kind_of(c, v) == PICKLE_LIST && pickle_inert(c->machine, v);
	}
	return false;
}

static bool is_any_of(const struct pickle_context *c, uint32_t roles, pickle_value v)
{
	for (uint32_t bit = 1; v != PICKLE_NO_VALUE && bit != 0 && bit <= roles; bit <<= 1)
		if ((roles & bit) != 0 && is_one(c, bit, v))
			return true;
	return false;
}

static bool fits(const struct pickle_context *c, const struct call_places *places)
{
	if (kind_of(c, c->event->args) != PICKLE_TUPLE || n_args(c) < places->least || n_args(c) > places->most)
		return false;
	for (uint64_t i = 0; i < n_args(c); i++)
		if (!is_any_of(c, places->roles[i], arg(c, i)))
			return false;
	return true;
}

enum call_answer argument_call(const struct pickle_context *c)
{
	const struct call_row *row = row_of(c, callee_of(c));
	const struct call_places *places;

	if (row == NULL)
		return CALL_UNLISTED;
	places = is_build(c) ? &row->state : &row->arguments;
	if (!places->known || (is_build(c) && !row->arguments.known && kind_of(c, c->event->args) == PICKLE_DICT))
		return CALL_UNLISTED;
	return fits(c, places) && (!is_build(c) || bounds_categorical_fit(c)) ? CALL_FITS : CALL_MISFITS;
}

bool argument_call_note(const struct pickle_context *c)
{
	const struct call_row *row = row_of(c, callee_of(c));

	if (row == NULL || argument_call(c) != CALL_FITS)
		return true;
	bounds_call_note(c);
	if (!is_build(c))
		pickle_cost_steps(c->machine, row->time_us * STEPS_PER_US);
	return argument_sizes_note(c, row->size);
}
