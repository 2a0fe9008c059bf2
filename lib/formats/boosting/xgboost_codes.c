/* Columns of words in XGBoost's models: see xgboost.h.  Since 3.1 a model says what each column was encoded as: the categories of one
 * behind those of another, and their order.  The library reads them without a look when it is given columns of words to predict
 * (src/encoder/ordinal.h). */
#include "xgboost.h"

bool xgboost_code(struct xgboost_model *m, enum xgboost_list list, int64_t value)
{
	struct xgboost_integers *t = list == LIST_CODE_OFFSETS    ? &m->code_offsets
				     : list == LIST_CODE_SEGMENTS ? &m->code_segments
								  : &m->code_order;

	if (list == LIST_CODES) /* any number: what the column held */
		return true;
	return value >= 0 && value <= INT32_MAX && xgboost_keep(m, t, (int32_t)value);
}

/* Of text: where each begins, and the last ends. */
static bool offsets_fit(const struct xgboost_model *m)
{
	const struct xgboost_integers *t = &m->code_offsets;

	for (size_t i = 0; i < t->n; i++)
		if (i == 0 ? t->list[i] != 0 : t->list[i] < t->list[i - 1])
			return false;
	return (t->n > 0 ? (uint64_t)t->list[t->n - 1] : 0) == m->lengths[LIST_CODES];
}

bool xgboost_encoding_end(struct xgboost_model *m, uint64_t at)
{
	bool text = m->given[LIST_CODE_OFFSETS];
	uint64_t n = text ? (m->code_offsets.n > 0 ? m->code_offsets.n - 1 : 0) : m->lengths[LIST_CODES];

	if (!m->given[LIST_CODES] || n > INT32_MAX || (text && !offsets_fit(m)))
		return xgboost_fail(m, WLK_F_XGBOOST_STRUCTURE, at);
	return xgboost_keep(m, &m->code_counts, (int32_t)n) && !m->stopped;
}

/* Those of a column are numbered from 0, each once: the library refuses an order that is none.  @seen: by place. */
static bool column_fits(const struct xgboost_model *m, size_t i, uint8_t *seen)
{
	int32_t begin = m->code_segments.list[i], n = m->code_counts.list[i];

	if (m->code_segments.list[i + 1] < begin || m->code_segments.list[i + 1] - begin != n ||
	    (size_t)m->code_segments.list[i + 1] > m->code_order.n)
		return false;
	for (int32_t k = 0; k < n; k++) {
		int32_t at = m->code_order.list[begin + k];

		if (at >= n || seen[begin + at]++ != 0)
			return false;
	}
	return true;
}

bool xgboost_categories_end(struct xgboost_model *m, uint64_t at)
{
	uint8_t *seen = arena_alloc(m->l->arena, m->code_order.n + 1, 1);
	size_t columns = m->code_counts.n;
	bool fits = columns == 0 ? m->code_segments.n <= 1 && m->code_order.n == 0
				 : m->code_segments.n == columns + 1 && m->code_segments.list[0] == 0 &&
				       (size_t)m->code_segments.list[columns] == m->code_order.n;

	if (seen == NULL) {
		m->stopped = true;
		layout_stop(m->l);
		return false;
	}
	for (size_t i = 0; fits && i < columns; i++)
		fits = column_fits(m, i, seen);
	return fits || xgboost_fail(m, WLK_F_XGBOOST_STRUCTURE, at);
}
