/* Names in skops' trees: see skops_types.h.  What skops.io trusts unasked (its _trusted_types), and by formats/others what
 * else scikit-learn, NumPy and scipy.sparse have of classes: they take their attributes from the tree and call nothing while they
 * are made. */
#include "skops_types.h"

#include <string.h>

#include "known.h"

static bool is(struct bytes b, const char *text)
{
	return bytes_equal(b, bytes_of_text(text));
}

static bool is_one_of(struct bytes b, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is(b, words[i]))
			return true;
	return false;
}

#define ONE_OF(b, list) is_one_of(b, list, sizeof(list) / sizeof((list)[0]))

/* `package` or `package.anything`. */
static bool is_in(struct bytes module, const char *package)
{
	size_t n = strlen(package);

	return module.n >= n && memcmp(module.at, package, n) == 0 && (module.n == n || module.at[n] == '.');
}

static bool is_letter(uint8_t c, bool upper)
{
	return upper ? c >= 'A' && c <= 'Z' : c >= 'a' && c <= 'z';
}

/* Letters, digits and underscores. */
static bool is_word(struct bytes b)
{
	for (size_t i = 0; i < b.n; i++) {
		uint8_t c = b.at[i];

		if (!is_letter(c, true) && !is_letter(c, false) && !(c >= '0' && c <= '9') && c != '_')
			return false;
	}
	return b.n > 0;
}

/* Classes are called in capitals, maybe behind underscores: functions and modules that a module has imported are not. */
static bool is_class_name(struct bytes name)
{
	size_t i = 0;

	while (i < name.n && name.at[i] == '_')
		i++;
	return i < name.n && i < 2 && is_letter(name.at[i], true) && is_word(name);
}

/* -- classes -- */

static const char *const builtin_classes[] = { "dict", "list", "tuple", "set", "frozenset", "str", "int", "float",
	"bool", "bytes", "bytearray", "complex", "slice", "range", "NoneType" };

static const char *const numpy_classes[] = { "ndarray", "dtype", "generic", "bool_", "bool", "byte", "ubyte", "short",
	"ushort", "intc", "uintc", "int_", "uint", "long", "ulong", "longlong", "ulonglong", "intp", "uintp", "int8",
	"int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "half", "single", "double", "longdouble",
	"float16", "float32", "float64", "float96", "float128", "csingle", "cdouble", "clongdouble", "complex64",
	"complex128", "complex192", "complex256", "datetime64", "timedelta64", "object_", "str_", "bytes_", "void",
	"number", "integer", "floating", "inexact", "signedinteger", "unsignedinteger", "complexfloating", "flexible",
	"character", "matrix" };

static const struct {
	const char *module, *name;
} others[] = {
	{ "collections", "OrderedDict" },
	{ "collections", "defaultdict" },
	{ "collections", "Counter" },
	{ "numpy.ma", "MaskedArray" },
	{ "numpy.ma.core", "MaskedArray" },
	{ "numpy.random", "RandomState" },
	{ "numpy.random.mtrand", "RandomState" },
	{ "numpy.random", "Generator" },
	{ "numpy.random._generator", "Generator" },
};

/* Parts of scikit-learn that fetch, build and test, and that hand on other packages' classes (joblib.Memory unpickles what
 * it finds where it is told, types.MethodType). */
static const char *const sklearn_tools[] = { "sklearn.datasets", "sklearn.externals", "sklearn.tests",
	"sklearn._build_utils", "sklearn.__check_build", "sklearn.conftest", "sklearn.utils._testing",
	"sklearn.utils.tests", "sklearn.utils._mocking", "sklearn.utils.parallel", "sklearn._min_dependencies",
	"sklearn.utils._joblib", "sklearn.utils._available_if", "sklearn.utils.discovery",
	"sklearn.utils.estimator_checks" };

/* Modules called so are scripts wherever they are: importing them runs them. */
static bool holds_script(struct bytes module)
{
	static const char *const scripts[] = { "tests", "setup", "conftest" };

	for (size_t begin = 0, end = 0; end <= module.n; end++) {
		if (end < module.n && module.at[end] != '.')
			continue;
		if (ONE_OF(bytes_of(module.at + begin, end - begin), scripts))
			return true;
		begin = end + 1;
	}
	return false;
}

static bool is_sklearn(struct bytes module, struct bytes name)
{
	if (!is_in(module, "sklearn") || !is_class_name(name) || holds_script(module))
		return false;
	for (size_t i = 0; i < sizeof(sklearn_tools) / sizeof(sklearn_tools[0]); i++)
		if (is_in(module, sklearn_tools[i]))
			return false;
	return true;
}

