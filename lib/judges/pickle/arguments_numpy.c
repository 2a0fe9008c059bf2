/* Arguments of NumPy's functions.  NumPy believes what a state says: what it is told wrongly it reads and writes outside of
 * the array. */
#include "arguments_impl.h"
#include "lengths.h"

bool pickle_is_array(const struct pickle_context *c, pickle_value v)
{
	static const char *const modules[] = { "numpy.core.multiarray", "numpy._core.multiarray", "numpy.core.numeric",
		"numpy._core.numeric" };

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		if (pickle_made_by(c->machine, v, modules[i], i < 2 ? "_reconstruct" : "_frombuffer") ||
		    pickle_made_by(c->machine, v, modules[i], "scalar"))
			return true;
	return is_dtype_value(c, v) ||
	       global_is(c->machine, pickle_class_of(c, v), "joblib.numpy_pickle", "NumpyArrayWrapper");
}

/* Of an array by its state; what _frombuffer() and scalar() make holds none. */
bool pickle_is_numbers(const struct pickle_context *c, pickle_value v)
{
	pickle_value type = PICKLE_NO_VALUE;
	uint64_t state;

	if (!pickle_is_array(c, v) || is_dtype_value(c, v))
		return false;
	if (!object_map_get(c->states, v, &state))
		return !pickle_made_by(c->machine, v, "numpy.core.multiarray", "_reconstruct") &&
		       !pickle_made_by(c->machine, v, "numpy._core.multiarray", "_reconstruct");
	if (kind_of(c, state) == PICKLE_DICT)
		(void)pickle_lookup(c->machine, state, "dtype", &type);
	else if (kind_of(c, state) == PICKLE_TUPLE)
		type = pickle_item(c->machine, state, pickle_count(c->machine, state) == 4 ? 1 : 2);
	return type != PICKLE_NO_VALUE && is_dtype_value(c, type) && (dtype_facts(c, type) & DTYPE_OF_OBJECTS) == 0;
}

static bool is_dtype_of_objects(const struct pickle_context *c, pickle_value v)
{
	return is_dtype_value(c, v) && (dtype_facts(c, v) & DTYPE_OF_OBJECTS) != 0;
}

/* (dtype, ...): the base of a sub-array, or a field. */
static bool starts_with_objects(const struct pickle_context *c, pickle_value tuple)
{
	pickle_value first = kind_of(c, tuple) == PICKLE_TUPLE ? pickle_item(c->machine, tuple, 0) : PICKLE_NO_VALUE;

	return first != PICKLE_NO_VALUE && is_dtype_of_objects(c, first);
}

/* Does this state add objects?  Fields that are not kept may be. */
static bool state_adds_objects(const struct pickle_context *c)
{
	pickle_value fields = arg(c, 4), key, value;

	if (starts_with_objects(c, arg(c, 2)))
		return true;
	if (kind_of(c, fields) != PICKLE_DICT)
		return false;
	for (uint64_t i = 0; i < pickle_count(c->machine, fields); i++)
		if (!pickle_pair(c->machine, fields, i, &key, &value) || starts_with_objects(c, value))
			return true;
	return false;
}

#define DTYPE_HOLDS_POINTERS 3 /* NPY_ITEM_REFCOUNT and NPY_LIST_PICKLE: flags of every dtype of objects */

/* The last of (3, order, base, names, fields, size, alignment, flags): what a dtype says of itself must be what it is. */
static bool flags_fit(const struct pickle_context *c, bool objects)
{
	int64_t flags = 0;
	bool known = n_args(c) >= 8 && kind(c, 7) == PICKLE_INT && pickle_int(c->machine, arg(c, 7), &flags);

	return !objects || (known && (flags & DTYPE_HOLDS_POINTERS) == DTYPE_HOLDS_POINTERS);
}

/* Of a dtype's state: version, byte order, base and shape, names, fields, sizes, flags, metadata. */
static bool is_dtype_part(const struct pickle_context *c, uint64_t i)
{
	return is_inert(c, i) || is_container(c, i) || is_dtype_value(c, arg(c, i)) || is_bytes(c, i);
}

