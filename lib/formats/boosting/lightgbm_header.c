/* What stands around the trees of a LightGBM model: the header, the parameters, what the Python package adds.  See lightgbm.h.
 *
 * GBDT::LoadModelFromString() keeps lines by name, the last of a name; it refuses lists that are not as long as there are
 * features, and takes the other numbers as they come: it divides by num_tree_per_iteration and writes as many results as the
 * objective has classes.  The Python package reads parameters as JSON that GBDT::GetLoadedParam() puts together. */
#include "lightgbm.h"

#include "json_walk.h"

static bool is(struct bytes line, const char *text)
{
	return bytes_equal(line, bytes_of_text(text));
}

static bool is_among(struct bytes word, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is(word, names[i]))
			return true;
	return false;
}

#define IS_AMONG(word, names) is_among(word, names, sizeof(names) / sizeof((names)[0]))

/* -- the header -- */

static const char *const keys[N_LGBM_KEYS] = { [LGBM_KEY_VERSION] = "version",
	[LGBM_KEY_CLASSES] = "num_class",
	[LGBM_KEY_PER_ITERATION] = "num_tree_per_iteration",
	[LGBM_KEY_LABEL] = "label_index",
	[LGBM_KEY_FEATURES] = "max_feature_idx",
	[LGBM_KEY_OBJECTIVE] = "objective",
	[LGBM_KEY_AVERAGE] = "average_output",
	[LGBM_KEY_NAMES] = "feature_names",
	[LGBM_KEY_MONOTONE] = "monotone_constraints",
	[LGBM_KEY_INFOS] = "feature_infos",
	[LGBM_KEY_SIZES] = "tree_sizes" };

/* The library cuts lines at each of them: names keep theirs if none is at an end. */
static bool cuts_alike(unsigned key, struct bytes value)
{
	if (value.n == 0 || memchr(value.at, '=', value.n) == NULL)
		return true;
	return key == LGBM_KEY_NAMES && value.at[0] != '=' && value.at[value.n - 1] != '=';
}

void lightgbm_header_line(struct lightgbm *b, struct bytes line)
{
	const uint8_t *equals = memchr(line.at, '=', line.n);
	struct bytes key = bytes_of(line.at, equals != NULL ? (size_t)(equals - line.at) : line.n);
	struct bytes value = equals != NULL ? bytes_of(equals + 1, line.n - key.n - 1) : bytes_of(line.at + line.n, 0);
	unsigned i = 0;

	while (i < N_LGBM_KEYS && !is(key, keys[i]))
		i++;
	if (i == N_LGBM_KEYS || (equals == NULL) != (i == LGBM_KEY_AVERAGE) || !cuts_alike(i, value)) {
		lightgbm_doubt(b, line.at);
		return;
	}
	if (b->header[i].at != NULL)
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, line.at);
	b->header[i] = value;
}

bool lightgbm_header_number(struct lightgbm *b, enum lightgbm_key key, uint32_t *ret)
{
	return b->header[key].at != NULL && number_natural(b->header[key], ret);
}

static uint64_t count_words(struct bytes rest)
{
	struct bytes word;
	uint64_t n = 0;

	while (lightgbm_word(&rest, &word))
		n++;
	return n;
}

static bool are_signs(struct bytes rest)
{
	static const char *const signs[] = { "-1", "0", "1" };
	struct bytes word;

	while (lightgbm_word(&rest, &word))
		if (!IS_AMONG(word, signs))
			return false;
	return true;
}

/* Up to the next colon.  False: nothing stands there. */
static bool take_piece(struct bytes *rest, struct bytes *ret)
{
	const uint8_t *colon = rest->n > 0 ? memchr(rest->at, ':', rest->n) : NULL;
	size_t n = colon != NULL ? (size_t)(colon - rest->at) : rest->n;

	*ret = bytes_of(rest->at, n);
	*rest = colon != NULL ? bytes_of(colon + 1, rest->n - n - 1) : bytes_of(rest->at + n, 0);
	return n > 0;
}

/* none, [LEAST:MOST], or categories with colons between. */
static bool is_info(struct bytes word)
{
	bool range = word.n > 2 && word.at[0] == '[' && word.at[word.n - 1] == ']';
	struct bytes rest = range ? bytes_of(word.at + 1, word.n - 2) : word, piece;
	unsigned n = 0;
	double number;

	if (is(word, "none"))
		return true;
	for (; rest.n > 0; n++)
		if (!take_piece(&rest, &piece) || number_text(piece, &number) == NUMBER_NONE)
			return false;
	return word.at[word.n - 1] != ':' && (!range || n == 2);
}