/* csr_matrix, csr_array and their like. */
static bool is_sparse(struct bytes module, struct bytes name)
{
	static const char *const kinds[] = { "csr", "csc", "coo", "bsr", "dia", "dok", "lil" };

	if (!is_in(module, "scipy.sparse") || name.n < 4 || name.at[3] != '_' || !ONE_OF(bytes_of(name.at, 3), kinds))
		return false;
	return is(bytes_of(name.at + 4, name.n - 4), "matrix") || is(bytes_of(name.at + 4, name.n - 4), "array");
}

static bool is_other(struct bytes module, struct bytes name)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (is(module, others[i].module) && is(name, others[i].name))
			return true;
	return false;
}

static bool is_denied(struct bytes module, struct bytes name)
{
	enum pickle_tier tier = pickle_name_standing(module, name, NULL).tier;

	return tier == PICKLE_TIER_DENIED || tier == PICKLE_TIER_INVALID || module.n > SKOPS_NAME_MAX ||
	       name.n > SKOPS_NAME_MAX;
}

enum skops_standing skops_type_standing(struct bytes module, struct bytes name)
{
	bool trusted = (is(module, "builtins") && ONE_OF(name, builtin_classes)) ||
		       (is(module, "numpy") && ONE_OF(name, numpy_classes)) || is_sparse(module, name) ||
		       is_other(module, name);

	if (trusted)
		return SKOPS_TRUSTED;
	if (is_denied(module, name))
		return SKOPS_DANGEROUS;
	return is_sklearn(module, name) ? SKOPS_TRUSTED : SKOPS_UNLISTED;
}

/* -- functions -- */

/* NumPy's elementwise functions (numpy.ufunc). */
static const char *const numpy_functions[] = { "abs", "absolute", "acos", "acosh", "add", "arccos", "arccosh", "arcsin",
	"arcsinh", "arctan", "arctan2", "arctanh", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and",
	"bitwise_count", "bitwise_invert", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift",
	"bitwise_xor", "cbrt", "ceil", "conj", "conjugate", "copysign", "cos", "cosh", "deg2rad", "degrees", "divide",
	"divmod", "equal", "exp", "exp2", "expm1", "fabs", "float_power", "floor", "floor_divide", "fmax", "fmin",
	"fmod", "frexp", "gcd", "greater", "greater_equal", "heaviside", "hypot", "invert", "isfinite", "isinf",
	"isnan", "isnat", "lcm", "ldexp", "left_shift", "less", "less_equal", "log", "log10", "log1p", "log2",
	"logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor", "matmul", "matvec",
	"maximum", "minimum", "mod", "modf", "multiply", "negative", "nextafter", "not_equal", "positive", "pow",
	"power", "rad2deg", "radians", "reciprocal", "remainder", "right_shift", "rint", "sign", "signbit", "sin",
	"sinh", "spacing", "sqrt", "square", "subtract", "tan", "tanh", "true_divide", "trunc", "vecdot", "vecmat" };

static const char *const numpy_modules[] = { "numpy", "numpy.core._multiarray_umath", "numpy._core._multiarray_umath",
	"numpy.core.umath", "numpy._core.umath" };

/* These hold nothing but such functions, and what says how their errors are told. */
static const char *const scipy_modules[] = { "scipy.special._ufuncs", "scipy.special._ufuncs_cxx",
	"scipy.special._special_ufuncs", "scipy.special._gufuncs" };

/* Of the package itself those that are such functions and that models use. */
static const char *const scipy_functions[] = { "expit", "logit", "log_expit", "erf", "erfc", "erfinv", "erfcinv",
	"erfcx", "ndtr", "ndtri", "log_ndtr", "gammaln", "loggamma", "gamma", "gammainc", "gammaincc", "digamma", "psi",
	"beta", "betaln", "betainc", "boxcox", "boxcox1p", "inv_boxcox", "inv_boxcox1p", "xlogy", "xlog1py", "entr",
	"rel_entr", "kl_div", "huber", "pseudo_huber", "exp2", "exp10", "exprel", "expm1", "log1p", "cbrt", "cosdg",
	"sindg", "tandg", "radian", "round", "i0", "i1", "j0", "j1", "y0", "y1", "k0", "k1", "iv", "jv", "kv", "yv" };

enum skops_standing skops_function_standing(struct bytes module, struct bytes name)
{
	if ((ONE_OF(module, numpy_modules) && ONE_OF(name, numpy_functions)) ||
	    (is(module, "scipy.special") && ONE_OF(name, scipy_functions)) ||
	    (ONE_OF(module, scipy_modules) && is_word(name) && (is_letter(name.at[0], false))))
		return SKOPS_TRUSTED;
	return is_denied(module, name) ? SKOPS_DANGEROUS : SKOPS_UNLISTED;
}
