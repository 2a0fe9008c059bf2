/* Implements bounds.h.  SciPy and pandas look no number up before they use it as a place: sparsetools (C++) writes to
 * row[indices[i]], and pandas takes the pointer at codes[i] for an object. */
#include "arguments_impl.h"
#include "bounds.h"
#include "lengths.h"

static bool is_known(const struct pickle_context *c, pickle_value v, uint64_t wanted)
{
	uint64_t n;

	return pickle_length(c, v, &n) && n == wanted;
}

static void bound(const struct pickle_context *c, pickle_value array, int64_t least, uint64_t below, bool rising)
{
	c->bound(c->bound_ctx, c->machine, array,
	    &(struct pickle_bounds){
		.offset = c->event->offset, .least = least, .below = min_u64(below, INT64_MAX), .rising = rising });
}

/* -- pandas -- */

bool bounds_multi_index_fit(const struct pickle_context *c, pickle_value dict)
{
	pickle_value levels, codes;
	uint64_t n = 0, length, level;

	if (!pickle_lookup(c->machine, dict, "levels", &levels))
		return true; /* another kind of index */
	if (c->bound == NULL || !pickle_lookup(c->machine, dict, "codes", &codes) ||
	    pickle_count(c->machine, levels) != pickle_count(c->machine, codes) ||
	    pickle_count(c->machine, codes) == 0 || !pickle_length(c, pickle_item(c->machine, codes, 0), &length))
		return false;
	for (; n < pickle_count(c->machine, codes); n++)
		if (!is_known(c, pickle_item(c->machine, codes, n), length) ||
		    !pickle_length(c, pickle_item(c->machine, levels, n), &level))
			return false;
	return true;
}

static void bound_multi_index(const struct pickle_context *c, pickle_value dict)
{
	pickle_value levels, codes;
	uint64_t level;

	if (!pickle_lookup(c->machine, dict, "levels", &levels) || !pickle_lookup(c->machine, dict, "codes", &codes))
		return;
	for (uint64_t i = 0; i < pickle_count(c->machine, codes); i++)
		if (pickle_length(c, pickle_item(c->machine, levels, i), &level))
			bound(c, pickle_item(c->machine, codes, i), -1, level, false);
}

static bool is_of_categories(const struct pickle_context *c)
{
	pickle_value args = pickle_call_arguments(c->machine, c->event->target);
	pickle_value class = args != PICKLE_NO_VALUE ? pickle_item(c->machine, args, 0) : PICKLE_NO_VALUE;

	return global_is(c->machine, class, "pandas.core.arrays.categorical", "Categorical") ||
	       global_is(c->machine, class, "pandas", "Categorical");
}

/* The codes of the state (type, array, ...), and how many categories its type has. */
static bool categories_of(const struct pickle_context *c, pickle_value *ret_codes, uint64_t *ret_n)
{
	bool swapped = pickle_is_array(c, arg(c, 0));
	uint64_t n;

	*ret_codes = arg(c, swapped ? 0 : 1);
	return *ret_codes != PICKLE_NO_VALUE && pickle_is_array(c, *ret_codes) && pickle_length(c, *ret_codes, &n) &&
	       pickle_length(c, arg(c, swapped ? 1 : 0), ret_n);
}

bool bounds_categorical_fit(const struct pickle_context *c)
{
	pickle_value codes;
	uint64_t n;

	return !is_of_categories(c) || (c->bound != NULL && categories_of(c, &codes, &n));
}

static void bound_categorical(const struct pickle_context *c)
{
	pickle_value codes;
	uint64_t n;

	if (is_of_categories(c) && categories_of(c, &codes, &n))
		bound(c, codes, -1, n, false);
}

void bounds_call_note(const struct pickle_context *c)
{
	if (c->bound == NULL)
		return;
	if (is_build(c))
		bound_categorical(c);
	else if (kind(c, 1) == PICKLE_DICT)
		bound_multi_index(c, arg(c, 1));
}

/* -- SciPy -- */

enum sparse { SPARSE_NONE, SPARSE_ROWS, SPARSE_COLUMNS, SPARSE_BLOCKS, SPARSE_PAIRS, SPARSE_DIAGONALS, SPARSE_LISTS };

static enum sparse sparse_of(const struct pickle_context *c)
{
	static const struct {
		const char *prefix;
		enum sparse sparse;
	} classes[] = { { "csr_", SPARSE_ROWS }, { "csc_", SPARSE_COLUMNS }, { "bsr_", SPARSE_BLOCKS },
		{ "coo_", SPARSE_PAIRS }, { "dia_", SPARSE_DIAGONALS }, { "lil_", SPARSE_LISTS } };
	const struct bytes own = bytes_of_text("scipy.sparse.");
	pickle_value class = pickle_class_of(c, c->event->target);
	struct bytes module, name;

	if (class == PICKLE_NO_VALUE || kind_of(c, class) != PICKLE_GLOBAL ||
	    !pickle_global_mapped(c->machine, class, &module, &name) || module.n < own.n ||
	    memcmp(module.at, own.at, own.n) != 0)
		return SPARSE_NONE;
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (name.n > 4 && memcmp(name.at, classes[i].prefix, 4) == 0)
			return classes[i].sparse;
	return SPARSE_NONE;
}

struct matrix {
	const struct pickle_context *c;
	uint64_t n_rows, n_columns; /* a vector is one row */
	unsigned rank;
};

static pickle_value part(const struct matrix *m, const char *key)
{
	pickle_value v;

	return pickle_lookup(m->c->machine, m->c->event->args, key, &v) ? v : PICKLE_NO_VALUE;
}

