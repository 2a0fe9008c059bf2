/* One tree of LightGBM: see lightgbm.h.  A tree of n leaves has n - 1 nodes; a child is a node, or a leaf as its complement
 * (src/io/tree.cpp). */
#include "lightgbm.h"

#include <math.h>

enum count { COUNT_NODES, COUNT_LEAVES, COUNT_ONE, COUNT_CATEGORIES, COUNT_ANY };

static const struct {
	const char *key;
	uint8_t count;
	bool whole; /* integers */
	bool required;
} rows[N_LGBM_LISTS] = { [LGBM_FEATURE] = { "split_feature", COUNT_NODES, true, true },
	[LGBM_GAIN] = { "split_gain", COUNT_NODES, false, false },
	[LGBM_THRESHOLD] = { "threshold", COUNT_NODES, false, true },
	[LGBM_DECISION] = { "decision_type", COUNT_NODES, true, false },
	[LGBM_LEFT] = { "left_child", COUNT_NODES, true, true },
	[LGBM_RIGHT] = { "right_child", COUNT_NODES, true, true },
	[LGBM_LEAF_VALUE] = { "leaf_value", COUNT_LEAVES, false, true },
	[LGBM_LEAF_WEIGHT] = { "leaf_weight", COUNT_LEAVES, false, false },
	[LGBM_LEAF_COUNT] = { "leaf_count", COUNT_LEAVES, true, false },
	[LGBM_INTERNAL_VALUE] = { "internal_value", COUNT_NODES, false, false },
	[LGBM_INTERNAL_WEIGHT] = { "internal_weight", COUNT_NODES, false, false },
	[LGBM_INTERNAL_COUNT] = { "internal_count", COUNT_NODES, true, false },
	[LGBM_CAT_BOUNDARIES] = { "cat_boundaries", COUNT_CATEGORIES, true, false },
	[LGBM_CAT_THRESHOLD] = { "cat_threshold", COUNT_ANY, true, false },
	[LGBM_NUM_LEAVES] = { "num_leaves", COUNT_ONE, true, true },
	[LGBM_NUM_CAT] = { "num_cat", COUNT_ONE, true, true },
	[LGBM_SHRINKAGE] = { "shrinkage", COUNT_ONE, false, false },
	[LGBM_LINEAR] = { "is_linear", COUNT_ONE, true, false } };

void lightgbm_tree_line(struct lightgbm *b, struct bytes key, struct bytes value)
{
	for (unsigned i = 0; i < N_LGBM_LISTS; i++) {
		if (!bytes_equal(key, bytes_of_text(rows[i].key)))
			continue;
		if (b->tree.given[i])
			lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, key.at);
		b->tree.given[i] = true;
		b->tree.lists[i] = value;
		return;
	}
	lightgbm_doubt(b, key.at);
}

/* -- numbers -- */

bool lightgbm_word(struct bytes *rest, struct bytes *ret)
{
	size_t n = 0;

	while (rest->n > 0 && *rest->at == ' ')
		*rest = bytes_of(rest->at + 1, rest->n - 1);
	while (n < rest->n && rest->at[n] != ' ')
		n++;
	*ret = bytes_of(rest->at, n);
	*rest = bytes_of(rest->at + n, rest->n - n);
	return n > 0;
}

/* Of 32 bits: the library multiplies on beyond them. */
static bool read_integer(struct bytes word, int64_t *ret)
{
	bool negative = word.n > 0 && word.at[0] == '-';
	int64_t n = 0;

	if (negative)
		word = bytes_of(word.at + 1, word.n - 1);
	for (size_t i = 0; i < word.n; i++) {
		if (word.at[i] < '0' || word.at[i] > '9' || n > INT32_MAX)
			return false;
		n = n * 10 + (word.at[i] - '0');
	}
	*ret = negative ? -n : n;
	return word.n > 0 && n <= UINT32_MAX;
}

static bool in_range(unsigned list, int64_t n)
{
	return list == LGBM_CAT_THRESHOLD ? n >= 0 : n >= INT32_MIN && n <= INT32_MAX;
}

static void examine(struct lightgbm *b, struct weights *w, double value, const uint8_t *at)
{
	uint8_t element[8];
	uint64_t bits;

	b->l->report->totals.elements++;
	memcpy(&bits, &value, sizeof(bits));
	store_u64le(element, bits);
	weights_examine(w, element, sizeof(element), b->l->extents->origin + (uint64_t)(at - b->file.at));
}

static void report_weights(struct lightgbm *b, const struct weights *w, unsigned list)
{
	struct weights_place place = { .member = b->l->extents->member, .first_offset = w->first_offset };

	if (!weights_found(w))
		return;
	if (weights_name_wanted(w, b->l->report))
		place.name = bytes_of_text(rows[list].key);
	weights_report(w, b->l->report, &place);
}

/* Return: how many numbers the list has; counts and integers may be written as floats by old versions. */
static uint64_t count_numbers(struct lightgbm *b, unsigned list)
{
	struct bytes rest = b->tree.lists[list], word;
	struct weights w;
	uint64_t n = 0;
	double value;
	int64_t whole;

	weights_begin(&w, WLK_DTYPE_F64, false);
	while (lightgbm_word(&rest, &word)) {
		if (rows[list].whole ? !read_integer(word, &whole) || !in_range(list, whole)
				     : number_text(word, &value) == NUMBER_NONE) {
			lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, word.at);
			return n;
		}
		if (!rows[list].whole)
			examine(b, &w, value, word.at);
		n++;
	}
	report_weights(b, &w, list);
	return n;
}

static int64_t only_number(const struct lightgbm *b, unsigned list)
{
	struct bytes rest = b->tree.lists[list], word;
	int64_t n;

	return lightgbm_word(&rest, &word) && read_integer(word, &n) ? n : -1;
}

