/* Implements state.h. */
#include "state.h"

#include <string.h>

/* Attributes in which libraries of the packs keep classes and functions: measured over what they save, and read in their
 * sources.  None of them is a method of any class there. */
static const char *const holds_functions[] = { "_kmeans_single", "activation", "analyzer", "distance_function", "dtype",
	"dtype_", "element_type", "func", "importance_getter", "inverse_func", "kernel", "key_type", "metric",
	"object_type", "pooling_func", "preprocessor", "ref_type", "score_func", "scorer_", "scoring", "subclass",
	"tokenizer", NULL };

static bool text_among(struct bytes text, const char *const *list)
{
	for (; *list != NULL; list++)
		if (bytes_equal(text, bytes_of_text(*list)))
			return true;
	return false;
}

/* torch's RNNBase.__setstate__ makes lists for each of them. */
#define LAYERS_MAX 64
#define LAYER_WEIGHTS_MAX (LAYERS_MAX * 2 * 5)

static bool are_layers(const struct pickle *p, pickle_value v)
{
	int64_t n;

	return pickle_kind(p, v) == PICKLE_BOOL || (pickle_int(p, v, &n) && n >= 0 && n <= LAYERS_MAX);
}

/* Behind them it makes a list of as many references. */
static bool are_weights(const struct pickle *p, pickle_value v)
{
	return pickle_kind(p, v) == PICKLE_LIST && pickle_count(p, v) <= LAYER_WEIGHTS_MAX;
}

/* What the __setstate__ of a pack's class works on, in steps or bytes that the file does not hold: scikit-learn's Tree
 * copies its arrays, IsotonicRegression sorts them.  Of one array that is in many states only one is its own. */
static bool is_worked_on(const struct pickle_context *c, struct bytes name, pickle_value v)
{
	static const char *const layers[] = { "num_layers", NULL };
	static const char *const weights[] = { "_flat_weights", "_flat_weights_names", NULL };
	static const char *const copied[] = { "nodes", "values", NULL };
	static const char *const sorted[] = { "X_thresholds_", "y_thresholds_", "_necessary_X_", "_necessary_y_",
		NULL };
	bool object = pickle_kind(c->machine, v) == PICKLE_OBJECT, array = object && pickle_is_array(c, v);
	bool taken = object && (pickle_marks(c->machine, v) & PICKLE_MARK_TAKEN) != 0;

	if (text_among(name, layers))
		return are_layers(c->machine, v);
	if (text_among(name, weights))
		return are_weights(c->machine, v);
	if (!text_among(name, copied) && !text_among(name, sorted))
		return true;
	pickle_mark(c->machine, v, object ? PICKLE_MARK_TAKEN : 0);
	return !taken && (array || text_among(name, copied));
}

static bool is_dunder(struct bytes text)
{
	return text.n > 4 && memcmp(text.at, "__", 2) == 0 && memcmp(text.at + text.n - 2, "__", 2) == 0;
}

/* What the dictionaries of a module hold is called when it is used: hooks, and the modules in it. */
static bool is_called_through(struct bytes name)
{
	static const char *const names[] = { "_modules", NULL };
	struct bytes tail = bytes_of_text("_hooks");

	return text_among(name, names) ||
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
	struct bytes name;

	if (!pickle_text(c->machine, key, &name))
		return STATE_UNKNOWN;
	if (is_dunder(name))
		return STATE_DUNDER;
	if (is_vouched(class))
		return STATE_OK;
	if (is_packed(class) && !is_worked_on(c, name, value))
		return STATE_UNKNOWN;
	if (is_called_through(name)) {
		pickle_mark(c->machine, value, PICKLE_MARK_STATE);
		if (holds_function(c->machine, value))
			return STATE_FUNCTION;
	}
	if (!is_function(c, value) || text_among(name, holds_functions) ||
	    (is_namespace(class) && pickle_kind(c->machine, value) == PICKLE_GLOBAL))
		return STATE_OK;
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

/* An object that is a dictionary too is one that we have not seen the keys of. */
static enum state_error judge_one(const struct pickle_context *c, const struct pickle_standing *class, pickle_value v)
{
	switch (pickle_kind(c->machine, v)) {
	case PICKLE_DICT: return judge_attributes(c, class, v);
	case PICKLE_OBJECT: return is_packed(class) ? STATE_FUNCTION : STATE_UNKNOWN;
	case PICKLE_GLOBAL: return is_vouched(class) ? STATE_OK : STATE_FUNCTION;
	case PICKLE_UNKNOWN: return STATE_UNKNOWN;
	default: return STATE_OK;
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

void state_note(const struct pickle_context *c)
{
	pickle_value state = c->event->args;

	pickle_mark(c->machine, c->event->target, PICKLE_MARK_BUILT);
	pickle_mark(c->machine, state, PICKLE_MARK_STATE);
	if (pickle_kind(c->machine, state) == PICKLE_TUPLE)
		for (uint64_t i = 0; i < pickle_count(c->machine, state) && i < 2; i++)
			if (pickle_item(c->machine, state, i) != PICKLE_NO_VALUE)
				pickle_mark(c->machine, pickle_item(c->machine, state, i), PICKLE_MARK_STATE);
}
