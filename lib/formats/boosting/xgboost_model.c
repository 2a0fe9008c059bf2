/* XGBoost's document: see xgboost.h.  Events of either encoding against the schema. */
#include "xgboost.h"

#include <math.h>

/* -- the schema -- */

static const struct row {
	uint8_t place;
	const char *key;
	uint8_t want, next, list;
} schema[] = {
	{ PLACE_ROOT, "learner", WANT_OBJECT, PLACE_LEARNER, 0 },
	{ PLACE_ROOT, "version", WANT_INTEGERS, 0, 0 },
	{ PLACE_LEARNER, "attributes", WANT_OBJECT, PLACE_TEXTS, 0 },
	{ PLACE_LEARNER, "feature_names", WANT_TEXTS, 0, 0 },
	{ PLACE_LEARNER, "feature_types", WANT_TEXTS, 0, 0 },
	{ PLACE_LEARNER, "gradient_booster", WANT_OBJECT, PLACE_BOOSTER, 0 },
	{ PLACE_LEARNER, "learner_model_param", WANT_OBJECT, PLACE_PARAMETERS, 0 },
	{ PLACE_LEARNER, "objective", WANT_OBJECT, PLACE_OBJECTIVE, 0 },
	{ PLACE_BOOSTER, "model", WANT_OBJECT, PLACE_MODEL, 0 },
	{ PLACE_BOOSTER, "name", WANT_TEXT, 0, 0 },
	{ PLACE_BOOSTER, "gbtree", WANT_OBJECT, PLACE_BOOSTER, 0 },
	{ PLACE_BOOSTER, "weight_drop", WANT_FLOATS, 0, LIST_DROP },
	{ PLACE_MODEL, "gbtree_model_param", WANT_OBJECT, PLACE_PARAMETERS, 0 },
	{ PLACE_MODEL, "iteration_indptr", WANT_INTEGERS, 0, LIST_ROUNDS },
	{ PLACE_MODEL, "tree_info", WANT_INTEGERS, 0, LIST_GROUPS },
	{ PLACE_MODEL, "trees", WANT_OBJECTS, PLACE_TREE, 0 },
	{ PLACE_MODEL, "boosted_rounds", WANT_INTEGER, 0, 0 },
	{ PLACE_MODEL, "cats", WANT_OBJECT, PLACE_CATEGORIES, 0 },
	{ PLACE_CATEGORIES, "enc", WANT_OBJECTS, PLACE_ENCODING, 0 },
	{ PLACE_CATEGORIES, "feature_segments", WANT_INTEGERS, 0, LIST_CODE_SEGMENTS },
	{ PLACE_CATEGORIES, "sorted_idx", WANT_INTEGERS, 0, LIST_CODE_ORDER },
	{ PLACE_ENCODING, "offsets", WANT_INTEGERS, 0, LIST_CODE_OFFSETS },
	{ PLACE_ENCODING, "type", WANT_INTEGER, 0, 0 },
	{ PLACE_ENCODING, "values", WANT_INTEGERS, 0, LIST_CODES },
	{ PLACE_MODEL, "weights", WANT_FLOATS, 0, LIST_LINEAR },
	{ PLACE_TREE, "id", WANT_INTEGER, 0, 0 },
	{ PLACE_TREE, "tree_param", WANT_OBJECT, PLACE_PARAMETERS, 0 },
	{ PLACE_TREE, "base_weights", WANT_FLOATS, 0, LIST_BASE_WEIGHTS },
	{ PLACE_TREE, "loss_changes", WANT_FLOATS, 0, LIST_LOSS },
	{ PLACE_TREE, "sum_hessian", WANT_FLOATS, 0, LIST_HESSIAN },
	{ PLACE_TREE, "split_conditions", WANT_FLOATS, 0, LIST_CONDITIONS },
	{ PLACE_TREE, "left_children", WANT_INTEGERS, 0, LIST_LEFT },
	{ PLACE_TREE, "right_children", WANT_INTEGERS, 0, LIST_RIGHT },
	{ PLACE_TREE, "parents", WANT_INTEGERS, 0, LIST_PARENTS },
	{ PLACE_TREE, "split_indices", WANT_INTEGERS, 0, LIST_FEATURES },
	{ PLACE_TREE, "split_type", WANT_INTEGERS, 0, LIST_SPLIT_TYPE },
	{ PLACE_TREE, "default_left", WANT_INTEGERS, 0, LIST_DEFAULT_LEFT },
	{ PLACE_TREE, "categories", WANT_INTEGERS, 0, LIST_CATEGORIES },
	{ PLACE_TREE, "categories_nodes", WANT_INTEGERS, 0, LIST_CATEGORY_NODES },
	{ PLACE_TREE, "categories_segments", WANT_INTEGERS, 0, LIST_CATEGORY_SEGMENTS },
	{ PLACE_TREE, "categories_sizes", WANT_INTEGERS, 0, LIST_CATEGORY_SIZES },
	{ PLACE_TREE, "leaf_weights", WANT_FLOATS, 0, LIST_LEAF_WEIGHTS },
};