/* (dtype, offset) or (dtype, offset, title), under its name. */
static bool is_field(const struct pickle_context *c, pickle_value value)
{
	uint64_t n = kind_of(c, value) == PICKLE_TUPLE ? pickle_count(c->machine, value) : 0;
	int64_t offset;

	return (n == 2 || n == 3) && is_dtype_value(c, pickle_item(c->machine, value, 0)) &&
	       pickle_int(c->machine, pickle_item(c->machine, value, 1), &offset) && offset >= 0;
}

static bool has_field(const struct pickle_context *c, pickle_value fields, pickle_value name)
{
	pickle_value key, value;
	struct bytes wanted, text;

	if (name == PICKLE_NO_VALUE || !pickle_text(c->machine, name, &wanted))
		return false;
	for (uint64_t i = 0; i < pickle_count(c->machine, fields); i++)
		if (pickle_pair(c->machine, fields, i, &key, &value) && pickle_text(c->machine, key, &text) &&
		    bytes_equal(text, wanted))
			return true;
	return false;
}

/* NumPy looks each name up among the fields, and believes that it is there. */
static bool fields_fit(const struct pickle_context *c)
{
	pickle_value names = arg(c, 3), fields = arg(c, 4), key, value;

	if (kind_of(c, fields) != PICKLE_DICT)
		return kind_of(c, names) == PICKLE_NONE && kind_of(c, fields) == PICKLE_NONE;
	if (kind_of(c, names) != PICKLE_TUPLE || pickle_count(c->machine, fields) > PICKLE_ITEMS_KEPT ||
	    pickle_count(c->machine, names) > pickle_count(c->machine, fields))
		return false;
	for (uint64_t i = 0; i < pickle_count(c->machine, fields); i++)
		if (!pickle_pair(c->machine, fields, i, &key, &value) || kind_of(c, key) != PICKLE_STR ||
		    !is_field(c, value))
			return false;
	for (uint64_t i = 0; i < pickle_count(c->machine, names); i++)
		if (!has_field(c, fields, pickle_item(c->machine, names, i)))
			return false;
	return true;
}

/* Units of time, as NumPy writes and reads them: numpy/core/src/multiarray/datetime.c, _datetime_strings. */
static bool is_unit(struct bytes text)
{
	static const char *const units[] = { "generic", "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs",
		"as", NULL };

	for (const char *const *unit = units; *unit != NULL; unit++)
		if (text_is(text, *unit))
			return true;
	return false;
}

static bool is_number_of(const struct pickle_context *c, pickle_value v, int64_t least, int64_t most)
{
	int64_t n;

	return v != PICKLE_NO_VALUE && pickle_int(c->machine, v, &n) && n >= least && n <= most;
}

/* ({}, (b"ns", 1, 1, 1)): without it the type has no unit, and NumPy 2 follows a null pointer. */
static bool unit_fits(const struct pickle_context *c)
{
	pickle_value both = arg(c, 8), unit = PICKLE_NO_VALUE, name = PICKLE_NO_VALUE, more = PICKLE_NO_VALUE;
	struct bytes text;
	uint64_t n;

	if (n_args(c) != 9 || !is_number_of(c, arg(c, 0), 4, 4) || kind(c, 8) != PICKLE_TUPLE ||
	    pickle_count(c->machine, both) != 2)
		return false;
	more = pickle_item(c->machine, both, 0);
	unit = pickle_item(c->machine, both, 1);
	if ((kind_of(c, more) != PICKLE_DICT && kind_of(c, more) != PICKLE_NONE) || kind_of(c, unit) != PICKLE_TUPLE ||
	    pickle_count(c->machine, unit) != 4)
		return false;
	name = argument_bytes_of(c, pickle_item(c->machine, unit, 0));
	return name != PICKLE_NO_VALUE && pickle_head(c->machine, name, &text, &n) && is_unit(text) &&
	       is_number_of(c, pickle_item(c->machine, unit, 1), 1, INT32_MAX) &&
	       is_number_of(c, pickle_item(c->machine, unit, 2), 1, 1) &&
	       is_number_of(c, pickle_item(c->machine, unit, 3), 1, 1);
}

