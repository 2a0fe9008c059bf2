/* The evaluator of limits: see limits.h; the language is described in limits.py. */
#include "limits.h"

/* -- expressions: a list of numbers -- */

struct list {
	bool known;
	size_t n;
	const int64_t *at; /* NULL: one */
	bool partial;      /* below 0: one that nobody knows */
	int64_t one, times, plus;
};

static struct list of_one(int64_t value)
{
	return (struct list){ .known = true, .n = 1, .one = value };
}

static struct list of_many(const int64_t *at, size_t n)
{
	return (struct list){ .known = true, .n = n, .at = at };
}

static const struct list unknown = { 0 };

/* Saturated: what does not fit is above every limit, and fails by that. */
static int64_t times_plus(int64_t value, int64_t times, int64_t plus)
{
	int64_t wide;

	if (__builtin_mul_overflow(value, times, &wide) || __builtin_add_overflow(wide, plus, &wide))
		return value < 0 ? INT64_MIN : INT64_MAX;
	return wide;
}

static int64_t item(const struct list *l, size_t i)
{
	return times_plus(l->at == NULL ? l->one : l->at[l->n == 1 ? 0 : i], l->times, l->plus);
}

static bool find(const struct limits_env *env, const struct limits_name *name, struct limits_operand *ret)
{
	*ret = (struct limits_operand){ .rank = LIMITS_RANK_UNKNOWN };
	return env->find(env->ctx, name, ret);
}

static bool find_values(const struct limits_env *env, const struct limits_name *name, struct limits_operand *ret)
{
	return find(env, name, ret) && ret->values_known;
}

static bool find_shape(const struct limits_env *env, const struct limits_name *name, struct limits_operand *ret)
{
	return find(env, name, ret) && ret->rank != LIMITS_RANK_UNKNOWN;
}

static struct list count_elements(const struct limits_operand *o)
{
	int64_t n = 1;

	if (o->values_known || o->is_list)
		return of_one((int64_t)o->n);
	if (o->rank == LIMITS_RANK_UNKNOWN)
		return unknown;
	for (uint32_t i = 0; i < o->rank; i++) {
		if (o->dims[i] < 0)
			return unknown;
		n = times_plus(n, o->dims[i], 0);
	}
	return of_one(n);
}

static struct list dimension(const struct limits_operand *o, int64_t i)
{
	if (i < 0)
		i = times_plus(i, 1, o->rank);
	return i >= 0 && i < o->rank && o->dims[i] >= 0 ? of_one(o->dims[i]) : unknown;
}

static struct list dimensions(const struct limits_operand *o)
{
	struct list l = of_many(o->dims, o->rank);

	l.partial = true;
	return l;
}

static struct list sum(const struct limits_operand *o)
{
	int64_t total = 0;

	for (size_t i = 0; i < o->n; i++)
		if (__builtin_add_overflow(total, o->values[i], &total))
			return of_one(INT64_MAX);
	return of_one(total);
}

static struct list largest(const struct limits_operand *o)
{
	int64_t most = INT64_MIN;

	for (size_t i = 0; i < o->n; i++)
		most = o->values[i] > most ? o->values[i] : most;
	return o->n > 0 ? of_one(most) : unknown;
}

static int64_t product_of(const int64_t *at, size_t n)
{
	int64_t total = 1;

	for (size_t i = 0; i < n; i++)
		total = times_plus(total, at[i] > 0 ? at[i] : 1, 0);
	return total;
}

static struct list how_many(const struct limits_operand *o, int64_t value)
{
	int64_t n = 0;

	for (size_t i = 0; i < o->n; i++)
		n += o->values[i] == value;
	return of_one(n);
}