/* The same names stand in other places too, where they count something else. */
static const struct {
	const char *key;
	uint8_t owner;
} number_keys[N_XGBOOST_NUMBERS] = { [NUMBER_FEATURES] = { "num_feature", PLACE_LEARNER },
	[NUMBER_CLASSES] = { "num_class", PLACE_LEARNER },
	[NUMBER_TARGETS] = { "num_target", PLACE_LEARNER },
	[NUMBER_TREES] = { "num_trees", PLACE_MODEL },
	[NUMBER_NODES] = { "num_nodes", PLACE_TREE },
	[NUMBER_LEAF_VECTOR] = { "size_leaf_vector", PLACE_TREE },
	[NUMBER_PARALLEL] = { "num_parallel_tree", PLACE_MODEL },
	[NUMBER_DELETED] = { "num_deleted", PLACE_TREE },
	[NUMBER_TREE_FEATURES] = { "num_feature", PLACE_TREE } };

bool xgboost_fail(struct xgboost_model *m, enum wlk_finding code, uint64_t at)
{
	layout_at(m->l, code, at);
	m->broken = true;
	return false;
}

static struct xgboost_frame *top(struct xgboost_model *m)
{
	return &m->frames[m->depth - 1];
}

/* -- keys -- */

/* What nobody understands is not looked into, and the file is held. */
static void want_any(struct xgboost_frame *f)
{
	f->want = WANT_ANY;
	f->next = PLACE_ANY;
	f->list = LIST_NONE;
}

static void report_unknown(struct xgboost_model *m, struct bytes key, uint64_t at)
{
	if (key.n > REPORT_STRING_MAX)
		key.n = REPORT_STRING_MAX;
	layout_finding(m->l,
	    &(struct finding){ .code = WLK_F_XGBOOST_UNKNOWN_KEY, .has_offset = true, .offset = at, .subject = key });
	m->unsure = true;
}

static void look_up(struct xgboost_model *m, struct xgboost_frame *f, struct bytes key, uint64_t at)
{
	for (size_t i = 0; i < sizeof(schema) / sizeof(schema[0]); i++) {
		const struct row *r = &schema[i];

		if (r->place == f->place && bytes_equal(key, bytes_of_text(r->key))) {
			f->want = r->want;
			f->next = r->next;
			f->list = r->list;
			return;
		}
	}
	want_any(f);
	report_unknown(m, key, at);
}

static void look_up_number(struct xgboost_model *m, const struct xgboost_frame *f, struct bytes key)
{
	for (m->number = 0; m->number < N_XGBOOST_NUMBERS; m->number++)
		if (number_keys[m->number].owner == f->owner &&
		    bytes_equal(key, bytes_of_text(number_keys[m->number].key)))
			return;
}

bool xgboost_key(struct xgboost_model *m, struct bytes text, uint64_t at)
{
	struct xgboost_frame *f = top(m);
	struct scoped_name name = scoped_name_of(&m->names, text, 0);

	if (scoped_names_find(&m->names, name, 1u << SCOPED_KEY, f->names_base) != NULL)
		return xgboost_fail(m, WLK_F_XGBOOST_DUPLICATE_KEY, at);
	scoped_names_add(&m->names, name, SCOPED_KEY, at);
	if (m->names.failed) {
		m->stopped = true;
		layout_stop(m->l);
		return false;
	}
	m->number = N_XGBOOST_NUMBERS;
	m->objective_key = f->place == PLACE_OBJECTIVE && bytes_equal(text, bytes_of_text("name"));
	m->base_score_key =
	    f->place == PLACE_PARAMETERS && f->owner == PLACE_LEARNER && bytes_equal(text, bytes_of_text("base_score"));
	want_any(f);
	if (f->place == PLACE_TEXTS || (f->place == PLACE_PARAMETERS && f->owner != PLACE_OBJECTIVE))
		f->want = WANT_TEXT;
	if (f->place == PLACE_OBJECTIVE && text.n > 6 && memcmp(text.at + text.n - 6, "_param", 6) == 0)
		f->next = PLACE_PARAMETERS; /* texts, too: a reader takes all of them */
	if (f->place == PLACE_PARAMETERS)
		look_up_number(m, f, text);
	else if (f->place >= PLACE_ROOT)
		look_up(m, f, text, at);
	return true;
}

