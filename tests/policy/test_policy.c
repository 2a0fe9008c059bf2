/* Policies as a whole: built-in ones, files, the canonical text and its digest. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "pickle_names.h"
#include "policy_impl.h"

static struct policy *parse(const char *text)
{
	char error[POLICY_ERROR_MAX];
	struct policy *p = NULL;

	ck_assert_msg(policy_parse((const uint8_t *)text, strlen(text), "hub.yaml", &p, error) == 0, "%s", error);
	ck_assert_str_eq(error, "");
	return p;
}

static void check_round_trip(const struct policy *p)
{
	char *text = policy_show(p);
	struct policy *again = parse(text);
	char *text_again = policy_show(again);

	ck_assert_str_eq(text, text_again);
	ck_assert_str_eq(policy_sha256(p), policy_sha256(again));
	ck_assert_str_eq(policy_name(p), policy_name(again));
	policy_free(again);
	free(text);
	free(text_again);
}

START_TEST(test_builtins_show_themselves_and_read_back)
{
	for (const char *const *name = policy_builtin_names; *name != NULL; name++) {
		struct policy *p = NULL;

		ck_assert_int_eq(policy_by_name(*name, &p), 0);
		ck_assert_str_eq(policy_name(p), *name);
		ck_assert_int_eq(strlen(policy_sha256(p)), 64);
		check_round_trip(p);
		policy_free(p);
	}
}
END_TEST

START_TEST(test_builtins_differ_in_their_digest)
{
	struct policy *a = NULL, *b = NULL;

	for (const char *const *x = policy_builtin_names; *x != NULL; x++) {
		for (const char *const *y = x + 1; *y != NULL; y++) {
			ck_assert_int_eq(policy_by_name(*x, &a), 0);
			ck_assert_int_eq(policy_by_name(*y, &b), 0);
			ck_assert_str_ne(policy_sha256(a), policy_sha256(b));
			policy_free(a);
			policy_free(b);
		}
	}
}
END_TEST

START_TEST(test_builtin_rules_name_only_codes_that_exist)
{
	for (const char *const *name = policy_builtin_names; *name != NULL; name++) {
		const struct builtin *b = builtin_by_name(*name);

		for (size_t i = 0; i < b->n_rules; i++) {
			bool any = b->rules[i].code == NULL;

			for (unsigned code = 0; !any && code < WLK_N_FINDINGS; code++)
				any = glob_match(
				    b->rules[i].code, bytes_of_text(finding_info((enum wlk_finding)code)->code));
			ck_assert_msg(any, "%s: %s", *name, b->rules[i].code);
		}
	}
}
END_TEST

static void shows(const char *name, const char *want)
{
	struct policy *p = NULL;
	char *text;

	ck_assert_int_eq(policy_by_name(name, &p), 0);
	text = policy_show(p);
	ck_assert_msg(strstr(text, want) != NULL, "%s", text);
	free(text);
	policy_free(p);
}

/* So the digest of a file changes with the rules of its base. */
START_TEST(test_the_text_shows_the_rules_of_the_base)
{
	shows("strict", "#  - action: reject\n#    severity: \"medium\"\n");
	shows("ci", "#  - action: accept\n#    code: \"repo-code\"\n");
	shows("reference", "#  - action: review\n#    code: \"polyglot-*\"\n#    format: \"safetensors\"\n");
	shows("strict",
	    "formats:\n  allow: [safetensors, deathtensors, npy, npz, gguf, keras-hdf5, keras-zip, onnx, tflite, "
	    "flax-msgpack, safetensors-index, set, external-weights]\n");
}
END_TEST

START_TEST(test_an_unknown_name_is_no_policy)
{
	struct policy *p = NULL;

	ck_assert_int_eq(policy_by_name("lax", &p), -ENOENT);
	ck_assert_int_eq(policy_by_name("", &p), -ENOENT);
	ck_assert_ptr_null(p);
}
END_TEST

static const char full[] = "version: 1\n"
			   "name: full\n"
			   "base: reference\n"
			   "limits:\n"
			   "  file-size: 200 GiB\n"
			   "  header-bytes: 25MiB\n"
			   "  tensors: 2097152\n"
			   "  scan-seconds: 1\n"
			   "formats: {allow: [safetensors], deny: [lfs-pointer]}\n"
			   "pickle:\n"
			   "  allow: [mylib.layers.Block, _a.b]\n"
			   "rules:\n"
			   "  - code: weights-nan\n"
			   "    class: '*'\n"
			   "    severity: medium\n"
			   "    format: safetensors\n"
			   "    path: 'it''s/\\*'\n"
			   "    member: m\n"
			   "    subject: \"a \\\"b\\\" # c: d\"\n"
			   "    found: 'f?'\n"
			   "    allowed: '1*'\n"
			   "    tenant: t\n"
			   "    sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n"
			   "    action: accept\n"
			   "    reason: ' spaces kept '\n"
			   "    owner: me\n"
			   "    expires: 2027-01-31\n";