static struct list of_values(const struct limits_expr *e, const struct limits_operand *o)
{
	switch ((enum limits_what)e->what) {
	case LIMITS_SUM: return sum(o);
	case LIMITS_MAX: return largest(o);
	case LIMITS_PRODUCT: return of_one(product_of(o->values, o->n));
	case LIMITS_FIRST: return o->n > 0 ? of_one(o->values[0]) : unknown;
	case LIMITS_LAST: return o->n > 0 ? of_one(o->values[o->n - 1]) : unknown;
	case LIMITS_HAS: return how_many(o, e->index);
	case LIMITS_INTEGER: return o->is_integer ? of_many(o->values, o->n) : unknown;
	case LIMITS_SCALAR: return o->rank == 0 ? of_many(o->values, o->n) : unknown;
	default: return of_many(o->values, o->n);
	}
}

static struct list of_shape(const struct limits_expr *e, const struct limits_operand *o, const struct limits_env *env)
{
	struct limits_operand by;

	switch ((enum limits_what)e->what) {
	case LIMITS_RANK: return of_one(o->rank);
	case LIMITS_DIM: return dimension(o, e->index);
	case LIMITS_DIMS: return dimensions(o);
	default: /* LIMITS_DIM_OF */
		if (!find_values(env, &e->by, &by) || by.n != 1)
			return unknown;
		return dimension(o, by.values[0]);
	}
}

static struct list of_operand(const struct limits_expr *e, const struct limits_env *env)
{
	struct limits_operand o;

	switch ((enum limits_what)e->what) {
	case LIMITS_NUMBER: return of_one(0);
	case LIMITS_IN: return of_one(env->in);
	case LIMITS_OUT: return of_one(env->out);
	case LIMITS_COUNT: return find(env, &e->name, &o) ? count_elements(&o) : unknown;
	case LIMITS_LENGTH: return find(env, &e->name, &o) && o.is_list ? of_one((int64_t)o.n) : unknown;
	case LIMITS_RANK:
	case LIMITS_DIM:
	case LIMITS_DIM_OF:
	case LIMITS_DIMS: return find_shape(env, &e->name, &o) ? of_shape(e, &o, env) : unknown;
	default: return find_values(env, &e->name, &o) ? of_values(e, &o) : unknown;
	}
}

static struct list evaluate(const struct limits_expr *e, const struct limits_env *env)
{
	struct list l = of_operand(e, env);

	l.times = e->times;
	l.plus = e->plus;
	return l;
}

/* -- terms -- */

static bool compare(int64_t a, uint8_t op, int64_t b)
{
	switch ((enum limits_op)op) {
	case LIMITS_LT: return a < b;
	case LIMITS_LE: return a <= b;
	case LIMITS_GT: return a > b;
	case LIMITS_GE: return a >= b;
	case LIMITS_EQ: return a == b;
	default: return a != b;
	}
}

static bool relates(const struct limits_term *t, int64_t a, int64_t b)
{
	switch ((enum limits_kind)t->kind) {
	case LIMITS_DIVIDES: return a > 0 && b % a == 0;
	case LIMITS_DIVIDES_ALSO: return a <= 0 || b <= 0 || b % a == 0;
	case LIMITS_AXIS: return b > 0 && a < b && a >= -b;
	default: return compare(a, t->op, b);
	}
}

/* Every element of the longer with its partner; one is everybody's partner. */
static enum limits_answer relate(
    const struct limits_term *t, const struct list *a, const struct list *b, int64_t *found)
{
	size_t n = a->n > b->n ? a->n : b->n;

	if (!a->known || !b->known || (a->n != b->n && a->n != 1 && b->n != 1))
		return LIMITS_UNKNOWN;
	if (a->n == 0 || b->n == 0)
		return LIMITS_HOLDS;
	for (size_t i = 0; i < n; i++) {
		if (a->partial && item(a, i) < 0)
			continue;
		if (!relates(t, item(a, i), item(b, i))) {
			*found = item(a, i);
			return LIMITS_FAILS;
		}
	}
	return LIMITS_HOLDS;
}

/* One of the right ones. */
static enum limits_answer relate_any(const struct limits_term *t, const struct limits_env *env, int64_t *found)
{
	struct list a = evaluate(&t->left, env);
	enum limits_answer best = LIMITS_FAILS;

