/* Any bytes as the configuration of a Keras model: findings point into the text, the same text gives the same report, what
 * is no JSON is never taken for understood, and the memory comes back. */
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "fuzz.h"
#include "keras_config.h"
#include "memory_scan.h"

#define AT 100u

static struct memory_report check(struct bytes text, enum wlk_status *ret)
{
	static struct report report;
	static const struct limits lim = LIMITS_DEFAULT;
	struct memory_file file = { .at = text.at, .n = text.n };
	struct memory_report out = { 0 };
	struct arena arena;
	struct source src;
	struct extents extents;
	struct layout l = {
		.src = &src, .lim = &lim, .seed = { 7, 11 }, .arena = &arena, .report = &report, .extents = &extents
	};
	size_t used;

	arena_init(&arena, LAYOUT_MEMORY_BASE);
	source_init(&src, memory_read, &file, file.n, SOURCE_IMMUTABLE, &arena, 0);
	extents_init(&extents, &arena);
	report_init(&report, memory_write, NULL, &out);
	report.wants_calls = true;
	l.part = part_of_file(&src);
	used = arena.used;
	*ret = keras_config_check(&l, text, AT);
	FUZZ_REQUIRE(*ret == WLK_INCOMPLETE || arena.used == used);
	report_end(&report, &(struct report_final){ .size = AT + file.n, .cause = report.cause });
	source_done(&src);
	arena_done(&arena);
	return out;
}

static void check_findings(const struct memory_report *out, size_t n, enum wlk_status status)
{
	struct facts_expect expect = { .size = AT + n };
	struct facts *f = facts_new();

	FUZZ_REQUIRE(f != NULL);
	facts_want_calls(f);
	FUZZ_REQUIRE(facts_feed(f, out->at, out->n));
	facts_finish(f, WLK_CAUSE_NONE, &expect);
	FUZZ_REQUIRE(f->final.cause != WLK_CAUSE_WORKER_PROTOCOL);
	FUZZ_REQUIRE(status != WLK_BROKEN || f->n_findings > 0);
	for (size_t i = 0; i < f->n_findings; i++)
		FUZZ_REQUIRE(f->findings[i].offset >= AT && f->findings[i].offset <= AT + n);
	facts_free(f);
}

int fuzz_one(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n > 0 ? n : 1); /* exactly this size, so that one byte too many is seen */
	enum wlk_status status, again;
	struct memory_report first, second;

	FUZZ_REQUIRE(copy != NULL);
	bytes_copy(copy, bytes_of(data, n));
	first = check(bytes_of(copy, n), &status);
	second = check(bytes_of(copy, n), &again);
	FUZZ_REQUIRE(status == again && first.n == second.n && memcmp(first.at, second.at, first.n) == 0);
	check_findings(&first, n, status);
	free(first.at);
	free(second.at);
	free(copy);
	return 0;
}
