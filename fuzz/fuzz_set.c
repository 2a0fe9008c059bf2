/* Any bytes as a set document, as a worker that was taken over could have caused it to be: the judge's report decodes, is
 * the same whatever the key of its hash tables, names only members of the set, and a judgement that ended without a
 * cause saw a document that is one. */
#include "engine.h"
#include "set_document.h"

static struct memory_report judge(const struct memory_file *file, uint64_t seed)
{
	struct wlk_input in = { .read = memory_read, .ctx = (void *)(uintptr_t)file, .seed = { .k0 = seed, .k1 = 11 } };
	struct job job = { .task = JOB_SET, .size = file->n, .kind = SOURCE_IMMUTABLE, .limits = LIMITS_DEFAULT };
	static struct report report;
	struct memory_report out = { 0 };

	report_init(&report, memory_write, NULL, &out);
	wlk_scan(&in, &job, &report);
	return out;
}

/* The report cuts what is longer than it takes. */
static bool names_member(const struct set_member *members, size_t n, struct bytes name)
{
	for (size_t i = 0; i < n; i++) {
		struct bytes whole = members[i].name;

		if (bytes_equal(bytes_of(whole.at, whole.n < REPORT_STRING_MAX ? whole.n : REPORT_STRING_MAX), name))
			return true;
	}
	return false;
}

static void check_members(const struct facts *f, struct memory_file *file)
{
	struct set_member *members;
	struct source src;
	struct arena arena;
	size_t n = 0;

	arena_init(&arena, (size_t)256 << 20);
	source_init(&src, memory_read, file, file->n, SOURCE_IMMUTABLE, &arena, (uint64_t)1 << 20);
	FUZZ_REQUIRE(set_document_read_head(&src, &arena, &members, &n) || f->final.cause != WLK_CAUSE_NONE);
	for (size_t i = 0; i < f->n_findings; i++) {
		if (f->findings[i].code != WLK_F_LIMIT_MEMORY && f->findings[i].code != WLK_F_LIMIT_REREAD &&
		    f->findings[i].code != WLK_F_LIMIT_WORK)
			FUZZ_REQUIRE(names_member(members, n, f->findings[i].member));
	}
	source_done(&src);
	arena_done(&arena);
}

int fuzz_one(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n > 0 ? n : 1);
	struct memory_file file = { .at = copy, .n = n };
	struct facts_expect expect = { .size = n };
	struct memory_report first, second;
	struct facts *f = facts_new();

	FUZZ_REQUIRE(copy != NULL && f != NULL);
	if (n > 0)
		memcpy(copy, data, n);
	first = judge(&file, 7);
	second = judge(&file, 8);
	FUZZ_REQUIRE(first.n == second.n && memcmp(first.at, second.at, first.n) == 0);
	FUZZ_REQUIRE(facts_feed(f, first.at, first.n));
	facts_finish(f, WLK_CAUSE_NONE, &expect);
	FUZZ_REQUIRE(f->final.cause != WLK_CAUSE_WORKER_PROTOCOL && f->final.format == WLK_FORMAT_SET);
	engine_check_digest(f, &file);
	check_members(f, &file);
	facts_free(f);
	free(first.at);
	free(second.at);
	free(copy);
	return 0;
}
