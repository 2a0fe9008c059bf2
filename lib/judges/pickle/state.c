/* Implements state.h. */
#include "state.h"

#include <string.h>

#include "checked.h"

/* What stands under an attribute: the rows of states.tsv.  An enumerator for each of its words. */
enum state_holds {
	HOLDS_FUNCTION,
	HOLDS_MAPPING,
	HOLDS_LIST,
	HOLDS_NUMBER,
	HOLDS_LAYERS,
	HOLDS_TEXT,
	HOLDS_OWN_ARRAY,
	HOLDS_OWN_SEQUENCE,
	HOLDS_METADATA,
	HOLDS_TYPE,
	HOLDS_SHAPE,
	HOLDS_NUMBERS,
	HOLDS_RARE,
	HOLDS_NOTHING,
};

struct state_row {
	const char *module, *attribute;
	enum state_holds holds;
};

#include "states_table.h"

#define N_ROWS (sizeof(state_rows) / sizeof(state_rows[0]))
#define LAYERS_MAX 64 /* torch's RNNBase.__setstate__ makes lists for each of them */
#define LIST_MAX (LAYERS_MAX * 2 * 5)
#define NUMBER_MAX (INT64_C(1) << 20)
#define SHAPE_ITEMS_MAX (UINT64_C(1) << 16)
#define WRITTEN_ITEMS (UINT64_C(1) << 14) /* NumPy writes a thousand numbers at most: [measured] 3 ms */
#define RARE_ITEMS (UINT64_C(1) << 20)

static bool text_is(struct bytes text, const char *wanted)
{
	return bytes_equal(text, bytes_of_text(wanted));
}

/* "sklearn": sklearn.base.BaseEstimator */
static bool is_below(struct bytes module, const char *prefix)
{
	size_t n = strlen(prefix);

	return text_is(bytes_of_text(prefix), "*") ||
	       (module.n >= n && memcmp(module.at, prefix, n) == 0 && (module.n == n || module.at[n] == '.'));
}

static bool is_number(const struct pickle *p, pickle_value v, int64_t most)
{
	enum pickle_kind kind = pickle_kind(p, v);
	int64_t n;

	return kind == PICKLE_NONE || kind == PICKLE_BOOL || (pickle_int(p, v, &n) && n >= 0 && n <= most);
}

static bool is_text(const struct pickle *p, pickle_value v)
{
	struct bytes text;

	return pickle_kind(p, v) == PICKLE_NONE || (pickle_kind(p, v) == PICKLE_STR && pickle_text(p, v, &text));
}

static bool is_made_of(const struct pickle_context *c, pickle_value v, const char *module, const char *name)
{
	pickle_value class = pickle_kind(c->machine, v) == PICKLE_OBJECT ? pickle_class_of(c, v) : PICKLE_NO_VALUE;
	struct bytes m, n;

	return class != PICKLE_NO_VALUE && pickle_kind(c->machine, class) == PICKLE_GLOBAL &&
	       pickle_global_mapped(c->machine, class, &m, &n) && text_is(m, module) && text_is(n, name);
}

static bool is_mapping(const struct pickle_context *c, pickle_value v)
{
	enum pickle_kind kind = pickle_kind(c->machine, v);

	return kind == PICKLE_DICT || kind == PICKLE_NONE || is_made_of(c, v, "collections", "OrderedDict");
}

static bool is_metadata(const struct pickle_context *c, pickle_value v)
{
	return is_made_of(c, v, "omegaconf.base", "Metadata") ||
	       is_made_of(c, v, "omegaconf.base", "ContainerMetadata");
}

/* Of one array that is in many states only one is its own. */
static bool is_own(const struct pickle_context *c, pickle_value v, bool array)
{
	bool object = pickle_kind(c->machine, v) == PICKLE_OBJECT;
	bool taken = object && (pickle_marks(c->machine, v) & PICKLE_MARK_TAKEN) != 0;

	if (object)
		pickle_mark(c->machine, v, PICKLE_MARK_TAKEN);
	return !taken && (object ? pickle_is_array(c, v) : !array);
}