static bool are_infos(struct bytes rest)
{
	struct bytes word;

	while (lightgbm_word(&rest, &word))
		if (!is_info(word))
			return false;
	return true;
}

static void check_lists(struct lightgbm *b)
{
	static const uint8_t lists[] = { LGBM_KEY_NAMES, LGBM_KEY_INFOS, LGBM_KEY_MONOTONE };

	for (size_t i = 0; i < sizeof(lists); i++) {
		struct bytes list = b->header[lists[i]];

		if (list.at == NULL ? lists[i] != LGBM_KEY_MONOTONE : count_words(list) != b->features + 1)
			lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, list.at != NULL ? list.at : b->file.at);
	}
	if (!are_signs(b->header[LGBM_KEY_MONOTONE]) || !are_infos(b->header[LGBM_KEY_INFOS]))
		lightgbm_doubt(b, b->file.at);
}

/* -- the objective -- */

static bool option_of(struct bytes word, const char *key, struct bytes *ret)
{
	size_t n = strlen(key);

	if (word.n <= n || memcmp(word.at, key, n) != 0)
		return false;
	*ret = bytes_of(word.at + n, word.n - n);
	return true;
}

struct objective {
	uint32_t classes; /* 0: not given */
	bool sigmoid;
};

static bool read_option(struct bytes word, struct objective *ret)
{
	struct bytes value;
	double number;

	if (option_of(word, "num_class:", &value))
		return ret->classes == 0 && number_natural(value, &ret->classes) && ret->classes > 1;
	if (!option_of(word, "sigmoid:", &value) || ret->sigmoid)
		return is(word, "sqrt");
	ret->sigmoid = true;
	return number_text(value, &number) == NUMBER_FINITE && number > 0;
}

/* As ObjectiveFunction::CreateObjectiveFunction() takes it.  Results are as many as it has classes. */
static bool objective_fits(struct bytes rest, uint32_t classes)
{
	static const char *const plain[] = { "regression", "regression_l1", "quantile", "huber", "fair", "poisson",
		"lambdarank", "rank_xendcg", "cross_entropy", "cross_entropy_lambda", "mape", "gamma", "tweedie" };
	struct objective o = { 0 };
	struct bytes name, word;
	bool several;

	if (!lightgbm_word(&rest, &name))
		return false;
	while (lightgbm_word(&rest, &word))
		if (!read_option(word, &o))
			return false;
	if (is(name, "custom"))
		return true;
	several = is(name, "multiclass") || is(name, "multiclassova");
	if (several ? o.classes != classes : o.classes != 0 || classes != 1)
		return false;
	if (is(name, "binary") || is(name, "multiclassova"))
		return o.sigmoid;
	return several || IS_AMONG(name, plain);
}

void lightgbm_header_check(struct lightgbm *b, uint64_t n_trees)
{
	static const char *const versions[] = { "v2", "v3", "v4" };
	struct bytes objective = b->header[LGBM_KEY_OBJECTIVE];
	uint32_t classes, each, label;

	if (!lightgbm_header_number(b, LGBM_KEY_CLASSES, &classes) || classes == 0 ||
	    !lightgbm_header_number(b, LGBM_KEY_LABEL, &label)) {
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, b->file.at);
		return;
	}
	check_lists(b);
	each = classes;
	if (b->header[LGBM_KEY_PER_ITERATION].at != NULL && !lightgbm_header_number(b, LGBM_KEY_PER_ITERATION, &each))
		each = 0;
	if (each != classes)
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, b->header[LGBM_KEY_PER_ITERATION].at);
	/* Without a tree all of the file is its header to the library; trees that make no whole round it never asks. */
	if (n_trees == 0 || n_trees % classes != 0 || !IS_AMONG(b->header[LGBM_KEY_VERSION], versions) ||
	    (objective.at != NULL && !objective_fits(objective, classes)))
		lightgbm_doubt(b, b->file.at);
}

/* -- parameters -- */

static void tell_path(struct lightgbm *b, const uint8_t *at, struct bytes key, struct bytes value)
{
	layout_finding(b->l,
	    &(struct finding){ .code = WLK_F_LIGHTGBM_PATH,
		.has_offset = true,
		.offset = (uint64_t)(at - b->file.at),
		.subject = key,
		.found = value_text(bytes_of(value.at, value.n < REPORT_STRING_MAX ? value.n : REPORT_STRING_MAX)) });
}

/* A quote or a backslash would end the text that it is put into. */
static bool is_quotable(struct bytes text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.at[i] < 0x20 || text.at[i] == '"' || text.at[i] == '\\' || text.at[i] == 0x7f)
			return false;
	return true;
}

