/* Names that pickles import: what the tables know of them, and what no table can lift. */
#include "harness.h"
#include "known.h"

static struct pickle_standing standing(const char *module, const char *name)
{
	return pickle_name_standing(bytes_of_text(module), bytes_of_text(name), NULL);
}

static enum pickle_tier tier(const char *module, const char *name)
{
	return standing(module, name).tier;
}

START_TEST(test_known_names_have_their_uses_and_rule)
{
	struct pickle_standing s = standing("collections", "OrderedDict");

	ck_assert_int_eq(s.tier, PICKLE_TIER_WEIGHTS);
	ck_assert_uint_eq(
	    s.uses, PICKLE_USE_REF | PICKLE_USE_CALL | PICKLE_USE_NEW | PICKLE_USE_BUILD | PICKLE_USE_SETITEM);
	ck_assert_int_eq(s.rule, PICKLE_RULE_CONTENT);
	s = standing("numpy", "ndarray");
	ck_assert_int_eq(s.tier, PICKLE_TIER_DATA);
	ck_assert_uint_eq(s.uses, PICKLE_USE_REF);
	ck_assert_int_eq(tier("builtins", "getattr"), PICKLE_TIER_CONTEXT);
	ck_assert_int_eq(tier("numpy.random._pickle", "__randomstate_ctor"), PICKLE_TIER_REVIEW);
}
END_TEST