/* -- values -- */

static enum xgboost_want item_of(enum xgboost_want list)
{
	switch (list) {
	case WANT_TEXTS: return WANT_TEXT;
	case WANT_INTEGERS:
	case WANT_FLOATS: return list;
	case WANT_OBJECTS: return WANT_OBJECT;
	default: return WANT_ANY;
	}
}

static bool fits_open(const struct xgboost_frame *f, bool array)
{
	if (f->want == WANT_ANY)
		return true;
	if (f->array)
		return !array && f->want == WANT_OBJECT;
	return array ? f->want == WANT_TEXTS || f->want == WANT_INTEGERS || f->want == WANT_FLOATS ||
			   f->want == WANT_OBJECTS
		     : f->want == WANT_OBJECT;
}

static void begin_list(struct xgboost_model *m, const struct xgboost_frame *outer, uint64_t at)
{
	m->list_at = at;
	if (outer->want == WANT_FLOATS)
		xgboost_begin_floats(m);
	if (outer->list != LIST_NONE) {
		m->given[outer->list] = true;
		m->lengths[outer->list] = 0;
	}
}

bool xgboost_open(struct xgboost_model *m, bool array, uint64_t at)
{
	const struct xgboost_frame *outer = m->depth > 0 ? top(m) : NULL;
	struct xgboost_frame f = { .array = array, .place = PLACE_ROOT, .names_base = m->names.n };

	if (outer == NULL && array)
		return xgboost_fail(m, WLK_F_XGBOOST_STRUCTURE, at);
	if (outer != NULL && !fits_open(outer, array))
		return xgboost_fail(m, WLK_F_XGBOOST_STRUCTURE, at);
	if (m->depth == XGBOOST_DEPTH_MAX)
		return xgboost_fail(m, WLK_F_XGBOOST_DEPTH, at);
	if (outer != NULL) {
		f.place = array ? outer->place : outer->next;
		f.want = (uint8_t)(array ? item_of(outer->want) : WANT_ANY);
		f.next = outer->next;
		f.list = outer->list;
		f.owner = outer->place;
		if (!array && outer->place == PLACE_OBJECTIVE)
			f.place = PLACE_PARAMETERS;
		if (array)
			begin_list(m, outer, at);
	}
	if (!array)
		m->seen |= 1u << f.place;
	m->n_models += !array && f.place == PLACE_MODEL;
	if (!array && f.place == PLACE_TREE)
		xgboost_tree_begin(m, at);
	if (!array && f.place == PLACE_ENCODING) {
		m->given[LIST_CODES] = m->given[LIST_CODE_OFFSETS] = false;
		m->lengths[LIST_CODES] = 0;
		m->code_offsets.n = 0;
	}
	m->frames[m->depth++] = f;
	return true;
}

void xgboost_begin_floats(struct xgboost_model *m)
{
	weights_begin(&m->weights, WLK_DTYPE_F32, false);
}

void xgboost_end_floats(struct xgboost_model *m)
{
	struct weights_place place = { .member = m->l->extents->member, .first_offset = m->weights.first_offset };

	if (!weights_found(&m->weights))
		return;
	if (weights_name_wanted(&m->weights, m->l->report))
		place.name = bytes_of_text("floats");
	weights_report(&m->weights, m->l->report, &place);
}

bool xgboost_close(struct xgboost_model *m, uint64_t at)
{
	struct xgboost_frame f = *top(m);

	m->depth--;
	scoped_names_cut(&m->names, f.names_base);
	if (f.array && f.want == WANT_FLOATS)
		xgboost_end_floats(m);
	else if (!f.array && f.place == PLACE_TREE)
		xgboost_tree_end(m);
	else if (!f.array && f.place == PLACE_ENCODING)
		return xgboost_encoding_end(m, at);
	else if (!f.array && f.place == PLACE_CATEGORIES)
		return xgboost_categories_end(m, at);
	return !m->stopped;
}