/* Numbers, in lists of lists at most: brackets are balanced. */
static bool are_numbers(struct bytes rest)
{
	bool wanted = true; /* a number or a list */
	unsigned depth = 0;
	double number;

	for (size_t i = 0; i < rest.n;) {
		size_t n = 0;

		if (rest.at[i] == (wanted ? '[' : ']')) {
			if (wanted ? depth++ > 0 : depth-- == 0)
				return false;
			i++;
			continue;
		}
		if (!wanted && rest.at[i] == ',') {
			wanted = true;
			i++;
			continue;
		}
		while (i + n < rest.n && rest.at[i + n] != ',' && rest.at[i + n] != ']')
			n++;
		/* as JSON has them, of which a sign in front and a point at an end are no part */
		if (!wanted || number_text(bytes_of(rest.at + i, n), &number) != NUMBER_FINITE || rest.at[i] == '+' ||
		    rest.at[i] == '.' || rest.at[i + n - 1] == '.')
			return false;
		wanted = false;
		i += n;
	}
	return !wanted && depth == 0;
}

/* Of other types a reader takes any text. */
static bool value_fits(struct bytes key, struct bytes value)
{
	static const char *const lists[] = { "monotone_constraints", "feature_contri", "cegb_penalty_feature_lazy",
		"cegb_penalty_feature_coupled", "interaction_constraints", "max_bin_by_feature", "ignore_column",
		"categorical_feature", "label_gain", "eval_at", "auc_mu_weights" };
	static const char *const floats[] = { "learning_rate", "histogram_pool_size", "min_sum_hessian_in_leaf",
		"bagging_fraction", "pos_bagging_fraction", "neg_bagging_fraction", "feature_fraction",
		"feature_fraction_bynode", "early_stopping_min_delta", "max_delta_step", "lambda_l1", "lambda_l2",
		"linear_lambda", "min_gain_to_split", "drop_rate", "skip_drop", "top_rate", "other_rate", "cat_l2",
		"cat_smooth", "monotone_penalty", "refit_decay_rate", "cegb_tradeoff", "cegb_penalty_split",
		"path_smooth", "pred_early_stop_margin", "scale_pos_weight", "sigmoid", "alpha", "fair_c",
		"poisson_max_delta_step", "tweedie_variance_power", "lambdarank_position_bias_regularization" };
	double number;

	if (IS_AMONG(key, floats))
		return number_text(value, &number) == NUMBER_FINITE;
	return IS_AMONG(key, lists) ? are_numbers(value) : is_quotable(value);
}

/* Values of these name files, which a program that goes on training would open. */
static bool is_file(struct bytes key)
{
	static const char *const files[] = { "data", "valid", "valid_data", "input_model", "output_model",
		"output_result", "initscore_filename", "valid_data_initscores", "forcedsplits_filename",
		"forcedbins_filename", "machine_list_filename", "convert_model", "parser_config_file" };

	return IS_AMONG(key, files);
}

static bool is_name(struct bytes key)
{
	for (size_t i = 0; i < key.n; i++)
		if ((key.at[i] < 'a' || key.at[i] > 'z') && (key.at[i] < '0' || key.at[i] > '9') && key.at[i] != '_')
			return false;
	return key.n > 0;
}

/* [name: value] */
void lightgbm_parameter(struct lightgbm *b, struct bytes line)
{
	const uint8_t *colon = memchr(line.at, ':', line.n);
	struct bytes key, value;

	if (colon == NULL || line.n < 4 || line.at[0] != '[' || line.at[line.n - 1] != ']') {
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, line.at);
		return;
	}
	key = bytes_of(line.at + 1, (size_t)(colon - line.at) - 1);
	value = bytes_of(colon + 1, line.n - key.n - 3);
	if (!is_name(key) || value.n == 0 || value.at[0] != ' ') {
		lightgbm_doubt(b, line.at);
		return;
	}
	value = bytes_of(value.at + 1, value.n - 1);
	if (value.n == 0)
		return;
	if (is_file(key))
		tell_path(b, line.at, key, value);
	if (!value_fits(key, value))
		lightgbm_doubt(b, line.at);
}

/* -- what the Python package adds -- */

static bool on_value(void *ctx, const struct json_value *v)
{
	(void)ctx, (void)v;
	return true;
}

static void on_close(void *ctx, unsigned depth)
{
	(void)ctx, (void)depth;
}

static void on_twice(void *ctx, const struct json_text *key, size_t at)
{
	(void)ctx, (void)key, (void)at;
}

void lightgbm_categories(struct lightgbm *b, struct bytes json)
{
	static const struct json_walker walker = { .value = on_value, .close = on_close, .twice = on_twice };

	if (json_walk(b->l, json, &walker, NULL) != JSON_WALK_WHOLE)
		lightgbm_doubt(b, json.at);
}