START_TEST(test_every_key_survives_the_round_trip)
{
	struct policy *p = parse(full);
	const struct rule *r = &p->rules[0];

	check_round_trip(p);
	ck_assert_uint_eq(p->n_rules, 1);
	ck_assert_str_eq(r->path, "it's/\\*");
	ck_assert_str_eq(r->subject, "a \"b\" # c: d");
	ck_assert_str_eq(r->found, "f?");
	ck_assert_str_eq(r->allowed, "1*");
	ck_assert_str_eq(r->reason, " spaces kept ");
	ck_assert_int_eq(r->action, ACTION_ACCEPT);
	ck_assert_uint_eq(r->line, 13);
	ck_assert_uint_eq(p->n_pickle_names, 2);
	ck_assert_str_eq(p->pickle_names[0], "_a.b");
	ck_assert(bytes_equal(policy_pickle_names(p), bytes_of_text("_a.b\nmylib.layers.Block\n")));
	ck_assert(p->deny[WLK_FORMAT_LFS_POINTER]);
	policy_free(p);
}
END_TEST

START_TEST(test_limits_are_lowered_and_the_rest_stays)
{
	struct policy *p = parse(full);
	const struct limits defaults = LIMITS_DEFAULT;
	const struct limits *lim = policy_limits(p);

	ck_assert_uint_eq(lim->file_size, UINT64_C(200) << 30);
	ck_assert_uint_eq(lim->header_bytes, UINT64_C(25) << 20);
	ck_assert_uint_eq(lim->tensors, defaults.tensors);
	ck_assert_uint_eq(lim->scan_seconds, 1);
	ck_assert_uint_eq(lim->metadata_keys, defaults.metadata_keys);
	ck_assert_uint_eq(lim->memory, defaults.memory);
	policy_free(p);
}
END_TEST

static void digest_differs(const char *a, const char *b)
{
	struct policy *p = parse(a), *q = parse(b);

	ck_assert_str_ne(policy_sha256(p), policy_sha256(q));
	policy_free(p);
	policy_free(q);
}

START_TEST(test_packs_and_names_become_one_sorted_list)
{
	struct policy *p = parse("version: 1\npickle: {packs: [numpy-random, scipy-sparse], allow: [z.z, a.b]}\n");
	struct policy *q = parse("version: 1\npickle: {allow: [a.b, z.z], packs: [scipy-sparse, numpy-random]}\n");
	struct bytes lines = policy_pickle_names(p);

	ck_assert(pickle_names_valid(lines));
	ck_assert(lines.n > 200 && memcmp(lines.at, "a.b\n", 4) == 0);
	ck_assert(memcmp(lines.at + lines.n - 4, "z.z\n", 4) == 0);
	ck_assert(bytes_equal(lines, policy_pickle_names(q)));
	ck_assert_str_eq(policy_sha256(p), policy_sha256(q));
	check_round_trip(p);
	policy_free(p);
	policy_free(q);
}
END_TEST

/* Two ways of saying one thing. */
START_TEST(test_a_pack_may_be_named_twice_and_hold_a_name_of_the_list)
{
	struct policy *p = parse("version: 1\npickle: {packs: [numpy-random]}\n");
	struct policy *q = parse("version: 1\npickle: {packs: [numpy-random, numpy-random], "
				 "allow: [numpy.random._mt19937.MT19937 value]}\n");

	ck_assert_str_eq(policy_sha256(p), policy_sha256(q));
	policy_free(p);
	policy_free(q);
}
END_TEST

START_TEST(test_all_packs_fit_together)
{
	struct policy *p =
	    parse("version: 1\npickle: {packs: [gymnasium, lightgbm, lightning, numpy, numpy-random, pandas, scipy, "
		  "scipy-sparse, "
		  "sklearn, spacy, stable-baselines3, statsmodels, torch-nn, transformers, ultralytics, xgboost]}\n");

	ck_assert_uint_gt(p->n_pickle_names, 800);
	ck_assert(pickle_names_valid(policy_pickle_names(p)));
	policy_free(p);
}
END_TEST

/* A policy that allows names of 257 bytes, a line end each included: 382 of them are 98,174 bytes. */
static bool allows_names(size_t n)
{
	static char text[256 * 1024];
	char error[POLICY_ERROR_MAX];
	struct policy *p = NULL;
	size_t at = (size_t)sprintf(text, "version: 1\npickle:\n  allow:\n");
	int r;

	for (size_t i = 0; i < n; i++) {
		at += (size_t)sprintf(text + at, "    - a%03zu.", i);
		memset(text + at, 'x', 251);
		at += 251;
		text[at++] = '\n';
	}
	r = policy_parse((const uint8_t *)text, at, "long.yaml", &p, error);
	if (r == 0)
		policy_free(p);
	return r == 0;
}

