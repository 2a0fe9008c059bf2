/* Any operands against every term of the tables of limits: the evaluator ends, stays within what it is given, says the same twice, and
 * an operand more does not turn what is unknown into a failure of a term that it is no part of.  The first bytes choose the term. */
#include <string.h>

#include "fuzz.h"
#include "limits_gguf.h"
#include "limits_onnx.h"
#include "limits_tf.h"
#include "limits_tflite.h"

struct feed {
	const uint8_t *at;
	size_t n;
	unsigned asked;
	bool none; /* nothing is known */
	int64_t *values[4], *dims[4];
};

static uint64_t take(struct feed *f, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++) {
		value = value << 8 | (f->n > 0 ? *f->at : 0);
		f->at += f->n > 0;
		f->n -= f->n > 0;
	}
	return value;
}

/* Numbers near the bounds of tables, and any. */
static int64_t number(struct feed *f)
{
	static const int64_t edges[] = { 0, 1, -1, 2, 4, 254, 65535, INT32_MAX, INT64_MAX, INT64_MIN, INT64_MIN + 1 };
	uint8_t which = (uint8_t)take(f, 1);

	return which < 240 ? edges[which % (sizeof(edges) / sizeof(edges[0]))] : (int64_t)take(f, 8);
}

static const int64_t *numbers(struct feed *f, int64_t **block, size_t n)
{
	free(*block);
	*block = malloc(n > 0 ? n * sizeof(**block) : 1); /* exactly as many */
	FUZZ_REQUIRE(*block != NULL);
	for (size_t i = 0; i < n; i++)
		(*block)[i] = number(f);
	return *block;
}

static bool find(void *ctx, const struct limits_name *name, struct limits_operand *ret)
{
	struct feed *f = ctx;
	unsigned place = f->asked++ % 4;
	uint8_t kind = (uint8_t)take(f, 1);

	FUZZ_REQUIRE(name->text != NULL && f->asked < 64);
	if (f->none || kind % 8 == 0)
		return false;
	ret->is_integer = (kind & 8) != 0;
	ret->is_list = (kind & 16) != 0;
	ret->n = (size_t)(take(f, 1) % 70);
	ret->values_known = (kind & 1) != 0;
	if (ret->values_known)
		ret->values = numbers(f, &f->values[place], ret->n);
	if ((kind & 2) != 0) {
		ret->rank = (uint32_t)(take(f, 1) % 9);
		ret->dims = numbers(f, &f->dims[place], ret->rank);
	}
	return true;
}

static enum limits_answer judge(const struct limits_term *t, const uint8_t *data, size_t n, bool none)
{
	struct feed f = { .at = data, .n = n, .none = none };
	const struct limits_env env = { .find = find,
		.ctx = &f,
		.in = n > 0 ? data[0] : 0,
		.out = n > 1 ? data[1] : 0,
		.element_bytes = n > 2 ? data[2] % 17 : 0 };
	int64_t found;
	enum limits_answer answer = limits_judge(t, &env, &found);

	for (unsigned i = 0; i < 4; i++) {
		free(f.values[i]);
		free(f.dims[i]);
	}
	return answer;
}

static const struct limits_rule *rule_of(uint16_t which)
{
	size_t n = which;

	if (n < limits_tf_n_ops)
		return &limits_tf_ops[n].rule;
	n -= limits_tf_n_ops;
	if (n < limits_onnx_n_ops)
		return &limits_onnx_ops[n].rule;
	n -= limits_onnx_n_ops;
	if (n < limits_tflite_n_ops)
		return &limits_tflite_ops[n].rule;
	return &limits_gguf_rules[(n - limits_tflite_n_ops) % limits_gguf_n_rules].rule;
}

int fuzz_one(const uint8_t *data, size_t n)
{
	const struct limits_rule *rule;

	if (n < 3)
		return 0;
	rule = rule_of((uint16_t)(data[0] << 8 | data[1]));
	for (unsigned i = 0; i < rule->n_terms; i++) {
		const struct limits_term *t = &rule->terms[i];
		enum limits_answer first = judge(t, data + 2, n - 2, false);

		FUZZ_REQUIRE(judge(t, data + 2, n - 2, false) == first);
		if (t->left.what != LIMITS_IN && t->left.what != LIMITS_OUT && t->only == NULL &&
		    t->kind != LIMITS_ABSENT)
			FUZZ_REQUIRE(judge(t, data + 2, n - 2, true) == LIMITS_UNKNOWN);
	}
	return 0;
}
