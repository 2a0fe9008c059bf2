/* Sets from hand-made facts: gathering, the document, and the verdict about them, manifest/set_file.c and policy/set_verdict.c. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "exceptions.h"
#include "harness.h"
#include "made_facts.h"
#include "set_verdict.h"
#include "tensor_rows.h"

static struct set_file *set;
static struct verdict v;
static struct policy *policy;

static void setup(void)
{
	char error[POLICY_ERROR_MAX];
	static const char text[] = "version: 1\n";

	set = set_file_new();
	ck_assert_ptr_nonnull(set);
	ck_assert_int_eq(policy_parse((const uint8_t *)text, strlen(text), "hub.yaml", &policy, error), 0);
}

static void teardown(void)
{
	json_decref(v.json);
	set_file_free(set);
	policy_free(policy);
}

/* ---- made members ---- */

static struct tensor_rows *rows_of(const char *tensor, enum manifest_kind kind)
{
	const struct manifest_row row = {
		.kind = kind,
		.name = bytes_of_text(tensor),
		.name_bytes = strlen(tensor),
		.file = bytes_of_text(kind == MANIFEST_MAPPING ? "b.safetensors" : ""),
	};
	struct tensor_rows *rows = tensor_rows_new(1 << 20);
	const struct manifest_sink *sink = tensor_rows_sink(rows);
	uint8_t buf[MANIFEST_ROW_MAX];

	ck_assert(sink->row(sink->ctx, &row, bytes_of(buf, manifest_encode(&row, buf))));
	ck_assert_int_eq(tensor_rows_end(rows), 0);
	return rows;
}

/* A file with one tensor (or mapping) of its own name, and a digest that is its first letter 32 times. */
static size_t add_judged(const char *name, enum verdict_value value, enum manifest_kind kind)
{
	size_t i = set_file_add(set, bytes_of_text(name), SET_MEMBER_UNREADABLE);
	struct tensor_rows *rows = rows_of(name, kind);
	struct made m;

	made_init(&m);
	memset(m.facts.final.sha256, name[0], 32);
	set_file_judged(set, i, &m.facts, value, rows);
	tensor_rows_free(rows);
	return i;
}

static void judge(const struct facts *f)
{
	const struct verdict_context c = { .name = "folder", .started_at = MADE_NOW };

	json_decref(v.json);
	v.json = NULL;
	ck_assert_int_eq(set_verdict_make(policy, set, f, &c, &v), 0);
}

static void judge_clean(void)
{
	struct made m;

	made_init(&m);
	judge(&m.facts);
}

static const char *text_at(const char *member)
{
	const char *text = json_string_value(json_object_get(v.json, member));

	return text != NULL ? text : "(none)";
}

static const char *reason(size_t i)
{
	const char *text = json_string_value(json_array_get(json_object_get(v.json, "reasons"), i));

	return text != NULL ? text : "(none)";
}

static bool complete(void)
{
	return json_is_true(json_object_get(v.json, "complete"));
}

/* ---- the verdict ---- */

START_TEST(test_set_of_accepted_files_is_accepted)
{
	setup();
	add_judged("a", VERDICT_ACCEPT, MANIFEST_MAPPING);
	add_judged("b", VERDICT_ACCEPT, MANIFEST_TENSOR);
	judge_clean();
	ck_assert_int_eq(v.value, VERDICT_ACCEPT);
	ck_assert_str_eq(text_at("schema"), "weighlock.set/1");
	ck_assert_str_eq(text_at("verdict"), "accept");
	ck_assert_str_eq(text_at("name"), "folder");
	ck_assert(complete());
	ck_assert_uint_eq(json_array_size(json_object_get(v.json, "reasons")), 0);
	teardown();
}
END_TEST

START_TEST(test_set_is_no_better_than_its_worst_member)
{
	static const enum verdict_value values[] = { VERDICT_REVIEW, VERDICT_ERROR, VERDICT_REJECT };

	for (size_t i = 0; i < 3; i++) {
		setup();
		add_judged("a", VERDICT_ACCEPT, MANIFEST_MAPPING);
		add_judged("b", values[i], MANIFEST_TENSOR);
		add_judged("c", VERDICT_ACCEPT, MANIFEST_TENSOR);
		judge_clean();
		ck_assert_int_eq(v.value, values[i]);
		ck_assert_str_eq(reason(0), "member");
		ck_assert_str_eq(reason(1), "(none)");
		teardown();
		v.json = NULL;
	}
}
END_TEST

START_TEST(test_own_findings_meet_the_policy)
{
	struct made m;

	setup();
	add_judged("a", VERDICT_REVIEW, MANIFEST_MAPPING);
	made_init(&m);
	made_add(&m, WLK_F_ST_DATA_TRAILING)->member = bytes_of_text("a");
	judge(&m.facts);
	ck_assert_int_eq(v.value, VERDICT_REJECT);
	ck_assert_str_eq(reason(0), "malformed");
	ck_assert_str_eq(reason(1), "(none)");
	ck_assert_uint_eq(json_array_size(json_object_get(v.json, "findings")), 1);
	teardown();
}
END_TEST

