/* From a kept report to a verdict: the key says everything a report depends on, and what is read back is believed no more
 * than a worker. */
#include <errno.h>
#include <string.h>

#include "entry.h"
#include "facts_version.h"
#include "harness.h"
#include "report.h"
#include "stored.h"

#define NOW INT64_C(1795219200)

static const struct policy *policy_of(const char *text)
{
	static struct policy *made[8];
	static size_t n = 1; /* the first is the built-in one */
	char error[POLICY_ERROR_MAX];
	int r;

	if (!text) {
		ck_assert(made[0] || policy_by_name("default", &made[0]) == 0);
		return made[0];
	}
	r = policy_parse((const uint8_t *)text, strlen(text), "test.yaml", &made[n], error);

	ck_assert_msg(r == 0, "%s", error);
	return made[n++];
}

/* ---- the key ---- */

static uint8_t sha256[32] = { 1, 2, 3 };

static void key_of(const struct policy *p, const char *name, bool idle, uint8_t key[STORE_KEY_BYTES])
{
	stored_key(STORED_FOR_ALL, p, name, sha256, idle, key);
}

static bool same(const struct policy *p, const char *name, bool idle)
{
	uint8_t a[STORE_KEY_BYTES], b[STORE_KEY_BYTES];

	key_of(policy_of(NULL), "a.safetensors", idle, a);
	key_of(p, name, idle, b);
	return memcmp(a, b, sizeof(a)) == 0;
}

START_TEST(test_key_does_not_depend_on_what_is_judged_later)
{
	ck_assert(same(policy_of(NULL), "b.safetensors", false));
	ck_assert(same(policy_of("version: 1\nrules:\n- {code: weights-nan, action: reject, reason: no}\n"),
	    "a.safetensors", false));
}
END_TEST

START_TEST(test_key_has_the_policys_names_where_they_were_looked_for)
{
	static const char pack[] = "version: 1\npickle: {allow: [mine.Thing]}\n";

	ck_assert(same(policy_of(pack), "a.safetensors", true));
	ck_assert(!same(policy_of(pack), "a.safetensors", false));
}
END_TEST

START_TEST(test_key_depends_on_everything_that_can_change_the_facts)
{
	ck_assert(!same(policy_of(NULL), "a.gguf", false));
	ck_assert(!same(policy_of(NULL), NULL, false));
	ck_assert(!same(policy_of("version: 1\nlimits: {tensors: 10}\n"), "a.safetensors", false));
	sha256[31] = 1;
	ck_assert(same(policy_of(NULL), "a.safetensors", false));
}
END_TEST

START_TEST(test_key_depends_on_the_digest)
{
	uint8_t a[STORE_KEY_BYTES], b[STORE_KEY_BYTES];

	key_of(policy_of(NULL), "a", false, a);
	sha256[31] ^= 1;
	key_of(policy_of(NULL), "a", false, b);
	ck_assert(memcmp(a, b, sizeof(a)) != 0);
}
END_TEST

START_TEST(test_key_depends_on_whose_report_it_is)
{
	static const uint64_t owners[] = { STORED_FOR_ALL, 0, 1000, UINT32_MAX };
	uint8_t keys[4][STORE_KEY_BYTES];

	for (size_t i = 0; i < 4; i++) {
		stored_key(owners[i], policy_of(NULL), "a", sha256, false, keys[i]);
		for (size_t j = 0; j < i; j++)
			ck_assert(memcmp(keys[i], keys[j], sizeof(keys[i])) != 0);
	}
}
END_TEST

/* ---- an entry ---- */

static uint8_t buffer[1 << 16];
static size_t used;

static bool take(void *ctx, const uint8_t *at, size_t n)
{
	(void)ctx;
	memcpy(buffer + used, at, n);
	used += n;
	return true;
}

static uint64_t clock_now;

static uint64_t clock_ms(void *ctx)
{
	(void)ctx;
	return clock_now += 1000;
}

static const char *made_for = "a.safetensors";
static uint64_t changed; /* bits of the engine's version that the entry has differently */

/* A report with one finding, and progress in between, behind an entry's head. */
static struct bytes make_entry(const struct report_final *final)
{
	const struct entry e = { .source = VERDICT_SEALED,
		.scanned_at = NOW - 1000,
		.us = 2500,
		.layers = 5,
		.facts = facts_version(final, format_hint(made_for)) ^ changed };
	struct report r;

	used = ENTRY_HEAD;
	entry_head(&e, buffer);
	report_init(&r, take, clock_ms, NULL);
	report_progress(&r, 100); /* the clock starts here, so only the second one is sent */
	report_at(&r, WLK_F_ST_UNKNOWN_FIELD, 8);
	report_progress(&r, 200);
	report_end(&r, final);
	return bytes_of(buffer, used);
}

static struct report_final sound(void)
{
	return (struct report_final){ .size = 4096,
		.bytes = 4096,
		.complete = true,
		.format = WLK_FORMAT_SAFETENSORS,
		.reader = WLK_FORMAT_SAFETENSORS,
		.chosen = REPORT_PROBED };
}

static const char *const layers[] = { "one", "two", "three" };

