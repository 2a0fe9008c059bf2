/* Prints verdicts of the most different kinds, one line each, for test_schema.py: every finding code, every
 * cause, every policy, every source, and texts, numbers and counts at their bounds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exceptions.h"
#include "made_facts.h"

static struct made m;
static struct verdict_context context;

static void fail(const char *what)
{
	fprintf(stderr, "samples: %s\n", what);
	exit(1);
}

static void print_verdict(struct policy *p)
{
	struct verdict v;
	char *text;

	if (verdict_make(p, &m.facts, &context, &v) < 0)
		fail("verdict_make");
	text = verdict_dump(&v);
	if (text == NULL)
		fail("verdict_dump");
	puts(text);
	free(text);
	json_decref(v.json);
}

static void print_for_all_policies(void)
{
	struct policy *p = NULL;

	for (const char *const *name = policy_builtin_names; *name != NULL; name++) {
		if (policy_by_name(*name, &p) < 0)
			fail("policy_by_name");
		print_verdict(p);
		policy_free(p);
	}
}

static void print_for(const char *text)
{
	char error[POLICY_ERROR_MAX];
	struct policy *p = NULL;

	if (policy_parse((const uint8_t *)text, strlen(text), "sample", &p, error) < 0)
		fail(error);
	print_verdict(p);
	policy_free(p);
}

static void fill_values(struct finding *f, unsigned i)
{
	static const char *const subjects[] = { "", "layers.0.weight", "\x1b[31m", "\xff\xfe", "a\\b" };
	static const uint64_t numbers[] = { 0, 1, (UINT64_C(1) << 53) - 1, UINT64_C(1) << 53, UINT64_MAX };

	f->has_offset = i % 3 != 0;
	f->offset = numbers[i % 5];
	f->has_length = i % 4 == 0;
	f->length = numbers[(i + 1) % 5];
	f->subject = bytes_of_text(subjects[i % 5]);
	f->member = bytes_of_text(subjects[(i + 2) % 5]);
	f->found = i % 2 == 0 ? value_number(numbers[(i + 2) % 5]) : value_text(bytes_of_text(subjects[(i + 3) % 5]));
	if (i % 7 != 0)
		f->allowed = value_number(numbers[(i + 3) % 5]);
}

static void print_codes(void)
{
	for (unsigned i = 0; i < WLK_N_FINDINGS; i++) {
		made_init(&m);
		fill_values(made_add(&m, (enum wlk_finding)i), i);
		if (i % 2 == 0)
			m.facts.per_code[i] = i + 5;
		m.facts.final.complete = i % 5 != 0;
		print_for_all_policies();
	}
}

static void print_causes(void)
{
	for (unsigned i = WLK_CAUSE_NONE; i < WLK_N_CAUSES; i++) {
		made_init(&m);
		if (i != WLK_CAUSE_NONE)
			made_stop(&m, (enum wlk_cause)i);
		m.facts.final.has_digest = i % 2 == 0;
		m.facts.has_final = i % 3 != 0;
		m.facts.final.format = (enum wlk_format_id)(i % WLK_N_FORMATS);
		context.source = (enum verdict_source)(i % 4);
		print_for_all_policies();
	}
}

static void print_weights(void)
{
	static const int layer_errno[] = { 0, 38 };
	static const char *const layer_names[] = { "seccomp", "landlock" };

	made_init(&m);
	m.facts.final.totals = (struct report_totals){ .tensors = 3,
		.elements = UINT64_MAX,
		.nan = UINT64_MAX,
		.pos_inf = 1,
		.neg_inf = 2,
		.bool_invalid = 4,
		.nonfinite_omitted = UINT64_MAX };
	for (unsigned i = 0; i < WLK_N_DTYPES; i++)
		m.rows[i] = (struct nonfinite){ .tensor = bytes_of_text("t\n"),
			.dtype = (enum wlk_dtype)i,
			.nan = i,
			.bool_invalid = i % 2,
			.first_offset = UINT64_MAX };
	m.facts.n_rows = WLK_N_DTYPES;
	for (unsigned i = 0; i < WLK_N_FACTS; i++)
		m.extra[i] = (struct fact){ .id = (enum wlk_fact)i,
			.key = bytes_of_text("F32"),
			.value = i % 2 == 0 ? value_number(i) : value_text(bytes_of_text("\x1b")) };
	m.facts.n_facts = WLK_N_FACTS;
	m.facts.final.media_type = bytes_of_text("application/octet-stream\n");
	context.layer_errno = layer_errno;
	context.layer_names = layer_names;
	context.n_layers = 2;
	context.request_id = "id \x7f";
	context.name = NULL;
	context.duration_ms = -1;
	print_for_all_policies();
}

static void print_set_aside(void)
{
	made_init(&m);
	for (unsigned i = 0; i < 10; i++)
		fill_values(made_add(&m, WLK_F_WEIGHTS_NAN), i);
	print_for("version: 1\nrules:\n- {code: weights-nan, subject: '?*', action: accept, reason: r, "
		  "expires: 2026-12-31}\n");
	print_for("version: 1\nformats: {deny: [safetensors]}\n");
}

static void print_excepted(void)
{
	const struct exception x = { .sha256 = "abababababababababababababababababababababababababababababababab",
		.codes = { "weights-nan" },
		.n_codes = 1,
		.reason = "\x1b",
		.owner = "o",
		.expires = "2126-12-31" };
	const struct exception_act act = { .uid = 1, .name = "a\nb", .now = 1 };
	char error[POLICY_ERROR_MAX], *line = NULL;
	struct exceptions *none = NULL, *e = NULL;
	struct policy *p = NULL;

	made_init(&m);
	(void)made_add(&m, WLK_F_WEIGHTS_NAN);
	if (exceptions_parse(bytes_of_text(""), "none", &none, error) < 0 ||
	    exceptions_add_line(none, &x, &act, &line, error) < 0 ||
	    exceptions_parse(bytes_of_text(line), "one", &e, error) < 0 || policy_by_name("default", &p) < 0)
		fail(error);
	policy_except(p, e);
	print_verdict(p);
	policy_except(p, none);
	print_verdict(p);
	policy_free(p);
	exceptions_free(e);
	exceptions_free(none);
	free(line);
}

static void print_pinned(void)
{
	made_init(&m);
	for (unsigned i = 0; i < 10; i++)
		fill_values(made_add(&m, WLK_F_GGUF_RUNTIME_RANGE), i);
	m.facts.per_code[WLK_F_GGUF_RUNTIME_RANGE] = 200;
	print_for("version: 1\npin_rules: 6\n");
	print_for("version: 1\npin_rules: 6\npin_malicious: true\n");
}

int main(void)
{
	context = made_context();
	print_codes();
	print_causes();
	print_weights();
	print_set_aside();
	print_pinned();
	print_excepted();
	return 0;
}