	for (unsigned i = 0; i < t->n_right; i++) {
		struct list b = evaluate(&t->right[i], env);
		enum limits_answer answer = relate(t, &a, &b, found);

		if (answer == LIMITS_HOLDS)
			return answer;
		if (answer == LIMITS_UNKNOWN)
			best = answer;
	}
	return best;
}

static enum limits_answer axis(const struct limits_term *t, const struct limits_env *env, int64_t *found)
{
	static const int64_t rank_most = 64;
	struct limits_term with = *t;
	struct list a = evaluate(&t->left, env), b = evaluate(&t->right[0], env);

	with.kind = LIMITS_AXIS;
	if (!b.known || item(&b, 0) == 0) { /* without dimensions: some runtimes give it one */
		b = of_one(b.known ? 1 : rank_most);
		b.times = 1;
	}
	return relate(&with, &a, &b, found);
}

/* Each is one of 0 .. n-1, and none stands there twice; negative ones count from the end.  With `distinct` any number. */
static enum limits_answer permutation(const struct list *l, bool distinct, int64_t *found)
{
	int64_t n = (int64_t)l->n;

	if (!l->known || n > 64) /* more than any rank: not an order of dimensions */
		return LIMITS_UNKNOWN;
	for (size_t i = 0; i < l->n; i++) {
		int64_t a = item(l, i);

		*found = a;
		if (!distinct && (a >= n || a < -n))
			return LIMITS_FAILS;
		for (size_t k = 0; k < i; k++)
			if (item(l, k) == a || (!distinct && (item(l, k) + n) % n == (a + n) % n))
				return LIMITS_FAILS;
	}
	return LIMITS_HOLDS;
}

static enum limits_answer each(const struct limits_term *t, const struct list *l, int64_t *found)
{
	if (!l->known)
		return LIMITS_UNKNOWN;
	for (size_t i = 0; i < l->n; i++) {
		int64_t a = item(l, i);

		*found = a;
		if (t->kind == LIMITS_SORTED && i > 0 && item(l, i - 1) > a)
			return LIMITS_FAILS;
		if (t->kind == LIMITS_EVEN && a % 2 != 0)
			return LIMITS_FAILS;
		if (t->kind == LIMITS_POW2 && (a <= 0 || (a & (a - 1)) != 0))
			return LIMITS_FAILS;
	}
	return LIMITS_HOLDS;
}

static bool batches(const struct limits_env *env, size_t *ret)
{
	static const struct limits_name name = { "batch_dims", INT16_MIN, 0 };
	struct limits_operand o;

	*ret = 0;
	if (!find_values(env, &name, &o) || o.n != 1)
		return true; /* the default */
	*ret = (size_t)o.values[0];
	return o.values[0] >= 0 && o.values[0] < 64;
}

/* Rows of as many indices as the last dimension of the left says. */
static enum limits_answer rows(const struct limits_term *t, const struct limits_env *env, int64_t *found)
{
	struct limits_operand i, d;
	const int64_t *sizes;
	size_t n_sizes, width, skip = 0;

	if (!find_values(env, &t->left.name, &i) || i.rank == LIMITS_RANK_UNKNOWN || i.rank == 0 ||
	    i.dims[i.rank - 1] <= 0 || !batches(env, &skip))
		return LIMITS_UNKNOWN;
	width = (size_t)i.dims[i.rank - 1];
	if (t->kind == LIMITS_ROWS_OF ? !find_values(env, &t->right[0].name, &d)
				      : !find_shape(env, &t->right[0].name, &d))
		return LIMITS_UNKNOWN;
	sizes = t->kind == LIMITS_ROWS_OF ? d.values : d.dims;
	n_sizes = t->kind == LIMITS_ROWS_OF ? d.n : d.rank;
	*found = (int64_t)width;
	if (width > n_sizes || skip > n_sizes - width)
		return LIMITS_FAILS;
	for (size_t k = 0; k < i.n; k++) {
		int64_t size = sizes[skip + k % width];

		*found = i.values[k];
		if (size >= 0 && (i.values[k] >= size || i.values[k] < (t->kind == LIMITS_ROWS ? -size : 0)))
			return LIMITS_FAILS;
	}
	return LIMITS_HOLDS;
}

