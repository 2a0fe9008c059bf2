/* Any bytes as a file of any host, through the rules for polyglots: the first byte chooses the host and where the pass is
 * cut.  Neither where the pass is cut nor whether the file may change says what is found; finds lie inside the file. */
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "fuzz.h"
#include "memory_scan.h"
#include "polyglot.h"

static struct memory_report judge(
    const struct memory_file *file, enum wlk_format_id host, enum source_kind kind, size_t cut)
{
	static struct pass pass;
	static struct report report;
	struct memory_report out = { 0 };
	struct extents none;
	struct arena arena;
	struct source src;
	struct polyglot pg;
	uint8_t digest[32];

	report_init(&report, memory_write, NULL, &out);
	arena_init(&arena, (size_t)48 << 20);
	source_init(&src, memory_read, (void *)(uintptr_t)file, file->n, kind, &arena, 1 << 20);
	extents_init(&none, &arena);
	if (cut < file->n)
		FUZZ_REQUIRE(source_pin(&src, cut, 1) != NULL);
	pass_init(&pass, &src, &report);
	FUZZ_REQUIRE(polyglot_plan(&pg, &pass, host, &none, (struct siphash_key){ .k0 = 3, .k1 = 5 }) == WLK_DONE);
	FUZZ_REQUIRE(pass_run(&pass, digest) == WLK_DONE);
	polyglot_judge(&pg, &src, &report);
	FUZZ_REQUIRE(report_end(&report, &(struct report_final){ .size = file->n, .bytes = file->n, .format = host }));
	source_done(&src);
	arena_done(&arena);
	return out;
}

static void check(const struct memory_report *out, uint64_t size)
{
	struct facts *f = facts_new();

	FUZZ_REQUIRE(f != NULL && facts_feed(f, out->at, out->n) && f->has_final);
	for (size_t i = 0; i < f->n_findings; i++) {
		FUZZ_REQUIRE(!f->findings[i].has_offset || f->findings[i].offset < size);
		FUZZ_REQUIRE(f->findings[i].subject.n > 0 || f->findings[i].code == WLK_F_LIMIT_REREAD ||
			     f->findings[i].code == WLK_F_LIMIT_WORK);
	}
	facts_free(f);
}

int fuzz_one(const uint8_t *data, size_t n)
{
	enum wlk_format_id host = (enum wlk_format_id)(n > 0 ? data[0] % WLK_N_FORMATS : 0);
	size_t cut = n > 0 ? (size_t)data[0] * 7 : 0;
	uint8_t *copy = malloc(n > 1 ? n - 1 : 1); /* exactly this size, so that one byte too many is seen */
	struct memory_file file = { .at = copy, .n = n > 0 ? n - 1 : 0 };
	struct memory_report whole, cut_up, changing;

	FUZZ_REQUIRE(copy != NULL);
	if (file.n > 0)
		memcpy(copy, data + 1, file.n);
	whole = judge(&file, host, SOURCE_IMMUTABLE, file.n);
	cut_up = judge(&file, host, SOURCE_IMMUTABLE, cut);
	changing = judge(&file, host, SOURCE_MUTABLE, file.n);
	check(&whole, file.n);
	FUZZ_REQUIRE(whole.n == cut_up.n && memcmp(whole.at, cut_up.at, whole.n) == 0);
	/* A file that may change has a budget of second looks. */
	check(&changing, file.n);
	free(whole.at);
	free(cut_up.at);
	free(changing.at);
	free(copy);
	return 0;
}