/* Of a single value: the key's, or the list's. */
static bool fits(const struct xgboost_model *m, enum xgboost_want want)
{
	const struct xgboost_frame *f = &m->frames[m->depth - 1];

	if (m->depth == 0)
		return false;
	if (f->want == WANT_ANY || f->want == want)
		return true;
	return want == WANT_INTEGER && f->array && (f->want == WANT_INTEGERS || f->want == WANT_FLOATS);
}

static bool is_beyond_f32(double value)
{
	return !(fabs(value) <= 3.4028235677973366e38); /* FLT_MAX and half of its last place */
}

void xgboost_examine(struct xgboost_model *m, double value, uint64_t at)
{
	static const uint32_t nan = 0x7fc00000, infinite = 0x7f800000, minus_infinite = 0xff800000, one = 0x3f800000;
	uint8_t element[4];

	m->l->report->totals.elements++;
	if (!is_beyond_f32(value) && !m->weights.maybe_mask)
		return;
	store_u32le(element, isnan(value)            ? nan
			     : !is_beyond_f32(value) ? (value == 0 ? 0 : one)
			     : value > 0             ? infinite
						     : minus_infinite);
	weights_examine(&m->weights, element, sizeof(element), m->l->extents->origin + at);
}

static bool count_item(struct xgboost_model *m, const struct xgboost_frame *f)
{
	if (f->array && f->list != LIST_NONE)
		m->lengths[f->list]++;
	return true;
}

/* The bias that every prediction begins with: a number, or since 3.1 a list of them, [1E0,2E0]. */
static bool take_base_score(struct xgboost_model *m, struct bytes text, uint64_t at)
{
	bool list = text.n >= 2 && text.at[0] == '[' && text.at[text.n - 1] == ']', whole = true;
	struct bytes rest = list ? bytes_of(text.at + 1, text.n - 2) : text;
	double value;

	xgboost_begin_floats(m);
	for (bool more = true; more && whole;) {
		const uint8_t *comma = list && rest.n > 0 ? memchr(rest.at, ',', rest.n) : NULL;
		size_t n = comma != NULL ? (size_t)(comma - rest.at) : rest.n;

		whole = number_text(bytes_of(rest.at, n), &value) != NUMBER_NONE;
		if (whole)
			xgboost_examine(m, value, at);
		more = comma != NULL;
		rest = bytes_of(rest.at + n + (more ? 1 : 0), rest.n - n - (more ? 1 : 0));
	}
	xgboost_end_floats(m);
	return whole || xgboost_fail(m, WLK_F_XGBOOST_STRUCTURE, at);
}

/* The words that parameters of XGBoost 1.0 to 3.2 may be (src/objective, src/learner.cc), and lists. */
static bool is_parameter_word(struct bytes text)
{
	static const char *const words[] = { "true", "false", "normal", "logistic", "extreme", "topk", "mean" };
	bool word = text.n >= 2 && text.at[0] == '[' && text.at[text.n - 1] == ']';

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		word |= bytes_equal(text, bytes_of_text(words[i]));
	return word;
}

static void take_number(struct xgboost_model *m, struct bytes text, uint64_t at)
{
	double value;
	uint32_t n;

	if (m->base_score_key) {
		m->base_score = true;
		take_base_score(m, text, at);
		return;
	}
	if (m->number < N_XGBOOST_NUMBERS && number_natural(text, &n)) {
		m->numbers[m->number] = n;
		m->known[m->number] = true;
	} else if (m->number < N_XGBOOST_NUMBERS) {
		xgboost_fail(m, WLK_F_XGBOOST_STRUCTURE, at);
	} else if (number_text(text, &value) != NUMBER_NONE) {
		xgboost_begin_floats(m);
		xgboost_examine(m, value, at);
		xgboost_end_floats(m);
	} else if (!is_parameter_word(
		       text)) { /* XGBoost reads nearly all of them as numbers, and refuses what is none */
		if (!m->unsure)
			layout_at(m->l, WLK_F_FORMAT_PARTLY_CHECKED, at);
		m->unsure = true;
	}
}