static bool dtype_state_fits(const struct pickle_context *c)
{
	uint64_t facts = dtype_facts(c, c->event->target);
	bool objects = (facts & DTYPE_OF_OBJECTS) != 0 || state_adds_objects(c);

	return (facts & (DTYPE_BUILT | DTYPE_USED)) == 0 && kind_of(c, c->event->args) == PICKLE_TUPLE &&
	       all_args(c, is_dtype_part) && flags_fit(c, objects) && fields_fit(c) &&
	       ((facts & DTYPE_OF_TIME) == 0 || unit_fits(c));
}

#define TYPE_TEXT_MAX 64       /* bytes: no type's name is longer */
#define TYPE_SIZE_DIGITS_MAX 8 /* of a size: NumPy multiplies it by four in an int */
#define TYPE_UNIT_DIGITS_MAX 9 /* "M8[25s]" */

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static size_t skip_digits(struct bytes text, size_t i, size_t most)
{
	size_t end = i;

	while (end < text.n && end - i < most && is_digit(text.at[end]))
		end++;
	return end;
}

/* "[25s]", to the end.  "[s/0]" divides by it. */
static bool is_unit_in_brackets(struct bytes text, size_t i)
{
	size_t unit;

	if (i >= text.n || text.at[i] != '[' || text.at[text.n - 1] != ']')
		return false;
	unit = skip_digits(text, i + 1, TYPE_UNIT_DIGITS_MAX);
	return (unit == i + 1 || text.at[i + 1] != '0') && is_unit(bytes_of(text.at + unit, text.n - 1 - unit));
}

static bool is_type_name(struct bytes text)
{
	static const char *const names[] = { "object", "bool", "float16", "float32", "float64", "int8", "int16",
		"int32", "int64", "uint8", "uint16", "uint32", "uint64", "complex64", "complex128", "str", "bytes",
		NULL };

	for (const char *const *name = names; *name != NULL; name++)
		if (text_is(text, *name))
			return true;
	return false;
}

/* Type strings as releases write them: order, kind, size, and of times a unit.  Of others NumPy's grammar has many, and
 * some of them end the process: "M8[s/0]", "U2000000000". */
static bool is_type_text(struct bytes text)
{
	size_t i = text.n > 0 && memchr("<>=|", text.at[0], 4) != NULL ? 1 : 0, end;

	if (is_type_name(text))
		return true;
	if (i == text.n || memchr("?bBhHiIlLqQefdgFDGcuSaUVOMm", text.at[i], 27) == NULL)
		return false;
	end = skip_digits(text, i + 1, TYPE_SIZE_DIGITS_MAX);
	return end == text.n || ((text.at[i] == 'M' || text.at[i] == 'm') && is_unit_in_brackets(text, end));
}

/* numpy.dtype(x) asks x for its `dtype` unless x is text; a list of fields is written by no release. */
static bool is_type_part(const struct pickle_context *c, uint64_t i)
{
	struct bytes text;
	enum pickle_kind k = kind(c, i);

	if (k != PICKLE_STR && !is_bytes(c, i))
		return is_plain(c, i) && k != PICKLE_BIG_INT;
	return is_plain(c, i) && pickle_text(c->machine, arg(c, i), &text) && text.n <= TYPE_TEXT_MAX &&
	       is_type_text(text);
}

bool rule_dtype(const struct pickle_context *c)
{
	return is_build(c) ? dtype_state_fits(c) : n_args(c) <= 3 && all_args(c, is_type_part);
}