static int judge(struct bytes entry, uint64_t size, const char *name, struct verdict *ret)
{
	struct store_row row = { .size = size, .entry = entry };
	const struct verdict_context c = {
		.name = name, .request_id = "r", .layer_names = layers, .n_layers = 3, .started_at = NOW
	};

	memcpy(row.sha256, sha256, sizeof(sha256));
	return stored_verdict(policy_of(NULL), &row, &c, ret);
}

static int refused(struct bytes entry)
{
	struct verdict v;
	int r = judge(entry, 4096, "a.safetensors", &v);

	if (r == 0)
		json_decref(v.json);
	return r;
}

START_TEST(test_progress_is_left_out_and_nothing_else)
{
	struct report_final f = sound();
	struct entry e;
	size_t n, stripped;

	ck_assert(entry_decode(make_entry(&f), &e));
	n = e.report.n;
	stripped = entry_strip(buffer + ENTRY_HEAD, n);
	ck_assert_uint_eq(stripped, n - 13);
	ck_assert_uint_eq(entry_strip(buffer + ENTRY_HEAD, stripped), stripped);
	ck_assert_int_eq(refused(bytes_of(buffer, ENTRY_HEAD + stripped)), 0);
}
END_TEST

START_TEST(test_verdict_is_made_anew_and_says_when_the_scan_was)
{
	struct report_final f = sound();
	struct verdict a, b, a_again;
	const json_t *scan;

	ck_assert_int_eq(judge(make_entry(&f), 4096, "a.safetensors", &a), 0);
	made_for = "b.py";
	ck_assert_int_eq(judge(make_entry(&f), 4096, "b.py", &b), 0);
	made_for = "a.safetensors";
	ck_assert_int_eq(judge(make_entry(&f), 4096, "b.py", &a_again), -ESTALE); /* the name had its say */
	scan = json_object_get(a.json, "scan");
	ck_assert(json_is_true(json_object_get(scan, "cached")));
	ck_assert_str_eq(json_string_value(json_object_get(scan, "time")), "2026-11-20T23:43:20Z");
	ck_assert_str_eq(json_string_value(json_object_get(scan, "source")), "sealed");
	ck_assert_uint_eq(json_array_size(json_object_get(scan, "layers")), 2);
	ck_assert_str_eq(json_string_value(json_array_get(json_object_get(scan, "layers"), 1)), "three");
	ck_assert_uint_eq(json_array_size(json_object_get(a.json, "findings")), 1);
	/* the name is looked at now: the second one has a finding of its own */
	ck_assert_uint_eq(json_array_size(json_object_get(b.json, "findings")), 2);
	json_decref(a.json);
	json_decref(b.json);
}
END_TEST

START_TEST(test_entry_that_is_cut_longer_or_changed_is_refused_or_sound)
{
	struct report_final f = sound();
	struct bytes entry = make_entry(&f);

	for (size_t n = 0; n < entry.n; n++)
		ck_assert_int_eq(refused(bytes_of(entry.at, n)), -EBADMSG);
	buffer[entry.n] = 0;
	ck_assert_int_eq(refused(bytes_of(entry.at, entry.n + 1)), -EBADMSG);
	for (size_t i = 0; i < entry.n; i++) {
		int r;

		buffer[i] ^= 0x80;
		r = refused(entry);
		ck_assert(r == 0 || r == -EBADMSG || r == -ESTALE);
		buffer[i] ^= 0x80;
	}
	ck_assert_int_eq(refused(entry), 0);
}
END_TEST

START_TEST(test_report_by_other_rules_is_stale_whichever_bit_they_differ_in)
{
	struct report_final f = sound();

	for (unsigned bit = 0; bit < 64; bit++) {
		changed = UINT64_C(1) << bit;
		ck_assert_int_eq(refused(make_entry(&f)), -ESTALE);
	}
	changed = 0;
	ck_assert_int_eq(refused(make_entry(&f)), 0);
}
END_TEST

START_TEST(test_report_that_is_not_whole_complete_and_about_these_bytes_is_refused)
{
	struct report_final f = sound();
	struct verdict v;

	ck_assert_int_eq(judge(make_entry(&f), 4097, NULL, &v), -EBADMSG); /* the row says another size */
	f.complete = false;
	ck_assert_int_eq(refused(make_entry(&f)), -EBADMSG);
	f.cause = WLK_CAUSE_LIMIT_TIME;
	ck_assert_int_eq(refused(make_entry(&f)), -EBADMSG);
	f = sound();
	f.has_digest = true; /* which no worker has */
	ck_assert_int_eq(refused(make_entry(&f)), -EBADMSG);
	f = sound();
	f.bytes = 0;
	ck_assert_int_eq(refused(make_entry(&f)), -EBADMSG);
}
END_TEST

HARNESS("stored", test_key_has_the_policys_names_where_they_were_looked_for,
    test_key_does_not_depend_on_what_is_judged_later, test_key_depends_on_everything_that_can_change_the_facts,
    test_key_depends_on_the_digest, test_key_depends_on_whose_report_it_is, test_progress_is_left_out_and_nothing_else,
    test_verdict_is_made_anew_and_says_when_the_scan_was,
    test_report_by_other_rules_is_stale_whichever_bit_they_differ_in,
    test_entry_that_is_cut_longer_or_changed_is_refused_or_sound,
    test_report_that_is_not_whole_complete_and_about_these_bytes_is_refused)