START_TEST(test_set_scan_that_failed_is_an_error)
{
	struct made m;

	setup();
	add_judged("a", VERDICT_ACCEPT, MANIFEST_MAPPING);
	made_init(&m);
	made_stop(&m, WLK_CAUSE_WORKER_CRASHED);
	judge(&m.facts);
	ck_assert_int_eq(v.value, VERDICT_ERROR);
	ck_assert(!complete());
	ck_assert_str_eq(reason(0), "incomplete");
	ck_assert_str_eq(
	    json_string_value(json_object_get(json_object_get(v.json, "scan"), "error")), "worker-crashed");
	judge(NULL);
	ck_assert_int_eq(v.value, VERDICT_ERROR);
	teardown();
}
END_TEST

START_TEST(test_member_nobody_judged_makes_it_an_error)
{
	static const enum set_member_state states[] = { SET_MEMBER_LINK, SET_MEMBER_SPECIAL, SET_MEMBER_UNREADABLE };

	for (size_t i = 0; i < 3; i++) {
		setup();
		add_judged("a", VERDICT_ACCEPT, MANIFEST_MAPPING);
		ck_assert_uint_eq(set_file_add(set, bytes_of_text("b"), states[i]), 1);
		judge_clean();
		ck_assert_int_eq(v.value, VERDICT_ERROR);
		ck_assert(!complete());
		ck_assert(json_is_null(json_object_get(v.json, "sha256")));
		teardown();
		v.json = NULL;
	}
}
END_TEST

/* Computed by another SHA-256 (Python's), over "6161...  a\0" and "6262...  b\0". */
START_TEST(test_digest_is_of_names_in_byte_order)
{
	setup();
	add_judged("b", VERDICT_ACCEPT, MANIFEST_TENSOR);
	add_judged("a", VERDICT_ACCEPT, MANIFEST_MAPPING);
	judge_clean();
	ck_assert_str_eq(text_at("sha256"), "4ccfd74f66e41f78cdb46a289f39b5ad26c69d50d26b393caaad5c00995a9981");
	ck_assert_str_eq(
	    json_string_value(json_object_get(json_array_get(json_object_get(v.json, "members"), 0), "name")), "a");
	teardown();
}
END_TEST

/* ---- the document ---- */

static int64_t fd_read(void *ctx, uint64_t offset, void *buf, size_t n)
{
	return pread(*(const int *)ctx, buf, n, (off_t)offset);
}

/* A member's rows, in the document: their bytes compared with those of @want. */
static void rows_are(int fd, const struct set_member *m, const char *want, enum manifest_kind kind)
{
	uint8_t buf[256];
	struct manifest_row row;

	ck_assert_uint_lt(m->rows_bytes, sizeof(buf));
	ck_assert_int_eq(pread(fd, buf, (size_t)m->rows_bytes, (off_t)m->rows_at), (ssize_t)m->rows_bytes);
	ck_assert_uint_eq(load_u32le(buf) + 4, m->rows_bytes);
	ck_assert(manifest_decode(bytes_of(buf + 4, (size_t)m->rows_bytes - 4), &row));
	ck_assert_int_eq(row.kind, kind);
	ck_assert(bytes_equal(row.name, bytes_of_text(want)));
}

START_TEST(test_document_has_members_and_their_rows_in_order_of_adding)
{
	struct set_member *members;
	struct arena arena;
	struct source src;
	uint64_t size = 0;
	size_t n, first, second;
	struct tensor_rows *rows;
	struct made m;
	int fd;

	setup();
	first = set_file_add(set, bytes_of_text("first"), SET_MEMBER_UNREADABLE);
	second = add_judged("second", VERDICT_ACCEPT, MANIFEST_TENSOR); /* done before the first */
	set_file_add(set, bytes_of_text("third"), SET_MEMBER_LINK);
	made_init(&m);
	m.extra[m.facts.n_facts++] = (struct fact){ .id = WLK_FACT_HEADER_BYTES, .value = value_number(7) };
	m.extra[m.facts.n_facts++] = (struct fact){ .id = WLK_FACT_LFS_OID, .value = value_text(bytes_of_text("oid")) };
	made_stop(&m, WLK_CAUSE_LIMIT_TIME);
	rows = rows_of("first", MANIFEST_MAPPING);
	set_file_judged(set, first, &m.facts, VERDICT_ERROR, rows);
	tensor_rows_free(rows);
	memset(&m, 'x', sizeof(m)); /* nothing of it is still needed */

	fd = set_file_seal(set, &size);
	ck_assert_int_ge(fd, 0);
	arena_init(&arena, 1 << 20);
	source_init(&src, fd_read, &fd, size, SOURCE_IMMUTABLE, &arena, 1 << 20);
	ck_assert(set_document_read_head(&src, &arena, &members, &n));
	ck_assert_uint_eq(n, 3);
	ck_assert_int_eq(members[first].state, SET_MEMBER_PARTLY);
	ck_assert_int_eq(members[second].state, SET_MEMBER_WHOLE);
	ck_assert_int_eq(members[2].state, SET_MEMBER_LINK);
	ck_assert_uint_eq(members[first].n_facts, 2);
	ck_assert_uint_eq(members[first].facts[0].value.number, 7);
	ck_assert(bytes_equal(members[first].facts[1].value.text, bytes_of_text("oid")));
	rows_are(fd, &members[first], "first", MANIFEST_MAPPING);
	rows_are(fd, &members[second], "second", MANIFEST_TENSOR);
	ck_assert_int_eq(write(fd, "x", 1), -1); /* sealed */
	source_done(&src);
	arena_done(&arena);
	teardown();
}
END_TEST