START_TEST(test_names_are_bounded_by_what_a_job_carries)
{
	ck_assert(allows_names(382));
	ck_assert(!allows_names(383));
}
END_TEST

START_TEST(test_the_digest_sees_every_change)
{
	digest_differs("version: 1\n", "version: 1\nname: other\n");
	digest_differs("version: 1\n", "version: 1\nbase: ci\n");
	digest_differs("version: 1\n", "version: 1\nlimits: {tensors: 2097151}\n");
	digest_differs("version: 1\n", "version: 1\nformats: {deny: [lfs-pointer]}\n");
	digest_differs("version: 1\n", "version: 1\nformats: {allow: []}\n");
	digest_differs("version: 1\n", "version: 1\npickle: {allow: [a.b]}\n");
	digest_differs("version: 1\n", "version: 1\npickle: {packs: [sklearn]}\n");
	digest_differs("version: 1\nrules:\n- {action: review, reason: a}\n",
	    "version: 1\nrules:\n- {action: review, reason: b}\n");
}
END_TEST

START_TEST(test_the_digest_does_not_see_how_it_is_written)
{
	struct policy *p = parse("version: 1\n# comment\nrules:\n- action: review\n  reason: a\n");
	struct policy *q =
	    parse("{rules: [{reason: 'a', action: \"review\"}], version: 1, limits: {tensors: 2097152}}");

	ck_assert_str_eq(policy_sha256(p), policy_sha256(q));
	policy_free(p);
	policy_free(q);
}
END_TEST

START_TEST(test_the_name_comes_from_the_file_without_folder_and_extension)
{
	char error[POLICY_ERROR_MAX];
	struct policy *p = NULL;

	ck_assert_int_eq(
	    policy_parse((const uint8_t *)"version: 1\n", 11, "/etc/weighlock/hub.prod.yaml", &p, error), 0);
	ck_assert_str_eq(policy_name(p), "hub.prod");
	policy_free(p);
}
END_TEST

START_TEST(test_formats_are_allowed_as_said)
{
	struct policy *p = parse("version: 1\n");
	struct policy *q = parse("version: 1\nformats: {allow: [safetensors]}\n");
	struct policy *r = parse("version: 1\nformats: {deny: [safetensors, lfs-pointer]}\n");
	struct policy *s = parse("version: 1\nformats: {allow: []}\n");

	ck_assert(policy_allows_format(p, WLK_FORMAT_SAFETENSORS));
	ck_assert(policy_allows_format(p, WLK_FORMAT_UNKNOWN));
	ck_assert(policy_allows_format(q, WLK_FORMAT_SAFETENSORS));
	ck_assert(!policy_allows_format(q, WLK_FORMAT_UNKNOWN));
	ck_assert(policy_allows_format(q, WLK_FORMAT_LFS_POINTER)); /* no model: its own finding decides */
	ck_assert(!policy_allows_format(r, WLK_FORMAT_SAFETENSORS));
	ck_assert(!policy_allows_format(r, WLK_FORMAT_LFS_POINTER));
	ck_assert(policy_allows_format(r, WLK_FORMAT_UNKNOWN));
	ck_assert(!policy_allows_format(s, WLK_FORMAT_SAFETENSORS));
	policy_free(p);
	policy_free(q);
	policy_free(r);
	policy_free(s);
}
END_TEST

START_TEST(test_load_reads_a_regular_file_only)
{
	char dir[] = "/tmp/weighlock-policy-XXXXXX", path[64], error[POLICY_ERROR_MAX];
	struct policy *p = NULL;
	FILE *out;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/hub.yaml", dir);
	ck_assert_int_eq(policy_load(path, &p, error), -ENOENT);
	ck_assert_ptr_nonnull(strstr(error, "cannot read the policy: No such file"));
	ck_assert_int_eq(policy_load(dir, &p, error), -EISDIR);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(policy_load(path, &p, error), -EINVAL); /* and does not wait for a writer */
	ck_assert_ptr_nonnull(strstr(error, "not a regular file"));
	ck_assert_int_eq(unlink(path), 0);
	out = fopen(path, "w");
	fputs("version: 1\nbase: strict\n", out);
	fclose(out);
	ck_assert_int_eq(policy_load(path, &p, error), 0);
	ck_assert_str_eq(policy_name(p), "hub");
	policy_free(p);
	unlink(path);
	rmdir(dir);
}
END_TEST

