/* One tree of XGBoost: see xgboost.h.  Its nodes stand in arrays, by number; the library follows them without a look
 * (src/tree/tree_model.cc checks lengths, not indexes), so a child that is not there is read beyond the array and one that
 * leads back never ends. */
#include "xgboost.h"

#include <math.h>
#include <string.h>

#define NO_CHILD (-1)
#define NO_PARENT INT32_MAX
#define CATEGORY_MAX 16777216 /* XGBoost's own */
#define NODES_MAX ((size_t)1 << 26)

void xgboost_tree_begin(struct xgboost_model *m, uint64_t at)
{
	m->tree_at = at;
	m->n_trees++;
	for (unsigned i = 0; i < LIST_TREE_LISTS; i++) {
		m->given[i] = false;
		m->lengths[i] = 0;
	}
	m->left.n = m->right.n = m->parents.n = m->features.n = m->segments.n = m->sizes.n = 0;
	m->types.n = m->nan_nodes.n = m->nan_at.n = 0;
	m->known[NUMBER_NODES] = m->known[NUMBER_LEAF_VECTOR] = m->known[NUMBER_TREE_FEATURES] = false;
	m->numbers[NUMBER_LEAF_VECTOR] = 0;
}

static struct xgboost_integers *table_of(struct xgboost_model *m, enum xgboost_list list)
{
	switch (list) {
	case LIST_LEFT: return &m->left;
	case LIST_RIGHT: return &m->right;
	case LIST_PARENTS: return &m->parents;
	case LIST_FEATURES: return &m->features;
	case LIST_CATEGORY_SEGMENTS: return &m->segments;
	case LIST_CATEGORY_SIZES: return &m->sizes;
	case LIST_SPLIT_TYPE: return &m->types;
	default: return NULL;
	}
}

bool xgboost_keep(struct xgboost_model *m, struct xgboost_integers *t, int32_t value)
{
	if (t->n == t->room) {
		size_t room = t->room > 0 ? t->room * 2 : 256;
		int32_t *list = room <= NODES_MAX ? arena_resize_raw(m->l->arena, t->list, room, sizeof(*list)) : NULL;

		if (list == NULL) {
			m->stopped = true;
			layout_stop(m->l);
			return true; /* nothing is wrong with the file */
		}
		t->list = list;
		t->room = room;
	}
	t->list[t->n++] = value;
	return true;
}

bool xgboost_tree_integer(struct xgboost_model *m, enum xgboost_list list, int64_t value)
{
	struct xgboost_integers *t = table_of(m, list);

	if (value < INT32_MIN || value > INT32_MAX)
		return false;
	if ((list == LIST_SPLIT_TYPE || list == LIST_DEFAULT_LEFT) && value != 0 && value != 1)
		return false;
	if (list == LIST_CATEGORIES) /* a bit for each up to the greatest */
		return value >= 0 && value <= CATEGORY_MAX;
	return t == NULL || xgboost_keep(m, t, (int32_t)value);
}

/* -- conditions -- */

void xgboost_tree_nan(struct xgboost_model *m, uint64_t at)
{
	m->l->report->totals.elements++;
	xgboost_keep(m, &m->nan_nodes, (int32_t)m->lengths[LIST_CONDITIONS]); /* of 256 MiB at most */
	xgboost_keep(m, &m->nan_at, (int32_t)at);
}

/* Of a split by categories (type 1) older versions write no number as condition: the categories stand elsewhere. */
static void report_nan(struct xgboost_model *m)
{
	xgboost_begin_floats(m);
	for (size_t i = 0; i < m->nan_at.n; i++) {
		size_t node = (size_t)m->nan_nodes.list[i];

		if (node < m->types.n && m->types.list[node] == 1)
			continue;
		m->l->report->totals.elements--; /* counted when it came */
		xgboost_examine(m, NAN, (uint64_t)m->nan_at.list[i]);
	}
	xgboost_end_floats(m);
}

/* -- is it one? -- */