/* NumPy takes as many objects from the list as the shape says, whether they are there or not (_setlist_pkl). */
static bool is_list_of_shape(const struct pickle_context *c, pickle_value list, pickle_value shape)
{
	uint64_t n = 1;
	int64_t dimension;

	for (uint64_t i = 0; i < pickle_count(c->machine, shape); i++) {
		pickle_value v = pickle_item(c->machine, shape, i);

		if (v == PICKLE_NO_VALUE || !pickle_int(c->machine, v, &dimension) || dimension < 0 ||
		    !mul_u64(n, (uint64_t)dimension, &n))
			return false;
	}
	return kind_of(c, list) == PICKLE_LIST && pickle_count(c->machine, list) == n;
}

/* An array's state: [version,] shape, dtype, order, content.  The content of object arrays is a list.  `more` follows. */
static bool array_state_fits(const struct pickle_context *c, uint64_t more)
{
	uint64_t first = n_args(c) == 5 + more ? 1 : 0;

	return pickle_kind(c->machine, c->event->args) == PICKLE_TUPLE && n_args(c) == first + 4 + more &&
	       (first == 0 || kind(c, 0) == PICKLE_INT) && kind(c, first) == PICKLE_TUPLE && is_inert(c, first) &&
	       is_dtype_value(c, arg(c, first + 1)) && is_inert(c, first + 2) &&
	       (is_dtype_of_objects(c, arg(c, first + 1)) ? is_list_of_shape(c, arg(c, first + 3), arg(c, first))
							  : is_bytes(c, first + 3));
}

/* (0,): what a state will fill.  Any other shape is memory that the file asks for. */
static bool is_empty_shape(const struct pickle_context *c, pickle_value shape)
{
	int64_t n;

	return kind_of(c, shape) == PICKLE_TUPLE && pickle_count(c->machine, shape) == 1 &&
	       pickle_int(c->machine, pickle_item(c->machine, shape, 0), &n) && n == 0;
}

/* numpy.matrix and its like, which a pack grants: classes of NumPy's own, with no __setstate__ but that of arrays.  A
 * recarray's dtype is given a class. */
static bool is_array_class(const struct pickle_context *c, pickle_value v)
{
	static const char *const names[] = { "matrix", "chararray", NULL };
	struct bytes module, name, numpy = bytes_of_text("numpy");
	bool known = false;

	if (global_is(c->machine, v, "numpy", "ndarray"))
		return true;
	if (v == PICKLE_NO_VALUE || pickle_kind(c->machine, v) != PICKLE_GLOBAL ||
	    !pickle_global_mapped(c->machine, v, &module, &name))
		return false;
	for (const char *const *n = names; *n != NULL; n++)
		known |= text_is(name, *n);
	return known && module.n >= numpy.n && memcmp(module.at, numpy.at, numpy.n) == 0 &&
	       pickle_global_standing(c->machine, v, c->extra).tier == PICKLE_TIER_EXTRA;
}

/* b"b": NumPy reads a type from it, "M8[s/0]" as well, and forgets it when the state comes.  Python 2's are text. */
static bool is_type_of_nothing(const struct pickle_context *c, uint64_t i)
{
	pickle_value v = argument_bytes_of(c, arg(c, i));
	struct bytes text;
	uint64_t n;

	return v != PICKLE_NO_VALUE && pickle_head(c->machine, v, &text, &n) && n == 1 && text_is(text, "b");
}

bool rule_ndarray(const struct pickle_context *c)
{
	if (is_build(c))
		return array_state_fits(c, 0);
	return n_args(c) == 3 && is_array_class(c, arg(c, 0)) && is_empty_shape(c, arg(c, 1)) && is_bytes(c, 2) &&
	       is_type_of_nothing(c, 2);
}

static bool is_fill_value(const struct pickle_context *c, uint64_t i)
{
	return is_plain(c, i) || is_bytes(c, i) || pickle_is_array(c, arg(c, i));
}