static bool read_shape(struct matrix *m)
{
	pickle_value shape = part(m, "_shape");
	uint64_t n = kind_of(m->c, shape) == PICKLE_TUPLE ? pickle_count(m->c->machine, shape) : 0;
	int64_t dimension[2] = { 1, 1 };

	if (n < 1 || n > 2)
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (!pickle_int(m->c->machine, pickle_item(m->c->machine, shape, i), &dimension[2 - n + i]))
			return false;
	m->rank = (unsigned)n;
	m->n_rows = (uint64_t)dimension[0];
	m->n_columns = (uint64_t)dimension[1];
	return dimension[0] >= 0 && dimension[1] >= 0;
}

/* indptr[i] to indptr[i + 1]: the places in `indices` of what is in row i. */
static bool bound_compressed(const struct matrix *m, uint64_t major, uint64_t minor, uint64_t n_data)
{
	pickle_value indices = part(m, "indices"), pointers = part(m, "indptr");
	uint64_t n;

	if (major == UINT64_MAX || !pickle_length(m->c, indices, &n) || !is_known(m->c, pointers, major + 1))
		return false;
	bound(m->c, indices, 0, minor, false);
	bound(m->c, pointers, 0, min_u64(n, n_data) + 1, true);
	return true;
}

static bool bound_blocks(const struct matrix *m)
{
	uint64_t blocks[PICKLE_DIMENSIONS];
	pickle_value data = part(m, "data");

	return data != PICKLE_NO_VALUE && pickle_dimensions(m->c, data, blocks) == 3 && blocks[1] > 0 &&
	       blocks[2] > 0 && m->n_rows % blocks[1] == 0 && m->n_columns % blocks[2] == 0 &&
	       bound_compressed(m, m->n_rows / blocks[1], m->n_columns / blocks[2], blocks[0]);
}

static bool bound_pairs(const struct matrix *m)
{
	pickle_value rows = part(m, "row"), columns = part(m, "col"), coords = part(m, "coords");
	uint64_t n;

	if (coords != PICKLE_NO_VALUE) {
		if (kind_of(m->c, coords) != PICKLE_TUPLE || pickle_count(m->c->machine, coords) != m->rank)
			return false;
		rows = m->rank == 2 ? pickle_item(m->c->machine, coords, 0) : PICKLE_NO_VALUE;
		columns = pickle_item(m->c->machine, coords, m->rank - 1);
	}
	if (!pickle_length(m->c, part(m, "data"), &n) || !is_known(m->c, columns, n) ||
	    (m->rank == 2 && !is_known(m->c, rows, n)))
		return false;
	bound(m->c, columns, 0, m->n_columns, false);
	if (m->rank == 2)
		bound(m->c, rows, 0, m->n_rows, false);
	return true;
}

/* sparsetools cuts diagonals that lead out of the matrix; it believes that each has its row of numbers. */
static bool fit_diagonals(const struct matrix *m)
{
	uint64_t numbers[PICKLE_DIMENSIONS];
	pickle_value data = part(m, "data");

	return data != PICKLE_NO_VALUE && pickle_dimensions(m->c, data, numbers) == 2 &&
	       is_known(m->c, part(m, "offsets"), numbers[0]);
}

/* A list of columns for each row, as far as they are kept. */
static bool is_row(const struct matrix *m, pickle_value list)
{
	const struct pickle *p = m->c->machine;
	int64_t column;

	if (kind_of(m->c, list) != PICKLE_LIST)
		return false;
	for (uint64_t i = 0; i < pickle_count(p, list); i++) {
		pickle_value v = pickle_item(p, list, i);

		if (v == PICKLE_NO_VALUE || !pickle_int(p, v, &column) || column < 0 ||
		    (uint64_t)column >= m->n_columns)
			return false;
	}
	return true;
}

static bool fit_lists(const struct matrix *m)
{
	pickle_value rows = part(m, "rows"), list;
	uint64_t state, n;

	if (!is_known(m->c, rows, m->n_rows) || !is_known(m->c, part(m, "data"), m->n_rows) ||
	    !object_map_get(m->c->states, rows, &state) || kind_of(m->c, state) != PICKLE_TUPLE)
		return false;
	n = pickle_count(m->c->machine, state);
	list = n > 0 ? pickle_item(m->c->machine, state, n - 1) : PICKLE_NO_VALUE;
	if (kind_of(m->c, list) != PICKLE_LIST)
		return false;
	for (uint64_t i = 0; i < pickle_count(m->c->machine, list); i++)
		if (!is_row(m, pickle_item(m->c->machine, list, i)))
			return false;
	return true;
}

bool bounds_sparse_fit(const struct pickle_context *c)
{
	enum sparse sparse = sparse_of(c);
	struct matrix m = { .c = c };
	uint64_t n;

	if (sparse == SPARSE_NONE)
		return true;
	if (c->bound == NULL || kind_of(c, c->event->args) != PICKLE_DICT || !read_shape(&m))
		return false;
	switch (sparse) {
	case SPARSE_ROWS:
		return pickle_length(c, part(&m, "data"), &n) && bound_compressed(&m, m.n_rows, m.n_columns, n);
	case SPARSE_COLUMNS:
		return pickle_length(c, part(&m, "data"), &n) && bound_compressed(&m, m.n_columns, m.n_rows, n);
	case SPARSE_BLOCKS: return bound_blocks(&m);
	case SPARSE_PAIRS: return bound_pairs(&m);
	case SPARSE_DIAGONALS: return fit_diagonals(&m);
	case SPARSE_LISTS: return fit_lists(&m);
	case SPARSE_NONE: break;
	}
	return false;
}
