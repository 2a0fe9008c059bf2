/* Implements torchscript.h. */
#include "torchscript.h"

#include <string.h>

static bool is_at_or_below(struct bytes module, struct bytes package)
{
	return module.n >= package.n && memcmp(module.at, package.at, package.n) == 0 &&
	       (module.n == package.n || module.at[package.n] == '.');
}

/* Classes that stand in the archive's own source, whose reader makes them; custom classes are C++ of some library.  Whoever
 * loads such a pickle with Python gets an error; the code itself is another finding. */
static bool is_torchscript_class(struct bytes module)
{
	return is_at_or_below(module, bytes_of_text("__torch__"));
}

/* Functions of torch.jit._pickle that return what they are given, and that TorchScript's reader replaces by its own. */
static bool is_torchscript_function(struct bytes module, struct bytes name)
{
	static const char *const names[] = { "build_boollist", "build_doublelist", "build_intlist",
		"build_tensor_from_id", "build_tensorlist", "restore_type_tag" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (bytes_equal(name, bytes_of_text(names[i])))
			return bytes_equal(module, bytes_of_text("torch.jit._pickle"));
	return false;
}

const struct pickle_standing *torchscript_standing(const struct pickle *p, pickle_value global)
{
	static const struct pickle_standing class = { PICKLE_TIER_DATA,
		PICKLE_USE_REF | PICKLE_USE_CALL | PICKLE_USE_NEW | PICKLE_USE_BUILD, PICKLE_RULE_NONE, NULL, false };
	static const struct pickle_standing function = { PICKLE_TIER_DATA, PICKLE_USE_CALL, PICKLE_RULE_NONE, NULL,
		false };
	static const struct pickle_standing custom = { PICKLE_TIER_UNKNOWN, ~0u, PICKLE_RULE_NONE, NULL, false };
	struct bytes module, name;

	if (pickle_kind(p, global) != PICKLE_GLOBAL || !pickle_global(p, global, &module, &name))
		return NULL;
	if (is_at_or_below(module, bytes_of_text("__torch__.torch.classes")))
		return &custom;
	if (is_torchscript_function(module, name))
		return &function;
	return is_torchscript_class(module) ? &class : NULL;
}