/* (1, shape, dtype, order, content, mask, fill value): NumPy asks the mask for its length. */
bool rule_masked(const struct pickle_context *c)
{
	if (is_build(c))
		return n_args(c) == 7 && array_state_fits(c, 2) && is_bytes(c, 5) && is_fill_value(c, 6);
	return n_args(c) == 4 &&
	       (global_is(c->machine, arg(c, 0), "numpy.ma.core", "MaskedArray") ||
		   global_is(c->machine, arg(c, 0), "numpy.ma", "MaskedArray")) &&
	       global_is(c->machine, arg(c, 1), "numpy", "ndarray") && is_empty_shape(c, arg(c, 2)) &&
	       (is_bytes(c, 3) || is_text(c, 3)) && is_type_of_nothing(c, 3);
}

/* A scalar of objects unpickles its bytes in old releases. */
bool rule_scalar(const struct pickle_context *c)
{
	return n_args(c) == 2 && is_dtype_value(c, arg(c, 0)) && !is_dtype_of_objects(c, arg(c, 0)) && is_bytes(c, 1);
}

bool rule_frombuffer(const struct pickle_context *c)
{
	return n_args(c) == 4 && (is_bytes(c, 0) || kind(c, 0) == PICKLE_BUFFER) && is_dtype_value(c, arg(c, 1)) &&
	       !is_dtype_of_objects(c, arg(c, 1)) && kind(c, 2) == PICKLE_TUPLE && is_inert(c, 2) && is_text(c, 3);
}

/* Raw bytes follow it: only joblib's reader knows to step over them. */
bool rule_array_wrapper(const struct pickle_context *c)
{
	if (c->profile != PICKLE_JOBLIB)
		return false;
	return is_build(c) ? pickle_kind(c->machine, c->event->args) == PICKLE_DICT : n_args(c) == 0;
}

/* -- what later rules ask -- */

/* Type strings as releases write them: order, kind, size.  "object" is a name of objects too, "i4,object" a record of
 * them: whatever is not of that form counts as objects. */
static bool is_type_of_data(struct bytes text)
{
	size_t i = text.n > 0 && memchr("<>=|", text.at[0], 4) != NULL ? 1 : 0;

	if (i == text.n || memchr("?bBiufcSaUVmM", text.at[i], 13) == NULL)
		return false;
	while (++i < text.n && text.at[i] >= '0' && text.at[i] <= '9')
		;
	return i == text.n || is_unit_in_brackets(text, i);
}

/* "<M8": a type that its state gives a unit. */
static bool is_type_of_time(struct bytes text)
{
	size_t i = text.n > 0 && memchr("<>=|", text.at[0], 4) != NULL ? 1 : 0;

	return i < text.n && (text.at[i] == 'M' || text.at[i] == 'm');
}

/* numpy.dtype("O8"), numpy.dtypes.ObjectDType(); fields as a list are written by no release. */
static bool note_dtype(const struct pickle_context *c)
{
	struct bytes module, name, text = { 0 };
	pickle_value first = arg(c, 0);
	bool plain = first != PICKLE_NO_VALUE && pickle_text(c->machine, first, &text);
	bool objects = plain ? !is_type_of_data(text)
			     : !pickle_global_mapped(c->machine, c->event->target, &module, &name) ||
				   text_is(name, "dtype") || text_is(name, "ObjectDType");

	return object_map_put(c->dtypes, c->event->result,
	    (objects ? DTYPE_OF_OBJECTS : 0) | (is_type_of_time(text) ? DTYPE_OF_TIME : 0));
}

static bool use_dtype(const struct pickle_context *c, pickle_value v)
{
	return !is_dtype_value(c, v) || object_map_put(c->dtypes, v, dtype_facts(c, v) | DTYPE_USED);
}

static bool use_first(const struct pickle_context *c, pickle_value tuple)
{
	pickle_value first = kind_of(c, tuple) == PICKLE_TUPLE ? pickle_item(c->machine, tuple, 0) : PICKLE_NO_VALUE;

	return first == PICKLE_NO_VALUE || use_dtype(c, first);
}