/* The members of a document; its rows are looked at by the descriptor. */
static void with_members(int fd, uint64_t size, void (*look)(int fd, const struct set_member *members, size_t n))
{
	struct set_member *members;
	struct arena arena;
	struct source src;
	size_t n;

	ck_assert_int_ge(fd, 0);
	arena_init(&arena, 1 << 20);
	source_init(&src, fd_read, &fd, size, SOURCE_IMMUTABLE, &arena, 1 << 20);
	ck_assert(set_document_read_head(&src, &arena, &members, &n));
	look(fd, members, n);
	ck_assert_int_eq(write(fd, "x", 1), -1); /* sealed */
	source_done(&src);
	arena_done(&arena);
}

static void look_at_claims(int fd, const struct set_member *members, size_t n)
{
	ck_assert_uint_eq(n, 3);
	ck_assert_uint_eq(members[0].rows_bytes, 0);
	rows_are(fd, &members[1], "model", MANIFEST_MAPPING);
	ck_assert_int_eq(members[2].state, SET_MEMBER_UNREADABLE);
	ck_assert(bytes_equal(members[2].name, bytes_of_text("weights")));
}

static void look_at_all(int fd, const struct set_member *members, size_t n)
{
	ck_assert_uint_eq(n, 3);
	rows_are(fd, &members[0], "a", MANIFEST_TENSOR);
	rows_are(fd, &members[1], "model", MANIFEST_MAPPING);
}

START_TEST(test_claims_are_the_rows_of_those_that_speak_and_all_rows_come_after_them)
{
	uint64_t size = 0;
	int fd;

	setup();
	add_judged("a", VERDICT_ACCEPT, MANIFEST_TENSOR);
	add_judged("model", VERDICT_ACCEPT, MANIFEST_MAPPING);
	set_file_add(set, bytes_of_text("weights"), SET_MEMBER_UNREADABLE);
	fd = set_file_claims(set, &size);
	with_members(fd, size, look_at_claims);
	fd = set_file_seal(set, &size);
	with_members(fd, size, look_at_all);
	teardown();
}
END_TEST

START_TEST(test_nobody_listens_where_nobody_speaks_or_too_many_would_have_to)
{
	uint64_t size = 0, bytes;

	setup();
	add_judged("a", VERDICT_ACCEPT, MANIFEST_TENSOR);
	ck_assert_uint_eq(set_file_claims_bytes(set, 1), 0);
	ck_assert_int_eq(set_file_claims(set, &size), -1);
	add_judged("model", VERDICT_ACCEPT, MANIFEST_MAPPING);
	bytes = set_file_claims_bytes(set, 1);
	ck_assert_uint_gt(bytes, 0);
	ck_assert_uint_eq(set_file_claims_bytes(set, (size_t)(SET_CLAIMS_READ_MAX / bytes)), bytes);
	ck_assert_uint_eq(set_file_claims_bytes(set, (size_t)(SET_CLAIMS_READ_MAX / bytes) + 1), 0);
	teardown();
}
END_TEST

START_TEST(test_only_files_that_speak_of_others_make_a_set)
{
	struct made m;

	setup();
	add_judged("a", VERDICT_ACCEPT, MANIFEST_TENSOR);
	ck_assert(!set_file_is_set(set));
	made_init(&m);
	m.extra[m.facts.n_facts++] = (struct fact){ .id = WLK_FACT_SPLIT_COUNT, .value = value_number(1) };
	set_file_judged(
	    set, set_file_add(set, bytes_of_text("b"), SET_MEMBER_UNREADABLE), &m.facts, VERDICT_ACCEPT, NULL);
	ck_assert(!set_file_is_set(set)); /* a split in one part */
	m.extra[0].value.number = 2;
	set_file_judged(
	    set, set_file_add(set, bytes_of_text("c"), SET_MEMBER_UNREADABLE), &m.facts, VERDICT_ACCEPT, NULL);
	ck_assert(set_file_is_set(set));
	teardown();
	setup();
	add_judged("a", VERDICT_ACCEPT, MANIFEST_MAPPING);
	ck_assert(set_file_is_set(set));
	teardown();
}
END_TEST