/* First and last rows: where binary search goes wrong. */
START_TEST(test_the_ends_of_the_tables_are_found)
{
	ck_assert_int_eq(tier("_codecs", "encode"), PICKLE_TIER_WEIGHTS);
	ck_assert_int_eq(tier("uuid", "UUID"), PICKLE_TIER_DATA);
	ck_assert_int_eq(tier("IPython", "x"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("zipimport", "zipimporter"), PICKLE_TIER_DENIED);
}
END_TEST

START_TEST(test_what_no_table_has_is_unknown)
{
	ck_assert_int_eq(tier("mymodel", "Net"), PICKLE_TIER_UNKNOWN);
	ck_assert_int_eq(tier("collections", "ordereddict"), PICKLE_TIER_UNKNOWN);
	ck_assert_int_eq(tier("collection", "OrderedDict"), PICKLE_TIER_UNKNOWN);
	ck_assert_int_eq(tier("collections.abc", "OrderedDict"), PICKLE_TIER_UNKNOWN);
	ck_assert_int_eq(tier("o", "system"), PICKLE_TIER_UNKNOWN);
	ck_assert_int_eq(tier("oss", "system"), PICKLE_TIER_UNKNOWN);
	ck_assert_int_eq(tier("OS", "system"), PICKLE_TIER_UNKNOWN);
}
END_TEST

START_TEST(test_denied_modules_are_denied_with_all_that_is_below)
{
	struct pickle_standing s = standing("os", "system");

	ck_assert_int_eq(s.tier, PICKLE_TIER_DENIED);
	ck_assert_str_eq(s.does, "runs commands");
	ck_assert_int_eq(tier("os.path", "join"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("torch._dynamo.guards", "GuardBuilder.get"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("builtins", "eval"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("pandas.core.computation.eval", "eval"), PICKLE_TIER_DENIED);
}
END_TEST

/* CVE-2025-10157, GHSA-5j3x-jp52-966f. */
START_TEST(test_a_denied_path_counts_wherever_it_occurs)
{
	ck_assert_int_eq(tier("torch", "serialization.os.system"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("torch.serialization.os", "system"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("mymodel", "os"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("six.moves.builtins", "eval"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("collections", "abc.sys.exit"), PICKLE_TIER_DENIED);
}
END_TEST

START_TEST(test_ordinary_words_count_at_the_root_and_as_attributes)
{
	ck_assert_int_eq(tier("signal", "raise_signal"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("signal.x", "y"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("scipy.signal", "lti"), PICKLE_TIER_UNKNOWN);
	ck_assert_int_eq(tier("mymodel", "signal.raise_signal"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("mymodel", "signal"), PICKLE_TIER_DENIED);
}
END_TEST

START_TEST(test_dunders_are_denied_and_private_names_are_not)
{
	ck_assert_int_eq(tier("numpy", "__builtins__"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("mymodel.__init__", "Net"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("mymodel", "Net.__reduce__"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("__main__", "Net"), PICKLE_TIER_UNKNOWN);
	ck_assert_int_eq(tier("__main__", "os.system"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("__main__", "__builtins__"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("package.__main__", "Net"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("__main__.a", "Net"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("mymodel", "__ctor"), PICKLE_TIER_UNKNOWN);
	ck_assert_int_eq(tier("mymodel", "____"), PICKLE_TIER_UNKNOWN);
	ck_assert_int_eq(tier("mymodel", "ctor__"), PICKLE_TIER_UNKNOWN);
}
END_TEST

START_TEST(test_dotted_names_on_known_modules_are_denied)
{
	ck_assert_int_eq(tier("collections", "OrderedDict.fromkeys"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("torch", "storage.UntypedStorage"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("tensorflow", "io.read_file"), PICKLE_TIER_UNKNOWN);
}
END_TEST

START_TEST(test_empty_components_cannot_be_imported)
{
	ck_assert_int_eq(tier("", ""), PICKLE_TIER_INVALID);
	ck_assert_int_eq(tier("mymodel", ""), PICKLE_TIER_INVALID);
	ck_assert_int_eq(tier("", "Net"), PICKLE_TIER_INVALID);
	ck_assert_int_eq(tier("mymodel.", "Net"), PICKLE_TIER_INVALID);
	ck_assert_int_eq(tier(".mymodel", "Net"), PICKLE_TIER_INVALID);
	ck_assert_int_eq(tier("os..x", "Net"), PICKLE_TIER_DENIED);
}
END_TEST

/* @n components of one letter, joined. */
static const char *dotted(size_t n)
{
	static char text[4096];

	for (size_t i = 0; i < n; i++)
		memcpy(text + 2 * i, "a.", 2);
	text[2 * n - 1] = '\0';
	return text;
}

START_TEST(test_a_path_has_at_most_32_components)
{
	ck_assert_int_eq(tier(dotted(31), "a"), PICKLE_TIER_UNKNOWN);
	ck_assert_int_eq(tier(dotted(32), "a"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("a", dotted(32)), PICKLE_TIER_DENIED);
}
END_TEST

START_TEST(test_a_name_too_long_to_be_one_is_denied)
{
	static char text[4096];

	memset(text, 'a', sizeof(text) - 1);
	ck_assert_int_eq(tier(text, "a"), PICKLE_TIER_DENIED);
	ck_assert_int_eq(tier("a", text), PICKLE_TIER_DENIED);
	text[1000] = '\0';
	ck_assert_int_eq(tier("a", text), PICKLE_TIER_UNKNOWN);
}
END_TEST

START_TEST(test_the_policy_lifts_unknown_names_alone)
{
	const struct pickle_names extra = { bytes_of_text("mymodel.Net\nmymodel.os\nnumpy.__builtins__\nos.system\n") };

	ck_assert(pickle_names_valid(extra.lines));
	ck_assert_int_eq(
	    pickle_name_standing(bytes_of_text("mymodel"), bytes_of_text("Net"), &extra).tier, PICKLE_TIER_EXTRA);
	ck_assert_int_eq(
	    pickle_name_standing(bytes_of_text("mymodel"), bytes_of_text("Other"), &extra).tier, PICKLE_TIER_UNKNOWN);
	ck_assert_int_eq(
	    pickle_name_standing(bytes_of_text("os"), bytes_of_text("system"), &extra).tier, PICKLE_TIER_DENIED);
	ck_assert_int_eq(
	    pickle_name_standing(bytes_of_text("mymodel"), bytes_of_text("os"), &extra).tier, PICKLE_TIER_DENIED);
	ck_assert_int_eq(pickle_name_standing(bytes_of_text("numpy"), bytes_of_text("__builtins__"), &extra).tier,
	    PICKLE_TIER_DENIED);
}
END_TEST

HARNESS("known", test_known_names_have_their_uses_and_rule, test_the_ends_of_the_tables_are_found,
    test_what_no_table_has_is_unknown, test_denied_modules_are_denied_with_all_that_is_below,
    test_a_denied_path_counts_wherever_it_occurs, test_ordinary_words_count_at_the_root_and_as_attributes,
    test_dunders_are_denied_and_private_names_are_not, test_dotted_names_on_known_modules_are_denied,
    test_empty_components_cannot_be_imported, test_a_path_has_at_most_32_components,
    test_a_name_too_long_to_be_one_is_denied, test_the_policy_lifts_unknown_names_alone)