/* A state that comes later to a field's type would change the record behind its back. */
static bool use_parts(const struct pickle_context *c)
{
	pickle_value fields = arg(c, 4), key, value;

	if (!use_first(c, arg(c, 2)))
		return false;
	for (uint64_t i = 0; kind_of(c, fields) == PICKLE_DICT && i < pickle_count(c->machine, fields); i++)
		if (pickle_pair(c->machine, fields, i, &key, &value) && !use_first(c, value))
			return false;
	return true;
}

static uint64_t fields_of_first(const struct pickle_context *c, pickle_value tuple)
{
	pickle_value first = kind_of(c, tuple) == PICKLE_TUPLE ? pickle_item(c->machine, tuple, 0) : PICKLE_NO_VALUE;

	return first != PICKLE_NO_VALUE && is_dtype_value(c, first) ? dtype_facts(c, first) >> DTYPE_FIELDS_SHIFT : 0;
}

/* Of one type that is a field of many, as often as it is. */
static uint64_t fields_of_state(const struct pickle_context *c)
{
	uint64_t n = fields_of_first(c, arg(c, 2));
	pickle_value fields = arg(c, 4), key, value;

	for (uint64_t i = 0; kind_of(c, fields) == PICKLE_DICT && i < pickle_count(c->machine, fields); i++)
		if (pickle_pair(c->machine, fields, i, &key, &value))
			n = min_u64(n + 1 + fields_of_first(c, value), DTYPE_FIELDS_MAX);
	return n;
}

static bool note_dtype_state(const struct pickle_context *c)
{
	uint64_t facts = dtype_facts(c, c->event->target) | DTYPE_BUILT | fields_of_state(c) << DTYPE_FIELDS_SHIFT;

	if (kind_of(c, arg(c, 4)) == PICKLE_DICT) /* NumPy keeps it */
		pickle_mark(c->machine, arg(c, 4), PICKLE_MARK_STATE);
	return use_parts(c) &&
	       object_map_put(c->dtypes, c->event->target, state_adds_objects(c) ? facts | DTYPE_OF_OBJECTS : facts);
}

static bool note_state(const struct pickle_context *c)
{
	return !is_build(c) || object_map_put(c->states, c->event->target, c->event->args);
}

static bool note_used(const struct pickle_context *c)
{
	for (uint64_t i = 0; i < n_args(c) && i < 4; i++) {
		if (!use_dtype(c, arg(c, i)))
			return false;
	}
	return true;
}

/* numpy.ma makes a type of flags for them, and a value that fills each, in Python, once for each array. */
static bool note_masked(const struct pickle_context *c)
{
	pickle_value type = arg(c, 2);

	if (is_build(c) && type != PICKLE_NO_VALUE && is_dtype_value(c, type))
		pickle_cost_fields(c->machine, dtype_facts(c, type) >> DTYPE_FIELDS_SHIFT);
	return note_used(c);
}

bool pickle_arguments_note(const struct pickle_context *c, enum pickle_rule rule)
{
	bool builds = is_build(c);

	if (!builds && c->event->result == PICKLE_NO_VALUE)
		return true;
	switch (rule) {
	case PICKLE_RULE_RECONSTRUCTOR:
		return builds || arg(c, 0) == PICKLE_NO_VALUE ||
		       object_map_put(c->classes, c->event->result, arg(c, 0));
	case PICKLE_RULE_DTYPE: return builds ? note_dtype_state(c) : note_dtype(c);
	case PICKLE_RULE_NDARRAY: return note_used(c) && note_state(c);
	case PICKLE_RULE_SCALAR:
	case PICKLE_RULE_FROMBUFFER: return note_used(c);
	case PICKLE_RULE_ARRAY_WRAPPER: return note_state(c);
	case PICKLE_RULE_OBJECT: return argument_attributes_note(c) && argument_call_note(c);
	case PICKLE_RULE_GRANTED_CALL:
		if (!builds)
			pickle_enlarge(c->machine, c->event->result, c->event->args);
		return argument_is_masked(c) ? note_masked(c) : argument_call_note(c);
	default: return true;
	}
}