static bool is_shape(const struct pickle_context *c, pickle_value v)
{
	uint64_t n = 1;
	int64_t dimension;

	if (pickle_kind(c->machine, v) != PICKLE_TUPLE)
		return pickle_kind(c->machine, v) == PICKLE_NONE;
	for (uint64_t i = 0; i < pickle_count(c->machine, v); i++) {
		pickle_value item = pickle_item(c->machine, v, i);

		if (item == PICKLE_NO_VALUE || !pickle_int(c->machine, item, &dimension) || dimension < 0 ||
		    !mul_u64(n, (uint64_t)dimension, &n))
			return false;
	}
	if (n <= SHAPE_ITEMS_MAX)
		pickle_cost_items(c->machine, n);
	return n <= SHAPE_ITEMS_MAX;
}

/* What the text of an array of objects is, they say. */
static bool is_numbers(const struct pickle_context *c, pickle_value v)
{
	pickle_cost_items(c->machine, WRITTEN_ITEMS);
	return pickle_kind(c->machine, v) == PICKLE_OBJECT
		   ? pickle_is_numbers(c, v)
		   : is_number(c->machine, v, INT64_MAX) || pickle_kind(c->machine, v) == PICKLE_FLOAT;
}

static bool is_rare(const struct pickle_context *c)
{
	pickle_cost_items(c->machine, RARE_ITEMS);
	return true;
}

static bool is_type(const struct pickle_context *c, pickle_value v)
{
	enum pickle_kind kind = pickle_kind(c->machine, v);

	return kind == PICKLE_GLOBAL || kind == PICKLE_NONE;
}

/* What is made for each of them costs as much, however short the state is: it may be that of many instances. */
static bool is_layers(const struct pickle_context *c, pickle_value v)
{
	bool few = is_number(c->machine, v, LAYERS_MAX);
	int64_t n;

	if (few && pickle_int(c->machine, v, &n))
		pickle_cost_layers(c->machine, n);
	return few;
}

static bool holds(const struct pickle_context *c, enum state_holds what, pickle_value v)
{
	const struct pickle *p = c->machine;

	switch (what) {
	case HOLDS_FUNCTION: return true;
	case HOLDS_MAPPING: return is_mapping(c, v);
	case HOLDS_LIST: return pickle_kind(p, v) == PICKLE_LIST && pickle_count(p, v) <= LIST_MAX;
	case HOLDS_NUMBER: return is_number(p, v, NUMBER_MAX);
	case HOLDS_LAYERS: return is_layers(c, v);
	case HOLDS_TEXT: return is_text(p, v);
	case HOLDS_OWN_ARRAY: return is_own(c, v, true);
	case HOLDS_OWN_SEQUENCE: return is_own(c, v, false);
	case HOLDS_METADATA: return is_metadata(c, v);
	case HOLDS_TYPE: return is_type(c, v);
	case HOLDS_SHAPE: return is_shape(c, v);
	case HOLDS_NUMBERS: return is_numbers(c, v);
	case HOLDS_RARE: return is_rare(c);
	case HOLDS_NOTHING: return false; /* that it is there is enough */
	}
	return false;
}

/* pandas sets the attributes of frames and series one by one, through what their class has for the name: "columns" makes an
 * index, of whatever it is given. */
static bool is_set_by_class(struct bytes module, struct bytes class, struct bytes attribute)
{
	return (text_is(class, "DataFrame") || text_is(class, "Series")) && is_below(module, "pandas") &&
	       !(attribute.n > 0 && attribute.at[0] == '_') && !text_is(attribute, "attrs") &&
	       !text_is(attribute, "name");
}

/* May this class of a pack be given this attribute? */
static bool is_as_kept(const struct pickle_context *c, struct bytes attribute, pickle_value v)
{
	pickle_value class = pickle_class_of(c, c->event->target);
	struct bytes module = { 0 }, name = { 0 };
	bool fits = true;

	if (class != PICKLE_NO_VALUE && pickle_global_mapped(c->machine, class, &module, &name) &&
	    is_set_by_class(module, name, attribute))
		return false;
	for (size_t i = 0; i < N_ROWS; i++)
		if (text_is(attribute, state_rows[i].attribute) && is_below(module, state_rows[i].module))
			fits &= holds(c, state_rows[i].holds, v);
	return fits;
}

static bool keeps_functions(struct bytes attribute)
{
	for (size_t i = 0; i < N_ROWS; i++)
		if (state_rows[i].holds == HOLDS_FUNCTION && text_is(attribute, state_rows[i].attribute))
			return true;
	return false;
}

static bool is_dunder(struct bytes text)
{
	return text.n > 4 && memcmp(text.at, "__", 2) == 0 && memcmp(text.at + text.n - 2, "__", 2) == 0;
}