/* -- is it a tree? -- */

static bool take_adopted(struct lightgbm *b, uint64_t n)
{
	if (n > b->adopted_room) {
		uint8_t *grown = arena_resize_raw(b->l->arena, b->adopted, (size_t)n, 1);

		if (grown == NULL) {
			b->stopped = true;
			layout_stop(b->l);
			return false;
		}
		b->adopted = grown;
		b->adopted_room = (size_t)n;
	}
	memset(b->adopted, 0, (size_t)n);
	return true;
}

/* Nodes, then leaves; node 0 is nobody's child.  With one parent for each, what hangs from it is a tree. */
static bool adopt(struct lightgbm *b, int64_t child, uint64_t leaves)
{
	uint64_t nodes = leaves - 1, i = child >= 0 ? (uint64_t)child : nodes + (uint64_t)(-(child + 1));

	if (child == 0 || (child > 0 ? i >= nodes : i >= nodes + leaves) || b->adopted[i] != 0)
		return false;
	b->adopted[i] = 1;
	return true;
}

static bool children_fit(struct lightgbm *b, uint64_t leaves, unsigned list)
{
	struct bytes rest = b->tree.lists[list], word;
	int64_t child;

	for (uint64_t i = 0; i + 1 < leaves; i++)
		if (!lightgbm_word(&rest, &word) || !read_integer(word, &child) || !adopt(b, child, leaves))
			return false;
	return true;
}

static bool features_fit(const struct lightgbm *b, uint64_t leaves)
{
	struct bytes rest = b->tree.lists[LGBM_FEATURE], word;
	int64_t feature;

	for (uint64_t i = 0; i + 1 < leaves; i++)
		if (!lightgbm_word(&rest, &word) || !read_integer(word, &feature) || feature < 0 ||
		    (uint64_t)feature > b->features)
			return false;
	return true;
}

/* Each begins where the one before ends, and the last ends with the words. */
static bool categories_fit(const struct lightgbm *b, uint64_t words)
{
	struct bytes rest = b->tree.lists[LGBM_CAT_BOUNDARIES], word;
	int64_t before = 0, boundary;
	bool first = true;

	if (only_number(b, LGBM_NUM_CAT) > 0 &&
	    (!b->tree.given[LGBM_CAT_BOUNDARIES] || !b->tree.given[LGBM_CAT_THRESHOLD]))
		return false;
	while (lightgbm_word(&rest, &word)) {
		if (!read_integer(word, &boundary) || boundary < before || (first && boundary != 0))
			return false;
		before = boundary;
		first = false;
	}
	return first || (uint64_t)before == words;
}

/* A split by categories has the place of its boundaries for a threshold; of the kinds of missing values there are three. */
static bool decisions_fit(const struct lightgbm *b, uint64_t leaves, int64_t categories)
{
	enum { CATEGORICAL = 1, MISSING_SHIFT = 2, MISSING_MAX = 2 };
	struct bytes types = b->tree.lists[LGBM_DECISION], thresholds = b->tree.lists[LGBM_THRESHOLD], word;
	int64_t type;
	double at;

	for (uint64_t i = 0; b->tree.given[LGBM_DECISION] && i + 1 < leaves; i++) {
		if (!lightgbm_word(&types, &word) || !read_integer(word, &type) || type < 0 ||
		    type >> MISSING_SHIFT > MISSING_MAX || !lightgbm_word(&thresholds, &word) ||
		    number_text(word, &at) == NUMBER_NONE)
			return false;
		if ((type & CATEGORICAL) != 0 && !(at >= 0 && at < (double)categories && floor(at) == at))
			return false;
	}
	return true;
}

static bool count_fits(unsigned list, uint64_t n, uint64_t leaves, int64_t categories)
{
	switch (rows[list].count) {
	case COUNT_NODES: return n == leaves - 1 || (leaves == 1 && n <= 1);
	case COUNT_LEAVES: return n == leaves || (leaves == 1 && n == 0 && list != LGBM_LEAF_VALUE);
	case COUNT_ONE: return n == 1;
	case COUNT_CATEGORIES: return categories >= 0 && n == (uint64_t)categories + 1;
	default: return true;
	}
}

static bool is_tree(struct lightgbm *b)
{
	int64_t leaves = only_number(b, LGBM_NUM_LEAVES), categories = only_number(b, LGBM_NUM_CAT);
	uint64_t words = 0;

	if (leaves < 1 || (uint64_t)leaves > b->file.n) /* each takes a character */
		return false;
	for (unsigned i = 0; i < N_LGBM_LISTS; i++) {
		uint64_t n = b->tree.given[i] ? count_numbers(b, i) : 0;

		if (b->tree.given[i] ? !count_fits(i, n, (uint64_t)leaves, categories)
				     : rows[i].required && (leaves > 1 || rows[i].count != COUNT_NODES))
			return false;
		words = i == LGBM_CAT_THRESHOLD ? n : words;
	}
	return take_adopted(b, 2 * (uint64_t)leaves) && children_fit(b, (uint64_t)leaves, LGBM_LEFT) &&
	       children_fit(b, (uint64_t)leaves, LGBM_RIGHT) && features_fit(b, (uint64_t)leaves) &&
	       categories_fit(b, words) && decisions_fit(b, (uint64_t)leaves, categories);
}

void lightgbm_tree_check(struct lightgbm *b)
{
	if (!is_tree(b) && !b->stopped && !b->broken)
		lightgbm_fail(b, WLK_F_LIGHTGBM_TREE, b->file.at + b->tree.at);
	if (b->tree.given[LGBM_LINEAR] && only_number(b, LGBM_LINEAR) != 0) /* leaves that compute */
		lightgbm_doubt(b, b->file.at + b->tree.at);
}