START_TEST(test_warnings_tell_expired_rules_and_globs_without_a_code)
{
	struct policy *p = parse("version: 1\nrules:\n"
				 "- {code: weights-nan, action: accept, reason: r, expires: 2026-11-20}\n"
				 "- {code: weights-inf, action: accept, reason: r, expires: 2026-11-21}\n"
				 "- {code: wieghts-*, action: reject, reason: r}\n");
	char *text = policy_warnings(p, INT64_C(1795219200));

	ck_assert_str_eq(text, "line 3: this rule expired on 2026-11-20 and no longer applies\n"
			       "line 5: no known code matches 'wieghts-*'\n");
	free(text);
	policy_free(p);
}
END_TEST

/* A baseline that is sound for policy default. */
static void check_baseline(const char *text)
{
	char path[] = "/tmp/weighlock-baseline-XXXXXX", error[POLICY_ERROR_MAX];
	struct policy *p = NULL;
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	ck_assert_int_eq(policy_by_name("default", &p), 0);
	ck_assert_msg(policy_add_baseline(p, path, error) == 0, "%s", error);
	ck_assert_str_eq(policy_name(p), "default.baseline");
	policy_free(p);
	unlink(path);
}

/* The examples stand between lines of three backquotes. */
START_TEST(test_the_examples_of_the_manual_page_are_policies)
{
	char line[512], example[4096];
	bool inside = false;
	int n = 0;
	FILE *in = fopen(MAN_PAGE, "r");

	ck_assert_ptr_nonnull(in);
	while (fgets(line, sizeof(line), in) != NULL) {
		if (strcmp(line, "```\n") != 0) {
			if (inside)
				strncat(example, line, sizeof(example) - strlen(example) - 1);
			continue;
		}
		if (inside && strstr(example, "findings:") != NULL) {
			check_baseline(example);
			n++;
		} else if (inside) {
			policy_free(parse(example));
			n++;
		}
		inside = !inside;
		example[0] = '\0';
	}
	fclose(in);
	ck_assert_int_eq(n, 4);
}
END_TEST

START_TEST(test_the_help_names_every_builtin)
{
	for (const char *const *name = policy_builtin_names; *name != NULL; name++)
		ck_assert_ptr_nonnull(strstr(policy_builtin_help, *name));
	ck_assert_int_eq(policy_builtin_help[strlen(policy_builtin_help) - 1], '\n');
}
END_TEST

START_TEST(test_action_texts_are_the_wire_contract)
{
	ck_assert_str_eq(policy_action_text(ACTION_ACCEPT), "accept");
	ck_assert_str_eq(policy_action_text(ACTION_REVIEW), "review");
	ck_assert_str_eq(policy_action_text(ACTION_REJECT), "reject");
}
END_TEST

START_TEST(test_a_pack_can_be_asked_for_as_it_was)
{
	static const char *const wrong[] = { "sklearn@", "sklearn@0", "sklearn@01", "sklearn@99", "sklearn@1x",
		"sklear@1", "@1", "sklearn@99999999999999999999" };
	struct policy *now = NULL, *then = NULL;

	ck_assert_int_eq(policy_by_name("default", &now), 0);
	ck_assert_int_eq(policy_by_name("default", &then), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(policy_add_pack(then, wrong[i]) == -ENOENT, "%s", wrong[i]);
	ck_assert_int_eq(policy_add_pack(now, "sklearn"), 0);
	ck_assert_int_eq(policy_add_pack(then, "sklearn@1"), 0);
	ck_assert_uint_eq(policy_pickle_names(now).n, policy_pickle_names(then).n);
	ck_assert_str_eq(policy_sha256(now), policy_sha256(then));
	policy_free(now);
	policy_free(then);
}
END_TEST

HARNESS("policy", test_a_pack_can_be_asked_for_as_it_was, test_builtins_show_themselves_and_read_back,
    test_builtins_differ_in_their_digest, test_builtin_rules_name_only_codes_that_exist,
    test_the_text_shows_the_rules_of_the_base, test_an_unknown_name_is_no_policy,
    test_every_key_survives_the_round_trip, test_limits_are_lowered_and_the_rest_stays,
    test_packs_and_names_become_one_sorted_list, test_a_pack_may_be_named_twice_and_hold_a_name_of_the_list,
    test_all_packs_fit_together, test_names_are_bounded_by_what_a_job_carries, test_the_digest_sees_every_change,
    test_the_digest_does_not_see_how_it_is_written, test_the_name_comes_from_the_file_without_folder_and_extension,
    test_formats_are_allowed_as_said, test_load_reads_a_regular_file_only,
    test_warnings_tell_expired_rules_and_globs_without_a_code, test_the_examples_of_the_manual_page_are_policies,
    test_the_help_names_every_builtin, test_action_texts_are_the_wire_contract)