/* -- sizes -- */

static enum limits_answer fits(int64_t elements, const struct limits_env *env, int64_t *found)
{
	int64_t width = env->element_bytes > 0 ? env->element_bytes : 1;

	*found = elements;
	if (elements <= 0)
		return LIMITS_HOLDS;
	return (uint64_t)times_plus(elements, width, 0) <= LIMITS_OUTPUT_BYTES_MAX ? LIMITS_HOLDS : LIMITS_FAILS;
}

static enum limits_answer tile(const struct limits_term *t, const struct limits_env *env, int64_t *found)
{
	struct limits_operand o, by;
	int64_t n = 1;

	if (!find_shape(env, &t->left.name, &o) || !find_values(env, &t->left.by, &by))
		return LIMITS_UNKNOWN;
	for (uint32_t i = 0; i < o.rank; i++)
		n = times_plus(n, o.dims[i] > 0 ? o.dims[i] : 1, 0);
	return fits(times_plus(n, product_of(by.values, by.n), 0), env, found);
}

/* From, to, step: the three operands of the term. */
static enum limits_answer range(const struct limits_term *t, const struct limits_env *env, int64_t *found)
{
	struct list from = evaluate(&t->left, env), to = evaluate(&t->right[0], env),
		    step = evaluate(&t->right[1], env);
	int64_t length, by;

	if (!from.known || !to.known || !step.known || from.n != 1 || to.n != 1 || step.n != 1)
		return LIMITS_UNKNOWN;
	by = item(&step, 0);
	if (by == 0 || by == INT64_MIN)
		return LIMITS_UNKNOWN; /* another term's */
	if (__builtin_sub_overflow(item(&to, 0), item(&from, 0), &length) || length == INT64_MIN)
		return LIMITS_FAILS;
	return length / by <= 0 ? LIMITS_HOLDS : fits(length / by, env, found);
}

static enum limits_answer judge(const struct limits_term *t, const struct limits_env *env, int64_t *found)
{
	struct limits_operand o;
	struct list l;

	switch ((enum limits_kind)t->kind) {
	case LIMITS_COMPARE:
	case LIMITS_DIVIDES:
	case LIMITS_DIVIDES_ALSO:
	case LIMITS_AXIS: return relate_any(t, env, found);
	case LIMITS_AXIS_OF: return axis(t, env, found);
	case LIMITS_ABSENT: return find(env, &t->left.name, &o) ? LIMITS_FAILS : LIMITS_HOLDS;
	case LIMITS_ROWS:
	case LIMITS_ROWS_BELOW:
	case LIMITS_ROWS_OF: return rows(t, env, found);
	case LIMITS_SIZE_TILE: return tile(t, env, found);
	case LIMITS_SIZE_RANGE: return range(t, env, found);
	default: break;
	}
	l = evaluate(&t->left, env);
	if (t->kind == LIMITS_PERM || t->kind == LIMITS_DISTINCT)
		return permutation(&l, t->kind == LIMITS_DISTINCT, found);
	if (t->kind == LIMITS_SIZE)
		return l.known && l.n == 1 ? fits(item(&l, 0), env, found) : LIMITS_UNKNOWN;
	return each(t, &l, found);
}

/* Conditions hang together in a chain, which a table writes and which is short. */
enum limits_answer limits_judge(const struct limits_term *t, const struct limits_env *env, int64_t *ret_found)
{
	*ret_found = 0;
	for (const struct limits_term *c = t->only, *of = t; c != NULL; of = c, c = c->only) {
		int64_t ignored;

		if ((judge(c, env, &ignored) == LIMITS_HOLDS) == of->unless)
			return LIMITS_UNKNOWN;
	}
	return judge(t, env, ret_found);
}
