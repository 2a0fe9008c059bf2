/* What the numbers of a model may be, as tables say it: terms.py describes the language and makes C of the tables, limits.c
 * answers.  A reader gives it the operands that the file knows (constants, attributes, shapes); a term with anything in it that the
 * file does not know is UNKNOWN, which is no finding.  Linear in the operands, without memory of its own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

#define LIMITS_VALUES_MAX 512u /* of an operand: what is kept of a constant, 4 KiB */
#define LIMITS_OUTPUT_BYTES_MAX (UINT64_C(16) << 30)
#define LIMITS_RANK_UNKNOWN UINT32_MAX

/* Who is meant by a name in a table. */
struct limits_name {
	const char *text;
	/* The operator's input of this number; below 0 an attribute, -1 - its place if it has one.  Of GGUF: the key.  Of ONNX: -2: an attribute
	 * with a default, -1: one without. */
	int16_t input;
	int16_t fallback; /* of an attribute */
};

/* What the file knows of it.  Numbers that are no integers are rounded away from zero, which keeps their sign. */
struct limits_operand {
	bool values_known, is_integer;
	size_t n;
	const int64_t *values;
	bool is_list;        /* of several, though there may be one */
	uint32_t rank;       /* LIMITS_RANK_UNKNOWN */
	const int64_t *dims; /* below 0: unknown */
};

enum limits_what {
	LIMITS_NOTHING,
	LIMITS_NUMBER,
	LIMITS_VALUE,
	LIMITS_COUNT,  /* elements, by its values or its shape */
	LIMITS_LENGTH, /* of a list; unknown of a single one */
	LIMITS_RANK,
	LIMITS_DIM,
	LIMITS_DIM_OF, /* the one that another operand names */
	LIMITS_DIMS,
	LIMITS_SUM,
	LIMITS_MAX,
	LIMITS_PRODUCT, /* 0 and -1 count as 1 */
	LIMITS_FIRST,
	LIMITS_LAST,
	LIMITS_HAS,     /* how many of its values are `index` */
	LIMITS_INTEGER, /* its values, when its type is an integer's */
	LIMITS_SCALAR,  /* its value, when it has no dimension */
	LIMITS_IN,
	LIMITS_OUT,
};

struct limits_expr {
	uint8_t what; /* enum limits_what */
	struct limits_name name, by;
	int64_t index, times, plus;
};

enum limits_kind {
	LIMITS_COMPARE,
	LIMITS_DIVIDES,      /* the left is above 0 and divides the right */
	LIMITS_DIVIDES_ALSO, /* it does, where both are above 0 */
	LIMITS_AXIS,         /* -r <= x < r; r unknown: 64 */
	LIMITS_AXIS_OF,      /* the right is a rank, which may be unknown */
	LIMITS_ABSENT,
	LIMITS_PERM,
	LIMITS_SORTED,
	LIMITS_DISTINCT,
	LIMITS_POW2,
	LIMITS_EVEN,
	LIMITS_ROWS,       /* each row of indices is inside the leading dimensions of another operand */
	LIMITS_ROWS_BELOW, /* and not negative */
	LIMITS_ROWS_OF,    /* inside the shape that another operand holds */
	LIMITS_SIZE,       /* an output of so many elements */
	LIMITS_SIZE_TILE,
	LIMITS_SIZE_RANGE,
};

enum limits_op { LIMITS_LT, LIMITS_LE, LIMITS_GT, LIMITS_GE, LIMITS_EQ, LIMITS_NE };

#define LIMITS_CHOICES_MAX 3u

struct limits_term {
	const char *text; /* as the table has it */
	uint8_t kind, op;
	bool mild;   /* a policy or a table says so, not the runtime: medium */
	bool unless; /* of `only`: when it does not hold, or nobody knows */
	uint8_t n_right;
	struct limits_expr left;
	const struct limits_expr *right; /* n_right of them; LIMITS_CHOICES_MAX at most */
	const struct limits_term *only;  /* judged only if this holds */
};

struct limits_rule {
	const struct limits_term *terms;
	uint16_t n_terms;
};

struct limits_env {
	/* Return: false: the file has none.  What it returns is valid as long as the term is judged. */
	bool (*find)(void *ctx, const struct limits_name *name, struct limits_operand *ret);
	void *ctx;
	uint32_t in, out;
	uint32_t element_bytes; /* of the output; 0: unknown, counts as 1 */
};

enum limits_answer { LIMITS_HOLDS, LIMITS_FAILS, LIMITS_UNKNOWN };

/* @ret_found: the number that failed, when there is one to show. */
enum limits_answer limits_judge(const struct limits_term *t, const struct limits_env *env, int64_t *ret_found);

static inline bool limits_is(const struct limits_name *name, const char *text)
{
	return bytes_equal(bytes_of_text(name->text), bytes_of_text(text));
}
