/* Any bytes as a ZIP archive, in each profile: no crash, findings inside the file, the same report whether the file may
 * change or not; what is described lies inside the file, and a sound archive is tiled by its records and members. */
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "fuzz.h"
#include "memory_scan.h"
#include "zip.h"

#define BUDGET ((size_t)48 << 20)
#define PIN_BUDGET ((uint64_t)16 << 20)
#define DECODED_MAX ((uint64_t)1 << 20) /* a member: the codec has a target of its own */

struct reading {
	struct arena arena;
	struct source src;
	struct extents extents;
	struct zip zip;
	enum wlk_status status;
	struct memory_report sent;
};

static uint64_t take(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	(void)ctx;
	(void)at;
	return offset + n < DECODED_MAX ? offset + n : FEED_END;
}

/* As the pass would. */
static void pass_members(struct reading *r)
{
	for (size_t i = 0; i < r->zip.n && i < 64; i++) {
		struct member *m = r->zip.entries[i].member;

		if (m == NULL)
			continue;
		m->end = stream_preview(&m->stream, &r->arena, (struct feeder){ take, NULL }, &m->state);
		m->passed = m->end != STREAM_FAILED;
	}
	zip_finish(&r->zip);
}

static void read_zip(struct reading *r, struct memory_file *file, enum source_kind kind, enum zip_profile profile)
{
	static struct report report;
	static const struct limits lim = LIMITS_DEFAULT;
	struct part part;

	*r = (struct reading){ 0 };
	arena_init(&r->arena, BUDGET);
	source_init(&r->src, memory_read, file, file->n, kind, &r->arena, PIN_BUDGET);
	extents_init(&r->extents, &r->arena);
	report_init(&report, memory_write, NULL, &r->sent);
	part = part_of_file(&r->src);
	r->status = zip_read(&r->zip, &part,
	    &(struct zip_options){ .profile = profile,
		.lim = &lim,
		.seed = { 7, 11 },
		.arena = &r->arena,
		.report = &report,
		.extents = &r->extents });
	if (r->status == WLK_DONE)
		pass_members(r);
	report_end(&report, &(struct report_final){ .size = file->n, .cause = report.cause });
}

static void done(struct reading *r)
{
	source_done(&r->src);
	arena_done(&r->arena);
	free(r->sent.at);
}

/* What the front would see. */
static void check_report(const struct reading *r, uint64_t size)
{
	struct facts *f = facts_new();

	FUZZ_REQUIRE(f != NULL);
	FUZZ_REQUIRE(facts_feed(f, r->sent.at, r->sent.n));
	facts_finish(f, WLK_CAUSE_NONE, &(struct facts_expect){ .size = size });
	for (size_t i = 0; i < f->n_findings; i++)
		FUZZ_REQUIRE(!f->findings[i].has_offset || f->findings[i].offset <= size);
	if (r->status == WLK_BROKEN || (r->status == WLK_DONE && !r->zip.sound))
		FUZZ_REQUIRE(memory_worst(f) >= SEVERITY_MEDIUM);
	facts_free(f);
}

static void check_entries(const struct reading *r, uint64_t size)
{
	for (size_t i = 0; i < r->zip.n; i++) {
		const struct zip_entry *e = &r->zip.entries[i];

		FUZZ_REQUIRE(e->readable == (e->member != NULL));
		if (e->readable)
			FUZZ_REQUIRE(e->data <= size && e->coded <= size - e->data);
		if (r->zip.sound)
			FUZZ_REQUIRE(zip_find(&r->zip, e->name) == e);
		else
			FUZZ_REQUIRE(zip_find(&r->zip, e->name) != NULL);
	}
}

/* Independently of extents_cover(). */
static void check_tiling(const struct reading *r, uint64_t size)
{
	uint64_t at = 0;

	for (size_t i = 0; r->zip.sound && i < r->extents.n; i++) {
		const struct extent *e = &r->extents.list[i];

		FUZZ_REQUIRE(e->begin == at && e->end >= at && e->flags == 0);
		at = e->end;
	}
	FUZZ_REQUIRE(!r->zip.sound || at == size);
}

int fuzz_one(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n > 0 ? n : 1); /* exactly this size, so that one byte too many is seen */
	struct memory_file file = { .at = copy, .n = n };

	FUZZ_REQUIRE(copy != NULL);
	if (n > 0)
		memcpy(copy, data, n);
	for (enum zip_profile profile = ZIP_PLAIN; profile <= ZIP_NPZ; profile++) {
		struct reading first, second;

		read_zip(&first, &file, SOURCE_IMMUTABLE, profile);
		read_zip(&second, &file, SOURCE_MUTABLE, profile);
		FUZZ_REQUIRE(first.status != WLK_INCOMPLETE || first.arena.exhausted);
		check_report(&first, n);
		if (first.status == WLK_DONE) {
			check_entries(&first, n);
			check_tiling(&first, n);
		}
		FUZZ_REQUIRE(first.sent.n == second.sent.n && memcmp(first.sent.at, second.sent.at, first.sent.n) == 0);
		done(&first);
		done(&second);
	}
	free(copy);
	return 0;
}
