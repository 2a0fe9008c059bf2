/* What nodes of a program call.  The loader goes from `torch` on, from attribute to attribute, wherever a name leads
 * (torch.os.system), so that only operators are allowed: those of ATen of which the table of TorchScript's names vouches that they
 * compute on what they are given.  Follows formats/pt2, rule 5. */
#include "pt2_impl.h"
#include "script_names.h"

#define OPERATOR_MAX 128u /* bytes */

/* Of ATen, which programs have and TorchScript's sources do not: they copy, assert, or are layers as they are decomposed. */
static const char *const aten[] = { "_assert_async", "_assert_scalar", "_assert_tensor_metadata",
	"_native_batch_norm_legit", "_native_batch_norm_legit_no_training", "_safe_softmax", "_to_copy", "_unsafe_view",
	"lift_fresh_copy", "sym_constrain_range", "sym_constrain_range_for_size", "sym_numel", "sym_size",
	"sym_storage_offset", "sym_stride" };
/* Of Python's operator, on sizes: none that takes large numbers to a power, or shifts by them. */
static const char *const python[] = { "add", "and_", "eq", "floordiv", "ge", "getitem", "gt", "le", "lt", "mod", "mul",
	"ne", "neg", "not_", "or_", "pos", "sub", "truediv" };
static const char *const functions[] = { "math.ceil", "math.floor", "math.trunc", "torch.sym_float", "torch.sym_int",
	"torch.sym_ite", "torch.sym_max", "torch.sym_min", "torch.sym_not", "torch.sym_sum" };
/* Of what has graphs as arguments: neither loops nor what calls a program of its own. */
static const char *const higher[] = { "cond", "wrap_with_autocast", "wrap_with_set_grad_enabled" };

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool is_in(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

/* Behind a prefix; NULL: it has another. */
static char *behind(char *name, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(name, prefix, n) == 0 ? name + n : NULL;
}

/* add.Tensor: an operator, and which of its forms. */
static enum pt2_text judge_aten(char *name)
{
	char *dot = strchr(name, '.');

	if (dot == NULL || strchr(dot + 1, '.') != NULL || strncmp(dot + 1, "__", 2) == 0)
		return PT2_UNLISTED;
	*dot = '\0';
	if (is_in(name, aten, COUNT(aten)))
		return PT2_HARMLESS;
	switch (script_operator_of(name)) {
	case OPERATOR_KNOWN: return PT2_HARMLESS;
	case OPERATOR_ACTS: return PT2_ACTS;
	default: return PT2_UNLISTED;
	}
}

static unsigned n_dots(const char *name)
{
	unsigned n = 0;

	while ((name = strchr(name, '.')) != NULL) {
		name++;
		n++;
	}
	return n;
}

enum pt2_text pt2_operator(struct bytes text)
{
	char name[OPERATOR_MAX + 1] = "", *rest;

	if (text.n > OPERATOR_MAX || memchr(text.at, 0, text.n) != NULL)
		return PT2_UNLISTED;
	bytes_copy((uint8_t *)name, text);
	if ((rest = behind(name, "torch.ops.aten.")) != NULL)
		return judge_aten(rest);
	if ((rest = behind(name, "torch.ops.higher_order.")) != NULL)
		return is_in(rest, higher, COUNT(higher)) ? PT2_HARMLESS : PT2_UNLISTED;
	if ((rest = behind(name, "_operator.")) != NULL)
		return is_in(rest, python, COUNT(python)) ? PT2_HARMLESS : PT2_UNLISTED;
	if (is_in(name, functions, COUNT(functions)))
		return PT2_HARMLESS;
	if ((rest = behind(name, "torch.ops.")) != NULL && n_dots(rest) == 2)
		return PT2_UNLISTED; /* of somebody's own library; what else the loader looks up may be anything */
	return behind(name, "torch") != NULL || behind(name, "_operator") != NULL || behind(name, "math") != NULL
		   ? PT2_ACTS
		   : PT2_UNLISTED;
}
