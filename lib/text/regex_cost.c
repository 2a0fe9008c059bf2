/* What regular expressions may cost: see regex_cost.h. */
#include "regex_cost.h"

#include "regex_impl.h"

#define STEPS_MAX (UINT64_C(1) << 24) /* for all expressions of a file: some tenths of a second */
#define ROUNDS_MANY 5u                /* a loop of so many rounds is worth being looked at as one without a bound */

struct regex *regex_new(struct arena *a)
{
	struct regex *x = arena_alloc(a, 1, sizeof(*x));

	return x;
}

static void judge_counts(struct regex *x, const struct regex_node *n, uint64_t *product)
{
	uint32_t most = n->max == RE_UNBOUNDED ? n->min : n->max;

	*product *= most > 1 ? most : 1;
	if (most > REGEX_COUNT_MAX || *product > REGEX_PRODUCT_MAX)
		regex_fail(x, REGEX_COUNT);
}

/* @looked: a loop around it has been looked at as a whole. */
static void judge(struct regex *x, uint32_t i, uint64_t product, bool looked)
{
	const struct regex_node *n = &x->nodes[i];

	if (n->kind == RE_REPEAT) {
		judge_counts(x, n, &product);
		if (x->err != REGEX_FINE)
			return;
		if (!n->possessive && !looked && n->max >= ROUNDS_MANY) {
			if (x->steps > STEPS_MAX || regex_loop_multiplies(x, n->first))
				regex_fail(x, REGEX_BACKTRACKS);
			looked = true;
		}
	}
	if (n->kind == RE_ATOMIC || n->kind == RE_LOOK || n->possessive)
		looked = false;
	for (uint32_t c = n->first; c != RE_NONE && x->err == REGEX_FINE; c = x->nodes[c].next)
		judge(x, c, product, looked);
}

enum regex_cost regex_judge(struct regex *x, struct bytes text, enum regex_dialect dialect)
{
	uint32_t root = regex_parse(x, text, dialect);

	if (x->err == REGEX_FINE)
		judge(x, root, 1, false);
	return x->err;
}

const char *regex_cost_words(enum regex_cost c)
{
	static const char *const words[] = {
		[REGEX_FINE] = "nothing",
		[REGEX_BACKTRACKS] = "a loop that goes through the same text in many ways",
		[REGEX_REFERENCE] = "a back reference, recursion or condition",
		[REGEX_COUNT] = "a large count",
		[REGEX_LONG] = "a long expression",
		[REGEX_DEEP] = "deep nesting",
		[REGEX_UNREAD] = "not understood",
	};

	return words[c];
}