/* Of a set gates go by the worst of what is effective of its members, and of its own findings. */
START_TEST(test_a_set_is_as_good_as_what_is_effective_of_its_members)
{
	char error[POLICY_ERROR_MAX];
	struct exceptions *none = NULL;
	struct made m;
	size_t a, b;

	setup();
	ck_assert_int_eq(exceptions_parse(bytes_of_text(""), "none", &none, error), 0);
	policy_except(policy, none);
	a = add_judged("a", VERDICT_REJECT, MANIFEST_MAPPING);
	b = add_judged("b", VERDICT_REVIEW, MANIFEST_TENSOR);
	made_init(&m);
	judge(&m.facts);
	ck_assert_int_eq(v.effective, VERDICT_REJECT);
	set_file_excepted(set, a, VERDICT_ACCEPT);
	judge(&m.facts);
	ck_assert_int_eq(v.value, VERDICT_REJECT);
	ck_assert_int_eq(v.effective, VERDICT_REVIEW);
	set_file_excepted(set, b, VERDICT_ACCEPT);
	judge(&m.facts);
	ck_assert_int_eq(v.effective, VERDICT_ACCEPT);
	ck_assert_str_eq(json_string_value(json_object_get(v.json, "verdict")), "reject");
	ck_assert_str_eq(json_string_value(json_object_get(v.json, "effective")), "accept");
	(void)made_add(&m, WLK_F_WEIGHTS_NAN);
	judge(&m.facts);
	ck_assert_int_ne(v.effective, VERDICT_ACCEPT);
	teardown();
	exceptions_free(none);
}
END_TEST

START_TEST(test_one_member_too_many_is_remembered)
{
	char name[16];
	uint64_t size;

	setup();
	for (unsigned i = 0; i < SET_MEMBERS_MAX; i++) {
		(void)snprintf(name, sizeof(name), "%u", i);
		ck_assert_uint_eq(set_file_add(set, bytes_of_text(name), SET_MEMBER_SPECIAL), i);
	}
	ck_assert_int_eq(set_file_cause(set), WLK_CAUSE_NONE);
	ck_assert(set_file_holds_all(set));
	ck_assert_uint_eq(add_judged("one more", VERDICT_REJECT, MANIFEST_TENSOR), SIZE_MAX);
	ck_assert_int_eq(set_file_cause(set), WLK_CAUSE_LIMIT_OUTPUT);
	ck_assert(!set_file_holds_all(set));
	ck_assert_int_eq(set_file_worst(set), VERDICT_REJECT);
	ck_assert_int_eq(set_file_seal(set, &size), -1);
	judge(NULL);
	ck_assert_int_eq(v.value, VERDICT_REJECT);
	teardown();
}
END_TEST

START_TEST(test_names_are_bounded_in_all)
{
	static char name[SET_NAME_MAX];
	size_t n = 0;

	setup();
	memset(name, 'n', sizeof(name));
	ck_assert_uint_eq(set_file_add(set, bytes_of(name, 0), SET_MEMBER_LINK), SIZE_MAX);
	teardown();
	setup();
	while (set_file_add(set, bytes_of(name, sizeof(name)), SET_MEMBER_LINK) != SIZE_MAX)
		n++;
	ck_assert_uint_gt(n, SET_HEAD_BYTES_MAX / (SET_NAME_MAX + 128));
	ck_assert_uint_le(n, SET_HEAD_BYTES_MAX / SET_NAME_MAX);
	ck_assert_int_eq(set_file_cause(set), WLK_CAUSE_LIMIT_OUTPUT);
	teardown();
}
END_TEST

HARNESS("set", test_set_of_accepted_files_is_accepted, test_set_is_no_better_than_its_worst_member,
    test_own_findings_meet_the_policy, test_set_scan_that_failed_is_an_error,
    test_member_nobody_judged_makes_it_an_error, test_digest_is_of_names_in_byte_order,
    test_document_has_members_and_their_rows_in_order_of_adding, test_only_files_that_speak_of_others_make_a_set,
    test_claims_are_the_rows_of_those_that_speak_and_all_rows_come_after_them,
    test_nobody_listens_where_nobody_speaks_or_too_many_would_have_to,
    test_a_set_is_as_good_as_what_is_effective_of_its_members, test_one_member_too_many_is_remembered,
    test_names_are_bounded_in_all)