/* A text that nothing reads but people: scipy and statsmodels write one for each instance. */
static bool is_documentation(const struct pickle_context *c, struct bytes name, pickle_value value)
{
	enum pickle_kind kind = pickle_kind(c->machine, value);

	return text_is(name, "__doc__") && (kind == PICKLE_STR || kind == PICKLE_NONE);
}

/* What the dictionaries of a module hold is called when it is used: hooks, and the modules in it. */
static bool is_called_through(struct bytes name)
{
	struct bytes tail = bytes_of_text("_hooks");

	return text_is(name, "_modules") ||
	       (name.n > tail.n && memcmp(name.at + (name.n - tail.n), tail.at, tail.n) == 0);
}

static bool holds_function(const struct pickle *p, pickle_value v)
{
	return pickle_kind(p, v) == PICKLE_OBJECT ? (pickle_marks(p, v) & PICKLE_MARK_FUNCTION) != 0
						  : pickle_holds_global(p, v);
}

/* Did getattr() find it?  Of an Enum it is a member, which can do nothing; of anything else, a method. */
static bool is_attribute(const struct pickle_context *c, pickle_value v)
{
	return pickle_made_by(c->machine, v, "builtins", "getattr") && !pickle_is_member(c, v);
}

/* A class or function, or what may be one. */
static bool is_function(const struct pickle_context *c, pickle_value v)
{
	struct pickle_standing s;

	switch (pickle_kind(c->machine, v)) {
	case PICKLE_GLOBAL:
		s = pickle_global_standing(c->machine, v, c->extra);
		return s.uses != PICKLE_USE_REF ||
		       s.tier == PICKLE_TIER_EXTRA; /* torch.float32, numpy.int64: types of elements */
	case PICKLE_OBJECT: return is_attribute(c, v);
	case PICKLE_PERSISTENT: return c->profile != PICKLE_TORCH;
	case PICKLE_UNKNOWN:
	case PICKLE_EXTENSION: return true;
	default: return false;
	}
}

/* The operator vouches for the class, whatever it holds; of unknown ones the name itself is held against the file. */
static bool is_vouched(const struct pickle_standing *class)
{
	return class->tier == PICKLE_TIER_UNKNOWN || class->tier == PICKLE_TIER_REVIEW ||
	       class->tier == PICKLE_TIER_DENIED ||
	       (class->tier == PICKLE_TIER_EXTRA && class->rule == PICKLE_RULE_NONE);
}

/* A class that a pack vouches for: its methods are Python, and find each other on the instance. */
static bool is_packed(const struct pickle_standing *class)
{
	return class->tier == PICKLE_TIER_EXTRA && class->rule != PICKLE_RULE_NONE;
}

/* argparse.Namespace and types.SimpleNamespace have no method that an opcode or anything else calls by name. */
static bool is_namespace(const struct pickle_standing *class)
{
	return class->tier == PICKLE_TIER_DATA && class->rule == PICKLE_RULE_INERT;
}

static enum state_error judge_pair(
    const struct pickle_context *c, const struct pickle_standing *class, pickle_value key, pickle_value value)
{
	enum state_error error = STATE_OK;
	struct bytes name;

	if (!pickle_text(c->machine, key, &name))
		return STATE_UNKNOWN;
	if (is_dunder(name))
		return is_documentation(c, name, value) ? STATE_OK : STATE_DUNDER;
	if (is_vouched(class))
		return STATE_OK;
	if (is_packed(class) && !is_as_kept(c, name, value))
		error = STATE_UNKNOWN;
	if (is_called_through(name)) {
		pickle_mark(c->machine, value, PICKLE_MARK_STATE);
		if (holds_function(c->machine, value))
			return STATE_FUNCTION;
	}
	if (!is_function(c, value) || keeps_functions(name) ||
	    (is_namespace(class) && pickle_kind(c->machine, value) == PICKLE_GLOBAL))
		return error;
	return STATE_FUNCTION;
}

/* Of more attributes than are kept at least nothing that can be called may be among them. */
static enum state_error judge_rest(
    const struct pickle_context *c, const struct pickle_standing *class, pickle_value dict)
{
	if (pickle_holds_dunder_key(c->machine, dict))
		return STATE_DUNDER;
	if (is_vouched(class) || (!is_packed(class) && pickle_inert(c->machine, dict)))
		return STATE_OK;
	return STATE_UNKNOWN;
}