/* The objectives of XGBoost 1.0 to 3.2 (src/objective); it refuses a model of any other. */
static void take_objective(struct xgboost_model *m, struct bytes text)
{
	static const char *const names[] = { "binary:hinge", "binary:logistic", "binary:logitraw", "count:poisson",
		"multi:softmax", "multi:softprob", "rank:map", "rank:ndcg", "rank:pairwise", "reg:absoluteerror",
		"reg:expectileerror", "reg:gamma", "reg:linear", "reg:logistic", "reg:pseudohubererror",
		"reg:quantileerror", "reg:squarederror", "reg:squaredlogerror", "reg:tweedie", "survival:aft",
		"survival:cox" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		m->objective |= bytes_equal(text, bytes_of_text(names[i]));
	m->of_classes = text.n > 6 && memcmp(text.at, "multi:", 6) == 0;
}

/* The only text of a booster is its name. */
static void take_booster(struct xgboost_model *m, struct bytes text)
{
	static const char *const names[] = {
		[BOOSTER_TREES] = "gbtree", [BOOSTER_DART] = "dart", [BOOSTER_LINEAR] = "gblinear"
	};
	uint8_t kind = BOOSTER_TREES;

	while (kind < BOOSTER_OTHER && !bytes_equal(text, bytes_of_text(names[kind])))
		kind++;
	*(top(m)->owner == PLACE_BOOSTER ? &m->inner_booster : &m->booster) = kind;
}

bool xgboost_text(struct xgboost_model *m, struct bytes text, uint64_t at)
{
	if (!fits(m, WANT_TEXT))
		return xgboost_fail(m, WLK_F_XGBOOST_STRUCTURE, at);
	if (!top(m)->array && top(m)->place == PLACE_BOOSTER && top(m)->want == WANT_TEXT)
		take_booster(m, text);
	if (!top(m)->array && top(m)->place == PLACE_OBJECTIVE && m->objective_key)
		take_objective(m, text);
	if (!top(m)->array && top(m)->place == PLACE_PARAMETERS)
		take_number(m, text, at);
	return !m->broken;
}

bool xgboost_float(struct xgboost_model *m, double value, uint64_t at)
{
	const struct xgboost_frame *f;

	if (!fits(m, WANT_FLOATS))
		return xgboost_fail(m, WLK_F_XGBOOST_STRUCTURE, at);
	f = top(m);
	if (!f->array && f->want == WANT_FLOATS)
		return xgboost_fail(m, WLK_F_XGBOOST_STRUCTURE, at); /* a list is wanted */
	if (f->array && f->want == WANT_FLOATS && f->list == LIST_CONDITIONS && isnan(value))
		xgboost_tree_nan(m, at);
	else if (f->array && f->want == WANT_FLOATS)
		xgboost_examine(m, value, at);
	return count_item(m, f) && !m->stopped;
}

/* Which tree a group has; groups are output columns. */
static bool take_group(struct xgboost_model *m, int64_t value, uint64_t at)
{
	if (value < 0 || value > INT32_MAX)
		return xgboost_fail(m, WLK_F_XGBOOST_TREE, at);
	if (value > m->group_max)
		m->group_max = value;
	return true;
}

static bool take_round(struct xgboost_model *m, int64_t value, uint64_t at)
{
	if (m->lengths[LIST_ROUNDS] == 1 ? value != 0 : value < m->round)
		return xgboost_fail(m, WLK_F_XGBOOST_TREE, at);
	m->round = value;
	return true;
}

/* Kinds of numbers that a column of them may hold: those of typed arrays in the library's JSON [measured, 3.2]. */
enum { CODE_TYPE_LEAST = 7, CODE_TYPE_MOST = 16 };

bool xgboost_integer(struct xgboost_model *m, int64_t value, uint64_t at)
{
	const struct xgboost_frame *f;

	if (!fits(m, WANT_INTEGER))
		return xgboost_fail(m, WLK_F_XGBOOST_STRUCTURE, at);
	f = top(m);
	if (f->array && f->want == WANT_FLOATS) { /* which XGBoost casts, and does not find a number */
		if (!m->unsure)
			layout_at(m->l, WLK_F_FORMAT_PARTLY_CHECKED, at);
		m->unsure = true;
		return xgboost_float(m, (double)value, at);
	}
	count_item(m, f);
	if (!f->array && f->place == PLACE_TREE && (value < 0 || (uint64_t)value != m->n_trees - 1))
		return xgboost_fail(m, WLK_F_XGBOOST_TREE, at); /* its number: where it is put */
	if (!f->array && f->place == PLACE_ENCODING && f->want == WANT_INTEGER &&
	    (value < CODE_TYPE_LEAST || value > CODE_TYPE_MOST))
		return xgboost_fail(m, WLK_F_XGBOOST_STRUCTURE, at);
	if (f->array && f->list == LIST_GROUPS)
		return take_group(m, value, at);
	if (f->array && f->list == LIST_ROUNDS)
		return take_round(m, value, at);
	if (f->array && f->list >= LIST_CODES && f->list <= LIST_CODE_ORDER)
		return xgboost_code(m, (enum xgboost_list)f->list, value) ||
		       xgboost_fail(m, WLK_F_XGBOOST_STRUCTURE, at);
	if (f->array && f->list > LIST_NONE && f->list < LIST_TREE_LISTS)
		return xgboost_tree_integer(m, (enum xgboost_list)f->list, value) ||
		       xgboost_fail(m, WLK_F_XGBOOST_TREE, at);
	return true;
}

bool xgboost_word(struct xgboost_model *m, bool truth, uint64_t at)
{
	const struct xgboost_frame *f = m->depth > 0 ? top(m) : NULL;
	bool any = f != NULL && f->want == WANT_ANY;

	if (any || (truth && f != NULL && f->array && f->want == WANT_INTEGERS && f->list == LIST_DEFAULT_LEFT))
		return count_item(m, f);
	return xgboost_fail(m, WLK_F_XGBOOST_STRUCTURE, at);
}

/* -- the whole -- */

static uint64_t groups_of(const struct xgboost_model *m)
{
	uint64_t classes = m->numbers[NUMBER_CLASSES], targets = m->numbers[NUMBER_TARGETS];
	uint64_t most = classes > targets ? classes : targets;

	return most > 0 ? most : 1;
}

/* A bias beside the features, for each group. */
static bool linear_fits(const struct xgboost_model *m)
{
	return m->lengths[LIST_LINEAR] == ((uint64_t)m->numbers[NUMBER_FEATURES] + 1) * groups_of(m);
}

/* XGBoost divides by the number of parallel trees, and takes trees by round and group. */
static bool forest_fits(const struct xgboost_model *m)
{
	return m->n_trees == m->numbers[NUMBER_TREES] && m->lengths[LIST_GROUPS] == m->n_trees &&
	       (uint64_t)m->group_max < groups_of(m) &&
	       (m->feature_max < 0 || (uint64_t)m->feature_max < m->numbers[NUMBER_FEATURES]) &&
	       (!m->given[LIST_DROP] || m->lengths[LIST_DROP] == m->n_trees) &&
	       (!m->given[LIST_ROUNDS] || (uint64_t)m->round == m->n_trees) &&
	       (!m->known[NUMBER_PARALLEL] || m->numbers[NUMBER_PARALLEL] > 0);
}

/* XGBoost makes the booster that is named and gives it what is there: a linear one that is given trees predicts with weights
 * it does not have. */
static bool booster_fits(const struct xgboost_model *m)
{
	switch ((enum xgboost_booster)m->booster) {
	case BOOSTER_TREES: return !m->given[LIST_LINEAR] && !m->given[LIST_DROP] && m->inner_booster == BOOSTER_NONE;
	case BOOSTER_DART: return !m->given[LIST_LINEAR] && m->inner_booster == BOOSTER_TREES;
	case BOOSTER_LINEAR: return m->given[LIST_LINEAR] && m->inner_booster == BOOSTER_NONE;
	default: return false;
	}
}

void xgboost_model_end(struct xgboost_model *m)
{
	const uint32_t all = 1u << PLACE_ROOT | 1u << PLACE_LEARNER | 1u << PLACE_BOOSTER | 1u << PLACE_MODEL |
			     1u << PLACE_TEXTS | 1u << PLACE_OBJECTIVE;
	bool linear = m->given[LIST_LINEAR];

	if (m->unsure || m->broken)
		return;
	if (!m->objective && (m->seen & all) == all) { /* somebody's own, or one to come */
		layout_at(m->l, WLK_F_FORMAT_PARTLY_CHECKED, 0);
		m->unsure = true;
		return;
	}
	if ((m->seen & all) != all || m->n_models != 1 || !m->known[NUMBER_FEATURES] || !m->known[NUMBER_CLASSES] ||
	    !m->base_score || (m->known[NUMBER_TARGETS] && m->numbers[NUMBER_TARGETS] == 0) ||
	    (m->of_classes && m->numbers[NUMBER_CLASSES] == 0) || linear == m->known[NUMBER_TREES] || !booster_fits(m))
		xgboost_fail(m, WLK_F_XGBOOST_STRUCTURE, 0);
	else if (linear ? !linear_fits(m) : !forest_fits(m))
		xgboost_fail(m, WLK_F_XGBOOST_TREE, 0);
}