static bool lengths_fit(const struct xgboost_model *m)
{
	static const struct {
		uint8_t list;
		bool required;
	} rows[] = { { LIST_LEFT, true }, { LIST_RIGHT, true }, { LIST_FEATURES, true }, { LIST_CONDITIONS, true },
		{ LIST_DEFAULT_LEFT, true }, { LIST_PARENTS, true }, { LIST_SPLIT_TYPE, false },
		{ LIST_BASE_WEIGHTS, true }, { LIST_LOSS, true }, { LIST_HESSIAN, true } };

	if (!m->known[NUMBER_NODES] || !m->known[NUMBER_LEAF_VECTOR] || !m->known[NUMBER_TREE_FEATURES] ||
	    m->numbers[NUMBER_NODES] == 0)
		return false;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t list = rows[i].list;

		if ((rows[i].required || m->given[list]) && m->lengths[list] != m->numbers[NUMBER_NODES])
			return false;
	}
	return m->lengths[LIST_CATEGORY_NODES] == m->sizes.n && m->sizes.n == m->segments.n;
}

static bool take_adopted(struct xgboost_model *m, size_t n)
{
	if (n > m->adopted_room) {
		uint8_t *grown = arena_resize_raw(m->l->arena, m->adopted, n, 1);

		if (grown == NULL) {
			m->stopped = true;
			layout_stop(m->l);
			return false;
		}
		m->adopted = grown;
		m->adopted_room = n;
	}
	memset(m->adopted, 0, n);
	return true;
}

/* Each has at most one parent, which it knows, and the root none: then what hangs from the root is a tree, whatever else
 * there is. */
static bool adopt(struct xgboost_model *m, int32_t child, size_t parent)
{
	if (child <= 0 || (size_t)child >= m->left.n || m->adopted[child] != 0 || m->parents.list[child] < 0 ||
	    (size_t)m->parents.list[child] != parent)
		return false;
	m->adopted[child] = 1;
	return true;
}

/* Only the root has none.  Nodes that were deleted hang nowhere, and yet XGBoost looks at what they name as their parent. */
static bool parents_fit(const struct xgboost_model *m)
{
	for (size_t i = 0; i < m->parents.n; i++) {
		int32_t parent = m->parents.list[i];
		bool none = parent == NO_PARENT || parent == NO_CHILD;

		if (i == 0 ? !none : none || parent < 0 || (size_t)parent >= m->left.n)
			return false;
	}
	return true;
}

static bool node_fits(struct xgboost_model *m, size_t i)
{
	int32_t left = m->left.list[i], right = m->right.list[i], feature = m->features.list[i];

	if (left == NO_CHILD && right == NO_CHILD)
		return true;
	if (feature < 0)
		return false;
	if (feature > m->feature_max)
		m->feature_max = feature;
	return adopt(m, left, i) && adopt(m, right, i);
}

static bool categories_fit(const struct xgboost_model *m)
{
	for (size_t i = 0; i < m->sizes.n; i++) {
		int64_t begin = m->segments.list[i], n = m->sizes.list[i];

		if (begin < 0 || n < 0 || (uint64_t)(begin + n) > m->lengths[LIST_CATEGORIES])
			return false;
	}
	return true;
}

static bool is_tree(struct xgboost_model *m)
{
	if (!lengths_fit(m) || !categories_fit(m) || !take_adopted(m, m->left.n))
		return false;
	for (size_t i = 0; i < m->left.n; i++)
		if (!node_fits(m, i))
			return false;
	return parents_fit(m);
}

/* Leaves that are vectors are stored in other arrays. */
void xgboost_tree_end(struct xgboost_model *m)
{
	if (!m->stopped)
		report_nan(m);
	if (m->unsure || m->broken || m->stopped)
		return;
	if (m->numbers[NUMBER_LEAF_VECTOR] > 1) {
		layout_at(m->l, WLK_F_FORMAT_PARTLY_CHECKED, m->tree_at);
		m->unsure = true;
	} else if (!is_tree(m) && !m->stopped) {
		xgboost_fail(m, WLK_F_XGBOOST_TREE, m->tree_at);
	}
}