static enum state_error worse(enum state_error a, enum state_error b)
{
	return a > b ? a : b;
}

static enum state_error judge_attributes(
    const struct pickle_context *c, const struct pickle_standing *class, pickle_value dict)
{
	enum state_error error = STATE_OK;
	pickle_value key, value;

	if (pickle_has_opaque_key(c->machine, dict))
		error = STATE_UNKNOWN;
	for (uint64_t i = 0; i < pickle_count(c->machine, dict); i++) {
		if (!pickle_pair(c->machine, dict, i, &key, &value))
			return worse(error, judge_rest(c, class, dict));
		error = worse(error, judge_pair(c, class, key, value));
	}
	return error;
}

/* self.__dict__.update(state) takes pairs as well: [("forward", f)].  Only what a library's own functions make (Cython's)
 * has a state of another kind. */
static bool is_pairs(const struct pickle_standing *class, enum pickle_kind kind)
{
	return class->rule == PICKLE_RULE_OBJECT && kind != PICKLE_NONE && kind != PICKLE_BOOL && kind != PICKLE_INT;
}

/* An object that is a dictionary too is one that we have not seen the keys of. */
static enum state_error judge_one(const struct pickle_context *c, const struct pickle_standing *class, pickle_value v)
{
	switch (pickle_kind(c->machine, v)) {
	case PICKLE_DICT: return judge_attributes(c, class, v);
	case PICKLE_OBJECT: return is_packed(class) ? STATE_FUNCTION : STATE_UNKNOWN;
	case PICKLE_GLOBAL: return is_vouched(class) ? STATE_OK : STATE_FUNCTION;
	case PICKLE_UNKNOWN: return STATE_UNKNOWN;
	default: return is_packed(class) && is_pairs(class, pickle_kind(c->machine, v)) ? STATE_FUNCTION : STATE_OK;
	}
}

/* NumPy 2 writes the seed of a generator beside its state: (state, SeedSequence). */
static bool is_seed(const struct pickle_context *c, pickle_value v)
{
	return pickle_made_by(c->machine, c->event->target, "numpy.random._pickle", "__bit_generator_ctor") &&
	       pickle_made_by(c->machine, v, "numpy.random.bit_generator", "__pyx_unpickle_SeedSequence");
}

enum state_error state_judge(const struct pickle_context *c, const struct pickle_standing *class, pickle_value state)
{
	pickle_value slots;
	enum state_error error;

	if (state == PICKLE_NO_VALUE)
		return STATE_UNKNOWN;
	if (is_packed(class) && c->event->act == PICKLE_ACT_BUILD && argument_call(c) != CALL_UNLISTED)
		return argument_call(c) == CALL_FITS ? STATE_OK : STATE_UNKNOWN;
	if (pickle_kind(c->machine, state) != PICKLE_TUPLE || pickle_count(c->machine, state) != 2)
		return judge_one(c, class, state);
	slots = pickle_item(c->machine, state, 1);
	if (slots == PICKLE_NO_VALUE || pickle_item(c->machine, state, 0) == PICKLE_NO_VALUE)
		return STATE_UNKNOWN;
	error = judge_one(c, class, pickle_item(c->machine, state, 0));
	if (!is_seed(c, slots))
		error = worse(error, judge_one(c, class, slots));
	/* Slots go through setattr(), which runs what a class has for the name. */
	if (is_packed(class) && pickle_kind(c->machine, slots) == PICKLE_DICT && pickle_count(c->machine, slots) > 0)
		error = worse(error, STATE_FUNCTION);
	return error;
}

void state_note(const struct pickle_context *c, const struct pickle_standing *class)
{
	pickle_value state = c->event->args;

	pickle_mark(c->machine, c->event->target, PICKLE_MARK_BUILT);
	if (is_packed(class))
		pickle_hash_by_state(c->machine, c->event->target);
	pickle_mark(c->machine, state, PICKLE_MARK_STATE);
	if (pickle_kind(c->machine, state) == PICKLE_TUPLE)
		for (uint64_t i = 0; i < pickle_count(c->machine, state) && i < 2; i++)
			if (pickle_item(c->machine, state, i) != PICKLE_NO_VALUE)
				pickle_mark(c->machine, pickle_item(c->machine, state, i), PICKLE_MARK_STATE);
}
